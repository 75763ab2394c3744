// Census 2021 of Northern Ireland, from the table builder of NISRA: one row per data zone and category, a pair of
// columns (Code, Label) per variable, and Count. Categories are told by their labels; one that cannot be told stops
// the load. The wording of the labels is not documented, and no genuine file was at hand.

import path from 'node:path';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import {
  headerOf,
  placeOf,
  type RowFormat,
  readNamedRows,
  refuseHeader,
} from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Ground, Into, Judgement, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { defined } from '../../out-of-range.ts';
import { parsePlaceCode } from '../../tables/postcodes/place-names.ts';
import { coverEveryAge, medianAge, parseAgeBand } from '../../uk/age-bands.ts';
import {
  beginCensus,
  type Figures,
  finishCensus,
  oneOfEachTable,
  parseCount,
  takeFigures,
} from './tables.ts';

const dataset = 'census-northern-ireland';
const zone = 'census 2021 data zone';

/** Wider bands than these do not tell a median. */
const widestBandYears = 5;
/** An average with a smaller open size than this would be too low. */
const smallestOpenSize = 8;

type Reader = (counts: Float64Array) => Figures;
type Table = {
  readonly id: string;
  /** Name of the variable, without the number of its categories. */
  readonly variable: string;
  /** Figures of a zone from counts in the order of the labels; or what cannot be told from the labels. */
  readonly resolve: (labels: readonly string[]) => Reader | { readonly problem: string };
};

const tables: readonly Table[] = [
  { id: 'Age', variable: 'age', resolve: readAges },
  { id: 'Household Size', variable: 'household size', resolve: readSizes },
  { id: 'Economic Activity', variable: 'economic activity', resolve: readActivity },
];

