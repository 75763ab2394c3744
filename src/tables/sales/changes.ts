// What the sold prices of a release are made of: the files with their months and, of every sale that a month speaks of,
// which month spoke last. So a file that comes late is applied as of its month
// (docs/decisions/0022-price-paid-changes.md).

import { defined } from '../../out-of-range.ts';
import { oneOf, strings, times, u8, u16 } from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import type { Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import { idBytes } from './rows.ts';
import { openSalesIndex } from './sales.ts';
import { salesOrigin } from './table.ts';

export const saleChangesPart = 'sale-changes';

/** `complete` is the whole register; `years` have too many sales to keep a month for each; an `export` of the query tool tells
 *  of no month that it is whole; `additions` and `changes` are as large as a month, without corrections and with them. */
const saleFileKinds = ['complete', 'years', 'export', 'additions', 'changes'] as const;

export type SaleFile = {
  /** CRC-32 and size of its content. */
  readonly fingerprint: string;
  /** In months since the year 0. */
  readonly month: number;
  /** The month of its newest sale, where it has so many rows that its own month must be among them; else 0. */
  readonly newest: number;
  readonly kind: (typeof saleFileKinds)[number];
};

export const saleChangesTable = table({
  part: saleChangesPart,
  origin: salesOrigin,
  about:
    'Which files of the register are in, with their months, and which month spoke last of a sale. The bundled sample has none.',
  order: 'changes by id; files by month, kind and fingerprint',
  columns: {
    id: u8(times('change', idBytes), 'the 16 bytes of the transaction id'),
    said: u16(
      'change',
      'the month that spoke last of the sale: 2 × months since the year 0, + 1 where a file with corrections did',
    ),
    files: strings('file', 'CRC-32 and size'),
    'file-month': u16('file', 'its month, in months since the year 0'),
    'file-newest': u16('file', 'the month of its newest sale likewise; 0 where it has too few rows to tell'),
    'file-kind': u8('file', 'what it is', oneOf(saleFileKinds)),
  },
});

export type SaleChanges = {
  readonly files: readonly SaleFile[];
  /** `idBytes` each, in order. */
  readonly ids: Uint8Array;
  /** As the column. */
  readonly said: Uint16Array;
};

const compareTexts = (a: string, b: string) => (a < b ? -1 : Number(a > b));

/** By month; of one month, what may be corrected comes before what corrects. */
export const compareSaleFiles = (a: SaleFile, b: SaleFile): number =>
  a.month - b.month ||
  saleFileKinds.indexOf(a.kind) - saleFileKinds.indexOf(b.kind) ||
  compareTexts(a.fingerprint, b.fingerprint);

export function encodeSaleChanges({ files, ids, said }: SaleChanges): Columns {
  const inOrder = files.toSorted(compareSaleFiles);
  return saleChangesTable.encode({
    id: ids,
    said,
    files: inOrder.map(({ fingerprint }) => fingerprint),
    'file-month': Uint16Array.from(inOrder, ({ month }) => month),
    'file-newest': Uint16Array.from(inOrder, ({ newest }) => newest),
    'file-kind': Uint8Array.from(inOrder, ({ kind }) => saleFileKinds.indexOf(kind)),
  });
}

/** What a release knows of its files. */
export function openSaleChanges(release: Release): SaleChanges {
  const views = saleChangesTable.read(release.readPart(saleChangesPart));
  const months = views['file-month'];
  const newest = views['file-newest'];
  const kinds = views['file-kind'];
  return {
    files: views.files.list().map((fingerprint, file) => ({
      fingerprint,
      month: defined(months[file]),
      newest: defined(newest[file]),
      kind: defined(saleFileKinds[defined(kinds[file])]),
    })),
    ids: views.id,
    said: views.said,
  };
}

/** Which months are in. All are months since the year 0. */
type ChangesKnown = {
  /** The month that the complete file reaches; undefined where it is not the base. */
  readonly completeOf: number | undefined;
  /** The months of the changes since then, in order. */
  readonly months: readonly number[];
  /** Months before the last of them of which nothing is in. */
  readonly missing: readonly number[];
};

/** Undefined where nothing of the register is loaded beyond the bundled sample. */
export function changesKnown(release: Release): ChangesKnown | undefined {
  if (release.findDataset('price-paid') === undefined) return undefined;
  if (openSalesIndex(release).standing === 'sample') return undefined;
  return monthsOf(openSaleChanges(release).files);
}

export function monthsOf(files: readonly SaleFile[]): ChangesKnown {
  const completeOf = files.find(({ kind }) => kind === 'complete')?.month;
  const monthly = files.filter(({ kind }) => kind === 'changes' || kind === 'additions');
  const months = [...new Set(monthly.map(({ month }) => month))].sort((a, b) => a - b);
  // Without the complete file, additions may be a piece of a year. Then only corrections tell a row of months.
  const telling =
    completeOf === undefined
      ? monthly.filter(({ kind }) => kind === 'changes').map(({ month }) => month)
      : [completeOf, ...months];
  const missing: number[] = [];
  for (let month = Math.min(...telling) + 1; month < Math.max(...telling); month++) {
    if (!months.includes(month)) missing.push(month);
  }
  return { completeOf, months, missing };
}
