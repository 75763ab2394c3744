// Promise: the limits of minute, day and month hold per account, say when to come back, and count every call
// with a valid key.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { noonMs, openRig, type Rig } from '../rig.ts';

const url = '/api/v1/bank-rates?limit=1';
let rig: Rig;
before(async () => {
  rig = await openRig();
});
after(() => rig.close());

async function calls(count: number, key: string) {
  const replies = [];
  for (let call = 0; call < count; call += 1) replies.push(await rig.get(url, key));
  return replies;
}

test('Basic allows 10 calls a minute, the 11th waits for the next minute', async () => {
  const { key } = await rig.customer({ plan: 'basic' });
  const replies = await calls(11, key);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [...Array.from({ length: 10 }, () => 200), 429],
  );
  assert.deepEqual(
    replies.map(({ headers }) => headers['x-ratelimit-remaining']),
    ['9', '8', '7', '6', '5', '4', '3', '2', '1', '0', '0'],
  );
  const last = replies.at(-1);
  assert.ok(last);
  const { error } = last.json();
  assert.deepEqual([error.code, error.window, error.limit], ['RATE_LIMITED', 'minute', 10]);
  assert.equal(last.headers['retry-after'], '50');
  assert.equal(last.headers['x-ratelimit-limit'], '10');
  assert.equal(last.headers['x-ratelimit-reset'], String(noonMs / 1000 + 50));
  assert.equal(last.headers['x-credits-charged'], '0');
  assert.equal(last.headers['x-credits-remaining'], '4990');

  rig.clock.nowMs = noonMs + 50_000;
  const [next] = await calls(1, key);
  rig.clock.nowMs = noonMs;
  assert.equal(next?.statusCode, 200);
});

test('the IETF headers tell every window, and a length only where it is always the same', async () => {
  const { key } = await rig.customer({ plan: 'basic' });
  const { headers } = await rig.get(url, key);
  assert.equal(headers['ratelimit-policy'], '"minute";q=10;w=60, "day";q=500;w=86400, "month";q=5000');
  assert.equal(headers.ratelimit, '"minute";r=9;t=50');
});

test('a day limit is told with its own window and the seconds to midnight UTC', async () => {
  const { key } = await rig.customer({ plan: 'basic', limits: { day: 2 } });
  const last = (await calls(3, key)).at(-1);
  assert.ok(last);
  assert.deepEqual([last.json().error.window, last.json().error.limit], ['day', 2]);
  assert.equal(last.headers['retry-after'], String(12 * 3600 - 10));
  assert.match(String(last.headers.ratelimit), /^"day";r=0;t=/);
});

test('a second key of the account brings no second quota', async () => {
  const { accountId, key } = await rig.customer({ limits: { minute: 3 } });
  const { key: second } = await rig.accounts.createKey({ accountId, kind: 'live', atMs: noonMs });
  const statuses = [...(await calls(2, key)), ...(await calls(2, second))].map(
    ({ statusCode }) => statusCode,
  );
  assert.deepEqual(statuses, [200, 200, 200, 429]);
});

test('refused calls count too', async () => {
  const { key } = await rig.customer({ limits: { minute: 2 } });
  await rig.get('/api/v1/bank-rates?limit=0', key);
  await rig.get('/api/v1/bank-rates?startDate=2030-01-01', key);
  assert.equal((await rig.get(url, key)).statusCode, 429);
});

test('an account without a minute limit has no X-RateLimit headers', async () => {
  const { key } = await rig.customer({ limits: { minute: null, day: null, month: null } });
  const { headers } = await rig.get(url, key);
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.includes('ratelimit')),
    [],
  );
});

test('a test key has a bucket of its own with Basic limits', async () => {
  const { accountId, key } = await rig.customer({ limits: { minute: 1 } });
  const { key: testKey } = await rig.accounts.createKey({ accountId, kind: 'test', atMs: noonMs });
  await calls(2, key);
  const statuses = (await calls(11, testKey)).map(({ statusCode }) => statusCode);
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 429]);
});

test('past a limit a test key hears of the sandbox, a live key of the account', async () => {
  for (const [mode, whose] of [
    ['test', /^The sandbox's limit of 10 requests per minute/],
    ['live', /^The account's limit of 10 requests per minute/],
  ] as const) {
    const { key: own } = await rig.customer({ plan: 'basic', mode });
    let last = await rig.get('/api/v1/bank-rates', own);
    for (let call = 0; call < 10; call++) last = await rig.get('/api/v1/bank-rates', own);
    assert.equal(last.statusCode, 429);
    assert.match(last.json().error.message, whose);
  }
});
