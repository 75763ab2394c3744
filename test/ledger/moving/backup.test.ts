// `domesday backup` and `restore` over both engines: under load, after a loss, and from one engine into the other.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { LedgerUnavailable, type OpenLedger } from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { runDomesday, runDomesdayProcess } from '../../rig.ts';
import { balanceOf, charging, customer, startMs } from '../bench.ts';
import { makeRichLedger } from '../rich-ledger.ts';
import { contentsOf, type Pair, withPair } from './bench.ts';

type EngineName = 'file' | 'database';
const engines: readonly EngineName[] = ['file', 'database'];

const open = (pair: Pair, engine: EngineName): Promise<OpenLedger> =>
  openLedger(engine === 'file' ? { home: pair.home } : { home: pair.home, databaseUrl: pair.url });

const backupIn = (pair: Pair): string => path.join(pair.folder, 'backup');

async function destroy(pair: Pair, engine: EngineName): Promise<void> {
  if (engine === 'database') await pair.server.ask(pair.database, 'DROP SCHEMA domesday CASCADE');
  else for (const part of ['', '-wal', '-shm']) rmSync(pair.file + part, { force: true });
}

describe('restore drill', () => {
  for (const engine of engines) {
    it(`${engine}: backup under load, ledger destroyed, restored: sums equal up to the backup, and said so`, async () => {
      await withPair(async (pair) => {
        const first = await open(pair, engine);
        const { caller, accountId } = await customer(first.accounts, 'premium');
        const replicas = [first, await open(pair, engine)];
        let running = true;
        let acknowledged = 0;
        let refused = 0;
        const load = replicas.map(async ({ ledger }, replica) => {
          for (let i = 0; running; i++) {
            const charges = Array.from({ length: 5 }, (_, j) => charging(caller, `r${replica} ${i} ${j}`));
            try {
              await Promise.all(charges.map((charge) => ledger.charge(charge)));
              acknowledged += charges.length;
            } catch (error) {
              assert.ok(error instanceof LedgerUnavailable); // the file is another's for a moment
              refused += charges.length;
            }
          }
        });
        while (acknowledged < 100) await pause(1);
        const before = acknowledged;
        // From a process of its own, so that charging goes on.
        const env = { DOMESDAY_HOME: pair.home, ...(engine === 'database' && { DATABASE_URL: pair.url }) };
        const { out: said, err } = await runDomesdayProcess(['backup', backupIn(pair)], env);
        assert.equal(err, '');
        const after = acknowledged + refused;
        assert.ok(after > before);
        const wanted = acknowledged + 50;
        while (acknowledged < wanted) await pause(1);
        running = false;
        await Promise.all(load);
        for (const { ledger } of replicas) await ledger.close();
        const upTo = /1 account, ([\d,]+) entries, up to entry (\d+) of (\S+Z)\.$/m.exec(said);
        assert.ok(upTo, said);
        const charged = Number(upTo[1]?.replaceAll(',', '')) - 1;
        assert.ok(charged >= before && charged <= after + 10, `${before} ≤ ${charged} ≤ ${after}`);
        await destroy(pair, engine);
        const restored = await pair.run(engine, 'restore', backupIn(pair));
        assert.ok(restored.includes(upTo[0].replace(/^.*?1 account/, '1 account').trim()), restored);
        const again = await open(pair, engine);
        assert.equal(await balanceOf(again.accounts, accountId), 100_000 - charged);
        const { breaks, different, contradictions, entries } = await again.journals.verify(startMs);
        assert.deepEqual([breaks, different, contradictions, entries], [[], [], [], charged + 1]);
        await again.ledger.charge(charging(caller, 'after the restore'));
        assert.equal(await balanceOf(again.accounts, accountId), 100_000 - charged - 1);
        await again.ledger.close();
      });
    });
  }
});

