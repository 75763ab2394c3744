// The transport object: what is known where, and null where nobody has looked.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { ensureSample } from '../../../src/cli/bundled/bundled.ts';
import { describeTransport, transport } from '../../../src/endpoints/area-statistics/transport.ts';
import { noProgress } from '../../../src/ingest/progress.ts';
import { firstRows } from '../../../src/ingest/read/csv.ts';
import { runIngest } from '../../../src/ingest/run.ts';
import type { Release } from '../../../src/release/reader.ts';
import { openHome, type ReleaseStore } from '../../../src/release/store.ts';
import { sources } from '../../../src/sources/index.ts';
import { AmenitiesBuilder } from '../../../src/tables/amenities/amenities-builder.ts';
import { CoverageCells, columnOf, inside, rowOf } from '../../../src/tables/amenities/coverage-cells.ts';
import { layouts } from '../../../src/tables/index.ts';
import { openPostcodes, type PostcodeRow } from '../../../src/tables/postcodes/postcodes.ts';
import { distanceMetres } from '../../../src/uk/grid.ts';
import { parsePostcode } from '../../../src/uk/postcode.ts';
import { openTestHome } from '../../ingest/home.ts';
import { gtfsZip, node, nodesFile, stationsOfCountry } from '../../sources/transport/desk.ts';

const root = path.join(import.meta.dirname, '../../..');
let folder: string;
let sample: Release;
let sandbox: Release;
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-transport-'));
  const atMs = Date.UTC(2026, 10, 15, 12);
  await ensureSample(folder, atMs);
  const home = openHome(folder, layouts);
  sample = home.releases.openCurrent();
  // The town's transport alone, so that what the bundle has beside it decides nothing here.
  const files = ['postcodes.csv', 'naptan.csv', 'bus-timetables.zip', 'bikepoint.json', 'traffic.csv'];
  const paths = files.map((name) => path.join(root, 'data/sandbox', name));
  const order = {
    paths,
    sources,
    derivations: [],
    store: home.sandbox,
    base: undefined,
    atMs,
    progress: noProgress,
  };
  sandbox = (await runIngest({ ...order, id: 'town', kind: 'sandbox' })).release;
});
after(() => rmSync(folder, { recursive: true, force: true }));

const findRow = (release: Release, postcode: string): PostcodeRow =>
  openPostcodes(release).find(parsePostcode(postcode) ?? assert.fail(postcode)) ?? assert.fail(postcode);
const figures = (row: PostcodeRow, release: Release) => {
  const { basis, ...rest } = describeTransport(row, release);
  return Object.values(rest);
};
const recordsOf = (file: string) => {
  const [header = [], ...rows] = firstRows(
    readFileSync(path.join(root, file)),
    Number.POSITIVE_INFINITY,
    'utf-8',
  );
  return rows.map((row) => (name: string) => row[header.indexOf(name)] ?? '');
};

test('the sample answers stations for EC2Y 8DN as its list has them, and nothing else', () => {
  const row = findRow(sample, 'EC2Y 8DN');
  const { latitudeDegrees = 0, longitudeDegrees = 0 } = row.point ?? {};
  const near = (type: string, metres: number) =>
    recordsOf('data/sample/naptan.csv').filter(
      (get) =>
        get('StopType') === type &&
        distanceMetres(
          latitudeDegrees,
          longitudeDegrees,
          Number(get('Latitude')),
          Number(get('Longitude')),
        ) <= metres,
    );
  const tubes = new Set(near('MET', 1_600).map((get) => get('CommonName')));
  const rails = new Set(
    near('RLY', 3_000).map((get) => get('CommonName').replace(/^London | \(London\)$/g, '')),
  );
  assert.ok(rails.has('Tottenham Court Road'));
  const answer = describeTransport(row, sample);
  const period = 'TfL June 2026, NaPTAN RailReferences December 2019 and access nodes July 2026';
  assert.deepEqual(figures(row, sample), [tubes.size, rails.size, null, null, null, 'Unknown']);
  assert.deepEqual(
    answer.basis.map(({ fields, radiusMetres, period: of }) => [...fields, radiusMetres, of]),
    [
      ['tubeStations', 1_600, period],
      ['railStations', 3_000, period],
    ],
  );
  assert.match(answer.basis[0]?.source ?? '', /bundled sample/);
});

