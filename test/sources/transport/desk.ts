// Shared by the tests of the transport sources: rows in the official layouts, and what a load reports.

import assert from 'node:assert/strict';
import { makeZip } from '../../../scripts/make-zip.ts';
import type { TestHome } from '../../ingest/home.ts';

export const nodeTitles =
  'ATCOCode,NaptanCode,PlateCode,CleardownCode,CommonName,CommonNameLang,ShortCommonName,ShortCommonNameLang,Landmark,LandmarkLang,Street,StreetLang,Crossing,CrossingLang,Indicator,IndicatorLang,Bearing,NptgLocalityCode,LocalityName,ParentLocalityName,GrandParentLocalityName,Town,TownLang,Suburb,SuburbLang,LocalityCentre,GridType,Easting,Northing,Longitude,Latitude,StopType,BusStopType,TimingStatus,DefaultWaitTime,Notes,NotesLang,AdministrativeAreaCode,CreationDateTime,ModificationDateTime,RevisionNumber,Modification,Status';

/** A row of NaPTAN with what is given; the rest is empty but for an active status. */
export const node = (values: Readonly<Record<string, string>>): string =>
  nodeTitles
    .split(',')
    .map(
      (title) => ({ Status: 'active', ModificationDateTime: '2026-08-01T10:00:00', ...values })[title] ?? '',
    )
    .join();

/** As many stations in the North Sea as a list of the whole country has. */
export const stationsOfCountry = (modified = '2026-08-01'): readonly string[] =>
  Array.from({ length: 2_600 }, (_, at) =>
    node({
      ATCOCode: at < 250 ? `9400ZZLUX${at}` : `9100X${at}`,
      CommonName: `Station ${at}`,
      StopType: at < 250 ? 'MET' : 'RLY',
      Latitude: String(56 + 0.05 * Math.floor(at / 100)),
      Longitude: (0.2 + 0.015 * (at % 100)).toFixed(3),
      ModificationDateTime: `${modified}T10:00:00`,
    }),
  );

export const nodesFile = (...rows: readonly string[]): string => `${[nodeTitles, ...rows].join('\n')}\n`;

export const gtfsTitles = {
  agency: 'agency_id,agency_name,agency_url,agency_timezone,agency_lang,agency_phone,agency_noc',
  routes: 'route_id,agency_id,route_short_name,route_long_name,route_type',
  trips:
    'route_id,service_id,trip_id,trip_headsign,direction_id,block_id,shape_id,wheelchair_accessible,vehicle_journey_code',
  stops:
    'stop_id,stop_code,stop_name,stop_lat,stop_lon,wheelchair_boarding,location_type,parent_station,platform_code',
  stop_times:
    'trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign,pickup_type,drop_off_type,shape_dist_traveled,timepoint',
  calendar: 'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date',
  calendar_dates: 'service_id,date,exception_type',
  feed_info: 'feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date,feed_version',
} as const;

export type Timetable = {
  /** Stop → latitude and longitude. */
  readonly stops: Readonly<Record<string, readonly [number, number]>>;
  /** Agency → national operator code and name. */
  readonly agencies?: Readonly<Record<string, readonly [noc: string, name: string]>>;
  /** Route → agency, short name, route type, service; it calls at the stops, in this order. */
  readonly routes: readonly {
    readonly id: string;
    readonly agency?: string;
    readonly name: string;
    readonly type?: number;
    readonly service?: string;
    readonly calls: readonly string[];
    /** Stops where nobody may board. */
    readonly noPickup?: readonly string[];
  }[];
  readonly calendar?: readonly string[];
  readonly calendarDates?: readonly string[];
  /** First and last day; null leaves the file out. */
  readonly validity?: readonly [string, string] | null;
};

const always = 'daily,1,1,1,1,1,1,1,20260901,20270901';

/** Text of each file of an archive in the layout of the Bus Open Data Service, byte order marks included. */
export function gtfsFiles(timetable: Timetable): Record<string, string> {
  const {
    stops,
    routes,
    calendar = [always],
    calendarDates = [],
    validity = ['20260901', '20270901'],
  } = timetable;
  const agencies = timetable.agencies ?? { OP1: ['ABUS', 'A Buses'] };
  const rows: Record<keyof typeof gtfsTitles, readonly string[]> = {
    agency: Object.entries(agencies).map(
      ([id, [noc, name]]) => `${id},${name},https://bus.example/,Europe/London,EN,,${noc}`,
    ),
    routes: routes.map(({ id, agency = 'OP1', name, type = 3 }) => `${id},${agency},${name},,${type}`),
    trips: routes.map(({ id, service = 'daily' }) => `${id},${service},VJ${id},Somewhere,0,,,0,`),
    stops: Object.entries(stops).map(
      ([id, [latitude, longitude]]) => `${id},,A stop,${latitude},${longitude},0,0,,`,
    ),
    stop_times: routes.flatMap(({ id, calls, noPickup = [] }) =>
      calls.map(
        (stop, at) => `VJ${id},08:00:00,08:00:00,${stop},${at},,${noPickup.includes(stop) ? 1 : 0},0,,1`,
      ),
    ),
    calendar,
    calendar_dates: calendarDates,
    feed_info: validity === null ? [] : [`DfT,https://dft.example/,EN,${validity.join()},20260901_020000`],
  };
  return Object.fromEntries(
    Object.entries(rows)
      .filter(([table]) => table !== 'feed_info' || validity !== null)
      .map(([table, lines]) => [
        `${table}.txt`,
        `\ufeff${[gtfsTitles[table as keyof typeof gtfsTitles], ...lines].join('\r\n')}\r\n`,
      ]),
  );
}

export const gtfsZip = (timetable: Timetable): Buffer => makeZip(gtfsFiles(timetable));

/** The first source's report, with counts by reason. */
export async function loadReport(home: TestHome, paths: readonly string[]) {
  const { sources, release } = await home.ingest(paths);
  const report = sources[0] ?? assert.fail('no source');
  const counts = (entries: typeof report.noted) =>
    Object.fromEntries(entries.map(({ reason, count }) => [reason, count]));
  return {
    ...report,
    noted: counts(report.noted),
    rejected: counts(report.rejected),
    revised: counts(report.revised),
    release,
  };
}
