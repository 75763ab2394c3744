// `domesday move`: what it refuses, what it leaves behind, and how it is undone.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { WrongUsage } from '../../../src/cli/command.ts';
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { takeLock } from '../../../src/lock.ts';
import { runDomesday, runDomesdayProcess } from '../../rig.ts';
import { balanceOf, charging, customer } from '../bench.ts';
import { contentsOf, makeLedger, withPair } from './bench.ts';

test('the source refuses everything after it, says where the ledger went, and never with a password', async () => {
  await withPair(async (pair) => {
    const { caller } = await makeLedger(pair);
    const open = await pair.openFile(); // as a command that runs beside it
    await pair.server.asAdmin(`CREATE ROLE keeper LOGIN SUPERUSER PASSWORD 'hunter2'`).catch(() => undefined);
    const url = pair.url.replace('domesday@', 'keeper:hunter2@');
    const { code, out, err } = await runDomesday(['move', pair.home, 'DATABASE_URL'], {
      DATABASE_URL: url,
    });
    assert.deepEqual([code, err], [0, '']);
    assert.doesNotMatch(out, /hunter2|keeper/);
    await assert.rejects(open.ledger.charge(charging(caller, 'c2')), LedgerUnavailable);
    const refusal = new RegExp(
      `was moved to the database ${pair.database} on 127\\.0\\.0\\.1:\\d+ on 20\\d\\d-.*--undo`,
    );
    await assert.rejects(pair.openFile(), refusal);
    await assert.rejects(pair.run('file', 'backup', path.join(pair.folder, 'b')), refusal);
    const served = await runDomesdayProcess(['serve', '--home', pair.home]);
    assert.equal(served.code, 1);
    assert.match(served.err, refusal);
    assert.doesNotMatch(served.err + readFileSync(pair.file, 'latin1'), /hunter2/);
    await assert.rejects(
      pair.moveOut().then(() => pair.openDatabase()),
      /was moved to .*home-.* on 20\d\d-/,
    );
  });
});

test('a database that has served and was moved out refuses writes of a connection that is still there', async () => {
  await withPair(async (pair) => {
    const { caller, hash } = await makeLedger(pair);
    await pair.moveIn();
    const open = await pair.openDatabase();
    await open.ledger.charge(charging(caller, 'c2'));
    await pair.moveOut();
    await assert.rejects(open.ledger.charge(charging(caller, 'c3')), LedgerUnavailable);
    await assert.rejects(async () => open.ledger.admit(hash, pair.nowMs), LedgerUnavailable);
    await assert.rejects(open.ledger.ready(), LedgerUnavailable);
    const again = await pair.openFile();
    assert.equal(await balanceOf(again.accounts, caller.accountId, pair.nowMs - 200 * 86_400_000), 99_998);
  });
});

test('is refused while a service runs on either end, and goes on when it has stopped', async () => {
  await withPair(async (pair) => {
    await makeLedger(pair);
    const lock = takeLock(path.join(pair.home, 'service.lock'));
    assert.ok(lock !== 'taken');
    await assert.rejects(pair.moveIn(), /Another command works on .*; .*then move again/);
    lock.release();
    await pair.moveIn();
    const service = await pair.openDatabase();
    service.maintain();
    while ((await pair.services()) === 0) await pause(5);
    await assert.rejects(pair.moveOut(), /A service runs on the ledger in the database; stop every replica/);
    await assert.rejects(pair.openFile(), /was moved to the database/, 'nothing was changed');
    // The way to the database breaks, and the service is known to run again.
    await pair.server.ask(
      pair.database,
      "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'",
    );
    while ((await pair.services()) === 0) await pause(5);
    await assert.rejects(pair.moveOut(), /A service runs/);
    await pair.closeAll();
    await pair.moveOut();
    await pair.openFile();
  });
});

