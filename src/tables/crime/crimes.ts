// Street-level crime: points in an index, totals per point and month beside it, and one part per month with the
// incidents in the order of the points. A part of a month is opened when its month is first asked for in detail.

import { outOfRange } from '../../columns/out-of-range.ts';
import { type Circle, eachOf, openPoints, type PointBands, type Runs } from '../../columns/point-bands.ts';
import type { Part } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { formatMonth } from '../../uk/calendar.ts';

export const crimesPart = 'crimes';
/** Detail of one month or several: small months share a part, which is named by its first. */
export const crimeMonthsPart = (month: number): string => `crimes-${formatMonth(month)}`;
/** Crime ids, apart from the rest as they are three quarters of the bytes and only raw answers need them. */
export const crimeIdsPart = (month: number): string => `crime-ids-${formatMonth(month)}`;
/** Name of a month's column in the part it shares. */
export const crimeColumn = (month: number, name: string): string => `${formatMonth(month)} ${name}`;
export const idBytes = 32;

/** What a force published of a month: `collapsed` is a file with so few rows that it tells nothing. */
export const coverageKinds = ['absent', 'published', 'collapsed'] as const;
export type CoverageKind = (typeof coverageKinds)[number];
export type Coverage = { readonly kind: CoverageKind; readonly rows: number };

/** Only good until the next search. */
export type PointSet = Runs;

export type CategoryCount = {
  /** Slug. */
  readonly category: string;
  readonly count: number;
  /** Labels that occur, each once; incidents without an outcome are in none. */
  readonly outcomes: readonly (readonly [label: string, count: number])[];
};

export type Incident = {
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
  readonly latitudeDegrees: number;
  readonly longitudeDegrees: number;
  readonly location: string;
  readonly count: number;
};

