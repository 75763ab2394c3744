// Stations and bus stops of Great Britain as points. Stations are merged at ingest (one row a station), so that a count
// is a look at a few points of the index.

import { outOfRange } from '../../columns/out-of-range.ts';
import { type Circle, eachOf, encodePoints, PointBands } from '../../columns/point-bands.ts';
import { into, oneOf, strings, u8, u16 } from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table, type Views } from '../../release/table.ts';
import { byBand, pointColumns } from '../point-columns.ts';
import { openReach, reachTable } from '../reach.ts';

export const stationsPart = 'stations';
export const busStopsPart = 'bus-stops';
/** Only where the list is a sample: the points around which it has every station. */
export const stationReachPart = 'station-reach';

/** A row holds the place in this list. Only ever add at the end. */
export const stationKinds = ['tube', 'rail', 'metro'] as const;
export type StationKind = (typeof stationKinds)[number];
/** What the loaded files have in full. */
export type StopsCover = StationKind | 'bus';

const origin = { dataset: 'stops', layout: 1 } as const;

export const stationsTable = table({
  part: stationsPart,
  origin,
  about: 'Stations of Great Britain; rows of one station are merged.',
  order: byBand,
  columns: {
    ...pointColumns('station'),
    kind: u8('station', 'what stops there', oneOf(stationKinds)),
    code: strings('station', 'ATCO code; of merged rows the first'),
    name: strings('station', 'name'),
    covers: strings('cover', 'those of `tube`, `rail`, `metro`, `bus` that were loaded in full'),
  },
});

export const busStopsTable = table({
  part: busStopsPart,
  origin,
  about: 'Active bus stops.',
  order: byBand,
  columns: {
    ...pointColumns('stop'),
    area: u16('stop', 'whose authority looks after it', into('area')),
    areas: strings('area', 'first three characters of ATCO codes'),
  },
});

export const stationReachTable = reachTable(stationReachPart, stationsPart, origin);

export type Station = {
  readonly kind: StationKind;
  /** ATCO code; of merged rows the first. */
  readonly code: string;
  readonly name: string;
  readonly latitudeMicro: number;
  readonly longitudeMicro: number;
};

export type BusStop = {
  readonly latitudeMicro: number;
  readonly longitudeMicro: number;
  /** The first three characters of its ATCO code: the area whose authority looks after it. */
  readonly area: string;
};

type MicroPoint = { readonly latitudeMicro: number; readonly longitudeMicro: number };

const encodeMicro = (points: readonly MicroPoint[]) =>
  encodePoints(
    Int32Array.from(points, ({ latitudeMicro }) => latitudeMicro),
    Int32Array.from(points, ({ longitudeMicro }) => longitudeMicro),
  );

const inOrder = <T extends object>(items: readonly T[], order: Uint32Array): readonly T[] =>
  Array.from(order, (index) => items[index] ?? outOfRange());

export function encodeStations(stations: readonly Station[], covers: readonly StopsCover[]): Columns {
  const { order, columns } = encodeMicro(stations);
  const ordered = inOrder(stations, order);
  return stationsTable.encode({
    ...columns,
    kind: Uint8Array.from(ordered, ({ kind }) => stationKinds.indexOf(kind)),
    code: ordered.map(({ code }) => code),
    name: ordered.map(({ name }) => name),
    covers,
  });
}

export function encodeBusStops(stops: readonly BusStop[]): Columns {
  const { order, columns } = encodeMicro(stops);
  const areas = [...new Set(stops.map(({ area }) => area))].sort();
  const numbers = new Map(areas.map((area, index) => [area, index]));
  return busStopsTable.encode({
    ...columns,
    area: Uint16Array.from(inOrder(stops, order), ({ area }) => numbers.get(area) ?? outOfRange()),
    areas,
  });
}

class Stops {
  readonly covers: ReadonlySet<string>;
  readonly #stationColumns: Views<typeof stationsTable.columns>;
  readonly #busStopColumns: Views<typeof busStopsTable.columns>;
  readonly #stations: PointBands;
  readonly #kind: Uint8Array;
  readonly #busStops: PointBands;
  readonly #reaches: (circle: Circle) => boolean;

  constructor(release: Release) {
    this.#stationColumns = stationsTable.open(release);
    this.#busStopColumns = busStopsTable.open(release);
    this.covers = new Set(this.#stationColumns.covers.list());
    this.#stations = new PointBands(this.#stationColumns);
    this.#kind = this.#stationColumns.kind;
    this.#busStops = new PointBands(this.#busStopColumns);
    this.#reaches = openReach(release, stationReachTable);
  }

  /** Stations of a kind in the circle; undefined where the loaded list does not have all of them. */
  countStations(kind: StationKind, circle: Circle): number | undefined {
    if (!this.covers.has(kind) || !this.#reaches(circle)) return undefined;
    const wanted = stationKinds.indexOf(kind);
    let count = 0;
    for (const point of eachOf(this.#stations.within(circle))) if (this.#kind[point] === wanted) count += 1;
    return count;
  }

  /** Whether a bus stop lies in the circle. */
  findBusStop(circle: Circle): 'found' | 'none' | 'not known' {
    if (this.#busStops.within(circle).length > 0) return 'found';
    return this.covers.has('bus') ? 'none' : 'not known';
  }

  /** For a load that builds on them. */
  *stations(): Generator<Station> {
    const { code, name, latitude, longitude } = this.#stationColumns;
    for (const [at, kind] of this.#kind.entries()) {
      yield {
        kind: stationKinds[kind] ?? outOfRange(),
        code: code.at(at),
        name: name.at(at),
        latitudeMicro: latitude[at] ?? outOfRange(),
        longitudeMicro: longitude[at] ?? outOfRange(),
      };
    }
  }

  *busStops(): Generator<BusStop> {
    const { area: areaOf, latitude, longitude } = this.#busStopColumns;
    const areas = this.#busStopColumns.areas.list();
    for (const [at, area] of areaOf.entries()) {
      yield {
        area: areas[area] ?? outOfRange(),
        latitudeMicro: latitude[at] ?? outOfRange(),
        longitudeMicro: longitude[at] ?? outOfRange(),
      };
    }
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('stops')` first. */
export const openStops: (release: Release) => Stops = oncePerRelease((release) => new Stops(release));
