// Bus timetables in GTFS as the Bus Open Data Service has them: copies, other means of transport, days, regions.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { makeZip } from '../../../scripts/make-zip.ts';
import { openBusRoutes } from '../../../src/tables/transport/bus-routes.ts';
import { distanceMetres } from '../../../src/uk/grid.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';
import { gtfsFiles, gtfsZip, loadReport, type Timetable } from './desk.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const here = { latitudeDegrees: 53.8, longitudeDegrees: -1.55, radiusMetres: 400 };
const there = { latitudeDegrees: 53.9, longitudeDegrees: -1.55, radiusMetres: 400 };
const stops = {
  '450000001': [53.8, -1.55],
  '450000002': [53.8005, -1.5505],
  '450000003': [53.9, -1.55],
} as const;
const both = ['450000001', '450000002'];
const count = (circle = here) => openBusRoutes(home.store.openCurrent()).countRoutes(circle);
const load = (timetable: Timetable, name = 'itm.zip') =>
  loadReport(home, [home.put(name, gtfsZip(timetable))]);

test('a route is one whether two stops have it or one, whether its operator or an authority publishes it', async () => {
  const { noted } = await load({
    stops,
    agencies: {
      OP1: ['ABUS', 'A Buses'],
      OP2: ['', 'A Buses Ltd.'],
      OP3: ['abus ', 'Alpha (by the council)'],
      OP4: ['BBUS', 'B & C Buses'],
      OP5: ['', 'B and C Buses Limited'],
    },
    routes: [
      { id: '1', name: '36', calls: both },
      { id: '2', name: ' 36', agency: 'OP2', calls: both },
      { id: '3', name: '36', agency: 'OP3', calls: both },
      { id: '4', name: '36', agency: 'OP4', calls: both },
      { id: '5', name: 'x4', agency: 'OP4', calls: both },
      { id: '6', name: 'X4', agency: 'OP5', calls: ['450000002'] },
    ],
  });
  assert.equal(count(), 3);
  assert.deepEqual(noted, {});
});

test('trams, the Underground and ferries are left out, coaches are not, nor calls where one may only alight', async () => {
  const { noted } = await load({
    stops,
    routes: [
      { id: '1', name: '1', calls: both },
      { id: '2', name: '2', type: 200, calls: both },
      { id: '3', name: '3', calls: ['450000003', '450000001'], noPickup: ['450000001'] },
      { id: '4', name: 'T', type: 0, calls: both },
      { id: '5', name: 'U', type: 1, calls: both },
      { id: '6', name: 'F', type: 4, calls: both },
      { id: '7', name: 'R', type: 2, calls: both },
    ],
  });
  assert.equal(count(), 2);
  assert.equal(count(there), 1);
  assert.deepEqual(noted, {
    'route of another means of transport, left out': 4,
    'call of another means of transport, left out': 8,
    'call where nobody may board, left out': 1,
  });
});

const weekly = (id: string, days: string) => `${id},${days},20260901,20270901`;

test('only what runs on the reference Tuesday counts: exceptions add and remove, and a holiday is not chosen', async () => {
  const { edition, asOf } = await load({
    stops,
    calendar: [
      weekly('tue', '0,1,0,0,0,0,0'),
      weekly('sun', '0,0,0,0,0,0,1'),
      weekly('gone', '1,1,1,1,1,1,1'),
    ],
    // 2026-09-01 is a Tuesday without most services, 2026-09-08 the first with them.
    calendarDates: ['tue,20260901,2', 'extra,20260908,1', 'gone,20260908,2', 'late,20260915,1'],
    routes: [
      { id: '1', name: '1', service: 'tue', calls: both },
      { id: '2', name: '2', service: 'sun', calls: both },
      { id: '3', name: '3', service: 'extra', calls: both },
      { id: '4', name: '4', service: 'gone', calls: both },
      { id: '5', name: '5', service: 'tue', calls: both },
      { id: '6', name: '6', service: 'late', calls: both },
      { id: '7', name: '7', service: 'extra', calls: both },
    ],
  });
  assert.deepEqual([edition, asOf], ['Tuesday 2026-09-08', '2026-09-08']);
  assert.equal(count(), 4);
});

test('a stop at which buses call on other days alone is known to the timetable: 0, not unknown', async () => {
  await load({
    stops,
    calendar: [weekly('tue', '0,1,0,0,0,0,0'), weekly('sun', '0,0,0,0,0,0,1')],
    routes: [
      { id: '1', name: '1', service: 'tue', calls: ['450000001'] },
      { id: '2', name: '2', service: 'sun', calls: ['450000003'] },
    ],
  });
  assert.equal(count(), 1);
  assert.equal(count(there), 0);
  assert.equal(count({ ...there, latitudeDegrees: 55 }), undefined);
});

