// The order in which sales are counted: by calendar month, newest first, within a month by price, then by row. A row of
// bits over it says of any choice of sales what is in it; a month is a stretch of the words, a range of prices a stretch
// of each month. Every month begins at a new word, so that a sale's bit is its *slot*: 32 times the month's first word,
// and its place in the month.

import { bitWords } from '../../columns/bits.ts';
import { lowerBound, narrow, readCodes } from '../../columns/codes.ts';
import { outOfRange } from '../../columns/out-of-range.ts';
import type { Columns, Part } from '../../release/part.ts';
import { monthOf } from '../../uk/calendar.ts';
import { classMask, kindPlanes, typePlane } from './kinds.ts';

/** First words of the months, one more at the end. */
function wordStartsOf(monthStarts: Uint32Array): Uint32Array {
  const words = new Uint32Array(monthStarts.length);
  for (let month = 0; month + 1 < monthStarts.length; month++) {
    words[month + 1] =
      (words[month] ?? outOfRange()) +
      bitWords((monthStarts[month + 1] ?? outOfRange()) - (monthStarts[month] ?? outOfRange()));
  }
  return words;
}

export type MonthOrder = {
  /** 12 × year + month − 1, newest first. */
  readonly months: Uint16Array;
  /** The first row of each month, and the end. The same range of `rows` holds the month's sales by price. */
  readonly starts: Uint32Array;
  readonly wordStarts: Uint32Array;
  readonly rows: Uint32Array;
};

/** `rowsByPrice` are all rows by price, those of one price in order; `days` are newest first. */
export function monthOrderOf(days: Uint16Array, rowsByPrice: Uint32Array): MonthOrder {
  const months: number[] = [];
  const starts: number[] = [];
  const monthOfRow = new Uint16Array(days.length);
  let [lastDay, lastMonth] = [-1, -1];
  for (let row = 0, { length } = days; row < length; row++) {
    const day = days[row] ?? outOfRange();
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
    const row = rowsByPrice[at] ?? outOfRange();
    const month = monthOfRow[row] ?? outOfRange();
    const place = next[month] ?? outOfRange();
    rows[place] = row;
    next[month] = place + 1;
  }
  const monthStarts = Uint32Array.from(starts);
  return {
    months: Uint16Array.from(months),
    starts: monthStarts,
    wordStarts: wordStartsOf(monthStarts),
    rows,
  };
}

/** Calls back for each sale in the order of slots: its slot, its place among all, its month. */
export function eachSlot(
  { starts, wordStarts }: Pick<MonthOrder, 'starts' | 'wordStarts'>,
  visit: (slot: number, place: number, month: number) => void,
): void {
  for (let month = 0; month + 1 < starts.length; month++) {
    const start = starts[month] ?? outOfRange();
    const end = starts[month + 1] ?? outOfRange();
    const first = 32 * (wordStarts[month] ?? outOfRange()) - start;
    for (let place = start; place < end; place++) visit(first + place, place, month);
  }
}

export type MonthInput = {
  readonly order: MonthOrder;
  readonly prices: Uint32Array;
  readonly flags: Uint8Array;
  /** The lowest price of each band. */
  readonly edges: Uint32Array;
};

export function encodeMonths({ order, prices, flags, edges }: MonthInput): Columns {
  const { months, starts, wordStarts, rows } = order;
  const words = wordStarts.at(-1) ?? outOfRange();
  const kinds = new Uint32Array(kindPlanes * words);
  const monthPrices = new Uint32Array(rows.length);
  const monthRows = new Uint32Array(rows.length);
  const monthPlaces = new Uint32Array(rows.length);
  let largest = 0;
  eachSlot(order, (slot, place, month) => {
    const start = starts[month] ?? outOfRange();
    const row = rows[place] ?? outOfRange();
    monthPrices[place] = prices[row] ?? outOfRange();
    monthRows[place] = row - start;
    monthPlaces[row] = place - start;
    if (place - start >= largest) largest = place - start + 1;
    const saleClass = (flags[row] ?? outOfRange()) & classMask;
    for (let plane = 0; plane < kindPlanes; plane++) {
      const at = plane * words + (slot >>> 5);
      kinds[at] = (kinds[at] ?? outOfRange()) | (((saleClass >>> plane) & 1) << (slot & 31));
    }
  });
  return {
    months,
    'month-start': starts,
    'month-prices': monthPrices,
    'month-rows': narrow(monthRows, largest),
    'month-places': narrow(monthPlaces, largest),
    'kind-bits': kinds,
    'edge-prices': edges,
    'edge-places': narrow(edgePlacesOf(order, monthPrices, edges), largest + 1),
  };
}

