// NaPTAN as it is published: stations merged, junk coordinates, words of old and new files, areas one after another.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, test } from 'node:test';
import { firstRows } from '../../../src/ingest/read/csv.ts';
import { openStops, type StationKind } from '../../../src/tables/transport/stops.ts';
import { formatDay } from '../../../src/uk/calendar.ts';
import { openHomeWithSample, openTestHome, type TestHome } from '../../ingest/home.ts';
import { realFile, realFiles, testWith } from '../../requirements.ts';
import { loadReport, node, nodesFile, nodeTitles, stationsOfCountry } from './desk.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const bank = { latitudeDegrees: 51.5134, longitudeDegrees: -0.089 };
const atBank = { Longitude: '-0.089', Latitude: '51.5134' };
const stops = () => openStops(home.store.openCurrent());
const stations = (kind: StationKind) =>
  [...stops().stations()].filter((station) => station.kind === kind).map(({ name }) => name);
const bus = (code: string, values: Readonly<Record<string, string>> = atBank) =>
  node({ ATCOCode: code, CommonName: 'A stop', StopType: 'BCT', ...values });
const rail = (code: string, name: string, values: Readonly<Record<string, string>> = atBank) =>
  node({ ATCOCode: code, CommonName: name, StopType: 'RLY', ...values });
const tube = (code: string, name: string, values: Readonly<Record<string, string>> = atBank) =>
  node({ ATCOCode: code, CommonName: name, StopType: 'MET', ...values });

test('tube is MET of 9400ZZLU by name, rail RLY by stem within 500 m; entrances and platforms are neither', async () => {
  const file = home.put(
    'nodes.csv',
    nodesFile(
      tube('9400ZZLUBNK', 'Bank Underground Station'),
      tube('9400ZZLUBNK2', 'BANK  Underground Station'),
      tube('9400ZZLUMMT', 'Monument Underground Station'),
      tube('9400ZZDLBNK', 'Bank DLR Station'),
      node({ ATCOCode: '9400ZZLUBNK1', CommonName: 'Bank', StopType: 'PLT', ...atBank }),
      node({ ATCOCode: '490000013A', CommonName: 'Bank', StopType: 'TMU', ...atBank }),
      rail('9100BANK', 'Bank Rail Station'),
      rail('9100BANKLL', 'Bank Low Level Rail Station', { Longitude: '-0.0885', Latitude: '51.5137' }),
      rail('9100BANK3', 'Bank (London) Rail Station', { Longitude: '-0.089', Latitude: '51.5190' }),
      rail('9100ZZTYLIN', 'A metro stop'),
    ),
  );
  const { rejected, noted, kept } = await loadReport(home, [file]);
  assert.deepEqual(stations('tube'), ['Bank Underground Station', 'Monument Underground Station']);
  assert.deepEqual(stations('metro'), ['Bank DLR Station']);
  // The third lies 620 m from the first.
  assert.deepEqual(stations('rail').sort(), ['Bank (London) Rail Station', 'Bank Rail Station']);
  assert.equal(kept, 7);
  assert.deepEqual(rejected, {
    'another kind of node, not a station or bus stop': 2,
    'stop of a bus, boat or metro in the list of railway stations': 1,
  });
  assert.equal(noted['row merged into another row of its station'], 2);
});

test('a part of the stations is none of the country, so nothing is counted until the list is plausible as a whole', async () => {
  const near = { ...bank, radiusMetres: 1_600 };
  const away = { latitudeDegrees: 53.8, longitudeDegrees: -1.5, radiusMetres: 3_000 };
  const some = [tube('9400ZZLUBNK', 'Bank Underground Station'), rail('9100BANK', 'Bank Rail Station')];
  const counts = () =>
    (['tube', 'rail'] as const).flatMap((kind) => [near, away].map((at) => stops().countStations(kind, at)));
  await home.ingest([home.put('some.csv', nodesFile(...some))]);
  assert.deepEqual(counts(), [undefined, undefined, undefined, undefined]);
  assert.equal(home.store.openCurrent().findDataset('stops')?.extent, 'partial');
  await home.ingest([home.put('nodes.csv', nodesFile(...some, ...stationsOfCountry()))]);
  assert.deepEqual(counts(), [1, 0, 1, 0]);
});

