// Promise: whatever an endpoint answers as JSON, it answers as CSV with the same values, for the same credits, and under the
// same rules of versions, pages, compression and errors.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { hasVersions } from '../../src/contract/endpoint.ts';
import { exampleParams } from '../../src/contract/examples.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { firstRows } from '../../src/ingest/read/csv.ts';
import { openRig, type Rig } from '../rig.ts';

let rig: Rig;
let liveKey: string;
before(async () => {
  rig = await openRig();
  const limits = { minute: null, day: null, month: null };
  liveKey = (await rig.customer({ limits, credits: 1_000_000 })).key;
});
after(() => rig.close());

/** A new one whenever it is asked for: what a test key may ask in a minute is little. */
const newTestKey = async () => (await rig.customer({ mode: 'test' })).key;

/** The list of the answer that has the rows; the others have one row. */
const lists: Readonly<Record<string, string>> = {
  '/council-tax/property-candidates': 'candidates',
  '/council-tax/authorities': 'authorities',
  '/area/sold-prices': 'properties',
  '/area/sold-prices/trend': 'months',
  '/area/places': 'places',
  '/bank-rates': 'rateChanges',
  '/postcodes/near': 'postcodes',
  '/postcodes/complete': 'suggestions',
  '/account/usage': 'rows',
};
/** Has columns that its JSON lacks. */
const ownTables = '/crime/by-postcode';
const csv = { accept: 'text/csv' };

const read = (body: string) => firstRows(Buffer.from(body), Number.POSITIVE_INFINITY, 'utf-8');

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function written(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'string' && /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : String(value);
}

const at = (row: unknown, title: string): unknown =>
  title.split('.').reduce((value: unknown, name) => (isObject(value) ? value[name] : undefined), row);

/** Where every value of a row stands; what a column has whole is one. */
function pathsOf(row: unknown, columns: ReadonlySet<string>, path = ''): readonly string[] {
  if (columns.has(path) || !isObject(row)) return [path];
  return Object.entries(row).flatMap(([name, value]) =>
    pathsOf(value, columns, path === '' ? name : `${path}.${name}`),
  );
}

/** The body of a success as rows. */
function rowsOf(path: string, body: Json): readonly unknown[] {
  const answer = path === '/bank-rates' ? body : body.data;
  const list = lists[path];
  if (list === undefined) return [answer];
  const rows = isObject(answer) ? answer[list] : undefined;
  return Array.isArray(rows) ? rows : assert.fail(`${path} has no ${list}`);
}

/** Every call changes what an account tells of its windows. */
const isSteady = (path: string, title: string) => path !== '/account' || !title.endsWith('.used');

function assertSame(path: string, json: Json, table: string): void {
  const [titles = [], ...rows] = read(table);
  const expected = rowsOf(path, json);
  assert.equal(rows.length, expected.length, path);
  for (const [index, row] of expected.entries()) {
    const fields = rows[index] ?? assert.fail();
    if (!isObject(row)) {
      assert.deepEqual([titles, fields], [[lists[path]], [written(row)]]);
      continue;
    }
    assert.equal(fields.length, titles.length, path);
    for (const [column, title] of titles.entries()) {
      if (isSteady(path, title)) assert.equal(fields[column], written(at(row, title)), `${path} ${title}`);
    }
    for (const own of pathsOf(row, new Set(titles))) {
      const isInside = (title: string) => title.startsWith(`${own}.`);
      const isThere: boolean = titles.includes(own) || (at(row, own) === null && titles.some(isInside));
      assert.ok(isThere, `${path}: the table lacks ${own}`);
    }
  }
}

/** As the description of the API lists them, which is all that a client knows beforehand. */
async function columnsOf(path: string): Promise<readonly (readonly string[])[]> {
  const { paths } = (await rig.get('/api/v1/openapi.json')).json();
  return paths[path].get['x-csv'].map(({ columns }: { columns: readonly string[] }) => columns);
}

