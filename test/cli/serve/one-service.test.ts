// One service on one home: a second is refused, wherever it runs, as long as the first lives; commands are not.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { pidNamespaces, testWith } from '../../requirements.ts';
import { bundledHome, command, runDomesday, runDomesdayProcess, startDomesday } from '../../rig.ts';

let home: string;
let remove: () => void;
before(async () => {
  ({ home, remove } = await bundledHome());
});
after(() => remove());

const refusal =
  /^Another service runs on the home folder \S+, or a command works on it; stop it first, or choose another home [^\n]+\n$/;

test('slow: a second service is refused in one line while the first lives or is stopped; commands work', async () => {
  const first = await startDomesday(home);
  const env = { DOMESDAY_HOME: home, PORT: '0' };
  const second = await runDomesdayProcess(['serve'], env);
  assert.deepEqual([second.code, second.out], [1, '']);
  assert.match(second.err, refusal);
  assert.equal((await runDomesday(['accounts', 'list'], env)).code, 0);
  assert.equal((await runDomesday(['releases'], env)).code, 0);
  assert.equal((await fetch(`${first.url}/health/ready`)).status, 200);
  first.child.kill('SIGSTOP');
  assert.match((await runDomesdayProcess(['serve'], env)).err, refusal);
  await first.stop('SIGKILL');
  // Its socket is still there.
  const left = await runDomesday(['accounts', 'list'], env);
  assert.deepEqual([left.code, left.err], [0, '']);
  const third = await startDomesday(home);
  assert.equal((await third.stop()).code, 0);
  await (await startDomesday(home)).stop();
});

testWith(pidNamespaces(), 'slow: in containers of their own, too', async ([program = '', ...words]) => {
  const first = await startDomesday(home);
  const second = spawn(program, [...words, process.execPath, command, 'serve'], {
    env: { PATH: process.env.PATH, DOMESDAY_HOME: home, PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  second.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  assert.deepEqual(await once(second, 'close'), [1, null]);
  assert.match(errors, refusal);
  await first.stop();
});
