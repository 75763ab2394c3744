// The sales of streets and postcodes, gathered from their runs and counted in buckets, so that only the buckets in question
// are looked at and sorted.

import type { Scratch } from '../../../columns/scratch.ts';
import { lastNotAbove } from '../../../columns/sorted.ts';
import { defined } from '../../../out-of-range.ts';
import { type KindMatch, kindMatchOf, propertyTypes, typeIndexOf } from '../kinds.ts';
import type { SaleMonths } from '../months.ts';
import { classOfKey, keyOf, lengthOf, type Spans, slotOfKey } from '../runs.ts';
import type { SalesSegment } from '../segment.ts';
import type { Totals } from '../sets.ts';
import { monthMediansOf, monthQuartilesOf } from './month-medians.ts';
import type { MonthFigures, MonthQuartiles, SaleOrder, SaleRange, Selection } from './selection.ts';
import { endOfPrices } from './slot-bits.ts';
import { TypeSums } from './totals.ts';

/** The ranks that are usually asked for, as shares of all. They are looked up together. */
const usualShares = [0, 0.25, 0.5, 0.75, 1];

// The value of some rank among others that are in no order.

/** The value of that rank. Reorders the values: those before it are not higher, those after it not lower. Hoare's
 *  quickselect, as sorting everything costs several times as much. */
function nth(values: Uint32Array, rank: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = middleOf(defined(values[low]), defined(values[(low + high) >>> 1]), defined(values[high]));
    let left = low;
    let right = high;
    while (left <= right) {
      while (defined(values[left]) < pivot) left++;
      while (defined(values[right]) > pivot) right--;
      if (left > right) break;
      const value = defined(values[left]);
      values[left++] = defined(values[right]);
      values[right--] = value;
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return defined(values[rank]);
}

const middleOf = (a: number, b: number, c: number): number =>
  Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));

// Gathers the sales of some streets and postcodes: copies those that a filter wants from their runs, and counts them in
// buckets of prices and of keys. A call looks at tens of thousands of sales, so this is a few short loops that keep to what
// V8 does well: few arrays in each, all of them parameters, no calls, and arithmetic instead of branches, as a wrong guess of
// the processor costs more. One loop for everything took half as long again (docs/decisions/0008-sold-prices.md).

/** A bucket of prices is 2 ** so many pounds wide; the last one has all that are dearer. */
const priceShift = 12;
const priceBuckets = 1024;
const priceBucketOf = (price: number): number => Math.min(price >>> priceShift, priceBuckets - 1);

/** A bucket of keys is 2 ** so many wide: about a thousand slots. */
const keyShift = 15;
const firstKeyOf = (bucket: number): number => bucket << keyShift;

type GatheredSales = {
  /** Side by side, in no order. */
  readonly keys: Uint32Array;
  readonly prices: Uint32Array;
  /** How many are in the buckets before each, and in all. */
  readonly belowKey: Uint32Array;
};

type CountedPrices = {
  /** How many are in the buckets before each, and in all; buckets above the highest price are left out. */
  readonly belowPrice: Uint32Array;
  readonly totals: readonly Totals[];
};

type SaleColumns = { readonly keys: Uint32Array; readonly prices: Uint32Array };

function gather(segment: SalesSegment, spans: Spans, range: SaleRange, scratch: Scratch): GatheredSales {
  const { months, runs } = segment;
  const { start, end, minPrice } = range;
  const maxPrice = Math.min(range.maxPrice, endOfPrices - 1);
  const wanted = start === end || minPrice > maxPrice ? spans.subarray(0, 0) : spans;
  // Room for one more, as a sale is written before it is known whether it stays.
  const room = lengthOf(wanted) + 1;
  const sales = { keys: scratch.take(room), prices: scratch.take(room) };
  const { firstMonth, endMonth, firstWhole, endWhole } = months.boundsOf(range);
  const firstKey = (month: number) => keyOf(months.firstSlotOf(month), 0);
  const [from, to] = [firstKey(firstMonth), firstKey(endMonth)];
  const kinds = kindMatchOf(range.kinds);
  const isAny = minPrice === 0 && maxPrice === endOfPrices - 1 && kinds.mask === 0;
  const bounds = { from, to, minPrice, maxPrice, ...kinds };
  const copy = isAny ? copyMonths : copyMatching;
  let count = 0;
  for (let span = 0, { length } = wanted; span < length; span += 2) {
    count = copy(runs, defined(wanted[span]), defined(wanted[span + 1]), sales, count, bounds);
  }
  const byKey = new Uint32Array((to >>> keyShift) + 2);
  const doubted = scratch.take(room);
  const [wholeFrom, wholeTo] = [firstKey(firstWhole), firstKey(Math.max(firstWhole, endWhole))];
  const doubtful = countKeys(sales.keys, count, byKey, doubted, wholeFrom, wholeTo);
  count = leaveOut(sales, count, byKey, doubted.subarray(0, doubtful), months, range);
  return {
    keys: sales.keys.subarray(0, count),
    prices: sales.prices.subarray(0, count),
    belowKey: sumUp(byKey),
  };
}

