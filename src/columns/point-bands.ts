// A static index of points: bands of latitude from south to north, from west to east within each, so that what lies in
// a circle is a few runs of neighbouring points. Points are numbered in this order, and columns lie in it too: what is
// summed up along them tells the sum of a run by its two ends.

import type { Columns, Part } from '../release/part.ts';
import { distanceMetres, type LatLong } from '../uk/grid.ts';
import { outOfRange } from './out-of-range.ts';

/** About 455 metres. */
const usualBandMicroDegrees = 4096;
const metresPerDegree = 111_195.0797;
const radians = Math.PI / 180;
/** The flat distance is this near to the one along the great circle over 5 km; only between is that one asked. */
const flatTolerance = 0.002;

export type Circle = LatLong & { readonly radiusMetres: number };

export type Near = { readonly point: number; readonly metres: number };

/** Pairs: the first point of a run, and the one after its last. */
export type Runs = Uint32Array;

const bandOf = (latitudeMicro: number, bandMicroDegrees: number) =>
  Math.floor(latitudeMicro / bandMicroDegrees);

export function* eachOf(runs: Runs): Generator<number> {
  for (let run = 0; run < runs.length; run += 2) {
    for (let point = runs[run] ?? outOfRange(); point < (runs[run + 1] ?? outOfRange()); point += 1)
      yield point;
  }
}

/**
 * The index as columns of a part, in millionths of a degree; `order` is that in which all other columns must lie. Wider
 * bands are fewer places in memory for a circle, and more runs where points are dense.
 */
export function encodePoints(
  latitude: Int32Array,
  longitude: Int32Array,
  bandMicroDegrees: number = usualBandMicroDegrees,
): { readonly order: Uint32Array; readonly columns: Columns } {
  const order = orderByBand(latitude, longitude, bandMicroDegrees);
  const ordered = Int32Array.from(order, (point) => latitude[point] ?? outOfRange());
  const { firstBand, starts } = bandStarts(ordered, bandMicroDegrees);
  return {
    order,
    columns: {
      latitude: ordered,
      longitude: Int32Array.from(order, (point) => longitude[point] ?? outOfRange()),
      'first-band': Int32Array.of(firstBand, bandMicroDegrees),
      'band-starts': starts,
    },
  };
}

/** What encodePoints wrote. */
export function openPoints(part: Part): PointBands {
  const [firstBand = 0, bandMicroDegrees] = part.i32('first-band');
  const [latitude, longitude] = [part.i32('latitude'), part.i32('longitude')];
  return new PointBands(latitude, longitude, firstBand, part.u32('band-starts'), bandMicroDegrees);
}

/** Numbers of the points in the order of the index. */
function orderByBand(latitude: Int32Array, longitude: Int32Array, bandMicroDegrees: number): Uint32Array {
  const keys = new Float64Array(latitude.length);
  // Band, then longitude, then the number itself: one number that sorts natively (below 2 ** 53 only without the
  // point's number, so that ties keep the order of a stable second pass).
  for (let point = 0; point < keys.length; point += 1) {
    const band = bandOf(latitude[point] ?? outOfRange(), bandMicroDegrees);
    keys[point] = (band + 2 ** 16) * 2 ** 30 + (longitude[point] ?? outOfRange()) + 2 ** 29;
  }
  return Uint32Array.from(keys.keys()).sort(
    (a, b) => (keys[a] ?? outOfRange()) - (keys[b] ?? outOfRange()) || a - b,
  );
}

/** First row of every band from the southernmost on, and one more. `latitude` in the order of the index. */
function bandStarts(
  latitude: Int32Array,
  bandMicroDegrees: number,
): { firstBand: number; starts: Uint32Array } {
  const band = (at: number) => bandOf(latitude[at] ?? outOfRange(), bandMicroDegrees);
  const firstBand = band(0);
  const count = latitude.length === 0 ? 0 : band(latitude.length - 1) - firstBand + 1;
  const starts = new Uint32Array(count + 1);
  for (const micro of latitude) {
    const next = bandOf(micro, bandMicroDegrees) - firstBand + 1;
    starts[next] = (starts[next] ?? outOfRange()) + 1;
  }
  for (let at = 0; at < count; at += 1)
    starts[at + 1] = (starts[at + 1] ?? outOfRange()) + (starts[at] ?? outOfRange());
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
  #runs = new Uint32Array(1024);

  /** Columns in the order of the index. */
  constructor(
    latitude: Int32Array,
    longitude: Int32Array,
    firstBand: number,
    starts: Uint32Array,
    bandMicroDegrees: number = usualBandMicroDegrees,
  ) {
    this.#latitude = latitude;
    this.#longitude = longitude;
    this.#firstBand = firstBand;
    this.#bandMicroDegrees = bandMicroDegrees;
    this.#starts = starts;
    this.#samples = new Int32Array((longitude.length + 15) >>> 4);
    for (let at = 0; at < this.#samples.length; at += 1)
      this.#samples[at] = longitude[at << 4] ?? outOfRange();
  }

  /** Points within the circle, its edge included, ascending. The array is used again by the next call. */
  within(circle: Circle): Runs {
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
      const start = this.#starts[band - this.#firstBand] ?? outOfRange();
      const end = this.#starts[band - this.#firstBand + 1] ?? outOfRange();
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
    const latitude = (this.#latitude[point] ?? outOfRange()) / 1e6;
    const longitude = (this.#longitude[point] ?? outOfRange()) / 1e6;
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
      perLatitude * Math.cos(((latitudes[from] ?? outOfRange()) / 2e6 + latitudeDegrees / 2) * radians);
    const sure = (radiusMetres * (1 - flatTolerance)) ** 2;
    const most = (radiusMetres * (1 + flatTolerance)) ** 2;
    let next = count;
    let isOpen = 0;
    let point = from;
    for (; point < end; point += 1) {
      const longitude = longitudes[point] ?? outOfRange();
      if (longitude > east) break;
      const latitude = latitudes[point] ?? outOfRange();
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
    let after = (start + 15) >>> 4;
    let until = (end + 15) >>> 4;
    while (after < until) {
      const middle = (after + until) >>> 1;
      if ((this.#samples[middle] ?? outOfRange()) < west) after = middle + 1;
      else until = middle;
    }
    // Between the last sample that lies too far west and the next one.
    let low = Math.max(start, ((after - 1) << 4) + 1);
    let high = Math.min(end, after << 4);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#longitude[middle] ?? outOfRange()) < west) low = middle + 1;
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
