// What the readers of council tax tables share: cells as amounts, headers and years by their text, and the authority
// that a row speaks of.

import path from 'node:path';
import { type Cell, type Sheet, tidy } from '../../ingest/read/workbook.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Tally } from '../../ingest/tally.ts';
import type { Authorities, Authority } from '../../tables/council-tax/authorities.ts';
import type { Nation } from '../../uk/council-tax-bands.ts';

export type Figure = {
  readonly code: string;
  readonly taxYear: number;
  /** By band, A first; undefined where the table has none. */
  readonly pence: readonly (number | undefined)[];
  readonly place: string;
};

/** One table of an official file, open for reading. */
export type Table = {
  readonly file: string;
  readonly sheet: Sheet;
  readonly authorities: Authorities;
  readonly tally: Tally;
};

const headerWithin = 30;

export function textAt({ sheet }: Table, row: number, column: number): string {
  const cell = sheet.cell(row, column);
  return cell === undefined || cell.kind === 'date' ? '' : tidy(String(cell.value));
}

export const textsOf = (table: Table, row: number): readonly string[] =>
  Array.from({ length: table.sheet.lastColumn + 1 }, (_, column) => textAt(table, row, column));

export const placeOf = ({ file, sheet }: Table, row: number): string =>
  `${path.basename(file)} ${sheet.name} row ${row + 1}`;

export function refuseTable({ file, sheet }: Table, problem: string): FileRefused {
  return new FileRefused(file, `sheet "${sheet.name}" ${problem}`);
}

/** The header, told by the texts of the row and never by its number. */
export function findHeader(
  table: Table,
  expected: string,
  isHeader: (texts: readonly string[]) => boolean,
): { readonly row: number; readonly texts: readonly string[] } {
  const last = Math.min(table.sheet.lastRow, headerWithin - 1);
  for (let row = 0; row <= last; row += 1) {
    const texts = textsOf(table, row);
    if (isHeader(texts)) return { row, texts };
  }
  throw refuseTable(table, `has no header with ${expected} in its first ${headerWithin} rows`);
}

/** What stands in and above a header, for telling the year. */
export const textsAbove = (table: Table, row: number): readonly string[] =>
  Array.from({ length: row }, (_, above) => textsOf(table, above)).flat();

/** Tax years named in a text, as the years they begin in: 2026-27, 2026/27, 2026 to 2027, April 2026 to March 2027. */
export function yearsIn(text: string): readonly number[] {
  const found = text.matchAll(/\b((?:19|20)\d\d)(?: ?[-–/] ?| to (?:March )?)((?:19|20)?\d\d)\b/gi);
  return [...found].flatMap(([, first = '', second = '']) =>
    (Number(first) + 1) % 100 === Number(second) % 100 ? [Number(first)] : [],
  );
}

export function newestYear(texts: readonly string[]): number | undefined {
  const years = texts.flatMap(yearsIn);
  return years.length === 0 ? undefined : Math.max(...years);
}

/** Not applicable, not available, not collected; and the older signs for it. */
const isMarker = (text: string) => /^(\[[a-z]+\]|[-–.:]|\.\.+|n\/a)?$/i.test(text);
const leastPounds = 50;
const mostPounds = 50_000;

/** Pounds a year as whole pence, rounded half up; undefined where the table has no figure. The value, not its text. */
export function penceIn(table: Table, row: number, column: number, header: string): number | undefined {
  const cell = table.sheet.cell(row, column);
  const pounds = poundsOf(cell);
  if (pounds === 'no figure') return undefined;
  if (pounds === 'unreadable' || pounds < leastPounds || pounds > mostPounds) {
    const found = cell === undefined || cell.kind === 'date' ? '' : cell.value;
    throw refuseTable(
      table,
      `row ${row + 1} has ${JSON.stringify(found)} under "${header.slice(0, 60)}"; expected pounds a year, ${leastPounds} to ${mostPounds}`,
    );
  }
  // Binary fractions are off in the twelfth digit; half a penny must be exact to be rounded up.
  return Math.round(Number((pounds * 100).toFixed(4)));
}

