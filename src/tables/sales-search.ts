// Sales by street or postcode, looked up one by one: gathered from the lists of each street or postcode, or, where
// those are most of the rows anyway, by going through all of them.

import { sortByBits } from './bits.ts';
import { classCount, classMask } from './sales-part.ts';
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

/** Above this share of a range, going through all its rows is cheaper than gathering rows. */
const broadShare = 1 / 8;

/** Sales that were found, in no order, and what is known of them from having looked. */
export type FoundSales = {
  readonly rows: Uint32Array;
  /** Of each row, in the same order. */
  readonly prices: Uint32Array;
  /** By class. */
  readonly counts: Uint32Array;
  readonly sums: Float64Array;
};

/** The sales of rows from `start` to before `end` that pass the filter. */
export function findSales(segment: SalesSegment, start: number, end: number, filter: RowFilter): FoundSales {
  const { postcodes, street } = filter;
  const isStreet = street === undefined ? undefined : segment.streets.containing(street);
  if (postcodes !== undefined) {
    const rows = rowsOfPostcodes(segment, start, end, postcodes);
    return passing(segment, rows, filter, isStreet && placesOf(segment, isStreet));
  }
  if (isStreet === undefined) return passing(segment, allRows(start, end), filter, undefined);
  const lists = listsOf(segment, isStreet);
  let listed = 0;
  for (let at = 0; at < lists.length; at += 2) listed += (lists[at + 1] ?? 0) - (lists[at] ?? 0);
  if (listed > (end - start) * broadShare && listed > 1000) {
    return passing(segment, allRows(start, end), filter, placesOf(segment, isStreet));
  }
  return gather(segment, lists, listed, start, end, filter);
}

/** The same among the sales that stand between these ranks. */
export function findPricedSales(
  segment: SalesSegment,
  ranks: readonly { readonly from: number; readonly to: number }[],
  start: number,
  end: number,
  filter: RowFilter,
): FoundSales {
  const { street } = filter;
  const isPlace = street === undefined ? undefined : placesOf(segment, segment.streets.containing(street));
  const rows = ranks
    .flatMap(({ from, to }) => [...segment.sets.rankRows.subarray(from, to)])
    .filter((row) => row >= start && row < end);
  return passing(segment, Uint32Array.from(rows), filter, isPlace);
}

/** Start and end of lists of rows, in turn. */
type Lists = readonly number[];

/** Places of one street stand side by side, and so do their rows. */
function listsOf({ placeStarts, streetStarts }: SalesSegment, isStreet: Uint8Array): Lists {
  const lists: number[] = [];
  for (let street = 0; street < isStreet.length; street++) {
    if (isStreet[street] === 0) continue;
    lists.push(placeStarts[streetStarts[street] ?? 0] ?? 0, placeStarts[streetStarts[street + 1] ?? 0] ?? 0);
  }
  return lists;
}

function placesOf({ placeStarts, streetStarts }: SalesSegment, isStreet: Uint8Array): Uint8Array {
  const isPlace = new Uint8Array(placeStarts.length - 1);
  for (let street = 0; street < isStreet.length; street++) {
    if (isStreet[street] === 1) isPlace.fill(1, streetStarts[street], streetStarts[street + 1]);
  }
  return isPlace;
}

function gather(
  { placeRows, placePrices, placeFlags }: SalesSegment,
  lists: Lists,
  listed: number,
  start: number,
  end: number,
  { classes, minPrice, maxPrice }: RowFilter,
): FoundSales {
  const rows = new Uint32Array(listed);
  const prices = new Uint32Array(listed);
  const counts = new Uint32Array(classCount);
  const sums = new Float64Array(classCount);
  let count = 0;
  for (let list = 0; list < lists.length; list += 2) {
    const last = lists[list + 1] ?? 0;
    for (let at = lists[list] ?? 0; at < last; at++) {
      const row = placeRows[at] ?? 0;
      const saleClass = (placeFlags[at] ?? 0) & classMask;
      if (row < start || row >= end || ((classes >>> saleClass) & 1) === 0) continue;
      const price = placePrices[at] ?? 0;
      if (price < minPrice || price > maxPrice) continue;
      rows[count] = row;
      prices[count] = price;
      count += 1;
      counts[saleClass] = (counts[saleClass] ?? 0) + 1;
      sums[saleClass] = (sums[saleClass] ?? 0) + price;
    }
  }
  return { rows: rows.subarray(0, count), prices: prices.subarray(0, count), counts, sums };
}

/** In order, so that what is looked up of them lies side by side in memory. */
function rowsOfPostcodes(
  segment: SalesSegment,
  start: number,
  end: number,
  { from, to }: { readonly from: number; readonly to: number },
): Uint32Array {
  const { postcodeRows, postcodeStarts } = segment;
  const range = segment.postcodesIn(from, to);
  const listed = postcodeRows.subarray(postcodeStarts[range.start], postcodeStarts[range.end]);
  const rows = new Uint32Array(listed.length);
  let count = 0;
  for (let at = 0; at < listed.length; at++) {
    const row = listed[at] ?? 0;
    if (row >= start && row < end) rows[count++] = row;
  }
  const within = rows.subarray(0, count);
  return range.end - range.start === 1 ? within : sortByBits(within, segment.length);
}

function allRows(start: number, end: number): Uint32Array {
  const rows = new Uint32Array(end - start);
  for (let at = 0; at < rows.length; at++) rows[at] = start + at;
  return rows;
}

function passing(
  { flags, prices, places }: SalesSegment,
  rows: Uint32Array,
  { classes, minPrice, maxPrice }: RowFilter,
  isPlace: Uint8Array | undefined,
): FoundSales {
  const found = new Uint32Array(rows.length);
  let count = 0;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? 0;
    if (isPlace !== undefined && isPlace[places[row] ?? 0] === 0) continue;
    if (((classes >>> ((flags[row] ?? 0) & classMask)) & 1) === 0) continue;
    const price = prices[row] ?? 0;
    if (price >= minPrice && price <= maxPrice) found[count++] = row;
  }
  return lookAt({ flags, prices }, found.subarray(0, count));
}

/** What the rows say, each looked up. */
function lookAt({ flags, prices }: Pick<SalesSegment, 'flags' | 'prices'>, rows: Uint32Array): FoundSales {
  const own = new Uint32Array(rows.length);
  const counts = new Uint32Array(classCount);
  const sums = new Float64Array(classCount);
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? 0;
    const saleClass = (flags[row] ?? 0) & classMask;
    const price = prices[row] ?? 0;
    own[at] = price;
    counts[saleClass] = (counts[saleClass] ?? 0) + 1;
    sums[saleClass] = (sums[saleClass] ?? 0) + price;
  }
  return { rows, prices: own, counts, sums };
}
