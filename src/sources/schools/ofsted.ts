// Ofsted's management information on state-funded schools, the file "latest inspections": one row a school with its
// latest report card, its latest graded inspection under the old framework, and its latest ungraded one.

import { refuseOlder } from '../../ingest/dating.ts';
import { chooseFile } from '../../ingest/editions.ts';
import type { InputFile } from '../../ingest/files.ts';
import { firstRows } from '../../ingest/read/csv.ts';
import {
  type CellOf,
  columnsOf,
  mostTitles,
  type RowFormat,
  readNamedCells,
  refuseHeader,
} from '../../ingest/read/named-rows.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { formatCount } from '../../ingest/tally.ts';
import { outOfRange } from '../../out-of-range.ts';
import { encodeInspections, inspectionsPart } from '../../tables/schools/inspections.ts';
import { extentOfInspections } from '../../tables/whole.ts';
import { dayOf, formatDay } from '../../uk/calendar.ts';
import {
  type Concern,
  type Inspections,
  isConcern,
  type OeifGrade,
  type Rating,
  type ReportCardGrade,
  rateSchool,
  reportCardGrades,
} from '../../uk/ofsted.ts';

const areas = [
  'Inclusion',
  'Curriculum and teaching',
  'Achievement',
  'Attendance and behaviour',
  'Personal development and wellbeing',
  'Early years (where applicable)',
  'Post-16 provision (where applicable)',
  'Leadership and governance',
] as const;

const wanted = [
  'URN',
  'Inspection start date',
  'Does the latest full inspection relate to the URN of the current school?',
  'Safeguarding standards',
  ...areas,
  'Inspection start date of latest OEIF graded inspection',
  'Does the latest OEIF graded inspection relate to the URN of the current school?',
  'Latest OEIF overall effectiveness',
  'Latest OEIF quality of education',
  'Date of latest ungraded inspection',
  'Does the ungraded inspection relate to the URN of the current school?',
  'Ungraded inspection overall outcome',
  'Most recent category of concern',
] as const;
type Title = (typeof wanted)[number];

/** There may be a line or two of title above the header. */
const format = { width: 'exact', headerWithin: 6, encoding: 'either' } as const satisfies RowFormat;

const enoughToRecognise = 10;

