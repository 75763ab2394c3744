// How the sales of one postcode area are kept: columns newest first (same day: by transaction id), words coded
// by number, and the indexes that queries need, made once when the part is written.

import { type Columns, encodePart, type Part } from '../release/part.ts';
import { eachSlot, edgesOf, encodeMonths, monthOrderOf } from './sale-months.ts';
import { encodeSalePlaces } from './sale-places.ts';
import { encodeSaleSets, type SetSizes, usualSizes } from './sale-sets.ts';

/** Every sale belongs to one class, told by its type, whether it is newly built, and its category. */
export const propertyTypes = ['D', 'S', 'T', 'F', 'O'] as const;
export type PropertyType = (typeof propertyTypes)[number];
export const classCount = propertyTypes.length * 4;
export const classMask = 31;
export const estateShift = 5;
export const estates = ['F', 'L', 'U'] as const;
export type Estate = (typeof estates)[number];

export type SaleKind = {
  readonly type: PropertyType;
  readonly age: 'new' | 'old';
  /** A: at market value to a private buyer; B: repossessions, buy-to-let, companies. */
  readonly category: 'A' | 'B';
};

export const classOf = ({ type, age, category }: SaleKind): number =>
  propertyTypes.indexOf(type) * 4 + (age === 'new' ? 2 : 0) + (category === 'B' ? 1 : 0);

/** What is asked of a sale's kind; undefined: nothing. */
export type WantedKinds = { readonly [Member in keyof SaleKind]: SaleKind[Member] | undefined };

/** The same in bits: a class is wanted if it does not differ from `value` in a bit of `care`. */
export type KindMatch = { readonly care: number; readonly value: number };

export function kindMatchOf({ type, age, category }: WantedKinds): KindMatch {
  const value = classOf({ type: type ?? 'D', age: age ?? 'old', category: category ?? 'A' });
  const care =
    (type === undefined ? 0 : 0b11100) | (age === undefined ? 0 : 0b10) | (category === undefined ? 0 : 1);
  return { care, value };
}

export const typeIndexOf = (saleClass: number): number => saleClass >> 2;
export const isNewClass = (saleClass: number): boolean => (saleClass & 2) !== 0;
export const flagsOf = (saleClass: number, estate: Estate): number =>
  saleClass | (estates.indexOf(estate) << estateShift);

export const noPostcode = 0xffff_ffff;
export const idBytes = 16;
export const placeFields = 5;

/** Texts by number. A place is five numbers: its street, then locality, town, district, county in `names`. */
export type SaleWords = {
  readonly paons: readonly string[];
  readonly saons: readonly string[];
  readonly streets: readonly string[];
  readonly names: readonly string[];
  readonly places: Uint32Array;
};

/** Sales of one area in any order. */
export type SaleRows = {
  readonly days: Uint16Array;
  readonly prices: Uint32Array;
  readonly flags: Uint8Array;
  /** Packed, or `noPostcode`. */
  readonly postcodes: Uint32Array;
  readonly places: Uint32Array;
  readonly paons: Uint32Array;
  readonly saons: Uint32Array;
  /** 16 bytes each. */
  readonly ids: Uint8Array;
};

export type EncodedSales = { readonly sales: Columns; readonly ids: Columns };