test('every postcode of the sample has its stations counted; a place beyond its reach has none', () => {
  for (const get of recordsOf('data/sample/postcodes-2025-10-17.csv')) {
    const [tube, rail] = figures(findRow(sample, get('pcds')), sample);
    assert.ok(tube !== null && rail !== null, get('pcds'));
  }
  const row = findRow(sample, 'EC2Y 8DN');
  const away = { ...row, point: { latitudeDegrees: 52.9, longitudeDegrees: -3.2 } };
  assert.deepEqual(figures(away, sample), [null, null, null, null, null, 'Unknown']);
});

test('the sandbox has every case: counts, none, unknown', () => {
  const expected = {
    'ZZ1 1AA': [1, 3, 2, 2, null, 'High'],
    'ZZ1 2AN': [2, 2, 4, 2, null, 'High'],
    'ZZ2 1AA': [2, 2, 1, 1, null, 'Low'],
    'ZZ2 2AJ': [2, 2, 0, null, null, 'Low'],
    'ZZ3 1AA': [0, 1, 1, null, null, 'Very high'],
    'ZZ4 1AA': [0, 0, null, null, null, 'Unknown'],
    'ZZ2 9ZZ': [null, null, null, null, null, 'Unknown'],
  };
  for (const [postcode, wanted] of Object.entries(expected)) {
    assert.deepEqual(figures(findRow(sandbox, postcode), sandbox), wanted, postcode);
  }
});

test('a figure is null exactly where it has no basis, and the answer is of its shape', () => {
  for (const postcode of ['ZZ1 1AA', 'ZZ2 2AJ', 'ZZ4 1AA', 'ZZ2 9ZZ']) {
    const answer = describeTransport(findRow(sandbox, postcode), sandbox);
    const based = new Set(answer.basis.flatMap(({ fields }) => fields));
    for (const [name, value] of Object.entries(answer)) {
      if (name === 'basis') continue;
      assert.equal(value !== null && value !== 'Unknown', based.has(name), `${postcode} ${name}`);
    }
    assert.deepEqual(JSON.parse(transport.write(answer)), answer);
  }
});

test('in Northern Ireland rail, buses and traffic are not known, and there is no Underground', () => {
  const row: PostcodeRow = { ...findRow(sandbox, 'ZZ1 1AA'), nation: 'Northern Ireland' };
  assert.deepEqual(figures(row, sandbox), [1, null, null, 2, null, 'Unknown']);
});

const place: PostcodeRow = {
  postcode: 'LS1 1AA',
  nation: 'England',
  authorityCode: null,
  wardCode: null,
  countyCode: null,
  regionCode: null,
  lsoaCode: null,
  msoaCode: null,
  policeForceCode: null,
  point: { latitudeDegrees: 53.8, longitudeDegrees: -1.55 },
  terminated: null,
  usage: null,
};
const timetable = gtfsZip({
  stops: { '450000001': [53.9, -1.55] },
  routes: [{ id: '1', name: '1', calls: ['450000001'] }],
});
const busStop = (area: string, at: Readonly<Record<string, string>>) =>
  node({ ATCOCode: `${area}0000001`, CommonName: 'A stop', StopType: 'BCT', ...at });
const elsewhere = Array.from({ length: 120 }, (_, area) =>
  busStop(String(100 + area), { Latitude: '51', Longitude: '0' }),
);

