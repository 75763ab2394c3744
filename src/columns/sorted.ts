// Binary search: of a value in a column that is in rising order, of the place where something begins to hold.

import { defined } from '../out-of-range.ts';

/** The first index from `from` to before `to` where it holds, which it does from there on; `to` where it never does. Where
 *  a search takes most of the time of a question, the functions below are quicker: they know their array. */
export function firstIndex(from: number, to: number, holdsAt: (index: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holdsAt(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Index of the first value that is not lower, from `from` to before `to`; `rising` is in order. */
export function lowerBound(
  rising: Uint32Array,
  wanted: number,
  from = 0,
  to: number = rising.length,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (defined(rising[middle]) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the last value that is not higher, from `low` to `high`, both included; the one at `low` is not. */
export function lastNotAbove(rising: Uint32Array, wanted: number, low: number, high: number): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to + 1) >>> 1;
    if (defined(rising[middle]) <= wanted) from = middle;
    else to = middle - 1;
  }
  return from;
}

/** Where the value stands, or −1. Apart from `lowerBound`, whose callers have only one kind of array. */
export function indexIn(rising: Uint32Array | Float64Array, wanted: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (defined(rising[middle]) < wanted) low = middle + 1;
    else high = middle;
  }
  return rising[low] === wanted ? low : -1;
}
