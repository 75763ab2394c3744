// Who belongs to an account, who is invited, and what was changed by whom.

import { done, type MemberHandler, told } from '../guards.ts';
import { refused } from '../refused.ts';

const auditPage = 50;

export const listMembers: MemberHandler<'GET /portal/accounts/:accountId/members'> = async (
  { people },
  { in: { accountId } },
) => told(await people.members.list(accountId));

export const invite: MemberHandler<'POST /portal/accounts/:accountId/invites'> = async (
  { people },
  { actor, takes: { email, role }, account: { accountId, name } },
) => {
  const outcome = await people.members.invite(actor, { email, account: { accountId, name, role } });
  return outcome.kind === 'refused' ? outcome : done();
};

export const withdrawInvite: MemberHandler<'DELETE /portal/accounts/:accountId/invites/:inviteId'> = async (
  { people },
  { actor, in: { accountId, inviteId } },
) => {
  const outcome = await people.members.withdrawInvite(actor, accountId, inviteId);
  return outcome.kind === 'refused' ? outcome : done();
};

export const changeRole: MemberHandler<'PATCH /portal/accounts/:accountId/members/:personId'> = async (
  { people },
  { actor, in: { accountId, personId }, takes: { role } },
) => {
  const outcome = await people.members.changeRole(actor, accountId, personId, role);
  return outcome.kind === 'refused' ? outcome : done();
};

export const removeMember: MemberHandler<'DELETE /portal/accounts/:accountId/members/:personId'> = async (
  { people },
  { actor, role, in: { accountId, personId } },
) => {
  // Anybody may leave.
  if (role !== 'owner' && personId !== actor.personId)
    return refused('NOT_ALLOWED', 'Only an owner of the account can remove somebody else; ask one.');
  const outcome = await people.members.remove(actor, accountId, personId);
  return outcome.kind === 'refused' ? outcome : done();
};

export const readAudit: MemberHandler<'GET /portal/accounts/:accountId/audit'> = async (
  { people },
  { in: { accountId }, takes: { before } },
) => told(await people.audit.page(accountId, { before, limit: auditPage }));
