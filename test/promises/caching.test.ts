// Promise: an ETag stands for release, day and meaning of the query; the same meaning has the same one. A 304 leaves what its
// caller has kept as the 200 told it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hasVersions } from '../../src/contract/endpoint.ts';
import { exampleParams } from '../../src/contract/examples.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { noonMs, openRig, type Rig } from '../rig.ts';

let rig: Rig;
let key: string;
before(async () => {
  rig = await openRig();
  ({ key } = await rig.customer());
});
after(() => rig.close());

const etag = async (query: string) => String((await rig.get(`/api/v1/bank-rates${query}`, key)).headers.etag);

test('queries that mean the same share an ETag, others do not', async () => {
  assert.equal(
    await etag('?limit=5&startDate=2020-01-01'),
    await etag('?startDate=2020-01-01&limit=05&endDate='),
  );
  assert.equal(await etag(''), await etag('?limit=100'));
  assert.notEqual(await etag('?limit=5'), await etag('?limit=6'));
});

test('a list of ETags, weak or strong, is understood', async () => {
  const own = await etag('?limit=5');
  for (const [value, status] of [
    [own, 304],
    [own.replace('W/', ''), 304],
    [`"other", ${own}`, 304],
    ['"other"', 200],
    ['*', 304],
    [' * ', 304],
    ['"*"', 200],
  ] as const) {
    const reply = await rig.get('/api/v1/bank-rates?limit=5', key, { 'if-none-match': value });
    assert.equal(reply.statusCode, status, value);
    if (status === 304) assert.equal(reply.headers.etag, own);
  }
});

test('"*" is any answer there is: 304 and free where there is one, else the refusal', async () => {
  const { key: own, accountId } = await rig.customer({ credits: 5 });
  const any = { 'if-none-match': '*' };
  assert.equal((await rig.get('/api/v1/bank-rates?limit=5', own, any)).headers['x-credits-charged'], '0');
  assert.equal(
    (await rig.get('/api/v1/bank-rates?startDate=1700-01-01&endDate=1700-01-02', own, any)).statusCode,
    404,
  );
  assert.equal((await rig.get('/api/v1/bank-rates?limit=0', own, any)).statusCode, 400);
  assert.equal((await rig.accounts.findAccount(accountId, rig.clock.nowMs))?.balance, 5);
});

test('whoever has the answer is told so on an empty balance too, whichever way it is asked; any other call is 402', async () => {
  const { key: poor } = await rig.customer({ credits: 0 });
  const own = await etag('?limit=5');
  const none = '?startDate=1700-01-01&endDate=1700-01-02';
  for (const [query, value, status] of [
    ['?limit=5', own, 304],
    ['?limit=5', '*', 304],
    ['?limit=5', '"*"', 402],
    ['?limit=5', '"other"', 402],
    [none, '*', 402],
    ['?limit=0', '*', 400],
  ] as const) {
    const { statusCode, headers } = await rig.get(`/api/v1/bank-rates${query}`, poor, {
      'if-none-match': value,
    });
    assert.deepEqual([statusCode, headers['x-credits-charged']], [status, '0'], `${query} ${value}`);
    if (status === 304) assert.equal(headers.etag, own);
  }
});

test('on the next day in London the ETag is another: an answer may depend on today', async () => {
  const today = await etag('?limit=5');
  rig.clock.nowMs = noonMs + 12 * 3_600_000;
  const tomorrow = await etag('?limit=5');
  rig.clock.nowMs = noonMs;
  assert.notEqual(today, tomorrow);
});

test('errors are never kept', async () => {
  const { headers } = await rig.get('/api/v1/bank-rates?limit=0', key);
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers.etag, undefined);
});

/** Places of the bundled data, which is a sample: there the headers say most. */
const samplePaths = ['NP10 8WA', 'PO33 2RX', 'LE15 6QU'].flatMap((postcode) => {
  const query = new URLSearchParams({ postcode }).toString();
  return ['area/statistics', 'area/places', 'crime/by-postcode', 'area/sold-prices', 'postcodes/lookup'].map(
    (path) => `/${path}?${query}`,
  );
});
const queryOf = (params: readonly (readonly [string, unknown])[]) =>
  new URLSearchParams(params.map(([name, value]) => [name, String(value)])).toString();
const pagePath = '/area/sold-prices?outcode=PO33&limit=1';
const examplePaths = endpoints
  .filter(hasVersions)
  .map((each) => `${each.path}?${queryOf(exampleParams(each, 'sandbox') ?? [])}`);

const cases = [
  ...examplePaths.map((path) => ({ path, mode: 'test' as const })),
  ...[...samplePaths, pagePath].map((path) => ({ path, mode: 'live' as const })),
].flatMap((each) => ['application/json', 'text/csv'].map((accept) => ({ ...each, accept })));

const ofData = ['x-data-release', 'x-data-as-of', 'x-data-source', 'x-data-coverage', 'link'];
const ofKeeping = ['etag', 'cache-control', 'vary', 'content-location', 'expires'];

test('a 304 leaves every header that tells of data or of keeping as it was, whether or not the answer is at hand', async (t) => {
  const cold = await openRig();
  t.after(() => cold.close());
  const limits = { minute: null, day: null, month: null };
  let repeated = 0;
  for (const { path, mode, accept } of cases) {
    const url = `/api/v1${path}`;
    const { key: own } = await rig.customer({ mode, limits });
    const { statusCode, headers: whole } = await rig.get(url, own, { accept });
    assert.equal(statusCode, 200, url);
    const known = { accept, 'if-none-match': String(whole.etag) };
    const told = (headers: Record<string, unknown>, names: readonly string[]) =>
      names.map((name) => [name, headers[name]]);
    for (const service of [rig, cold]) {
      const { key: asking } = await service.customer({ mode, limits });
      const reply = await service.get(url, asking, known);
      const where = `${url} ${accept} ${service === cold ? 'not at hand' : 'asked before'}`;
      assert.equal(reply.statusCode, 304, where);
      assert.equal(reply.headers['x-credits-charged'], '0', where);
      assert.deepEqual(told(reply.headers, ofKeeping), told(whole, ofKeeping), where);
      // As a browser merges them.
      const merged = { ...whole, ...reply.headers };
      assert.deepEqual(told(merged, ofData), told(whole, ofData), where);
      const own304 = told(reply.headers, ofData.slice(1)).filter(([, value]) => value !== undefined);
      const own200 = told(whole, ofData.slice(1)).filter(([, value]) => value !== undefined);
      if (service === cold) assert.deepEqual(own304, [], where);
      else if (own304.length > 0) {
        assert.deepEqual(own304, own200, where);
        repeated += 1;
      }
    }
  }
  assert.ok(repeated > 0, 'no 304 repeated what its 200 told');
});
