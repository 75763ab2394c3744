// The records as a file, used by one thread, which may wait for the disk and for other processes. A connection that has failed
// is let go; the next question opens another. A file that was removed or exchanged takes writes like any other, so that all of
// them would be lost: it is used no more.

import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { isEarlyApplication, sayEarly } from '../../before-release.ts';
import { resultOf } from '../../ledger/sqlite/faults.ts';
import { findExchanged, type Watched, watch } from '../../ledger/sqlite/keeping/guard.ts';
import { judgeVersion } from '../../ledger/stored/versions.ts';
import { readNumber } from '../../storage/rows.ts';
import { recordsMigrations } from '../migrations.ts';
import { type Engine, RecordsUnavailable, type Row, readRow, type Sql, type Value } from '../records.ts';
import { tooNew } from '../too-new.ts';

const applicationId = 0x44_44_52_43; // "DDRC"
/** A command of the operator writes for a moment. */
const busyTimeoutMs = 5_000;
const statementsKept = 200;

/** Where there is no file; one that was there is never begun anew by whoever used it. */
export type IfMissing = 'make' | 'refuse';

export class RecordsFile implements Engine {
  readonly #path: string;
  #ifMissing: IfMissing;
  #open: OpenFile | undefined;
  /** For good: another file may have the number of the one that is gone. */
  #lost: string | undefined;
  /** Settled when whoever came before is done. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(path: string, ifMissing: IfMissing) {
    this.#path = path;
    this.#ifMissing = ifMissing;
  }

  all(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#inTurn(async (file) => file.all(text, values));
  }

  attempt<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#inTurn(async (file) => {
      file.db.exec('BEGIN IMMEDIATE');
      try {
        const result = await work({ all: async (text, values = []) => file.all(text, values) });
        file.db.exec('COMMIT');
        return result;
      } finally {
        if (file.db.isOpen && file.db.isTransaction) file.db.exec('ROLLBACK');
      }
    });
  }

  close(): Promise<void> {
    return this.#after(async () => this.#letGo());
  }

  #inTurn<T>(work: (file: OpenFile) => Promise<T>): Promise<T> {
    return this.#after(async () => {
      try {
        this.#open ??= this.#openFile();
        const result = await work(this.#open);
        // After it was written and before anybody learns of it.
        this.#lost = findExchanged(this.#open.files);
        this.#assertThere();
        return result;
      } catch (error) {
        if (!isOfFile(error)) throw error;
        this.#letGo();
        throw new RecordsUnavailable(`The records cannot be used just now (${error.message}).`, {
          cause: error,
        });
      }
    });
  }

  #openFile(): OpenFile {
    this.#assertThere();
    if (this.#ifMissing === 'refuse' && !existsSync(this.#path)) {
      this.#lost = `${this.#path} was removed or renamed while the service ran`;
      this.#assertThere();
    }
    const file = openFile(this.#path);
    this.#ifMissing = 'refuse';
    return file;
  }

  #assertThere(): void {
    if (this.#lost === undefined) return;
    this.#letGo();
    throw new RecordsUnavailable(
      `${this.#lost}, and what is written to it would be lost. Stop the service, put the file or its last copy in its place, and start it; without either it begins anew, without people and requests.`,
    );
  }

  #after<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#before.then(work);
    this.#before = mine.catch(() => undefined);
    return mine;
  }

  #letGo(): void {
    const file = this.#open;
    this.#open = undefined;
    file?.db.close();
  }
}

class OpenFile {
  readonly db: DatabaseSync;
  readonly files: readonly Watched[];
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync, files: readonly Watched[]) {
    this.db = db;
    this.files = files;
  }

  all(text: string, values: readonly Value[]): readonly Row[] {
    const known = this.#statements.get(text);
    const statement = known ?? this.db.prepare(text);
    if (known === undefined) {
      if (this.#statements.size === statementsKept) this.#statements.clear();
      this.#statements.set(text, statement);
    }
    return statement.all(...values).map(readRow);
  }
}

/** Results of SQLite that say something of the statement; any other is of the file or the disk below it. */
const ofStatement: readonly number[] = [1, 18, 19, 20, 21, 25];

function isOfFile(error: unknown): error is Error {
  const result = resultOf(error);
  return result !== undefined && !ofStatement.includes(result);
}

function openFile(path: string): OpenFile {
  // For its owner alone, as are the files that SQLite puts beside it. To close one that is there would release the locks that
  // another connection of this process has on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    // Nothing is changed in a file that is not ours.
    const found = fitnessOf(db);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    if (found.kind === 'no version' || found.kind === 'older') migrate(db);
    // A copy that was just put in place has its log once it is read.
    versionOf(db);
    return new OpenFile(db, watch(path));
  } catch (error) {
    db.close();
    throw error;
  }
}

/** All that is lacking in one transaction under the write lock: done whole or not at all, and by one process. */
function migrate(db: DatabaseSync): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have been faster.
    if (fitnessOf(db).kind !== 'fits') addLacking(db);
    db.exec('COMMIT');
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

function addLacking(db: DatabaseSync): void {
  db.exec(`CREATE TABLE IF NOT EXISTS versions (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, breaks INTEGER NOT NULL, since TEXT NOT NULL) STRICT`);
  const insert = db.prepare('INSERT INTO versions VALUES (?, ?, ?, ?)');
  for (const { version, name, breaks, since, statements } of recordsMigrations.slice(versionOf(db))) {
    for (const statement of statements) db.exec(inStrictTypes(statement));
    insert.run(version, name, breaks ? 1 : 0, since);
  }
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${recordsMigrations.length}`);
}

/** Strict tables refuse what PostgreSQL would refuse, and know no BIGINT. */
function inStrictTypes(statement: string): string {
  const typed = statement.replaceAll('BIGINT', 'INTEGER');
  return /^CREATE TABLE\b/.test(typed) ? `${typed} STRICT` : typed;
}

export function fitnessOf(db: DatabaseSync) {
  if (db.isTransaction) return judgeFile(db);
  // In one look: another process may be making the tables just now.
  db.exec('BEGIN');
  try {
    return judgeFile(db);
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

function judgeFile(db: DatabaseSync) {
  const owner = readNumber(db.prepare('PRAGMA application_id').get(), 'application_id');
  if (isEarlyApplication(owner)) throw new RecordsUnavailable(sayEarly('records.sqlite in the home'));
  const version = versionOf(db);
  if (owner !== applicationId && (owner !== 0 || version !== 0 || hasTables(db))) {
    throw new RecordsUnavailable(
      'records.sqlite in the home is no file of records; move it away, and the next use makes a new one.',
    );
  }
  const newer = () =>
    db
      .prepare('SELECT version, breaks, since FROM versions WHERE version > ? ORDER BY version')
      .all(recordsMigrations.length);
  const found = judgeVersion(version, newer, recordsMigrations);
  if (found.kind === 'too new') throw tooNew(found);
  return found;
}

const versionOf = (db: DatabaseSync): number =>
  readNumber(db.prepare('PRAGMA user_version').get(), 'user_version');

const hasTables = (db: DatabaseSync): boolean =>
  db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