export function encodeSales(
  rows: SaleRows,
  wordsAsMet: SaleWords,
  sizes: SetSizes = usualSizes,
): EncodedSales {
  const order = orderOf(rows);
  const { words, placeOf, streetStarts } = placesByStreet(wordsAsMet);
  const flags = gatherBytes(rows.flags, order);
  const days = new Uint16Array(order.length);
  for (let at = 0; at < order.length; at++) days[at] = rows.days[order[at] ?? 0] ?? 0;
  const prices = gather(rows.prices, order);
  const places = gather(rows.places, order);
  for (let row = 0; row < places.length; row++) places[row] = placeOf[places[row] ?? 0] ?? 0;
  const { distinct, codes: postcodes } = codePostcodes(gather(rows.postcodes, order));
  const { distinct: levels, codes: levelOf } = rankAll(prices, 0);
  const rowsByPrice = postingsOf(levelOf, levels.length).rows;
  const months = monthOrderOf(days, rowsByPrice);
  const edges = edgesOf(rowsByPrice, prices, sizes.salesPerBand);
  const slots = new Uint32Array(order.length);
  eachSlot(months, (slot, place) => {
    slots[place] = slot;
  });
  const idsFrom = new Uint32Array(rows.ids.buffer, rows.ids.byteOffset, rows.ids.length / 4);
  const ids = new Uint32Array(idsFrom.length);
  for (let row = 0; row < order.length; row++) {
    const from = (order[row] ?? 0) * 4;
    for (let word = 0; word < 4; word++) ids[row * 4 + word] = idsFrom[from + word] ?? 0;
  }
  return {
    sales: {
      day: days,
      flags,
      postcode: narrow(postcodes, distinct.length + 1),
      place: narrow(places, words.places.length / placeFields),
      paon: narrow(gather(rows.paons, order), words.paons.length),
      saon: narrow(gather(rows.saons, order), words.saons.length),
      postcodes: distinct,
      'street-start': streetStarts,
      ...encodeSalePlaces({
        slots,
        prices: gather(prices, months.rows),
        flags: gatherBytes(flags, months.rows),
        postcodes: gather(postcodes, months.rows),
        places: gather(places, months.rows),
        postcodeLimit: distinct.length + 1,
        words,
      }),
      ...encodeMonths({ order: months, prices, flags, edges }),
      ...encodeSaleSets({ flags, prices, edges, order: months, places, words, sizes }),
      places: words.places,
      paons: words.paons,
      saons: words.saons,
      streets: words.streets,
      names: words.names,
    },
    ids: { id: new Uint8Array(ids.buffer) },
  };
}

/** The two parts of an area, as they are written. */
export type SaleParts = { readonly sales: Uint8Array<ArrayBuffer>; readonly ids: Uint8Array<ArrayBuffer> };

export function encodeSaleParts(rows: SaleRows, words: SaleWords): SaleParts {
  const { sales, ids } = encodeSales(rows, words);
  return { sales: encodePart(sales), ids: encodePart(ids) };
}

/** Numbers the places anew, those of one street side by side. */
function placesByStreet(words: SaleWords) {
  const streets = new Uint32Array(words.places.length / placeFields);
  for (let place = 0; place < streets.length; place++)
    streets[place] = words.places[place * placeFields] ?? 0;
  const { starts, rows: order } = postingsOf(streets, words.streets.length);
  const places = new Uint32Array(words.places.length);
  const placeOf = new Uint32Array(order.length);
  for (const [place, before] of order.entries()) {
    placeOf[before] = place;
    places.set(words.places.subarray(before * placeFields, (before + 1) * placeFields), place * placeFields);
  }
  return { words: { ...words, places }, placeOf, streetStarts: starts };
}

const gather = (values: Uint32Array, order: Uint32Array): Uint32Array => {
  const gathered = new Uint32Array(order.length);
  for (let at = 0; at < order.length; at++) gathered[at] = values[order[at] ?? 0] ?? 0;
  return gathered;
};

const gatherBytes = (values: Uint8Array, order: Uint32Array): Uint8Array => {
  const gathered = new Uint8Array(order.length);
  for (let at = 0; at < order.length; at++) gathered[at] = values[order[at] ?? 0] ?? 0;
  return gathered;
};

/** Codes of a small dictionary take two bytes. */
export const narrow = (codes: Uint32Array, limit: number): Uint16Array | Uint32Array =>
  limit <= 0x1_0000 ? Uint16Array.from(codes) : codes;

export function readCodes(part: Part, name: string): Uint16Array | Uint32Array {
  return part.find(name)?.type === 'u16' ? part.u16(name) : part.u32(name);
}

