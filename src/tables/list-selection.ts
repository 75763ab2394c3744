// Sales that were looked up one by one: those of a postcode, or of streets that have not too many.

import { sortByBits } from './bits.ts';
import { classMask, lowerBound, propertyTypes, typeIndexOf } from './sales-part.ts';
import type { FoundSales } from './sales-search.ts';
import type { SalesSegment } from './sales-segment.ts';
import {
  type Figures,
  medianOf,
  type PeriodFigures,
  rowsBetween,
  type SaleOrder,
  type Selection,
  sortByPrice,
  type TypeTotals,
} from './selection.ts';

/** Sorting so few by comparing them is cheaper. */
const fewRows = 1024;

export class ListSelection implements Selection {
  readonly total: number;
  readonly #segment: SalesSegment;
  readonly #found: FoundSales;
  /** Their prices, put in order as far as was needed so far. */
  #prices: Uint32Array | undefined;
  #sorted: Uint32Array | undefined;

  constructor(segment: SalesSegment, found: FoundSales) {
    this.#segment = segment;
    this.#found = found;
    this.total = found.rows.length;
  }

  totals(): readonly TypeTotals[] {
    const totals = propertyTypes.map(() => ({ count: 0, sumPounds: 0 }));
    for (const [saleClass, count] of this.#found.counts.entries()) {
      const total = totals[typeIndexOf(saleClass)];
      if (total === undefined) continue;
      total.count += count;
      total.sumPounds += this.#found.sums[saleClass] ?? 0;
    }
    return totals;
  }

  priceAt(rank: number): number {
    const { prices } = this.#found;
    // Looking once at each is less than putting them in order.
    if (rank === 0 || rank === this.total - 1) {
      const { lowest, highest } = boundsOf(prices);
      return rank === 0 ? lowest : highest;
    }
    this.#prices ??= prices.slice();
    return nth(this.#prices, rank);
  }

  /** Newest first. */
  get #rows(): Uint32Array {
    const { rows } = this.#found;
    this.#sorted ??= rows.length < fewRows ? rows.slice().sort() : sortByBits(rows, this.#segment.length);
    return this.#sorted;
  }

  page(offset: number, limit: number, { by, direction }: SaleOrder): Uint32Array {
    const count = Math.max(0, Math.min(limit, this.total - offset));
    if (count === 0) return new Uint32Array(0);
    if (by === 'price') return this.#pageByPrice(offset, count, direction);
    if (direction === 'falling') return this.#newest(offset, count);
    return this.#newest(this.total - offset - count, count).reverse();
  }

  #newest(offset: number, count: number): Uint32Array {
    const { rows } = this.#found;
    if (rows.length < fewRows) return this.#rows.slice(offset, offset + count);
    return sortByBits(rows, this.#segment.length, offset, count);
  }

  /** Only sales between the page's lowest and highest price are put in order. */
  #pageByPrice(offset: number, count: number, direction: SaleOrder['direction']): Uint32Array {
    const { rows, prices } = this.#found;
    const first = direction === 'rising' ? offset : this.total - offset - count;
    const minPrice = this.priceAt(first);
    const maxPrice = this.priceAt(first + count - 1);
    const between: number[] = [];
    let before = 0;
    for (let at = 0; at < rows.length; at++) {
      const price = prices[at] ?? 0;
      if (direction === 'rising' ? price < minPrice : price > maxPrice) before += 1;
      else if (price >= minPrice && price <= maxPrice) between.push(rows[at] ?? 0);
    }
    const sorted = sortByPrice(Uint32Array.from(between), this.#segment.prices, direction);
    return sorted.slice(offset - before, offset - before + count);
  }

  figuresBetween(fromDay: number, toDay: number): PeriodFigures {
    const rows = this.#rows;
    const everything = { start: 0, end: this.#segment.length };
    const { start, end } = rowsBetween(this.#segment, everything, fromDay, toDay);
    return figuresOf(this.#segment, rows.subarray(lowerBound(rows, start), lowerBound(rows, end)));
  }
}

function boundsOf(prices: Uint32Array): { readonly lowest: number; readonly highest: number } {
  let lowest = 0xffff_ffff;
  let highest = 0;
  for (let at = 0; at < prices.length; at++) {
    const price = prices[at] ?? 0;
    if (price < lowest) lowest = price;
    if (price > highest) highest = price;
  }
  return { lowest, highest };
}

/** How many the rows are and what their prices are in the middle, together and by type. */
export function figuresOf({ flags, prices }: SalesSegment, rows: Uint32Array): PeriodFigures {
  const next = new Uint32Array(propertyTypes.length + 1);
  for (let at = 0; at < rows.length; at++) {
    const after = typeIndexOf((flags[rows[at] ?? 0] ?? 0) & classMask) + 1;
    next[after] = (next[after] ?? 0) + 1;
  }
  for (let type = 0; type < propertyTypes.length; type++)
    next[type + 1] = (next[type + 1] ?? 0) + (next[type] ?? 0);
  const starts = next.slice();
  const byType = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? 0;
    const type = typeIndexOf((flags[row] ?? 0) & classMask);
    const place = next[type] ?? 0;
    byType[place] = prices[row] ?? 0;
    next[type] = place + 1;
  }
  const figures = (own: Uint32Array): Figures => ({
    count: own.length,
    medianPounds: medianOf(own.length, (rank) => nth(own, rank)),
  });
  return {
    byType: propertyTypes.map((_, type) => figures(byType.subarray(starts[type], starts[type + 1]))),
    // Last, because it mixes the types.
    all: figures(byType),
  };
}

/** The value of that rank; the values before it are then not higher, those after it not lower. Hoare's quickselect:
 *  a summary needs a few ranks, and sorting everything costs several times as much. */
function nth(values: Uint32Array, rank: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = middleOf(values[low] ?? 0, values[(low + high) >>> 1] ?? 0, values[high] ?? 0);
    let left = low;
    let right = high;
    while (left <= right) {
      while ((values[left] ?? 0) < pivot) left++;
      while ((values[right] ?? 0) > pivot) right--;
      if (left > right) break;
      const value = values[left] ?? 0;
      values[left++] = values[right] ?? 0;
      values[right--] = value;
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return values[rank] ?? 0;
}

const middleOf = (a: number, b: number, c: number): number =>
  Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
