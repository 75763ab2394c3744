// What operators see of a call beside its reply: the time of each stage in the metrics, and in the log where it was slow.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpoint } from '../../src/contract/endpoint.ts';
import { boolean, object } from '../../src/contract/shape.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { stages } from '../../src/http/observe/laps.ts';
import { OutOfRange } from '../../src/out-of-range.ts';
import { openRig } from '../rig.ts';

const url = '/api/v1/bank-rates?limit=1';

test('after a call the metrics have the time and the count of every stage', async () => {
  let nowMs = 0;
  const rig = await openRig({ elapsedMs: () => nowMs++ });
  const { key } = await rig.customer();
  await rig.get(url, key);
  await rig.get('/api/v1/bank-rates?limit=0', key);
  const body = await rig.metrics();
  const figure = (name: string) =>
    Number(new RegExp(`^domesday_stage_seconds_${name} (\\S+)$`, 'm').exec(body)?.[1]);
  const counts = stages.map((stage) => figure(`count\\{stage="${stage}"\\}`));
  // The refused one came to its parameters and no further.
  assert.deepEqual(counts, [2, 2, 2, 1, 1, 1, 2]);
  assert.equal(figure('sum\\{stage="charge"\\}'), 0.001);
  assert.equal(figure('sum\\{stage="key"\\}'), 0.002);
  await rig.close();
});

test('a batch is counted once in each stage that one of its calls came to, and in no other', async () => {
  let nowMs = 0;
  const rig = await openRig({ elapsedMs: () => nowMs++ });
  const { key } = await rig.customer();
  const countsAfter = async (...limits: readonly number[]) => {
    const calls = limits.map((limit) => ({ path: '/bank-rates', params: { limit } }));
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const sent = { method: 'POST', url: '/api/v1/batch', headers, payload: { calls } } as const;
    assert.equal((await rig.app.inject(sent)).statusCode, 200);
    const body = await rig.metrics();
    const figure = (stage: string) =>
      Number(new RegExp(`^domesday_stage_seconds_count\\{stage="${stage}"\\} (\\S+)$`, 'm').exec(body)?.[1]);
    return stages.map(figure);
  };
  assert.deepEqual(await countsAfter(0, 0), [1, 1, 1, 0, 0, 0, 1]);
  assert.deepEqual(await countsAfter(1, 0, 2), [2, 2, 2, 1, 1, 1, 2]);
  await rig.close();
});

test('the log line of a slow call tells its stages, that of a fast one does not', async () => {
  let nowMs = 0;
  let stepMs = 1;
  const rig = await openRig({
    elapsedMs: () => {
      nowMs += stepMs;
      return nowMs;
    },
  });
  const { key } = await rig.customer();
  const lineOf = async (query: string) => {
    rig.logLines.length = 0;
    await rig.get(query, key);
    return JSON.parse(rig.logLines.at(-1) ?? '');
  };
  assert.equal((await lineOf(url)).stages, undefined);
  stepMs = 100;
  const { ms, stages: told } = await lineOf(url);
  assert.deepEqual(told, {
    key: 100,
    limit: 0,
    parameters: 100,
    balance: 0,
    lookup: 100,
    charge: 100,
    reply: 100,
  });
  assert.equal(ms, 500);
  const refused = await lineOf('/api/v1/bank-rates?limit=0');
  assert.deepEqual(refused.stages, { key: 100, limit: 0, parameters: 100, reply: 100 });
  assert.equal((await lineOf('/health/live')).stages, undefined);
  await rig.close();
});

test('an index outside its column is a damaged release: 500 for the caller, one clear line for the operator', async () => {
  const broken = (path: `/${string}`, fail: () => { ok: boolean } | Promise<{ ok: boolean }>) =>
    endpoint({
      method: 'GET',
      path,
      summary: 'Broken',
      description: 'Reads past the end of a column.',
      credits: 1,
      envelope: 'data',
      datasets: ['bank-rate'],
      maxAgeSeconds: 0,
      params: {},
      errors: ['AUTHENTICATION_REQUIRED', 'INSUFFICIENT_CREDITS', 'DATABASE_ERROR', 'INTERNAL_SERVER_ERROR'],
      answer: object('Broken', { ok: boolean() }),
      handle: fail,
    });
  const made = [
    broken('/broken', () => {
      throw new OutOfRange();
    }),
    broken('/broken-later', () => Promise.reject(new OutOfRange())),
  ];
  const rig = await openRig({ endpoints: [...endpoints, ...made] });
  const { key, accountId } = await rig.customer();
  for (const { path } of made) {
    rig.logLines.length = 0;
    const reply = await rig.get(`/api/v1${path}`, key);
    assert.deepEqual([reply.statusCode, reply.json().error.code], [500, 'DATABASE_ERROR']);
    assert.equal(reply.headers['x-credits-charged'], '0');
    assert.doesNotMatch(reply.body, /column|release/i);
    const faults = rig.logLines.filter((line) => line.includes('"level":"error"'));
    assert.equal(faults.length, 1);
    assert.match(
      JSON.parse(faults[0] ?? '').fault,
      /^ReleaseDamaged: Release \S+ cannot be used: an index points outside its column\. Run `domesday check`/,
    );
  }
  assert.equal((await rig.accounts.findAccount(accountId, rig.clock.nowMs))?.balance, 100_000);
  await rig.close();
});
