// An account as those who belong to it see it: where it stands, at what pace it is used, its settings; opening and closing one;
// and how it comes to another plan: asked for and approved, or at once where the operator lets customers.

import { dayOf } from '../../ledger/calendar.ts';
import type { Account } from '../../ledger/ledger.ts';
import { planNames, plans } from '../../ledger/plans.ts';
import { refuse } from '../../people/outcome.ts';
import { dayMs } from '../../time.ts';
import { code, name, note, oneOf, optional, password, planName, type Taken } from '../body.ts';
import type { PortalDesk } from '../desk.ts';
import { type ByMember, type ByPerson, done, told } from '../route.ts';
import type { AccountView, Forecast, Overview, PlanView } from '../views.ts';
import { audited } from './audited.ts';

export function accountView(account: Account): AccountView {
  const { accountId, name, plan, balance, lasting, allowance, limits } = account;
  const { refreshAtMs, createdAtMs, closedAtMs, suspended } = account;
  return {
    accountId,
    name,
    plan,
    balance,
    lasting,
    allowance,
    limits,
    refreshAtMs,
    createdAtMs,
    closedAtMs,
    suspended,
  };
}

export async function listAccounts(
  { people, accounts }: PortalDesk,
  { actor: { personId }, atMs }: ByPerson,
) {
  const memberships = await people.members.of(personId);
  const found = await Promise.all(
    memberships.map(async ({ accountId, role }) => {
      const account = await accounts.findAccount(accountId, atMs);
      return account === undefined ? [] : [{ accountId, name: account.name, plan: account.plan, role }];
    }),
  );
  return told({ accounts: found.flat(), trial: await people.trials.stateOf(personId) });
}

/** One for each mailbox. Its owner is whoever asks. */
export async function openTrial({ people, accounts }: PortalDesk, { actor, atMs }: ByPerson, name: string) {
  const outcome = await people.trials.open(actor, async () => {
    const { accountId } = await accounts.createAccount({ name: name.trim(), plan: 'trial', atMs });
    return accountId;
  });
  return outcome.kind === 'refused' ? outcome : told({ accountId: outcome.accountId });
}

export async function overview(desk: PortalDesk, asked: ByMember) {
  const { people, accounts, requests } = desk;
  const { account, role, atMs } = asked;
  const { accountId } = account;
  const [windows, forecast, parameters, planRequests] = await Promise.all([
    accounts.windowsOf(accountId, 'live', atMs),
    forecastOf(desk, account, atMs),
    requests.parametersOf(accountId),
    people.planRequests.of(accountId),
  ]);
  const planRequest = planRequests.find(({ state }) => state === 'waiting') ?? null;
  return told<Overview>({
    account: accountView(account),
    role,
    windows,
    forecast,
    settings: { parameters },
    planRequest,
  });
}

/** A week has its quiet days too. */
const paceDays = 7;

/** From whole days, so that the hour at which somebody looks changes nothing. */
async function forecastOf({ accounts }: PortalDesk, account: Account, atMs: number): Promise<Forecast> {
  const { accountId, balance, refreshAtMs, createdAtMs } = account;
  const toDay = dayOf(atMs) - 1;
  const fromDay = Math.max(dayOf(createdAtMs), toDay - paceDays + 1);
  const days = toDay - fromDay + 1;
  if (days < 1) return null;
  const { total } = await accounts.sumUsage(accountId, { fromDay, toDay, by: [], offset: 0, limit: 0 });
  if (total.credits <= 0) return null;
  const perDay = total.credits / days;
  const emptyMs = Math.round(atMs + (balance / perDay) * dayMs);
  return {
    creditsPerDay: Math.round(perDay * 100) / 100,
    emptyAtMs: refreshAtMs === null || emptyMs < refreshAtMs ? emptyMs : null,
    leftAtRefresh:
      refreshAtMs === null
        ? null
        : Math.max(0, Math.round(balance - (perDay * (refreshAtMs - atMs)) / dayMs)),
    days,
  };
}

export const settingsChange = { name: optional(name), parameters: optional(oneOf('kept', 'not kept')) };

