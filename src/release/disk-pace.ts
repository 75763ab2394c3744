// How fast a release is read and written beside a service: a disk that is asked for more than it is allowed holds everybody up
// for tenths of a second, and the service's charges with them (bench/README.md, update).

import { setTimeout } from 'node:timers/promises';

/** Told how many bytes were moved; rests as long as they should have taken. */
export type DiskPace = {
  /** Holds the thread up. */
  readonly rest: (bytes: number) => void;
  readonly restAside: (bytes: number) => Promise<void>;
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

export function diskPace(bytesPerSecond: number, waiting: Waiting = byTheClock): DiskPace {
  // When what was moved before has had its time.
  let freeAtMs = 0;
  const owedMs = (bytes: number): number => {
    const nowMs = waiting.elapsedMs();
    freeAtMs = Math.max(freeAtMs, nowMs) + (bytes / bytesPerSecond) * 1000;
    return freeAtMs - nowMs;
  };
  return {
    rest: (bytes) => waiting.sleep(owedMs(bytes)),
    restAside: (bytes) => waiting.sleepAside(owedMs(bytes)),
  };
}
