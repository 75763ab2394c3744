// The sales that a filter finds: how many, their prices in order, and any page of them. Over a whole area this is
// arithmetic on the indexes; for streets and postcodes the rows found are looked at.

import { classCount, classMask, lowerBound, propertyTypes, typeIndexOf } from './sales-part.ts';
import { findRows, type RowFilter } from './sales-search.ts';
import type { SalesSegment } from './sales-segment.ts';

export type SaleFilter = RowFilter & {
  /** Both included. */
  readonly fromDay: number;
  readonly toDay: number;
};

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
  /** The part of it in these days and classes. */
  readonly narrow: (fromDay: number, toDay: number, classes: number) => Selection;
};

export function select(segment: SalesSegment, filter: SaleFilter): Selection {
  const start = segment.firstRowBy(filter.toDay);
  const end = Math.max(start, segment.firstRowBy(filter.fromDay - 1));
  if (filter.postcodes === undefined && filter.street === undefined) {
    return new RangeSelection(segment, { start, end, ...filter });
  }
  return new ListSelection(segment, findRows(segment, start, end, filter));
}

type Range = {
  readonly start: number;
  readonly end: number;
  readonly classes: number;
  readonly minPrice: number;
  readonly maxPrice: number;
};

/** Gathering and sorting so many rows costs about as much as asking the index a few times. */
const gatheredRows = 4096;
/** Going through so many rows costs about as much as asking the index once more. */
const rowsPerStep = 8192;

/** All rows of a range but for class and price. */
class RangeSelection implements Selection {
  readonly total: number;
  readonly #segment: SalesSegment;
  readonly #range: Range;
  /** Stretches of the price index, one for each class that is looked for. */
  readonly #stretches: Uint32Array;
  /** Levels of prices that are looked for, the latter excluded, and the sales below them. */
  readonly #levels: { readonly from: number; readonly to: number; readonly below: number };

