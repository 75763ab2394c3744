// Census 2021 of England and Wales, from the bulk archives of Nomis: six tables, each with a file per kind of area.
// Figures are of LSOAs: as published where there is such a file, else summed from output areas. The archives hold
// districts, regions and more beside them, which are passed over and counted.

import path from 'node:path';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import { loadedBefore } from '../../ingest/losses.ts';
import { type CsvRow, firstRows } from '../../ingest/read/csv.ts';
import { placeOf, type RowFormat, readNamedRows, refuseHeader } from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Ground, Into, Judgement, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { type CensusBuilder, openCensusTable } from '../../tables/census/census.ts';
import {
  encodeOutputAreas,
  type OutputAreas,
  outputAreasPart,
  readOutputAreas,
} from '../../tables/census/output-areas.ts';
import { parsePlaceCode } from '../../tables/postcodes/place-names.ts';
import { type AgeBand, medianAge, parseAgeBand } from '../../uk/age-bands.ts';
import { englandWalesLookup, isLookup, readLookup } from './lookup.ts';
import {
  beginCensus,
  type Counts,
  countChildren,
  type Figures,
  finishCensus,
  lookupLayout,
  oneOfEachTable,
  sumOutputAreas,
  takeFigures,
} from './tables.ts';

const dataset = 'census-england-wales';

// The tables of Census 2021 as Nomis publishes them in bulk: one CSV per table and kind of area. Names of columns are
// brought to one form first, as some tables end them with "; measures: Value" and some leave out the space after a
// colon.

type NomisTable = {
  readonly id: string;
  /** Needed columns, in one form. */
  readonly columns: readonly string[];
  /** Figures of an area from its counts. They hold for sums of areas too, except densities. */
  readonly figures: (counts: Float64Array) => Figures;
};

const bandNames = [
  'Aged 4 years and under',
  ...Array.from({ length: 16 }, (_, index) => `Aged ${5 * index + 5} to ${5 * index + 9} years`),
  'Aged 85 years and over',
];
export const fiveYearBands: readonly AgeBand[] = bandNames.flatMap((name) => parseAgeBand(name) ?? []);

const sizeNames = [
  '1 person',
  ...Array.from({ length: 6 }, (_, index) => `${index + 2} people`),
  '8 or more people',
];

const active = 'Economic activity status: Economically active';

const at = (counts: Float64Array, index: number) => counts[index] ?? Number.NaN;

export const nomisTables: readonly NomisTable[] = [
  {
    id: 'TS001',
    columns: ['Residence type: Total', 'Residence type: Lives in a household'],
    figures: (counts) => [
      ['population', at(counts, 0)],
      ['people-in-households', at(counts, 1)],
    ],
  },
  {
    id: 'TS006',
    columns: ['Population Density: Persons per square kilometre'],
    figures: (counts) => [['density', at(counts, 0)]],
  },
  {
    id: 'TS007A',
    columns: bandNames.map((name) => `Age: ${name}`),
    figures: (counts) => [['median-age', medianAge(fiveYearBands, counts)]],
  },
  {
    id: 'TS017',
    columns: sizeNames.map((name) => `Household size: ${name} in household`),
    figures: (counts) => [
      ['sized-people', counts.reduce((people, homes, index) => people + homes * (index + 1), 0)],
      ['sized-households', counts.reduce((sum, homes) => sum + homes, 0)],
    ],
  },
  {
    id: 'TS041',
    columns: ['Number of households: Number of households'],
    figures: (counts) => [['households', at(counts, 0)]],
  },
  {
    id: 'TS066',
    columns: [
      'Economic activity status: Total: All usual residents aged 16 years and over',
      `${active} (excluding full-time students): In employment`,
      `${active} and a full-time student: In employment`,
    ],
    figures: (counts) => [
      ['adults', at(counts, 0)],
      ['employed', at(counts, 1) + at(counts, 2)],
    ],
  },
];

