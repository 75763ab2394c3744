// What a backup, restore or move may find at either end: a ledger of another version, one that is marked, a service, or what
// is no ledger at all. Whatever it is, it is named, and nothing is lost.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openLedger } from '../../../src/ledger/open.ts';
import { eventLoop } from '../../../src/ledger/pace.ts';
import { Database } from '../../../src/ledger/postgres/database.ts';
import { markDatabase, readDatabaseMark } from '../../../src/ledger/postgres/mark.ts';
import { migrations } from '../../../src/ledger/postgres/schema/migrations.ts';
import { markFile, readFileMark } from '../../../src/ledger/sqlite/keeping/mark.ts';
import type { Mark } from '../../../src/ledger/stored/relocation.ts';
import { balanceOf, charging } from '../bench.ts';
import { contentsOf, makeLedger, type Pair, withPair } from './bench.ts';

const fileIn = ({ folder }: Pair, name: string): string => path.join(folder, name);

function folderIn(pair: Pair, name: string): string {
  const folder = fileIn(pair, name);
  mkdirSync(folder);
  return folder;
}

const ledgersIn = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => name.startsWith('ledger.'));

/** What a schema that was set aside has of the one charge that `makeLedger` makes. */
async function chargesAside(pair: Pair, said: string): Promise<number> {
  const [schema = ''] = /domesday_before_\w+/.exec(said) ?? [];
  const found = await pair.server.ask(
    pair.database,
    `SELECT FROM ${schema}.journal WHERE charge_id = 'c1' AND credits = -1`,
  );
  return found.rowCount ?? 0;
}

test('a ledger of a newer version is neither backed up nor moved nor taken back, and a restore keeps it aside', async () => {
  await withPair(async (pair) => {
    const { accountId } = await makeLedger(pair);
    const backup = fileIn(pair, 'backup.sqlite');
    await pair.run('file', 'backup', backup);
    await pair.moveIn();
    await pair.server.ask(
      pair.database,
      `INSERT INTO domesday.schema_versions VALUES (${migrations.length + 1}, 'later', 0, '9.9.9')`,
    );
    const before = readdirSync(pair.folder);
    const refusal =
      /The ledger in the database has another version than this program; use the Domesday that serves it/;
    await assert.rejects(pair.run('database', 'backup', fileIn(pair, 'second.sqlite')), refusal);
    await assert.rejects(pair.moveOut(), refusal);
    await assert.rejects(pair.run('database', 'move', '--undo', 'DATABASE_URL'), refusal);
    assert.deepEqual(readdirSync(pair.folder), before);
    const said = await pair.run('database', 'restore', backup);
    assert.match(said, /The old ledger cannot be read, so we cannot tell what the backup lacks/);
    assert.equal(await chargesAside(pair, said), 1);
    const { accounts } = await pair.openDatabase();
    assert.equal(await balanceOf(accounts, accountId), 99_999);
  });
});

test('a database whose ledger was moved out is not backed up, and takes that ledger back but no other', async () => {
  await withPair(async (pair) => {
    await makeLedger(pair);
    const before = contentsOf(pair.file);
    await pair.moveIn();
    await pair.moveOut();
    const backup = fileIn(pair, 'backup.sqlite');
    await assert.rejects(
      pair.run('database', 'backup', backup),
      /The ledger in the database was moved to .*home-.* and is in use there; use that one/,
    );
    assert.ok(!existsSync(backup));
    const stranger = folderIn(pair, 'stranger');
    const { ledger } = await openLedger({ home: stranger });
    await ledger.close();
    await assert.rejects(
      pair.run('database', 'move', stranger, 'DATABASE_URL'),
      /The database already has a ledger/,
    );
    const said = await pair.moveIn();
    assert.match(said, /What was there before is now in domesday_before_/);
    assert.equal(await chargesAside(pair, said), 1);
    await pair.moveOut();
    assert.deepEqual(contentsOf(pair.file), before);
  });
});

