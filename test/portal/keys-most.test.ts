// An account has a bounded number of keys, however fast its people ask for more.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse } from './house.ts';

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
  const rotated = await owner.post(`${path}/${kept.at(-1)?.keyId}/rotate`, { overlapHours: 0 });
  assert.equal(rotated.statusCode, 409);
  assert.match(rotated.json().error.message, /at most 500 keys, revoked ones included; ask the operator/);
});
