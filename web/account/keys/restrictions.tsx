// What a key may be used for: until when, from where, for which endpoints.

import { Choice, Field, TextArea, Tick } from '../../components/form.tsx';

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

type FieldsWish = {
  readonly typed: Typed;
  readonly onTyped: (typed: Typed) => void;
  readonly known: readonly string[];
  readonly refused: (field: string) => string | undefined;
};

export function Name({ typed, onTyped, refused }: Omit<FieldsWish, 'known'>) {
  return (
    <Field
      label="Name"
      hint="So that you know it again: what uses it, and where."
      maxLength={100}
      value={typed.name}
      onValue={(name) => onTyped({ ...typed, name })}
      error={refused('name')}
    />
  );
}

export function Ends({ typed, onTyped, refused }: Omit<FieldsWish, 'known'>) {
  return (
    <div class="form-row">
      <Choice
        label="Ends"
        value={typed.ends}
        options={[
          { value: 'never', label: 'Never' },
          { value: '30', label: 'In 30 days' },
          { value: '90', label: 'In 90 days' },
          { value: '365', label: 'In a year' },
          { value: 'on', label: 'On a day' },
        ]}
        onValue={(ends) => onTyped({ ...typed, ends })}
        error={typed.ends === 'on' ? undefined : refused('expiresAtMs')}
      />
      {typed.ends === 'on' ? (
        <Field
          label="Last day (UTC)"
          type="date"
          required
          min={new Date().toISOString().slice(0, 10)}
          value={typed.endDay}
          onValue={(endDay) => onTyped({ ...typed, endDay })}
          error={refused('expiresAtMs')}
        />
      ) : null}
    </div>
  );
}

export function Bounds({ typed, onTyped, known, refused }: FieldsWish) {
  return (
    <>
      <TextArea
        label="Addresses it may be used from"
        hint="One in a line, such as 203.0.113.7 or 203.0.113.0/24. Empty: any."
        rows={2}
        value={typed.addresses}
        onValue={(addresses) => onTyped({ ...typed, addresses })}
        error={refused('addresses')}
      />
      <Choice
        label="Endpoints it may call"
        value={typed.reach}
        options={[
          { value: 'all', label: 'All' },
          { value: 'some', label: 'Only those ticked' },
        ]}
        onValue={(reach) => onTyped({ ...typed, reach })}
        error={refused('endpoints')}
      />
      {typed.reach === 'all' ? null : (
        <fieldset class="endpoints">
          <legend class="unseen">Endpoints</legend>
          {known.map((path) => (
            <Tick
              key={path}
              label={path}
              value={typed.endpoints.includes(path) ? 'on' : 'off'}
              onValue={(value) =>
                onTyped({
                  ...typed,
                  endpoints: known.filter((each) =>
                    each === path ? value === 'on' : typed.endpoints.includes(each),
                  ),
                })
              }
            />
          ))}
        </fieldset>
      )}
    </>
  );
}
