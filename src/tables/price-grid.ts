// Sums of prices between two bounds, over all rows up to one: a grid of running totals over blocks of rows and
// blocks of the rows in the order of their prices. Only the edges that do not fill a block are looked at.

import type { Columns, Part } from '../release/part.ts';
import { classCount, classMask } from './sales-part.ts';

const blockShift = 13;
const blockSize = 1 << blockShift;

/** `order` has the rows in the order of their prices. */
export function encodePriceGrid(order: Uint32Array, flags: Uint8Array, prices: Uint32Array): Columns {
  const side = Math.ceil(order.length / blockSize) + 1;
  const counts = new Uint32Array(side * side * classCount);
  const sums = new Float64Array(side * side * classCount);
  for (let place = 0; place < order.length; place++) {
    const row = order[place] ?? 0;
    const cell = ((row >>> blockShift) + 1) * side + (place >>> blockShift) + 1;
    const at = cell * classCount + ((flags[row] ?? 0) & classMask);
    counts[at] = (counts[at] ?? 0) + 1;
    sums[at] = (sums[at] ?? 0) + (prices[row] ?? 0);
  }
  // Each cell then holds everything before it in both directions.
  const across = classCount;
  const down = side * classCount;
  for (const totals of [counts, sums]) {
    for (let at = across; at < totals.length; at++) {
      if (at % down >= across) totals[at] = (totals[at] ?? 0) + (totals[at - across] ?? 0);
    }
    for (let at = down; at < totals.length; at++) totals[at] = (totals[at] ?? 0) + (totals[at - down] ?? 0);
  }
  return { 'grid-count': counts, 'grid-sum': sums };
}

export type ClassTotals = { readonly counts: Float64Array; readonly sums: Float64Array };

export class PriceGrid {
  readonly #counts: Uint32Array;
  readonly #sums: Float64Array;
  readonly #order: Uint32Array;
  readonly #flags: Uint8Array;
  readonly #prices: Uint32Array;
  readonly #side: number;

  constructor(part: Part, order: Uint32Array) {
    this.#counts = part.u32('grid-count');
    this.#sums = part.f64('grid-sum');
    this.#order = order;
    this.#flags = part.u8('flags');
    this.#prices = part.u32('price');
    this.#side = Math.ceil(order.length / blockSize) + 1;
  }

  /** Adds, with a sign, what the rows before `end` hold that stand from one place to another in the order of prices. */
  add(totals: ClassTotals, sign: 1 | -1, end: number, from: number, to: number): void {
    if (end === 0 || from >= to) return;
    const rowBlock = end >>> blockShift;
    const first = (from + blockSize - 1) >>> blockShift;
    const last = to >>> blockShift;
    const wholeEnd = rowBlock << blockShift;
    if (first < last) {
      this.#addCell(totals, sign, rowBlock, last);
      this.#addCell(totals, sign === 1 ? -1 : 1, rowBlock, first);
      this.#addPlaces(totals, sign, wholeEnd, from, first << blockShift);
      this.#addPlaces(totals, sign, wholeEnd, last << blockShift, to);
    } else this.#addPlaces(totals, sign, wholeEnd, from, to);
    const lowest = this.#prices[this.#order[from] ?? 0] ?? 0;
    const highest = this.#prices[this.#order[to - 1] ?? 0] ?? 0;
    for (let row = wholeEnd; row < end; row++) {
      const price = this.#prices[row] ?? 0;
      if (price >= lowest && price <= highest) this.#addRow(totals, sign, row, price);
    }
  }

  #addCell({ counts, sums }: ClassTotals, sign: 1 | -1, rowBlock: number, placeBlock: number): void {
    const at = (rowBlock * this.#side + placeBlock) * classCount;
    for (let saleClass = 0; saleClass < classCount; saleClass++) {
      counts[saleClass] = (counts[saleClass] ?? 0) + sign * (this.#counts[at + saleClass] ?? 0);
      sums[saleClass] = (sums[saleClass] ?? 0) + sign * (this.#sums[at + saleClass] ?? 0);
    }
  }

  #addPlaces(totals: ClassTotals, sign: 1 | -1, end: number, from: number, to: number): void {
    for (let place = from; place < to; place++) {
      const row = this.#order[place] ?? 0;
      if (row < end) this.#addRow(totals, sign, row, this.#prices[row] ?? 0);
    }
  }

  #addRow({ counts, sums }: ClassTotals, sign: 1 | -1, row: number, price: number): void {
    const saleClass = (this.#flags[row] ?? 0) & classMask;
    counts[saleClass] = (counts[saleClass] ?? 0) + sign;
    sums[saleClass] = (sums[saleClass] ?? 0) + sign * price;
  }
}
