// Charges on their way to a commit, whatever the engine: what is refused before, and that those which come together are
// committed together.

import type { Histogram, Metrics } from '../metrics/metrics.ts';
import { type Charge, type Charged, type ChargeResult, LedgerRefusal, LedgerUnavailable } from './ledger.ts';
import { asLedgerError } from './outcome.ts';
import { isWorthTheWay, type Pace, whileTurnsBring } from './pace.ts';
import { checkCharge } from './rules.ts';
import { LedgerBusy } from './writer.ts';

/** Charges of one caller of the queue: a commit has all of them or none. */
type Waiting = {
  readonly charges: readonly Charge[];
  readonly askedMs: number;
  /** Theirs begin at `from`. */
  readonly answer: (results: readonly Charged[], from: number) => void;
  readonly reject: (error: Error) => void;
};

type Batch = {
  readonly batch: readonly Waiting[];
  readonly charges: readonly Charge[];
  /** When the oldest was. */
  readonly askedMs: number;
};

/** A transaction takes no more, so that a queue behind a lock does not hold up the event loop when it is let go. */
const most = 512;

type Storage = {
  /** Who writes elsewhere is given the next charges before those that are written are answered, so that both work side by side. */
  readonly writes: 'in this thread' | 'elsewhere';
  /** How long a charge may wait for a lock. */
  readonly patienceMs: number;
  /** Why it does not take a charge that keeps the rules. */
  readonly faultOf: (charge: Charge) => Error | undefined;
  /** Commits them together. One result each, in their order. */
  readonly write: (charges: readonly Charge[], askedMs: number) => Promise<readonly Charged[]>;
};

export class ChargeQueue {
  readonly #pace: Pace;
  readonly #storage: Storage;
  readonly #batches: Histogram;
  #waiting: Waiting[] = [];
  #count = 0;
  /** Answers to charges that are written, in their order. */
  readonly #owed: (() => void)[] = [];
  #youngest: Promise<unknown> = Promise.resolve();
  #state: 'idle' | 'gathering' | 'committing' = 'idle';
  /** Of the last commit: whoever was alone in it is not held back for others. */
  #last = 1;

  constructor(pace: Pace, metrics: Metrics, storage: Storage) {
    this.#pace = pace;
    this.#storage = storage;
    this.#batches = metrics.histogram('domesday_ledger_batch_charges');
    metrics.onRead((set) => set('domesday_ledger_waiting_charges', this.#count));
  }

  add(charge: Charge): Promise<ChargeResult> {
    const fault = this.#faultOf(charge);
    if (fault !== undefined) return Promise.reject(fault);
    const { promise, resolve, reject } = Promise.withResolvers<ChargeResult>();
    const answer = (results: readonly Charged[], from: number) => {
      const result = results[from] ?? leftOut();
      if (result instanceof Error) reject(result);
      else resolve(result);
    };
    this.#append({ charges: [charge], askedMs: this.#pace.elapsedMs(), answer, reject });
    this.#youngest = promise;
    return promise;
  }

  /** No more than a transaction takes. One that is refused here refuses all of them. */
  addTogether(charges: readonly Charge[]): Promise<readonly Charged[]> {
    for (const charge of charges) {
      const fault = this.#faultOf(charge);
      if (fault !== undefined) return Promise.reject(fault);
    }
    const { promise, resolve, reject } = Promise.withResolvers<readonly Charged[]>();
    const answer = (results: readonly Charged[], from: number) =>
      resolve(charges.map((_, place) => results[from + place] ?? leftOut()));
    this.#append({ charges, askedMs: this.#pace.elapsedMs(), answer, reject });
    this.#youngest = promise;
    return promise;
  }

  /** Resolves when every charge that was added before is answered. */
  async settle(): Promise<void> {
    if (this.#state === 'gathering') void this.#commit();
    await Promise.allSettled([this.#youngest]);
  }

  #faultOf(charge: Charge): Error | undefined {
    return checkCharge(charge) ?? this.#storage.faultOf(charge);
  }

  #append(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#count += waiting.charges.length;
    if (this.#state === 'idle') this.#gather();
  }

  #gather(): void {
    this.#state = 'gathering';
    whileTurnsBring(
      this.#pace,
      () => this.#count,
      () => {
        if (this.#state === 'gathering') void this.#commit();
      },
      this.#last === 1 ? 1 : 0,
    );
  }

  async #commit(): Promise<void> {
    this.#state = 'committing';
    const { batch, charges, askedMs } = this.#take();
    this.#batches.observe(charges.length);
    this.#last = charges.length;
    try {
      const results = await this.#storage.write(charges, askedMs);
      this.#owed.push(() => answerAll(batch, results));
    } catch (error) {
      this.#answerOwed();
      this.#refuse(batch, error);
    }
    if (this.#storage.writes === 'elsewhere' && isWorthTheWay(this.#count, charges.length)) {
      void this.#commit();
      return this.#pace.endOfTurn(() => this.#answerOwed());
    }
    this.#answerOwed();
    if (this.#waiting.length === 0) this.#state = 'idle';
    else this.#gather();
  }

  #answerOwed(): void {
    for (const answer of this.#owed.splice(0)) answer();
  }

  #take(): Batch {
    let taken = 0;
    const charges: Charge[] = [];
    for (const waiting of this.#waiting) {
      if (taken > 0 && charges.length + waiting.charges.length > most) break;
      taken += 1;
      for (const charge of waiting.charges) charges.push(charge);
    }
    this.#count -= charges.length;
    const batch = this.#waiting.splice(0, taken);
    // They wait in the order in which they were asked for.
    return { batch, charges, askedMs: batch[0]?.askedMs ?? this.#pace.elapsedMs() };
  }

  /** Behind a lock only those are refused that have waited long enough. */
  #refuse(batch: readonly Waiting[], error: unknown): void {
    const isOver =
      error instanceof LedgerBusy
        ? this.#pace.elapsedMs() - this.#storage.patienceMs
        : Number.POSITIVE_INFINITY;
    for (const { askedMs, reject } of batch) if (askedMs <= isOver) reject(asLedgerError(error));
    const kept = batch.filter(({ askedMs }) => askedMs > isOver);
    this.#waiting.unshift(...kept);
    for (const { charges } of kept) this.#count += charges.length;
  }
}

function answerAll(batch: readonly Waiting[], results: readonly Charged[]): void {
  let from = 0;
  for (const waiting of batch) {
    waiting.answer(results, from);
    from += waiting.charges.length;
  }
}

export const noPayer = (): LedgerRefusal => new LedgerRefusal('There is no such account and key.');

export const givenBackAlready = (): LedgerRefusal =>
  new LedgerRefusal('This charge was given back; charge under another id.');

const leftOut = (): LedgerUnavailable => new LedgerUnavailable('The charge was not looked at.');
