// Records in a file: the contract of every engine, and what is true of a file alone.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { LedgerNotice } from '../../src/ledger/ledger.ts';
import { openRecords, recordsFile } from '../../src/records/open.ts';
import { RecordsUnavailable } from '../../src/records/records.ts';
import { runDomesday, temporaryHome } from '../rig.ts';
import { recordsContract } from './contract.ts';

recordsContract({
  name: 'SQLite',
  fresh: async () => {
    const { home, remove } = temporaryHome();
    return { open: () => openRecords({ home }), remove: async () => remove() };
  },
});

const rightsOf = (place: string) => (statSync(place).mode & 0o777).toString(8);

test('the file and what SQLite puts beside it are for its owner alone, whatever the umask', async (context) => {
  const { home, remove } = temporaryHome();
  const records = await openRecords({ home });
  context.after(() => records.close());
  const before = process.umask(0);
  try {
    await records.all('INSERT INTO request_parameters_kept VALUES (?, ?)', ['a', 1]);
  } finally {
    process.umask(before);
  }
  for (const end of ['', '-wal', '-shm']) assert.equal(rightsOf(`${recordsFile(home)}${end}`), '600', end);
  await records.close();
  remove();
});

test('several who make the records at the same moment all have them: none takes what another is making for a stranger', async () => {
  for (let round = 0; round < 8; round += 1) {
    const { home, remove } = temporaryHome();
    const all = await Promise.all([openRecords({ home }), openRecords({ home }), openRecords({ home })]);
    const told = await Promise.all(
      all.map((records) => records.all('SELECT COUNT(*) AS people FROM people')),
    );
    assert.deepEqual(told, [[{ people: 0 }], [{ people: 0 }], [{ people: 0 }]]);
    for (const records of all) await records.close();
    remove();
  }
});

test('nothing is made before the first question', async (context) => {
  const { home, remove } = temporaryHome();
  const records = await openRecords({ home });
  context.after(() => records.close());
  await records.close();
  assert.throws(() => statSync(recordsFile(home)), /ENOENT/);
  remove();
});

test('a file that is not of records is left as it is, told once, and once it is gone records are used', async (context) => {
  const { home, remove } = temporaryHome();
  const notices: LedgerNotice[] = [];
  const other = 'certainly no database, and long enough to be looked at as one'.repeat(20);
  const foreign = new DatabaseSync(path.join(home, 'foreign'));
  foreign.exec('CREATE TABLE somebody_elses (x)');
  foreign.close();
  const contents = [Buffer.from(other), readFileSync(path.join(home, 'foreign'))];
  for (const content of contents) {
    const records = await openRecords({ home, tell: (notice) => notices.push(notice) });
    context.after(() => records.close());
    writeFileSync(recordsFile(home), content);
    for (let tries = 0; tries < 3; tries += 1) {
      await assert.rejects(records.all('SELECT 1 AS one'), RecordsUnavailable);
    }
    assert.deepEqual(readFileSync(recordsFile(home)), content);
    rmSync(recordsFile(home));
    assert.deepEqual(await records.all('SELECT 1 AS one'), [{ one: 1 }]);
    assert.deepEqual(
      notices.splice(0).map(({ level }) => level),
      ['error', 'info'],
    );
    await records.close();
    for (const end of ['', '-wal', '-shm']) rmSync(`${recordsFile(home)}${end}`, { force: true });
  }
  remove();
});

test('a lock of another process is waited for; what it wrote is seen', async (context) => {
  const { home, remove } = temporaryHome();
  const records = await openRecords({ home });
  context.after(() => records.close());
  await records.all('SELECT 1 AS one');
  const other = new DatabaseSync(recordsFile(home));
  other.exec("BEGIN IMMEDIATE; INSERT INTO request_parameters_kept VALUES ('other', 1)");
  const mine = records.all('INSERT INTO request_parameters_kept VALUES (?, ?)', ['mine', 2]);
  // Its own thread waits; this one goes on.
  await new Promise(setImmediate);
  other.exec('COMMIT');
  other.close();
  await mine;
  assert.equal((await records.all('SELECT account_id FROM request_parameters_kept')).length, 2);
  await records.close();
  remove();
});

