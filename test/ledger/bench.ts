// What the suites of every engine share: how a storage is made and opened, a customer, a charge.

import assert from 'node:assert/strict';
import { hashKey } from '../../src/ledger/keys.ts';
import type {
  Accounts,
  Admission,
  Caller,
  Ledger,
  OpenLedger,
  PlanName,
  Terms,
} from '../../src/ledger/ledger.ts';
import type { Connection } from '../../src/ledger/sqlite/connection.ts';

export type Storage = {
  /** Opens the same storage again, beside those that are open; where it has one owner, tells who that is. */
  readonly open: () => Promise<OpenLedger>;
  /** Resolves when what other openings have committed counts for the next request. */
  readonly nextRequest: () => Promise<void>;
  /** Writes counts that would be written a little later. */
  readonly settle: (open: OpenLedger) => Promise<void>;
  /** To another engine, where the storage has two. Nobody has it open. */
  readonly move?: () => Promise<void>;
  readonly remove: () => Promise<void>;
};

export type Engine = {
  readonly name: string;
  readonly fresh: () => Promise<Storage>;
  /** How many random runs it is worth, of those that an engine in the same process makes. */
  readonly runs?: (usual: number) => number;
};

export const runsOf = ({ runs = (usual) => usual }: Engine, usual: number): number => runs(usual);

export const startMs = Date.UTC(2026, 0, 31, 12, 0, 0);

export type Bench = OpenLedger & {
  readonly storage: Storage;
  /** Another opening, closed with the test. */
  readonly beside: () => Promise<OpenLedger>;
};

export async function withStorage(engine: Engine, work: (bench: Bench) => Promise<void>): Promise<void> {
  const storage = await engine.fresh();
  const opened: OpenLedger[] = [];
  const beside = async (): Promise<OpenLedger> => {
    const open = await storage.open();
    opened.push(open);
    return open;
  };
  try {
    await work({ ...(await beside()), storage, beside });
  } finally {
    for (const { ledger } of opened) await ledger.close();
    await storage.remove();
  }
}

export type Customer = { readonly accountId: string; readonly hash: string; readonly caller: Caller };

export async function customer(
  accounts: Accounts,
  plan: PlanName = 'premium',
  terms: Terms = {},
): Promise<Customer> {
  const { accountId } = await accounts.createAccount({ name: 'Ada', plan, terms, atMs: startMs });
  const { keyId, key } = await accounts.createKey({ accountId, kind: 'live', atMs: startMs });
  return { accountId, hash: hashKey(key), caller: { accountId, keyId, mode: 'live' } };
}

export const charging = (caller: Caller, chargeId: string, credits = 1, atMs = startMs) => ({
  caller,
  endpoint: '/crime',
  atMs,
  chargeId,
  requestId: `request of ${chargeId}`,
  credits,
});

export async function balanceOf(accounts: Accounts, accountId: string, atMs = startMs): Promise<number> {
  const account = await accounts.findAccount(accountId, atMs);
  assert.ok(account);
  return account.balance;
}

/** What an account has: all of it, and the part that lasts. */
export async function balancesOf(
  accounts: Accounts,
  accountId: string,
  atMs = startMs,
): Promise<[balance: number, lasting: number]> {
  const account = await accounts.findAccount(accountId, atMs);
  assert.ok(account);
  return [account.balance, account.lasting];
}

export async function admitTimes(
  ledger: Ledger,
  hash: string,
  times: number,
  atMs: number,
): Promise<Admission[]> {
  const admissions: Admission[] = [];
  for (let i = 0; i < times; i++) admissions.push(await ledger.admit(hash, atMs));
  return admissions;
}

export const kindsOf = (admissions: readonly Admission[]) => admissions.map(({ kind }) => kind);

export async function assertBooksAgree(accounts: Accounts): Promise<void> {
  for (const check of await accounts.recomputeBalances()) {
    assert.equal(check.kind, 'equal', JSON.stringify(check));
  }
}

export type Guarantee = (name: string, work: (bench: Bench) => Promise<void>) => void;

/** Usage is read only when all counts are written. */
export async function writeCounts({ accounts }: OpenLedger): Promise<void> {
  for (const { accountId } of await accounts.listAccounts(0)) await accounts.usageOf(accountId);
}

/** For a ledger whose file cannot be exchanged, since it is no file or a test's own. */
export const unwatched = (connection: Connection) => ({
  guard: {
    state: 'sound' as const,
    assertUsable: () => undefined,
    confirm: () => undefined,
    lookAtFiles: () => undefined,
  },
  keeper: {
    serve: () => undefined,
    assertRoom: () => undefined,
    noteFailure: () => undefined,
    noteCommit: () => undefined,
    noteRows: () => undefined,
    stop: async () => connection.close(),
  },
});