function poundsOf(cell: Cell | undefined): number | 'no figure' | 'unreadable' {
  if (cell === undefined) return 'no figure';
  if (cell.kind === 'number') return cell.value;
  if (cell.kind === 'date') return 'unreadable';
  const text = tidy(cell.value).replace(/ ?\[(r|p|e|note [a-z])\]/gi, '');
  if (isMarker(text)) return 'no figure';
  return /^£?\d{1,3}(,?\d{3})*(\.\d+)?$/.test(text) ? Number(text.replace(/[£,]/g, '')) : 'unreadable';
}

/** Name of an area without marks of revision and footnotes. */
const bareName = (text: string): string =>
  tidy(text.replace(/\[[^\]]*\]|\((?:\d+|r|revised)\)/gi, ' ')).replace(/[*†]+$/, '');

/** The authority of a row that has codes; undefined, and counted, where it has none of today. */
export function matchCodes(
  { authorities, tally }: Table,
  row: { readonly code: string; readonly eCode: string; readonly name: string; readonly place: string },
): Authority | undefined {
  const { code, eCode, name, place } = row;
  const hasCode = /^[EWS]\d{8}$/.test(code);
  const hasEcode = /^E\d{4}$/.test(eCode);
  const found = authorities.find(code) ?? (hasEcode ? authorities.findByEcode(eCode) : undefined);
  if (found !== undefined) return found;
  if (code === '' && eCode === '' && name === '') return undefined;
  if (authorities.findAbolished(code) !== undefined || authorities.isAbolishedEcode(eCode)) {
    tally.reject('abolished council', place);
  } else if (/^(E0[6-9]|W06|S12)\d{6}$/.test(code) || (!hasCode && hasEcode)) {
    tally.reject(`unknown authority: ${hasCode ? code : eCode} ${bareName(name)}`, place);
  } else {
    tally.reject('total of several authorities, or no billing authority', place);
  }
  return undefined;
}

/** The authority of a row that has only a name. */
export function matchName(
  { authorities, tally }: Table,
  nation: Nation,
  name: string,
  place: string,
): Authority | undefined {
  const bare = bareName(name);
  const found = authorities.findByName(nation, bare);
  if (found !== undefined || bare === '') return found;
  const isTotal = /\b(total|average|all|wales|scotland|england|great britain)\b/i.test(bare);
  tally.reject(isTotal ? 'total of several authorities' : `unknown authority: ${bare}`, place);
  return undefined;
}

const mostMissing = 0.1;

/** A table of one year has every authority. One that lacks many was cut off, or is another table. */
export function checkComplete(
  table: Table,
  nation: Nation,
  taxYear: number,
  figures: readonly Figure[],
): void {
  const there = new Map<string, Figure>();
  for (const figure of figures.filter((one) => one.taxYear === taxYear)) {
    const known = there.get(figure.code);
    if (known !== undefined) {
      throw refuseTable(table, `has ${figure.code} twice: ${known.place} and ${figure.place}`);
    }
    there.set(figure.code, figure);
  }
  const expected = table.authorities.all.filter((authority) => authority.nation === nation);
  const missing = expected.filter(({ code }) => !there.has(code));
  if (there.size === 0 || missing.length > expected.length * mostMissing) {
    const names = missing
      .map(({ name }) => name)
      .sort()
      .slice(0, 3);
    throw refuseTable(
      table,
      `has figures for ${there.size} of the ${expected.length} authorities of ${nation}; expected all. Missing: ${names.join(', ')}${missing.length > 3 ? ', …' : ''}. Is the file cut off, or another table?`,
    );
  }
  for (const { name } of missing) table.tally.reject(`no figure for ${name}`, path.basename(table.file));
}
