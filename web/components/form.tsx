// Forms: a field has a label, a hint and its error; a form sends once, shows what the service refuses beside the field it is
// about, and puts the focus there.

import { type ComponentChildren, h, type LooseInputHTMLAttributes, type TargetedSubmitEvent } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Refusal } from '../ask.ts';
import { SubmitButton } from './button.tsx';
import { Notice } from './notice.tsx';

/** What a field shows and takes, and what it is refused for: spread into it. */
export type Bound<Value> = {
  readonly value: Value;
  readonly onValue: (value: Value) => void;
  readonly error: string | undefined;
};

export type FieldOf<Typed> = <Name extends keyof Typed>(name: Name) => Bound<Typed[Name]>;

/** What the service says to a form. */
export type Sent<Told> = { readonly kind: 'told'; readonly told: Told } | Refusal;

export type FormWish<Typed, Told> = {
  readonly submit: string;
  readonly look?: 'primary' | 'plain' | 'danger';
  /** `line`: the button stands beside the field. */
  readonly layout?: 'block' | 'line';
  /** What its fields have at first, by name. A refusal for one of them stands beside it. */
  readonly first: Typed;
  readonly onSend: (typed: Typed) => Promise<Sent<Told>>;
  /** Once it worked; a refusal is shown. */
  readonly onDone: (told: Told, typed: Typed) => void | Promise<void>;
  /** Beside the button. */
  readonly beside?: ComponentChildren;
  readonly children: (field: FieldOf<Typed>, typed: Typed) => ComponentChildren;
};

/** The service says which member of what was sent is wrong; here the label above says it better. */
const besideField = (message: string, field: string): string =>
  message.startsWith(`${field} must `) ? `This${message.slice(field.length)}` : message;

export function Form<Typed extends object, Told>(wish: FormWish<Typed, Told>) {
  const { submit, look = 'primary', layout = 'block', first, onSend, onDone, beside, children } = wish;
  const [typed, setTyped] = useState(first);
  const [refusal, setRefusal] = useState<Refusal | undefined>(undefined);
  const [work, setWork] = useState<'none' | 'going on'>('none');
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusal === undefined) return;
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (wrong !== null && wrong !== undefined) return wrong.focus();
    // It is read out where it is; a long form may have scrolled past it.
    form.current?.querySelector('.notice')?.scrollIntoView({ block: 'nearest' });
  }, [refusal]);
  const send = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (work === 'going on') return;
    setWork('going on');
    setRefusal(undefined);
    const answer = await onSend(typed);
    if (answer.kind === 'told') await onDone(answer.told, typed);
    setWork('none');
    setRefusal(answer.kind === 'refused' ? answer : undefined);
  };
  const field: FieldOf<Typed> = (name) => ({
    value: typed[name],
    onValue: (value) => setTyped((before: Typed) => ({ ...before, [name]: value })),
    error: refusal?.field === name ? besideField(refusal.message, refusal.field) : undefined,
  });
  const isBeside = refusal?.field !== undefined && Object.hasOwn(typed, refusal.field);
  return (
    <form class={layout === 'line' ? 'form-line' : 'form'} ref={form} onSubmit={send}>
      {refusal === undefined || isBeside ? null : <Notice tone="bad">{refusal.message}</Notice>}
      {children(field, typed)}
      <div class="form-end">
        <SubmitButton look={look} busy={work === 'going on'}>
          {submit}
        </SubmitButton>
        {beside}
      </div>
    </form>
  );
}

type Common = {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
};

