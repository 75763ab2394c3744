// What proves that a person is at the keyboard, not just their session; and the choice of a new password.

import type { ComponentChildren } from 'preact';
import { FormDialog } from '../components/dialog.tsx';
import {
  type Bound,
  Field,
  type FieldOf,
  type FormWish,
  PasswordField,
  type Sent,
} from '../components/form.tsx';
import { useMe } from '../me.ts';

type Proof = { readonly password: string; readonly code: string };
type Factor = 'none' | 'totp';

export const noProof: Proof = { password: '', code: '' };

type ProofWish<Told> = Pick<FormWish<Proof, Told>, 'submit' | 'look' | 'onDone'> & {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The code goes along where a second factor is set. */
  readonly onSend: (takes: { readonly password: string; readonly code?: string }) => Promise<Sent<Told>>;
  readonly onClose: () => void;
};

/** Asks for the proof before something that a session alone may not do. */
export function ProofDialog<Told>({ children, onSend, ...form }: ProofWish<Told>) {
  const me = useMe();
  const factor = me.kind === 'told' ? (me.told.person?.secondFactor ?? 'none') : 'none';
  return (
    <FormDialog
      {...form}
      first={noProof}
      onSend={({ password, code }) => onSend(factor === 'totp' ? { password, code } : { password })}
    >
      {(field) => (
        <>
          {children}
          <ProofFields field={field} factor={factor} />
        </>
      )}
    </FormDialog>
  );
}

export function ProofFields({ field, factor }: { readonly field: FieldOf<Proof>; readonly factor: Factor }) {
  return (
    <>
      <PasswordField label="Your password" autocomplete="current-password" {...field('password')} />
      {factor === 'none' ? null : (
        <CodeField hint="Six digits from the app on your phone, or a recovery code." {...field('code')} />
      )}
    </>
  );
}

export function CodeField({ hint, ...bound }: Bound<string> & { readonly hint: string }) {
  return (
    <Field
      label="Code from your authenticator app"
      hint={hint}
      autocomplete="one-time-code"
      required
      {...bound}
    />
  );
}

export function NewPasswordField({ label, ...bound }: Bound<string> & { readonly label: string }) {
  return (
    <PasswordField
      label={label}
      hint="At least 12 characters. A few words that only you would put together are good."
      autocomplete="new-password"
      {...bound}
    />
  );
}