export async function changeSettings(desk: PortalDesk, asked: ByMember<Taken<typeof settingsChange>>) {
  const { accountId } = asked.account;
  const { parameters, name: called } = asked.takes;
  if (called !== undefined && parameters !== undefined)
    return refuse('INVALID', 'Change one setting at a time: name or parameters.');
  if (called !== undefined) return renameAccount(desk, { ...asked, takes: { name: called } });
  if (parameters === undefined) return refuse('INVALID', 'Say which setting to change: name or parameters.');
  await desk.requests.setParameters(accountId, parameters);
  const event = { accountId, what: 'settings.changed', subject: 'parameters', detail: parameters };
  return audited(desk, asked, event, done());
}

export const renaming = { name };

/** By an owner or by the operator. */
export async function renameAccount(
  desk: PortalDesk,
  asked: ByPerson<Taken<typeof renaming>> & { readonly account: Account },
) {
  const { accountId, name: before } = asked.account;
  const called = asked.takes.name.trim();
  await desk.accounts.renameAccount(accountId, called);
  const event = {
    accountId,
    what: 'account.renamed',
    subject: accountId,
    detail: `from ${before} to ${called}`,
  };
  return audited(desk, asked, event, done());
}

/** What a stolen session does not have. */
export const proof = { password, code: optional(code) };

/** Keys stop at once, so whoever took over a session must not be able to. */
export async function closeAccount(desk: PortalDesk, asked: ByMember<Taken<typeof proof>>) {
  const { people, accounts } = desk;
  const { actor, takes, visitor, account, atMs } = asked;
  if (account.closedAtMs !== null) return refuse('CONFLICT', 'The account is already closed.');
  const proved = await people.signingIn.proveAgain(actor.personId, takes, visitor);
  if (proved.kind === 'refused') return proved;
  await people.members.dropInvites(account.accountId);
  const { accountId } = await accounts.closeAccount(account.accountId, atMs);
  return audited(desk, asked, { accountId, what: 'account.closed', subject: accountId }, done());
}

async function planViews({ people }: PortalDesk): Promise<readonly PlanView[]> {
  const prices = new Map((await people.planPrices.all()).map((priced) => [priced.plan, priced]));
  return planNames.map((plan) => {
    const { limits, allowance, renewal } = plans[plan];
    return {
      plan,
      limits,
      creditsPerMonth: renewal === 'monthly' ? allowance : null,
      creditsOnce: renewal === 'never' ? allowance : null,
      price: prices.get(plan)?.price ?? null,
      link: prices.get(plan)?.link ?? null,
    };
  });
}

/** For whoever looks at the front page. */
export const listPricedPlans = async (desk: PortalDesk) => told({ plans: await planViews(desk) });

export async function listPlans(desk: PortalDesk, { account: { accountId } }: ByMember) {
  const requests = await desk.people.planRequests.of(accountId);
  return told({ plans: await planViews(desk), requests });
}

export const planWish = { plan: planName, note: optional(note) };

export async function askForPlan(desk: PortalDesk, asked: ByMember<Taken<typeof planWish>>) {
  const { people, accounts, settings } = desk;
  const { account, actor, atMs, takes } = asked;
  const { accountId } = account;
  const { plan } = takes;
  if (plan === account.plan) return refuse('CONFLICT', 'The account is already on this plan.');
  if (plan === 'trial')
    return refuse('INVALID', 'You can have a trial only once, at the beginning; choose another plan.', {
      field: 'plan',
    });
  // What has no price of its own is agreed with the operator.
  if (settings.planChanges === 'self-service' && plans[plan].allowance !== null) {
    await accounts.changePlan(accountId, { plan, surplus: 'taken back', atMs });
    const detail = `from ${account.plan}, by the customer`;
    const event = { accountId, what: 'plan.changed', subject: plan, detail };
    return audited(desk, asked, event, told({ state: 'changed' }));
  }
  const outcome = await people.planRequests.ask(actor, {
    accountId,
    accountName: account.name,
    from: account.plan,
    to: plan,
    note: takes.note ?? null,
  });
  return outcome.kind === 'refused' ? outcome : told({ state: 'waiting' });
}

export async function erasePerson(
  { people, accounts }: PortalDesk,
  { actor, takes, visitor, atMs }: ByPerson<Taken<typeof proof>>,
) {
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
}