test('a ledger that was moved is not moved from its old place once more: that says where it is', async () => {
  await withPair(async (pair) => {
    await makeLedger(pair);
    await pair.moveIn();
    const other = await pair.server.createDatabase();
    const gone = new RegExp(
      `has already been moved to the database ${pair.database} on \\S+; name that one as FROM`,
    );
    await assert.rejects(pair.run('file', 'move', pair.home, pair.server.url(other)), gone);
    await assert.rejects(pair.moveIn(), gone);
    const { rows } = await pair.server.ask(other, "SELECT to_regnamespace('domesday') AS made");
    assert.deepEqual(rows, [{ made: null }]);
    await pair.server.dropDatabase(other);
    await pair.openDatabase();
    await pair.closeAll();
    await pair.moveOut();
    const elsewhere = folderIn(pair, 'elsewhere');
    for (const to of [elsewhere, pair.home]) {
      await assert.rejects(
        pair.run('database', 'move', 'DATABASE_URL', to),
        /has already been moved to .*home-.*; name that one as FROM/,
      );
    }
    assert.deepEqual(ledgersIn(elsewhere), []);
    await pair.openFile();
  });
});

test('a move into a database on which a service runs is refused, whatever ledger it serves', async () => {
  await withPair(async (pair) => {
    await makeLedger(pair);
    const service = await openLedger({ home: fileIn(pair, 'replica'), databaseUrl: pair.url });
    service.maintain();
    while ((await pair.services()) === 0) await pause(5);
    await assert.rejects(
      pair.moveIn(),
      /A service runs on the ledger in the database; stop every replica and move then/,
    );
    await service.ledger.ready();
    await service.ledger.close();
    await assert.rejects(pair.moveIn(), /The database already has a ledger/);
    await pair.openFile();
  });
});

test('a schema of this name that is no ledger is left alone', async () => {
  await withPair(async (pair) => {
    await makeLedger(pair);
    await pair.server.ask(
      pair.database,
      'CREATE SCHEMA domesday; CREATE TABLE domesday.mine AS SELECT 7 AS number',
    );
    await assert.rejects(pair.moveIn(), /name a database without one, or, if you no longer need that ledger/);
    const { rows } = await pair.server.ask(pair.database, 'SELECT number FROM domesday.mine');
    assert.deepEqual(rows, [{ number: 7 }]);
    await pair.openFile();
  });
});

test('a database that cannot keep every text is refused, with how to make one that can', async () => {
  await withPair(async (pair) => {
    const { accountId } = await makeLedger(pair);
    const name = `ascii_${pair.database}`;
    await pair.server.asAdmin(`CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`);
    await assert.rejects(
      pair.run('file', 'move', pair.home, pair.server.url(name)),
      /does not keep text as UTF-8; make one with CREATE DATABASE … ENCODING 'UTF8'/,
    );
    await pair.server.dropDatabase(name);
    const { accounts } = await pair.openFile();
    assert.equal(await balanceOf(accounts, accountId), 99_999);
  });
});

test('a home that has lost its seal is moved like any other, and has one again when the ledger comes back', async () => {
  await withPair(async (pair) => {
    await makeLedger(pair);
    const before = contentsOf(pair.file);
    const seal = path.join(pair.home, 'domesday.seal');
    rmSync(seal);
    await pair.moveIn();
    await pair.moveOut();
    assert.deepEqual(contentsOf(pair.file), before);
    assert.ok(existsSync(seal));
  });
});

