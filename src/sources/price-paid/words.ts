// Dictionaries of texts, found by their bytes: tens of millions of rows repeat a few million texts, and making a string of
// each would cost more than all the rest of loading them.

import { outOfRange } from '../../columns/out-of-range.ts';
import { placeFields, type SaleWords } from '../../tables/sales/rows.ts';
import { spread } from './ids.ts';

const firstBuckets = 64;

function doubled(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * values.length);
  larger.set(values);
  return larger;
}

/** The text that is looked for: four bytes a word, the last one filled up with zeros. */
let packed = new Uint32Array(256);
let packedHash = 0;

/** Packs a text and hashes it; returns how many words it has. */
function pack(bytes: Uint8Array, start: number, end: number): number {
  const words = (end - start + 3) >>> 2;
  if (words > packed.length) packed = new Uint32Array(2 * words);
  let hash = end - start;
  let at = start;
  let to = 0;
  for (; at + 4 <= end; at += 4) {
    const word =
      (bytes[at] ?? outOfRange()) |
      ((bytes[at + 1] ?? outOfRange()) << 8) |
      ((bytes[at + 2] ?? outOfRange()) << 16) |
      ((bytes[at + 3] ?? outOfRange()) << 24);
    packed[to++] = word;
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  if (at < end) {
    let word = 0;
    for (let shift = 0; at < end; at++, shift += 8) word |= (bytes[at] ?? outOfRange()) << shift;
    packed[to] = word;
    hash = Math.imul(hash ^ word, 0x85ebca6b);
  }
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  packedHash = (hash ^ (hash >>> 16)) >>> 0;
  return words;
}

/** Codes of texts without a zero byte, in the order in which they first came. Its memory is seldom in the processor's cache
 *  when one of tens of millions of rows is looked up, so that each look at it counts. */
class ByteDictionary {
  length = 0;
  /** For texts of at most four bytes, two words a bucket: the code plus one, and the bytes themselves. */
  #short = new Uint32Array(2 * firstBuckets);
  #shortCount = 0;
  /** For longer texts, two words a bucket: where the text begins in `#words` plus one, and its hash. */
  #buckets = new Uint32Array(2 * firstBuckets);
  /** For each longer text its code, its size in bytes, and its words. */
  #words = new Uint32Array(256);
  #used = 0;
  #longCount = 0;

  /** A new text gets the next code. */
  codeOf(bytes: Uint8Array, start: number, end: number): number {
    const words = pack(bytes, start, end);
    return end - start <= 4
      ? this.#codeOfShort(words === 0 ? 0 : (packed[0] ?? outOfRange()))
      : this.#codeOfLong(end - start, words);
  }

  #codeOfShort(word: number): number {
    const buckets = this.#short;
    const mask = buckets.length - 1;
    let bucket = (2 * spread(word)) & mask;
    for (;;) {
      const entry = buckets[bucket] ?? outOfRange();
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
      const entry = buckets[bucket] ?? outOfRange();
      if (entry === 0) break;
      if (buckets[bucket + 1] === hash && this.#equals(entry - 1, size, words))
        return kept[entry - 1] ?? outOfRange();
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
    for (let word = 0; word < words; word++) this.#words[from + 2 + word] = packed[word] ?? outOfRange();
    this.#buckets[bucket] = from + 1;
    this.#buckets[bucket + 1] = hash;
    this.#longCount += 1;
    if (4 * this.#longCount > this.#buckets.length) this.#buckets = regrown(this.#buckets, (own) => own);
    return code;
  }
}

/** Twice as many buckets; `hashOfKey` gives the hash from the second word of each. */
function regrown(
  before: Uint32Array<ArrayBuffer>,
  hashOfKey: (key: number) => number,
): Uint32Array<ArrayBuffer> {
  const buckets = new Uint32Array(2 * before.length);
  const mask = buckets.length - 1;
  for (let from = 0; from < before.length; from += 2) {
    const entry = before[from] ?? outOfRange();
    const key = before[from + 1] ?? outOfRange();
    if (entry === 0) continue;
    let bucket = (2 * hashOfKey(key)) & mask;
    while (buckets[bucket] !== 0) bucket = (bucket + 2) & mask;
    buckets[bucket] = entry;
    buckets[bucket + 1] = key;
  }
  return buckets;
}

/** Texts by code, in the order in which they first came. */
class TextDictionary {
  readonly texts: string[] = [];
  readonly #bytes = new ByteDictionary();

  codeOfText(text: string): number {
    const bytes = Buffer.from(text);
    return this.codeOf(bytes, 0, bytes.length, 0);
  }

  /** `escaped` is 1 where quotes are doubled in the bytes. */
  codeOf(bytes: Buffer, start: number, end: number, escaped: number): number {
    const code = this.#bytes.codeOf(bytes, start, end);
    if (code === this.texts.length) {
      const text = bytes.toString('utf8', start, end);
      this.texts.push(escaped === 1 ? text.replaceAll('""', '"') : text);
    }
    return code;
  }
}

/** Places by code, in the order in which they first came. */
class PlaceDictionary {
  #buckets = new Uint32Array(firstBuckets);
  #values = new Uint32Array(firstBuckets * placeFields);
  #count = 0;

  codeOf(street: number, locality: number, town: number, district: number, county: number): number {
    const hash = this.#hash(street, locality, town, district, county);
    const mask = this.#buckets.length - 1;
    let bucket = hash & mask;
    for (;;) {
      const entry = this.#buckets[bucket] ?? outOfRange();
      if (entry === 0) break;
      const at = (entry - 1) * placeFields;
      const values = this.#values;
      if (
        values[at] === street &&
        values[at + 1] === locality &&
        values[at + 2] === town &&
        values[at + 3] === district &&
        values[at + 4] === county
      ) {
        return entry - 1;
      }
      bucket = (bucket + 1) & mask;
    }
    const code = this.#count++;
    if (this.#count * placeFields > this.#values.length) this.#values = doubled(this.#values);
    this.#values.set([street, locality, town, district, county], code * placeFields);
    this.#buckets[bucket] = code + 1;
    if (2 * this.#count > this.#buckets.length) this.#grow();
    return code;
  }

  get values(): Uint32Array {
    return this.#values.subarray(0, this.#count * placeFields);
  }

  #hash(a: number, b: number, c: number, d: number, e: number): number {
    let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35) ^ Math.imul(c, 0x27d4eb2f);
    hash = Math.imul(hash ^ (hash >>> 13), 0x165667b1) ^ Math.imul(d, 0x9e3779b1) ^ Math.imul(e, 0x85ebca6b);
    return (hash ^ (hash >>> 16)) >>> 0;
  }

  #grow(): void {
    const buckets = new Uint32Array(2 * this.#buckets.length);
    const mask = buckets.length - 1;
    for (let code = 0; code < this.#count; code++) {
      const value = (field: number) => this.#values[code * placeFields + field] ?? outOfRange();
      let bucket = this.#hash(value(0), value(1), value(2), value(3), value(4)) & mask;
      while (buckets[bucket] !== 0) bucket = (bucket + 1) & mask;
      buckets[bucket] = code + 1;
    }
    this.#buckets = buckets;
  }
}

/** The words of one area. */
export class AreaWords {
  readonly paons = new TextDictionary();
  readonly saons = new TextDictionary();
  readonly streets = new TextDictionary();
  readonly names = new TextDictionary();
  readonly places = new PlaceDictionary();
  /** Places by the bytes of all five columns, which is one search instead of six. */
  readonly #written = new ByteDictionary();
  readonly #placeOfWritten: number[] = [];

  /** -1 where these bytes are new; then `setWritten` must say what place they are. */
  placeOf(bytes: Uint8Array, start: number, end: number): number {
    const code = this.#written.codeOf(bytes, start, end);
    return code === this.#placeOfWritten.length ? -1 : (this.#placeOfWritten[code] ?? outOfRange());
  }

  setWritten(place: number): void {
    this.#placeOfWritten.push(place);
  }

  get all(): SaleWords {
    return {
      paons: this.paons.texts,
      saons: this.saons.texts,
      streets: this.streets.texts,
      names: this.names.texts,
      places: this.places.values,
    };
  }
}

/** The words of both. Known ones keep their codes; `placeOf`, `paonOf` and `saonOf` give the new code of each added one. */
export function joinWords(known: SaleWords, added: SaleWords) {
  const paons = joinTexts(known.paons, added.paons);
  const saons = joinTexts(known.saons, added.saons);
  const streets = joinTexts(known.streets, added.streets);
  const names = joinTexts(known.names, added.names);
  const places = new PlaceDictionary();
  for (let at = 0; at < known.places.length; at += placeFields) {
    const code = (field: number) => known.places[at + field] ?? outOfRange();
    places.codeOf(code(0), code(1), code(2), code(3), code(4));
  }
  const placeOf = new Uint32Array(added.places.length / placeFields);
  for (let place = 0; place < placeOf.length; place++) {
    const at = place * placeFields;
    const name = (field: number) => names.codeOf[added.places[at + field] ?? outOfRange()] ?? outOfRange();
    const street = streets.codeOf[added.places[at] ?? outOfRange()] ?? outOfRange();
    placeOf[place] = places.codeOf(street, name(1), name(2), name(3), name(4));
  }
  return {
    words: {
      paons: paons.texts,
      saons: saons.texts,
      streets: streets.texts,
      names: names.texts,
      places: places.values,
    },
    placeOf,
    paonOf: paons.codeOf,
    saonOf: saons.codeOf,
  };
}

/** Looks through the known texts for the few added ones, which is quicker than a table of all that are known. */
function joinTexts(known: readonly string[], added: readonly string[]) {
  const codes = new Map(added.map((text) => [text, -1]));
  for (const [code, text] of known.entries()) if (codes.get(text) === -1) codes.set(text, code);
  const texts = [...known];
  const codeOf = Uint32Array.from(added, (text) => {
    const code = codes.get(text) ?? -1;
    if (code !== -1) return code;
    codes.set(text, texts.length);
    return texts.push(text) - 1;
  });
  return { texts, codeOf };
}
