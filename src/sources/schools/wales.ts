// The Welsh Government's address list of schools: a workbook (ODS) with the sheets Maintained, Independent and PRU, and
// the same in Welsh, which are not read. It has no coordinates, so that a school lies where its postcode does, and no
// ages but in some school types, so that special, independent and referral schools cannot be told primary or secondary.
// Titles and words are those of programs that read the editions of 2018 to April 2026; the workbook itself was not seen.

import { chooseDatedFile } from '../../ingest/editions.ts';
import type { InputFile, WorkbookFile } from '../../ingest/files.ts';
import { type CellOf, findSheets, readNamedSheet } from '../../ingest/read/named-rows.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { outOfRange } from '../../out-of-range.ts';
import type { PlacedSchool } from '../../tables/schools/schools.ts';
import { formatDay } from '../../uk/calendar.ts';
import { type AgesTaught, agesTaught, SchoolPlaces, writeSchools } from './edition.ts';

const maintained = 'Maintained';
const titles = ['School Number', 'School Name', 'Postcode', 'Sector', 'School Type'] as const;
type Title = (typeof titles)[number];

const agesOfSector: ReadonlyMap<string, AgesTaught> = new Map([
  ['Primary', { teachesPrimary: true, teachesSecondary: false }],
  ['Secondary', { teachesPrimary: false, teachesSecondary: true }],
  // From 3 or 4 to 16 or 19.
  ['Middle', { teachesPrimary: true, teachesSecondary: true }],
]);

/** Sheets without a column that tells whom they teach. */
const withoutAges = {
  Independent: 'independent school, for which the list gives no ages',
  PRU: 'pupil referral unit, for which the list gives no ages',
} as const;

export const schoolsWales: Loader = {
  facts: {
    publisher: 'Welsh Government',
    publisherShort: 'Welsh Government',
    licence: 'Open Government Licence v3.0',
    attribution: 'Contains public sector information licensed under the Open Government Licence v3.0.',
    coverage: {
      Wales:
        'maintained primary, middle and secondary schools; special, independent and referral schools only where ages are stated',
    },
  },
  publications: [
    {
      name: 'schools-wales',
      title: 'Address list of schools',
      page: 'https://www.gov.wales/address-list-schools',
      find: {
        kind: 'links',
        page: 'https://www.gov.wales/address-list-schools',
        follow: [/\/[^/]*address-list[^/]*schools[^/]*\.(?:ods|xlsx)$/i],
      },
      hosts: ['www.gov.wales'],
      rhythm: { text: 'about yearly', lateAfterDays: 500, askEveryDays: 0 },
      typicalBytes: 600_000,
      mostBytes: 50_000_000,
      loading: { seconds: 2, memoryBytes: 200_000_000, diskBytes: 1_000_000 },
      gives: 'schools of /area/statistics in Wales',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: [
    'Welsh Government, Address list of schools (ODS or XLSX), with the sheet "Maintained". Needs the postcodes of the country, loaded before or in the same run',
  ],
  uses: ['postcodes'],
  recognise,
  judge: chooseDatedFile,
  load,
};

function recognise(file: InputFile): string | undefined {
  if (file.form !== 'workbook') return undefined;
  return findSheets(file, titles, 3).includes(maintained) ? 'address list' : undefined;
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const [file = outOfRange()] = files.flatMap(({ file }) => (file.form === 'workbook' ? [file] : []));
  const places = new SchoolPlaces(into);
  const schools = await readMaintained(file, places, into);
  await countOthers(file, into);
  const asOf = into.dating.dayOf(file);
  const edition = { list: 'address list', edition: `list of ${formatDay(asOf)}`, asOf };
  return writeSchools('Wales', { schools, places }, edition, files, into);
}

async function readMaintained(
  file: WorkbookFile,
  places: SchoolPlaces,
  into: Into,
): Promise<readonly PlacedSchool[]> {
  const schools = new Map<number, PlacedSchool>();
  into.progress({ phase: `Reading ${file.name}`, done: 0, total: undefined });
  readNamedSheet(
    file.name,
    await file.openSheet(maintained),
    { required: titles },
    into,
    ({ cell, place }) => {
      const school = readSchool(cell, places);
      if (typeof school === 'string') into.tally.reject(school, place);
      else if (schools.has(school.number)) into.tally.reject('duplicate school number', place);
      else schools.set(school.number, school);
    },
  );
  return [...schools.values()];
}

/** The school, or why it is not loaded. */
function readSchool(cell: CellOf<Title>, places: SchoolPlaces): PlacedSchool | string {
  const number = cell('School Number');
  if (!/^\d{7}$/.test(number)) return 'no school number of seven digits';
  const name = cell('School Name');
  if (name === '') return 'no name';
  const sector = cell('Sector');
  const [, low = '', high = ''] = /ages? (\d{1,2}) ?[-–] ?(\d{1,2})/i.exec(cell('School Type')) ?? [];
  if (sector === 'Nursery') return 'nursery';
  const ages = agesOfSector.get(sector) ?? agesTaught(low, high);
  if (!ages.teachesPrimary && !ages.teachesSecondary) {
    return sector === 'Special'
      ? 'special school, for which the list gives no ages'
      : `unknown sector "${sector}"`;
  }
  const located = places.ofPostcode(cell('Postcode'));
  if (typeof located === 'string') return located;
  return { number: Number(number), name, phase: sector, ...ages, ...located };
}

/** Counts the schools of the sheets that are not loaded. */
async function countOthers(file: WorkbookFile, into: Into): Promise<void> {
  for (const [name, reason] of Object.entries(withoutAges)) {
    if (!file.sheetNames.includes(name)) continue;
    const wanted = { required: ['School Number', 'School Name'] } as const;
    readNamedSheet(file.name, await file.openSheet(name), wanted, into, ({ place }) =>
      into.tally.reject(reason, place),
    );
  }
}
