// Promise: a key that is known but may not do this is told so, and pays nothing: a suspended account, an endpoint or an address
// that the key is not bound to, a key of the dashboard outside of the dashboard.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { exampleParams } from '../../src/contract/examples.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { noonMs, openRig, type Rig } from '../rig.ts';

const unlimited = { limits: { minute: null, day: null, month: null }, credits: 1_000 };
const rates = '/api/v1/bank-rates?limit=1';

let rig: Rig;
before(async () => {
  rig = await openRig({ failedKeysPerMinute: 1_000_000 });
});
after(() => rig.close());

const balanceOf = async (accountId: string) => (await rig.accounts.findAccount(accountId, noonMs))?.balance;

type Asking = { readonly from?: string; readonly headers?: Record<string, string> };

const ask = (url: string, key: string, { from = '127.0.0.1', headers = {} }: Asking = {}) =>
  rig.app.inject({ url, headers: { 'x-api-key': key, ...headers }, remoteAddress: from });

const batch = (key: string, paths: readonly string[], { from = '127.0.0.1', headers = {} }: Asking = {}) =>
  rig.app.inject({
    method: 'POST',
    url: '/api/v1/batch',
    headers: { 'x-api-key': key, ...headers },
    payload: { calls: paths.map((path) => ({ path, params: path === '/bank-rates' ? { limit: 1 } : {} })) },
    remoteAddress: from,
  });

const statusesOf = (reply: LightMyRequestResponse): readonly number[] =>
  reply.json().results.map((result: { status: number }) => result.status);

function assertRefused(reply: LightMyRequestResponse, code: string, reason?: string): void {
  const { error } = reply.json();
  assert.deepEqual([reply.statusCode, error.code, error.reason], [403, code, reason]);
  assert.match(error.message, /[a-z]\.$/);
  assert.equal(reply.headers['x-credits-charged'], '0');
  assert.ok(reply.headers['x-credits-remaining'] !== undefined, 'the key is known, and told so');
}

test('every call of a suspended account is refused at once, whatever its key and path, until it is resumed', async () => {
  const { accountId, key } = await rig.customer(unlimited);
  const { key: testKey } = await rig.accounts.createKey({ accountId, kind: 'test', atMs: noonMs });
  assert.equal((await ask(rates, key)).statusCode, 200);
  const before = await balanceOf(accountId);
  await rig.accounts.suspendAccount(accountId, { atMs: noonMs, reason: 'a private matter' });
  for (const endpoint of endpoints) {
    rig.clock.nowMs += 60_000;
    const params = new URLSearchParams(
      (exampleParams(endpoint, 'live') ?? []).map(([name, value]) => [name, `${value}`]),
    );
    const url = `/api/v1${endpoint.path}?${params}`;
    if (endpoint.method !== 'GET') continue;
    for (const each of [key, testKey]) {
      const reply = await ask(url, each);
      assertRefused(reply, 'ACCOUNT_SUSPENDED');
      assert.doesNotMatch(reply.body, /a private matter/, 'whoever has a key is not told why');
    }
  }
  assert.deepEqual(statusesOf(await batch(key, ['/bank-rates', '/account'])), [403, 403]);
  assert.equal(await balanceOf(accountId), before);
  await rig.accounts.resumeAccount(accountId, rig.clock.nowMs);
  assert.equal((await ask(rates, key)).statusCode, 200);
  rig.clock.nowMs = noonMs;
});

test('a suspended account is told so before that its limit is reached', async () => {
  const { accountId, key } = await rig.customer({ limits: { minute: 1 } });
  await rig.accounts.suspendAccount(accountId, { atMs: noonMs, reason: 'x' });
  for (let count = 0; count < 3; count++) assertRefused(await ask(rates, key), 'ACCOUNT_SUSPENDED');
  const [minute] = await rig.accounts.windowsOf(accountId, 'live', noonMs);
  assert.equal(minute?.used, 3, 'each counts');
});

test('the sandbox rehearses a suspended account', async () => {
  const { key } = await rig.customer({ mode: 'test' });
  const reply = await ask(rates, key, { headers: { 'x-sandbox-outcome': 'ACCOUNT_SUSPENDED' } });
  assert.deepEqual([reply.statusCode, reply.json().error.code], [403, 'ACCOUNT_SUSPENDED']);
});

const bindingOf = async (accountId: string, binding: object, kind: 'live' | 'test' = 'live') =>
  rig.accounts.createKey({ accountId, kind, binding, atMs: noonMs });

test('a key for some addresses answers those alone, however they are written, also in a batch', async () => {
  const { accountId } = await rig.customer(unlimited);
  const addresses = ['203.0.113.0/24', '2001:db8:1::/48', '198.51.100.7'];
  for (const kind of ['live', 'test'] as const) {
    const { key, keyId } = await bindingOf(accountId, { addresses }, kind);
    const before = await balanceOf(accountId);
    for (const from of [
      '203.0.112.255',
      '203.0.114.0',
      '198.51.100.8',
      '2001:db8:2::1',
      '::ffff:198.51.100.6',
      '::1',
    ]) {
      assertRefused(await ask(rates, key, { from }), 'KEY_NOT_ALLOWED', 'address');
      assert.deepEqual(statusesOf(await batch(key, ['/bank-rates'], { from })), [403]);
      rig.clock.nowMs += 60_000;
    }
    assert.equal(await balanceOf(accountId), before, 'refusals are free');
    for (const from of [
      '203.0.113.0',
      '203.0.113.255',
      '::ffff:203.0.113.9',
      '2001:db8:1:ffff::9',
      '198.51.100.7',
    ]) {
      assert.equal((await ask(rates, key, { from })).statusCode, 200, from);
      assert.deepEqual(statusesOf(await batch(key, ['/bank-rates'], { from })), [200]);
      rig.clock.nowMs += 60_000;
    }
    const forged = { from: '10.0.0.1', headers: { 'x-forwarded-for': '203.0.113.9' } };
    assertRefused(await ask(rates, key, forged), 'KEY_NOT_ALLOWED', 'address');
    await rig.accounts.changeKey(keyId, { addresses: null, atMs: noonMs });
    assert.equal((await ask(rates, key, { from: '192.0.2.1' })).statusCode, 200, 'from the next request on');
  }
  rig.clock.nowMs = noonMs;
});

