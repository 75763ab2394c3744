// The sales of streets and postcodes, copied from the runs in which they stand side by side. While they are copied they
// are counted in buckets, so that later only those of the buckets in question are looked at and put in order.

import { isBelow, setBit } from './bits.ts';
import { type GatheredSales, gather, priceBuckets, priceShift, slotShift } from './gathered-sales.ts';
import { monthMedians } from './month-medians.ts';
import { nth } from './price-search.ts';
import type { SaleMonths } from './sale-months.ts';
import type { Runs } from './sale-places.ts';
import type { SalesSegment } from './sales-segment.ts';
import type { Scratch } from './scratch.ts';
import { endOfPrices, SelectedSlots } from './selected-slots.ts';
import type { MonthFigures, SaleOrder, SaleRange, Selection, TypeTotals } from './selection.ts';

/** Prices of these ranks are what is asked for, as shares of all; they are looked up together. */
const usualShares = [0, 0.25, 0.5, 0.75, 1];

/** As in the pass that gathers the sales, a loop names nothing that is imported. */
export class GatheredSelection implements Selection {
  readonly total: number;
  readonly totals: () => readonly TypeTotals[];
  readonly #segment: SalesSegment;
  readonly #range: SaleRange;
  readonly #scratch: Scratch;
  readonly #sales: GatheredSales;
  /** How many sales are in the buckets of prices before each, and in all. */
  readonly #belowPrice: Uint32Array;
  /** The prices of buckets that were looked at. */
  readonly #looked = new Map<number, Uint32Array>();

  constructor(segment: SalesSegment, runs: Runs, range: SaleRange, scratch: Scratch) {
    this.#segment = segment;
    this.#range = range;
    this.#scratch = scratch;
    this.#sales = gather(segment, runs, range, scratch);
    this.#belowPrice = belowBuckets(this.#sales.byPrice);
    this.total = this.#sales.slots.length;
    this.totals = () => this.#sales.totals;
  }

