// Reads .xls, .xlsx and .ods: a sheet by its exact name, cells as typed values. The library is heavy, so it is
// loaded only when a workbook is there to be read.

import { parseDay } from '../../uk/calendar.ts';
import { FileRefused } from '../refusal.ts';
import { withoutControls } from './csv.ts';
import { unpackWorkbook, type WorkbookContents } from './workbook-contents.ts';

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
  /** The day on which it was last saved, in days since 1970-01-01, where it says so. */
  readonly savedDay: number | undefined;
};

const headRows = 12;

/** Every row and column of an .xls: those are looked through one by one. */
const mostArea = 65_536 * 256;

/** The library writes to the console what it cannot show of formats, names and records, and has no option against it. We read
 *  values, not what is shown, and what cannot be read is thrown. Nothing else can run before the console is as it was. */
function quietly<T>(work: () => T): T {
  const { error, warn, log } = console;
  const silent = () => {};
  Object.assign(console, { error: silent, warn: silent, log: silent });
  try {
    return work();
  } finally {
    Object.assign(console, { error, warn, log });
  }
}

export async function readOutline(file: string, content: Buffer): Promise<Outline> {
  const { bytes, texts } = await unpackWorkbook(file, content);
  const { read } = await import('@e965/xlsx');
  const workbook = (() => {
    try {
      return quietly(() =>
        read(bytes, {
          type: 'buffer',
          sheetRows: headRows,
          dense: true,
          cellText: false,
          cellHTML: false,
          cellFormula: false,
        }),
      );
    } catch {
      throw unreadable(file);
    }
  })();
  const { ModifiedDate: modified, CreatedDate: created } = workbook.Props ?? {};
  return {
    sheetNames: workbook.SheetNames,
    head: (name) =>
      (workbook.Sheets[name]?.['!data'] ?? []).map((row) =>
        (row ?? []).flatMap((cell) => (typeof cell?.v === 'string' ? [withoutControls(cell.v)] : [])),
      ),
    savedDay: dayOfProperty(modified) ?? savedDayOfOds(texts) ?? dayOfProperty(created),
  };
}

/** The library gives a date of .xlsx, a text of .xls, and nothing of .ods. */
function dayOfProperty(value: unknown): number | undefined {
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? undefined : parseDay(value.toISOString().slice(0, 10));
  return typeof value === 'string' ? parseDay(value.slice(0, 10)) : undefined;
}

const odsProperties = 'meta.xml';

/** A document that was never changed has only the day of its creation. */
function savedDayOfOds(texts: WorkbookContents['texts']): number | undefined {
  const text = texts.get(odsProperties)?.toString('utf8') ?? '';
  const find = (pattern: RegExp) => dayOfProperty(pattern.exec(text)?.[1]?.trim());
  return find(/<dc:date>([^<]*)</) ?? find(/<meta:creation-date>([^<]*)</);
}

/** Throws FileRefused, naming the sheets there are, when the one asked for is missing. */
export async function readSheet(file: string, content: Buffer, name: string): Promise<Sheet> {
  const { bytes } = await unpackWorkbook(file, content);
  const { read, SSF } = await import('@e965/xlsx');
  const workbook = (() => {
    try {
      return quietly(() =>
        read(bytes, { type: 'buffer', sheets: [name], dense: true, cellNF: true, cellText: false }),
      );
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
  // By the cells that are there: the range that the file states may be any.
  const lastRow = Math.max(0, rows.length - 1);
  const lastColumn = rows.reduce((most, row) => Math.max(most, (row ?? []).length - 1), 0);
  if ((lastRow + 1) * (lastColumn + 1) > mostArea) {
    throw new FileRefused(
      file,
      `sheet "${name}" reaches to row ${lastRow + 1} and column ${lastColumn + 1}; no table of a publisher is so large. Is it the right file?`,
    );
  }
  const epoch = workbook.Workbook?.WBProps?.date1904 ? epochSerial.from1904 : epochSerial.from1900;
  return {
    name,
    lastRow,
    lastColumn,
    cell: (row, column) => {
      const found = rows[row]?.[column];
      const value = found?.v;
      if (found === undefined || value === undefined) return undefined;
      if (typeof value === 'string')
        return value === '' ? undefined : { kind: 'text', value: withoutControls(value) };
      if (typeof value !== 'number' || found.t === 'e') return undefined;
      const isDate = typeof found.z === 'string' && SSF.is_date(found.z);
      return isDate ? { kind: 'date', day: Math.floor(value) - epoch } : { kind: 'number', value };
    },
  };
}

/** Without line breaks, trailing and double spaces, which do not matter in a header or name. */
export const tidy = (text: string): string => text.replace(/\s+/g, ' ').trim();
