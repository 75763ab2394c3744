// The sales that a filter finds, found in the cheapest way.

import { ListSelection } from './list-selection.ts';
import { RangeSelection } from './range-selection.ts';
import { findPricedSales, findSales, type RowFilter } from './sales-search.ts';
import type { SalesSegment } from './sales-segment.ts';
import type { Selection } from './selection.ts';
import { SetSelection, scannedRows } from './set-selection.ts';

/** So many sales are looked at one by one as cheaply as a set is asked. */
const fewSales = 4096;

export type SaleFilter = RowFilter & {
  /** Both included. */
  readonly fromDay: number;
  readonly toDay: number;
};

export function select(segment: SalesSegment, filter: SaleFilter): Selection {
  const start = segment.firstRowBy(filter.toDay);
  const end = Math.max(start, segment.firstRowBy(filter.fromDay - 1));
  const { classes, minPrice, maxPrice, postcodes, street } = filter;
  const hasPrices = minPrice > segment.lowestPrice || maxPrice < segment.highestPrice;
  if (postcodes === undefined && street === undefined && !hasPrices) {
    return new RangeSelection(segment, { start, end, classes });
  }
  if (postcodes === undefined && end - start > scannedRows) {
    const ranks = segment.ranksOfPrices(classes, minPrice, maxPrice);
    // A set would be gone through from end to end for a page of so few.
    if (ranks.reduce((sum, { from, to }) => sum + to - from, 0) <= fewSales) {
      return new ListSelection(segment, findPricedSales(segment, ranks, start, end, filter));
    }
    const set = segment.sets.find(street ?? '');
    if (set !== undefined) return new SetSelection(segment, set, { start, end, classes, minPrice, maxPrice });
  }
  return new ListSelection(segment, findSales(segment, start, end, filter));
}
