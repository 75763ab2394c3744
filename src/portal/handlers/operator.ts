// What the operator does for accounts: opening, credits, plans, suspending, and deciding what customers ask for.

import type { Terms } from '../../ledger/ledger.ts';
import { isCustomer } from '../../ledger/public-sandbox.ts';
import { done, type OperatorHandler, told } from '../guards.ts';
import { notFound, refused } from '../refused.ts';
import { audited } from './audited.ts';

const peopleMost = 200;

const termsOf = (creditsPerMonth: number | undefined): { terms?: Terms } =>
  creditsPerMonth === undefined ? {} : { terms: { allowance: creditsPerMonth } };

export const openAccount: OperatorHandler<'POST /portal/admin/accounts'> = async (desk, asked) => {
  const { takes, actor, atMs } = asked;
  const { plan, owner, creditsPerMonth } = takes;
  const name = takes.name.trim();
  const { accountId } = await desk.accounts.createAccount({ name, plan, ...termsOf(creditsPerMonth), atMs });
  const event = { accountId, what: 'account.opened', subject: accountId, detail: plan };
  const answer = await audited(desk, asked, event, told({ accountId }));
  if (answer.kind === 'refused' || owner === undefined) return answer;
  const invited = await desk.people.members.invite(actor, {
    email: owner,
    account: { accountId, name, role: 'owner' },
  });
  if (invited.kind !== 'refused') return answer;
  const message = `The account ${accountId} is there, but its owner was not invited: ${invited.message}`;
  return { ...invited, message };
};

export const correctCredits: OperatorHandler<'POST /portal/admin/accounts/:accountId/credits'> = async (
  desk,
  asked,
) => {
  const { in: named, takes, atMs } = asked;
  const { credits, reason } = takes;
  const account = await desk.accounts.findAccount(named.accountId, atMs);
  if (account === undefined || !isCustomer(account)) return notFound();
  const { accountId } = account;
  const { balance } = await desk.accounts.grantCredits(accountId, { credits, note: reason, atMs });
  const what = credits < 0 ? 'credits.taken' : 'credits.granted';
  const event = { accountId, what, subject: String(credits), detail: reason };
  return audited(desk, asked, event, told({ balance }));
};

export const changePlan: OperatorHandler<'POST /portal/admin/accounts/:accountId/plan'> = async (
  desk,
  asked,
) => {
  const { in: named, takes, atMs } = asked;
  const { plan, reason, creditsPerMonth } = takes;
  const account = await desk.accounts.findAccount(named.accountId, atMs);
  if (account === undefined || !isCustomer(account)) return notFound();
  const { accountId } = account;
  await desk.accounts.changePlan(accountId, { plan, ...termsOf(creditsPerMonth), atMs });
  const detail = `from ${account.plan}: ${reason}`;
  return audited(desk, asked, { accountId, what: 'plan.changed', subject: plan, detail }, done());
};

export const suspend: OperatorHandler<'POST /portal/admin/accounts/:accountId/suspend'> = async (
  desk,
  asked,
) => {
  const { in: named, takes, atMs } = asked;
  const { reason } = takes;
  const account = await desk.accounts.findAccount(named.accountId, atMs);
  if (account === undefined || !isCustomer(account)) return notFound();
  const { accountId } = account;
  await desk.accounts.suspendAccount(accountId, { atMs, reason });
  const event = { accountId, what: 'account.suspended', subject: accountId, detail: reason };
  return audited(desk, asked, event, done());
};

export const resume: OperatorHandler<'POST /portal/admin/accounts/:accountId/resume'> = async (
  desk,
  asked,
) => {
  const account = await desk.accounts.findAccount(asked.in.accountId, asked.atMs);
  if (account === undefined || !isCustomer(account)) return notFound();
  const { accountId } = account;
  await desk.accounts.resumeAccount(accountId, asked.atMs);
  return audited(desk, asked, { accountId, what: 'account.resumed', subject: accountId }, done());
};

export const listPlanRequests: OperatorHandler<'GET /portal/admin/plan-requests'> = async ({ people }) =>
  told({ requests: await people.planRequests.waiting() });

export const decidePlan: OperatorHandler<'POST /portal/admin/plan-requests/:planRequestId'> = async (
  desk,
  asked,
) => {
  const { people, accounts } = desk;
  const { actor, in: named, takes, atMs } = asked;
  const { decision, creditsPerMonth } = takes;
  const answer = takes.answer ?? null;
  if (decision === 'decline' && creditsPerMonth !== undefined)
    return refused('INVALID', 'A declined plan has no credits.', { field: 'creditsPerMonth' });
  const outcome = await people.planRequests.decide(
    actor,
    named.planRequestId,
    decision === 'decline'
      ? { kind: 'declined', answer }
      : {
          kind: 'approved',
          answer,
          carryOut: async ({ accountId, from, to }) => {
            const account = await accounts.findAccount(accountId, atMs);
            if (account === undefined) return notFound();
            if (account.plan !== from)
              return refused(
                'CONFLICT',
                `The account is on ${account.plan} by now, not on ${from} as it was at the time of the request; decline the request, or change the plan at the account.`,
              );
            await accounts.changePlan(accountId, { plan: to, ...termsOf(creditsPerMonth), atMs });
            return { kind: 'done' };
          },
        },
  );
  return outcome.kind === 'refused' ? outcome : done();
};

export const listPeople: OperatorHandler<'GET /portal/admin/people'> = async (desk, { takes, atMs }) => {
  const { people, total } = await desk.people.persons.list({ search: takes.q, limit: peopleMost });
  const ids = [...new Set(people.flatMap((person) => person.accounts))];
  const found = await Promise.all(ids.map((accountId) => desk.accounts.findAccount(accountId, atMs)));
  const names = new Map(ids.map((accountId, at) => [accountId, found[at]?.name ?? null]));
  return told({
    people: people.map((person) => ({
      ...person,
      accounts: person.accounts.map((accountId) => ({ accountId, name: names.get(accountId) ?? null })),
    })),
    total,
  });
};

export const inviteToSignUp: OperatorHandler<'POST /portal/admin/invites'> = async (
  { people },
  { actor, takes: { email } },
) => {
  const outcome = await people.members.invite(actor, { email });
  return outcome.kind === 'refused' ? outcome : done();
};
