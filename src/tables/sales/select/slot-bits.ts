// Selected sales as a row of bits over the slots of some months, with the number of them before every word.

import { lowestBit, maskWithin, popcount, setBit } from '../../../columns/bits.ts';
import { outOfRange } from '../../../columns/out-of-range.ts';
import type { Scratch } from '../../../columns/scratch.ts';
import { lastNotAbove } from '../../../columns/sorted.ts';
import { categoryPlane, type KindMatch, kindMatchOf, newPlane, propertyTypes, typePlane } from '../kinds.ts';
import type { BandedPrice, MonthBounds, SaleMonths } from '../months.ts';
import type { SalesSegment } from '../segment.ts';
import type { SaleRange } from './selection.ts';

/** One more than the highest price there can be. */
export const endOfPrices = 2 ** 32;

export class SlotBits implements MonthBounds {
  readonly total: number;
  /** Where only one type is asked for: its index in `propertyTypes`. */
  readonly onlyType: number | undefined;
  readonly firstMonth: number;
  readonly endMonth: number;
  readonly firstWhole: number;
  readonly endWhole: number;
  /** The first of `bits` is this word of all. */
  readonly firstWord: number;
  readonly bits: Uint32Array;
  /** Per month of the range: the ranks between which the prices lie. */
  readonly froms: Uint32Array;
  readonly tos: Uint32Array;
  /** The bands of prices in which the range lies, from the first to before the end. */
  readonly firstBand: number;
  readonly endBand: number;
  readonly #months: SaleMonths;
  /** How many sales are selected before each word, and in all. */
  readonly #before: Uint32Array;

  constructor({ months }: SalesSegment, from: Uint32Array, range: SaleRange, scratch: Scratch) {
    this.#months = months;
    const { type } = range.kinds;
    this.onlyType = type === undefined ? undefined : propertyTypes.indexOf(type);
    const { wordStarts } = months;
    const { firstMonth, endMonth, firstWhole, endWhole } = months.boundsOf(range);
    this.firstMonth = firstMonth;
    this.endMonth = endMonth;
    this.firstWhole = firstWhole;
    this.endWhole = endWhole;
    this.firstWord = wordStarts[this.firstMonth] ?? outOfRange();
    const endWord = wordStarts[this.endMonth] ?? outOfRange();
    const length = this.endMonth - this.firstMonth;
    this.froms = new Uint32Array(length);
    this.tos = new Uint32Array(length);
    this.bits = scratch.take(endWord - this.firstWord);
    this.bits.set(from.subarray(this.firstWord, endWord));
    const [low, high] = [months.bandedPrice(range.minPrice), months.bandedPrice(range.maxPrice + 1)];
    this.firstBand = low.band;
    this.endBand = high.band + 1;
    this.#keepPrices(low, high);
    this.#keepRows(range);
    this.#keepKinds(kindMatchOf(range.kinds));
    this.#before = scratch.take(this.bits.length + 1);
    this.total = fillCounts(this.bits, this.#before);
    this.#before[this.bits.length] = this.total;
  }

  #keepPrices(low: BandedPrice, high: BandedPrice): void {
    const { bits, firstMonth, froms, tos } = this;
    const months = this.#months;
    if (low.price > 0) months.fillRanks(low, firstMonth, froms);
    if (high.price < endOfPrices) months.fillRanks(high, firstMonth, tos);
    else tos.set(tos.map((_, at) => months.sizeOf(firstMonth + at)));
    if (low.price === 0 && high.price >= endOfPrices) return;
    for (let at = 0, { length } = froms; at < length; at++) {
      const month = firstMonth + at;
      const size = months.sizeOf(month);
      const from = froms[at] ?? outOfRange();
      const to = Math.max(from, tos[at] ?? outOfRange());
      tos[at] = to;
      if (from === 0 && to === size) continue;
      const word = (months.wordStarts[month] ?? outOfRange()) - this.firstWord;
      const endWord = (months.wordStarts[month + 1] ?? outOfRange()) - this.firstWord;
      const first = word + (from >>> 5);
      const last = word + (to >>> 5);
      bits.fill(0, word, first);
      if (first < endWord) bits[first] = (bits[first] ?? outOfRange()) & maskWithin(first - word, from, to);
      if (last >= endWord) continue;
      bits[last] = (bits[last] ?? outOfRange()) & maskWithin(last - word, from, to);
      bits.fill(0, last + 1, endWord);
    }
  }

