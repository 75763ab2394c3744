// How the sales of one postcode area are kept: columns newest first (same day: by transaction id), words coded
// by number, and the indexes that queries need, made once when the part is written.

import { bitWords, popcount } from '../../columns/bits.ts';
import { outOfRange } from '../../columns/out-of-range.ts';
import { type Columns, encodePart, type Part } from '../../release/part.ts';
import { eachSlot, edgesOf, encodeMonths, monthOrderOf } from './months.ts';
import { arrange, arrangeBytes, inOrder } from './order.ts';
import { encodeSalePlaces } from './runs.ts';
import { encodeSaleSets, type SetSizes, usualSizes } from './sets.ts';
import { settleWords } from './words.ts';

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
  rowsAsMet: SaleRows,
  wordsAsMet: SaleWords,
  sizes: SetSizes = usualSizes,
): EncodedSales {
  const rows = inOrder(rowsAsMet);
  const { words, placeOf, paonOf, saonOf } = settleWords(rows, wordsAsMet);
  const { days, prices, flags } = rows;
  const places = arrange(placeOf, rows.places);
  const { distinct, codes: postcodes } = codePostcodes(rows.postcodes);
  const { distinct: levels, codes: levelOf } = rankAll(prices, 0);
  const rowsByPrice = postingsOf(levelOf, levels.length).rows;
  const months = monthOrderOf(days, rowsByPrice);
  const edges = edgesOf(rowsByPrice, prices, sizes.salesPerBand);
  const slots = new Uint32Array(days.length);
  eachSlot(months, (slot, place) => {
    slots[place] = slot;
  });
  return {
    sales: {
      day: days,
      flags,
      postcode: narrow(postcodes, distinct.length + 1),
      place: narrow(places, words.places.length / placeFields),
      paon: narrow(arrange(paonOf, rows.paons), words.paons.length),
      saon: narrow(arrange(saonOf, rows.saons), words.saons.length),
      postcodes: distinct,
      'street-start': streetStarts(words),
      ...encodeSalePlaces({
        slots,
        prices: arrange(prices, months.rows),
        flags: arrangeBytes(flags, months.rows),
        postcodes: arrange(postcodes, months.rows),
        places: arrange(places, months.rows),
        packed: distinct,
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
    ids: { id: rows.ids },
  };
}

/** The two parts of an area, as they are written. */
export type SaleParts = { readonly sales: Uint8Array<ArrayBuffer>; readonly ids: Uint8Array<ArrayBuffer> };

export function encodeSaleParts(rows: SaleRows, words: SaleWords): SaleParts {
  const { sales, ids } = encodeSales(rows, words);
  return { sales: encodePart(sales), ids: encodePart(ids) };
}

/** The first place of each street, and one more: places are in the order of their streets. */
function streetStarts(words: SaleWords): Uint32Array {
  const streets = words.places.filter((_, at) => at % placeFields === 0);
  return postingsOf(streets, words.streets.length).starts;
}

/** Codes of a small dictionary take two bytes. */
export const narrow = (codes: Uint32Array, limit: number): Uint16Array | Uint32Array =>
  limit <= 0x1_0000 ? new Uint16Array(codes) : codes;

export function readCodes(part: Part, name: string): Uint16Array | Uint32Array {
  return part.find(name)?.type === 'u16' ? part.u16(name) : part.u32(name);
}

/** Distinct postcodes in order; rows without one have the number after the last. */
function codePostcodes(packed: Uint32Array): { distinct: Uint32Array; codes: Uint32Array } {
  let lowest = noPostcode;
  for (let row = 0, { length } = packed; row < length; row++)
    lowest = Math.min(lowest, packed[row] ?? noPostcode);
  const { distinct, codes } = rankAll(packed, lowest);
  return { distinct: distinct.at(-1) === noPostcode ? distinct.slice(0, -1) : distinct, codes };
}

/** Index of the first value that is not lower; `values` are in order. */
export function lowerBound(values: Uint32Array, wanted: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? outOfRange()) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows by code, each code's in order: those of code c stand from `starts[c]` to `starts[c + 1]`. */
export function postingsOf(codes: Uint32Array, limit: number): { starts: Uint32Array; rows: Uint32Array } {
  const starts = new Uint32Array(limit + 1);
  for (let row = 0, { length } = codes; row < length; row++) {
    const next = (codes[row] ?? outOfRange()) + 1;
    starts[next] = (starts[next] ?? outOfRange()) + 1;
  }
  for (let code = 0; code < limit; code++)
    starts[code + 1] = (starts[code + 1] ?? outOfRange()) + (starts[code] ?? outOfRange());
  const places = starts.slice();
  const rows = new Uint32Array(codes.length);
  for (let row = 0, { length } = codes; row < length; row++) {
    const code = codes[row] ?? outOfRange();
    const place = places[code] ?? outOfRange();
    rows[place] = row;
    places[code] = place + 1;
  }
  return { starts, rows };
}

/** From so many values on, ranks come from bits that tell which values there are, instead of a search. */
const tabledValues = 5000;
const tableSpan = 1 << 22;

/** The distinct values in order, and each value's place among them. `lowest` is not above any. */
function rankAll(values: Uint32Array, lowest: number): { distinct: Uint32Array; codes: Uint32Array } {
  if (values.length < tabledValues) {
    const distinct = distinctOf(values);
    return { distinct, codes: values.map((value) => lowerBound(distinct, value)) };
  }
  // Whole numbers of 32 bits throughout, which spares the processor fractions.
  const placeOf = (value: number) => (value - lowest) >>> 0;
  let last = 0;
  const beyond: number[] = [];
  for (let at = 0, { length } = values; at < length; at++) {
    const place = placeOf(values[at] ?? outOfRange());
    if (place >= tableSpan) beyond.push(values[at] ?? outOfRange());
    else if (place > last) last = place;
  }
  const bits = new Uint32Array(bitWords(last + 1));
  for (let at = 0, { length } = values; at < length; at++) {
    const place = placeOf(values[at] ?? outOfRange());
    if (place < tableSpan) bits[place >>> 5] = (bits[place >>> 5] ?? outOfRange()) | (1 << (place & 31));
  }
  const before = new Uint32Array(bits.length);
  let count = 0;
  for (let word = 0, { length } = bits; word < length; word++) {
    before[word] = count;
    count += popcount(bits[word] ?? outOfRange());
  }
  const high = distinctOf(Uint32Array.from(beyond));
  const distinct = new Uint32Array(count + high.length);
  distinct.set(high, count);
  let next = 0;
  for (let word = 0, { length } = bits; word < length; word++) {
    for (let rest = bits[word] ?? outOfRange(); rest !== 0; rest &= rest - 1) {
      distinct[next++] = lowest + 32 * word + 31 - Math.clz32(rest & -rest);
    }
  }
  const codes = new Uint32Array(values.length);
  for (let at = 0, { length } = values; at < length; at++) {
    const place = placeOf(values[at] ?? outOfRange());
    const word = place >>> 5;
    codes[at] =
      place < tableSpan
        ? (before[word] ?? outOfRange()) + popcount((bits[word] ?? outOfRange()) & ((1 << (place & 31)) - 1))
        : count + lowerBound(high, values[at] ?? outOfRange());
  }
  return { distinct, codes };
}

function distinctOf(values: Uint32Array): Uint32Array {
  const sorted = values.slice().sort();
  let count = 0;
  for (let at = 0; at < sorted.length; at++) {
    const value = sorted[at] ?? outOfRange();
    if (count === 0 || sorted[count - 1] !== value) sorted[count++] = value;
  }
  return sorted.slice(0, count);
}
