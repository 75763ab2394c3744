// Words that occur again and again in files of gigabytes, told by their bytes: a row of such a file has a number for
// each, and text is made once per word.

import { outOfRange } from './out-of-range.ts';

export class ByteWords {
  /** In the order of their numbers. */
  readonly words: string[] = [];
  #bytes: Buffer = Buffer.alloc(1 << 16);
  #used = 0;
  #ends = new Uint32Array(1024);
  #slots = new Uint32Array(4096);
  #hashes = new Uint32Array(1024);

  /** The number of the word between the two places; a new one gets the next number. */
  number(bytes: Uint8Array, start: number, end: number): number {
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? outOfRange()), 0x01000193);
    hash = (hash ^ (hash >>> 15)) >>> 0;
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const known = this.#slots[slot] ?? outOfRange();
      if (known === 0) return this.#add(bytes, start, end, hash, slot);
      if (this.#hashes[known - 1] === hash && this.#equals(known - 1, bytes, start, end)) return known - 1;
    }
  }

  numberOf(word: string): number {
    const bytes = Buffer.from(word);
    return this.number(bytes, 0, bytes.length);
  }

  #equals(word: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = word === 0 ? 0 : (this.#ends[word - 1] ?? outOfRange());
    if ((this.#ends[word] ?? outOfRange()) - from !== end - start) return false;
    for (let at = start; at < end; at += 1) if (this.#bytes[from + at - start] !== bytes[at]) return false;
    return true;
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const word = this.words.length;
    if (word === this.#ends.length) this.#grow();
    while (this.#used + end - start > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)]);
    }
    const copy = bytes.subarray(start, end);
    this.#bytes.set(copy, this.#used);
    this.#used += copy.length;
    this.#ends[word] = this.#used;
    this.#hashes[word] = hash;
    this.words.push(Buffer.from(copy).toString('utf8'));
    // Growing has moved every slot.
    if (this.#slots[slot] === 0 && (hash & (this.#slots.length - 1)) === slot) this.#slots[slot] = word + 1;
    else this.#place(word);
    return word;
  }

  #place(word: number): void {
    const mask = this.#slots.length - 1;
    let slot = (this.#hashes[word] ?? outOfRange()) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = word + 1;
  }

  #grow(): void {
    const capacity = 2 * this.#ends.length;
    const longer = (from: Uint32Array) => {
      const to = new Uint32Array(capacity);
      to.set(from);
      return to;
    };
    const known = this.words.length;
    this.#ends = longer(this.#ends);
    this.#hashes = longer(this.#hashes);
    this.#slots = new Uint32Array(4 * capacity);
    for (let word = 0; word < known; word += 1) this.#place(word);
  }
}
