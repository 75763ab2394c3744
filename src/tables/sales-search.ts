// Rows by street or postcode: gathered from the lists of each place or postcode, or, where those are most of the
// rows anyway, by going through all of them.

import { classMask } from './sales-part.ts';
import type { SalesSegment } from './sales-segment.ts';

export type RowFilter = {
  /** Bit c stands for class c. */
  readonly classes: number;
  /** Pounds, both included. */
  readonly minPrice: number;
  readonly maxPrice: number;
  /** Packed postcodes from the one to the other, the latter excluded. */
  readonly postcodes: { readonly from: number; readonly to: number } | undefined;
  /** A part of the street's name. */
  readonly street: string | undefined;
};

/** Above this share of a range, going through all its rows is cheaper than gathering and sorting rows. */
const broadShare = 1 / 8;

/** Rows from `start` to before `end` that pass the filter, ascending. */
export function findRows(segment: SalesSegment, start: number, end: number, filter: RowFilter): Uint32Array {
  const isPlace = filter.street === undefined ? undefined : segment.placesWithStreet(filter.street);
  const range = filter.postcodes && segment.postcodesIn(filter.postcodes.from, filter.postcodes.to);
  const lists = range === undefined ? placeLists(segment, isPlace) : postcodeLists(segment, range);
  let listed = 0;
  for (let at = 0; at < lists.length; at += 2) listed += (lists[at + 1] ?? 0) - (lists[at] ?? 0);
  if (listed > (end - start) * broadShare && listed > 1000) {
    return scanRows(segment, start, end, filter, isPlace, range);
  }
  const found = new Uint32Array(listed);
  const count =
    range === undefined
      ? gatherPlaces(segment, lists, start, end, filter, found)
      : gatherPostcodes(segment, lists, start, end, filter, isPlace, found);
  const rows = found.subarray(0, count);
  return lists.length > 2 ? rows.sort() : rows;
}

/** Start and end of lists of rows, in turn. */
type Lists = readonly number[];

function gatherPlaces(
  { placeRows, placePrices, placeFlags }: SalesSegment,
  lists: Lists,
  start: number,
  end: number,
  { classes, minPrice, maxPrice }: RowFilter,
  found: Uint32Array,
): number {
  let count = 0;
  for (let list = 0; list < lists.length; list += 2) {
    const last = lists[list + 1] ?? 0;
    for (let at = lists[list] ?? 0; at < last; at++) {
      const row = placeRows[at] ?? 0;
      // Newest first: what follows is older still.
      if (row >= end) break;
      if (row < start || ((classes >>> ((placeFlags[at] ?? 0) & classMask)) & 1) === 0) continue;
      const price = placePrices[at] ?? 0;
      if (price >= minPrice && price <= maxPrice) found[count++] = row;
    }
  }
  return count;
}

function gatherPostcodes(
  { postcodeRows, flags, prices, places }: SalesSegment,
  lists: Lists,
  start: number,
  end: number,
  { classes, minPrice, maxPrice }: RowFilter,
  isPlace: Uint8Array | undefined,
  found: Uint32Array,
): number {
  let count = 0;
  for (let list = 0; list < lists.length; list += 2) {
    const last = lists[list + 1] ?? 0;
    for (let at = lists[list] ?? 0; at < last; at++) {
      const row = postcodeRows[at] ?? 0;
      if (row >= end) break;
      if (row < start || ((classes >>> ((flags[row] ?? 0) & classMask)) & 1) === 0) continue;
      const price = prices[row] ?? 0;
      if (price < minPrice || price > maxPrice) continue;
      if (isPlace === undefined || isPlace[places[row] ?? 0] === 1) found[count++] = row;
    }
  }
  return count;
}

type PostcodeNumbers = { readonly start: number; readonly end: number };

/** Goes through all rows of the range, in memory's own order. */
function scanRows(
  { flags, prices, places, postcodes }: SalesSegment,
  start: number,
  end: number,
  { classes, minPrice, maxPrice }: RowFilter,
  isPlace: Uint8Array | undefined,
  range: PostcodeNumbers | undefined,
): Uint32Array {
  const found = new Uint32Array(end - start);
  const first = range?.start ?? 0;
  const after = range?.end ?? 0;
  let count = 0;
  for (let row = start; row < end; row++) {
    if (isPlace !== undefined && isPlace[places[row] ?? 0] === 0) continue;
    if (range !== undefined) {
      const postcode = postcodes[row] ?? 0;
      if (postcode < first || postcode >= after) continue;
    }
    if (((classes >>> ((flags[row] ?? 0) & classMask)) & 1) === 0) continue;
    const price = prices[row] ?? 0;
    if (price >= minPrice && price <= maxPrice) found[count++] = row;
  }
  return found.subarray(0, count);
}

function placeLists({ placeStarts }: SalesSegment, isPlace: Uint8Array | undefined): Lists {
  const lists: number[] = [];
  for (let place = 0; isPlace !== undefined && place < isPlace.length; place++) {
    if (isPlace[place] === 1) lists.push(placeStarts[place] ?? 0, placeStarts[place + 1] ?? 0);
  }
  return lists;
}

function postcodeLists({ postcodeStarts }: SalesSegment, { start, end }: PostcodeNumbers): Lists {
  const lists: number[] = [];
  for (let postcode = start; postcode < end; postcode++) {
    lists.push(postcodeStarts[postcode] ?? 0, postcodeStarts[postcode + 1] ?? 0);
  }
  return lists;
}
