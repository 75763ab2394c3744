// What can be asked of the sales that a filter finds. Three ways of finding them answer alike: a range of rows, a set
// within a range, and a list of rows.

import type { SalesSegment } from './sales-segment.ts';

/** Ties stand newest first, and by transaction id on one day; in the rising order of dates all is reversed. */
export type SaleOrder = { readonly by: 'date' | 'price'; readonly direction: 'rising' | 'falling' };

export type TypeTotals = { readonly count: number; readonly sumPounds: number };

export type Selection = {
  readonly total: number;
  /** In the order of `propertyTypes`. */
  readonly totals: () => readonly TypeTotals[];
  /** The price with exactly `rank` others before it in order, 0 being the lowest. */
  readonly priceAt: (rank: number) => number;
  readonly page: (offset: number, limit: number, order: SaleOrder) => Uint32Array;
  /** Of the part between two days, both included. */
  readonly figuresBetween: (fromDay: number, toDay: number) => PeriodFigures;
};

/** The median of none is 0. */
export type Figures = { readonly count: number; readonly medianPounds: number };

export type PeriodFigures = {
  readonly all: Figures;
  /** In the order of `propertyTypes`. */
  readonly byType: readonly Figures[];
};

/** The middle price, or the mean of the two in the middle. */
export function medianOf(count: number, priceAt: (rank: number) => number): number {
  if (count === 0) return 0;
  const upper = priceAt(count >> 1);
  return count % 2 === 1 ? upper : (priceAt((count >> 1) - 1) + upper) / 2;
}

/** Rows from `start` to before `end`, of the classes whose bits are set. */
export type RowRange = { readonly start: number; readonly end: number; readonly classes: number };

/** The rows of a range between two days, both included. */
export function rowsBetween(
  segment: SalesSegment,
  { start, end }: Pick<RowRange, 'start' | 'end'>,
  fromDay: number,
  toDay: number,
): { readonly start: number; readonly end: number } {
  const first = Math.min(Math.max(start, segment.firstRowBy(toDay)), end);
  return { start: first, end: Math.max(first, Math.min(end, segment.firstRowBy(fromDay - 1))) };
}

export function sortByPrice(
  rows: Uint32Array,
  prices: Uint32Array,
  direction: SaleOrder['direction'],
): Uint32Array {
  const sign = direction === 'rising' ? 1 : -1;
  return rows.sort((a, b) => sign * ((prices[a] ?? 0) - (prices[b] ?? 0)) || a - b);
}

/** Sales whose prices an index knows in order, though not the rows. */
export type PricedSales = {
  readonly segment: SalesSegment;
  readonly total: number;
  readonly classes: number;
  readonly priceAt: (rank: number) => number;
  readonly countCheaper: (price: number) => number;
  readonly isMember: (row: number, rank: number) => boolean;
};

/** The index tells the page's lowest and highest price; only sales between them are gathered and put in order. */
export function pageByPrice(
  sales: PricedSales,
  offset: number,
  count: number,
  direction: SaleOrder['direction'],
): Uint32Array {
  const { segment, total, classes, isMember } = sales;
  const first = direction === 'rising' ? offset : total - offset - count;
  const minPrice = sales.priceAt(first);
  const maxPrice = sales.priceAt(first + count - 1);
  const rows: number[] = [];
  for (const { from, to } of segment.ranksOfPrices(classes, minPrice, maxPrice)) {
    for (let rank = from; rank < to; rank++) {
      const row = segment.sets.rankRows[rank] ?? 0;
      if (isMember(row, rank)) rows.push(row);
    }
  }
  const outside =
    direction === 'rising' ? sales.countCheaper(minPrice) : total - sales.countCheaper(maxPrice + 1);
  const sorted = sortByPrice(Uint32Array.from(rows), segment.prices, direction);
  return sorted.slice(offset - outside, offset - outside + count);
}
