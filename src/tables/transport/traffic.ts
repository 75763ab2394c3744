// Points at which motor traffic is counted, each with its latest estimate of an average day.

import { outOfRange } from '../../columns/out-of-range.ts';
import { type Circle, eachOf, encodePoints, openPoints, type PointBands } from '../../columns/point-bands.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';

export const trafficPart = 'traffic';

export type TrafficPoint = {
  readonly id: number;
  readonly latitudeMicro: number;
  readonly longitudeMicro: number;
  readonly year: number;
  /** Motor vehicles on an average day of that year, both directions. */
  readonly vehiclesADay: number;
};

export type Busiest = Pick<TrafficPoint, 'vehiclesADay' | 'year'>;

export function encodeTraffic(points: readonly TrafficPoint[]): Columns {
  const { order, columns } = encodePoints(
    Int32Array.from(points, ({ latitudeMicro }) => latitudeMicro),
    Int32Array.from(points, ({ longitudeMicro }) => longitudeMicro),
  );
  return {
    ...columns,
    id: Uint32Array.from(order, (at) => points[at]?.id ?? 0),
    year: Uint16Array.from(order, (at) => points[at]?.year ?? 0),
    'vehicles-a-day': Uint32Array.from(order, (at) => points[at]?.vehiclesADay ?? 0),
  };
}

export class Traffic {
  readonly #release: Release;
  readonly #points: PointBands;
  readonly #vehicles: Uint32Array;
  readonly #year: Uint16Array;

  constructor(release: Release) {
    const part = release.part(trafficPart);
    this.#release = release;
    this.#points = openPoints(part);
    this.#vehicles = part.u32('vehicles-a-day');
    this.#year = part.u16('year');
  }

  /** The point of a circle with most traffic; undefined where nobody counts in it. */
  findBusiest(circle: Circle): Busiest | undefined {
    let best: Busiest | undefined;
    for (const point of eachOf(this.#points.within(circle))) {
      const vehiclesADay = this.#vehicles[point] ?? outOfRange();
      if (best === undefined || vehiclesADay > best.vehiclesADay) {
        best = { vehiclesADay, year: this.#year[point] ?? outOfRange() };
      }
    }
    return best;
  }

  /** For a load that builds on them. */
  *points(): Generator<TrafficPoint> {
    const part = this.#release.part(trafficPart);
    const [latitude, longitude] = [part.i32('latitude'), part.i32('longitude')];
    for (const [at, id] of part.u32('id').entries()) {
      yield {
        id,
        latitudeMicro: latitude[at] ?? outOfRange(),
        longitudeMicro: longitude[at] ?? outOfRange(),
        year: this.#year[at] ?? outOfRange(),
        vehiclesADay: this.#vehicles[at] ?? outOfRange(),
      };
    }
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('traffic')` first. */
export const openTraffic: (release: Release) => Traffic = oncePerRelease((release) => new Traffic(release));
