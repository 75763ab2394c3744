// What is told of a request beside its reply.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRig } from '../rig.ts';

test('the log line of a request and the metrics tell how long it took', async () => {
  const rig = await openRig();
  const { key } = await rig.customer();
  for (const [url, status] of [
    ['/api/v1/bank-rates?limit=1', 200],
    ['/api/v1/bank-rates?limit=0', 400],
    ['/health/live', 200],
    ['/nowhere', 404],
    ['/%', 400],
  ] as const) {
    rig.logLines.length = 0;
    assert.equal((await rig.get(url, key)).statusCode, status, url);
    const { ms } = JSON.parse(rig.logLines.at(-1) ?? '');
    assert.ok(ms > 0 && ms < 60_000, `${url}: ${ms}`);
  }
  const body = await rig.metrics();
  const sum = /domesday_request_seconds_sum\{endpoint="\/bank-rates"\} (\S+)/.exec(body)?.[1];
  assert.ok(Number(sum) > 0, `seconds: ${sum}`);
  await rig.close();
});
