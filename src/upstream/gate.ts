// Whether the site may be asked now, and how it fared: nobody asks while the queue is too long, and after a few failures
// in a row nobody asks for a while. Then one request goes ahead to see.

import type { Metrics } from '../metrics/metrics.ts';
import type { Clock } from './fair-turns.ts';

const failuresAtMost = 5;
const pauseMs = 30_000;
/** Nobody waits longer than this for a turn. */
const longestQueueMs = 20_000;

const service = 'valuation-site';

/** Counts questions to the site that ended so. */
export const countQuestions = (metrics: Metrics, result: 'kept' | 'answered' | 'failed' | 'held back') =>
  metrics.counter('domesday_upstream_requests_total', { service, result });

export class Gate {
  readonly #queueMs: (account: string) => number;
  readonly #clock: Clock;
  readonly #heldBack;
  readonly #answered;
  readonly #failed;
  #failures = 0;
  #closedUntilMs = 0;

  /** `queueMs` tells how long the next request of an account would wait for its turn. */
  constructor(queueMs: (account: string) => number, clock: Clock, metrics: Metrics) {
    this.#queueMs = queueMs;
    this.#clock = clock;
    this.#heldBack = countQuestions(metrics, 'held back');
    this.#answered = countQuestions(metrics, 'answered');
    this.#failed = countQuestions(metrics, 'failed');
    metrics.onRead((set) => set('domesday_upstream_breaker_open', this.#keepsFailing ? 1 : 0, { service }));
  }

  /** How long to wait before asking; 0 where one may ask now. */
  waitMs(account: string): number {
    const queueMs = this.#queueMs(account);
    const waitMs = queueMs > longestQueueMs ? queueMs : this.#closedMs();
    if (waitMs > 0) this.#heldBack.add(1);
    return waitMs;
  }

  succeeded(): void {
    this.#answered.add(1);
    this.#failures = 0;
  }

  failed(): void {
    this.#failed.add(1);
    this.#failures += 1;
    if (this.#keepsFailing) this.#closedUntilMs = this.#clock.now() + pauseMs;
  }

  get #keepsFailing(): boolean {
    return this.#failures >= failuresAtMost;
  }

  #closedMs(): number {
    if (!this.#keepsFailing) return 0;
    const nowMs = this.#clock.now();
    // A clock that was set back must not keep it closed for longer.
    this.#closedUntilMs = Math.min(this.#closedUntilMs, nowMs + pauseMs);
    if (nowMs < this.#closedUntilMs) return this.#closedUntilMs - nowMs;
    // This one goes ahead; the others wait until it is known how it went.
    this.#closedUntilMs = nowMs + pauseMs;
    return 0;
  }
}