test('any key for some endpoints answers those alone, also in a batch', async () => {
  const { accountId } = await rig.customer(unlimited);
  for (const kind of ['live', 'test'] as const) {
    const { key, keyId } = await bindingOf(accountId, { endpoints: ['/bank-rates'] }, kind);
    assert.equal((await ask(rates, key)).statusCode, 200);
    const refused = await ask('/api/v1/account', key);
    assertRefused(refused, 'KEY_NOT_ALLOWED', 'endpoint');
    assert.deepEqual(refused.json().error.endpoints, ['/bank-rates']);
    assert.deepEqual(statusesOf(await batch(key, ['/account', '/bank-rates'])), [403, 200]);
    await rig.accounts.changeKey(keyId, { endpoints: ['/account'], atMs: noonMs });
    assert.equal((await ask('/api/v1/account', key)).statusCode, 200);
    assertRefused(await ask(rates, key), 'KEY_NOT_ALLOWED', 'endpoint');
  }
});

test('no page reads what a live key is answered, however it is bound, and any page what a test key is', async () => {
  const { accountId } = await rig.customer(unlimited);
  for (const [kind, readers] of [
    ['live', undefined],
    ['test', '*'],
  ] as const) {
    const { key } = await bindingOf(accountId, { endpoints: ['/bank-rates'] }, kind);
    const reply = await ask(rates, key, { headers: { origin: 'https://www.example.com' } });
    assert.deepEqual([reply.statusCode, reply.headers['access-control-allow-origin']], [200, readers]);
  }
});

/** What a request says of the page it comes from, and whether that is one of our own. */
const pages: readonly (readonly [headers: Record<string, string>, isOwn: boolean])[] = [
  [{}, false],
  [{ 'sec-fetch-site': 'none' }, false],
  [{ 'sec-fetch-site': 'same-site' }, false],
  [{ 'sec-fetch-site': 'cross-site' }, false],
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ origin: 'null', 'sec-fetch-site': 'same-origin' }, false],
  [{ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, false],
  [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, false],
  [{ origin: 'https://evil.example', host: 'evil.example' }, false],
  [{ origin: 'http://evil.example', host: 'evil.example' }, false],
];

test('a key of the dashboard works in its own pages and nowhere else, and spends like a live one', async () => {
  const { accountId } = await rig.customer(unlimited);
  const { key, expiresAtMs } = await rig.accounts.createWebKey(accountId, noonMs);
  const own = [...pages, [{ origin: 'http://localhost:80', host: 'localhost' }, true]] as const;
  for (const [headers, isOwn] of own) {
    const before = (await balanceOf(accountId)) ?? 0;
    const reply = await ask(rates, key, { headers });
    const told = JSON.stringify(headers);
    if (isOwn) {
      assert.deepEqual([reply.statusCode, await balanceOf(accountId)], [200, before - 1], told);
      assert.deepEqual(statusesOf(await batch(key, ['/account'], { headers })), [200]);
    } else {
      assertRefused(reply, 'KEY_NOT_ALLOWED', 'origin');
      assert.deepEqual(statusesOf(await batch(key, ['/account'], { headers })), [403], told);
      assert.equal(await balanceOf(accountId), before);
      assert.equal(reply.headers['access-control-allow-origin'], undefined, told);
    }
  }
  const { key: seen } = (
    await ask('/api/v1/account', key, { headers: { 'sec-fetch-site': 'same-origin' } })
  ).json().data;
  assert.equal(seen.kind, 'web');
  rig.clock.nowMs = expiresAtMs;
  const late = await ask(rates, key, { headers: { 'sec-fetch-site': 'same-origin' } });
  assert.equal(late.statusCode, 401);
  rig.clock.nowMs = noonMs;
});

test('where the public address is set, pages of that address are our own, and those of no other', async () => {
  const behind = await openRig({ publicUrl: 'https://api.example.com/domesday' });
  try {
    const { accountId } = await behind.customer(unlimited);
    const { key } = await behind.accounts.createWebKey(accountId, noonMs);
    const status = async (headers: Record<string, string>) => {
      const reply = await behind.get(rates, key, headers);
      return [reply.statusCode, reply.headers['access-control-allow-origin']];
    };
    const own = 'https://api.example.com';
    assert.deepEqual(await status({ origin: own }), [200, own]);
    for (const [headers, isOwn] of pages) {
      assert.deepEqual(await status(headers), [isOwn ? 200 : 403, undefined], JSON.stringify(headers));
    }
    for (const origin of [
      'http://api.example.com',
      `${own}:444`,
      `${own}.evil.example`,
      'http://localhost',
    ]) {
      assert.deepEqual(await status({ origin, host: 'localhost' }), [403, undefined], origin);
    }
  } finally {
    await behind.close();
  }
});
