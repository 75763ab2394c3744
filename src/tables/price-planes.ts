// Prices of sales in nearly rising order, 32 to a word: the lowest of them, and what the others are above it as planes
// of bits. So the prices of any choice of the 32 are summed by counting bits, without looking at one.

import type { Columns, Part } from '../release/part.ts';
import { bitWords, popcount } from './bits.ts';

export function encodePricePlanes(prices: Uint32Array): Columns {
  const words = bitWords(prices.length);
  const lowest = new Uint32Array(words);
  const starts = new Uint32Array(words + 1);
  for (let word = 0; word < words; word++) {
    const own = prices.subarray(32 * word, 32 * word + 32);
    const low = own.reduce((least, price) => Math.min(least, price), 0xffff_ffff);
    const above = own.reduce((most, price) => Math.max(most, price), 0) - low;
    lowest[word] = low;
    starts[word + 1] = (starts[word] ?? 0) + (above === 0 ? 0 : 32 - Math.clz32(above));
  }
  const planes = new Uint32Array(starts[words] ?? 0);
  for (let at = 0; at < prices.length; at++) {
    const word = at >>> 5;
    const above = (prices[at] ?? 0) - (lowest[word] ?? 0);
    const first = starts[word] ?? 0;
    const last = starts[word + 1] ?? 0;
    for (let plane = first; plane < last; plane++) {
      if (((above >>> (plane - first)) & 1) === 1) planes[plane] = (planes[plane] ?? 0) | (1 << (at & 31));
    }
  }
  return { 'plane-lowest': lowest, 'plane-start': starts, planes };
}

export class PricePlanes {
  readonly #lowest: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #planes: Uint32Array;

  constructor(part: Part) {
    this.#lowest = part.u32('plane-lowest');
    this.#starts = part.u32('plane-start');
    this.#planes = part.u32('planes');
  }

  /** What those of the word's 32 sales cost together whose bits are set. */
  sum(word: number, bits: number): number {
    const first = this.#starts[word] ?? 0;
    let above = 0;
    for (let plane = (this.#starts[word + 1] ?? 0) - 1; plane >= first; plane--) {
      above = 2 * above + popcount(bits & (this.#planes[plane] ?? 0));
    }
    return popcount(bits) * (this.#lowest[word] ?? 0) + above;
  }
}
