// The SQLite engine: the contract every engine keeps, and what is its own: the file.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { LedgerMissing, LedgerUnavailable, type OpenLedger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { repeatable } from '../../src/ledger/repeats.ts';
import { charging, customer, type Engine, startMs, withStorage, writeCounts } from './bench.ts';
import { ledgerContract } from './contract.ts';
import { retentionContract } from './contract-retention.ts';
import { leapingGuarantees } from './contract-together.ts';
import { modelContract } from './model.ts';

const engine: Engine = {
  name: 'SQLite',
  fresh: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'domesday-ledger-'));
    let only: OpenLedger | undefined;
    // A file has one owner: whoever opens it beside them asks them.
    const isOpen = async (): Promise<boolean> => {
      try {
        await only?.ledger.ready();
        return only !== undefined;
      } catch {
        return false;
      }
    };
    return {
      open: async () => {
        if (only === undefined || !(await isOpen())) only = await openLedger({ home: folder });
        return only;
      },
      nextRequest: () => nextTurn(),
      settle: writeCounts,
      remove: async () => rmSync(folder, { recursive: true }),
    };
  },
};

ledgerContract(engine);
describe('SQLite: charges while the clock leaps', () =>
  leapingGuarantees((name, work) => it(name, () => withStorage(engine, work)), engine));
modelContract(engine);
retentionContract(engine);

