// Counts calls without a valid key per network address, so that guessing keys is slow and cheap to refuse.

import { minuteMs } from '../time.ts';
import { hostOf } from './wire/host-of.ts';

/** More addresses in one minute are an attack from many hosts; counting them one by one is no use. */
const hostsMost = 65_536;

export class FailedKeys {
  readonly perMinute: number;
  readonly #counts = new Map<string, number>();
  #minute = 0;

  constructor(perMinute: number) {
    this.perMinute = perMinute;
  }

  /** Counts one failure; tells whether the address may still be answered 401, or until when it must wait. */
  count(address: string, atMs: number): { kind: 'counted' } | { kind: 'throttled'; resetAtMs: number } {
    const minute = Math.floor(atMs / minuteMs);
    if (minute !== this.#minute) this.#counts.clear();
    this.#minute = minute;
    const host = hostOf(address);
    const known = this.#counts.get(host);
    if (known === undefined && this.#counts.size >= hostsMost) return { kind: 'counted' };
    const failures = (known ?? 0) + 1;
    this.#counts.set(host, failures);
    return failures > this.perMinute
      ? { kind: 'throttled', resetAtMs: (minute + 1) * minuteMs }
      : { kind: 'counted' };
  }
}
