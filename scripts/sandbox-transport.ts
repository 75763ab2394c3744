// Makes the fictional town's public transport and traffic in the official layouts: data/sandbox/naptan.csv,
// bus-timetables.zip, bikepoint.json and traffic.csv, with everything that is odd about the real ones.

import { writeFileSync } from 'node:fs';
import { gridToLatLong } from '../src/uk/grid.ts';
import { makeZip } from './make-zip.ts';

const folder = new URL('../data/sandbox/', import.meta.url);
const write = (name: string, content: string | Uint8Array) => writeFileSync(new URL(name, folder), content);
const lines = (rows: readonly string[]) => `${rows.join('\n')}\n`;
const degrees = (easting: number, northing: number) => {
  const { latitudeDegrees, longitudeDegrees } = gridToLatLong(easting, northing);
  return { latitude: latitudeDegrees.toFixed(6), longitude: longitudeDegrees.toFixed(6) };
};

// NaPTAN

const nodeTitles =
  'ATCOCode,NaptanCode,PlateCode,CleardownCode,CommonName,CommonNameLang,ShortCommonName,ShortCommonNameLang,Landmark,LandmarkLang,Street,StreetLang,Crossing,CrossingLang,Indicator,IndicatorLang,Bearing,NptgLocalityCode,LocalityName,ParentLocalityName,GrandParentLocalityName,Town,TownLang,Suburb,SuburbLang,LocalityCentre,GridType,Easting,Northing,Longitude,Latitude,StopType,BusStopType,TimingStatus,DefaultWaitTime,Notes,NotesLang,AdministrativeAreaCode,CreationDateTime,ModificationDateTime,RevisionNumber,Modification,Status';

type Node = {
  readonly code: string;
  readonly name: string;
  readonly type: string;
  readonly at: readonly [easting: number, northing: number];
  /** Longitude and latitude as they stand; from the grid reference where absent. */
  readonly degrees?: readonly [longitude: string, latitude: string];
  readonly status?: string;
};

function nodeRow({ code, name, type, at, degrees: given, status = 'active' }: Node): string {
  const [easting, northing] = at;
  const own = degrees(easting, northing);
  const [longitude, latitude] = given ?? [own.longitude, own.latitude];
  const values: Readonly<Record<string, string>> = {
    ATCOCode: code,
    CommonName: name,
    ShortCommonName: name,
    LocalityName: 'Zedbury',
    LocalityCentre: 'false',
    GridType: 'UKOS',
    Easting: String(easting),
    Northing: String(northing),
    Longitude: longitude,
    Latitude: latitude,
    StopType: type,
    BusStopType: type === 'BCT' ? 'MKD' : '',
    TimingStatus: type === 'BCT' ? 'OTH' : '',
    AdministrativeAreaCode: '999',
    CreationDateTime: '2015-03-02T09:00:00',
    ModificationDateTime: '2026-08-03T10:15:00',
    RevisionNumber: '3',
    Modification: 'revise',
    Status: status,
  };
  return nodeTitles
    .split(',')
    .map((title) => values[title] ?? '')
    .map((value) => (value.includes(',') ? `"${value}"` : value))
    .join();
}

