// What the owner alone may read: a home, a ledger and a file of keys that were made by the program, whatever the umask.

import assert from 'node:assert/strict';
import { chmodSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { runDomesday, startDomesday, temporaryHome } from '../rig.ts';

const rightsOf = (place: string) => (statSync(place).mode & 0o777).toString(8);

test('a new home is 0700, its ledger, locks and demo keys 0600; of an open home check says what to do', async () => {
  const { home: parent, remove } = temporaryHome();
  const home = path.join(parent, 'new/home');
  const before = process.umask(0);
  try {
    const running = await startDomesday(home, { HOST: '0.0.0.0', DOMESDAY_DEMO_ACCOUNT: 'on' });
    assert.equal((await running.stop()).code, 0);
  } finally {
    process.umask(before);
  }
  assert.equal(rightsOf(home), '700');
  for (const name of ['domesday.sqlite', 'service.lock', 'demo-keys.txt']) {
    assert.equal(rightsOf(path.join(home, name)), '600', name);
  }
  const advice = `→ chmod 700 ${home}`;
  assert.ok(!(await runDomesday(['check', '--home', home])).out.includes(advice));
  chmodSync(home, 0o755);
  const { code, out } = await runDomesday(['check', '--home', home]);
  assert.equal(code, 0, out);
  assert.ok(out.includes(advice), out);
  remove();
});
