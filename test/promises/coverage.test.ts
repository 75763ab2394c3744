// Promise: a reply says when its data is a sample or missing. What the operator has to do about it stands in the log alone.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exampleParams } from '../../src/contract/examples.ts';
import type { DatasetName } from '../../src/datasets.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { endpointPath } from '../../src/http/docs/reference.ts';
import { facts, openTestHome } from '../ingest/home.ts';
import { openRig, type Rig, withSamples } from '../rig.ts';
import { bulkCsv, row } from '../sources/price-paid/files.ts';

let rig: Rig;
let key: string;
let testKey: string;
before(async () => {
  rig = await openRig();
  ({ key } = await rig.customer({ limits: { minute: null } }));
  ({ key: testKey } = await rig.customer({ mode: 'test' }));
});
after(() => rig.close());

const samples = async (): Promise<ReadonlySet<string>> => {
  const { datasets } = (await rig.get('/api/v1/datasets')).json().data;
  return new Set(
    datasets.flatMap(({ name, extent }: { name: string; extent: string }) =>
      extent === 'sample' ? [name] : [],
    ),
  );
};
const queryOf = (endpoint: (typeof endpoints)[number]) =>
  new URLSearchParams(
    (exampleParams(endpoint, 'live') ?? exampleParams(endpoint, 'sandbox') ?? []).map(([name, value]) => [
      name,
      String(value),
    ]),
  ).toString();

test('X-Data-Coverage is `sample` where a dataset behind the reply is one, and only there', async () => {
  const sampled = await samples();
  assert.ok(sampled.has('postcodes'));
  for (const endpoint of endpoints) {
    const { statusCode, headers } = await rig.get(`/api/v1${endpoint.path}?${queryOf(endpoint)}`, key);
    const expected = endpoint.datasets.some((name) => sampled.has(name)) ? 'sample' : undefined;
    const told = /^sample\b/.exec(String(headers['x-data-coverage'] ?? ''))?.[0];
    assert.equal(told, expected, `${endpoint.path} ${statusCode}`);
  }
});

/** Of the places around the example, which lies in Wales. */
const datasetOfKind: ReadonlyMap<string, DatasetName> = new Map([
  ['schools', 'schools-wales'],
  ['stations', 'stops'],
  ['stops', 'stops'],
  ['amenities', 'amenities'],
]);

test('whichever dataset is still a sample after others were loaded, every answer that rests on it says so, and no other', async () => {
  const { datasets } = (await rig.get('/api/v1/datasets')).json().data;
  const names: readonly DatasetName[] = datasets.map(({ name }: { name: DatasetName }) => name);
  for (const name of names) {
    const mixed = await openRig({ live: (real) => withSamples(real, [name]) });
    try {
      const { key: asker } = await mixed.customer({ limits: { minute: null } });
      const told = (await mixed.get('/api/v1/datasets')).json().data.datasets;
      assert.deepEqual(
        told.flatMap((dataset: { name: string; extent: string }) =>
          dataset.extent === 'sample' ? [dataset.name] : [],
        ),
        [name],
      );
      for (const endpoint of endpoints) {
        const reply = await mixed.get(`/api/v1${endpoint.path}?${queryOf(endpoint)}`, asker);
        const { data } = reply.json();
        const behind = new Set<string>(endpoint.datasets);
        if (endpoint.path === '/area/statistics')
          for (const { basis } of Object.values<{ basis: { dataset: string }[] }>(data))
            for (const { dataset } of basis) behind.add(dataset);
        if (endpoint.path === '/area/places')
          for (const [kind, { total }] of Object.entries<{ total: number | null }>(data.kinds))
            if (total !== null) behind.add(datasetOfKind.get(kind) ?? assert.fail(kind));
        const isTold = /^sample\b/.test(String(reply.headers['x-data-coverage'] ?? ''));
        assert.equal(
          isTold,
          behind.has(name),
          `${endpoint.path} ${reply.statusCode} with a sample of ${name}`,
        );
      }
    } finally {
      await mixed.close();
    }
  }
});

