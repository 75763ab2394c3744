// `domesday backup` and `domesday restore`: a backup beside a running ledger, the way back, and everything that is refused.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { check } from '../../src/cli/check.ts';
import { WrongUsage } from '../../src/cli/command.ts';
import { backup as backUp, restore } from '../../src/cli/database/backup.ts';
import { ledger } from '../../src/cli/ledger.ts';
import { people } from '../../src/cli/people/people.ts';
import { takeLock } from '../../src/lock.ts';
import { dayMs } from '../../src/time.ts';
import { balanceOf, charging, customer, startMs } from '../ledger/bench.ts';
import { Desk, textOf } from './ledger-desk.ts';

let desk: Desk;
let file = '';
/** What a backup is written to, and the database in it. */
let folder = '';
let backup = '';
beforeEach(async () => {
  desk = new Desk();
  file = join(desk.home, 'domesday.sqlite');
  folder = join(desk.home, '..', 'backup');
  backup = join(folder, 'domesday.sqlite');
});
afterEach(() => desk.remove());

function change(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

/** A ledger that stays open, with a charge in its log. */
async function openWithCharge() {
  const open = await desk.openLedger();
  const who = await customer(open.accounts, 'premium');
  await open.ledger.charge(charging(who.caller, 'c1'));
  return { ...open, ...who };
}

test('a backup beside an open ledger has the newest charge, is the owner’s alone, and is found whole by a restore', async () => {
  const { ledger, accounts, caller, accountId } = await openWithCharge();
  const made = await desk.json(backUp, folder);
  assert.deepEqual([made.folder, made.entries, made.accounts], [folder, 2, 1]);
  assert.equal(made.bytes, statSync(backup).size);
  if (process.platform !== 'win32') {
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
  }
  await assert.rejects(desk.run(backUp, folder), /already exists; name a new folder/);

  await ledger.charge(charging(caller, 'c2', 3));
  const after = await balanceOf(accounts, accountId);
  await assert.rejects(desk.run(restore, backup), /is in use; stop the service/);
  await ledger.close();

  const before = readFileSync(file);
  const restored = await desk.json(restore, backup);
  assert.deepEqual(restored.missing, { entries: 1, credits: 3 });
  const movedTo = textOf(restored.movedTo);
  assert.ok(readFileSync(join(movedTo, 'domesday.sqlite')).equals(before), 'what was there is kept');
  const again = await desk.openLedger();
  assert.equal(await balanceOf(again.accounts, accountId), after + 3);
  await again.ledger.close();
  assert.deepEqual(
    readdirSync(desk.home).filter((name) => name.includes('.new-')),
    [],
  );
});

test('a restore puts right what a start refuses: an older copy, a left-over log, a damaged seal, a ledger that is gone', async () => {
  const { ledger, accountId } = await openWithCharge();
  await desk.run(backUp, folder);
  await ledger.close();
  const faults = [
    () => rmSync(file),
    () => writeFileSync(file, 'no ledger'),
    () => writeFileSync(join(desk.home, 'domesday.seal'), '{'),
    () => writeFileSync(`${file}-wal`, 'left over'),
  ];
  for (const fault of faults) {
    fault();
    const text = await desk.run(restore, backup);
    assert.ok(
      text.startsWith(`Restored to ${file}: 1 account, 2 entries, up to entry 2 of 2026-01-31T12:00:00Z.\n`),
      text,
    );
    const { ledger, accounts } = await desk.openLedger();
    assert.equal(await balanceOf(accounts, accountId), 99_999);
    await ledger.close();
  }
});

test('a copy made by hand is restored with the log beside it', async () => {
  const { ledger, accountId } = await openWithCharge();
  mkdirSync(folder);
  for (const part of ['', '-wal']) copyFileSync(`${file}${part}`, `${backup}${part}`);
  await ledger.close();
  await desk.run(restore, backup);
  const again = await desk.openLedger();
  assert.equal(await balanceOf(again.accounts, accountId), 99_999);
  await again.ledger.close();
});

test('a backup of another ledger has to be asked for', async () => {
  const own = await openWithCharge();
  await own.ledger.close();
  const other = new Desk();
  const { ledger } = await other.openLedger();
  await ledger.close();
  await other.run(backUp, folder);
  other.remove();
  const before = readFileSync(file);
  await assert.rejects(desk.run(restore, backup), /backup of another ledger.*--other-ledger/);
  assert.ok(readFileSync(file).equals(before));
  assert.match(await desk.run(restore, backup, '--other-ledger'), /lacks 2 entries/);
});

test('a restore needs no seal, and what has no identity is not restored', async () => {
  const { ledger, accountId } = await openWithCharge();
  await desk.run(backUp, folder);
  await ledger.close();
  rmSync(join(desk.home, 'domesday.seal'));
  const { movedTo } = await desk.json(restore, backup);
  assert.ok(!readdirSync(textOf(movedTo)).includes('domesday.seal'));
  const again = await desk.openLedger();
  assert.equal(await balanceOf(again.accounts, accountId), 99_999);
  await again.ledger.close();

  const before = readFileSync(file);
  change(backup, 'DELETE FROM identity');
  await assert.rejects(desk.run(restore, backup), /is not a sound backup/);
  assert.ok(readFileSync(file).equals(before));
});

test('a backup that cannot be written says so, and leaves nothing', async () => {
  const { ledger } = await openWithCharge();
  await assert.rejects(desk.run(backUp, join(folder, 'deeper')), /make that folder first/);
  assert.equal(existsSync(folder), false);
  await ledger.close();
});

test('a backup has the hash of each file; one that was changed since is not restored, and changes nothing', async () => {
  const { ledger } = await openWithCharge();
  await ledger.close();
  await desk.run(backUp, folder);
  const before = readFileSync(file);
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  assert.ok(typeof manifest === 'object' && manifest !== null && 'files' in manifest);
  assert.deepEqual(
    manifest.files,
    ['domesday.sqlite', 'settings.env'].map((name) => {
      const content = readFileSync(join(folder, name));
      return { name, bytes: content.length, sha256: hash('sha256', content) };
    }),
  );
  for (const name of ['domesday.sqlite', 'settings.env', 'manifest.json']) {
    const sound = readFileSync(join(folder, name));
    writeFileSync(join(folder, name), Buffer.concat([sound, Buffer.from('x')]));
    await assert.rejects(desk.run(restore, folder), /restore another.*Nothing was changed/);
    writeFileSync(join(folder, name), sound);
  }
  assert.ok(readFileSync(file).equals(before));
  await desk.run(restore, folder);
});

test('a backup lists the settings that it needs, and names secrets without copying them', async () => {
  const { ledger } = await openWithCharge();
  await ledger.close();
  desk.env = { PORT: '8081', SMTP_URL: 'smtp://ann:secret@mail.example.com', HOME: '/root' };
  await desk.run(backUp, folder);
  const said = readFileSync(join(folder, 'settings.env'), 'utf8');
  assert.match(said, /^PORT=8081$/m);
  assert.match(said, /^# SMTP_URL is a secret: set it again$/m);
  for (const name of readdirSync(folder)) assert.ok(!readFileSync(join(folder, name)).includes('ann:secret'));
  assert.ok(!said.includes('/root'));
});

test('people are in a backup, and whoever was erased since is erased again by its restore', async () => {
  const opened = await desk.openLedger();
  const addPerson = (email: string) =>
    opened.database.all(
      "INSERT INTO people (person_id, email, email_key, password_hash, standing, created_ms) VALUES (?, ?, ?, 'hash', 'customer', 1)",
      [`per_${email}`, email, email],
    );
  await addPerson('ann@example.com');
  await addPerson('bob@example.com');
  await opened.ledger.close();
  await desk.run(backUp, folder);
  await desk.run(people, 'erase', 'bob@example.com');
  const { erasedAgain } = await desk.json(restore, folder);
  assert.equal(erasedAgain, 1);
  const { people: listed } = await desk.json(people, 'list');
  assert.ok(Array.isArray(listed));
  assert.deepEqual(
    listed.map(({ email }) => email),
    ['ann@example.com'],
  );
});

test('a ledger that is damaged where nobody looked yet is named by the backup that finds it', async () => {
  const { ledger } = await openWithCharge();
  await ledger.close();
  // Above 32 MB an opening does not read all of it.
  change(
    file,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
     INSERT INTO journal (previous, account, at, kind, credits, lasting, balance_after, lasting_after, note)
     SELECT NULL, 1, 1, 0, 0, 0, 0, 0, hex(zeroblob(2000)) FROM n`,
  );
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(4_096, 0xff), 0, 4_096, 20 * 1024 * 1024);
  closeSync(handle);
  await assert.rejects(desk.run(backUp, folder), (error) => {
    assert.ok(error instanceof Error);
    assert.ok(error.message.startsWith(`${file} is not a Domesday ledger or is damaged`), error.message);
    return true;
  });
  assert.equal(existsSync(folder), false);
});

test('what is no backup changes nothing', async () => {
  const { ledger } = await openWithCharge();
  await ledger.close();
  const before = readFileSync(file);
  await assert.rejects(desk.run(restore, folder), /There is no file/);
  for (const own of [file, desk.home])
    await assert.rejects(desk.run(restore, own), /is the ledger of this home itself/);
  mkdirSync(folder);
  for (const bytes of [
    '',
    'no ledger',
    before.subarray(0, 8_192),
    before.subarray(0, before.length - 4_096),
  ]) {
    writeFileSync(backup, bytes);
    await assert.rejects(desk.run(restore, backup), /is not a sound backup.*Nothing was changed/);
  }
  writeFileSync(`${backup}-wal`, 'of another ledger');
  await assert.rejects(desk.run(restore, backup), /perhaps .*-wal does not belong to it/);
  assert.ok(readFileSync(file).equals(before));
  assert.ok(!readdirSync(desk.home).some((name) => name.startsWith('domesday-before')));
});

/** As whoever has the file could change it. */
function tamper(sqlite: string, change: string): void {
  const db = new DatabaseSync(sqlite);
  db.exec(`DROP TRIGGER journal_is_never_changed; ${change}`);
  db.close();
}

const tampering = {
  'a hash': "UPDATE journal SET hash = iif(hash LIKE 'x%', 'y', 'x') || substr(hash, 2) WHERE seq = 2",
  'a request id': "UPDATE journal SET request_id = request_id || 'x' WHERE seq = 2",
  'a charge that is gone':
    'DROP TRIGGER journal_is_never_shortened; PRAGMA foreign_keys = OFF; DELETE FROM journal WHERE seq = 2',
};

for (const [what, change] of Object.entries(tampering)) {
  test(`a backup whose journal breaks (${what}) is restored only if that is asked for`, async () => {
    const { ledger, accountId } = await openWithCharge();
    await ledger.close();
    await desk.run(backUp, folder);
    tamper(backup, change);
    const before = readFileSync(file);
    const names = readdirSync(desk.home);
    const refusal = new RegExp(
      `journal of ${accountId} breaks at entry 2: .*--broken-journal.*Nothing was changed`,
    );
    await assert.rejects(desk.run(restore, backup), refusal);
    assert.ok(readFileSync(file).equals(before));
    assert.deepEqual(
      readdirSync(desk.home).filter((name) => !names.includes(name)),
      [],
    );
    await desk.run(restore, backup, '--broken-journal');
    assert.match(desk.told, new RegExp(`journal of ${accountId} breaks at entry 2`));
  });
}

test('a backup whose balance is not the sum of its journal is restored only if that is asked for', async () => {
  const { ledger, accountId } = await openWithCharge();
  await ledger.close();
  await desk.run(backUp, folder);
  tamper(backup, 'UPDATE accounts SET balance = balance + 1');
  const refusal = new RegExp(`balance of ${accountId} is not what its journal adds up to.*--broken-journal`);
  await assert.rejects(desk.run(restore, backup), refusal);
  await desk.run(restore, backup, '--broken-journal');
});

test('a ledger whose journal breaks is copied, and the break is told', async () => {
  const { ledger, accountId } = await openWithCharge();
  await ledger.close();
  tamper(file, tampering['a request id']);
  const text = await desk.run(backUp, folder);
  assert.match(text, /1 account, 2 entries/);
  assert.match(desk.told, new RegExp(`^The journal of ${accountId} breaks at entry 2: .*\\n$`));
  rmSync(folder, { recursive: true });
  const { breaks } = await desk.json(backUp, folder);
  assert.ok(Array.isArray(breaks));
  assert.deepEqual([breaks.length, breaks[0].accountId, breaks[0].seq], [1, accountId, 2]);
});

test('a home that is not there is not made by a restore', async () => {
  const { ledger } = await openWithCharge();
  await ledger.close();
  await desk.run(backUp, folder);
  const typo = join(desk.home, '..', 'hmoe');
  const refusal = /There is no folder .*hmoe; .*mkdir .*hmoe/;
  await assert.rejects(desk.run(restore, backup, '--home', typo), refusal);
  assert.equal(existsSync(typo), false);
  mkdirSync(typo);
  const text = await desk.run(restore, backup, '--home', typo);
  assert.ok(text.startsWith(`Restored to ${join(typo, 'domesday.sqlite')}: `), text);
});

test('a restore waits for no service: while one has the home it is refused, also where the ledger is gone', async () => {
  const { ledger } = await openWithCharge();
  await ledger.close();
  await desk.run(backUp, folder);
  rmSync(file);
  const lock = takeLock(join(desk.home, 'service.lock'));
  assert.ok(lock !== 'taken');
  await assert.rejects(
    desk.run(restore, backup),
    /Another command works on .*, or a service there is starting or stopping; .*then restore again/,
  );
  assert.equal(existsSync(file), false);
  lock.release();
  await desk.run(restore, backup);
  assert.notEqual(takeLock(join(desk.home, 'service.lock')), 'taken');
});

test('where the ledger is gone, nothing is said to be unreadable', async () => {
  const { ledger } = await openWithCharge();
  await ledger.close();
  await desk.run(backUp, folder);
  rmSync(file);
  writeFileSync(`${file}-wal`, 'left over');
  const text = await desk.run(restore, backup);
  assert.doesNotMatch(text, /cannot be read/);
  assert.match(text, /had no ledger left to compare/);
  writeFileSync(file, 'no ledger');
  assert.match(await desk.run(restore, backup), /cannot be read/);
});

test('a restored ledger is its owner’s alone, whatever the rights of the backup', async () => {
  const { ledger } = await openWithCharge();
  await ledger.close();
  await desk.run(backUp, folder);
  for (const mode of [0o644, 0o444, 0o666]) {
    chmodSync(backup, mode);
    await desk.run(restore, backup);
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
  }
});

test('what a restored backup has counts as backed up', async () => {
  const { ledger } = await openWithCharge();
  await ledger.close();
  desk.nowMs = startMs + 30 * dayMs;
  const warning = /No backup .* includes the charges/;
  const checked = async () => textOf(JSON.stringify(await ledgerFindings()));
  assert.match(await checked(), warning);
  await desk.run(backUp, folder);
  await desk.run(restore, backup);
  assert.doesNotMatch(await checked(), warning);
});

async function ledgerFindings(): Promise<unknown> {
  let printed = '';
  const out = (text: string) => {
    printed += text;
  };
  const env = { DOMESDAY_HOME: desk.home };
  const io = {
    env,
    out,
    err: () => undefined,
    isTerminal: false,
    asTyped: (text: string) => text,
    now: () => desk.nowMs,
  };
  await assert.rejects(check.run(['--json'], io), /problem/); // a home without a release
  return JSON.parse(printed).findings;
}

test('wrong usage says what is missing', async () => {
  for (const args of [[], ['a', 'b'], ['a', '--wrong']]) {
    await assert.rejects(desk.run(backUp, ...args), WrongUsage);
    await assert.rejects(desk.run(restore, ...args), WrongUsage);
  }
  await assert.rejects(desk.run(backUp, 'a', '--other-ledger'), WrongUsage);
  await assert.rejects(desk.run(ledger), WrongUsage);
  await assert.rejects(desk.run(ledger, 'trims'), WrongUsage);
  await assert.rejects(desk.run(backUp, folder), /There is no home folder/);
  assert.equal(existsSync(desk.home), false);
});
