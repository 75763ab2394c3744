// One pass over the runs of streets and postcodes copies the sales that a filter finds, counts them in buckets and adds them
// up. Whether a sale is wanted is reckoned rather than asked, as a wrong guess of the processor costs more; and nothing is
// called in the pass, as the columns would have to be looked up again after it.

import { isBelow } from './bits.ts';
import type { Runs } from './sale-places.ts';
import { classMask, kindMatchOf, propertyTypes, typeIndexOf } from './sales-part.ts';
import { lengthOf } from './sales-search.ts';
import type { SalesSegment } from './sales-segment.ts';
import type { Scratch } from './scratch.ts';
import { endOfPrices } from './selected-slots.ts';
import type { SaleRange, TypeTotals } from './selection.ts';
import { TypeSums } from './slot-totals.ts';

/** A bucket of prices spans so many bits of pounds; the last one has all that are dearer. */
export const priceShift = 12;
export const priceBuckets = 1024;
export const priceBucketOf = (price: number): number => Math.min(price >>> priceShift, priceBuckets - 1);

/** A bucket of slots, by their bits. */
export const slotShift = 10;

export type GatheredSales = {
  /** Side by side, in no order. */
  readonly slots: Uint32Array;
  readonly prices: Uint32Array;
  /** How many are in each bucket. */
  readonly byPrice: Uint32Array;
  readonly bySlot: Uint32Array;
  readonly totals: readonly TypeTotals[];
};

/** So many sales can be added to a cell before it may overflow, and so many are added at a time. */
const mostInCell = 0x1_0000;
const mostAtOnce = 0x4000;

export function gather(segment: SalesSegment, runs: Runs, range: SaleRange, scratch: Scratch): GatheredSales {
  const { months } = segment;
  const { slots, prices, flags } = segment.salePlaces;
  const { care, value } = kindMatchOf(range.kinds);
  const maxPrice = Math.min(range.maxPrice, endOfPrices - 1);
  const wanted = range.start === range.end || range.minPrice > maxPrice ? [] : runs;
  // Numbers of 32 bits from here on: `| 0` spares the conversion of each.
  const minPrice = range.minPrice | 0;
  const priceWidth = (maxPrice - range.minPrice) | 0;
  const bounds = months.boundsOf(range);
  const firstSlot = months.firstSlotOf(bounds.firstMonth) | 0;
  const slotWidth = (months.firstSlotOf(bounds.endMonth) - firstSlot) | 0;
  const firstWhole = months.firstSlotOf(bounds.firstWhole) | 0;
  const wholeWidth = Math.max(0, months.firstSlotOf(bounds.endWhole) - firstWhole) | 0;
  // One place more, for what is written and not kept.
  const length = lengthOf(wanted) + 1;
  const keptSlots = scratch.take(length);
  const keptPrices = scratch.take(length);
  const ofPartMonths = scratch.take(length);
  const byPrice = new Uint32Array(priceBuckets);
  const bySlot = new Uint32Array(((32 * months.words) >>> slotShift) + 1);
  const totals = new TypeSums();
  const cells = new Uint32Array(cellCount);
  let count = 0;
  let doubtful = 0;
  let added = 0;
  // What a file imports or exports is looked up each time it is named, which takes longer than all the rest.
  const below = isBelow;
  const kindMask = classMask | 0;
  const ownTypeBits = typeBits | 0;
  const ownSlotShift = slotShift | 0;
  const ownPriceShift = priceShift | 0;
  const lastPriceBucket = (priceBuckets - 1) | 0;
  for (let run = 0; run < wanted.length; run += 2) {
    const end = wanted[run + 1] ?? 0;
    for (let from = wanted[run] ?? 0; from < end; from += mostAtOnce) {
      const last = Math.min(end, from + mostAtOnce);
      added += last - from;
      if (added > mostInCell) {
        emptyCells(cells, totals);
        added = last - from;
      }
      for (let at = from; at < last; at++) {
        const slot = slots[at] ?? 0;
        const price = prices[at] ?? 0;
        const flag = flags[at] ?? 0;
        const isOther =
          below(priceWidth, (price - minPrice) | 0) | ((((flag ^ value) & care) + kindMask) >>> 5);
        const isKept = below((slot - firstSlot) | 0, slotWidth) & ~isOther;
        keptSlots[count] = slot;
        keptPrices[count] = price;
        ofPartMonths[doubtful] = count;
        doubtful = (doubtful + (isKept & ~below((slot - firstWhole) | 0, wholeWidth))) | 0;
        count = (count + isKept) | 0;
        const priceBucket = Math.min(price >>> ownPriceShift, lastPriceBucket);
        byPrice[priceBucket] = ((byPrice[priceBucket] ?? 0) + isKept) | 0;
        const slotBucket = slot >>> ownSlotShift;
        bySlot[slotBucket] = ((bySlot[slotBucket] ?? 0) + isKept) | 0;
        const cell = (flag & ownTypeBits) | ((at & 3) << 5) | (isKept << 7);
        cells[cell] = ((cells[cell] ?? 0) + 1) | 0;
        cells[cell + 1] = ((cells[cell + 1] ?? 0) + (price & 0xffff)) | 0;
        cells[cell + 2] = ((cells[cell + 2] ?? 0) + (price >>> 16)) | 0;
      }
    }
  }
  emptyCells(cells, totals);
  const doubted = ofPartMonths.subarray(0, doubtful);
  const found = { slots: keptSlots, prices: keptPrices, byPrice, bySlot };
  const left = leaveOut(segment, range, { ...found, count, doubted, totals });
  return {
    ...found,
    slots: keptSlots.subarray(0, left),
    prices: keptPrices.subarray(0, left),
    totals: totals.totals,
  };
}