/** Rising prices that part the sales into bands; the first is below every one. */
export function edgesOf(rowsByPrice: Uint32Array, prices: Uint32Array, salesPerBand: number): Uint32Array {
  const edges = [0];
  for (let at = salesPerBand; at < rowsByPrice.length; at += salesPerBand) {
    const price = prices[rowsByPrice[at] ?? outOfRange()] ?? outOfRange();
    if (price > (edges.at(-1) ?? outOfRange())) edges.push(price);
  }
  return Uint32Array.from(edges);
}

/** Per edge and month: how many sales of the month are cheaper. */
function edgePlacesOf({ starts }: MonthOrder, monthPrices: Uint32Array, edges: Uint32Array): Uint32Array {
  const months = starts.length - 1;
  const places = new Uint32Array(edges.length * months);
  for (let month = 0; month < months; month++) {
    const start = starts[month] ?? outOfRange();
    const end = starts[month + 1] ?? outOfRange();
    let at = start;
    for (let edge = 0; edge < edges.length; edge++) {
      while (at < end && (monthPrices[at] ?? outOfRange()) < (edges[edge] ?? outOfRange())) at++;
      places[edge * months + month] = at - start;
    }
  }
  return places;
}

/** The prices of a part in the order of rows. */
export function readPrices(part: Part): Uint32Array {
  const starts = part.u32('month-start');
  const monthPrices = part.u32('month-prices');
  const places = readCodes(part, 'month-places');
  const prices = new Uint32Array(monthPrices.length);
  for (let month = 0; month + 1 < starts.length; month++) {
    const start = starts[month] ?? outOfRange();
    const end = starts[month + 1] ?? outOfRange();
    for (let row = start; row < end; row++)
      prices[row] = monthPrices[start + (places[row] ?? outOfRange())] ?? outOfRange();
  }
  return prices;
}

export type MonthBounds = {
  readonly firstMonth: number;
  readonly endMonth: number;
  readonly firstWhole: number;
  readonly endWhole: number;
};

/** A price, and the band in which it lies: where it would stand in a month is looked for in that band only. */
export type PriceCut = { readonly price: number; readonly band: number };

export class SaleMonths {
  readonly months: Uint16Array;
  readonly starts: Uint32Array;
  readonly wordStarts: Uint32Array;
  /** By month and price. */
  readonly prices: Uint32Array;
  /** In that order, rows counted from the first of the month. */
  readonly rows: Uint16Array | Uint32Array;
  /** Of each row: its place in that order of its month. */
  readonly places: Uint16Array | Uint32Array;
  /** The lowest price of each band. */
  readonly edges: Uint32Array;
  readonly #edgePlaces: Uint16Array | Uint32Array;
  /** The month of each word of bits. */
  readonly #monthOfWord: Uint16Array;
  readonly #kinds: Uint32Array;
  /** How many sales the month with the most of them has. */
  readonly largestMonth: number;

  constructor(part: Part) {
    this.months = part.u16('months');
    this.starts = part.u32('month-start');
    this.wordStarts = wordStartsOf(this.starts);
    this.prices = part.u32('month-prices');
    this.rows = readCodes(part, 'month-rows');
    this.places = readCodes(part, 'month-places');
    this.edges = part.u32('edge-prices');
    this.#edgePlaces = readCodes(part, 'edge-places');
    this.#monthOfWord = new Uint16Array(this.words);
    let largest = 0;
    for (let month = 0; month < this.months.length; month++) {
      largest = Math.max(largest, this.sizeOf(month));
      this.#monthOfWord.fill(month, this.wordStarts[month], this.wordStarts[month + 1]);
    }
    this.largestMonth = largest;
    this.#kinds = part.u32('kind-bits');
  }

  get words(): number {
    return this.wordStarts.at(-1) ?? outOfRange();
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
    return (this.starts[month + 1] ?? outOfRange()) - (this.starts[month] ?? outOfRange());
  }

