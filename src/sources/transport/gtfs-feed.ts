// Reads one GTFS timetable: which bus routes call at which stops on a Tuesday of its validity. Nationally stop_times
// has tens of millions of rows, so it is read once, as bytes. Only distinct pairs of stop and route are kept.

import path from 'node:path';
import { ByteDictionary, TextDictionary } from '../../columns/byte-dictionary.ts';
import { TupleDictionary } from '../../columns/tuple-dictionary.ts';
import type { InputFile, TextFile } from '../../ingest/files.ts';
import { noProgress } from '../../ingest/progress.ts';
import { type CsvRow, firstRows } from '../../ingest/read/csv.ts';
import {
  columnsOf,
  hasTitles,
  type Places,
  placeOf,
  type RowFormat,
  readNamedRows,
} from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into } from '../../ingest/source.ts';
import { Tally } from '../../ingest/tally.ts';
import { defined } from '../../out-of-range.ts';
import type { BusFeed, BusRoute } from '../../tables/transport/bus-routes.ts';
import { dayOf, formatDay } from '../../uk/calendar.ts';
import { parseDegrees } from '../gb-point.ts';
import { type BusOperators, routeNameOf } from './bus-operators.ts';

const columns = {
  agency: { required: ['agency_name'], optional: ['agency_id', 'agency_noc'] },
  routes: {
    required: ['route_id', 'route_type'],
    optional: ['agency_id', 'route_short_name', 'route_long_name'],
  },
  calendar: { required: ['service_id', 'tuesday', 'start_date', 'end_date'] },
  calendar_dates: { required: ['service_id', 'date', 'exception_type'] },
  trips: { required: ['route_id', 'service_id', 'trip_id'] },
  stops: { required: ['stop_id', 'stop_lat', 'stop_lon'] },
  stop_times: { required: ['trip_id', 'stop_id'], optional: ['pickup_type'] },
  feed_info: { required: ['feed_publisher_name'], optional: ['feed_start_date', 'feed_end_date'] },
} as const;

export type GtfsTable = keyof typeof columns;

const format: RowFormat = { width: 'counted' };

/** Titles that only this table has together. */
const marks: Readonly<Record<GtfsTable, readonly string[]>> = {
  stop_times: ['trip_id', 'stop_id', 'stop_sequence'],
  trips: ['route_id', 'service_id', 'trip_id'],
  routes: ['route_id', 'route_type'],
  stops: ['stop_id', 'stop_lat', 'stop_lon'],
  calendar: ['service_id', 'tuesday', 'start_date', 'end_date'],
  calendar_dates: ['service_id', 'date', 'exception_type'],
  agency: ['agency_name', 'agency_timezone'],
  feed_info: ['feed_publisher_name'],
};
const tables: readonly GtfsTable[] = [
  'stop_times',
  'trips',
  'routes',
  'stops',
  'calendar',
  'calendar_dates',
  'agency',
  'feed_info',
];

export const recogniseGtfs = (file: InputFile): GtfsTable | undefined =>
  tables.find((table) => hasTitles(file, ...marks[table]));

/** Bus, and coach among the extended types; trams, the Underground and ferries are in the files too. */
const busTypes: readonly string[] = ['3', '200'];
const noPickup = 0x31;
const notABus = 0;

export type FeedFiles = {
  /** Of the archive or folder. */
  readonly name: string;
  readonly files: ReadonlyMap<GtfsTable, TextFile>;
};

/** What was left out, because it is not a bus that one can board; counted over the whole load. */
export type LeftOut = {
  routesOfOthers: number;
  callsOfOthers: number;
  callsWithoutBoarding: number;
  callsWithoutPlace: number;
};

/** Numbers of routes from 1, the same for all feeds: one a route name of an operator. */
export class RouteNumbers {
  readonly routes: BusRoute[] = [];
  readonly #numbers = new Map<string, number>();

