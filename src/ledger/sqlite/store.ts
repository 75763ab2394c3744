// The SQLite engine's memory over its file: accounts, keys and windows as last read, the counts not yet written, and
// the one way to write. Both halves of the ledger stand on it. What is written is decided by rules.ts.

import type { DatabaseSync } from 'node:sqlite';
import type { Metrics } from '../../metrics/metrics.ts';
import { type Row, readNumber, readNumberOrNull, readText } from '../../storage/rows.ts';
import type { Sql, Value } from '../../storage/sql.ts';
import { hashingCharges } from '../chain.ts';
import type { Doubts } from '../doubts.ts';
import { isSameHash } from '../keys.ts';
import type { Caller, Charge, Mode, Tell } from '../ledger.ts';
import { type Attempt, asLedgerError } from '../outcome.ts';
import type { Pace } from '../pace.ts';
import { limitsOf } from '../plans.ts';
import { type AccountRow, readAccount, readCaller } from '../stored/records.ts';
import { UsageTally } from '../stored/usage-tally.ts';
import { type Engine, type MaybeLater, Writer } from '../writer.ts';
import { type Commit, type Connection, isBusy, StatementCache } from './connection.ts';
import { explainedFault } from './faults.ts';
import type { Guard } from './keeping/guard.ts';
import { identityOf } from './keeping/identity.ts';
import type { Keeper } from './keeping/keeper.ts';
import { PendingCounts, type Taken } from './pending-counts.ts';
import { ChargeRows, type Payer } from './posting.ts';
import { Repeats } from './repeats.ts';
import { giveBack } from './reversals.ts';
import type { Statements } from './statements.ts';
import type { KeyEntry, WindowTally } from './tally.ts';

/** A transaction whose commit reported a fault: what stands if it does, and the counts it would have written. */
type InDoubt = {
  readonly chargeId: string | undefined;
  readonly pulse: number | undefined;
  readonly taken: Taken;
};

type StoreParts = Custody & {
  readonly connection: Connection;
  readonly pace: Pace;
  readonly doubts: Doubts;
  readonly patienceMs: number;
  readonly tell: Tell;
  readonly metrics: Metrics;
};

/** Whether a charge needs no look at anything but its account. */
type IsPlain = (charge: Charge, account: AccountRow) => boolean;

/** For each charge its account, and the balance that it left. */
type Posted =
  | {
      readonly kind: 'posted';
      readonly accounts: readonly AccountRow[];
      readonly balances: readonly number[];
    }
  | { readonly kind: 'repeated'; readonly count: number }
  | { readonly kind: 'none' };

const [retryDelayMs, pulseEveryMs] = [1_000, 1_000];
/** Charges are added to the usage later, many at a time, which costs a tenth of a row for each: their entries say the same. At most so
 *  many in one transaction, a few milliseconds of work. */
const [countEveryMs, countAfter, countedMost] = [1_000, 1_000, 4_000];

/** What the store asks of whoever watches over the file and keeps it in shape. */
type Custody = {
  readonly guard: Pick<Guard, 'assertUsable' | 'confirm' | 'lookAtFiles' | 'state'>;
  readonly keeper: Pick<Keeper, 'assertRoom' | 'noteCommit' | 'noteFailure' | 'noteRows' | 'serve' | 'stop'>;
};

export class SqliteStore implements Engine {
  readonly writer: Writer;
  readonly repeats: Repeats;
  readonly #texts = new StatementCache();
  readonly guard: Custody['guard'];
  readonly keeper: Custody['keeper'];
  readonly #connection: Connection;
  readonly #pace: Pace;
  readonly #keys = new Map<string, KeyEntry>();
  readonly #accounts = new Map<string, AccountRow>();
  readonly #payers = new Map<string, Payer>();
  readonly #endpoints = new Map<string, number>();
  readonly #counts: PendingCounts;
  readonly #dirtyBalances = new Set<AccountRow>();
  /** Of the transaction under way: counts only if all of it is committed. */
  readonly usageOfWork = new UsageTally();
  #postedCharges: string[] = [];
  #inDoubt: InDoubt | undefined;
  /** That the transaction under way raised. */
  #pulse: number | undefined;
  /** Settled when the transaction is over that is open between turns of its work. */
  #open: Promise<void> | undefined;
  #pulseDueAtMs: number;
  /** Charges of this run that are not in the usage yet. */
  #uncounted = 0;
  #countDueAtMs: number;
  /** The number of the newest entry of all, as far as it is known. */
  #newest: number | undefined;
  #flushing: (() => void) | undefined;

