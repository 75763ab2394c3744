// One thread of one service that lists requests, as the tests of that list use it.

import { tmpdir } from 'node:os';
import { readSettings } from '../../src/config.ts';
import { Log } from '../../src/http/observe/log.ts';
import type { LedgerNotice } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { RequestsFile } from '../../src/requests/file.ts';
import type { AnsweredRequest } from '../../src/requests/notes.ts';
import { RequestLog } from '../../src/requests/request-log.ts';
import type { Database, Sql } from '../../src/storage/sql.ts';
import { testPostgres } from '../postgres.ts';
import { noonMs, temporaryHome } from '../rig.ts';

/** What a service has open. */
export type Kept = {
  readonly database: Database;
  readonly store: Sql;
  readonly close: () => Promise<void>;
};

/** Where services keep them: each opening is that of another machine, or of the same after a restart. */
export type Shelf = {
  readonly open: () => Promise<Kept>;
  readonly remove: () => Promise<void>;
};

export async function fileShelf(): Promise<Shelf> {
  const { home, remove } = temporaryHome();
  return { open: () => openFiles(home), remove: async () => remove() };
}

export async function openFiles(home: string): Promise<Kept> {
  const { ledger, database } = await openLedger({ home });
  const store = new RequestsFile(home, () => undefined);
  return {
    database,
    store,
    close: async () => {
      store.close();
      await ledger.close();
    },
  };
}

export async function openDatabase(
  databaseUrl: string,
  tell: (notice: LedgerNotice) => void = () => undefined,
): Promise<Kept> {
  const { ledger, database } = await openLedger({ home: tmpdir(), databaseUrl, tell });
  return { database, store: database, close: () => ledger.close() };
}

export const clock = { nowMs: noonMs };

export class Writer {
  readonly requests: RequestLog;
  readonly logLines: string[] = [];
  readonly #metrics = new Metrics();

  constructor({ database, store }: Pick<Kept, 'database' | 'store'>) {
    const log = new Log(
      { ...readSettings({}, {}), log: 'debug' },
      (line) => this.logLines.push(line),
      () => clock.nowMs,
    );
    this.requests = new RequestLog({ database, store, log, metrics: this.#metrics, now: () => clock.nowMs });
  }

  get lost(): number {
    return this.#metrics.counter('domesday_request_lines_lost_total').value;
  }
}

export async function databaseShelf(): Promise<Shelf> {
  const server = await testPostgres();
  const database = await server.createDatabase();
  return {
    open: () => openDatabase(server.url(database)),
    remove: () => server.dropDatabase(database),
  };
}

let lastNumber = 0;

/** Of the key of the account, a millisecond after the one before. */
export function answered(accountId: string, more: Partial<AnsweredRequest> = {}): AnsweredRequest {
  lastNumber += 1;
  clock.nowMs += 1;
  return {
    requestId: `req-${lastNumber}`,
    atMs: clock.nowMs,
    seconds: 0.002,
    caller: { accountId, keyId: `key_of_${accountId}`, mode: 'live' },
    endpoint: '/bank-rates',
    status: 200,
    code: undefined,
    creditsCharged: 1,
    parameters: 'limit=1',
    calls: undefined,
    ...more,
  };
}
