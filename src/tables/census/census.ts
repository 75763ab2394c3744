// The censuses of the United Kingdom by small area: LSOA in England and Wales, data zone in Scotland and Northern
// Ireland (and districts, where the bundled sample has them). The columns hold counts as published; what is divided
// by what is decided here, when an area is asked for.

import { outOfRange } from '../../columns/out-of-range.ts';
import type { Part } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { parsePlaceCode } from '../postcodes/place-names.ts';

export const censusDatasets = ['census-england-wales', 'census-scotland', 'census-northern-ireland'] as const;
export type CensusDataset = (typeof censusDatasets)[number];

/** The part of a dataset has its name. */
export const censusPart = (dataset: CensusDataset): string => dataset;

/** One column each; NaN where unknown. */
export const censusMeasures = [
  'population',
  'people-in-households',
  /** Persons per square kilometre. */
  'density',
  'median-age',
  'households',
  /** People by the table of household sizes, in which the largest size is open; and the households it counts. */
  'sized-people',
  'sized-households',
  /** Residents aged 16 and over, and those of them in employment. */
  'adults',
  'employed',
] as const;
export type CensusMeasure = (typeof censusMeasures)[number];

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

export type Census = {
  find(areaCode: string): CensusArea | undefined;
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
export class CensusTable {
  /** Ascending, as parsePlaceCode gives them. */
  readonly codes: Float64Array;
  /** What was loaded, "TS001 of LSOAs". */
  readonly tables: readonly string[];
  readonly #columns: Readonly<Record<CensusMeasure, Float64Array>>;

  constructor(part: Part) {
    this.codes = part.f64('code');
    const tables = part.strings('tables');
    this.tables = Array.from({ length: tables.length }, (_, index) => tables.at(index));
    const column = (measure: CensusMeasure) => part.f64(measure);
    this.#columns = {
      population: column('population'),
      'people-in-households': column('people-in-households'),
      density: column('density'),
      'median-age': column('median-age'),
      households: column('households'),
      'sized-people': column('sized-people'),
      'sized-households': column('sized-households'),
      adults: column('adults'),
      employed: column('employed'),
    };
  }

  /** The row of a code, or −1. */
  rowOf(code: number): number {
    let low = 0;
    let high = this.codes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.codes[middle] ?? outOfRange()) < code) low = middle + 1;
      else high = middle;
    }
    return this.codes[low] === code ? low : -1;
  }

  /** NaN where unknown. */
  at(row: number, measure: CensusMeasure): number {
    return this.#columns[measure][row] ?? Number.NaN;
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `release.has(censusPart(dataset))` first. */
export function openCensusTable(release: Release, dataset: CensusDataset): CensusTable {
  return new CensusTable(release.part(censusPart(dataset)));
}

/** Whatever of the three is loaded; of the others, nothing is found. */
export const openCensus: (release: Release) => Census = oncePerRelease((release) => {
  const tables = new Map(
    censusDatasets
      .filter((dataset) => release.has(censusPart(dataset)))
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
    residents: () => residentsOf(tables.get('census-england-wales')),
  };
});

function describe(code: string, dataset: CensusDataset, table: CensusTable, row: number): CensusArea {
  const at = (measure: CensusMeasure) => table.at(row, measure);
  // The counted people of the counted households; the table of sizes only has an open end.
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

/** Null for what is unknown or came of dividing by nothing. */
function known(value: number, decimals: number): number | null {
  if (!Number.isFinite(value)) return null;
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale;
}

/** An area in which nobody lives has no figures worth the name. */
const positive = (value: number, decimals: number) => (value > 0 ? known(value, decimals) : null);

/** Codes of LSOAs, as numbers: E01… and W01…. */
const lsoaRanges = ['E01000000', 'W01000000'].map((first) => {
  const from = parsePlaceCode(first) ?? 0;
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
