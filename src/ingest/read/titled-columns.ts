// Columns by their titles: publishers move columns, and change spaces, capitals and brackets in their titles, so that
// only letters and digits are compared. Each wanted one must be there once, or the file is refused.

import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import type { TextFile } from '../files.ts';
import { reporting } from '../progress.ts';
import { FileRefused } from '../refusal.ts';
import type { Into } from '../source.ts';
import { type CsvRow, firstRows, readCsv } from './csv.ts';

/** Some files have a line or two of title above their header. */
const headerWithin = 6;

const bare = (title: string) => title.toLowerCase().replace(/[^a-z0-9]/g, '');

/** How many of the wanted titles a row has. */
export function countTitles(row: readonly string[], wanted: readonly string[]): number {
  const there = new Set(row.map(bare));
  return wanted.filter((title) => there.has(bare(title))).length;
}

/** The most wanted titles that one of the first rows has, for telling the layout. */
export function mostTitles(file: TextFile, wanted: readonly string[]): number {
  // Single bytes here: every file has those.
  const rows = firstRows(file.head, headerWithin, 'cp1252');
  return Math.max(0, ...rows.map((row) => countTitles(row, wanted)));
}

/** Column of each wanted title. Throws FileRefused; `where` is "line 1" or a sheet and its row. */
export function findColumns<T extends string>(
  file: string,
  where: string,
  header: readonly string[],
  wanted: readonly T[],
): ReadonlyMap<T, number> {
  const titles = header.map(bare);
  const missing = wanted.filter((title) => !titles.includes(bare(title)));
  if (missing.length > 0) {
    const names = missing.map((title) => `"${title}"`).join(', ');
    throw new FileRefused(
      file,
      `${where} lacks ${missing.length === 1 ? 'a required column' : `${missing.length} required columns`}: ${names}. Is it the right file, or has its publisher changed it? Its columns are ${header.join(', ')}`,
    );
  }
  const twice = wanted.find((title) => titles.indexOf(bare(title)) !== titles.lastIndexOf(bare(title)));
  if (twice !== undefined)
    throw new FileRefused(file, `${where} has the column "${twice}" twice; expected one`);
  return new Map(wanted.map((title) => [title, titles.indexOf(bare(title))]));
}

/** A cell, trimmed. */
export type CellOf<T extends string> = (title: T) => string;

/** Every row below the header; `place` is "file:line". The first wanted title tells the header. */
export async function readTitledCsv<T extends string>(
  file: TextFile,
  wanted: readonly [T, ...T[]],
  into: Pick<Into, 'progress' | 'tally'>,
  onRow: (cell: CellOf<T>, place: string) => void,
): Promise<void> {
  const base = path.basename(file.name);
  const expected = `expected a header with ${wanted.slice(0, 3).join(', ')}, … in the first ${headerWithin} lines`;
  let columns: ReadonlyMap<T, number> | undefined;
  let fields = 0;
  let above = 0;
  let rows = 0;
  const chunks = reporting(file.open(), `Reading ${file.name}`, file.bytes, into.progress);
  await readCsv(chunks, { file: file.name, encoding: 'cp1252' }, (row) => {
    if (columns === undefined) {
      const texts = row.texts().map((text) => text.trim());
      above += 1;
      if (countTitles(texts, wanted.slice(0, 1)) === 1) {
        columns = findColumns(file.name, `line ${row.line}`, texts, wanted);
        fields = row.length;
      } else if (above >= headerWithin) throw new FileRefused(file.name, expected);
      return;
    }
    if (row.length !== fields) {
      throw new FileRefused(
        file.name,
        `line ${row.line} has ${row.length} fields; expected ${fields}, as in the header. Is the file cut off?`,
      );
    }
    rows += 1;
    into.tally.read += 1;
    const at = columns;
    onRow((title) => textOf(row, at.get(title) ?? -1), `${base}:${row.line}`);
  });
  if (rows === 0)
    throw new FileRefused(file.name, columns === undefined ? expected : 'has no rows below its header');
}

/** The publishers save as Windows-1252; who opens the file and saves it again may make it UTF-8. */
function textOf(row: CsvRow, index: number): string {
  const text = row.text(index).trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  const bytes = row.bytes.subarray(row.start(index), row.end(index));
  return isUtf8(bytes) ? bytes.toString('utf8').replaceAll('""', '"').trim() : text;
}
