// The counts of calls that are not written yet, and those on their way with a transaction: taken back if it failed,
// kept apart while nobody knows.

import type { Mode } from '../ledger.ts';
import type { Pace } from '../pace.ts';
import { UsageTally } from '../stored/usage-tally.ts';
import { addUsage, countsFrom, type Statements } from './statements.ts';
import { type Added, type Counts, noCounts, WindowTally } from './tally.ts';

/** Where counts are written, and what numbers a key and an endpoint have there. */
type Books = {
  readonly statements: Pick<Statements, 'findWindows' | 'upsertWindows' | 'growUsage' | 'insertUsage'>;
  readonly findKeyOwner: (
    keyId: string,
  ) => { readonly number: number; readonly account: { readonly number: number } } | undefined;
  readonly endpointNumber: (path: string) => number;
};

type WrittenTally = { readonly tally: WindowTally; readonly added: Added; readonly stored: Counts };

/** What a transaction takes along. */
export type Taken = {
  readonly tallies: readonly WrittenTally[];
  readonly usage: UsageTally;
  /** That were written. */
  readonly rows: number;
};

/** How long counts wait at most, and from when on windows are written with any transaction that would end later: to write them
 *  with each would be a sixth of what a single charge writes, and to write them by themselves a commit of its own. */
const [waitMostMs, windowsWaitMs] = [250, 200];

export class PendingCounts {
  readonly #books: Books;
  readonly #pace: Pace;
  readonly #tallies = new Map<string, WindowTally>();
  readonly #dirty = new Set<WindowTally>();
  #usage = new UsageTally();
  /** When the oldest of them was made. */
  #sinceMs = Number.NEGATIVE_INFINITY;
  #writtenAtMs = 0;
  #lastCommitMs = 0;

  constructor(books: Books, pace: Pace) {
    this.#books = books;
    this.#pace = pace;
  }

  /** Of calls that cost nothing. */
  get usage(): UsageTally {
    return this.#usage;
  }

  get isEmpty(): boolean {
    return this.#dirty.size === 0 && this.#usage.sums.length === 0;
  }

  /** How long they may still wait. */
  get patienceMs(): number {
    return this.#sinceMs + waitMostMs - this.#pace.elapsedMs();
  }

  /** One is about to be made. */
  begin(): void {
    if (this.isEmpty) this.#sinceMs = this.#pace.elapsedMs();
  }

  /** The next transaction takes all of them along. */
  hurry(): void {
    this.#sinceMs = Number.NEGATIVE_INFINITY;
  }

  tallyOf(account: { readonly number: number; readonly accountId: string }, mode: Mode): WindowTally {
    const id = idOf(account, mode);
    let tally = this.#tallies.get(id);
    if (tally === undefined) {
      tally = new WindowTally(account, mode);
      this.#tallies.set(id, tally);
    }
    tally.stored ??= this.#readCounts(tally);
    return tally;
  }

  mark(tally: WindowTally): void {
    this.#dirty.add(tally);
  }

  /** Within a transaction. `usageOfWork` is what the transaction itself counts. */
  write(usageOfWork: UsageTally): Taken {
    this.#writtenAtMs = this.#pace.elapsedMs();
    const areDue = this.#writtenAtMs + this.#lastCommitMs - this.#sinceMs >= windowsWaitMs;
    const tallies = areDue ? this.#writeWindows() : [];
    this.#writeUsage(this.#usage);
    this.#writeUsage(usageOfWork);
    const rows = tallies.length + this.#usage.sums.length + usageOfWork.sums.length;
    return { tallies, usage: this.#usage, rows };
  }

  #writeWindows(): readonly WrittenTally[] {
    return [...this.#dirty].map((tally): WrittenTally => {
      const stored = tally.merged(tally.stored ?? this.#readCounts(tally));
      const { minute, day, month } = stored;
      const { number } = tally.account;
      this.#books.statements.upsertWindows.run(
        number,
        tally.mode,
        minute.startMs,
        minute.count,
        day.startMs,
        day.count,
        month.startMs,
        month.count,
      );
      return { tally, added: tally.added, stored };
    });
  }

  /** The transaction is on its way: what is counted from now on is not part of it. */
  part(): void {
    this.#usage = new UsageTally();
  }

  /** The transaction stands. */
  settle({ tallies }: Taken, memory: 'is current' | 'was forgotten'): void {
    if (memory === 'is current') this.#lastCommitMs = this.#pace.elapsedMs() - this.#writtenAtMs;
    for (const { tally, added, stored } of tallies) {
      tally.settle(added);
      if (memory === 'is current') tally.stored = stored;
      if (tally.isSettled) this.#dirty.delete(tally);
    }
  }

  /** The transaction does not stand. Windows are unharmed: they lose what was added only when it is settled. */
  takeBack({ usage }: Taken): void {
    this.#usage.addAll(usage);
  }

  /** Counts not yet written are no memory of the file, so they stay. */
  forget(): void {
    this.#tallies.clear();
    for (const tally of this.#dirty) {
      tally.stored = undefined;
      this.#tallies.set(idOf(tally.account, tally.mode), tally);
    }
  }

  #readCounts({ account, mode }: WindowTally): Counts {
    const row = this.#books.statements.findWindows.get(account.number, mode);
    return row === undefined ? noCounts : countsFrom(row);
  }

  /** A key that is not there has no usage: its calls are left out, so that they keep nobody else's from being
   *  written. */
  #writeUsage(usage: UsageTally): void {
    for (const { hourStartMs, keyId, endpoint: path, status, calls, credits } of usage.sums) {
      const payer = this.#books.findKeyOwner(keyId);
      if (payer === undefined) continue;
      const account = payer.account.number;
      const endpoint = this.#books.endpointNumber(path);
      addUsage(this.#books.statements, {
        account,
        hourStartMs,
        key: payer.number,
        endpoint,
        status,
        calls,
        credits,
      });
    }
  }
}

const idOf = ({ accountId }: { readonly accountId: string }, mode: Mode) => `${mode} ${accountId}`;
