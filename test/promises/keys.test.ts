// Promise: only a valid key is answered, a refusal tells nothing about other keys, and changes made by the
// operator hold from the next request on.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get, IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { endpoints } from '../../src/endpoints/index.ts';
import { noonMs, openRig, type Rig } from '../rig.ts';

const url = '/api/v1/bank-rates?limit=1';
let rig: Rig;
before(async () => {
  rig = await openRig({ failedKeysPerMinute: 200 });
});
after(() => rig.close());

test('missing, mistyped, unknown and revoked keys get the same 401 without billing or rate headers', async () => {
  const { keyId, key } = await rig.customer();
  await rig.accounts.revokeKey(keyId, noonMs);
  const mistyped = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
  for (const candidate of [undefined, '', 'hunter2', mistyped, key]) {
    for (const endpoint of endpoints) {
      const { statusCode, headers, ...reply } = await rig.get(`/api/v1${endpoint.path}`, candidate);
      assert.equal(statusCode, 401);
      assert.equal(reply.json().error.code, endpoint.unauthorised);
      const told = Object.keys(headers).filter((name) => /credits|ratelimit/.test(name));
      assert.deepEqual(told, []);
    }
  }
});

test('a 401 says what was wrong with what was sent, and nothing about the keys that there are', async () => {
  const aside = await openRig();
  const revoked = await aside.customer();
  await aside.accounts.revokeKey(revoked.keyId, noonMs);
  const { accountId, key: known } = await aside.customer();
  const closed = await aside.customer();
  await aside.accounts.closeAccount(closed.accountId, noonMs);
  const expired = await aside.accounts.createKey({
    accountId,
    kind: 'live',
    expiresAtMs: noonMs + 1,
    atMs: noonMs,
  });
  aside.clock.nowMs = noonMs + 1;
  const never = (await rig.customer()).key;
  const mistyped = known.slice(0, -1) + (known.endsWith('a') ? 'b' : 'a');
  const cases: readonly (readonly [RegExp, readonly Record<string, string>[]])[] = [
    [/^This call has no API key; /, [{}, { 'x-api-key': '' }]],
    [
      /^The API key is read from the X-API-Key header, not from Authorization; /,
      [{ authorization: `Bearer ${known}` }, { authorization: 'Basic eA==', 'x-api-key': '' }],
    ],
    [
      /^What this call has in X-API-Key is not an API key; /,
      [mistyped, known.slice(0, -3), `"${known}"`, `Bearer ${known}`, 'hunter2'].map((key) => ({
        'x-api-key': key,
      })),
    ],
    [
      /^This API key is unknown, revoked or expired; /,
      [never, revoked.key, expired.key, closed.key].map((key) => ({ 'x-api-key': key })),
    ],
  ];
  for (const [said, sent] of cases) {
    const messages = new Set<string>();
    for (const headers of sent) {
      for (const method of ['GET', 'POST'] as const) {
        const target = method === 'GET' ? url : '/api/v1/batch';
        const payload = { calls: [{ path: '/bank-rates' }] };
        const reply = await aside.app.inject({
          method,
          url: target,
          headers,
          ...(method === 'POST' && { payload }),
        });
        assert.equal(reply.statusCode, 401, `${method} ${JSON.stringify(headers)}`);
        messages.add(reply.json().error.message);
      }
    }
    assert.equal(messages.size, 1, [...messages].join());
    for (const message of messages) {
      assert.match(message, said);
      assert.match(message, /X-API-Key/);
    }
  }
  await aside.close();
});

test('the header name is read in any case', async () => {
  const { key } = await rig.customer();
  assert.equal((await rig.app.inject({ url, headers: { 'X-Api-KEY': key } })).statusCode, 200);
});

test('an expired key is refused from its last millisecond on', async () => {
  const { accountId } = await rig.customer();
  const { key } = await rig.accounts.createKey({
    accountId,
    kind: 'live',
    expiresAtMs: noonMs + 1000,
    atMs: noonMs,
  });
  assert.equal((await rig.get(url, key)).statusCode, 200);
  rig.clock.nowMs = noonMs + 1000;
  const { statusCode } = await rig.get(url, key);
  rig.clock.nowMs = noonMs;
  assert.equal(statusCode, 401);
});

