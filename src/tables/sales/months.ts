// The order by month and price, which everything is counted in: calendar months from the newest to the oldest, within a
// month the cheapest sale first, those of one price by row. A choice of sales is a row of bits over this order. A month
// is a stretch of it, a range of prices a stretch of each month.
//
// A sale has three numbers here. Its *position* is its index in the order. Its *rank* is its index within its month. Its
// *slot* is the number of its bit: every month begins at a new word of 32 bits, so it is 32 × the month's first word + rank.

import { bitWords } from '../../columns/bits.ts';
import { narrow } from '../../columns/codes.ts';
import { lastNotAbove, lowerBound } from '../../columns/sorted.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import { codes, rising, starts as startsOf, times, u16, u32 } from '../../release/column.ts';
import type { Values, Views } from '../../release/table.ts';
import { monthOf } from '../../uk/calendar.ts';
import { classMask, kindPlanes, typePlane } from './kinds.ts';

/** `month-places` and `edge-places` hold ranks; they keep their names, as another name would be another layout. */
export const monthColumns = {
  months: u16('month', 'calendar months that have sales, newest first: 12 × year + month − 1'),
  'month-start': startsOf('month', 'sale'),
  'month-prices': u32(
    'sale',
    'pounds, in the order by month and price: within the rows of each month its sales by price, those of one price by row',
  ),
  'month-rows': codes(
    'sale',
    'in that order, the row of each sale, counted from the first row of its month; u16 where the largest month has at most 65,536 sales',
  ),
  'month-places': codes(
    'sale',
    'of each row, its rank: how many sales of its month stand before it in that order; as wide as `month-rows`',
  ),
  'kind-bits': u32(
    times('word', kindPlanes),
    'five planes of bits, those of the class from the lowest, a bit a slot; slots follow the order by month and price, and each month begins at a new word of 32',
  ),
  'edge-prices': u32(
    'edge',
    'lowest price of each band; the first is 0, and about 1,024 sales lie between two',
    rising,
  ),
  'edge-places': codes(times('edge', 'month'), 'per edge and month: how many sales of the month are cheaper'),
};

/** First words of the months, and the end. */
function wordStartsOf(monthStarts: Uint32Array): Uint32Array {
  const words = new Uint32Array(monthStarts.length);
  for (let month = 0; month + 1 < monthStarts.length; month++) {
    words[month + 1] =
      defined(words[month]) + bitWords(defined(monthStarts[month + 1]) - defined(monthStarts[month]));
  }
  return words;
}

export type MonthOrder = {
  /** 12 × year + month − 1, newest first. */
  readonly months: Uint16Array;
  /** The first row of each month, and the end; these are also the first positions. */
  readonly starts: Uint32Array;
  /** The first word of each month, and the end. */
  readonly wordStarts: Uint32Array;
  /** The row at each position. */
  readonly rows: Uint32Array;
};

/** `days` are newest first; `rowsByPrice` are all rows by price, those of one price in order. */
export function monthOrderOf(days: Uint16Array, rowsByPrice: Uint32Array): MonthOrder {
  const months: number[] = [];
  const starts: number[] = [];
  const monthOfRow = new Uint16Array(days.length);
  let [lastDay, lastMonth] = [-1, -1];
  for (let row = 0, { length } = days; row < length; row++) {
    const day = defined(days[row]);
    if (day !== lastDay) {
      lastDay = day;
      const month = monthOf(day);
      if (month !== lastMonth) {
        lastMonth = month;
        months.push(month);
        starts.push(row);
      }
    }
    monthOfRow[row] = months.length - 1;
  }
  starts.push(days.length);
  const next = Uint32Array.from(starts);
  const rows = new Uint32Array(days.length);
  for (let at = 0, { length } = rowsByPrice; at < length; at++) {
    const row = defined(rowsByPrice[at]);
    const month = defined(monthOfRow[row]);
    const position = defined(next[month]);
    rows[position] = row;
    next[month] = position + 1;
  }
  const monthStarts = Uint32Array.from(starts);
  return {
    months: Uint16Array.from(months),
    starts: monthStarts,
    wordStarts: wordStartsOf(monthStarts),
    rows,
  };
}

/** Visits every sale in order. */
export function eachSlot(
  { starts, wordStarts }: Pick<MonthOrder, 'starts' | 'wordStarts'>,
  visit: (slot: number, position: number, month: number) => void,
): void {
  for (let month = 0; month + 1 < starts.length; month++) {
    const start = defined(starts[month]);
    const end = defined(starts[month + 1]);
    const first = 32 * defined(wordStarts[month]) - start;
    for (let position = start; position < end; position++) visit(first + position, position, month);
  }
}

type MonthInput = {
  readonly order: MonthOrder;
  /** By row. */
  readonly prices: Uint32Array;
  readonly flags: Uint8Array;
  /** The lowest price of each band. */
  readonly edges: Uint32Array;
};

