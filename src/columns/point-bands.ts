// A static index of points: bands of latitude from south to north, and from west to east within each band. What lies in
// a circle is then a few stretches of neighbouring points. Points are numbered in this order and columns lie in it, so
// that running totals tell the sum of a stretch by its two ends.

import { defined, outOfRange } from '../out-of-range.ts';
import { distanceMetres, type LatLong } from '../uk/grid.ts';

/** About 455 metres. */
const usualBandMicroDegrees = 4096;
const metresPerDegree = 111_195.0797;
const radians = Math.PI / 180;
/** Over 5 km the flat distance differs from that along the great circle by no more than this share. Only points nearer
 *  to the edge of a circle than that need the latter. */
const flatTolerance = 0.002;

export type Circle = LatLong & { readonly radiusMetres: number };

type Near = { readonly point: number; readonly metres: number };

/** Points as stretches: of each the first point, and the one after its last. */
export type PointSet = Uint32Array;

/** The index as columns, in the order of its points. */
type PointColumns = {
  /** Millionths of a degree. */
  readonly latitude: Int32Array;
  readonly longitude: Int32Array;
  /** Number of the southernmost band, and the height of a band in millionths of a degree. */
  readonly 'first-band': Int32Array;
  /** First point of each band, and the end. */
  readonly 'band-starts': Uint32Array;
};

const bandOf = (latitudeMicro: number, bandMicroDegrees: number) =>
  Math.floor(latitudeMicro / bandMicroDegrees);

export function* eachOf(points: PointSet): Generator<number> {
  for (let at = 0; at < points.length; at += 2) {
    const end = defined(points[at + 1]);
    for (let point = defined(points[at]); point < end; point += 1) yield point;
  }
}

export function countOf(points: PointSet): number {
  let count = 0;
  for (let at = 0; at < points.length; at += 2) count += defined(points[at + 1]) - defined(points[at]);
  return count;
}

/**
 * `order` is the order in which all other columns of the points must lie. With wider bands a circle touches fewer places
 * in memory, and has more stretches where points are dense.
 */
export function encodePoints(
  latitude: Int32Array,
  longitude: Int32Array,
  bandMicroDegrees: number = usualBandMicroDegrees,
): { readonly order: Uint32Array; readonly columns: PointColumns } {
  const order = orderByBand(latitude, longitude, bandMicroDegrees);
  const ordered = Int32Array.from(order, (point) => defined(latitude[point]));
  const { firstBand, starts } = bandStarts(ordered, bandMicroDegrees);
  return {
    order,
    columns: {
      latitude: ordered,
      longitude: Int32Array.from(order, (point) => defined(longitude[point])),
      'first-band': Int32Array.of(firstBand, bandMicroDegrees),
      'band-starts': starts,
    },
  };
}

/** Numbers of the points in the order of the index. */
function orderByBand(latitude: Int32Array, longitude: Int32Array, bandMicroDegrees: number): Uint32Array {
  const keys = new Float64Array(latitude.length);
  // Band and longitude in one number, as numbers compare fast. The point's own number does not fit below 2 ** 53 beside
  // them; it decides between equal places.
  for (let point = 0; point < keys.length; point += 1) {
    const band = bandOf(defined(latitude[point]), bandMicroDegrees);
    keys[point] = (band + 2 ** 16) * 2 ** 30 + defined(longitude[point]) + 2 ** 29;
  }
  return Uint32Array.from(keys.keys()).sort((a, b) => defined(keys[a]) - defined(keys[b]) || a - b);
}

/** First point of every band from the southernmost on, and the end. `latitude` is in the order of the index. */
function bandStarts(
  latitude: Int32Array,
  bandMicroDegrees: number,
): { readonly firstBand: number; readonly starts: Uint32Array } {
  const [south, north] = [latitude.at(0), latitude.at(-1)];
  if (south === undefined || north === undefined) return { firstBand: 0, starts: new Uint32Array(1) };
  const firstBand = bandOf(south, bandMicroDegrees);
  const count = bandOf(north, bandMicroDegrees) - firstBand + 1;
  const starts = new Uint32Array(count + 1);
  for (const micro of latitude) {
    const next = bandOf(micro, bandMicroDegrees) - firstBand + 1;
    starts[next] = defined(starts[next]) + 1;
  }
  for (let at = 0; at < count; at += 1) starts[at + 1] = defined(starts[at + 1]) + defined(starts[at]);
  return { firstBand, starts };
}

export class PointBands {
  readonly #latitude: Int32Array;
  readonly #longitude: Int32Array;
  readonly #firstBand: number;
  readonly #bandMicroDegrees: number;
  readonly #starts: Uint32Array;
  /** Every sixteenth longitude, which is one of each cache line: a search goes through these first. */
  readonly #samples: Int32Array;
  #found = new Uint32Array(1024);

