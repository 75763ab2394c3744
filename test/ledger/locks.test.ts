// Another process holds the ledger, as a backup or a long command does: nothing in this one stands still for it.

import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LedgerUnavailable, type OpenLedger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { dayMs } from '../../src/time.ts';
import { assertBooksAgree, balanceOf, charging, customer, startMs } from './bench.ts';

describe('a ledger that another process holds', () => {
  let home = '';
  let open: OpenLedger;
  let holder: ChildProcessWithoutNullStreams | undefined;

  const hold = async (): Promise<void> => {
    const script = `
      import { DatabaseSync } from 'node:sqlite';
      const db = new DatabaseSync(process.argv[1]);
      db.exec('BEGIN IMMEDIATE');
      process.stdout.write('held');
      process.stdin.on('data', (word) => {
        if (String(word) === 'in a second\\n') setTimeout(() => { db.exec('COMMIT'); process.stdout.write('done'); }, 1000);
        else { db.close(); process.exit(); }
      });`;
    holder = spawn(process.execPath, ['--input-type=module', '-e', script, join(home, 'domesday.sqlite')]);
    await once(holder.stdout, 'data');
  };
  const letGo = async (): Promise<void> => {
    if (holder === undefined) return;
    const ended = once(holder, 'exit');
    holder.stdin.end('let go\n');
    holder = undefined;
    await ended;
  };
  /** `pending` until it is settled. */
  const watch = (promise: Promise<unknown>): (() => string) => {
    let state = 'pending';
    promise.then(
      () => {
        state = 'resolved';
      },
      () => {
        state = 'rejected';
      },
    );
    return () => state;
  };

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'domesday-locks-'));
  });
  afterEach(async () => {
    await letGo();
    await open.ledger.close();
    rmSync(home, { recursive: true });
  });

  it('lets turns, admissions, counts and reads go on while charges wait, and then makes them', async () => {
    open = await openLedger({ home, patienceMs: 60_000 });
    const { ledger, accounts } = open;
    const { accountId, caller, hash } = await customer(accounts, 'enterprise', { allowance: 1_000 });
    await ledger.ready();
    await hold();
    const charges = [1, 2, 3].map((number) => ledger.charge(charging(caller, `c${number}`)));
    const all = Promise.all(charges);
    const state = watch(all);
    for (let turn = 0; turn < 300; turn++) {
      assert.equal((await ledger.admit(hash, startMs)).kind, 'admitted');
      ledger.record({ caller, endpoint: '/x', atMs: startMs, status: 404 });
      assert.equal(await balanceOf(accounts, accountId), 1_000);
      await nextTurn();
    }
    assert.equal(state(), 'pending', 'the lock is held, and 300 turns have passed');
    await letGo();
    assert.deepEqual(
      (await all).map(({ kind }) => kind),
      ['charged', 'charged', 'charged'],
    );
    const usage = (await accounts.usageOf(accountId)).map(({ status, calls }) => [status, calls]);
    assert.deepEqual(usage, [
      [200, 3],
      [404, 300],
    ]);
    await assertBooksAgree(accounts);
  });

  it('is let go by itself after a while: until then the event loop turns', async () => {
    open = await openLedger({ home, patienceMs: 60_000 });
    const { ledger, accounts } = open;
    const { caller } = await customer(accounts, 'enterprise', { allowance: 1_000 });
    await hold();
    const released = watch(once(holder?.stdout ?? process.stdin, 'data'));
    holder?.stdin.write('in a second\n');
    const charge = ledger.charge(charging(caller, 'c1'));
    let turns = 0;
    while (released() === 'pending') {
      await nextTurn();
      turns += 1;
    }
    assert.ok(turns > 50, `only ${turns} turns while the ledger was held`);
    assert.equal((await charge).kind, 'charged');
    await assertBooksAgree(accounts);
  });

  it('is an outage for charges, refreshes and changes once they have waited long enough', async () => {
    open = await openLedger({ home, patienceMs: 30 });
    const { ledger, accounts } = open;
    const { accountId, caller, hash } = await customer(accounts, 'basic');
    await hold();
    const isOutage = (error: unknown) => {
      assert.ok(error instanceof LedgerUnavailable);
      assert.match(error.message, /Another process holds the ledger/);
      return true;
    };
    await assert.rejects(ledger.charge(charging(caller, 'c1')), isOutage);
    await assert.rejects(accounts.grantCredits(accountId, { credits: 1, atMs: startMs }), isOutage);
    await assert.rejects(async () => ledger.admit(hash, startMs + 40 * dayMs), isOutage);
    await assert.rejects(ledger.ready(), isOutage);
    assert.equal((await ledger.admit(hash, startMs)).kind, 'admitted');
    await letGo();
    assert.equal((await ledger.charge(charging(caller, 'c1'))).kind, 'charged');
    assert.equal(await balanceOf(accounts, accountId), 4_999);
    await assertBooksAgree(accounts);
  });
});
