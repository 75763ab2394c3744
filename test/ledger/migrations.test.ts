// Ledgers of other versions: an older one is brought up to date whole or not at all, a newer one is used if nothing in
// it breaks this program. The migration between them is made up.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { BrokenReferences, fitnessOf, migrate } from '../../src/ledger/sqlite/migrate.ts';
import { type Migration, migrations } from '../../src/ledger/sqlite/schema/migrations.ts';
import { makeNextVersion, type NextVersion } from '../next-version.ts';
import { runDomesdayProcess } from '../rig.ts';
import { assertBooksAgree, charging, customer, startMs } from './bench.ts';

const change = 'ALTER TABLE accounts ADD COLUMN colour TEXT';
const later = (breaks: boolean, since: string): Migration => ({
  version: migrations.length + 1,
  name: 'later',
  breaks,
  since,
  up: (db) => db.exec(change),
});

describe('a ledger of an older version', () => {
  let next: NextVersion;
  let folder = '';
  let path = '';
  let accountId = '';
  before(() => {
    next = makeNextVersion('sqlite', change);
  });
  after(() => next.remove());
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'domesday-migrations-'));
    path = join(folder, 'domesday.sqlite');
    const { ledger, accounts } = await openLedger({ home: folder });
    const made = await customer(accounts, 'basic');
    accountId = made.accountId;
    await ledger.charge(charging(made.caller, 'c1', 10));
    await ledger.close();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** As the program after the migration opens it. */
  const openNext: typeof openLedger = async (wish) => {
    const module: { readonly openLedger: typeof openLedger } = await import(
      pathToFileURL(next.file('src/ledger/open.ts')).href
    );
    return module.openLedger(wish);
  };
  const run = (...args: readonly string[]) =>
    runDomesdayProcess([...args, '--home', folder], {}, next.program);

  it('keeps what it has and goes on; its operator is told before, with its entries, and after', async () => {
    const told: string[] = [];
    const { ledger, accounts, journals } = await openNext({
      home: folder,
      tell: ({ message }) => told.push(message),
    });
    assert.equal((await accounts.grantCredits(accountId, { credits: 5, atMs: startMs })).balance, 4_995);
    await assertBooksAgree(accounts);
    const { breaks, contradictions, different } = await journals.verify(startMs);
    assert.deepEqual([breaks, contradictions, different], [[], [], []]);
    await ledger.close();
    assert.equal(told.length, 2, told.join('\n'));
    assert.match(told[0] ?? '', /^upgrading the ledger from version 1 to 2: 2 entries/);
    assert.match(told[1] ?? '', /^upgraded the ledger from version 1 to 2 in \d+\.\d s$/);
    assert.equal(versionOf(path), 2);
  });

  it('is migrated once by several processes that open it at once', async () => {
    const script = `
      import { openLedger } from ${JSON.stringify(pathToFileURL(next.file('src/ledger/open.ts')).href)};
      const { ledger, accounts } = await openLedger({ home: ${JSON.stringify(folder)} });
      await accounts.grantCredits('${accountId}', { credits: 1, atMs: ${startMs} });
      await ledger.close();`;
    const codes = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
        const [code] = await once(child, 'exit');
        return Number(code);
      }),
    );
    assert.deepEqual(codes, [0, 0, 0, 0]);
    const { ledger, accounts } = await openLedger({ home: folder });
    assert.equal((await accounts.findAccount(accountId, startMs))?.balance, 4_994);
    await assertBooksAgree(accounts);
    await ledger.close();
  });

  it('is as before when its migration is killed half way, and then migrated by the next opening', async () => {
    const before = contentOf(path);
    const script = `
      import { DatabaseSync } from 'node:sqlite';
      import { migrate } from ${JSON.stringify(import.meta.resolve('../../src/ledger/sqlite/migrate.ts'))};
      import { migrations } from ${JSON.stringify(import.meta.resolve('../../src/ledger/sqlite/schema/migrations.ts'))};
      const up = (db) => { db.exec('${change}'); process.kill(process.pid, 'SIGKILL'); };
      const last = { version: 2, name: 'later', breaks: false, since: '9.9.9', up };
      migrate(new DatabaseSync(${JSON.stringify(path)}), [...migrations, last]);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
    const [, signal] = await once(child, 'exit');
    assert.equal(signal, 'SIGKILL');
    assert.deepEqual(contentOf(path), before);
    const { ledger, accounts } = await openNext({ home: folder });
    assert.equal((await accounts.findAccount(accountId, startMs))?.balance, 4_990);
    await ledger.close();
    assert.equal(versionOf(path), 2);
  });

  it('is as before when its migration fails, or leaves rows that refer to nothing', () => {
    const before = contentOf(path);
    const db = new DatabaseSync(path);
    const failing = (sql: string, after: () => void = () => undefined): Migration => ({
      ...later(false, '9.9.9'),
      up: (inside) => {
        inside.exec(`${change}; ${sql}`);
        after();
      },
    });
    const halfWay = failing('SELECT 1', () => {
      throw new Error('half way');
    });
    assert.throws(() => migrate(db, [...migrations, halfWay]), /half way/);
    assert.deepEqual(contentOf(path), before);
    const breaking = failing('UPDATE usage SET endpoint = endpoint + 99');
    assert.throws(
      () => migrate(db, [...migrations, breaking]),
      (error) =>
        error instanceof BrokenReferences &&
        error.what === 'a row of usage refers to a missing row of endpoints',
    );
    db.close();
    assert.deepEqual(contentOf(path), before);
  });

  it('is left alone by who must not change it, and `check` says what brings it up to date', async () => {
    const before = readFileSync(path);
    await assert.rejects(openNext({ home: folder, ifOlder: 'refuse' }), { name: 'LedgerOutdated' });
    const ledgerFinding = async () => {
      const { out } = await run('check', '--json');
      return JSON.parse(out).findings.find(({ subject }: { subject: string }) => subject === 'ledger');
    };
    const outdated = await ledgerFinding();
    assert.equal(outdated.level, 'warning');
    assert.match(outdated.finding, /made by an older Domesday/);
    assert.match(outdated.advice, /accounts list/);
    assert.ok(readFileSync(path).equals(before));
    assert.equal((await run('accounts', 'list')).code, 0);
    assert.match((await ledgerFinding()).finding, /^1 account;/);
  });

  it('is backed up as it is, and restored as one of today', async () => {
    const backup = join(folder, 'backup.sqlite');
    const made = await run('backup', backup);
    assert.match(made.out, /1 account, 2 entries.*\nIts journals were not checked/s, made.err);
    const copy = join(backup, 'domesday.sqlite');
    assert.equal(versionOf(copy), 1);
    assert.equal((await run('restore', backup)).code, 0);
    assert.equal(versionOf(path), 2);
    const db = new DatabaseSync(copy);
    db.exec('PRAGMA foreign_keys = OFF; UPDATE usage SET endpoint = endpoint + 99');
    db.close();
    assert.match(
      (await run('restore', copy)).err,
      /not a sound backup .*: a row of usage refers to a missing row of endpoints; restore another\. Nothing was changed\.$/m,
    );
    assert.ok(existsSync(path));
  });
});

describe('a ledger of a newer version', () => {
  let folder = '';
  let path = '';
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'domesday-migrations-'));
    path = join(folder, 'domesday.sqlite');
    const { ledger } = await openLedger({ home: folder });
    await ledger.close();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const bringTo = (...added: readonly Migration[]): void => {
    const db = new DatabaseSync(path);
    migrate(
      db,
      [...migrations, ...added].map((migration, i) => ({ ...migration, version: i + 1 })),
    );
    db.close();
  };

  it('is used where nothing in it breaks this program, and stays of that version', async () => {
    bringTo(later(false, '7.8.0'));
    const { ledger, accounts } = await openLedger({ home: folder });
    assert.equal(
      (await accounts.createAccount({ name: 'Ada', plan: 'basic', atMs: startMs })).balance,
      5_000,
    );
    await ledger.close();
    assert.equal(versionOf(path), migrations.length + 1);
  });

  it('is refused in one line that names the program to use, if one migration of it breaks this one', async () => {
    const harmless = { ...later(false, '8.0.0'), up: () => undefined };
    bringTo(later(true, '7.8.0'), harmless);
    await assert.rejects(openLedger({ home: folder }), (error) => {
      assert.ok(error instanceof LedgerUnavailable);
      assert.match(error.message, /made by a newer Domesday .*use Domesday 7\.8\.0 or later/);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  });

  it('is refused if it does not tell what it changed', () => {
    const db = new DatabaseSync(path);
    db.exec(`PRAGMA user_version = ${migrations.length + 1}`);
    assert.equal(fitnessOf(db, migrations).kind, 'too new');
    db.exec('DROP TABLE versions');
    assert.equal(fitnessOf(db, migrations).kind, 'too new');
    db.close();
  });
});

it('migrations are numbered from 1 without a gap', () => {
  assert.deepEqual(
    migrations.map(({ version }) => version),
    migrations.map((_, i) => i + 1),
  );
});

/** Everything a ledger says: its version, its tables and every row. */
function contentOf(file: string): unknown {
  const db = new DatabaseSync(file);
  const tables = db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY type, name').all();
  const rows = ['accounts', 'keys', 'endpoints', 'windows', 'journal', 'usage'].map((table) =>
    db.prepare(`SELECT * FROM ${table}`).all(),
  );
  db.close();
  return { version: versionOf(file), tables, rows };
}

function versionOf(file: string): unknown {
  const db = new DatabaseSync(file, { readOnly: true });
  const version = db.prepare('PRAGMA user_version').get()?.user_version;
  db.close();
  return version;
}
