// How fast files come, over all transfers of a run together: beside a service the disk must have room for its charges. A disk
// that is given more than it is allowed holds everybody up for tenths of a second (bench/README.md, update).

import type { Clock } from './clock.ts';

/** No transfer is so far ahead unless the clock was put back. */
const aheadMostMs = 20_000;

export class Flow {
  readonly #bytesPerSecond: number;
  readonly #clock: Clock;
  /** When what was let through before has had its time. */
  #freeAtMs = 0;

  constructor(bytesPerSecond: number, clock: Clock) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#clock = clock;
  }

  /** Resolves when so many bytes may be written. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.now();
    const aheadMs = this.#freeAtMs - nowMs;
    const waitMs = aheadMs > 0 && aheadMs <= aheadMostMs ? aheadMs : 0;
    this.#freeAtMs = nowMs + waitMs + (bytes / this.#bytesPerSecond) * 1000;
    if (waitMs > 0) await this.#clock.wait(waitMs, signal);
  }
}
