// The median prices of sales by calendar month and type: of those selected from a set by counting bits, of gathered ones
// by reading their prices.

import { bitWords, lowestBit, popcount, setBit } from '../../../columns/bits.ts';
import { outOfRange } from '../../../columns/out-of-range.ts';
import type { Scratch } from '../../../columns/scratch.ts';
import { propertyTypes } from '../kinds.ts';
import { slotOfKey } from '../runs.ts';
import type { SalesSegment } from '../segment.ts';
import type { Figures, MonthFigures } from './selection.ts';
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
  for (let at = 0, { length } = keys; at < length; at++) setBit(bits, slotOfKey(keys[at] ?? outOfRange()));
  // The prices of a month, lowest first: a list for each value that three bits can have, and one for all.
  const room = months.largestMonth;
  const ofAll = 8;
  const lists = scratch.take((ofAll + 1) * room);
  const counts = new Uint32Array(ofAll + 1);
  const figuresOf = (list: number): Figures | undefined => {
    const count = counts[list] ?? outOfRange();
    if (count === 0) return undefined;
    const lower = lists[list * room + ((count - 1) >> 1)] ?? outOfRange();
    const upper = lists[list * room + (count >> 1)] ?? outOfRange();
    return { count, medianPounds: (lower + upper) / 2 };
  };
  const figures: MonthFigures[] = [];
  for (let month = months.months.length - 1; month >= 0; month--) {
    const first = wordStarts[month] ?? outOfRange();
    const end = wordStarts[month + 1] ?? outOfRange();
    const start = (starts[month] ?? outOfRange()) - 32 * first;
    let all = 0;
    for (let word = first; word < end; word++) {
      let rest = (bits[word] ?? outOfRange()) | 0;
      if (rest === 0) continue;
      const ownLow = low[word] ?? outOfRange();
      const ownHigh = high[word] ?? outOfRange();
      const ownOther = other[word] ?? outOfRange();
      for (; rest !== 0; rest &= rest - 1) {
        const bit = 31 - Math.clz32(rest & -rest);
        const price = prices[start + 32 * word + bit] ?? outOfRange();
        const type =
          ((ownLow >>> bit) & 1) | (((ownHigh >>> bit) & 1) << 1) | (((ownOther >>> bit) & 1) << 2);
        const count = counts[type] ?? outOfRange();
        lists[type * room + count] = price;
        counts[type] = count + 1;
        lists[ofAll * room + all++] = price;
      }
    }
    if (all === 0) continue;
    counts[ofAll] = all;
    figures.push({
      month: months.months[month] ?? outOfRange(),
      all: figuresOf(ofAll) ?? outOfRange(),
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
      figures.push({ month: months.months[month] ?? outOfRange(), ...medians.of(month) });
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
    const first = (wordStarts[month] ?? outOfRange()) - this.#selected.firstWord;
    const words = (wordStarts[month + 1] ?? outOfRange()) - this.#selected.firstWord - first;
    const counts = this.#count(first, words);
    return {
      all,
      byType: propertyTypes.map((_, type) =>
        this.#figuresOf(type, month, first, counts[type] ?? outOfRange()),
      ),
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
      const own = (bits[at] ?? outOfRange()) | 0;
      if (own === 0) {
        this.#byType[word] = 0;
        continue;
      }
      const ownLow = own & (low[at] ?? outOfRange());
      const ownHigh = own & (high[at] ?? outOfRange());
      const ownFlats = popcount(ownLow & ownHigh);
      const ownSemis = popcount(ownLow) - ownFlats;
      const ownTerraced = popcount(ownHigh) - ownFlats;
      const ownOthers = popcount(own & (other[at] ?? outOfRange()));
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
    const ownOf = (at: number) => ((this.#byType[at] ?? outOfRange()) >>> shift) & countMask;
    let toSkip = (count - 1) >> 1;
    let word = 0;
    for (let own = ownOf(0); own <= toSkip; own = ownOf(++word)) toSkip -= own;
    let rest = this.#bitsOf(first + word, type);
    for (; toSkip > 0; toSkip--) rest &= rest - 1;
    const start = starts[month] ?? outOfRange();
    const lower = prices[start + 32 * word + lowestBit(rest)] ?? outOfRange();
    if (count % 2 === 1) return { count, medianPounds: lower };
    rest &= rest - 1;
    while (rest === 0) rest = this.#bitsOf(first + ++word, type);
    return {
      count,
      medianPounds: (lower + (prices[start + 32 * word + lowestBit(rest)] ?? outOfRange())) / 2,
    };
  }

  #bitsOf(word: number, type: number): number {
    const [low, high, other] = this.#typeBits;
    const [flipLow, flipHigh, flipOther] = typeFlips(type);
    return (
      (this.#selected.bits[word] ?? outOfRange()) &
      ((low[word] ?? outOfRange()) ^ flipLow) &
      ((high[word] ?? outOfRange()) ^ flipHigh) &
      ((other[word] ?? outOfRange()) ^ flipOther)
    );
  }
}
