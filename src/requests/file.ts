// The last requests as a file beside the database. It may be lost: it is not synced, and one that is damaged, removed or of another
// program is made anew. What is asked of it takes the main thread some milliseconds a second at most.

import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Tell } from '../ledger/ledger.ts';
import { resultOf } from '../ledger/sqlite/faults.ts';
import { type Row, readNumber } from '../storage/rows.ts';
import { checkValues, DatabaseUnavailable, type Sql, type Value } from '../storage/sql.ts';
import { inStrictTypes, requestTables } from '../storage/tables.ts';

const applicationId = 0x44_44_52_51; // "DDRQ"
/** Raised with each change of its tables. */
const version = 1;
const statementsKept = 200;

export const requestsFile = (home: string): string => path.join(home, 'requests.sqlite');

type OpenFile = {
  readonly db: DatabaseSync;
  readonly inode: bigint;
  readonly statements: Map<string, StatementSync>;
};

export class RequestsFile implements Sql {
  readonly #path: string;
  readonly #tell: Tell;
  #open: OpenFile | undefined;
  #health: 'sound' | 'faulty' = 'sound';
  #state: 'open' | 'closed' = 'open';

  constructor(home: string, tell: Tell) {
    this.#path = requestsFile(home);
    this.#tell = tell;
  }

  async all(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    checkValues(values);
    if (this.#state === 'closed') throw new DatabaseUnavailable('The list of requests is closed.');
    try {
      const rows = this.#ask(text, values);
      if (this.#health === 'faulty') this.#tell({ level: 'info', message: 'requests.sqlite is used again' });
      this.#health = 'sound';
      return rows;
    } catch (fault) {
      if (isOfStatement(fault)) throw fault;
      this.#letGo();
      if (this.#health === 'sound') {
        const message = 'requests.sqlite cannot be used; the last requests are not listed until it can';
        this.#tell({ level: 'error', message, fault });
      }
      this.#health = 'faulty';
      throw new DatabaseUnavailable('The list of requests cannot be used just now.', { cause: fault });
    }
  }

  close(): void {
    this.#state = 'closed';
    this.#letGo();
  }

  #ask(text: string, values: readonly Value[]): readonly Row[] {
    if (this.#open !== undefined && inodeOf(this.#path) !== this.#open.inode) this.#beginAnew('is gone');
    try {
      this.#open ??= openFile(this.#path);
      return statementOf(this.#open, text).all(...values);
    } catch (fault) {
      if (!isDamage(fault)) throw fault;
      this.#beginAnew('was damaged');
      this.#open = openFile(this.#path);
      return statementOf(this.#open, text).all(...values);
    }
  }

  #beginAnew(why: string): void {
    this.#letGo();
    for (const end of ['', '-wal', '-shm']) rmSync(`${this.#path}${end}`, { force: true });
    this.#tell({
      level: 'warn',
      message: `requests.sqlite ${why}; the lists of the last requests begin anew`,
    });
  }

  #letGo(): void {
    const file = this.#open;
    this.#open = undefined;
    file?.db.close();
  }
}

const inodeOf = (file: string): bigint | undefined =>
  statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;

function statementOf({ db, statements }: OpenFile, text: string): StatementSync {
  const known = statements.get(text);
  if (known !== undefined) return known;
  if (statements.size === statementsKept) statements.clear();
  const statement = db.prepare(text);
  statements.set(text, statement);
  return statement;
}

/** It is of another program, or of another version of this one. */
class OtherFile extends Error {}

function openFile(file: string): OpenFile {
  // For its owner alone, as are the files that SQLite puts beside it.
  closeSync(openSync(file, 'a', 0o600));
  const db = new DatabaseSync(file);
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    const made = readNumber(db.prepare('PRAGMA user_version').get(), 'user_version');
    const owner = readNumber(db.prepare('PRAGMA application_id').get(), 'application_id');
    if (made === 0 && owner === 0) {
      db.exec(`BEGIN IMMEDIATE; ${inStrictTypes(requestTables)};
        PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}; COMMIT`);
    } else if (made !== version || owner !== applicationId) throw new OtherFile('of another program');
    const inode = inodeOf(file);
    if (inode === undefined) throw new Error(`${file} was removed while it was opened`);
    return { db, inode, statements: new Map() };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** SQLite's: corrupt, not a database. */
const damage: readonly (number | undefined)[] = [11, 26];
/** Results that say something of the statement; any other is of the file or the disk below it. */
const ofStatement: readonly (number | undefined)[] = [1, 18, 19, 20, 21, 25];

const isDamage = (error: unknown): boolean => error instanceof OtherFile || damage.includes(resultOf(error));
const isOfStatement = (error: unknown): boolean => ofStatement.includes(resultOf(error));
