// Docking stations of Transport for London's cycle hire, as points.

import { type Circle, countOf, encodePoints, PointBands } from '../../columns/point-bands.ts';
import { defined } from '../../out-of-range.ts';
import { strings } from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import type { LatLong } from '../../uk/grid.ts';
import { byBand, pointColumns } from '../point-columns.ts';

export const cycleHirePart = 'cycle-hire';

export const cycleHireTable = table({
  part: cycleHirePart,
  origin: { dataset: 'cycle-hire', layout: 1 },
  about: "Docking stations of Transport for London's cycle hire.",
  order: byBand,
  columns: {
    ...pointColumns('station'),
    id: strings('station', '`BikePoints_1`'),
    name: strings('station', 'name'),
  },
});

export type DockingStation = {
  /** `BikePoints_1` */
  readonly id: string;
  readonly name: string;
  readonly latitudeMicro: number;
  readonly longitudeMicro: number;
};

export function encodeCycleHire(stations: readonly DockingStation[]): Columns {
  const { order, columns } = encodePoints(
    Int32Array.from(stations, ({ latitudeMicro }) => latitudeMicro),
    Int32Array.from(stations, ({ longitudeMicro }) => longitudeMicro),
  );
  const ordered = Array.from(order, (at) => defined(stations[at]));
  return cycleHireTable.encode({
    ...columns,
    id: ordered.map(({ id }) => id),
    name: ordered.map(({ name }) => name),
  });
}

class CycleHire {
  readonly #points: PointBands;

  constructor(points: PointBands) {
    this.#points = points;
  }

  countWithin(circle: Circle): number {
    return countOf(this.#points.within(circle));
  }

  /** Undefined where none is that near. */
  findNearestMetres(from: LatLong, withinMetres: number): number | undefined {
    return this.#points.nearest(from, withinMetres, () => true)?.metres;
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('cycle-hire')` first. */
export const openCycleHire: (release: Release) => CycleHire = oncePerRelease(
  (release) => new CycleHire(new PointBands(cycleHireTable.open(release))),
);
