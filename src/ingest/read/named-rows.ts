// Rows of an official CSV whose columns are found by name, whatever their order and case. A row with another number of
// fields than the header is rejected and counted; where it is the last one, the file was cut off.

import path from 'node:path';
import type { InputFile, TextFile } from '../files.ts';
import { reporting } from '../progress.ts';
import { FileRefused } from '../refusal.ts';
import type { Into } from '../source.ts';
import { type CsvEncoding, type CsvRow, firstRows, readCsv } from './csv.ts';

/** Column name, lower case → whether the file can be read without it. */
export type Wanted = Readonly<Record<string, 'required' | 'optional'>>;

/** Where each column is; −1 for an optional one that is not there, which reads as empty. */
export type Places<W extends Wanted> = { readonly [N in keyof W]: number };

export const isLackingFields = 'another number of fields than the header';

const normalise = (title: string) =>
  title
    .replace(/^(\ufeff|\u00ef\u00bb\u00bf)/, '')
    .trim()
    .toLowerCase();

/** Titles of the first row, in lower case; none where the file is no text. */
export const titlesOf = (file: InputFile): readonly string[] =>
  // Single bytes here, so that a wrongly encoded file is still recognised and then refused with its line.
  file.form === 'text' ? (firstRows(file.head, 1, 'cp1252')[0] ?? []).map(normalise) : [];

export const hasTitles = (file: InputFile, ...titles: readonly string[]): boolean => {
  const found = titlesOf(file);
  return titles.every((title) => found.includes(title));
};

/** Returns how many rows there were. Throws FileRefused where a column is missing or the file is cut off. */
export async function readNamedRows<const W extends Wanted>(
  file: TextFile,
  wanted: W,
  into: Pick<Into, 'progress' | 'tally'>,
  onRow: (row: CsvRow, at: Places<W>) => void,
  encoding: CsvEncoding = 'utf-8',
): Promise<number> {
  const { tally } = into;
  let places: Places<W> | undefined;
  let fields = 0;
  let count = 0;
  let shortLine = 0;
  const chunks = reporting(file.open(), `Reading ${path.basename(file.name)}`, file.bytes, into.progress);
  await readCsv(chunks, { file: file.name, encoding }, (row) => {
    if (places === undefined) {
      places = findPlaces(file.name, row.texts().map(normalise), wanted);
      fields = row.length;
      return;
    }
    tally.read += 1;
    count += 1;
    shortLine = 0;
    if (row.length === fields) {
      onRow(row, places);
      return;
    }
    shortLine = row.line;
    tally.reject(isLackingFields, placeOf(file, row));
  });
  if (shortLine > 0) {
    throw new FileRefused(
      file.name,
      `line ${shortLine}, its last, has not the ${fields} fields of the header; it is cut off. Download it again`,
    );
  }
  return count;
}

/** "file:line", for a tally. */
export const placeOf = (file: TextFile, row: CsvRow): string => `${path.basename(file.name)}:${row.line}`;

function findPlaces<const W extends Wanted>(file: string, header: readonly string[], wanted: W): Places<W> {
  const missing = Object.keys(wanted).filter((name) => wanted[name] === 'required' && !header.includes(name));
  if (missing.length > 0) {
    throw new FileRefused(
      file,
      `line 1 lacks ${missing.map((name) => `"${name}"`).join(', ')}; expected the columns as the publisher has them. Its columns are ${header.join(', ')}`,
    );
  }
  const twice = Object.keys(wanted).find((name) => header.indexOf(name) !== header.lastIndexOf(name));
  if (twice !== undefined) throw new FileRefused(file, `line 1 has "${twice}" twice; expected it once`);
  // One place for each name of `wanted`, which fromEntries cannot say.
  return Object.fromEntries(Object.keys(wanted).map((name) => [name, header.indexOf(name)])) as Places<W>;
}

/** Of a file that may have been saved either way. */
export async function encodingOf(file: TextFile): Promise<CsvEncoding> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of file.open()) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return 'utf-8';
  } catch (error) {
    if (error instanceof TypeError) return 'cp1252';
    throw error;
  }
}
