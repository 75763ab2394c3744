// Promise: visitors who are not signed in get what the operator has opened and no more, whatever they send, in whatever order, from
// wherever they say they come.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { type House, openHouse } from '../portal/house.ts';

const rates = '/api/v1/bank-rates?limit=1';
const visitors = 'acc_visitors';
/** The least that one address gets. */
const leastShare = 25;

type Sent = {
  readonly url?: string;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly from?: string;
  readonly headers?: Record<string, string>;
  readonly payload?: object;
};

/** Opened for so many calls a day, and a key that a page was given. */
async function opened(callsPerDay: number, env: Record<string, string> = {}) {
  const house = await openHouse({ env: { DOMESDAY_VISITORS: String(callsPerDay), ...env } });
  const key = await keyOf(house);
  const call = ({ from = '192.0.2.1', headers = {}, ...sent }: Sent = {}) =>
    callBy(house, key, { ...sent, from, headers });
  const statuses = async (calls: number, sent: (at: number) => Sent) => {
    const all: number[] = [];
    for (let at = 0; at < calls; at += 1) all.push((await call(sent(at))).statusCode);
    return countOf(all);
  };
  return { house, key, call, statuses, [Symbol.asyncDispose]: () => house.close() };
}

async function keyOf(house: House): Promise<string> {
  const reply = await house.browser().post('/portal/explore/key');
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.json().key;
}

function callBy({ rig }: House, key: string, { url = rates, from, headers, ...sent }: Sent) {
  const all = { 'x-api-key': key, 'sec-fetch-site': 'same-origin', ...headers };
  return rig.app.inject({
    url,
    ...(from === undefined ? {} : { remoteAddress: from }),
    headers: all,
    ...sent,
  });
}

