// `domesday serve` whose ledger is taken away: 503 from then on, not ready, one line in the log, and no new ledger.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { assertBooksHold, call, makeCustomer, noLoad } from '../../faults/load.ts';
import { bundledHome, runDomesday, runDomesdayProcess, startDomesday } from '../../rig.ts';

test('rm domesday.sqlite* under a running service: nothing more is acknowledged, and the next start makes no new ledger', async () => {
  const { home, remove } = await bundledHome();
  const made = await runDomesday([
    'accounts',
    'create',
    '--name',
    'a',
    '--plan',
    'premium',
    '--json',
    '--home',
    home,
  ]);
  const { accountId } = JSON.parse(made.out);
  const { key } = JSON.parse(
    (await runDomesday(['keys', 'create', '--account', accountId, '--json', '--home', home])).out,
  );
  const running = await startDomesday(home, {});
  const call = () => fetch(`${running.url}/api/v1/bank-rates?limit=1`, { headers: { 'x-api-key': key } });
  assert.equal((await call()).status, 200);
  for (const part of ['', '-wal', '-shm']) rmSync(path.join(home, `domesday.sqlite${part}`));
  for (let i = 0; i < 3; i += 1) {
    const reply = await call();
    assert.equal(reply.status, 503);
    assert.equal(reply.headers.get('retry-after'), null, 'waiting does not bring it back');
    assert.match(
      await reply.text(),
      /"code":"SERVICE_UNAVAILABLE","message":"The service cannot meter calls at present; its operator/,
    );
  }
  assert.equal((await fetch(`${running.url}/health/ready`)).status, 503);
  assert.equal((await fetch(`${running.url}/health/live`)).status, 200);
  const restoring = await runDomesday(['restore', 'package.json', '--home', home]);
  assert.match(restoring.err, /^A service runs on/);
  await running.stop();
  const said = running
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'));
  assert.equal(said.filter((line) => line.includes('the service no longer charges')).length, 1);
  assert.equal(said.filter((line) => line.includes('request failed')).length, 0);
  const again = await runDomesdayProcess(['serve', '--port', '0', '--home', home]);
  assert.equal(again.code, 1);
  const rescued = readdirSync(home).find((name) => name.includes('.rescued-')) ?? assert.fail('none');
  const advice = `domesday restore ${path.join(home, rescued)} --home ${home}`;
  assert.match(again.err, /had a ledger, but .* is gone; /);
  assert.ok(again.err.includes(advice), again.err);
  assert.ok(said.some((line) => line.includes(advice)));
  assert.equal(existsSync(path.join(home, 'domesday.sqlite')), false);
  const checked = await runDomesday(['check', '--home', home]);
  assert.match(checked.out, /problem +ledger: .*had a ledger/);
  assert.ok(checked.out.includes(advice), checked.out);
  const restored = await runDomesday(advice.split(' ').slice(1));
  assert.equal(restored.code, 0, restored.err);
  assert.equal((await runDomesday(['accounts', 'list', '--home', home])).code, 0);
  remove();
});

test('slow: a ledger above 32 MB is checked while the service answers, after a kill, and then charges', async () => {
  const { home, remove } = await bundledHome();
  try {
    const { accountId, key } = await makeCustomer(home);
    const db = new DatabaseSync(path.join(home, 'domesday.sqlite'));
    db.exec('CREATE TABLE filler (content BLOB); INSERT INTO filler VALUES (zeroblob(40000000))');
    db.close();
    await (await startDomesday(home)).stop('SIGKILL');
    const running = await startDomesday(home);
    const load = noLoad();
    await call(load, {
      url: running.url,
      key,
      round: 'a',
      connections: 1,
      afterReply: () => (load.reported.size < 3 ? 'go on' : 'stop'),
    });
    assert.deepEqual(
      [...load.statuses.keys()].filter((status) => status !== 200 && status !== 503),
      [],
    );
    await running.stop();
    await assertBooksHold(home, accountId, load);
  } finally {
    remove();
  }
});
