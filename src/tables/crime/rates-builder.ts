// Works out what is told of crime in every LSOA, as rates.ts reads it: the force responsible and its
// year, the counts of that year, and the rank of crimes per resident among all LSOAs that are covered.

import { outOfRange } from '../../columns/out-of-range.ts';
import type { Columns } from '../../release/part.ts';
import type { Release } from '../../release/reader.ts';
import { crimeGroups } from '../../uk/police.ts';
import { openCensus } from '../census/census.ts';
import { findPlaceNames, parsePlaceCode } from '../postcodes/place-names.ts';
import { openPostcodes } from '../postcodes/postcodes.ts';
import { type CrimeAreas, type CrimeYear, openCrimeAreas, yearMonths } from './areas.ts';
import { forceOf } from './police-forces.ts';
import { crimeRatesTable, crimeYearKinds, noPreviousYear } from './rates.ts';

export type RatedAreas = {
  readonly areas: CrimeAreas;
  /** LSOA → the force responsible; undefined where it cannot be told. */
  readonly forces: ReadonlyMap<string, string | undefined>;
  /** Whether `forces` has all LSOAs, so that crime in any other lies in an area nobody can ask for. */
  readonly known: 'all' | 'some';
  readonly residents: ReadonlyMap<string, number>;
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
  const isSample = release.findDataset('postcodes')?.extent === 'sample';
  return encodeCrimeRates({
    areas: openCrimeAreas(release),
    forces,
    known: isSample || forces.size === 0 ? 'some' : 'all',
    residents: new Map(openCensus(release).residents()),
  });
}

export function encodeCrimeRates({ areas, forces, known, residents }: RatedAreas): Columns {
  const unknown = known === 'all' ? areas.findUnknown(forces.keys()) : undefined;
  const names = [...new Set(forces.values())].filter((name) => name !== undefined).sort();
  const years = names.map((name) => areas.yearOf(name, unknown));
  const rows = [...forces]
    .map(([code, force]) => ({ code, number: parsePlaceCode(code) ?? outOfRange(), force }))
    .sort((a, b) => a.number - b.number);
  const counts = new Uint32Array(rows.length * crimeGroups.length);
  const previous = new Uint32Array(rows.length).fill(noPreviousYear);
  const rates = new Float64Array(rows.length).fill(Number.NaN);
  let [crimes, people] = [0, 0];
  for (const [row, { code, force }] of rows.entries()) {
    const covered = force === undefined ? undefined : years[names.indexOf(force)];
    if (covered?.kind !== 'covered') continue;
    const own = areas.countsIn(code, covered.year);
    let total = 0;
    for (const [at, group] of crimeGroups.entries()) {
      counts[row * crimeGroups.length + at] = own[group];
      total += own[group];
    }
    if (covered.previous !== undefined) previous[row] = areas.totalIn(code, covered.previous);
    const living = residents.get(code) ?? 0;
    if (living === 0) continue;
    rates[row] = (1000 * total) / living;
    crimes += total;
    people += living;
  }
  return crimeRatesTable.encode({
    code: Float64Array.from(rows, ({ number }) => number),
    'area-force': Uint8Array.from(rows, ({ force }) => (force === undefined ? 0 : names.indexOf(force) + 1)),
    counts,
    previous,
    residents: Uint32Array.from(rows, ({ code }) => residents.get(code) ?? 0),
    rank: ranksOf(rates),
    compared: Uint32Array.of(rates.filter((rate) => !Number.isNaN(rate)).length),
    'pooled-per-thousand': Float64Array.of(people === 0 ? 0 : (1000 * crimes) / people),
    forces: names,
    ...encodeYears(years),
  });
}

/** From 0 for the lowest to 1 for the highest; equal ones share the middle of their places. NaN has none. */
function ranksOf(rates: Float64Array): Float64Array {
  const order = Uint32Array.from(rates.keys())
    .filter((row) => !Number.isNaN(rates[row] ?? outOfRange()))
    .sort((a, b) => (rates[a] ?? outOfRange()) - (rates[b] ?? outOfRange()));
  const ranks = new Float64Array(rates.length).fill(Number.NaN);
  const others = order.length - 1;
  for (let first = 0; first < order.length; ) {
    const rate = rates[order[first] ?? outOfRange()];
    let next = first;
    while (next < order.length && rates[order[next] ?? outOfRange()] === rate) next += 1;
    const middle = (first + next - 1) / 2;
    for (const row of order.subarray(first, next)) ranks[row] = others < 1 ? 0.5 : middle / others;
    first = next;
  }
  return ranks;
}

function encodeYears(years: readonly CrimeYear[]) {
  const lastOf = (year: CrimeYear) => {
    if (year.kind === 'force-stopped') return year.last;
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
      year.kind === 'too-many-unplaced' ? year.share : Number.NaN,
    ),
  };
}
