// Stations and bus stops of Great Britain as points. Stations are merged at ingest (one row a station), so that a count
// is a look at a few points of the index.

import { type Circle, eachOf, encodePoints, PointBands } from '../../columns/point-bands.ts';
import { defined } from '../../out-of-range.ts';
import { i32, into, oneOf, strings, u8, u16 } from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table, type Views } from '../../release/table.ts';
import type { LatLong } from '../../uk/grid.ts';
import { byBand, pointColumns } from '../point-columns.ts';
import { openReach, reachTable } from '../reach.ts';

export const stationsPart = 'stations';
const busStopsPart = 'bus-stops';
/** Only a list of places asks for it. */
const busStopNamesPart = 'bus-stop-names';
/** The bundled sample has none. */
const stopAreasPart = 'stop-areas';
/** Only where the list is a sample: the points around which it has every station. */
export const stationReachPart = 'station-reach';

/** A row holds the place in this list. Only ever add at the end. */
export const stationKinds = ['tube', 'rail', 'metro'] as const;
export type StationKind = (typeof stationKinds)[number];
/** What the loaded files have in full. */
export type StopsCover = StationKind | 'bus';

/** Stop types of NaPTAN that are bus stops. A row holds the place in this list. Only ever add at the end. */
export const busStopTypes = ['BCT', 'BCS', 'BCQ'] as const;
type BusStopType = (typeof busStopTypes)[number];

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

export const busStopNamesTable = table({
  part: busStopNamesPart,
  origin,
  about: 'What people call each bus stop, for lists of places.',
  order: `as the stops of \`${busStopsPart}\``,
  columns: {
    code: strings('stop', 'ATCO code'),
    name: strings('stop', 'common name; empty: none'),
    type: u8('stop', 'stop type of NaPTAN', oneOf(busStopTypes)),
  },
});

/** Before any list. */
const noDay = -0x8000_0000;

