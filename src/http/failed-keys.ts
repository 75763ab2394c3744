// Counts calls without a valid key per network address, so that guessing keys is slow and cheap to refuse.

import { hostOf } from './wire/host-of.ts';

const minuteMs = 60_000;

/** More addresses than this in one minute are an attack from many hosts; counting them one by one is no use. */
const addressesMax = 50_000;

export class FailedKeys {
  readonly #perMinute: number;
  readonly #counts = new Map<string, number>();
  #minute = 0;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Counts one failure; tells whether the address may still be answered 401, or until when it must wait. */
  count(address: string, atMs: number): { kind: 'counted' } | { kind: 'throttled'; resetAtMs: number } {
    const minute = Math.floor(atMs / minuteMs);
    if (minute !== this.#minute) {
      this.#counts.clear();
      this.#minute = minute;
    }
    const host = hostOf(address);
    const count = (this.#counts.get(host) ?? 0) + 1;
    if (count > 1 || this.#counts.size < addressesMax) this.#counts.set(host, count);
    return count > this.#perMinute
      ? { kind: 'throttled', resetAtMs: (minute + 1) * minuteMs }
      : { kind: 'counted' };
  }

  get perMinute(): number {
    return this.#perMinute;
  }
}
