// Charges on their way to a commit: those that come together are committed together, whatever the engine.

import type { Histogram } from '../metrics/metrics.ts';
import { type Charge, type ChargeResult, LedgerRefusal, LedgerUnavailable } from './ledger.ts';
import { asLedgerError } from './outcome.ts';
import type { Pace } from './pace.ts';
import { LedgerBusy, type Writer } from './writer.ts';

type Waiting = {
  readonly charge: Charge;
  readonly askedMs: number;
  readonly resolve: (result: ChargeResult) => void;
  readonly reject: (error: Error) => void;
};

/** So many are committed without waiting for more. */
const enough = 64;
/** A transaction takes no more, so that a queue behind a lock does not hold up the event loop when it is let go. */
const most = 512;

type Charged = ChargeResult | LedgerRefusal;

/** Within a transaction. One result each, in their order. */
type ChargeAll = (charges: readonly Charge[]) => readonly Charged[];

export class ChargeQueue {
  readonly #writer: Writer;
  readonly #pace: Pace;
  readonly #chargeAll: ChargeAll;
  readonly #batches: Histogram;
  #waiting: Waiting[] = [];
  #youngest: Promise<unknown> = Promise.resolve();
  /** How many waited when the turn before this one ended. */
  #waitingAtTurn = 0;
  #state: 'idle' | 'gathering' | 'committing' = 'idle';

  constructor(writer: Writer, pace: Pace, chargeAll: ChargeAll) {
    this.#writer = writer;
    this.#pace = pace;
    this.#chargeAll = chargeAll;
    this.#batches = writer.metrics.histogram('domesday_ledger_batch_charges');
    writer.metrics.onRead((set) => set('domesday_ledger_waiting_charges', this.#waiting.length));
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
    this.#waitingAtTurn = 0;
    this.#pace.endOfTurn(this.#endTurn);
  }

  /** A commit costs as much as forty charges, so while turns still bring charges it waits for the next turn. */
  readonly #endTurn = (): void => {
    if (this.#state !== 'gathering') return;
    const waiting = this.#waiting.length;
    if (waiting > this.#waitingAtTurn && waiting < enough) {
      this.#waitingAtTurn = waiting;
      this.#pace.endOfTurn(this.#endTurn);
    } else void this.#commit();
  };

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
    return this.#writer.transact(() => this.#chargeAll(charges), {
      askedMs: Math.min(...batch.map(({ askedMs }) => askedMs)),
    });
  }

  /** Behind a lock only those are refused that have waited long enough. */
  #refuse(batch: readonly Waiting[], error: unknown): void {
    const isOver =
      error instanceof LedgerBusy
        ? this.#pace.elapsedMs() - this.#writer.patienceMs
        : Number.POSITIVE_INFINITY;
    for (const { askedMs, reject } of batch) if (askedMs <= isOver) reject(asLedgerError(error));
    this.#waiting.unshift(...batch.filter(({ askedMs }) => askedMs > isOver));
  }
}

function answer(batch: readonly Waiting[], results: readonly Charged[]): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const result = results[index];
    if (result === undefined) reject(new LedgerUnavailable('The charge was not looked at.'));
    else if (result instanceof LedgerRefusal) reject(result);
    else resolve(result);
  }
}
