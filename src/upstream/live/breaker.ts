// Stops asking a service that keeps failing: after a few failures in a row nobody asks for a while, then one request
// goes ahead to see.

const failuresAtMost = 5;
const pauseMs = 30_000;

export class Breaker {
  #failures = 0;
  #openUntilMs = 0;

  /** How long to wait before asking again; 0 where one may ask now. */
  waitMs(nowMs: number): number {
    if (!this.isOpen) return 0;
    // A clock that was set back must not keep it closed for longer.
    this.#openUntilMs = Math.min(this.#openUntilMs, nowMs + pauseMs);
    if (nowMs < this.#openUntilMs) return this.#openUntilMs - nowMs;
    // This one goes ahead; the others wait until it is known how it went.
    this.#openUntilMs = nowMs + pauseMs;
    return 0;
  }

  get isOpen(): boolean {
    return this.#failures >= failuresAtMost;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(nowMs: number): void {
    this.#failures += 1;
    if (this.#failures >= failuresAtMost) this.#openUntilMs = nowMs + pauseMs;
  }
}
