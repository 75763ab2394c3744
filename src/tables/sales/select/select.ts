// The sales that a filter finds, found in the cheaper way: from a set that was made at ingest, or gathered from the runs of
// streets and postcodes.

import { Scratch } from '../../../columns/scratch.ts';
import type { WantedKinds } from '../kinds.ts';
import type { Spans } from '../runs.ts';
import type { SalesSegment } from '../segment.ts';
import type { SaleSet } from '../sets.ts';
import { BitSelection } from './bit-selection.ts';
import { GatheredSelection } from './gathered-selection.ts';
import type { SaleRange, Selection } from './selection.ts';
import { SlotBits } from './slot-bits.ts';
import { totalsOf } from './totals.ts';

/** Up to how many sales are looked at one by one rather than counted. */
type FewSales = {
  /** For a price of some rank: gathered sales, and those of a set. */
  readonly sorted: number;
  readonly looked: number;
  /** For what they cost together. */
  readonly summed: number;
};

const usualFew: FewSales = { sorted: 512, looked: 8192, summed: 8192 };

export type SaleFilter = {
  /** Both included. */
  readonly fromDay: number;
  readonly toDay: number;
  readonly kinds: WantedKinds;
  /** Pounds, both included. */
  readonly minPrice: number;
  readonly maxPrice: number;
  /** Packed postcodes from one to before another. */
  readonly postcodes: { readonly from: number; readonly to: number } | undefined;
  /** A part of the street's name. */
  readonly street: string | undefined;
};

/** The selection uses room of `scratch`, so it is good until that is reset. */
export function select(
  segment: SalesSegment,
  filter: SaleFilter,
  scratch = new Scratch(),
  few: FewSales = usualFew,
): Selection {
  const { kinds, minPrice, maxPrice, postcodes, street } = filter;
  const { runs, sets } = segment;
  const start = segment.firstRowBy(filter.toDay);
  const end = Math.max(start, segment.firstRowBy(filter.fromDay - 1));
  const range: SaleRange = { start, end, kinds, minPrice, maxPrice };
  const gathered = (spans: Spans) => new GatheredSelection(segment, spans, range, scratch, few.sorted);
  if (street === undefined) {
    return postcodes === undefined
      ? selectFrom(segment, sets.everything, range, scratch, few)
      : gathered(runs.spansOfPostcodes(postcodes.from, postcodes.to));
  }
  const set = postcodes === undefined ? sets.find(street) : undefined;
  return set === undefined
    ? gathered(runs.spansOfStreets(segment.streets.containing(street), postcodes))
    : selectFrom(segment, set, range, scratch, few);
}

function selectFrom(
  segment: SalesSegment,
  set: SaleSet,
  range: SaleRange,
  scratch: Scratch,
  few: FewSales,
): BitSelection {
  const selected = new SlotBits(segment, set.bits, range, scratch);
  const totals = () => totalsOf(segment, set, selected, range, few.summed);
  return new BitSelection(segment, selected, totals, few.looked);
}
