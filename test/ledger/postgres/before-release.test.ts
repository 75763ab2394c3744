// A database that was filled before version 1.0 (its tables as commit 8f36b4e made them; test/fixtures/before-1.0) is refused in one
// sentence that says what to do, and left as it is.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { makeLedger, type Pair, withPair } from '../moving/bench.ts';

const made = path.join(import.meta.dirname, '../../fixtures/before-1.0');
const tables = readFileSync(path.join(made, 'database.sql'), 'utf8');
const whatToDo =
  'in the database was made before Domesday 1.0; start with an empty database and an empty home, and domesday update brings the data.';

async function tablesOf({ server, database }: Pair): Promise<readonly unknown[]> {
  const { rows } = await server.ask(
    database,
    `SELECT table_schema, table_name, column_name FROM information_schema.columns
      WHERE table_schema LIKE 'domesday%' ORDER BY 1, 2, 3`,
  );
  return rows;
}

test('a ledger in a database of before 1.0 is neither opened, backed up, moved nor replaced', async () => {
  await withPair(async (pair) => {
    await makeLedger(pair);
    const backup = path.join(pair.folder, 'backup.sqlite');
    await pair.run('file', 'backup', backup);
    await pair.server.ask(pair.database, tables);
    const before = await tablesOf(pair);
    const isRefusal = ({ message }: Error) => message === `The schema domesday ${whatToDo}`;
    await assert.rejects(
      pair.openDatabase(),
      (error: Error) => error instanceof LedgerUnavailable && isRefusal(error),
    );
    await assert.rejects(pair.run('database', 'backup', path.join(pair.folder, 'other.sqlite')), isRefusal);
    await assert.rejects(pair.run('database', 'restore', backup), isRefusal);
    await assert.rejects(pair.run('database', 'move', '--undo', 'DATABASE_URL'), isRefusal);
    await assert.rejects(pair.moveIn(), isRefusal);
    await assert.rejects(pair.moveOut(), isRefusal);
    assert.deepEqual(await tablesOf(pair), before);
  });
});

test('a database of which ledger and records had schemas of their own is refused in the same sentence', async () => {
  await withPair(async (pair) => {
    await pair.server.ask(
      pair.database,
      'CREATE SCHEMA domesday; CREATE TABLE domesday.versions (version integer)',
    );
    await assert.rejects(
      openLedger({ home: pair.home, databaseUrl: pair.url }),
      ({ message }: Error) => message === `The schema domesday ${whatToDo}`,
    );
  });
});
