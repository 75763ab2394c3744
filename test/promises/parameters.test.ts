// Promise: a parameter that an endpoint does not have, or that is sent twice, is refused and costs nothing: an answer to
// another question than the one that was meant would be a wrong one.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exampleParams } from '../../src/contract/examples.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { sendBatch } from '../batch/bench.ts';
import { openRig, type Rig } from '../rig.ts';

let rig: Rig;
before(async () => {
  rig = await openRig();
});
after(() => rig.close());

const unlimited = { minute: null, day: null, month: null };

type Odd = { readonly query: string; readonly field: string; readonly suggestion?: string };

for (const endpoint of endpoints) {
  const { path, params } = endpoint;
  const names = Object.keys(params);
  const sound = new URLSearchParams(
    (exampleParams(endpoint, 'live') ?? []).map(([name, value]) => [name, String(value)]),
  );
  const unknown: readonly Odd[] = [
    { query: `${sound}&colour=red`, field: 'colour' },
    { query: 'colour=', field: 'colour' },
    { query: 'z=1', field: 'z' },
    { query: 'toString=1', field: 'toString' },
    { query: '__proto__=1', field: '__proto__' },
    ...names.map((name) => ({
      query: `${sound}&${name.toUpperCase()}X=1`,
      field: `${name.toUpperCase()}X`,
      // One letter more is another word where there are only two.
      ...(name.length > 2 && { suggestion: name }),
    })),
  ];
  const repeated: readonly Odd[] = names.flatMap((name) =>
    [`${name}=1&${name}=1`, `${name}=&${sound}&${name}=1`].map((query) => ({ query, field: name })),
  );

  test(`${path}: an unknown and a repeated parameter are refused, free and counted, alone and in a batch`, async () => {
    const { key, accountId } = await rig.customer({ credits: 10, plan: 'enterprise', limits: unlimited });
    for (const { query, field, suggestion } of [...unknown, ...repeated]) {
      const reply = await rig.get(`/api/v1${path}?${query}`, key);
      const { error } = reply.json();
      assert.deepEqual([reply.statusCode, error.code, error.field], [400, 'INVALID_PARAMETER', field], query);
      assert.equal(error.suggestion, suggestion, query);
      if (suggestion !== undefined)
        assert.match(error.message, new RegExp(` Did you mean ${suggestion}\\?$`));
      assert.equal(reply.headers['x-credits-charged'], '0', query);
    }
    const calls = unknown.map(({ query }) => ({
      path,
      params: Object.fromEntries(new URLSearchParams(query)),
    }));
    const batch = await sendBatch(rig, key, { calls });
    for (const [place, { query, field, suggestion }] of unknown.entries()) {
      const { status, body } = batch.json().results[place];
      const { code, ...error } = body.error;
      assert.deepEqual(
        [status, code, error.field, error.suggestion],
        [400, 'INVALID_PARAMETER', field, suggestion],
        query,
      );
    }
    const [minute] = await rig.accounts.windowsOf(accountId, 'live', rig.clock.nowMs);
    assert.equal(minute?.used, 2 * unknown.length + repeated.length);
    const account = await rig.accounts.findAccount(accountId, rig.clock.nowMs);
    assert.equal(account?.balance, 10);
  });
}

test('a parameter beside the body of a batch is refused', async () => {
  const { key } = await rig.customer();
  const reply = await rig.app.inject({
    method: 'POST',
    url: '/api/v1/batch?limit=1',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    payload: JSON.stringify({ calls: [{ path: '/bank-rates' }] }),
  });
  const { error } = reply.json();
  assert.deepEqual([reply.statusCode, error.code, error.field], [400, 'INVALID_PARAMETER', 'limit']);
});

test('the list of datasets takes no parameter; pages and documents ignore what they do not know', async () => {
  const { error } = (await rig.get('/api/v1/datasets?name=crime')).json();
  assert.deepEqual([error.code, error.field], ['INVALID_PARAMETER', 'name']);
  for (const path of ['/docs?colour=red', '/api/v1/openapi.json?colour=red', '/health/live?colour=red']) {
    assert.equal((await rig.get(path)).statusCode, 200, path);
  }
});
