// Rows below a header whose columns are found by their titles, in a CSV and in a sheet alike. Publishers move columns
// and change the spaces, capitals and brackets of their titles, so only letters and digits are compared.

import path from 'node:path';
import type { InputFile, TextFile, WorkbookFile } from '../files.ts';
import { reporting } from '../progress.ts';
import { FileRefused } from '../refusal.ts';
import type { Into } from '../source.ts';
import { type CsvDelimiter, type CsvEncoding, type CsvRow, firstLines, firstRows, readCsv } from './csv.ts';
import { type Sheet, tidy } from './workbook.ts';

type Wanted = {
  /** The first of them tells the header from lines of title above it. */
  readonly required: readonly [string, ...string[]];
  readonly optional?: readonly string[];
};

type TitleOf<W extends Wanted> =
  | W['required'][number]
  | (W extends { readonly optional: readonly (infer T extends string)[] } ? T : never);

/** Where each column is; −1 for an optional one that is not there, which reads as empty. */
export type Places<W extends Wanted> = { readonly [Title in TitleOf<W>]: number };

const bare = (title: string) => title.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Titles of the first row; none where the file is no text. */
export function headerOf(file: InputFile, delimiter: CsvDelimiter = ','): readonly string[] {
  if (file.form !== 'text') return [];
  // Single bytes here, so that a wrongly encoded file is still recognised and then refused with its line.
  const [first = []] = firstRows(file.head, 1, 'cp1252', delimiter);
  return first.map((title) => title.trim());
}

/** How many of the titles a row has. */
function countTitles(row: readonly string[], titles: readonly string[]): number {
  const there = new Set(row.map(bare));
  return titles.filter((title) => there.has(bare(title))).length;
}

export const hasTitles = (file: InputFile, ...titles: readonly string[]): boolean =>
  countTitles(headerOf(file), titles) === titles.length;

/** The most of the titles that one of the first rows has. */
export function mostTitles(file: TextFile, titles: readonly string[], rows: number): number {
  return Math.max(0, ...firstRows(file.head, rows, 'cp1252').map((row) => countTitles(row, titles)));
}

/** Sheets whose first rows have a header with so many of the titles. */
export const findSheets = (
  file: WorkbookFile,
  titles: readonly string[],
  enough: number,
): readonly string[] =>
  file.sheetNames.filter((name) => file.head(name).some((row) => countTitles(row, titles) >= enough));

/** Throws FileRefused where a required column is missing, or one is there twice. `where` is "line 1", or a sheet and row. */
function findPlaces<W extends Wanted>(
  file: string,
  where: string,
  header: readonly string[],
  { required, optional = [] }: W,
): Places<W> {
  const titles = header.map(bare);
  const missing = required.filter((title) => !titles.includes(bare(title)));
  if (missing.length > 0) {
    const names = missing.map((title) => `"${title}"`).join(', ');
    throw new FileRefused(
      file,
      `${where} lacks ${missing.length === 1 ? 'a required column' : `${missing.length} required columns`}: ${names}. Is it the right file, or has its publisher changed it? Its columns are ${header.join(', ')}`,
    );
  }
  const all = [...required, ...optional];
  const twice = all.find((title) => titles.indexOf(bare(title)) !== titles.lastIndexOf(bare(title)));
  if (twice !== undefined)
    throw new FileRefused(file, `${where} has the column "${twice}" twice; expected one`);
  // One place for each title, which fromEntries cannot say.
  return Object.fromEntries(all.map((title) => [title, titles.indexOf(bare(title))])) as Places<W>;
}

/**
 * What a row with another number of fields than the header means. `exact`: the file is refused. `least`: it is refused
 * where the row has fewer. `counted`: the row is counted as rejected, and as the last one it refuses the file, which was
 * cut off there. `any`: nothing.
 */
type Width = 'exact' | 'least' | 'counted' | 'any';

export type RowFormat = {
  readonly width: Width;
  /** The header is one of so many rows; where nothing is said, it is the first. */
  readonly headerWithin?: number;
  readonly encoding?: CsvEncoding;
  readonly delimiter?: CsvDelimiter;
};

/** Gives the columns of a header; undefined for a row that stands above it. Throws FileRefused. */
type FindColumns<C> = (titles: readonly string[], where: string) => C | undefined;

/** Columns by their titles alone. */
export const columnsOf =
  <W extends Wanted>(
    { name }: TextFile,
    wanted: W,
    { headerWithin = 1 }: RowFormat,
  ): FindColumns<Places<W>> =>
  (titles, where) =>
    headerWithin === 1 || countTitles(titles, wanted.required.slice(0, 1)) === 1
      ? findPlaces(name, where, titles, wanted)
      : undefined;

/** Throws FileRefused where the header lacks what `readNamedRows` would refuse it for. Nothing but the head is looked at. */
export function refuseHeader<C>(file: TextFile, format: RowFormat, find: FindColumns<C>): void {
  const { headerWithin = 1, encoding = 'utf-8', delimiter = ',' } = format;
  const rows = firstLines(file.head, headerWithin, encoding, delimiter);
  const isHeader = ({ line, texts }: (typeof rows)[number]) =>
    find(
      texts.map((title) => title.trim()),
      `line ${line}`,
    ) !== undefined;
  if (!rows.some(isHeader) && rows.length === headerWithin) throw lacksHeader(file, headerWithin);
}

