// Reads one row of a price-paid file as a record, in any of its layouts. It works on bytes: of the sixteen columns only
// the postcode becomes a string.

import type { CsvRow } from '../../ingest/read/csv.ts';
import { defined } from '../../out-of-range.ts';
import { estates, packFlags, propertyTypes } from '../../tables/sales/kinds.ts';
import { noPostcode } from '../../tables/sales/rows.ts';
import { dayOf } from '../../uk/calendar.ts';
import { packPostcodeText } from '../../uk/postcode.ts';

/** Column of each field. */
export type SaleFields = {
  readonly id: number;
  readonly price: number;
  readonly date: number;
  readonly postcode: number;
  readonly type: number;
  readonly age: number;
  readonly estate: number;
  readonly paon: number;
  readonly saon: number;
  readonly street: number;
  readonly locality: number;
  readonly town: number;
  readonly district: number;
  readonly county: number;
  readonly category: number;
  /** Only the files for bulk download and the monthly ones have it; elsewhere every row is an addition. */
  readonly status: number | undefined;
  readonly columns: number;
};

/** The files without a header: complete, yearly, parts of a year, monthly changes. */
export const bulkFields: SaleFields = {
  id: 0,
  price: 1,
  date: 2,
  postcode: 3,
  type: 4,
  age: 5,
  estate: 6,
  paon: 7,
  saon: 8,
  street: 9,
  locality: 10,
  town: 11,
  district: 12,
  county: 13,
  category: 14,
  status: 15,
  columns: 16,
};

/** Names of the columns in the header of the Land Registry's query tool. */
const exportNames = {
  id: 'unique_id',
  price: 'price_paid',
  date: 'deed_date',
  postcode: 'postcode',
  type: 'property_type',
  age: 'new_build',
  estate: 'estate_type',
  paon: 'paon',
  saon: 'saon',
  street: 'street',
  locality: 'locality',
  town: 'town',
  district: 'district',
  county: 'county',
  category: 'transaction_category',
} as const;

/** The query tool sometimes forgets the line break after its header, whose last column then holds the first id. */
const gluedName = /^linked_data_uri"(.*)"$/;

type Header = {
  readonly fields: SaleFields;
  /** Where the first row stands on the header's line: by how many columns it is moved to the right. */
  readonly gluedAt: number | undefined;
};