export const ofsted: Loader = {
  facts: {
    publisher: 'Ofsted',
    publisherShort: 'Ofsted',
    licence: 'Open Government Licence v3.0',
    attribution:
      'Contains public sector information licensed under the Open Government Licence v3.0. Source: Ofsted.',
    coverage: { England: 'state-funded schools; independent schools are in another publication' },
  },
  publications: [
    {
      name: 'ofsted',
      title: 'Management information, state-funded schools, latest inspections',
      page: 'https://www.gov.uk/government/statistical-data-sets/monthly-management-information-ofsteds-school-inspections-outcomes',
      find: {
        kind: 'govuk',
        path: '/government/statistical-data-sets/monthly-management-information-ofsteds-school-inspections-outcomes',
        files: [{ title: /state-funded schools\W+latest inspections as at/i, fileName: /\.csv$/i }],
      },
      hosts: ['www.gov.uk', 'assets.publishing.service.gov.uk'],
      rhythm: { text: 'monthly, about the 10th', lateAfterDays: 60, askEveryDays: 0 },
      typicalBytes: 17_121_385,
      mostBytes: 200_000_000,
      loading: { seconds: 2, memoryBytes: 200_000_000, diskBytes: 1_000_000 },
      gives: 'ratings of schools of /area/statistics',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: [
    'Ofsted, state-funded schools, latest inspections (CSV of 85 columns, from November 2025 on): URN, … Latest OEIF overall effectiveness, …',
  ],
  // As the schools of England.
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
    ? 'latest inspections'
    : undefined;
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const [file = outOfRange()] = files.flatMap(({ file }) => (file.form === 'text' ? [file] : []));
  const ratings = new Map<number, Rating>();
  let newest: number | undefined;
  await readNamedCells(file, format, { required: wanted }, into, ({ cell, place }) => {
    const urn = cell('URN');
    if (!/^\d{5,7}$/.test(urn)) return into.tally.reject('no URN', place);
    const inspections = readInspections(cell);
    if (typeof inspections === 'string') return into.tally.reject(inspections, place);
    if (ratings.has(Number(urn))) return into.tally.reject('duplicate URN', place);
    const rating = rateSchool(inspections);
    const day = into.dating.past(rating.day ?? undefined);
    if (day !== undefined) newest = Math.max(newest ?? day, day);
    ratings.set(Number(urn), rating);
  });
  // "… as at 30 June 2026": above the header, or in the file's name.
  const titles = firstRows(file.head, 1, 'cp1252')[0] ?? [];
  const asOf = into.dating.dayOf(file, { titles, newestInRows: newest });
  refuseOlder(asOf, into);
  into.tally.kept += ratings.size;
  into.writePart(inspectionsPart, encodeInspections(ratings));
  const rated = [...ratings.values()].filter(({ tier }) => tier > 0).length;
  return {
    edition: `${asOf === newest ? 'inspections to' : 'as at'} ${formatDay(asOf)}`,
    asOf: formatDay(asOf),
    rows: ratings.size,
    extent: extentOfInspections(ratings.size),
    nextEditionExpected: 'monthly',
    coverage: {
      England: `${formatCount(ratings.size)} state-funded schools, ${formatCount(rated)} of them with a rating`,
    },
  };
}

/** What stands for nothing. */
const isNone = (text: string) => text === '' || /^(null|not applicable|n\/a)$/i.test(text);

/** The facts of the row, or which word of it is unknown. A grade is never guessed. */
function readInspections(cell: CellOf<Title>): Inspections | string {
  const grades = areas.map((area) => readArea(cell(area)));
  const safeguarding = readSafeguarding(cell('Safeguarding standards'));
  const overall = readOverall(cell('Latest OEIF overall effectiveness'));
  const qualityOfEducation = readGrade(cell('Latest OEIF quality of education'));
  const concern = readConcern(cell('Most recent category of concern'));
  const cardDay = readDate(cell('Inspection start date'));
  const oeifDay = readDate(cell('Inspection start date of latest OEIF graded inspection'));
  const ungradedDay = readDate(cell('Date of latest ungraded inspection'));
  if (grades.includes('unknown') || safeguarding === 'unknown') return 'unknown grade of the report card';
  if (overall === 'unknown' || qualityOfEducation === 'unknown') return 'unknown grade';
  if (concern === 'unknown') return 'unknown category of concern';
  if (cardDay === 'unknown' || oeifDay === 'unknown' || ungradedDay === 'unknown') {
    return 'date that is not like 30/06/2026';
  }
  const outcome = cell('Ungraded inspection overall outcome');
  return {
    reportCard: {
      areas: grades.filter((grade) => grade !== null && grade !== 'unknown'),
      safeguarding,
      day: cardDay,
      isOfPredecessor: isNo(cell('Does the latest full inspection relate to the URN of the current school?')),
    },
    oeif: {
      overall,
      qualityOfEducation,
      day: oeifDay,
      isOfPredecessor: isNo(
        cell('Does the latest OEIF graded inspection relate to the URN of the current school?'),
      ),
    },
    ungraded: {
      outcome: isNone(outcome) ? '' : outcome,
      day: ungradedDay,
      isOfPredecessor: isNo(cell('Does the ungraded inspection relate to the URN of the current school?')),
    },
    concern,
  };
}

const isNo = (text: string) => /^no$/i.test(text);

/** Not graded is null. */
function readArea(text: string): ReportCardGrade | null | 'unknown' {
  if (isNone(text) || /^not (graded|inspected)$/i.test(text)) return null;
  return reportCardGrades.find((grade) => grade.toLowerCase() === text.toLowerCase()) ?? 'unknown';
}

function readSafeguarding(text: string): 'Met' | 'Not met' | null | 'unknown' {
  if (isNone(text)) return null;
  if (/^met$/i.test(text)) return 'Met';
  return /^not met$/i.test(text) ? 'Not met' : 'unknown';
}

function readOverall(text: string): OeifGrade | 'Not judged' | null | 'unknown' {
  return /^not judged$/i.test(text) ? 'Not judged' : readGrade(text);
}

const gradeNumbers: readonly OeifGrade[] = [1, 2, 3, 4];

/** 9 is not applicable, 0 not inspected. */
function readGrade(text: string): OeifGrade | null | 'unknown' {
  if (isNone(text) || text === '9' || text === '0' || /^not judged$/i.test(text)) return null;
  return gradeNumbers.find((grade) => String(grade) === text) ?? 'unknown';
}

function readConcern(text: string): Concern | null | 'unknown' {
  if (isNone(text) || /^none$/i.test(text)) return null;
  const code = text.toUpperCase();
  return isConcern(code) ? code : 'unknown';
}

/** dd/mm/yyyy */
function readDate(text: string): number | null | 'unknown' {
  if (isNone(text)) return null;
  const [, day, month, year] = /^(\d\d?)\/(\d\d?)\/(\d{4})\b/.exec(text) ?? [];
  return dayOf(Number(year), Number(month), Number(day)) ?? 'unknown';
}
