// What is told of crime in an LSOA: the year of the force responsible, its counts, and how they compare with every
// other LSOA whose force published the whole year. Nothing is worked out here: that depends on postcodes, crime and
// census together, and is done at the end of an ingest (crime-rates-builder.ts).

import { outOfRange } from '../../columns/out-of-range.ts';
import type { Part } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { crimeGroups } from '../../uk/police.ts';
import { parsePlaceCode } from '../postcodes/place-names.ts';
import { type AreaCounts, type CrimeYear, type Year, yearMonths } from './areas.ts';

export const crimeRatesPart = { part: 'crime-rates', version: 1 } as const;

/** A force holds the place in this list. */
export const crimeYearKinds = [
  'covered',
  'force-not-loaded',
  'force-without-data',
  'force-stopped',
  'months-missing',
  'too-many-unplaced',
] as const satisfies readonly CrimeYear['kind'][];

export const noPreviousYear = 0xffff_ffff;

export type Uncovered = Exclude<CrimeYear, { kind: 'covered' }>;

type ForceYear = { readonly kind: 'covered'; readonly year: Year } | Uncovered;

export type AreaCrime =
  | { readonly kind: 'force-unknown' }
  | { readonly kind: 'uncovered'; readonly force: string; readonly year: Uncovered }
  | {
      readonly kind: 'covered';
      readonly year: Year;
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

  constructor(part: Part) {
    this.size = part.u32('compared')[0] ?? outOfRange();
    this.pooledPerThousand = part.f64('pooled-per-thousand')[0] ?? outOfRange();
    this.#codes = part.f64('code');
    this.#areaForce = part.u8('area-force');
    this.#counts = part.u32('counts');
    this.#previous = part.u32('previous');
    this.#residents = part.u32('residents');
    this.#rank = part.f64('rank');
    const names = part.strings('forces');
    this.#forces = Array.from({ length: names.length }, (_, at) => ({
      name: names.at(at),
      year: readYear(part, at),
    }));
  }

  /** Undefined where no loaded postcode lies in the area. */
  find(areaCode: string): AreaCrime | undefined {
    const area = this.#rowOf(areaCode);
    if (area < 0) return undefined;
    const force = this.#forces[(this.#areaForce[area] ?? outOfRange()) - 1];
    if (force === undefined) return { kind: 'force-unknown' };
    if (force.year.kind !== 'covered') return { kind: 'uncovered', force: force.name, year: force.year };
    const count = (group: number) => this.#counts[area * crimeGroups.length + group] ?? outOfRange();
    const previous = this.#previous[area] ?? noPreviousYear;
    const rank = this.#rank[area] ?? Number.NaN;
    return {
      kind: 'covered',
      year: force.year.year,
      counts: {
        violent: count(0),
        burglary: count(1),
        vehicleCrime: count(2),
        antisocial: count(3),
        other: count(4),
      },
      previousTotal: previous === noPreviousYear ? undefined : previous,
      residents: this.#residents[area] ?? outOfRange(),
      rank: Number.isNaN(rank) ? undefined : rank,
    };
  }

  #rowOf(areaCode: string): number {
    const wanted = parsePlaceCode(areaCode);
    let low = 0;
    let high = this.#codes.length;
    while (wanted !== undefined && low < high) {
      const middle = (low + high) >> 1;
      if ((this.#codes[middle] ?? outOfRange()) < wanted) low = middle + 1;
      else high = middle;
    }
    return this.#codes[low] === wanted ? low : -1;
  }
}

function readYear(part: Part, force: number): ForceYear {
  const kind = crimeYearKinds[part.u8('year-kind')[force] ?? -1] ?? 'force-not-loaded';
  const last = part.u16('last-month')[force] ?? outOfRange();
  const year = { from: last - yearMonths + 1, to: last };
  switch (kind) {
    case 'covered':
      return { kind, year };
    case 'force-stopped':
      return { kind, last };
    case 'months-missing': {
      const bits = part.u16('missing-months')[force] ?? outOfRange();
      const months = Array.from({ length: yearMonths }, (_, at) => year.from + at);
      return { kind, year, missing: months.filter((_, at) => ((bits >> at) & 1) === 1) };
    }
    case 'too-many-unplaced':
      return { kind, year, share: part.f64('unplaced-share')[force] ?? Number.NaN };
    default:
      return { kind };
  }
}

/** Whether the release was made by a program that ranks as this one does, and has what is ranked. */
export const hasCrimeRates = (release: Release): boolean => release.hasDerived(crimeRatesPart);

/** Throws ReleaseDamaged where the release does not have them; ask `hasCrimeRates` first. */
export const openCrimeRates: (release: Release) => CrimeRates = oncePerRelease(
  (release) => new CrimeRates(release.part(crimeRatesPart.part)),
);