test('no bus of the timetables is 0 only where the list of stops has none either', async () => {
  const home = openTestHome();
  try {
    const busRoutes = () => describeTransport(place, home.store.openCurrent()).busRoutes;
    await home.ingest([home.put('itm.zip', timetable)]);
    assert.equal(busRoutes(), null, 'stops are not loaded');
    await home.ingest([home.put('part.csv', nodesFile(busStop('068', { Latitude: '51', Longitude: '0' })))]);
    assert.equal(busRoutes(), null, 'stops of one area say nothing of another');
    await home.ingest([home.put('all.csv', nodesFile(...elsewhere))]);
    assert.equal(busRoutes(), 0, 'no stop');
    await home.ingest([
      home.put('leeds.csv', nodesFile(busStop('450', { Latitude: '53.8', Longitude: '-1.55' }))),
    ]);
    assert.equal(busRoutes(), null, 'a stop that the timetables do not have');
  } finally {
    home.remove();
  }
});

test('without any dataset everything is null and the traffic Unknown', async () => {
  const home = openTestHome();
  try {
    await home.ingest(['bank-rate.csv', 'bank-rate.json'].map((name) => path.join(root, 'data/facts', name)));
    assert.deepEqual(describeTransport(place, home.store.openCurrent()), {
      tubeStations: null,
      railStations: null,
      busRoutes: null,
      cycleHireStations: null,
      averageCommuteToCity: null,
      trafficLevel: 'Unknown',
      basis: [],
    });
  } finally {
    home.remove();
  }
});

test('levels of traffic begin where they say, and a count within 500 m goes before a busier one within 1 km', async () => {
  const titles =
    'count_point_id,year,road_name,road_category,easting,northing,latitude,longitude,estimation_method,all_motor_vehicles';
  const level = async (rows: readonly (readonly [metresNorth: number, flow: number])[]) => {
    const home = openTestHome();
    try {
      const lines = rows.map(
        ([metres, flow], id) =>
          `${id + 1},2025,A1,PA,1,1,${(53.8 + metres / 111_195.08).toFixed(6)},-1.55,Counted,${flow}`,
      );
      await home.ingest([home.put('aadf.csv', `${[titles, ...lines].join('\n')}\n`)]);
      return describeTransport(place, home.store.openCurrent()).trafficLevel;
    } finally {
      home.remove();
    }
  };
  for (const [flow, wanted] of [
    [4_999, 'Low'],
    [5_000, 'Moderate'],
    [14_999, 'Moderate'],
    [15_000, 'High'],
    [29_999, 'High'],
    [30_000, 'Very high'],
  ] as const) {
    assert.equal(await level([[0, flow]]), wanted, String(flow));
  }
  assert.equal(
    await level([
      [100, 10],
      [900, 90_000],
    ]),
    'Low',
  );
  assert.equal(
    await level([
      [900, 90_000],
      [800, 10],
    ]),
    'Very high',
  );
  assert.equal(await level([[1_100, 90_000]]), 'Unknown');
});

const dock = (id: number, metresNorth: number) => ({
  id: `BikePoints_${id}`,
  commonName: 'A dock',
  placeType: 'BikePoint',
  additionalProperties: [{ key: 'Installed', value: 'true', modified: '2026-09-01T00:00:00Z' }],
  lat: 53.8 + metresNorth / 111_195.08,
  lon: -1.55,
});

