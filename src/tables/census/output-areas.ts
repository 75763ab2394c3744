// The smallest areas of a census and the area that each belongs to, kept so that a table published for output areas
// alone can be summed whenever it comes. Residents and density are kept too: a density of several output areas needs
// both, and they are published in two tables.

import { defined } from '../../out-of-range.ts';
import { f64, rising } from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import type { Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import type { CensusDataset } from './census.ts';

export const outputAreasPart = (dataset: CensusDataset): string => `${dataset}-output-areas`;

const outputAreaColumns = {
  code: f64('output area', 'of the output area, as a number (`place-names`)', rising),
  parent: f64('output area', 'code of its LSOA or data zone'),
  population: f64('output area', 'usual residents, where the table was given for output areas'),
  density: f64('output area', 'persons per square kilometre, likewise'),
};

export const outputAreasTable = (dataset: CensusDataset) =>
  table({
    part: outputAreasPart(dataset),
    origin: { dataset, layout: 1 },
    about: 'Output areas of the look-up, each with the area that it lies in. NaN is "not known".',
    order: 'by code',
    columns: outputAreaColumns,
  });

type OutputArea = {
  /** Code of its LSOA or data zone, as parsePlaceCode gives it. */
  readonly parent: number;
  /** NaN where unknown. */
  readonly population: number;
  readonly density: number;
};

/** By code, as parsePlaceCode gives it. */
export type OutputAreas = Map<number, OutputArea>;

export function encodeOutputAreas(dataset: CensusDataset, areas: ReadonlyMap<number, OutputArea>): Columns {
  const ordered = [...areas].sort(([a], [b]) => a - b);
  return outputAreasTable(dataset).encode({
    code: Float64Array.from(ordered, ([code]) => code),
    parent: Float64Array.from(ordered, ([, { parent }]) => parent),
    population: Float64Array.from(ordered, ([, { population }]) => population),
    density: Float64Array.from(ordered, ([, { density }]) => density),
  });
}

/** Empty where none are kept. */
export function readOutputAreas(release: Release, dataset: CensusDataset): OutputAreas {
  const own = outputAreasTable(dataset);
  if (!own.isIn(release)) return new Map();
  const { code: codes, parent, population, density } = own.read(release.readPart(own.part));
  return new Map(
    Array.from(codes, (code, row) => [
      code,
      {
        parent: defined(parent[row]),
        population: defined(population[row]),
        density: defined(density[row]),
      },
    ]),
  );
}
