// GET /crime/by-postcode on the bundled City of London and the fictional town: contract, gaps, and every refusal.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { crimeByPostcode } from '../../src/endpoints/crime-by-postcode.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { firstRows } from '../../src/ingest/read/csv.ts';
import { runIngest } from '../../src/ingest/run.ts';
import type { Release } from '../../src/release/reader.ts';
import { openHome } from '../../src/release/store.ts';
import { derivations } from '../../src/sources/derivations.ts';
import { sources } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';
import { openPostcodes } from '../../src/tables/postcodes/postcodes.ts';
import { crimeCategories } from '../../src/uk/police.ts';
import { openTestHome } from '../ingest/home.ts';
import { noonMs, openRig, type Rig } from '../rig.ts';
import { madeDirectory } from './made-postcodes.ts';

let rig: Rig;
let key: string;
before(async () => {
  rig = await openRig();
  const limits = { minute: null, day: null, month: null };
  ({ key } = await rig.customer({ limits, credits: 1_000_000 }));
});
after(() => rig.close());

const ask = async (query: string, withKey = key) => {
  const reply = await rig.get(`/api/v1/crime/by-postcode?${query}`, withKey);
  return { status: reply.statusCode, headers: reply.headers, ...reply.json() };
};
// A test key has the limits of Basic, so that each question comes from another customer.
const inTown = async (query: string) => ask(query, (await rig.customer({ mode: 'test' })).key);

type Category = { category: string; count: number; percentage: number; outcomes: Record<string, number> };
const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0);

test('the answer is as the contract has it', async () => {
  const { status, data, headers } = await ask('postcode=ec2y8dl');
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(data), [
    'locationName',
    'postcode',
    'latitude',
    'longitude',
    'policeForce',
    'referenceMonth',
    'monthsRequested',
    'monthlyTotals',
    'crimeCategories',
    'totalCrimes',
  ]);
  const { locationName, postcode, policeForce, referenceMonth, monthsRequested, monthlyTotals } = data;
  assert.deepEqual(
    { locationName, postcode, policeForce, referenceMonth, monthsRequested },
    {
      locationName: 'Cripplegate',
      postcode: 'EC2Y 8DL',
      policeForce: 'City of London Police',
      referenceMonth: '2024-12',
      monthsRequested: 12,
    },
  );
  assert.deepEqual(
    Object.keys(monthlyTotals),
    Array.from({ length: 12 }, (_, index) => `2024-${String(index + 1).padStart(2, '0')}`),
  );
  assert.equal(headers['x-data-source'], 'data.police.uk');
  assert.equal(headers['x-data-as-of'], '2024-12-31');
  assert.equal(headers['x-credits-charged'], '1');
});

test('sums hold for any postcode of the sample, any months and radius', async () => {
  const release = openHome(rig.home, layouts).releases.openCurrent();
  const postcodes = [...openPostcodes(release).inArea('EC')].map(({ postcode }) => postcode);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...postcodes),
      fc.integer({ min: 1, max: 24 }),
      fc.integer({ min: 100, max: 2_000 }),
      async (postcode, months, radius) => {
        const { status, data } = await ask(
          `postcode=${encodeURIComponent(postcode)}&months=${months}&radius=${radius}&includeRaw=TRUE&points=true`,
        );
        assert.equal(status, 200);
        const categories: Category[] = data.crimeCategories;
        const reference = data.monthlyTotals[data.referenceMonth];
        assert.equal(Object.keys(data.monthlyTotals).length, months);
        assert.equal(data.totalCrimes, sum(Object.values(data.monthlyTotals)));
        assert.equal(sum(categories.map(({ count }) => count)), reference);
        assert.equal(data.rawCrimes.length, reference);
        assert.equal(sum(data.points.map((point: { count: number }) => point.count)), data.totalCrimes);
        const percent = sum(categories.map(({ percentage }) => percentage));
        assert.ok(
          categories.length === 0 || Math.abs(percent - 100) <= 0.05 * categories.length + 1e-9,
          `${percent}`,
        );
        for (const { count, outcomes } of categories) assert.ok(sum(Object.values(outcomes)) <= count);
      },
    ),
    { numRuns: 60 },
  );
});

