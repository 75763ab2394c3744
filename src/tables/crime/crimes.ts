// Street-level crime: points in an index, totals per point and month beside it, and the incidents of each month in the
// order of the points. The part of a month is opened when that month is first asked for in detail.

import { type Circle, eachOf, PointBands, type PointSet } from '../../columns/point-bands.ts';
import { defined } from '../../out-of-range.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import type { Views } from '../../release/table.ts';
import { formatMonth } from '../../uk/calendar.ts';
import { underInvestigation } from '../../uk/police.ts';
import { type Coverage, judgeForces } from './coverage.ts';
import type { CrimeWords } from './month-rows.ts';
import { crimeIdsTable, type crimeMonthColumns, crimeMonthTable, crimesTable, idBytes } from './tables.ts';

export type CategoryCount = {
  /** Slug. */
  readonly category: string;
  readonly count: number;
  /** Labels that occur, each once; incidents without an outcome are in none. */
  readonly outcomes: readonly (readonly [label: string, count: number])[];
};

type Incident = {
  /** Slug. */
  readonly category: string;
  readonly latitudeDegrees: number;
  readonly longitudeDegrees: number;
  readonly location: string;
  readonly context: string;
  /** 64 hexadecimal digits, or empty. */
  readonly id: string;
  /** `month` null where no file tells when. */
  readonly outcome: { readonly label: string; readonly month: number | null } | null;
  /** As the files name it. */
  readonly force: string;
};

/** Of the loaded months in a period, in their order; both lists have one entry for each. */
export type MonthTotals = { readonly months: readonly number[]; readonly counts: Uint32Array };

export type PointCount = {
  /** Its number in this release. */
  readonly point: number;
  readonly latitudeDegrees: number;
  readonly longitudeDegrees: number;
  readonly count: number;
};

type MonthColumns = {
  /** Row of the first incident of each point, and one more. */
  readonly first: Uint32Array;
  readonly category: Uint8Array;
  /** Index of the label plus one. */
  readonly outcome: Uint8Array;
  /** Months from the crime to its outcome plus one; 0 unknown. */
  readonly outcomeAfter: Uint8Array;
  readonly force: Uint8Array;
  readonly contexts: ReadonlyMap<number, string>;
};

export class Crimes {
  /** Loaded months, oldest first. */
  readonly months: readonly number[];
  /** As the files name them. */
  readonly forces: readonly string[];
  readonly pointCount: number;
  readonly #release: Release;
  readonly #points: Views<typeof crimesTable.columns>;
  readonly #bands: PointBands;
  /** Per point and month the incidents of all points before it, and of all of them at the end. */
  readonly #totalsBefore: Uint32Array;
  readonly #categories: readonly string[];
  readonly #outcomes: readonly string[];
  readonly #coverage: readonly Coverage[];
  /** Month → first month of the part that holds it. */
  readonly #partOf: ReadonlyMap<number, number>;
  readonly #columns = new Map<number, MonthColumns>();
  /** Counts per category and outcome, while they are counted. */
  readonly #cells: Uint32Array;

  constructor(release: Release) {
    const columns = crimesTable.open(release);
    this.#release = release;
    this.#points = columns;
    this.months = [...columns.months];
    this.#partOf = new Map([...columns['month-parts']].map((first, at) => [defined(this.months[at]), first]));
    this.forces = columns.forces.list();
    this.pointCount = columns.latitude.length;
    this.#bands = new PointBands(columns);
    this.#totalsBefore = columns['totals-before'];
    this.#categories = columns.categories.list();
    this.#outcomes = columns.outcomes.list();
    this.#cells = new Uint32Array(this.#categories.length * (this.#outcomes.length + 1));
    this.#coverage = judgeForces(this.months, columns['coverage-rows']);
  }

