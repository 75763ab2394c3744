// The Scottish Government's schools, from two publications: School Contact Details (a workbook with every publicly funded
// school, its departments and postcode) and School Roll and Locations (a table with coordinates, of an earlier year). The
// contact list says which schools there are; the other says where they lie, and stands in for the list where only it is
// loaded. Titles are those of programs that read the editions of 2022 to July 2026; the workbooks themselves were not seen.
// That a school of two types has two rows in the table of locations is taken from those programs too.

import { chooseDatedFile, chooseFile, together } from '../../ingest/editions.ts';
import type { InputFile, WorkbookFile } from '../../ingest/files.ts';
import { type CellOf, findSheets, readNamedSheet } from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { defined } from '../../out-of-range.ts';
import {
  openSchools,
  type PlacedSchool,
  type SchoolFacts,
  schoolLists,
} from '../../tables/schools/schools.ts';
import { formatDay, parseDay } from '../../uk/calendar.ts';
import { type Located, type SchoolEdition, SchoolPlaces, writeSchools } from './edition.ts';

const contactTitles = [
  'Seed Code',
  'School Name',
  'Post Code',
  'Primary Department',
  'Secondary Department',
] as const;
const locationTitles = ['SeedCode', 'SchoolName', 'SchoolType', 'Latitude', 'Longitude'] as const;

type Layout = 'contact list' | 'roll and locations';

