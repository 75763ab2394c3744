// The smallest areas of a census and the area that each belongs to, kept so that a table published for output areas
// alone can be summed whenever it comes. Residents and density are kept too: a density of several output areas needs
// both, and they are published in two tables.

import type { Columns } from '../../release/part.ts';
import type { Release } from '../../release/reader.ts';
import type { CensusDataset } from './census.ts';

export const outputAreasPart = (dataset: CensusDataset): string => `${dataset}-output-areas`;

export type OutputArea = {
  /** Code of its LSOA or data zone, as parsePlaceCode gives it. */
  readonly parent: number;
  /** NaN where unknown. */
  readonly population: number;
  readonly density: number;
};

/** By code, as parsePlaceCode gives it. */
export type OutputAreas = Map<number, OutputArea>;

export function encodeOutputAreas(areas: ReadonlyMap<number, OutputArea>): Columns {
  const ordered = [...areas].sort(([a], [b]) => a - b);
  return {
    code: Float64Array.from(ordered, ([code]) => code),
    parent: Float64Array.from(ordered, ([, { parent }]) => parent),
    population: Float64Array.from(ordered, ([, { population }]) => population),
    density: Float64Array.from(ordered, ([, { density }]) => density),
  };
}

/** Empty where none are kept. */
export function readOutputAreas(release: Release, dataset: CensusDataset): OutputAreas {
  const name = outputAreasPart(dataset);
  if (!release.has(name)) return new Map();
  const part = release.readPart(name);
  const parent = part.f64('parent');
  const population = part.f64('population');
  const density = part.f64('density');
  return new Map(
    Array.from(part.f64('code'), (code, row) => [
      code,
      {
        parent: parent[row] ?? Number.NaN,
        population: population[row] ?? Number.NaN,
        density: density[row] ?? Number.NaN,
      },
    ]),
  );
}