test('words of status of old and new files are known; without one a node is active; others are counted', async () => {
  const file = home.put(
    'nodes.csv',
    nodesFile(
      bus('490000001A', { ...atBank, Status: 'act' }),
      bus('490000002A', { ...atBank, Status: 'Active' }),
      bus('490000003A', { ...atBank, Status: '' }),
      bus('490000004A', { ...atBank, Status: 'del' }),
      bus('490000005A', { ...atBank, Status: 'inactive' }),
      bus('490000006A', { ...atBank, Status: 'pen' }),
      bus('490000007A', { ...atBank, Status: 'maybe' }),
      bus('490000001A'),
    ),
  );
  const { kept, rejected, noted } = await loadReport(home, [file]);
  assert.equal(kept, 3);
  assert.deepEqual(rejected, {
    'not active': 3,
    'unknown status "maybe"': 1,
    'duplicate ATCO code': 1,
  });
  assert.equal(noted['row without a status, which means active'], 1);
});

test('junk coordinates fall back to the grid reference, or the row is rejected', async () => {
  const grid = { Easting: '532700', Northing: '181100', GridType: 'UKOS' };
  const file = home.put(
    'nodes.csv',
    nodesFile(
      bus('490000001A', { ...grid, Longitude: '', Latitude: '' }),
      bus('490000002A', { ...grid, Longitude: '0', Latitude: '0' }),
      bus('490000003A', { Easting: '7', Northing: '0', Longitude: '-7.5572', Latitude: '49.7668' }),
      bus('490000004A', { Easting: '', Northing: '', Longitude: '', Latitude: '' }),
      bus('490000005A', { ...grid, GridType: 'IrishOS', Longitude: '', Latitude: '' }),
      bus('490000006A', { Longitude: '51.5134', Latitude: '-0.089' }),
    ),
  );
  const { kept, rejected } = await loadReport(home, [file]);
  assert.equal(kept, 2);
  assert.deepEqual(rejected, { 'no place in Great Britain': 4 });
  for (const { latitudeMicro, longitudeMicro } of stops().busStops()) {
    assert.ok(Math.abs(latitudeMicro - 51_513_600) < 500, `${latitudeMicro}`);
    assert.ok(Math.abs(longitudeMicro + 88_900) < 1_000, `${longitudeMicro}`);
  }
});

test('titles are found whatever their case and order, with a byte order mark, and in cp1252', async () => {
  const text = `${nodeTitles.toUpperCase()}\r\n${rail('9100YNYSLAS', 'Ynys Lâs Rail Station')}\r\n`;
  const bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text, 'utf8')]);
  await home.ingest([home.put('nodes.csv', bytes)]);
  assert.deepEqual(stations('rail'), ['Ynys Lâs Rail Station']);
  await home.ingest([home.put('old.csv', Buffer.from(text, 'latin1'))]);
  assert.deepEqual(stations('rail'), ['Ynys Lâs Rail Station']);
});

test('a file without a needed column, without stops, or cut off in its last row is refused', async () => {
  const refused = (text: string, message: RegExp) =>
    assert.rejects(home.ingest([home.put('nodes.csv', text)]), message);
  await refused(
    nodesFile(bus('490000001A')).replace('Northing', 'Nothing').replace(',Status', ',State'),
    /lacks 2 required columns: "northing", "status"/,
  );
  await refused(nodesFile(node({ ATCOCode: '1', StopType: 'TXR' })), /holds no active station or bus stop/);
  await refused(
    nodesFile(bus('490000001A'), bus('490000002A').slice(0, 60)).trimEnd(),
    /line 3, the last, .* cut off/,
  );
  const { rejected } = await loadReport(home, [
    home.put('nodes.csv', nodesFile(`${bus('490000001A')},more`, bus('490000002A'))),
  ]);
  assert.deepEqual(rejected, { 'another number of fields than the header': 1 });
});

test('an area given later takes the place of the same area alone', async () => {
  const first = nodesFile(
    tube('9400ZZLUBNK', 'Bank Underground Station'),
    rail('9100BANK', 'Bank Rail Station'),
    bus('490000001A'),
    bus('068000001A'),
    bus('068000002A'),
  );
  await home.ingest([home.put('first.csv', first)]);
  await home.ingest([home.put('halton.csv', nodesFile(bus('068000003A'), bus('069000001A')))]);
  assert.deepEqual([...stops().busStops()].map(({ area }) => area).sort(), ['068', '069', '490']);
  assert.deepEqual(stations('tube'), ['Bank Underground Station']);
  await home.ingest([home.put('rail.csv', nodesFile(rail('9100CANNON', 'Cannon Street Rail Station')))]);
  assert.deepEqual(stations('rail'), ['Cannon Street Rail Station']);
  assert.deepEqual(stations('tube'), ['Bank Underground Station']);
});