test('is refused into a ledger that is there, out of none, with charges in doubt, and between two of a kind', async () => {
  await withPair(async (pair) => {
    const { home } = pair;
    await assert.rejects(pair.moveIn(), /has no ledger; name the right home/);
    await assert.rejects(pair.moveOut(), /The database has no ledger/);
    await makeLedger(pair);
    const before = contentsOf(pair.file);
    const there = await openLedger({ home: path.join(home, 'of-a-replica'), databaseUrl: pair.url });
    await there.ledger.close();
    await assert.rejects(pair.moveIn(), /The database already has a ledger; .*DROP SCHEMA domesday CASCADE/);
    await assert.rejects(pair.moveOut(), /already has a ledger, or had another one/);
    await pair.server.ask(pair.database, 'DROP SCHEMA domesday CASCADE');
    writeFileSync(path.join(home, 'domesday.doubtful'), '\n"c1"');
    await assert.rejects(pair.moveIn(), /names charges whose commit is in doubt; start the service/);
    rmSync(path.join(home, 'domesday.doubtful'));
    await assert.rejects(
      pair.run('file', 'move', home, path.join(home, 'domesday.sqlite')),
      /One of FROM and TO/,
    );
    await assert.rejects(pair.run('file', 'move', home, 'DATABASE_URL'), /DATABASE_URL is not set/);
    await assert.rejects(pair.run('file', 'move', path.join(home, 'typo'), pair.url), /There is no folder/);
    await assert.rejects(pair.run('file', 'move', home), WrongUsage);
    const unreached = pair.url.replace(/:\d+\//, ':1/');
    await assert.rejects(pair.run('file', 'move', home, unreached), /cannot be used/);
    assert.deepEqual(contentsOf(pair.file), before);
    await pair.run('file', 'move', pair.file, pair.url);
    await pair.openDatabase();
  });
});

test('a journal that breaks is not moved, and nothing is left in the target', async () => {
  await withPair(async (pair) => {
    const { accountId } = await makeLedger(pair);
    const db = new DatabaseSync(pair.file);
    db.exec("DROP TRIGGER journal_is_never_changed; UPDATE journal SET request_id = 'other' WHERE seq = 2");
    db.close();
    await assert.rejects(
      pair.moveIn(),
      new RegExp(`journal of ${accountId} breaks at entry 2.*nothing was changed`),
    );
    await assert.rejects(pair.openDatabase(), /has no ledger yet/);
    await pair.openFile();
  });
});

test('what PostgreSQL cannot keep is said, and nothing is changed', async () => {
  await withPair(async (pair) => {
    const { ledger, accounts } = await openLedger({ home: pair.home });
    const { caller } = await customer(accounts, 'trial');
    await ledger.charge({ ...charging(caller, 'c1'), requestId: 'a\0b' });
    await ledger.close();
    await assert.rejects(
      pair.moveIn(),
      /contains the character NUL, which PostgreSQL cannot store; nothing was changed/,
    );
    await pair.openFile();
  });
});

test('a move is undone: the source goes on as it was', async () => {
  await withPair(async (pair) => {
    const { caller } = await makeLedger(pair);
    const before = contentsOf(pair.file);
    await assert.rejects(
      pair.run('file', 'move', '--undo', pair.home),
      /was not moved; there is nothing to undo/,
    );
    await pair.moveIn();
    await assert.rejects(pair.run('database', 'move', '--undo', 'DATABASE_URL'), /was not moved/);
    assert.match(
      await pair.run('file', 'move', '--undo', pair.home),
      /is in use again, as it was.*make sure that no service/s,
    );
    assert.deepEqual(contentsOf(pair.file), before);
    const open = await pair.openFile();
    await open.ledger.charge(charging(caller, 'c2'));
    await pair.closeAll();
    // The database is another branch now: it is not overwritten by chance.
    await assert.rejects(pair.moveIn(), /already has a ledger/);
    const elsewhere = path.join(pair.folder, 'elsewhere');
    mkdirSync(elsewhere);
    await pair.run('database', 'move', 'DATABASE_URL', elsewhere);
    assert.match(await pair.run('database', 'move', '--undo', 'DATABASE_URL'), /is in use again, as it was/);
    await pair.openDatabase();
    assert.deepEqual(
      readdirSync(elsewhere).filter((name) => /new-|arriving/.test(name)),
      [],
    );
  });
});

test('a ledger that was moved away is a backup too: it can be restored, and then goes on', async () => {
  await withPair(async (pair) => {
    const { accountId } = await makeLedger(pair);
    await pair.moveIn();
    const copy = path.join(pair.folder, 'copy.sqlite');
    writeFileSync(copy, readFileSync(pair.file));
    await pair.run('file', 'restore', copy);
    const { accounts } = await pair.openFile();
    assert.equal(await balanceOf(accounts, accountId), 99_999);
  });
});
