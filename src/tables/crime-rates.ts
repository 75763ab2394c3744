// How an LSOA's crime compares: crimes of a year per thousand residents, against every other LSOA whose force published
// the whole year. Worked out once per release, since what is covered depends on postcodes, crime and census together.

import { oncePerRelease, type Release } from '../release/reader.ts';
import { openCensus } from './census.ts';
import { type CrimeAreas, type CrimeYear, openCrimeAreas, type UnknownRows } from './crime-areas.ts';
import { findPlaceNames } from './place-names.ts';
import { forceOf } from './police-forces.ts';
import { openPostcodes } from './postcodes.ts';

/** LSOA → the force responsible; undefined where it cannot be told. */
export type LsoaForces = ReadonlyMap<string, string | undefined>;

export class CrimeRates {
  readonly areas: CrimeAreas;
  readonly #years = new Map<string, CrimeYear>();
  readonly #unknown: UnknownRows | undefined;
  /** Of the covered areas with residents, ascending. */
  readonly #rates: Float64Array;
  readonly #pooledPerThousand: number;

  /** `known`: whether `forces` has all LSOAs, so that crime in any other lies in an area nobody can ask for. */
  constructor(
    areas: CrimeAreas,
    forces: LsoaForces,
    known: 'all' | 'some',
    residents: Iterable<readonly [lsoaCode: string, residents: number]>,
  ) {
    this.areas = areas;
    this.#unknown = known === 'all' ? areas.findUnknown(forces.keys()) : undefined;
    // Nearly all forces have the same year.
    const totalsOf = new Map<number, Uint32Array>();
    const rates: number[] = [];
    let [crimes, people] = [0, 0];
    for (const [code, count] of residents) {
      const force = forces.get(code);
      const covered = force === undefined ? undefined : this.yearOf(force);
      if (count === 0 || covered?.kind !== 'covered') continue;
      const { year } = covered;
      const totals = totalsOf.get(year.to) ?? areas.totalsIn(year);
      totalsOf.set(year.to, totals);
      const total = totals[areas.areaOf(code)] ?? 0;
      rates.push((1000 * total) / count);
      crimes += total;
      people += count;
    }
    this.#rates = Float64Array.from(rates).sort();
    this.#pooledPerThousand = people === 0 ? 0 : (1000 * crimes) / people;
  }

  /** How many areas a rate is compared with. */
  get size(): number {
    return this.#rates.length;
  }

  /** All crimes of the covered areas per thousand of all their residents. */
  get pooledPerThousand(): number {
    return this.#pooledPerThousand;
  }

  yearOf(force: string): CrimeYear {
    const known = this.#years.get(force);
    if (known !== undefined) return known;
    const year = this.areas.yearOf(force, this.#unknown);
    this.#years.set(force, year);
    return year;
  }

  /** 0 for the lowest rate of all, 1 for the highest; equal ones share the middle of their places. */
  rankOf(perThousand: number): number {
    const below = lowerBound(this.#rates, perThousand);
    const equal = upperBound(this.#rates, perThousand) - below;
    const others = this.size - 1;
    return others < 1 ? 0.5 : Math.min(1, (below + Math.max(0, equal - 1) / 2) / others);
  }
}

/** Number of values below. */
const lowerBound = (sorted: Float64Array, value: number) => bound(sorted, (at) => at < value);
/** Number of values not above. */
const upperBound = (sorted: Float64Array, value: number) => bound(sorted, (at) => at <= value);

function bound(sorted: Float64Array, isBefore: (value: number) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(sorted[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The release needs crime by area and postcodes; without a census every rank is unknown, and `size` is 0. */
export const openCrimeRates: (release: Release) => CrimeRates = oncePerRelease((release) => {
  const names = findPlaceNames(release);
  const forces = new Map<string, string | undefined>();
  for (const place of openPostcodes(release).places()) {
    const { lsoaCode: code, nation } = place;
    if (code === null || forces.has(code) || (nation !== 'England' && nation !== 'Wales')) continue;
    forces.set(code, forceOf(place, names));
  }
  const known = release.findDataset('postcodes')?.extent === 'sample' || forces.size === 0 ? 'some' : 'all';
  return new CrimeRates(openCrimeAreas(release), forces, known, openCensus(release).residents());
});
