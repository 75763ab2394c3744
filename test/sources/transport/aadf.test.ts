// Traffic flows of the Department for Transport, of all years and in the spelling of old and new files.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { makeZip } from '../../../scripts/make-zip.ts';
import { openTraffic } from '../../../src/tables/transport/traffic.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';
import { realFile, testWith } from '../../requirements.ts';
import { loadReport } from './desk.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const titles =
  'count_point_id,year,region_id,region_name,region_ons_code,local_authority_id,local_authority_name,local_authority_code,road_name,road_category,road_type,start_junction_road_name,end_junction_road_name,easting,northing,latitude,longitude,link_length_km,link_length_miles,estimation_method,estimation_method_detailed,pedal_cycles,two_wheeled_motor_vehicles,cars_and_taxis,buses_and_coaches,LGVs,HGVs_2_rigid_axle,HGVs_3_rigid_axle,HGVs_4_or_more_rigid_axle,HGVs_3_or_4_articulated_axle,HGVs_5_articulated_axle,HGVs_6_articulated_axle,all_HGVs,all_motor_vehicles';
type Flow = {
  id?: number;
  year?: number;
  road?: string;
  category?: string;
  method?: string;
  at?: string;
  flow?: string;
};
const row = ({
  id = 1,
  year = 2025,
  road = 'A1',
  category = 'PA',
  method = 'Counted',
  at = '51.5,-0.1',
  flow = '100',
}: Flow) =>
  `${id},${year},1,London,E12000007,1,City,E09000001,${road},${category},Major,A1,A2,531000,181000,${at},1.0,0.62,${method},Manual count,1,1,1,1,1,1,1,1,1,1,1,1,${flow}`;
const csv = (...flows: readonly Flow[]) => `\ufeff${[titles, ...flows.map(row)].join('\n')}\n`;
const points = () =>
  [...openTraffic(home.store.openCurrent()).points()]
    .map(({ id, year, vehiclesADay }) => [id, year, vehiclesADay])
    .sort(([a = 0], [b = 0]) => a - b);

test('a point keeps its latest year but never 2020; minor roads only when counted; slip roads never', async () => {
  const zip = makeZip({
    'dft_traffic_counts_aadf.csv': csv(
      { id: 1, year: 2019, flow: '300' },
      { id: 1, year: 2025, flow: '100' },
      { id: 1, year: 2024, flow: '200' },
      { id: 2, year: 2019, flow: '50' },
      { id: 2, year: 2019, flow: '40' },
      { id: 2, year: 2020, flow: '20' },
      { id: 3, year: 2018, category: 'MB', flow: '7' },
      { id: 3, year: 2025, category: 'MB', method: 'Estimated', flow: '9' },
      { id: 4, year: 2025, category: 'MCU', method: 'Estimated' },
      { id: 5, road: 'M1 slip road' },
      { id: 6, method: 'Estimated', flow: '600' },
      { id: 7, flow: '' },
      { id: 8, at: ',' },
    ),
  });
  const { rejected, asOf } = await loadReport(home, [home.put('aadf.zip', zip)]);
  assert.deepEqual(points(), [
    [1, 2025, 100],
    [2, 2019, 50],
    [3, 2018, 7],
    [6, 2025, 600],
    [8, 2025, 100],
  ]);
  assert.deepEqual(rejected, {
    'of 2020, the year of the lockdowns': 1,
    'minor road, estimated and not counted': 2,
    'slip road': 1,
    'no number of motor vehicles': 1,
  });
  assert.equal(asOf, '2025-12-31');
  // The last has its place from the grid reference.
  const near = { latitudeDegrees: 51.5121, longitudeDegrees: -0.1138, radiusMetres: 500 };
  assert.equal(openTraffic(home.store.openCurrent()).findBusiest(near)?.vehiclesADay, 100);
});

test('a year in the future is nobody’s traffic yet', async () => {
  const flows = csv({ id: 1, year: 2025 }, { id: 1, year: 2027 }, { id: 2, year: 2099 });
  const { rejected, asOf } = await loadReport(home, [home.put('aadf.csv', flows)]);
  assert.deepEqual(
    [points(), rejected, asOf],
    [[[1, 2025, 100]], { 'its year lies in the future': 2 }, '2025-12-31'],
  );
});

test('titles of old files, with capitals, are the same titles', async () => {
  const old = csv({ flow: '123' }).replace(
    titles,
    titles.replace(/(^|,)([a-z])/g, (_, comma, letter) => comma + letter.toUpperCase()),
  );
  assert.match(old, /Count_point_id,Year/);
  await home.ingest([home.put('aadf.csv', old)]);
  assert.deepEqual(points(), [[1, 2025, 123]]);
});

