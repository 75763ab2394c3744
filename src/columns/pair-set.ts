// Distinct pairs of numbers, for tens of millions of rows that say the same few hundred thousand things.

import { outOfRange } from './out-of-range.ts';

export class PairSet {
  size = 0;
  /** Both in the order in which pairs came; valid up to `size`. */
  first = new Uint32Array(1 << 16);
  second = new Uint32Array(1 << 16);
  /** Number of a pair plus one; 0 is free. */
  #slots = new Uint32Array(1 << 18);

  add(first: number, second: number): void {
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(first, second) & mask; ; slot = (slot + 1) & mask) {
      const known = this.#slots[slot] ?? outOfRange();
      if (known === 0) {
        this.#slots[slot] = this.size + 1;
        this.#append(first, second);
        return;
      }
      if (this.first[known - 1] === first && this.second[known - 1] === second) return;
    }
  }

  #append(first: number, second: number): void {
    this.first[this.size] = first;
    this.second[this.size] = second;
    this.size += 1;
    if (this.size === this.first.length) this.#grow();
  }

  #grow(): void {
    const doubled = (from: Uint32Array) => {
      const to = new Uint32Array(2 * from.length);
      to.set(from);
      return to;
    };
    this.first = doubled(this.first);
    this.second = doubled(this.second);
    this.#slots = new Uint32Array(2 * this.#slots.length);
    const mask = this.#slots.length - 1;
    for (let pair = 0; pair < this.size; pair += 1) {
      let slot = hashOf(this.first[pair] ?? outOfRange(), this.second[pair] ?? outOfRange()) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = pair + 1;
    }
  }
}

function hashOf(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
