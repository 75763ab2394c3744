// HM Land Registry's price paid data: the complete file, years, parts of years and monthly changes (one layout),
// exports of its query tool, and the sample that comes with the program.

import path from 'node:path';
import { crc32 } from 'node:zlib';
import { outOfRange } from '../../columns/out-of-range.ts';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import { reporting } from '../../ingest/progress.ts';
import { firstRows, readCsv } from '../../ingest/read/csv.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { formatCount } from '../../ingest/tally.ts';
import { encodeSalesIndex, openSalesIndex, type SalesStanding } from '../../tables/sales/sales.ts';
import { salesIndexPart, unplacedArea } from '../../tables/sales/table.ts';
import { dayOf, formatDay } from '../../uk/calendar.ts';
import { type Before, SalesBuild } from './build.ts';
import { bulkFields, parseHeader, readRecord, type SaleFields, SaleRecord } from './records.ts';

const layouts = {
  'price paid': 'CSV of 16 columns without header (pp-complete, pp-YYYY and its parts, monthly changes)',
  'query-tool export': 'CSV with the columns unique_id, price_paid, deed_date, … (ppd_data.csv)',
  sample: 'CSV with the columns transactionId, price, date, … (this project)',
} as const;

type Layout = keyof typeof layouts;

const notCovered = 'not covered by the publication';

/** `completeRows`: every complete file since 1998 has this many rows, and no file of changes does. */
export const pricePaidOf = (completeRows: number): Loader => ({
  facts: {
    publisher: 'HM Land Registry',
    publisherShort: 'HM Land Registry',
    licence:
      'Open Government Licence v3.0; the addresses only for personal use or to provide residential property price information (Royal Mail and Ordnance Survey)',
    attribution:
      'Contains HM Land Registry data © Crown copyright and database right 2026. This data is licensed under the Open Government Licence v3.0.',
    coverage: {
      England: 'sales registered since 1995',
      Wales: 'sales registered since 1995',
      Scotland: notCovered,
      'Northern Ireland': notCovered,
    },
  },
  publications: [
    {
      name: 'price-paid-complete',
      title: 'Price Paid Data, the complete file',
      page: 'https://www.gov.uk/government/statistical-data-sets/price-paid-data-downloads',
      find: {
        kind: 'fixed',
        addresses: ['https://price-paid-data.publicdata.landregistry.gov.uk/pp-complete.csv'],
      },
      hosts: ['price-paid-data.publicdata.landregistry.gov.uk'],
      rhythm: { text: 'monthly, on the 20th working day', lateAfterDays: 45, askEveryDays: 0 },
      typicalBytes: 5_525_539_417,
      mostBytes: 12_000_000_000,
      loading: { seconds: 200, memoryBytes: 2_500_000_000, diskBytes: 1_300_000_000 },
      gives: 'all of /area/sold-prices',
      set: 'essential',
      terms: {
        name: 'price-paid-addresses',
        text: 'Addresses in Price Paid Data are of Royal Mail and Ordnance Survey: they may be used for personal purposes, or to provide a service of residential property prices, and for nothing else.',
        page: 'https://www.gov.uk/guidance/about-the-price-paid-data',
        leavesOut: 'the publication',
      },
      holds: 'everything',
      readWith: 'nothing else',
    },
    {
      name: 'price-paid-changes',
      title: 'Price Paid Data, changes of the newest month',
      page: 'https://www.gov.uk/government/statistical-data-sets/price-paid-data-downloads',
      find: {
        kind: 'fixed',
        addresses: [
          'https://price-paid-data.publicdata.landregistry.gov.uk/pp-monthly-update-new-version.csv',
        ],
      },
      hosts: ['price-paid-data.publicdata.landregistry.gov.uk'],
      rhythm: { text: 'monthly, on the 20th working day', lateAfterDays: 45, askEveryDays: 0 },
      typicalBytes: 22_000_000,
      mostBytes: 400_000_000,
      loading: { seconds: 25, memoryBytes: 900_000_000, diskBytes: 50_000_000 },
      gives: 'the newest month of /area/sold-prices',
      set: 'essential',
      terms: {
        name: 'price-paid-addresses',
        text: 'Addresses in Price Paid Data are of Royal Mail and Ordnance Survey: they may be used for personal purposes, or to provide a service of residential property prices, and for nothing else.',
        page: 'https://www.gov.uk/guidance/about-the-price-paid-data',
        leavesOut: 'the publication',
      },
      holds: 'changes',
      readWith: 'nothing else',
    },
  ],
  layouts: Object.values(layouts),
  wholeFiles: 'the complete file (pp-complete.csv)',
  recognise,
  load: (files, into) => load(files, into, completeRows),
});

