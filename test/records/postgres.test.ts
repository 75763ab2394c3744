// Records in PostgreSQL: the contract of every engine, outages, and a pooler in between.

import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import type { LedgerNotice } from '../../src/ledger/ledger.ts';
import { openRecords } from '../../src/records/open.ts';
import { RecordsUnavailable } from '../../src/records/records.ts';
import { OwnPostgres, testPostgres } from '../postgres.ts';
import { startPooler } from '../replicas/pooler.ts';
import { pgbouncer, testWith } from '../requirements.ts';
import { recordsContract } from './contract.ts';

const home = tmpdir();

recordsContract({
  name: 'PostgreSQL',
  fresh: async () => {
    const server = await testPostgres();
    const database = await server.createDatabase();
    return {
      open: () => openRecords({ home, databaseUrl: server.url(database) }),
      remove: () => server.dropDatabase(database),
    };
  },
});

test('a database that is away is an outage that is told once, and over when it is back', async () => {
  const server = await OwnPostgres.make();
  try {
    const database = await server.createDatabase();
    const notices: LedgerNotice[] = [];
    const records = await openRecords({
      home,
      databaseUrl: server.url(database),
      tell: (notice) => notices.push(notice),
    });
    await records.all('INSERT INTO request_parameters_kept VALUES (?, ?)', ['a', 1]);
    await server.stop('immediate');
    for (let tries = 0; tries < 3; tries += 1) {
      await assert.rejects(records.all('SELECT 1 AS one'), RecordsUnavailable);
      await assert.rejects(
        records.transaction((sql) => sql.all('SELECT 1 AS one')),
        RecordsUnavailable,
      );
    }
    await server.start();
    const rows = await untilUsed(() => records.all('SELECT account_id FROM request_parameters_kept'));
    assert.deepEqual(rows, [{ account_id: 'a' }]);
    assert.deepEqual(
      notices.map(({ level }) => level),
      ['error', 'info'],
    );
    await records.close();
  } finally {
    await server.remove();
  }
});

testWith(
  pgbouncer,
  'a pooler that gives each transaction another connection changes nothing',
  async (program, context) => {
    const server = await testPostgres();
    const database = await server.createDatabase();
    const port = await startPooler(context, program, server);
    const records = await openRecords({ home, databaseUrl: server.url(database, port) });
    await records.all('INSERT INTO request_parameters_kept VALUES (?, ?)', ['count', 0]);
    const raise = () =>
      records.transaction(async (sql) => {
        const [row] = await sql.all('SELECT since_ms FROM request_parameters_kept');
        await sql.all('UPDATE request_parameters_kept SET since_ms = ?', [Number(row?.since_ms) + 1]);
      });
    await Promise.all(Array.from({ length: 6 }, raise));
    assert.deepEqual(await records.all('SELECT since_ms FROM request_parameters_kept'), [{ since_ms: 6 }]);
    await records.close();
  },
);

async function untilUsed<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof RecordsUnavailable)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