for (const endpoint of endpoints) {
  const { path, errors } = endpoint;
  const values = exampleParams(endpoint, 'sandbox') ?? [];
  const url = `/api/v1${path}?${new URLSearchParams(values.map(([name, value]) => [name, String(value)]))}`;

  test(`${path} as CSV: the values of the JSON, in the columns that OpenAPI lists`, async () => {
    const testKey = await newTestKey();
    const json = await rig.get(url, testKey);
    const table = await rig.get(url, testKey, csv);
    assert.deepEqual([json.statusCode, table.statusCode], [200, 200], table.body);
    assert.equal(table.headers['content-type'], 'text/csv; charset=utf-8');
    assert.ok(table.body.endsWith('\r\n'));
    const [titles] = read(table.body);
    assert.deepEqual(titles, (await columnsOf(path))[0]);
    if (path !== ownTables) assertSame(path, json.json(), table.body);
  });

  test(`${path} as CSV: charged, versioned and paged as JSON is`, async () => {
    const live = exampleParams(endpoint, 'live');
    const { key } = await rig.customer(live === undefined ? { mode: 'test' } : { credits: 5 });
    const real = `/api/v1${path}?${new URLSearchParams((live ?? values).map(([name, value]) => [name, String(value)]))}`;
    const json = await rig.get(real, key);
    const table = await rig.get(real, key, { ...csv, 'idempotency-key': 'once' });
    assert.equal(table.statusCode, json.statusCode, table.body);
    for (const name of [
      'x-credits-charged',
      'x-data-as-of',
      'x-data-coverage',
      'link',
      'vary',
      'cache-control',
    ]) {
      assert.equal(table.headers[name], json.headers[name], name);
    }
    const again = await rig.get(real, key, { ...csv, 'idempotency-key': 'once' });
    assert.equal(again.headers['x-credits-charged'], '0');
    if (path !== '/account') assert.equal(again.body, table.body);
    if (!hasVersions(endpoint)) {
      assert.equal(table.headers.etag, undefined);
      return;
    }
    assert.match(String(table.headers.vary), /\bAccept\b(?!-)/);
    assert.notEqual(table.headers.etag, json.headers.etag);
    const known = (etag: unknown, accept: string) =>
      rig.get(real, key, { accept, 'if-none-match': String(etag) });
    assert.equal((await known(table.headers.etag, 'text/csv')).statusCode, 304);
    assert.equal((await known(json.headers.etag, 'application/json')).statusCode, 304);
    assert.equal((await known(json.headers.etag, 'text/csv')).statusCode, 200);
  });

  test(`${path} as CSV: compressed it is the same table, and an error stays in the envelope`, async () => {
    const testKey = await newTestKey();
    const plain = await rig.get(url, testKey, csv);
    const packed = await rig.get(url, testKey, { ...csv, 'accept-encoding': 'gzip' });
    const body =
      packed.headers['content-encoding'] === 'gzip' ? gunzipSync(packed.rawPayload) : packed.rawPayload;
    if (path !== '/account') assert.equal(body.toString(), plain.body);
    for (const code of errors) {
      const refused = await rig.get(url, await newTestKey(), { ...csv, 'x-sandbox-outcome': code });
      assert.equal(refused.headers['content-type'], 'application/json; charset=utf-8', code);
      assert.equal(refused.json().error.code, code);
    }
  });
}

test('a long table is compressed for whoever accepts it', async () => {
  const url = '/api/v1/area/sold-prices?area=ZZ&months=360&limit=200';
  const testKey = await newTestKey();
  const plain = await rig.get(url, testKey, csv);
  const packed = await rig.get(url, testKey, { ...csv, 'accept-encoding': 'gzip' });
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.equal(gunzipSync(packed.rawPayload).toString(), plain.body);
  assert.equal(packed.headers.etag, plain.headers.etag);
});

test('a batch is JSON whatever is accepted', async () => {
  const calls = endpoints.slice(0, 10).map((endpoint) => ({
    path: endpoint.path,
    params: Object.fromEntries(exampleParams(endpoint, 'sandbox') ?? []),
  }));
  const reply = await rig.app.inject({
    method: 'POST',
    url: '/api/v1/batch',
    headers: { 'x-api-key': await newTestKey(), ...csv },
    payload: { calls },
  });
  assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8');
  for (const { status, body } of reply.json().results) assert.deepEqual([status, body.success], [200, true]);
});

