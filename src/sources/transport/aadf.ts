// Annual average daily flows of the Department for Transport: motor vehicles on an average day at points of the road
// network, for all years since 2000, as one file or by local authority. A point keeps its latest year, as long as the newest file
// of its authority has it.

import type { InputFile, TextFile } from '../../ingest/files.ts';
import { loadedBefore } from '../../ingest/losses.ts';
import type { CsvRow } from '../../ingest/read/csv.ts';
import {
  columnsOf,
  hasTitles,
  type Places,
  placeOf,
  type RowFormat,
  readNamedRows,
  refuseHeader,
} from '../../ingest/read/named-rows.ts';
import { FileRefused } from '../../ingest/refusal.ts';
import type { Into, Loaded, Loader, RecognisedFile } from '../../ingest/source.ts';
import { formatCount } from '../../ingest/tally.ts';
import {
  encodeTraffic,
  openTraffic,
  type TrafficPoint,
  trafficPart,
} from '../../tables/transport/traffic.ts';
import { extentOfList } from '../../tables/whole.ts';
import { formatDay } from '../../uk/calendar.ts';
import { parseDegrees, parseGrid } from '../gb-point.ts';

const columns = {
  required: [
    'count_point_id',
    'year',
    'road_name',
    'easting',
    'northing',
    'estimation_method',
    'all_motor_vehicles',
  ],
  optional: ['road_category', 'road_type', 'latitude', 'longitude', 'local_authority_name'],
} as const;

const format: RowFormat = { width: 'counted' };

/** Motorways and A roads; B roads, and C and unclassified ones. Before 2018 A roads were told by urban and rural. */
const majorCategories: readonly string[] = ['TM', 'PM', 'TA', 'PA', 'TU', 'TR', 'PU', 'PR'];
const minorCategories: readonly string[] = ['MB', 'MCU', 'BU', 'BR', 'CU', 'CR', 'UU', 'UR'];
/** Traffic of the year of the lockdowns is no one's average day. */
const yearLeftOut = 2020;

export const aadf: Loader = {
  facts: {
    publisher: 'Department for Transport',
    publisherShort: 'DfT',
    licence: 'Open Government Licence v3.0',
    attribution:
      'Contains public sector information licensed under the Open Government Licence v3.0 (Department for Transport, road traffic statistics).',
    coverage: {
      England: 'motorways and A roads; a sample of minor roads',
      Wales: 'motorways and A roads; a sample of minor roads',
      Scotland: 'motorways and A roads; a sample of minor roads',
      'Northern Ireland': 'none',
    },
  },
  publications: [
    {
      name: 'road-traffic',
      title: 'Road traffic statistics, AADF, all years',
      page: 'https://roadtraffic.dft.gov.uk/downloads',
      find: {
        kind: 'fixed',
        addresses: [
          'https://storage.googleapis.com/dft-statistics/road-traffic/downloads/data-gov-uk/dft_traffic_counts_aadf.zip',
        ],
      },
      hosts: ['storage.googleapis.com'],
      rhythm: { text: 'yearly, about June', lateAfterDays: 460, askEveryDays: 0 },
      typicalBytes: 19_464_638,
      mostBytes: 300_000_000,
      loading: { seconds: 5, memoryBytes: 300_000_000, diskBytes: 1_000_000 },
      gives: 'trafficLevel of /area/statistics',
      set: 'essential',
      holds: 'everything',
      readWith: 'nothing else',
    },
  ],
  layouts: [
    'dft_traffic_counts_aadf.zip or its CSV, or that of a local authority, with count_point_id, year, road_category or road_type, …, all_motor_vehicles',
  ],
  recognise: (file: InputFile) =>
    hasTitles(file, 'count_point_id', 'year', 'estimation_method', 'all_motor_vehicles')
      ? 'annual average daily flow'
      : undefined,
  headerAlone: () => 'refused',
  judge: (files) => {
    for (const { file } of files) {
      refuseOtherFlows(file);
      if (file.form === 'text') refuseHeader(file, format, columnsOf(file, columns, format));
    }
    return { read: files, passedOver: [] };
  },
  load,
};

async function load(files: readonly RecognisedFile[], into: Into): Promise<Loaded> {
  const { tally } = into;
  const given: Points[] = [];
  for (const { file } of files) if (file.form === 'text') given.push(await readFlows(file, into));
  const latest = latestOf(given);
  if (latest.size === 0) {
    const names = files.map(({ file }) => file.name).join(', ');
    throw new FileRefused(names, 'has no flow that can be used; expected counts of roads by year');
  }
  const loaded = loadedBefore(into.base, 'traffic');
  const before = loaded === undefined ? [] : [...openTraffic(loaded).points()];
  // The country's file says all that there is.
  const isWhole = extentOf(latest.values()) === 'complete';
  const known = isWhole ? [] : [new Map(before.map((point) => [point.id, point]))];
  const points = withoutGone([...given, ...known]);
  tally.kept = points.size;
  tellGone(before, points, into);
  into.writePart(trafficPart, encodeTraffic([...points.values()]));
  const extent = extentOf(points.values());
  const years = [...yearsOf(points.values()).values()];
  const newest = Math.max(...years);
  const oldest = extent === 'complete' ? newest : Math.min(...years);
  return {
    edition: oldest === newest ? String(newest) : `${oldest} to ${newest}`,
    asOf: `${oldest}-12-31`,
    rows: points.size,
    extent,
    nextEditionExpected: 'yearly, in early summer',
    coverage: {
      'Great Britain': `${formatCount(points.size)} count points on motorways, A roads and a sample of minor roads`,
      'Northern Ireland': 'none',
    },
  };
}

