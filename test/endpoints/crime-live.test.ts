// GET /crime/by-postcode with a live police service: what it answers is charged, what it fails at is not.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { LiveServices } from '../../src/contract/live.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { openPostcodes } from '../../src/tables/postcodes/postcodes.ts';
import { policeApi } from '../../src/upstream/index.ts';
import { openPoliceApi } from '../../src/upstream/police.ts';
import { realFile, testWith } from '../requirements.ts';
import { openRig, type Rig } from '../rig.ts';
import { crime, openPoliceServer, type PoliceServer } from '../upstream/police-server.ts';

/** PO30 1UD of the bundled sample. */
const point = [50.700597, -1.29081] as const;
let server: PoliceServer;
let rig: Rig;
let key: string;
let folder: string;

const newestFirst = ['2026-09', '2026-08', '2026-07', '2026-06'];
beforeEach(async () => {
  await open('hampshire', (month) =>
    month === '2026-07'
      ? []
      : [
          crime(month, 'drugs', point),
          crime(month, 'violent-crime', point, { outcome_status: null }),
          crime(month, 'burglary', [point[0] + 0.02, point[1]]),
        ],
  );
});
afterEach(close);

async function open(force: string | undefined, crimes: (month: string) => readonly object[]): Promise<void> {
  server = await openPoliceServer({ months: newestFirst, force, crimes });
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-live-'));
  const clock = { now: Date.now, sleep: async () => {}, random: () => 0 };
  const police = openPoliceApi(
    {
      name: 'police-api',
      metrics: new Metrics(),
      baseUrl: server.url,
      cacheFolder: folder,
      cacheBytesMost: 2 ** 30,
      sharers: 1,
      deadline: server.patience.deadline,
    },
    clock,
  );
  const services = new LiveServices();
  services.add(policeApi, police, { address: server.url, ...policeApi.facts });
  rig = await openRig({ services });
  ({ key } = await rig.customer());
}
async function close(): Promise<void> {
  await rig.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}

const ask = async (query: string, withKey = key) => {
  const reply = await rig.get(`/api/v1/crime/by-postcode?${query}`, withKey);
  return { status: reply.statusCode, headers: reply.headers, ...reply.json() };
};

test('a force that is not loaded is answered by the live service; an empty month is absent, never 0', async () => {
  const { status, data, headers } = await ask('postcode=PO30 1UD&months=3&includeRaw=true&points=true');
  assert.equal(status, 200);
  assert.equal(headers['x-credits-charged'], '1');
  assert.equal(data.policeForce, 'Hampshire Constabulary');
  assert.equal(data.referenceMonth, '2026-09');
  // What lies beyond the mile is left out, whatever the service answers.
  assert.deepEqual(data.monthlyTotals, { '2026-08': 2, '2026-09': 2 });
  assert.equal(data.totalCrimes, 4);
  assert.deepEqual(
    data.crimeCategories.map((item: { category: string; percentage: number; outcomes: object }) => [
      item.category,
      item.percentage,
      item.outcomes,
    ]),
    [
      ['drugs', 50, { 'Under investigation': 1 }],
      ['violent-crime', 50, {}],
    ],
  );
  assert.equal(data.rawCrimes.length, 2);
  assert.deepEqual(data.rawCrimes[0].outcome_status, { category: 'Under investigation', date: '2026-09' });
  assert.deepEqual(
    data.points.map(({ count, byMonth }: { count: number; byMonth: object }) => [
      count,
      Object.keys(byMonth),
    ]),
    [[4, ['2026-08', '2026-09']]],
  );
  assert.equal(data.pointsTotal, 1);
  assert.deepEqual(data.points[0].byMonth['2026-09'], { drugs: 1, 'violent-crime': 1 });
});

test('points of a live answer count every crime, most first, and Link has the next page', async () => {
  await close();
  await open('hampshire', (month) => [
    crime(month, 'drugs', [point[0] + 0.001, point[1]]),
    crime(month, 'drugs', point),
    crime(month, 'drugs', point),
  ]);
  const { data, headers } = await ask('postcode=PO30 1UD&months=2&points=true&limit=1');
  assert.equal(data.pointsTotal, 2);
  assert.deepEqual(
    data.points.map(({ count, byMonth }: { count: number; byMonth: object }) => ({ count, byMonth })),
    [{ count: 4, byMonth: { '2026-08': { drugs: 2 }, '2026-09': { drugs: 2 } } }],
  );
  assert.match(String(headers.link), /[?&]offset=1\b.*>; rel="next"$/);
});