export function encodeMonths({ order, prices, flags, edges }: MonthInput): Values<typeof monthColumns> {
  const { months, starts, wordStarts, rows } = order;
  const words = defined(wordStarts.at(-1));
  const kinds = new Uint32Array(kindPlanes * words);
  const monthPrices = new Uint32Array(rows.length);
  const monthRows = new Uint32Array(rows.length);
  const ranks = new Uint32Array(rows.length);
  let largest = 0;
  eachSlot(order, (slot, position, month) => {
    const start = defined(starts[month]);
    const row = defined(rows[position]);
    const rank = position - start;
    monthPrices[position] = defined(prices[row]);
    monthRows[position] = row - start;
    ranks[row] = rank;
    if (rank >= largest) largest = rank + 1;
    const saleClass = defined(flags[row]) & classMask;
    for (let plane = 0; plane < kindPlanes; plane++) {
      const at = plane * words + (slot >>> 5);
      kinds[at] = defined(kinds[at]) | (((saleClass >>> plane) & 1) << (slot & 31));
    }
  });
  return {
    months,
    'month-start': starts,
    'month-prices': monthPrices,
    'month-rows': narrow(monthRows, largest),
    'month-places': narrow(ranks, largest),
    'kind-bits': kinds,
    'edge-prices': edges,
    'edge-places': narrow(edgeRanksOf(order, monthPrices, edges), largest + 1),
  };
}

/** The lowest price of each band: bands have about equally many sales, and the first begins at 0. */
export function edgesOf(rowsByPrice: Uint32Array, prices: Uint32Array, salesPerBand: number): Uint32Array {
  const edges = [0];
  for (let at = salesPerBand; at < rowsByPrice.length; at += salesPerBand) {
    const price = defined(prices[defined(rowsByPrice[at])]);
    if (price > defined(edges.at(-1))) edges.push(price);
  }
  return Uint32Array.from(edges);
}

/** Per edge and month: how many sales of the month are cheaper. */
function edgeRanksOf({ starts }: MonthOrder, monthPrices: Uint32Array, edges: Uint32Array): Uint32Array {
  const months = starts.length - 1;
  const ranks = new Uint32Array(edges.length * months);
  for (let month = 0; month < months; month++) {
    const start = defined(starts[month]);
    const end = defined(starts[month + 1]);
    let at = start;
    for (let edge = 0; edge < edges.length; edge++) {
      while (at < end && defined(monthPrices[at]) < defined(edges[edge])) at++;
      ranks[edge * months + month] = at - start;
    }
  }
  return ranks;
}

type MonthViews = Views<typeof monthColumns>;

/** The price of each row. */
export function pricesByRow(
  views: Pick<MonthViews, 'month-start' | 'month-prices' | 'month-places'>,
): Uint32Array {
  const starts = views['month-start'];
  const monthPrices = views['month-prices'];
  const ranks = views['month-places'];
  const prices = new Uint32Array(monthPrices.length);
  for (let month = 0; month + 1 < starts.length; month++) {
    const start = defined(starts[month]);
    const end = defined(starts[month + 1]);
    for (let row = start; row < end; row++) prices[row] = defined(monthPrices[start + defined(ranks[row])]);
  }
  return prices;
}

/** Months from the first to before the end; those from `firstWhole` to before `endWhole` are meant with all their rows. */
export type MonthBounds = {
  readonly firstMonth: number;
  readonly endMonth: number;
  readonly firstWhole: number;
  readonly endWhole: number;
};

/** A price and the band in which it lies: its rank in a month is looked for in that band only. */
export type BandedPrice = { readonly price: number; readonly band: number };

export class SaleMonths {
  /** 12 × year + month − 1, newest first. A month is elsewhere told by its index here. */
  readonly months: Uint16Array;
  /** The first row of each month, and the end; these are also the first positions. */
  readonly starts: Uint32Array;
  /** The first word of each month, and the end. */
  readonly wordStarts: Uint32Array;
  /** By position. */
  readonly prices: Uint32Array;
  /** By position: the row, counted from the first of the month. */
  readonly rows: Uint16Array | Uint32Array;
  /** By row: its rank in its month. */
  readonly ranks: Uint16Array | Uint32Array;
  /** The lowest price of each band. */
  readonly edges: Uint32Array;
  /** How many sales the month with the most of them has. */
  readonly largestMonth: number;
  readonly #edgeRanks: Uint16Array | Uint32Array;
  readonly #monthOfWord: Uint16Array;
  readonly #kinds: Uint32Array;