for (const engine of engines) {
  test(`${engine}: check asks for a backup while charges of a week ago are in none`, async () => {
    await withPair(async (pair) => {
      const { ledger, accounts } = await open(pair, engine);
      const { caller } = await customer(accounts, 'premium');
      await ledger.charge(charging(caller, 'c1'));
      await ledger.close();
      const env = { DOMESDAY_HOME: pair.home, ...(engine === 'database' && { DATABASE_URL: pair.url }) };
      const checked = async () => (await runDomesday(['check'], env)).out;
      assert.match(await checked(), /No backup .* includes the charges since 2026-01-31/);
      await pair.run(engine, 'backup', backupIn(pair));
      assert.doesNotMatch(await checked(), /No backup/);
      assert.match(await checked(), /^Backup +The last one is of \d{4}-\d\d-\d\d, \d+ days? old\.$/m);
    });
  });
}

function setTemporary(folder: string): Disposable {
  const { TMPDIR: usual } = process.env;
  process.env.TMPDIR = folder;
  return {
    [Symbol.dispose]: () => {
      if (usual === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = usual;
    },
  };
}

test('a backup of one engine is restored into the other, and has everything', async () => {
  await withPair(async (pair) => {
    await makeRichLedger(pair.home);
    const before = contentsOf(pair.file);
    await pair.run('file', 'backup', backupIn(pair));
    assert.equal(statSync(backupIn(pair)).mode & 0o777, 0o700);
    // Other tests restore at the same time, into the folder that all of them have.
    const aside = mkdtempSync(path.join(pair.folder, 'aside-'));
    using _ = setTemporary(aside);
    assert.match(await pair.run('database', 'restore', backupIn(pair)), /^Restored to the database test_/);
    const second = path.join(pair.folder, 'second.sqlite');
    await pair.run('database', 'backup', second);
    assert.deepEqual(contentsOf(second), before);
    await destroy(pair, 'file');
    await pair.run('file', 'restore', second);
    assert.deepEqual(contentsOf(pair.file), before);
    const { ledger, journals } = await open(pair, 'file');
    assert.deepEqual((await journals.verify(pair.nowMs)).contradictions, []);
    await ledger.close();
    assert.deepEqual(readdirSync(aside), []);
  });
});

test('a restore into a database keeps what was there, tells what the backup lacks, and is refused while a service runs', async () => {
  await withPair(async (pair) => {
    const service = await open(pair, 'database');
    const { caller, accountId } = await customer(service.accounts, 'premium');
    await service.ledger.charge(charging(caller, 'c1'));
    await pair.run('database', 'backup', backupIn(pair));
    await assert.rejects(pair.run('database', 'backup', backupIn(pair)), /already exists; name a new folder/);
    await service.ledger.charge(charging(caller, 'c2', 3));
    service.maintain();
    while ((await pair.services()) === 0) await pause(5);
    await assert.rejects(
      pair.run('database', 'restore', backupIn(pair)),
      /A service runs on the ledger in the database; stop every replica and restore then/,
    );
    assert.equal(await balanceOf(service.accounts, accountId), 99_996);
    await service.ledger.close();
    const said = await pair.run('database', 'restore', backupIn(pair));
    assert.match(said, /The backup lacks 1 entry that the old ledger had; charges among them took 3 credits/);
    const [schema = ''] = /domesday_before_\w+/.exec(said) ?? [];
    const { rows } = await pair.server.ask(
      pair.database,
      `SELECT charge_id FROM ${schema}.journal WHERE charge_id = 'c2'`,
    );
    assert.equal(rows.length, 1, 'what was there is kept');
    const again = await open(pair, 'database');
    assert.equal(await balanceOf(again.accounts, accountId), 99_999);
    await again.ledger.close();
    // A table that is gone: nobody can tell what it had.
    await pair.server.ask(pair.database, 'DROP TABLE domesday.journal CASCADE');
    assert.match(await pair.run('database', 'restore', backupIn(pair)), /cannot be read, so we cannot tell/);
  });
});

test('whoever was erased since the backup is erased again by its restore into a database, and nobody else', async () => {
  await withPair(async (pair) => {
    const { ledger, database } = await open(pair, 'database');
    for (const name of ['ann', 'bob']) {
      const email = `${name}@example.com`;
      await database.all(
        "INSERT INTO people (person_id, email, email_key, password_hash, standing, created_ms) VALUES (?, ?, ?, 'hash', 'customer', 1)",
        [`per_${name}`, email, email],
      );
    }
    await ledger.close();
    await pair.run('database', 'backup', backupIn(pair));
    await pair.run('database', 'people', 'erase', 'bob@example.com');
    const restored = await pair.run('database', 'restore', backupIn(pair));
    assert.match(restored, /1 person that had been erased since the backup were erased again/);
    const again = await open(pair, 'database');
    const left = await again.database.all('SELECT email FROM people');
    assert.deepEqual(left, [{ email: 'ann@example.com' }]);
    const told = await again.database.all(
      "SELECT subject_person FROM people_audit WHERE what = 'person.erased'",
    );
    assert.deepEqual(told, [{ subject_person: 'per_bob' }]);
    await again.ledger.close();
  });
});

test('what is charged and granted while a ledger is restored is in it, told as lacking, or refused', async () => {
  await withPair(async (pair) => {
    // It has not said that it serves, as a replica that has lost its connection, or a command of the operator.
    const writer = await open(pair, 'database');
    const { caller, accountId } = await customer(writer.accounts, 'premium');
    const ids = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name} ${i}`);
    await Promise.all(ids('before', 3_000).map((id) => writer.ledger.charge(charging(caller, id))));
    await pair.run('database', 'backup', backupIn(pair));
    let running = true;
    let told = 0;
    const charges = async () => {
      for (let i = 0; running; i++) {
        const charged = await writer.ledger.charge(charging(caller, `beside ${i}`)).catch(refused);
        if (charged !== undefined) told += 1;
      }
    };
    const grants = async () => {
      while (running) {
        const granted = await writer.accounts
          .grantCredits(accountId, { credits: 1, atMs: startMs })
          .then(() => 'granted', refused);
        if (granted !== undefined) told += 1;
      }
    };
    const beside = [charges(), grants()];
    while (told < 20) await pause(1);
    const said = await pair.run('database', 'restore', backupIn(pair)).finally(() => {
      running = false;
    });
    await Promise.all(beside);
    const lacking = Number(/lacks ([\d,]+) entr/.exec(said)?.[1]?.replaceAll(',', '') ?? 0);
    const kept = (await writer.accounts.journalOf(accountId)).length - 3_001;
    assert.equal(kept + lacking, told, said);
    await writer.ledger.close();
  });
});

function refused(error: unknown): undefined {
  assert.ok(error instanceof LedgerUnavailable, String(error));
}

test('a backup of another ledger, a broken journal and what is no backup are refused, and change nothing', async () => {
  await withPair(async (pair) => {
    const here = await open(pair, 'database');
    const { accountId } = await customer(here.accounts, 'premium');
    await here.ledger.close();
    const there = await open(pair, 'file');
    const { caller } = await customer(there.accounts, 'premium');
    await there.ledger.charge(charging(caller, 'c1'));
    await there.ledger.close();
    await pair.run('file', 'backup', backupIn(pair));
    await assert.rejects(
      pair.run('database', 'restore', backupIn(pair)),
      /backup of another ledger than the one the database has; give --other-ledger/,
    );
    const junk = path.join(pair.folder, 'junk');
    await assert.rejects(pair.run('database', 'restore', junk), /There is no file/);
    writeFileSync(junk, 'no ledger');
    await assert.rejects(pair.run('database', 'restore', junk), /is not a sound backup/);
    const same = await open(pair, 'database');
    assert.equal(await balanceOf(same.accounts, accountId), 100_000);
    await same.ledger.close();
    const file = path.join(backupIn(pair), 'domesday.sqlite');
    const db = new DatabaseSync(file);
    db.exec("DROP TRIGGER journal_is_never_changed; UPDATE journal SET request_id = 'other' WHERE seq = 2");
    db.close();
    const other = [file, '--other-ledger'];
    await assert.rejects(pair.run('database', 'restore', ...other), /breaks at entry 2.*--broken-journal/);
    await pair.run('database', 'restore', ...other, '--broken-journal');
    assert.match(pair.told, /breaks at entry 2: .*; it was restored as it is/);
    const broken = await open(pair, 'database');
    assert.equal((await broken.journals.verify(startMs)).breaks.length, 1);
    await broken.ledger.close();
    rmSync(backupIn(pair), { recursive: true });
    await pair.run('database', 'backup', backupIn(pair));
    assert.match(pair.told, /breaks at entry 2: .*; it was copied as it is/);
    assert.ok(existsSync(backupIn(pair)));
  });
});