  /** `month` as parseMonth gives it; a force or month that is not loaded is absent. */
  coverageOf(force: string, month: number): Coverage {
    const at = this.forces.indexOf(force);
    const column = this.months.indexOf(month);
    if (at < 0 || column < 0) return { kind: 'absent', rows: 0, usualRows: 0 };
    return defined(this.#coverage[at * this.months.length + column]);
  }

  /** Good until the next search. */
  within(circle: Circle): PointSet {
    return this.#bands.within(circle);
  }

  /** Totals of the loaded months from the one to the other, both included. */
  totalsIn(points: PointSet, from: number, to: number): MonthTotals {
    const wide = this.months.length;
    const { first, months } = this.#period(from, to);
    const count = months.length;
    const sums = new Uint32Array(count);
    if (count === 0) return { months, counts: sums };
    const before = this.#totalsBefore;
    // The first and the last month apart: these reads wait for memory, but not for each other, and the rest lies between.
    const last = first + count - 1;
    let [oldest, newest] = [0, 0];
    for (let at = 0; at < points.length; at += 2) {
      const from = defined(points[at]) * wide;
      const end = defined(points[at + 1]) * wide;
      oldest += defined(before[end + first]) - defined(before[from + first]);
      newest += defined(before[end + last]) - defined(before[from + last]);
    }
    sums[0] = oldest;
    sums[count - 1] = newest;
    if (count <= 2) return { months, counts: sums };
    // Two stretches at a time; where their number is odd, the last has an empty one beside it.
    for (let at = 0; at < points.length; at += 4) {
      const from = defined(points[at]) * wide + first;
      const end = defined(points[at + 1]) * wide + first;
      const hasOther = at + 2 < points.length;
      const otherFrom = hasOther ? defined(points[at + 2]) * wide + first : from;
      const otherEnd = hasOther ? defined(points[at + 3]) * wide + first : from;
      for (let column = 1; column < count - 1; column += 1) {
        const one = defined(before[end + column]) - defined(before[from + column]);
        const other = defined(before[otherEnd + column]) - defined(before[otherFrom + column]);
        sums[column] = defined(sums[column]) + one + other;
      }
    }
    return { months, counts: sums };
  }

  /** Categories of one loaded month, those that occur. */
  categoriesIn(points: PointSet, month: number): readonly CategoryCount[] {
    const { first, category, outcome } = this.#month(month);
    const wide = this.#outcomes.length + 1;
    let size = 0;
    for (let at = 0; at < points.length; at += 2) {
      size += defined(first[defined(points[at + 1])]) - defined(first[defined(points[at])]);
    }
    if (size === 0) return [];
    const counts = this.#cells.fill(0);
    for (let at = 0; at < points.length; at += 2) {
      const end = defined(first[defined(points[at + 1])]);
      for (let row = defined(first[defined(points[at])]); row < end; row += 1) {
        const cell = defined(category[row]) * wide + defined(outcome[row]);
        counts[cell] = defined(counts[cell]) + 1;
      }
    }
    const found: CategoryCount[] = [];
    for (let at = 0; at < this.#categories.length; at += 1) {
      let count = 0;
      const outcomes: [string, number][] = [];
      for (let label = 0; label < wide; label += 1) {
        const incidents = defined(counts[at * wide + label]);
        if (incidents === 0) continue;
        count += incidents;
        if (label > 0) outcomes.push([defined(this.#outcomes[label - 1]), incidents]);
      }
      if (count > 0) found.push({ category: defined(this.#categories[at]), count, outcomes });
    }
    return found;
  }

  /** Totals of one category, by month, over the loaded months from the one to the other. */
  totalsOfCategoryIn(points: PointSet, slug: string, from: number, to: number): MonthTotals {
    const wanted = this.#categories.indexOf(slug);
    const { months } = this.#period(from, to);
    const count = (month: number) => (wanted < 0 ? 0 : countCategory(this.#month(month), points, wanted));
    return { months, counts: Uint32Array.from(months, count) };
  }

  /** Every incident of one loaded month, or those of one category. */
  incidentsIn(points: PointSet, month: number, slug?: string): readonly Incident[] {
    const columns = this.#month(month);
    const ids = this.#ids(month);
    const hexes = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength);
    const { latitude, longitude } = this.#points;
    const found: Incident[] = [];
    for (const point of eachOf(points)) {
      const latitudeDegrees = defined(latitude[point]) / 1e6;
      const longitudeDegrees = defined(longitude[point]) / 1e6;
      const location = this.locationAt(point);
      const end = defined(columns.first[point + 1]);
      for (let row = defined(columns.first[point]); row < end; row += 1) {
        const category = defined(this.#categories[defined(columns.category[row])]);
        if (slug !== undefined && slug !== category) continue;
        const label = defined(columns.outcome[row]);
        const after = defined(columns.outcomeAfter[row]);
        found.push({
          category,
          latitudeDegrees,
          longitudeDegrees,
          location,
          context: columns.contexts.get(row) ?? '',
          id: hexOf(hexes, row * idBytes),
          outcome: label === 0 ? null : datedOutcome(defined(this.#outcomes[label - 1]), month, after),
          force: defined(this.forces[defined(columns.force[row])]),
        });
      }
    }
    return found;
  }

  /** Points with at least one incident in these months, or of one category, in no order. */
  pointCountsIn(points: PointSet, months: ReadonlySet<number>, slug?: string): readonly PointCount[] {
    const { latitude, longitude } = this.#points;
    const wanted = slug === undefined ? -1 : this.#categories.indexOf(slug);
    const found: PointCount[] = [];
    const one = new Uint32Array(2);
    for (const point of eachOf(points)) {
      one[0] = point;
      one[1] = point + 1;
      let count = 0;
      for (const [column, month] of this.months.entries()) {
        if (!months.has(month)) continue;
        if (slug === undefined) count += this.#totalOf(point, column);
        else if (wanted >= 0) count += countCategory(this.#month(month), one, wanted);
      }
      if (count === 0) continue;
      found.push({
        point,
        latitudeDegrees: defined(latitude[point]) / 1e6,
        longitudeDegrees: defined(longitude[point]) / 1e6,
        count,
      });
    }
    return found;
  }

  /** Visits what `pointCountsIn` counted at one point, month by month (oldest first) and category by category. */
  eachCellAt(
    point: number,
    { months, slug }: { readonly months: ReadonlySet<number>; readonly slug: string | undefined },
    visit: (month: number, category: string, count: number) => void,
  ): void {
    const counts = new Uint32Array(this.#categories.length);
    for (let column = 0; column < this.months.length; column += 1) {
      const month = defined(this.months[column]);
      if (!months.has(month) || this.#totalOf(point, column) === 0) continue;
      const { first, category } = this.#month(month);
      const end = defined(first[point + 1]);
      for (let row = defined(first[point]); row < end; row += 1) {
        const own = defined(category[row]);
        counts[own] = defined(counts[own]) + 1;
      }
      for (let at = 0; at < counts.length; at += 1) {
        const count = defined(counts[at]);
        if (count === 0) continue;
        counts[at] = 0;
        const name = defined(this.#categories[at]);
        if (slug === undefined || slug === name) visit(month, name, count);
      }
    }
  }

  /** "On or near High Street" */
  locationAt(point: number): string {
    const { names, 'point-name': nameOf } = this.#points;
    return names.at(defined(nameOf[point]));
  }

  /** The columns of one month as they are, for a load that builds on them. */
  columnsOf(month: number): MonthColumns & { readonly ids: Uint8Array } {
    return { ...this.#month(month), ids: this.#ids(month) };
  }

  /** The words behind the numbers of `columnsOf` and `pointAt`. Decoded anew at each call. */
  words(): Pick<CrimeWords, 'names' | 'lsoas' | 'categories' | 'outcomes'> {
    const { names, lsoas } = this.#points;
    return {
      names: names.list(),
      lsoas: lsoas.list(),
      categories: this.#categories,
      outcomes: this.#outcomes,
    };
  }

  /** The newest one with an incident at the point. */
  newestMonthAt(point: number): number | undefined {
    return this.months.findLast((_, column) => this.#totalOf(point, column) > 0);
  }

  /** `name` and `lsoa` are numbers of `words`; of the LSOA plus one, and 0 for none. */
  pointAt(point: number): { latitudeMicro: number; longitudeMicro: number; name: number; lsoa: number } {
    const columns = this.#points;
    return {
      latitudeMicro: defined(columns.latitude[point]),
      longitudeMicro: defined(columns.longitude[point]),
      name: defined(columns['point-name'][point]),
      lsoa: defined(columns['point-lsoa'][point]),
    };
  }

  #period(from: number, to: number): { readonly first: number; readonly months: readonly number[] } {
    let first = 0;
    while (first < this.months.length && defined(this.months[first]) < from) first += 1;
    let end = first;
    while (end < this.months.length && defined(this.months[end]) <= to) end += 1;
    return { first, months: this.months.slice(first, end) };
  }

  #totalOf(point: number, column: number): number {
    const cell = point * this.months.length + column;
    return defined(this.#totalsBefore[cell + this.months.length]) - defined(this.#totalsBefore[cell]);
  }

  #month(month: number): MonthColumns {
    const known = this.#columns.get(month);
    if (known !== undefined) return known;
    const columns = openMonth(
      crimeMonthTable(this.#firstOfPart(month), formatMonth(month)).open(this.#release),
    );
    this.#columns.set(month, columns);
    return columns;
  }

  #ids(month: number): Uint8Array {
    return crimeIdsTable(this.#firstOfPart(month), formatMonth(month)).open(this.#release).id;
  }

  #firstOfPart(month: number): string {
    return formatMonth(defined(this.#partOf.get(month)));
  }
}

function openMonth(columns: Views<typeof crimeMonthColumns>): MonthColumns {
  const { first, category, outcome, 'outcome-after': outcomeAfter, force, contexts } = columns;
  const contextRows = [...columns['context-row']];
  return {
    first,
    category,
    outcome,
    outcomeAfter,
    force,
    contexts: new Map(contextRows.map((row, index) => [row, contexts.at(index)])),
  };
}

/** The police's own service dates Under investigation by the crime, and every other outcome by itself. */
function datedOutcome(label: string, month: number, after: number): NonNullable<Incident['outcome']> {
  if (label === underInvestigation) return { label, month };
  return { label, month: after === 0 ? null : month + after - 1 };
}

function countCategory({ first, category }: MonthColumns, points: PointSet, wanted: number): number {
  let count = 0;
  for (let at = 0; at < points.length; at += 2) {
    const end = defined(first[defined(points[at + 1])]);
    for (let row = defined(first[defined(points[at])]); row < end; row += 1)
      if (category[row] === wanted) count += 1;
  }
  return count;
}

/** Empty where all bytes are zero. */
function hexOf(ids: Buffer, at: number): string {
  for (let index = at; index < at + idBytes; index += 1) {
    if (ids[index] !== 0) return ids.toString('hex', at, at + idBytes);
  }
  return '';
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('crime')` first. */
export const openCrimes: (release: Release) => Crimes = oncePerRelease((release) => new Crimes(release));