/** Every row below the header; returns how many there were. Throws FileRefused. */
export async function readNamedRows<C>(
  file: TextFile,
  format: RowFormat,
  find: FindColumns<C>,
  into: Pick<Into, 'progress' | 'tally'>,
  onRow: (row: CsvRow, at: C) => void,
): Promise<number> {
  const { width, headerWithin = 1, encoding = 'utf-8', delimiter = ',' } = format;
  const { tally } = into;
  let columns: C | undefined;
  let fields = 0;
  let above = 0;
  let count = 0;
  let lastWrong = 0;
  const chunks = reporting(file.open(), `Reading ${path.basename(file.name)}`, file.bytes, into.progress);
  await readCsv(chunks, { file: file.name, encoding, delimiter }, (row) => {
    if (columns === undefined) {
      const titles = row.texts().map((title) => title.trim());
      columns = find(titles, `line ${row.line}`);
      fields = row.length;
      above += 1;
      if (columns === undefined && above >= headerWithin) throw lacksHeader(file, headerWithin);
      return;
    }
    tally.read += 1;
    count += 1;
    lastWrong = 0;
    if (row.length === fields || width === 'any' || (width === 'least' && row.length > fields)) {
      onRow(row, columns);
      return;
    }
    if (width !== 'counted') throw wrongWidth(file, row, fields);
    lastWrong = row.line;
    tally.reject('another number of fields than the header', placeOf(file, row));
  });
  if (columns === undefined) throw lacksHeader(file, headerWithin);
  if (lastWrong > 0) {
    throw new FileRefused(
      file.name,
      `line ${lastWrong}, the last, does not have the ${fields} fields of the header; the file is cut off. Download it again`,
    );
  }
  return count;
}

const lacksHeader = ({ name }: TextFile, within: number) =>
  new FileRefused(name, `has no header in its first ${within} lines; expected the columns as published`);

export const wrongWidth = ({ name }: TextFile, row: CsvRow, fields: number): FileRefused =>
  new FileRefused(
    name,
    `line ${row.line} has ${row.length} fields; expected ${fields}, as in the header. Is the file cut off?`,
  );

/** "file:line", for a tally. */
export const placeOf = (file: TextFile, row: CsvRow): string => `${path.basename(file.name)}:${row.line}`;

/** A cell by its title, trimmed; empty where the file has no such column. */
export type CellOf<T extends string> = (title: T) => string;

export type NamedCells<T extends string> = {
  readonly cell: CellOf<T>;
  /** "file:line", or a sheet and row, for a tally. */
  readonly place: string;
  /** Refuses the file for this cell. */
  readonly refuse: (title: T, expected: string) => FileRefused;
};

/** Every row of a CSV as cells by title. Throws FileRefused, also where there are no rows. */
export async function readNamedCells<const W extends Wanted>(
  file: TextFile,
  format: RowFormat,
  wanted: W,
  into: Pick<Into, 'progress' | 'tally'>,
  onRow: (row: NamedCells<TitleOf<W>>) => void,
): Promise<void> {
  const rows = await readNamedRows(file, format, columnsOf(file, wanted, format), into, (row, at) => {
    const cell = (title: TitleOf<W>) => row.text(at[title]).trim();
    onRow({ cell, place: placeOf(file, row), refuse: refusing(file.name, `line ${row.line}`, cell) });
  });
  if (rows === 0) throw new FileRefused(file.name, 'has no rows below its header');
}

const refusing =
  <T extends string>(file: string, where: string, cell: CellOf<T>) =>
  (title: T, expected: string) =>
    new FileRefused(file, `${where} has ${JSON.stringify(cell(title))} as ${title}; expected ${expected}`);

/** Workbooks have more lines of title than text files. */
const sheetHeaderWithin = 30;

/** Every row of a sheet that has a cell; what stands for nothing ("---") is empty. Throws FileRefused. */
export function readNamedSheet<const W extends Wanted>(
  file: string,
  sheet: Sheet,
  wanted: W,
  { tally }: Pick<Into, 'tally'>,
  onRow: (row: NamedCells<TitleOf<W>>) => void,
): void {
  const textAt = (row: number, column: number) => {
    const cell = sheet.cell(row, column);
    const text = cell === undefined || cell.kind === 'date' ? '' : tidy(String(cell.value));
    return /^-+$/.test(text) ? '' : text;
  };
  const textsOf = (row: number) =>
    Array.from({ length: sheet.lastColumn + 1 }, (_, column) => textAt(row, column));
  const first = Array.from({ length: Math.min(sheetHeaderWithin, sheet.lastRow + 1) }, (_, row) => row);
  const [mark] = wanted.required;
  const header = first.find((row) => countTitles(textsOf(row), [mark]) === 1);
  if (header === undefined) {
    throw new FileRefused(
      file,
      `sheet "${sheet.name}" has no header with "${mark}" in its first ${sheetHeaderWithin} rows`,
    );
  }
  const at = findPlaces(file, `sheet "${sheet.name}" row ${header + 1}`, textsOf(header), wanted);
  for (let row = header + 1; row <= sheet.lastRow; row += 1) {
    if (textsOf(row).every((text) => text === '')) continue;
    tally.read += 1;
    const cell = (title: TitleOf<W>) => (at[title] < 0 ? '' : textAt(row, at[title]));
    onRow({
      cell,
      place: `${path.basename(file)} ${sheet.name} row ${row + 1}`,
      refuse: refusing(file, `sheet "${sheet.name}" row ${row + 1}`, cell),
    });
  }
}
