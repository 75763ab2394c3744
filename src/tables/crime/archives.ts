// Which archive of data.police.uk the rows of a force and month are of. An archive has each month as revised on its day, so
// that a load must know what is loaded from a newer one.

import { defined } from '../../out-of-range.ts';
import { rising, strings, times, u16 } from '../../release/column.ts';
import type { Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import { openCrimes } from './crimes.ts';
import { crimeOrigin } from './tables.ts';

export const crimeArchivesTable = table({
  part: 'crime-archives',
  origin: crimeOrigin,
  about:
    'The archive that the rows of a force and month are of. The bundled sample lacks it, and so do releases of earlier versions.',
  columns: {
    months: u16('month', 'loaded months, as in `crimes`', rising),
    forces: strings('force', 'as the files name them'),
    archive: u16(
      times('force', 'month'),
      'newest month of the archive; 0: the month of the force is not loaded',
    ),
  },
});

/** 0 where the month of the force is not loaded. */
export type ArchiveOf = (force: string, month: number) => number;

/**
 * Rows of a release that does not tell count as of the newest month in it: so an older archive never takes the place of
 * them, and the next new one does.
 */
export function readCrimeArchives(release: Release): ArchiveOf {
  if (!crimeArchivesTable.isIn(release)) {
    const crimes = openCrimes(release);
    const newest = defined(crimes.months.at(-1));
    return (force, month) => (crimes.coverageOf(force, month).rows > 0 ? newest : 0);
  }
  const { months, forces, archive } = crimeArchivesTable.open(release);
  const rowOfForce = new Map(forces.list().map((force, at) => [force, at]));
  const columnOfMonth = new Map(Array.from(months, (month, at) => [month, at]));
  return (force, month) => {
    const row = rowOfForce.get(force);
    const column = columnOfMonth.get(month);
    if (row === undefined || column === undefined) return 0;
    return defined(archive[row * months.length + column]);
  };
}