/** Undefined where the row is not a header of a price-paid file. */
export function parseHeader(cells: readonly string[]): Header | undefined {
  const names = cells.map((cell) => cell.trim().toLowerCase().replace(/".*$/, ''));
  if (!Object.values(exportNames).every((name) => names.includes(name))) return undefined;
  const glued = cells.findIndex((cell) => gluedName.test(cell));
  const columns = glued === -1 ? cells.length : glued + 1;
  const fields = { ...bulkFields, status: undefined, columns };
  for (const [field, name] of Object.entries(exportNames))
    Object.assign(fields, { [field]: names.indexOf(name) });
  return { fields, gluedAt: glued === -1 ? undefined : glued };
}

type RecordStatus = 'live' | 'deleted';

/** What `readRecord` fills; one for all rows of a file. */
export class SaleRecord {
  status: RecordStatus = 'live';
  isChange = false;
  day = 0;
  pricePounds = 0;
  /** Packed, or `noPostcode`. */
  postcode = noPostcode;
  flags = 0;
  readonly id = new Uint8Array(16);
  readonly idWords = new Uint32Array(this.id.buffer);
}

const code = (text: string) => text.charCodeAt(0);
const letter = {
  A: code('A'),
  B: code('B'),
  C: code('C'),
  D: code('D'),
  N: code('N'),
  Y: code('Y'),
} as const;
const indexesByLetter = (letters: readonly string[]) => {
  const indexes = new Int8Array(256).fill(-1);
  for (const [index, text] of letters.entries()) indexes[code(text)] = index;
  return indexes;
};
const typeOfLetter = indexesByLetter(propertyTypes);
const estateOfLetter = indexesByLetter(estates);

/** The one byte of a field, or 0 where it has none or several. */
const letterOf = (row: CsvRow, field: number): number => {
  const start = row.start(field);
  return row.end(field) - start === 1 ? defined(row.bytes[start]) : 0;
};

/** Why the row could not be read; undefined where it was. Of a deletion only the id and the postcode count. */
export function readRecord(row: CsvRow, fields: SaleFields, record: SaleRecord): string | undefined {
  if (row.length !== fields.columns) return `it has ${row.length} columns instead of ${fields.columns}`;
  if (!readId(row, fields.id, record.id)) return 'its transaction id is not valid';
  const status = fields.status === undefined ? letter.A : letterOf(row, fields.status);
  if (status !== letter.A && status !== letter.C && status !== letter.D) {
    return 'its record status is none of A, C, D';
  }
  record.status = status === letter.D ? 'deleted' : 'live';
  record.isChange = status !== letter.A;
  const postcode = row.text(fields.postcode);
  record.postcode = (postcode === '' ? undefined : packPostcodeText(postcode)) ?? noPostcode;
  const day = readDay(row, fields.date);
  if (record.status === 'deleted') {
    record.day = day;
    return undefined;
  }
  if (day < 0) return 'its date is not valid, or before 1995';
  const price = readPrice(row, fields.price);
  if (price < 0) return 'its price is not a whole number of pounds';
  const type = defined(typeOfLetter[letterOf(row, fields.type)]);
  if (type < 0) return 'its property type is none of D, S, T, F, O';
  const age = letterOf(row, fields.age);
  if (age !== letter.Y && age !== letter.N) return 'its mark for newly built is neither Y nor N';
  const estate = defined(estateOfLetter[letterOf(row, fields.estate)]);
  if (estate < 0) return 'its tenure is none of F, L, U';
  const category = letterOf(row, fields.category);
  if (category !== letter.A && category !== letter.B) return 'its category is neither A nor B';
  record.day = day;
  record.pricePounds = price;
  record.flags = packFlags(type, age === letter.Y ? 1 : 0, category === letter.B ? 1 : 0, estate);
  return undefined;
}

const hexDigit = new Int8Array(256).fill(-1);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  hexDigit[digit.charCodeAt(0)] = value;
  hexDigit[digit.toUpperCase().charCodeAt(0)] = value;
}
const hyphen = 0x2d;
const openBrace = 0x7b;
const quote = 0x22;

/** 8-4-4-4-12 hexadecimal digits, in braces or not. */
function readId(row: CsvRow, field: number, id: Uint8Array): boolean {
  const { bytes } = row;
  let at = row.start(field);
  let end = row.end(field);
  if (bytes[at] === openBrace) [at, end] = [at + 1, end - 1];
  // Glued to the header, it has a quote on either side.
  if (end - at > 36) {
    const glued = bytes.subarray(at, end).indexOf(quote);
    if (glued !== -1) [at, end] = [at + glued + 1, end - 1];
  }
  if (end - at !== 36) return false;
  for (let byte = 0; byte < 16; byte++) {
    if (byte === 4 || byte === 6 || byte === 8 || byte === 10) {
      if (bytes[at] !== hyphen) return false;
      at++;
    }
    const high = defined(hexDigit[defined(bytes[at])]);
    const low = defined(hexDigit[defined(bytes[at + 1])]);
    if (high < 0 || low < 0) return false;
    id[byte] = (high << 4) | low;
    at += 2;
  }
  return true;
}

export function formatId(id: Uint8Array): string {
  const hex = Buffer.from(id).toString('hex').toUpperCase();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** -1 where it is not a price. */
function readPrice(row: CsvRow, field: number): number {
  const { bytes } = row;
  const end = row.end(field);
  const start = row.start(field);
  if (end === start || end - start > 10) return -1;
  let price = 0;
  for (let at = start; at < end; at++) {
    const digit = defined(bytes[at]) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    price = price * 10 + digit;
  }
  return price > 0 && price <= 0xffff_ffff ? price : -1;
}

const firstYear = 1995;
const lastYear = 2148;
/** Day numbers by year, month and date; 0 where not asked for yet, -1 where there is no such day. */
const knownDays = new Int32Array((lastYear - firstYear + 1) * 512);

/** YYYY-MM-DD, with a time of day or without; -1 where it is not a day. */
function readDay(row: CsvRow, field: number): number {
  const { bytes } = row;
  const at = row.start(field);
  const length = row.end(field) - at;
  if (length !== 10 && !(length > 10 && bytes[at + 10] === 0x20)) return -1;
  if (bytes[at + 4] !== hyphen || bytes[at + 7] !== hyphen) return -1;
  const year = number(bytes, at, 4);
  const month = number(bytes, at + 5, 2);
  const date = number(bytes, at + 8, 2);
  if (year < firstYear || year > lastYear || month < 1 || month > 12 || date < 1 || date > 31) return -1;
  const key = (year - firstYear) * 512 + month * 32 + date;
  if (knownDays[key] === 0) knownDays[key] = dayOf(year, month, date) ?? -1;
  return defined(knownDays[key]);
}

/** Negative where a character is not a digit. */
function number(bytes: Buffer, start: number, digits: number): number {
  let value = 0;
  for (let at = start; at < start + digits; at++) {
    const digit = defined(bytes[at]) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}
