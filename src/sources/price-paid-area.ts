// The new state of one area: what the release before had, and what the records say since. The last record about
// a sale counts; one that says what is known already changes nothing.

import type { Into } from '../ingest/source.ts';
import { readPrices } from '../tables/sale-months.ts';
import { saleIdsPart, salesPart } from '../tables/sales.ts';
import { idBytes, noPostcode, placeFields, readCodes, type SaleRows } from '../tables/sales-part.ts';
import {
  at,
  dayOfRest,
  flagsOfRest,
  idWord,
  isLiveRest,
  recordWords,
  type SaleTexts,
} from './price-paid-spill.ts';
import { type AreaWords, IdTable } from './price-paid-words.ts';

/** The release before. */
export type Release = NonNullable<Into['base']>;

/** Rows that are being put together. `ids` as words of four bytes. */
export class RowsBuilder {
  readonly rows: SaleRows;
  readonly idWords: Uint32Array;
  length = 0;

  constructor(capacity: number) {
    this.idWords = new Uint32Array(4 * capacity);
    this.rows = {
      days: new Uint16Array(capacity),
      prices: new Uint32Array(capacity),
      flags: new Uint8Array(capacity),
      postcodes: new Uint32Array(capacity),
      places: new Uint32Array(capacity),
      paons: new Uint32Array(capacity),
      saons: new Uint32Array(capacity),
      ids: new Uint8Array(this.idWords.buffer),
    };
  }

  copy(from: SaleRows, fromWords: Uint32Array, row: number): void {
    const { rows, length } = this;
    rows.days[length] = from.days[row] ?? 0;
    rows.prices[length] = from.prices[row] ?? 0;
    rows.flags[length] = from.flags[row] ?? 0;
    rows.postcodes[length] = from.postcodes[row] ?? 0;
    rows.places[length] = from.places[row] ?? 0;
    rows.paons[length] = from.paons[row] ?? 0;
    rows.saons[length] = from.saons[row] ?? 0;
    for (let word = 0; word < 4; word++) this.idWords[4 * length + word] = fromWords[4 * row + word] ?? 0;
    this.length++;
  }

  add(records: Uint32Array, from: number): void {
    const { rows, length } = this;
    const rest = records[from + at.rest] ?? 0;
    rows.days[length] = dayOfRest(rest);
    rows.prices[length] = records[from + at.price] ?? 0;
    rows.flags[length] = flagsOfRest(rest);
    rows.postcodes[length] = records[from + at.postcode] ?? 0;
    rows.places[length] = records[from + at.place] ?? 0;
    rows.paons[length] = records[from + at.paon] ?? 0;
    rows.saons[length] = records[from + at.saon] ?? 0;
    for (let word = 0; word < 4; word++) this.idWords[4 * length + word] = records[from + idWord + word] ?? 0;
    this.length++;
  }

  /** What was added, without the room that was not needed. */
  get built(): SaleRows {
    const { rows, length } = this;
    return {
      days: rows.days.subarray(0, length),
      prices: rows.prices.subarray(0, length),
      flags: rows.flags.subarray(0, length),
      postcodes: rows.postcodes.subarray(0, length),
      places: rows.places.subarray(0, length),
      paons: rows.paons.subarray(0, length),
      saons: rows.saons.subarray(0, length),
      ids: rows.ids.subarray(0, length * idBytes),
    };
  }
}

export type KnownSales = { readonly rows: SaleRows; readonly idWords: Uint32Array };

const nothing: KnownSales = { rows: new RowsBuilder(0).rows, idWords: new Uint32Array(0) };