  constructor({ connection, pace, doubts, patienceMs, tell, metrics, guard, keeper }: StoreParts) {
    this.#connection = connection;
    this.#pace = pace;
    this.guard = guard;
    this.keeper = keeper;
    this.#pulseDueAtMs = pace.elapsedMs() + pulseEveryMs;
    this.#countDueAtMs = pace.elapsedMs() + countEveryMs;
    this.#counts = new PendingCounts(this, pace);
    this.repeats = new Repeats(this);
    this.writer = new Writer(this, pace, doubts, { patienceMs, tell, metrics });
  }

  get statements(): Statements {
    return this.#connection.statements;
  }

  /** Another one after a commit in doubt. */
  get db(): DatabaseSync {
    return this.#connection.db;
  }

  /** Not while a transaction is open between turns of its work: what it shows may yet be undone. */
  async read<T>(work: () => T | Promise<T>): Promise<T> {
    while (this.#open !== undefined) await this.#open;
    this.guard.assertUsable();
    this.#connection.assertOpen();
    try {
      return await work();
    } catch (error) {
      throw asLedgerError(error);
    }
  }

  /** `work` sees the file as of one moment, however long it takes. */
  async withReader<T>(work: (db: DatabaseSync) => Promise<T>): Promise<T> {
    while (this.#open !== undefined) await this.#open;
    this.guard.assertUsable();
    return this.#connection.withReader(work);
  }

  /** Portable SQL, within a transaction or by itself. */
  ask(text: string, values: readonly Value[] = []): readonly Row[] {
    return this.#texts.all(this.db, text, values);
  }

  /** As `ask`, within a transaction: for work that is written for both engines, and may add to the journal. */
  readonly sql: Sql = {
    all: async (text, values) => {
      this.#newest = undefined;
      return this.ask(text, values);
    },
  };

  /** Unknown hashes are not remembered, so a flood of them costs look-ups, never space. */
  findKey(hash: string): KeyEntry | undefined {
    const known = this.#keys.get(hash);
    if (known !== undefined) return known;
    const row = this.statements.findUnrevokedKey.get(hash);
    if (row === undefined || !isSameHash(readText(row, 'hash'), hash)) return undefined;
    const account = this.findAccount(readText(row, 'account_id'));
    if (account?.closedAtMs !== null) return undefined;
    const caller = readCaller(row);
    if (caller === undefined) return undefined;
    const { mode } = caller;
    const entry: KeyEntry = {
      caller,
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

  /** Undefined where the key is not of that account. */
  findPayer({ keyId, accountId }: Pick<Caller, 'keyId' | 'accountId'>): Payer | undefined {
    const payer = this.findKeyOwner(keyId);
    return payer?.account.accountId === accountId ? payer : undefined;
  }

  findKeyOwner(keyId: string): Payer | undefined {
    const known = this.#payers.get(keyId);
    if (known !== undefined) return known;
    const row = this.statements.findPayer.get(keyId);
    const account = row && this.findAccount(readText(row, 'account_id'));
    if (row === undefined || account === undefined) return undefined;
    const hashCharge = hashingCharges({ accountId: account.accountId, keyId });
    const payer = { number: readNumber(row, 'number'), account, hashCharge };
    this.#payers.set(keyId, payer);
    return payer;
  }

  tallyOf(account: AccountRow, mode: Mode): WindowTally {
    return this.#counts.tallyOf(account, mode);
  }

  markTally(tally: WindowTally): void {
    this.#flushSoon();
    this.#counts.mark(tally);
  }

  /** The tally of calls that cost nothing. Get it anew for each addition: this also sees to its being written. */
  markUsage(): UsageTally {
    this.#flushSoon();
    return this.#counts.usage;
  }

  /** One write transaction: `work`, and with it the counts not yet written. `work` sees the newest state. */
  attempt<T>(work: () => MaybeLater<T>): MaybeLater<Attempt<T>> {
    const attempt = this.#attempt(work);
    return attempt instanceof Promise ? attempt.then(this.#noteFailure) : this.#noteFailure(attempt);
  }

  readonly #noteFailure = <T>(attempt: Attempt<T>): Attempt<T> => {
    if (attempt.kind === 'failed') this.keeper.noteFailure(attempt.error);
    return attempt;
  };

  #attempt<T>(work: () => MaybeLater<T>): MaybeLater<Attempt<T>> {
    this.usageOfWork.clear();
    this.#postedCharges = [];
    this.#pulse = undefined;
    try {
      this.guard.assertUsable();
      if (this.#inDoubt !== undefined) this.lookAgain();
      this.keeper.assertRoom();
      this.#connection.begin();
    } catch (error) {
      return { kind: isBusy(error) ? 'busy' : 'failed', error };
    }
    try {
      const result = work();
      return result instanceof Promise ? this.#whenDone(result) : this.#commit(result);
    } catch (error) {
      return this.#undo(error);
    }
  }

  /** Whoever reads waits: they would see what may yet be undone. */
  async #whenDone<T>(working: Promise<T>): Promise<Attempt<T>> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = promise;
    try {
      return this.#commit(await working);
    } catch (error) {
      return this.#undo(error);
    } finally {
      this.#open = undefined;
      resolve();
    }
  }

  #undo(error: unknown): { readonly kind: 'failed'; readonly error: unknown } {
    this.#connection.rollBack();
    this.#unwind();
    return { kind: 'failed', error };
  }

  #commit<T>(result: T): Attempt<T> {
    const taken = this.#writeAll();
    const commit = this.#confirmed(this.#connection.commit());
    if (commit.kind === 'failed') {
      this.#unwind();
      return commit;
    }
    this.#counts.part();
    if (commit.kind === 'done') {
      this.#dirtyBalances.clear();
      this.#counts.settle(taken, 'is current');
      return { kind: 'done', result };
    }
    this.#unwind();
    const chargeIds = this.#postedCharges;
    this.#inDoubt = { chargeId: chargeIds[0], pulse: this.#pulse, taken };
    return { ...commit, result, chargeIds };
  }

  /** A commit into a file that has lost its name stands if that file comes back. */
  #confirmed(commit: Commit): Commit {
    if (commit.kind !== 'done') return commit;
    try {
      this.guard.confirm();
      return commit;
    } catch (error) {
      return { kind: 'unknown', error };
    }
  }

