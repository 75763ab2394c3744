// Pages of a person: signing up and in, the ends of links in mails, and their own settings.

import type { ComponentType } from 'preact';
import { UnknownPage } from '../components/unknown-page.tsx';
import { AcceptInvite } from './accept-invite.tsx';
import { ConfirmAddress } from './confirm-address.tsx';
import { PersonSettings } from './person-settings.tsx';
import { ResetPassword } from './reset-password.tsx';
import { SignIn } from './sign-in.tsx';
import { SignUp } from './sign-up.tsx';

const pages: Readonly<Record<string, ComponentType>> = {
  'sign-in': SignIn,
  'sign-up': SignUp,
  confirm: ConfirmAddress,
  reset: ResetPassword,
  invite: AcceptInvite,
  person: PersonSettings,
};

export function Section({ path }: { readonly path: string }) {
  const Shown = pages[path.split('/')[2] ?? ''] ?? UnknownPage;
  return <Shown />;
}
