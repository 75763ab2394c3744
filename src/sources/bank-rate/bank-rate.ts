// Bank Rate as the Bank of England publishes it: the table of changes, the daily series, the workbook since
// 1694; and the project's own checked list of changes, which has the exact rates.

import path from 'node:path';
import type { InputFile, TextFile, WorkbookFile } from '../../ingest/files.ts';
import type { CsvRow } from '../../ingest/read/csv.ts';
import { headerOf, placeOf, readNamedRows } from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import type { Tally } from '../../ingest/tally.ts';
import { bankRatePart, encodeBankRate, openBankRate, type RateChange } from '../../tables/bank-rate.ts';
import { dayMs } from '../../time.ts';
import { dayOf, formatDay, parseDay, parseMonthName } from '../../uk/calendar.ts';
import { parseNote, readAsOf } from '../bundled-note.ts';

const subject = 'bank-rate';
const sheetName = 'HISTORICAL SINCE 1694';
/** The API's history begins here; the Bank's earlier rates are of another kind and partly without a day. */
const firstYear = 1975;

const layouts = {
  'table of changes': 'CSV with the columns Date Changed, Rate (the table on the Bank Rate page)',
  'daily series': 'CSV with the columns DATE, IUDBEDR (the statistical database, series IUDBEDR)',
  workbook: `baserate.xls, with the sheet "${sheetName}"`,
  facts: 'CSV with the columns date, rate, series (this project)',
  'note on the facts': `JSON with "describes": "${subject}" and "asOf" (this project)`,
} as const;

type Layout = keyof typeof layouts;

