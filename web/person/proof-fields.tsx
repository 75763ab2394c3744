// What proves that a person is at the keyboard, not just their session; and the choice of a new password.

import { type Bound, Field, type FieldOf, PasswordField } from '../components/form.tsx';

type Proof = { readonly password: string; readonly code: string };
type Factor = 'none' | 'totp';

export const noProof: Proof = { password: '', code: '' };

/** The code goes along where a second factor is set. */
export const proofTakes = (
  { password, code }: Proof,
  factor: Factor,
): { readonly password: string; readonly code?: string } =>
  factor === 'totp' ? { password, code } : { password };

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
