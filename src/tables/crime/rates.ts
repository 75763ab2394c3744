// What is told of crime in an LSOA: the year of the force responsible, its counts, and how they compare with every
// other LSOA whose force published the whole year. It depends on postcodes, crime and census together, so it is worked out at
// the end of an ingest, and never when somebody asks.

import { indexIn } from '../../columns/sorted.ts';
import { defined, outOfRange } from '../../out-of-range.ts';
import {
  exactly,
  f64,
  intoOrZero,
  oneOf,
  rising,
  strings,
  times,
  u8,
  u16,
  u32,
} from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table, type Views } from '../../release/table.ts';
import { crimeGroups } from '../../uk/police.ts';
import { openCensus } from '../census/census.ts';
import { findPlaceNames, parsePlaceCode } from '../postcodes/place-names.ts';
import { openPostcodes } from '../postcodes/postcodes.ts';
import {
  type AreaCounts,
  type CrimeAreas,
  type CrimeYear,
  openCrimeAreas,
  type Year,
  yearMonths,
} from './areas.ts';
import { forceOf } from './police-forces.ts';
import { type CrimeSample, findCrimeSample } from './sample.ts';

export const crimeRatesPart = { part: 'crime-rates', version: 2 } as const;

/** A force holds the place in this list. */
const crimeYearKinds = [
  'covered',
  'force-not-loaded',
  'force-without-data',
  'outdated',
  'months-missing',
  'too-many-unplaced',
] as const satisfies readonly CrimeYear['kind'][];

const noPreviousYear = 0xffff_ffff;

export const crimeRatesTable = table({
  part: crimeRatesPart.part,
  origin: { derivedVersion: crimeRatesPart.version },
  about:
    'Crime figures of every LSOA of England and Wales that has a loaded postcode, or that the bundled sample counts. NaN is "none".',
  order: 'by code',
  columns: {
    code: f64('area', 'of the LSOA, as a number (`place-names`)', rising),
    'area-force': u8('area', 'the force responsible', intoOrZero('force')),
    counts: u32(
      times('area', crimeGroups.length),
      "as in `crime-areas`, of the force's year; 0 where the force has none",
    ),
    previous: u32('area', 'crimes of the year before; 2³² − 1: not to be compared'),
    residents: u32('area', '0: not known, or none'),
    rank: f64(
      'area',
      'of crimes per resident among all covered areas: 0 lowest, 1 highest, equal ones the middle of their places',
    ),
    compared: u32(exactly(1), 'one value: how many areas have a rank'),
    'pooled-per-thousand': f64(exactly(1), 'one value: their crimes per 1,000 of their residents'),
    forces: strings('force', 'as the files name them, in order'),
    'year-kind': u8('force', 'whether its year tells anything, and why not', oneOf(crimeYearKinds)),
    'last-month': u16('force', 'of its year, as in `crimes`; 0: none'),
    'missing-months': u16('force', 'where months are missing: a bit for each of the year, the first lowest'),
    'unplaced-share': f64(
      'force',
      'where the whole year is there: the share of its crimes that name no LSOA',
    ),
  },
});

export type Uncovered = Exclude<CrimeYear, { kind: 'covered' }>;

type ForceYear =
  | { readonly kind: 'covered'; readonly year: Year; readonly unplacedShare: number }
  | Uncovered;

export type AreaCrime =
  | { readonly kind: 'force-unknown' }
  | { readonly kind: 'uncovered'; readonly force: string; readonly year: Uncovered }
  | {
      readonly kind: 'covered';
      readonly force: string;
      readonly year: Year;
      /** Of the force's crimes of the year, those that name no LSOA: they are in no area's counts. */
      readonly unplacedShare: number;
      readonly counts: AreaCounts;
      /** Crimes of the twelve months before; undefined where those tell nothing. */
      readonly previousTotal: number | undefined;
      /** 0 where the census is not loaded, or counts none. */
      readonly residents: number;
      /** Of crimes per resident: 0 for the lowest of all, 1 for the highest. Undefined without residents. */
      readonly rank: number | undefined;
    };

