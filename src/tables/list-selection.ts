// A few sales that were looked up one by one: those of a postcode, or of a rare street.

import { classMask, propertyTypes, typeIndexOf } from './sales-part.ts';
import type { FoundRows } from './sales-search.ts';
import type { SalesSegment } from './sales-segment.ts';
import {
  type Figures,
  type MonthFigures,
  type SaleOrder,
  type Selection,
  sortByPrice,
  type TypeTotals,
} from './selection.ts';

export class ListSelection implements Selection {
  readonly total: number;
  readonly totals: () => readonly TypeTotals[];
  readonly #segment: SalesSegment;
  /** Newest first. */
  readonly #rows: Uint32Array;
  /** In order. */
  readonly #prices: Uint32Array;

  constructor(segment: SalesSegment, { rows, prices, totals }: FoundRows) {
    this.#segment = segment;
    this.#rows = rows;
    this.#prices = prices;
    this.total = rows.length;
    this.totals = () => totals;
  }

  #typeOf(row: number): number {
    return typeIndexOf((this.#segment.flags[row] ?? 0) & classMask);
  }

  priceAt(rank: number): number {
    return this.#prices[rank] ?? 0;
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
    const figures: MonthFigures[] = [];
    for (let end = this.total; end > 0; ) {
      const month = months.monthOfRow(this.#rows[end - 1] ?? 0);
      let start = end - 1;
      while (start > 0 && (this.#rows[start - 1] ?? 0) >= (months.starts[month] ?? 0)) start--;
      const rows = this.#rows.subarray(start, end);
      figures.push({
        month: months.months[month] ?? 0,
        all: this.#figuresOf(rows),
        byType: propertyTypes.map((_, type) =>
          this.#figuresOf(rows.filter((row) => this.#typeOf(row) === type)),
        ),
      });
      end = start;
    }
    return figures;
  }

  #figuresOf(rows: Uint32Array): Figures {
    const prices = rows.map((row) => this.#segment.price(row)).sort();
    const [lower = 0, upper = 0] = [prices[(prices.length - 1) >> 1], prices[prices.length >> 1]];
    return { count: prices.length, medianPounds: (lower + upper) / 2 };
  }
}