export const bankRate: Loader = {
  facts: {
    publisher: 'Bank of England',
    publisherShort: 'Bank of England',
    licence: 'Bank of England terms of use (https://www.bankofengland.co.uk/legal)',
    attribution: 'Source: Bank of England.',
    coverage: { 'United Kingdom': 'complete' },
  },
  publications: [
    {
      name: 'bank-rate',
      title: 'Official Bank Rate (IUDBEDR), statistical database',
      page: 'https://www.bankofengland.co.uk/boeapps/database/Bank-Rate.asp',
      find: {
        kind: 'fixed',
        addresses: [
          'https://www.bankofengland.co.uk/boeapps/database/_iadb-fromshowcolumns.asp?csv.x=yes&Datefrom=01/Jan/1975&Dateto=now&SeriesCodes=IUDBEDR&CSVF=TN&UsingCodes=Y&VPD=Y&VFD=N',
        ],
      },
      hosts: ['www.bankofengland.co.uk'],
      rhythm: { text: 'after each meeting, eight times a year', lateAfterDays: 100, askEveryDays: 1 },
      typicalBytes: 250_000,
      mostBytes: 20_000_000,
      loading: { seconds: 1, memoryBytes: 100_000_000, diskBytes: 1_000_000 },
      gives: 'rates of /bank-rates that are newer than the bundled ones',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: Object.values(layouts),
  recognise,
  headerAlone: () => 'refused',
  judge: (files) => {
    asOfFacts(files);
    return { read: files, passedOver: [] };
  },
  load,
};

function recognise(file: InputFile): Layout | undefined {
  if (file.form === 'workbook') return file.sheetNames.includes(sheetName) ? 'workbook' : undefined;
  if (file.form !== 'text') return undefined;
  if (parseNote(file, subject) !== undefined) return 'note on the facts';
  const header = lowered(headerOf(file));
  if (hasAll(header, 'date changed', 'rate')) return 'table of changes';
  if (hasAll(header, 'date', 'rate', 'series')) return 'facts';
  return header[0] === 'date' && header.some(isDailyColumn) ? 'daily series' : undefined;
}

const lowered = (titles: readonly string[]) => titles.map((title) => title.toLowerCase());
const hasAll = (header: readonly string[], ...names: readonly string[]) =>
  names.every((name) => header.includes(name));
const isDailyColumn = (cell: string) => cell.includes('iudbedr');

// Joins what one file says about Bank Rate with the history already known. Within its span of dates a file is
// the truth about which days are changes; rounding in it never replaces an exact rate; and nothing that was
// known disappears without being counted.

type Reading = {
  readonly day: number;
  readonly rate: number;
  /** Only the project's own list names it; else it follows from the date. */
  readonly series: string | undefined;
  /** "file:line", or a sheet and row. */
  readonly place: string;
};

/** What one file says. `readings` in any order. */
type Evidence = {
  readonly kind: 'changes' | 'daily';
  readonly file: string;
  readonly readings: readonly Reading[];
  /** The newest day the file speaks about. */
  readonly asOf: number;
};

type History = {
  readonly changes: ReadonlyMap<number, RateChange>;
  /** Undefined while nothing is known. */
  readonly asOf: number | undefined;
};

/** Publications give two decimals; 10.875 appears as 10.88. The last digits absorb binary fractions. */
const roundingPercent = 0.005 + 1e-9;

/** A weekend with bank holidays on both sides. On no more days than these can a change go unseen. */
const longestClosureDays = 5;

const agree = (a: number, b: number) => Math.abs(a - b) <= roundingPercent;

const decimalsOf = (rate: number) => (String(rate).split('.')[1] ?? '').length;

const regimes = [
  { until: dayNumber('1981-08-20'), name: 'Min Lending Rate' },
  { until: dayNumber('1997-05-06'), name: 'Min.Band 1 Dealing Rate' },
  { until: dayNumber('2006-05-18'), name: 'Repo Rate' },
];

function dayNumber(date: string): number {
  return Date.parse(date) / dayMs;
}

/** What the Bank called its rate on that day. */
function regimeOn(day: number): string {
  return regimes.find(({ until }) => day < until)?.name ?? 'Official Bank Rate';
}

/** Throws FileRefused when the file contradicts itself, or leaves open when the rate changed. */
function merge(history: History, evidence: Evidence, tally: Tally): History {
  const readings = inOrder(evidence, tally);
  const [first] = readings;
  const last = readings.at(-1);
  if (first === undefined || last === undefined) return history;
  const changes =
    evidence.kind === 'changes' ? readings : findChanges(history, evidence.file, readings, tally);
  tally.kept += changes.length;
  const merged = new Map(history.changes);
  const stated = new Set(changes.map((change) => change.day));
  for (const day of history.changes.keys()) {
    if (day < first.day || day > last.day || stated.has(day)) continue;
    merged.delete(day);
    tally.revise('known change removed: the file does not have it', `${evidence.file}: ${formatDay(day)}`);
  }
  for (const reading of changes) {
    const known = history.changes.get(reading.day);
    merged.set(reading.day, {
      day: reading.day,
      rate: known === undefined ? reading.rate : moreExact(known.rate, reading, tally),
      series: reading.series ?? known?.series ?? regimeOn(reading.day),
    });
  }
  return { changes: merged, asOf: Math.max(history.asOf ?? evidence.asOf, evidence.asOf) };
}

function moreExact(known: number, { rate, place }: Reading, tally: Tally): number {
  if (!agree(known, rate)) {
    tally.revise('known rate corrected: the file has another', place);
    return rate;
  }
  return decimalsOf(known) > decimalsOf(rate) ? known : rate;
}

/** Oldest first, one a day. */
function inOrder({ file, readings }: Evidence, tally: Tally): readonly Reading[] {
  const ordered: Reading[] = [];
  for (const reading of [...readings].sort((a, b) => a.day - b.day)) {
    const previous = ordered.at(-1);
    if (previous?.day !== reading.day) {
      ordered.push(reading);
    } else if (previous.rate === reading.rate) {
      tally.reject('same day twice', reading.place);
    } else {
      throw new FileRefused(
        file,
        `gives two rates for ${formatDay(reading.day)}: ${previous.rate} (${previous.place}) and ${reading.rate} (${reading.place})`,
      );
    }
  }
  return ordered;
}

/** The days of a daily series on which the rate differs from the day before. */
function findChanges(
  history: History,
  file: string,
  days: readonly Reading[],
  tally: Tally,
): readonly Reading[] {
  const changes: Reading[] = [];
  let previous: Reading | undefined;
  for (const today of days) {
    if (previous === undefined) {
      const change = firstDayChange(history, file, today);
      if (change === undefined)
        tally.reject('first day of the file: it does not say since when the rate applies', today.place);
      else changes.push(change);
    } else if (previous.rate === today.rate) {
      tally.reject('no change on that day', today.place);
    } else {
      changes.push(dateChange(history, file, previous.day, today));
    }
    previous = today;
  }
  return changes;
}

/** The first day is a change only if it is known as one, or the rate known just before it was another. */
function firstDayChange(history: History, file: string, today: Reading): Reading | undefined {
  if (history.changes.has(today.day)) return today;
  const before = inForceBefore(history, today.day);
  if (before === undefined || agree(before.rate, today.rate)) return undefined;
  const known = history.asOf ?? before.day;
  if (known < today.day && today.day - known <= longestClosureDays) return today;
  throw new FileRefused(
    file,
    `begins on ${formatDay(today.day)} with ${today.rate}, but the rate known before is ${before.rate} since ${formatDay(before.day)}; the change between them is not in the file. Download a longer period, from ${formatDay(before.day)} on`,
  );
}

/** A change may fall on a day without observation (a Sunday). Then the day that is already known is better. */
function dateChange(history: History, file: string, previousDay: number, today: Reading): Reading {
  for (let day = previousDay + 1; day < today.day; day += 1) {
    const known = history.changes.get(day);
    if (known !== undefined && agree(known.rate, today.rate)) return { ...today, day };
  }
  if (today.day - previousDay <= longestClosureDays || history.changes.has(today.day)) return today;
  throw new FileRefused(
    file,
    `has no days between ${formatDay(previousDay)} and ${formatDay(today.day)}, and the rate changed meanwhile (${today.place}); expected every working day`,
  );
}

function inForceBefore({ changes }: History, day: number): RateChange | undefined {
  let found: RateChange | undefined;
  for (const change of changes.values()) {
    if (change.day < day && (found === undefined || change.day > found.day)) found = change;
  }
  return found;
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const { tally } = into;
  const factsAsOf = asOfFacts(files);
  const evidence: Evidence[] = [];
  for (const { file, layout } of files) {
    if (file.form === 'workbook') evidence.push(await readWorkbook(file, into));
    else if (file.form !== 'text') continue;
    else if (layout === 'facts') evidence.push(await readFacts(file, factsAsOf, into));
    else if (layout === 'table of changes') evidence.push(await readTable(file, into));
    else if (layout === 'daily series') evidence.push(await readDaily(file, into));
  }
  const known = evidence.map((item) => withoutFuture(item, into));
  // The newest evidence has the last word.
  known.sort((a, b) => a.asOf - b.asOf || (a.kind < b.kind ? -1 : 1));
  let history = knownHistory(into);
  for (const item of known) history = merge(history, item, tally);
  const changes = [...history.changes.values()].sort((a, b) => a.day - b.day);
  const newest = changes.at(-1);
  if (newest === undefined) {
    const names = files.map(({ file }) => file.name).join(', ');
    throw new FileRefused(names, 'holds no change of the rate, and no history is loaded yet');
  }
  into.writePart(bankRatePart, encodeBankRate(changes));
  return {
    edition: `changes to ${formatDay(newest.day)}`,
    asOf: formatDay(Math.max(history.asOf ?? newest.day, newest.day)),
    rows: changes.length,
    extent: 'complete',
    nextEditionExpected: 'after the next decision of the Monetary Policy Committee',
  };
}

/** A day in the future was mistyped: with it, the days to it would be known. */
function withoutFuture(evidence: Evidence, { dating, kind, tally }: Into): Evidence {
  if (kind !== 'loaded') return evidence;
  const ahead = evidence.readings.filter(({ day }) => day > dating.today);
  for (const { place } of ahead) tally.reject('its day lies in the future', place);
  const readings = evidence.readings.filter(({ day }) => day <= dating.today);
  return ahead.length === 0 ? evidence : { ...evidence, readings, asOf: newestDay(readings) };
}

function knownHistory({ base, source }: Into): History {
  const dataset = base?.findDataset(source.dataset);
  if (base === undefined || dataset === undefined) return { changes: new Map(), asOf: undefined };
  const table = openBankRate(base);
  const changes = table.changesIn(table.firstDay, table.lastDay);
  return { changes: new Map(changes.map((change) => [change.day, change])), asOf: parseDay(dataset.asOf) };
}

/** How far the facts have been checked; undefined where they are not among the files. Throws FileRefused. */
function asOfFacts(files: readonly RecognisedFile[]): number | undefined {
  const note = files.find(({ layout }) => layout === 'note on the facts')?.file;
  if (note === undefined || note.form !== 'text') return undefined;
  if (!files.some(({ layout }) => layout === 'facts')) {
    throw new FileRefused(note.name, 'describes the CSV with the columns date, rate, series; give both');
  }
  return readAsOf(note, subject);
}

/** One row of a text layout: a reading, or undefined for a row without a value, which is then counted. */
type ReadRow = (row: CsvRow, place: string, header: readonly string[]) => Reading | undefined;

/** One for each day of three centuries is a tenth of it. */
const mostReadings = 1_000_000;

async function readText(file: TextFile, into: Into, readRow: ReadRow): Promise<readonly Reading[]> {
  const readings: Reading[] = [];
  await readNamedRows(file, { width: 'any' }, lowered, into, (row, header) => {
    const reading = readRow(row, placeOf(file, row), header);
    if (reading !== undefined) readings.push(reading);
    if (readings.length > mostReadings)
      throw new FileRefused(file.name, 'has more than a million rates. Is it the right file?');
  });
  if (readings.length === 0) throw new FileRefused(file.name, 'has a header but no rates below it');
  return readings;
}

const newestDay = (readings: readonly Reading[]) =>
  readings.reduce((newest, { day }) => Math.max(newest, day), Number.NEGATIVE_INFINITY);

const unreadable = (file: InputFile, where: string, found: string, expected: string) =>
  new FileRefused(file.name, `${where} has ${JSON.stringify(found)}; expected ${expected}`);

async function readTable(file: TextFile, into: Into): Promise<Evidence> {
  const readings = await readText(file, into, (row, place, header) => ({
    ...readDayAndRate(file, row, header.indexOf('date changed'), header.indexOf('rate')),
    series: undefined,
    place,
  }));
  return { kind: 'changes', file: file.name, readings, asOf: newestDay(readings) };
}

async function readDaily(file: TextFile, into: Into): Promise<Evidence> {
  const readings = await readText(file, into, (row, place, header) => {
    const rateAt = header.findIndex(isDailyColumn);
    if (['', 'n/a'].includes(row.text(rateAt).trim().toLowerCase()) && readDate(row.text(0)) !== undefined) {
      into.tally.reject('no rate published for the day', place);
      return undefined;
    }
    return { ...readDayAndRate(file, row, 0, rateAt), series: undefined, place };
  });
  return { kind: 'daily', file: file.name, readings, asOf: newestDay(readings) };
}

async function readFacts(file: TextFile, asOf: number | undefined, into: Into): Promise<Evidence> {
  const readings = await readText(file, into, (row, place, header) => {
    const date = row.text(header.indexOf('date'));
    const day = parseDay(date);
    if (day === undefined) throw unreadable(file, `line ${row.line}`, date, 'a date like 2025-12-18');
    const series = row.text(header.indexOf('series'));
    if (series === '') throw unreadable(file, `line ${row.line}`, series, 'the name of the rate');
    return { day, rate: readRate(file, row, header.indexOf('rate')), series, place };
  });
  const newest = newestDay(readings);
  return { kind: 'changes', file: file.name, readings, asOf: Math.max(asOf ?? newest, newest) };
}

function readDayAndRate(
  file: TextFile,
  row: CsvRow,
  dateAt: number,
  rateAt: number,
): { readonly day: number; readonly rate: number } {
  const date = row.text(dateAt);
  const day = readDate(date);
  if (day === undefined) {
    throw unreadable(file, `line ${row.line}`, date, 'a date like 18 Dec 25, 18-Dec-25 or 18 Dec 2025');
  }
  return { day, rate: readRate(file, row, rateAt) };
}

function readRate(file: TextFile, row: CsvRow, rateAt: number): number {
  const text = row.text(rateAt).trim();
  if (!/^-?\d{1,2}(\.\d{1,6})?$/.test(text)) {
    throw unreadable(file, `line ${row.line}`, text, 'a rate in percent like 3.75');
  }
  return Number(text);
}

/** Two-digit years from 75 on are of the last century: the tables begin in 1975. */
function readDate(text: string): number | undefined {
  const found = /^(\d{1,2})[ -]([A-Za-z]{3,9})[ -](\d{4}|\d{2})$/.exec(text.trim());
  if (found === null) return undefined;
  const [, date = '', monthName = '', yearText = ''] = found;
  const month = parseMonthName(monthName);
  if (month === undefined) return undefined;
  const short = Number(yearText);
  const year = yearText.length === 4 ? short : short + (short >= 75 ? 1900 : 2000);
  return dayOf(year, month, Number(date));
}

/** Year (only on its first row), day, month name, rate; titles and empty rows between them. */
async function readWorkbook(file: WorkbookFile, into: Into): Promise<Evidence> {
  into.progress({ phase: `Reading ${file.name}`, done: 0, total: undefined });
  const sheet = await file.openSheet(sheetName);
  const readings: Reading[] = [];
  let year: number | undefined;
  for (let row = 0; row <= sheet.lastRow; row += 1) {
    const [yearText, date, monthName, rate] = [0, 1, 2, 3].map((column) => {
      const cell = sheet.cell(row, column);
      return cell === undefined || cell.kind === 'date' ? '' : String(cell.value).trim();
    });
    const where = `sheet "${sheetName}", row ${row + 1}`;
    const stated = /^\d{4}$/.test(yearText ?? '') ? Number(yearText) : undefined;
    if (stated !== undefined && year !== undefined && stated < year) {
      throw unreadable(file, where, String(stated), `a year from ${year} on`);
    }
    year = stated ?? year;
    if (year === undefined || rate === '' || rate === undefined) {
      // Titles and headings have neither day nor rate; a day without a rate is a hole.
      if (year === undefined || year < firstYear || date === '') continue;
      throw unreadable(file, where, `${date} ${monthName}`, 'a rate in the fourth column');
    }
    const place = `${path.basename(file.name)} row ${row + 1}`;
    into.tally.read += 1;
    if (year < firstYear) {
      into.tally.reject(`before ${firstYear}`, place);
      continue;
    }
    const month = parseMonthName(monthName ?? '');
    const day = month === undefined ? undefined : dayOf(year, month, Number(date || Number.NaN));
    if (day === undefined || !/^-?\d{1,2}(\.\d{1,6})?$/.test(rate)) {
      throw unreadable(
        file,
        where,
        `${date} ${monthName} ${year}, ${rate}`,
        'day, month name and rate in percent',
      );
    }
    readings.push({ day, rate: Number(rate), series: undefined, place });
  }
  if (readings.length === 0) {
    throw new FileRefused(file.name, `sheet "${sheetName}" has no changes since ${firstYear}`);
  }
  return { kind: 'changes', file: file.name, readings, asOf: newestDay(readings) };
}
