// The portable SQL in the file of a home: the contract of every engine, and that charges and people share one file without harm to each
// other.

import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { check } from '../../src/cli/check.ts';
import type { LedgerNotice, OpenLedger } from '../../src/ledger/ledger.ts';
import { databaseFile, openLedger } from '../../src/ledger/open.ts';
import { type Database, DatabaseUnavailable } from '../../src/storage/sql.ts';
import { charging, customer } from '../ledger/bench.ts';
import { temporaryHome } from '../rig.ts';
import { storageContract } from './contract.ts';
import { damage } from './damage.ts';

storageContract({
  name: 'SQLite',
  fresh: async () => {
    const { home, remove } = temporaryHome();
    return { open: () => openLedger({ home }), remove: async () => remove() };
  },
});

const put = 'INSERT INTO people_secrets (name, value) VALUES (?, ?)';
const names = async (database: Database) =>
  (await database.all('SELECT name FROM people_secrets ORDER BY name')).map(({ name }) => name);

type Opened = OpenLedger & { readonly home: string; readonly notices: LedgerNotice[] };

async function inHome(work: (opened: Opened) => Promise<void>): Promise<void> {
  const { home, remove } = temporaryHome();
  const notices: LedgerNotice[] = [];
  const opened = await openLedger({ home, tell: (notice) => notices.push(notice) });
  try {
    await work({ ...opened, home, notices });
  } finally {
    await opened.ledger.close();
    remove();
  }
}

test('the file and what SQLite puts beside it are for its owner alone, whatever the umask', async () => {
  const before = process.umask(0);
  try {
    await inHome(async ({ database, home }) => {
      await database.all(put, ['a', 'b']);
      for (const end of ['', '-wal', '-shm'])
        assert.equal((statSync(`${databaseFile(home)}${end}`).mode & 0o777).toString(8), '600', end);
    });
  } finally {
    process.umask(before);
  }
});

test('charges and changes of people that arrive together are all done, and none is mixed with another', async () => {
  await inHome(async ({ accounts, database, ledger }) => {
    const { caller } = await customer(accounts, 'enterprise', { allowance: 1_000 });
    const changes = Array.from({ length: 40 }, (_, at) =>
      database.transaction(async (sql) => {
        await sql.all(put, [`person ${at}`, '']);
        assert.equal((await sql.all('SELECT name FROM people_secrets')).length, at + 1);
        if (at % 4 === 0)
          await sql.all("UPDATE people_secrets SET value = 'seen' WHERE name = ?", [`person ${at}`]);
      }),
    );
    const charges = Array.from({ length: 40 }, (_, at) => ledger.charge(charging(caller, `charge-${at}`)));
    const outcomes = await Promise.all([...changes, ...charges]);
    assert.equal(outcomes.filter((outcome) => outcome?.kind === 'charged').length, 40);
    assert.equal((await names(database)).length, 40);
  });
});

test('nobody reads what a transaction may yet undo', async () => {
  await inHome(async ({ accounts, database }) => {
    const undone = database.transaction(async (sql) => {
      await sql.all(put, ['undone', '']);
      await Promise.resolve();
      await Promise.resolve();
      throw new Error('changed my mind');
    });
    const read = names(database);
    const listed = accounts.listAccounts(Date.now());
    await assert.rejects(undone, /changed my mind/);
    assert.deepEqual(await read, []);
    assert.deepEqual(await listed, []);
  });
});

test('a transaction that awaits something else than its statements is undone, and charges go on', async () => {
  await inHome(async ({ accounts, database, ledger }) => {
    const { caller } = await customer(accounts);
    const never = Promise.withResolvers<void>();
    const slow = database.transaction(async (sql) => {
      await sql.all(put, ['slow', '']);
      await never.promise;
      await sql.all(put, ['later', '']);
    });
    const charged = ledger.charge(charging(caller, 'meanwhile'));
    await assert.rejects(slow, /awaited something else/);
    assert.equal((await charged).kind, 'charged');
    never.resolve();
    await new Promise(setImmediate);
    assert.deepEqual(await names(database), []);
  });
});