  constructor(segment: SalesSegment, range: Range) {
    this.#segment = segment;
    this.#range = range;
    const before = segment.countsBefore(range.start);
    const after = segment.countsBefore(range.end);
    const stretches: number[] = [];
    for (let saleClass = 0; saleClass < classCount; saleClass++) {
      const [from, to] = [before[saleClass] ?? 0, after[saleClass] ?? 0];
      const first = segment.classStarts[saleClass] ?? 0;
      if (((range.classes >>> saleClass) & 1) === 1 && from < to) stretches.push(first + from, first + to);
    }
    this.#stretches = Uint32Array.from(stretches);
    const from = lowerBound(segment.priceLevels, range.minPrice);
    const to = Math.max(from, lowerBound(segment.priceLevels, range.maxPrice + 1));
    // Most questions have no bounds, and need not ask the index.
    const below = from === 0 ? 0 : segment.priceRanks.countBelow(this.#stretches, from);
    this.#levels = { from, to, below };
    this.total =
      (to === segment.priceLevels.length
        ? lengthOf(this.#stretches)
        : segment.priceRanks.countBelow(this.#stretches, to)) - below;
  }

  get #hasPriceFilter(): boolean {
    const { from, to } = this.#levels;
    return from > 0 || to < this.#segment.priceLevels.length;
  }

  totals(): readonly TypeTotals[] {
    const { start, end, classes } = this.#range;
    const segment = this.#segment;
    const totals = propertyTypes.map(() => ({ count: 0, sumPounds: 0 }));
    const counts = new Float64Array(classCount);
    const sums = new Float64Array(classCount);
    if (this.#hasPriceFilter) {
      const { from, to } = this.#levels;
      const places = [segment.priceStarts[from] ?? 0, segment.priceStarts[to] ?? 0] as const;
      segment.priceGrid.add({ counts, sums }, 1, end, ...places);
      segment.priceGrid.add({ counts, sums }, -1, start, ...places);
    } else {
      const [countBefore, countAfter] = [segment.countsBefore(start), segment.countsBefore(end)];
      const [sumBefore, sumAfter] = [segment.sumsBefore(start), segment.sumsBefore(end)];
      for (let saleClass = 0; saleClass < classCount; saleClass++) {
        counts[saleClass] = (countAfter[saleClass] ?? 0) - (countBefore[saleClass] ?? 0);
        sums[saleClass] = (sumAfter[saleClass] ?? 0) - (sumBefore[saleClass] ?? 0);
      }
    }
    for (let saleClass = 0; saleClass < classCount; saleClass++) {
      const total = totals[typeIndexOf(saleClass)];
      if (((classes >>> saleClass) & 1) === 0 || total === undefined) continue;
      total.count += counts[saleClass] ?? 0;
      total.sumPounds += sums[saleClass] ?? 0;
    }
    return totals;
  }

  priceAt(rank: number): number {
    const { priceRanks, priceLevels } = this.#segment;
    return priceLevels[priceRanks.lowest(this.#stretches, this.#levels.below + rank)] ?? 0;
  }

  page(offset: number, limit: number, order: SaleOrder): Uint32Array {
    const count = Math.max(0, Math.min(limit, this.total - offset));
    if (count === 0) return new Uint32Array(0);
    if (order.by === 'price') return this.#pageByPrice(offset, count, order.direction);
    if (order.direction === 'falling') return this.#pageByDate(offset, count);
    return this.#pageByDate(this.total - offset - count, count).reverse();
  }

  #pageByDate(offset: number, count: number): Uint32Array {
    if (this.#isNarrow) return this.#gather().slice(offset, offset + count);
    const { end, classes, minPrice, maxPrice } = this.#range;
    const { flags, prices } = this.#segment;
    const rows = new Uint32Array(count);
    let { row, toSkip } = this.#skipTo(offset);
    for (let found = 0; row < end && found < count; row++) {
      if (((classes >>> ((flags[row] ?? 0) & classMask)) & 1) === 0) continue;
      const price = prices[row] ?? 0;
      if (price < minPrice || price > maxPrice) continue;
      if (toSkip > 0) toSkip--;
      else rows[found++] = row;
    }
    return rows;
  }

  /** A row before the sale at `offset`, and how many sales lie between. */
  #skipTo(offset: number): { row: number; toSkip: number } {
    const { start, end, classes } = this.#range;
    if (!this.#hasPriceFilter) {
      const skipped = countOf(this.#segment.countsBefore(start), classes);
      const block = this.#segment.blockBefore(classes, skipped + offset);
      if (block.row > start) return { row: block.row, toSkip: skipped + offset - block.count };
      return { row: start, toSkip: offset };
    }
    let [low, high] = [start, end];
    let before = 0;
    while (offset > 0 && high - low > rowsPerStep) {
      const middle = (low + high) >>> 1;
      const count = new RangeSelection(this.#segment, { ...this.#range, end: middle }).total;
      if (count <= offset) [low, before] = [middle, count];
      else high = middle;
    }
    return { row: low, toSkip: offset - before };
  }

  /** Whether the prices alone leave fewer rows to look at than the dates do. */
  get #isNarrow(): boolean {
    const { priceStarts } = this.#segment;
    const rows = (priceStarts[this.#levels.to] ?? 0) - (priceStarts[this.#levels.from] ?? 0);
    return this.#hasPriceFilter && rows <= gatheredRows && rows < this.#range.end - this.#range.start;
  }

  /** All rows of a filter that few prices pass, newest first. */
  #gather(): Uint32Array {
    const { start, end, classes } = this.#range;
    const { flags, priceRows, priceStarts } = this.#segment;
    return priceRows
      .subarray(priceStarts[this.#levels.from], priceStarts[this.#levels.to])
      .filter((row) => row >= start && row < end && ((classes >>> ((flags[row] ?? 0) & classMask)) & 1) === 1)
      .sort();
  }

  /** The index tells the page's lowest and highest price; only rows between them are gathered and put in order. */
  #pageByPrice(offset: number, count: number, direction: SaleOrder['direction']): Uint32Array {
    const first = direction === 'rising' ? offset : this.total - offset - count;
    const minPrice = this.priceAt(first);
    const maxPrice = this.priceAt(first + count - 1);
    const within = new RangeSelection(this.#segment, { ...this.#range, minPrice, maxPrice });
    const rows = within.#pageByDate(0, within.total);
    const outside =
      direction === 'rising' ? this.#countCheaper(minPrice) : this.total - this.#countCheaper(maxPrice + 1);
    return sortByPrice(rows, this.#segment.prices, direction).slice(
      offset - outside,
      offset - outside + count,
    );
  }

  #countCheaper(price: number): number {
    const { priceRanks, priceLevels } = this.#segment;
    return priceRanks.countBelow(this.#stretches, lowerBound(priceLevels, price)) - this.#levels.below;
  }

  narrow(fromDay: number, toDay: number, classes: number): Selection {
    const { start, end } = this.#range;
    const from = Math.max(start, this.#segment.firstRowBy(toDay));
    const to = Math.min(end, this.#segment.firstRowBy(fromDay - 1));
    return new RangeSelection(this.#segment, {
      ...this.#range,
      start: Math.min(from, end),
      end: Math.max(Math.min(from, end), to),
      classes: this.#range.classes & classes,
    });
  }
}

function lengthOf(stretches: Uint32Array): number {
  let length = 0;
  for (let at = 0; at < stretches.length; at += 2) length += (stretches[at + 1] ?? 0) - (stretches[at] ?? 0);
  return length;
}

function countOf(counts: Uint32Array, classes: number): number {
  let count = 0;
  for (let saleClass = 0; saleClass < classCount; saleClass++) {
    if (((classes >>> saleClass) & 1) === 1) count += counts[saleClass] ?? 0;
  }
  return count;
}

function sortByPrice(rows: Uint32Array, prices: Uint32Array, direction: SaleOrder['direction']): Uint32Array {
  const sign = direction === 'rising' ? 1 : -1;
  return rows.sort((a, b) => sign * ((prices[a] ?? 0) - (prices[b] ?? 0)) || a - b);
}

/** Rows that were looked up, newest first. */
class ListSelection implements Selection {
  readonly total: number;
  readonly #segment: SalesSegment;
  readonly #rows: Uint32Array;
  /** Their prices, put in order as far as was needed so far. */
  #prices: Uint32Array | undefined;

  constructor(segment: SalesSegment, rows: Uint32Array) {
    this.#segment = segment;
    this.#rows = rows;
    this.total = rows.length;
  }

  totals(): readonly TypeTotals[] {
    const { flags, prices } = this.#segment;
    const counts = new Float64Array(propertyTypes.length);
    const sums = new Float64Array(propertyTypes.length);
    const rows = this.#rows;
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] ?? 0;
      const type = typeIndexOf((flags[row] ?? 0) & classMask);
      counts[type] = (counts[type] ?? 0) + 1;
      sums[type] = (sums[type] ?? 0) + (prices[row] ?? 0);
    }
    return propertyTypes.map((_, type) => ({ count: counts[type] ?? 0, sumPounds: sums[type] ?? 0 }));
  }

  priceAt(rank: number): number {
    const { prices } = this.#segment;
    if (this.#prices === undefined) {
      this.#prices = new Uint32Array(this.#rows.length);
      for (let at = 0; at < this.#rows.length; at++) this.#prices[at] = prices[this.#rows[at] ?? 0] ?? 0;
    }
    return nth(this.#prices, rank);
  }

  page(offset: number, limit: number, { by, direction }: SaleOrder): Uint32Array {
    const rows = this.#rows;
    if (by === 'price') {
      return sortByPrice(rows.slice(), this.#segment.prices, direction).slice(offset, offset + limit);
    }
    if (direction === 'falling') return rows.slice(offset, offset + limit);
    return rows.slice(Math.max(0, rows.length - offset - limit), Math.max(0, rows.length - offset)).reverse();
  }

  narrow(fromDay: number, toDay: number, classes: number): Selection {
    const { days, flags } = this.#segment;
    const isWanted = (row: number) => {
      const day = days[row] ?? 0;
      return day >= fromDay && day <= toDay && ((classes >>> ((flags[row] ?? 0) & classMask)) & 1) === 1;
    };
    return new ListSelection(this.#segment, this.#rows.filter(isWanted));
  }
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
