// How fast files are fetched, read and written beside a service: a disk that is asked for more than it is allowed holds
// everybody up for tenths of a second, and the service's charges with them (docs/decisions/0024-updates.md). What a disk is allowed
// changes with the hour on a shared machine, so a slow piece halves the speed, and it grows again little by little.

import { setTimeout } from 'node:timers/promises';

/** Of the full speed: never slower, however slow the disk is. */
const leastShare = 1 / 16;
/** From half of the full speed back to all of it in three minutes: what a disk is allowed comes back as slowly. */
const sharePerSecond = 1 / 360;

export class DiskAllowance {
  readonly #fullBytesPerMs: number;
  #share = 1;
  #judgedAtMs: number | undefined;
  /** When what was moved before has had its time. */
  #freeAtMs = 0;

  constructor(bytesPerSecond: number) {
    this.#fullBytesPerMs = bytesPerSecond / 1000;
  }

  /** Milliseconds until all that was moved before has had its time. */
  owedMs(nowMs: number): number {
    return Math.max(0, this.#freeAtMs - nowMs);
  }

  /** So many bytes are moved from then on. */
  book(bytes: number, fromMs: number): void {
    this.#freeAtMs = fromMs + bytes / (this.#fullBytesPerMs * this.#share);
  }

  /** How long the disk took for so many bytes. Slower than the full speed, it has more to do than it can. */
  judge(bytes: number, tookMs: number, nowMs: number): void {
    const isSlow = tookMs > bytes / this.#fullBytesPerMs;
    const sinceSeconds = Math.max(0, nowMs - (this.#judgedAtMs ?? nowMs)) / 1000;
    this.#share = isSlow
      ? Math.max(leastShare, this.#share / 2)
      : Math.min(1, this.#share + sinceSeconds * sharePerSecond);
    this.#judgedAtMs = nowMs;
  }
}

/** Told how many bytes were moved and how long the disk took; rests as long as they should have taken. */
export type DiskPace = {
  /** Holds the thread up. */
  readonly rest: (bytes: number, tookMs: number) => void;
  readonly restAside: (bytes: number, tookMs: number) => Promise<void>;
};

type Waiting = {
  /** Of a clock that is never set. */
  readonly elapsedMs: () => number;
  readonly sleep: (ms: number) => void;
  readonly sleepAside: (ms: number) => Promise<void>;
};

const byTheClock: Waiting = {
  elapsedMs: () => performance.now(),
  sleep: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  sleepAside: (ms) => setTimeout(ms),
};

export function diskPace(allowance: DiskAllowance, waiting: Waiting = byTheClock): DiskPace {
  const owedMs = (bytes: number, tookMs: number): number => {
    const nowMs = waiting.elapsedMs();
    allowance.judge(bytes, tookMs, nowMs);
    allowance.book(bytes, nowMs + allowance.owedMs(nowMs));
    return allowance.owedMs(nowMs);
  };
  return {
    rest: (bytes, tookMs) => waiting.sleep(owedMs(bytes, tookMs)),
    restAside: (bytes, tookMs) => waiting.sleepAside(owedMs(bytes, tookMs)),
  };
}