export const censusNorthernIreland: Loader = {
  facts: {
    publisher: 'Northern Ireland Statistics and Research Agency',
    publisherShort: 'NISRA',
    licence: 'Open Government Licence v3.0',
    attribution:
      'Contains data of the Northern Ireland Statistics and Research Agency (Census 2021) licensed under the Open Government Licence v3.0.',
    coverage: { 'Northern Ireland': 'every data zone of 2021; no density' },
  },
  publications: [
    {
      name: 'census-northern-ireland',
      title: 'Census 2021, Flexible Table Builder',
      page: 'https://build.nisra.gov.uk',
      find: {
        kind: 'fixed',
        addresses: [
          'https://build.nisra.gov.uk/en/custom/table.csv?d=PEOPLE&v=DZ21&v=AGE_SYOA_85',
          'https://build.nisra.gov.uk/en/custom/table.csv?d=HOUSEHOLD&v=DZ21&v=HH_SIZE',
          'https://build.nisra.gov.uk/en/custom/table.csv?d=PEOPLE&v=DZ21&v=ECONOMIC_ACTIVITY_AGG12',
        ],
      },
      hosts: ['build.nisra.gov.uk'],
      rhythm: { text: 'once; the next census is in 2031', lateAfterDays: null, askEveryDays: 180 },
      typicalBytes: 40_000_000,
      mostBytes: 500_000_000,
      loading: { seconds: 10, memoryBytes: 400_000_000, diskBytes: 1_000_000 },
      gives: 'demographics of /area/statistics in Northern Ireland',
      set: 'all',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: [
    'CSV of the NISRA table builder with the columns Census 2021 Data Zone Code, …, one of Age, Household Size, Economic Activity (each Code and Label), Count',
  ],
  recognise: (file) => {
    const found = findTable(file);
    if (found === undefined) return undefined;
    return found === 'no variable' ? 'data zones without a variable' : `${found.id} of data zones`;
  },
  headerAlone: () => 'refused',
  judge,
  load,
};

const normalise = (cell: string) => cell.replace(/\s+/g, ' ').trim().toLowerCase();
/** "Age - 19 Categories B Label" → "age". */
const variableOf = (column: string) => /^(.*?)(?: - \d+ categories(?: [a-z])?)? label$/.exec(column)?.[1];

function findTable(file: InputFile): Table | 'no variable' | undefined {
  if (file.form !== 'text') return undefined;
  const header = headerOf(file).map(normalise);
  if (!header.includes(`${zone} code`) || header.at(-1) !== 'count') return undefined;
  const variables = header.map(variableOf);
  const found = tables.filter(({ variable }) => variables.includes(variable));
  if (found.length > 0) return found[0];
  return header.length <= 3 ? 'no variable' : undefined;
}

function judge(files: readonly RecognisedFile[], ground: Ground): Judgement {
  const unclear = files.find(({ file }) => findTable(file) === 'no variable');
  if (unclear !== undefined) {
    throw new FileRefused(
      unclear.file.name,
      'counts data zones without saying what (people and households look alike); give the table of people by age, and the one of households by size',
    );
  }
  const judged = oneOfEachTable(files, ground);
  for (const { file } of judged.read) {
    const table = findTable(file);
    if (file.form === 'text' && table !== undefined && table !== 'no variable')
      refuseHeader(file, format, columnsIn(file, table));
  }
  return judged;
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const builder = beginCensus(dataset, into);
  for (const { file } of files) {
    const table = findTable(file);
    if (file.form !== 'text' || table === undefined || table === 'no variable') continue;
    const { counts, figures } = await readTable(file, table, into);
    takeFigures(builder, counts, figures, into, path.basename(file.name));
    builder.tables.set(table.id, 'data zones');
  }
  return finishCensus(
    {
      dataset,
      name: 'Census 2021',
      day: '2021-03-21',
      nations: { N: 'Northern Ireland' },
      areas: 'data zones',
      areaCount: 3_780,
      unpublished: ['density'],
    },
    builder,
    files,
    into,
  );
}

type Zone = { readonly counts: Map<number, number>; rows: number };

const format: RowFormat = { width: 'any' };

const columnsIn = (file: TextFile, table: Table) => (titles: readonly string[]) =>
  findColumns(file.name, titles.map(normalise), table);

/** Counts per label, summed over the other variables of the table, such as sex. */
async function readTable(file: TextFile, table: Table, into: Into) {
  const { tally } = into;
  const base = path.basename(file.name);
  const labels: string[] = [];
  const zones = new Map<number, Zone>();
  await readNamedRows(file, format, columnsIn(file, table), into, (row, at) => {
    const code = row.text(at.code).trim();
    const number = /^N20\d{6}$/.test(code) ? parsePlaceCode(code) : undefined;
    if (number === undefined) {
      tally.reject('code of another kind of area', placeOf(file, row));
      return;
    }
    const label = normalise(row.text(at.label));
    if (!labels.includes(label)) labels.push(label);
    const text = row.text(at.count).trim();
    const count = text === '' ? Number.NaN : parseCount(text);
    if (count === undefined) {
      throw new FileRefused(
        file.name,
        `line ${row.line} has ${JSON.stringify(text)} as Count; expected a whole number`,
      );
    }
    const known = zones.get(number) ?? { counts: new Map(), rows: 0 };
    zones.set(number, known);
    const rank = labels.indexOf(label);
    known.counts.set(rank, (known.counts.get(rank) ?? 0) + count);
    known.rows += 1;
    tally.kept += 1;
  });
  const figures = table.resolve(labels);
  if ('problem' in figures) throw new FileRefused(file.name, figures.problem);
  return { counts: completeZones(zones, labels.length, into, base), figures };
}

/** A zone with withheld categories is left out, because its sums would be too small. */
function completeZones(zones: ReadonlyMap<number, Zone>, width: number, { tally }: Into, base: string) {
  const rows = Math.max(0, ...[...zones.values()].map((known) => known.rows));
  const counts = new Map<number, Float64Array>();
  for (const [code, known] of zones) {
    const values = Float64Array.from({ length: width }, (_, rank) => known.counts.get(rank) ?? Number.NaN);
    if (known.rows === rows && !values.includes(Number.NaN)) counts.set(code, values);
    else tally.reject('data zone with withheld categories', base);
  }
  return counts;
}

function findColumns(file: string, header: readonly string[], { id, variable }: Table) {
  const only = (what: string, matches: (name: string) => boolean) => {
    const found = header.flatMap((name, index) => (matches(name) ? [index] : []));
    const [index, ...others] = found;
    if (index !== undefined && others.length === 0) return index;
    throw new FileRefused(
      file,
      `line 1 has ${found.length} columns for ${what}; expected one. Its columns are ${header.join(', ')}`,
    );
  };
  return {
    code: only('the code of the data zone', (name) => name === `${zone} code`),
    label: only(`the label of ${id}`, (name) => variableOf(name) === variable),
    count: only('Count', (name) => name === 'count'),
  };
}

function readAges(labels: readonly string[]): Reader | { readonly problem: string } {
  const bands = labels.flatMap((label, rank) => {
    const band = parseAgeBand(label);
    return band === undefined ? [] : [{ band, rank }];
  });
  bands.sort((a, b) => a.band.from - b.band.from);
  const ordered = bands.map(({ band }) => band);
  const isTooWide = ordered.some(({ from, until }) => (until ?? from) - from > widestBandYears);
  if (bands.length !== labels.length || !coverEveryAge(ordered) || isTooWide) {
    return {
      problem: `does not have every age once in bands of at most ${widestBandYears} years; its ages are ${labels.join(', ')}. Choose single years in the table builder`,
    };
  }
  return (counts) => {
    const people = bands.map(({ rank }) => counts[rank] ?? Number.NaN);
    return [
      ['population', people.reduce((sum, count) => sum + count, 0)],
      ['median-age', medianAge(ordered, people)],
    ];
  };
}

function readSizes(labels: readonly string[]): Reader | { readonly problem: string } {
  const sizes = labels.map((label) => {
    const [, size, open] =
      /^(\d+)(?: (?:person|people))?( or more|\+)?(?: (?:person|people))?( in household)?$/.exec(label) ?? [];
    return { size: Number(size), isOpen: open !== undefined };
  });
  const isContinuous = sizes
    .map(({ size }) => size)
    .sort((a, b) => a - b)
    .every((size, index) => size === index + 1);
  if (!isContinuous) {
    return { problem: `does not have every household size once; its sizes are ${labels.join(', ')}` };
  }
  const tellsAverage = sizes.every(({ size, isOpen }) => !isOpen || size >= smallestOpenSize);
  return (counts) => {
    const homes = counts.reduce((sum, count) => sum + count, 0);
    const people = counts.reduce((sum, count, rank) => sum + count * defined(sizes[rank]).size, 0);
    return [
      ['households', homes],
      ['sized-people', tellsAverage ? people : Number.NaN],
      ['sized-households', tellsAverage ? homes : Number.NaN],
    ];
  };
}

type Standing = 'employed' | 'not employed' | 'child';

function standingOf(label: string): Standing | undefined {
  if (/no code required|under 16|aged 0 to 15/.test(label)) return 'child';
  if (/unemployed|inactive/.test(label)) return 'not employed';
  return /in employment|employee|self-employed/.test(label) ? 'employed' : undefined;
}

function readActivity(labels: readonly string[]): Reader | { readonly problem: string } {
  const standings = labels.map(standingOf);
  const unclear = labels.filter((_, rank) => standings[rank] === undefined);
  if (unclear.length > 0 || !standings.includes('employed') || !standings.includes('not employed')) {
    const which = unclear.length > 0 ? unclear : labels;
    return { problem: `does not tell who is in employment among ${which.join(', ')}` };
  }
  const sum = (counts: Float64Array, wanted: readonly Standing[]) =>
    counts.reduce((total, count, rank) => {
      const standing = standings[rank];
      return standing !== undefined && wanted.includes(standing) ? total + count : total;
    }, 0);
  return (counts) => [
    ['adults', sum(counts, ['employed', 'not employed'])],
    ['employed', sum(counts, ['employed'])],
  ];
}
