// Bus timetables of the Bus Open Data Service in GTFS: the national archive, or those of regions together or one after
// the other. A timetable takes the place of an earlier one that has mostly the same stops.

import path from 'node:path';
import { chooseEdition, together } from '../../ingest/editions.ts';
import type { TextFile } from '../../ingest/files.ts';
import { loadedBefore } from '../../ingest/losses.ts';
import { FileRefused, IngestRefused } from '../../ingest/refusal.ts';
import type { Ground, Into, Judgement, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { formatCount } from '../../ingest/tally.ts';
import { defined } from '../../out-of-range.ts';
import {
  type BusFeed,
  type BusStopCalls,
  busRoutesPart,
  encodeBusRoutes,
  openBusRoutes,
} from '../../tables/transport/bus-routes.ts';
import { extentOfList } from '../../tables/whole.ts';
import { formatDay } from '../../uk/calendar.ts';
import type { LatLong } from '../../uk/grid.ts';
import { BusOperators } from './bus-operators.ts';
import {
  type FeedFiles,
  GtfsFeed,
  type GtfsTable,
  type LeftOut,
  listStops,
  RouteNumbers,
  recogniseGtfs,
  refuseIncomplete,
  startOf,
} from './gtfs-feed.ts';

/** An earlier timetable with this share of its stops in the new ones is an earlier edition of them. */
const sameTimetableShare = 0.5;

export const bods: Loader = {
  facts: {
    publisher: 'Department for Transport',
    publisherShort: 'DfT',
    licence: 'Open Government Licence v3.0',
    attribution:
      'Contains public sector information licensed under the Open Government Licence v3.0 (Department for Transport, Bus Open Data Service).',
    coverage: {
      England: 'all operators, because they must publish',
      Wales: 'operators that publish',
      Scotland: 'operators that publish',
      'Northern Ireland': 'none',
    },
  },
  publications: [
    {
      name: 'bus-timetables',
      title: 'Bus Open Data Service, timetables of all regions (GTFS)',
      page: 'https://data.bus-data.dft.gov.uk/timetable/download/',
      find: {
        kind: 'fixed',
        addresses: ['https://data.bus-data.dft.gov.uk/timetable/download/gtfs-file/all/'],
      },
      hosts: ['data.bus-data.dft.gov.uk'],
      rhythm: { text: 'daily', lateAfterDays: 120, askEveryDays: 30 },
      typicalBytes: 1_807_955_781,
      mostBytes: 6_000_000_000,
      loading: { seconds: 150, memoryBytes: 1_000_000_000, diskBytes: 10_000_000 },
      gives: 'busRoutes of /area/statistics',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: [
    'GTFS archive (https://data.bus-data.dft.gov.uk/timetable/download/gtfs-file/all/), national or of regions, with agency, routes, trips, stop_times, stops and calendar',
  ],
  // Timetables of schools, holidays and summers come and go.
  shrinks: { share: 0.2, perYear: 0 },
  recognise: recogniseGtfs,
  headerAlone: ({ layout }) => (mayBeEmpty.includes(layout) ? 'read' : 'refused'),
  judge,
  load,
};

/** A timetable says with one of them on which days it holds, and need not say more. */
const mayBeEmpty: readonly string[] = ['calendar', 'calendar_dates', 'feed_info'] satisfies GtfsTable[];

/** Timetables of which one has mostly the stops of the other are editions of one, or a region and the country. */
async function judge(files: readonly RecognisedFile[], ground: Ground): Promise<Judgement> {
  const feeds = groupFeeds(files);
  for (const feed of feeds) refuseIncomplete(feed);
  const before = findBefore(ground);
  if (feeds.length === 1 && before === undefined) return { read: files, passedOver: [] };
  const sets: { readonly feed: FeedFiles; readonly stops: ReadonlySet<string> }[] = [];
  for (const feed of feeds) sets.push({ feed, stops: await listStops(feed) });
  const seen = new Set<FeedFiles>();
  const judgements: Judgement[] = [];
  for (const one of sets) {
    if (seen.has(one.feed)) continue;
    const same = [one];
    // It grows while it is gone through: a twin of a twin is one too.
    for (const { stops } of same)
      same.push(...sets.filter((other) => !same.includes(other) && isTwin(stops, other.stops)));
    for (const { feed } of same) seen.add(feed);
    judgements.push(
      chooseEdition(
        same.map(({ feed }) => ({
          files: files.filter(({ file }) => folderOf(file.name) === feed.name),
          day: startOf(feed) ?? ground.dating.glance(defined(feed.files.get('trips'))),
        })),
      ),
    );
  }
  const judged = together(...judgements);
  const read = sets.filter(({ feed }) => judged.read.some(({ file }) => folderOf(file.name) === feed.name));
  const starts = read.map(({ feed }) => startOf(feed));
  // Where one does not say it, its calendar does, which is read.
  if (before !== undefined && !starts.includes(undefined)) {
    const shares = sharesOf(before, (code) => read.some(({ stops }) => stops.has(code)));
    refuseEarlier(before, shares, Math.max(...starts.flatMap((day) => day ?? [])));
  }
  return judged;
}

/** Throws IngestRefused where one of the loaded timetables is a later edition of those that hold from `newest`. */
function refuseEarlier({ feeds }: BusStopCalls, shares: readonly number[], newest: number): void {
  const later = feeds.find(
    ({ validFrom }, feed) => defined(shares[feed]) >= sameTimetableShare && validFrom > newest,
  );
  if (later === undefined) return;
  throw new IngestRefused(
    `Nothing was loaded: these timetables are valid from ${formatDay(newest)}, and ${later.name} in the release from ${formatDay(later.validFrom)}. Load newer ones, or go back to an earlier release (domesday releases lists them).`,
  );
}

/** Of the stops of each loaded timetable, the share that the new ones have too. */
function sharesOf(
  { codes, stop, feed, feeds }: BusStopCalls,
  isGiven: (code: string) => boolean,
): readonly number[] {
  const isKnown = codes.map(isGiven);
  const stops = feeds.map(() => new Set<number>());
  for (const [call, at] of stop.entries()) defined(stops[defined(feed[call])]).add(at);
  return stops.map((all) => [...all].filter((at) => isKnown[at]).length / Math.max(all.size, 1));
}

function isTwin(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const shared = a.intersection(b).size;
  return shared > 0 && shared >= sameTimetableShare * Math.min(a.size, b.size);
}

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const operators = new BusOperators();
  const leftOut: LeftOut = {
    routesOfOthers: 0,
    callsOfOthers: 0,
    callsWithoutBoarding: 0,
    callsWithoutPlace: 0,
  };
  const feeds = groupFeeds(files).map((given) => new GtfsFeed(given, operators, leftOut, into));
  const before = findBefore(into);
  // Operators of the earlier load are added first, so that they keep their numbers.
  for (const { noc, name } of before?.operators ?? []) operators.add(noc, name);
  for (const feed of feeds) await feed.readAgencies();
  const numbers = new RouteNumbers();
  const calls = new CallsOfFeeds();
  for (const feed of feeds) calls.addFeed(await feed.readCalls(numbers), feed);
  noteLeftOut(leftOut, into);
  if (before !== undefined) calls.takeOver(before, operators, numbers, into);
  into.progress({ phase: 'Writing bus routes', done: 0, total: undefined });
  into.writePart(
    busRoutesPart,
    encodeBusRoutes({ ...calls.finish(), routes: numbers.routes, operators: operators.list }),
  );
  const days = calls.feeds.map(({ referenceDay }) => referenceDay).sort((a, b) => a - b);
  const [first, last] = [formatDay(defined(days[0])), formatDay(defined(days.at(-1)))];
  return {
    edition: first === last ? `Tuesday ${first}` : `Tuesdays ${first} to ${last}`,
    asOf: first,
    rows: calls.size,
    extent: extentOfList('bus-routes', calls.places()),
    nextEditionExpected: 'daily',
    coverage: {
      'Great Britain': `${formatCount(numbers.routes.length)} routes of ${formatCount(operators.list.length)} operators; nobody knows whether operators are missing`,
      'Northern Ireland': 'none',
    },
  };
}

function noteLeftOut(leftOut: LeftOut, { tally }: Into): void {
  tally.note('route of another means of transport, left out', leftOut.routesOfOthers, 'routes.txt');
  tally.note('call of another means of transport, left out', leftOut.callsOfOthers, 'stop_times.txt');
  tally.note('call where nobody may board, left out', leftOut.callsWithoutBoarding, 'stop_times.txt');
  tally.note('call at a stop without a place, left out', leftOut.callsWithoutPlace, 'stop_times.txt');
}

/** The files of an archive or folder are one timetable. */
function groupFeeds(files: readonly RecognisedFile[]): readonly FeedFiles[] {
  const feeds = new Map<string, Map<GtfsTable, TextFile>>();
  for (const { file } of files) {
    const table = recogniseGtfs(file);
    if (table === undefined || file.form !== 'text') continue;
    const name = folderOf(file.name);
    const tables = feeds.get(name) ?? new Map<GtfsTable, TextFile>();
    const twin = tables.get(table);
    if (twin !== undefined) throw new FileRefused(file.name, `is a second ${table}.txt beside ${twin.name}`);
    feeds.set(name, tables.set(table, file));
  }
  return [...feeds].map(([name, tables]) => ({ name, files: tables }));
}

/** "regions.zip > north/agency.txt" → "regions.zip > north". */
function folderOf(name: string): string {
  const [archive = '', entry] = name.split(' > ');
  if (entry === undefined) return path.dirname(name);
  return entry.includes('/') ? `${archive} > ${path.posix.dirname(entry)}` : archive;
}

function findBefore({ base }: Pick<Into, 'base'>): BusStopCalls | undefined {
  const before = loadedBefore(base, 'bus-routes');
  return before === undefined ? undefined : openBusRoutes(before).calls();
}

/** Calls of several timetables, in which a stop has one number. */
class CallsOfFeeds {
  readonly feeds: BusFeed[] = [];
  readonly #codes: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #latitude: number[] = [];
  readonly #longitude: number[] = [];
  readonly #stop: number[] = [];
  readonly #route: number[] = [];
  readonly #feed: number[] = [];

  get size(): number {
    return this.#stop.length;
  }

  /** Of each stop. */
  *places(): Generator<LatLong> {
    for (const [stop, micro] of this.#latitude.entries())
      yield { latitudeDegrees: micro / 1e6, longitudeDegrees: defined(this.#longitude[stop]) / 1e6 };
  }

  addFeed(facts: BusFeed, { calls, stops, latitudeMicro, longitudeMicro }: GtfsFeed): void {
    const feed = this.feeds.push(facts) - 1;
    const pairs = calls.values;
    for (let at = 0; at < pairs.length; at += 2) {
      const stop = defined(pairs[at]);
      this.#add(
        defined(stops.texts[stop]),
        defined(latitudeMicro[stop]),
        defined(longitudeMicro[stop]),
        defined(pairs[at + 1]),
        feed,
      );
    }
  }

  /** Keeps the earlier timetables, except those that a new one replaces with a later edition. Throws IngestRefused where a
   *  new one is the earlier edition. */
  takeOver(before: BusStopCalls, operators: BusOperators, numbers: RouteNumbers, { tally }: Into): void {
    const newest = Math.max(...this.feeds.map(({ validFrom }) => validFrom));
    const shares = sharesOf(before, (code) => this.#numbers.has(code));
    refuseEarlier(before, shares, newest);
    const feeds = before.feeds.map((facts, feed): number | undefined => {
      const isSame = defined(shares[feed]) >= sameTimetableShare;
      if (isSame) {
        tally.revise('timetable replaced by a later one', facts.name);
        this.#keepName(facts);
      }
      return isSame ? undefined : this.feeds.push(facts) - 1;
    });
    // Only what is taken over gets a number.
    const routes = new Map<number, number>([[0, 0]]);
    const routeOf = (route: number) => {
      const { operator, name } = defined(before.routes[route - 1]);
      const made = numbers.number(operators.operatorOf(operator), name);
      routes.set(route, made);
      return made;
    };
    for (const [call, stop] of before.stop.entries()) {
      const feed = feeds[defined(before.feed[call])];
      if (feed === undefined) continue;
      const route = defined(before.route[call]);
      this.#add(
        defined(before.codes[stop]),
        defined(before.latitudeMicro[stop]),
        defined(before.longitudeMicro[stop]),
        routes.get(route) ?? routeOf(route),
        feed,
      );
    }
  }

  /** A timetable of the same days is the same under another name, unless its calls differ. */
  #keepName({ name, validFrom, referenceDay }: BusFeed): void {
    const at = this.feeds.findIndex(
      (feed) => feed.validFrom === validFrom && feed.referenceDay === referenceDay,
    );
    const same = this.feeds[at];
    if (same !== undefined) this.feeds[at] = { ...same, name };
  }

  finish(): Omit<BusStopCalls, 'routes' | 'operators'> {
    return {
      codes: this.#codes,
      latitudeMicro: Int32Array.from(this.#latitude),
      longitudeMicro: Int32Array.from(this.#longitude),
      stop: Uint32Array.from(this.#stop),
      route: Uint32Array.from(this.#route),
      feed: Uint16Array.from(this.#feed),
      feeds: this.feeds,
    };
  }

  #add(code: string, latitude: number, longitude: number, route: number, feed: number): void {
    let stop = this.#numbers.get(code);
    if (stop === undefined) {
      stop = this.#codes.push(code) - 1;
      this.#numbers.set(code, stop);
      this.#latitude.push(latitude);
      this.#longitude.push(longitude);
    }
    this.#stop.push(stop);
    this.#route.push(route);
    this.#feed.push(feed);
  }
}
