// The price of any rank among selected sales. A price has a rank in every month, and counting what is selected below those
// ranks tells on which side of the price the wanted rank lies. First the band is found so, as the ranks of its edges are
// kept; then its sales are read and sorted.

import { maskWithin } from '../../../columns/bits.ts';
import { lowerBound } from '../../../columns/sorted.ts';
import { defined } from '../../../out-of-range.ts';
import type { SalesSegment } from '../segment.ts';
import { endOfPrices, type SlotBits } from './slot-bits.ts';

/** So many guesses at the band come before halving. */
const guesses = 5;

type RankedPrice = {
  readonly price: number;
  /** How many selected sales are cheaper, and how many are not dearer. */
  readonly below: number;
  readonly through: number;
};

/** The prices of neighbouring ranks, from the first on, with all sales of each price. */
type Window = { readonly first: number; readonly prices: Uint32Array };

/** Prices from `low` to before `high`: `below` selected sales are cheaper than the one, `through` than the other. */
type Bracket = { low: number; high: number; below: number; through: number };

/** The ranks of the two prices in each month of the range. */
type Ranks = { froms: Uint32Array; tos: Uint32Array };

export class PriceSearch {
  readonly #segment: SalesSegment;
  readonly #selected: SlotBits;
  /** So many sales are read rather than halved again. */
  readonly #fewSales: number;
  /** What was found last: the next rank asked for is often a neighbour. */
  #window: Window | RankedPrice | undefined;

  constructor(segment: SalesSegment, selected: SlotBits, fewSales: number) {
    this.#segment = segment;
    this.#fewSales = fewSales;
    this.#selected = selected;
  }

  at(rank: number): RankedPrice {
    const known = this.#window === undefined ? undefined : within(this.#window, rank);
    if (known !== undefined) return known;
    this.#window = this.#search(rank);
    const found = within(this.#window, rank);
    if (found === undefined) throw new RangeError(`There is no rank ${rank} among ${this.#selected.total}.`);
    return found;
  }

  #search(rank: number): Window | RankedPrice {
    const { bracket, ranks } = this.#bandOf(rank);
    while (bracket.through - bracket.below > this.#fewSales) {
      const { low, high, below, through } = bracket;
      if (high - low === 1) return { price: low, below, through };
      this.#halve(bracket, ranks, Math.floor((low + high) / 2), rank);
    }
    const prices = this.#pricesIn(ranks, bracket.through - bracket.below);
    return { first: bracket.below, prices: prices.sort() };
  }

  #bandOf(rank: number): { readonly bracket: Bracket; readonly ranks: Ranks } {
    const { months } = this.#segment;
    const { edges } = months;
    let [low, high] = [this.#selected.firstBand, this.#selected.endBand];
    let [below, through] = [0, this.#selected.total];
    for (let step = 0; high - low > 1; step++) {
      // Bands have equally many sales, and those of most selections are spread alike.
      const share = step < guesses ? (rank - below) / (through - below) : 0.5;
      const edge = Math.min(Math.max(low + Math.round((high - low) * share), low + 1), high - 1);
      const count = this.#selected.countBelow(months.ranksOfEdge(edge), this.#selected.firstMonth);
      if (count > rank) [high, through] = [edge, count];
      else [low, below] = [edge, count];
    }
    const { firstMonth, froms } = this.#selected;
    return {
      bracket: { low: defined(edges[low]), high: edges[high] ?? endOfPrices, below, through },
      ranks: {
        froms: froms.map((_, at) => months.rankOfEdge(low, firstMonth + at)),
        tos: froms.map((_, at) => months.rankOfEdge(high, firstMonth + at)),
      },
    };
  }

  /** Keeps the side of a price on which the rank lies. */
  #halve(bracket: Bracket, ranks: Ranks, price: number, rank: number): void {
    const { months } = this.#segment;
    const { firstMonth } = this.#selected;
    const { froms, tos } = ranks;
    const middles = new Uint32Array(froms.length);
    for (let at = 0; at < middles.length; at++) {
      middles[at] = months.rankBetween(firstMonth + at, defined(froms[at]), defined(tos[at]), price);
    }
    const count = this.#selected.countBelow(middles, 0);
    if (count > rank) {
      bracket.high = price;
      bracket.through = count;
      ranks.tos = middles;
    } else {
      bracket.low = price;
      bracket.below = count;
      ranks.froms = middles;
    }
  }

  #pricesIn({ froms, tos }: Ranks, count: number): Uint32Array {
    const { starts, wordStarts, prices } = this.#segment.months;
    const { bits, firstMonth, firstWord } = this.#selected;
    const found = new Uint32Array(count);
    let at = 0;
    // What SlotBits.eachIn does, written out: a call for each sale would cost as much as all the rest.
    for (let index = 0; index < froms.length; index++) {
      const from = defined(froms[index]);
      const to = defined(tos[index]);
      if (from >= to) continue;
      const start = defined(starts[firstMonth + index]);
      const monthWord = defined(wordStarts[firstMonth + index]) - firstWord;
      const first = from >>> 5;
      const last = (to - 1) >>> 5;
      for (let word = first; word <= last; word++) {
        let rest = defined(bits[monthWord + word]) | 0;
        if (word === first || word === last) rest &= maskWithin(word, from, to);
        const position = start + 32 * word;
        for (; rest !== 0; rest &= rest - 1) {
          found[at++] = defined(prices[position + 31 - Math.clz32(rest & -rest)]);
        }
      }
    }
    return found;
  }
}

function within(window: Window | RankedPrice, rank: number): RankedPrice | undefined {
  if ('price' in window) return rank >= window.below && rank < window.through ? window : undefined;
  const { first, prices } = window;
  if (rank < first || rank >= first + prices.length) return undefined;
  const price = defined(prices[rank - first]);
  return { price, below: first + lowerBound(prices, price), through: first + lowerBound(prices, price + 1) };
}
