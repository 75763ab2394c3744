// Docking stations of Transport for London's cycle hire, as points.

import { type Circle, eachOf, encodePoints, openPoints, type PointBands } from '../../columns/point-bands.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import type { LatLong } from '../../uk/grid.ts';

export const cycleHirePart = 'cycle-hire';

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
  return {
    ...columns,
    id: Array.from(order, (at) => stations[at]?.id ?? ''),
    name: Array.from(order, (at) => stations[at]?.name ?? ''),
  };
}

export class CycleHire {
  readonly #points: PointBands;

  constructor(points: PointBands) {
    this.#points = points;
  }

  countWithin(circle: Circle): number {
    let count = 0;
    for (const _ of eachOf(this.#points.within(circle))) count += 1;
    return count;
  }

  /** Undefined where none is that near. */
  findNearestMetres(from: LatLong, withinMetres: number): number | undefined {
    return this.#points.nearest(from, withinMetres, () => true)?.metres;
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('cycle-hire')` first. */
export const openCycleHire: (release: Release) => CycleHire = oncePerRelease(
  (release) => new CycleHire(openPoints(release.part(cycleHirePart))),
);