function countOf(statuses: readonly number[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function usedToday({ rig }: House): Promise<number | undefined> {
  const uses = await rig.accounts.windowsOf(visitors, 'live', rig.clock.nowMs);
  return uses.find(({ window }) => window === 'day')?.used;
}

const batchOf = (calls: number): Sent => ({
  method: 'POST',
  url: '/api/v1/batch',
  payload: { calls: Array.from({ length: calls }, () => ({ path: '/bank-rates', params: { limit: 1 } })) },
});

const resultsOf = (reply: LightMyRequestResponse): readonly number[] =>
  reply.json().results.map(({ status }: { status: number }) => status);

test('a batch that is the first call of all takes the share of its address and nothing of the others’', async () => {
  await using offer = await opened(60);
  const reply = await offer.call(batchOf(100));
  assert.deepEqual(countOf(resultsOf(reply)), { 200: leastShare, 429: 75 });
  assert.equal(await usedToday(offer.house), leastShare);
  // Of the other 35, each gets its own share, and the day ends all of them.
  assert.deepEqual(await offer.statuses(30, () => ({ from: '192.0.2.2' })), { 200: leastShare, 429: 5 });
  assert.deepEqual(await offer.statuses(30, () => ({ from: '192.0.2.3' })), { 200: 10, 429: 20 });
});

test('calls that come at once before any is answered are counted one by one', async () => {
  await using offer = await opened(60);
  const replies = await Promise.all(Array.from({ length: 40 }, () => offer.call()));
  assert.deepEqual(countOf(replies.map(({ statusCode }) => statusCode)), { 200: leastShare, 429: 15 });
});

test('the next key of the same visitor brings no new share', async () => {
  await using offer = await opened(60);
  assert.deepEqual(await offer.statuses(30, () => ({})), { 200: leastShare, 429: 5 });
  offer.house.rig.clock.nowMs += 11 * 60_000;
  const next = await keyOf(offer.house);
  assert.notEqual(next, offer.key);
  const reply = await callBy(offer.house, next, { from: '192.0.2.1' });
  assert.equal(reply.statusCode, 429);
  assert.equal(reply.json().error.limit, leastShare);
});

test('whatever way it is sent, each call counts once, and is charged where it is answered', async () => {
  await using offer = await opened(1_000);
  const { house } = offer;
  const etag = String((await offer.call()).headers.etag);
  const attempts: readonly (readonly [string, Sent, status: number, charged: number])[] = [
    ['plain', {}, 200, 1],
    ['HEAD', { method: 'HEAD' }, 405, 0],
    ['POST', { method: 'POST', payload: {} }, 405, 0],
    ['DELETE', { method: 'DELETE' }, 405, 0],
    ['an unknown path', { url: '/api/v1/nothing-here' }, 404, 0],
    ['a wrong parameter', { url: '/api/v1/bank-rates?limit=0' }, 400, 0],
    ['what is known already', { headers: { 'if-none-match': etag } }, 304, 0],
    ['as a table', { url: '/api/v1/bank-rates', headers: { accept: 'text/csv' } }, 200, 1],
    ['with a name', { headers: { 'idempotency-key': 'a' } }, 200, 1],
    ['again with it', { headers: { 'idempotency-key': 'a' } }, 200, 0],
    [
      'another call with it',
      { url: '/api/v1/bank-rates?limit=2', headers: { 'idempotency-key': 'a' } },
      400,
      0,
    ],
    ['from another page', { headers: { 'sec-fetch-site': 'cross-site' } }, 403, 0],
    ['of the account', { url: '/api/v1/account' }, 403, 0],
    ['of its usage', { url: '/api/v1/account/usage' }, 403, 0],
    ['in the fictional town', { url: '/api/v1/council-tax/lookup?postcode=ZZ1+1AA' }, 404, 0],
    ['rehearsed', { headers: { 'x-sandbox-outcome': 'RATE_LIMITED' } }, 200, 1],
  ];
  const balance = async () =>
    (await house.rig.accounts.findAccount(visitors, house.rig.clock.nowMs))?.balance;
  for (const [name, sent, status, charged] of attempts) {
    const [used = 0, before = 0] = [await usedToday(house), await balance()];
    const reply = await offer.call(sent);
    assert.equal(reply.statusCode, status, `${name}: ${reply.body}`);
    assert.deepEqual([await usedToday(house), await balance()], [used + 1, before - charged], name);
  }
  // With the first one, which told the version.
  assert.deepEqual(await offer.statuses(100, () => ({})), { 200: 100 - 1 - attempts.length, 429: 17 });
});

test('in a batch, too, the key tells nothing of its account', async () => {
  await using offer = await opened(1_000);
  const paths = ['/account', '/account/usage', '/batch', '/bank-rates'];
  const payload = { calls: paths.map((path) => ({ path })) };
  const reply = await offer.call({ method: 'POST', url: '/api/v1/batch', payload });
  assert.deepEqual(resultsOf(reply), [403, 403, 400, 200]);
});

test('an address is who it is: what a caller writes into a header, and more addresses of one network, bring nothing', async () => {
  const spoofed = (at: number) => ({ headers: { 'x-forwarded-for': `198.51.100.${at}` } });
  const all = { 200: leastShare, 429: 5 };
  {
    await using offer = await opened(1_00);
    assert.deepEqual(await offer.statuses(30, spoofed), all);
    assert.deepEqual(await offer.statuses(30, (at) => ({ from: `2001:db8:1:2::${at + 1}` })), all);
    assert.deepEqual(
      await offer.statuses(30, (at) => ({ from: at % 2 === 0 ? '192.0.2.7' : '::ffff:192.0.2.7' })),
      all,
    );
  }
  await using behind = await opened(100, { DOMESDAY_TRUST_PROXY: '1' });
  const through = (at: number) => ({
    from: '10.0.0.1',
    headers: { 'x-forwarded-for': `198.51.100.${at}, 203.0.113.7` },
  });
  assert.deepEqual(await behind.statuses(30, through), all);
  // What a proxy passes on that is no address is one visitor, however it reads.
  const garbled = (at: number) => ({ from: '10.0.0.1', headers: { 'x-forwarded-for': `nobody-${at}` } });
  assert.deepEqual(await behind.statuses(30, garbled), all);
});

test('a key ends after a quarter of an hour, for those who have calls left and those who have none', async () => {
  await using offer = await opened(60);
  await offer.statuses(30, () => ({}));
  offer.house.rig.clock.nowMs += 15 * 60_000 - 1;
  assert.equal((await offer.call()).statusCode, 429);
  assert.equal((await offer.call({ from: '192.0.2.2' })).statusCode, 200);
  const used = await usedToday(offer.house);
  offer.house.rig.clock.nowMs += 1;
  for (const from of ['192.0.2.1', '192.0.2.2']) assert.equal((await offer.call({ from })).statusCode, 401);
  assert.equal(await usedToday(offer.house), used);
});

test('midnight brings the next share and the next day, to the millisecond', async () => {
  await using offer = await opened(40);
  const { clock } = offer.house.rig;
  const midnight = Math.ceil(clock.nowMs / 86_400_000) * 86_400_000;
  clock.nowMs = midnight - 60_000;
  const key = await keyOf(offer.house);
  const statuses = async (from: string) => {
    const all: number[] = [];
    for (let at = 0; at < 30; at += 1) all.push((await callBy(offer.house, key, { from })).statusCode);
    return countOf(all);
  };
  for (const atMs of [midnight - 1, midnight]) {
    clock.nowMs = atMs;
    assert.deepEqual(await statuses('192.0.2.1'), { 200: 25, 429: 5 });
    assert.deepEqual(await statuses('192.0.2.2'), { 200: 15, 429: 15 });
  }
});

test('where the offer has ended, keys from before end with it; those of signed-in pages do not', async () => {
  await using house = await openHouse();
  const { accounts, clock, customer } = house.rig;
  await accounts.openGuests({ callsPerDay: 1_000, atMs: clock.nowMs });
  const { key } = await accounts.sharedWebKey(visitors, clock.nowMs);
  assert.equal((await callBy(house, key, {})).statusCode, 401);
  const { accountId } = await customer();
  const { key: own } = await accounts.createWebKey(accountId, clock.nowMs);
  assert.equal((await callBy(house, own, {})).statusCode, 200);
});

test('what the operator changes by hand holds: visits neither undo it nor write anything', async () => {
  await using offer = await opened(1_000);
  const { accounts, clock } = offer.house.rig;
  const terms = { allowance: 100, limits: { day: 10 } };
  await accounts.changePlan(visitors, { plan: 'enterprise', terms, atMs: clock.nowMs });
  const journal = await accounts.journalOf(visitors);
  for (let asked = 0; asked < 20; asked += 1) assert.equal(await keyOf(offer.house), offer.key);
  assert.deepEqual(await accounts.journalOf(visitors), journal);
  assert.equal((await accounts.findAccount(visitors, clock.nowMs))?.limits.day, 10);
  assert.deepEqual(await offer.statuses(12, () => ({})), { 200: 10, 429: 2 });
  // No share is more than the day, and what is beyond it is not counted.
  assert.equal((await offer.call()).json().error.limit, 10);
  assert.equal(await usedToday(offer.house), 10);
});
