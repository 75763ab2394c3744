// Stations and bus stops of Great Britain as points. Stations are merged at ingest (one row a station), so that a count
// is a look at a few points of the index.

import { outOfRange } from '../../columns/out-of-range.ts';
import { type Circle, eachOf, encodePoints, openPoints, type PointBands } from '../../columns/point-bands.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';

export const stationsPart = 'stations';
export const busStopsPart = 'bus-stops';
/** Only where the list is a sample: the points around which it has every station. */
export const stationReachPart = 'station-reach';

/** A row holds the place in this list. Only ever add at the end. */
export const stationKinds = ['tube', 'rail', 'metro'] as const;
export type StationKind = (typeof stationKinds)[number];
/** What the loaded files have in full. */
export type StopsCover = StationKind | 'bus';

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

const inOrder = <T>(items: readonly T[], order: Uint32Array): readonly T[] =>
  Array.from(order, (index) => items[index]).filter((item) => item !== undefined);

export function encodeStations(stations: readonly Station[], covers: readonly StopsCover[]): Columns {
  const { order, columns } = encodeMicro(stations);
  const ordered = inOrder(stations, order);
  return {
    ...columns,
    kind: Uint8Array.from(ordered, ({ kind }) => stationKinds.indexOf(kind)),
    code: ordered.map(({ code }) => code),
    name: ordered.map(({ name }) => name),
    covers,
  };
}

export function encodeBusStops(stops: readonly BusStop[]): Columns {
  const { order, columns } = encodeMicro(stops);
  const areas = [...new Set(stops.map(({ area }) => area))].sort();
  const numbers = new Map(areas.map((area, index) => [area, index]));
  return {
    ...columns,
    area: Uint16Array.from(inOrder(stops, order), ({ area }) => numbers.get(area) ?? 0),
    areas,
  };
}

/** `points`: around each, every station as far as `reachMetres` is in the list. */
export function encodeStationReach(points: readonly MicroPoint[], reachMetres: number): Columns {
  return { ...encodeMicro(points).columns, 'reach-metres': Uint32Array.of(reachMetres) };
}

/** Editions of postcodes place one and the same postcode up to two metres apart. */
const samePlaceMetres = 5;

type Reach = { readonly points: PointBands; readonly metres: number };

export class Stops {
  readonly covers: ReadonlySet<string>;
  readonly #release: Release;
  readonly #stations: PointBands;
  readonly #kind: Uint8Array;
  readonly #busStops: PointBands;
  readonly #reach: Reach | undefined;

  constructor(release: Release) {
    const stations = release.part(stationsPart);
    const covers = stations.strings('covers');
    this.covers = new Set(Array.from({ length: covers.length }, (_, index) => covers.at(index)));
    this.#release = release;
    this.#stations = openPoints(stations);
    this.#kind = stations.u8('kind');
    this.#busStops = openPoints(release.part(busStopsPart));
    if (!release.has(stationReachPart)) return;
    const reach = release.part(stationReachPart);
    this.#reach = { points: openPoints(reach), metres: reach.u32('reach-metres')[0] ?? outOfRange() };
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
    const part = this.#release.part(stationsPart);
    const [code, name] = [part.strings('code'), part.strings('name')];
    const [latitude, longitude] = [part.i32('latitude'), part.i32('longitude')];
    for (const [at, kind] of this.#kind.entries()) {
      yield {
        kind: stationKinds[kind] ?? 'metro',
        code: code.at(at),
        name: name.at(at),
        latitudeMicro: latitude[at] ?? outOfRange(),
        longitudeMicro: longitude[at] ?? outOfRange(),
      };
    }
  }

  *busStops(): Generator<BusStop> {
    const part = this.#release.part(busStopsPart);
    const strings = part.strings('areas');
    const areas = Array.from({ length: strings.length }, (_, index) => strings.at(index));
    const [latitude, longitude] = [part.i32('latitude'), part.i32('longitude')];
    for (const [at, area] of part.u16('area').entries()) {
      yield {
        area: areas[area] ?? '',
        latitudeMicro: latitude[at] ?? outOfRange(),
        longitudeMicro: longitude[at] ?? outOfRange(),
      };
    }
  }

  #reaches({ radiusMetres, ...place }: Circle): boolean {
    if (this.#reach === undefined) return true;
    const { points, metres } = this.#reach;
    const spare = Math.max(metres - radiusMetres, 0) + samePlaceMetres;
    return metres >= radiusMetres && points.nearest(place, spare, () => true) !== undefined;
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('stops')` first. */
export const openStops: (release: Release) => Stops = oncePerRelease((release) => new Stops(release));
