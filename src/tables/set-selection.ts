// The sales of a set within a range of rows, classes and prices: a row of bits, made from the set's and those of the
// nearest cut in time. Only sales between the cut and the range, and at the edges of the prices, are looked at.

import { clearBit, hasBit, maskWithin, popcount, setBit } from './bits.ts';
import { figuresOf } from './list-selection.ts';
import type { SaleSet } from './sale-sets.ts';
import { classCount, classMask, propertyTypes, typeIndexOf } from './sales-part.ts';
import type { SalesSegment } from './sales-segment.ts';
import {
  type PeriodFigures,
  pageByPrice,
  type RowRange,
  rowsBetween,
  type SaleOrder,
  type Selection,
  type TypeTotals,
} from './selection.ts';

/** So many rows are looked at one by one as cheaply as a set is asked. */
export const scannedRows = 16_384;

export type SetRange = RowRange & { readonly minPrice: number; readonly maxPrice: number };

export class SetSelection implements Selection {
  readonly total: number;
  readonly #segment: SalesSegment;
  readonly #set: SaleSet;
  readonly #range: SetRange;
  /** Per class that is looked for: the ranks of its prices. */
  readonly #ranks: ReturnType<SalesSegment['ranksOfPrices']>;
  /** One bit a sale, in the order of ranks. */
  readonly #selected: Uint32Array;
  /** How many are selected before every eighth word. */
  readonly #before: Uint32Array;
  readonly #sums = new Float64Array(classCount);

  constructor(segment: SalesSegment, set: SaleSet, range: SetRange) {
    this.#segment = segment;
    this.#set = set;
    this.#range = range;
    this.#ranks = segment.ranksOfPrices(range.classes, range.minPrice, range.maxPrice);
    const { sets } = segment;
    const [startCut, endCut] = [sets.cutNear(range.start), sets.cutNear(range.end)];
    this.#selected = new Uint32Array(set.bits.length);
    this.#before = new Uint32Array((set.bits.length >>> 3) + 2);
    this.#selectBetween(startCut, endCut);
    this.#addSums(startCut, -1);
    this.#addSums(endCut, 1);
    if (startCut === endCut) this.#correct(range.start, range.end, 1);
    else {
      this.#correct(sets.rowOfCut(startCut), range.start, -1);
      this.#correct(sets.rowOfCut(endCut), range.end, 1);
    }
    // So far each has what is selected in the eight words before it.
    for (let at = 1; at < this.#before.length; at++) {
      this.#before[at] = (this.#before[at] ?? 0) + (this.#before[at - 1] ?? 0);
    }
    this.total = this.#before.at(-1) ?? 0;
  }

