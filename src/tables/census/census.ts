// The censuses of the United Kingdom by small area: LSOA in England and Wales, data zone in Scotland and Northern
// Ireland (and districts, where the bundled sample has them). The columns hold counts as published; what is divided
// by what is decided here, when an area is asked for.

import { indexIn } from '../../columns/sorted.ts';
import { defined } from '../../out-of-range.ts';
import { f64, rising, strings } from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table, type Views } from '../../release/table.ts';
import { parsePlaceCode } from '../postcodes/place-names.ts';

export const censusDatasets = ['census-england-wales', 'census-scotland', 'census-northern-ireland'] as const;
export type CensusDataset = (typeof censusDatasets)[number];

const measureColumns = {
  population: f64('area', 'usual residents'),
  'people-in-households': f64('area', 'those of them who live in households'),
  density: f64('area', 'persons per square kilometre'),
  'median-age': f64('area', 'years'),
  households: f64('area', 'number of households'),
  'sized-people': f64('area', 'people by the table of household sizes, the open size taken as its smallest'),
  'sized-households': f64('area', 'households of that table'),
  adults: f64('area', 'residents aged 16 and over'),
  employed: f64('area', 'those of them in employment'),
};
export type CensusMeasure = keyof typeof measureColumns;
const isMeasure = (name: string): name is CensusMeasure => Object.hasOwn(measureColumns, name);
const censusMeasures: readonly CensusMeasure[] = Object.keys(measureColumns).filter(isMeasure);

const censusColumns = {
  code: f64('area', 'of the area, as a number (`place-names`)', rising),
  ...measureColumns,
  tables: strings('table', 'what was read, and for which areas: `TS001 of LSOAs`'),
};

/** The part of a dataset has its name. */
export const censusTable = (dataset: CensusDataset) =>
  table({
    part: dataset,
    origin: { dataset, layout: 1 },
    about: 'A census by small area. NaN is "not known".',
    order: 'by code',
    columns: censusColumns,
  });

/** A figure is null where its table is not loaded, or does not have the area. */
export type CensusArea = {
  readonly code: string;
  readonly dataset: CensusDataset;
  readonly population: number | null;
  /** Persons per square kilometre, whole. */
  readonly populationDensity: number | null;
  /** Years, one decimal. */
  readonly medianAge: number | null;
  readonly households: number | null;
  /** Persons, two decimals. */
  readonly averageHouseholdSize: number | null;
  /** Percent of residents aged 16 and over, one decimal. */
  readonly employmentRate: number | null;
};

export type CensusFigure = Exclude<keyof CensusArea, 'code' | 'dataset'>;

type Census = {
  find(areaCode: string): CensusArea | undefined;
  /** Whether any area of a census that is loaded has the figure: each comes from a table of its own. */
  tells(dataset: CensusDataset, figure: CensusFigure): boolean;
  /** LSOAs of England and Wales with their usual residents; areas without residents are left out. */
  residents(): Iterable<readonly [lsoaCode: string, residents: number]>;
};

const datasetsByLetter: ReadonlyMap<string, CensusDataset> = new Map([
  ['E', 'census-england-wales'],
  ['W', 'census-england-wales'],
  ['S', 'census-scotland'],
  ['N', 'census-northern-ireland'],
]);

/** One dataset's columns as they are, for answering and for a load that builds on them. */
class CensusTable {
  /** Ascending, as parsePlaceCode gives them. */
  readonly codes: Float64Array;
  /** What was loaded, "TS001 of LSOAs". */
  readonly tables: readonly string[];
  readonly #columns: Views<typeof censusColumns>;

  constructor(columns: Views<typeof censusColumns>) {
    this.codes = columns.code;
    this.tables = columns.tables.list();
    this.#columns = columns;
  }

  /** The row of a code, or −1. */
  rowOf(code: number): number {
    return indexIn(this.codes, code);
  }