const busStops: readonly Node[] = [
  { code: '9990ZB0001', name: 'Anchor Street', type: 'BCT', at: [590050, 480060] },
  { code: '9990ZB0002', name: 'Beacon Lane', type: 'BCT', at: [590300, 480120] },
  { code: '9990ZB0003', name: 'Harbour Walk', type: 'BCT', at: [590500, 480300] },
  { code: '9990ZB0004', name: 'Zedbury Bus Station (Bay 1)', type: 'BCS', at: [590420, 480450] },
  { code: '9990ZB0005', name: 'Quayside', type: 'BCT', at: [591600, 480500] },
  { code: '9990ZB0006', name: 'Tidewater Road', type: 'BCT', at: [591900, 480600] },
  { code: '9980ZB0001', name: 'Ffordd Tŵr', type: 'BCT', at: [587600, 479500] },
  { code: '9980ZB0002', name: 'Sgwâr Zedborth', type: 'BCT', at: [587900, 479600] },
  // Scottish stops of operators that do not publish.
  { code: '9970ZB0001', name: 'Zedhaven Cross', type: 'BCT', at: [589800, 483060] },
  { code: '9970ZB0002', name: 'Zedhaven Pier', type: 'BCT', at: [590100, 483120] },
];
const nodes: readonly Node[] = [
  ...busStops,
  { code: '9100ZEDBRY', name: 'Zedbury Rail Station', type: 'RLY', at: [590600, 480100] },
  { code: '9100ZEDBRYL', name: 'Zedbury Low Level Rail Station', type: 'RLY', at: [590650, 480150] },
  { code: '9100ZEDQUAY', name: 'Zed Quay (Zedshire) Rail Station', type: 'RLY', at: [592200, 480700] },
  { code: '9100ZDBRTH', name: 'Zedborth Rail Station', type: 'RLY', at: [587700, 479700] },
  { code: '9100ZZZTOWN', name: 'Zedbury Town Metro', type: 'RLY', at: [590300, 480300] },
  { code: '9100ZEDBUS', name: 'Zedbury Town Quay', type: 'RLY', at: [590320, 480320] },
  {
    code: '9400ZZLUZED',
    name: 'Zedbury Underground Station',
    type: 'MET',
    at: [590400, 480200],
    degrees: ['', ''],
  },
  { code: '9400ZZLUZE2', name: 'Zedbury Underground Station', type: 'MET', at: [590430, 480230] },
  {
    code: '9400ZZLUZDQ',
    name: 'Zed Quay Underground Station',
    type: 'MET',
    at: [591700, 480500],
    degrees: ['0', '0'],
  },
  { code: '9400ZZZTTWN', name: 'Zedbury Town (Zed Tram)', type: 'MET', at: [590310, 480310] },
  { code: '9990ZB0090', name: 'Old Pier', type: 'BCT', at: [592250, 480790], status: 'inactive' },
  { code: '9990ZB0091', name: 'New Pier', type: 'BCT', at: [592250, 480780], status: 'pending' },
  {
    code: '9990ZB0092',
    name: 'Lost at Sea',
    type: 'BCT',
    at: [7, 0],
    degrees: ['-7.5572', '49.7668'],
  },
  { code: '9990ZX0001', name: 'Zedbury Taxi Rank', type: 'TXR', at: [590390, 480210] },
  { code: '9990ZE0001', name: 'Zedbury Rail Station, North Entrance', type: 'RSE', at: [590605, 480120] },
];
write('naptan.csv', lines([nodeTitles, ...nodes.map(nodeRow)]));

// Timetables

