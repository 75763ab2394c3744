// Of several processes that start on an empty home one makes the ledger, and then its seal. Whoever looks in between takes neither for
// lost or unreadable.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { openLedger } from '../../../src/ledger/open.ts';
import { readSeal, sealFile } from '../../../src/ledger/seal.ts';

let home = '';
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'domesday-made-meanwhile-'));
  await (await openLedger({ home })).ledger.close();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it('a ledger that is made after it was looked for, and before its seal is read, is opened', async () => {
  const aside = join(home, 'aside');
  const names = ['domesday.sqlite', 'domesday.seal'];
  for (const name of names) renameSync(join(home, name), `${aside}-${name}`);
  // Whoever reads it waits for the other process, which puts the ledger there first.
  execFileSync('mkfifo', [sealFile(home)]);
  const put = `exec 3> domesday.seal; ${names.map((name) => `mv aside-${name} ${name};`).join(' ')} cat domesday.seal >&3`;
  const other = spawn('sh', ['-c', put], { cwd: home });
  const ended = once(other, 'close');
  await (await openLedger({ home })).ledger.close();
  assert.deepEqual(await ended, [0, null]);
});

it('a seal that comes and goes while it is read is there or absent, and never one that cannot be read', async () => {
  const file = sealFile(home);
  const sound = readSeal(file);
  const sometimes = `
    const { linkSync, unlinkSync } = require('node:fs');
    const [file, kept] = process.argv.slice(1);
    linkSync(file, kept);
    process.stdout.write('begun');
    for (;;) {
      unlinkSync(file);
      linkSync(kept, file);
    }`;
  const other = spawn(process.execPath, ['--eval', sometimes, '--', file, `${file}.kept`]);
  try {
    await once(other.stdout, 'data');
    let [found, absent] = [0, 0];
    while (found < 5_000 || absent < 5_000) {
      const seal = readSeal(file);
      if (seal === 'absent') absent += 1;
      else {
        found += 1;
        assert.deepEqual(seal, sound);
      }
    }
  } finally {
    const ended = once(other, 'close');
    other.kill('SIGKILL');
    await ended;
  }
});
