// The three places of the bundled sample are complete and true: what is answered from it is what is answered when the
// official files that it was drawn from are loaded, and what they say when they are counted by hand.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { read, utils, write } from '@e965/xlsx';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { openHome, ReleaseStore } from '../../src/release/store.ts';
import { derivations } from '../../src/sources/derivations.ts';
import { sources } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';
import { distanceMetres } from '../../src/uk/grid.ts';
import { realFiles, testWith } from '../requirements.ts';
import { openRig, type Rig } from '../rig.ts';

const sampleFolder = path.join(import.meta.dirname, '../../data/sample');
const places = ['data/places/newport', 'data/places/isle-of-wight', 'data/places/oakham'] as const;
const rutland = 'data/area/osm_rutland-latest.osm.pbf';
const everywhere = 'data/places/all';
const official = realFiles(...places, everywhere, rutland);

type Row = Readonly<Record<string, string>>;

/** Independent of the readers that are tested: no field of these files has a line break. */
function parseRows(text: string): readonly Row[] {
  const [header = [], ...rows] = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => (line.includes('"') ? splitQuoted(line) : line.split(',')));
  return rows.map((row) => Object.fromEntries(header.map((title, at) => [title, row[at] ?? ''])));
}

const splitQuoted = (line: string) =>
  Array.from(line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g), ([, cell = '']) =>
    cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
  );

const readRows = (file: string) => parseRows(readFileSync(file, 'utf8'));
const unzip = (file: string, entry: string) =>
  parseRows(execFileSync('unzip', ['-p', file, entry], { maxBuffer: 2 ** 30 }).toString());

type Point = { readonly latitude: number; readonly longitude: number };
const metresBetween = (a: Point, b: Point) =>
  distanceMetres(a.latitude, a.longitude, b.latitude, b.longitude);
const pointOf = (row: Row, latitude = 'latitude', longitude = 'longitude'): Point => ({
  latitude: Number(row[latitude]),
  longitude: Number(row[longitude]),
});

const middles: readonly (readonly [middle: string, count: number])[] = [
  ['NP10 8WA', 112],
  ['PO33 2RX', 43],
  ['LE15 6QU', 64],
];
const postcodeFile = 'postcodes-2025-10-17.csv';
const postcodes = readRows(path.join(sampleFolder, postcodeFile)).map((row) => ({
  postcode: row.pcds ?? '',
  lsoa: row.lsoa21cd ?? '',
  ...pointOf(row, 'lat', 'long'),
}));
const bundled = middles.flatMap(([middle]) => {
  const centre = postcodes.find(({ postcode }) => postcode === middle) ?? assert.fail(middle);
  return postcodes.filter((other) => metresBetween(centre, other) <= 1_000);
});

const rig = await openRig();
const { key } = await rig.customer({ credits: 1_000_000, limits: { minute: null, day: null } });
after(rig.close);

async function ask(from: Rig, own: string, url: string): Promise<Record<string, unknown>> {
  const reply = await from.get(`/api/v1/${url}`, own);
  assert.equal(reply.statusCode, 200, `${url} ${reply.body}`);
  const body = reply.json();
  return body.data ?? body;
}
const statistics = (of: string) => `area/statistics?postcode=${encodeURIComponent(of)}`;
const crime = (of: string) =>
  `crime/by-postcode?months=24&includeRaw=true&postcode=${encodeURIComponent(of)}`;

test('dozens of postcodes of each place are there', () => {
  for (const [middle, count] of middles) {
    const centre = postcodes.find(({ postcode }) => postcode === middle) ?? assert.fail(middle);
    assert.equal(bundled.filter((other) => metresBetween(centre, other) <= 1_000).length, count, middle);
  }
});