test('where a national list is loaded in part, an answer that counts from it says that it may count too few', async (t) => {
  const partial = ['schools-wales', 'bus-routes'] as const;
  const own = await openRig({ live: (real) => withSamples(real, partial, 'partial') });
  t.after(() => own.close());
  const { key: ownKey } = await own.customer();
  const ask = (path: string) => own.get(`/api/v1/area/${path}postcode=NP10 8WA`, ownKey);
  const statistics = await ask('statistics?');
  const { schools, transport } = statistics.json().data;
  assert.ok(schools.primary > 0 && transport.busRoutes > 0);
  assert.equal(
    statistics.headers['x-data-coverage'],
    'partial; not loaded: table TS066 (employmentRate); only a part is loaded of Schools in Wales and Bus routes, so their figures may be too low',
  );
  const places = await ask('places?kinds=schools&');
  const lacking = 'only a part of the schools of Wales is loaded, so some may be missing here';
  assert.equal(places.json().data.kinds.schools.lacking, lacking);
  assert.equal(places.headers['x-data-coverage'], `partial; schools: ${lacking}`);
});

test('an island is told by its letters that the data is of elsewhere, and no example of the sample is offered', async () => {
  for (const postcode of ['JE2 3AB', 'GY1 1AA', 'IM1 1AA']) {
    const { error } = (await rig.get(`/api/v1/area/statistics?postcode=${postcode}`, key)).json();
    assert.match(error.message, /lies in the (Channel Islands|Isle of Man), .*; ask for a place there\.$/);
    assert.doesNotMatch(error.message, /sample/);
  }
});

test('a postcode that is not in the sample is told so, and no typing slip is suspected', async () => {
  for (const { path, params, errors } of endpoints) {
    if (!errors.includes('POSTCODE_NOT_FOUND')) continue;
    // A test key has the limits of Basic, so that each endpoint has a minute of its own.
    rig.clock.nowMs += 60_000;
    const name = 'postcode' in params ? 'postcode' : 'near';
    const address = 'address' in params ? '&address=1 High Street' : '';
    const ask = async (postcode: string, asker: string) => {
      const reply = await rig.get(`/api/v1${path}?${name}=${postcode}${address}`, asker);
      assert.deepEqual([reply.statusCode, reply.json().error.code], [404, 'POSTCODE_NOT_FOUND'], path);
      return { message: reply.json().error.message, coverage: reply.headers['x-data-coverage'] };
    };
    const lacking = await ask('M1 1AA', key);
    assert.match(lacking.message, /holds a sample of postcodes/);
    assert.doesNotMatch(lacking.message, /typing slip/);
    assert.equal(lacking.coverage, 'sample');
    assert.match((await ask('AX1 1AA', key)).message, /begins with AX; .*typing slip/);
    assert.match((await ask('ZZ1 1AA', key)).message, /fictional.* test key/);
    assert.match((await ask('M1 1AA', testKey)).message, /test key knows only .*ZZ/);
    assert.match((await ask('ZZ9 9ZZ', testKey)).message, /typing slip/);
  }
});

test('without its data an endpoint is 503: the caller hears no command and no time, the log tells the operator once', async () => {
  const home = openTestHome();
  const { release } = await home.ingest(facts);
  const bare = await openRig({ live: () => release });
  try {
    const { key: asker } = await bare.customer({ limits: { minute: null } });
    for (const time of ['first', 'second']) {
      for (const endpoint of endpoints) {
        // Loaded, or without any data behind it.
        if (endpoint.path === '/bank-rates' || endpoint.datasets.length === 0) continue;
        const reply = await bare.get(`/api/v1${endpoint.path}?${queryOf(endpoint)}`, asker);
        const { error } = reply.json();
        assert.deepEqual([reply.statusCode, error.code], [503, 'SERVICE_UNAVAILABLE'], endpoint.path);
        assert.doesNotMatch(JSON.stringify(error), /ingest|DOMESDAY_|operator/, time);
        assert.equal(reply.headers['retry-after'], undefined);
        assert.equal(reply.headers['x-credits-charged'], '0');
      }
    }
    const told = bare.logLines.filter((line) => line.includes('domesday ingest'));
    const lacking = new Set(endpoints.flatMap(({ datasets }) => datasets.slice(0, 1)));
    assert.equal(told.length, lacking.size - 1);
  } finally {
    await bare.close();
    home.remove();
  }
});