  /** A commit stands if a charge of it does, or the pulse that it raised. Of one that has neither this cannot tell, and takes it for
   *  absent: its counts may be written twice. */
  lookAgain(): 'stands' | 'absent' {
    // Whatever lies there now, it is opened only if it is ours.
    this.guard.lookAtFiles();
    this.guard.assertUsable();
    this.#connection.reopen();
    this.forget();
    if (this.#inDoubt === undefined) return 'absent';
    const { chargeId, pulse, taken } = this.#inDoubt;
    const stands =
      (chargeId !== undefined && this.statements.findCharge.get(chargeId) !== undefined) ||
      (pulse !== undefined && identityOf(this.#connection.db).pulse === pulse);
    if (stands) this.#counts.settle(taken, 'was forgotten');
    else this.#counts.takeBack(taken);
    this.#inDoubt = undefined;
    return stands ? 'stands' : 'absent';
  }

  readonly explain = explainedFault;

  async giveBack(chargeIds: Iterable<string>): Promise<number> {
    this.#connection.touch();
    const given = await giveBack(this, chargeIds);
    this.keeper.noteRows(2 * given); // what each changes of its usage and its Idempotency-Key
    return given;
  }

  /** Writes the counts now; rejects with LedgerUnavailable and keeps them if that fails. */
  async flush(): Promise<void> {
    let left = await this.read(() => readNumber(this.statements.findUncounted.get(), 'uncounted'));
    if (left === 0) return this.#writeCounts();
    do {
      this.#counts.hurry();
      left = await this.writer.transact(() => this.countCharges());
    } while (left > 0);
  }

  async #writeCounts(): Promise<void> {
    if (this.#counts.isEmpty && this.#inDoubt === undefined) return;
    this.#counts.hurry();
    await this.writer.transact(() => undefined);
  }

  /** Within a transaction: charges from one on that need no look at anything but their accounts, as many as one statement writes. `repeated`
   *  where one of these stands already: then none was made. */
  postCharges(charges: readonly Charge[], from: number, isPlain: IsPlain): Posted {
    const rows = new ChargeRows(this.#newestSeq());
    const payers: Payer[] = [];
    const balances: number[] = [];
    for (let place = from; place < charges.length && !rows.isFull; place += 1) {
      const charge = charges[place];
      const payer = charge && this.findPayer(charge.caller);
      if (charge === undefined || payer === undefined || !isPlain(charge, payer.account)) break;
      if (rows.add(payer, charge, this.endpointNumber(charge.endpoint)) === 'insufficient') break;
      payers.push(payer);
      balances.push(payer.account.balance);
    }
    if (rows.count === 0) return { kind: 'none' };
    if (rows.insert(this.statements) === 'repeated') return { kind: 'repeated', count: rows.count };
    this.#noteNewest(rows.count);
    this.#uncounted += rows.count;
    for (const { account } of payers) this.#dirtyBalances.add(account);
    for (let place = from; place < from + rows.count; place += 1) {
      const charge = charges[place];
      if (charge !== undefined) this.#postedCharges.push(charge.chargeId);
    }
    return { kind: 'posted', accounts: payers.map(({ account }) => account), balances };
  }

  #newestSeq(): number {
    this.#newest ??= readNumber(this.statements.newestEntry.get(), 'seq');
    return this.#newest;
  }

  #noteNewest(entries: number): void {
    this.#newest = this.#newestSeq() + entries;
  }

  /** Writes what is left. */
  async finish(): Promise<void> {
    try {
      if (this.guard.state !== 'sound') return;
      await this.#writeCounts();
      // Whoever opens it next can do it too.
      if (this.#uncounted > 0) await this.flush().catch(() => undefined);
    } finally {
      this.#flushing?.();
    }
  }

  /** Within a transaction, since a path that is new gets its number here. */
  readonly endpointNumber = (path: string): number => {
    const known = this.#endpoints.get(path);
    if (known !== undefined) return known;
    const row = this.statements.findEndpoint.get(path);
    const number = row
      ? readNumber(row, 'number')
      : Number(this.statements.insertEndpoint.run(path).lastInsertRowid);
    this.#endpoints.set(path, number);
    return number;
  };

  /** What was read into memory: others changed it. */
  forget(): void {
    this.#newest = undefined;
    this.#keys.clear();
    this.#accounts.clear();
    this.#payers.clear();
    this.#endpoints.clear();
    this.#counts.forget();
  }

  #writeAll(): Taken {
    for (const { balance, lasting, newestSeq, newestHash, number } of this.#dirtyBalances) {
      this.statements.updateBalances.run(balance, lasting, newestSeq, newestHash, number);
    }
    if (this.#pace.elapsedMs() >= this.#pulseDueAtMs) this.raisePulse();
    const isCountDue =
      this.#uncounted >= countAfter || (this.#uncounted > 0 && this.#pace.elapsedMs() >= this.#countDueAtMs);
    if (isCountDue) this.countCharges();
    const taken = this.#counts.write(this.usageOfWork);
    this.keeper.noteCommit(this.#postedCharges.length, this.#dirtyBalances.size + taken.rows);
    return taken;
  }

  /** Within a transaction: adds charges to the usage that it has not yet, and tells how many are left. */
  countCharges(): number {
    const { findUncounted, countCharges, setCounted } = this.statements;
    const row = findUncounted.get();
    const [counted, newest] = [readNumber(row, 'counted_entry'), readNumber(row, 'newest')];
    const upTo = Math.min(newest, counted + countedMost);
    this.#uncounted = newest - upTo;
    this.#countDueAtMs = this.#pace.elapsedMs() + countEveryMs;
    if (upTo > counted) {
      this.keeper.noteRows(Number(countCharges.run(counted, upTo).changes) + 1);
      setCounted.run(upTo);
    }
    return this.#uncounted;
  }

  /** Within a transaction: shows in the file that it goes on. */
  raisePulse(): void {
    this.#pulse = readNumber(this.statements.raisePulse.get(), 'pulse');
    this.#pulseDueAtMs = this.#pace.elapsedMs() + pulseEveryMs;
  }

  /** The memory is no longer what the file is. */
  #unwind(): void {
    this.#dirtyBalances.clear();
    this.#uncounted = countAfter;
    this.forget();
  }

  /** For a count that is about to be made. */
  #flushSoon(): void {
    this.#counts.begin();
    if (this.#flushing === undefined) this.#flushIn(this.#counts.patienceMs);
  }

  #flushIn(ms: number): void {
    this.#flushing = this.#pace.later(ms, this.#flushIfDue);
  }

  /** Charges may have taken along what the wait began with. Where it fails, the counts are kept; ready() tells whoever asks. */
  readonly #flushIfDue = (): void => {
    const { patienceMs } = this.#counts;
    if (patienceMs > 0) this.#flushIn(patienceMs);
    else this.#writeCounts().then(this.#endFlush, () => this.#flushIn(retryDelayMs));
  };

  readonly #endFlush = (): void => {
    this.#flushing = undefined;
  };
}