/** Leaves of an answer that are not known. */
function unknownIn(value: unknown, name = ''): readonly string[] {
  if (value === null || value === 'Unavailable' || value === 'Unknown') return [name];
  if (Array.isArray(value)) return value.length === 0 ? [name] : [];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([own, inner]) =>
    unknownIn(inner, name === '' ? own : `${name}.${own}`),
  );
}

test('every object is filled at Duffryn, and only what no file gives is unknown', async () => {
  // Of these files none is to be had: employment; in Wales nobody rates schools; nobody publishes commutes; traffic there.
  const never = [
    'demographics.employmentRate',
    'schools.averageRating',
    'schools.ofstedOutstanding',
    'transport.averageCommuteToCity',
    'transport.trafficLevel',
  ];
  assert.deepEqual(unknownIn(await ask(rig, key, statistics('NP10 8WA'))), never);
  const inRyde = unknownIn(await ask(rig, key, statistics('PO33 2RX')));
  assert.deepEqual(
    inRyde.filter((field) => !field.startsWith('schools.')),
    ['demographics.employmentRate', 'transport.busRoutes', 'transport.averageCommuteToCity'],
  );
});

test('beyond its places the sample says that it does not know, and never 0', async () => {
  // Ventnor: on the island, and in the sample with its sales.
  const ventnor = postcodes.find(({ postcode }) => postcode.startsWith('PO38 1')) ?? assert.fail();
  const found = await ask(rig, key, statistics(ventnor.postcode));
  const unknown = unknownIn(found);
  for (const object of ['amenities', 'schools'] as const) {
    const fields = Object.keys(found[object] ?? {}).filter((field) => field !== 'basis');
    for (const field of fields) assert.ok(unknown.includes(`${object}.${field}`), `${object}.${field}`);
  }
  for (const url of [crime(ventnor.postcode), 'crime/by-postcode?postcode=NP10+8WA&radius=5000']) {
    const reply = await rig.get(`/api/v1/${url}`, key);
    assert.equal(reply.statusCode, 404);
    assert.deepEqual(
      [reply.json().error.code, reply.json().error.reason],
      ['NO_CRIME_DATA', 'not-in-sample'],
      url,
    );
  }
});

test('amenities are marked with the licence of OpenStreetMap', async () => {
  const { data } = (await rig.get('/api/v1/datasets', key)).json();
  const found = data.datasets.find(({ name }: { name: string }) => name === 'amenities');
  assert.match(found.licence, /ODbL/);
  assert.match(found.attribution, /© OpenStreetMap contributors/);
  assert.equal(found.extent, 'sample');
  assert.match(readFileSync(path.join(sampleFolder, 'README.md'), 'utf8'), /ODbL 1\.0/);
});

