// At most so many requests a second to a service, with a burst; whoever comes too early waits for a turn.

export type Clock = {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** From 0 to below 1. */
  readonly random: () => number;
};

export class TokenBucket {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #filledAt: number;

  constructor(perSecond: number, burst: number, clock: Clock) {
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#filledAt = clock.now();
  }

  /** Resolves when the request may go; in the order of the calls. */
  async take(): Promise<void> {
    const waitMs = this.waitMs();
    // Below zero are the turns that have been promised already.
    this.#tokens -= 1;
    if (waitMs > 0) await this.#clock.sleep(waitMs);
  }

  /** How long the next to come would wait. */
  waitMs(): number {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#perMs);
    this.#filledAt = now;
    return Math.max(0, Math.ceil((1 - this.#tokens) / this.#perMs));
  }
}
