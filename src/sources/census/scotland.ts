// Scotland's Census 2022: output-area tables of National Records of Scotland, summed to data zones of 2022 through
// their look-up. No area of ground is published with them, so there is no density.

import path from 'node:path';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import { headerAlone } from '../../ingest/header-alone.ts';
import { reporting } from '../../ingest/progress.ts';
import { firstRows, readCsv } from '../../ingest/read/csv.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Ground, Into, Judgement, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { defined } from '../../out-of-range.ts';
import { encodeOutputAreas, outputAreasPart, readOutputAreas } from '../../tables/census/output-areas.ts';
import { parsePlaceCode } from '../../tables/postcodes/place-names.ts';
import { type AgeBand, coverEveryAge, medianAge, parseAgeBand } from '../../uk/age-bands.ts';
import { isLookup, readLookup, scotlandLookup } from './lookup.ts';
import {
  beginCensus,
  type Counts,
  type Figures,
  finishCensus,
  lookupLayout,
  oneOfEachTable,
  parseCount,
  sumOutputAreas,
  takeFigures,
} from './tables.ts';

const dataset = 'census-scotland';
/** Rows before the first output area. */
const headRows = 14;

// The tables of Scotland's Census 2022 by output area: a title, notes, a header in several rows (cells that span
// columns are written once), rows by output area, and footnotes. "-" is zero. The layout is known from programs that
// read these files; no genuine file was at hand.

/** Words of a column's header from top to bottom, in small letters. */
type ColumnWords = readonly string[];

type ScottishTable = { readonly id: string; readonly title: string; readonly resolve: Resolve };

/** Indexes of columns to read, and the figures of an area from their counts; or what is wrong. */
type Reading = {
  readonly columns: readonly number[];
  readonly figures: (counts: Float64Array) => Figures;
};
type Resolve = (columns: readonly ColumnWords[]) => Reading | { readonly problem: string };

const normalise = (cell: string) => cell.replace(/\s+/g, ' ').trim().toLowerCase();

/** A cell that is empty above the last row of the header belongs to the one left of it. */
function combineHeader(rows: readonly (readonly string[])[]): readonly ColumnWords[] {
  const width = Math.max(0, ...rows.map((row) => row.length));
  const words: string[][] = Array.from({ length: width }, () => []);
  for (const [at, row] of rows.entries()) {
    let left = '';
    for (let column = 1; column < width; column += 1) {
      const cell = normalise(row[column] ?? '');
      if (cell !== '') left = cell;
      const word = at === rows.length - 1 ? cell : left;
      if (word !== '') words[column]?.push(word);
    }
  }
  return words;
}

const isSex = (word: string) => /^(fe)?males?$/.test(word);
const last = (words: ColumnWords) => words.at(-1) ?? '';
const labelOf = (words: ColumnWords) => words.join(' - ').replace(/\s*:\s*/g, ' - ');

/** The column with one of these labels, or the problem where there is not exactly one. */
function onlyColumn(
  columns: readonly ColumnWords[],
  what: string,
  matches: (words: ColumnWords) => boolean,
): number | string {
  const found = columns.flatMap((words, index) => (words.length > 0 && matches(words) ? [index] : []));
  const [index, ...others] = found;
  if (index !== undefined && others.length === 0) return index;
  return `has ${found.length} columns for ${what}; expected one`;
}

/** All of them, or the first problem. */
function resolveAll(
  columns: readonly ColumnWords[],
  wishes: readonly (readonly [what: string, matches: (words: ColumnWords) => boolean])[],
  figures: Reading['figures'],
): ReturnType<Resolve> {
  const found: number[] = [];
  for (const [what, matches] of wishes) {
    const column = onlyColumn(columns, what, matches);
    if (typeof column === 'string') return { problem: column };
    found.push(column);
  }
  return { columns: found, figures };
}

const isEverybody = (word: string) => /^(total|all people|all persons)$/.test(word);

const residents: Resolve = (columns) =>
  resolveAll(
    columns,
    [['all people', (words) => isEverybody(last(words)) && !words.some(isSex)]],
    (counts) => [['population', counts[0] ?? Number.NaN]],
  );