type Doubted = Omit<GatheredSales, 'totals'> & {
  readonly count: number;
  /** Places of sales in the first and the last month, rising. */
  readonly doubted: Uint32Array;
  readonly totals: TypeSums;
};

/** Which rows of the first and the last month are in the range must be looked up. The last sale takes the place of one
 *  that is not. Tells how many are left. */
function leaveOut(
  { months, flags }: SalesSegment,
  { start, end }: SaleRange,
  { slots, prices, byPrice, bySlot, count, doubted, totals }: Doubted,
): number {
  let left = count;
  for (const place of doubted.reverse()) {
    const [slot = 0, price = 0] = [slots[place], prices[place]];
    const row = months.rowOfSlot(slot);
    if (row >= start && row < end) continue;
    left -= 1;
    slots[place] = slots[left] ?? 0;
    prices[place] = prices[left] ?? 0;
    byPrice[priceBucketOf(price)] = (byPrice[priceBucketOf(price)] ?? 0) - 1;
    bySlot[slot >>> slotShift] = (bySlot[slot >>> slotShift] ?? 0) - 1;
    totals.add(typeIndexOf((flags[row] ?? 0) & classMask), -1, -price);
  }
  return left;
}

/** The bits of the type in a sale's flags. */
const typeBits = 0b11100;

/** Per type four cells: the number of sales, the lower and the upper 16 bits of their prices added up, as adding to numbers
 *  of more than 32 bits takes far longer, and one that is not used. Four such take turns, so that an addition need not
 *  wait for the one before; the first half of all is for sales that are not kept. */
const cellCount = 256;

function emptyCells(cells: Uint32Array, totals: TypeSums): void {
  for (let cell = cellCount / 2; cell < cellCount; cell += 4) {
    const type = (cell & typeBits) >>> 2;
    const [count = 0, lower = 0, upper = 0] = cells.subarray(cell, cell + 3);
    if (type < propertyTypes.length) totals.add(type, count, lower + upper * 0x1_0000);
  }
  cells.fill(0);
}
