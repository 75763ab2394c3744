// All sales of a range of rows but for their class: arithmetic on the indexes, without a look at the sales.

import { classCount, classMask, lowerBound, propertyTypes, typeIndexOf } from './sales-part.ts';
import type { SalesSegment } from './sales-segment.ts';
import {
  type Figures,
  medianOf,
  type PeriodFigures,
  pageByPrice,
  type RowRange,
  rowsBetween,
  type SaleOrder,
  type Selection,
  type TypeTotals,
} from './selection.ts';

export class RangeSelection implements Selection {
  readonly total: number;
  readonly #segment: SalesSegment;
  readonly #range: RowRange;
  /** Stretches of the price index, one for each class that is looked for. */
  readonly #stretches: Uint32Array;

  constructor(segment: SalesSegment, range: RowRange) {
    this.#segment = segment;
    this.#range = range;
    const before = segment.countsBefore(range.start);
    const after = segment.countsBefore(range.end);
    const { stretches, count } = stretchesBetween(segment, before, after, range.classes);
    this.#stretches = stretches;
    this.total = count;
  }

  totals(): readonly TypeTotals[] {
    const { start, end, classes } = this.#range;
    const segment = this.#segment;
    const totals = propertyTypes.map(() => ({ count: 0, sumPounds: 0 }));
    const [countBefore, countAfter] = [segment.countsBefore(start), segment.countsBefore(end)];
    const [sumBefore, sumAfter] = [segment.sumsBefore(start), segment.sumsBefore(end)];
    for (let saleClass = 0; saleClass < classCount; saleClass++) {
      const total = totals[typeIndexOf(saleClass)];
      if (((classes >>> saleClass) & 1) === 0 || total === undefined) continue;
      total.count += (countAfter[saleClass] ?? 0) - (countBefore[saleClass] ?? 0);
      total.sumPounds += (sumAfter[saleClass] ?? 0) - (sumBefore[saleClass] ?? 0);
    }
    return totals;
  }

  priceAt(rank: number): number {
    const { priceRanks, priceLevels } = this.#segment;
    return priceLevels[priceRanks.lowest(this.#stretches, rank)] ?? 0;
  }

  page(offset: number, limit: number, order: SaleOrder): Uint32Array {
    const count = Math.max(0, Math.min(limit, this.total - offset));
    if (count === 0) return new Uint32Array(0);
    if (order.by === 'price') return this.#pageByPrice(offset, count, order.direction);
    if (order.direction === 'falling') return this.#pageByDate(offset, count);
    return this.#pageByDate(this.total - offset - count, count).reverse();
  }

  #pageByDate(offset: number, count: number): Uint32Array {
    const { end, classes } = this.#range;
    const { flags } = this.#segment;
    const rows = new Uint32Array(count);
    let { row, toSkip } = this.#skipTo(offset);
    for (let found = 0; row < end && found < count; row++) {
      if (((classes >>> ((flags[row] ?? 0) & classMask)) & 1) === 0) continue;
      if (toSkip > 0) toSkip--;
      else rows[found++] = row;
    }
    return rows;
  }

  /** A row before the sale at `offset`, and how many sales lie between. */
  #skipTo(offset: number): { row: number; toSkip: number } {
    const { start, classes } = this.#range;
    const skipped = countOf(this.#segment.countsBefore(start), classes);
    const block = this.#segment.blockBefore(classes, skipped + offset);
    if (block.row > start) return { row: block.row, toSkip: skipped + offset - block.count };
    return { row: start, toSkip: offset };
  }

  #pageByPrice(offset: number, count: number, direction: SaleOrder['direction']): Uint32Array {
    const { start, end, classes } = this.#range;
    const segment = this.#segment;
    const { priceRanks, priceLevels } = segment;
    const sales = {
      segment,
      total: this.total,
      classes,
      priceAt: (rank: number) => this.priceAt(rank),
      countCheaper: (price: number) => priceRanks.countBelow(this.#stretches, lowerBound(priceLevels, price)),
      isMember: (row: number) => row >= start && row < end,
    };
    return pageByPrice(sales, offset, count, direction);
  }

  figuresBetween(fromDay: number, toDay: number): PeriodFigures {
    const segment = this.#segment;
    const { start, end } = rowsBetween(segment, this.#range, fromDay, toDay);
    const before = segment.countsBefore(start);
    const after = segment.countsBefore(end);
    const figures = (classes: number): Figures => {
      const { stretches, count } = stretchesBetween(segment, before, after, this.#range.classes & classes);
      const priceAt = (rank: number) => segment.priceLevels[segment.priceRanks.lowest(stretches, rank)] ?? 0;
      return { count, medianPounds: medianOf(count, priceAt) };
    };
    return { all: figures(-1), byType: propertyTypes.map((_, type) => figures(15 << (4 * type))) };
  }
}

/** Of each of these classes the stretch of the price index between two counts. */
function stretchesBetween(
  { classStarts }: SalesSegment,
  before: Uint32Array,
  after: Uint32Array,
  classes: number,
): { readonly stretches: Uint32Array; readonly count: number } {
  const stretches: number[] = [];
  let count = 0;
  for (let saleClass = 0; saleClass < classCount; saleClass++) {
    const [from, to] = [before[saleClass] ?? 0, after[saleClass] ?? 0];
    if (((classes >>> saleClass) & 1) === 0 || from === to) continue;
    const first = classStarts[saleClass] ?? 0;
    stretches.push(first + from, first + to);
    count += to - from;
  }
  return { stretches: Uint32Array.from(stretches), count };
}

function countOf(counts: Uint32Array, classes: number): number {
  let count = 0;
  for (let saleClass = 0; saleClass < classCount; saleClass++) {
    if (((classes >>> saleClass) & 1) === 1) count += counts[saleClass] ?? 0;
  }
  return count;
}