export const stopAreasTable = table({
  part: stopAreasPart,
  origin,
  about: 'Of which day the stops of each area are. The bundled sample lacks it.',
  order: 'by area',
  columns: {
    area: strings('area', 'first three characters of ATCO codes'),
    listed: i32('area', 'the newest change in the list that it came with, in days since 1970-01-01'),
    changed: i32('area', 'the newest change within the area likewise; −2³¹: not known'),
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
  readonly named: StopName;
};

type StopName = { readonly code: string; readonly name: string; readonly type: BusStopType };

type MicroPoint = { readonly latitudeMicro: number; readonly longitudeMicro: number };

const encodeMicro = (points: readonly MicroPoint[]) =>
  encodePoints(
    Int32Array.from(points, ({ latitudeMicro }) => latitudeMicro),
    Int32Array.from(points, ({ longitudeMicro }) => longitudeMicro),
  );

const inOrder = <T extends object>(items: readonly T[], order: Uint32Array): readonly T[] =>
  Array.from(order, (index) => defined(items[index]));

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

/** Both parts, by name. */
export function encodeBusStops(stops: readonly BusStop[]): Readonly<Record<string, Columns>> {
  const { order, columns } = encodeMicro(stops);
  const areas = [...new Set(stops.map(({ area }) => area))].sort();
  const numbers = new Map(areas.map((area, index) => [area, index]));
  const ordered = inOrder(stops, order);
  return {
    [busStopsPart]: busStopsTable.encode({
      ...columns,
      area: Uint16Array.from(ordered, ({ area }) => defined(numbers.get(area))),
      areas,
    }),
    [busStopNamesPart]: busStopNamesTable.encode({
      code: ordered.map(({ named }) => named.code),
      name: ordered.map(({ named }) => named.name),
      type: Uint8Array.from(ordered, ({ named }) => busStopTypes.indexOf(named.type)),
    }),
  };
}

export type AreaDays = {
  /** The day of the list that it came with. */
  readonly listed: number;
  /** The newest change of a stop within it; undefined where its rows tell none. */
  readonly changed: number | undefined;
};

/** The part by its name. */
export function encodeStopAreas(days: ReadonlyMap<string, AreaDays>): Readonly<Record<string, Columns>> {
  const ordered = [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    [stopAreasPart]: stopAreasTable.encode({
      area: ordered.map(([area]) => area),
      listed: Int32Array.from(ordered, ([, { listed }]) => listed),
      changed: Int32Array.from(ordered, ([, { changed }]) => changed ?? noDay),
    }),
  };
}

function readAreaDays(release: Release): ReadonlyMap<string, AreaDays> {
  const { area, listed, changed } = stopAreasTable.open(release);
  return new Map(
    area.list().map((name, at) => {
      const day = defined(changed[at]);
      return [name, { listed: defined(listed[at]), changed: day === noDay ? undefined : day }];
    }),
  );
}

type Near<T> = T & { readonly metres: number; readonly point: LatLong };

class Stops {
  readonly covers: ReadonlySet<string>;
  readonly #stationColumns: Views<typeof stationsTable.columns>;
  readonly #busStopColumns: Views<typeof busStopsTable.columns>;
  readonly #stations: PointBands;
  readonly #kind: Uint8Array;
  readonly #busStops: PointBands;
  readonly #reaches: (circle: Circle) => boolean;
  readonly #release: Release;
  /** Of which days the areas are. */
  readonly areaDays: ReadonlyMap<string, AreaDays>;
  /** Days of the oldest and of the newest list that an area came with; undefined where they are not known. */
  readonly listedBetween: { readonly first: number; readonly last: number } | undefined;
  /** Opened when the first name is asked for. */
  #names: Views<typeof busStopNamesTable.columns> | undefined;

  constructor(release: Release) {
    this.#release = release;
    this.#stationColumns = stationsTable.open(release);
    this.#busStopColumns = busStopsTable.open(release);
    this.covers = new Set(this.#stationColumns.covers.list());
    this.#stations = new PointBands(this.#stationColumns);
    this.#kind = this.#stationColumns.kind;
    this.#busStops = new PointBands(this.#busStopColumns);
    this.#reaches = openReach(release, stationReachTable);
    this.areaDays = readAreaDays(release);
    const listed = [...this.areaDays.values()].map((days) => days.listed);
    this.listedBetween =
      listed.length === 0 ? undefined : { first: Math.min(...listed), last: Math.max(...listed) };
  }

  /** Stations of a kind in the circle; undefined where the loaded list does not have all of them. */
  countStations(kind: StationKind, circle: Circle): number | undefined {
    if (!this.covers.has(kind) || !this.#reaches(circle)) return undefined;
    const wanted = stationKinds.indexOf(kind);
    let count = 0;
    for (const point of eachOf(this.#stations.within(circle))) if (this.#kind[point] === wanted) count += 1;
    return count;
  }

  /** Kinds of which the loaded list has every station of the circle. */
  kindsWhole(circle: Circle): readonly StationKind[] {
    return this.#reaches(circle) ? stationKinds.filter((kind) => this.covers.has(kind)) : [];
  }

  /** Every station in the circle, in the order of the index. */
  stationsWithin(circle: Circle): readonly Near<Pick<Station, 'kind' | 'code' | 'name'>>[] {
    const { code, name } = this.#stationColumns;
    return Array.from(eachOf(this.#stations.within(circle)), (at) => ({
      kind: defined(stationKinds[defined(this.#kind[at])]),
      code: code.at(at),
      name: name.at(at),
      metres: this.#stations.distanceMetres(circle, at),
      point: this.#stations.placeOf(at),
    }));
  }

  /** Every bus stop in the circle, in the order of the index. */
  busStopsWithin(circle: Circle): readonly Near<{ readonly index: number }>[] {
    return Array.from(eachOf(this.#busStops.within(circle)), (index) => ({
      index,
      metres: this.#busStops.distanceMetres(circle, index),
      point: this.#busStops.placeOf(index),
    }));
  }

  /** Of one that `busStopsWithin` found. */
  nameOfBusStop(index: number): StopName {
    this.#names ??= busStopNamesTable.open(this.#release);
    const { code, name, type } = this.#names;
    return {
      code: code.at(index),
      name: name.at(index),
      type: defined(busStopTypes[defined(type[index])]),
    };
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
        kind: defined(stationKinds[kind]),
        code: code.at(at),
        name: name.at(at),
        latitudeMicro: defined(latitude[at]),
        longitudeMicro: defined(longitude[at]),
      };
    }
  }

  *busStops(): Generator<BusStop> {
    const { area: areaOf, latitude, longitude } = this.#busStopColumns;
    const areas = this.#busStopColumns.areas.list();
    for (const [at, area] of areaOf.entries()) {
      yield {
        area: defined(areas[area]),
        named: this.nameOfBusStop(at),
        latitudeMicro: defined(latitude[at]),
        longitudeMicro: defined(longitude[at]),
      };
    }
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('stops')` first. */
export const openStops: (release: Release) => Stops = oncePerRelease((release) => new Stops(release));