type Trip = {
  readonly id: string;
  readonly route: string;
  readonly service: string;
  readonly stops: readonly string[];
};
const centre = ['9990ZB0001', '9990ZB0002', '9990ZB0003', '9990ZB0004'];
const trips: readonly Trip[] = [
  { id: 'VJ1', route: 'R1', service: 'weekdays', stops: centre },
  { id: 'VJ2', route: 'R1', service: 'weekdays', stops: centre.toReversed() },
  // The authority's copy of the same route.
  { id: 'VJ3', route: 'R1COPY', service: 'weekdays', stops: centre },
  { id: 'VJ4', route: 'R2', service: 'weekdays', stops: ['9990ZB0004', '9990ZB0005', '9990ZB0006'] },
  { id: 'VJ5', route: 'RX3', service: 'weekdays', stops: ['9990ZB0003', '9980ZB0001', '9980ZB0002'] },
  { id: 'VJ6', route: 'RX3COPY', service: 'weekdays', stops: ['9990ZB0003', '9980ZB0001'] },
  { id: 'VJ7', route: 'R9', service: 'sundays', stops: ['9990ZB0001', '9990ZB0005', '9990ZB0006'] },
  { id: 'VJ8', route: 'R5', service: 'tuesday-market', stops: ['9990ZB0002', '9990ZB0004'] },
  { id: 'VJ9', route: 'RC', service: 'weekdays', stops: ['9990ZB0004', '9980ZB0002'] },
  { id: 'VJ10', route: 'RTRAM', service: 'weekdays', stops: ['9990ZB0002', '9990ZB0003'] },
  { id: 'VJ11', route: 'RFERRY', service: 'weekdays', stops: ['9990ZB0005', '9990ZB0006'] },
];
const gtfs = new Map<string, readonly string[]>([
  [
    'agency.txt',
    [
      'agency_id,agency_name,agency_url,agency_timezone,agency_lang,agency_phone,agency_noc',
      'OP1,Zedbury Buses,https://buses.example/,Europe/London,EN,,ZEDB',
      'OP2,"Zedbury Buses Ltd.",https://zedbury.example/,Europe/London,EN,,',
      'OP3,Zed Coaches,https://coaches.example/,Europe/London,EN,,ZEDC',
      'OP4,Zed Tram,https://tram.example/,Europe/London,EN,,ZEDT',
    ],
  ],
  [
    'routes.txt',
    [
      'route_id,agency_id,route_short_name,route_long_name,route_type',
      'R1,OP1,1,,3',
      'R1COPY,OP2, 1,,3',
      'R2,OP1,2,,3',
      'RX3,OP1,X3,,3',
      'RX3COPY,OP2,x3,,3',
      'R9,OP1,9,,3',
      'R5,OP1,5,,3',
      'RC,OP3,,Zedbury – Zedborth express,200',
      'RTRAM,OP4,T1,,0',
      'RFERRY,OP4,F1,,4',
    ],
  ],
  [
    'calendar.txt',
    [
      'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date',
      'weekdays,1,1,1,1,1,0,0,20260901,20270901',
      'sundays,0,0,0,0,0,0,1,20260901,20270901',
    ],
  ],
  [
    'calendar_dates.txt',
    [
      'service_id,date,exception_type',
      'weekdays,20260901,2',
      'tuesday-market,20260915,1',
      'tuesday-market,20260922,1',
    ],
  ],
  [
    'trips.txt',
    [
      'route_id,service_id,trip_id,trip_headsign,direction_id,block_id,shape_id,wheelchair_accessible,vehicle_journey_code',
      ...trips.map(({ id, route, service }) => `${route},${service},${id},Zedbury,0,,,0,${id}`),
    ],
  ],
  [
    'stops.txt',
    [
      'stop_id,stop_code,stop_name,stop_lat,stop_lon,wheelchair_boarding,location_type,parent_station,platform_code',
      ...busStops
        .filter(({ code }) => !code.startsWith('997'))
        .map(({ code, name, at }) => {
          const { latitude, longitude } = degrees(...at);
          return `${code},,${name},${latitude},${longitude},0,0,,`;
        }),
    ],
  ],
  [
    'stop_times.txt',
    [
      'trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign,pickup_type,drop_off_type,shape_dist_traveled,timepoint',
      ...trips.flatMap(({ id, stops }) =>
        stops.map((stop, index) => {
          const time = `08:${String(10 * index).padStart(2, '0')}:00`;
          const isLast = index === stops.length - 1;
          return `${id},${time},${time},${stop},${index},,${isLast ? 1 : 0},${index === 0 ? 1 : 0},,1`;
        }),
      ),
    ],
  ],
  [
    'feed_info.txt',
    [
      'feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date,feed_version',
      'Department of Made-up Transport,https://transport.example/,EN,20260901,20270901,20260901_020000',
    ],
  ],
]);
write(
  'bus-timetables.zip',
  makeZip(Object.fromEntries([...gtfs].map(([name, rows]) => [name, `\ufeff${rows.join('\r\n')}\r\n`]))),
);

// Cycle hire