  #selectBetween(startCut: number, endCut: number): void {
    const { sets } = this.#segment;
    const { bits } = this.#set;
    const upper = sets.bitsOfCut(endCut);
    const lower = startCut === 0 ? undefined : sets.bitsOfCut(startCut);
    const selected = this.#selected;
    const before = this.#before;
    for (const { from, to } of this.#ranks) {
      const first = from >>> 5;
      const last = (to - 1) >>> 5;
      for (let word = first; word <= last; word++) {
        let chosen = (bits[word] ?? 0) & (upper[word] ?? 0);
        if (lower !== undefined) chosen &= ~(lower[word] ?? 0);
        if (word === first || word === last) chosen &= maskWithin(word, from, to);
        if (chosen === 0) continue;
        selected[word] = (selected[word] ?? 0) | chosen;
        const next = (word >>> 3) + 1;
        before[next] = (before[next] ?? 0) + popcount(chosen);
      }
    }
  }

  #addSums(cut: number, sign: 1 | -1): void {
    if (cut === 0) return;
    for (const { saleClass, from, to } of this.#ranks) {
      const sum = this.#sumBefore(cut, saleClass, to) - this.#sumBefore(cut, saleClass, from);
      this.#sums[saleClass] = (this.#sums[saleClass] ?? 0) + sign * sum;
    }
  }

  /** What the set's sales of the class before that rank cost together, of the rows before the cut. */
  #sumBefore(cut: number, saleClass: number, rank: number): number {
    const { sets } = this.#segment;
    const { edge, rank: edgeRank } = sets.edgeNear(saleClass, rank);
    const [from, to] = edgeRank < rank ? [edgeRank, rank] : [rank, edgeRank];
    const cutBits = sets.bitsOfCut(cut);
    let between = 0;
    for (let word = from >>> 5; 32 * word < to; word++) {
      const bits = (this.#set.bits[word] ?? 0) & (cutBits[word] ?? 0) & maskWithin(word, from, to);
      if (bits !== 0) between += sets.planes.sum(word, bits);
    }
    const sum = this.#set.sumBefore(cut, saleClass, edge);
    return edgeRank < rank ? sum + between : sum - between;
  }

  /** Rows between a cut and where the range ends (sign 1) or starts (-1): these were left out, or are too many. */
  #correct(cutRow: number, row: number, sign: 1 | -1): void {
    const { sets, flags, prices } = this.#segment;
    const { classes, minPrice, maxPrice } = this.#range;
    const change = cutRow < row ? sign : -sign;
    for (let at = Math.min(cutRow, row); at < Math.max(cutRow, row); at++) {
      const rank = sets.rowRanks[at] ?? 0;
      const saleClass = (flags[at] ?? 0) & classMask;
      if (((classes >>> saleClass) & 1) === 0 || !hasBit(this.#set.bits, rank)) continue;
      const price = prices[at] ?? 0;
      if (price < minPrice || price > maxPrice) continue;
      this.#sums[saleClass] = (this.#sums[saleClass] ?? 0) + change * price;
      const next = (rank >>> 8) + 1;
      this.#before[next] = (this.#before[next] ?? 0) + change;
      if (change === 1) setBit(this.#selected, rank);
      else clearBit(this.#selected, rank);
    }
  }

  /** How many selected sales have a lower rank. */
  #countBefore(rank: number): number {
    const last = rank >>> 5;
    let count = this.#before[last >>> 3] ?? 0;
    for (let word = last & ~7; word < last; word++) count += popcount(this.#selected[word] ?? 0);
    const rest = rank & 31;
    return rest === 0 ? count : count + popcount((this.#selected[last] ?? 0) & ((1 << rest) - 1));
  }

  totals(): readonly TypeTotals[] {
    const totals = propertyTypes.map(() => ({ count: 0, sumPounds: 0 }));
    for (const { saleClass, from, to } of this.#ranks) {
      const total = totals[typeIndexOf(saleClass)];
      if (total === undefined) continue;
      total.count += this.#countBefore(to) - this.#countBefore(from);
      total.sumPounds += this.#sums[saleClass] ?? 0;
    }
    return totals;
  }

  priceAt(rank: number): number {
    if (rank === 0) return this.#lowestPrice();
    if (rank === this.total - 1) return this.#highestPrice();
    return this.#priceBetween(rank);
  }

  #lowestPrice(): number {
    let lowest = Number.POSITIVE_INFINITY;
    for (const { from, to } of this.#ranks) {
      if (this.#countBefore(from) === this.#countBefore(to)) continue;
      let word = from >>> 5;
      let bits = (this.#selected[word] ?? 0) & maskWithin(word, from, to);
      while (bits === 0) bits = this.#selected[++word] ?? 0;
      lowest = Math.min(lowest, this.#segment.priceOfRank(32 * word + 31 - Math.clz32(bits & -bits)));
    }
    return lowest;
  }

  #highestPrice(): number {
    let highest = 0;
    for (const { from, to } of this.#ranks) {
      if (this.#countBefore(from) === this.#countBefore(to)) continue;
      let word = (to - 1) >>> 5;
      let bits = (this.#selected[word] ?? 0) & maskWithin(word, from, to);
      while (bits === 0) bits = this.#selected[--word] ?? 0;
      highest = Math.max(highest, this.#segment.priceOfRank(32 * word + 31 - Math.clz32(bits)));
    }
    return highest;
  }

  /** Halves the prices until one is left; what each class has below is looked for where it can still be. */
  #priceBetween(rank: number): number {
    const segment = this.#segment;
    const open = this.#ranks.map(({ from, to }) => ({ from, low: from, high: to, cut: from }));
    let low = 0;
    let high = segment.priceLevels.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const price = (segment.priceLevels[middle] ?? 0) + 1;
      let count = 0;
      for (const own of open) {
        own.cut = segment.rankOfPrice(price, own.low, own.high);
        count += this.#countBefore(own.cut) - this.#countBefore(own.from);
      }
      if (count > rank) high = middle;
      else low = middle + 1;
      for (const own of open) {
        if (count > rank) own.high = own.cut;
        else own.low = own.cut;
      }
    }
    return segment.priceLevels[low] ?? 0;
  }

  #countCheaper(price: number): number {
    let count = 0;
    for (const { from, to } of this.#ranks) {
      const cut = this.#segment.rankOfPrice(price, from, to);
      count += this.#countBefore(cut) - this.#countBefore(from);
    }
    return count;
  }

  page(offset: number, limit: number, order: SaleOrder): Uint32Array {
    const count = Math.max(0, Math.min(limit, this.total - offset));
    if (count === 0) return new Uint32Array(0);
    if (order.by === 'price') return this.#pageByPrice(offset, count, order.direction);
    if (order.direction === 'falling') return this.#pageByDate(offset, count);
    return this.#pageByDate(this.total - offset - count, count).reverse();
  }

  #pageByDate(offset: number, count: number): Uint32Array {
    const { sets } = this.#segment;
    const { start, end } = this.#range;
    const rows = new Uint32Array(count);
    let found = 0;
    let { row, toSkip } = offset === 0 ? { row: start, toSkip: 0 } : this.#skipTo(offset);
    for (;;) {
      const last = Math.min(end, row + sets.rowsPerCut);
      for (; row < last; row++) {
        if (!hasBit(this.#selected, sets.rowRanks[row] ?? 0)) continue;
        if (toSkip > 0) toSkip--;
        else rows[found++] = row;
        if (found === count) return rows;
      }
      // What is left of the page may be decades away.
      ({ row, toSkip } = this.#skipTo(offset + found));
    }
  }

  /** The last cut that has not more than `offset` sales before it, or the start; and how many sales lie between. */
  #skipTo(offset: number): { row: number; toSkip: number } {
    const { sets } = this.#segment;
    let [low, high] = [0, sets.cuts];
    let [below, above] = [0, this.total];
    while (high - low > 1) {
      // Sales are spread over time about evenly, so that a guess is often right.
      const guess = low + Math.floor(((high - low) * (offset - below)) / Math.max(1, above - below));
      const middle = Math.min(Math.max(guess, low + 1), high - 1);
      const count = this.#countBeforeCut(middle);
      if (count <= offset) [low, below] = [middle, count];
      else [high, above] = [middle, count];
    }
    return { row: Math.max(this.#range.start, sets.rowOfCut(low)), toSkip: offset - below };
  }

  #countBeforeCut(cut: number): number {
    const bits = this.#segment.sets.bitsOfCut(cut);
    let count = 0;
    for (let word = 0; word < bits.length; word++) {
      count += popcount((bits[word] ?? 0) & (this.#selected[word] ?? 0));
    }
    return count;
  }

  #pageByPrice(offset: number, count: number, direction: SaleOrder['direction']): Uint32Array {
    const sales = {
      segment: this.#segment,
      total: this.total,
      classes: this.#range.classes,
      priceAt: (rank: number) => this.priceAt(rank),
      countCheaper: (price: number) => this.#countCheaper(price),
      isMember: (_: number, rank: number) => hasBit(this.#selected, rank),
    };
    return pageByPrice(sales, offset, count, direction);
  }

  figuresBetween(fromDay: number, toDay: number): PeriodFigures {
    const { start, end } = rowsBetween(this.#segment, this.#range, fromDay, toDay);
    const { rowRanks } = this.#segment.sets;
    const rows = new Uint32Array(end - start);
    let count = 0;
    for (let row = start; row < end; row++) {
      if (hasBit(this.#selected, rowRanks[row] ?? 0)) rows[count++] = row;
    }
    return figuresOf(this.#segment, rows.subarray(0, count));
  }
}