/** Stations of the map, so many metres north of the place; the map covers a few kilometres around it. */
function withMap(store: ReleaseStore, base: Release | undefined, metresNorth: readonly number[]): Release {
  const [row, column] = [rowOf(53_800_000) - 20, columnOf(-1_550_000) - 20];
  const window = { firstRow: row, firstColumn: column, rows: 40, columns: 40 };
  const cells = new CoverageCells(window, new Uint8Array(40 * 40).fill(inside));
  const builder = new AmenitiesBuilder();
  builder.add(
    { region: 'made-up', asOfMs: 0, cells },
    metresNorth.map((metres, object) => ({
      kind: 'cycle-hire' as const,
      object,
      latitudeMicro: Math.round((53.8 + metres / 111_195.08) * 1e6),
      longitudeMicro: -1_550_000,
    })),
  );
  const writer = store.beginRelease({ id: 'with-map', kind: 'loaded', createdAtMs: 0, base });
  const parts = builder.encode();
  for (const [name, columns] of Object.entries(parts)) writer.writePart(name, columns);
  writer.putDataset({
    name: 'amenities',
    title: 'Map',
    source: 'Map',
    publisher: 'Mappers',
    publisherShort: 'Mappers',
    licence: 'none',
    attribution: 'none',
    edition: '1',
    asOf: '2026-01-01',
    loadedAt: '2026-01-01T00:00:00.000Z',
    rows: builder.size,
    rejects: {},
    extent: 'complete',
    coverage: {},
    nextEditionExpected: null,
    files: [],
    loadedBy: { source: 'made up', version: 1 },
    parts: Object.keys(parts),
  });
  return writer.finish();
}

test('cycle hire joins docks and the map: what lies less than 50 m from a dock is that dock', async () => {
  const home = openTestHome();
  const other = openTestHome();
  try {
    // The dock at 830 m is beyond the circle, and the station of the map beside it within.
    const docks = [dock(1, 0), dock(2, 400), dock(3, 830)];
    const { release } = await home.ingest([home.put('BikePoint.json', JSON.stringify(docks))]);
    const hire = (opened: Release) => {
      const { cycleHireStations, basis } = describeTransport(place, opened);
      return [cycleHireStations, ...basis.map(({ source }) => source.split(',').at(-1)?.trim())];
    };
    const tfl = 'Transport for London';
    assert.deepEqual(hire(release), [2, tfl]);
    const joined = withMap(home.store, release, [10, 45, 60, 360, 440, 455, 790, 900]);
    assert.deepEqual(hire(joined), [4, tfl, 'Mappers']);
    assert.deepEqual(hire(withMap(other.store, undefined, [10, 60, 900])), [2, 'Mappers']);
  } finally {
    home.remove();
    other.remove();
  }
});

test('no station to hire from is 0 where a map covers the circle, and not known where only docks of London are', async () => {
  const home = openTestHome();
  try {
    const { release } = await home.ingest([home.put('BikePoint.json', JSON.stringify([dock(1, 5_000)]))]);
    assert.equal(describeTransport(place, release).cycleHireStations, null);
    const mapped = withMap(home.store, release, []);
    assert.equal(describeTransport(place, mapped).cycleHireStations, 0);
    const away = { ...place, point: { latitudeDegrees: 55, longitudeDegrees: -1.55 } };
    assert.equal(describeTransport(away, mapped).cycleHireStations, null);
  } finally {
    home.remove();
  }
});

test('stations of areas from lists of different days tell the first and the last of them', async (t) => {
  const home = openTestHome();
  t.after(() => home.remove());
  await home.ingest([path.join(root, 'data/sandbox/postcodes.csv')]);
  const station = (code: string, type: string, day: string) =>
    node({
      ATCOCode: code,
      CommonName: `${code} Rail Station`,
      StopType: type,
      Latitude: '54.18',
      Longitude: '0.91',
      ModificationDateTime: `${day}T10:00:00`,
    });
  const of = (area: string, day: string) => stationsOfCountry(day).filter((row) => row.startsWith(area));
  const periods = async (name: string, rows: readonly string[]) => {
    const { release } = await home.ingest([home.put(name, nodesFile(...rows))]);
    return describeTransport(findRow(release, 'ZZ1 1AA'), release).basis.map(({ period }) => period);
  };
  assert.deepEqual(
    await periods('rail.csv', [station('9100ZED', 'RLY', '2019-06-03'), ...of('9100', '2019-06-03')]),
    ['2019-06-03'],
  );
  const both = '2019-06-03 to 2026-08-01';
  assert.deepEqual(
    await periods('tube.csv', [station('9400ZZLUZED', 'MET', '2026-08-01'), ...of('9400', '2026-08-01')]),
    [both, both],
  );
});