const extentOf = (points: Iterable<TrafficPoint>) =>
  extentOfList(
    'traffic',
    Array.from(points, ({ latitudeMicro, longitudeMicro }) => ({
      latitudeDegrees: latitudeMicro / 1e6,
      longitudeDegrees: longitudeMicro / 1e6,
    })),
  );

/** Of one file, or of an earlier load: by id, each in its latest year. */
type Points = ReadonlyMap<number, TrafficPoint>;

function latestOf(files: readonly Points[]): Map<number, TrafficPoint> {
  const points = new Map<number, TrafficPoint>();
  for (const own of files)
    for (const point of own.values())
      if (point.year > (points.get(point.id)?.year ?? 0)) points.set(point.id, point);
  return points;
}

/** The latest of each point, without those that the newest file of their authority does not have. */
function withoutGone(files: readonly Points[]): Points {
  const points = latestOf(files);
  const newest = yearsOf(points.values());
  const years = files.map((own) => yearsOf(own.values()));
  for (const { id, authority } of points.values()) {
    const isThere = files.some(
      (own, at) => own.has(id) && years[at]?.get(authority) === newest.get(authority),
    );
    if (!isThere && authority !== '') points.delete(id);
  }
  return points;
}

/** Of each authority the newest year. */
const yearsOf = (points: Iterable<TrafficPoint>): ReadonlyMap<string, number> =>
  new Map(
    [...Map.groupBy(points, ({ authority }) => authority)].map(([name, own]) => [
      name,
      Math.max(...own.map(({ year }) => year)),
    ]),
  );

/** Throws IngestRefused where an authority loses most of its points. */
function tellGone(before: readonly TrafficPoint[], points: Points, { losses, tally }: Into): void {
  const pieces = [...Map.groupBy(before, ({ authority }) => authority)].map(([name, own]) => ({
    name: `count points of ${name}`,
    before: own.length,
    now: own.filter(({ id }) => points.has(id)).length,
  }));
  losses.refuseShrunk(pieces);
  for (const { id } of before)
    if (!points.has(id))
      tally.revise('count point that the newest file of its authority does not have', String(id));
}

/** Throws FileRefused. */
function refuseOtherFlows(file: InputFile): void {
  if (hasTitles(file, 'direction_of_travel')) {
    throw new FileRefused(
      file.name,
      'has flows by direction, which are half of the traffic; give dft_traffic_counts_aadf, without "by direction"',
    );
  }
  if (!hasTitles(file, 'road_category') && !hasTitles(file, 'road_type')) {
    throw new FileRefused(file.name, 'lacks a required column: "road_category" or "road_type"');
  }
}

async function readFlows(file: TextFile, into: Into): Promise<Points> {
  const points = new Map<number, TrafficPoint>();
  const lastYear = Number(formatDay(into.dating.today).slice(0, 4));
  await readNamedRows(file, format, columnsOf(file, columns, format), into, (row, at) => {
    const outcome = takeFlow(row, at, points, lastYear);
    if (outcome !== 'kept') into.tally.reject(outcome, placeOf(file, row));
  });
  return points;
}

/** By its category; files by local authority of 2019 and before have only the type, Major or Minor. */
function kindOfRoad(categoryText: string, typeText: string): 'major' | 'minor' | undefined {
  const category = categoryText.trim().toUpperCase();
  const type = typeText.trim().toLowerCase();
  if (minorCategories.includes(category) || (category === '' && type === 'minor')) return 'minor';
  return majorCategories.includes(category) || (category === '' && type === 'major') ? 'major' : undefined;
}

const parseWhole = (text: string) => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined);

/** Returns why a row was not kept. Of the rows of a point the latest year counts, and of one year the one with most traffic. */
function takeFlow(
  row: CsvRow,
  at: Places<typeof columns>,
  points: Map<number, TrafficPoint>,
  lastYear: number,
): string {
  const id = parseWhole(row.text(at.count_point_id));
  const year = parseWhole(row.text(at.year));
  if (id === undefined || year === undefined || year < 1990) return 'no count point or year';
  if (year > lastYear) return 'its year lies in the future';
  if (year === yearLeftOut) return 'of 2020, the year of the lockdowns';
  const road = kindOfRoad(row.text(at.road_category), row.text(at.road_type));
  if (road === undefined) return 'unknown kind of road';
  const isCounted = row.text(at.estimation_method).trim().toLowerCase() === 'counted';
  // Where nothing was counted on a minor road, the figure is an estimate from other roads.
  if (road === 'minor' && !isCounted) return 'minor road, estimated and not counted';
  if (/\bslip\b/i.test(`${row.text(at.road_name)} ${row.text(at.road_type)}`)) return 'slip road';
  const vehiclesADay = parseWhole(row.text(at.all_motor_vehicles));
  if (vehiclesADay === undefined) return 'no number of motor vehicles';
  const known = points.get(id);
  if (known !== undefined && known.year > year) return 'kept';
  // Some editions have a point several times a year.
  if (known?.year === year && known.vehiclesADay >= vehiclesADay) return 'kept';
  const point =
    parseDegrees(row.text(at.latitude), row.text(at.longitude)) ??
    parseGrid(row.text(at.easting), row.text(at.northing));
  if (point === undefined) return 'no place in Great Britain';
  const authority = row.text(at.local_authority_name).trim();
  points.set(id, { id, year, vehiclesADay, authority, ...point });
  return 'kept';
}
