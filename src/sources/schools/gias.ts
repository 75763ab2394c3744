// Get Information about Schools (GIAS, before EduBase), the Department for Education's register: the download of all
// establishments, one CSV with some 120 columns that come and go. Of them only those below are read: names of head
// teachers and proprietors never are.

import { chooseFile } from '../../ingest/editions.ts';
import type { InputFile } from '../../ingest/files.ts';
import {
  type CellOf,
  columnsOf,
  mostTitles,
  type RowFormat,
  readNamedCells,
  refuseHeader,
} from '../../ingest/read/named-rows.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { outOfRange } from '../../out-of-range.ts';
import type { PlacedSchool } from '../../tables/schools/schools.ts';
import { dayOf, formatDay } from '../../uk/calendar.ts';
import { type AgesTaught, agesTaught, type Located, SchoolPlaces, writeSchools } from './edition.ts';

const wanted = [
  'URN',
  'EstablishmentName',
  'TypeOfEstablishment (code)',
  'EstablishmentTypeGroup (code)',
  'EstablishmentStatus (name)',
  'PhaseOfEducation (name)',
  'StatutoryLowAge',
  'StatutoryHighAge',
  'LastChangedDate',
  'Postcode',
  'Easting',
  'Northing',
] as const;
type Title = (typeof wanted)[number];

/** There may be a line or two of title above the header. */
const format = { width: 'exact', headerWithin: 6, encoding: 'either' } as const satisfies RowFormat;

/** A file with this many of the columns is this one, and what it lacks is worth saying. */
const enoughToRecognise = 7;

const openStatuses: readonly string[] = ['Open', 'Open, but proposed to close'];

/** Type groups other than schools with pupils on a site in England. */
const groupsLeftOut: ReadonlyMap<number, string> = new Map([
  [1, 'college'],
  [2, 'university'],
  [6, 'school in Wales, which the Welsh list has'],
  [13, 'online provider'],
]);
const typesLeftOut: ReadonlyMap<number, string> = new Map([
  [25, 'offshore school'],
  [30, 'school in Wales, which the Welsh list has'],
  [37, 'British school overseas'],
]);

/** What the phase says; where it says nothing ("Not applicable": special, independent, referral units) the ages do. */
const agesOfPhase: ReadonlyMap<string, AgesTaught> = new Map([
  ['Nursery', { teachesPrimary: false, teachesSecondary: false }],
  ['Primary', { teachesPrimary: true, teachesSecondary: false }],
  ['Middle deemed primary', { teachesPrimary: true, teachesSecondary: false }],
  ['Secondary', { teachesPrimary: false, teachesSecondary: true }],
  ['Middle deemed secondary', { teachesPrimary: false, teachesSecondary: true }],
  ['All-through', { teachesPrimary: true, teachesSecondary: true }],
  ['16 plus', { teachesPrimary: false, teachesSecondary: false }],
]);

export const gias: Loader = {
  facts: {
    publisher: 'Department for Education',
    publisherShort: 'DfE',
    licence: 'Open Government Licence v3.0',
    attribution: 'Contains public sector information licensed under the Open Government Licence v3.0.',
    coverage: { England: 'every open school that teaches primary or secondary ages' },
  },
  publications: [
    {
      name: 'gias',
      title: 'Get Information about Schools, all establishments',
      page: 'https://get-information-schools.service.gov.uk/Downloads',
      find: {
        kind: 'dated',
        address:
          'https://ea-edubase-api-prod.azurewebsites.net/edubase/downloads/public/edubasealldata{YYYYMMDD}.csv',
        daysBack: 21,
      },
      hosts: ['ea-edubase-api-prod.azurewebsites.net'],
      rhythm: { text: 'daily', lateAfterDays: 45, askEveryDays: 30 },
      typicalBytes: 64_693_502,
      mostBytes: 500_000_000,
      loading: { seconds: 3, memoryBytes: 200_000_000, diskBytes: 2_000_000 },
      gives: 'schools of /area/statistics in England',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: [
    'GIAS, all establishments (edubasealldataYYYYMMDD.csv): URN, EstablishmentName, … Easting, Northing',
  ],
  uses: ['postcodes'],
  // Some hundred of 24,000 schools close in a year, and most of them are opened again as academies.
  shrinks: { share: 0.02, perYear: 0.02 },
  recognise,
  headerAlone: () => 'refused',
  judge: (files, ground) => {
    const judged = chooseFile(files, ground);
    for (const { file } of judged.read)
      if (file.form === 'text') refuseHeader(file, format, columnsOf(file, { required: wanted }, format));
    ground.losses.refuseFragment(judged.read);
    return judged;
  },
  load,
};

function recognise(file: InputFile): string | undefined {
  if (file.form !== 'text') return undefined;
  return mostTitles(file, wanted, format.headerWithin) >= enoughToRecognise
    ? 'all establishments'
    : undefined;
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const [file = outOfRange()] = files.flatMap(({ file }) => (file.form === 'text' ? [file] : []));
  const places = new SchoolPlaces(into);
  const schools = new Map<number, PlacedSchool>();
  let newest: number | undefined;
  await readNamedCells(file, format, { required: wanted }, into, ({ cell, place }) => {
    const changed = into.dating.past(parseDate(cell('LastChangedDate')));
    if (changed !== undefined) newest = Math.max(newest ?? changed, changed);
    const school = readSchool(cell, places);
    if (typeof school === 'string') into.tally.reject(school, place);
    else if (schools.has(school.number)) into.tally.reject('duplicate URN', place);
    else schools.set(school.number, school);
  });
  const asOf = newest ?? into.dating.dayOf(file);
  const edition = { list: 'register', edition: `changes to ${formatDay(asOf)}`, asOf };
  return writeSchools('England', { schools: [...schools.values()], places }, edition, files, into);
}

/** The school, or why it is not loaded. */
function readSchool(cell: CellOf<Title>, places: SchoolPlaces): PlacedSchool | string {
  if (!openStatuses.includes(cell('EstablishmentStatus (name)'))) return 'not open';
  const excluded =
    typesLeftOut.get(Number(cell('TypeOfEstablishment (code)'))) ??
    groupsLeftOut.get(Number(cell('EstablishmentTypeGroup (code)')));
  if (excluded !== undefined) return excluded;
  const number = cell('URN');
  if (!/^\d{5,7}$/.test(number)) return 'no URN';
  const name = cell('EstablishmentName');
  if (name === '') return 'no name';
  const phase = cell('PhaseOfEducation (name)');
  const ages = agesOfPhase.get(phase) ?? agesTaught(cell('StatutoryLowAge'), cell('StatutoryHighAge'));
  if (!ages.teachesPrimary && !ages.teachesSecondary) {
    return phase === 'Nursery' ? 'nursery' : 'teaches neither ages 5 to 10 nor 12 to 15, or states no ages';
  }
  const located = locate(cell, places);
  if (typeof located === 'string') return located;
  return { number: Number(number), name, phase, ...ages, ...located };
}

function locate(cell: CellOf<Title>, places: SchoolPlaces): Located | string {
  const located = places.ofGrid(cell('Easting'), cell('Northing')) ?? places.ofPostcode(cell('Postcode'));
  return typeof located === 'string' ? `no usable grid reference, and ${located}` : located;
}

/** dd-mm-yyyy */
function parseDate(text: string): number | undefined {
  const [, day, month, year] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(text) ?? [];
  return day === undefined ? undefined : dayOf(Number(year), Number(month), Number(day));
}
