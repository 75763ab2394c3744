// What a person may see and change of itself: name, password, second factor, sessions; and being erased.

import { done, type PersonHandler, told } from '../guards.ts';
import { sessionCookies } from './signing.ts';

export const listSessions: PersonHandler<'GET /portal/sessions'> = async ({ people }, { signedIn }) =>
  told({ sessions: await people.sessions.list(signedIn.person.personId, signedIn.sessionId) });

export const endSession: PersonHandler<'DELETE /portal/sessions/:sessionId'> = async (
  { people },
  { signedIn, in: { sessionId } },
) => {
  const outcome = await people.sessions.end(signedIn.person.personId, sessionId);
  if (outcome.kind === 'refused') return outcome;
  return done(sessionId === signedIn.sessionId ? [{ name: 'session', kept: 'forgotten' }] : []);
};

export const endOtherSessions: PersonHandler<'DELETE /portal/sessions'> = async ({ people }, { signedIn }) =>
  told({ ended: await people.sessions.endOthers(signedIn.person.personId, signedIn.sessionId) });

export const changePassword: PersonHandler<'POST /portal/password'> = async (
  { people },
  { signedIn, takes, visitor },
) => {
  const outcome = await people.persons.changePassword(signedIn.person.personId, takes, visitor);
  return outcome.kind === 'refused' ? outcome : done(sessionCookies(outcome.session));
};

export const rename: PersonHandler<'PATCH /portal/person'> = async ({ people }, { actor, takes }) => {
  const outcome = await people.persons.rename(actor, actor.personId, takes.name);
  return outcome.kind === 'refused' ? outcome : done();
};

export const erase: PersonHandler<'DELETE /portal/person'> = async (
  { people, accounts },
  { actor, takes, visitor, atMs },
) => {
  const proved = await people.signingIn.proveAgain(actor.personId, takes, visitor);
  if (proved.kind === 'refused') return proved;
  const closed: string[] = [];
  for (const accountId of await people.members.ownedAlone(actor.personId)) {
    const account = await accounts.findAccount(accountId, atMs);
    if (account !== undefined && account.closedAtMs !== null) closed.push(accountId);
  }
  const outcome = await people.persons.erase(actor, actor.personId, { ownerless: 'refused', closed });
  if (outcome.kind === 'refused') return outcome;
  return done([
    { name: 'session', kept: 'forgotten' },
    { name: 'device', kept: 'forgotten' },
  ]);
};

export const beginTotp: PersonHandler<'POST /portal/totp/begin'> = async (
  { people },
  { actor, takes, visitor },
) => {
  const outcome = await people.secondFactor.begin(actor.personId, takes.password, visitor);
  return outcome.kind === 'refused' ? outcome : told({ secret: outcome.secret, uri: outcome.uri });
};

export const confirmTotp: PersonHandler<'POST /portal/totp/confirm'> = async (
  { people },
  { actor, takes, visitor },
) => {
  const outcome = await people.secondFactor.confirm(actor.personId, takes.code, visitor);
  if (outcome.kind === 'refused') return outcome;
  return told({ recoveryCodes: outcome.recoveryCodes }, sessionCookies(outcome.session));
};

export const removeTotp: PersonHandler<'DELETE /portal/totp'> = async (
  { people },
  { actor, takes, visitor },
) => {
  const outcome = await people.secondFactor.remove(actor.personId, takes, visitor);
  return outcome.kind === 'refused' ? outcome : done(sessionCookies(outcome.session));
};

export const acceptInvite: PersonHandler<'POST /portal/invites/accept'> = async (
  { people },
  { actor, takes },
) => {
  const outcome = await people.members.acceptInvite(actor, takes.token);
  return outcome.kind === 'refused' ? outcome : told({ accountId: outcome.accountId });
};