test('without feed_info the name tells the day; the Tuesdays begin with it, or are the last of a timetable that has run out', async () => {
  const routes = [{ id: '1', name: '1', calls: both }];
  await assert.rejects(load({ stops, routes, validity: null }), /does not state its day.*--edition/);
  assert.equal((await load({ stops, routes, validity: null }, 'itm 2026-11-12.zip')).asOf, '2026-11-17');
  const old = ['daily,1,1,1,1,1,1,1,20240101,20241231'];
  const elsewhere = {
    stops: { '010000001': [51, 0] },
    routes: [{ id: '1', name: '1', calls: ['010000001'] }],
    validity: null,
    calendar: old,
  } satisfies Timetable;
  const { asOf } = await load(elsewhere, 'south_20260601.zip');
  // Both are loaded now; the data is as old as the second.
  assert.equal(asOf, '2024-11-05');
  assert.deepEqual(
    openBusRoutes(home.store.openCurrent()).feeds.map(({ referenceDay }) =>
      new Date(referenceDay * 864e5).toISOString().slice(0, 10),
    ),
    ['2024-11-05', '2026-11-17'],
  );
});

test('regions are one after the other or together the same, and a route over the border is one', async () => {
  const north: Timetable = {
    stops,
    routes: [
      { id: '1', name: '1', calls: both },
      { id: '2', name: 'X9', calls: ['450000001', '450000003'] },
      { id: '3', name: 'T', type: 0, calls: both },
    ],
  };
  const south: Timetable = {
    stops: { '100000001': [53.0, -1.5], '100000002': [53.01, -1.5], '450000001': [53.8, -1.55] },
    routes: [
      { id: '1', name: 'X9', calls: ['100000001', '100000002', '450000001'] },
      { id: '2', name: '7', calls: ['100000001', '450000001'] },
      { id: '3', name: 'T', type: 0, calls: ['100000001', '100000002'] },
    ],
  };
  const counts = () => [
    count(),
    count(there),
    count({ ...here, latitudeDegrees: 53, longitudeDegrees: -1.5 }),
  ];
  const together = [home.put('north.zip', gtfsZip(north)), home.put('south.zip', gtfsZip(south))];
  const { noted } = await loadReport(home, together);
  assert.deepEqual(counts(), [3, 1, 2]);
  assert.deepEqual(noted, {
    'call of another means of transport, left out': 4,
    'route of another means of transport, left out': 2,
  });
  const other = openTestHome();
  try {
    await other.ingest([together[0] ?? '']);
    await other.ingest([together[1] ?? '']);
    home.remove();
    home = other;
    assert.deepEqual(counts(), [3, 1, 2]);
  } finally {
    if (home !== other) other.remove();
  }
});

test('a later timetable of the same stops takes the place of the earlier one; an earlier one is refused', async () => {
  const region = (name: string, from: string): Timetable => ({
    stops,
    validity: [from, '20270901'],
    routes: [{ id: '1', name, calls: [...both, '450000003'] }],
  });
  await load(
    { stops: { '010000001': [51, 0] }, routes: [{ id: '1', name: '9', calls: ['010000001'] }] },
    'south.zip',
  );
  await load(region('1', '20260901'), 'north.zip');
  const { revised } = await load(region('2', '20261001'), 'north (1).zip');
  assert.deepEqual(revised, { 'timetable replaced by a later one': 1 });
  assert.equal(count(), 1);
  assert.equal(count({ latitudeDegrees: 51, longitudeDegrees: 0, radiusMetres: 400 }), 1);
  await assert.rejects(load(region('3', '20260902')), /are valid from 2026-09-02, .* from 2026-10-01/);
  const editions = [region('4', '20261101'), region('5', '20261108')].map((timetable, at) =>
    home.put(`edition-${at}.zip`, gtfsZip(timetable)),
  );
  for (const together of [editions, editions.toReversed()]) {
    const { passedOver } = await home.ingest(together);
    assert.deepEqual(
      [...new Set(passedOver.map(({ name }) => name.split(' > ')[0]))],
      [editions[0]],
      'the later is read, in either order',
    );
  }
  assert.equal(count(), 1);
});

test('what refers to nothing is counted: routes without operator or name, trips, calls, stops without a place', async () => {
  const files = gtfsFiles({
    stops: { ...stops, '450000009': [0, 0] },
    agencies: { OP1: ['ABUS', 'A Buses'], OP2: ['BBUS', 'B Buses'] },
    routes: [
      { id: '1', name: '1', calls: [...both, '450000009'] },
      { id: '2', name: '2', agency: 'OP7', calls: both },
      { id: '3', name: '', calls: both },
    ],
  });
  const zip = makeZip({
    ...files,
    'trips.txt': `${files['trips.txt']}77,daily,VJ77,,0,,,0,\r\n`,
    'stop_times.txt': `${files['stop_times.txt']}VJ99,08:00:00,08:00:00,450000001,0,,0,0,,1\r\nVJ1,08:00:00,08:00:00,nowhere,9,,0,0,,1\r\n`,
    'shapes.txt': 'shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence\r\n',
  });
  const { rejected, noted, kept } = await loadReport(home, [home.put('itm.zip', zip)]);
  assert.deepEqual(rejected, {
    'route of an operator that agency.txt lacks': 1,
    'route without a name': 1,
    'trip of a route that routes.txt lacks': 1,
    'stop without a place in Great Britain': 1,
    'call of a trip that trips.txt lacks': 1,
    'call at a stop that stops.txt lacks': 1,
  });
  assert.equal(noted['call at a stop without a place, left out'], 1);
  assert.equal(kept, 2);
  assert.equal(count(), 1);
});