  constructor(views: MonthViews) {
    this.months = views.months;
    this.starts = views['month-start'];
    this.wordStarts = wordStartsOf(this.starts);
    this.prices = views['month-prices'];
    this.rows = views['month-rows'];
    this.ranks = views['month-places'];
    this.edges = views['edge-prices'];
    this.#edgeRanks = views['edge-places'];
    this.#kinds = views['kind-bits'];
    // How many words there are follows from the months, which a table cannot say.
    if (this.#kinds.length !== kindPlanes * this.words) outOfRange();
    this.#monthOfWord = new Uint16Array(this.words);
    let largest = 0;
    for (let month = 0; month < this.months.length; month++) {
      largest = Math.max(largest, this.sizeOf(month));
      this.#monthOfWord.fill(month, this.wordStarts[month], this.wordStarts[month + 1]);
    }
    this.largestMonth = largest;
  }

  get words(): number {
    return defined(this.wordStarts.at(-1));
  }

  /** Bit `plane` of the class of every sale. */
  kindBits(plane: number): Uint32Array {
    return this.#kinds.subarray(plane * this.words, (plane + 1) * this.words);
  }

  /** The three bits of every sale's type, lowest first. */
  get typeBits(): readonly [Uint32Array, Uint32Array, Uint32Array] {
    return [this.kindBits(typePlane), this.kindBits(typePlane + 1), this.kindBits(typePlane + 2)];
  }

  sizeOf(month: number): number {
    return defined(this.starts[month + 1]) - defined(this.starts[month]);
  }

  monthOfRow(row: number): number {
    return lastNotAbove(this.starts, row, 0, this.months.length - 1);
  }

  /** The months of the rows from `start` to before `end`. */
  boundsOf({ start, end }: { readonly start: number; readonly end: number }): MonthBounds {
    const firstMonth = this.monthOfRow(start);
    if (start === end) {
      return { firstMonth, endMonth: firstMonth, firstWhole: firstMonth, endWhole: firstMonth };
    }
    const endMonth = this.monthOfRow(end - 1) + 1;
    return {
      firstMonth,
      endMonth,
      firstWhole: firstMonth + (defined(this.starts[firstMonth]) < start ? 1 : 0),
      endWhole: endMonth - (defined(this.starts[endMonth]) > end ? 1 : 0),
    };
  }

  priceOfRow(row: number): number {
    const start = defined(this.starts[this.monthOfRow(row)]);
    return defined(this.prices[start + defined(this.ranks[row])]);
  }

  monthOfSlot(slot: number): number {
    return defined(this.#monthOfWord[slot >>> 5]);
  }

  /** The month after the last one gives the end of all. */
  firstSlotOf(month: number): number {
    return 32 * defined(this.wordStarts[month]);
  }

  rowOfSlot(slot: number): number {
    const month = this.monthOfSlot(slot);
    const start = defined(this.starts[month]);
    return start + defined(this.rows[start + slot - 32 * defined(this.wordStarts[month])]);
  }

  priceOfSlot(slot: number): number {
    const month = defined(this.#monthOfWord[slot >>> 5]);
    return defined(this.prices[defined(this.starts[month]) + slot - 32 * defined(this.wordStarts[month])]);
  }

  bandedPrice(price: number): BandedPrice {
    return { price, band: lowerBound(this.edges, price + 1) - 1 };
  }

  /** The rank that a price has in a month: how many of its sales are cheaper. */
  rankOf({ price, band }: BandedPrice, month: number): number {
    return this.rankBetween(month, this.rankOfEdge(band, month), this.rankOfEdge(band + 1, month), price);
  }

  /** The rank of a price in each month from the first on, as many as `ranks` has room for. */
  fillRanks({ price, band }: BandedPrice, firstMonth: number, ranks: Uint32Array): void {
    const { starts, prices } = this;
    const edgeRanks = this.#edgeRanks;
    const edge = band * this.months.length;
    // The edge after the last band is above every price.
    const nextEdge = band + 1 < this.edges.length ? edge + this.months.length : undefined;
    for (let at = 0, { length } = ranks; at < length; at++) {
      const month = firstMonth + at;
      const start = defined(starts[month]);
      const first = start + defined(edgeRanks[edge + month]);
      const after =
        nextEdge === undefined ? defined(starts[month + 1]) : start + defined(edgeRanks[nextEdge + month]);
      ranks[at] = lowerBound(prices, price, first, after) - start;
    }
  }

  /** The rank of a price where it is known to lie between two others. */
  rankBetween(month: number, from: number, to: number, price: number): number {
    const start = defined(this.starts[month]);
    return lowerBound(this.prices, price, start + from, start + to) - start;
  }

  /** The ranks of an edge in all months; not of the edge after the last band. */
  ranksOfEdge(edge: number): Uint16Array | Uint32Array {
    return this.#edgeRanks.subarray(edge * this.months.length, (edge + 1) * this.months.length);
  }

  /** The edge after the last band is above every price. */
  rankOfEdge(edge: number, month: number): number {
    return edge < this.edges.length
      ? defined(this.#edgeRanks[edge * this.months.length + month])
      : this.sizeOf(month);
  }
}