/** Keys from one to before another, prices from one to another, kinds. */
type Bounds = KindMatch & {
  readonly from: number;
  readonly to: number;
  readonly minPrice: number;
  readonly maxPrice: number;
};

/** Copies the sales of one span that are in the months, behind `count` others. Returns how many there are then. */
function copyMonths(
  { keys, prices }: SaleColumns,
  start: number,
  end: number,
  { keys: ownKeys, prices: ownPrices }: SaleColumns,
  count: number,
  { from, to }: Bounds,
): number {
  let kept = count;
  for (let at = start; at < end; at++) {
    const key = defined(keys[at]) | 0;
    ownKeys[kept] = key;
    ownPrices[kept] = defined(prices[at]);
    kept = (kept + (((key - to) & ~(key - from)) >>> 31)) | 0;
  }
  return kept;
}

/** As `copyMonths`, but only sales of some prices and kinds. */
function copyMatching(
  { keys, prices }: SaleColumns,
  start: number,
  end: number,
  { keys: ownKeys, prices: ownPrices }: SaleColumns,
  count: number,
  { from, to, minPrice, maxPrice, mask, wanted }: Bounds,
): number {
  const lowest = minPrice | 0;
  const width = (maxPrice - minPrice) | 0;
  let kept = count;
  for (let at = start; at < end; at++) {
    const key = defined(keys[at]) | 0;
    const price = defined(prices[at]);
    ownKeys[kept] = key;
    ownPrices[kept] = price;
    // The borrow of a subtraction: its highest bit is set where the price is too high. One that is too low is very high
    // when counted from the lowest.
    const above = (price - lowest) | 0;
    const isOtherPrice = (~width & above) | (~(width ^ above) & ((width - above) | 0));
    const isOtherKind = 0 - ((key ^ wanted) & mask);
    kept = (kept + (((key - to) & ~(key - from) & ~isOtherPrice & ~isOtherKind) >>> 31)) | 0;
  }
  return kept;
}

/** Counts keys by bucket. Those that are not from `wholeFrom` to before `wholeTo` are in doubt: `doubted` gets their
 *  indexes, and their number is returned. */
function countKeys(
  keys: Uint32Array,
  count: number,
  byKey: Uint32Array,
  doubted: Uint32Array,
  wholeFrom: number,
  wholeTo: number,
): number {
  const shift = keyShift | 0;
  let doubtful = 0;
  for (let at = 0; at < count; at++) {
    const key = defined(keys[at]) | 0;
    const bucket = key >>> shift;
    byKey[bucket] = (defined(byKey[bucket]) + 1) | 0;
    doubted[doubtful] = at;
    doubtful = (doubtful + ((~(key - wholeTo) | (key - wholeFrom)) >>> 31)) | 0;
  }
  return doubtful;
}

/** Looks up whether the doubted sales, those of the first and the last month, are in the range. One that is not is
 *  overwritten by the last. Returns how many are left. */
function leaveOut(
  { keys, prices }: SaleColumns,
  count: number,
  byKey: Uint32Array,
  doubted: Uint32Array,
  months: SaleMonths,
  { start, end }: SaleRange,
): number {
  let left = count;
  for (const at of doubted.reverse()) {
    const key = defined(keys[at]);
    const row = months.rowOfSlot(slotOfKey(key));
    if (row >= start && row < end) continue;
    left -= 1;
    keys[at] = defined(keys[left]);
    prices[at] = defined(prices[left]);
    byKey[key >>> keyShift] = defined(byKey[key >>> keyShift]) - 1;
  }
  return left;
}

/** Turns the counts of buckets into how many are before each. */
function sumUp(counts: Uint32Array): Uint32Array {
  let below = 0;
  for (let bucket = 0, { length } = counts; bucket < length; bucket++) {
    const own = defined(counts[bucket]);
    counts[bucket] = below;
    below += own;
  }
  return counts;
}

/** The bits of a price within its bucket, and for how many sales 32 bits can add them up. */
const restMask = (1 << priceShift) - 1;
const mostRests = 1 << (32 - priceShift);

/** Buckets are counted by type; three bits have room for so many. */
const typesPerBucket = 8;