test('24 months are the 23 before and the reference month, and a smaller radius never finds more', async () => {
  const long = (await ask('postcode=EC2Y 8DL&months=24')).data;
  const short = (await ask('postcode=EC2Y 8DL&months=1')).data;
  assert.deepEqual(short.monthlyTotals, { '2024-12': long.monthlyTotals['2024-12'] });
  assert.equal(Object.keys(long.monthlyTotals)[0], '2023-01');
  assert.deepEqual(short.crimeCategories, long.crimeCategories);
  const near = (await ask('postcode=EC2Y 8DL&months=24&radius=300')).data;
  assert.ok(near.totalCrimes > 0 && near.totalCrimes < long.totalCrimes);
  const mile = (await ask('postcode=EC2Y 8DL&months=24&radius=1609')).data;
  assert.ok(Math.abs(mile.totalCrimes - long.totalCrimes) <= 5);
});

test('violence and sexual offences has the slug of the police API, and both are understood', async () => {
  const all = (await ask('postcode=EC2Y 8DL')).data;
  const violent: Category = all.crimeCategories.find((item: Category) => item.category === 'violent-crime');
  for (const name of ['violent-crime', 'violence-and-sexual-offences', 'VIOLENT-CRIME']) {
    const { data } = await ask(`postcode=EC2Y 8DL&category=${name}&includeRaw=true&points=true`);
    assert.deepEqual(data.crimeCategories, [
      { ...violent, displayName: 'Violence and sexual offences', percentage: 100 },
    ]);
    assert.equal(data.monthlyTotals['2024-12'], violent.count);
    assert.equal(data.rawCrimes.length, violent.count);
    assert.equal(sum(data.points.map((point: { count: number }) => point.count)), data.totalCrimes);
  }
});

/** Label → crimes, over all categories. */
function countOutcomes(data: { crimeCategories: readonly { outcomes: Record<string, number> }[] }) {
  const counts = new Map<string, number>();
  for (const { outcomes } of data.crimeCategories)
    for (const [label, count] of Object.entries(outcomes))
      counts.set(label, (counts.get(label) ?? 0) + count);
  return counts;
}

test('a raw crime has the members of the contract; an outcome has a month, or is null', async () => {
  const { data } = await ask('postcode=EC2Y 8DL&includeRaw=true');
  for (const crime of data.rawCrimes) {
    assert.deepEqual(Object.keys(crime), [
      'month',
      'category',
      'location',
      'context',
      'persistent_id',
      'location_subtype',
      'outcome_status',
    ]);
    assert.equal(crime.month, '2024-12');
    assert.match(crime.persistent_id, /^([0-9a-f]{64})?$/);
    // The sample has no file of outcomes: of one still under investigation the month is the crime's own.
    if (crime.outcome_status !== null)
      assert.deepEqual(crime.outcome_status, { category: 'Under investigation', date: '2024-12' });
  }
  const counted = countOutcomes(data);
  const told = data.rawCrimes.filter((crime: { outcome_status: object | null }) => crime.outcome_status);
  assert.equal(told.length, counted.get('Under investigation'));
  assert.ok(counted.size > 3, 'labels without a month are counted all the same');
  const town = await inTown('postcode=ZZ1 1AA&months=24&includeRaw=true&radius=2000');
  const dated = town.data.rawCrimes.filter(
    (crime: { outcome_status: { date: string } | null }) => crime.outcome_status?.date,
  );
  assert.ok(dated.length > 0);
  for (const crime of dated) assert.equal(crime.outcome_status.date, '2026-09');
});

