// What a publication has at least where all of it is there, as far as its files cannot say it themselves. With less, nobody
// knows what is missing where: a count of it may be too low anywhere, and 0 is not known (docs/decisions/0006-silences.md).

import type { DatasetName } from '../datasets.ts';
import type { Release } from '../release/reader.ts';
import type { LatLong } from '../uk/grid.ts';
import type { StopsCover } from './transport/stops.ts';

type Wholeness = 'complete' | 'partial';

type Least = {
  readonly rows: number;
  /** Quarter-degree squares with any of them: a cut of the country has rows enough, and fewer of these. */
  readonly squares: number;
};

/** Squares in which Code-Point Open of October 2025 has 100 postcodes: England 325, Wales 65, Scotland 117, all together 493. */
const leastOfLists = {
  // Some 24,000, of which London has 3,000.
  'schools-england': { rows: 22_000, squares: 310 },
  // Some 1,450 and 2,450, of which a few teach no such ages.
  'schools-wales': { rows: 1_300, squares: 60 },
  'schools-scotland': { rows: 2_200, squares: 110 },
  // Of 435,000 access nodes most are bus stops. A timetable is of the country or of one of eleven regions.
  'bus-routes': { rows: 150_000, squares: 450 },
  // Some 200 authorities count at 46,000 points.
  traffic: { rows: 15_000, squares: 450 },
} as const satisfies Partial<Record<DatasetName, Least>>;

/** A row for each of some 22,000 state-funded schools. */
const inspectionsOfWhole = 18_000;

/** Stations, and the areas that bus stops come from, of which there are some 140. */
const leastOfStops: Readonly<Record<StopsCover, number>> = { tube: 230, rail: 2_300, metro: 300, bus: 100 };

/** Of the homes of an authority: a few are new, or have no postcode in its list. */
const shareOfHomes = 0.9;

const squaresPerDegree = 4;

export function extentOfList(name: keyof typeof leastOfLists, points: Iterable<LatLong>): Wholeness {
  const squares = new Set<number>();
  let rows = 0;
  for (const { latitudeDegrees, longitudeDegrees } of points) {
    rows += 1;
    const [north, east] = [latitudeDegrees, longitudeDegrees].map((degrees) =>
      Math.floor(degrees * squaresPerDegree),
    );
    squares.add(1000 * (north ?? 0) + (east ?? 0));
  }
  const least = leastOfLists[name];
  return rows >= least.rows && squares.size >= least.squares ? 'complete' : 'partial';
}

export const extentOfInspections = (rows: number): Wholeness =>
  rows >= inspectionsOfWhole ? 'complete' : 'partial';

export const isWholeOfStops = (kind: StopsCover, count: number): boolean => count >= leastOfStops[kind];

export const isWholeOfHomes = (listed: number, homes: number | null): boolean =>
  homes !== null && listed >= shareOfHomes * homes;

/** Whether a count of one of these lists may be too low. The sample says by itself how far it reaches. */
export const isInPart = (release: Release, name: DatasetName): boolean =>
  (name in leastOfLists || name === 'ofsted') && release.findDataset(name)?.extent === 'partial';
