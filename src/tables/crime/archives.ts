// Which archive of data.police.uk the rows of a force and month are of. An archive has each month as revised on its day, so
// that a load must know what is loaded from a newer one.

import { defined } from '../../out-of-range.ts';
import { rising, strings, times, u16 } from '../../release/column.ts';
import type { Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import { crimeOrigin } from './tables.ts';

export const crimeArchivesTable = table({
  part: 'crime-archives',
  origin: crimeOrigin,
  about: 'The archive that the rows of a force and month are of.',
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

/** Of a release with loaded archives. */
export function readCrimeArchives(release: Release): ArchiveOf {
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
