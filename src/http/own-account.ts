// What a caller may know of the account that its key belongs to, out of the ledger. The public sandbox key belongs to
// everybody: each visitor sees the windows of its own address, and made-up usage instead of everybody's.

import type { OwnAccount } from '../contract/account.ts';
import { dayOf } from '../ledger/calendar.ts';
import {
  type Accounts,
  type Caller,
  type Ledger,
  LedgerUnavailable,
  type Window,
  type WindowUse,
} from '../ledger/ledger.ts';
import { isCustomer, publicAccount, publicKey } from '../ledger/public-sandbox.ts';
import { AddedUsage } from '../ledger/stored/added-usage.ts';
import type { UsageWish } from '../ledger/told/usage.ts';
import type { Gate } from './admit.ts';

/** What is asked of the ledger's other half. */
export type OwnBooks = Pick<Accounts, 'findAccount' | 'findKey' | 'windowsOf' | 'sumUsage'>;

type Asking = {
  readonly caller: Caller;
  readonly address: () => string;
  readonly fetchSite: string | undefined;
  readonly atMs: number;
};

type Desk = {
  readonly gate: Gate;
  readonly ledger: Pick<Ledger, 'visitorWindows'>;
  readonly accounts: OwnBooks;
};

export function ownAccount(desk: Desk, asking: Asking): OwnAccount {
  const { caller, atMs } = asking;
  const today = dayOf(atMs);
  if (!isCustomer(caller)) {
    return {
      today,
      standing: () => visitorStanding(desk, asking),
      usage: async (wish) => ({ ...madeUpUsage(wish, today), of: 'nobody, made up' }),
    };
  }
  const { accountId } = caller;
  return {
    today,
    standing: () => standingOf(desk, asking),
    usage: async (wish) => ({ ...(await desk.accounts.sumUsage(accountId, wish)), of: 'the account' }),
  };
}

type Standing = Awaited<ReturnType<OwnAccount['standing']>>;

async function standingOf({ accounts }: Desk, { caller, atMs }: Asking): Promise<Standing> {
  const { accountId, keyId, mode } = caller;
  const account = await accounts.findAccount(accountId, atMs);
  const key = await accounts.findKey(accountId, keyId);
  const windows = byName(await accounts.windowsOf(accountId, mode, atMs));
  // Neither is ever deleted, and the ledger has just admitted both.
  if (account === undefined || key === undefined) {
    throw new LedgerUnavailable(`the account or key of ${keyId} is gone from the ledger`);
  }
  const { plan, balance, lasting, allowance, refreshAtMs, limits } = account;
  return {
    accountId,
    plan,
    mode: mode === 'test' ? 'sandbox' : 'prepaid',
    balance,
    lasting,
    allowance,
    refreshAtMs,
    limits,
    windows,
    key,
  };
}

async function visitorStanding({ gate, ledger }: Desk, asking: Asking): Promise<Standing> {
  const { caller, address, fetchSite, atMs } = asking;
  const windows = byName(await ledger.visitorWindows(gate.visitorOf(address(), fetchSite), atMs));
  const { minute, day, month } = windows;
  return {
    accountId: caller.accountId,
    plan: publicAccount.plan,
    mode: 'sandbox',
    balance: 0,
    lasting: 0,
    allowance: publicAccount.terms.allowance,
    refreshAtMs: null,
    limits: { minute: minute.limit, day: day.limit, month: month.limit },
    windows,
    key: { keyId: caller.keyId, kind: 'test', lastFour: publicKey.slice(-4), expiresAtMs: null },
  };
}

function byName(uses: readonly WindowUse[]): Standing['windows'] {
  const useOf = (name: Window) => {
    const found = uses.find(({ window }) => window === name);
    if (found === undefined) throw new LedgerUnavailable(`the ledger tells nothing of the ${name}`);
    return found;
  };
  return { minute: useOf('minute'), day: useOf('day'), month: useOf('month') };
}

/** Of an account that might be a customer's: the same for everybody, on every day up to today. */
function madeUpUsage(wish: UsageWish, today: number) {
  const adding = new AddedUsage(wish);
  for (let day = wish.fromDay; day <= Math.min(wish.toDay, today); day++) {
    const calls = 40 + 9 * (Math.abs(day) % 7);
    const of = { day, key: 'key_example', credits: 0 };
    adding.add({ ...of, endpoint: '/area/statistics', status: 200, calls, credits: calls });
    adding.add({ ...of, endpoint: '/bank-rates', status: 200, calls: 2, credits: 2 });
    adding.add({ ...of, endpoint: '/bank-rates', status: 304, calls: 22 });
    if (day % 3 === 0) adding.add({ ...of, endpoint: '/area/statistics', status: 404, calls: 1 });
    adding.endDay();
  }
  return adding.sums();
}
