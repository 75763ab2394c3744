// How long transactions take and how they end, whatever the engine.

import type { Histogram, Metrics } from '../../metrics/metrics.ts';
import { LedgerRefusal } from '../ledger.ts';
import type { Pace } from '../pace.ts';

type End = 'done' | 'refused' | 'failed';

export class CommitTimes {
  readonly #pace: Pace;
  readonly #seconds: Readonly<Record<End, Histogram>>;

  constructor(metrics: Metrics, pace: Pace) {
    this.#pace = pace;
    const secondsOf = (result: End) => metrics.histogram('domesday_ledger_commit_seconds', { result });
    this.#seconds = { done: secondsOf('done'), refused: secondsOf('refused'), failed: secondsOf('failed') };
  }

  async during<T>(transact: () => Promise<T>): Promise<T> {
    const begunMs = this.#pace.elapsedMs();
    let end: End = 'failed';
    try {
      const result = await transact();
      end = 'done';
      return result;
    } catch (error) {
      if (error instanceof LedgerRefusal) end = 'refused';
      throw error;
    } finally {
      this.#seconds[end].observe((this.#pace.elapsedMs() - begunMs) / 1000);
    }
  }
}