test('a copy in a database that a killed move left unfinished is no source; the same command finishes it, or makes it anew', async () => {
  await withPair(async (pair) => {
    const { accountId, caller } = await makeLedger(pair);
    await pair.moveIn();
    const { token } = await unfinishDatabase(pair);
    const unfinished = /is an unfinished copy of the ledger of .*home-/;
    await assert.rejects(pair.openDatabase(), unfinished);
    await assert.rejects(pair.run('database', 'backup', fileIn(pair, 'backup.sqlite')), unfinished);
    const elsewhere = folderIn(pair, 'elsewhere');
    await assert.rejects(pair.run('database', 'move', 'DATABASE_URL', elsewhere), unfinished);
    assert.deepEqual(ledgersIn(elsewhere), []);
    await assert.rejects(
      pair.run('database', 'move', '--undo', 'DATABASE_URL'),
      /is an unfinished copy of the ledger of .*home-.*, which is still good; move again/,
    );
    const setToken = (of: string) =>
      pair.server.ask(pair.database, 'UPDATE domesday.relocation SET token = $1', [of]);
    await setToken('of another move');
    await assert.rejects(pair.moveIn(), /has already been moved to .*; name that one as FROM/);
    await setToken(token);
    assert.match(await pair.moveIn(), /^Moved to the database/);
    assert.equal(await balanceOf((await pair.openDatabase()).accounts, accountId), 99_999);
    await pair.closeAll();
    // Killed before the source was marked, which therefore went on.
    await unfinishDatabase(pair);
    await pair.run('file', 'move', '--undo', pair.home);
    await (await pair.openFile()).ledger.charge(charging(caller, 'c2'));
    await pair.closeAll();
    assert.doesNotMatch(await pair.moveIn(), /What was there before/);
    assert.equal(await balanceOf((await pair.openDatabase()).accounts, accountId), 99_998);
  });
});

test('a copy in a home that a killed move left unfinished is no source; the same command finishes it, or makes it anew', async () => {
  await withPair(async (pair) => {
    const { accountId, caller } = await makeLedger(pair);
    await pair.moveIn();
    await pair.moveOut();
    const { token } = await unfinishFile(pair);
    const unfinished = /is an unfinished copy of the ledger of the database /;
    await assert.rejects(pair.openFile(), unfinished);
    await assert.rejects(pair.run('file', 'backup', fileIn(pair, 'backup.sqlite')), unfinished);
    await assert.rejects(
      pair.run('file', 'move', '--undo', pair.home),
      /is an unfinished copy of the ledger of the database .*, which is still good; move again/,
    );
    const setToken = (of: string) =>
      inFile(pair, (db) => db.prepare('UPDATE relocation SET token = ?').run(of));
    setToken('of another move');
    await assert.rejects(pair.moveOut(), /has already been moved to .*; name that one as FROM/);
    setToken(token);
    assert.match(await pair.moveOut(), /^Moved to .*home-/);
    assert.equal(await balanceOf((await pair.openFile()).accounts, accountId), 99_999);
    await pair.closeAll();
    // Killed before the source was marked, which therefore went on.
    await unfinishFile(pair);
    await pair.run('database', 'move', '--undo', 'DATABASE_URL');
    await (await pair.openDatabase()).ledger.charge(charging(caller, 'c2'));
    await pair.closeAll();
    assert.doesNotMatch(await pair.moveOut(), /What was there before/);
    assert.equal(await balanceOf((await pair.openFile()).accounts, accountId), 99_998);
  });
});

/** The mark that a move sets before its last step, and a kill before that step leaves behind. */
function arrivingFor(gone: Mark | undefined, place: string): Mark {
  assert.ok(gone?.state === 'gone');
  return { ...gone, state: 'arriving', place };
}

async function unfinishDatabase(pair: Pair): Promise<Mark> {
  const mark = arrivingFor(inFile(pair, readFileMark), pair.home);
  await inDatabase(pair, (database) => database.transact((ask) => markDatabase(ask, mark)));
  return mark;
}

async function unfinishFile(pair: Pair): Promise<Mark> {
  const gone = await inDatabase(pair, (database) => readDatabaseMark(database.ask.bind(database)));
  const mark = arrivingFor(gone, `the database ${pair.database}`);
  inFile(pair, (db) => markFile(db, mark));
  return mark;
}

function inFile<T>({ file }: Pair, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

async function inDatabase<T>({ url }: Pair, work: (database: Database) => Promise<T>): Promise<T> {
  const database = new Database(url, eventLoop, () => undefined);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