  constructor(columns: PointColumns) {
    const [firstBand = outOfRange(), bandMicroDegrees = outOfRange()] = columns['first-band'];
    const { latitude, longitude } = columns;
    this.#latitude = latitude;
    this.#longitude = longitude;
    this.#firstBand = firstBand;
    this.#bandMicroDegrees = bandMicroDegrees;
    this.#starts = columns['band-starts'];
    this.#samples = new Int32Array((longitude.length + 15) >>> 4);
    for (let at = 0; at < this.#samples.length; at += 1) this.#samples[at] = defined(longitude[at << 4]);
  }

  /** Points within the circle, its edge included, ascending. Good until the next call, which uses the array again. */
  within(circle: Circle): PointSet {
    const { latitudeDegrees, longitudeDegrees, radiusMetres } = circle;
    const reach = (radiusMetres * (1 + flatTolerance)) / metresPerDegree;
    const high = this.#bandMicroDegrees;
    const south = Math.max(bandOf((latitudeDegrees - reach) * 1e6, high), this.#firstBand);
    const north = Math.min(
      bandOf((latitudeDegrees + reach) * 1e6, high),
      this.#firstBand + this.#starts.length - 2,
    );
    const poleward = Math.cos((Math.abs(latitudeDegrees) + reach) * radians);
    const west = Math.floor((longitudeDegrees - reach / poleward) * 1e6);
    const east = Math.ceil((longitudeDegrees + reach / poleward) * 1e6);
    let count = 0;
    for (let band = south; band <= north; band += 1) {
      const start = defined(this.#starts[band - this.#firstBand]);
      const end = defined(this.#starts[band - this.#firstBand + 1]);
      const from = this.#firstFrom(west, start, end);
      if (from === end) continue;
      // At worst every other point is a stretch of its own.
      const most = count + end - from + 2;
      if (most > this.#found.length) this.#grow(most);
      count = this.#collect(circle, from, end, east, count);
    }
    return this.#found.subarray(0, count);
  }

  /** The nearest of the points that `accepts` takes; undefined where none is that near. */
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

  /** Points within the circle, its edge included, ascending, each with its millionths of a degree. */
  eachWithin(
    circle: Circle,
    visit: (point: number, latitudeMicro: number, longitudeMicro: number) => void,
  ): void {
    const found = this.within(circle);
    for (let at = 0; at < found.length; at += 2) {
      const end = defined(found[at + 1]);
      for (let point = defined(found[at]); point < end; point += 1)
        visit(point, defined(this.#latitude[point]), defined(this.#longitude[point]));
    }
  }

  placeOf(point: number): LatLong {
    return {
      latitudeDegrees: defined(this.#latitude[point]) / 1e6,
      longitudeDegrees: defined(this.#longitude[point]) / 1e6,
    };
  }

  distanceMetres({ latitudeDegrees, longitudeDegrees }: LatLong, point: number): number {
    const latitude = defined(this.#latitude[point]) / 1e6;
    const longitude = defined(this.#longitude[point]) / 1e6;
    return distanceMetres(latitudeDegrees, longitudeDegrees, latitude, longitude);
  }

  #collect(circle: Circle, from: number, end: number, east: number, count: number): number {
    const { latitudeDegrees, longitudeDegrees, radiusMetres } = circle;
    const latitudes = this.#latitude;
    const longitudes = this.#longitude;
    const found = this.#found;
    const atLatitude = latitudeDegrees * 1e6;
    const atLongitude = longitudeDegrees * 1e6;
    const perLatitude = metresPerDegree / 1e6;
    const perLongitude =
      perLatitude * Math.cos((defined(latitudes[from]) / 2e6 + latitudeDegrees / 2) * radians);
    const sure = (radiusMetres * (1 - flatTolerance)) ** 2;
    const most = (radiusMetres * (1 + flatTolerance)) ** 2;
    let next = count;
    let isOpen = 0;
    let point = from;
    for (; point < end; point += 1) {
      const longitude = defined(longitudes[point]);
      if (longitude > east) break;
      const latitude = defined(latitudes[point]);
      const y = (latitude - atLatitude) * perLatitude;
      const x = (longitude - atLongitude) * perLongitude;
      const square = x * x + y * y;
      const isInside =
        square <= sure ||
        (square <= most &&
          distanceMetres(latitudeDegrees, longitudeDegrees, latitude / 1e6, longitude / 1e6) <= radiusMetres);
      if (isInside === (isOpen === 1)) continue;
      found[next] = point;
      next += 1;
      isOpen = 1 - isOpen;
    }
    if (isOpen === 1) {
      found[next] = point;
      next += 1;
    }
    return next;
  }

  #firstFrom(west: number, start: number, end: number): number {
    let after = (start + 15) >>> 4;
    let until = (end + 15) >>> 4;
    while (after < until) {
      const middle = (after + until) >>> 1;
      if (defined(this.#samples[middle]) < west) after = middle + 1;
      else until = middle;
    }
    // Between the last sample that lies too far west and the next one.
    let low = Math.max(start, ((after - 1) << 4) + 1);
    let high = Math.min(end, after << 4);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (defined(this.#longitude[middle]) < west) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #grow(size: number): void {
    const larger = new Uint32Array(Math.max(size, 2 * this.#found.length));
    larger.set(this.#found);
    this.#found = larger;
  }
}
