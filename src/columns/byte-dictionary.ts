// Texts by number, found by their bytes. Rows by the tens of millions repeat a few million texts, and making a string of
// each would cost more than everything else in loading them.

import { defined } from '../out-of-range.ts';

const firstBuckets = 64;
const shortBytes = 3;

function doubled(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * values.length);
  larger.set(values);
  return larger;
}

/** Of the run that is looked for: four bytes a word, the last one filled up with zeros. */
let packed = new Uint32Array(256);
let packedHash = 0;

/** Packs a run and hashes it; returns how many words it has. */
function pack(bytes: Uint8Array, start: number, end: number): number {
  const words = (end - start + 3) >>> 2;
  if (words > packed.length) packed = new Uint32Array(2 * words);
  let hash = end - start;
  let at = start;
  let to = 0;
  for (; at + 4 <= end; at += 4) {
    const word =
      defined(bytes[at]) |
      (defined(bytes[at + 1]) << 8) |
      (defined(bytes[at + 2]) << 16) |
      (defined(bytes[at + 3]) << 24);
    packed[to++] = word;
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  if (at < end) {
    let word = 0;
    for (let shift = 0; at < end; at++, shift += 8) word |= defined(bytes[at]) << shift;
    packed[to] = word;
    hash = Math.imul(hash ^ word, 0x85ebca6b);
  }
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  packedHash = (hash ^ (hash >>> 16)) >>> 0;
  return words;
}

/** Runs of bytes, numbered in the order in which they first came. What is read for one of tens of millions of rows is
 *  seldom in the processor's cache, so each look at memory counts. */
export class ByteDictionary {
  length = 0;
  /** Two words a bucket: of short runs, the number and one, and the bytes with their count. */
  #short = new Uint32Array(2 * firstBuckets);
  #shortCount = 0;
  /** Of longer ones: where the run begins in `#words` and one, and its hash. */
  #buckets = new Uint32Array(2 * firstBuckets);
  /** Of each longer run its number, its size in bytes, and its words. */
  #words = new Uint32Array(256);
  #used = 0;
  #longCount = 0;

  /** The run's number; a new one gets the next. */
  codeOf(bytes: Uint8Array, start: number, end: number): number {
    const size = end - start;
    if (size > shortBytes) return this.#codeOfLong(size, pack(bytes, start, end));
    let word = size << 24;
    for (let at = start, shift = 0; at < end; at++, shift += 8) word |= defined(bytes[at]) << shift;
    return this.#codeOfShort(word);
  }

  #codeOfShort(word: number): number {
    const buckets = this.#short;
    const mask = buckets.length - 1;
    let bucket = (2 * spread(word)) & mask;
    for (;;) {
      const entry = defined(buckets[bucket]);
      if (entry === 0) break;
      if (buckets[bucket + 1] === word) return entry - 1;
      bucket = (bucket + 2) & mask;
    }
    const code = this.length++;
    buckets[bucket] = code + 1;
    buckets[bucket + 1] = word;
    this.#shortCount += 1;
    if (4 * this.#shortCount > buckets.length) this.#short = regrown(buckets, spread);
    return code;
  }

  #codeOfLong(size: number, words: number): number {
    const hash = packedHash;
    const buckets = this.#buckets;
    const kept = this.#words;
    const mask = buckets.length - 1;
    let bucket = (2 * hash) & mask;
    for (;;) {
      const entry = defined(buckets[bucket]);
      if (entry === 0) break;
      if (buckets[bucket + 1] === hash && this.#equals(entry - 1, size, words))
        return defined(kept[entry - 1]);
      bucket = (bucket + 2) & mask;
    }
    return this.#add(size, words, hash, bucket);
  }

  #equals(from: number, size: number, words: number): boolean {
    const kept = this.#words;
    if (kept[from + 1] !== size) return false;
    for (let word = 0; word < words; word++) if (kept[from + 2 + word] !== packed[word]) return false;
    return true;
  }

  #add(size: number, words: number, hash: number, bucket: number): number {
    const code = this.length++;
    const from = this.#used;
    this.#used += 2 + words;
    while (this.#used > this.#words.length) this.#words = doubled(this.#words);
    this.#words[from] = code;
    this.#words[from + 1] = size;
    for (let word = 0; word < words; word++) this.#words[from + 2 + word] = defined(packed[word]);
    this.#buckets[bucket] = from + 1;
    this.#buckets[bucket + 1] = hash;
    this.#longCount += 1;
    if (4 * this.#longCount > this.#buckets.length) this.#buckets = regrown(this.#buckets, (own) => own);
    return code;
  }
}

const spread = (word: number) => Math.imul(word, 0x2c1b3c6d) >>> 4;

/** Twice as many buckets; `hashOfKey` tells where the second word of each belongs. */
function regrown(
  before: Uint32Array<ArrayBuffer>,
  hashOfKey: (key: number) => number,
): Uint32Array<ArrayBuffer> {
  const buckets = new Uint32Array(2 * before.length);
  const mask = buckets.length - 1;
  for (let from = 0; from < before.length; from += 2) {
    const entry = defined(before[from]);
    const key = defined(before[from + 1]);
    if (entry === 0) continue;
    let bucket = (2 * hashOfKey(key)) & mask;
    while (buckets[bucket] !== 0) bucket = (bucket + 2) & mask;
    buckets[bucket] = entry;
    buckets[bucket + 1] = key;
  }
  return buckets;
}

/** Texts in the order in which they first came. */
export class TextDictionary {
  readonly texts: string[] = [];
  readonly #bytes = new ByteDictionary();

  codeOfText(text: string): number {
    const bytes = Buffer.from(text);
    return this.codeOf(bytes, 0, bytes.length);
  }

  /** `escaped` is 1 where quotes are doubled in the bytes. */
  codeOf(bytes: Buffer, start: number, end: number, escaped = 0): number {
    const code = this.#bytes.codeOf(bytes, start, end);
    if (code === this.texts.length) {
      const text = bytes.toString('utf8', start, end);
      this.texts.push(escaped === 1 ? text.replaceAll('""', '"') : text);
    }
    return code;
  }
}
