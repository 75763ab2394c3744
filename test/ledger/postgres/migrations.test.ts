// How the tables in the database come to be and change: once, whole, and never under a program that they would break.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  LedgerMissing,
  type LedgerNotice,
  LedgerOutdated,
  LedgerUnavailable,
} from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { eventLoop } from '../../../src/ledger/pace.ts';
import { Database } from '../../../src/ledger/postgres/database.ts';
import { prepareSchema } from '../../../src/ledger/postgres/migrate.ts';
import type { Migration } from '../../../src/ledger/postgres/schema/migrations.ts';
import { migrations } from '../../../src/ledger/postgres/schema/migrations.ts';
import { type TestPostgres, testPostgres } from '../../postgres.ts';
import { runDomesday } from '../../rig.ts';
import { charging, customer } from '../bench.ts';

async function withDatabase(
  work: (server: TestPostgres, name: string, url: string) => Promise<void>,
): Promise<void> {
  const server = await testPostgres();
  const name = await server.createDatabase();
  await work(server, name, server.url(name));
  await server.dropDatabase(name);
}

const home = tmpdir();

/** What a program that knows these migrations does at its start. */
async function startWith(
  url: string,
  known: readonly Migration[],
  wish: { readonly ifOlder?: 'migrate' | 'refuse' } = {},
): Promise<readonly LedgerNotice[]> {
  const told: LedgerNotice[] = [];
  const tell = (notice: LedgerNotice) => told.push(notice);
  const database = new Database(url, eventLoop, tell);
  try {
    await prepareSchema(database, known, { ifMissing: 'make', ifOlder: 'migrate', ...wish, tell });
  } finally {
    await database.close();
  }
  return told;
}

const later = (breaks: boolean, sql: string): Migration => ({
  version: migrations.length + 1,
  name: 'later',
  breaks,
  since: '9.9.9',
  sql,
});

test('several that start at once on an empty database make one ledger', async () => {
  await withDatabase(async (server, name, databaseUrl) => {
    await assert.rejects(openLedger({ home, databaseUrl, ifMissing: 'refuse' }), LedgerMissing);
    const opened = await Promise.all([1, 2, 3, 4].map(() => openLedger({ home, databaseUrl })));
    const [first] = opened;
    assert.ok(first);
    const { caller } = await customer(first.accounts, 'basic');
    for (const { ledger } of opened) {
      assert.equal((await ledger.charge(charging(caller, 'the same'))).creditsRemaining, 4_999);
      await ledger.close();
    }
    const { rows } = await server.ask(name, 'SELECT version FROM domesday.schema_versions');
    assert.deepEqual(
      rows.map(({ version }) => version),
      migrations.map(({ version }) => version),
    );
  });
});

test('a migration that does not break the version before leaves its replicas serving, and they are told', async () => {
  await withDatabase(async (_server, _name, databaseUrl) => {
    const old = await openLedger({ home, databaseUrl });
    const { caller } = await customer(old.accounts, 'basic');
    const harmless = later(false, 'ALTER TABLE domesday.accounts ADD COLUMN colour text');
    await assert.rejects(
      startWith(databaseUrl, [...migrations, harmless], { ifOlder: 'refuse' }),
      LedgerOutdated,
    );
    const upgraded = await startWith(databaseUrl, [...migrations, harmless]);
    assert.match(
      upgraded.map(({ message }) => message).join(),
      new RegExp(`upgraded the ledger in the database to version ${harmless.version}`),
    );
    assert.equal((await old.ledger.charge(charging(caller, 'c1'))).kind, 'charged');
    await old.ledger.close();
    const [warning, ...others] = await startWith(databaseUrl, migrations);
    assert.deepEqual(others, []);
    assert.ok(warning?.level === 'warn');
    const versions = `version ${harmless.version}, and this program knows ${migrations.length}`;
    assert.match(warning.message, new RegExp(`${versions}; it goes on`));
  });
});

test('a migration that breaks the version before is refused by it, with what to use instead', async () => {
  await withDatabase(async (_server, _name, databaseUrl) => {
    await startWith(databaseUrl, [...migrations, later(true, 'SELECT 1')]);
    await assert.rejects(openLedger({ home, databaseUrl }), (error) => {
      assert.ok(error instanceof LedgerUnavailable);
      assert.match(
        error.message,
        new RegExp(
          `made by a newer Domesday \\(ledger version ${migrations.length + 1}, this one knows ${migrations.length}\\); use Domesday 9\\.9\\.9`,
        ),
      );
      return true;
    });
  });
});

