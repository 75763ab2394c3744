// A few sales that were looked up one by one: those of a postcode, or of a rare street.

import { outOfRange } from '../../../columns/out-of-range.ts';
import type { Scratch } from '../../../columns/scratch.ts';
import { keyOf } from '../runs.ts';
import type { FoundRows } from '../search.ts';
import type { SalesSegment } from '../segment.ts';
import type { Totals } from '../sets.ts';
import { monthMediansOf } from './month-medians.ts';
import { type MonthFigures, type SaleOrder, type Selection, sortByPrice } from './selection.ts';

export class ListSelection implements Selection {
  readonly total: number;
  readonly totals: () => readonly Totals[];
  readonly #segment: SalesSegment;
  /** Newest first. */
  readonly #rows: Uint32Array;
  /** In order. */
  readonly #prices: Uint32Array;

  readonly #scratch: Scratch;

  constructor(segment: SalesSegment, { rows, prices, totals }: FoundRows, scratch: Scratch) {
    this.#segment = segment;
    this.#scratch = scratch;
    this.#rows = rows;
    this.#prices = prices;
    this.total = rows.length;
    this.totals = () => totals;
  }

  priceAt(rank: number): number {
    return this.#prices[rank] ?? outOfRange();
  }

  page(offset: number, limit: number, { by, direction }: SaleOrder): Uint32Array {
    if (by === 'price') {
      return sortByPrice(this.#rows.slice(), this.#segment, direction).slice(offset, offset + limit);
    }
    if (direction === 'falling') return this.#rows.slice(offset, offset + limit);
    return this.#rows
      .slice(Math.max(0, this.total - offset - limit), Math.max(0, this.total - offset))
      .reverse();
  }

  months(): readonly MonthFigures[] {
    const { months } = this.#segment;
    const keys = this.#rows.map((row) => keyOf(months.slotOfRow(row), 0));
    return monthMediansOf(this.#segment, keys, this.#scratch);
  }
}
