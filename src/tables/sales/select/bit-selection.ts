// Sales selected from a set, answered by counting bits. Only the sales of the page, and those next to a price that is asked
// for, are looked at.

import { hasBit } from '../../../columns/bits.ts';
import { firstIndex } from '../../../columns/sorted.ts';
import { defined } from '../../../out-of-range.ts';
import type { SalesSegment } from '../segment.ts';
import type { Totals } from '../sets.ts';
import { monthMedians } from './month-medians.ts';
import { monthQuartiles } from './month-quartiles.ts';
import { PriceSearch } from './price-search.ts';
import type { MonthFigures, MonthQuartiles, SaleOrder, Selection } from './selection.ts';
import type { SlotBits } from './slot-bits.ts';

/** Where fewer than one row of a month in so many is selected, they are collected and sorted instead of looked for. */
const sparseShare = 16;

export class BitSelection implements Selection {
  readonly total: number;
  /** In the order of `propertyTypes`. */
  readonly totals: () => readonly Totals[];
  readonly #segment: SalesSegment;
  readonly #selected: SlotBits;
  readonly #search: PriceSearch;

  constructor(segment: SalesSegment, selected: SlotBits, totals: () => readonly Totals[], fewLooked: number) {
    this.#segment = segment;
    this.#selected = selected;
    this.#search = new PriceSearch(segment, selected, fewLooked);
    this.total = selected.total;
    this.totals = totals;
  }

  priceAt(rank: number): number {
    if (rank === 0) return this.#lowestPrice();
    if (rank === this.total - 1) return this.#highestPrice();
    return this.#search.at(rank).price;
  }

  #lowestPrice(): number {
    const { months } = this.#segment;
    let lowest = Number.POSITIVE_INFINITY;
    for (let month = this.#selected.firstMonth; month < this.#selected.endMonth; month++) {
      if (this.#selected.countOf(month) === 0) continue;
      lowest = Math.min(lowest, months.priceOfSlot(this.#selected.firstOf(month)));
    }
    return lowest;
  }

  #highestPrice(): number {
    const { months } = this.#segment;
    let highest = 0;
    for (let month = this.#selected.firstMonth; month < this.#selected.endMonth; month++) {
      if (this.#selected.countOf(month) === 0) continue;
      highest = Math.max(highest, months.priceOfSlot(this.#selected.lastOf(month)));
    }
    return highest;
  }

  page(offset: number, limit: number, order: SaleOrder): Uint32Array {
    const count = Math.max(0, Math.min(limit, this.total - offset));
    if (count === 0) return new Uint32Array(0);
    if (order.by === 'price') return this.#pageByPrice(offset, count, order.direction);
    if (order.direction === 'falling') return this.#pageByDate(offset, count);
    return this.#pageByDate(this.total - offset - count, count).reverse();
  }

  #pageByDate(offset: number, count: number): Uint32Array {
    const selected = this.#selected;
    const rows = new Uint32Array(count);
    let found = 0;
    for (let month = this.#monthAt(offset); found < count; month++) {
      const before = selected.countBeforeMonth(month);
      const own = this.#rowsOf(month, selected.countOf(month));
      const wanted = own.subarray(Math.max(0, offset - before), offset + count - before);
      rows.set(wanted, found);
      found += wanted.length;
    }
    return rows;
  }

  /** The month of the selected sale that has `offset` newer ones before it. */
  #monthAt(offset: number): number {
    const { firstMonth, endMonth } = this.#selected;
    return (
      firstIndex(firstMonth + 1, endMonth, (month) => this.#selected.countBeforeMonth(month) > offset) - 1
    );
  }

  /** The selected rows of a month, `count` of them, in order. */
  #rowsOf(month: number, count: number): Uint32Array {
    const { months } = this.#segment;
    const { bits, firstWord } = this.#selected;
    const rows = new Uint32Array(count);
    const start = defined(months.starts[month]);
    const end = defined(months.starts[month + 1]);
    let found = 0;
    if (count * sparseShare < end - start) {
      this.#selected.eachIn(month, 0, end - start, (rank) => {
        rows[found++] = start + defined(months.rows[start + rank]);
      });
      return rows.sort();
    }
    const first = 32 * (defined(months.wordStarts[month]) - firstWord);
    for (let row = start; found < count; row++) {
      if (hasBit(bits, first + defined(months.ranks[row]))) rows[found++] = row;
    }
    return rows;
  }

  /** The page's first and last price may have very many sales, but those are in order as they stand. Few lie between. */
  #pageByPrice(offset: number, count: number, direction: SaleOrder['direction']): Uint32Array {
    const isRising = direction === 'rising';
    const { total } = this;
    const first = this.#search.at(isRising ? offset : total - 1 - offset);
    const last = this.#search.at(isRising ? offset + count - 1 : total - offset - count);
    const rows: number[] = [];
    const skipped = offset - (isRising ? first.below : total - first.through);
    this.#addPriced(first.price, skipped, count, rows);
    if (first.price === last.price) return Uint32Array.from(rows);
    const [low, high] = isRising ? [first.price, last.price] : [last.price, first.price];
    const between: number[] = [];
    this.#eachPriced(low + 1, high, (row) => {
      between.push(row);
      return 'on';
    });
    rows.push(...sortByPrice(Uint32Array.from(between), this.#segment, direction));
    this.#addPriced(last.price, 0, count, rows);
    return Uint32Array.from(rows);
  }

  /** Adds the sales of one price, newest first and after skipping some, until there are `count` rows. */
  #addPriced(price: number, skipped: number, count: number, rows: number[]): void {
    let toSkip = skipped;
    this.#eachPriced(price, price + 1, (row) => {
      if (toSkip > 0) toSkip--;
      else rows.push(row);
      return rows.length < count ? 'on' : 'enough';
    });
  }

  /** Visits the selected rows from one price to below another in the order by month and price. */
  #eachPriced(low: number, high: number, visit: (row: number) => 'on' | 'enough'): void {
    const { months } = this.#segment;
    const { firstMonth, endMonth } = this.#selected;
    const froms = new Uint32Array(endMonth - firstMonth);
    const tos = new Uint32Array(endMonth - firstMonth);
    months.fillRanks(months.bandedPrice(low), firstMonth, froms);
    months.fillRanks(months.bandedPrice(high), firstMonth, tos);
    let next: 'on' | 'enough' = 'on';
    for (let month = firstMonth; month < endMonth && next === 'on'; month++) {
      const start = defined(months.starts[month]);
      this.#selected.eachIn(
        month,
        defined(froms[month - firstMonth]),
        defined(tos[month - firstMonth]),
        (rank) => {
          if (next === 'on') next = visit(start + defined(months.rows[start + rank]));
        },
      );
    }
  }

  months(): readonly MonthFigures[] {
    return monthMedians(this.#segment, this.#selected);
  }

  monthQuartiles(): readonly MonthQuartiles[] {
    return monthQuartiles(this.#segment, this.#selected);
  }
}

function sortByPrice(
  rows: Uint32Array,
  segment: SalesSegment,
  direction: SaleOrder['direction'],
): Uint32Array {
  const sign = direction === 'rising' ? 1 : -1;
  const priced = Array.from(rows, (row) => ({ row, price: segment.price(row) }));
  priced.sort((a, b) => sign * (a.price - b.price) || a.row - b.row);
  return Uint32Array.from(priced, ({ row }) => row);
}
