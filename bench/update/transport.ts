// A made-up country of public transport in the official layouts, of the real size: NaPTAN, and a GTFS archive.

import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { randomFrom } from '../../scripts/random.ts';

/** The corner with most buses. */
const corner = { latitudeDegrees: 51.5135, longitudeDegrees: -0.1 };

const nodeTotal = 435_000;
const routeTotal = 14_000;
const stopsPerTrip = 40;
const areas = 140;
const stationTotal = 2_700;
const tubeTotal = 272;
/** Stops around the corner, and the routes that pass them. */
const cornerStops = 60;
const cornerRoutes = 150;

/** Towns: latitude, longitude, spread in degrees, share. */
const towns = [
  [51.5135, -0.1, 0.1, 0.12],
  [52.48, -1.89, 0.08, 0.06],
  [53.48, -2.24, 0.08, 0.06],
  [53.8, -1.55, 0.08, 0.05],
  [55.86, -4.25, 0.08, 0.05],
] as const;

type Spot = { readonly latitude: number; readonly longitude: number };

function makeSpot(random: () => number): Spot {
  let rest = random();
  for (const [latitude, longitude, spread, share] of towns) {
    rest -= share;
    if (rest >= 0) continue;
    const reach = spread * Math.sqrt(-2 * Math.log(1 - random()));
    const angle = 2 * Math.PI * random();
    return {
      latitude: latitude + reach * Math.sin(angle),
      longitude: longitude + (reach * Math.cos(angle)) / 0.62,
    };
  }
  return { latitude: 50.5 + 5 * random(), longitude: -4.5 + 5.5 * random() };
}

type Stop = Spot & { readonly code: string };

/** By latitude bands and longitude, so that neighbours in the list are neighbours on the ground. */
function makeStops(random: () => number): readonly Stop[] {
  const around = Array.from({ length: cornerStops }, () => ({
    latitude: corner.latitudeDegrees + (random() - 0.5) / 200,
    longitude: corner.longitudeDegrees + (random() - 0.5) / 120,
  }));
  const spots = Array.from({ length: nodeTotal - 60_000 }, () => makeSpot(random)).sort(
    (a, b) => Math.floor(a.latitude * 50) - Math.floor(b.latitude * 50) || a.longitude - b.longitude,
  );
  return [...around, ...spots].map((spot, at) => ({
    ...spot,
    code: `${String(100 + (at % areas))}0${String(at).padStart(8, '0')}`,
  }));
}

const nodeTitles =
  'ATCOCode,NaptanCode,PlateCode,CleardownCode,CommonName,CommonNameLang,ShortCommonName,ShortCommonNameLang,Landmark,LandmarkLang,Street,StreetLang,Crossing,CrossingLang,Indicator,IndicatorLang,Bearing,NptgLocalityCode,LocalityName,ParentLocalityName,GrandParentLocalityName,Town,TownLang,Suburb,SuburbLang,LocalityCentre,GridType,Easting,Northing,Longitude,Latitude,StopType,BusStopType,TimingStatus,DefaultWaitTime,Notes,NotesLang,AdministrativeAreaCode,CreationDateTime,ModificationDateTime,RevisionNumber,Modification,Status';