/** Ages of all people where there are such columns, else those of both sexes together. */
const ages: Resolve = (columns) => {
  const found = columns.flatMap((words, index) => {
    const band = parseAgeBand(last(words));
    return band === undefined ? [] : [{ index, band, isOfOneSex: words.some(isSex) }];
  });
  const ofAll = found.filter(({ isOfOneSex }) => !isOfOneSex);
  const used = ofAll.length > 0 ? ofAll : found;
  const bands = new Map<number, AgeBand>(used.map(({ band }) => [band.from, band]));
  const ordered = [...bands.values()].sort((a, b) => a.from - b.from);
  const times = used.length / ordered.length;
  if (!coverEveryAge(ordered) || times !== (ofAll.length > 0 ? 1 : 2)) {
    return { problem: 'does not have every age once; expected ages from 0 on, the last open' };
  }
  const rankOf = used.map(({ band }) => ordered.findIndex(({ from }) => from === band.from));
  const figures = (counts: Float64Array): Figures => {
    const people = new Float64Array(ordered.length);
    for (const [at, rank] of rankOf.entries()) people[rank] = defined(people[rank]) + defined(counts[at]);
    return [['median-age', medianAge(ordered, people)]];
  };
  return { columns: used.map(({ index }) => index), figures };
};

const sizes = [
  'one person',
  'two people',
  'three people',
  'four people',
  'five people',
  'six people',
  'seven people',
  'eight or more people',
];

const householdSizes: Resolve = (columns) =>
  resolveAll(
    columns,
    [
      [
        'all occupied households',
        (words) => /^all occupied (households|household spaces)$/.test(last(words)),
      ],
      ...sizes.map((size) => [size, (words: ColumnWords) => last(words) === size] as const),
    ],
    (counts) => {
      const homes = counts.subarray(1);
      return [
        ['households', counts[0] ?? Number.NaN],
        ['sized-people', homes.reduce((people, count, index) => people + count * (index + 1), 0)],
        ['sized-households', homes.reduce((sum, count) => sum + count, 0)],
      ];
    },
  );

const everyAdult = 'all people aged 16 and over';
// In employment: the economically active, students among them, without the unemployed.
const activityLabels = [
  everyAdult,
  'economically active (excluding full-time students) - total',
  'economically active full-time students - total',
  'economically active (excluding full-time students) - unemployed - available for work',
  'economically active full-time students - unemployed - available for work',
];

/** The name of the variable may stand above, and "Total" below all people. */
function endsWithLabel(words: ColumnWords, label: string): boolean {
  const whole = ` - ${labelOf(words)}`;
  return whole.endsWith(` - ${label}`) || (label === everyAdult && whole.endsWith(` - ${label} - total`));
}

const activity: Resolve = (columns) =>
  resolveAll(
    columns,
    activityLabels.map((label) => [label, (words) => endsWithLabel(words, label)] as const),
    (counts) => {
      // In the order of the labels.
      const count = (at: number) => defined(counts[at]);
      return [
        ['adults', count(0)],
        ['employed', count(1) + count(2) - count(3) - count(4)],
      ];
    },
  );

/** In the order of reading. Single years of age come before bands. */
const scottishTables: readonly ScottishTable[] = [
  { id: 'UV101b', title: 'Usual resident population by sex by age', resolve: residents },
  { id: 'UV103', title: 'Age by single year', resolve: ages },
  { id: 'UV102b', title: 'Age (20) by sex', resolve: ages },
  { id: 'UV406', title: 'Household size', resolve: householdSizes },
  { id: 'UV601', title: 'Economic activity', resolve: activity },
];

