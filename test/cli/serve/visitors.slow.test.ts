// Visitors of a real service: one share for an address, and an account that follows the setting from the start on, also for keys
// that were handed out before.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundledHome, type Running, startDomesday } from '../../rig.ts';

async function keyOf({ url }: Running): Promise<string> {
  const headers = { origin: url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const reply = await fetch(`${url}/portal/explore/key`, { method: 'POST', headers, body: '{}' });
  const told: unknown = await reply.json();
  if (typeof told === 'object' && told !== null && 'key' in told && typeof told.key === 'string')
    return told.key;
  return assert.fail(JSON.stringify(told));
}

/** All at once. */
async function statusesOf({ url }: Running, key: string, calls: number): Promise<Record<number, number>> {
  const headers = { 'x-api-key': key, 'sec-fetch-site': 'same-origin' };
  const replies = await Promise.all(
    Array.from({ length: calls }, () => fetch(`${url}/api/v1/bank-rates?limit=1`, { headers })),
  );
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const dayNow = () => Math.floor(Date.now() / 86_400_000);

test('an address has one share; a start brings less of an offer, or its end, to keys from before', async () => {
  const { home, remove } = await bundledHome();
  const begunOn = dayNow();
  const counts: Record<number, number>[] = [];
  let key: string | undefined;
  for (const visitors of ['60', '30', '0']) {
    const env = { DOMESDAY_VISITORS: visitors, DOMESDAY_DEMO_ACCOUNT: 'off' };
    const service = await startDomesday(home, env);
    key ??= await keyOf(service);
    counts.push(await statusesOf(service, key, 40));
    await service.stop();
  }
  remove();
  // The clock is the real one: a midnight on the way begins the counts anew.
  if (dayNow() !== begunOn) return;
  assert.deepEqual(counts, [
    { 200: 25, 429: 15 },
    // A start forgets which addresses have called, but not how many calls the day has had.
    { 200: 5, 429: 35 },
    { 401: 40 },
  ]);
});
