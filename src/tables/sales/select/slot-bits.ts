// Selected sales as a row of bits over the slots of some months, with the number of them before every word.

import { lowestBit, maskWithin, popcount, setBit } from '../../../columns/bits.ts';
import type { Scratch } from '../../../columns/scratch.ts';
import { lastNotAbove } from '../../../columns/sorted.ts';
import { defined } from '../../../out-of-range.ts';
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
    this.firstWord = defined(wordStarts[this.firstMonth]);
    const endWord = defined(wordStarts[this.endMonth]);
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
      const from = defined(froms[at]);
      const to = Math.max(from, defined(tos[at]));
      tos[at] = to;
      if (from === 0 && to === size) continue;
      const word = defined(months.wordStarts[month]) - this.firstWord;
      const endWord = defined(months.wordStarts[month + 1]) - this.firstWord;
      const first = word + (from >>> 5);
      const last = word + (to >>> 5);
      bits.fill(0, word, first);
      if (first < endWord) bits[first] = defined(bits[first]) & maskWithin(first - word, from, to);
      if (last >= endWord) continue;
      bits[last] = defined(bits[last]) & maskWithin(last - word, from, to);
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
      const word = defined(wordStarts[month]);
      const endWord = defined(wordStarts[month + 1]);
      const kept = new Uint32Array(endWord - word);
      const last = Math.min(end, defined(starts[month + 1]));
      for (let row = Math.max(start, defined(starts[month])); row < last; row++)
        setBit(kept, defined(ranks[row]));
      for (let at = 0; at < kept.length; at++) {
        const own = word - this.firstWord + at;
        this.bits[own] = defined(this.bits[own]) & defined(kept[at]);
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
          (defined(low[at]) ^ flipLow) & (defined(high[at]) ^ flipHigh) & (defined(other[at]) ^ flipOther);
        bits[at] = defined(bits[at]) & ofType;
      }
    }
    for (const plane of [newPlane, categoryPlane]) {
      if (((mask >>> plane) & 1) === 0) continue;
      const kind = this.#kindBits(plane);
      const flip = ((wanted >>> plane) & 1) - 1;
      for (let at = 0, { length } = bits; at < length; at++)
        bits[at] = defined(bits[at]) & (defined(kind[at]) ^ flip);
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
    return defined(this.#before[defined(this.#months.wordStarts[month]) - this.firstWord]);
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
      const rank = defined(ranks[first + month - firstMonth]);
      const monthWord = defined(wordStarts[month]) - firstWord;
      const word = monthWord + (rank >>> 5);
      count += defined(before[word]) - defined(before[monthWord]);
      const rest = rank & 31;
      if (rest !== 0) count += popcount(defined(bits[word]) & ((1 << rest) - 1));
    }
    return count;
  }

  /** Visits the selected sales of a month from one rank to before another. */
  eachIn(month: number, from: number, to: number, visit: (rank: number) => void): void {
    if (from >= to) return;
    const monthWord = defined(this.#months.wordStarts[month]) - this.firstWord;
    const first = from >>> 5;
    const last = (to - 1) >>> 5;
    for (let word = first; word <= last; word++) {
      let rest = defined(this.bits[monthWord + word]) | 0;
      if (word === first || word === last) rest &= maskWithin(word, from, to);
      for (; rest !== 0; rest &= rest - 1) visit(32 * word + lowestBit(rest));
    }
  }

  /** The slot of the selected sale of a month that has `skipped` other selected ones before it. */
  slotOf(month: number, skipped: number): number {
    const { wordStarts } = this.#months;
    const first = defined(wordStarts[month]) - this.firstWord;
    const last = defined(wordStarts[month + 1]) - this.firstWord - 1;
    const wanted = defined(this.#before[first]) + skipped;
    const word = lastNotAbove(this.#before, wanted, first, last);
    let rest = defined(this.bits[word]);
    for (let count = defined(this.#before[word]); count < wanted; count++) rest &= rest - 1;
    return 32 * (this.firstWord + word) + lowestBit(rest);
  }

  /** The slot of the cheapest selected sale of a month that has some. */
  firstOf(month: number): number {
    let word =
      defined(this.#months.wordStarts[month]) -
      this.firstWord +
      (defined(this.froms[month - this.firstMonth]) >>> 5);
    while ((defined(this.bits[word]) | 0) === 0) word++;
    return 32 * (this.firstWord + word) + lowestBit(defined(this.bits[word]));
  }

  /** The slot of the dearest selected sale of a month that has some. */
  lastOf(month: number): number {
    let word =
      defined(this.#months.wordStarts[month]) -
      this.firstWord +
      ((defined(this.tos[month - this.firstMonth]) - 1) >>> 5);
    while ((defined(this.bits[word]) | 0) === 0) word--;
    return 32 * (this.firstWord + word) + 31 - Math.clz32(defined(this.bits[word]));
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
    const own = defined(bits[word]) | 0;
    // Empty and full words come in long rows, which is worth a branch.
    if (own === 0) continue;
    count += own === -1 ? 32 : popcount(own);
  }
  return count;
}
