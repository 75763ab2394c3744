// The SQLite engine's memory over its file: accounts, keys and windows as last read, the counts not yet written, and
// the one way to write. Both halves of the ledger stand on it. What is written is decided by rules.ts.

import type { DatabaseSync } from 'node:sqlite';
import { isSameHash } from '../keys.ts';
import {
  type Caller,
  type Charge,
  keyKinds,
  LedgerRefusal,
  LedgerUnavailable,
  type Limits,
  type Mode,
} from '../ledger.ts';
import { limitsOf } from '../plans.ts';
import {
  isPeriodAstray,
  isRefreshDue,
  type Movement,
  modeOf,
  monthMostMs,
  nextRefresh,
  type Period,
  realign,
  refresh,
} from '../rules.ts';
import { insertCharge, insertEntry, type Posted, type Posting } from './posting.ts';
import { Repeats } from './repeats.ts';
import { readNumber, readNumberOrNull, readText, readWord } from './rows.ts';
import {
  type AccountRow,
  countsFrom,
  prepareStatements,
  readAccount,
  type Statements,
} from './statements.ts';
import { type Counts, noCounts, UsageTally, WindowTally } from './tally.ts';

/** A key that opens something: of a kind that is admitted, not revoked, of an account that is not closed. Whether it
 *  has expired depends on the time. */
export type KeyEntry = {
  readonly caller: Caller;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: null;
  readonly account: AccountRow;
  readonly limits: Limits;
  readonly tally: WindowTally;
};

/** Who a charge is for: a key, live or not, and its account. */
type Payer = { readonly number: number; readonly account: AccountRow };

/** Hears in one sentence what the operator should know. */
export type Tell = (notice: string) => void;

const flushDelayMs = 50;
const retryDelayMs = 1_000;

export class SqliteStore {
  readonly path: string;
  readonly statements: Statements;
  readonly repeats: Repeats;
  readonly #db: DatabaseSync;
  readonly #tell: Tell;
  readonly #keys = new Map<string, KeyEntry>();
  readonly #accounts = new Map<string, AccountRow>();
  readonly #payers = new Map<string, Payer>();
  readonly #endpoints = new Map<string, number>();
  readonly #tallies = new Map<string, WindowTally>();
  readonly #dirtyTallies = new Set<WindowTally>();
  readonly #dirtyBalances = new Set<AccountRow>();
  readonly #usage = new UsageTally();
  readonly #usageOfWork = new UsageTally();
  #dataVersion = -1;
  #turn: 'to look' | 'looked' = 'to look';
  #flushTimer: NodeJS.Timeout | undefined;

  constructor(path: string, db: DatabaseSync, tell: Tell) {
    this.path = path;
    this.#db = db;
    this.#tell = tell;
    this.statements = prepareStatements(db);
    this.repeats = new Repeats(this.statements);
  }

