// The median prices of sales by calendar month and type: of those selected from a set by counting bits, of gathered ones
// by reading their prices.

import { bitWords, lowestBit, popcount, setBit } from '../../../columns/bits.ts';
import type { Scratch } from '../../../columns/scratch.ts';
import { defined } from '../../../out-of-range.ts';
import { propertyTypes } from '../kinds.ts';
import { slotOfKey } from '../runs.ts';
import type { SalesSegment } from '../segment.ts';
import type { Figures, MonthFigures, MonthQuartiles } from './selection.ts';
import { type SlotBits, typeFlips } from './slot-bits.ts';

/** Of gathered sales, given by their keys in any order: the months that have some, oldest first. */
export function monthMediansOf(
  { months }: SalesSegment,
  keys: Uint32Array,
  scratch: Scratch,
): readonly MonthFigures[] {
  const { starts, wordStarts, prices, typeBits } = months;
  const [low, high, other] = typeBits;
  const bits = scratch.take(months.words).fill(0);
  for (let at = 0, { length } = keys; at < length; at++) setBit(bits, slotOfKey(defined(keys[at])));
  // The prices of a month, lowest first: a list for each value that three bits can have, and one for all.
  const room = months.largestMonth;
  const ofAll = 8;
  const lists = scratch.take((ofAll + 1) * room);
  const counts = new Uint32Array(ofAll + 1);
  const figuresOf = (list: number): Figures | undefined => {
    const count = defined(counts[list]);
    if (count === 0) return undefined;
    const lower = defined(lists[list * room + ((count - 1) >> 1)]);
    const upper = defined(lists[list * room + (count >> 1)]);
    return { count, medianPounds: (lower + upper) / 2 };
  };
  const figures: MonthFigures[] = [];
  for (let month = months.months.length - 1; month >= 0; month--) {
    const first = defined(wordStarts[month]);
    const end = defined(wordStarts[month + 1]);
    const start = defined(starts[month]) - 32 * first;
    let all = 0;
    for (let word = first; word < end; word++) {
      let rest = defined(bits[word]) | 0;
      if (rest === 0) continue;
      const ownLow = defined(low[word]);
      const ownHigh = defined(high[word]);
      const ownOther = defined(other[word]);
      for (; rest !== 0; rest &= rest - 1) {
        const bit = 31 - Math.clz32(rest & -rest);
        const price = defined(prices[start + 32 * word + bit]);
        const type =
          ((ownLow >>> bit) & 1) | (((ownHigh >>> bit) & 1) << 1) | (((ownOther >>> bit) & 1) << 2);
        const count = defined(counts[type]);
        lists[type * room + count] = price;
        counts[type] = count + 1;
        lists[ofAll * room + all++] = price;
      }
    }
    if (all === 0) continue;
    counts[ofAll] = all;
    figures.push({
      month: defined(months.months[month]),
      all: defined(figuresOf(ofAll)),
      byType: propertyTypes.map((_, type) => figuresOf(type)),
    });
    counts.fill(0);
  }
  return figures;
}

/** Of sales selected from a set: the months that have some, oldest first. */
export function monthMedians(segment: SalesSegment, selected: SlotBits): readonly MonthFigures[] {
  const { months } = segment;
  const figures: MonthFigures[] = [];
  const medians = new MonthMedians(segment, selected);
  for (let month = selected.endMonth - 1; month >= selected.firstMonth; month--) {
    if (selected.countOf(month) > 0)
      figures.push({ month: defined(months.months[month]), ...medians.of(month) });
  }
  return figures;
}

/** The counts of the five types in one word, 32 each at most, take so many bits each; the first type has the lowest. */
const countBits = 6;
const countMask = 63;

class MonthMedians {
  readonly #segment: SalesSegment;
  readonly #selected: SlotBits;
  readonly #typeBits: ReturnType<SlotBits['typeBits']>;
  /** Per word of the month: how many of each type are selected. */
  readonly #byType: Int32Array;

  constructor(segment: SalesSegment, selected: SlotBits) {
    this.#segment = segment;
    this.#selected = selected;
    this.#typeBits = selected.typeBits();
    this.#byType = new Int32Array(bitWords(segment.months.largestMonth));
  }

