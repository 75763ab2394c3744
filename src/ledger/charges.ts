// Charges on their way to a commit: those that come together are committed together, whatever the engine.

import type { Histogram, Metrics } from '../metrics/metrics.ts';
import { type Charge, type ChargeResult, type LedgerRefusal, LedgerUnavailable } from './ledger.ts';
import { asLedgerError } from './outcome.ts';
import { type Pace, whileTurnsBring } from './pace.ts';
import { LedgerBusy } from './writer.ts';

type Waiting = {
  readonly charge: Charge;
  readonly askedMs: number;
  readonly resolve: (result: ChargeResult) => void;
  readonly reject: (error: Error) => void;
};

/** A transaction takes no more, so that a queue behind a lock does not hold up the event loop when it is let go. */
const most = 512;

/** A charge that was not made although others of its batch were has an error of its own. */
export type Charged = ChargeResult | LedgerRefusal | LedgerUnavailable;

type Storage = {
  /** How long a charge may wait for a lock. */
  readonly patienceMs: number;
  /** Commits them together. One result each, in their order. */
  readonly write: (charges: readonly Charge[], askedMs: number) => Promise<readonly Charged[]>;
};

export class ChargeQueue {
  readonly #pace: Pace;
  readonly #storage: Storage;
  readonly #batches: Histogram;
  #waiting: Waiting[] = [];
  #youngest: Promise<unknown> = Promise.resolve();
  #state: 'idle' | 'gathering' | 'committing' = 'idle';

  constructor(pace: Pace, metrics: Metrics, storage: Storage) {
    this.#pace = pace;
    this.#storage = storage;
    this.#batches = metrics.histogram('domesday_ledger_batch_charges');
    metrics.onRead((set) => set('domesday_ledger_waiting_charges', this.#waiting.length));
  }

  add(charge: Charge): Promise<ChargeResult> {
    const { promise, resolve, reject } = Promise.withResolvers<ChargeResult>();
    this.#waiting.push({ charge, askedMs: this.#pace.elapsedMs(), resolve, reject });
    this.#youngest = promise;
    if (this.#state === 'idle') this.#gather();
    return promise;
  }

  /** Resolves when every charge that was added before is answered. */
  async settle(): Promise<void> {
    if (this.#state === 'gathering') void this.#commit();
    await Promise.allSettled([this.#youngest]);
  }

  #gather(): void {
    this.#state = 'gathering';
    whileTurnsBring(
      this.#pace,
      () => this.#waiting.length,
      () => {
        if (this.#state === 'gathering') void this.#commit();
      },
    );
  }

  async #commit(): Promise<void> {
    this.#state = 'committing';
    const batch = this.#waiting.splice(0, most);
    this.#batches.observe(batch.length);
    try {
      answer(batch, await this.#write(batch));
    } catch (error) {
      this.#refuse(batch, error);
    }
    if (this.#waiting.length === 0) this.#state = 'idle';
    else this.#gather();
  }

  #write(batch: readonly Waiting[]): Promise<readonly Charged[]> {
    const charges = batch.map(({ charge }) => charge);
    return this.#storage.write(charges, Math.min(...batch.map(({ askedMs }) => askedMs)));
  }

  /** Behind a lock only those are refused that have waited long enough. */
  #refuse(batch: readonly Waiting[], error: unknown): void {
    const isOver =
      error instanceof LedgerBusy
        ? this.#pace.elapsedMs() - this.#storage.patienceMs
        : Number.POSITIVE_INFINITY;
    for (const { askedMs, reject } of batch) if (askedMs <= isOver) reject(asLedgerError(error));
    this.#waiting.unshift(...batch.filter(({ askedMs }) => askedMs > isOver));
  }
}

function answer(batch: readonly Waiting[], results: readonly Charged[]): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const result = results[index];
    if (result === undefined) reject(new LedgerUnavailable('The charge was not looked at.'));
    else if (result instanceof Error) reject(result);
    else resolve(result);
  }
}