test('the town has every category, and every month', async () => {
  const { data } = await inTown('postcode=ZZ1 1AA&months=24&radius=5000');
  assert.equal(data.policeForce, 'Zedbury Constabulary');
  assert.equal(data.locationName, 'Zedbury Market');
  assert.deepEqual(
    data.crimeCategories.map(({ category }: Category) => category).sort(),
    crimeCategories.map(({ slug }) => slug).sort(),
  );
  assert.equal(Object.keys(data.monthlyTotals).length, 24);
});

test('missing and collapsed months of the other force are absent, and its last month is the reference', async () => {
  const { data } = await inTown('postcode=ZZ3 1AA&months=24');
  assert.equal(data.policeForce, 'Zedborth Police');
  assert.equal(data.referenceMonth, '2026-08');
  for (const month of ['2025-07', '2026-03', '2026-09'])
    assert.equal(month in data.monthlyTotals, false, month);
  assert.equal(Object.keys(data.monthlyTotals).length, 21);
});

test('every way of having no data has its own reason, and costs nothing', async () => {
  const cases: Record<string, [reason: string, more?: object]> = {
    'postcode=ZZ3 1AA&months=1': [
      'force-not-loaded',
      { policeForce: 'Zedborth Police', lastMonthLoaded: '2026-08' },
    ],
    'postcode=ZZ4 1AA': ['scotland'],
    'postcode=ZZ2 9ZZ': ['no-grid-reference'],
  };
  for (const [query, [reason, more = {}]] of Object.entries(cases)) {
    const { status, error, headers } = await inTown(query);
    assert.deepEqual([status, error.code, error.reason], [404, 'NO_CRIME_DATA', reason], query);
    assert.deepEqual({ ...error, ...more }, error);
    assert.equal(headers['x-credits-charged'], '0');
  }
  const live: Record<string, string> = {
    'postcode=PO30 1UD': 'not-in-sample',
    'postcode=M1 1AE': 'force-stopped',
    'postcode=SW1A 1AA': 'force-not-loaded',
    'postcode=AB10 1AB': 'scotland',
  };
  for (const [query, reason] of Object.entries(live)) {
    const { status, error, headers } = await ask(query);
    assert.deepEqual([status, error.code, error.reason], [404, 'NO_CRIME_DATA', reason], query);
    // Somewhere to go.
    assert.equal(/try NP10 8WA, PO33 2RX or LE15 6QU/.test(error.message), reason === 'not-in-sample');
    assert.equal(headers['x-credits-charged'], '0');
  }
});

test("Greater Manchester's month of 14 rows is no data, whatever other forces report there", async () => {
  const titles =
    'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context\n';
  const rows = (force: string, count: number) =>
    `,2024-12,${force},${force},-2.233,53.4815,On or near Piccadilly,E01005062,Manchester 055B,Drugs,,\n`.repeat(
      count,
    );
  const files = {
    'gmp.csv': titles + rows('Greater Manchester Police', 14),
    'cheshire.csv': titles + rows('Cheshire Constabulary', 80),
  };
  const paths = Object.entries(files).map(([name, text]) => {
    writeFileSync(path.join(rig.home, name), text);
    return path.join(rig.home, name);
  });
  const { releases } = openHome(rig.home, layouts);
  const { release } = await runIngest({
    paths,
    sources,
    derivations,
    store: releases,
    base: releases.openCurrent(),
    id: 'made-1',
    kind: 'loaded',
    atMs: noonMs,
    progress: noProgress,
  });
  const outcome = await run('postcode=M1 1AE', release);
  assert.ok(outcome.kind === 'refused');
  assert.deepEqual(
    [outcome.code, outcome.extras],
    [
      'NO_CRIME_DATA',
      { reason: 'force-stopped', policeForce: 'Greater Manchester Police', lastMonth: '2019-06' },
    ],
  );
});

