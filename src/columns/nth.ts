// The value of some rank among others that are in no order.

import { defined } from '../out-of-range.ts';

/** The value of that rank. Reorders the values: those before it are not higher, those after it not lower. Hoare's
 *  quickselect, as sorting everything costs several times as much. */
export function nth(values: Uint32Array, rank: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = middleOf(defined(values[low]), defined(values[(low + high) >>> 1]), defined(values[high]));
    let left = low;
    let right = high;
    while (left <= right) {
      while (defined(values[left]) < pivot) left++;
      while (defined(values[right]) > pivot) right--;
      if (left > right) break;
      const value = defined(values[left]);
      values[left++] = defined(values[right]);
      values[right--] = value;
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return defined(values[rank]);
}

const middleOf = (a: number, b: number, c: number): number =>
  Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
