// The bundled sample of bus routes (data/sample/bus-calls.csv): which routes call on the reference day at the stops
// around a place. A stop at which none calls that day has a row without a route.

import type { NamedCells } from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import { defined } from '../../out-of-range.ts';
import { encodeReach } from '../../tables/reach.ts';
import {
  type BusFeed,
  busReachPart,
  busReachTable,
  busRoutesPart,
  encodeBusRoutes,
} from '../../tables/transport/bus-routes.ts';
import { parseDay } from '../../uk/calendar.ts';
import type { Note } from '../bundled-note.ts';
import type { MicroPoint } from '../gb-point.ts';
import { reachOf, readPoint, sampleLoader } from '../sample-loader.ts';
import { busRoutesFacts } from './facts.ts';

const columns = ['atcoCode', 'latitude', 'longitude', 'operatorCode', 'operatorName', 'route'] as const;

type Call = MicroPoint & {
  readonly stop: string;
  readonly noc: string;
  readonly operator: string;
  /** Empty where none calls. */
  readonly route: string;
};

export const busSample = sampleLoader({
  subject: 'sample-bus-calls',
  facts: { ...busRoutesFacts, coverage: { Wales: 'stops within 1.4 km of NP10 8WA in Newport' } },
  columns,
  readRow: readCall,
  write: (calls, note, into) => {
    const stops = new Listed<Call>(({ stop }) => stop);
    const operators = new Listed<Call>(({ noc, operator }) => `${noc} ${operator}`);
    const routes = new Listed<Call>(({ noc, operator, route }) => `${noc} ${operator} ${route}`);
    for (const call of calls) if (call.route !== '') operators.number(call);
    into.writePart(
      busRoutesPart,
      encodeBusRoutes({
        stop: Uint32Array.from(calls, (call) => stops.number(call)),
        route: Uint32Array.from(calls, (call) => (call.route === '' ? 0 : 1 + routes.number(call))),
        feed: new Uint16Array(calls.length),
        codes: stops.list.map(({ stop }) => stop),
        latitudeMicro: Int32Array.from(stops.list, ({ latitudeMicro }) => latitudeMicro),
        longitudeMicro: Int32Array.from(stops.list, ({ longitudeMicro }) => longitudeMicro),
        routes: routes.list.map((call) => ({ operator: operators.number(call), name: call.route })),
        operators: operators.list.map(({ noc, operator: name }) => ({ noc, name })),
        feeds: [feedOf(note)],
      }),
    );
    into.writePart(busReachPart, encodeReach(busReachTable, reachOf(note)));
  },
});

function readCall(cells: NamedCells<(typeof columns)[number]>): Call {
  const { cell } = cells;
  return {
    stop: cell('atcoCode'),
    noc: cell('operatorCode'),
    operator: cell('operatorName'),
    route: cell('route'),
    ...readPoint(cells),
  };
}

function feedOf({ name, asOf, fields }: Note): BusFeed {
  const { timetable, validFrom } = fields;
  const from = typeof validFrom === 'string' ? parseDay(validFrom) : undefined;
  if (typeof timetable !== 'string' || from === undefined)
    throw new FileRefused(name, 'lacks "timetable", or "validFrom" with a date like 2026-04-01');
  return { name: timetable, referenceDay: defined(parseDay(asOf)), validFrom: from };
}

/** Numbers things by a key, in the order in which they come. */
class Listed<T> {
  readonly list: T[] = [];
  readonly #keyOf: (item: T) => string;
  readonly #numbers = new Map<string, number>();

  constructor(keyOf: (item: T) => string) {
    this.#keyOf = keyOf;
  }

  number(item: T): number {
    const key = this.#keyOf(item);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const made = this.list.push(item) - 1;
    this.#numbers.set(key, made);
    return made;
  }
}