test('each area keeps the day of its list, and what is older says so and is refused', async () => {
  const on = (day: string, code: string) => bus(code, { ...atBank, ModificationDateTime: `${day}T10:00:00` });
  const list = (name: string, ...rows: readonly string[]) => home.put(name, nodesFile(...rows));
  const told = () => {
    const { asOf, edition } = home.store.openCurrent().findDataset('stops') ?? assert.fail();
    return [asOf, edition];
  };
  await home.ingest([list('halton.csv', on('2019-06-03', '068000001A'), on('2019-01-01', '068000002A'))]);
  assert.deepEqual(told(), ['2019-06-03', 'changes to 2019-06-03']);
  // The area that was loaded first is still of its own day.
  await home.ingest([list('london.csv', on('2026-08-01', '490000001A'))]);
  assert.deepEqual(told(), ['2019-06-03', 'changes to 2026-08-01, in the oldest area to 2019-06-03']);
  assert.deepEqual(
    [...stops().areaDays].map(([area, { listed }]) => [area, formatDay(listed)]),
    [
      ['068', '2019-06-03'],
      ['490', '2026-08-01'],
    ],
  );
  const before = home.store.currentId();
  await assert.rejects(
    home.ingest([list('older.csv', on('2018-02-02', '068000001A'))]),
    /these would be lost: changes of area 068 from 2018-02-02 to 2019-06-03\.\nGive a newer list of each area\.\n.*--replace\.$/,
  );
  assert.equal(home.store.currentId(), before);
  // A list of all areas dates each of them; one of an area in which nothing has changed since takes nothing back.
  await home.ingest([list('all.csv', on('2026-09-01', '490000001A'), on('2019-06-03', '068000001A'))]);
  assert.deepEqual(told(), ['2026-09-01', 'changes to 2026-09-01']);
  await home.ingest([list('again.csv', on('2019-06-03', '068000001A'), on('2019-06-02', '068000003A'))]);
  assert.deepEqual(told(), ['2026-09-01', 'changes to 2026-09-01']);
  assert.equal([...stops().busStops()].length, 3);
});

test('what a file does not have is not known: no tube in a file of one county, no buses in one of few areas', async () => {
  await home.ingest([home.put('halton.csv', nodesFile(bus('068000003A')))]);
  assert.equal(stops().countStations('tube', { ...bank, radiusMetres: 1_600 }), undefined);
  assert.equal(stops().countStations('rail', { ...bank, radiusMetres: 3_000 }), undefined);
  assert.equal(stops().findBusStop({ ...bank, radiusMetres: 400 }), 'found');
  const away = { latitudeDegrees: 55, longitudeDegrees: -3, radiusMetres: 400 };
  assert.equal(stops().findBusStop(away), 'not known');
  const everywhere = Array.from({ length: 100 }, (_, area) => bus(`${String(area).padStart(3, '0')}0000001`));
  await home.ingest([home.put('all.csv', nodesFile(...everywhere))]);
  assert.equal(stops().findBusStop(away), 'none');
});

const railTitles =
  'AtcoCode,TiplocCode,CrsCode,StationName,StationNameLang,GridType,Easting,Northing,CreationDateTime,ModificationDateTime,RevisionNumber,Modification';
const railFile = `${railTitles}\n9100PENZNCE,PENZNCE,PNZ,Penzance Rail Station,,U,147588,30599,2003-11-04T00:00:00,2011-09-30T14:47:28,2,rev\n`;

test('the older list gives railway stations alone, and never in place of all nodes', async () => {
  const file = home.put('RailReferences.csv', railFile);
  await home.ingest([file]);
  const penzance = { latitudeDegrees: 50.1217, longitudeDegrees: -5.5324, radiusMetres: 3_000 };
  assert.equal(stops().countStations('tube', penzance), undefined);
  assert.deepEqual(stations('rail'), ['Penzance Rail Station']);
  const nodes = home.put(
    'nodes.csv',
    nodesFile(rail('9100BANK', 'Bank Rail Station'), ...stationsOfCountry()),
  );
  const { passedOver } = await home.ingest([nodes, file]);
  assert.deepEqual(passedOver, [{ name: file, because: 'the older list of stations, beside access nodes' }]);
  assert.ok(
    stations('rail').includes('Bank Rail Station') && !stations('rail').includes('Penzance Rail Station'),
  );
  await assert.rejects(home.ingest([file]), /would be lost: stops of kind tube\./);
});