function writeNodes(folder: string, stops: readonly Stop[], random: () => number): void {
  const row = (code: string, name: string, type: string, { latitude, longitude }: Spot) =>
    `${code},abcdwxyz,,,${name},,${name},,A landmark,,A Street,,,,opp,,N,E0053152,A locality,,,A town,,,,false,UKOS,400000,300000,${longitude.toFixed(6)},${latitude.toFixed(6)},${type},MKD,OTH,,,,99,2010-03-02T09:00:00,2026-08-03T10:15:00,3,rev,active\n`;
  const file = openSync(path.join(folder, 'naptan.csv'), 'w');
  let text = `${nodeTitles}\n`;
  for (const [at, stop] of stops.entries()) {
    text += row(stop.code, `Stop ${at}`, 'BCT', stop);
    if (text.length > 1 << 20) {
      writeSync(file, text);
      text = '';
    }
  }
  for (let at = 0; at < stationTotal; at += 1) {
    text += row(`9100MADE${at}`, `Station ${at} Rail Station`, 'RLY', makeSpot(random));
  }
  for (let at = 0; at < tubeTotal; at += 1) {
    const spot = { latitude: 51.5 + (random() - 0.5) / 5, longitude: -0.1 + (random() - 0.5) / 3 };
    text += row(`9400ZZLU${at}`, `Tube ${at} Underground Station`, 'MET', spot);
  }
  for (let at = 0; at < 57_000; at += 1) text += row(`100E${at}`, `Entrance ${at}`, 'RSE', makeSpot(random));
  writeSync(file, text);
  closeSync(file);
}

export type TimetableSize = {
  /** Rows of stop_times. */
  readonly millions: number;
  /** Of shapes.txt, which nothing is read from, and which is most of the real archive; none where undefined. */
  readonly shapeMegabytes?: number;
};

function writeTimetable(
  folder: string,
  stops: readonly Stop[],
  { millions, shapeMegabytes = 0 }: TimetableSize,
  random: () => number,
): void {
  const tripsPerRoute = Math.round((millions * 1e6) / routeTotal / stopsPerTrip);
  const inFolder = (name: string) => path.join(folder, 'gtfs', name);
  mkdirSync(path.join(folder, 'gtfs'), { recursive: true });
  const put = (name: string, rows: readonly string[]) =>
    writeFileSync(inFolder(name), `\ufeff${rows.join('\r\n')}\r\n`);
  put('agency.txt', [
    'agency_id,agency_name,agency_url,agency_timezone,agency_lang,agency_phone,agency_noc',
    ...Array.from(
      { length: 700 },
      (_, at) => `OP${at},Operator ${at % 650},https://bus.example/,Europe/London,EN,,N${at % 680}`,
    ),
  ]);
  put('feed_info.txt', [
    'feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date,feed_version',
    'DfT,https://dft.example/,EN,20260901,20270901,20260901_020000',
  ]);
  put('stops.txt', [
    'stop_id,stop_code,stop_name,stop_lat,stop_lon,wheelchair_boarding,location_type,parent_station,platform_code',
    ...stops.map(
      ({ code, latitude, longitude }, at) =>
        `${code},,Stop ${at},${latitude.toFixed(6)},${longitude.toFixed(6)},0,0,,`,
    ),
  ]);
  const services = 60_000;
  put('calendar.txt', [
    'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date',
    ...Array.from(
      { length: services },
      (_, at) => `${at},1,${at % 5 === 0 ? 0 : 1},1,1,1,0,0,20260801,20270901`,
    ),
  ]);
  put('calendar_dates.txt', [
    'service_id,date,exception_type',
    ...Array.from({ length: 10 * services }, (_, at) => `${at % services},202612${25 + (at % 5)},2`),
  ]);
  put('routes.txt', [
    'route_id,agency_id,route_short_name,route_long_name,route_type',
    ...Array.from(
      { length: routeTotal },
      (_, at) => `${at},OP${at % 700},${1 + (at % 400)},,${at % 100 === 0 ? 0 : 3}`,
    ),
  ]);
  const trips = openSync(inFolder('trips.txt'), 'w');
  const times = openSync(inFolder('stop_times.txt'), 'w');
  writeSync(
    trips,
    'route_id,service_id,trip_id,trip_headsign,direction_id,block_id,shape_id,wheelchair_accessible,vehicle_journey_code\r\n',
  );
  writeSync(
    times,
    'trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign,pickup_type,drop_off_type,shape_dist_traveled,timepoint\r\n',
  );
  for (let route = 0; route < routeTotal; route += 1) {
    const first = cornerStops + Math.floor(random() * (stops.length - 200));
    const calls = Array.from({ length: stopsPerTrip }, (_, at) =>
      route % Math.floor(routeTotal / cornerRoutes) === 1 && at < 8
        ? stops[Math.floor(random() * cornerStops)]
        : stops[first + at],
    );
    // A row of a trip but for its id; all trips of a route are alike but for that.
    const tails = calls.map(
      (stop, at) =>
        `,08:${10 + at}:00,08:${10 + at}:00,${stop?.code ?? ''},${at},,${at === stopsPerTrip - 1 ? 1 : 0},0,,1\r\n`,
    );
    let [tripText, timeText] = ['', ''];
    for (let trip = 0; trip < tripsPerRoute; trip += 1) {
      const id = `VJ${Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(
          8,
          '0',
        )}${'0123456789abcdef01234567'}${(route * 1000 + trip).toString(16).padStart(8, '0')}`;
      tripText += `${route},${Math.floor(random() * services)},${id},Made up,0,,,0,VJ${trip}\r\n`;
      for (const tail of tails) timeText += id + tail;
    }
    writeSync(trips, tripText);
    writeSync(times, timeText);
  }
  closeSync(trips);
  closeSync(times);
  if (shapeMegabytes > 0) writeShapes(inFolder('shapes.txt'), shapeMegabytes, random);
  // From within the folder, so that entries have plain names.
  const made = spawnSync('zip', ['-1', '-q', '-r', '../itm_all_gtfs.zip', '.'], {
    cwd: path.join(folder, 'gtfs'),
    stdio: 'inherit',
  });
  if (made.status !== 0) throw new Error('The command "zip" is needed to make the archive.');
  rmSync(path.join(folder, 'gtfs'), { recursive: true });
}

