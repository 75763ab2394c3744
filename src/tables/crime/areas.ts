// Crime per LSOA: counts by month and by five groups, and for each force what it published of a month and how much of
// that names no LSOA. Whether an area's figures may be told at all is decided here, from the force responsible for it.
// An LSOA that no loaded postcode lies in is another area like any other. Only an ingest reads it, for what is told of
// an area (rates.ts).

import { indexIn } from '../../columns/sorted.ts';
import { defined } from '../../out-of-range.ts';
import { f64, rising, strings, times, u16, u32 } from '../../release/column.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import { type CrimeGroup, crimeGroups } from '../../uk/police.ts';
import { parsePlaceCode } from '../postcodes/place-names.ts';
import { type Coverage, judgeForces } from './coverage.ts';
import { crimeOrigin } from './tables.ts';

export const crimeAreasPart = 'crime-areas';

export const crimeAreasTable = table({
  part: crimeAreasPart,
  origin: crimeOrigin,
  about: 'Incidents by LSOA, month and group. Months are as in `crimes`.',
  order: 'areas by code',
  columns: {
    code: f64('area', 'of the LSOA, as a number (`place-names`)', rising),
    counts: u32(
      times('month', 'area', crimeGroups.length),
      'violent, burglary, vehicle crime, anti-social behaviour, other',
    ),
    months: u16('month', 'loaded months', rising),
    forces: strings('force', 'as the files name them'),
    rows: u32(times('force', 'month'), 'rows read'),
    unplaced: u32(times('force', 'month'), 'those of them without an LSOA'),
  },
});

export const yearMonths = 12;
/**
 * Where more of a force's crimes than this share name no LSOA, none of its areas has figures. What the others lack is told
 * with them. City of London has 10 % in 2024, Avon and Somerset some 14 %.
 */
const unplacedShareMost = 0.25;
/** Where the shares of two years differ by more, so may the figures although crime does not. */
const unplacedDriftMost = 0.05;
/** The newest month of a force may lie this far behind the newest of all. */
const behindMonthsMost = 6;

export type AreaCounts = Readonly<Record<CrimeGroup, number>>;

/** First and last month, as parseMonth gives them. */
export type Year = { readonly from: number; readonly to: number };

/** The twelve months up to a force's newest one, or why they tell nothing. */
export type CrimeYear =
  | {
      readonly kind: 'covered';
      readonly year: Year;
      /** Of the force's crimes of the year, those that name no LSOA and so are in no area's figures. */
      readonly unplacedShare: number;
      /** The year before, where it can be compared. */
      readonly previous: Year | undefined;
    }
  | { readonly kind: 'force-not-loaded' }
  | { readonly kind: 'force-without-data' }
  /** Its newest whole month lies too far behind. */
  | { readonly kind: 'outdated'; readonly last: number }
  | { readonly kind: 'months-missing'; readonly year: Year; readonly missing: readonly number[] }
  | { readonly kind: 'too-many-unplaced'; readonly year: Year; readonly unplacedShare: number };

export class CrimeAreas {
  /** Loaded months, oldest first. */
  readonly months: readonly number[];
  /** As the files name them. */
  readonly forces: readonly string[];
  readonly #codes: Float64Array;
  /** Per month, area and group. */
  readonly #counts: Uint32Array;
  readonly #coverage: readonly Coverage[];
  /** Per force and month: rows, and those of them without an LSOA. */
  readonly #rows: Uint32Array;
  readonly #unplaced: Uint32Array;

  constructor(release: Release) {
    const columns = crimeAreasTable.open(release);
    this.months = [...columns.months];
    this.forces = columns.forces.list();
    this.#codes = columns.code;
    this.#counts = columns.counts;
    this.#coverage = judgeForces(this.months, columns.rows);
    this.#rows = columns.rows;
    this.#unplaced = columns.unplaced;
  }

  /** The number of an area, or −1 where no crime lies in it. */
  #areaOf(areaCode: string): number {
    const wanted = parsePlaceCode(areaCode);
    return wanted === undefined ? -1 : indexIn(this.#codes, wanted);
  }

  /** Zero for an area that no crime lies in; whether it is covered is for `yearOf` to say. */
  countsIn(areaCode: string, { from, to }: Year): AreaCounts {
    const sums = { violent: 0, burglary: 0, vehicleCrime: 0, antisocial: 0, other: 0 };
    const area = this.#areaOf(areaCode);
    if (area < 0) return sums;
    for (const [column, month] of this.months.entries()) {
      if (month < from || month > to) continue;
      const cell = (column * this.#codes.length + area) * crimeGroups.length;
      for (const [at, group] of crimeGroups.entries()) sums[group] += defined(this.#counts[cell + at]);
    }
    return sums;
  }

  totalIn(areaCode: string, { from, to }: Year): number {
    const area = this.#areaOf(areaCode);
    if (area < 0) return 0;
    let sum = 0;
    for (const [column, month] of this.months.entries()) {
      if (month >= from && month <= to) sum += this.#totalOf(column, area);
    }
    return sum;
  }

  /** A month of which only a part was published is no month of a year. */
  yearOf(force: string): CrimeYear {
    const at = this.forces.indexOf(force);
    if (at < 0) return { kind: 'force-not-loaded' };
    const last = this.months.findLast((month) => this.#isPublished(at, month));
    if (last === undefined) return { kind: 'force-without-data' };
    if (last < defined(this.months.at(-1)) - behindMonthsMost) return { kind: 'outdated', last };
    const year = { from: last - yearMonths + 1, to: last };
    const missing = this.#missingIn(at, year);
    if (missing.length > 0) return { kind: 'months-missing', year, missing };
    const unplacedShare = this.#unplacedShare(at, year);
    if (unplacedShare > unplacedShareMost) return { kind: 'too-many-unplaced', year, unplacedShare };
    const before = { from: year.from - yearMonths, to: year.from - 1 };
    const isComparable =
      this.#missingIn(at, before).length === 0 &&
      Math.abs(this.#unplacedShare(at, before) - unplacedShare) <= unplacedDriftMost;
    return { kind: 'covered', year, unplacedShare, previous: isComparable ? before : undefined };
  }

  #totalOf(column: number, area: number): number {
    const cell = (column * this.#codes.length + area) * crimeGroups.length;
    let sum = 0;
    for (let at = cell; at < cell + crimeGroups.length; at += 1) sum += defined(this.#counts[at]);
    return sum;
  }

  #isPublished(force: number, month: number): boolean {
    const column = this.months.indexOf(month);
    return column >= 0 && this.#coverage[force * this.months.length + column]?.kind === 'published';
  }

  #missingIn(force: number, { from, to }: Year): readonly number[] {
    const months = Array.from({ length: to - from + 1 }, (_, at) => from + at);
    return months.filter((month) => !this.#isPublished(force, month));
  }

  #unplacedShare(force: number, { from, to }: Year): number {
    let [rows, unplaced] = [0, 0];
    for (const [column, month] of this.months.entries()) {
      if (month < from || month > to) continue;
      const cell = force * this.months.length + column;
      rows += defined(this.#rows[cell]);
      unplaced += defined(this.#unplaced[cell]);
    }
    return rows === 0 ? 1 : unplaced / rows;
  }
}

/** Throws ReleaseDamaged when the release has no such part; ask `findDataset('crime')` first. */
export const openCrimeAreas: (release: Release) => CrimeAreas = oncePerRelease(
  (release) => new CrimeAreas(release),
);
