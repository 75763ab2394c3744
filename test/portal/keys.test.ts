// Keys of an account: a bounded number however fast more are asked for, what the audit log says of changes, and what is refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectStatus, openHouse } from './house.ts';

test('the audit log says what of a key has changed, however much was sent, and when a rotated one stops', async () => {
  await using house = await openHouse();
  const owner = await house.person('owner@example.com');
  const accountId = await house.account(owner);
  const at = (path: string) => `/portal/accounts/${accountId}${path}`;
  const { keyId } = (await owner.post(at('/keys'), { kind: 'live', name: 'website' })).json();
  const whole = {
    name: 'website',
    expiresAtMs: null,
    endpoints: null,
    addresses: null,
  };
  const soon = house.rig.clock.nowMs + 86_400_000;
  for (const [change, detail] of [
    [{}, 'nothing'],
    [{ name: 'shop' }, 'name'],
    [{ name: 'shop', expiresAtMs: soon }, 'end'],
    [
      { expiresAtMs: soon, addresses: ['203.0.113.7'], endpoints: ['/account'] },
      'name, endpoints, addresses',
    ],
    [{}, 'end, endpoints, addresses'],
  ] as const) {
    expectStatus(200, await owner.ask('PATCH', at(`/keys/${keyId}`), { ...whole, ...change }));
    const [newest] = (await owner.get(at('/audit'))).json().lines;
    assert.deepEqual([newest.what, newest.subject, newest.detail], ['key.changed', keyId, detail]);
  }
  let old = keyId;
  for (const [overlapHours, words] of [
    [2, 'the old one works for 2 hours'],
    [1, 'the old one works for 1 hour'],
    [0, 'the old one stopped at once'],
  ] as const) {
    const made = (await owner.post(at(`/keys/${old}/rotate`), { overlapHours })).json();
    const [newest] = (await owner.get(at('/audit'))).json().lines;
    assert.equal(newest.detail, `by ${made.keyId}, ${words}`);
    old = made.keyId;
  }
});

test('what is wrong with an origin or an address of a key is said at its field', async () => {
  await using house = await openHouse();
  const owner = await house.person('owner@example.com');
  const accountId = await house.account(owner);
  const at = (path: string) => `/portal/accounts/${accountId}${path}`;
  const { keyId } = (await owner.post(at('/keys'), { kind: 'live' })).json();
  const origins = ['https://www.example.com'];
  for (const [reply, field] of [
    [await owner.post(at('/keys'), { kind: 'live', addresses: ['203.0.113.7', '300.1.1.1'] }), 'addresses'],
    [await owner.post(at('/keys'), { kind: 'live', addresses: ['203.0.113.7/24'] }), 'addresses'],
    [await owner.post(at('/keys'), { kind: 'publishable', origins, addresses: ['x'] }), 'addresses'],
    [await owner.post(at('/keys'), { kind: 'publishable', origins: ['www.example.com'] }), 'origins'],
    [
      await owner.post(at('/keys'), { kind: 'publishable', origins: ['https://example.com/shop'] }),
      'origins',
    ],
    [await owner.ask('PATCH', at(`/keys/${keyId}`), { addresses: ['nonsense'] }), 'addresses'],
  ] as const) {
    assert.equal(reply.statusCode, 400);
    assert.equal(reply.json().error.field, field, reply.body);
  }
});

test('of keys that are asked for at once only as many are made as there is room for; the rest are told why', async () => {
  await using house = await openHouse();
  const owner = await house.person('owner@example.com');
  const accountId = await house.account(owner);
  const { accounts, clock } = house.rig;
  const room = 3;
  const has = (await accounts.listKeys(accountId)).length;
  for (let count = has; count < 500 - room; count += 1) {
    await accounts.createKey({ accountId, kind: 'test', atMs: clock.nowMs });
  }
  const path = `/portal/accounts/${accountId}/keys`;
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => owner.post(path, { kind: 'test', name: 'one of many' })),
  );
  const statuses = replies.map(({ statusCode }) => statusCode).sort();
  assert.deepEqual(statuses, [...Array(room).fill(200), ...Array(10 - room).fill(409)]);
  const kept = await accounts.listKeys(accountId);
  assert.equal(kept.length, 500);
  const refused = replies.find(({ statusCode }) => statusCode === 409);
  assert.match(refused?.json().error.message, /at most 500 keys that work; revoke one/);
  const rotated = await owner.post(`${path}/${kept.at(-1)?.keyId}/rotate`, { overlapHours: 0 });
  assert.equal(rotated.statusCode, 200, 'a key that leaked is rotated all the same');
});