export const censusScotland: Loader = {
  facts: {
    publisher: 'National Records of Scotland',
    publisherShort: 'NRS',
    licence: 'Open Government Licence v3.0',
    attribution:
      "Scotland's Census 2022 data © Crown copyright, National Records of Scotland, licensed under the Open Government Licence v3.0.",
    coverage: { Scotland: 'every data zone of 2022; no density' },
  },
  publications: [
    {
      name: 'census-scotland',
      title: "Scotland's Census 2022, output areas",
      page: 'https://www.scotlandscensus.gov.uk/documents/2022-output-area-data/',
      find: {
        kind: 'links',
        page: 'https://www.scotlandscensus.gov.uk/documents/2022-output-area-data/',
        follow: [/Output-Area[^/]*\.zip$/i],
      },
      hosts: ['www.scotlandscensus.gov.uk'],
      rhythm: { text: 'once; the next census is in 2031', lateAfterDays: null, askEveryDays: 180 },
      typicalBytes: 74_000_000,
      mostBytes: 500_000_000,
      loading: { seconds: 15, memoryBytes: 600_000_000, diskBytes: 3_000_000 },
      gives: 'demographics of /area/statistics in Scotland',
      set: 'all',
      holds: 'everything',
      readWith: 'all files of the dataset',
    },
    {
      name: 'census-scotland-lookup',
      title: '2022 Census geography products, output areas to data zones',
      page: 'https://www.nrscotland.gov.uk/publications/2022-census-geography-products/',
      find: {
        kind: 'links',
        page: 'https://www.nrscotland.gov.uk/publications/2022-census-geography-products/',
        follow: [/(?:output-area|oa)[^/]*(?:data-zone|dz)[^/]*\.(?:csv|zip)$/i],
      },
      hosts: ['www.nrscotland.gov.uk'],
      rhythm: { text: 'once; the next census is in 2031', lateAfterDays: null, askEveryDays: 180 },
      typicalBytes: 2_000_000,
      mostBytes: 100_000_000,
      loading: { seconds: 1, memoryBytes: 100_000_000, diskBytes: 0 },
      gives: 'demographics of /area/statistics in Scotland: which output areas make a data zone',
      set: 'all',
      holds: 'everything',
      readWith: 'all files of the dataset',
    },
  ],
  layouts: [
    ...scottishTables.map(
      ({ id, title }) => `CSV of Scotland's Census 2022: ${id} - ${title}, by output area`,
    ),
    'CSV with the columns OA22 and DZ22 (National Records of Scotland)',
  ],
  recognise: (file) => {
    const table = findTable(file);
    if (table !== undefined) return `${table.id} of output areas`;
    return isLookup(file, scotlandLookup) ? lookupLayout : undefined;
  },
  headerAlone: ({ layout }) => (layout === lookupLayout ? 'refused' : 'read'),
  judge,
  load,
};

const isOutputArea = (text: string) => /^S00\d{6}$/.test(text.trim());

const firstOutputArea = (rows: readonly (readonly string[])[]) =>
  rows.findIndex((row) => isOutputArea(row[0] ?? ''));

/** By the number in its title; by its columns where the title has none; by both where no output area follows. */
function findTable(file: InputFile): ScottishTable | undefined {
  if (file.form !== 'text') return undefined;
  const rows = firstRows(file.head, headRows, 'cp1252');
  const first = firstOutputArea(rows);
  const above = first < 0 ? rows : rows.slice(0, first);
  const [number] = /\b[UM]V\d{3}[a-z]?\b/i.exec(above.flatMap((row) => row.slice(0, 1)).join(' ')) ?? [];
  if (first === 0 || (first < 0 && number === undefined)) return undefined;
  const columns = combineHeader(headerOf(above));
  const hasColumns = ({ resolve }: ScottishTable) => !('problem' in resolve(columns));
  if (number === undefined) return scottishTables.find(hasColumns);
  const numbered = scottishTables.find(({ id }) => id.toLowerCase() === number.toLowerCase());
  return first > 0 || (numbered !== undefined && hasColumns(numbered)) ? numbered : undefined;
}

const isWithoutAreas = ({ file, layout }: RecognisedFile) =>
  layout !== lookupLayout &&
  file.form === 'text' &&
  firstOutputArea(firstRows(file.head, headRows, 'cp1252')) < 0;

/** Titles and notes stand in the first column alone. */
const headerOf = (rows: readonly (readonly string[])[]) =>
  rows.filter((row) => row.slice(1).some((cell) => cell.trim() !== ''));

