// What anybody may ask: who they are, signing up, in and out, and a key to explore with.

import type { Account } from '../../ledger/ledger.ts';
import { isCustomer } from '../../ledger/public-sandbox.ts';
import { guestAccount } from '../../ledger/visitors/guests.ts';
import { refuse } from '../../people/outcome.ts';
import type { NewSession } from '../../people/people.ts';
import { code, email, optional, password, type Taken, token } from '../body.ts';
import type { PortalDesk } from '../desk.ts';
import { type ByAnybody, type Cookie, done, told } from '../route.ts';
import type { Way } from '../way.ts';

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

export async function me({ people, settings }: PortalDesk, { signedIn, way }: ByAnybody) {
  return told({
    person: signedIn?.person ?? null,
    signUp: people.joining.signUpPolicy,
    /** Without a mail server the operator hands links on. */
    mail: people.joining.mail,
    /** Why nobody can sign in here; null where they can. */
    signInRefused: way.kind === 'in the clear' ? way.because : null,
    planChanges: settings.planChanges,
  });
}

/** A password goes with an invitation, and with nothing else: others choose theirs when they confirm the address. */
export const newcomer = { email, password: optional(password), invite: optional(token) };

/** The same whether or not the address is known. */
export async function signUp({ people }: PortalDesk, { takes, visitor }: ByAnybody<Taken<typeof newcomer>>) {
  const { invite } = takes;
  if (invite === undefined && takes.password !== undefined)
    return refuse(
      'INVALID',
      'You choose your password when you follow the link that confirms your address.',
      {
        field: 'password',
      },
    );
  if (invite !== undefined && takes.password === undefined)
    return refuse('INVALID', 'Choose a password to sign up with your invitation.', { field: 'password' });
  const wish =
    invite === undefined || takes.password === undefined
      ? { email: takes.email }
      : { email: takes.email, password: takes.password, invite };
  const outcome = await people.joining.signUp(wish, visitor);
  return outcome.kind === 'refused' ? outcome : told({ next: outcome.next });
}

export const credentials = { email, password, code: optional(code) };

export async function signIn(
  { people }: PortalDesk,
  { takes, visitor, signedIn }: ByAnybody<Taken<typeof credentials>>,
) {
  const outcome = await people.signingIn.signIn(takes, visitor);
  if (outcome.kind === 'refused') return outcome;
  if (outcome.kind === 'second factor') return told({ next: 'second factor' });
  // Its cookie is replaced: nobody could end it any more but from the list.
  if (signedIn !== undefined) await people.sessions.end(signedIn.person.personId, signedIn.sessionId);
  return told({ next: 'signed in' }, sessionCookies(outcome.session));
}

export async function signOut({ people }: PortalDesk, { signedIn }: ByAnybody) {
  if (signedIn !== undefined) await people.sessions.end(signedIn.person.personId, signedIn.sessionId);
  return done([{ name: 'session', kept: 'forgotten' }]);
}

/** `token` out of the link that was mailed. */
export const newPassword = { token, password };

export async function reset(
  { people }: PortalDesk,
  { takes, visitor }: ByAnybody<Taken<typeof newPassword>>,
) {
  const outcome = await people.joining.reset(takes, visitor);
  return outcome.kind === 'refused'
    ? outcome
    : done([{ name: 'session', kept: 'forgotten' }, deviceCookie(outcome)]);
}

const asksPerMinute = 30;

type Payer = { readonly payer: 'demo' | 'visitors'; readonly account: Account };

/** Who pays for whoever explores without signing in: on a newcomer's own machine the demo account, elsewhere the account of guests,
 *  where the operator has opened it. The key is one for all, and works from our own pages alone. */
export async function exploreKey(desk: PortalDesk, asked: ByAnybody) {
  const { atMs, visitor, way } = asked;
  const { used, endMs } = desk.explorers.count(visitor.host, atMs);
  if (used > asksPerMinute)
    return refuse('TOO_MANY', 'This address has asked for too many keys; wait a minute, then try again.', {
      retryAfterSeconds: Math.max(1, Math.ceil((endMs - atMs) / 1000)),
    });
  const found = (await findDemo(desk, way, atMs)) ?? (await findGuests(desk, atMs));
  if (found === undefined || !isOpen(found.account))
    return refuse(
      'NOT_ALLOWED',
      'Real places are shown here to whoever signs in; the made-up town is free for everybody.',
    );
  const { key, expiresAtMs } = await desk.accounts.sharedWebKey(found.account.accountId, atMs);
  return told({ payer: found.payer, key, expiresAtMs });
}

const isOpen = ({ closedAtMs, suspended }: Account): boolean => closedAtMs === null && suspended === null;

/** The account that the first start made, before there was any other: one that a customer calls so is not it. */
async function findDemo(
  { accounts, demoPays }: PortalDesk,
  way: Way,
  atMs: number,
): Promise<Payer | undefined> {
  if (demoPays === 'never' || way.kind !== 'this machine') return undefined;
  const first = (await accounts.listAccounts(atMs)).find(isCustomer);
  return first?.name === 'demo' && isOpen(first) ? { payer: 'demo', account: first } : undefined;
}

/** A start brings the account in step with the setting. What the operator has changed since then holds: no visit undoes it. */
async function findGuests({ accounts, settings }: PortalDesk, atMs: number): Promise<Payer | undefined> {
  if (settings.visitors === 0) return undefined;
  const there = await accounts.findAccount(guestAccount.accountId, atMs);
  const account = there ?? (await accounts.openGuests({ callsPerDay: settings.visitors, atMs }));
  return { payer: 'visitors', account };
}