  /** `operator` as operatorOf gives it. */
  number(operator: number, name: string): number {
    const key = `${operator} ${name}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const made = this.routes.push({ operator, name });
    this.#numbers.set(key, made);
    return made;
  }
}

/** Throws FileRefused where a table is missing. */
export function refuseIncomplete({ name, files }: FeedFiles): void {
  const required = ['agency', 'routes', 'trips', 'stops', 'stop_times'] as const;
  const missing: string[] = required.filter((table) => !files.has(table));
  if (!files.has('calendar') && !files.has('calendar_dates')) missing.push('calendar');
  if (missing.length === 0) return;
  throw new FileRefused(
    name,
    `has no ${missing.map((table) => `${table}.txt`).join(', ')} with the columns of GTFS; give the whole archive`,
  );
}

/** Its small table of stops, without reading who calls at them. */
export async function listStops({ files }: FeedFiles): Promise<ReadonlySet<string>> {
  const file = defined(files.get('stops'));
  const codes = new Set<string>();
  const uncounted = { progress: noProgress, tally: new Tally() };
  await readNamedRows(file, format, columnsOf(file, columns.stops, format), uncounted, (row, at) => {
    codes.add(row.text(at.stop_id));
  });
  return codes;
}

// On which days the services of a GTFS feed run, and the Tuesday that stands for them: no holiday, and a day on which
// nearly every route runs.

/** How many Tuesdays are compared, from the first of the feed's validity on. */
const tuesdaysCompared = 8;
const daysAWeek = 7;
/** 1970-01-06. */
const firstTuesday = 5;

type Span = { readonly from: number; readonly to: number };

/** YYYYMMDD; undefined where it is no date. */
function parseGtfsDay(text: string): number | undefined {
  const found = /^(\d{4})(\d\d)(\d\d)$/.exec(text.trim());
  return found === null ? undefined : dayOf(Number(found[1]), Number(found[2]), Number(found[3]));
}

const isTuesday = (day: number) => (day - firstTuesday) % daysAWeek === 0;
const tuesdayFrom = (day: number) => day + ((((firstTuesday - day) % daysAWeek) + daysAWeek) % daysAWeek);

type Exception = { readonly service: number; readonly day: number; readonly form: 'added' | 'removed' };

class GtfsCalendar {
  /** Service id → its number. */
  readonly #numbers = new Map<string, number>();
  /** Tuesdays from and to; services that run on no Tuesday are not here. */
  readonly #weekly = new Map<number, Span>();
  readonly #exceptions: Exception[] = [];
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  addService(id: string, span: Span, onTuesdays: 'runs' | 'rests'): void {
    const service = this.numberOf(id);
    this.#widen(span.from, span.to);
    if (onTuesdays === 'runs') this.#weekly.set(service, span);
  }

  addException(id: string, day: number, form: Exception['form']): void {
    const service = this.numberOf(id);
    this.#widen(day, day);
    if (isTuesday(day)) this.#exceptions.push({ service, day, form });
  }

  numberOf(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    this.#numbers.set(id, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  get isEmpty(): boolean {
    return this.#numbers.size === 0;
  }

  /** For a feed that does not say when it is valid: the span of its services, from the day of the file on if that is
   *  within it. */
  spanAround(day: number): Span {
    const latest = Math.max(this.#first, this.#last - daysAWeek * tuesdaysCompared);
    return { from: Math.min(Math.max(day, this.#first), latest), to: this.#last };
  }

  /** The first Tuesdays of a span. */
  tuesdaysOf({ from, to }: Span): readonly number[] {
    const first = tuesdayFrom(from);
    return Array.from({ length: tuesdaysCompared }, (_, week) => first + week * daysAWeek).filter(
      (day) => day <= to,
    );
  }

  /** Numbers of the services that run on a day. */
  servicesOn(day: number): ReadonlySet<number> {
    const running = new Set<number>();
    for (const [service, { from, to }] of this.#weekly) if (from <= day && day <= to) running.add(service);
    for (const { service, day: at, form } of this.#exceptions) {
      if (at !== day) continue;
      if (form === 'added') running.add(service);
      else running.delete(service);
    }
    return running;
  }

  #widen(from: number, to: number): void {
    this.#first = Math.min(this.#first, from);
    this.#last = Math.max(this.#last, to);
  }
}

/** The day from which it holds, where it says so. */
export function startOf({ files }: FeedFiles): number | undefined {
  const [titles = [], first = []] = firstRows(files.get('feed_info')?.head ?? Buffer.alloc(0), 2, 'cp1252');
  return parseGtfsDay(first[titles.map((title) => title.trim()).indexOf('feed_start_date')] ?? '');
}

export class GtfsFeed {
  /** Pairs of a stop and a route. */
  readonly calls = new TupleDictionary(2);
  /** ATCO codes in the order of their numbers; a stop without a place has NaN. */
  readonly stops = new TextDictionary();
  readonly latitudeMicro: number[] = [];
  readonly longitudeMicro: number[] = [];
  readonly #given: FeedFiles;
  readonly #into: Into;
  readonly #operators: BusOperators;
  readonly #leftOut: LeftOut;
  /** Agency id → row of the operators. */
  readonly #agencies = new Map<string, number>();
  readonly #calendar = new GtfsCalendar();
  /** Route id → its number; `notABus` for other means. */
  readonly #routes = new Map<string, number>();
  readonly #trips = new ByteDictionary();
  /** Of each trip its route, or `notABus`, and its service. */
  readonly #tripRoute: number[] = [];
  readonly #tripService: number[] = [];

  constructor(given: FeedFiles, operators: BusOperators, leftOut: LeftOut, into: Into) {
    this.#given = given;
    this.#operators = operators;
    this.#leftOut = leftOut;
    this.#into = into;
  }

  /** Called for all feeds first, so that all names of an operator are known before routes are numbered. */
  async readAgencies(): Promise<void> {
    await this.#read('agency', (row, at) => {
      const number = this.#operators.add(row.text(at.agency_noc), row.text(at.agency_name));
      this.#agencies.set(row.text(at.agency_id).trim(), number);
    });
  }

  async readCalls(numbers: RouteNumbers): Promise<BusFeed> {
    const span = await this.#readCalendar();
    await this.#readRoutes(numbers);
    await this.#readTrips();
    const referenceDay = this.#chooseDay(span);
    await this.#readStops();
    await this.#readStopTimes(this.#calendar.servicesOn(referenceDay));
    if (this.calls.length === 0) throw new FileRefused(this.#given.name, 'has no bus that calls anywhere');
    return { name: path.basename(this.#given.name), referenceDay, validFrom: span.from };
  }

  async #readCalendar(): Promise<Span> {
    const day = (row: CsvRow, at: number, table: GtfsTable) => {
      const parsed = parseGtfsDay(row.text(at));
      if (parsed !== undefined) return parsed;
      throw new FileRefused(
        this.#given.files.get(table)?.name ?? table,
        `line ${row.line} has the date ${JSON.stringify(row.text(at))}; expected YYYYMMDD`,
      );
    };
    await this.#read('calendar', (row, at) => {
      const span = { from: day(row, at.start_date, 'calendar'), to: day(row, at.end_date, 'calendar') };
      const onTuesdays = row.text(at.tuesday).trim() === '1' ? 'runs' : 'rests';
      this.#calendar.addService(row.text(at.service_id), span, onTuesdays);
    });
    await this.#read('calendar_dates', (row, at) => {
      const form = row.text(at.exception_type).trim() === '1' ? 'added' : 'removed';
      this.#calendar.addException(row.text(at.service_id), day(row, at.date, 'calendar_dates'), form);
    });
    if (this.#calendar.isEmpty) throw new FileRefused(this.#given.name, 'has no service in its calendar');
    let span: Span | undefined;
    await this.#read('feed_info', (row, at) => {
      const [from, to] = [at.feed_start_date, at.feed_end_date].map((place) => parseGtfsDay(row.text(place)));
      if (from !== undefined && to !== undefined) span = { from, to };
    });
    return span ?? this.#calendar.spanAround(this.#into.dating.dayOf(this.#tripsFile()));
  }

  /** Its name has that of the archive in it, which may have the day. */
  #tripsFile(): TextFile {
    return defined(this.#given.files.get('trips'));
  }

  async #readRoutes(numbers: RouteNumbers): Promise<void> {
    await this.#read('routes', (row, at, file) => {
      const id = row.text(at.route_id);
      this.#routes.set(id, notABus);
      if (!busTypes.includes(row.text(at.route_type).trim())) {
        this.#leftOut.routesOfOthers += 1;
        return;
      }
      const agency = this.#agencies.get(row.text(at.agency_id).trim()) ?? this.#onlyAgency();
      const name = routeNameOf(row.text(at.route_short_name)) || routeNameOf(row.text(at.route_long_name));
      if (agency === undefined) {
        this.#into.tally.reject('route of an operator that agency.txt lacks', placeOf(file, row));
      } else if (name === '') this.#into.tally.reject('route without a name', placeOf(file, row));
      else this.#routes.set(id, numbers.number(this.#operators.operatorOf(agency), name));
    });
  }

  /** GTFS lets routes leave the operator out where there is only one. */
  #onlyAgency(): number | undefined {
    return this.#agencies.size === 1 ? this.#agencies.values().next().value : undefined;
  }

  async #readTrips(): Promise<void> {
    await this.#read('trips', (row, at, file) => {
      const trip = this.#trips.codeOf(row.bytes, row.start(at.trip_id), row.end(at.trip_id));
      const route = this.#routes.get(row.text(at.route_id));
      if (route === undefined) {
        this.#into.tally.reject('trip of a route that routes.txt lacks', placeOf(file, row));
      }
      this.#tripRoute[trip] = route ?? notABus;
      this.#tripService[trip] = this.#calendar.numberOf(row.text(at.service_id));
    });
  }

  /** Of the first Tuesdays the one with most trips; of equals the earliest. */
  #chooseDay(span: Span): number {
    let best = { day: 0, trips: 0 };
    for (const day of this.#calendar.tuesdaysOf(span)) {
      const running = this.#calendar.servicesOn(day);
      let trips = 0;
      for (const [trip, service] of this.#tripService.entries()) {
        if (this.#tripRoute[trip] !== notABus && running.has(service)) trips += 1;
      }
      if (trips > best.trips) best = { day, trips };
    }
    if (best.trips > 0) return best.day;
    throw new FileRefused(
      this.#given.name,
      `has no bus on any of the first Tuesdays from ${formatDay(span.from)} to ${formatDay(span.to)}; is it out of date?`,
    );
  }

  async #readStops(): Promise<void> {
    await this.#read('stops', (row, at, file) => {
      const stop = this.stops.codeOf(row.bytes, row.start(at.stop_id), row.end(at.stop_id));
      const point = parseDegrees(row.text(at.stop_lat), row.text(at.stop_lon));
      if (point === undefined)
        this.#into.tally.reject('stop without a place in Great Britain', placeOf(file, row));
      this.latitudeMicro[stop] = point?.latitudeMicro ?? Number.NaN;
      this.longitudeMicro[stop] = point?.longitudeMicro ?? Number.NaN;
    });
  }

  async #readStopTimes(running: ReadonlySet<number>): Promise<void> {
    const { tally } = this.#into;
    const [knownTrips, knownStops] = [this.#tripRoute.length, this.latitudeMicro.length];
    const isRunning = Uint8Array.from(this.#tripService, (service) => (running.has(service) ? 1 : 0));
    const leftOut = this.#leftOut;
    const last = new LastRun(this.#trips);
    const pair = new Uint32Array(2);
    await this.#read('stop_times', (row, at, file) => {
      const trip = last.codeOf(row.bytes, row.start(at.trip_id), row.end(at.trip_id));
      if (trip >= knownTrips) {
        tally.reject('call of a trip that trips.txt lacks', placeOf(file, row));
        return;
      }
      const route = this.#tripRoute[trip] ?? notABus;
      if (route === notABus) {
        leftOut.callsOfOthers += 1;
        return;
      }
      if (at.pickup_type >= 0) {
        const start = row.start(at.pickup_type);
        if (row.end(at.pickup_type) - start === 1 && row.bytes[start] === noPickup) {
          leftOut.callsWithoutBoarding += 1;
          return;
        }
      }
      const stop = this.stops.codeOf(row.bytes, row.start(at.stop_id), row.end(at.stop_id));
      if (stop >= knownStops) {
        tally.reject('call at a stop that stops.txt lacks', placeOf(file, row));
      } else if (Number.isNaN(this.latitudeMicro[stop])) leftOut.callsWithoutPlace += 1;
      else {
        tally.kept += 1;
        pair[0] = stop;
        pair[1] = isRunning[trip] === 1 ? route : 0;
        this.calls.codeOf(pair, 0);
      }
    });
  }

  /** Does nothing where the feed has no such table. */
  async #read<const T extends GtfsTable>(
    table: T,
    onRow: (row: CsvRow, at: Places<(typeof columns)[T]>, file: TextFile) => void,
  ): Promise<void> {
    const file = this.#given.files.get(table);
    if (file === undefined) return;
    await readNamedRows(file, format, columnsOf(file, columns[table], format), this.#into, (row, at) =>
      onRow(row, at, file),
    );
  }
}

/** Rows of one trip follow each other, so that most need no look-up. */
class LastRun {
  readonly #dictionary: ByteDictionary;
  #bytes: Buffer = Buffer.alloc(256);
  #length = -1;
  #number = 0;

  constructor(dictionary: ByteDictionary) {
    this.#dictionary = dictionary;
  }

  codeOf(bytes: Buffer, start: number, end: number): number {
    if (this.#isLast(bytes, start, end)) return this.#number;
    this.#number = this.#dictionary.codeOf(bytes, start, end);
    this.#length = end - start;
    if (this.#length > this.#bytes.length) this.#bytes = Buffer.alloc(2 * this.#length);
    bytes.copy(this.#bytes, 0, start, end);
    return this.#number;
  }

  #isLast(bytes: Buffer, start: number, end: number): boolean {
    if (end - start !== this.#length) return false;
    // From the end: ids of trips differ there.
    for (let at = this.#length - 1; at >= 0; at -= 1) {
      if (bytes[start + at] !== this.#bytes[at]) return false;
    }
    return true;
  }
}
