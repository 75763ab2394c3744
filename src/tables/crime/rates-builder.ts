// Works out what is told of crime in every LSOA, as rates.ts reads it: the force responsible and its
// year, the counts of that year, and the rank of crimes per resident among all LSOAs that are covered.

import { defined } from '../../out-of-range.ts';
import type { Columns } from '../../release/part.ts';
import type { Release } from '../../release/reader.ts';
import { crimeGroups } from '../../uk/police.ts';
import { openCensus } from '../census/census.ts';
import { findPlaceNames, parsePlaceCode } from '../postcodes/place-names.ts';
import { openPostcodes } from '../postcodes/postcodes.ts';
import { type AreaCounts, type CrimeAreas, type CrimeYear, openCrimeAreas, yearMonths } from './areas.ts';
import { forceOf } from './police-forces.ts';
import { crimeRatesTable, crimeYearKinds, noPreviousYear } from './rates.ts';
import { type CrimeSample, findCrimeSample } from './sample.ts';

export type RatedAreas = {
  readonly areas: CrimeAreas;
  /** LSOA → the force responsible; undefined where it cannot be told. */
  readonly forces: ReadonlyMap<string, string | undefined>;
  readonly residents: ReadonlyMap<string, number>;
  /** Counts of the bundled sample, which hold for its forces in place of `areas`. */
  readonly sample?: Pick<CrimeSample, 'areas' | 'years'> | undefined;
};

/** The release needs crime by area and postcodes; without a census no area has residents or a rank. */
export function deriveCrimeRates(release: Release): Columns {
  const names = findPlaceNames(release);
  const forces = new Map<string, string | undefined>();
  for (const place of openPostcodes(release).places()) {
    const { lsoaCode: code } = place;
    // Of England and Wales, where the police name LSOAs.
    if (code !== null && /^[EW]/.test(code) && forces.get(code) === undefined) {
      forces.set(code, forceOf(place, names));
    }
  }
  return encodeCrimeRates({
    areas: openCrimeAreas(release),
    forces,
    residents: new Map(openCensus(release).residents()),
    sample: findCrimeSample(release),
  });
}

type RatedArea = {
  readonly code: number;
  readonly force: string | undefined;
  readonly counts: AreaCounts;
  readonly previous: number | undefined;
  readonly residents: number;
};

export function encodeCrimeRates(given: RatedAreas): Columns {
  const { areas, sample } = given;
  const named = [...given.forces.values(), ...(sample?.years.keys() ?? [])];
  const names = [...new Set(named)].filter((name) => name !== undefined).sort();
  const years = names.map((name) => sample?.years.get(name) ?? areas.yearOf(name));
  const rows = listAreas(given, new Map(names.map((name, at) => [name, defined(years[at])])));
  const rates = new Float64Array(rows.length).fill(Number.NaN);
  let [crimes, people] = [0, 0];
  for (const [row, { force, counts, residents }] of rows.entries()) {
    if (force === undefined || years[names.indexOf(force)]?.kind !== 'covered' || residents === 0) continue;
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    rates[row] = (1000 * total) / residents;
    crimes += total;
    people += residents;
  }
  return crimeRatesTable.encode({
    code: Float64Array.from(rows, ({ code }) => code),
    'area-force': Uint8Array.from(rows, ({ force }) => (force === undefined ? 0 : names.indexOf(force) + 1)),
    counts: Uint32Array.from(rows.flatMap(({ counts }) => crimeGroups.map((group) => counts[group]))),
    previous: Uint32Array.from(rows, ({ previous }) => previous ?? noPreviousYear),
    residents: Uint32Array.from(rows, ({ residents }) => residents),
    rank: ranksOf(rates),
    compared: Uint32Array.of(rates.filter((rate) => !Number.isNaN(rate)).length),
    'pooled-per-thousand': Float64Array.of(people === 0 ? 0 : (1000 * crimes) / people),
    forces: names,
    ...encodeYears(years),
  });
}

const none: AreaCounts = { violent: 0, burglary: 0, vehicleCrime: 0, antisocial: 0, other: 0 };

/** Areas in which a loaded postcode lies, and those of the sample, by code. */
function listAreas(
  { areas, forces, residents, sample }: RatedAreas,
  years: ReadonlyMap<string, CrimeYear>,
): readonly RatedArea[] {
  const rows = new Map<number, RatedArea>();
  for (const [text, force] of forces) {
    const code = defined(parsePlaceCode(text));
    const living = residents.get(text) ?? 0;
    const year = force === undefined ? undefined : years.get(force);
    // Of a force of the sample, an area that is not listed had no crime.
    const isCounted = year?.kind === 'covered' && force !== undefined && !sample?.years.has(force);
    rows.set(code, {
      code,
      force,
      counts: isCounted ? areas.countsIn(text, year.year) : none,
      previous:
        year?.kind !== 'covered' || year.previous === undefined
          ? undefined
          : isCounted
            ? areas.totalIn(text, year.previous)
            : 0,
      residents: living,
    });
  }
  for (const [code, area] of sample?.areas ?? []) rows.set(code, area);
  return [...rows.values()].sort((a, b) => a.code - b.code);
}

/** From 0 for the lowest to 1 for the highest; equal ones share the middle of their places. NaN has none. */
function ranksOf(rates: Float64Array): Float64Array {
  const order = Uint32Array.from(rates.keys())
    .filter((row) => !Number.isNaN(defined(rates[row])))
    .sort((a, b) => defined(rates[a]) - defined(rates[b]));
  const ranks = new Float64Array(rates.length).fill(Number.NaN);
  const others = order.length - 1;
  for (let first = 0; first < order.length; ) {
    const rate = rates[defined(order[first])];
    let next = first;
    while (next < order.length && rates[defined(order[next])] === rate) next += 1;
    const middle = (first + next - 1) / 2;
    for (const row of order.subarray(first, next)) ranks[row] = others < 1 ? 0.5 : middle / others;
    first = next;
  }
  return ranks;
}

function encodeYears(years: readonly CrimeYear[]) {
  const lastOf = (year: CrimeYear) => {
    if (year.kind === 'outdated') return year.last;
    return 'year' in year ? year.year.to : 0;
  };
  const missingOf = (year: CrimeYear) => {
    if (year.kind !== 'months-missing') return 0;
    const first = year.year.to - yearMonths + 1;
    return year.missing.reduce((bits, month) => bits | (1 << (month - first)), 0);
  };
  return {
    'year-kind': Uint8Array.from(years, ({ kind }) => crimeYearKinds.indexOf(kind)),
    'last-month': Uint16Array.from(years, lastOf),
    'missing-months': Uint16Array.from(years, missingOf),
    'unplaced-share': Float64Array.from(years, (year) =>
      'unplacedShare' in year ? year.unplacedShare : Number.NaN,
    ),
  };
}
