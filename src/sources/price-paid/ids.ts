// Transaction ids by their bytes: which sales the files speak of, and where the last record puts each. The memory is
// shared with the threads that put areas together.

import { defined } from '../../out-of-range.ts';

const fewestBuckets = 64;

const sharedWords = (length: number) => new Uint32Array(new SharedArrayBuffer(4 * length));

/** A table as it is handed to another thread. */
export type SharedIds = {
  readonly buckets: Uint32Array;
  readonly count: number;
  readonly ids: Uint32Array[];
  readonly marks: Uint32Array[];
};

const idsPerChunk = 1 << 16;
/** 67 million sales; twice what there are. */
const entryMask = (1 << 26) - 1;

/** Transaction ids, each with a number that the latest `put` gave it. Ids are four words of four bytes. */
export class IdTable {
  /** The number of the id plus one; 0 is an empty bucket. The highest bits have some of the id's hash, so that another
   *  id is seldom looked at. */
  #buckets: Uint32Array;
  #count = 0;
  readonly #ids: Uint32Array[];
  readonly #marks: Uint32Array[];
  #filter: { readonly count: number; readonly bits: Uint32Array } | undefined;

  private constructor({ buckets, count, ids, marks }: SharedIds) {
    this.#buckets = buckets;
    this.#count = count;
    this.#ids = ids;
    this.#marks = marks;
  }

  /** `expected` saves growing; it need not be exact. */
  static empty(expected: number = 0): IdTable {
    const buckets = sharedWords(2 ** Math.ceil(Math.log2(Math.max(fewestBuckets, 2 * expected))));
    return new IdTable({ buckets, count: 0, ids: [], marks: [] });
  }

  /** A view of another thread's table. Both only read it from then on. */
  static over(shared: SharedIds): IdTable {
    return new IdTable(shared);
  }

  get shared(): SharedIds {
    return { buckets: this.#buckets, count: this.#count, ids: this.#ids, marks: this.#marks };
  }

  get size(): number {
    return this.#count;
  }

  /** The mark so far, or -1 where the id is new. */
  put(words: Uint32Array, at: number, mark: number): number {
    const hash = hashOf(words, at);
    const bucket = this.#bucketOf(hash, words, at);
    const entry = (defined(this.#buckets[bucket]) & entryMask) - 1;
    if (entry >= 0) {
      const marks = this.#marks[entry >>> 16];
      const before = defined(marks?.[entry & 0xffff]);
      if (marks !== undefined) marks[entry & 0xffff] = mark;
      return before;
    }
    const added = this.#count++;
    if (added >= entryMask)
      throw new RangeError(
        `More than ${entryMask} sales in one load. Load the files in several runs of \`domesday ingest\`.`,
      );
    if ((added & 0xffff) === 0) {
      this.#ids.push(sharedWords(4 * idsPerChunk));
      this.#marks.push(sharedWords(idsPerChunk));
    }
    const ids = this.#ids[added >>> 16];
    const marks = this.#marks[added >>> 16];
    if (ids !== undefined && marks !== undefined) {
      const to = 4 * (added & 0xffff);
      for (let word = 0; word < 4; word++) ids[to + word] = defined(words[at + word]);
      marks[added & 0xffff] = mark;
    }
    this.#buckets[bucket] = (hash & ~entryMask) | (added + 1);
    if (3 * this.#count > 2 * this.#buckets.length) this.#grow();
    return -1;
  }

  /** -1 where the id is not known. */
  find(words: Uint32Array, at: number): number {
    const entry = (defined(this.#buckets[this.#bucketOf(hashOf(words, at), words, at)]) & entryMask) - 1;
    return entry < 0 ? -1 : defined(this.#marks[entry >>> 16]?.[entry & 0xffff]);
  }

  /** Every id with its mark, in the order in which they came. The words are valid until the next one. */
  each(visit: (words: Uint32Array, mark: number) => void): void {
    for (let entry = 0; entry < this.#count; entry++) {
      const at = entry & 0xffff;
      const words = defined(this.#ids[entry >>> 16]?.subarray(4 * at, 4 * at + 4));
      visit(words, defined(this.#marks[entry >>> 16]?.[at]));
    }
  }

  /** Of ids that lie one after another, the rows of those that are here. */
  rowsKnown(words: Uint32Array): readonly number[] {
    const rows: number[] = [];
    const filter = this.#hashBits();
    const mask = 32 * filter.length - 1;
    for (let at = 0; at < words.length; at += 4) {
      const hash = hashOf(words, at);
      const bit = hash & mask;
      if (((defined(filter[bit >>> 5]) >>> (bit & 31)) & 1) === 0) continue;
      if (this.#buckets[this.#bucketOf(hash, words, at)] !== 0) rows.push(at / 4);
    }
    return rows;
  }

  /** A filter: a bit for the hash of each id, among sixteen times as many. Those of a month fit into the processor's
   *  cache, so that few of the tens of millions of ids that are not here are looked for in memory. */
  #hashBits(): Uint32Array {
    if (this.#filter?.count === this.#count) return this.#filter.bits;
    const bits = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(1, this.#count / 2))));
    for (let entry = 0; entry < this.#count; entry++) {
      const bit = hashOf(defined(this.#ids[entry >>> 16]), 4 * (entry & 0xffff)) & (32 * bits.length - 1);
      bits[bit >>> 5] = defined(bits[bit >>> 5]) | (1 << (bit & 31));
    }
    this.#filter = { count: this.#count, bits };
    return bits;
  }

  /** The bucket that holds the id, or the free one where it belongs. */
  #bucketOf(hash: number, words: Uint32Array, at: number): number {
    const buckets = this.#buckets;
    const mask = buckets.length - 1;
    let bucket = spread(hash) & mask;
    for (;;) {
      const entry = defined(buckets[bucket]);
      if (entry === 0) return bucket;
      const isLike = ((entry ^ hash) & ~entryMask) === 0;
      if (isLike && this.#isAt((entry & entryMask) - 1, words, at)) return bucket;
      bucket = (bucket + 1) & mask;
    }
  }

  #isAt(entry: number, words: Uint32Array, at: number): boolean {
    const ids = this.#ids[entry >>> 16];
    const from = 4 * (entry & 0xffff);
    return (
      ids !== undefined &&
      ids[from] === words[at] &&
      ids[from + 1] === words[at + 1] &&
      ids[from + 2] === words[at + 2] &&
      ids[from + 3] === words[at + 3]
    );
  }

  #grow(): void {
    const buckets = sharedWords(2 * this.#buckets.length);
    const mask = buckets.length - 1;
    for (let entry = 0; entry < this.#count; entry++) {
      const ids = this.#ids[entry >>> 16];
      if (ids === undefined) break;
      const hash = hashOf(ids, 4 * (entry & 0xffff));
      let bucket = spread(hash) & mask;
      while (buckets[bucket] !== 0) bucket = (bucket + 1) & mask;
      buckets[bucket] = (hash & ~entryMask) | (entry + 1);
    }
    this.#buckets = buckets;
  }
}

/** The bucket must not follow from the bits of the hash that it holds. */
const spread = (hash: number) => Math.imul(hash, 0x2c1b3c6d) >>> 4;

function hashOf(words: Uint32Array, at: number): number {
  let hash = Math.imul(defined(words[at]), 0x9e3779b1) ^ Math.imul(defined(words[at + 1]), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35) ^ Math.imul(defined(words[at + 2]), 0x27d4eb2f);
  hash = Math.imul(hash ^ (hash >>> 13), 0x165667b1) ^ Math.imul(defined(words[at + 3]), 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