/** What they cost together, one by one: for a few this takes less than clearing the buckets. */
function sumFew({ keys, prices }: SaleColumns): readonly Totals[] {
  const sums = new TypeSums();
  for (let at = 0, { length } = keys; at < length; at++) {
    sums.add(typeIndexOf(classOfKey(defined(keys[at]))), 1, defined(prices[at]));
  }
  return sums.totals;
}

function countPrices({ keys, prices }: SaleColumns, scratch: Scratch): CountedPrices {
  const count = keys.length;
  const counts = scratch.take(priceBuckets * typesPerBucket).fill(0);
  let seen = 0;
  const sums = new TypeSums();
  for (let from = 0; from < count; from += mostRests) {
    const rests = new Uint32Array(4 * typesPerBucket);
    seen |= countByType(keys, prices, from, Math.min(count, from + mostRests), counts, rests);
    for (const [cell, pounds] of rests.entries()) {
      const type = cell % typesPerBucket;
      if (type < propertyTypes.length) sums.add(type, 0, pounds);
    }
  }
  // No price is above all their bits together, so the buckets beyond are left out.
  const lastBucket = priceBucketOf(seen);
  const byPrice = new Uint32Array(lastBucket + 2);
  for (let type = 0; type < propertyTypes.length; type++) {
    let [ofType, widths] = [0, 0];
    for (let bucket = 0; bucket <= lastBucket; bucket++) {
      const own = defined(counts[bucket * typesPerBucket + type]);
      if (own === 0) continue;
      ofType += own;
      widths += own * bucket;
      byPrice[bucket] = defined(byPrice[bucket]) + own;
    }
    sums.add(type, ofType, widths * 2 ** priceShift);
  }
  if (lastBucket === priceBuckets - 1 && defined(byPrice[lastBucket]) > 0) addDear(keys, prices, count, sums);
  return { belowPrice: sumUp(byPrice), totals: sums.totals };
}

/** Counts sales by bucket and type, and adds up by type what they cost beyond the lowest price of their bucket: whole
 *  prices need more than 32 bits, which takes far longer. Four cells of a type take turns, so that an addition need not
 *  wait for the one before. Returns all bits that the prices have together. */
function countByType(
  keys: Uint32Array,
  prices: Uint32Array,
  from: number,
  to: number,
  counts: Uint32Array,
  rests: Uint32Array,
): number {
  const [shift, lastBucket, mask] = [priceShift | 0, (priceBuckets - 1) | 0, restMask | 0];
  let seen = 0;
  for (let at = from; at < to; at++) {
    const price = defined(prices[at]);
    const type = (defined(keys[at]) >>> 2) & 7;
    const cell = (Math.min(price >>> shift, lastBucket) << 3) | type;
    counts[cell] = (defined(counts[cell]) + 1) | 0;
    const rest = ((at & 3) << 3) | type;
    rests[rest] = (defined(rests[rest]) + (price & mask)) | 0;
    seen |= price;
  }
  return seen;
}

/** Sales of the last bucket may cost whole widths of a bucket more. */
function addDear(keys: Uint32Array, prices: Uint32Array, count: number, sums: TypeSums): void {
  for (let at = 0; at < count; at++) {
    const widths = (defined(prices[at]) >>> priceShift) - (priceBuckets - 1);
    if (widths > 0) sums.add(typeIndexOf(classOfKey(defined(keys[at]))), 0, widths * 2 ** priceShift);
  }
}

/** Copies the keys from one to before another, to room for one more than there are. Returns how many. */
function keepBetween(keys: Uint32Array, firstKey: number, endKey: number, keptKeys: Uint32Array): number {
  let kept = 0;
  for (let at = 0, { length } = keys; at < length; at++) {
    const key = defined(keys[at]) | 0;
    keptKeys[kept] = key;
    kept = (kept + (((key - endKey) & ~(key - firstKey)) >>> 31)) | 0;
  }
  return kept;
}

/** Copies the sales in buckets of prices whose byte is 1, to room for one more than there are. Returns how many. */
function keepBuckets(
  { keys, prices }: SaleColumns,
  isWanted: Uint8Array,
  { keys: keptKeys, prices: keptPrices }: SaleColumns,
): number {
  const [shift, lastBucket] = [priceShift | 0, (priceBuckets - 1) | 0];
  let kept = 0;
  for (let at = 0, { length } = prices; at < length; at++) {
    const price = defined(prices[at]);
    keptKeys[kept] = defined(keys[at]);
    keptPrices[kept] = price;
    kept = (kept + defined(isWanted[Math.min(price >>> shift, lastBucket)])) | 0;
  }
  return kept;
}

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
