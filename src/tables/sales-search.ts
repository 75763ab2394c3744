// Sales of streets and postcodes, gathered from the runs in which they stand side by side: as a list of rows where they
// are few, else as bits, with what they cost together.

import type { Runs } from './sale-places.ts';
import { classMask, kindMatchOf, propertyTypes, typeIndexOf } from './sales-part.ts';
import type { SalesSegment } from './sales-segment.ts';
import { endOfPrices, SelectedSlots } from './selected-slots.ts';
import type { SaleRange, TypeTotals } from './selection.ts';
import { addMonths, TypeSums } from './slot-totals.ts';

export type FoundRows = {
  /** In order. */
  readonly rows: Uint32Array;
  /** In their own order. */
  readonly prices: Uint32Array;
  readonly totals: readonly TypeTotals[];
};

export function gatherRows(
  { salePlaces, months }: SalesSegment,
  runs: Runs,
  { start, end, kinds, minPrice, maxPrice }: SaleRange,
): FoundRows {
  const { slots, flags } = salePlaces;
  const { care, value } = kindMatchOf(kinds);
  const rows: number[] = [];
  const prices: number[] = [];
  const totals = new TypeSums();
  for (let run = 0; run < runs.length; run += 2) {
    const last = runs[run + 1] ?? 0;
    for (let at = runs[run] ?? 0; at < last; at++) {
      const flag = flags[at] ?? 0;
      const price = salePlaces.prices[at] ?? 0;
      if (((flag ^ value) & care) !== 0 || price < minPrice || price > maxPrice) continue;
      const row = months.rowOfSlot(slots[at] ?? 0);
      if (row < start || row >= end) continue;
      rows.push(row);
      prices.push(price);
      totals.add(typeIndexOf(flag & classMask), 1, price);
    }
  }
  return {
    rows: Uint32Array.from(rows).sort(),
    prices: Uint32Array.from(prices).sort(),
    totals: totals.totals,
  };
}

export type FoundSlots = { readonly selected: SelectedSlots; readonly totals: readonly TypeTotals[] };

export function gatherSlots(segment: SalesSegment, runs: Runs, range: SaleRange): FoundSlots {
  const { months } = segment;
  const bounds = months.boundsOf(range);
  const slotOf = (month: number) => 32 * (months.wordStarts[month] ?? 0);
  const hasFilter =
    kindMatchOf(range.kinds).care !== 0 || range.minPrice > 0 || range.maxPrice + 1 < endOfPrices;
  const own = hasFilter ? keepMatching(segment, runs, range) : everythingIn(segment, runs);
  const bits = new Uint32Array(months.words);
  addBits(own, slotOf(bounds.firstMonth), slotOf(bounds.endMonth), bits);
  const totals = new TypeSums();
  addTotals(own, slotOf(bounds.firstWhole), slotOf(bounds.endWhole), totals);
  const kinds = { type: undefined, age: undefined, category: undefined };
  const { start, end } = range;
  // Prices and kinds were looked at.
  const selected = new SelectedSlots(segment, bits, {
    start,
    end,
    kinds,
    minPrice: 0,
    maxPrice: 0xffff_ffff,
  });
  // Which rows of the first and the last month are in the range, only their bits tell.
  const { firstMonth, endMonth } = bounds;
  addMonths(segment, selected, firstMonth, bounds.firstWhole, totals);
  addMonths(segment, selected, Math.max(bounds.firstWhole, bounds.endWhole), endMonth, totals);
  return { selected, totals: totals.totals };
}

/** Columns of sales by place, and the runs of them that are meant. */
type RunColumns = {
  readonly slots: Uint32Array;
  readonly prices: Uint32Array;
  readonly flags: Uint8Array;
  readonly runs: Runs;
};

const everythingIn = ({ salePlaces }: SalesSegment, runs: Runs): RunColumns => ({
  slots: salePlaces.slots,
  prices: salePlaces.prices,
  flags: salePlaces.flags,
  runs,
});

/** Copies those of the prices and kinds. */
function keepMatching({ salePlaces }: SalesSegment, runs: Runs, range: SaleRange): RunColumns {
  const { slots, prices, flags } = salePlaces;
  const { care, value } = kindMatchOf(range.kinds);
  const [minPrice, maxPrice] = [range.minPrice, Math.min(range.maxPrice, endOfPrices - 1)];
  const listed = lengthOf(runs);
  const kept = {
    slots: new Uint32Array(listed),
    prices: new Uint32Array(listed),
    flags: new Uint8Array(listed),
  };
  let count = 0;
  for (let run = 0; run < runs.length; run += 2) {
    const last = runs[run + 1] ?? 0;
    for (let at = runs[run] ?? 0; at < last; at++) {
      const price = prices[at] ?? 0;
      const flag = flags[at] ?? 0;
      if (price < minPrice || price > maxPrice || ((flag ^ value) & care) !== 0) continue;
      kept.slots[count] = slots[at] ?? 0;
      kept.prices[count] = price;
      kept.flags[count] = flag;
      count += 1;
    }
  }
  return { ...kept, runs: [0, count] };
}

export function lengthOf(runs: Runs): number {
  let length = 0;
  for (let run = 0; run < runs.length; run += 2) length += (runs[run + 1] ?? 0) - (runs[run] ?? 0);
  return length;
}

function addBits({ slots, runs }: RunColumns, firstSlot: number, endSlot: number, bits: Uint32Array): void {
  for (let run = 0; run < runs.length; run += 2) {
    const last = runs[run + 1] ?? 0;
    for (let at = runs[run] ?? 0; at < last; at++) {
      const slot = slots[at] ?? 0;
      if (slot >= firstSlot && slot < endSlot) {
        bits[slot >>> 5] = (bits[slot >>> 5] ?? 0) | (1 << (slot & 31));
      }
    }
  }
}

/** Sales are added to four sums in turn, so that an addition need not wait for the one before. */
function addTotals(
  { slots, prices, flags, runs }: RunColumns,
  firstSlot: number,
  endSlot: number,
  totals: TypeSums,
): void {
  const counts = new Uint32Array(32);
  const sums = new Float64Array(32);
  for (let run = 0; run < runs.length; run += 2) {
    const last = runs[run + 1] ?? 0;
    for (let at = runs[run] ?? 0; at < last; at++) {
      const slot = slots[at] ?? 0;
      if (slot < firstSlot || slot >= endSlot) continue;
      const own = typeIndexOf((flags[at] ?? 0) & classMask) | ((at & 3) << 3);
      counts[own] = (counts[own] ?? 0) + 1;
      sums[own] = (sums[own] ?? 0) + (prices[at] ?? 0);
    }
  }
  for (let own = 0; own < sums.length; own++) {
    if ((own & 7) < propertyTypes.length) totals.add(own & 7, counts[own] ?? 0, sums[own] ?? 0);
  }
}
