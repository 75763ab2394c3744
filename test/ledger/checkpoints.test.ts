// The thread beside the ledger: what it copies, and that its absence harms nobody.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openLedger } from '../../src/ledger/open.ts';
import { readSeal, sealFile } from '../../src/ledger/seal.ts';
import { type Heard, startCheckpoints } from '../../src/ledger/sqlite/keeping/checkpoints.ts';
import { Guard } from '../../src/ledger/sqlite/keeping/guard.ts';
import { openLogIndex } from '../../src/ledger/sqlite/keeping/log-index.ts';
import { assertBooksAgree, balanceOf, charging, customer } from './bench.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'domesday-checkpoints-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the log is copied into the file while charges go on, and every charge is there', async () => {
  const path = join(folder, 'domesday.sqlite');
  const { ledger, accounts, maintain } = await openLedger({
    home: folder,
    tell: ({ level, message }) => assert.notEqual(level, 'error', message),
  });
  const { accountId, caller } = await customer(accounts, 'enterprise', { allowance: 100_000 });
  let charges = 0;
  const chargeMany = async () => {
    const batch = Array.from({ length: 500 }, () => ledger.charge(charging(caller, `c${charges++}`)));
    await Promise.all(batch);
  };
  await chargeMany();
  const before = statSync(path).size;
  await chargeMany();
  assert.equal(statSync(path).size, before, 'nobody copies it unasked');
  maintain();
  const deadlineMs = Date.now() + 20_000;
  while (statSync(path).size === before) {
    assert.ok(Date.now() < deadlineMs, 'the log was not copied');
    await chargeMany();
    await wait(20);
  }
  assert.equal(await balanceOf(accounts, accountId), 100_000 - charges);
  await ledger.close();
  const again = await openLedger({ home: folder });
  await assertBooksAgree(again.accounts);
  assert.equal(await balanceOf(again.accounts, accountId), 100_000 - charges);
  await again.ledger.close();
});

test('a thread that cannot open the ledger says so, and stopping it does not hang', async () => {
  const { promise, resolve } = Promise.withResolvers<Heard>();
  const start = {
    path: join(folder, 'nowhere', 'domesday.sqlite'),
    files: [],
    first: 'go on',
    everyMs: 10,
    logIndex: -1,
    ownCopies: new Int32Array(new SharedArrayBuffer(4)),
  } as const;
  const checkpoints = startCheckpoints(start, resolve);
  checkpoints.goOn({
    id: 'x',
    generation: 1,
    state: 'open',
    checkpointed: 0,
    newestEntry: 0,
    stamp: null,
  });
  const heard = await promise;
  assert.ok(heard.kind === 'ended' && heard.fault instanceof Error);
  await checkpoints.stop();
});

test('a thread that has lost its ledger copies nothing any more, whoever asks', async () => {
  const path = join(folder, 'domesday.sqlite');
  const { ledger, accounts } = await openLedger({ home: folder });
  await customer(accounts);
  const { files } = new Guard(path, () => undefined);
  const heard: Heard[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const ownCopies = new Int32Array(new SharedArrayBuffer(4));
  const start = {
    path,
    files,
    first: 'go on',
    everyMs: 10,
    logIndex: openLogIndex(path),
    ownCopies,
  } as const;
  const checkpoints = startCheckpoints(start, (message) => {
    heard.push(message);
    if (message.kind === 'lost') checkpoints.save();
    if (message.kind === 'notice') resolve(); // what it had is saved
  });
  const seal = readSeal(sealFile(folder));
  assert.ok(seal !== 'absent');
  checkpoints.goOn({ ...seal, state: 'open' });
  while (!existsSync(join(folder, 'domesday.reserve'))) await wait(20);
  renameSync(path, `${path}-moved`);
  await promise;
  const before = readFileSync(`${path}-moved`);
  checkpoints.shorten();
  await checkpoints.stop();
  assert.deepEqual(
    heard.map(({ kind }) => kind),
    ['lost', 'notice'],
  );
  assert.ok(readFileSync(`${path}-moved`).equals(before));
  renameSync(`${path}-moved`, path);
  await ledger.close();
});

test('what runs in the thread does nothing where it is loaded as a module', async () => {
  const loaded = import('../../src/ledger/sqlite/keeping/checkpoint-thread.ts');
  await assert.rejects(loaded, /is started by checkpoints\.ts/);
});
