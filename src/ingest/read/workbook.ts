// Reads .xls, .xlsx and .ods: a sheet by its exact name, cells as typed values. The library is heavy, so it is
// loaded only when a workbook is there to be read.

import path from 'node:path';
import { dayIn } from '../../uk/calendar.ts';
import { FileRefused } from '../refusal.ts';

export type Cell =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  /** Whole days since 1970-01-01. */
  | { readonly kind: 'date'; readonly day: number };

export type Sheet = {
  readonly name: string;
  /** The used range, as counted from 0. */
  readonly lastRow: number;
  readonly lastColumn: number;
  /** Undefined where the cell is empty. Rows and columns from 0; people count rows from 1. */
  cell(row: number, column: number): Cell | undefined;
};

/** Serial number of 1970-01-01 in the date system that begins in 1900, and in the one of 1904. */
const epochSerial = { from1900: 25_569, from1904: 24_107 };

const unreadable = (file: string) =>
  new FileRefused(file, 'cannot be read as a workbook; it is damaged or cut off. Download it again');

/** What can be told of a workbook at a glance. */
export type Outline = {
  readonly sheetNames: readonly string[];
  /** Texts of the first rows of a sheet, as far as they are texts: titles, headers, a date of publication. */
  head(sheet: string): readonly (readonly string[])[];
  /** When it was last saved, where it says so. */
  readonly modifiedAtMs: number | undefined;
};

const headRows = 12;

export async function readOutline(file: string, bytes: Buffer): Promise<Outline> {
  const { read } = await import('@e965/xlsx');
  const workbook = (() => {
    try {
      return read(bytes, {
        type: 'buffer',
        sheetRows: headRows,
        dense: true,
        cellText: false,
        cellHTML: false,
        cellFormula: false,
      });
    } catch {
      throw unreadable(file);
    }
  })();
  const modified: unknown = workbook.Props?.ModifiedDate;
  return {
    sheetNames: workbook.SheetNames,
    head: (name) =>
      (workbook.Sheets[name]?.['!data'] ?? []).map((row) =>
        (row ?? []).flatMap((cell) => (typeof cell?.v === 'string' ? [cell.v] : [])),
      ),
    modifiedAtMs: modified instanceof Date ? modified.getTime() : undefined,
  };
}

/** Throws FileRefused, naming the sheets there are, when the one asked for is missing. */
export async function readSheet(file: string, bytes: Buffer, name: string): Promise<Sheet> {
  const { read, utils, SSF } = await import('@e965/xlsx');
  const workbook = (() => {
    try {
      return read(bytes, { type: 'buffer', sheets: [name], dense: true, cellNF: true, cellText: false });
    } catch {
      throw unreadable(file);
    }
  })();
  const sheet = workbook.Sheets[name];
  if (!workbook.SheetNames.includes(name) || sheet === undefined) {
    const there = workbook.SheetNames.map((title) => `"${title}"`).join(', ');
    throw new FileRefused(file, `has no sheet "${name}"; its sheets are ${there}`);
  }
  const rows = sheet['!data'] ?? [];
  const range = utils.decode_range(sheet['!ref'] ?? 'A1:A1');
  const epoch = workbook.Workbook?.WBProps?.date1904 ? epochSerial.from1904 : epochSerial.from1900;
  return {
    name,
    lastRow: range.e.r,
    lastColumn: range.e.c,
    cell: (row, column) => {
      const found = rows[row]?.[column];
      const value = found?.v;
      if (found === undefined || value === undefined) return undefined;
      if (typeof value === 'string') return value === '' ? undefined : { kind: 'text', value };
      if (typeof value !== 'number' || found.t === 'e') return undefined;
      const isDate = typeof found.z === 'string' && SSF.is_date(found.z);
      return isDate ? { kind: 'date', day: Math.floor(value) - epoch } : { kind: 'number', value };
    },
  };
}

/** Without line breaks, trailing and double spaces, which do not matter in a header or name. */
export const tidy = (text: string): string => text.replace(/\s+/g, ' ').trim();

const dayMs = 86_400_000;

/** The newest day named above its tables, or in its name; failing that, the day it was saved, or today. */
export function dayOfWorkbook(file: Outline & { readonly name: string }, atMs: number): number {
  const today = Math.floor(atMs / dayMs);
  const named = (texts: readonly string[]) =>
    texts.flatMap((text) => dayIn(tidy(text)) ?? []).filter((day) => day <= today);
  const inside = named(file.sheetNames.flatMap((sheet) => file.head(sheet).flat()));
  if (inside.length > 0) return Math.max(...inside);
  const [outside] = named([path.basename(file.name).replace(/%2B|[+_-]|%20/gi, ' ')]);
  return outside ?? Math.min(today, Math.floor((file.modifiedAtMs ?? atMs) / dayMs));
}