  of(month: number): Omit<MonthFigures, 'month'> {
    const all = this.#figuresOfAll(month);
    const { onlyType } = this.#selected;
    if (onlyType !== undefined) {
      return { all, byType: propertyTypes.map((_, type) => (type === onlyType ? all : undefined)) };
    }
    const { wordStarts } = this.#segment.months;
    const first = defined(wordStarts[month]) - this.#selected.firstWord;
    const words = defined(wordStarts[month + 1]) - this.#selected.firstWord - first;
    const counts = this.#count(first, words);
    return {
      all,
      byType: propertyTypes.map((_, type) => this.#figuresOf(type, month, first, defined(counts[type]))),
    };
  }

  #figuresOfAll(month: number): Figures {
    const { months } = this.#segment;
    const count = this.#selected.countOf(month);
    const lower = months.priceOfSlot(this.#selected.slotOf(month, (count - 1) >> 1));
    if (count % 2 === 1) return { count, medianPounds: lower };
    const upper = months.priceOfSlot(this.#selected.slotOf(month, count >> 1));
    return { count, medianPounds: (lower + upper) / 2 };
  }

  /** How many of each type are selected; also fills `#byType`. */
  #count(first: number, words: number): Uint32Array {
    const { bits } = this.#selected;
    const [low, high, other] = this.#typeBits;
    const counts = new Uint32Array(propertyTypes.length);
    let [semis, terraced, flats, others, all] = [0, 0, 0, 0, 0];
    for (let word = 0; word < words; word++) {
      const at = first + word;
      const own = defined(bits[at]) | 0;
      if (own === 0) {
        this.#byType[word] = 0;
        continue;
      }
      const ownLow = own & defined(low[at]);
      const ownHigh = own & defined(high[at]);
      const ownFlats = popcount(ownLow & ownHigh);
      const ownSemis = popcount(ownLow) - ownFlats;
      const ownTerraced = popcount(ownHigh) - ownFlats;
      const ownOthers = popcount(own & defined(other[at]));
      const ownAll = own === -1 ? 32 : popcount(own);
      const detached = ownAll - ownSemis - ownTerraced - ownFlats - ownOthers;
      this.#byType[word] =
        detached |
        (ownSemis << countBits) |
        (ownTerraced << (2 * countBits)) |
        (ownFlats << (3 * countBits)) |
        (ownOthers << (4 * countBits));
      semis += ownSemis;
      terraced += ownTerraced;
      flats += ownFlats;
      others += ownOthers;
      all += ownAll;
    }
    counts.set([all - semis - terraced - flats - others, semis, terraced, flats, others]);
    return counts;
  }

  /** Finds the sale in the middle among `count` of a type, or the two. */
  #figuresOf(type: number, month: number, first: number, count: number): Figures | undefined {
    if (count === 0) return undefined;
    const { starts, prices } = this.#segment.months;
    const shift = type * countBits;
    const ownOf = (at: number) => (defined(this.#byType[at]) >>> shift) & countMask;
    let toSkip = (count - 1) >> 1;
    let word = 0;
    for (let own = ownOf(0); own <= toSkip; own = ownOf(++word)) toSkip -= own;
    let rest = this.#bitsOf(first + word, type);
    for (; toSkip > 0; toSkip--) rest &= rest - 1;
    const start = defined(starts[month]);
    const lower = defined(prices[start + 32 * word + lowestBit(rest)]);
    if (count % 2 === 1) return { count, medianPounds: lower };
    rest &= rest - 1;
    while (rest === 0) rest = this.#bitsOf(first + ++word, type);
    return {
      count,
      medianPounds: (lower + defined(prices[start + 32 * word + lowestBit(rest)])) / 2,
    };
  }

  #bitsOf(word: number, type: number): number {
    const [low, high, other] = this.#typeBits;
    const [flipLow, flipHigh, flipOther] = typeFlips(type);
    return (
      defined(this.#selected.bits[word]) &
      (defined(low[word]) ^ flipLow) &
      (defined(high[word]) ^ flipHigh) &
      (defined(other[word]) ^ flipOther)
    );
  }
}

// Quartiles and median of the prices of each calendar month. Within a month slots are in the order of prices, so that a price
// of some rank is found by counting bits, and no month is sorted.

// The one definition of a quantile of prices. Of n prices in rising order it lies at the place (n − 1) × share, counted from
// 0; between two prices it is interpolated in a straight line, as spreadsheets do (QUARTILE.INC).
export function quantileOf(total: number, share: number, priceAt: (rank: number) => number): number {
  const rank = (total - 1) * share;
  const lower = priceAt(Math.floor(rank));
  if (Number.isInteger(rank)) return lower;
  const upper = priceAt(Math.ceil(rank));
  return lower + (upper - lower) * (rank - Math.floor(rank));
}

const quartilesOf = (month: number, count: number, priceAt: (rank: number) => number): MonthQuartiles => ({
  month,
  count,
  lowerPounds: quantileOf(count, 0.25, priceAt),
  medianPounds: quantileOf(count, 0.5, priceAt),
  upperPounds: quantileOf(count, 0.75, priceAt),
});

/** Of sales selected from a set: the months that have some, oldest first. */
export function monthQuartiles({ months }: SalesSegment, selected: SlotBits): readonly MonthQuartiles[] {
  const found: MonthQuartiles[] = [];
  for (let month = selected.endMonth - 1; month >= selected.firstMonth; month--) {
    const count = selected.countOf(month);
    if (count === 0) continue;
    const priceAt = (rank: number) => months.priceOfSlot(selected.slotOf(month, rank));
    found.push(quartilesOf(defined(months.months[month]), count, priceAt));
  }
  return found;
}

/** Of gathered sales, given by their keys in any order: the months that have some, oldest first. */
export function monthQuartilesOf(
  { months }: SalesSegment,
  keys: Uint32Array,
  scratch: Scratch,
): readonly MonthQuartiles[] {
  const { starts, wordStarts, prices } = months;
  const bits = scratch.take(months.words).fill(0);
  for (let at = 0, { length } = keys; at < length; at++) setBit(bits, slotOfKey(defined(keys[at])));
  const own = scratch.take(months.largestMonth);
  const priceAt = (rank: number) => defined(own[rank]);
  const found: MonthQuartiles[] = [];
  for (let month = months.months.length - 1; month >= 0; month--) {
    const first = defined(wordStarts[month]);
    const end = defined(wordStarts[month + 1]);
    const start = defined(starts[month]) - 32 * first;
    let count = 0;
    for (let word = first; word < end; word++) {
      for (let rest = defined(bits[word]) | 0; rest !== 0; rest &= rest - 1) {
        const bit = 31 - Math.clz32(rest & -rest);
        own[count++] = defined(prices[start + 32 * word + bit]);
      }
    }
    if (count > 0) found.push(quartilesOf(defined(months.months[month]), count, priceAt));
  }
  return found;
}
