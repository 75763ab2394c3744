// How many sales of each type are selected from a set, and what they cost together: taken from the running sums of the
// set. Only the sales between the nearest sums and the bounds of the range are looked at.

import { maskWithin } from '../../../columns/bits.ts';
import { lowerBound } from '../../../columns/sorted.ts';
import { defined } from '../../../out-of-range.ts';
import {
  anyKind,
  classCount,
  type KindMatch,
  kindMatchOf,
  kindPlanes,
  propertyTypes,
  typeIndexOf,
} from '../kinds.ts';
import type { SaleMonths } from '../months.ts';
import type { SalesSegment } from '../segment.ts';
import type { SaleSet, SetSums, Totals } from '../sets.ts';
import type { SaleRange } from './selection.ts';
import { endOfPrices, type SlotBits } from './slot-bits.ts';

/** Adds up numbers of sales and pounds by type. */
export class TypeSums {
  readonly counts: Float64Array = new Float64Array(propertyTypes.length);
  readonly sums: Float64Array = new Float64Array(propertyTypes.length);

  add(type: number, count: number, sumPounds: number): void {
    this.counts[type] = defined(this.counts[type]) + count;
    this.sums[type] = defined(this.sums[type]) + sumPounds;
  }

  get totals(): readonly Totals[] {
    return propertyTypes.map((_, type) => ({
      count: defined(this.counts[type]),
      sumPounds: defined(this.sums[type]),
    }));
  }
}

/** In the order of `propertyTypes`. Up to `fewSales` are added up one by one; also none at all, as where the lowest price
 *  asked for is above the highest. */
export function totalsOf(
  segment: SalesSegment,
  set: SaleSet,
  selected: SlotBits,
  range: SaleRange,
  fewSales: number,
): readonly Totals[] {
  const totals = new TypeSums();
  const { months } = segment;
  const { sums } = set;
  const [startCut, endCut] = [
    cutNear(months, sums, selected.firstWhole),
    cutNear(months, sums, selected.endWhole),
  ];
  if (selected.total <= fewSales || endCut <= startCut) {
    addOneByOne(months, selected, totals);
    return totals.totals;
  }
  const { firstMonth, endMonth, firstWhole, endWhole, froms, tos } = selected;
  const cutFrom = defined(sums.cuts[startCut]);
  const cutTo = defined(sums.cuts[endCut]);
  const [low, high] = [edgeNear(months, sums, range.minPrice), edgeNear(months, sums, range.maxPrice + 1)];
  const kinds = kindMatchOf(range.kinds);
  addSums(sums, kinds, [startCut, endCut], [low, high], totals);
  // Sums may leave out sales that are selected, and have others that are not.
  const own = new Adder(months, selected.bits, selected.firstWord, anyKind);
  const missing = new Adder(months, set.bits, 0, kinds);
  const superfluous = new Adder(months, set.bits, 0, kinds);
  for (let month = Math.min(firstMonth, cutFrom); month < Math.max(endMonth, cutTo); month++) {
    const isSummed = month >= cutFrom && month < cutTo;
    const lowEdge = months.rankOfEdge(low, month);
    const highEdge = months.rankOfEdge(high, month);
    if (month < firstMonth || month >= endMonth) {
      if (isSummed) superfluous.add(month, lowEdge, highEdge);
      continue;
    }
    const from = defined(froms[month - firstMonth]);
    const to = defined(tos[month - firstMonth]);
    if (isSummed && month >= firstWhole && month < endWhole) {
      missing.add(month, from, lowEdge);
      superfluous.add(month, lowEdge, from);
      missing.add(month, highEdge, to);
      superfluous.add(month, to, highEdge);
      continue;
    }
    if (isSummed) superfluous.add(month, lowEdge, highEdge);
    own.add(month, from, to);
  }
  own.addTo(totals, 1);
  missing.addTo(totals, 1);
  superfluous.addTo(totals, -1);
  return totals.totals;
}

function addOneByOne(
  months: SaleMonths,
  { bits, firstWord, firstMonth, endMonth, froms, tos }: SlotBits,
  totals: TypeSums,
): void {
  const adder = new Adder(months, bits, firstWord, anyKind);
  for (let month = firstMonth; month < endMonth; month++) {
    adder.add(month, defined(froms[month - firstMonth]), defined(tos[month - firstMonth]));
  }
  adder.addTo(totals, 1);
}

