// A static index of points: bands of latitude from south to north, from west to east within each, so that what lies in
// a circle is a few runs of neighbouring points. Points are numbered in this order, and columns lie in it too: what is
// summed up along them tells the sum of a run by its two ends.

import type { Columns, Part } from '../release/part.ts';
import { distanceMetres, type LatLong } from '../uk/grid.ts';

/** About 455 metres. */
const bandMicroDegrees = 4096;
const metresPerDegree = 111_195.0797;
const radians = Math.PI / 180;
/** The flat distance is this near to the one along the great circle over 5 km; only between is that one asked. */
const flatTolerance = 0.002;

export type Circle = LatLong & { readonly radiusMetres: number };

export type Near = { readonly point: number; readonly metres: number };

/** Pairs: the first point of a run, and the one after its last. */
export type Runs = Uint32Array;

const bandOf = (latitudeMicro: number) => Math.floor(latitudeMicro / bandMicroDegrees);

export function* eachOf(runs: Runs): Generator<number> {
  for (let run = 0; run < runs.length; run += 2) {
    for (let point = runs[run] ?? 0; point < (runs[run + 1] ?? 0); point += 1) yield point;
  }
}

/** The index as columns of a part, in millionths of a degree; `order` is that in which all other columns must lie. */
export function encodePoints(
  latitude: Int32Array,
  longitude: Int32Array,
): { readonly order: Uint32Array; readonly columns: Columns } {
  const order = orderByBand(latitude, longitude);
  const ordered = Int32Array.from(order, (point) => latitude[point] ?? 0);
  const { firstBand, starts } = bandStarts(ordered);
  return {
    order,
    columns: {
      latitude: ordered,
      longitude: Int32Array.from(order, (point) => longitude[point] ?? 0),
      'first-band': Int32Array.of(firstBand),
      'band-starts': starts,
    },
  };
}

/** What encodePoints wrote. */
export function openPoints(part: Part): PointBands {
  return new PointBands(
    part.i32('latitude'),
    part.i32('longitude'),
    part.i32('first-band')[0] ?? 0,
    part.u32('band-starts'),
  );
}

/** Numbers of the points in the order of the index. */
function orderByBand(latitude: Int32Array, longitude: Int32Array): Uint32Array {
  const keys = new Float64Array(latitude.length);
  // Band, then longitude, then the number itself: one number that sorts natively (below 2 ** 53 only without the
  // point's number, so that ties keep the order of a stable second pass).
  for (let point = 0; point < keys.length; point += 1) {
    keys[point] = (bandOf(latitude[point] ?? 0) + 2 ** 16) * 2 ** 30 + (longitude[point] ?? 0) + 2 ** 29;
  }
  return Uint32Array.from(keys.keys()).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
}

/** First row of every band from the southernmost on, and one more. `latitude` in the order of the index. */
function bandStarts(latitude: Int32Array): { firstBand: number; starts: Uint32Array } {
  const firstBand = bandOf(latitude[0] ?? 0);
  const count = latitude.length === 0 ? 0 : bandOf(latitude[latitude.length - 1] ?? 0) - firstBand + 1;
  const starts = new Uint32Array(count + 1);
  for (const micro of latitude) {
    const next = bandOf(micro) - firstBand + 1;
    starts[next] = (starts[next] ?? 0) + 1;
  }
  for (let band = 0; band < count; band += 1)
    starts[band + 1] = (starts[band + 1] ?? 0) + (starts[band] ?? 0);
  return { firstBand, starts };
}

export class PointBands {
  readonly #latitude: Int32Array;
  readonly #longitude: Int32Array;
  readonly #firstBand: number;
  readonly #starts: Uint32Array;
  #runs = new Uint32Array(1024);

  /** Columns in the order of the index. */
  constructor(latitude: Int32Array, longitude: Int32Array, firstBand: number, starts: Uint32Array) {
    this.#latitude = latitude;
    this.#longitude = longitude;
    this.#firstBand = firstBand;
    this.#starts = starts;
  }