/** One file a table, and their look-up, here or loaded before. */
function judge(files: readonly RecognisedFile[], ground: Ground): Judgement {
  const bare = files.find(isWithoutAreas);
  if (bare !== undefined) throw headerAlone(bare.file);
  const isLoaded = ground.base !== undefined && readOutputAreas(ground.base, dataset).size > 0;
  const [table] = files.filter(({ layout }) => layout !== lookupLayout);
  const isGiven = files.some(({ layout }) => layout === lookupLayout);
  if (!isLoaded && !isGiven && table !== undefined) {
    throw new FileRefused(
      table.file.name,
      `has output areas, which need the look-up to data zones: give the file with ${scotlandLookup.names} too`,
    );
  }
  return oneOfEachTable(files, ground);
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const builder = beginCensus(dataset, into);
  const areas = into.base === undefined ? new Map() : readOutputAreas(into.base, dataset);
  for (const { file } of files) {
    if (isLookup(file, scotlandLookup)) await readLookup(file, scotlandLookup, areas, into);
  }
  for (const table of scottishTables) {
    for (const { file } of files) {
      if (file.form !== 'text' || findTable(file) !== table) continue;
      const place = path.basename(file.name);
      if (table.id === 'UV102b' && builder.tables.has('UV103')) {
        into.tally.reject('ages in bands, where single years are loaded', place);
        continue;
      }
      const { counts, figures } = await readTable(file, table, into);
      takeFigures(builder, sumOutputAreas(counts, areas, into, place), figures, into, place);
      builder.tables.set(table.id, 'output areas');
    }
  }
  if (areas.size > 0) into.writePart(outputAreasPart(dataset), encodeOutputAreas(dataset, areas));
  return finishCensus(
    {
      dataset,
      name: 'Census 2022',
      day: '2022-03-20',
      nations: { S: 'Scotland' },
      areas: 'data zones',
      areaCount: 7_392,
      unpublished: ['density'],
    },
    builder,
    files,
    into,
  );
}

type Read = { readonly counts: Counts; readonly figures: Reading['figures'] };

async function readTable(file: TextFile, table: ScottishTable, into: Into): Promise<Read> {
  const { tally } = into;
  const base = path.basename(file.name);
  const counts = new Map<number, Float64Array>();
  const above: string[][] = [];
  let reading: Reading | undefined;
  const chunks = reporting(file.open(), `Reading ${file.name}`, file.bytes, into.progress);
  await readCsv(chunks, { file: file.name, encoding: 'utf-8' }, (row) => {
    const code = row.text(0).trim();
    const number = isOutputArea(code) ? parsePlaceCode(code) : undefined;
    if (number === undefined) {
      // What follows the last output area is footnotes; other areas of Scotland among them are counted.
      if (reading === undefined) above.push(row.texts());
      else if (/^S\d{8}$/.test(code)) tally.reject('code of another kind of area', `${base}:${row.line}`);
      return;
    }
    reading ??= resolveHeader(file.name, table, above);
    tally.read += 1;
    if (counts.has(number)) {
      tally.reject('duplicate area', `${base}:${row.line}`);
      return;
    }
    const values = Float64Array.from(reading.columns, (index) => {
      const text = row.text(index).trim();
      const count = text === '-' ? 0 : parseCount(text.replace(/(?<=\d),(?=\d{3}\b)/g, ''));
      if (count !== undefined) return count;
      throw new FileRefused(
        file.name,
        `line ${row.line} has ${JSON.stringify(text)} in column ${index + 1}; expected a whole number or "-"`,
      );
    });
    counts.set(number, values);
    tally.kept += 1;
  });
  if (reading === undefined) throw new FileRefused(file.name, 'holds no rows of output areas (S00…)');
  return { counts, figures: reading.figures };
}

function resolveHeader(file: string, { id, resolve }: ScottishTable, above: readonly string[][]): Reading {
  const columns = combineHeader(headerOf(above));
  const reading = resolve(columns);
  if (!('problem' in reading)) return reading;
  const names = columns.flatMap((words) => (words.length === 0 ? [] : [words.join(' / ')]));
  throw new FileRefused(
    file,
    `${reading.problem}, as in table ${id}; its columns are ${names.join(', ') || 'without names'}`,
  );
}
