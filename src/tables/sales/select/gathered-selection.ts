// The sales of streets and postcodes, gathered from their runs and counted in buckets, so that only the buckets in question
// are looked at and sorted.

import { nth } from '../../../columns/nth.ts';
import type { Scratch } from '../../../columns/scratch.ts';
import { lastNotAbove } from '../../../columns/sorted.ts';
import { defined } from '../../../out-of-range.ts';
import { keyOf, type Spans, slotOfKey } from '../runs.ts';
import type { SalesSegment } from '../segment.ts';
import type { Totals } from '../sets.ts';
import {
  countPrices,
  firstKeyOf,
  type GatheredSales,
  gather,
  keepBetween,
  keepBuckets,
  priceBucketOf,
  priceBuckets,
  type SaleColumns,
  sumFew,
} from './gather.ts';
import { monthMediansOf } from './month-medians.ts';
import { monthQuartilesOf } from './month-quartiles.ts';
import type { MonthFigures, MonthQuartiles, SaleOrder, SaleRange, Selection } from './selection.ts';

/** The ranks that are usually asked for, as shares of all. They are looked up together. */
const usualShares = [0, 0.25, 0.5, 0.75, 1];

export class GatheredSelection implements Selection {
  readonly total: number;
  readonly totals: () => readonly Totals[];
  readonly #segment: SalesSegment;
  readonly #scratch: Scratch;
  readonly #sales: GatheredSales;
  /** How many sales are in the buckets of prices before each, and in all; undefined for a few sales, which are sorted. */
  readonly #belowPrice: Uint32Array | undefined;
  /** The prices of the buckets that were looked at. */
  readonly #looked = new Map<number, Uint32Array>();
  #sorted: Uint32Array | undefined;