test('the bundled sample gives way to any official list, with the bounds of its reach', async () => {
  home.remove();
  home = await openHomeWithSample();
  const away = { latitudeDegrees: 52.9, longitudeDegrees: -3.2, radiusMetres: 1_600 };
  assert.equal(home.store.openCurrent().findDataset('stops')?.extent, 'sample');
  assert.equal(stops().countStations('tube', away), undefined);
  await home.ingest([home.put('nodes.csv', nodesFile(...stationsOfCountry()))]);
  assert.equal(stops().countStations('tube', away), 0);
  assert.equal(stations('rail').filter((name) => !/^Station \d+$/.test(name)).length, 0);
});

testWith(
  realFile('data/area/naptan_access-nodes_sample_halton.csv'),
  'real: the sample of access nodes is read, with its status words',
  async (file) => {
    const { read, kept, rejected } = await loadReport(home, [file]);
    assert.equal(read, 15);
    assert.deepEqual(rejected, { 'not active': 2, 'another kind of node, not a station or bus stop': 1 });
    assert.equal(kept, 12);
  },
);

testWith(
  realFile('data/area/naptan_RailReferences.csv'),
  'real: RailReferences merges Clapham Junction, Heathrow Terminal 4 and St Pancras, and keeps Manchester apart',
  async (file) => {
    const { read, kept, rejected, noted } = await loadReport(home, [file]);
    assert.equal(read, 2_629);
    assert.equal(rejected['stop of a bus, boat or metro in the list of railway stations'], 10);
    assert.equal(kept + (rejected['no place in Great Britain'] ?? 0) + 10, read);
    const names = stations('rail');
    const named = (pattern: RegExp) => names.filter((name) => pattern.test(name)).length;
    // Five rows of one junction.
    assert.equal(named(/^Clapham Junction/), 1);
    assert.equal(named(/St Pancras/), 1);
    assert.equal(named(/Glasgow Central/), 1);
    assert.equal(named(/^London Victoria/), 1);
    assert.equal(named(/^Heathrow/), 3);
    assert.equal(named(/^Manchester (Victoria|Piccadilly|Oxford Road)/), 3);
    assert.equal(named(/^Heath (High|Low) Level/), 2);
    assert.equal(names.length, kept - (noted['row merged into another row of its station'] ?? 0));
    assert.ok(names.length > 2_560 && names.length < 2_620, `${names.length}`);
  },
);

const january2024 = 'data/area/naptan_atco_stoptype_no_naptancode_2024-01.csv';
const tubeStations = 'data/area/tfl_station_naptans.csv';

testWith(
  realFiles(january2024, tubeStations),
  'real: of the codes of January 2024 the rule takes 272 of the tube and 2,681 of the railway',
  async (place) => {
    const [, ...rows] = firstRows(readFileSync(place(january2024)), Number.POSITIVE_INFINITY, 'utf-8');
    // The list has codes and stop types alone; each code stands for a station of its own name.
    const nodes = rows
      .filter(([, type]) => ['RLY', 'MET', 'PLT', 'TMU', 'RSE', 'RPL'].includes(type ?? ''))
      .map(([code = '', type = '']) => node({ ATCOCode: code, CommonName: code, StopType: type, ...atBank }));
    await home.ingest([home.put('nodes.csv', nodesFile(...nodes))]);
    assert.equal(stations('tube').length, 272);
    const ids = readFileSync(place(tubeStations), 'utf8').match(/940GZZ(LU|BPSUST|NEUGST)\w*/g) ?? [];
    const codes = new Set(ids.map((id) => id.replace('940G', '9400')));
    assert.deepEqual(new Set(stations('tube')), codes, 'those that Transport for London has');
    assert.equal(stations('metro').length, 823 - 272);
    // 2,686 rows, of which four are of a metro and one of a bus.
    assert.equal(stations('rail').length, 2_681);
  },
);