  /** Forgets what was read if another connection has committed since. */
  catchUp(): void {
    const row = this.statements.dataVersion.get();
    const version = row === undefined ? 0 : readNumber(row, 'data_version');
    if (version === this.#dataVersion) return;
    this.#dataVersion = version;
    this.#forget();
  }

  /** As catchUp, but at most once in a turn of the event loop: what arrived together is judged together. */
  catchUpThisTurn(): void {
    if (this.#turn === 'looked') return;
    this.catchUp();
    this.#turn = 'looked';
    setImmediate(this.#endTurn);
  }

  /** Unknown hashes are not remembered, so a flood of them costs look-ups, never space. */
  findKey(hash: string): KeyEntry | undefined {
    const known = this.#keys.get(hash);
    if (known !== undefined) return known;
    const row = this.statements.findUnrevokedKey.get(hash);
    if (row === undefined || !isSameHash(readText(row, 'hash'), hash)) return undefined;
    const account = this.findAccount(readText(row, 'account_id'));
    if (account === undefined || account.closedAtMs !== null) return undefined;
    const mode = modeOf(readWord(row, 'kind', keyKinds));
    if (mode === undefined) return undefined;
    const entry: KeyEntry = {
      caller: { accountId: account.accountId, keyId: readText(row, 'id'), mode },
      expiresAtMs: readNumberOrNull(row, 'expires_at'),
      revokedAtMs: null,
      account,
      limits: limitsOf(account.plan, account.terms, mode),
      tally: this.tallyOf(account, mode),
    };
    this.#keys.set(hash, entry);
    return entry;
  }

  findAccount(accountId: string): AccountRow | undefined {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    const row = this.statements.findAccount.get(accountId);
    if (row === undefined) return undefined;
    const account = readAccount(row);
    this.#accounts.set(accountId, account);
    return account;
  }

  findPayer(keyId: string): Payer | undefined {
    const known = this.#payers.get(keyId);
    if (known !== undefined) return known;
    const row = this.statements.findPayer.get(keyId);
    const account = row && this.findAccount(readText(row, 'account_id'));
    if (row === undefined || account === undefined) return undefined;
    const payer = { number: readNumber(row, 'number'), account };
    this.#payers.set(keyId, payer);
    return payer;
  }

  tallyOf(account: AccountRow, mode: Mode): WindowTally {
    const id = `${mode} ${account.accountId}`;
    let tally = this.#tallies.get(id);
    if (tally === undefined) {
      tally = new WindowTally(account, mode);
      this.#tallies.set(id, tally);
    }
    tally.stored ??= this.#readCounts(tally);
    return tally;
  }

  markTally(tally: WindowTally): void {
    this.#dirtyTallies.add(tally);
    this.#flushLater(flushDelayMs);
  }

  /** The tally of calls that cost nothing. Get it anew for each addition: this also sees to its being written. */
  markUsage(): UsageTally {
    this.#flushLater(flushDelayMs);
    return this.#usage;
  }

  /** One write transaction: `work`, and with it every count not yet written. `work` sees the newest state; what
   *  it adds to `usage` counts only if all of it is committed. */
  transact<T>(work: (usage: UsageTally) => T): T {
    const usage = this.#usageOfWork;
    try {
      this.statements.begin.run();
      this.catchUp();
      const result = work(usage);
      const settled = this.#writeAll();
      this.statements.commit.run();
      this.#dirtyBalances.clear();
      this.#dirtyTallies.clear();
      this.#usage.clear();
      for (const [tally, counts] of settled) tally.settle(counts);
      return result;
    } catch (error) {
      this.#rollBack();
      throw asLedgerError(error);
    } finally {
      usage.clear();
    }
  }

  /** A transaction that changed more than balances and counts: what was read before is forgotten. */
  transactAndForget<T>(work: () => T): T {
    const result = this.transact(work);
    this.#forget();
    return result;
  }

  /** Writes the counts now; throws LedgerUnavailable and keeps them if that fails. */
  flush(): void {
    if (this.#dirtyTallies.size > 0 || this.#usage.sums.length > 0) this.transact(() => undefined);
  }

  /** Within a transaction: an entry of the journal and the balances it leads to. */
  post(account: AccountRow, posting: Posting): void {
    this.#setNewest(account, insertEntry(this.statements, account, posting));
  }

  /** As `post`, for a charge. One that stands in the journal already is not made again. */
  postCharge(payer: Payer, charge: Charge, movement: Movement): 'posted' | 'repeated' {
    const endpointNumber = this.#endpointNumber(charge.endpoint);
    const posted = insertCharge(this.statements, { ...payer, charge, movement, endpointNumber });
    if (posted === 'repeated') return 'repeated';
    this.#setNewest(payer.account, posted);
    return 'posted';
  }

  /** Within a transaction, so that of two connections only one makes the refresh. */
  refreshIfDue(account: AccountRow, atMs: number): void {
    if (isPeriodAstray(account, atMs)) this.#realign(account, atMs);
    if (!isRefreshDue(account, atMs)) return;
    const { movement, period } = refresh(account, atMs, this.givenBefore(account, atMs));
    this.post(account, { ...movement, atMs, kind: 'refresh', note: null });
    this.setPeriod(account, period);
  }

  #realign(account: AccountRow, atMs: number): void {
    const astrayMs = account.periodEndsAtMs;
    this.setPeriod(account, realign(account, atMs, this.givenBefore(account, atMs)));
    const [was, is] = [astrayMs, account.periodEndsAtMs].map((ms) => new Date(ms ?? atMs).toISOString());
    this.#tell(
      `The next refresh of ${account.accountId} lay at ${was}, more than a month ahead, as after a wrong clock. It is now at ${is}; no credits were given for it.`,
    );
  }

  /** What the period that holds `atMs` gave before the account left it: 0 unless the clock has gone back. */
  givenBefore({ number }: AccountRow, atMs: number): number {
    const row = this.statements.findGiven.get(number, atMs, atMs + monthMostMs);
    return row === undefined ? 0 : readNumber(row, 'given');
  }

  /** Within a transaction. */
  setPeriod(account: AccountRow, period: Period): void {
    const { anchorAtMs, periodEndsAtMs, allowanceGiven } = period;
    if (account.periodEndsAtMs !== null && account.periodEndsAtMs !== periodEndsAtMs) {
      this.statements.upsertGiven.run(account.number, account.periodEndsAtMs, account.allowanceGiven);
    }
    this.statements.updatePeriod.run(anchorAtMs, periodEndsAtMs, allowanceGiven, account.number);
    account.anchorAtMs = anchorAtMs;
    account.periodEndsAtMs = periodEndsAtMs;
    account.allowanceGiven = allowanceGiven;
    account.refreshAtMs = nextRefresh(account.plan, period);
  }

  /** How many pages the log gathers before a commit copies them into the file. */
  setLogPagesMost(pages: number): void {
    this.#db.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
  }

  close(): void {
    clearTimeout(this.#flushTimer);
    try {
      this.flush();
    } finally {
      clearTimeout(this.#flushTimer);
      this.#db.close();
    }
  }

  readonly #endTurn = (): void => {
    this.#turn = 'to look';
  };

  #setNewest(account: AccountRow, { balanceAfter, lastingAfter, seq, hash }: Posted): void {
    account.balance = balanceAfter;
    account.lasting = lastingAfter;
    account.newestSeq = seq;
    account.newestHash = hash;
    this.#dirtyBalances.add(account);
  }

  /** Within a transaction, since a path that is new gets its number here. */
  #endpointNumber(path: string): number {
    const known = this.#endpoints.get(path);
    if (known !== undefined) return known;
    const row = this.statements.findEndpoint.get(path);
    const number = row
      ? readNumber(row, 'number')
      : Number(this.statements.insertEndpoint.run(path).lastInsertRowid);
    this.#endpoints.set(path, number);
    return number;
  }

  /** Counts not yet written are no memory of the file, so they stay. */
  #forget(): void {
    this.#keys.clear();
    this.#accounts.clear();
    this.#payers.clear();
    this.#endpoints.clear();
    this.#tallies.clear();
    for (const tally of this.#dirtyTallies) {
      tally.stored = undefined;
      this.#tallies.set(`${tally.mode} ${tally.account.accountId}`, tally);
    }
  }