  /** NaN where unknown. */
  at(row: number, measure: CensusMeasure): number {
    return defined(this.#columns[measure][row]);
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset(dataset)` first. */
export const openCensusTable = (release: Release, dataset: CensusDataset): CensusTable =>
  new CensusTable(censusTable(dataset).open(release));

/** Finds nothing in a census that is not loaded. */
export const openCensus: (release: Release) => Census = oncePerRelease((release) => {
  const tables = new Map(
    censusDatasets
      .filter((dataset) => censusTable(dataset).isIn(release))
      .map((dataset) => [dataset, openCensusTable(release, dataset)]),
  );
  return {
    find: (areaCode) => {
      const dataset = datasetsByLetter.get(areaCode.charAt(0));
      const table = dataset === undefined ? undefined : tables.get(dataset);
      const row = table?.rowOf(parsePlaceCode(areaCode) ?? -1) ?? -1;
      if (dataset === undefined || table === undefined || row < 0) return undefined;
      return describe(areaCode, dataset, table, row);
    },
    tells: memoised((dataset, figure) => {
      const table = tables.get(dataset);
      if (table === undefined) return false;
      return table.codes.some((_, row) => describe('', dataset, table, row)[figure] !== null);
    }),
    residents: () => residentsOf(tables.get('census-england-wales')),
  };
});

function memoised(tells: Census['tells']): Census['tells'] {
  const known = new Map<string, boolean>();
  return (dataset, figure) => {
    const key = `${dataset} ${figure}`;
    const answer = known.get(key) ?? tells(dataset, figure);
    known.set(key, answer);
    return answer;
  };
}

function describe(code: string, dataset: CensusDataset, table: CensusTable, row: number): CensusArea {
  const at = (measure: CensusMeasure) => table.at(row, measure);
  // Counted people and households first: the table of household sizes has an open end.
  const size = at('people-in-households') / at('households');
  const householdSize = Number.isFinite(size) ? size : at('sized-people') / at('sized-households');
  return {
    code,
    dataset,
    population: positive(at('population'), 0),
    populationDensity: positive(at('density'), 0),
    medianAge: known(at('median-age'), 1),
    households: known(at('households'), 0),
    averageHouseholdSize: known(householdSize, 2),
    employmentRate: known((100 * at('employed')) / at('adults'), 1),
  };
}

/** Null for what is unknown or was divided by zero. */
function known(value: number, decimals: number): number | null {
  if (!Number.isFinite(value)) return null;
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale;
}

/** Null also for an area in which nobody lives. */
const positive = (value: number, decimals: number) => (value > 0 ? known(value, decimals) : null);

/** Codes of LSOAs, as numbers: E01… and W01…. */
const lsoaRanges = ['E01000000', 'W01000000'].map((first) => {
  const from = defined(parsePlaceCode(first));
  return { letter: first.charAt(0), from, until: from + 1_000_000 };
});

function* residentsOf(
  table: CensusTable | undefined,
): Generator<readonly [lsoaCode: string, residents: number]> {
  if (table === undefined) return;
  for (const [row, code] of table.codes.entries()) {
    const range = lsoaRanges.find(({ from, until }) => code >= from && code < until);
    const residents = table.at(row, 'population');
    if (range === undefined || !(residents > 0)) continue;
    yield [`${range.letter}01${String(code - range.from).padStart(6, '0')}`, residents];
  }
}

// Collects the figures of one census, area by area and table by table, on top of those of an earlier load.
export class CensusBuilder {
  /** What is loaded: the table, and the kind of area it was read for ("TS001" → "LSOAs"). */
  readonly tables = new Map<string, string>();
  readonly #rows = new Map<number, Float64Array>();

  get size(): number {
    return this.#rows.size;
  }

  /** Everything of an earlier load. */
  addAll(table: CensusTable): void {
    for (const text of table.tables) {
      const [name = '', areas = ''] = text.split(' of ');
      this.tables.set(name, areas);
    }
    for (const [row, code] of table.codes.entries()) {
      for (const measure of censusMeasures) this.set(code, measure, table.at(row, measure));
    }
  }

  /** Says whether another figure stood there. NaN is kept as "unknown". */
  set(code: number, measure: CensusMeasure, value: number): 'set' | 'replaced' {
    const row = this.#rows.get(code) ?? new Float64Array(censusMeasures.length).fill(Number.NaN);
    this.#rows.set(code, row);
    const at = censusMeasures.indexOf(measure);
    const before = defined(row[at]);
    row[at] = value;
    return Number.isNaN(before) || before === value ? 'set' : 'replaced';
  }

  /** Numbers of areas for which the figure is known, by the letter of their codes. */
  countKnown(measure: CensusMeasure): ReadonlyMap<string, number> {
    const at = censusMeasures.indexOf(measure);
    const counts = new Map<string, number>();
    for (const [code, row] of this.#rows) {
      if (Number.isNaN(defined(row[at]))) continue;
      const letter = String.fromCharCode(65 + Math.floor(code / 1e8));
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    return counts;
  }

  encode(dataset: CensusDataset): Columns {
    const ordered = [...this.#rows].sort(([a], [b]) => a - b);
    const column = (measure: CensusMeasure) => {
      const at = censusMeasures.indexOf(measure);
      return Float64Array.from(ordered, ([, row]) => defined(row[at]));
    };
    return censusTable(dataset).encode({
      code: Float64Array.from(ordered, ([code]) => code),
      population: column('population'),
      'people-in-households': column('people-in-households'),
      density: column('density'),
      'median-age': column('median-age'),
      households: column('households'),
      'sized-people': column('sized-people'),
      'sized-households': column('sized-households'),
      adults: column('adults'),
      employed: column('employed'),
      tables: [...this.tables].map(([name, areas]) => `${name} of ${areas}`).sort(),
    });
  }
}
