// What the operator's half of the ledger asks of an engine, answered by the SQLite engine's file.

import type { DatabaseSync } from 'node:sqlite';
import { type Row, readNumber } from '../../storage/rows.ts';
import type { Sql, Value } from '../../storage/sql.ts';
import { dayMs } from '../../time.ts';
import { asLedgerError } from '../outcome.ts';
import { beginTurn, type Pace } from '../pace.ts';
import type { FollowedEngine, IfUnknown, LedgerStorage } from '../stored/storage.ts';
import { recordFaults } from '../stored/versions.ts';
import { StatementCache } from './connection.ts';
import { migrations } from './schema/migrations.ts';
import type { StoreSql } from './sql.ts';
import type { SqliteStore } from './store.ts';

/** What following the journals asks of a file. */
export const sqliteFile: FollowedEngine = {
  journalOrder: 'by entry',
  readCounted: async (sql) => {
    const [identity] = await sql.all('SELECT counted_entry FROM identity');
    return identity === undefined ? 0 : readNumber(identity, 'counted_entry');
  },
  faults: async (sql) => {
    const [days] = await sql.all(`SELECT count(*) AS astray FROM accounts
      WHERE last_day_at <> coalesce((SELECT max(hour) FROM usage WHERE account = number) / ${dayMs} * ${dayMs}, 0)`);
    return [
      ...(readNumber(days, 'astray') > 0 ? ['its usage by day does not match its usage by hour'] : []),
      ...recordFaults(await sql.all('SELECT version, name, breaks, since FROM versions'), migrations),
    ];
  },
};

export class SqliteStorage implements LedgerStorage {
  readonly journalOrder = sqliteFile.journalOrder;
  readonly faults = sqliteFile.faults;
  readonly readCounted = sqliteFile.readCounted;
  /** There is no index by account, for which each charge would pay: the chain of an account is followed. */
  readonly entriesBack = `WITH RECURSIVE chain (entry, before) AS (
      SELECT seq, previous FROM journal WHERE account = ? AND seq = ?
      UNION ALL SELECT seq, previous FROM chain JOIN journal ON seq = before LIMIT ?)
    SELECT journal.* FROM chain CROSS JOIN journal ON seq = entry`;
  readonly #store: SqliteStore;
  readonly #sql: StoreSql;
  readonly #pace: Pace;

  constructor(store: SqliteStore, sql: StoreSql, pace: Pace) {
    this.#store = store;
    this.#sql = sql;
    this.#pace = pace;
  }

  async all(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    try {
      return await this.#sql.all(text, values);
    } catch (error) {
      throw asLedgerError(error);
    }
  }

  async transaction<T>(work: (sql: Sql) => Promise<T>, ifUnknown: IfUnknown): Promise<T> {
    const wish = {
      ifUnknown: ifUnknown === 'tell' ? 'give up' : 'repeat',
      memory: 'to be forgotten',
    } as const;
    try {
      return await this.#sql.transaction(work, wish);
    } catch (error) {
      throw asLedgerError(error);
    }
  }

  /** On a connection of its own. */
  async snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    try {
      return await this.#store.withReader((db) => work(slicedSql(db, this.#pace)));
    } catch (error) {
      throw asLedgerError(error);
    }
  }

  flush(): Promise<void> {
    return this.#store.flush();
  }

  async trimmed(): Promise<void> {}
}

/** Charges go on between two statements. */
export function slicedSql(db: DatabaseSync, pace: Pace): Sql {
  const statements = new StatementCache();
  let turn = beginTurn(pace);
  return {
    all: async (text, values = []) => {
      if (turn.isLong()) turn = await turn.next();
      try {
        return statements.all(db, text, values);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return statements.allRounded(db, text, values);
      }
    },
  };
}