export const pricePaid: Loader = pricePaidOf(5_000_000);

function recognise(file: InputFile): Layout | undefined {
  if (file.form !== 'text') return undefined;
  const [first] = firstRows(file.head, 1, 'cp1252');
  if (first === undefined) return undefined;
  const header = parseHeader(first);
  if (header !== undefined) return header.layout;
  const [id = '', price = '', date = ''] = first;
  const isRecord =
    first.length === bulkFields.columns &&
    /^\{?[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\}?$/i.test(id) &&
    /^\d+$/.test(price) &&
    /^\d{4}-\d\d-\d\d( |$)/.test(date);
  return isRecord ? 'price paid' : undefined;
}

async function load(files: readonly RecognisedFile[], into: Into, completeRows: number): Promise<Loaded> {
  const known = openBefore(into);
  const applied = new Set(known?.index.applied);
  const bytes = files.reduce((sum, { file }) => sum + (file.form === 'text' ? (file.bytes ?? 0) : 0), 0);
  const build = new SalesBuild(into, bytes / bytesPerRow);
  let standing: SalesStanding = known?.index.standing ?? 'sample';
  let before = known;
  let isWhole = false;
  for (const scan of await inOrder(files, applied, into)) {
    if (scan.fingerprint !== undefined && applied.has(scan.fingerprint)) {
      skipStale(scan, into);
      continue;
    }
    const facts = await readFile(scan.file, into, build);
    applied.add(facts.fingerprint);
    if (scan.layout !== 'sample' && standing === 'sample') standing = 'partial';
    if (!isComplete(facts, completeRows)) continue;
    // The complete file says all that is known: a sale that it no longer has is gone.
    isWhole = true;
    standing = 'complete';
    before = undefined;
  }
  if (!isWhole) into.needBefore();
  const { areas, areaOfTown } = await build.finish(before);
  into.writePart(salesIndexPart, encodeSalesIndex({ areas, areaOfTown, applied: [...applied], standing }));
  const served = areas.filter(({ area }) => area !== unplacedArea);
  if (served.length === 0) {
    const names = files.map(({ file }) => file.name).join(', ');
    throw new FileRefused(names, `holds no sale that can be kept${firstReason(into)}`);
  }
  const newest = formatDay(served.reduce((latest, { newestDay }) => Math.max(latest, newestDay), 0));
  return {
    edition: `sales to ${newest}`,
    asOf: newest,
    rows: served.reduce((sum, { rows }) => sum + rows, 0),
    extent: standing,
    nextEditionExpected: 'monthly, on the 20th working day',
    ...(standing === 'complete' ? {} : { coverage: partialCoverage(served, newest) }),
  };
}

const areasNamed = 12;

/** What is there of the register, of which the complete file was never given. */
function partialCoverage(
  served: readonly { readonly area: string; readonly rows: number }[],
  newest: string,
): NonNullable<Loaded['coverage']> {
  const named = served.slice(0, areasNamed).map(({ area }) => area);
  const more = served.length - named.length;
  const areas = `postcode area${served.length === 1 ? '' : 's'} ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const rows = served.reduce((sum, area) => sum + area.rows, 0);
  return {
    'England and Wales': `${formatCount(rows)} sales of ${areas}, to ${newest}; the complete register is not loaded`,
    Scotland: notCovered,
    'Northern Ireland': notCovered,
  };
}

/** The sales to build on. The sample that comes with the program gives way to what an operator loads. */
function openBefore({ base, source, kind, tally }: Into): Before | undefined {
  if (base?.findDataset(source.dataset) === undefined) return undefined;
  const index = openSalesIndex(base);
  if (index.standing !== 'sample' || kind !== 'loaded') return { release: base, index };
  const rows = index.areas.reduce((sum, area) => sum + area.rows, 0);
  for (let row = 0; row < rows; row++)
    tally.revise('sale of the bundled sample taken out', `${base.id}:${row + 1}`);
  return undefined;
}

function firstReason({ tally }: Into): string {
  const [first] = tally.rejects;
  return first === undefined ? '' : `; ${first.places[0] ?? ''}: ${first.reason}`;
}

type FileFacts = {
  /** Checksum and size of the content. */
  readonly fingerprint: string;
  readonly rows: number;
  readonly changes: number;
  readonly oldestDay: number;
  readonly newestDay: number;
};

/** The average of the bulk layout. */
const bytesPerRow = 172;

const firstMonthEnd = dayOf(1995, 1, 31) ?? outOfRange();

const isComplete = ({ rows, changes, oldestDay }: FileFacts, completeRows: number) =>
  rows >= completeRows && changes === 0 && oldestDay <= firstMonthEnd;

type Scan = {
  readonly file: TextFile;
  readonly layout: string;
  readonly fingerprint: string | undefined;
  readonly rows: number;
  readonly newestDay: number;
};

/** A larger file holds years and comes first. Reading it twice to be sure is not worth the time. */
const scannedBytes = 1 << 30;

/** Oldest first, by the newest sale in each file: changes must be applied in order, and names say nothing about it. */
async function inOrder(
  files: readonly RecognisedFile[],
  applied: ReadonlySet<string>,
  into: Into,
): Promise<readonly Scan[]> {
  const scans: Scan[] = [];
  for (const { file, layout } of files) {
    if (file.form !== 'text') continue;
    const isWorthIt = applied.size > 0 || (files.length > 1 && (file.bytes ?? 0) < scannedBytes);
    const facts = isWorthIt ? await scanFile(file, into) : { fingerprint: undefined, rows: 0, newestDay: 0 };
    scans.push({ ...facts, file, layout });
  }
  return scans.sort((a, b) => a.newestDay - b.newestDay);
}

/** The publisher's address of the latest changes may still serve those of the month before. */
function skipStale({ file, rows }: Scan, { tally }: Into): void {
  tally.read += rows;
  for (let row = 0; row < rows; row++) {
    tally.reject(
      'the file has been applied before; is there a newer one?',
      `${path.basename(file.name)}:${row + 1}`,
    );
  }
}

const scanFile = (file: TextFile, into: Into) =>
  eachRecord(file, `Looking through ${file.name}`, into, () => {});

async function readFile(file: TextFile, into: Into, build: SalesBuild): Promise<FileFacts> {
  const { tally } = into;
  const name = path.basename(file.name);
  return eachRecord(file, `Reading ${file.name}`, into, (row, fields, record, reason) => {
    tally.read += 1;
    if (reason !== undefined) {
      tally.reject(reason, `${name}:${row.line}`);
      return;
    }
    if (record.status === 'live') tally.kept += 1;
    else tally.reject('record that deletes a sale', `${name}:${row.line}`);
    build.add(row, fields, record);
  });
}

type OnRecord = (
  row: Parameters<typeof readRecord>[0],
  fields: SaleFields,
  record: SaleRecord,
  reason: string | undefined,
) => void;

async function eachRecord(file: TextFile, phase: string, into: Into, onRecord: OnRecord): Promise<FileFacts> {
  const record = new SaleRecord();
  const header = parseHeader(firstRows(file.head, 1, 'cp1252')[0] ?? []);
  const fields = header?.fields ?? bulkFields;
  const facts = { rows: 0, changes: 0, oldestDay: Number.POSITIVE_INFINITY, newestDay: 0 };
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
      if (record.isChange) facts.changes += 1;
      if (record.day > facts.newestDay) facts.newestDay = record.day;
      if (record.day < facts.oldestDay) facts.oldestDay = record.day;
    }
    onRecord(row, fields, record, reason);
  });
  return { ...facts, fingerprint: `${crc.toString(16).padStart(8, '0')}-${bytes}` };
}