test('the headers of a live answer tell no date and publisher of a dataset that did not answer', async () => {
  const live = await ask('postcode=PO30 1UD&months=1');
  assert.deepEqual([live.status, live.data.referenceMonth], [200, '2026-09']);
  assert.deepEqual([live.headers['x-data-as-of'], live.headers['x-data-source']], [undefined, undefined]);
  assert.ok(live.headers['x-data-release'], 'the postcode came from a release');
  server.mood = 503;
  const failed = await ask('postcode=M1 1AE&months=2');
  assert.notEqual(failed.status, 200);
  assert.equal(failed.headers['x-data-as-of'], undefined);
  // A test key never reaches the service.
  const { key: test } = await rig.customer({ mode: 'test' });
  const loaded = await ask('postcode=ZZ1 1AA', test);
  assert.deepEqual([loaded.status, loaded.headers['x-data-source']], [200, 'data.police.uk']);
  assert.match(String(loaded.headers['x-data-as-of']), /^\d{4}-\d\d-\d\d$/);
});

test('a live answer has no ETag and is kept nowhere: the service may answer otherwise tomorrow, or in a minute', async () => {
  const first = await ask('postcode=SW1A1AA&months=1');
  assert.equal(first.status, 200);
  assert.equal(first.headers.etag, undefined);
  assert.equal(first.headers['cache-control'], 'no-store');
  const { key } = await rig.customer();
  const url = '/api/v1/crime/by-postcode?postcode=SW1A1AA&months=1';
  const { statusCode, headers } = await rig.get(url, key, { 'if-none-match': '*' });
  assert.deepEqual([statusCode, headers.etag, headers['cache-control']], [304, undefined, 'no-store']);
});

test('the live service answers as CSV too, and no text of it is a formula in a spreadsheet', async () => {
  await close();
  await open('hampshire', (month) => [
    crime(month, 'drugs', point, {
      context: '=HYPERLINK("x"), y',
      location_subtype: 'ROAD',
      location: {
        latitude: String(point[0]),
        longitude: String(point[1]),
        street: { id: 1, name: '@Quay, "Old"' },
      },
    }),
    crime(month, 'robbery', point, { outcome_status: null, persistent_id: '' }),
    crime(month, 'burglary', [point[0] + 0.02, point[1]]),
  ]);
  const reply = await rig.get('/api/v1/crime/by-postcode?postcode=PO30 1UD&months=2', key, {
    accept: 'text/csv',
  });
  assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8');
  assert.equal(reply.headers['x-credits-charged'], '1');
  assert.deepEqual(reply.body.split('\r\n'), [
    'month,category,latitude,longitude,location,context,persistent_id,location_subtype,outcome_category,outcome_date',
    `2026-09,drugs,50.700597,-1.29081,"'@Quay, ""Old""","'=HYPERLINK(""x""), y",${'a'.repeat(64)},ROAD,Under investigation,2026-09`,
    '2026-09,robbery,50.700597,-1.29081,On or near Quayside,,,,,',
    '',
  ]);
});

test('an error of the service is 502 and costs nothing; when it keeps failing, 503 with Retry-After', async () => {
  server.mood = 503;
  for (let call = 0; call < 5; call += 1) {
    const { status, error, headers } = await ask(`postcode=PO30 1UD&months=${1 + call}`);
    if (status === 503) break;
    assert.deepEqual([status, error.code, headers['x-credits-charged']], [502, 'POLICE_API_ERROR', '0']);
  }
  const { status, error, headers } = await ask('postcode=PO30 1UD');
  assert.deepEqual([status, error.code, headers['x-credits-charged']], [503, 'SERVICE_UNAVAILABLE', '0']);
  assert.ok(Number(headers['retry-after']) > 0 && Number(headers['retry-after']) <= 30);
});