test('an archive that is cut off, lacks a table, has a bad date, or no bus on any Tuesday is refused', async () => {
  const timetable: Timetable = { stops, routes: [{ id: '1', name: '1', calls: both }] };
  const refused = (content: Uint8Array, message: RegExp) =>
    assert.rejects(home.ingest([home.put('itm.zip', content)]), message);
  const zip = gtfsZip(timetable);
  await refused(zip.subarray(0, zip.length / 2), /cut off/);
  const { 'stop_times.txt': _, ...lacking } = gtfsFiles(timetable);
  await refused(makeZip(lacking), /has no stop_times\.txt/);
  const cut = gtfsFiles(timetable);
  await refused(
    makeZip({ ...cut, 'stop_times.txt': cut['stop_times.txt']?.slice(0, -12) ?? '' }),
    /the last, .* cut off/,
  );
  await refused(
    gtfsZip({ ...timetable, calendar: ['daily,1,1,1,1,1,1,1,2026-09-01,20270901'] }),
    /"2026-09-01"; expected YYYYMMDD/,
  );
  await refused(
    gtfsZip({ ...timetable, calendar: [weekly('daily', '0,0,0,0,0,0,1')] }),
    /no bus on any of the first Tuesdays/,
  );
  assert.equal(home.store.currentId(), undefined);
});

test('the same timetable under another name changes nothing; another of the same days does', async () => {
  const timetable = (calls: readonly string[]): Timetable => ({
    stops,
    routes: [{ id: '1', name: '36', calls: [...calls] }],
  });
  const given = (name: string, calls: readonly string[]) =>
    home.ingest([home.put(name, gtfsZip(timetable(calls)))]);
  await given('itm.zip', both);
  assert.equal((await given('itm (1).zip', both)).outcome, 'nothing new');
  assert.equal((await given('other.zip', Object.keys(stops))).outcome, 'made');
});

test('a folder of the unpacked files is the same as the archive', async () => {
  const files = gtfsFiles({ stops, routes: [{ id: '1', name: '1', calls: both }] });
  const paths = Object.entries(files).map(([name, text]) => home.put(name, text));
  await home.ingest(paths);
  assert.equal(count(), 1);
});

test('routes around any place are the distinct ones of all stops near enough, by counting plainly', async () => {
  const stop = fc.tuple(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 1500 }));
  const given = fc.record({
    stops: fc.uniqueArray(stop, { minLength: 1, maxLength: 25, selector: String }),
    routes: fc.array(fc.array(fc.nat({ max: 24 }), { minLength: 1, maxLength: 8 }), {
      minLength: 1,
      maxLength: 12,
    }),
    places: fc.array(stop, { minLength: 1, maxLength: 4 }),
  });
  const degrees = ([north, east]: readonly [number, number]) =>
    [53.8 + north / 1e5, -1.55 + east / 1e5] as const;
  await fc.assert(
    fc.asyncProperty(given, async ({ stops: points, routes, places }) => {
      const own = openTestHome();
      try {
        const codes = points.map((_, at) => `4500${at}`);
        const callsOf = routes.map((calls) => calls.map((at) => codes[at % codes.length] ?? ''));
        const timetable: Timetable = {
          stops: Object.fromEntries(points.map((point, at) => [codes[at] ?? '', degrees(point)])),
          // Two routes have one number.
          routes: callsOf.map((calls, at) => ({ id: `R${at}`, name: String(Math.floor(at / 2)), calls })),
        };
        const { release } = await own.ingest([own.put('itm.zip', gtfsZip(timetable))]);
        const called = new Set(callsOf.flat());
        for (const place of places) {
          const [latitudeDegrees, longitudeDegrees] = degrees(place);
          const near = codes.filter((code, at) => {
            const [latitude, longitude] = degrees(points[at] ?? assert.fail());
            return (
              called.has(code) &&
              distanceMetres(latitudeDegrees, longitudeDegrees, latitude, longitude) <= 400
            );
          });
          const wanted = new Set(
            callsOf.flatMap((calls, at) =>
              calls.some((code) => near.includes(code)) ? [Math.floor(at / 2)] : [],
            ),
          );
          const found = openBusRoutes(release).countRoutes({
            latitudeDegrees,
            longitudeDegrees,
            radiusMetres: 400,
          });
          assert.equal(found, near.length === 0 ? undefined : wanted.size);
        }
      } finally {
        own.remove();
      }
    }),
    { numRuns: 25 },
  );
});