export const schoolsScotland: Loader = {
  facts: {
    publisher: 'Scottish Government',
    publisherShort: 'Scottish Government',
    licence: 'Open Government Licence v3.0',
    attribution: 'Contains public sector information licensed under the Open Government Licence v3.0.',
    coverage: {
      Scotland:
        'publicly funded schools with a primary or secondary department; independent schools are in another register',
    },
  },
  publications: [
    {
      name: 'schools-scotland',
      title: 'School contact details',
      page: 'https://www.gov.scot/publications/school-contact-details/',
      find: {
        kind: 'links',
        page: 'https://www.gov.scot/publications/school-contact-details/',
        follow: [/\/school-contact-details\/.*\.xlsx$/i],
      },
      hosts: ['www.gov.scot'],
      rhythm: { text: 'about yearly', lateAfterDays: 500, askEveryDays: 0 },
      typicalBytes: 2_000_000,
      mostBytes: 50_000_000,
      loading: { seconds: 3, memoryBytes: 250_000_000, diskBytes: 1_000_000 },
      gives: 'schools of /area/statistics in Scotland',
      set: 'all',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: [
    'Scottish Government, School contact details (XLSX), with a sheet of open schools: Seed Code, School Name, … Needs the postcodes of the country, loaded before or in the same run',
    'Scottish Government, School roll and locations (table as XLSX): SeedCode, SchoolType, SchoolName, … Latitude, Longitude',
  ],
  uses: ['postcodes'],
  recognise,
  judge: (files, ground) => {
    const ofLayout = (wanted: Layout) => files.filter(({ layout }) => layout === wanted);
    const contact = ofLayout('contact list');
    // Beside a contact list, it only tells where schools are, and its day does not count.
    const choose = contact.length > 0 || isContactListLoaded(ground) ? chooseFile : chooseDatedFile;
    return together(chooseDatedFile(contact, ground), choose(ofLayout('roll and locations'), ground));
  },
  load,
};

function recognise(file: InputFile): Layout | undefined {
  if (file.form !== 'workbook') return undefined;
  if (findSheets(file, contactTitles, 4).length > 0) return 'contact list';
  return findSheets(file, locationTitles, 4).length > 0 ? 'roll and locations' : undefined;
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const contact = theOne(files, 'contact list');
  const locations = theOne(files, 'roll and locations');
  const places = new SchoolPlaces(into);
  const located = locations === undefined ? undefined : await readLocations(locations, places, into);
  const listing =
    contact === undefined
      ? located && withoutContactList(located, into)
      : await withContactList(contact, located?.schools ?? new Map(), places, into);
  if (listing === undefined)
    throw new FileRefused(files.map(({ file }) => file.name).join(', '), 'holds no list of schools');
  return writeSchools('Scotland', { schools: listing.schools, places }, listing.edition, files, into);
}

const theOne = (files: readonly RecognisedFile[], wanted: Layout): WorkbookFile | undefined =>
  files.flatMap(({ file, layout }) => (layout === wanted && file.form === 'workbook' ? [file] : []))[0];

type Locations = { readonly schools: ReadonlyMap<number, PlacedSchool>; readonly file: WorkbookFile };
type Listing = { readonly schools: readonly PlacedSchool[]; readonly edition: SchoolEdition };

async function withContactList(
  file: WorkbookFile,
  located: ReadonlyMap<number, PlacedSchool>,
  places: SchoolPlaces,
  into: Into,
): Promise<Listing> {
  const known = new Map(
    (into.base === undefined ? [] : openSchools(into.base).allOf('Scotland'))
      .filter(({ placing }) => placing === 'coordinates')
      .map((school) => [school.number, school]),
  );
  const schools = new Map<number, PlacedSchool>();
  into.progress({ phase: `Reading ${file.name}`, done: 0, total: undefined });
  readNamedSheet(
    file.name,
    await file.openSheet(openSheetOf(file)),
    { required: contactTitles },
    into,
    ({ cell, place }) => {
      const facts = readContact(cell);
      if (typeof facts === 'string') return into.tally.reject(facts, place);
      if (schools.has(facts.number)) return into.tally.reject('duplicate SEED code', place);
      const where: Located | string =
        located.get(facts.number) ?? known.get(facts.number) ?? places.ofPostcode(cell('Post Code'));
      if (typeof where === 'string') return into.tally.reject(where, place);
      schools.set(facts.number, { ...facts, point: where.point, placing: where.placing });
    },
  );
  const asOf = into.dating.dayOf(file);
  return {
    schools: [...schools.values()],
    edition: { list: 'contact list', edition: `contact list of ${formatDay(asOf)}`, asOf },
  };
}

/** The sheet of open schools stands among others with the same columns (closed ones). */
function openSheetOf(file: WorkbookFile): string {
  const all = findSheets(file, contactTitles, 4);
  const open = all.filter((name) => /\bopen\b/i.test(name));
  const [sheet, ...others] = all.length === 1 ? all : open;
  if (sheet !== undefined && others.length === 0) return sheet;
  throw new FileRefused(
    file.name,
    `has ${open.length} sheets of open schools; expected one called like "Open Schools". Its sheets are ${file.sheetNames.map((name) => `"${name}"`).join(', ')}`,
  );
}

const phaseOf = (isPrimary: boolean, isSecondary: boolean) =>
  isPrimary && isSecondary ? 'Primary and secondary' : isPrimary ? 'Primary' : 'Secondary';

function readContact(cell: CellOf<(typeof contactTitles)[number]>): SchoolFacts | string {
  const number = cell('Seed Code');
  if (!/^\d{5,8}$/.test(number)) return 'no SEED code';
  const name = cell('School Name');
  if (name === '') return 'no name';
  const teachesPrimary = /^yes$/i.test(cell('Primary Department'));
  const teachesSecondary = /^yes$/i.test(cell('Secondary Department'));
  if (!teachesPrimary && !teachesSecondary) {
    return 'neither a primary nor a secondary department (nursery or special, for which the list gives no ages)';
  }
  const phase = phaseOf(teachesPrimary, teachesSecondary);
  return { number: Number(number), name, phase, teachesPrimary, teachesSecondary };
}

/** By SEED code; a school with rows of both types teaches both. */
async function readLocations(file: WorkbookFile, places: SchoolPlaces, into: Into): Promise<Locations> {
  const schools = new Map<number, PlacedSchool>();
  const [sheet = ''] = findSheets(file, locationTitles, 4);
  into.progress({ phase: `Reading ${file.name}`, done: 0, total: undefined });
  readNamedSheet(
    file.name,
    await file.openSheet(sheet),
    { required: locationTitles },
    into,
    ({ cell, place }) => {
      const school = readLocation(cell, places);
      if (typeof school === 'string') return into.tally.reject(school, place);
      const before = schools.get(school.number);
      const teachesPrimary = school.teachesPrimary || before?.teachesPrimary === true;
      const teachesSecondary = school.teachesSecondary || before?.teachesSecondary === true;
      const phase = phaseOf(teachesPrimary, teachesSecondary);
      schools.set(school.number, { ...school, phase, teachesPrimary, teachesSecondary });
    },
  );
  return { schools, file };
}

function readLocation(
  cell: CellOf<(typeof locationTitles)[number]>,
  places: SchoolPlaces,
): PlacedSchool | string {
  const number = cell('SeedCode');
  if (!/^\d{5,8}$/.test(number)) return 'no SEED code';
  const name = cell('SchoolName');
  if (name === '') return 'no name';
  const phase = cell('SchoolType');
  if (phase === 'Special') return 'special school, for which the list gives no ages';
  if (phase !== 'Primary' && phase !== 'Secondary') return `unknown school type "${phase}"`;
  const located = places.ofCoordinates(Number(cell('Latitude')), Number(cell('Longitude')));
  if (located === undefined) return 'no usable coordinates';
  const ages = { teachesPrimary: phase === 'Primary', teachesSecondary: phase === 'Secondary' };
  return { number: Number(number), name, phase, ...ages, ...located };
}

const isContactListLoaded = ({ base }: Pick<Into, 'base'>) =>
  base !== undefined && openSchools(base).publicationOf('Scotland') === 'contact list';

/** Moves the schools of a contact list that is loaded to their coordinates; else the table is the list. */
function withoutContactList({ schools: located, file }: Locations, into: Into): Listing {
  const known = into.base?.findDataset(schoolLists.Scotland);
  const table = into.base === undefined ? undefined : openSchools(into.base);
  if (known === undefined || table?.publicationOf('Scotland') !== 'contact list') {
    const asOf = into.dating.dayOf(file);
    const edition = { list: 'roll and locations', edition: `roll and locations of ${formatDay(asOf)}`, asOf };
    return { schools: [...located.values()], edition };
  }
  const listed = table.allOf('Scotland');
  const numbers = new Set(listed.map(({ number }) => number));
  for (const { number, name } of located.values()) {
    if (!numbers.has(number)) into.tally.reject('not in the loaded contact list', `${number} ${name}`);
  }
  return {
    schools: listed.map((school) => {
      const { point, placing } = located.get(school.number) ?? school;
      return { ...school, point, placing };
    }),
    edition: { list: 'contact list', edition: known.edition, asOf: defined(parseDay(known.asOf)) },
  };
}
