// Goes through a price-paid file record by record: to learn what it is, or to apply it.

import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { TextFile } from '../../ingest/files.ts';
import { reporting } from '../../ingest/progress.ts';
import { firstRows, readCsv } from '../../ingest/read/csv.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into } from '../../ingest/source.ts';
import { defined } from '../../out-of-range.ts';
import type { SaleFile } from '../../tables/sales/changes.ts';
import { dayOf, monthOf } from '../../uk/calendar.ts';
import { bulkFields, parseHeader, readRecord, type SaleFields, SaleRecord } from './records.ts';

export type FileFacts = {
  /** Checksum and size of the content. */
  readonly fingerprint: string;
  readonly rows: number;
  /** Rows that can be read. */
  readonly records: number;
  /** Records that correct or delete. */
  readonly changes: number;
  /** Infinite where there is none. */
  readonly oldestDay: number;
  /** The newest day that is not in the future; 0 where there is none. */
  readonly newestDay: number;
  /** Sales of days after the month that the file says it is of, and not in the future. */
  readonly later: number;
};

/** How many rows tell what a file is. */
export type FileSizes = {
  /** Every complete file since 1998 has this many rows, and no file of changes does. */
  readonly complete: number;
  /** A month has no more; a year without corrections has. */
  readonly month: number;
};

const firstMonthEnd = defined(dayOf(1995, 1, 31));

function kindOf({ rows, changes, oldestDay }: FileFacts, layout: string, sizes: FileSizes): SaleFile['kind'] {
  if (changes > 0) return 'changes';
  if (rows >= sizes.complete && oldestDay <= firstMonthEnd) return 'complete';
  if (rows > sizes.month) return 'years';
  return layout === 'query-tool export' ? 'export' : 'additions';
}

/** Of so many records of a month, one at least is of a sale in that month: even the Isle of Wight has some 250. */
const tellingRecords = 100;

/** What the file is, and of which month. Throws FileRefused where nothing tells the month. */
export function identify(
  file: TextFile,
  layout: string,
  facts: FileFacts,
  sizes: FileSizes,
  { dating }: Into,
): SaleFile {
  const newestInRows = facts.newestDay === 0 ? undefined : facts.newestDay;
  const month = dating.monthOf(file, { newestInRows });
  if (2 * facts.later > facts.records) {
    throw new FileRefused(
      file.name,
      `is of ${dating.describe(file.name)}, but ${facts.later} of its ${facts.records} sales are dated later; take the month out of its name, or give the right one with --edition`,
    );
  }
  const newest = newestInRows === undefined || facts.records < tellingRecords ? 0 : monthOf(newestInRows);
  return {
    fingerprint: facts.fingerprint,
    month,
    // A sale after the month of the file is mistyped, and tells nothing.
    newest: newest > month ? 0 : newest,
    kind: kindOf(facts, layout, sizes),
  };
}

type OnRecord = (
  row: Parameters<typeof readRecord>[0],
  fields: SaleFields,
  record: SaleRecord,
  /** "file:line" */
  place: () => string,
) => void;

/** What the file says of itself; nothing is applied or counted. */
export const scanFile = (
  file: TextFile,
  into: Into,
  onRecord: (record: SaleRecord) => void = () => {},
): Promise<FileFacts> =>
  eachRecord(file, `Looking through ${file.name}`, into, (_row, _fields, record, reason) => {
    if (reason === undefined) onRecord(record);
  });

/** Hands over every record, and counts rows that are none as rejected. */
export function readFile(file: TextFile, into: Into, onRecord: OnRecord): Promise<FileFacts> {
  const { tally } = into;
  const name = path.basename(file.name);
  const lastDay = into.dating.lastDayIn(file, into.kind);
  return eachRecord(file, `Reading ${file.name}`, into, (row, fields, record, reason) => {
    tally.read += 1;
    const place = () => `${name}:${row.line}`;
    if (reason !== undefined) tally.reject(reason, place());
    else if (record.status === 'live' && record.day > lastDay)
      tally.reject('its date lies after the day of the file', place());
    else onRecord(row, fields, record, place);
  });
}

type OnRow = (
  row: Parameters<typeof readRecord>[0],
  fields: SaleFields,
  record: SaleRecord,
  reason: string | undefined,
) => void;

async function eachRecord(file: TextFile, phase: string, into: Into, onRow: OnRow): Promise<FileFacts> {
  const record = new SaleRecord();
  const header = parseHeader(firstRows(file.head, 1, 'cp1252')[0] ?? []);
  const fields = header?.fields ?? bulkFields;
  const { today } = into.dating;
  const lastDay = into.dating.lastDayIn(file, into.kind);
  const facts = {
    ...{ rows: 0, records: 0, changes: 0, later: 0 },
    ...{ oldestDay: Number.POSITIVE_INFINITY, newestDay: 0 },
  };
  let isHeader = header !== undefined;
  let crc = 0;
  let bytes = 0;
  const chunks = reporting(file.open(), phase, file.bytes, into.progress);
  const measured = async function* () {
    for await (const chunk of chunks) {
      crc = crc32(chunk, crc);
      bytes += chunk.byteLength;
      yield chunk;
    }
  };
  await readCsv(measured(), { file: file.name, encoding: 'utf-8' }, (row) => {
    if (isHeader) {
      isHeader = false;
      if (header?.gluedAt === undefined) return;
      // The rest of this line is the first row.
      row.fields.copyWithin(0, 3 * header.gluedAt, 3 * row.length);
      row.length -= header.gluedAt;
    }
    const reason = readRecord(row, fields, record);
    facts.rows += 1;
    if (reason === undefined) {
      const { day } = record;
      facts.records += 1;
      if (record.isChange) facts.changes += 1;
      if (day > facts.newestDay && day <= today) facts.newestDay = day;
      if (day > lastDay && day <= today && record.status === 'live') facts.later += 1;
      if (day < facts.oldestDay) facts.oldestDay = day;
    }
    onRow(row, fields, record, reason);
  });
  return { ...facts, fingerprint: `${crc.toString(16).padStart(8, '0')}-${bytes}` };
}
