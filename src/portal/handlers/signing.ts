// Signing up, in and out: what anybody may ask.

import type { NewSession } from '../../people/people.ts';
import { type Cookie, done, type OpenHandler, told } from '../guards.ts';
import { refused } from '../refused.ts';

/** A sign-in makes both anew: what a page brought with it is never kept. */
export const sessionCookies = (session: NewSession): readonly Cookie[] => [
  { name: 'session', kept: { value: session.token, expiresAtMs: session.expiresAtMs } },
  deviceCookie(session),
];

const deviceCookie = (known: {
  readonly deviceToken: string;
  readonly deviceExpiresAtMs: number;
}): Cookie => ({
  name: 'device',
  kept: { value: known.deviceToken, expiresAtMs: known.deviceExpiresAtMs },
});

export const me: OpenHandler<'GET /portal/me'> = async ({ people, settings }, { signedIn, way }) =>
  told({
    person: signedIn?.person ?? null,
    signUp: people.joining.signUpPolicy,
    mail: people.joining.mail,
    signInRefused: way.kind === 'in the clear' ? way.because : null,
    planChanges: settings.planChanges,
  });

export const signUp: OpenHandler<'POST /portal/sign-up'> = async ({ people }, { takes, visitor }) => {
  const { email, password, invite } = takes;
  if (invite === undefined && password !== undefined)
    return refused(
      'INVALID',
      'You choose your password when you follow the link that confirms your address.',
      {
        field: 'password',
      },
    );
  if (invite !== undefined && password === undefined)
    return refused('INVALID', 'Choose a password to sign up with your invitation.', { field: 'password' });
  const wish = invite === undefined || password === undefined ? { email } : { email, password, invite };
  const outcome = await people.joining.signUp(wish, visitor);
  return outcome.kind === 'refused' ? outcome : told({ next: outcome.next });
};

export const confirm: OpenHandler<'POST /portal/confirm'> = async ({ people }, { takes, visitor }) => {
  const outcome = await people.joining.confirm(takes, visitor);
  return outcome.kind === 'refused' ? outcome : told({ email: outcome.email });
};

export const signIn: OpenHandler<'POST /portal/sign-in'> = async (
  { people },
  { takes, visitor, signedIn },
) => {
  const outcome = await people.signingIn.signIn(takes, visitor);
  if (outcome.kind === 'refused') return outcome;
  if (outcome.kind === 'second factor') return told({ next: 'second factor' });
  // Its cookie is replaced: nobody could end it any more but from the list.
  if (signedIn !== undefined) await people.sessions.end(signedIn.person.personId, signedIn.sessionId);
  return told({ next: 'signed in' }, sessionCookies(outcome.session));
};

export const signOut: OpenHandler<'POST /portal/sign-out'> = async ({ people }, { signedIn }) => {
  if (signedIn !== undefined) await people.sessions.end(signedIn.person.personId, signedIn.sessionId);
  return done([{ name: 'session', kept: 'forgotten' }]);
};

export const askReset: OpenHandler<'POST /portal/reset-request'> = async ({ people }, { takes, visitor }) => {
  const outcome = await people.joining.askReset(takes.email, visitor);
  return outcome.kind === 'refused' ? outcome : done();
};

export const reset: OpenHandler<'POST /portal/reset'> = async ({ people }, { takes, visitor }) => {
  const outcome = await people.joining.reset(takes, visitor);
  return outcome.kind === 'refused'
    ? outcome
    : done([{ name: 'session', kept: 'forgotten' }, deviceCookie(outcome)]);
};