/** One form for all spellings of a column's name. */
export const normaliseColumn = (name: string): string =>
  name
    .replace(/;\s*measures:\s*value\s*$/i, '')
    .replace(/\s+/g, ' ')
    .replace(/\s*:\s*/g, ': ')
    .trim()
    .toLowerCase();

const keyColumns = ['date', 'geography', 'geography code'];
const subjectOf = (column: string) => column.split(':', 1)[0] ?? '';

type AreaKind = 'LSOAs' | 'output areas' | 'other areas';

type NomisFile = { readonly file: TextFile; readonly table: NomisTable; readonly areas: AreaKind };

/** The table and the kind of area, told by the header and the first row; undefined for other files. */
function recogniseNomis(file: InputFile): NomisFile | undefined {
  if (file.form !== 'text') return undefined;
  const [header = [], first = []] = firstRows(file.head, 2, 'cp1252').map((row) => row.map(normaliseColumn));
  if (!keyColumns.every((name) => header.includes(name))) return undefined;
  const table = nomisTables.find(({ columns }) => {
    const subject = normaliseColumn(subjectOf(columns[0] ?? ''));
    return header.some((name) => subjectOf(name) === subject);
  });
  if (table === undefined) return undefined;
  // Single years of age are not published for small areas.
  if (table.id === 'TS007A' && header.includes('age: aged 1 year')) return undefined;
  return { file, table, areas: areaKindOf((first[header.indexOf('geography code')] ?? '').toUpperCase()) };
}

function areaKindOf(code: string): AreaKind {
  if (/^[EW]01\d{6}$/.test(code)) return 'LSOAs';
  return /^[EW]00\d{6}$/.test(code) ? 'output areas' : 'other areas';
}

const format: RowFormat = { width: 'exact' };

/** As `readNomis`, by the header alone. */
const refuseColumns = ({ file, table }: NomisFile): void =>
  refuseHeader(file, format, (titles) => findColumns(file.name, titles.map(normaliseColumn), table));

/** Throws FileRefused when a needed column is missing or there twice, or a cell is not a number. */
async function readNomis({ file, table, areas }: NomisFile, into: Into): Promise<Counts> {
  const { tally } = into;
  const counts = new Map<number, Float64Array>();
  const find = (titles: readonly string[]) => findColumns(file.name, titles.map(normaliseColumn), table);
  await readNamedRows(file, format, find, into, (row, columns) => {
    const code = row.text(columns.code).trim();
    const number = parsePlaceCode(code);
    const problem =
      number === undefined || areaKindOf(code) !== areas
        ? 'code of another kind of area'
        : row.text(columns.date) !== '2021'
          ? 'not of the census of 2021'
          : counts.has(number)
            ? 'duplicate area'
            : undefined;
    if (number === undefined || problem !== undefined) {
      tally.reject(problem ?? '', placeOf(file, row));
      return;
    }
    counts.set(number, readValues(row, columns, file.name, table));
    tally.kept += 1;
  });
  if (counts.size === 0) {
    throw new FileRefused(file.name, `holds no rows of ${areas}; expected "2021" and codes like E01000001`);
  }
  return counts;
}

type Columns = {
  readonly date: number;
  readonly code: number;
  readonly values: readonly number[];
};

function findColumns(file: string, header: readonly string[], table: NomisTable): Columns {
  const find = (name: string) => {
    const wanted = normaliseColumn(name);
    const index = header.indexOf(wanted);
    if (index === -1) {
      throw new FileRefused(
        file,
        `line 1 lacks the column "${name}" of ${table.id}; its columns are ${header.join(', ')}`,
      );
    }
    if (header.lastIndexOf(wanted) !== index) {
      throw new FileRefused(file, `line 1 has the column "${name}" of ${table.id} twice; expected it once`);
    }
    return index;
  };
  return {
    date: find('date'),
    code: find('geography code'),
    values: table.columns.map(find),
  };
}