test('404 of the service is 502, not "no data"', async () => {
  server.mood = 404;
  assert.equal((await ask('postcode=PO30 1UD')).error.code, 'POLICE_API_ERROR');
});

test('nothing in any month is NO_CRIME_DATA, and so is a force that publishes nothing; neither is charged', async () => {
  await close();
  await open('hampshire', () => []);
  const { error, headers } = await ask('postcode=PO30 1UD');
  assert.deepEqual([error.reason, error.policeForce], ['force-without-data', 'Hampshire Constabulary']);
  assert.equal(headers['x-credits-charged'], '0');
  const before = server.asked.length;
  const manchester = await ask('postcode=M1 1AE');
  assert.deepEqual(
    [manchester.error.code, manchester.error.reason, manchester.error.lastMonth],
    ['NO_CRIME_DATA', 'force-stopped', '2019-06'],
  );
  assert.equal(manchester.headers['x-credits-charged'], '0');
  // Only which months there are, which is kept: strays of other forces are not asked for.
  assert.equal(server.asked.length, before);
});

test('cut, junk, odd, 429, 400 and 404 are all POLICE_API_ERROR, uncharged, and nothing of them is kept', async () => {
  const release = openHome(rig.home, layouts).releases.openCurrent();
  // Another place for each, so that nothing is known of it but its force.
  const postcodes = openPostcodes(release).inArea('EC');
  for (const mood of ['cut', 'junk', 'odd', 429, 400, 404] as const) {
    const { postcode } = postcodes.next().value ?? assert.fail('too few postcodes');
    server.mood = mood;
    const failed = await ask(`postcode=${postcode}&months=1`);
    assert.deepEqual(
      [failed.status, failed.error.code, failed.headers['x-credits-charged']],
      [502, 'POLICE_API_ERROR', '0'],
      String(mood),
    );
    server.mood = 'well';
    const well = await ask(`postcode=${postcode}&months=1`);
    assert.deepEqual([well.status, well.headers['x-credits-charged']], [200, '1'], String(mood));
  }
});

test('one bad month of several is an error, never a smaller answer', async () => {
  // Dates, force, then three months, of which one is asked in vain three times.
  server.moods.push('well', 'well', 'well', 'junk', 'well');
  const { status, error } = await ask('postcode=PO30 1UD&months=3');
  assert.deepEqual([status, error.code], [502, 'POLICE_API_ERROR']);
});

test('an area with too many crimes says to send a smaller radius', async () => {
  await ask('postcode=PO30 1UD&months=1');
  server.mood = 503;
  const { status, error } = await ask('postcode=PO30 1UD&months=24&radius=5000');
  assert.deepEqual([status, error.code], [502, 'POLICE_API_ERROR']);
  assert.match(error.message, /smaller radius/);
});

test('test keys and places without published crime never reach the service', async () => {
  const { key: testKey } = await rig.customer({ mode: 'test' });
  assert.equal((await ask('postcode=ZZ1 1AA', testKey)).status, 200);
  assert.equal((await ask('postcode=AB10 1AB')).error.reason, 'scotland');
  assert.equal(server.asked.length, 0);
});

const recorded = realFile('data/police/api/crimes-street_all-crime_52.629729_-1.131592_2023-01.json');

testWith(recorded, 'a recorded answer of the real service is read whole', async (file) => {
  const crimes: object[] = JSON.parse(readFileSync(file, 'utf8'));
  await close();
  await open('leicestershire', () => crimes);
  const police = openPoliceApi(
    {
      name: 'police-api',
      metrics: new Metrics(),
      baseUrl: server.url,
      cacheFolder: folder,
      cacheBytesMost: 2 ** 30,
      sharers: 1,
      deadline: server.patience.deadline,
    },
    { now: Date.now, sleep: async () => {}, random: () => 0 },
  )('acc_one');
  const answer = await police.crimesNear(
    { latitudeDegrees: 52.629729, longitudeDegrees: -1.131592 },
    1_609.344,
    '2023-01',
    'settled',
  );
  assert.ok(answer.kind === 'answered');
  assert.equal(answer.value.length, 1_448);
});
