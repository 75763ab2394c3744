// What a key may be used for: until when, from where, for which endpoints.

import { Choice, Field, type FieldOf, type Sent, TextArea, Tick } from '../../components/form.tsx';

/** As it is typed; origins are for publishable keys alone. */
export type Typed = {
  readonly name: string;
  readonly ends: 'never' | '30' | '90' | '365' | 'on';
  /** YYYY-MM-DD, where it ends on a day. */
  readonly endDay: string;
  readonly origins: string;
  readonly addresses: string;
  readonly endpoints: readonly string[];
  readonly reach: 'all' | 'some';
};

export const nothingTyped: Typed = {
  name: '',
  ends: 'never',
  endDay: '',
  origins: '',
  addresses: '',
  endpoints: [],
  reach: 'all',
};

const dayMs = 86_400_000;

/** At the end of the day by UTC, where one is named. */
export function endMsOf({ ends, endDay }: Typed, nowMs = Date.now()): number | null {
  if (ends === 'never') return null;
  return ends === 'on' ? Date.parse(`${endDay}T23:59:59Z`) : nowMs + Number(ends) * dayMs;
}

/** The service blames the moment that was made of what is typed here. */
export const besideEnds = <Told,>(answer: Sent<Told>): Sent<Told> =>
  answer.kind === 'refused' && answer.field === 'expiresAtMs' ? { ...answer, field: 'ends' } : answer;

type FieldsWish = { readonly field: FieldOf<Typed> };

export function Name({ field }: FieldsWish) {
  return (
    <Field
      label="Name"
      hint="Helps you recognise it: what uses it, and where."
      maxLength={100}
      {...field('name')}
    />
  );
}

export function Ends({ field }: FieldsWish) {
  const { error, ...ends } = field('ends');
  return (
    <div class="form-row">
      <Choice
        label="Ends"
        options={[
          { value: 'never', label: 'Never' },
          { value: '30', label: 'In 30 days' },
          { value: '90', label: 'In 90 days' },
          { value: '365', label: 'In a year' },
          { value: 'on', label: 'On a date' },
        ]}
        {...ends}
        error={ends.value === 'on' ? undefined : error}
      />
      {ends.value === 'on' ? (
        <Field
          label="Last day (UTC)"
          type="date"
          required
          min={new Date().toISOString().slice(0, 10)}
          {...field('endDay')}
          error={error}
        />
      ) : null}
    </div>
  );
}

export function Bounds({ field, known }: FieldsWish & { readonly known: readonly string[] }) {
  const reach = field('reach');
  const { value: endpoints, onValue, error } = field('endpoints');
  return (
    <>
      <TextArea
        label="IP addresses that may use it"
        hint="One per line, such as 203.0.113.7 or 203.0.113.0/24. Leave empty for any."
        rows={2}
        {...field('addresses')}
      />
      <Choice
        label="Endpoints that it may call"
        options={[
          { value: 'all', label: 'All' },
          { value: 'some', label: 'Only the ticked ones' },
        ]}
        {...reach}
        error={error}
      />
      {reach.value === 'all' ? null : (
        <fieldset class="endpoints">
          <legend class="unseen">Endpoints</legend>
          {known.map((path) => (
            <Tick
              key={path}
              label={path}
              value={endpoints.includes(path) ? 'on' : 'off'}
              onValue={(value) =>
                onValue(known.filter((each) => (each === path ? value === 'on' : endpoints.includes(each))))
              }
            />
          ))}
        </fieldset>
      )}
    </>
  );
}