export type MonthColumns = {
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
  readonly #part: Part;
  readonly #bands: PointBands;
  /** Per point and month the incidents of all points before it, and of all of them at the end. */
  readonly #totalsBefore: Uint32Array;
  /** Force that reports most at the point, plus one. */
  readonly #pointForce: Uint8Array;
  readonly #categories: readonly string[];
  readonly #outcomes: readonly string[];
  readonly #coverage: readonly Coverage[];
  /** Month → first month of the part that holds it. */
  readonly #partOf: ReadonlyMap<number, number>;
  readonly #columns = new Map<number, MonthColumns>();
  /** Counts per category and outcome, while they are counted. */
  readonly #cells: Uint32Array;

  constructor(release: Release) {
    const part = release.part(crimesPart);
    this.#release = release;
    this.#part = part;
    this.months = [...part.u16('months')];
    this.#partOf = new Map(
      [...part.u16('month-parts')].map((first, at) => [this.months[at] ?? outOfRange(), first]),
    );
    this.forces = listOf(part, 'forces');
    this.pointCount = part.i32('latitude').length;
    this.#bands = openPoints(part);
    this.#totalsBefore = part.u32('totals-before');
    this.#pointForce = part.u8('point-force');
    this.#categories = listOf(part, 'categories');
    this.#outcomes = listOf(part, 'outcomes');
    this.#cells = new Uint32Array(this.#categories.length * (this.#outcomes.length + 1));
    const kinds = part.u8('coverage');
    this.#coverage = Array.from(part.u32('coverage-rows'), (rows, index) => ({
      kind: coverageKinds[kinds[index] ?? outOfRange()] ?? 'absent',
      rows,
    }));
  }

  /** `month` as parseMonth gives it; a force or month that is not loaded is absent. */
  coverageOf(force: string, month: number): Coverage {
    const at = this.forces.indexOf(force);
    const column = this.months.indexOf(month);
    const known = at < 0 || column < 0 ? undefined : this.#coverage[at * this.months.length + column];
    return known ?? { kind: 'absent', rows: 0 };
  }

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
    for (let run = 0; run < points.length; run += 2) {
      const from = (points[run] ?? outOfRange()) * wide;
      const end = (points[run + 1] ?? outOfRange()) * wide;
      oldest += (before[end + first] ?? outOfRange()) - (before[from + first] ?? outOfRange());
      newest += (before[end + last] ?? outOfRange()) - (before[from + last] ?? outOfRange());
    }
    sums[0] = oldest;
    sums[count - 1] = newest;
    if (count <= 2) return { months, counts: sums };
    // Two runs at a time; where their number is odd, the last has an empty one beside it.
    for (let run = 0; run < points.length; run += 4) {
      const from = (points[run] ?? outOfRange()) * wide + first;
      const end = (points[run + 1] ?? outOfRange()) * wide + first;
      const otherFrom = (points[run + 2] ?? outOfRange()) * wide + first;
      const otherEnd = (points[run + 3] ?? outOfRange()) * wide + first;
      for (let column = 1; column < count - 1; column += 1) {
        const one = (before[end + column] ?? outOfRange()) - (before[from + column] ?? outOfRange());
        const other =
          (before[otherEnd + column] ?? outOfRange()) - (before[otherFrom + column] ?? outOfRange());
        sums[column] = (sums[column] ?? outOfRange()) + one + other;
      }
    }
    return { months, counts: sums };
  }

  /** Categories of one loaded month, those that occur. */
  categoriesIn(points: PointSet, month: number): readonly CategoryCount[] {
    const { first, category, outcome } = this.#month(month);
    const wide = this.#outcomes.length + 1;
    let size = 0;
    for (let run = 0; run < points.length; run += 2) {
      size +=
        (first[points[run + 1] ?? outOfRange()] ?? outOfRange()) -
        (first[points[run] ?? outOfRange()] ?? outOfRange());
    }
    if (size === 0) return [];
    const counts = this.#cells.fill(0);
    for (let run = 0; run < points.length; run += 2) {
      const end = first[points[run + 1] ?? outOfRange()] ?? outOfRange();
      for (let row = first[points[run] ?? outOfRange()] ?? outOfRange(); row < end; row += 1) {
        const cell = (category[row] ?? outOfRange()) * wide + (outcome[row] ?? outOfRange());
        counts[cell] = (counts[cell] ?? outOfRange()) + 1;
      }
    }
    const found: CategoryCount[] = [];
    for (let at = 0; at < this.#categories.length; at += 1) {
      let count = 0;
      const outcomes: [string, number][] = [];
      for (let label = 0; label < wide; label += 1) {
        const times = counts[at * wide + label] ?? outOfRange();
        if (times === 0) continue;
        count += times;
        if (label > 0) outcomes.push([this.#outcomes[label - 1] ?? '', times]);
      }
      if (count > 0) found.push({ category: this.#categories[at] ?? '', count, outcomes });
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
    const names = this.#part.strings('names');
    const nameOf = this.#part.u32('point-name');
    const latitude = this.#part.i32('latitude');
    const longitude = this.#part.i32('longitude');
    const found: Incident[] = [];
    for (const point of eachOf(points)) {
      const latitudeDegrees = (latitude[point] ?? outOfRange()) / 1e6;
      const longitudeDegrees = (longitude[point] ?? outOfRange()) / 1e6;
      const location = names.at(nameOf[point] ?? outOfRange());
      const end = columns.first[point + 1] ?? outOfRange();
      for (let row = columns.first[point] ?? outOfRange(); row < end; row += 1) {
        const category = this.#categories[columns.category[row] ?? outOfRange()] ?? '';
        if (slug !== undefined && slug !== category) continue;
        const label = columns.outcome[row] ?? outOfRange();
        const after = columns.outcomeAfter[row] ?? outOfRange();
        found.push({
          category,
          latitudeDegrees,
          longitudeDegrees,
          location,
          context: columns.contexts.get(row) ?? '',
          id: hexOf(hexes, row * idBytes),
          outcome:
            label === 0
              ? null
              : { label: this.#outcomes[label - 1] ?? '', month: after === 0 ? null : month + after - 1 },
          force: this.forces[columns.force[row] ?? outOfRange()] ?? '',
        });
      }
    }
    return found;
  }

  /** Points with at least one incident in these months, or of one category. */
  pointCountsIn(points: PointSet, months: ReadonlySet<number>, slug?: string): readonly PointCount[] {
    const names = this.#part.strings('names');
    const nameOf = this.#part.u32('point-name');
    const latitude = this.#part.i32('latitude');
    const longitude = this.#part.i32('longitude');
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
        latitudeDegrees: (latitude[point] ?? outOfRange()) / 1e6,
        longitudeDegrees: (longitude[point] ?? outOfRange()) / 1e6,
        location: names.at(nameOf[point] ?? outOfRange()),
        count,
      });
    }
    return found;
  }

  /** The force that reports most of what lies at these points; undefined where nothing does. */
  forceIn(points: PointSet): string | undefined {
    const votes = new Float64Array(this.forces.length + 1);
    const wide = this.months.length;
    for (const point of eachOf(points)) {
      const force = this.#pointForce[point] ?? outOfRange();
      for (let column = 0; column < wide; column += 1) {
        votes[force] = (votes[force] ?? outOfRange()) + this.#totalOf(point, column);
      }
    }
    votes[0] = 0;
    const most = votes.indexOf(Math.max(...votes));
    return most === 0 ? undefined : this.forces[most - 1];
  }

  /** The columns of one month as they are, for a load that builds on them. */
  columnsOf(month: number): MonthColumns & { readonly ids: Uint8Array } {
    return { ...this.#month(month), ids: this.#ids(month) };
  }

  /** The words behind the numbers of `columnsOf`. */
  get words(): { readonly categories: readonly string[]; readonly outcomes: readonly string[] } {
    return { categories: this.#categories, outcomes: this.#outcomes };
  }

  pointAt(point: number): {
    latitudeMicro: number;
    longitudeMicro: number;
    location: string;
    lsoaCode: string;
  } {
    const lsoa = this.#part.u32('point-lsoa')[point] ?? outOfRange();
    return {
      latitudeMicro: this.#part.i32('latitude')[point] ?? outOfRange(),
      longitudeMicro: this.#part.i32('longitude')[point] ?? outOfRange(),
      location: this.#part.strings('names').at(this.#part.u32('point-name')[point] ?? outOfRange()),
      lsoaCode: lsoa === 0 ? '' : this.#part.strings('lsoas').at(lsoa - 1),
    };
  }

  #period(from: number, to: number): { readonly first: number; readonly months: readonly number[] } {
    let first = 0;
    while (first < this.months.length && (this.months[first] ?? outOfRange()) < from) first += 1;
    let end = first;
    while (end < this.months.length && (this.months[end] ?? outOfRange()) <= to) end += 1;
    return { first, months: this.months.slice(first, end) };
  }

  #totalOf(point: number, column: number): number {
    const cell = point * this.months.length + column;
    return (
      (this.#totalsBefore[cell + this.months.length] ?? outOfRange()) -
      (this.#totalsBefore[cell] ?? outOfRange())
    );
  }

  #month(month: number): MonthColumns {
    const known = this.#columns.get(month);
    if (known !== undefined) return known;
    const columns = openMonth(this.#release.part(crimeMonthsPart(this.#partOf.get(month) ?? 0)), month);
    this.#columns.set(month, columns);
    return columns;
  }

  #ids(month: number): Uint8Array {
    return this.#release.part(crimeIdsPart(this.#partOf.get(month) ?? 0)).u8(crimeColumn(month, 'id'));
  }
}

function openMonth(part: Part, month: number): MonthColumns {
  const name = (column: string) => crimeColumn(month, column);
  const contexts = part.strings(name('contexts'));
  return {
    first: part.u32(name('first')),
    category: part.u8(name('category')),
    outcome: part.u8(name('outcome')),
    outcomeAfter: part.u8(name('outcome-after')),
    force: part.u8(name('force')),
    contexts: new Map([...part.u32(name('context-row'))].map((row, index) => [row, contexts.at(index)])),
  };
}

function countCategory({ first, category }: MonthColumns, points: PointSet, wanted: number): number {
  let count = 0;
  for (let run = 0; run < points.length; run += 2) {
    const end = first[points[run + 1] ?? outOfRange()] ?? outOfRange();
    for (let row = first[points[run] ?? outOfRange()] ?? outOfRange(); row < end; row += 1)
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

function listOf(part: Part, name: string): readonly string[] {
  const strings = part.strings(name);
  return Array.from({ length: strings.length }, (_, index) => strings.at(index));
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('crime')` first. */
export const openCrimes: (release: Release) => Crimes = oncePerRelease((release) => new Crimes(release));