/** The same block again and again: no compressor looks back as far as that. */
function writeShapes(place: string, megabytes: number, random: () => number): void {
  const rows = Array.from({ length: 24_000 }, (_, at) => {
    const [latitude, longitude] = [50 + 8 * random(), -5 + 6 * random()];
    return `RP${at >> 7},${latitude.toFixed(6)},${longitude.toFixed(6)},${at % 128},${Math.floor(random() * 1e5)}\r\n`;
  });
  const block = Buffer.from(rows.join(''));
  const file = openSync(place, 'w');
  writeSync(file, 'shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled\r\n');
  for (let written = 0; written < megabytes * 1e6; written += block.length) writeSync(file, block);
  closeSync(file);
}

function writeDocksAndFlows(folder: string, random: () => number): void {
  const docks = Array.from({ length: 800 }, (_, at) => ({
    id: `BikePoints_${at}`,
    commonName: `Dock ${at}`,
    placeType: 'BikePoint',
    additionalProperties: [{ key: 'Installed', value: 'true', modified: '2026-09-01T00:00:00Z' }],
    lat: corner.latitudeDegrees + (random() - 0.5) / 10,
    lon: corner.longitudeDegrees + (random() - 0.5) / 5,
  }));
  writeFileSync(path.join(folder, 'bikepoint.json'), JSON.stringify(docks));
  const titles =
    'count_point_id,year,road_name,road_category,easting,northing,latitude,longitude,estimation_method,all_motor_vehicles';
  const flows = Array.from({ length: 45_000 }, (_, id) => {
    const { latitude, longitude } = makeSpot(random);
    const flow = Math.floor(40_000 * random());
    return [2019, 2020, 2024, 2025]
      .map(
        (year) => `${id},${year},A1,PA,1,1,${latitude.toFixed(6)},${longitude.toFixed(6)},Counted,${flow}\n`,
      )
      .join('');
  });
  writeFileSync(path.join(folder, 'traffic.csv'), `${titles}\n${flows.join('')}`);
}

export function makeCountry(folder: string, size: TimetableSize): void {
  mkdirSync(folder, { recursive: true });
  const random = randomFrom(11);
  const stops = makeStops(random);
  writeNodes(folder, stops, random);
  writeDocksAndFlows(folder, randomFrom(12));
  writeTimetable(folder, stops, size, random);
}
