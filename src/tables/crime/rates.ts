// What is told of crime in an LSOA: the year of the force responsible, its counts, and how they compare with every
// other LSOA whose force published the whole year. Nothing is worked out here: that depends on postcodes, crime and
// census together, and is done at the end of an ingest (rates-builder.ts).

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
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table, type Views } from '../../release/table.ts';
import { crimeGroups } from '../../uk/police.ts';
import { parsePlaceCode } from '../postcodes/place-names.ts';
import { type AreaCounts, type CrimeYear, type Year, yearMonths } from './areas.ts';

export const crimeRatesPart = { part: 'crime-rates', version: 2 } as const;

/** A force holds the place in this list. */
export const crimeYearKinds = [
  'covered',
  'force-not-loaded',
  'force-without-data',
  'outdated',
  'months-missing',
  'too-many-unplaced',
] as const satisfies readonly CrimeYear['kind'][];

export const noPreviousYear = 0xffff_ffff;

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
