// Rows of bits: counting those that are set, 32 at a time.

import { defined } from '../out-of-range.ts';

export const bitWords = (length: number): number => (length + 31) >>> 5;

export function popcount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export const hasBit = (bits: Uint32Array, at: number): boolean =>
  ((defined(bits[at >>> 5]) >>> (at & 31)) & 1) === 1;

export function setBit(bits: Uint32Array, at: number): void {
  bits[at >>> 5] = defined(bits[at >>> 5]) | (1 << (at & 31));
}

/** Which is the lowest bit that is set; `word` is not 0. */
export const lowestBit = (word: number): number => 31 - Math.clz32(word & -word);

/** A mask for word `word` of a row of bits: those from `from` to before `to`, both counted from the start of the row. */
export function maskWithin(word: number, from: number, to: number): number {
  const start = from - word * 32;
  const end = to - word * 32;
  const above = start <= 0 ? -1 : start >= 32 ? 0 : -1 << start;
  const below = end >= 32 ? -1 : end <= 0 ? 0 : ~(-1 << end);
  return above & below;
}