const postcode = fc.constantFrom(
  ...['ZZ1 1AA', 'ZZ1 1AB', 'ZZ1 2ZZ', 'ZZ2 9ZZ', 'ZZ3 1AA', 'ZZ4 1AA'],
  ...['NP10 8WA', 'PO33 2RX', 'EC1A 1BB', 'EH1 1YZ', 'ZZ9 9ZZ', 'x'],
);
const limit = fc.integer({ min: 1, max: 40 }).map(String);
const offset = fc.integer({ min: 0, max: 60 }).map(String);
const area = fc.constantFrom('ZZ', 'PO', 'EC', 'EH', 'QQ');
const optional = { requiredKeys: [] };
type Query = Readonly<Record<string, string>>;
const queries: Readonly<Record<string, fc.Arbitrary<Query>>> = {
  '/area/statistics': fc.record({ postcode }),
  '/council-tax/lookup': fc.record({ postcode }),
  '/council-tax/property-lookup': fc.record({
    postcode,
    address: fc.constantFrom('Flat 2, Zenith Court, 11 High Street', 'Plas Zed, Ffordd Zed', '1 High Street'),
  }),
  '/council-tax/property-candidates': fc.record({ postcode }),
  '/council-tax/authorities': fc.record(
    {
      q: fc.constantFrom('zed', 'new', 'city', 'é'),
      nation: fc.constantFrom('England', 'Wales'),
      limit,
      offset,
    },
    optional,
  ),
  '/council-tax/authority-lookup': fc.record({
    authorityCode: fc.constantFrom('E06000999', 'W06000999', 'W06000022', 'E06000046', 'x'),
  }),
  '/area/sold-prices': fc.record(
    {
      area,
      postcode,
      months: fc.constantFrom('1', '60', '360'),
      limit,
      offset,
      include: fc.constant('trend'),
    },
    { requiredKeys: ['area', 'months'] },
  ),
  '/area/sold-prices/trend': fc.record({ area, months: fc.constantFrom('3', '120') }),
  '/area/places': fc.record(
    {
      postcode,
      radius: fc.constantFrom('300', '2000'),
      limit,
      offset,
      kinds: fc.constantFrom('schools', 'stops,amenities'),
    },
    { requiredKeys: ['postcode'] },
  ),
  '/bank-rates': fc.record(
    {
      startDate: fc.constantFrom('1990-01-01', '2020-01-01'),
      endDate: fc.constantFrom('2001-02-03', '2025-12-31'),
      limit,
    },
    optional,
  ),
  '/postcodes/lookup': fc.record({ postcode }),
  '/postcodes/near': fc.record(
    {
      lat: fc.constantFrom('54.1806', '51.5545', '0'),
      lon: fc.constantFrom('0.91', '-3.0271'),
      radius: fc.constantFrom('200', '5000'),
      limit,
      offset,
    },
    { requiredKeys: ['lat', 'lon'] },
  ),
  '/postcodes/complete': fc.record({ q: fc.constantFrom('zed', 'np10', 'zz1 1', 'west', 's', '='), limit }),
  '/account': fc.constant({}),
  // Days that are over, which no call of this test changes.
  '/account/usage': fc.record({ from: fc.constant('2026-01-01'), to: fc.constant('2026-01-31'), limit }),
};
// Every other time what is answered for certain by a test key, so that no endpoint is left without an answer.
const asked = endpoints.flatMap((endpoint) => {
  const query = queries[endpoint.path];
  const params = exampleParams(endpoint, 'sandbox') ?? [];
  const example = Object.fromEntries(params.map(([name, value]) => [name, String(value)]));
  return query === undefined
    ? []
    : [fc.record({ path: fc.constant(endpoint.path), query: fc.oneof(fc.constant(example), query) })];
});

test('whatever is asked for, a table parsed back has the values of the JSON, and a refusal is the same', async () => {
  assert.deepEqual(
    [...Object.keys(queries), ownTables].toSorted(),
    endpoints.map(({ path }) => path).toSorted(),
  );
  const answered = new Set<string>();
  const isAsked = fc.constantFrom('test', 'live');
  await fc.assert(
    fc.asyncProperty(fc.oneof(...asked), isAsked, async ({ path, query }, kind) => {
      const key = kind === 'test' ? await newTestKey() : liveKey;
      const url = `/api/v1${path}?${new URLSearchParams(query)}`;
      const json = await rig.get(url, key);
      const table = await rig.get(url, key, csv);
      assert.equal(table.statusCode, json.statusCode, url);
      assert.equal(table.headers.link, json.headers.link, url);
      if (json.statusCode === 200) {
        answered.add(path);
        assertSame(path, json.json(), table.body);
      } else assert.equal(table.json().error.code, json.json().error.code, url);
    }),
    { numRuns: 600 },
  );
  assert.deepEqual([...answered].sort(), Object.keys(queries).sort());
});

const raw = ['month', 'category', 'location', 'context', 'persistent_id', 'location_subtype'] as const;

test('crimes and points as CSV are those of the JSON, with what only the table has', async () => {
  for (const [place, key] of [
    ['ZZ1 1AA', await newTestKey()],
    ['NP10 8WA', liveKey],
  ] as const) {
    const url = `/api/v1/crime/by-postcode?postcode=${place}`;
    const crimes = (await rig.get(`${url}&includeRaw=true`, key)).json().data.rawCrimes;
    const [titles = [], ...rows] = read((await rig.get(url, key, csv)).body);
    assert.deepEqual(
      rows.map((row) => raw.map((name) => row[titles.indexOf(name)])),
      crimes.map((crime: Json) => raw.map((name) => written(crime[name]))),
    );
    const { points } = (await rig.get(`${url}&points=true`, key)).json().data;
    const [columns, ...cells] = read((await rig.get(`${url}&points=true`, key, csv)).body);
    assert.deepEqual(columns, (await columnsOf(ownTables))[1]);
    const expected = points.flatMap(({ latitude, longitude, location, byMonth }: Json) =>
      Object.entries(isObject(byMonth) ? byMonth : {}).flatMap(([month, counts]) =>
        Object.entries(isObject(counts) ? counts : {}).map(([slug, count]) =>
          [latitude, longitude, location, month, slug, count].map(written),
        ),
      ),
    );
    assert.deepEqual(cells, expected);
  }
});
