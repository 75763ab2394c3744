// The connection of a running ledger. It never waits for a lock, says what became of a commit, and is exchanged for a
// new one after a commit of which that is not known.

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { type Row, readNumber } from '../../storage/rows.ts';
import { checkValues, type Value } from '../../storage/sql.ts';
import { ledgerClosed } from '../ledger.ts';
import { resultOf } from './faults.ts';
import { prepareStatements, type Statements } from './statements.ts';

/** What can fail below this engine. Behind an interface, so that a simulation can fail it at will. */
export type Disk = {
  /** A further connection; throws where there is none to be had. */
  readonly open: () => DatabaseSync;
  readonly begin: (db: DatabaseSync) => void;
  readonly commit: (db: DatabaseSync) => void;
};

/** SQLite is told not to make one anew where it is gone. */
export function existingFile(path: string): URL {
  const file = pathToFileURL(path);
  file.searchParams.set('mode', 'rw');
  return file;
}

export function diskOf(path: string): Disk {
  const file = existingFile(path);
  return {
    open: () => {
      const db = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: true });
      db.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
      return db;
    },
    begin: (db) => db.exec('BEGIN IMMEDIATE'),
    commit: (db) => db.exec('COMMIT'),
  };
}

export type Commit =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'unknown'; readonly error: unknown };

export class Connection {
  statements: Statements;
  /** How often the log was cut off by this connection, for the guard that watches its size. */
  timesEmptied = 0;
  readonly #disk: Disk;
  readonly #pageSize: number;
  #db: DatabaseSync;
  readonly #readers = new Set<DatabaseSync>();
  #state: 'open' | 'closed' = 'open';

  constructor(disk: Disk, db: DatabaseSync) {
    this.#disk = disk;
    this.#db = db;
    db.exec('PRAGMA busy_timeout = 0');
    this.statements = prepareStatements(db);
    this.#pageSize = readNumber(db.prepare('PRAGMA page_size').get(), 'page_size');
  }

  /** Another one after each `reopen`. */
  get db(): DatabaseSync {
    return this.#db;
  }

  begin(): void {
    this.#disk.begin(this.#db);
  }

  /** Within a transaction: writes the first page as it is, so that the commit reaches the log whatever else it has. An
   *  UPDATE that changes nothing would not: SQLite leaves out pages that stay the same. */
  touch(): void {
    const row = this.#db.prepare('PRAGMA user_version').get();
    this.#db.exec(`PRAGMA user_version = ${readNumber(row, 'user_version')}`);
  }

  commit(): Commit {
    try {
      this.#disk.commit(this.#db);
      return { kind: 'done' };
    } catch (error) {
      this.rollBack();
      return { kind: wroteNothing(error) ? 'failed' : 'unknown', error };
    }
  }

  rollBack(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    } catch {
      // The error that led here is the one to tell; the next transaction finds out whether this one matters.
    }
  }

  /** A further connection that sees this moment, until `work` is done. */
  async withReader<T>(work: (db: DatabaseSync) => Promise<T>): Promise<T> {
    const db = this.#disk.open();
    this.#readers.add(db);
    try {
      db.exec('BEGIN');
      db.prepare('SELECT 1 FROM identity').get();
      return await work(db);
    } finally {
      this.#readers.delete(db);
      if (db.isOpen) db.close();
    }
  }

  /** A new connection, and a log without anything in the air: what it shows is copied into the main file, since a log
   *  whose sync has failed may not be on disk; what it does not show is overwritten by the next commit. */
  reopen(): void {
    this.assertOpen();
    const db = this.#disk.open();
    this.statements = prepareStatements(db);
    const old = this.#db;
    this.#db = db;
    old.close();
    // They would keep the log from being emptied.
    for (const reader of this.#readers) reader.close();
    if (this.emptyLog() === 'busy') throw new Error('the log cannot be emptied');
  }

  emptyLog(): 'emptied' | 'busy' {
    this.timesEmptied += 1;
    const row = this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    return readNumber(row, 'busy') === 0 ? 'emptied' : 'busy';
  }

  /** The log stays as long as it is. */
  copyLog(): 'copied' | 'busy' {
    const row = this.#db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    const isCopied = readNumber(row, 'log') === readNumber(row, 'checkpointed');
    return readNumber(row, 'busy') === 0 && isCopied ? 'copied' : 'busy';
  }

  assertOpen(): void {
    if (this.#state === 'closed') throw ledgerClosed();
  }

  get bytesOnceLogIsCopied(): number {
    return readNumber(this.statements.pageCount.get(), 'page_count') * this.#pageSize;
  }

  close(): void {
    this.#state = 'closed';
    this.#db.close();
  }
}

const sqlite = { busy: 5, locked: 6, full: 13, constraint: 19 };

export const isBusy = (error: unknown): boolean => resultOf(error) === sqlite.busy;

/** A commit that is refused, or that finds no room for its last page, leaves nothing behind. Of any other fault, a failed
 *  sync above all, SQLite itself does not know. */
function wroteNothing(error: unknown): boolean {
  const refusals: readonly (number | undefined)[] = [
    sqlite.busy,
    sqlite.locked,
    sqlite.full,
    sqlite.constraint,
  ];
  return refusals.includes(resultOf(error));
}

const statementsKept = 200;

/** Statements of portable SQL, each prepared once for a connection. */
export class StatementCache {
  readonly #kept = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

  all(db: DatabaseSync, text: string, values: readonly Value[]): readonly Row[] {
    checkValues(values);
    return this.#statementOf(db, text).all(...values);
  }

  /** As `all`, with the nearest that JavaScript has for a number that other hands made too large. */
  allRounded(db: DatabaseSync, text: string, values: readonly Value[]): readonly Row[] {
    const statement = db.prepare(text);
    statement.setReadBigInts(true);
    const rounded = ([column, value]: [string, unknown]) =>
      [column, typeof value === 'bigint' ? Number(value) : value] as const;
    return statement.all(...values).map((row) => Object.fromEntries(Object.entries(row).map(rounded)));
  }

  #statementOf(db: DatabaseSync, text: string): StatementSync {
    const kept = this.#kept.get(db) ?? new Map<string, StatementSync>();
    this.#kept.set(db, kept);
    const known = kept.get(text);
    if (known !== undefined) return known;
    if (kept.size === statementsKept) kept.clear();
    const statement = db.prepare(text);
    kept.set(text, statement);
    return statement;
  }
}
