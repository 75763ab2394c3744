// The portable SQL of the tables of people, in the file of the SQLite engine. Where they are damaged, calls with keys go on.

import type { Row } from '../../storage/rows.ts';
import { type Database, type Sql, TablesDamaged, type Value } from '../../storage/sql.ts';
import type { Tell } from '../ledger.ts';
import { resultOf } from './faults.ts';
import { isRead, type StoreSql } from './sql.ts';

export class SqlitePortable implements Database {
  readonly #sql: StoreSql;
  readonly #tell: Tell;
  /** Until the next start: what is written to damaged tables may damage more. */
  state: 'sound' | 'damaged' = 'sound';

  constructor(sql: StoreSql, tell: Tell) {
    this.#sql = sql;
    this.#tell = tell;
  }

  /** Calls with keys go on. */
  condemn(fault?: unknown): void {
    this.state = 'damaged';
    const message =
      'the tables of people are damaged: sign-in, /account and /admin are refused, and calls with keys go on; run `domesday check`';
    this.#tell({ level: 'error', message, fault });
  }

  async all(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return isRead(text)
      ? this.#telling(() => this.#sql.all(text, values))
      : this.transaction((sql) => sql.all(text, values));
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const wish = { ifUnknown: 'repeat', memory: 'is current' } as const;
    return this.#telling(() => this.#sql.transaction(work, wish));
  }

  async #telling<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (this.state === 'damaged') throw damaged();
      return await work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      if (this.state === 'sound') this.condemn(error);
      throw damaged(error);
    }
  }
}

const damaged = (cause?: unknown): TablesDamaged =>
  new TablesDamaged('The tables of people are damaged; the operator has to restore a backup.', {
    cause,
  });

/** SQLite's: corrupt, not a database. */
const isDamage = (error: unknown): boolean => [11, 26].includes(resultOf(error) ?? 0);