  /** Points within the circle, its edge included, ascending. The array is used again by the next call. */
  within(circle: Circle): Runs {
    const { latitudeDegrees, longitudeDegrees, radiusMetres } = circle;
    const reach = (radiusMetres * (1 + flatTolerance)) / metresPerDegree;
    const south = Math.max(bandOf((latitudeDegrees - reach) * 1e6), this.#firstBand);
    const north = Math.min(
      bandOf((latitudeDegrees + reach) * 1e6),
      this.#firstBand + this.#starts.length - 2,
    );
    const poleward = Math.cos((Math.abs(latitudeDegrees) + reach) * radians);
    const west = Math.floor((longitudeDegrees - reach / poleward) * 1e6);
    const east = Math.ceil((longitudeDegrees + reach / poleward) * 1e6);
    let count = 0;
    for (let band = south; band <= north; band += 1) {
      const start = this.#starts[band - this.#firstBand] ?? 0;
      const end = this.#starts[band - this.#firstBand + 1] ?? 0;
      const from = this.#firstFrom(west, start, end);
      // At worst every other point is a run of its own.
      const most = count + end - from + 2;
      if (most > this.#runs.length) this.#grow(most);
      count = this.#collect(circle, from, end, east, count);
    }
    return this.#runs.subarray(0, count);
  }

  /** Of the points that `accepts` takes the one nearest to a place; undefined where none is that near. */
  nearest(from: LatLong, withinMetres: number, accepts: (point: number) => boolean): Near | undefined {
    for (let radius = Math.min(500, withinMetres); ; radius = Math.min(4 * radius, withinMetres)) {
      let best: Near | undefined;
      for (const point of eachOf(this.within({ ...from, radiusMetres: radius }))) {
        if (!accepts(point)) continue;
        const metres = this.distanceMetres(from, point);
        if (best === undefined || metres < best.metres) best = { point, metres };
      }
      if (best !== undefined || radius === withinMetres) return best;
    }
  }

  distanceMetres({ latitudeDegrees, longitudeDegrees }: LatLong, point: number): number {
    const latitude = (this.#latitude[point] ?? 0) / 1e6;
    const longitude = (this.#longitude[point] ?? 0) / 1e6;
    return distanceMetres(latitudeDegrees, longitudeDegrees, latitude, longitude);
  }

  #collect(circle: Circle, from: number, end: number, east: number, count: number): number {
    const { latitudeDegrees, longitudeDegrees, radiusMetres } = circle;
    const latitudes = this.#latitude;
    const longitudes = this.#longitude;
    const runs = this.#runs;
    const atLatitude = latitudeDegrees * 1e6;
    const atLongitude = longitudeDegrees * 1e6;
    const perLatitude = metresPerDegree / 1e6;
    const perLongitude =
      perLatitude * Math.cos(((latitudes[from] ?? 0) / 2e6 + latitudeDegrees / 2) * radians);
    const sure = (radiusMetres * (1 - flatTolerance)) ** 2;
    const most = (radiusMetres * (1 + flatTolerance)) ** 2;
    let next = count;
    let isOpen = 0;
    let point = from;
    for (; point < end; point += 1) {
      const longitude = longitudes[point] ?? 0;
      if (longitude > east) break;
      const latitude = latitudes[point] ?? 0;
      const y = (latitude - atLatitude) * perLatitude;
      const x = (longitude - atLongitude) * perLongitude;
      const square = x * x + y * y;
      const isInside =
        square <= sure ||
        (square <= most &&
          distanceMetres(latitudeDegrees, longitudeDegrees, latitude / 1e6, longitude / 1e6) <= radiusMetres);
      if (isInside === (isOpen === 1)) continue;
      runs[next] = point;
      next += 1;
      isOpen = 1 - isOpen;
    }
    if (isOpen === 1) {
      runs[next] = point;
      next += 1;
    }
    return next;
  }

  #firstFrom(west: number, start: number, end: number): number {
    let low = start;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#longitude[middle] ?? 0) < west) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #grow(size: number): void {
    const larger = new Uint32Array(Math.max(size, 2 * this.#runs.length));
    larger.set(this.#runs);
    this.#runs = larger;
  }
}