/** The ids of an area's sales in the release, as words; in the order of the rows. */
export function readIdWords(release: Release, area: string): Uint32Array {
  const bytes = release.readPart(saleIdsPart(area)).u8('id');
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

/** The area's sales in the release, with the words' numbers as `words` has them. */
export function readKnown(release: Release | undefined, area: string, words: AreaWords): KnownSales {
  if (release === undefined || !release.has(salesPart(area))) return nothing;
  const part = release.readPart(salesPart(area));
  const codes = (column: string, texts: AreaWords['paons']) => {
    const strings = part.strings(column);
    return Uint32Array.from({ length: strings.length }, (_, code) => texts.codeOfText(strings.at(code)));
  };
  const streets = codes('streets', words.streets);
  const names = codes('names', words.names);
  const tuples = part.u32('places');
  const places = Uint32Array.from({ length: tuples.length / placeFields }, (_, place) => {
    const [street = 0, a = 0, b = 0, c = 0, d = 0] = tuples.subarray(
      place * placeFields,
      (place + 1) * placeFields,
    );
    const name = (code: number) => names[code] ?? 0;
    return words.places.codeOf(streets[street] ?? 0, name(a), name(b), name(c), name(d));
  });
  const mapped = (column: string, map: Uint32Array, missing = 0) => {
    const kept = readCodes(part, column);
    const codes = new Uint32Array(kept.length);
    for (let row = 0; row < kept.length; row++) codes[row] = map[kept[row] ?? 0] ?? missing;
    return codes;
  };
  const postcodes = part.u32('postcodes');
  const idWords = readIdWords(release, area);
  return {
    rows: {
      days: part.u16('day'),
      prices: readPrices(part),
      flags: part.u8('flags'),
      postcodes: mapped('postcode', postcodes, noPostcode),
      places: mapped('place', places),
      paons: mapped('paon', codes('paons', words.paons)),
      saons: mapped('saon', codes('saons', words.saons)),
      ids: new Uint8Array(idWords.buffer, idWords.byteOffset, idWords.byteLength),
    },
    idWords,
  };
}

export type Merged = { readonly rows: SaleRows; readonly idWords: Uint32Array; readonly hasChanged: boolean };

/**
 * `isElsewhere` says of a known row whether its sale now belongs to another area, or to none; `report` hears of
 * every known row that does not stay as it is.
 */
export function mergeArea(
  known: KnownSales,
  records: Uint32Array,
  isElsewhere: (idWords: Uint32Array, at: number) => boolean,
  report: (fate: 'changed' | 'deleted', idWords: Uint32Array, at: number) => void,
): Merged {
  const count = records.length / recordWords;
  const knownCount = known.rows.days.length;
  // The number of the last record about each sale.
  const last = new IdTable(count);
  for (let index = 0; index < count; index++) last.put(records, index * recordWords + idWord, index);
  const isLive = (index: number) => isLiveRest(records[index * recordWords + at.rest] ?? 0);
  /** Per record the known row of the same sale, and -1. */
  const rowBefore = new Int32Array(count).fill(-1);
  const builder = new RowsBuilder(knownCount + count);
  let hasChanged = false;
  for (let row = 0; row < knownCount; row++) {
    const index = count === 0 ? -1 : last.find(known.idWords, 4 * row);
    if (index !== -1 && isLive(index)) rowBefore[index] = row;
    else if (index === -1 && !isElsewhere(known.idWords, 4 * row))
      builder.copy(known.rows, known.idWords, row);
    else {
      hasChanged = true;
      report('deleted', known.idWords, 4 * row);
    }
  }
  for (let index = 0; index < count; index++) {
    const from = index * recordWords;
    if (!isLive(index) || last.find(records, from + idWord) !== index) continue;
    const row = rowBefore[index] ?? -1;
    builder.add(records, from);
    if (row !== -1 && isSame(known.rows, row, builder.rows, builder.length - 1)) continue;
    hasChanged = true;
    if (row !== -1) report('changed', known.idWords, 4 * row);
  }
  return {
    rows: builder.built,
    idWords: builder.idWords.subarray(0, 4 * builder.length),
    hasChanged,
  };
}

function isSame(a: SaleRows, rowA: number, b: SaleRows, rowB: number): boolean {
  return (
    a.days[rowA] === b.days[rowB] &&
    a.prices[rowA] === b.prices[rowB] &&
    a.flags[rowA] === b.flags[rowB] &&
    a.postcodes[rowA] === b.postcodes[rowB] &&
    a.places[rowA] === b.places[rowB] &&
    a.paons[rowA] === b.paons[rowB] &&
    a.saons[rowA] === b.saons[rowB]
  );
}

/** One row with its texts, to be carried elsewhere. */
export function textsOf({ rows, idWords }: KnownSales, words: AreaWords, row: number): SaleTexts {
  const { places, names, streets, paons, saons } = words;
  const place = (rows.places[row] ?? 0) * placeFields;
  const name = (field: number) => names.texts[places.values[place + field] ?? 0] ?? '';
  return {
    day: rows.days[row] ?? 0,
    pricePounds: rows.prices[row] ?? 0,
    flags: rows.flags[row] ?? 0,
    postcode: rows.postcodes[row] ?? noPostcode,
    paon: paons.texts[rows.paons[row] ?? 0] ?? '',
    saon: saons.texts[rows.saons[row] ?? 0] ?? '',
    street: streets.texts[places.values[place] ?? 0] ?? '',
    names: [name(1), name(2), name(3), name(4)],
    idWords: idWords.slice(4 * row, 4 * row + 4),
  };
}
