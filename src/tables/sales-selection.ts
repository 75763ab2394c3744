// The sales that a filter finds, found in the cheapest way.

import { ListSelection } from './list-selection.ts';
import { RangeSelection } from './range-selection.ts';
import { findSales, type RowFilter } from './sales-search.ts';
import type { SalesSegment } from './sales-segment.ts';
import type { Selection } from './selection.ts';
import { SetSelection, scannedRows } from './set-selection.ts';

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
    const set = segment.sets.find(street ?? '');
    if (set !== undefined) return new SetSelection(segment, set, { start, end, classes, minPrice, maxPrice });
  }
  return new ListSelection(segment, findSales(segment, start, end, filter));
}