test('a rotated key overlaps with its successor for the time given, then ends', async () => {
  const { keyId, key } = await rig.customer();
  const { key: successor } = await rig.accounts.rotateKey(keyId, { overlapMs: 5000, atMs: noonMs });
  assert.equal((await rig.get(url, key)).statusCode, 200);
  assert.equal((await rig.get(url, successor)).statusCode, 200);
  rig.clock.nowMs = noonMs + 5000;
  const statuses = [(await rig.get(url, key)).statusCode, (await rig.get(url, successor)).statusCode];
  rig.clock.nowMs = noonMs;
  assert.deepEqual(statuses, [401, 200]);
});

test('a closed account is refused at the next request', async () => {
  const { accountId, key } = await rig.customer();
  assert.equal((await rig.get(url, key)).statusCode, 200);
  await rig.accounts.closeAccount(accountId, noonMs);
  assert.equal((await rig.get(url, key)).statusCode, 401);
});

test('no key, whole or in part, reaches the log', async () => {
  const { key, keyId } = await rig.customer();
  await rig.get(`${url}&api_key=${key}`, key);
  await rig.get(`/api/v1/nothing?key=${key}`, key, { authorization: key, 'x-request-id': 'logged-request' });
  await rig.get(`/api/v1/${key}`, undefined, { 'x-request-id': key });
  const log = rig.logLines.join('');
  assert.ok(log.includes(keyId));
  assert.ok(log.includes('logged-request'));
  assert.equal(log.includes(key.slice(8, 20)), false);
});

test('a key of any kind is struck from the log, also one that only a later version makes', async () => {
  for (const kind of ['live', 'test', 'pub', 'web', 'admin']) {
    const key = `dd_${kind}_SeCrEt${kind}0123456789012345678`;
    await rig.get(`/api/v1/${key}`, undefined, { 'x-request-id': key });
    assert.equal(rig.logLines.join('').includes(`SeCrEt${kind}`), false, kind);
  }
});

test('an address that keeps failing is told to wait, a valid key from it is still served', async () => {
  const { key } = await rig.customer();
  rig.clock.nowMs = noonMs + 120_000;
  const from = (apiKey: string) =>
    rig.app.inject({ url, headers: { 'x-api-key': apiKey }, remoteAddress: '192.0.2.7' });
  const statuses = [];
  for (let call = 0; call < 201; call += 1) statuses.push((await from('guess')).statusCode);
  const last = await from('guess');
  const valid = await from(key);
  rig.clock.nowMs = noonMs;
  assert.deepEqual(new Set(statuses.slice(0, 200)), new Set([401]));
  assert.equal(statuses[200], 429);
  assert.equal(last.headers['retry-after'], '50');
  assert.equal(last.json().error.code, 'RATE_LIMITED');
  assert.equal(valid.statusCode, 200);
});

test('keys that take turns on one connection are told apart, and one that ends stops there too', async () => {
  const first = await rig.customer();
  const second = await rig.customer();
  const address = await rig.app.listen({ host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (key: string) => {
    const request = get(`${address}${url}`, { agent, headers: { 'x-api-key': key } });
    const [response] = await once(request, 'response');
    assert.ok(response instanceof IncomingMessage);
    const port = response.socket.localPort;
    await response.toArray();
    return { status: response.statusCode, port };
  };
  const before = await ask(first.key);
  for (const { key } of [second, first, second]) assert.deepEqual(await ask(key), before);
  assert.equal((await ask(`${first.key.slice(0, -1)}!`)).status, 401);
  await rig.accounts.revokeKey(first.keyId, rig.clock.nowMs);
  assert.equal((await ask(first.key)).status, 401);
  assert.deepEqual(await ask(second.key), before);
  const spent = await Promise.all(
    [first, second].map(async ({ accountId }) => (await rig.accounts.journalOf(accountId)).length),
  );
  assert.deepEqual(spent, [3, 4], 'the opening grant and each own calls');
  agent.destroy();
});
