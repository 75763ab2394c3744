// A few sales of streets and postcodes, from the runs in which they stand side by side, as a list of rows.

import { outOfRange } from '../../columns/out-of-range.ts';
import { kindMatchOf, typeIndexOf } from './kinds.ts';
import { classOfKey, type Runs, slotOfKey } from './runs.ts';
import type { SalesSegment } from './segment.ts';
import type { SaleRange } from './select/selection.ts';
import { TypeSums } from './select/totals.ts';
import type { Totals } from './sets.ts';

export type FoundRows = {
  /** In order. */
  readonly rows: Uint32Array;
  /** In their own order. */
  readonly prices: Uint32Array;
  readonly totals: readonly Totals[];
};

export function gatherRows(
  { salePlaces, months }: SalesSegment,
  runs: Runs,
  { start, end, kinds, minPrice, maxPrice }: SaleRange,
): FoundRows {
  const { care, value } = kindMatchOf(kinds);
  const rows: number[] = [];
  const prices: number[] = [];
  const totals = new TypeSums();
  for (let run = 0; run < runs.length; run += 2) {
    const last = runs[run + 1] ?? outOfRange();
    for (let at = runs[run] ?? outOfRange(); at < last; at++) {
      const key = salePlaces.keys[at] ?? outOfRange();
      const price = salePlaces.prices[at] ?? outOfRange();
      if (((key ^ value) & care) !== 0 || price < minPrice || price > maxPrice) continue;
      const row = months.rowOfSlot(slotOfKey(key));
      if (row < start || row >= end) continue;
      rows.push(row);
      prices.push(price);
      totals.add(typeIndexOf(classOfKey(key)), 1, price);
    }
  }
  return {
    rows: Uint32Array.from(rows).sort(),
    prices: Uint32Array.from(prices).sort(),
    totals: totals.totals,
  };
}

export function lengthOf(runs: Runs): number {
  let length = 0;
  for (let run = 0, end = runs.length; run < end; run += 2)
    length += (runs[run + 1] ?? outOfRange()) - (runs[run] ?? outOfRange());
  return length;
}