  monthOfRow(row: number): number {
    let [low, high] = [0, this.months.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.starts[middle] ?? outOfRange()) <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The months in which rows from `start` to before `end` are, and those of them that lie there with all their rows;
   *  the latter of each two is excluded. */
  boundsOf({ start, end }: { readonly start: number; readonly end: number }): MonthBounds {
    const firstMonth = this.monthOfRow(start);
    if (start === end) {
      return { firstMonth, endMonth: firstMonth, firstWhole: firstMonth, endWhole: firstMonth };
    }
    const endMonth = this.monthOfRow(end - 1) + 1;
    return {
      firstMonth,
      endMonth,
      firstWhole: firstMonth + ((this.starts[firstMonth] ?? outOfRange()) < start ? 1 : 0),
      endWhole: endMonth - ((this.starts[endMonth] ?? outOfRange()) > end ? 1 : 0),
    };
  }

  priceOfRow(row: number): number {
    const start = this.starts[this.monthOfRow(row)] ?? outOfRange();
    return this.prices[start + (this.places[row] ?? outOfRange())] ?? outOfRange();
  }

  monthOfSlot(slot: number): number {
    return this.#monthOfWord[slot >>> 5] ?? outOfRange();
  }

  /** Of the month after the last one: the end of all. */
  firstSlotOf(month: number): number {
    return 32 * (this.wordStarts[month] ?? outOfRange());
  }

  rowOfSlot(slot: number): number {
    const month = this.monthOfSlot(slot);
    const start = this.starts[month] ?? outOfRange();
    return start + (this.rows[start + slot - 32 * (this.wordStarts[month] ?? outOfRange())] ?? outOfRange());
  }

  priceOfSlot(slot: number): number {
    const month = this.#monthOfWord[slot >>> 5] ?? outOfRange();
    return (
      this.prices[
        (this.starts[month] ?? outOfRange()) + slot - 32 * (this.wordStarts[month] ?? outOfRange())
      ] ?? outOfRange()
    );
  }

  cutAt(price: number): PriceCut {
    return { price, band: lowerBound(this.edges, price + 1) - 1 };
  }

  /** How many sales of the month are cheaper. */
  placeOf({ price, band }: PriceCut, month: number): number {
    return this.placeBetween(month, this.placeOfEdge(band, month), this.placeOfEdge(band + 1, month), price);
  }

  /** The same of the months from one on, as many as there is room for. */
  placesOf({ price, band }: PriceCut, firstMonth: number, places: Uint32Array): void {
    const { starts, prices } = this;
    const edgePlaces = this.#edgePlaces;
    const edge = band * this.months.length;
    // The edge after the last band is above every price.
    const nextEdge = band + 1 < this.edges.length ? edge + this.months.length : undefined;
    for (let at = 0, { length } = places; at < length; at++) {
      const month = firstMonth + at;
      const start = starts[month] ?? outOfRange();
      let first = start + (edgePlaces[edge + month] ?? outOfRange());
      let after =
        nextEdge === undefined
          ? (starts[month + 1] ?? outOfRange())
          : start + (edgePlaces[nextEdge + month] ?? outOfRange());
      while (first < after) {
        const middle = (first + after) >>> 1;
        if ((prices[middle] ?? outOfRange()) < price) first = middle + 1;
        else after = middle;
      }
      places[at] = first - start;
    }
  }

  /** The same where it is known to be from one place to another. */
  placeBetween(month: number, from: number, to: number, price: number): number {
    const start = this.starts[month] ?? outOfRange();
    let first = start + from;
    let after = start + to;
    while (first < after) {
      const middle = (first + after) >>> 1;
      if ((this.prices[middle] ?? outOfRange()) < price) first = middle + 1;
      else after = middle;
    }
    return first - start;
  }

  /** The same for the lowest price of a band, of all months; not of the edge after the last band. */
  placesOfEdge(edge: number): Uint16Array | Uint32Array {
    return this.#edgePlaces.subarray(edge * this.months.length, (edge + 1) * this.months.length);
  }

  /** The same for the lowest price of a band; the edge after the last band is above every price. */
  placeOfEdge(edge: number, month: number): number {
    return edge < this.edges.length
      ? (this.#edgePlaces[edge * this.months.length + month] ?? outOfRange())
      : this.sizeOf(month);
  }
}