  /** Leaves only rows of the range in the first and the last month. */
  #keepRows({ start, end }: SaleRange): void {
    const { starts, wordStarts, ranks } = this.#months;
    const parted = new Set<number>();
    if (this.firstWhole > this.firstMonth) parted.add(this.firstMonth);
    if (this.endWhole < this.endMonth) parted.add(this.endWhole);
    for (const month of parted) {
      const word = wordStarts[month] ?? outOfRange();
      const endWord = wordStarts[month + 1] ?? outOfRange();
      const kept = new Uint32Array(endWord - word);
      const last = Math.min(end, starts[month + 1] ?? outOfRange());
      for (let row = Math.max(start, starts[month] ?? outOfRange()); row < last; row++)
        setBit(kept, ranks[row] ?? outOfRange());
      for (let at = 0; at < kept.length; at++) {
        const own = word - this.firstWord + at;
        this.bits[own] = (this.bits[own] ?? outOfRange()) & (kept[at] ?? outOfRange());
      }
    }
  }

  #keepKinds({ mask, wanted }: KindMatch): void {
    const { bits } = this;
    if (mask >>> typePlane !== 0) {
      const [low, high, other] = this.typeBits();
      const [flipLow, flipHigh, flipOther] = typeFlips(wanted >>> typePlane);
      for (let at = 0, { length } = bits; at < length; at++) {
        const ofType =
          ((low[at] ?? outOfRange()) ^ flipLow) &
          ((high[at] ?? outOfRange()) ^ flipHigh) &
          ((other[at] ?? outOfRange()) ^ flipOther);
        bits[at] = (bits[at] ?? outOfRange()) & ofType;
      }
    }
    for (const plane of [newPlane, categoryPlane]) {
      if (((mask >>> plane) & 1) === 0) continue;
      const kind = this.#kindBits(plane);
      const flip = ((wanted >>> plane) & 1) - 1;
      for (let at = 0, { length } = bits; at < length; at++)
        bits[at] = (bits[at] ?? outOfRange()) & ((kind[at] ?? outOfRange()) ^ flip);
    }
  }

  #kindBits(plane: number): Uint32Array {
    return this.#months.kindBits(plane).subarray(this.firstWord, this.firstWord + this.bits.length);
  }

  /** The three bits of every sale's type, lowest first; they begin at the same word as `bits`. */
  typeBits(): readonly [Uint32Array, Uint32Array, Uint32Array] {
    return [this.#kindBits(typePlane), this.#kindBits(typePlane + 1), this.#kindBits(typePlane + 2)];
  }

  /** How many selected sales are in the months before. */
  countBeforeMonth(month: number): number {
    return this.#before[(this.#months.wordStarts[month] ?? outOfRange()) - this.firstWord] ?? outOfRange();
  }

  countOf(month: number): number {
    return this.countBeforeMonth(month + 1) - this.countBeforeMonth(month);
  }

  /** How many selected sales lie below a rank in each month of the range; that of the first month is `ranks[first]`. */
  countBelow(ranks: Uint16Array | Uint32Array, first: number): number {
    const { bits, firstMonth, firstWord, endMonth } = this;
    const { wordStarts } = this.#months;
    const before = this.#before;
    let count = 0;
    for (let month = firstMonth; month < endMonth; month++) {
      const rank = ranks[first + month - firstMonth] ?? outOfRange();
      const monthWord = (wordStarts[month] ?? outOfRange()) - firstWord;
      const word = monthWord + (rank >>> 5);
      count += (before[word] ?? outOfRange()) - (before[monthWord] ?? outOfRange());
      const rest = rank & 31;
      if (rest !== 0) count += popcount((bits[word] ?? outOfRange()) & ((1 << rest) - 1));
    }
    return count;
  }

  /** Visits the selected sales of a month from one rank to before another. */
  eachIn(month: number, from: number, to: number, visit: (rank: number) => void): void {
    if (from >= to) return;
    const monthWord = (this.#months.wordStarts[month] ?? outOfRange()) - this.firstWord;
    const first = from >>> 5;
    const last = (to - 1) >>> 5;
    for (let word = first; word <= last; word++) {
      let rest = (this.bits[monthWord + word] ?? outOfRange()) | 0;
      if (word === first || word === last) rest &= maskWithin(word, from, to);
      for (; rest !== 0; rest &= rest - 1) visit(32 * word + lowestBit(rest));
    }
  }

  /** The slot of the selected sale of a month that has `skipped` other selected ones before it. */
  slotOf(month: number, skipped: number): number {
    const { wordStarts } = this.#months;
    const first = (wordStarts[month] ?? outOfRange()) - this.firstWord;
    const last = (wordStarts[month + 1] ?? outOfRange()) - this.firstWord - 1;
    const wanted = (this.#before[first] ?? outOfRange()) + skipped;
    const word = lastNotAbove(this.#before, wanted, first, last);
    let rest = this.bits[word] ?? outOfRange();
    for (let count = this.#before[word] ?? outOfRange(); count < wanted; count++) rest &= rest - 1;
    return 32 * (this.firstWord + word) + lowestBit(rest);
  }

  /** The slot of the cheapest selected sale of a month that has some. */
  firstOf(month: number): number {
    let word =
      (this.#months.wordStarts[month] ?? outOfRange()) -
      this.firstWord +
      ((this.froms[month - this.firstMonth] ?? outOfRange()) >>> 5);
    while (((this.bits[word] ?? outOfRange()) | 0) === 0) word++;
    return 32 * (this.firstWord + word) + lowestBit(this.bits[word] ?? outOfRange());
  }

  /** The slot of the dearest selected sale of a month that has some. */
  lastOf(month: number): number {
    let word =
      (this.#months.wordStarts[month] ?? outOfRange()) -
      this.firstWord +
      (((this.tos[month - this.firstMonth] ?? outOfRange()) - 1) >>> 5);
    while (((this.bits[word] ?? outOfRange()) | 0) === 0) word--;
    return 32 * (this.firstWord + word) + 31 - Math.clz32(this.bits[word] ?? outOfRange());
  }
}

/** What to turn the three bits of a type over with, so that all three are set in its sales and in no other. */
export const typeFlips = (type: number): readonly [number, number, number] => [
  (type & 1) - 1,
  ((type >>> 1) & 1) - 1,
  ((type >>> 2) & 1) - 1,
];

/** Writes how many bits are set before each word, and returns how many in all. */
function fillCounts(bits: Uint32Array, before: Uint32Array): number {
  let count = 0;
  for (let word = 0, { length } = bits; word < length; word++) {
    before[word] = count;
    const own = (bits[word] ?? outOfRange()) | 0;
    // Empty and full words come in long rows, which is worth a branch.
    if (own === 0) continue;
    count += own === -1 ? 32 : popcount(own);
  }
  return count;
}
