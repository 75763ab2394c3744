// Columns of codes: numbers that stand for the values of a dictionary. Listing the rows of each code, putting columns in
// another order.

import { defined } from '../out-of-range.ts';
import { bitWords, popcount } from './bits.ts';
import { lowerBound } from './sorted.ts';

/** Codes of a small dictionary take two bytes. */
export const narrow = (codes: Uint32Array, limit: number): Uint16Array | Uint32Array =>
  limit <= 0x1_0000 ? new Uint16Array(codes) : codes;

/** Rows by code, each code's in order: those of code c stand from `starts[c]` to `starts[c + 1]`. */
export function postingsOf(codes: Uint32Array, limit: number): { starts: Uint32Array; rows: Uint32Array } {
  const starts = new Uint32Array(limit + 1);
  for (let row = 0, { length } = codes; row < length; row++) {
    const after = defined(codes[row]) + 1;
    starts[after] = defined(starts[after]) + 1;
  }
  for (let code = 0; code < limit; code++)
    starts[code + 1] = defined(starts[code + 1]) + defined(starts[code]);
  const next = starts.slice();
  const rows = new Uint32Array(codes.length);
  for (let row = 0, { length } = codes; row < length; row++) {
    const code = defined(codes[row]);
    const at = defined(next[code]);
    rows[at] = row;
    next[code] = at + 1;
  }
  return { starts, rows };
}

/** From so many values on, codes are counted from bits that say which values there are, which is quicker than a search. */
const tabledValues = 5000;
const tableSpan = 1 << 22;

/** The distinct values in order, and of each value its code: its index among them. No value is below `lowest`. */
export function codeDistinct(
  values: Uint32Array,
  lowest: number,
): { distinct: Uint32Array; codes: Uint32Array } {
  if (values.length < tabledValues) {
    const distinct = distinctOf(values);
    return { distinct, codes: values.map((value) => lowerBound(distinct, value)) };
  }
  // Whole numbers of 32 bits throughout, which spares the processor fractions.
  const bitOf = (value: number) => (value - lowest) >>> 0;
  let last = 0;
  const beyond: number[] = [];
  for (let at = 0, { length } = values; at < length; at++) {
    const bit = bitOf(defined(values[at]));
    if (bit >= tableSpan) beyond.push(defined(values[at]));
    else if (bit > last) last = bit;
  }
  const bits = new Uint32Array(bitWords(last + 1));
  for (let at = 0, { length } = values; at < length; at++) {
    const bit = bitOf(defined(values[at]));
    if (bit < tableSpan) bits[bit >>> 5] = defined(bits[bit >>> 5]) | (1 << (bit & 31));
  }
  const before = new Uint32Array(bits.length);
  let count = 0;
  for (let word = 0, { length } = bits; word < length; word++) {
    before[word] = count;
    count += popcount(defined(bits[word]));
  }
  const high = distinctOf(Uint32Array.from(beyond));
  const distinct = new Uint32Array(count + high.length);
  distinct.set(high, count);
  let next = 0;
  for (let word = 0, { length } = bits; word < length; word++) {
    for (let rest = defined(bits[word]); rest !== 0; rest &= rest - 1) {
      distinct[next++] = lowest + 32 * word + 31 - Math.clz32(rest & -rest);
    }
  }
  const codes = new Uint32Array(values.length);
  for (let at = 0, { length } = values; at < length; at++) {
    const bit = bitOf(defined(values[at]));
    const word = bit >>> 5;
    codes[at] =
      bit < tableSpan
        ? defined(before[word]) + popcount(defined(bits[word]) & ((1 << (bit & 31)) - 1))
        : count + lowerBound(high, defined(values[at]));
  }
  return { distinct, codes };
}

function distinctOf(values: Uint32Array): Uint32Array {
  const sorted = values.slice().sort();
  let count = 0;
  for (let at = 0; at < sorted.length; at++) {
    const value = defined(sorted[at]);
    if (count === 0 || sorted[count - 1] !== value) sorted[count++] = value;
  }
  return sorted.slice(0, count);
}

/** The values at those indexes, in that order. */
export function arrange(values: Uint32Array, indexes: Uint32Array): Uint32Array {
  const arranged = new Uint32Array(indexes.length);
  for (let at = 0, { length } = indexes; at < length; at++)
    arranged[at] = defined(values[defined(indexes[at])]);
  return arranged;
}

/** A function of its own, as V8 makes better code for one kind of array. */
export function arrangeBytes(values: Uint8Array, indexes: Uint32Array): Uint8Array {
  const arranged = new Uint8Array(indexes.length);
  for (let at = 0, { length } = indexes; at < length; at++)
    arranged[at] = defined(values[defined(indexes[at])]);
  return arranged;
}
