// Points at which motor traffic is counted, each with its latest estimate of an average day.

import { type Circle, eachOf, encodePoints, PointBands } from '../../columns/point-bands.ts';
import { defined } from '../../out-of-range.ts';
import { into, strings, u16, u32 } from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table, type Views } from '../../release/table.ts';
import { byBand, pointColumns } from '../point-columns.ts';

export const trafficPart = 'traffic';

export const trafficTable = table({
  part: trafficPart,
  origin: { dataset: 'traffic', layout: 1 },
  about: 'Points at which motor traffic is counted, each with its latest estimate.',
  order: byBand,
  columns: {
    ...pointColumns('point'),
    id: u32('point', 'number of the count point'),
    year: u16('point', 'year of the estimate'),
    'vehicles-a-day': u32('point', 'motor vehicles on an average day, both directions'),
    authority: u16('point', 'whose file it came with', into('authority')),
    authorities: strings('authority', 'local authorities as the files call them; empty: they do not say'),
  },
});

export type TrafficPoint = {
  readonly id: number;
  readonly latitudeMicro: number;
  readonly longitudeMicro: number;
  readonly year: number;
  /** Motor vehicles on an average day of that year, both directions. */
  readonly vehiclesADay: number;
  /** The local authority, as the file calls it; empty where it does not. */
  readonly authority: string;
};

type Busiest = Pick<TrafficPoint, 'vehiclesADay' | 'year'>;

export function encodeTraffic(points: readonly TrafficPoint[]): Columns {
  const { order, columns } = encodePoints(
    Int32Array.from(points, ({ latitudeMicro }) => latitudeMicro),
    Int32Array.from(points, ({ longitudeMicro }) => longitudeMicro),
  );
  const ordered = Array.from(order, (at) => defined(points[at]));
  const authorities = [...new Set(points.map(({ authority }) => authority))].sort();
  const numbers = new Map(authorities.map((name, number) => [name, number]));
  return trafficTable.encode({
    ...columns,
    id: Uint32Array.from(ordered, ({ id }) => id),
    year: Uint16Array.from(ordered, ({ year }) => year),
    'vehicles-a-day': Uint32Array.from(ordered, ({ vehiclesADay }) => vehiclesADay),
    authority: Uint16Array.from(ordered, ({ authority }) => defined(numbers.get(authority))),
    authorities,
  });
}

class Traffic {
  readonly #columns: Views<typeof trafficTable.columns>;
  readonly #points: PointBands;
  readonly #vehicles: Uint32Array;
  readonly #year: Uint16Array;

  constructor(release: Release) {
    this.#columns = trafficTable.open(release);
    this.#points = new PointBands(this.#columns);
    this.#vehicles = this.#columns['vehicles-a-day'];
    this.#year = this.#columns.year;
  }

  /** The point of a circle with most traffic; undefined where nobody counts in it. */
  findBusiest(circle: Circle): Busiest | undefined {
    let best: Busiest | undefined;
    for (const point of eachOf(this.#points.within(circle))) {
      const vehiclesADay = defined(this.#vehicles[point]);
      if (best === undefined || vehiclesADay > best.vehiclesADay) {
        best = { vehiclesADay, year: defined(this.#year[point]) };
      }
    }
    return best;
  }

  /** For a load that builds on them. */
  *points(): Generator<TrafficPoint> {
    const { id: ids, latitude, longitude, authority, authorities } = this.#columns;
    for (const [at, id] of ids.entries()) {
      yield {
        id,
        latitudeMicro: defined(latitude[at]),
        longitudeMicro: defined(longitude[at]),
        year: defined(this.#year[at]),
        vehiclesADay: defined(this.#vehicles[at]),
        authority: authorities.at(defined(authority[at])),
      };
    }
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('traffic')` first. */
export const openTraffic: (release: Release) => Traffic = oncePerRelease((release) => new Traffic(release));
