// Quartiles and median of the prices of each calendar month. Within a month slots are in the order of prices, so that a price
// of some rank is found by counting bits, and no month is sorted.

import { setBit } from '../../../columns/bits.ts';
import type { Scratch } from '../../../columns/scratch.ts';
import { defined } from '../../../out-of-range.ts';
import { slotOfKey } from '../runs.ts';
import type { SalesSegment } from '../segment.ts';
import { quantileOf } from './quantile.ts';
import type { MonthQuartiles } from './selection.ts';
import type { SlotBits } from './slot-bits.ts';

const quartilesOf = (month: number, count: number, priceAt: (rank: number) => number): MonthQuartiles => ({
  month,
  count,
  lowerPounds: quantileOf(count, 0.25, priceAt),
  medianPounds: quantileOf(count, 0.5, priceAt),
  upperPounds: quantileOf(count, 0.75, priceAt),
});

/** Of sales selected from a set: the months that have some, oldest first. */
export function monthQuartiles({ months }: SalesSegment, selected: SlotBits): readonly MonthQuartiles[] {
  const found: MonthQuartiles[] = [];
  for (let month = selected.endMonth - 1; month >= selected.firstMonth; month--) {
    const count = selected.countOf(month);
    if (count === 0) continue;
    const priceAt = (rank: number) => months.priceOfSlot(selected.slotOf(month, rank));
    found.push(quartilesOf(defined(months.months[month]), count, priceAt));
  }
  return found;
}

/** Of gathered sales, given by their keys in any order: the months that have some, oldest first. */
export function monthQuartilesOf(
  { months }: SalesSegment,
  keys: Uint32Array,
  scratch: Scratch,
): readonly MonthQuartiles[] {
  const { starts, wordStarts, prices } = months;
  const bits = scratch.take(months.words).fill(0);
  for (let at = 0, { length } = keys; at < length; at++) setBit(bits, slotOfKey(defined(keys[at])));
  const own = scratch.take(months.largestMonth);
  const priceAt = (rank: number) => defined(own[rank]);
  const found: MonthQuartiles[] = [];
  for (let month = months.months.length - 1; month >= 0; month--) {
    const first = defined(wordStarts[month]);
    const end = defined(wordStarts[month + 1]);
    const start = defined(starts[month]) - 32 * first;
    let count = 0;
    for (let word = first; word < end; word++) {
      for (let rest = defined(bits[word]) | 0; rest !== 0; rest &= rest - 1) {
        const bit = 31 - Math.clz32(rest & -rest);
        own[count++] = defined(prices[start + 32 * word + bit]);
      }
    }
    if (count > 0) found.push(quartilesOf(defined(months.months[month]), count, priceAt));
  }
  return found;
}