function readValues(
  row: CsvRow,
  { values }: Columns,
  file: string,
  { id, columns }: NomisTable,
): Float64Array {
  const pattern = id === 'TS006' ? /^\d{1,9}(\.\d+)?$/ : /^\d{1,9}$/;
  return Float64Array.from(values, (index, wish) => {
    const text = row.text(index);
    if (pattern.test(text)) return Number(text);
    const expected = id === 'TS006' ? 'a number' : 'a whole number';
    throw new FileRefused(
      file,
      `line ${row.line} has ${JSON.stringify(text)} as "${columns[wish]}"; expected ${expected}`,
    );
  });
}

export const censusEnglandWales: Loader = {
  facts: {
    publisher: 'Office for National Statistics',
    publisherShort: 'ONS',
    licence: 'Open Government Licence v3.0',
    attribution: 'Source: Office for National Statistics licensed under the Open Government Licence v.3.0.',
    coverage: { England: 'every LSOA of 2021', Wales: 'every LSOA of 2021' },
  },
  publications: [
    {
      name: 'census-england-wales',
      title: 'Census 2021, bulk downloads of Nomis: TS001, TS006, TS007A, TS017, TS041, TS066',
      page: 'https://www.nomisweb.co.uk/sources/census_2021_bulk',
      find: {
        kind: 'fixed',
        addresses: ['001', '006', '007a', '017', '041', '066'].map(
          (table) => `https://www.nomisweb.co.uk/output/census/2021/census2021-ts${table}.zip`,
        ),
      },
      hosts: ['www.nomisweb.co.uk'],
      rhythm: { text: 'once; the next census is in 2031', lateAfterDays: null, askEveryDays: 180 },
      typicalBytes: 25_000_000,
      mostBytes: 200_000_000,
      loading: { seconds: 20, memoryBytes: 600_000_000, diskBytes: 9_000_000 },
      gives: 'demographics of /area/statistics in England and Wales',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: [
    'CSV of Nomis with the columns date, geography, geography code and those of TS001, TS006, TS007A, TS017, TS041 or TS066 (or the archives census2021-tsNNN.zip)',
    'CSV of ONS with the columns OA21CD and LSOA21CD, where a table is given for output areas alone',
  ],
  recognise: (file) => {
    const nomis = recogniseNomis(file);
    if (nomis !== undefined) return `${nomis.table.id} of ${nomis.areas}`;
    return isLookup(file, englandWalesLookup) ? lookupLayout : undefined;
  },
  headerAlone: () => 'refused',
  judge,
  load,
};

/** One file a table and kind of area. Where only output areas are given, their look-up must be there too. */
function judge(files: readonly RecognisedFile[], ground: Ground): Judgement {
  const isLoaded = ground.base !== undefined && readOutputAreas(ground.base, dataset).size > 0;
  const before = loadedBefore(ground.base, dataset);
  const layouts = new Set([
    ...files.map(({ layout }) => layout),
    // As "TS001 of LSOAs". Of a table that is loaded so, output areas are not needed.
    ...(before === undefined ? [] : openCensusTable(before, dataset).tables),
  ]);
  if (!isLoaded && !layouts.has(lookupLayout)) {
    const lacking = nomisTables.find(
      ({ id }) => layouts.has(`${id} of output areas`) && !layouts.has(`${id} of LSOAs`),
    );
    const file = files.find(({ layout }) => layout === `${lacking?.id} of output areas`)?.file;
    if (file !== undefined) {
      throw new FileRefused(
        file.name,
        `has output areas, which need the look-up to LSOAs: give the ONS file with ${englandWalesLookup.names} too, or the file of LSOAs instead`,
      );
    }
  }
  const judged = oneOfEachTable(files, ground);
  for (const { file } of judged.read) {
    const nomis = recogniseNomis(file);
    if (nomis !== undefined) refuseColumns(nomis);
  }
  return judged;
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const builder = beginCensus(dataset, into);
  const areas = into.base === undefined ? new Map() : readOutputAreas(into.base, dataset);
  for (const { file } of files) {
    if (isLookup(file, englandWalesLookup)) await readLookup(file, englandWalesLookup, areas, into);
  }
  const given = files.flatMap(({ file }) => recogniseNomis(file) ?? []);
  passOver(given, 'other areas', 'file of areas that are too large', into);
  for (const table of nomisTables) {
    const ofTable = given.filter((file) => file.table === table);
    const published = ofTable.filter((file) => file.areas === 'LSOAs');
    for (const file of published) {
      takeFigures(builder, await readNomis(file, into), table.figures, into, path.basename(file.file.name));
      builder.tables.set(table.id, 'LSOAs');
    }
    const smallest = ofTable.filter((file) => file.areas === 'output areas');
    if (builder.tables.get(table.id) === 'LSOAs') {
      passOver(smallest, 'output areas', 'file of output areas whose LSOAs are loaded', into);
    } else {
      for (const file of smallest) await takeOutputAreas(file, table, builder, areas, into);
    }
  }
  if (builder.tables.get('TS006') === 'output areas') takeDensities(builder, areas, into);
  if (areas.size > 0) into.writePart(outputAreasPart(dataset), encodeOutputAreas(dataset, areas));
  return finishCensus(
    {
      dataset,
      name: 'Census 2021',
      day: '2021-03-21',
      nations: { E: 'England', W: 'Wales' },
      areas: 'LSOAs',
      areaCount: 35_672,
      unpublished: [],
    },
    builder,
    files,
    into,
  );
}

function passOver(files: readonly NomisFile[], areas: NomisFile['areas'], reason: string, into: Into): void {
  for (const { file } of files.filter((item) => item.areas === areas)) {
    into.tally.reject(reason, path.basename(file.name));
  }
}

async function takeOutputAreas(
  file: NomisFile,
  table: NomisTable,
  builder: CensusBuilder,
  areas: OutputAreas,
  into: Into,
): Promise<void> {
  const { name } = file.file;
  const counts = await readNomis(file, into);
  if (table.id === 'TS006') keep(areas, counts, 'density');
  else {
    if (table.id === 'TS001') keep(areas, counts, 'population');
    const place = path.basename(name);
    takeFigures(builder, sumOutputAreas(counts, areas, into, place), table.figures, into, place);
  }
  builder.tables.set(table.id, 'output areas');
}

function keep(areas: OutputAreas, counts: Counts, what: 'population' | 'density'): void {
  for (const [code, values] of counts) {
    const known = areas.get(code);
    if (known !== undefined) areas.set(code, { ...known, [what]: values[0] ?? Number.NaN });
  }
}

/**
 * Densities cannot be added. The density of an LSOA is the people of its output areas, divided by their ground. The
 * ground of each is its people divided by its density. If one output area lacks either, its LSOA has no density.
 */
function takeDensities(builder: CensusBuilder, areas: OutputAreas, { tally }: Into): void {
  const lacking = countChildren(areas);
  const sums = new Map<number, { people: number; squareKilometres: number }>();
  for (const { parent, population, density } of areas.values()) {
    if (!(population > 0 && density > 0)) continue;
    const sum = sums.get(parent) ?? { people: 0, squareKilometres: 0 };
    sums.set(parent, sum);
    sum.people += population;
    sum.squareKilometres += population / density;
    lacking.set(parent, (lacking.get(parent) ?? 0) - 1);
  }
  for (const [parent, { people, squareKilometres }] of sums) {
    if (lacking.get(parent) === 0) builder.set(parent, 'density', people / squareKilometres);
  }
  const without = [...lacking.values()].filter((count) => count > 0).length;
  tally.note(
    'LSOA without density: residents (TS001) or density of an output area are missing',
    without,
    'TS006',
  );
}