describe('the ledger file', () => {
  let folder = '';
  let home = '';
  let path = '';
  const opened: OpenLedger[] = [];
  const open = async (): Promise<OpenLedger> => {
    const ledger = await openLedger({ home });
    opened.push(ledger);
    return ledger;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'domesday-ledger-'));
    home = join(folder, 'home');
    path = join(home, 'domesday.sqlite');
  });

  afterEach(async () => {
    for (const { ledger } of opened.splice(0)) await ledger.close();
    rmSync(folder, { recursive: true });
  });

  const makeSound = async (): Promise<void> => {
    const { ledger, accounts } = await openLedger({ home });
    for (let i = 0; i < 50; i++) await customer(accounts);
    await ledger.close();
  };

  const assertRefused = async (message: RegExp): Promise<void> => {
    const before = existsSync(path) ? readFileSync(path) : undefined;
    await assert.rejects(openLedger({ home }), (error) => {
      assert.ok(error instanceof LedgerUnavailable);
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
    if (before !== undefined) assert.ok(readFileSync(path).equals(before), 'nothing is overwritten');
  };

  it('is made with its folder, leaving no draft, and only where that is wished', async () => {
    await assert.rejects(openLedger({ home, ifMissing: 'refuse' }), LedgerMissing);
    assert.equal(existsSync(home), false);
    await open();
    const names = readdirSync(home).filter((name) => name.includes('.new-'));
    assert.deepEqual(names, [], 'no drafts are left');
  });

  it('that is no database is refused and left alone', async () => {
    mkdirSync(home);
    writeFileSync(path, 'These are the accounts of the manor.\n'.repeat(100));
    await assertRefused(/is not a Domesday ledger or is damaged; move it aside, or restore a backup/);
  });

  it('that is empty, truncated or scribbled on is refused and left alone', async () => {
    await makeSound();
    const sound = readFileSync(path);
    for (const size of [0, 100, 4096, sound.length - 4096]) {
      truncateSync(path, size);
      await assertRefused(/is damaged/);
      writeFileSync(path, sound);
    }
    for (let page = 0; page < sound.length / 4096; page++) {
      const scribbled = Buffer.from(sound);
      scribbled.fill(0x5a, page * 4096, page * 4096 + 64);
      writeFileSync(path, scribbled);
      const opened = await openLedger({ home }).catch((error: Error) => error);
      if (opened instanceof Error) {
        assert.match(opened.message, /is damaged/);
      } else {
        // Pages of people alone, without whom calls with keys go on.
        await assert.rejects(opened.database.all('SELECT 1 AS one'), /tables of people are damaged/);
        await opened.ledger.close();
      }
      for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    }
    writeFileSync(path, sound);
    await open();
  });

  it('of another program, or of a newer Domesday, is refused', async () => {
    await makeSound();
    const db = new DatabaseSync(path);
    db.exec('PRAGMA user_version = 99');
    await assertRefused(/made by a newer Domesday/);
    db.exec('PRAGMA user_version = 1; PRAGMA application_id = 7');
    await assertRefused(/is not a Domesday ledger/);
    db.exec(`PRAGMA user_version = 0; PRAGMA application_id = ${0x44_44_44_42}`);
    await assertRefused(/is damaged/);
    db.close();
  });

  it('that another process keeps locked is told as that', async () => {
    await makeSound();
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    await assertRefused(/is locked by another process; try again when that has finished/);
    other.close();
  });

  it('that is a link to nowhere is not made over it', async () => {
    mkdirSync(home);
    symlinkSync(join(folder, 'nowhere'), path);
    await assertRefused(/cannot be read or written; check/);
    assert.equal(lstatSync(path).isSymbolicLink(), true);
    assert.equal(existsSync(join(folder, 'nowhere')), false);
  });

  it('with words that this program does not know is an outage, and no key of unknown kind is admitted', async () => {
    const { ledger, accounts } = await open();
    const { accountId, caller, hash } = await customer(accounts);
    await ledger.charge(charging(caller, 'c1'));
    const db = new DatabaseSync(path);
    db.exec(`PRAGMA ignore_check_constraints = ON; UPDATE keys SET kind = 'admin'`);
    await nextTurn();
    assert.equal((await ledger.admit(hash, startMs)).kind, 'unknown');
    db.exec(`UPDATE keys SET kind = 'publishable'`);
    await nextTurn();
    assert.equal((await ledger.admit(hash, startMs)).kind, 'unknown', 'nothing says what it is bound to');
    const rotated = accounts.rotateKey(caller.keyId, { overlapMs: 0, atMs: startMs });
    await assert.rejects(rotated, /The ledger does not say what key_\w+ is bound to/);
    db.exec(
      'DROP TRIGGER journal_is_never_changed; UPDATE journal SET kind = 99 WHERE charge_id IS NOT NULL',
    );
    await assert.rejects(accounts.journalOf(accountId), LedgerUnavailable);
    db.exec(`UPDATE accounts SET plan = 'gold'`);
    await assert.rejects(accounts.listAccounts(startMs), LedgerUnavailable);
    db.close();
  });

  it('once closed takes neither charges nor counts, and remembers nothing for anybody', async () => {
    const { ledger, accounts } = await open();
    const { accountId, caller } = await customer(accounts);
    const asked = repeatable('k1', 'a call');
    assert.equal(ledger.recall({ ...caller, accountId: 'acc_nobody' }, asked, startMs), 'new');
    await ledger.close();
    ledger.record({ caller, endpoint: '/x', atMs: startMs, status: 404 });
    await assert.rejects(ledger.charge(charging(caller, 'c1')), LedgerUnavailable);
    await assert.rejects(ledger.ready(), LedgerUnavailable);
    assert.throws(() => ledger.recall(caller, asked, startMs), LedgerUnavailable);
    const again = await open();
    assert.deepEqual(await again.accounts.usageOf(accountId), []);
  });

  it('gets one account for the public sandbox, whoever asks at once', async () => {
    const { accounts } = await open();
    await Promise.all([1, 2, 3].map(() => accounts.openPublicSandbox(startMs)));
    assert.equal((await accounts.listAccounts(startMs)).length, 1);
  });

  it('that cannot be opened says what to look at', async () => {
    mkdirSync(path, { recursive: true });
    await assert.rejects(openLedger({ home }), /cannot be read or written; check/);
  });

  it('is not made over the log of one whose main file is gone', async () => {
    const { accounts } = await open();
    await customer(accounts);
    const wal = readFileSync(`${path}-wal`);
    for (const { ledger } of opened.splice(0)) await ledger.close();
    rmSync(path);
    rmSync(join(home, 'domesday.seal'));
    writeFileSync(`${path}-wal`, wal);
    await assertRefused(/is left over from a ledger whose main file is gone/);
    assert.equal(existsSync(path), false);
  });

  it('keeps a journal that nobody can rewrite', async () => {
    const { ledger, accounts } = await open();
    const { caller } = await customer(accounts);
    await ledger.charge(charging(caller, 'c1'));
    const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    for (const table of ['accounts', 'keys', 'endpoints']) {
      assert.throws(() => db.exec(`DELETE FROM ${table}`), /never deleted/);
      assert.throws(() => db.exec(`UPDATE ${table} SET number = number + 7`), /keep their numbers/);
    }
    assert.throws(() => db.exec(`UPDATE accounts SET id = 'acc_other'`), /keep their numbers/);
    assert.throws(() => db.exec(`UPDATE keys SET id = 'key_other'`), /keep their numbers/);
    assert.throws(() => db.exec(`UPDATE endpoints SET path = '/other'`), /keep their numbers/);
    assert.throws(() => db.exec('UPDATE journal SET credits = 1'), /append-only/);
    assert.throws(() => db.exec('DELETE FROM journal'), /append-only/);
    assert.throws(() => db.exec('UPDATE accounts SET balance = -1'), /CHECK/);
    db.exec('UPDATE accounts SET balance = 7');
    db.close();
    const [check] = await accounts.recomputeBalances();
    assert.deepEqual([check?.kind, check?.balance, check?.journalSum], ['different', 7, 99_999]);
  });

  it('that cannot be written fails every charge of the batch, takes nothing, loses no count', async () => {
    const { ledger, accounts } = await open();
    const { accountId, caller, hash } = await customer(accounts, 'basic');
    const bystander = await customer(accounts, 'basic');
    await ledger.ready();
    const db = new DatabaseSync(path);
    db.exec(`CREATE TRIGGER refuse BEFORE INSERT ON journal WHEN NEW.charge_id = 'bad'
             BEGIN SELECT RAISE(ABORT, 'no'); END`);
    ledger.admit(hash, startMs);
    ledger.record({ caller, endpoint: '/x', atMs: startMs, status: 404 });
    const charges = ['good', 'bad', 'good too'].map((id) => ledger.charge(charging(caller, id)));
    for (const charge of await Promise.allSettled(charges)) {
      assert.equal(charge.status, 'rejected');
      assert.ok(charge.reason instanceof LedgerUnavailable);
      assert.doesNotMatch(charge.reason.message, /journal|INSERT|ABORT|domesday\.sqlite/);
    }
    const uses = await accounts.windowsOf(accountId, 'live', startMs);
    assert.deepEqual(
      uses.map(({ used }) => used),
      [1, 1, 1],
    );
    db.exec('DROP TRIGGER refuse');
    db.close();
    assert.equal((await ledger.charge(charging(bystander.caller, 'theirs'))).kind, 'charged');
    for (const { kind } of await accounts.recomputeBalances()) assert.equal(kind, 'equal');
    assert.equal((await ledger.charge(charging(caller, 'good'))).kind, 'charged');
    const account = await accounts.findAccount(accountId, startMs);
    assert.equal(account?.balance, 4_999);
    const usage = (await accounts.usageOf(accountId)).map(({ status, calls }) => [status, calls]);
    assert.deepEqual(usage, [
      [200, 1],
      [404, 1],
    ]);
  });

  it('that cannot be written is not ready, and the process lives on', async () => {
    const { ledger, accounts } = await open();
    const { caller } = await customer(accounts, 'basic');
    const db = new DatabaseSync(path);
    db.exec(`CREATE TRIGGER refuse BEFORE INSERT ON usage BEGIN SELECT RAISE(ABORT, 'no'); END`);
    ledger.record({ caller, endpoint: '/x', atMs: startMs, status: 404 });
    await assert.rejects(ledger.ready(), LedgerUnavailable);
    db.exec('DROP TRIGGER refuse');
    db.close();
    const deadlineMs = Date.now() + 20_000;
    for (;;) {
      const isReady = await ledger.ready().then(
        () => true,
        () => false,
      );
      if (isReady) break;
      assert.ok(Date.now() < deadlineMs, 'it is ready again once it can be written');
      await wait(50);
    }
    assert.equal((await accounts.usageOf(caller.accountId)).length, 1);
  });

  it('is written at most once a second for all who ask whether it is ready', async () => {
    const { ledger } = await open();
    const watcher = new DatabaseSync(path);
    const pulse = watcher.prepare('SELECT pulse FROM identity');
    const before = Number(pulse.get()?.pulse);
    const begunMs = performance.now();
    for (let i = 0; i < 200; i += 1) await Promise.all([ledger.ready(), ledger.ready()]);
    const seconds = (performance.now() - begunMs) / 1_000;
    const written = Number(pulse.get()?.pulse) - before;
    assert.ok(written >= 1 && written <= 1 + seconds, `${written} writes in ${seconds} s`);
    watcher.close();
  });

  it('is committed at once for a charge that is alone, and once for charges that keep coming', async () => {
    const { ledger, accounts } = await open();
    const { caller } = await customer(accounts, 'enterprise', { allowance: 1_000 });
    const watcher = new DatabaseSync(path);
    const version = watcher.prepare('PRAGMA data_version');
    const seen = () => Number(version.get()?.data_version);
    const alone = seen();
    const first = ledger.charge(charging(caller, 'alone'));
    await nextTurn();
    assert.equal(seen(), alone + 1);
    await Promise.all([
      first,
      ledger.charge(charging(caller, 'one')),
      ledger.charge(charging(caller, 'other')),
    ]);
    const start = seen();
    assert.equal(start, alone + 2);
    const charges: Promise<unknown>[] = [];
    for (let i = 0; i < 10; i++) {
      charges.push(ledger.charge(charging(caller, `stream ${i}`)));
      await nextTurn();
      assert.equal(seen(), start, `no commit while charges come (${i})`);
    }
    await Promise.all(charges);
    assert.equal(seen(), start + 1);

    const endless: Promise<unknown>[] = [];
    while (seen() === start + 1 && endless.length < 1_000) {
      endless.push(ledger.charge(charging(caller, `endless ${endless.length}`)));
      await nextTurn();
    }
    assert.ok(endless.length < 100, 'but a stream that never ends is not waited for');
    await Promise.all(endless);
    watcher.close();
  });

  it('has every charge that was answered, even after a kill', async () => {
    const { accounts } = await open();
    const { accountId, caller } = await customer(accounts, 'enterprise', { allowance: 1_000_000 });
    const script = `
      import { openLedger } from ${JSON.stringify(import.meta.resolve('../../src/ledger/open.ts'))};
      const { ledger } = await openLedger({ home: ${JSON.stringify(home)} });
      const caller = ${JSON.stringify(caller)};
      for (let i = 0; ; i++) {
        const chargeId = 'c' + i;
        await ledger.charge({ caller, endpoint: '/x', atMs: ${startMs}, chargeId, requestId: 'r', credits: 1 });
        process.stdout.write(chargeId + '\\n');
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
    const answered: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      answered.push(line);
      if (answered.length === 100) child.kill('SIGKILL');
    }
    const journal = await accounts.journalOf(accountId);
    const kept = new Set(journal.map(({ chargeId }) => chargeId));
    assert.ok(answered.length >= 100);
    for (const chargeId of answered) assert.ok(kept.has(chargeId), chargeId);
    const [check] = await accounts.recomputeBalances();
    assert.equal(check?.kind, 'equal');
  });
});
