// Attempts of which nobody knows: whatever the caller is told in the end, he pays for what he was answered, and for nothing else.

import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { repeatable } from '../../../src/ledger/repeats.ts';
import { dayMs } from '../../../src/time.ts';
import { balanceOf, charging, customer, startMs } from '../bench.ts';
import { assertSound, freshStorage } from './bench.ts';
import { withProxy } from './proxy.ts';

const longMs = 30_000;

test('a charge that was refused for want of credits is not made by an earlier attempt that arrives when there are some', async () => {
  await withProxy(async ({ proxy, openThrough }) => {
    const open = await openThrough(longMs);
    const { accountId, caller } = await customer(open.accounts, 'basic', { allowance: 1 });
    await open.ledger.charge(charging(caller, 'its one credit'));
    proxy.sign = 'domesday.charge_1';
    proxy.fates = ['held'];
    assert.equal((await open.ledger.charge(charging(caller, 'late'))).kind, 'insufficient');
    await open.accounts.grantCredits(accountId, { credits: 5, atMs: startMs });
    await proxy.release();
    await open.ledger.charge(charging(caller, 'next'));
    assert.equal(await balanceOf(open.accounts, accountId), 4);
    await assertSound(open);
  });
});

test('a key that is used anew after a day stands for a charge that nobody has repeated: in doubt, it is given back', async () => {
  await withProxy(async ({ proxy, openThrough }) => {
    const open = await openThrough(0);
    const { accountId, caller } = await customer(open.accounts, 'basic', { allowance: 10 });
    const called = (id: string, atMs: number) => ({
      ...charging(caller, id, 1, atMs),
      repeatable: repeatable('key', 'call'),
    });
    await open.ledger.charge(called('first', startMs));
    assert.equal((await open.ledger.charge(called('again', startMs))).kind, 'replayed');
    // Old calls are looked for once a minute: this one is still there.
    const laterMs = startMs + dayMs + 1;
    proxy.fates = ['after'];
    await assert.rejects(open.ledger.charge(called('a day later', laterMs)));
    await open.ledger.charge(charging(caller, 'next', 1, laterMs));
    assert.equal(await balanceOf(open.accounts, accountId, laterMs), 8);
    await assertSound(open);
  });
});

test('doubts of an earlier run are settled beside the first charges, which are charged', async () => {
  const storage = await freshStorage();
  const first = await storage.open();
  const { accountId, caller } = await customer(first.accounts, 'basic', { allowance: 100 });
  const other = await customer(first.accounts, 'basic', { allowance: 100 });
  for (let start = 0; start < 10; start++) {
    const ids = Array.from({ length: 5 }, (_, i) => `in doubt ${start} ${i}`);
    for (const id of ids) await first.ledger.charge(charging(caller, id));
    appendFileSync(path.join(storage.home, 'postgres.doubtful'), ids.map((id) => `\n"${id}"`).join(''));
    const open = await storage.open();
    open.maintain();
    const results = await Promise.all(
      [1, 2, 3].map((i) => open.ledger.charge(charging(other.caller, `first ${start} ${i}`))),
    );
    assert.deepEqual(
      results.map(({ kind }) => kind),
      ['charged', 'charged', 'charged'],
    );
    await open.ledger.close();
  }
  assert.equal(await balanceOf(first.accounts, accountId), 100);
  await assertSound(first);
  await first.ledger.close();
  await storage.remove();
});
