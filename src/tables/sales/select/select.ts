// The sales that a filter finds, found in the cheaper way: from a set that was made at ingest, or gathered from the runs of
// streets and postcodes.

import { Scratch } from '../../../columns/scratch.ts';
import type { WantedKinds } from '../kinds.ts';
import type { Runs } from '../runs.ts';
import type { SalesSegment } from '../segment.ts';
import type { SaleSet } from '../sets.ts';
import { GatheredSelection } from './gathered.ts';
import type { SaleRange, Selection } from './selection.ts';
import { SetSelection } from './set.ts';
import { SelectedSlots } from './slots.ts';
import { totalsOf } from './totals.ts';

/** How few sales are looked at one by one rather than counted. */
export type FewSales = {
  /** For a price of some rank. */
  readonly looked: number;
  /** For what they cost together. */
  readonly summed: number;
};

const usualFew: FewSales = { looked: 8192, summed: 8192 };

export type SaleFilter = {
  /** Both included. */
  readonly fromDay: number;
  readonly toDay: number;
  readonly kinds: WantedKinds;
  /** Pounds, both included. */
  readonly minPrice: number;
  readonly maxPrice: number;
  /** Packed postcodes from the one to the other, the latter excluded. */
  readonly postcodes: { readonly from: number; readonly to: number } | undefined;
  /** A part of the street's name. */
  readonly street: string | undefined;
};

/** What is found holds room of `scratch`: it is good until that is reset. */
export function select(
  segment: SalesSegment,
  filter: SaleFilter,
  scratch = new Scratch(),
  few: FewSales = usualFew,
): Selection {
  const { kinds, minPrice, maxPrice, postcodes, street } = filter;
  const start = segment.firstRowBy(filter.toDay);
  const end = Math.max(start, segment.firstRowBy(filter.fromDay - 1));
  const range: SaleRange = { start, end, kinds, minPrice, maxPrice };
  if (street === undefined && postcodes === undefined) {
    return selectFrom(segment, segment.sets.everything, range, scratch, few);
  }
  const set = street === undefined || postcodes !== undefined ? undefined : segment.sets.find(street);
  if (set !== undefined) return selectFrom(segment, set, range, scratch, few);
  return new GatheredSelection(segment, runsOf(segment, filter), range, scratch);
}

function runsOf({ salePlaces, streets }: SalesSegment, { street, postcodes }: SaleFilter): Runs {
  if (street !== undefined) return salePlaces.runsOfStreets(streets.containing(street), postcodes);
  return postcodes === undefined
    ? new Uint32Array(0)
    : salePlaces.runsOfPostcodes(postcodes.from, postcodes.to);
}

function selectFrom(
  segment: SalesSegment,
  set: SaleSet,
  range: SaleRange,
  scratch: Scratch,
  few: FewSales,
): SetSelection {
  const selected = new SelectedSlots(segment, set.bits, range, scratch);
  const totals = () => totalsOf(segment, set, selected, range, few.summed);
  return new SetSelection(segment, selected, totals, few.looked);
}
