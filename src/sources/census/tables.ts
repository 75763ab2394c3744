// What the census loaders have in common: figures per area read from a table, sums of output areas, and what a
// load says of itself.

import path from 'node:path';
import { chooseFile, together } from '../../ingest/editions.ts';
import { loadedBefore } from '../../ingest/losses.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Ground, Into, Judgement, Loaded, RecognisedFile } from '../../ingest/source.ts';
import { formatCount } from '../../ingest/tally.ts';
import { defined } from '../../out-of-range.ts';
import {
  CensusBuilder,
  type CensusDataset,
  type CensusMeasure,
  openCensusTable,
} from '../../tables/census/census.ts';
import type { OutputAreas } from '../../tables/census/output-areas.ts';

/** Counts of one area as a table has them, in the order of its needed columns. */
export type Counts = ReadonlyMap<number, Float64Array>;

export type Figures = Iterable<readonly [CensusMeasure, number]>;

/** Two files of one table are two editions of it. Those of the look-up and of other areas are not told apart by their layout. */
export function oneOfEachTable(files: readonly RecognisedFile[], ground: Ground): Judgement {
  const isTable = ({ layout }: RecognisedFile) => layout !== lookupLayout && !layout.endsWith('other areas');
  const tables = Map.groupBy(files.filter(isTable), ({ layout }) => layout);
  return together(
    { read: files.filter((given) => !isTable(given)), passedOver: [] },
    ...[...tables.values()].map((same) => chooseFile(same, ground)),
  );
}

/** The figures of an earlier load; the bundled sample gives way to any official file. */
export function beginCensus(dataset: CensusDataset, { base }: Into): CensusBuilder {
  const builder = new CensusBuilder();
  const before = loadedBefore(base, dataset);
  if (before !== undefined) builder.addAll(openCensusTable(before, dataset));
  return builder;
}

/** Takes what a table says of every area. */
export function takeFigures(
  builder: CensusBuilder,
  counts: Counts,
  figuresOf: (counts: Float64Array) => Figures,
  { tally }: Into,
  place: string,
): void {
  for (const [code, values] of counts) {
    let replaced = false;
    for (const [measure, value] of figuresOf(values)) {
      replaced = builder.set(code, measure, value) === 'replaced' || replaced;
    }
    if (replaced) tally.revise('known figures replaced by those of the file', place);
  }
}

/**
 * Counts of output areas added up by the area they belong to. An area whose output areas are not all in the table is
 * left out, as its sum would be too small.
 */
export function sumOutputAreas(counts: Counts, areas: OutputAreas, { tally }: Into, place: string): Counts {
  const sums = new Map<number, Float64Array>();
  const missing = countChildren(areas);
  for (const [code, values] of counts) {
    const parent = areas.get(code)?.parent;
    if (parent === undefined) {
      tally.reject('output area that the look-up lacks', place);
      continue;
    }
    const sum = sums.get(parent);
    if (sum === undefined) sums.set(parent, values.slice());
    else for (const [at, value] of values.entries()) sum[at] = defined(sum[at]) + value;
    missing.set(parent, (missing.get(parent) ?? 0) - 1);
  }
  for (const parent of sums.keys()) {
    if (missing.get(parent) === 0) continue;
    sums.delete(parent);
    tally.reject('area with missing output areas', place);
  }
  return sums;
}

/** How many output areas each area has. */
export function countChildren(areas: OutputAreas): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { parent } of areas.values()) counts.set(parent, (counts.get(parent) ?? 0) + 1);
  return counts;
}

type Census = {
  readonly dataset: CensusDataset;
  readonly name: string;
  /** Day of the census, YYYY-MM-DD. */
  readonly day: string;
  /** Letter of the codes → nation, and what its small areas are called. */
  readonly nations: Readonly<Record<string, string>>;
  readonly areas: string;
  /** How many of them there are. */
  readonly areaCount: number;
  /** Figures that are published for none of them. */
  readonly unpublished: readonly CensusMeasure[];
};

/** A few small areas lack a figure that would tell of single people. */
const leastKnown = 0.99;

/** The layout of look-ups of output areas. */
export const lookupLayout = 'look-up of output areas';

/** The words of GET /datasets for each figure. */
const told: readonly (readonly [CensusMeasure, string])[] = [
  ['population', 'population'],
  ['density', 'density'],
  ['median-age', 'median age'],
  ['households', 'households'],
  ['employed', 'employment'],
];

/** Writes the part and says what the dataset now holds. */
export function finishCensus(
  census: Census,
  builder: CensusBuilder,
  files: readonly RecognisedFile[],
  into: Into,
): Loaded {
  // A look-up may come before the tables that need it.
  const isLookupAlone = files.every(({ layout }) => layout === lookupLayout);
  if (builder.size === 0 && !isLookupAlone) {
    const names = files.map(({ file }) => path.basename(file.name)).join(', ');
    throw new FileRefused(names, `holds no figures of ${census.areas}; nothing was loaded`);
  }
  into.writePart(census.dataset, builder.encode(census.dataset));
  const counts = told.map(([measure, word]) => ({ word, known: builder.countKnown(measure) }));
  const coverage = Object.entries(census.nations).map(([letter, nation]): [string, string] => {
    const words = Map.groupBy(counts, ({ known }) => known.get(letter) ?? 0);
    words.delete(0);
    const texts = [...words].map(
      ([count, figures]) =>
        `${figures.map(({ word }) => word).join(', ')} of ${formatCount(count)} ${census.areas}`,
    );
    return [nation, texts.length === 0 ? 'none loaded' : texts.join('; ')];
  });
  const tables = [...builder.tables.keys()].sort().join(', ');
  const isWhole = told
    .filter(([measure]) => !census.unpublished.includes(measure))
    .every(([measure]) => {
      const known = builder.countKnown(measure).values();
      return known.reduce((sum, count) => sum + count, 0) >= census.areaCount * leastKnown;
    });
  return {
    edition: `${census.name} (${tables === '' ? 'no table yet' : tables})`,
    asOf: census.day,
    rows: builder.size,
    extent: isWhole ? 'complete' : 'partial',
    nextEditionExpected: 'the census of 2031',
    coverage: Object.fromEntries(coverage),
  };
}

/** A whole number as the tables write it; undefined for anything else. */
export const parseCount = (text: string): number | undefined =>
  /^\d{1,9}$/.test(text) ? Number(text) : undefined;
