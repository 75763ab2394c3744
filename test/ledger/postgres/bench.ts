// What the tests of the PostgreSQL engine share: a database for each test, and homes for what is kept beside it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { OpenLedger } from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { type TestPostgres, testPostgres } from '../../postgres.ts';
import { assertBooksAgree, type Engine, type Storage, startMs, writeCounts } from '../bench.ts';

export type PostgresStorage = Storage & {
  readonly server: TestPostgres;
  readonly database: string;
  readonly home: string;
};

let template: Promise<string> | undefined;

/** With a ledger that is empty: making one takes as long as several tests. */
async function emptyLedger(server: TestPostgres): Promise<string> {
  const name = await server.createDatabase();
  const { ledger } = await openLedger({ home: tmpdir(), databaseUrl: server.url(name) });
  await ledger.close();
  return name;
}

export async function freshStorage(): Promise<PostgresStorage> {
  const server = await testPostgres();
  template ??= emptyLedger(server);
  const database = await server.createDatabase(await template);
  const home = mkdtempSync(path.join(tmpdir(), 'domesday-ledger-'));
  return {
    server,
    database,
    home,
    open: () => openLedger({ home, databaseUrl: server.url(database) }),
    nextRequest: async () => undefined,
    settle: (open: OpenLedger) => writeCounts(open),
    remove: async () => {
      rmSync(home, { recursive: true });
      await server.dropDatabase(database);
    },
  };
}

/** Every step is a way to another process and back. */
export const engine: Engine = {
  name: 'PostgreSQL',
  fresh: freshStorage,
  runs: (usual) => Math.ceil(usual / 5),
};

/** Books and journals hold. */
export async function assertSound({ accounts, journals }: OpenLedger): Promise<void> {
  await assertBooksAgree(accounts);
  const { breaks, contradictions, different } = await journals.verify(startMs);
  assert.deepEqual([breaks, contradictions, different], [[], [], []]);
}

/** So many in the database wait for a lock. */
export async function untilBlocked({ server, database }: PostgresStorage, waiting = 1): Promise<void> {
  const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '${database}'`;
  while (((await server.ask(database, waits)).rowCount ?? 0) < waiting) await pause(10);
}

/** Once nobody is connected any more: a connection tells of its deadlocks at its end at the latest. */
export async function deadlocksIn({ server, database }: PostgresStorage): Promise<number> {
  const connected = `SELECT FROM pg_stat_activity WHERE datname = '${database}'`;
  while ((await server.asAdmin(connected)).rowCount !== 0) await pause(10);
  const told = `SELECT deadlocks::integer FROM pg_stat_database WHERE datname = '${database}'`;
  const [row] = (await server.asAdmin(told)).rows;
  return Number(row?.deadlocks);
}