function run(query: string, release: Release) {
  const prepared = crimeByPostcode.prepare(new URLSearchParams(query));
  assert.ok(prepared.kind === 'prepared');
  return prepared.run({ release, today: 20_772 });
}

test('a place is called by its ward, else by its district, else by its nation; its force by the directory, else by district, else by county, never by who reports there', async () => {
  const home = openTestHome();
  try {
    const at = { country: 'england', point: [51.519917, -0.093562] } as const;
    const directory = madeDirectory([
      { ...at, postcode: 'ZZ1 1AA', ward: 'E05009302', authority: 'E09000001', policeArea: 'E23000034' },
      { ...at, postcode: 'ZZ1 1AB', ward: 'E05111111', authority: 'E09000001' },
      { ...at, postcode: 'ZZ1 1AD', authority: 'E09000001', policeArea: 'E23000001' },
      { ...at, postcode: 'ZZ1 1AE', ward: 'E05111111', authority: 'E09000002' },
      { ...at, postcode: 'ZZ1 1AF', authority: 'E07999999', county: 'E10000015' },
      { ...at, postcode: 'ZZ1 1AG', authority: 'E06111111' },
      { ...at, postcode: 'ZZ1 1AH' },
    ]);
    const titles =
      'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context\n';
    const rows = (force: string, count: number) =>
      `,2024-12,${force},${force},-0.093562,51.519917,On or near Fore Street,E01000001,City of London 001A,Drugs,,\n`.repeat(
        count,
      );
    const sample = ['authority-names.csv', 'ward-names.csv', 'lsoa-names.csv'].map((name) =>
      path.join(import.meta.dirname, '../../data/sample', name),
    );
    const { release } = await home.ingest([
      ...sample,
      home.put('ONSPD_NOV_2025_UK.csv', directory),
      home.put('city.csv', titles + rows('City of London Police', 60)),
      home.put('met.csv', titles + rows('Metropolitan Police Service', 90)),
      home.put('btp.csv', titles + rows('British Transport Police', 200)),
    ]);
    const expected: Record<string, [name: string, force: string]> = {
      'ZZ1 1AA': ['Cripplegate', 'City of London Police'],
      'ZZ1 1AB': ['City of London', 'City of London Police'],
      'ZZ1 1AD': ['City of London', 'Metropolitan Police Service'],
      'ZZ1 1AE': ['England', 'Metropolitan Police Service'],
    };
    for (const [postcode, [name, force]] of Object.entries(expected)) {
      const outcome = await run(`postcode=${postcode}`, release);
      assert.ok(outcome.kind === 'answered', postcode);
      const { locationName, policeForce, totalCrimes } = JSON.parse(outcome.json);
      // Whoever is responsible, what lies in the circle counts.
      assert.deepEqual([locationName, policeForce, totalCrimes], [name, force, 350], postcode);
    }
    const refused: Record<string, object> = {
      'ZZ1 1AF': { reason: 'force-not-loaded', policeForce: 'Hertfordshire Constabulary' },
      'ZZ1 1AG': { reason: 'force-unknown' },
      'ZZ1 1AH': { reason: 'force-unknown' },
    };
    for (const [postcode, extras] of Object.entries(refused)) {
      const outcome = await run(`postcode=${postcode}`, release);
      assert.ok(outcome.kind === 'refused', postcode);
      assert.deepEqual(outcome.extras, extras, postcode);
    }
  } finally {
    home.remove();
  }
});

