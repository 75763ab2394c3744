// An account as those who belong to it see it: where it stands, at what pace it is used, its settings; opening and closing one.

import { dayOf } from '../../ledger/calendar.ts';
import type { Account } from '../../ledger/ledger.ts';
import { dayMs } from '../../time.ts';
import type { AccountView, Forecast } from '../contract.ts';
import type { PortalDesk } from '../desk.ts';
import { done, type MemberHandler, type PersonHandler, told } from '../guards.ts';
import { refused } from '../refused.ts';
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

export const listAccounts: PersonHandler<'GET /portal/accounts'> = async (
  { people, accounts },
  { actor: { personId }, atMs },
) => {
  const memberships = await people.members.of(personId);
  const found = await Promise.all(
    memberships.map(async ({ accountId, role }) => {
      const account = await accounts.findAccount(accountId, atMs);
      return account === undefined ? [] : [{ accountId, name: account.name, plan: account.plan, role }];
    }),
  );
  return told({ accounts: found.flat(), trial: await people.trials.stateOf(personId) });
};

export const openTrial: PersonHandler<'POST /portal/accounts'> = async (desk, asked) => {
  const { people, accounts } = desk;
  const { actor, takes, atMs } = asked;
  const outcome = await people.trials.open(actor, async () => {
    const { accountId } = await accounts.createAccount({ name: takes.name.trim(), plan: 'trial', atMs });
    return accountId;
  });
  return outcome.kind === 'refused' ? outcome : told({ accountId: outcome.accountId });
};

export const overview: MemberHandler<'GET /portal/accounts/:accountId'> = async (desk, asked) => {
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
  return told({
    account: accountView(account),
    role,
    windows,
    forecast,
    settings: { parameters },
    planRequest,
  });
};

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

export const changeSettings: MemberHandler<'PATCH /portal/accounts/:accountId'> = async (desk, asked) => {
  const { accountId } = asked.account;
  const { parameters } = asked.takes;
  if (parameters === undefined) return refused('INVALID', 'Say which setting to change: parameters.');
  await desk.requests.setParameters(accountId, parameters);
  const event = { accountId, what: 'settings.changed', subject: 'parameters', detail: parameters };
  return audited(desk, asked, event, done());
};

/** Keys stop at once, so whoever took over a session must not be able to. */
export const closeAccount: MemberHandler<'DELETE /portal/accounts/:accountId'> = async (desk, asked) => {
  const { people, accounts } = desk;
  const { actor, takes, visitor, account, atMs } = asked;
  if (account.closedAtMs !== null) return refused('CONFLICT', 'The account is already closed.');
  const proved = await people.signingIn.proveAgain(actor.personId, takes, visitor);
  if (proved.kind === 'refused') return proved;
  await people.members.dropInvites(account.accountId);
  const { accountId } = await accounts.closeAccount(account.accountId, atMs);
  return audited(desk, asked, { accountId, what: 'account.closed', subject: accountId }, done());
};
