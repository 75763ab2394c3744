// Crime per LSOA: counts by month and by five groups, and for each force what it published of a month and how much of
// that names no LSOA. Whether an area's figures may be told at all is decided here, from the force responsible for it.
// Only an ingest reads it, for what is told of an area (rates-builder.ts).

import { outOfRange } from '../../columns/out-of-range.ts';
import { indexIn } from '../../columns/sorted.ts';
import { f64, intoOrZero, oneOf, rising, strings, times, u8, u16, u32 } from '../../release/column.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import { type CrimeGroup, crimeGroups } from '../../uk/police.ts';
import { parsePlaceCode } from '../postcodes/place-names.ts';
import { type CoverageKind, coverageKinds, crimeOrigin } from './tables.ts';

export const crimeAreasPart = 'crime-areas';

export const crimeAreasTable = table({
  part: crimeAreasPart,
  origin: crimeOrigin,
  about: 'Incidents by LSOA, month and group. Months are as in `crimes`.',
  order: 'areas by code',
  columns: {
    code: f64('area', 'of the LSOA, as a number (`place-names`)', rising),
    'area-force': u8('area', 'the force that reports most there', intoOrZero('force')),
    counts: u32(
      times('month', 'area', crimeGroups.length),
      'violent, burglary, vehicle crime, anti-social behaviour, other',
    ),
    months: u16('month', 'loaded months', rising),
    forces: strings('force', 'as the files name them'),
    coverage: u8(times('force', 'month'), 'what the force published of the month', oneOf(coverageKinds)),
    rows: u32(times('force', 'month'), 'rows read'),
    unplaced: u32(times('force', 'month'), 'those of them without an LSOA'),
  },
});

export const yearMonths = 12;
/** Where more of a force's crimes than this share have no LSOA, none of its areas has figures. */
const unplacedShareMost = 0.05;
/** A force whose newest month lies further behind the newest of all has stopped. */
const behindMonthsMost = 6;

export type AreaCounts = Readonly<Record<CrimeGroup, number>>;

/** First and last month, as parseMonth gives them. */
export type Year = { readonly from: number; readonly to: number };

/** The twelve months up to a force's newest one, or why they tell nothing. */
export type CrimeYear =
  | { readonly kind: 'covered'; readonly year: Year; readonly previous: Year | undefined }
  | { readonly kind: 'force-not-loaded' }
  | { readonly kind: 'force-without-data' }
  | { readonly kind: 'force-stopped'; readonly last: number }
  | { readonly kind: 'months-missing'; readonly year: Year; readonly missing: readonly number[] }
  | { readonly kind: 'too-many-unplaced'; readonly year: Year; readonly share: number };

export class CrimeAreas {
  /** Loaded months, oldest first. */
  readonly months: readonly number[];
  /** As the files name them. */
  readonly forces: readonly string[];
  readonly #codes: Float64Array;
  /** The force that reports most there, plus one. */
  readonly #areaForce: Uint8Array;
  /** Per month, area and group. */
  readonly #counts: Uint32Array;
  readonly #coverage: readonly CoverageKind[];
  /** Per force and month: rows, and those of them without an LSOA. */
  readonly #rows: Uint32Array;
  readonly #unplaced: Uint32Array;

  constructor(release: Release) {
    const columns = crimeAreasTable.open(release);
    this.months = [...columns.months];
    this.forces = columns.forces.list();
    this.#codes = columns.code;
    this.#areaForce = columns['area-force'];
    this.#counts = columns.counts;
    this.#coverage = Array.from(columns.coverage, (kind) => coverageKinds[kind] ?? outOfRange());
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
      for (const [at, group] of crimeGroups.entries()) sums[group] += this.#counts[cell + at] ?? outOfRange();
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

  /**
   * `unknown` are rows of the force in areas that nobody can ask for, by month (`findUnknown`): they lie somewhere in
   * its area, as those without an LSOA do.
   */
  yearOf(force: string, unknown?: UnknownRows): CrimeYear {
    const at = this.forces.indexOf(force);
    if (at < 0) return { kind: 'force-not-loaded' };
    const last = this.months.findLast((month) => this.#isPublished(at, month));
    if (last === undefined) return { kind: 'force-without-data' };
    if (last < (this.months.at(-1) ?? outOfRange()) - behindMonthsMost)
      return { kind: 'force-stopped', last };
    const year = { from: last - yearMonths + 1, to: last };
    const missing = this.#missingIn(at, year);
    if (missing.length > 0) return { kind: 'months-missing', year, missing };
    const share = this.#unplacedShare(at, year, unknown);
    if (share > unplacedShareMost) return { kind: 'too-many-unplaced', year, share };
    const before = { from: year.from - yearMonths, to: year.from - 1 };
    const isComparable =
      this.#missingIn(at, before).length === 0 &&
      this.#unplacedShare(at, before, unknown) <= unplacedShareMost;
    return { kind: 'covered', year, previous: isComparable ? before : undefined };
  }

  /** Rows in areas that are not among `known`, such as those of an earlier census, by the force that reports there. */
  findUnknown(known: Iterable<string>): UnknownRows {
    const isKnown = new Uint8Array(this.#codes.length);
    for (const code of known) {
      const area = this.#areaOf(code);
      if (area >= 0) isKnown[area] = 1;
    }
    const rows = new Uint32Array(this.forces.length * this.months.length);
    for (let area = 0; area < isKnown.length; area += 1) {
      const force = (this.#areaForce[area] ?? outOfRange()) - 1;
      if (force < 0 || isKnown[area] === 1) continue;
      for (let column = 0; column < this.months.length; column += 1) {
        const cell = force * this.months.length + column;
        rows[cell] = (rows[cell] ?? outOfRange()) + this.#totalOf(column, area);
      }
    }
    return { rows };
  }

  #totalOf(column: number, area: number): number {
    const cell = (column * this.#codes.length + area) * crimeGroups.length;
    let sum = 0;
    for (let at = cell; at < cell + crimeGroups.length; at += 1) sum += this.#counts[at] ?? outOfRange();
    return sum;
  }

  #isPublished(force: number, month: number): boolean {
    const column = this.months.indexOf(month);
    return column >= 0 && this.#coverage[force * this.months.length + column] === 'published';
  }

  #missingIn(force: number, { from, to }: Year): readonly number[] {
    const months = Array.from({ length: to - from + 1 }, (_, at) => from + at);
    return months.filter((month) => !this.#isPublished(force, month));
  }

  #unplacedShare(force: number, { from, to }: Year, unknown: UnknownRows | undefined): number {
    let [rows, unplaced] = [0, 0];
    for (const [column, month] of this.months.entries()) {
      if (month < from || month > to) continue;
      const cell = force * this.months.length + column;
      rows += this.#rows[cell] ?? outOfRange();
      unplaced += this.#unplaced[cell] ?? outOfRange();
      if (unknown !== undefined) unplaced += unknown.rows[cell] ?? outOfRange();
    }
    return rows === 0 ? 1 : unplaced / rows;
  }
}

/** By force and month. */
type UnknownRows = { readonly rows: Uint32Array };

/** Throws ReleaseDamaged when the release has no such part; ask `release.has(crimeAreasPart)` first. */
export const openCrimeAreas: (release: Release) => CrimeAreas = oncePerRelease(
  (release) => new CrimeAreas(release),
);