/** Adds what the sums hold between two cuts and two edges. */
function addSums(
  sums: SetSums,
  { mask, wanted }: KindMatch,
  [startCut, endCut]: readonly [number, number],
  [low, high]: readonly [number, number],
  totals: TypeSums,
): void {
  for (let saleClass = 0; saleClass < classCount; saleClass++) {
    if (((saleClass ^ wanted) & mask) !== 0) continue;
    const corners = [
      { own: sums.at(endCut, high, saleClass), sign: 1 },
      { own: sums.at(endCut, low, saleClass), sign: -1 },
      { own: sums.at(startCut, high, saleClass), sign: -1 },
      { own: sums.at(startCut, low, saleClass), sign: 1 },
    ];
    for (const { own, sign } of corners) {
      totals.add(typeIndexOf(saleClass), sign * own.count, sign * own.sumPounds);
    }
  }
}

/** The cut that has the fewest sales between it and the beginning of a month. */
function cutNear(months: SaleMonths, { cuts }: SetSums, month: number): number {
  const above = lowerBound(cuts, month);
  const rowsTo = (cut: number) =>
    Math.abs(defined(months.starts[defined(cuts[cut])]) - defined(months.starts[month]));
  return above > 0 && rowsTo(above - 1) < rowsTo(above) ? above - 1 : above;
}

/** One month in so many tells well enough which edge is nearer. */
const monthsPerSample = 16;

/** The edge with sums that has the fewest sales between it and a price. */
function edgeNear(months: SaleMonths, { bandsPerSum }: SetSums, price: number): number {
  if (price >= endOfPrices) return months.edges.length;
  const banded = months.bandedPrice(price);
  const below = banded.band - (banded.band % bandsPerSum);
  const above = Math.min(below + bandsPerSum, months.edges.length);
  let nearer = 0;
  for (let month = 0; month < months.months.length; month += monthsPerSample) {
    const rank = months.rankOf(banded, month);
    nearer += months.rankOfEdge(above, month) - rank - (rank - months.rankOfEdge(below, month));
  }
  return nearer < 0 ? above : below;
}

/** Adds up sales one by one: those of some kinds whose bits are set. The first of `bits` is the word `firstWord` of all. */
class Adder {
  readonly #months: SaleMonths;
  readonly #bits: Uint32Array;
  readonly #firstWord: number;
  readonly #typeBits: SaleMonths['typeBits'];
  readonly #kinds: readonly { readonly bits: Uint32Array; readonly flip: number }[];
  /** Sales take turns between two halves, so that an addition need not wait for the one before. */
  readonly #counts = new Float64Array(16);
  readonly #sums = new Float64Array(16);

  constructor(months: SaleMonths, bits: Uint32Array, firstWord: number, { mask, wanted }: KindMatch) {
    this.#months = months;
    this.#bits = bits;
    this.#firstWord = firstWord;
    this.#typeBits = months.typeBits;
    const kinds: { bits: Uint32Array; flip: number }[] = [];
    for (let plane = 0; plane < kindPlanes; plane++) {
      if (((mask >>> plane) & 1) === 0) continue;
      kinds.push({ bits: months.kindBits(plane), flip: ((wanted >>> plane) & 1) - 1 });
    }
    this.#kinds = kinds;
  }

  /** The sales of a month from one rank to before another; none where that is not higher. */
  add(month: number, from: number, to: number): void {
    if (from >= to) return;
    const { starts, wordStarts, prices } = this.#months;
    const [low, high, other] = this.#typeBits;
    const counts = this.#counts;
    const sums = this.#sums;
    const monthWord = defined(wordStarts[month]);
    const first = from >>> 5;
    const last = (to - 1) >>> 5;
    let odd = 0;
    for (let word = first; word <= last; word++) {
      const at = monthWord + word;
      let rest = defined(this.#bits[at - this.#firstWord]) | 0;
      if (word === first || word === last) rest &= maskWithin(word, from, to);
      if (rest === 0) continue;
      for (const { bits, flip } of this.#kinds) rest &= defined(bits[at]) ^ flip;
      const ownLow = defined(low[at]);
      const ownHigh = defined(high[at]);
      const ownOther = defined(other[at]);
      const position = defined(starts[month]) + 32 * word;
      for (; rest !== 0; rest &= rest - 1) {
        const bit = 31 - Math.clz32(rest & -rest);
        const type =
          ((ownLow >>> bit) & 1) | (((ownHigh >>> bit) & 1) << 1) | (((ownOther >>> bit) & 1) << 2) | odd;
        counts[type] = defined(counts[type]) + 1;
        sums[type] = defined(sums[type]) + defined(prices[position + bit]);
        odd ^= 8;
      }
    }
  }

  addTo(totals: TypeSums, sign: 1 | -1): void {
    const counts = this.#counts;
    const sums = this.#sums;
    for (let type = 0; type < propertyTypes.length; type++) {
      totals.add(type, sign * defined(counts[type]), sign * defined(sums[type]));
      totals.add(type, sign * defined(counts[type + 8]), sign * defined(sums[type + 8]));
    }
  }
}
