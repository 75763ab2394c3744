// `domesday serve` whose ledger is taken away: 503 from then on, not ready, one line in the log, and no new ledger.

import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { bundledHome, runDomesday, startDomesday } from '../../rig.ts';

test('rm ledger.sqlite* under a running service: nothing more is acknowledged, and the next start makes no new ledger', async () => {
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
  for (const part of ['', '-wal', '-shm']) rmSync(path.join(home, `ledger.sqlite${part}`));
  for (let i = 0; i < 3; i += 1) {
    const reply = await call();
    assert.equal(reply.status, 503);
    assert.equal(reply.headers.get('retry-after'), '30');
    assert.match(await reply.text(), /"code":"SERVICE_UNAVAILABLE","message":"Calls cannot be metered/);
  }
  assert.equal((await fetch(`${running.url}/health/ready`)).status, 503);
  assert.equal((await fetch(`${running.url}/health/live`)).status, 200);
  await running.stop();
  const said = running
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'));
  assert.equal(said.filter((line) => line.includes('nothing is charged any more')).length, 1);
  assert.equal(said.filter((line) => line.includes('request failed')).length, 0);
  const again = await runDomesday(['serve', '--port', '0', '--home', home]);
  assert.equal(again.code, 1);
  assert.match(again.err, /had a ledger, and .* is gone; put it back, restore a backup/);
  assert.equal(existsSync(path.join(home, 'ledger.sqlite')), false);
  const checked = await runDomesday(['check', '--home', home]);
  assert.match(checked.out, /problem +ledger: .*had a ledger/);
  remove();
});