function Labelled({
  id,
  label,
  hint,
  error,
  children,
}: Common & { readonly id: string; readonly children: ComponentChildren }) {
  return (
    <div class={error === undefined ? 'field' : 'field wrong'}>
      <label for={id}>{label}</label>
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children}
      {error === undefined ? null : (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

const described = (id: string, { hint, error }: Common) => {
  const ids = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
    .join(' ')
    .trim();
  return {
    ...(ids === '' ? {} : { 'aria-describedby': ids }),
    ...(error === undefined ? {} : { 'aria-invalid': true as const }),
  };
};

const typed = (id: string, value: string, onValue: (value: string) => void): LooseInputHTMLAttributes => ({
  id,
  value,
  spellcheck: false,
  autocapitalize: 'off',
  onInput: ({ currentTarget }) => onValue(currentTarget.value),
});

type FieldWish = Common & {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'date' | 'number' | 'month';
  readonly autocomplete?: string;
  readonly inputmode?: 'numeric' | 'email' | 'text';
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: string;
  readonly max?: string;
};

export function Field(wish: FieldWish) {
  const id = useId();
  const { label, hint, error, value, onValue, type = 'text', autocomplete = 'off', ...rest } = wish;
  const attributes: LooseInputHTMLAttributes = {
    ...rest,
    ...typed(id, value, onValue),
    ...described(id, wish),
    type,
    autocomplete,
  };
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      {h('input', attributes)}
    </Labelled>
  );
}

/** `own`: the one that its owner signs in with, so that the browser may fill it in. */
export function EmailField({
  whose,
  hint,
  ...bound
}: Bound<string> & { readonly whose: 'own' | 'of another'; readonly hint?: string }) {
  return (
    <Field
      type="email"
      inputmode="email"
      label="E-mail address"
      hint={hint}
      autocomplete={whose === 'own' ? 'username' : 'off'}
      required
      {...bound}
    />
  );
}

/** Can be looked at while it is typed. */
export function PasswordField(
  wish: Common & {
    readonly value: string;
    readonly onValue: (value: string) => void;
    readonly autocomplete: 'current-password' | 'new-password';
  },
) {
  const id = useId();
  const [look, setLook] = useState<'hidden' | 'shown'>('hidden');
  const { label, hint, error, value, onValue, autocomplete } = wish;
  const attributes: LooseInputHTMLAttributes = {
    ...typed(id, value, onValue),
    ...described(id, wish),
    type: look === 'hidden' ? 'password' : 'text',
    required: true,
    autocomplete,
  };
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <div class="with-button">
        {h('input', attributes)}
        <button
          type="button"
          class="button plain usual"
          aria-pressed={look === 'shown'}
          aria-controls={id}
          onClick={() => setLook(look === 'hidden' ? 'shown' : 'hidden')}
        >
          {look === 'hidden' ? 'Show' : 'Hide'}
        </button>
      </div>
    </Labelled>
  );
}

export function TextArea({
  rows = 3,
  ...wish
}: Common & {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly rows?: number;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly placeholder?: string;
}) {
  const id = useId();
  const { label, hint, error, value, onValue, ...rest } = wish;
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <textarea
        {...rest}
        id={id}
        rows={rows}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
        {...described(id, wish)}
      />
    </Labelled>
  );
}

/** Kept with what somebody does to an account. */
export const ReasonField = (wish: Bound<string> & { readonly hint: string }) => (
  <TextArea label="Reason" required rows={2} maxLength={300} {...wish} />
);

type Option<Value extends string> = { readonly value: Value; readonly label: string };

/** One of a list, folded up. */
export function Choice<Value extends string>(
  wish: Common & {
    readonly value: Value;
    readonly options: readonly Option<Value>[];
    readonly onValue: (value: Value) => void;
  },
) {
  const id = useId();
  const { label, hint, error, value, options, onValue } = wish;
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <select
        id={id}
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options[currentTarget.selectedIndex];
          if (chosen !== undefined) onValue(chosen.value);
        }}
        {...described(id, wish)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** One of a few, all in sight, each with what it means. */
export function Choices<Value extends string>({
  legend,
  value,
  options,
  onValue,
  error,
}: {
  readonly legend: string;
  readonly value: Value;
  readonly options: readonly (Option<Value> & { readonly hint?: string })[];
  readonly onValue: (value: Value) => void;
  readonly error?: string | undefined;
}) {
  const name = useId();
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {error === undefined ? null : (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      {options.map((option) => (
        <label key={option.value} class="choice">
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onValue(option.value)}
          />
          <span>
            <span class="choice-label">{option.label}</span>
            {option.hint === undefined ? null : <span class="hint">{option.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

export function Tick({
  label,
  hint,
  value,
  onValue,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly value: 'on' | 'off';
  readonly onValue: (value: 'on' | 'off') => void;
}) {
  return (
    <label class="choice tick">
      <input
        type="checkbox"
        checked={value === 'on'}
        onChange={({ currentTarget }) => onValue(currentTarget.checked ? 'on' : 'off')}
      />
      <span>
        <span class="choice-label">{label}</span>
        {hint === undefined ? null : <span class="hint">{hint}</span>}
      </span>
    </label>
  );
}