test('authorities are one after the other the same as together, and the later year of a point stays', async () => {
  await home.ingest([home.put('a.csv', csv({ id: 1, year: 2025, flow: '5' }, { id: 2, year: 2023 }))]);
  await home.ingest([
    home.put('b.csv', csv({ id: 2, year: 2025, flow: '6' }, { id: 1, year: 2024 }, { id: 3 })),
  ]);
  assert.deepEqual(points(), [
    [1, 2025, 5],
    [2, 2025, 6],
    [3, 2025, 100],
  ]);
});

test('a point that the newest file of its authority no longer has goes with it, in any order and number of runs', async () => {
  const wight = csv({ id: 1, year: 2015, flow: '90000' }, { id: 2, year: 2015 }, { id: 3, year: 2015 });
  const later = csv({ id: 2, year: 2018 }, { id: 2, year: 2021, flow: '7' }, { id: 3, year: 2019 });
  const other = csv({ id: 9, year: 2018 }).replaceAll(',City,', ',Elsewhere,');
  const files = { 'a.csv': wight, 'b.csv': later, 'c.csv': other };
  const given = Object.entries(files).map(([name, content]) => [name, content] as const);
  for (const order of [given, given.toReversed()]) {
    for (const runs of [[order], order.map((one) => [one])]) {
      const own = openTestHome();
      for (const run of runs) await own.ingest(run.map(([name, content]) => own.put(name, content)));
      const release = own.store.openCurrent();
      const kept = [...openTraffic(release).points()].map(({ id, year }) => `${id} ${year}`).sort();
      assert.deepEqual(
        [kept, release.findDataset('traffic')?.asOf],
        [['2 2021', '3 2019', '9 2018'], '2018-12-31'],
      );
      own.remove();
    }
  }
});

test('a file that has much fewer points of an authority than were loaded is refused', async () => {
  const flows = Array.from({ length: 60 }, (_, at) => ({ id: at + 1, year: 2021 }));
  await home.ingest([home.put('a.csv', csv(...flows))]);
  await assert.rejects(
    home.ingest([home.put('b.csv', csv({ id: 1, year: 2022 }))]),
    /these would be lost: 59 of 60 rows of count points of City/,
  );
});

test('flows by direction, and files without usable rows, are refused', async () => {
  const refused = (text: string, message: RegExp) =>
    assert.rejects(home.ingest([home.put('a.csv', text)]), message);
  await refused(csv({}).replace('road_name', 'direction_of_travel'), /by direction/);
  await refused(csv({ year: 2020 }), /no flow that can be used/);
  await refused(csv({}).replace('easting', 'east'), /lacks a required column: "easting"/);
});

const ofAuthority2019 =
  'count_point_id,year,region_id,region_name,local_authority_id,local_authority_name,road_name,road_type,start_junction_road_name,end_junction_road_name,easting,northing,latitude,longitude,link_length_km,link_length_miles,estimation_method,estimation_method_detailed,pedal_cycles,two_wheeled_motor_vehicles,cars_and_taxis,buses_and_coaches,lgvs,hgvs_2_rigid_axle,hgvs_3_rigid_axle,hgvs_4_or_more_rigid_axle,hgvs_3_or_4_articulated_axle,hgvs_5_articulated_axle,hgvs_6_articulated_axle,all_hgvs,all_motor_vehicles';
const row2019 = (id: number, type: string, method: string, flow: number) =>
  `${id},2018,9,South East,9,Isle of Wight,A3021,${type},Well Rd,B3321,451060,95000,50.752,-1.277,1.1,0.7,${method},Manual count,1,1,1,1,1,1,1,1,1,1,1,1,${flow}`;

test('files by local authority of 2019 have the type of the road in place of its category', async () => {
  const text = [
    ofAuthority2019,
    row2019(1, 'Major', 'Estimated', 2672),
    row2019(2, 'Minor', 'Estimated', 400),
    row2019(3, 'Minor', 'Counted', 500),
    row2019(4, 'Track', 'Counted', 600),
  ].join('\n');
  // Found by title: columns in another order give the same.
  const reversed = text
    .split('\n')
    .map((line) => line.split(',').reverse().join())
    .join('\n');
  for (const content of [text, reversed]) {
    const { rejected } = await loadReport(home, [home.put('dft_aadf_local_authority_id_9.csv', content)]);
    assert.deepEqual(points(), [
      [1, 2018, 2672],
      [3, 2018, 500],
    ]);
    assert.deepEqual(rejected, {
      'minor road, estimated and not counted': 1,
      'unknown kind of road': 1,
    });
  }
  await assert.rejects(
    home.ingest([home.put('b.csv', text.replace('road_type', 'kind'))]),
    /lacks a required column: "road_category" or "road_type"/,
  );
});

testWith(
  realFile('data/places/isle-of-wight/aadf_2015_isle_of_wight.reshaped.csv'),
  'real counts of the Isle of Wight are all kept',
  async (file) => {
    const { rejected, rows } = await loadReport(home, [file]);
    assert.deepEqual([rows, rejected], [38, {}]);
  },
);