  priceAt(rank: number): number {
    const bucket = bucketAt(this.#belowPrice, rank);
    if (this.#looked.size === 0) {
      this.#look(
        usualShares.map((share) => bucketAt(this.#belowPrice, Math.floor((this.total - 1) * share))),
      );
    }
    if (!this.#looked.has(bucket)) this.#look([bucket]);
    const prices = this.#looked.get(bucket);
    if (prices === undefined) throw new RangeError(`There is no rank ${rank} among ${this.total}.`);
    return nth(prices, rank - (this.#belowPrice[bucket] ?? 0));
  }

  #look(buckets: readonly number[]): void {
    const { prices } = this.#sales;
    const below = this.#belowPrice;
    const isWanted = new Uint8Array(priceBuckets);
    const next = new Uint32Array(priceBuckets);
    let count = 0;
    for (const bucket of new Set(buckets)) {
      isWanted[bucket] = 1;
      next[bucket] = count;
      count += (below[bucket + 1] ?? 0) - (below[bucket] ?? 0);
    }
    const found = this.#scratch.take(count);
    const [shift, lastBucket] = [priceShift | 0, (priceBuckets - 1) | 0];
    for (let at = 0; at < prices.length; at++) {
      const price = prices[at] ?? 0;
      const bucket = Math.min(price >>> shift, lastBucket);
      if (isWanted[bucket] === 0) continue;
      const place = next[bucket] ?? 0;
      found[place] = price;
      next[bucket] = place + 1;
    }
    for (const bucket of buckets) {
      const end = next[bucket] ?? 0;
      const size = (below[bucket + 1] ?? 0) - (below[bucket] ?? 0);
      this.#looked.set(bucket, found.subarray(end - size, end));
    }
  }

  page(offset: number, limit: number, { by, direction }: SaleOrder): Uint32Array {
    const count = Math.max(0, Math.min(limit, this.total - offset));
    if (count === 0) return new Uint32Array(0);
    if (by === 'price') return this.#pageByPrice(offset, count, direction);
    if (direction === 'falling') return this.#pageByDate(offset, count);
    return this.#pageByDate(this.total - offset - count, count).reverse();
  }

  /** Slots are in the order of months, so the page lies in the months that its buckets of slots touch. */
  #pageByDate(offset: number, count: number): Uint32Array {
    const { months } = this.#segment;
    const { slots, bySlot } = this.#sales;
    const below = belowBuckets(bySlot);
    const first = bucketAt(below, offset);
    const last = bucketAt(below, offset + count - 1);
    const firstSlot = first << slotShift;
    const lastSlot = Math.min((last + 1) << slotShift, endOf(months)) - 1;
    const from = months.firstSlotOf(months.monthOfSlot(firstSlot));
    const width = months.firstSlotOf(months.monthOfSlot(lastSlot) + 1) - from;
    const near = this.#scratch.take(slots.length + 1);
    let found = 0;
    const isWithin = isBelow;
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at] ?? 0;
      near[found] = slot;
      found = (found + isWithin((slot - from) | 0, width)) | 0;
    }
    const own = near.subarray(0, found);
    const before = (below[first] ?? 0) - own.reduce((count, slot) => count + isBelow(slot, firstSlot), 0);
    return own
      .map((slot) => months.rowOfSlot(slot))
      .sort()
      .slice(offset - before, offset - before + count);
  }

  /** Sales of one price are in the order of slots, whichever way the prices go. */
  #pageByPrice(offset: number, count: number, direction: SaleOrder['direction']): Uint32Array {
    const { months } = this.#segment;
    const isRising = direction === 'rising';
    const rank = isRising ? offset : this.total - offset - count;
    const near = this.#inBuckets(
      bucketAt(this.#belowPrice, rank),
      bucketAt(this.#belowPrice, rank + count - 1),
    );
    const prices = near.prices.slice();
    const low = nth(prices, rank - near.below);
    const high = nth(prices, rank - near.below + count - 1);
    const found: { readonly price: number; readonly slot: number }[] = [];
    let below = near.below;
    for (let at = 0; at < near.prices.length; at++) {
      const price = near.prices[at] ?? 0;
      if (price < low) below += 1;
      else if (price <= high) found.push({ price, slot: near.slots[at] ?? 0 });
    }
    const sign = isRising ? 1 : -1;
    found.sort((a, b) => sign * (a.price - b.price) || a.slot - b.slot);
    const skipped = offset - (isRising ? below : this.total - below - found.length);
    return Uint32Array.from(found.slice(skipped, skipped + count), ({ slot }) => months.rowOfSlot(slot));
  }

  /** The sales from one bucket of prices to another, and how many are cheaper. */
  #inBuckets(first: number, last: number) {
    const { slots, prices } = this.#sales;
    const below = this.#belowPrice[first] ?? 0;
    const count = (this.#belowPrice[last + 1] ?? 0) - below;
    const width = last - first + 1;
    // One place more, for what is written and not kept.
    const nearSlots = this.#scratch.take(count + 1);
    const nearPrices = this.#scratch.take(count + 1);
    let found = 0;
    const isWithin = isBelow;
    const [shift, lastBucket] = [priceShift | 0, (priceBuckets - 1) | 0];
    for (let at = 0; at < prices.length; at++) {
      const price = prices[at] ?? 0;
      nearSlots[found] = slots[at] ?? 0;
      nearPrices[found] = price;
      found = (found + isWithin((Math.min(price >>> shift, lastBucket) - first) | 0, width)) | 0;
    }
    return { slots: nearSlots.subarray(0, count), prices: nearPrices.subarray(0, count), below };
  }

  months(): readonly MonthFigures[] {
    const { slots } = this.#sales;
    const bits = this.#scratch.take(this.#segment.months.words).fill(0);
    const mark = setBit;
    for (let at = 0; at < slots.length; at++) mark(bits, slots[at] ?? 0);
    return monthMedians(
      this.#segment,
      new SelectedSlots(this.#segment, bits, { ...this.#range, ...any }, this.#scratch),
    );
  }
}

/** Prices and kinds were looked at when the sales were gathered. */
const any = {
  kinds: { type: undefined, age: undefined, category: undefined },
  minPrice: 0,
  maxPrice: endOfPrices - 1,
};

const endOf = (months: SaleMonths): number => 32 * months.words;

/** How many are in the buckets before each, and in all. */
function belowBuckets(counts: Uint32Array): Uint32Array {
  const below = new Uint32Array(counts.length + 1);
  for (let bucket = 0; bucket < counts.length; bucket++) {
    below[bucket + 1] = (below[bucket] ?? 0) + (counts[bucket] ?? 0);
  }
  return below;
}

/** The bucket that has the rank. */
function bucketAt(below: Uint32Array, rank: number): number {
  let [low, high] = [0, below.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((below[middle] ?? 0) <= rank) low = middle;
    else high = middle - 1;
  }
  return low;
}