  #readCounts({ account, mode }: WindowTally): Counts {
    const row = this.statements.findWindows.get(account.number, mode);
    return row === undefined ? noCounts : countsFrom(row);
  }

  #writeAll(): [WindowTally, Counts][] {
    const { updateBalances, upsertWindows } = this.statements;
    for (const { balance, lasting, newestSeq, number } of this.#dirtyBalances) {
      updateBalances.run(balance, lasting, newestSeq, number);
    }
    const settled: [WindowTally, Counts][] = [];
    for (const tally of this.#dirtyTallies) {
      const counts = tally.merged(tally.stored ?? this.#readCounts(tally));
      const { minute, day, month } = counts;
      upsertWindows.run(
        tally.account.number,
        tally.mode,
        minute.startMs,
        minute.count,
        day.startMs,
        day.count,
        month.startMs,
        month.count,
      );
      settled.push([tally, counts]);
    }
    this.#writeUsage(this.#usage);
    this.#writeUsage(this.#usageOfWork);
    return settled;
  }

  /** A key that is not there has no usage: its calls are left out, so that they keep nobody else's from being
   *  written. */
  #writeUsage(usage: UsageTally): void {
    for (const { hourStartMs, keyId, endpoint, status, calls, credits } of usage.sums) {
      const payer = this.findPayer(keyId);
      if (payer === undefined) continue;
      const { number, account } = payer;
      const endpointNumber = this.#endpointNumber(endpoint);
      this.statements.upsertUsage.run(
        account.number,
        hourStartMs,
        number,
        endpointNumber,
        status,
        calls,
        credits,
      );
    }
  }

  #rollBack(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    } catch {
      // The error that led here is the one to tell; the next transaction finds out whether this one matters.
    }
    this.#dirtyBalances.clear();
    this.#forget();
  }

  #flushLater(delayMs: number): void {
    if (this.#flushTimer !== undefined) return;
    this.#flushTimer = setTimeout(() => {
      this.#flushTimer = undefined;
      try {
        this.flush();
      } catch {
        this.#flushLater(retryDelayMs); // the counts are kept; ready() tells whoever asks
      }
    }, delayMs).unref();
  }
}

/** The message names neither statement nor path, since it may end in a reply's log; the cause has them. */
export function asLedgerError(error: unknown): LedgerRefusal | LedgerUnavailable {
  if (error instanceof LedgerRefusal || error instanceof LedgerUnavailable) return error;
  return new LedgerUnavailable('The ledger cannot be used just now.', { cause: error });
}
