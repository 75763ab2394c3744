// Counts calls without a valid key per network address, so that guessing keys is slow and cheap to refuse. The counts lie in
// memory that all answering threads share: with eight threads nobody has eight times as many tries.

import { hash, randomBytes } from 'node:crypto';
import { minuteMs } from '../time.ts';
import { hostOf } from './wire/host-of.ts';

/** A power of two. More addresses in one minute are an attack from many hosts; counting them one by one is no use. */
const places = 65_536;
/** Places that an address may have, from the first that its hash names. */
const tries = 8;

// Whole numbers: the minute, the seed of the hash, then a mark of the address and its count for each place.
const seedAt = 1;
const firstAt = 5;

/** For all threads of one service. */
export function failedKeyCounts(): SharedArrayBuffer {
  const counts = new Int32Array(new SharedArrayBuffer(4 * (firstAt + 2 * places)));
  // Secret, so that nobody can choose addresses that share a place with another's.
  counts.set(new Int32Array(Uint8Array.from(randomBytes(16)).buffer), seedAt);
  return counts.buffer;
}

export class FailedKeys {
  readonly perMinute: number;
  readonly #counts: Int32Array<SharedArrayBuffer>;
  readonly #seed: string;

  constructor(perMinute: number, counts: SharedArrayBuffer) {
    this.perMinute = perMinute;
    this.#counts = new Int32Array(counts);
    this.#seed = this.#counts.slice(seedAt, firstAt).join();
  }

  /** Counts one failure; tells whether the address may still be answered 401, or until when it must wait. */
  count(address: string, atMs: number): { kind: 'counted' } | { kind: 'throttled'; resetAtMs: number } {
    const minute = Math.floor(atMs / minuteMs);
    const counts = this.#counts;
    const last = Atomics.load(counts, 0);
    // The one thread that turns the minute clears; what others count meanwhile may be lost, which harms nobody.
    if (last !== minute && Atomics.compareExchange(counts, 0, last, minute) === last) counts.fill(0, firstAt);
    return this.#add(hostOf(address)) > this.perMinute
      ? { kind: 'throttled', resetAtMs: (minute + 1) * minuteMs }
      : { kind: 'counted' };
  }

  /** The failures of the host in this minute, this one included; 0 where all its places are taken. */
  #add(host: string): number {
    const digest = hash('sha256', `${this.#seed} ${host}`, 'buffer');
    const mark = digest.readInt32LE(0) || 1;
    const place = digest.readUInt32LE(4);
    for (let step = 0; step < tries; step += 1) {
      const at = firstAt + 2 * ((place + step) % places);
      const taken = Atomics.compareExchange(this.#counts, at, 0, mark);
      if (taken === 0 || taken === mark) return Atomics.add(this.#counts, at + 1, 1) + 1;
    }
    return 0;
  }
}
