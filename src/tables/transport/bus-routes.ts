// Which bus routes call at which stops on the reference day. Routes are numbered, and the lists of neighbouring stops lie
// side by side: the routes of a circle are the distinct numbers in a few stretches.

import { arrange, postingsOf } from '../../columns/codes.ts';
import { type Circle, encodePoints, PointBands } from '../../columns/point-bands.ts';
import { defined } from '../../out-of-range.ts';
import { i32, into, intoOrZero, starts, strings, u16, u32 } from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table, type Views } from '../../release/table.ts';
import { byBand, pointColumns } from '../point-columns.ts';
import { openReach, reachTable } from '../reach.ts';

export const busRoutesPart = 'bus-routes';

const origin = { dataset: 'bus-routes', layout: 1 } as const;

export const busReachTable = reachTable('bus-reach', busRoutesPart, origin);

export const busRoutesTable = table({
  part: busRoutesPart,
  origin,
  about: 'Stops of the timetables, and which routes call there on the reference day.',
  order: byBand,
  columns: {
    ...pointColumns('stop'),
    code: strings('stop', 'ATCO code'),
    first: starts('stop', 'call'),
    route: u32(
      'call',
      'route that calls; none: a bus calls, but not on the reference day',
      intoOrZero('route'),
    ),
    feed: u16('call', 'timetable that says so', into('feed')),
    'route-operator': u32('route', 'who runs it', into('operator')),
    'route-name': strings('route', 'name'),
    'operator-noc': strings('operator', 'national operator code; empty: none'),
    'operator-name': strings('operator', 'name'),
    'feed-name': strings('feed', 'name of the timetable'),
    'feed-day': i32('feed', 'the reference day, in days since 1970-01-01'),
    'feed-from': i32('feed', 'first day on which it holds, likewise'),
  },
});

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
  const pointOf = new Uint32Array(order.length);
  for (const [point, stop] of order.entries()) pointOf[stop] = point;
  const { starts: first, rows } = postingsOf(arrange(pointOf, calls.stop), order.length);
  return busRoutesTable.encode({
    ...columns,
    code: Array.from(order, (stop) => defined(calls.codes[stop])),
    first,
    route: arrange(calls.route, rows),
    feed: Uint16Array.from(rows, (call) => defined(calls.feed[call])),
    'route-operator': Uint32Array.from(calls.routes, ({ operator }) => operator),
    'route-name': calls.routes.map(({ name }) => name),
    'operator-noc': calls.operators.map(({ noc }) => noc),
    'operator-name': calls.operators.map(({ name }) => name),
    'feed-name': calls.feeds.map(({ name }) => name),
    'feed-day': Int32Array.from(calls.feeds, ({ referenceDay }) => referenceDay),
    'feed-from': Int32Array.from(calls.feeds, ({ validFrom }) => validFrom),
  });
}

class BusRoutes {
  readonly feeds: readonly BusFeed[];
  /** Whether the timetables have every stop of the circle; only a sample lacks some. */
  readonly reaches: (circle: Circle) => boolean;
  readonly #columns: Views<typeof busRoutesTable.columns>;
  readonly #points: PointBands;
  readonly #first: Uint32Array;
  readonly #route: Uint32Array;
  /** Per route the number of the count that last met it. So nothing has to be cleared between counts. */
  readonly #met: Uint32Array;
  #count = 0;

  constructor(release: Release) {
    const columns = busRoutesTable.open(release);
    const { 'feed-day': day, 'feed-from': from } = columns;
    this.feeds = columns['feed-name'].list().map((name, at) => ({
      name,
      referenceDay: defined(day[at]),
      validFrom: defined(from[at]),
    }));
    this.reaches = openReach(release, busReachTable);
    this.#columns = columns;
    this.#points = new PointBands(columns);
    this.#first = columns.first;
    this.#route = columns.route;
    this.#met = new Uint32Array(columns['route-operator'].length + 1);
  }

  /** Distinct routes at the stops of a circle; undefined where no stop of the timetables lies in it. */
  countRoutes(circle: Circle): number | undefined {
    const stops = this.#points.within(circle);
    if (stops.length === 0) return undefined;
    if (this.#count === 0xffff_ffff) this.#met.fill(0);
    this.#count = (this.#count + 1) % 2 ** 32 || 1;
    let found = 0;
    for (let at = 0; at < stops.length; at += 2) {
      const end = defined(this.#first[defined(stops[at + 1])]);
      for (let call = defined(this.#first[defined(stops[at])]); call < end; call += 1) {
        const route = defined(this.#route[call]);
        if (route === 0 || this.#met[route] === this.#count) continue;
        this.#met[route] = this.#count;
        found += 1;
      }
    }
    return found;
  }

  /** Everything as it was encoded, for a load that builds on it. */
  calls(): BusStopCalls {
    const columns = this.#columns;
    const stop = new Uint32Array(this.#route.length);
    for (let at = 0; at + 1 < this.#first.length; at += 1) {
      stop.fill(at, this.#first[at], this.#first[at + 1]);
    }
    const operator = columns['route-operator'];
    return {
      codes: columns.code.list(),
      latitudeMicro: columns.latitude,
      longitudeMicro: columns.longitude,
      stop,
      route: this.#route,
      feed: columns.feed,
      routes: columns['route-name'].list().map((name, at) => ({
        name,
        operator: defined(operator[at]),
      })),
      operators: columns['operator-name']
        .list()
        .map((name, at) => ({ name, noc: columns['operator-noc'].at(at) })),
      feeds: this.feeds,
    };
  }
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('bus-routes')` first. */
export const openBusRoutes: (release: Release) => BusRoutes = oncePerRelease(
  (release) => new BusRoutes(release),
);