test('unknown, terminated and malformed postcodes and parameters have the code of the contract', async () => {
  const cases: Record<string, [status: number, code: string, more?: object]> = {
    '': [400, 'MISSING_POSTCODE', { field: 'postcode' }],
    'postcode=': [400, 'MISSING_POSTCODE'],
    'postcode=EC2Y': [400, 'INVALID_POSTCODE', { field: 'postcode' }],
    'postcode=ZZ1 1AA&months=0': [400, 'INVALID_MONTHS', { field: 'months' }],
    'postcode=ZZ1 1AA&months=25': [400, 'INVALID_MONTHS'],
    'postcode=ZZ1 1AA&months=twelve': [400, 'INVALID_MONTHS'],
    'postcode=ZZ1 1AA&radius=99': [400, 'INVALID_PARAMETER', { field: 'radius' }],
    'postcode=ZZ1 1AA&radius=5001': [400, 'INVALID_PARAMETER'],
    'postcode=ZZ1 1AA&radius=2001&includeRaw=true': [400, 'INVALID_PARAMETER', { field: 'radius' }],
    'postcode=ZZ1 1AA&radius=2001&points=true': [400, 'INVALID_PARAMETER', { field: 'radius' }],
    'postcode=ZZ1 1AA&radius=1e3': [400, 'INVALID_PARAMETER'],
    'postcode=ZZ1 1AA&category=arson': [400, 'INVALID_PARAMETER', { field: 'category' }],
    'postcode=ZZ9 9ZZ': [404, 'POSTCODE_NOT_FOUND'],
    'postcode=ZZ1 2ZZ': [404, 'POSTCODE_NOT_FOUND', { terminated: '2019-05' }],
  };
  for (const [query, [status, code, more = {}]] of Object.entries(cases)) {
    const reply = await inTown(query);
    assert.deepEqual([reply.status, reply.error.code], [status, code], query);
    assert.deepEqual({ ...reply.error, ...more }, reply.error, query);
  }
  assert.equal((await ask('postcode=ZZ1 1AA')).error.code, 'POSTCODE_NOT_FOUND');
  const wide = await rig.get('/api/v1/crime/by-postcode?postcode=EC2Y8DL&radius=2001', key, {
    accept: 'text/csv',
  });
  assert.deepEqual([wide.statusCode, wide.json().error.field], [400, 'radius']);
});

const asTable = async (query: string) => {
  const reply = await rig.get(`/api/v1/crime/by-postcode?${query}`, key, { accept: 'text/csv' });
  assert.equal(reply.statusCode, 200);
  const [titles = [], ...rows] = firstRows(Buffer.from(reply.body), Number.POSITIVE_INFINITY, 'utf-8');
  return { reply, titles, rows };
};

test('as CSV come the crimes of the reference month with their points, whether raw ones are asked for or not', async () => {
  for (const [filter, raw] of [
    ['', ''],
    ['&category=drugs', ''],
    ['&radius=300', ''],
    ['&radius=2000&category=robbery', '&includeRaw=true'],
  ] as const) {
    const { data } = await ask(`postcode=EC2Y 8DL&includeRaw=true&points=true&months=1${filter}`);
    const { reply, titles, rows } = await asTable(`postcode=EC2Y 8DL&months=12${filter}${raw}`);
    assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8');
    assert.equal(reply.headers['x-credits-charged'], '1');
    assert.equal(
      titles.join(),
      'month,category,latitude,longitude,location,context,persistent_id,location_subtype,outcome_category,outcome_date',
    );
    type Raw = { outcome_status: { category: string; date: string } | null } & Record<string, string>;
    assert.ok(rows.length > 0, filter);
    assert.deepEqual(
      rows.map(([month, category, , , ...rest]) => [month, category, ...rest.slice(0, -2), rest.at(-1)]),
      data.rawCrimes.map(({ outcome_status: outcome, ...crime }: Raw) => [
        ...Object.values(crime),
        outcome?.date ?? '',
      ]),
    );
    // An outcome without a month is null in the JSON, and counted; the table has its label.
    assert.deepEqual(
      [...Map.groupBy(rows, (row) => row.at(-2) ?? '')]
        .flatMap(([label, { length }]) => (label === '' ? [] : [`${label} ${length}`]))
        .sort(),
      [...countOutcomes(data)].map(([label, count]) => `${label} ${count}`).sort(),
    );
    type Point = { latitude: number; longitude: number; location: string; count: number };
    const places = Map.groupBy(rows, ([, , latitude, longitude, location]) =>
      [latitude, longitude, location].join(),
    );
    assert.deepEqual(
      [...places].map(([place, found]) => `${place} ${found.length}`).sort(),
      data.points.map((at: Point) => `${[at.latitude, at.longitude, at.location].join()} ${at.count}`).sort(),
    );
  }
});

