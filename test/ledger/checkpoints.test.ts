// The thread beside the ledger: what it copies, and that its absence harms nobody.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openLedger } from '../../src/ledger/open.ts';
import { CheckpointThread } from '../../src/ledger/sqlite/keeping/checkpoints.ts';
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
  const thread = new CheckpointThread(join(folder, 'nowhere', 'domesday.sqlite'));
  const seal = { id: 'x', generation: 1, checkpointed: 0, newestEntry: 0, stamp: null };
  for (const task of [
    { kind: 'copy', seal: { ...seal, state: 'open' }, isToSeal: true },
    { kind: 'check' },
  ] as const) {
    const { kind } = await thread.ask(task);
    assert.equal(kind, 'failed');
  }
  await thread.stop();
});

test('what runs in the thread does nothing where it is loaded as a module', async () => {
  const loaded = import('../../src/ledger/sqlite/keeping/checkpoint-thread.ts');
  await assert.rejects(loaded, /is started by checkpoints\.ts/);
});
