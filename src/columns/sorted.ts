// Finding a value in a column that is in rising order.

import { outOfRange } from './out-of-range.ts';

/** Where the value stands, or −1. Apart from `lowerBound`, whose callers have only one kind of array. */
export function indexIn(rising: Uint32Array | Float64Array, wanted: number): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] ?? outOfRange()) < wanted) low = middle + 1;
    else high = middle;
  }
  return rising[low] === wanted ? low : -1;
}