test('a refusal that looked at no data says nothing of a sample', async () => {
  for (const endpoint of endpoints) {
    const { statusCode, headers } = await rig.get(`/api/v1${endpoint.path}?${queryOf(endpoint)}`);
    assert.deepEqual([statusCode, headers['x-data-coverage']], [401, undefined], endpoint.path);
  }
});

test('of a register that is loaded in part, every answer and GET /datasets say what is there', async (t) => {
  const home = openTestHome();
  t.after(() => home.remove());
  const sales = bulkCsv([
    row(1),
    row(2, { postcode: 'SO14 2AA', town: 'SOUTHAMPTON', date: '2025-07-01 00:00' }),
  ]);
  await home.ingest([...facts, home.put('pp-2025-part1.csv', sales)]);
  const own = await openRig({ live: () => home.store.openCurrent() });
  t.after(() => own.close());
  const { key: ownKey } = await own.customer();
  const there =
    '2 sales of postcode areas PO (to 2025-06-27), SO, to 2025-07-01; the complete register is not loaded';
  const inArea = '1 sale of postcode area PO, to 2025-06-27; the complete register is not loaded';
  for (const [query, told, charged] of [
    ['outcode=PO33', `partial; loaded: ${inArea}`, '1'],
    ['outcode=PO1', `none; only a part of the register is loaded: ${inArea}`, '0'],
  ] as const) {
    const { statusCode, headers } = await own.get(`/api/v1/area/sold-prices?${query}`, ownKey);
    assert.deepEqual([statusCode, headers['x-data-coverage']], [200, told], query);
    assert.equal(headers['x-credits-charged'], charged, query);
  }
  const { datasets } = (await own.get('/api/v1/datasets')).json().data;
  const told = datasets.find(({ name }: { name: string }) => name === 'price-paid');
  assert.deepEqual([told.extent, told.coverage['England and Wales']], ['partial', there]);
});

/** Members that are 0 in an answer that knows nothing: counts of what is loaded, and the prices that the contract has as numbers. */
const zeroNamed: Readonly<Record<string, readonly string[]>> = {
  '/area/sold-prices': [
    'offset',
    'returned',
    'summary.averagePrice',
    'summary.medianPrice',
    'summary.priceRange.max',
    'summary.priceRange.min',
    'summary.quartiles.lower',
    'summary.quartiles.upper',
    'totalResults',
  ],
  '/area/sold-prices/trend': ['totalResults'],
  '/area/places': ['offset', 'returned'],
};

const zerosIn = (value: unknown, at: readonly string[] = []): readonly string[] => {
  if (value === 0) return [at.join('.')];
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, member]) => zerosIn(member, [...at, name]))
    : [];
};

test('where nothing is known an answer has no 0 but those that the documentation names', async () => {
  const questions = [
    ...['NP10', 'SW1A', 'EH1', 'BT1', 'QQ1'].flatMap((outcode) => [
      `/area/sold-prices?outcode=${outcode}&include=quartiles,trend,positions`,
      `/area/sold-prices/trend?outcode=${outcode}`,
    ]),
    ...['EH1 1YJ', 'EH99 1SP', 'SW1A 1AA'].map(
      (postcode) => `/area/places?postcode=${postcode}&kinds=schools,stops,amenities`,
    ),
  ];
  const met = new Set<string>();
  for (const question of questions) {
    const reply = await rig.get(`/api/v1${encodeURI(question)}`, key);
    if (!String(reply.headers['x-data-coverage']).startsWith('none')) continue;
    const [path = ''] = question.split('?');
    assert.deepEqual(zerosIn(reply.json().data).toSorted(), zeroNamed[path], question);
    met.add(path);
  }
  assert.deepEqual([...met].toSorted(), Object.keys(zeroNamed).toSorted());
  const guide = (await rig.get('/docs/guides/coverage.md')).body;
  assert.match(guide, /\/area\/sold-prices` has 0 for the mean, median, lowest and highest price/);
  for (const path of ['/area/sold-prices', '/area/sold-prices/trend'] as const) {
    const page = (await rig.get(`${endpointPath({ path })}.md`)).body;
    assert.match(page, /0 means that none was sold only if there is no X-Data-Coverage header/, path);
  }
  assert.match((await rig.get('/docs/data.md')).body, /summary of `\/area\/sold-prices` are 0/);
});
