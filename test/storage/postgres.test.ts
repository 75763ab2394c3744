// The portable SQL in PostgreSQL: the contract of every engine, outages, and a pooler in between.

import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import type { LedgerNotice } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { DatabaseUnavailable } from '../../src/storage/sql.ts';
import { OwnPostgres, testPostgres } from '../postgres.ts';
import { startPooler } from '../replicas/pooler.ts';
import { pgbouncer, testWith } from '../requirements.ts';
import { storageContract } from './contract.ts';

const home = tmpdir();

storageContract({
  name: 'PostgreSQL',
  fresh: async () => {
    const server = await testPostgres();
    const database = await server.createDatabase();
    return {
      open: () => openLedger({ home, databaseUrl: server.url(database) }),
      remove: () => server.dropDatabase(database),
    };
  },
});

test('a database that is away is an outage that is told once, and over when it is back', async () => {
  const server = await OwnPostgres.make();
  try {
    const database = await server.createDatabase();
    const notices: LedgerNotice[] = [];
    const { ledger, database: opened } = await openLedger({
      home,
      databaseUrl: server.url(database),
      tell: (notice) => notices.push(notice),
    });
    await opened.all('INSERT INTO request_parameters_kept VALUES (?, ?)', ['a', 1]);
    await server.stop('immediate');
    for (let tries = 0; tries < 3; tries += 1) {
      await assert.rejects(opened.all('SELECT 1 AS one'), DatabaseUnavailable);
      await assert.rejects(
        opened.transaction((sql) => sql.all('SELECT 1 AS one')),
        DatabaseUnavailable,
      );
    }
    await server.start();
    const rows = await untilUsed(() => opened.all('SELECT account_id FROM request_parameters_kept'));
    assert.deepEqual(rows, [{ account_id: 'a' }]);
    assert.deepEqual(
      notices.map(({ level }) => level),
      ['error', 'info'],
    );
    await ledger.close();
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
    const { ledger, database: opened } = await openLedger({ home, databaseUrl: server.url(database, port) });
    await opened.all('INSERT INTO request_parameters_kept VALUES (?, ?)', ['count', 0]);
    const raise = () =>
      opened.transaction(async (sql) => {
        const [row] = await sql.all('SELECT since_ms FROM request_parameters_kept');
        await sql.all('UPDATE request_parameters_kept SET since_ms = ?', [Number(row?.since_ms) + 1]);
      });
    await Promise.all(Array.from({ length: 6 }, raise));
    assert.deepEqual(await opened.all('SELECT since_ms FROM request_parameters_kept'), [{ since_ms: 6 }]);
    await ledger.close();
  },
);

async function untilUsed<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
