// Promise: an ETag stands for release, day and meaning of the query; the same meaning has the same one.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
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
  assert.equal(await etag('?limit=5&startDate=2020-01-01'), await etag('?startDate=2020-01-01&x=1&limit=05'));
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
