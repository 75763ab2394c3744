// How many crimes of each category every force published, month by month, so that a circle can be held against its force and the
// nation without reading millions of rows. Worked out at the end of an ingest. How many crimes a
// force published at all stands in `crimes`.

import { defined, outOfRange } from '../../out-of-range.ts';
import { rising, strings, times, u16, u32 } from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import { formatMonth } from '../../uk/calendar.ts';
import { findCrimeSample } from './sample.ts';
import { crimeMonthTable, crimesTable } from './tables.ts';

export const forceCategoriesPart = { part: 'crime-force-categories', version: 1 } as const;

export const forceCategoriesTable = table({
  part: forceCategoriesPart.part,
  origin: { derivedVersion: forceCategoriesPart.version },
  about:
    'Crimes with a place by force, month and category. It leaves out forces with only a few places in the bundled sample.',
  order: 'forces and categories by name',
  columns: {
    forces: strings('force', 'as the files name them'),
    months: u16('month', 'loaded months, as in `crimes`', rising),
    categories: strings('category', 'slugs'),
    counts: u32(times('force', 'month', 'category'), 'crimes that have a place'),
  },
});

type CategoryCounts = Readonly<Record<string, number>>;

class ForceCategories {
  readonly #forces: readonly string[];
  readonly #months: readonly number[];
  readonly #categories: readonly string[];
  readonly #counts: Uint32Array;

  constructor(release: Release) {
    const columns = forceCategoriesTable.open(release);
    this.#forces = columns.forces.list();
    this.#months = [...columns.months];
    this.#categories = columns.categories.list();
    this.#counts = columns.counts;
  }

  has(force: string): boolean {
    return this.#forces.includes(force);
  }

  /** Of several forces and months together, the categories that occur. Every one of them must be there. */
  sumOf(forces: readonly string[], months: readonly number[]): CategoryCounts {
    const wide = this.#categories.length;
    const columns = months.map((month) => this.#columnOf(month));
    const sums = new Map<string, number>();
    for (const force of forces) {
      const row = this.#rowOf(force) * this.#months.length;
      for (const column of columns) {
        for (const [at, slug] of this.#categories.entries()) {
          const count = defined(this.#counts[(row + column) * wide + at]);
          if (count > 0) sums.set(slug, (sums.get(slug) ?? 0) + count);
        }
      }
    }
    return Object.fromEntries(sums);
  }

  #rowOf(force: string): number {
    const row = this.#forces.indexOf(force);
    return row < 0 ? outOfRange() : row;
  }

  #columnOf(month: number): number {
    const column = this.#months.indexOf(month);
    return column < 0 ? outOfRange() : column;
  }
}

const openForceCategories: (release: Release) => ForceCategories = oncePerRelease(
  (release) => new ForceCategories(release),
);

/** Undefined where the release was made by a program that did not count them. */
export const findForceCategories = (release: Release): ForceCategories | undefined =>
  release.hasDerived(forceCategoriesPart) ? openForceCategories(release) : undefined;

/** Counts the incidents of every force by month and category. */
export function deriveForceCategories(release: Release): Columns {
  const columns = crimesTable.open(release);
  const sample = findCrimeSample(release);
  const forces = columns.forces.list();
  const slugs = columns.categories.list();
  // In the order of the alphabet: that of `crimes` depends on what was loaded first.
  const categories = slugs.toSorted();
  // Of the others only a few places are there, whose crimes are not those of the force.
  const whole = forces.filter((force) => sample?.years.has(force) !== true).sort();
  const rowOf = forces.map((force) => whole.indexOf(force));
  const placeOf = slugs.map((slug) => categories.indexOf(slug));
  const months = [...columns.months];
  const counts = new Uint32Array(whole.length * months.length * categories.length);
  for (const [column, month] of months.entries()) {
    const first = formatMonth(defined(columns['month-parts'][column]));
    const { category, force } = crimeMonthTable(first, formatMonth(month)).open(release);
    for (let incident = 0; incident < category.length; incident += 1) {
      const row = defined(rowOf[defined(force[incident])]);
      if (row < 0) continue;
      const place = defined(placeOf[defined(category[incident])]);
      const cell = (row * months.length + column) * categories.length + place;
      counts[cell] = defined(counts[cell]) + 1;
    }
  }
  return forceCategoriesTable.encode({
    forces: whole,
    months: Uint16Array.from(months),
    categories,
    counts,
  });
}
