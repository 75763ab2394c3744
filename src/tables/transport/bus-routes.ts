// Which bus routes call at which stops on the reference day. Routes are numbered, so that those of a circle are the
// distinct numbers of its stops, whose lists lie side by side.

import { outOfRange } from '../../columns/out-of-range.ts';
import { type Circle, encodePoints, openPoints, type PointBands } from '../../columns/point-bands.ts';
import type { Columns, Part } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';

export const busRoutesPart = 'bus-routes';

/** National operator code, empty where there is none, and name. */
export type BusOperator = { readonly noc: string; readonly name: string };

/** One timetable file: a region's, or the whole country's. */
export type BusFeed = {
  readonly name: string;
  /** The day that its routes are of, and the first on which it holds; days since 1970-01-01. */
  readonly referenceDay: number;
  readonly validFrom: number;
};

export type BusRoute = { readonly operator: number; readonly name: string };

export type BusStopCalls = {
  /** ATCO codes, and for each a point. */
  readonly codes: readonly string[];
  readonly latitudeMicro: Int32Array;
  readonly longitudeMicro: Int32Array;
  /** One a call: stop, route (from 1; 0: a bus calls, but none on the reference day), feed that says so. */
  readonly stop: Uint32Array;
  readonly route: Uint32Array;
  readonly feed: Uint16Array;
  readonly routes: readonly BusRoute[];
  readonly operators: readonly BusOperator[];
  readonly feeds: readonly BusFeed[];
};

export function encodeBusRoutes(calls: BusStopCalls): Columns {
  const { order, columns } = encodePoints(calls.latitudeMicro, calls.longitudeMicro);
  const place = new Uint32Array(order.length);
  for (const [at, stop] of order.entries()) place[stop] = at;
  const first = new Uint32Array(order.length + 1);
  for (const stop of calls.stop) {
    const next = (place[stop] ?? outOfRange()) + 1;
    first[next] = (first[next] ?? outOfRange()) + 1;
  }
  for (let at = 0; at < order.length; at += 1)
    first[at + 1] = (first[at + 1] ?? outOfRange()) + (first[at] ?? outOfRange());
  const route = new Uint32Array(calls.route.length);
  const feed = new Uint16Array(calls.feed.length);
  const filled = first.slice();
  for (const [call, stop] of calls.stop.entries()) {
    const at = filled[place[stop] ?? outOfRange()] ?? outOfRange();
    filled[place[stop] ?? outOfRange()] = at + 1;
    route[at] = calls.route[call] ?? outOfRange();
    feed[at] = calls.feed[call] ?? outOfRange();
  }
  return {
    ...columns,
    code: Array.from(order, (stop) => calls.codes[stop] ?? ''),
    first,
    route,
    feed,
    'route-operator': Uint32Array.from(calls.routes, ({ operator }) => operator),
    'route-name': calls.routes.map(({ name }) => name),
    'operator-noc': calls.operators.map(({ noc }) => noc),
    'operator-name': calls.operators.map(({ name }) => name),
    'feed-name': calls.feeds.map(({ name }) => name),
    'feed-day': Int32Array.from(calls.feeds, ({ referenceDay }) => referenceDay),
    'feed-from': Int32Array.from(calls.feeds, ({ validFrom }) => validFrom),
  };
}

export class BusRoutes {
  readonly feeds: readonly BusFeed[];
  readonly #part: Part;
  readonly #points: PointBands;
  readonly #first: Uint32Array;
  readonly #route: Uint32Array;
  /** Per route the number of the count that met it last, so that nothing is cleared between counts. */
  readonly #met: Uint32Array;
  #count = 0;

  constructor(part: Part) {
    const [day, from] = [part.i32('feed-day'), part.i32('feed-from')];
    this.feeds = listOf(part, 'feed-name').map((name, at) => ({
      name,
      referenceDay: day[at] ?? outOfRange(),
      validFrom: from[at] ?? outOfRange(),
    }));
    this.#part = part;
    this.#points = openPoints(part);
    this.#first = part.u32('first');
    this.#route = part.u32('route');
    this.#met = new Uint32Array(part.u32('route-operator').length + 1);
  }

  /** Distinct routes at the stops of a circle; undefined where no stop of the timetables lies in it. */
  countRoutes(circle: Circle): number | undefined {
    const runs = this.#points.within(circle);
    if (runs.length === 0) return undefined;
    if (this.#count === 0xffff_ffff) this.#met.fill(0);
    this.#count = (this.#count + 1) % 2 ** 32 || 1;
    let found = 0;
    for (let run = 0; run < runs.length; run += 2) {
      const end = this.#first[runs[run + 1] ?? outOfRange()] ?? outOfRange();
      for (let call = this.#first[runs[run] ?? outOfRange()] ?? outOfRange(); call < end; call += 1) {
        const route = this.#route[call] ?? outOfRange();
        if (route === 0 || this.#met[route] === this.#count) continue;
        this.#met[route] = this.#count;
        found += 1;
      }
    }
    return found;
  }

  /** Everything as it was encoded, for a load that builds on it. */
  calls(): BusStopCalls {
    const part = this.#part;
    const stop = new Uint32Array(this.#route.length);
    for (let at = 0; at + 1 < this.#first.length; at += 1) {
      stop.fill(at, this.#first[at], this.#first[at + 1]);
    }
    const operator = part.u32('route-operator');
    const nocs = listOf(part, 'operator-noc');
    return {
      codes: listOf(part, 'code'),
      latitudeMicro: part.i32('latitude'),
      longitudeMicro: part.i32('longitude'),
      stop,
      route: this.#route,
      feed: part.u16('feed'),
      routes: listOf(part, 'route-name').map((name, at) => ({
        name,
        operator: operator[at] ?? outOfRange(),
      })),
      operators: listOf(part, 'operator-name').map((name, at) => ({ name, noc: nocs[at] ?? '' })),
      feeds: this.feeds,
    };
  }
}

function listOf(part: Part, name: string): readonly string[] {
  const strings = part.strings(name);
  return Array.from({ length: strings.length }, (_, index) => strings.at(index));
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('bus-routes')` first. */
export const openBusRoutes: (release: Release) => BusRoutes = oncePerRelease(
  (release) => new BusRoutes(release.part(busRoutesPart)),
);