test('a backup beside running records is whole and opens; check tells whether they can be used', async (context) => {
  const { home, remove } = temporaryHome();
  const records = await openRecords({ home });
  context.after(() => records.close());
  const copyHome = temporaryHome();
  const copy = recordsFile(copyHome.home);
  assert.match((await runDomesday(['records', 'backup', copy, '--home', home])).err, /no records yet/);
  await records.all('INSERT INTO request_parameters_kept VALUES (?, ?)', ['a', 1]);
  assert.equal((await runDomesday(['records', 'backup', copy, '--home', home])).code, 0);
  assert.equal(rightsOf(copy), '600');
  const again = await runDomesday(['records', 'backup', copy, '--home', home]);
  assert.equal(again.code, 1);
  assert.match(again.err, /already exists/);
  await records.close();
  const restored = await openRecords({ home: copyHome.home });
  context.after(() => restored.close());
  assert.deepEqual(await restored.all('SELECT account_id FROM request_parameters_kept'), [
    { account_id: 'a' },
  ]);
  await restored.close();
  const told = async () => (await runDomesday(['check', '--all', '--home', copyHome.home])).out;
  assert.match(await told(), /ok +records: 0 people, 0 operators; they are readable/);
  writeFileSync(copy, Buffer.alloc(8_192, 'x'));
  assert.match(await told(), /problem +records: records\.sqlite is damaged\.\n +→ Stop the service/);
  rmSync(copy);
  assert.match(await told(), /ok +records: There are none yet/);
  assert.throws(() => statSync(copy), /ENOENT/);
  copyHome.remove();
  remove();
});

const insert = 'INSERT INTO request_parameters_kept VALUES (?, ?)';
const goneByName: Readonly<Record<string, (file: string) => void>> = {
  'all of it removed': (file) => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`);
  },
  'the file renamed': (file) => renameSync(file, `${file}.aside`),
  'the log removed': (file) => rmSync(`${file}-wal`),
  'the file exchanged for an empty one': (file) => {
    rmSync(file);
    writeFileSync(file, '');
  },
};

for (const [what, take] of Object.entries(goneByName)) {
  test(`with ${what} under a running service no write is told as done, once is said what to do, and nothing begins anew`, async (context) => {
    const { home, remove } = temporaryHome();
    const notices: LedgerNotice[] = [];
    const records = await openRecords({ home, tell: (notice) => notices.push(notice) });
    context.after(() => records.close());
    await records.all(insert, ['before', 1]);
    take(recordsFile(home));
    const wasThere = existsSync(recordsFile(home));
    const told = { name: 'RecordsUnavailable', message: /while the service ran.*Stop the service/ };
    await assert.rejects(records.all(insert, ['after', 2]), told);
    await assert.rejects(
      records.transaction((sql) => sql.all(insert, ['after', 3])),
      told,
    );
    await assert.rejects(records.all('SELECT 1 AS one'), told);
    assert.equal(existsSync(recordsFile(home)), wasThere);
    assert.deepEqual(
      notices.map(({ level }) => level),
      ['error'],
    );
    // What comes in its place may have the number of the one that is gone.
    rmSync(recordsFile(home), { force: true });
    const other = new DatabaseSync(recordsFile(home));
    other.close();
    await assert.rejects(records.all(insert, ['after', 4]), told);
    await records.close();
    remove();
  });
}

test('commands that only read make no records, and say that there are none', async () => {
  const { home, remove } = temporaryHome();
  for (const args of [
    ['list'],
    ['list', '--json'],
    ['link', 'a@example.com'],
    ['operator', 'a@example.com'],
    ['erase', 'a@example.com'],
  ]) {
    const { code, err } = await runDomesday(['people', ...args, '--home', home]);
    assert.equal(code, 1, args.join(' '));
    assert.match(err, /has no records/, args.join(' '));
    assert.equal(existsSync(recordsFile(home)), false, args.join(' '));
  }
  remove();
});
