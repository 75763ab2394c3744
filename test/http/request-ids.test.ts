// Names of charges and requests: none twice; those of charges in the order in which they were given, those of requests
// in none, since callers see them.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { chargeIds, requestIds } from '../../src/http/wire/request-ids.ts';
import { openRig } from '../rig.ts';

test('charge ids of one source are all different and sorted as text', () => {
  const newId = chargeIds((size) => new Uint8Array(size), Date.UTC(2026, 10, 15));
  const ids = Array.from({ length: 5_000 }, newId);
  assert.deepEqual(ids, [...new Set(ids)].sort());
  assert.match(ids[0] ?? '', /^[0-9a-z]{9}-0{12}-000001$/);
  assert.equal(ids[36 ** 2 - 1]?.slice(-6), '000100');
});

test('sources that began at the same moment give different ids', () => {
  const startedAtMs = Date.UTC(2026, 10, 15);
  const one = chargeIds((size) => new Uint8Array(size).fill(1), startedAtMs);
  const other = chargeIds((size) => new Uint8Array(size).fill(2), startedAtMs);
  assert.notEqual(one(), other());
});

test('request ids are all different, also where the source of chance is asked again', () => {
  const newId = requestIds(randomBytes);
  const ids = Array.from({ length: 50_000 }, newId);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[\w-]{20}$/);
});

test('what a caller sees of two calls does not tell how many others made between; what the journal sorts by grows', async () => {
  const rig = await openRig();
  const { key, accountId } = await rig.customer();
  const seen: string[] = [];
  for (let call = 0; call < 40; call += 1) {
    seen.push(String((await rig.get('/api/v1/bank-rates?limit=1', key)).headers['x-request-id']));
  }
  const charges = (await rig.accounts.journalOf(accountId)).filter(({ kind }) => kind === 'charge');
  assert.deepEqual(new Set(charges.map(({ requestId }) => requestId)), new Set(seen));
  // A counter, however it is written, has ids that share all but their last digits, or come sorted.
  const starts = new Set(seen.map((id) => id.slice(0, 3)));
  assert.ok(starts.size > 30, `${starts.size} beginnings`);
  assert.notDeepEqual(seen, seen.toSorted());
  await rig.close();
});
