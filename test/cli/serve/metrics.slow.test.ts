// What one service counts or tells.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { bundledHome, startDomesday } from '../../rig.ts';

test('the forms of an address share its limit of failed keys', async () => {
  const { home, remove } = await bundledHome();
  const env = { DOMESDAY_FAILED_KEYS_PER_MINUTE: '20', DOMESDAY_TRUST_PROXY: '1' };
  const service = await startDomesday(home, env);
  const forms = ['192.0.2.7', '192.0.2.7:4711', '"192.0.2.7:80"', 'for=192.0.2.7', '::ffff:192.0.2.7'];
  const statuses: number[] = [];
  for (let call = 0; call < 120; call += 1) {
    const headers = { 'x-forwarded-for': forms[call % forms.length] ?? '' };
    const reply = await fetch(`${service.url}/api/v1/bank-rates`, { headers });
    await reply.text();
    statuses.push(reply.status);
  }
  // A minute may end between: then there are twice as many.
  const refused = statuses.filter((status) => status === 401).length;
  assert.ok(refused === 20 || (refused > 20 && refused <= 40), `${refused} tries`);
  assert.equal(statuses.length - refused, statuses.filter((status) => status === 429).length);
  await service.stop();
  remove();
});

test('metrics need a token on the public port, and none on their own loopback port', async () => {
  const { home, remove } = await bundledHome();
  const service = await startDomesday(home, { DOMESDAY_METRICS_PORT: '0' });
  // Without any, as a proxy on the machine asks, which adds nothing.
  for (const headers of [{}, { authorization: 'Bearer undefined' }]) {
    const reply = await fetch(`${service.url}/metrics`, { headers });
    assert.equal(reply.status, 401);
    assert.match(await reply.text(), /no token .*DOMESDAY_METRICS_TOKEN.*DOMESDAY_METRICS_PORT/);
  }
  const own = /http:\/\/127\.0\.0\.1:\d+\/metrics/;
  const reply = await fetch(own.exec(service.output())?.[0] ?? '');
  assert.equal(reply.status, 200);
  const text = await reply.text();
  assert.match(text, /^domesday_requests_total\{endpoint="other",status="401"\} 2$/m);
  for (const name of [
    'domesday_ready 1',
    'domesday_heap_used_bytes \\d+',
    'domesday_event_loop_lag_seconds_count \\d+',
    'domesday_ledger_commit_seconds_count\\{result="done"\\} \\d+',
    'domesday_dataset_age_seconds\\{dataset="bank-rate"\\} \\d+',
    'domesday_build_info\\{version="\\S+",node="\\S+"\\} 1',
  ]) {
    assert.equal(text.match(new RegExp(`^${name}`, 'gm'))?.length, 1, name);
  }
  await service.stop();
  remove();
});

test('a start that cannot have its port for metrics ends as a whole, with its ledger in order', async () => {
  const { home, remove } = await bundledHome();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  try {
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : assert.fail();
    await assert.rejects(
      startDomesday(home, { DOMESDAY_METRICS_PORT: String(port) }),
      /ended with 1: Port \d+ .* is in use; .*DOMESDAY_METRICS_PORT/,
    );
    assert.equal(JSON.parse(readFileSync(path.join(home, 'domesday.seal'), 'utf8')).state, 'closed');
    await (await startDomesday(home)).stop();
  } finally {
    taken.close();
    remove();
  }
});
