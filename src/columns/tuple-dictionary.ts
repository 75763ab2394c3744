// Tuples of numbers by number: rows by the tens of millions say the same few hundred thousand things, and a Map would
// need a string for each.

import { defined } from '../out-of-range.ts';

const firstBuckets = 1 << 8;

/** Tuples of so many numbers of 32 bits, numbered in the order in which they first came. */
export class TupleDictionary {
  length = 0;
  readonly #width: number;
  #values: Uint32Array;
  /** The number of a tuple and one; 0 is free. */
  #buckets = new Uint32Array(firstBuckets);

  constructor(width: number) {
    this.#width = width;
    this.#values = new Uint32Array((width * firstBuckets) / 2);
  }

  /** One tuple after the other. */
  get values(): Uint32Array {
    return this.#values.subarray(0, this.length * this.#width);
  }

  /** The number of the tuple that begins at `at`; a new one gets the next. */
  codeOf(tuple: Uint32Array, at: number): number {
    const bucket = this.#bucketOf(tuple, at);
    const known = defined(this.#buckets[bucket]);
    if (known !== 0) return known - 1;
    const code = this.length;
    const width = this.#width;
    const from = code * width;
    for (let place = 0; place < width; place += 1) this.#values[from + place] = defined(tuple[at + place]);
    this.length += 1;
    this.#buckets[bucket] = this.length;
    if (2 * this.length === this.#buckets.length) this.#grow();
    return code;
  }

  /** −1 where the tuple is not there. */
  find(tuple: Uint32Array, at: number): number {
    return defined(this.#buckets[this.#bucketOf(tuple, at)]) - 1;
  }

  /** Empties it, and keeps its room. */
  clear(): void {
    this.#buckets.fill(0);
    this.length = 0;
  }

  /** The bucket that has the tuple, or the free one where it belongs. */
  #bucketOf(tuple: Uint32Array, at: number): number {
    const buckets = this.#buckets;
    const mask = buckets.length - 1;
    for (let bucket = this.#hash(tuple, at) & mask; ; bucket = (bucket + 1) & mask) {
      const known = defined(buckets[bucket]);
      if (known === 0 || this.#equals(known - 1, tuple, at)) return bucket;
    }
  }

  #equals(code: number, tuple: Uint32Array, at: number): boolean {
    const width = this.#width;
    const values = this.#values;
    const from = code * width;
    for (let place = 0; place < width; place += 1)
      if (values[from + place] !== tuple[at + place]) return false;
    return true;
  }

  #hash(tuple: Uint32Array, at: number): number {
    let hash = 0;
    for (let place = at, end = at + this.#width; place < end; place += 1) {
      hash = Math.imul(hash ^ defined(tuple[place]), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    hash = Math.imul(hash, 0x85ebca6b);
    return hash ^ (hash >>> 13);
  }

  #grow(): void {
    const values = new Uint32Array(2 * this.#values.length);
    values.set(this.#values);
    this.#values = values;
    const buckets = new Uint32Array(2 * this.#buckets.length);
    const mask = buckets.length - 1;
    for (let code = 0; code < this.length; code += 1) {
      let bucket = this.#hash(values, code * this.#width) & mask;
      while (buckets[bucket] !== 0) bucket = (bucket + 1) & mask;
      buckets[bucket] = code + 1;
    }
    this.#buckets = buckets;
  }
}
