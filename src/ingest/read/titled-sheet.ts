// A table in a workbook below lines of title: its header is the row that has the first wanted title, its columns are
// found by their titles.

import path from 'node:path';
import { dayIn } from '../../uk/calendar.ts';
import type { WorkbookFile } from '../files.ts';
import { FileRefused } from '../refusal.ts';
import type { Into } from '../source.ts';
import { type CellOf, countTitles, findColumns } from './titled-columns.ts';
import { type Sheet, tidy } from './workbook.ts';

const headerWithin = 30;
const dayMs = 86_400_000;

/** Sheets whose first rows have a header with so many of the titles. */
export const findSheets = (
  file: WorkbookFile,
  titles: readonly string[],
  enough: number,
): readonly string[] =>
  file.sheetNames.filter((name) => file.head(name).some((row) => countTitles(row, titles) >= enough));

/** Every row with a cell in it; what stands for nothing ("---") is empty. Throws FileRefused. */
export function readTitledSheet<T extends string>(
  file: string,
  sheet: Sheet,
  wanted: readonly [T, ...T[]],
  { tally }: Pick<Into, 'tally'>,
  onRow: (cell: CellOf<T>, place: string) => void,
): void {
  const textAt = (row: number, column: number) => {
    const cell = sheet.cell(row, column);
    const text = cell === undefined || cell.kind === 'date' ? '' : tidy(String(cell.value));
    return /^-+$/.test(text) ? '' : text;
  };
  const textsOf = (row: number) =>
    Array.from({ length: sheet.lastColumn + 1 }, (_, column) => textAt(row, column));
  const rows = Array.from({ length: Math.min(headerWithin, sheet.lastRow + 1) }, (_, row) => row);
  const header = rows.find((row) => countTitles(textsOf(row), wanted.slice(0, 1)) === 1);
  if (header === undefined) {
    throw new FileRefused(
      file,
      `sheet "${sheet.name}" has no header with "${wanted[0]}" in its first ${headerWithin} rows`,
    );
  }
  const columns = findColumns(file, `sheet "${sheet.name}" row ${header + 1}`, textsOf(header), wanted);
  for (let row = header + 1; row <= sheet.lastRow; row += 1) {
    if (textsOf(row).every((text) => text === '')) continue;
    tally.read += 1;
    onRow(
      (title) => textAt(row, columns.get(title) ?? -1),
      `${path.basename(file)} ${sheet.name} row ${row + 1}`,
    );
  }
}

/** The newest day named above its tables, else in its name; else when it was saved; else today. */
export function dayOfWorkbook(file: WorkbookFile, atMs: number): number {
  const today = Math.floor(atMs / dayMs);
  const named = (texts: readonly string[]) =>
    texts.flatMap((text) => dayIn(tidy(text)) ?? []).filter((day) => day <= today);
  const inside = named(file.sheetNames.flatMap((sheet) => file.head(sheet).flat()));
  if (inside.length > 0) return Math.max(...inside);
  const [outside] = named([path.basename(file.name).replace(/%2B|[+_-]|%20/gi, ' ')]);
  return outside ?? Math.min(today, Math.floor((file.modifiedAtMs ?? atMs) / dayMs));
}
