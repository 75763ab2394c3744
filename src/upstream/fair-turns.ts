// At most so many requests a second to a service. Whoever comes too early waits, and accounts take turns: one that asks a
// lot waits behind itself, not in front of the others.

export type Clock = {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
};

export class FairTurns {
  readonly #perMs: number;
  readonly #clock: Clock;
  /** Below zero while a turn is waited for that has been promised. */
  #tokens = 1;
  #filledAt: number;
  /** By account, in the order in which they have their next turn. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #state: 'idle' | 'giving turns' = 'idle';

  constructor(perSecond: number, clock: Clock) {
    this.#perMs = perSecond / 1000;
    this.#clock = clock;
    this.#filledAt = clock.now();
  }

  /** Resolves when the request may go. Those of one account go in the order of the calls. */
  async take(account: string): Promise<void> {
    if (this.#state === 'idle' && this.#nextTurnMs() === 0) {
      this.#tokens -= 1;
      return;
    }
    const { promise: turn, resolve } = Promise.withResolvers<void>();
    const own = this.#waiting.get(account);
    if (own === undefined) this.#waiting.set(account, [resolve]);
    else own.push(resolve);
    if (this.#state === 'idle') this.#giveTurns();
    await turn;
  }

  /** How long the next request of the account would wait. */
  waitMs(account: string): number {
    const own = this.#waiting.get(account)?.length ?? 0;
    let before = this.#state === 'idle' ? 0 : -1; // the turn that is waited for is promised already
    for (const { length } of this.#waiting.values()) before += Math.min(length, own + 1);
    return this.#nextTurnMs(Math.max(0, before));
  }

  async #giveTurns(): Promise<void> {
    this.#state = 'giving turns';
    for (let next = this.#waiting.keys().next(); next.done !== true; next = this.#waiting.keys().next()) {
      const waitMs = this.#nextTurnMs();
      this.#tokens -= 1;
      if (waitMs > 0) await this.#clock.sleep(waitMs);
      this.#giveTurn();
    }
    this.#state = 'idle';
  }

  /** To whoever is first by now. */
  #giveTurn(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [account, [go, ...later]] = first;
    this.#waiting.delete(account);
    if (later.length > 0) this.#waiting.set(account, later);
    go?.();
  }

  #nextTurnMs(before = 0): number {
    const now = this.#clock.now();
    // A clock that was set back gives nothing, and takes nothing.
    const passedMs = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(1, this.#tokens + passedMs * this.#perMs);
    this.#filledAt = now;
    return Math.max(0, Math.ceil((1 + before - this.#tokens) / this.#perMs));
  }
}