  /** Up to `few` sales are looked at one by one rather than by bucket. */
  constructor(segment: SalesSegment, spans: Spans, range: SaleRange, scratch: Scratch, few: number) {
    this.#segment = segment;
    this.#scratch = scratch;
    this.#sales = gather(segment, spans, range, scratch);
    this.total = this.#sales.keys.length;
    if (this.total <= few) {
      this.totals = () => sumFew(this.#sales);
    } else {
      const { belowPrice, totals } = countPrices(this.#sales, scratch);
      this.#belowPrice = belowPrice;
      this.totals = () => totals;
    }
  }

  priceAt(rank: number): number {
    const below = this.#belowPrice;
    if (below === undefined) {
      this.#sorted ??= this.#sales.prices.slice().sort();
      return defined(this.#sorted[rank]);
    }
    const bucket = bucketAt(below, rank);
    if (this.#looked.size === 0) {
      const ranks = usualShares.map((share) => Math.floor((this.total - 1) * share));
      this.#look(
        ranks.map((one) => bucketAt(below, one)),
        below,
      );
    }
    if (!this.#looked.has(bucket)) this.#look([bucket], below);
    const prices = this.#looked.get(bucket);
    if (prices === undefined) throw new RangeError(`There is no rank ${rank} among ${this.total}.`);
    return nth(prices, rank - defined(below[bucket]));
  }

  #look(buckets: readonly number[], below: Uint32Array): void {
    const { prices } = this.#inBuckets(buckets);
    const next = new Uint32Array(priceBuckets);
    let count = 0;
    for (const bucket of new Set(buckets)) {
      next[bucket] = count;
      count += defined(below[bucket + 1]) - defined(below[bucket]);
    }
    const found = this.#scratch.take(count);
    for (const price of prices) {
      const bucket = priceBucketOf(price);
      const at = defined(next[bucket]);
      found[at] = price;
      next[bucket] = at + 1;
    }
    for (const bucket of buckets) {
      const end = defined(next[bucket]);
      const size = defined(below[bucket + 1]) - defined(below[bucket]);
      this.#looked.set(bucket, found.subarray(end - size, end));
    }
  }

  #inBuckets(buckets: readonly number[]): SaleColumns {
    const isWanted = new Uint8Array(priceBuckets);
    for (const bucket of buckets) isWanted[bucket] = 1;
    const room = this.total + 1;
    const [keys, prices] = [this.#scratch.take(room), this.#scratch.take(room)];
    const count = keepBuckets(this.#sales, isWanted, { keys, prices });
    return { keys: keys.subarray(0, count), prices: prices.subarray(0, count) };
  }

  page(offset: number, limit: number, { by, direction }: SaleOrder): Uint32Array {
    const count = Math.max(0, Math.min(limit, this.total - offset));
    if (count === 0) return new Uint32Array(0);
    if (by === 'price') return this.#pageByPrice(offset, count, direction);
    if (direction === 'falling') return this.#pageByDate(offset, count);
    return this.#pageByDate(this.total - offset - count, count).reverse();
  }

  /** Keys follow the months, so the page lies in the months that its buckets of keys touch. */
  #pageByDate(offset: number, count: number): Uint32Array {
    const { months } = this.#segment;
    const { keys, belowKey: below } = this.#sales;
    const first = bucketAt(below, offset);
    const last = bucketAt(below, offset + count - 1);
    const firstKey = firstKeyOf(first);
    const endSlot = Math.min(slotOfKey(firstKeyOf(last + 1)), months.firstSlotOf(months.months.length));
    const fromMonth = months.monthOfSlot(slotOfKey(firstKey));
    const afterMonth = months.monthOfSlot(endSlot - 1) + 1;
    const [from, to] = [months.firstSlotOf(fromMonth), months.firstSlotOf(afterMonth)];
    const room = this.#scratch.take(keys.length + 1);
    const near = room.subarray(0, keepBetween(keys, keyOf(from, 0), keyOf(to, 0), room));
    const before = defined(below[first]) - near.reduce((count, key) => count + (key < firstKey ? 1 : 0), 0);
    return near
      .map((key) => months.rowOfSlot(slotOfKey(key)))
      .sort()
      .slice(offset - before, offset - before + count);
  }

  /** Sales of one price are in the order of keys, whichever direction the prices have. */
  #pageByPrice(offset: number, count: number, direction: SaleOrder['direction']): Uint32Array {
    const { months } = this.#segment;
    const isRising = direction === 'rising';
    const rank = isRising ? offset : this.total - offset - count;
    const near = this.#nearRanks(rank, rank + count - 1);
    let { below } = near;
    const prices = near.prices.slice();
    const low = nth(prices, rank - below);
    const high = nth(prices, rank - below + count - 1);
    const found: { readonly price: number; readonly key: number }[] = [];
    for (let at = 0, { length } = near.prices; at < length; at++) {
      const price = defined(near.prices[at]);
      if (price < low) below += 1;
      else if (price <= high) found.push({ price, key: defined(near.keys[at]) });
    }
    const sign = isRising ? 1 : -1;
    found.sort((a, b) => sign * (a.price - b.price) || a.key - b.key);
    const skipped = offset - (isRising ? below : this.total - below - found.length);
    return Uint32Array.from(found.slice(skipped, skipped + count), ({ key }) =>
      months.rowOfSlot(slotOfKey(key)),
    );
  }

  /** Sales among which those of two ranks and all between are, and how many cost less than any of them. */
  #nearRanks(lowest: number, highest: number): SaleColumns & { readonly below: number } {
    const { keys, prices } = this.#sales;
    if (this.#belowPrice === undefined) return { keys, prices, below: 0 };
    const first = bucketAt(this.#belowPrice, lowest);
    const last = bucketAt(this.#belowPrice, highest);
    const buckets = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    return { ...this.#inBuckets(buckets), below: defined(this.#belowPrice[first]) };
  }

  months(): readonly MonthFigures[] {
    return monthMediansOf(this.#segment, this.#sales.keys, this.#scratch);
  }

  monthQuartiles(): readonly MonthQuartiles[] {
    return monthQuartilesOf(this.#segment, this.#sales.keys, this.#scratch);
  }
}

/** The bucket that has the rank. */
const bucketAt = (below: Uint32Array, rank: number): number => lastNotAbove(below, rank, 0, below.length - 2);