/** Newest first, then by id: by counting the days, then by comparing the ids of each day. */
function orderOf({ days, ids }: SaleRows): Uint32Array {
  const starts = new Uint32Array(0x1_0001);
  for (const day of days) starts[0x1_0000 - day] = (starts[0x1_0000 - day] ?? 0) + 1;
  for (let place = 0; place < 0x1_0000; place++) {
    starts[place + 1] = (starts[place + 1] ?? 0) + (starts[place] ?? 0);
  }
  const next = starts.slice();
  const order = new Uint32Array(days.length);
  for (let row = 0; row < days.length; row++) {
    const day = 0xffff - (days[row] ?? 0);
    const place = next[day] ?? 0;
    order[place] = row;
    next[day] = place + 1;
  }
  // The first eight bytes as two numbers; few ids share them.
  const first = new Uint32Array(days.length);
  const second = new Uint32Array(days.length);
  const view = new DataView(ids.buffer, ids.byteOffset, ids.byteLength);
  for (let row = 0; row < days.length; row++) {
    first[row] = view.getUint32(row * idBytes);
    second[row] = view.getUint32(row * idBytes + 4);
  }
  const compare = (a: number, b: number) =>
    (first[a] ?? 0) - (first[b] ?? 0) || (second[a] ?? 0) - (second[b] ?? 0) || compareIds(ids, a, b);
  for (let day = 0; day < 0x1_0000; day++) {
    const [start = 0, end = 0] = [starts[day], starts[day + 1]];
    // What comes from an earlier release is in order already.
    if (!isInOrder(order, start, end, compare)) order.subarray(start, end).sort(compare);
  }
  return order;
}

function isInOrder(
  order: Uint32Array,
  start: number,
  end: number,
  compare: (a: number, b: number) => number,
): boolean {
  for (let at = start + 1; at < end; at++) {
    if (compare(order[at - 1] ?? 0, order[at] ?? 0) > 0) return false;
  }
  return true;
}

function compareIds(ids: Uint8Array, a: number, b: number): number {
  for (let byte = 0; byte < idBytes; byte++) {
    const difference = (ids[a * idBytes + byte] ?? 0) - (ids[b * idBytes + byte] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Distinct postcodes in order; rows without one have the number after the last. */
function codePostcodes(packed: Uint32Array): { distinct: Uint32Array; codes: Uint32Array } {
  let lowest = noPostcode;
  for (const postcode of packed) if (postcode < lowest) lowest = postcode;
  const { distinct, codes } = rankAll(packed, lowest);
  return { distinct: distinct.at(-1) === noPostcode ? distinct.slice(0, -1) : distinct, codes };
}

/** Index of the first value that is not lower; `values` are in order. */
export function lowerBound(values: Uint32Array, wanted: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows by code, each code's in order: those of code c stand from `starts[c]` to `starts[c + 1]`. */
export function postingsOf(codes: Uint32Array, limit: number): { starts: Uint32Array; rows: Uint32Array } {
  const starts = new Uint32Array(limit + 1);
  for (let row = 0; row < codes.length; row++) {
    const next = (codes[row] ?? 0) + 1;
    starts[next] = (starts[next] ?? 0) + 1;
  }
  for (let code = 0; code < limit; code++) starts[code + 1] = (starts[code + 1] ?? 0) + (starts[code] ?? 0);
  const places = starts.slice();
  const rows = new Uint32Array(codes.length);
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row] ?? 0;
    const place = places[code] ?? 0;
    rows[place] = row;
    places[code] = place + 1;
  }
  return { starts, rows };
}

/** Above this many values, ranks come from a table by value instead of a search. */
const tabledValues = 50_000;
const tableLength = 1 << 22;

/** The distinct values in order, and each value's place among them. `lowest` is not above any. */
function rankAll(values: Uint32Array, lowest: number): { distinct: Uint32Array; codes: Uint32Array } {
  if (values.length < tabledValues) {
    const distinct = distinctOf(values);
    return { distinct, codes: values.map((value) => lowerBound(distinct, value)) };
  }
  const table = new Uint32Array(tableLength);
  const beyond: number[] = [];
  for (const value of values) {
    if (value - lowest < tableLength) table[value - lowest] = 1;
    else beyond.push(value);
  }
  const high = distinctOf(Uint32Array.from(beyond));
  let count = 0;
  for (let place = 0; place < tableLength; place++) {
    if (table[place] === 1) table[place] = count++;
  }
  const distinct = new Uint32Array(count + high.length);
  distinct.set(high, count);
  const codes = new Uint32Array(values.length);
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0;
    const code =
      value - lowest < tableLength ? (table[value - lowest] ?? 0) : count + lowerBound(high, value);
    codes[at] = code;
    distinct[code] = value;
  }
  return { distinct, codes };
}

function distinctOf(values: Uint32Array): Uint32Array {
  const sorted = values.slice().sort();
  let count = 0;
  for (let at = 0; at < sorted.length; at++) {
    const value = sorted[at] ?? 0;
    if (count === 0 || sorted[count - 1] !== value) sorted[count++] = value;
  }
  return sorted.slice(0, count);
}