export class CrimeRates {
  /** How many areas a rate is compared with. */
  readonly size: number;
  /** Whose areas those are. */
  readonly comparedForces: readonly string[];
  /** All crimes of the compared areas per thousand of all their residents. */
  readonly pooledPerThousand: number;
  readonly #codes: Float64Array;
  /** Of the force responsible, plus one. */
  readonly #areaForce: Uint8Array;
  readonly #counts: Uint32Array;
  readonly #previous: Uint32Array;
  readonly #residents: Uint32Array;
  readonly #rank: Float64Array;
  readonly #forces: readonly { readonly name: string; readonly year: ForceYear }[];

  constructor(release: Release) {
    const columns = crimeRatesTable.open(release);
    [this.size = outOfRange()] = columns.compared;
    [this.pooledPerThousand = outOfRange()] = columns['pooled-per-thousand'];
    this.#codes = columns.code;
    this.#areaForce = columns['area-force'];
    this.#counts = columns.counts;
    this.#previous = columns.previous;
    this.#residents = columns.residents;
    this.#rank = columns.rank;
    this.#forces = columns.forces.list().map((name, at) => ({ name, year: readYear(columns, at) }));
    const compared = new Set(this.#areaForce.filter((_, area) => !Number.isNaN(this.#rank[area])));
    this.comparedForces = this.#forces.flatMap(({ name }, at) => (compared.has(at + 1) ? [name] : []));
  }

  /** Undefined where no loaded postcode lies in the area, and the sample does not count it. */
  find(areaCode: string): AreaCrime | undefined {
    const area = this.#rowOf(areaCode);
    if (area < 0) return undefined;
    const own = defined(this.#areaForce[area]);
    if (own === 0) return { kind: 'force-unknown' };
    const force = defined(this.#forces[own - 1]);
    if (force.year.kind !== 'covered') return { kind: 'uncovered', force: force.name, year: force.year };
    const count = (group: number) => defined(this.#counts[area * crimeGroups.length + group]);
    const previous = defined(this.#previous[area]);
    const rank = defined(this.#rank[area]);
    return {
      kind: 'covered',
      force: force.name,
      year: force.year.year,
      unplacedShare: force.year.unplacedShare,
      counts: {
        violent: count(0),
        burglary: count(1),
        vehicleCrime: count(2),
        antisocial: count(3),
        other: count(4),
      },
      previousTotal: previous === noPreviousYear ? undefined : previous,
      residents: defined(this.#residents[area]),
      rank: Number.isNaN(rank) ? undefined : rank,
    };
  }

  #rowOf(areaCode: string): number {
    const wanted = parsePlaceCode(areaCode);
    return wanted === undefined ? -1 : indexIn(this.#codes, wanted);
  }
}

function readYear(columns: Views<typeof crimeRatesTable.columns>, force: number): ForceYear {
  const kind = defined(crimeYearKinds[defined(columns['year-kind'][force])]);
  const last = defined(columns['last-month'][force]);
  const year = { from: last - yearMonths + 1, to: last };
  const unplacedShare = defined(columns['unplaced-share'][force]);
  switch (kind) {
    case 'covered':
      return { kind, year, unplacedShare };
    case 'outdated':
      return { kind, last };
    case 'months-missing': {
      const bits = defined(columns['missing-months'][force]);
      const months = Array.from({ length: yearMonths }, (_, at) => year.from + at);
      return { kind, year, missing: months.filter((_, at) => ((bits >> at) & 1) === 1) };
    }
    case 'too-many-unplaced':
      return { kind, year, unplacedShare };
    default:
      return { kind };
  }
}

/** Whether the release was made by a program that ranks as this one does, and has what is ranked. */
export const hasCrimeRates = (release: Release): boolean => release.hasDerived(crimeRatesPart);

/** Throws ReleaseDamaged where the release does not have them; ask `hasCrimeRates` first. */
export const openCrimeRates: (release: Release) => CrimeRates = oncePerRelease(
  (release) => new CrimeRates(release),
);

// Works out what is told of crime in every LSOA: the force responsible and its
// year, the counts of that year, and the rank of crimes per resident among all LSOAs that are covered.

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