type CrimePoint = {
  latitude: number;
  longitude: number;
  location: string;
  count: number;
  byMonth: Record<string, Record<string, number>>;
};

test('points come page by page: each once, most crimes first, and Link has the next page', async () => {
  const query = 'postcode=EC2Y 8DL&months=24&radius=1000&points=true';
  const whole: CrimePoint[] = (await ask(query)).data.points;
  const followed: CrimePoint[] = [];
  let url: string | undefined = `/api/v1/crime/by-postcode?${query}&limit=20`;
  while (url !== undefined) {
    const reply = await rig.get(url, key);
    const { data } = reply.json();
    assert.equal(data.pointsTotal, whole.length);
    followed.push(...data.points);
    url = /^<([^>]+)>; rel="next"$/.exec(String(reply.headers.link))?.[1];
    assert.equal(url === undefined, followed.length === whole.length);
  }
  assert.ok(whole.length > 100, `${whole.length}`);
  assert.deepEqual(followed, whole);
  const past = await ask(`${query}&offset=100000`);
  assert.deepEqual(
    [past.data.points, past.data.pointsTotal, past.headers.link],
    [[], whole.length, undefined],
  );
  const bad = await ask(`${query}&limit=many`);
  assert.deepEqual([bad.status, bad.error.code, bad.error.field], [400, 'INVALID_PARAMETER', 'limit']);
  const without = await ask('postcode=EC2Y 8DL&limit=1&offset=3');
  assert.deepEqual(
    [without.data.points, without.data.pointsTotal, without.headers.link],
    [undefined, undefined, undefined],
  );
});

test('with points=true the table has a row for each point, month and category', async () => {
  for (const filter of ['', '&category=drugs', '&radius=300&limit=5&offset=2']) {
    const query = `postcode=EC2Y 8DL&months=6&points=true${filter}`;
    const { data, headers } = await ask(query);
    const { reply, titles, rows } = await asTable(query);
    assert.equal(titles.join(), 'latitude,longitude,location,month,category,count');
    const cells = data.points.flatMap(({ latitude, longitude, location, byMonth }: CrimePoint) =>
      Object.entries(byMonth).flatMap(([month, counts]) =>
        Object.entries(counts).map(([slug, count]) =>
          [latitude, longitude, location, month, slug, count].map(String),
        ),
      ),
    );
    assert.ok(cells.length > 0);
    assert.deepEqual(rows, cells);
    assert.equal(reply.headers.link, headers.link);
  }
});

test('a month without a crime is a table of titles alone, and a refusal is in the envelope whatever is accepted', async () => {
  const town = await rig.customer({ mode: 'test' });
  const get = (query: string) =>
    rig.get(`/api/v1/crime/by-postcode?${query}`, town.key, { accept: 'text/csv' });
  const { data } = await inTown('postcode=ZZ1 1AA&radius=100&months=1');
  const there = new Set(data.crimeCategories.map(({ category }: Category) => category));
  const { slug } = crimeCategories.find((item) => !there.has(item.slug)) ?? assert.fail('all are there');
  const empty = await get(`postcode=ZZ1 1AA&radius=100&category=${slug}`);
  assert.match(empty.body, /^month,[a-z_,]+\r\n$/);
  const refused = await get('postcode=ZZ4 1AA');
  assert.deepEqual([refused.statusCode, refused.json().error.reason], [404, 'scotland']);
  assert.equal(refused.headers['x-credits-charged'], '0');
});