const byName: Readonly<Record<string, (file: string) => void>> = {
  removed: (file) => rmSync(file),
  'removed with its log': (file) => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`);
  },
  renamed: (file) => renameSync(file, `${file}.aside`),
  'exchanged for a copy': (file) => {
    const bytes = readFileSync(file);
    rmSync(file);
    writeFileSync(file, bytes);
  },
};

for (const [what, act] of Object.entries(byName)) {
  test(`with the file ${what} under a service no change of people is told as done, it is said what to do, and nothing begins anew`, async () => {
    const { home, remove } = temporaryHome();
    const notices: LedgerNotice[] = [];
    const { database, ledger } = await openLedger({ home, tell: (notice) => notices.push(notice) });
    await database.all(put, ['before', '']);
    act(databaseFile(home));
    await assert.rejects(database.all(put, ['after', '']), DatabaseUnavailable);
    await assert.rejects(
      database.transaction((sql) => sql.all(put, ['after', ''])),
      DatabaseUnavailable,
    );
    await assert.rejects(names(database), DatabaseUnavailable);
    await assert.rejects(ledger.ready(), DatabaseUnavailable);
    assert.equal(notices.filter(({ level }) => level === 'error').length, 1);
    assert.match(notices.at(-1)?.message ?? '', /stop it, put the newest/);
    await ledger.close();
    remove();
  });
}

test('a home whose file is gone or empty never begins a new one by itself', async () => {
  for (const act of [(file: string) => rmSync(file), (file: string) => truncateSync(file)]) {
    const { home, remove } = temporaryHome();
    const { database, ledger } = await openLedger({ home });
    await database.all(put, ['kept', '']);
    await ledger.close();
    act(databaseFile(home));
    await assert.rejects(openLedger({ home }), DatabaseUnavailable);
    remove();
  }
});

test('an older copy in the place of the file is noticed at the next start, though people alone were changed since', async () => {
  const { home, remove } = temporaryHome();
  const file = databaseFile(home);
  const first = await openLedger({ home });
  first.maintain();
  await first.database.all(put, ['before', '']);
  await first.ledger.close();
  const copy = readFileSync(file);
  const second = await openLedger({ home });
  second.maintain();
  await second.database.all(put, ['since', '']);
  await second.ledger.close();
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  writeFileSync(file, copy);
  await assert.rejects(openLedger({ home }), DatabaseUnavailable);
  remove();
});

test('with the tables of people damaged they refuse with the reason, check says so first, and calls with keys go on', async () => {
  const { home, remove } = temporaryHome();
  const first = await openLedger({ home });
  const { caller, hash } = await customer(first.accounts);
  await first.database.all(put, ['kept', '']);
  await first.ledger.close();
  damage(join(home, 'domesday.sqlite'), 'people');
  const notices: LedgerNotice[] = [];
  const { database, ledger } = await openLedger({ home, tell: (notice) => notices.push(notice) });
  await assert.rejects(database.all('SELECT * FROM people'), /tables of people are damaged/);
  await assert.rejects(names(database), /tables of people are damaged/);
  await assert.rejects(database.all(put, ['more', '']), DatabaseUnavailable);
  assert.equal((await ledger.admit(hash, Date.now())).kind, 'admitted');
  assert.equal((await ledger.charge(charging(caller, 'all the same'))).kind, 'charged');
  await ledger.ready();
  assert.equal(notices.filter(({ message }) => /tables of people are damaged/.test(message)).length, 1);
  await ledger.close();
  const out = await checked(home);
  assert.match(out, /People +Their tables are damaged: nobody can sign in\. Calls with keys go on\./);
  remove();
});

test('damage of any table of people is told by check before every other problem, also in a file too large to be checked when it is opened', async () => {
  const { home, remove } = temporaryHome();
  const file = databaseFile(home);
  const { database, ledger } = await openLedger({ home });
  const line = `INSERT INTO people_audit (audit_id, at_ms, what, subject) VALUES (?, 1, 'settings.changed', '${'x'.repeat(2_000)}')`;
  await database.transaction(async (sql) => {
    for (let number = 0; number < 18_000; number += 1) await sql.all(line, [`aud_${number}`]);
  });
  await ledger.close();
  assert.ok(statSync(file).size > 33 * 2 ** 20);
  damage(file, 'people_audit');
  const out = await checked(home);
  assert.match(out, /People +Their tables are damaged: nobody can sign in\./);
  const [first] = out.slice(out.indexOf('1. ')).split('\n');
  assert.match(first ?? '', /^1\. +problem +people: Their tables are damaged/);
  remove();
});

/** What `domesday check` prints where it finds a problem. */
async function checked(home: string): Promise<string> {
  let out = '';
  const io = {
    env: { DOMESDAY_HOME: home },
    out: (text: string) => {
      out += text;
    },
    err: () => undefined,
    isTerminal: false,
    asTyped: (text: string) => text,
    now: Date.now,
  };
  await assert.rejects(async () => check.run([], io), /problem/);
  return out;
}
