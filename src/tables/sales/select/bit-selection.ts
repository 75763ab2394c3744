// Sales selected from a set, answered by counting bits. Only the sales of the page, and those next to a price that is asked
// for, are looked at.

import { hasBit, maskWithin } from '../../../columns/bits.ts';
import { firstIndex, lowerBound } from '../../../columns/sorted.ts';
import { defined } from '../../../out-of-range.ts';
import type { SalesSegment } from '../segment.ts';
import type { Totals } from '../sets.ts';
import { monthMedians, monthQuartiles } from './month-medians.ts';
import type { MonthFigures, MonthQuartiles, SaleOrder, Selection } from './selection.ts';
import { endOfPrices, type SlotBits } from './slot-bits.ts';

/** Where fewer than one row of a month in so many is selected, they are collected and sorted instead of looked for. */
const sparseShare = 16;

// The price of any rank among selected sales. A price has a rank in every month, and counting what is selected below those
// ranks tells on which side of the price the wanted rank lies. First the band is found so, as the ranks of its edges are
// kept; then its sales are read and sorted.

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

class PriceSearch {
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

export class BitSelection implements Selection {
  readonly total: number;
  /** In the order of `propertyTypes`. */
  readonly totals: () => readonly Totals[];
  readonly #segment: SalesSegment;
  readonly #selected: SlotBits;
  readonly #search: PriceSearch;

  constructor(segment: SalesSegment, selected: SlotBits, totals: () => readonly Totals[], fewLooked: number) {
    this.#segment = segment;
    this.#selected = selected;
    this.#search = new PriceSearch(segment, selected, fewLooked);
    this.total = selected.total;
    this.totals = totals;
  }

  priceAt(rank: number): number {
    if (rank === 0) return this.#lowestPrice();
    if (rank === this.total - 1) return this.#highestPrice();
    return this.#search.at(rank).price;
  }

  #lowestPrice(): number {
    const { months } = this.#segment;
    let lowest = Number.POSITIVE_INFINITY;
    for (let month = this.#selected.firstMonth; month < this.#selected.endMonth; month++) {
      if (this.#selected.countOf(month) === 0) continue;
      lowest = Math.min(lowest, months.priceOfSlot(this.#selected.firstOf(month)));
    }
    return lowest;
  }

  #highestPrice(): number {
    const { months } = this.#segment;
    let highest = 0;
    for (let month = this.#selected.firstMonth; month < this.#selected.endMonth; month++) {
      if (this.#selected.countOf(month) === 0) continue;
      highest = Math.max(highest, months.priceOfSlot(this.#selected.lastOf(month)));
    }
    return highest;
  }

  page(offset: number, limit: number, order: SaleOrder): Uint32Array {
    const count = Math.max(0, Math.min(limit, this.total - offset));
    if (count === 0) return new Uint32Array(0);
    if (order.by === 'price') return this.#pageByPrice(offset, count, order.direction);
    if (order.direction === 'falling') return this.#pageByDate(offset, count);
    return this.#pageByDate(this.total - offset - count, count).reverse();
  }

  #pageByDate(offset: number, count: number): Uint32Array {
    const selected = this.#selected;
    const rows = new Uint32Array(count);
    let found = 0;
    for (let month = this.#monthAt(offset); found < count; month++) {
      const before = selected.countBeforeMonth(month);
      const own = this.#rowsOf(month, selected.countOf(month));
      const wanted = own.subarray(Math.max(0, offset - before), offset + count - before);
      rows.set(wanted, found);
      found += wanted.length;
    }
    return rows;
  }

  /** The month of the selected sale that has `offset` newer ones before it. */
  #monthAt(offset: number): number {
    const { firstMonth, endMonth } = this.#selected;
    return (
      firstIndex(firstMonth + 1, endMonth, (month) => this.#selected.countBeforeMonth(month) > offset) - 1
    );
  }

  /** The selected rows of a month, `count` of them, in order. */
  #rowsOf(month: number, count: number): Uint32Array {
    const { months } = this.#segment;
    const { bits, firstWord } = this.#selected;
    const rows = new Uint32Array(count);
    const start = defined(months.starts[month]);
    const end = defined(months.starts[month + 1]);
    let found = 0;
    if (count * sparseShare < end - start) {
      this.#selected.eachIn(month, 0, end - start, (rank) => {
        rows[found++] = start + defined(months.rows[start + rank]);
      });
      return rows.sort();
    }
    const first = 32 * (defined(months.wordStarts[month]) - firstWord);
    for (let row = start; found < count; row++) {
      if (hasBit(bits, first + defined(months.ranks[row]))) rows[found++] = row;
    }
    return rows;
  }

  /** The page's first and last price may have very many sales, but those are in order as they stand. Few lie between. */
  #pageByPrice(offset: number, count: number, direction: SaleOrder['direction']): Uint32Array {
    const isRising = direction === 'rising';
    const { total } = this;
    const first = this.#search.at(isRising ? offset : total - 1 - offset);
    const last = this.#search.at(isRising ? offset + count - 1 : total - offset - count);
    const rows: number[] = [];
    const skipped = offset - (isRising ? first.below : total - first.through);
    this.#addPriced(first.price, skipped, count, rows);
    if (first.price === last.price) return Uint32Array.from(rows);
    const [low, high] = isRising ? [first.price, last.price] : [last.price, first.price];
    const between: number[] = [];
    this.#eachPriced(low + 1, high, (row) => {
      between.push(row);
      return 'on';
    });
    rows.push(...sortByPrice(Uint32Array.from(between), this.#segment, direction));
    this.#addPriced(last.price, 0, count, rows);
    return Uint32Array.from(rows);
  }

  /** Adds the sales of one price, newest first and after skipping some, until there are `count` rows. */
  #addPriced(price: number, skipped: number, count: number, rows: number[]): void {
    let toSkip = skipped;
    this.#eachPriced(price, price + 1, (row) => {
      if (toSkip > 0) toSkip--;
      else rows.push(row);
      return rows.length < count ? 'on' : 'enough';
    });
  }

  /** Visits the selected rows from one price to below another in the order by month and price. */
  #eachPriced(low: number, high: number, visit: (row: number) => 'on' | 'enough'): void {
    const { months } = this.#segment;
    const { firstMonth, endMonth } = this.#selected;
    const froms = new Uint32Array(endMonth - firstMonth);
    const tos = new Uint32Array(endMonth - firstMonth);
    months.fillRanks(months.bandedPrice(low), firstMonth, froms);
    months.fillRanks(months.bandedPrice(high), firstMonth, tos);
    let next: 'on' | 'enough' = 'on';
    for (let month = firstMonth; month < endMonth && next === 'on'; month++) {
      const start = defined(months.starts[month]);
      this.#selected.eachIn(
        month,
        defined(froms[month - firstMonth]),
        defined(tos[month - firstMonth]),
        (rank) => {
          if (next === 'on') next = visit(start + defined(months.rows[start + rank]));
        },
      );
    }
  }

  months(): readonly MonthFigures[] {
    return monthMedians(this.#segment, this.#selected);
  }

  monthQuartiles(): readonly MonthQuartiles[] {
    return monthQuartiles(this.#segment, this.#selected);
  }
}

function sortByPrice(
  rows: Uint32Array,
  segment: SalesSegment,
  direction: SaleOrder['direction'],
): Uint32Array {
  const sign = direction === 'rising' ? 1 : -1;
  const priced = Array.from(rows, (row) => ({ row, price: segment.price(row) }));
  priced.sort((a, b) => sign * (a.price - b.price) || a.row - b.row);
  return Uint32Array.from(priced, ({ row }) => row);
}
