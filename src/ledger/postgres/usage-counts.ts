// Usage of calls that cost nothing, on its way to the database: counted in memory, written a little later.

import type { Call } from '../ledger.ts';
import type { Pace } from '../pace.ts';
import { UsageTally } from '../stored/usage-tally.ts';
import { asOutage, type Database } from './database.ts';

const flushDelayMs = 50;
const retryDelayMs = 1_000;

export class UsageCounts {
  readonly #database: Database;
  readonly #pace: Pace;
  #tally = new UsageTally();
  #callOff: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(database: Database, pace: Pace) {
    this.#database = database;
    this.#pace = pace;
  }

  add(call: Call, status: number): void {
    this.#tally.add(call, status, 0);
    this.#flushLater(flushDelayMs);
  }

  /** Writes the counts now, after those that are on their way; rejects with LedgerUnavailable and keeps them if that
   *  fails. */
  flush(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write());
    return this.#writing;
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      this.#callOff?.();
    }
  }

  async #write(): Promise<void> {
    const { sums } = this.#tally;
    if (sums.length === 0) return;
    const taken = this.#tally;
    this.#tally = new UsageTally();
    try {
      await this.#database.ask('SELECT domesday.count_usage_1($1, $2, $3, $4, $5)', [
        sums.map(({ keyId }) => keyId),
        sums.map(({ hourStartMs }) => hourStartMs),
        sums.map(({ endpoint }) => endpoint),
        sums.map(({ status }) => status),
        sums.map(({ calls }) => calls),
      ]);
    } catch (error) {
      this.#tally.addAll(taken);
      throw asOutage(error);
    }
  }

  #flushLater(delayMs: number): void {
    this.#callOff ??= this.#pace.later(delayMs, () => {
      this.flush().then(
        () => {
          this.#callOff = undefined;
        },
        () => {
          this.#callOff = undefined;
          this.#flushLater(retryDelayMs); // the counts are kept; ready() tells whoever asks
        },
      );
    });
  }
}
