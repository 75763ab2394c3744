// Rows of a CSV with a header, as records by column name: for the project's own files, which are small and strict.

import path from 'node:path';
import type { TextFile } from '../files.ts';
import { reporting } from '../progress.ts';
import { FileRefused } from '../refusal.ts';
import type { Into } from '../source.ts';
import { firstRows, readCsv } from './csv.ts';

export type CsvRecord = {
  /** Trimmed; empty where the row has no such cell. */
  get(column: string): string;
  /** "file:line", for a tally. */
  readonly place: string;
  /** Refuses the file at this row. */
  refuse(column: string, expected: string): FileRefused;
};

/** Names of the first row as they stand, without the space around them. */
export const headerOf = (file: TextFile): readonly string[] =>
  // Single bytes here, so that a wrongly encoded file is still recognised and then refused with its line.
  (firstRows(file.head, 1, 'cp1252')[0] ?? []).map((cell) => cell.replace(/^\u00ef\u00bb\u00bf/, '').trim());

export const hasColumns = (header: readonly string[], ...names: readonly string[]): boolean =>
  names.every((name) => header.includes(name));

export async function readRecords(
  file: TextFile,
  into: Pick<Into, 'progress' | 'tally'>,
  onRecord: (record: CsvRecord) => void,
): Promise<void> {
  let header: readonly string[] | undefined;
  let count = 0;
  const chunks = reporting(file.open(), `Reading ${file.name}`, file.bytes, into.progress);
  await readCsv(chunks, { file: file.name, encoding: 'utf-8' }, (row) => {
    if (header === undefined) {
      header = row.texts().map((cell) => cell.trim());
      return;
    }
    const columns = header;
    if (row.length !== columns.length) {
      throw new FileRefused(
        file.name,
        `line ${row.line} has ${row.length} fields; expected ${columns.length}, as in the header`,
      );
    }
    count += 1;
    into.tally.read += 1;
    const get = (column: string) => row.text(columns.indexOf(column)).trim();
    const { line } = row;
    onRecord({
      get,
      place: `${path.basename(file.name)}:${line}`,
      refuse: (column, expected) =>
        new FileRefused(
          file.name,
          `line ${line} has ${JSON.stringify(get(column))} as ${column}; expected ${expected}`,
        ),
    });
  });
  if (count === 0) throw new FileRefused(file.name, 'has a header but no rows below it');
}

/** A JSON file of this project that says of itself what it describes; undefined for anything else. */
export function parseNote(file: TextFile, describes: string): object | undefined {
  const text = file.head.toString('utf8');
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isIt =
      typeof value === 'object' && value !== null && 'describes' in value && value.describes === describes;
    return isIt ? value : undefined;
  } catch {
    return undefined;
  }
}
