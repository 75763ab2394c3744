// The tables of Census 2021 as Nomis publishes them in bulk: one CSV per table and kind of area. Names of columns are
// brought to one form first, as some tables end them with "; measures: Value" and some leave out the space after a
// colon.

import type { InputFile, TextFile } from '../../ingest/files.ts';
import { type CsvRow, firstRows } from '../../ingest/read/csv.ts';
import { placeOf, type RowFormat, readNamedRows, refuseHeader } from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into } from '../../ingest/source.ts';
import { parsePlaceCode } from '../../tables/postcodes/place-names.ts';
import { type AgeBand, medianAge, parseAgeBand } from '../../uk/age-bands.ts';
import type { Counts, Figures } from './tables.ts';

export type NomisTable = {
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

export type NomisFile = { readonly file: TextFile; readonly table: NomisTable; readonly areas: AreaKind };

/** The table and the kind of area, told by the header and the first row; undefined for other files. */
export function recogniseNomis(file: InputFile): NomisFile | undefined {
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
export const refuseColumns = ({ file, table }: NomisFile): void =>
  refuseHeader(file, format, (titles) => findColumns(file.name, titles.map(normaliseColumn), table));

/** Throws FileRefused when a needed column is missing or there twice, or a cell is not a number. */
export async function readNomis({ file, table, areas }: NomisFile, into: Into): Promise<Counts> {
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