test('official files take the place of a sample as a whole: nothing of it is left beside them', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'domesday-places-'));
  try {
    const sandbox = path.join(sampleFolder, '../sandbox');
    const { release } = await runIngest({
      paths: ['traffic.csv', 'bus-timetables.zip', 'map.osm.pbf', 'personal-incomes.ods'].map((name) =>
        path.join(sandbox, name),
      ),
      sources,
      derivations,
      store: new ReleaseStore(folder, layouts),
      base: openHome(rig.home, layouts).releases.openCurrent(),
      id: 'official',
      kind: 'loaded',
      atMs: rig.clock.nowMs,
      editionDay: undefined,
      progress: noProgress,
    });
    const other = await openRig({ live: () => release });
    try {
      const { key: otherKey } = await other.customer();
      for (const postcode of ['NP10 8WA', 'PO33 2RX']) {
        const before = unknownIn(await ask(rig, key, statistics(postcode)));
        const now = unknownIn(await ask(other, otherKey, statistics(postcode)));
        const lost = now.filter((field) => !before.includes(field) && !field.startsWith('amenities.'));
        const replaced = ['demographics.medianIncome', 'transport.cycleHireStations'];
        const own = postcode.startsWith('NP') ? 'transport.busRoutes' : 'transport.trafficLevel';
        assert.deepEqual(lost.sort(), [...replaced, own].sort(), postcode);
        assert.equal(now.filter((field) => /^amenities\.(?!basis)/.test(field)).length, 19, postcode);
      }
    } finally {
      await other.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

testWith(official, 'the sample answers as the official files do, for every postcode of it', async (at) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'domesday-places-'));
  try {
    const { release } = await runIngest({
      paths: [
        ...onePostcodeList(places.map(at), path.join(folder, 'postcodes')),
        withoutPostcodes(
          withSchoolsOfItsOwn(at('data/places/newport'), path.join(folder, 'newport')),
          folder,
        ),
        withoutPostcodes(at('data/places/isle-of-wight'), folder),
        withoutPostcodes(at('data/places/oakham'), folder),
        at(everywhere),
        at(rutland),
      ],
      sources,
      derivations,
      store: new ReleaseStore(path.join(folder, 'releases'), layouts),
      base: undefined,
      id: 'official',
      kind: 'loaded',
      atMs: rig.clock.nowMs,
      progress: noProgress,
    });
    const other = await openRig({ live: () => release });
    const { key: otherKey } = await other.customer({
      credits: 1_000_000,
      limits: { minute: null, day: null },
    });
    try {
      for (const { postcode } of bundled) {
        const [own, theirs] = [
          await ask(rig, key, statistics(postcode)),
          await ask(other, otherKey, statistics(postcode)),
        ];
        assert.deepEqual(comparable(own), comparable(theirs), postcode);
        assert.match(JSON.stringify(own), /"tubeStations":0/);
        assert.deepEqual(
          byText(await ask(rig, key, crime(postcode))),
          byText(await ask(other, otherKey, crime(postcode))),
          postcode,
        );
      }
    } finally {
      await other.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** The bundled rows, of which some are placed a metre better, and what only the places have, in the layout of the former. */
function onePostcodeList(from: readonly string[], into: string): readonly string[] {
  mkdirSync(into);
  const [header = '', ...own] = readFileSync(path.join(sampleFolder, postcodeFile), 'utf8')
    .trim()
    .split('\n');
  const known = new Set(postcodes.map(({ postcode }) => postcode));
  const others = from
    .flatMap((place) => readRows(path.join(place, 'postcodes.csv')))
    .filter(({ postcode = '' }) => !known.has(postcode))
    .map((row) => {
      const cells: Row = {
        pcds: row.postcode ?? '',
        lad25cd: row.districtCode ?? '',
        wd25cd: row.wardCode ?? '',
        ctry25cd: row.country === 'Wales' ? 'W92000004' : 'E92000001',
        lat: row.latitude ?? '',
        long: row.longitude ?? '',
        lsoa21cd: row.lsoa21Code ?? '',
      };
      const titles = header.split(',');
      return titles.map((title) => cells[title] ?? '').join();
    });
  const list = path.join(into, postcodeFile);
  writeFileSync(list, `${[header, ...own, ...others].join('\n')}\n`);
  return [list];
}

/** A copy of the folder of Newport, in whose list of schools are those alone that lie in its postcodes: the whole list is
 *  refused where the postcodes of the country are not loaded. */
function withSchoolsOfItsOwn(folder: string, into: string): string {
  const [listName, sheetName] = ['address-list-schools-wales-20210825.ods', 'Maintained'];
  cpSync(folder, into, { recursive: true });
  const known = new Set(readRows(path.join(folder, 'postcodes.csv')).map(({ postcode }) => postcode));
  const { Sheets } = read(readFileSync(path.join(folder, listName)), { sheets: [sheetName] });
  const rows = utils.sheet_to_json<readonly unknown[]>(Sheets[sheetName] ?? assert.fail(), { header: 1 });
  const header = rows.findIndex((row) => row.includes('Postcode'));
  const column = rows[header]?.indexOf('Postcode') ?? assert.fail();
  const own = rows.filter((row, at) => at <= header || known.has(String(row[column])));
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(own.map((row) => [...row])), sheetName);
  writeFileSync(path.join(into, listName), write(book, { type: 'buffer', bookType: 'ods' }));
  return into;
}

function withoutPostcodes(place: string, into: string): string {
  const copy = path.join(into, `${path.basename(place)}-without-postcodes`);
  cpSync(place, copy, {
    recursive: true,
    filter: (file) => !/^postcodes\.(csv|json)$/.test(path.basename(file)),
  });
  return copy;
}

/** Without dates and sources, and without what these files are too few for: a comparison, and the Underground's list. */
function comparable(answer: Record<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(answer), (name, value) =>
    ['basis', 'overall', 'score', 'comparedToNational', 'tubeStations'].includes(name) ? undefined : value,
  );
}

/** Raw crimes in no particular order. */
function byText(answer: Record<string, unknown>): unknown {
  const { rawCrimes, ...rest } = answer;
  assert.ok(Array.isArray(rawCrimes));
  // Names of wards and districts come with the sample alone.
  return { ...rest, locationName: '', rawCrimes: rawCrimes.map((one) => JSON.stringify(one)).sort() };
}

const months = Array.from({ length: 24 }, (_, at) => new Date(Date.UTC(2023, at)).toISOString().slice(0, 7));

function streetRows(at: (name: (typeof places)[number]) => string): readonly Row[] {
  return places.flatMap((place) =>
    months.flatMap((month) =>
      unzip(path.join(at(place), 'police-2023-01_2024-12.zip'), `${month}/*-street.csv`),
    ),
  );
}

const districts = new Set(
  `Blaenau Gwent|Caerphilly|Monmouthshire|Newport|Torfaen|Basingstoke and Deane|East Hampshire|Eastleigh|Fareham|Gosport|
Hart|Havant|New Forest|Rushmoor|Test Valley|Winchester|Portsmouth|Southampton|Isle of Wight|Blaby|Charnwood|Harborough|
Hinckley and Bosworth|Melton|North West Leicestershire|Oadby and Wigston|Leicester|Rutland`.split(/\|\n?/),
);

testWith(
  realFiles(...places, everywhere),
  'crimes by month, and the rank among all areas of the three forces and the City, are as counted by hand',
  async (at) => {
    const rows = streetRows(at);
    const isNear = (point: Point) =>
      bundled.some(({ latitude }) => Math.abs(latitude - point.latitude) < 0.02) &&
      bundled.some(({ longitude }) => Math.abs(longitude - point.longitude) < 0.03);
    const placed = rows
      .filter((row) => row.Latitude !== '')
      .map((row) => ({ month: row.Month ?? '', ...pointOf(row, 'Latitude', 'Longitude') }))
      .filter(isNear);
    for (const own of bundled) {
      const counts = Object.fromEntries(months.map((month) => [month, 0]));
      for (const row of placed)
        if (metresBetween(own, row) <= 1_609.344)
          counts[row.month] = (counts[row.month] ?? assert.fail(row.month)) + 1;
      const told = await ask(rig, key, crime(own.postcode));
      assert.deepEqual(told.monthlyTotals, counts, own.postcode);
    }
    const rates = await ratesByHand(rows, path.join(at(everywhere), 'census2021-ts001-lsoa.csv.gz'));
    const all = [...rates.values()].sort((a, b) => a - b);
    assert.equal(all.length, 2_239 + 6);
    for (const { postcode, lsoa } of bundled) {
      const rate = rates.get(lsoa) ?? assert.fail(lsoa);
      const places = all.flatMap((other, place) => (other === rate ? [place] : []));
      const middle = ((places[0] ?? 0) + (places.at(-1) ?? 0)) / 2;
      const { crime: told } = await ask(rig, key, statistics(postcode));
      assert.ok(typeof told === 'object' && told !== null && 'score' in told && 'comparedToNational' in told);
      assert.equal(told.score, Math.round((100 * middle) / (all.length - 1)) / 10, postcode);
      assert.match(String(told.comparedToNational), new RegExp(`${rate.toFixed(1)} against .* 2,245 areas`));
    }
  },
);

/** LSOA → crimes of 2024 per thousand residents, in the districts of the three forces and in the City. */
async function ratesByHand(rows: readonly Row[], census: string): Promise<ReadonlyMap<string, number>> {
  const residents = new Map(
    parseRows(gunzipSync(readFileSync(census)).toString()).map((row) => [
      row['geography code'] ?? '',
      Number(Object.values(row)[3]),
    ]),
  );
  const crimes = new Map<string, number>();
  for (const { Month: month = '', 'LSOA code': lsoa = '', 'LSOA name': name = '' } of rows) {
    if (month < '2024' || !districts.has(name.replace(/ \d{3}[A-Z]+$/, ''))) continue;
    crimes.set(lsoa, (crimes.get(lsoa) ?? 0) + 1);
  }
  // The City's files are not among these; its areas are taken as they are told.
  const inCity = new Map(
    postcodes
      .filter(({ postcode }) => /^EC[1-4]/.test(postcode))
      .map(({ lsoa, postcode }) => [lsoa, postcode]),
  );
  for (const [lsoa, postcode] of inCity) {
    const { crime: told } = await ask(rig, key, statistics(postcode));
    assert.ok(typeof told === 'object' && told !== null && 'last12Months' in told);
    if (typeof told.last12Months === 'number') crimes.set(lsoa, told.last12Months);
  }
  return new Map(
    [...crimes].map(([lsoa, count]) => [lsoa, (1_000 * count) / (residents.get(lsoa) ?? Number.NaN)]),
  );
}

testWith(
  realFiles('data/places/newport', everywhere),
  'bus routes and railway stations around Duffryn are as counted by hand',
  async (at) => {
    const timetable = path.join(at('data/places/newport'), 'bods-gtfs_2024-03-05_cut.zip');
    const routes = new Map(unzip(timetable, 'routes.txt').map((row) => [row.route_id ?? '', row]));
    const trips = new Map(
      unzip(timetable, 'trips.txt').map((row) => [row.trip_id ?? '', row.route_id ?? '']),
    );
    const stops = new Map(
      unzip(timetable, 'stops.txt').map((row) => [row.stop_id ?? '', pointOf(row, 'stop_lat', 'stop_lon')]),
    );
    const calls = unzip(timetable, 'stop_times.txt').filter(({ pickup_type: pickup }) => pickup !== '1');
    const stations = readRows(path.join(at(everywhere), '910Stops.csv')).filter(
      (row) => row.StopType === 'RLY' && row.Status === 'active',
    );
    const newport = bundled.filter(({ postcode }) => postcode.startsWith('NP'));
    for (const own of newport) {
      const near = new Set(
        [...stops].filter(([, point]) => metresBetween(own, point) <= 400).map(([stop]) => stop),
      );
      const calling = calls.filter(({ stop_id: stop = '' }) => near.has(stop));
      const named = calling.map(({ trip_id: trip = '' }) => {
        const route = routes.get(trips.get(trip) ?? '') ?? assert.fail(trip);
        return `${route.agency_id} ${route.route_short_name}`;
      });
      const rail = stations.filter(
        (row) => metresBetween(own, pointOf(row, 'Latitude', 'Longitude')) <= 3_000,
      );
      const { transport } = await ask(rig, key, statistics(own.postcode));
      assert.ok(typeof transport === 'object' && transport !== null);
      assert.ok('busRoutes' in transport && 'railStations' in transport);
      assert.deepEqual(
        [transport.railStations, transport.busRoutes],
        [rail.length, near.size === 0 ? null : new Set(named).size],
        own.postcode,
      );
    }
  },
);
