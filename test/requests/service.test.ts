// What the running service lists of its calls: over a restart, and none of it with a key.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundledHome, runDomesday, startDomesday } from '../rig.ts';
import { clock, openFiles, Writer } from './writer.ts';

async function customerOf(home: string): Promise<{ accountId: string; key: string }> {
  const make = async (...args: string[]) =>
    JSON.parse((await runDomesday([...args, '--home', home, '--json'])).out);
  const { accountId } = await make('accounts', 'create', '--name', 'A', '--plan', 'premium');
  const { key } = await make('keys', 'create', '--account', accountId);
  return { accountId, key };
}

test('calls are listed with what they cost, and stay listed after a restart', async (context) => {
  const { home, remove } = await bundledHome();
  const { accountId, key } = await customerOf(home);
  const env = { DOMESDAY_DEMO_ACCOUNT: 'off' };
  const headers = { 'x-api-key': key };
  const first = await startDomesday(home, env);
  const ids = Array.from({ length: 12 }, (_, at) => `call-${at}`);
  for (const id of ids) {
    const own = { ...headers, 'x-request-id': id };
    assert.equal((await fetch(`${first.url}/api/v1/bank-rates?limit=1`, { headers: own })).status, 200);
  }
  assert.equal((await first.stop()).code, 0);
  const second = await startDomesday(home, env);
  const ask = (path: string, more: Record<string, string> = {}) =>
    fetch(`${second.url}/api/v1${path}`, { headers: { ...headers, ...more } });
  const calls = [{ path: '/bank-rates' }, { path: '/nothing-here' }];
  const batch = await fetch(`${second.url}/api/v1/batch`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'x-request-id': 'a-batch' },
    body: JSON.stringify({ calls }),
  });
  assert.equal(batch.status, 200);
  await ask('/nowhere', { 'x-request-id': 'wrong-path' });
  await ask('/bank-rates?limit=x', { 'x-request-id': key });
  await ask('/bank-rates', { 'x-api-key': 'dd_live_unknown', 'x-request-id': 'nobody' });
  assert.equal((await second.stop()).code, 0);

  // The service goes by the clock of the machine.
  clock.nowMs = Date.now();
  const kept = await openFiles(home);
  const { requests } = new Writer(kept);
  context.after(async () => {
    await requests.close();
    await kept.close();
    remove();
  });
  const listed = (await requests.newest(accountId)).requests;
  const of = (id: string) => listed.filter(({ requestId }) => requestId === id);
  for (const id of ids) {
    assert.partialDeepStrictEqual(of(id), [
      { path: '/bank-rates', status: 200, code: null, credits: 1, parameters: null },
    ]);
  }
  assert.deepEqual(
    of('a-batch')
      .map(({ path, status, code, credits }) => [path, status, code, credits])
      .toSorted(),
    [
      ['/bank-rates', 200, null, 1],
      ['other', 404, 'NOT_FOUND', 0],
    ],
  );
  assert.partialDeepStrictEqual(of('wrong-path'), [{ path: 'other', status: 404, code: 'NOT_FOUND' }]);
  assert.deepEqual(of('nobody'), []);
  assert.equal(listed.length, ids.length + 4);
  const wrong = listed.filter(({ status }) => status === 400);
  assert.equal(wrong.length, 1);
  const everything = JSON.stringify(await kept.store.all('SELECT * FROM request_chunks'));
  assert.ok(!everything.includes(key.slice(-12)) && !everything.includes('dd_live'));
  const refusals = await requests.refusalsOfDay();
  const counted = refusals.map(({ accountId: whose, path, code, calls: count }) => [
    whose,
    path,
    code,
    count,
  ]);
  assert.deepEqual(
    counted.toSorted(),
    [
      [accountId, '/bank-rates', wrong[0]?.code ?? '', 1],
      [accountId, 'other', 'NOT_FOUND', 2],
      [null, '/bank-rates', 'AUTHENTICATION_REQUIRED', 1],
    ].toSorted(),
  );
});
