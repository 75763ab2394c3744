// What plans there are, and how an account comes to another one: asked for and approved, or at once where the operator lets
// customers.

import type { PlanName } from '../../ledger/ledger.ts';
import { planNames, plans } from '../../ledger/plans.ts';
import type { PlanView } from '../contract.ts';
import { done, type MemberHandler, told } from '../guards.ts';
import { refused } from '../refused.ts';
import { audited } from './audited.ts';

function planView(plan: PlanName): PlanView {
  const { limits, allowance, renewal } = plans[plan];
  return {
    plan,
    limits,
    creditsPerMonth: renewal === 'monthly' ? allowance : null,
    creditsOnce: renewal === 'never' ? allowance : null,
  };
}

export const listPlans: MemberHandler<'GET /portal/accounts/:accountId/plans'> = async (
  { people },
  { in: { accountId } },
) => told({ plans: planNames.map(planView), requests: await people.planRequests.of(accountId) });

export const askForPlan: MemberHandler<'POST /portal/accounts/:accountId/plan'> = async (desk, asked) => {
  const { people, accounts, settings } = desk;
  const { account, actor, atMs, takes } = asked;
  const { accountId } = account;
  const { plan, note } = takes;
  if (plan === account.plan) return refused('CONFLICT', 'The account is already on this plan.');
  if (plan === 'trial')
    return refused('INVALID', 'You can have a trial only once, at the beginning; choose another plan.', {
      field: 'plan',
    });
  // What has no price of its own is agreed with the operator.
  if (settings.planChanges === 'self-service' && plans[plan].allowance !== null) {
    await accounts.changePlan(accountId, { plan, atMs });
    const detail = `from ${account.plan}, by the customer`;
    const event = { accountId, what: 'plan.changed', subject: plan, detail };
    return audited(desk, asked, event, told({ state: 'changed' }));
  }
  const outcome = await people.planRequests.ask(actor, {
    accountId,
    accountName: account.name,
    from: account.plan,
    to: plan,
    note: note ?? null,
  });
  return outcome.kind === 'refused' ? outcome : told({ state: 'waiting' });
};

export const withdrawPlan: MemberHandler<'DELETE /portal/accounts/:accountId/plan'> = async (
  { people },
  { actor, in: { accountId } },
) => {
  const outcome = await people.planRequests.withdraw(actor, accountId);
  return outcome.kind === 'refused' ? outcome : done();
};
