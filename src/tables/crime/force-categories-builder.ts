// Counts the incidents of every force by month and category, as force-categories.ts reads them.

import { defined } from '../../out-of-range.ts';
import type { Columns } from '../../release/part.ts';
import type { Release } from '../../release/reader.ts';
import { formatMonth } from '../../uk/calendar.ts';
import { forceCategoriesTable } from './force-categories.ts';
import { findCrimeSample } from './sample.ts';
import { crimeMonthTable, crimesTable } from './tables.ts';

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
