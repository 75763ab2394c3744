// The middle prices of selected sales by calendar month and type, from counting the bits of each month.

import { lowestBit, popcount } from './bits.ts';
import { propertyTypes } from './sales-part.ts';
import type { SalesSegment } from './sales-segment.ts';
import { type SelectedSlots, typeFlips } from './selected-slots.ts';
import type { Figures, MonthFigures } from './selection.ts';

/** Up to 32 of each type are counted in so many bits of one number, those of the first type in the lowest. */
const countBits = 6;
const countMask = 63;

/** Months that have sales, oldest first. */
export function monthMedians(segment: SalesSegment, selected: SelectedSlots): readonly MonthFigures[] {
  const { months } = segment;
  const figures: MonthFigures[] = [];
  const medians = new MonthMedians(segment, selected);
  for (let month = selected.endMonth - 1; month >= selected.firstMonth; month--) {
    if (selected.countOf(month) > 0) figures.push({ month: months.months[month] ?? 0, ...medians.of(month) });
  }
  return figures;
}

class MonthMedians {
  readonly #segment: SalesSegment;
  readonly #selected: SelectedSlots;
  readonly #typeBits: ReturnType<SelectedSlots['typeBits']>;
  /** Of each word of the month: how many are selected, and how many of each type. */
  readonly #all: Uint8Array;
  readonly #byType: Int32Array;

  constructor(segment: SalesSegment, selected: SelectedSlots) {
    this.#segment = segment;
    this.#selected = selected;
    this.#typeBits = selected.typeBits();
    const { wordStarts } = segment.months;
    const words = wordStarts.reduce(
      (most, start, at) => Math.max(most, start - (wordStarts[at - 1] ?? 0)),
      0,
    );
    this.#all = new Uint8Array(words);
    this.#byType = new Int32Array(words);
  }

  of(month: number): Omit<MonthFigures, 'month'> {
    const { wordStarts } = this.#segment.months;
    const first = (wordStarts[month] ?? 0) - this.#selected.firstWord;
    const words = (wordStarts[month + 1] ?? 0) - this.#selected.firstWord - first;
    const counts = this.#count(first, words);
    return {
      all: this.#figures(month, first, this.#selected.countOf(month), undefined),
      byType: propertyTypes.map((_, type) => this.#figures(month, first, counts[type] ?? 0, type)),
    };
  }

  /** Of each type. */
  #count(first: number, words: number): Uint32Array {
    const { bits } = this.#selected;
    const [low, high, other] = this.#typeBits;
    const counts = new Uint32Array(propertyTypes.length);
    let [semis, terraced, flats, others, all] = [0, 0, 0, 0, 0];
    for (let word = 0; word < words; word++) {
      const at = first + word;
      const own = (bits[at] ?? 0) | 0;
      if (own === 0) {
        this.#all[word] = 0;
        this.#byType[word] = 0;
        continue;
      }
      const ownLow = own & (low[at] ?? 0);
      const ownHigh = own & (high[at] ?? 0);
      const ownFlats = popcount(ownLow & ownHigh);
      const ownSemis = popcount(ownLow) - ownFlats;
      const ownTerraced = popcount(ownHigh) - ownFlats;
      const ownOthers = popcount(own & (other[at] ?? 0));
      const ownAll = own === -1 ? 32 : popcount(own);
      const detached = ownAll - ownSemis - ownTerraced - ownFlats - ownOthers;
      this.#all[word] = ownAll;
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

  /** The sale in the middle, or the two, among so many of a type. */
  #figures(month: number, first: number, count: number, type: number | undefined): Figures {
    if (count === 0) return { count, medianPounds: 0 };
    const { starts, prices } = this.#segment.months;
    let toSkip = (count - 1) >> 1;
    let word = 0;
    if (type === undefined) {
      for (let own = this.#all[0] ?? 0; own <= toSkip; own = this.#all[++word] ?? 0) toSkip -= own;
    } else {
      const shift = type * countBits;
      const ownOf = (at: number) => ((this.#byType[at] ?? 0) >>> shift) & countMask;
      for (let own = ownOf(0); own <= toSkip; own = ownOf(++word)) toSkip -= own;
    }
    let rest = this.#bitsOf(first + word, type);
    for (; toSkip > 0; toSkip--) rest &= rest - 1;
    const start = starts[month] ?? 0;
    const lower = prices[start + 32 * word + lowestBit(rest)] ?? 0;
    if (count % 2 === 1) return { count, medianPounds: lower };
    rest &= rest - 1;
    while (rest === 0) rest = this.#bitsOf(first + ++word, type);
    return { count, medianPounds: (lower + (prices[start + 32 * word + lowestBit(rest)] ?? 0)) / 2 };
  }

  #bitsOf(word: number, type: number | undefined): number {
    const own = this.#selected.bits[word] ?? 0;
    if (type === undefined) return own | 0;
    const [low, high, other] = this.#typeBits;
    const [flipLow, flipHigh, flipOther] = typeFlips(type);
    return (
      own & ((low[word] ?? 0) ^ flipLow) & ((high[word] ?? 0) ^ flipHigh) & ((other[word] ?? 0) ^ flipOther)
    );
  }
}
