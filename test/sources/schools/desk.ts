// Shared by the tests of schools: a home with the sandbox's postcodes, and small files in the official layouts.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { describeSchools } from '../../../src/endpoints/area-statistics/schools.ts';
import { firstRows } from '../../../src/ingest/read/csv.ts';
import type { Release } from '../../../src/release/reader.ts';
import { openPostcodes } from '../../../src/tables/postcodes/postcodes.ts';
import { parsePostcode } from '../../../src/uk/postcode.ts';
import { asWhole, openTestHome, type TestHome } from '../../ingest/home.ts';
import { book, type Row } from '../council-tax/books.ts';

export const sandbox = (name: string) => path.join(import.meta.dirname, '../../../data/sandbox', name);
const titlesOf = (name: string) => firstRows(readFileSync(sandbox(name)), 1, 'cp1252')[0] ?? [];
export const giasTitles = titlesOf('gias.csv');
export const ofstedTitles = titlesOf('ofsted.csv');

export type SchoolDesk = TestHome & {
  /** What the current release answers for a postcode of the sandbox, its lists taken for whole. */
  answer(postcode: string): ReturnType<typeof describeSchools>;
};

/** A home that has nothing but the sandbox's postcodes. */
export async function openSchoolDesk(t: TestContext): Promise<SchoolDesk> {
  const home = openTestHome();
  t.after(() => home.remove());
  await home.ingest([sandbox('postcodes.csv')]);
  return { ...home, answer: (postcode) => answerOf(asWhole(home.store.openCurrent()), postcode) };
}

export function answerOf(release: Release, postcode: string) {
  const parsed = parsePostcode(postcode);
  const row = parsed === undefined ? undefined : openPostcodes(release).find(parsed);
  assert.ok(row !== undefined, `${postcode} is not loaded`);
  return describeSchools(row, release);
}

export type Cells = Readonly<Record<string, string>>;

const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export const csvOf = (titles: readonly string[], rows: readonly Cells[], empty = ''): string =>
  [titles, ...rows.map((row) => titles.map((title) => row[title] ?? empty))]
    .map((cells) => cells.map(quoted).join(','))
    .join('\r\n')
    .concat('\r\n');

/** An open community primary school in the middle of the town, unless said otherwise. */
export const giasRow = (cells: Cells): Cells => ({
  URN: '999101',
  EstablishmentName: 'A School',
  'TypeOfEstablishment (code)': '01',
  'EstablishmentTypeGroup (code)': '4',
  'EstablishmentStatus (name)': 'Open',
  'PhaseOfEducation (name)': 'Primary',
  StatutoryLowAge: '4',
  StatutoryHighAge: '11',
  LastChangedDate: '31-08-2026',
  Postcode: 'ZZ1 1AA',
  Easting: '590100',
  Northing: '480100',
  ...cells,
});

export const giasCsv = (rows: readonly Cells[], titles = giasTitles): string =>
  csvOf(titles, rows.map(giasRow));

export const ofstedCsv = (rows: readonly Cells[], titles = ofstedTitles): string =>
  csvOf(titles, rows, 'NULL');

/** The Welsh Government's workbook, with title lines, Welsh twins and notes, as its readers describe it. */
export function welshBook(rows: readonly Row[], titles: Row = welshTitles): Buffer {
  return book({
    'Mynegai-Index': [['Rhestr gyfeiriadau ysgolion / Address list of schools'], ['1 April 2026']],
    A_gynhelir: [['Rhif yr ysgol', "Enw'r ysgol"], ...rows.map(([number]) => [number ?? null, 'Ysgol'])],
    Maintained: [titles, ...rows],
    Independent: [
      ['School Number', 'School Name', 'LA Code', 'Local Authority', 'Address 1', 'Postcode', 'Phone Number'],
      [9996001, 'Zedborth Court School', 999, 'Zedborth', '1 Shore Lane', 'ZZ3 1AB', '---'],
    ],
    PRU: [
      ['School Number', 'School Name', 'LA Code', 'Local Authority', 'Address 1', 'Postcode', 'Phone Number'],
      [9991101, 'Zedborth PRU', 999, 'Zedborth', '2 Shore Lane', 'ZZ3 1AB', '---'],
    ],
    N1: [['Notes'], ['Nursery: age under 5.']],
  });
}

export const welshTitles: Row = [
  'School Number',
  'School Name',
  'LA Code',
  'Local Authority',
  'Sector',
  'Governance',
  'WM Code',
  'Welsh Medium Type - see notes',
  'School Type',
  'Religious Character',
  'Address 1',
  'Address 2',
  'Address 3',
  'Address 4',
  'Postcode',
  'Phone Number',
  'Pupils - see notes',
];

export const welshRow = (
  number: number,
  name: string,
  sector: string,
  type: string,
  postcode: string,
): Row => [
  number,
  name,
  999,
  'Zedborth',
  sector,
  'Community',
  'EM',
  'English medium',
  type,
  '---',
  '1 Shore Lane',
  '---',
  '---',
  '---',
  postcode,
  '---',
  210,
];

const contactTitles: Row = [
  'Seed Code',
  'School Name',
  'LA Name',
  'Centre Type',
  'Address Line1',
  'Address Line2',
  'Address Line3',
  'Post Code',
  'Email',
  'Phone Number',
  'Pre-school Department',
  'Primary Department',
  'Secondary Department',
  'Special Department',
  'Denomination',
];

export const contactRow = (
  seed: number,
  name: string,
  postcode: string | null,
  departments: { primary?: 'Yes'; secondary?: 'Yes'; special?: 'Yes' },
): Row => [
  seed,
  name,
  'Zedhaven',
  'Local Authority',
  '1 Pier Road',
  null,
  'ZEDHAVEN',
  postcode,
  'school@zedhaven.example',
  null,
  'No',
  departments.primary ?? 'No',
  departments.secondary ?? 'No',
  departments.special ?? 'No',
  'Non-denominational',
];

/** School Contact Details: five lines of title, open and closed schools in sheets alike. */
export const contactBook = (rows: readonly Row[], openSheet = 'Open Schools'): Buffer =>
  book(
    {
      Notes: [['School contact details'], ['Schools open as at 31 July 2026']],
      [openSheet]: [
        ['School contact details'],
        [null],
        ['Open schools'],
        [null],
        [null],
        contactTitles,
        ...rows,
      ],
      'Closed schools': [
        ['Closed schools'],
        contactTitles,
        contactRow(5_999_999, 'Old Pier Primary School', 'ZZ4 1AA', { primary: 'Yes' }),
      ],
    },
    'xlsx',
  );

export const locationRow = (seed: number, type: string, name: string, lat: number, long: number): Row => [
  'Zedhaven',
  seed,
  type,
  name,
  'ZZ4 1AA',
  120,
  lat,
  long,
];

/** School Roll and Locations. */
export const locationBook = (rows: readonly Row[]): Buffer =>
  book(
    {
      SG_SchoolRoll_2023: [
        ['LAName', 'SeedCode', 'SchoolType', 'SchoolName', 'PostCode', 'PupilRoll', 'Latitude', 'Longitude'],
        ...rows,
      ],
    },
    'xlsx',
  );