type Dock = { readonly name: string; readonly at: readonly [number, number]; readonly installed?: string };
const docks: readonly (Dock & { readonly removed?: string })[] = [
  { name: 'Anchor Street, Zedbury', at: [590080, 480090] },
  { name: 'Harbour Walk, Zedbury', at: [590480, 480280] },
  { name: 'Lantern Court, Zedbury', at: [590700, 480400] },
  { name: 'Kelp Terrace, Zedbury', at: [590200, 480500], installed: 'false' },
  { name: 'Ebb Close, Zedbury', at: [590250, 480350], removed: '1767225600000' },
];
const modified = '2026-09-14T05:00:00.000Z';
const bikePoints = docks.map(({ name, at, installed = 'true', removed = '' }, index) => {
  const { latitude, longitude } = degrees(...at);
  const property = (key: string, value: string) => ({
    $type: 'Tfl.Api.Presentation.Entities.AdditionalProperties, Tfl.Api.Presentation.Entities',
    category: 'Description',
    key,
    sourceSystemKey: 'BikePoints',
    value,
    modified,
  });
  return {
    $type: 'Tfl.Api.Presentation.Entities.Place, Tfl.Api.Presentation.Entities',
    id: `BikePoints_${9001 + index}`,
    url: `/Place/BikePoints_${9001 + index}`,
    commonName: name,
    placeType: 'BikePoint',
    additionalProperties: [
      property('TerminalName', `99${9001 + index}`),
      property('Installed', installed),
      property('Locked', 'false'),
      property('InstallDate', '1278947280000'),
      property('RemovalDate', removed),
      property('Temporary', 'false'),
      property('NbBikes', '7'),
      property('NbEmptyDocks', '12'),
      property('NbDocks', '19'),
      property('NbStandardBikes', '5'),
      property('NbEBikes', '2'),
    ],
    children: [],
    childrenUrls: [],
    lat: Number(latitude),
    lon: Number(longitude),
  };
});
write('bikepoint.json', `${JSON.stringify(bikePoints, null, 1)}\n`);

// Traffic

const flowTitles =
  'count_point_id,year,region_id,region_name,region_ons_code,local_authority_id,local_authority_name,local_authority_code,road_name,road_category,road_type,start_junction_road_name,end_junction_road_name,easting,northing,latitude,longitude,link_length_km,link_length_miles,estimation_method,estimation_method_detailed,pedal_cycles,two_wheeled_motor_vehicles,cars_and_taxis,buses_and_coaches,LGVs,HGVs_2_rigid_axle,HGVs_3_rigid_axle,HGVs_4_or_more_rigid_axle,HGVs_3_or_4_articulated_axle,HGVs_5_articulated_axle,HGVs_6_articulated_axle,all_HGVs,all_motor_vehicles';

type Flow = {
  readonly id: number;
  readonly year: number;
  readonly road: string;
  readonly category: string;
  readonly at: readonly [number, number];
  readonly method?: string;
  readonly vehicles: number;
};
const flows: readonly Flow[] = [
  { id: 990001, year: 2019, road: 'A9990', category: 'PA', at: [590300, 480350], vehicles: 16_100 },
  { id: 990001, year: 2020, road: 'A9990', category: 'PA', at: [590300, 480350], vehicles: 9_900 },
  { id: 990001, year: 2025, road: 'A9990', category: 'PA', at: [590300, 480350], vehicles: 17_250 },
  { id: 990002, year: 2024, road: 'B9991', category: 'MB', at: [591750, 480650], vehicles: 4_300 },
  {
    id: 990002,
    year: 2025,
    road: 'B9991',
    category: 'MB',
    at: [591750, 480650],
    method: 'Estimated',
    vehicles: 4_800,
  },
  { id: 990003, year: 2025, road: 'M999', category: 'TM', at: [588200, 478900], vehicles: 61_000 },
  { id: 990004, year: 2025, road: 'M999 slip road', category: 'TM', at: [587600, 479500], vehicles: 8_000 },
];
const flowRow = ({ id, year, road, category, at, method = 'Counted', vehicles }: Flow) => {
  const { latitude, longitude } = degrees(...at);
  const type = category.startsWith('M') ? 'Minor' : 'Major';
  const small = Math.round(vehicles / 100);
  const trucks = [small, small, small, small, small, small];
  const cars = vehicles - 10 * small;
  return `${id},${year},99,Zedshire,E12000999,999,Zedbury,E06000999,${road},${category},${type},A9990,B9991,${at.join()},${latitude},${longitude},1.0,0.62,${method},"${method === 'Counted' ? 'Manual count' : 'Estimated from nearby links'}",40,${small},${cars},${small},${2 * small},${trucks.join()},${6 * small},${vehicles}`;
};
write('traffic.csv', lines([flowTitles, ...flows.map(flowRow)]));