test('a migration that fails leaves nothing behind', async () => {
  await withDatabase(async (server, name, databaseUrl) => {
    await startWith(databaseUrl, migrations);
    const half = later(true, 'CREATE TABLE domesday.half (number bigint); SELECT 1 / 0');
    await assert.rejects(startWith(databaseUrl, [...migrations, half]), /division by zero/);
    const { rows } = await server.ask(name, "SELECT to_regclass('domesday.half') AS half");
    assert.deepEqual(rows, [{ half: null }]);
    assert.deepEqual(await startWith(databaseUrl, migrations), []);
  });
});

test('a migration waits for a table that is in use, and is made when it is free', async () => {
  await withDatabase(async (server, name, databaseUrl) => {
    await startWith(databaseUrl, migrations);
    const user = new pg.Client(databaseUrl);
    await user.connect();
    await user.query('BEGIN; LOCK TABLE domesday.accounts IN ROW EXCLUSIVE MODE');
    const change = later(false, 'ALTER TABLE domesday.accounts ADD COLUMN colour text');
    const migrating = startWith(databaseUrl, [...migrations, change]);
    const waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'domesday.accounts'::regclass";
    while ((await server.ask(name, waiting)).rowCount === 0) await pause(10);
    await user.query('COMMIT');
    await user.end();
    assert.equal((await migrating).length, 1);
  });
});

test('a user without rights is told what the server said', async () => {
  await withDatabase(async (server, _name, url) => {
    await server.asAdmin('CREATE ROLE poor LOGIN');
    const databaseUrl = url.replace('domesday@', 'poor@');
    await assert.rejects(
      openLedger({ home, databaseUrl }),
      /permission denied for database .+ its user owns the database/,
    );
    await server.asAdmin('DROP ROLE poor');
  });
});

test('a database that cannot keep every text is refused', async () => {
  const server = await testPostgres();
  await server.asAdmin("CREATE DATABASE ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0");
  await assert.rejects(openLedger({ home, databaseUrl: server.url('ascii') }), /ENCODING 'UTF8'/);
});

test('a database that is not there, or nobody who answers, is told without the password', async () => {
  const server = await testPostgres();
  const urls = [
    server.url('nowhere').replace('domesday@', 'domesday:s3cret@'),
    'postgres://domesday:s3cret@127.0.0.1:1/domesday',
  ];
  for (const databaseUrl of urls) {
    await assert.rejects(openLedger({ home, databaseUrl }), (error) => {
      assert.ok(error instanceof LedgerUnavailable);
      assert.match(error.message, /^The database of DATABASE_URL cannot be used \(.+\); check that it runs/);
      assert.doesNotMatch(JSON.stringify([error.message, error.stack, error.cause]), /s3cret/);
      return true;
    });
  }
});

test('a command that finds no database says so in one line, and nothing that a service would say', async () => {
  const server = await testPostgres();
  for (const args of [['accounts', 'list'], ['backup', path.join(home, 'backup')], ['check']]) {
    const env = { DOMESDAY_HOME: home, DATABASE_URL: server.url('nowhere') };
    const { code, out, err } = await runDomesday(args, env);
    assert.equal(code, 1);
    assert.match(
      `${out}${err}`,
      /The database of DATABASE_URL cannot be used \(.*"nowhere" does not exist\)/,
    );
    assert.equal(err.trimEnd().split('\n').length, 1, err);
  }
});

test('a home that has a ledger in a file makes no empty one in a database', async () => {
  await withDatabase(async (server, name, databaseUrl) => {
    const own = mkdtempSync(path.join(tmpdir(), 'domesday-ledger-'));
    const inFile = await openLedger({ home: own });
    await inFile.ledger.close();
    await assert.rejects(openLedger({ home: own, databaseUrl }), (error: unknown) => {
      assert.ok(error instanceof LedgerMissing);
      assert.match(error.message, /`domesday move \S+ DATABASE_URL`/);
      return true;
    });
    const { rows } = await server.ask(name, "SELECT 1 FROM pg_namespace WHERE nspname = 'domesday'", []);
    assert.deepEqual(rows, []);
    rmSync(own, { recursive: true });
  });
});
