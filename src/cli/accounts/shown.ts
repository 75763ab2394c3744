// How the commands show an account: in words, and as JSON.

import type { Account, Limits, Terms } from '../../ledger/ledger.ts';
import { plans, windows } from '../../ledger/plans.ts';
import { isCustomer } from '../../ledger/public-sandbox.ts';
import type { Io } from '../command.ts';
import { counted, formatCount, formatTime } from '../ledger-home.ts';

export function stateWords(account: Pick<Account, 'accountId' | 'closedAtMs' | 'suspended'>): string {
  if (!isCustomer(account)) return 'public, for the sandbox';
  if (account.closedAtMs !== null) return `closed ${formatTime(account.closedAtMs, '')}`;
  return account.suspended === null ? 'open' : `suspended ${formatTime(account.suspended.atMs, '')}`;
}

export function hasOwnTerms({ allowance, limits }: Terms): boolean {
  return allowance !== undefined || windows.some((window) => limits?.[window] !== undefined);
}

export function formatLimit(limit: number | null): string {
  return limit === null ? 'no limit' : formatCount(limit);
}

function formatLimits(limits: Limits): string {
  return windows.map((window) => `${formatLimit(limits[window])} per ${window}`).join(', ');
}

export function printAccount(io: Io, account: Account): void {
  const { accountId, name, balance, lasting, allowance, limits } = account;
  const { refreshAtMs, createdAtMs, closedAtMs, suspended } = account;
  const renewal = plans[account.plan].renewal === 'monthly' ? 'a month' : 'once';
  const own = hasOwnTerms(account.terms) ? ' (own terms)' : '';
  io.out(`Account     ${accountId}  ${name}\n`);
  io.out(`Plan        ${account.plan}${own}: ${counted(allowance, 'credit')} ${renewal}\n`);
  const perAddress = isCustomer(account) ? '' : ', counted per address';
  io.out(`Limits      ${formatLimits(limits)}${perAddress}\n`);
  io.out(
    `Balance     ${counted(balance, 'credit')}: ${formatCount(balance - lasting)} left of the allowance, ${formatCount(lasting)} lasting\n`,
  );
  io.out(`Refresh     ${formatTime(refreshAtMs, 'never')}\n`);
  io.out(`Created     ${formatTime(createdAtMs, '')}\n`);
  if (closedAtMs !== null) io.out(`Closed      ${formatTime(closedAtMs, '')}\n`);
  if (suspended !== null) io.out(`Suspended   ${formatTime(suspended.atMs, '')}: ${suspended.reason}\n`);
}

export function shownAccount(account: Account): Record<string, unknown> {
  const { accountId, name, balance, lasting, allowance, limits, terms } = account;
  const { refreshAtMs, createdAtMs, closedAtMs, suspended } = account;
  return {
    accountId,
    name,
    purpose: isCustomer(account) ? 'customer' : 'public sandbox',
    plan: account.plan,
    balance,
    allowanceLeft: balance - lasting,
    lasting,
    allowance,
    limits,
    ownTerms: hasOwnTerms(terms) ? terms : null,
    refreshAt: isoOrNull(refreshAtMs),
    createdAt: isoOrNull(createdAtMs),
    closedAt: isoOrNull(closedAtMs),
    suspended: suspended === null ? null : { at: isoOrNull(suspended.atMs), reason: suspended.reason },
  };
}

export function isoOrNull(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}
