// The portable SQL in the file of the SQLite engine: on its one connection and in the queue of its writer, so that a transaction of
// people runs between two commits of charges.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Row } from '../../storage/rows.ts';
import { checkValues, type Database, DatabaseUnavailable, type Sql, type Value } from '../../storage/sql.ts';
import { LedgerRefusal, type Tell } from '../ledger.ts';
import type { Pace } from '../pace.ts';
import { resultOf } from './faults.ts';
import type { SqliteStore } from './store.ts';

const statementsKept = 200;

/** What undoes a transaction and says nothing of the disk: the writer goes on, and whoever asked is told the cause. */
class Undone extends LedgerRefusal {
  override readonly cause: unknown;

  constructor(cause: unknown) {
    super('undone');
    this.cause = cause;
  }
}

export class SqlitePortable implements Database {
  readonly #store: SqliteStore;
  readonly #pace: Pace;
  readonly #tell: Tell;
  readonly #statements = new WeakMap<DatabaseSync, Map<string, StatementSync>>();
  /** Until the next start: what is written to damaged tables may damage more. */
  state: 'sound' | 'damaged' = 'sound';

  constructor(store: SqliteStore, pace: Pace, tell: Tell) {
    this.#store = store;
    this.#pace = pace;
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
      ? this.#telling(() => this.#store.read(() => this.#ask(text, values)))
      : this.transaction((sql) => sql.all(text, values));
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#telling(() =>
      this.#store.writer.transact(() => {
        // By it a commit in doubt is found, and an older copy known for one.
        this.#store.raisePulse();
        return this.#withinTurn(work);
      }),
    );
  }

  /** Charges wait for it, so that it is over with the microtasks of this turn, or undone. */
  async #withinTurn<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const at: { state: 'open' | 'failed' | 'over' } = { state: 'open' };
    this.#pace.endOfTurn(() =>
      late.reject(new Error('A transaction awaited something else than its statements.')),
    );
    const sql: Sql = {
      all: async (text, values = []) => {
        if (at.state !== 'open') throw new Error('The transaction is over.');
        try {
          return this.#ask(text, values);
        } catch (error) {
          at.state = 'failed';
          throw error;
        }
      },
    };
    try {
      const result = await Promise.race([work(sql), late.promise]);
      if (at.state === 'failed') throw new Error('A statement of the transaction failed.');
      return result;
    } catch (error) {
      throw isOfFile(error) ? error : new Undone(error);
    } finally {
      at.state = 'over';
    }
  }

  #ask(text: string, values: readonly Value[]): readonly Row[] {
    try {
      checkValues(values);
      const rows = this.#statementOf(text).all(...values);
      if (!isRead(text)) this.#store.keeper.noteRows(1);
      return rows;
    } catch (error) {
      throw isOfFile(error) ? error : new Undone(error);
    }
  }

  #statementOf(text: string): StatementSync {
    const { db } = this.#store;
    const kept = this.#statements.get(db) ?? new Map<string, StatementSync>();
    this.#statements.set(db, kept);
    const known = kept.get(text);
    if (known !== undefined) return known;
    if (kept.size === statementsKept) kept.clear();
    const statement = db.prepare(text);
    kept.set(text, statement);
    return statement;
  }

  async #telling<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (this.state === 'damaged') throw damaged();
      return await work();
    } catch (error) {
      const cause = causeOf(error);
      if (!isDamage(cause)) throw cause;
      if (this.state === 'sound') this.condemn(cause);
      throw damaged(cause);
    }
  }
}

const damaged = (cause?: unknown): DatabaseUnavailable =>
  new DatabaseUnavailable('The tables of people are damaged; the operator has to restore a backup.', {
    cause,
  });

/** A change says so with its first word. */
const isRead = (text: string): boolean => /^\s*(?:SELECT|WITH)\b/i.test(text);

function causeOf(error: unknown): unknown {
  return error instanceof Undone ? causeOf(error.cause) : error;
}

/** Results of SQLite that say something of the statement, or of what it found: the disk is not to blame. */
const notOfFile: readonly (number | undefined)[] = [undefined, 1, 11, 18, 19, 20, 21, 25, 26];
const isOfFile = (error: unknown): boolean => !notOfFile.includes(resultOf(error));

/** SQLite's: corrupt, not a database. */
const isDamage = (error: unknown): boolean => [11, 26].includes(resultOf(error) ?? 0);
