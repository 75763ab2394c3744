// What a file of records is, looked at without changing it, and a copy of it that is whole by itself.

import { closeSync, linkSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { errorCode } from '../../errno.ts';
import { resultOf } from '../../ledger/sqlite/faults.ts';
import { countPeople, RecordsUnavailable, readRow, type Standing, usableWith } from '../records.ts';
import { fitnessOf } from './file.ts';

/** Rejects what cannot be used, with what to do. */
export function examineFile(path: string): Standing {
  return reading(path, (db) => {
    const rows = db.prepare('PRAGMA quick_check(1)').all();
    if (rows[0]?.quick_check !== 'ok') throw damaged();
    const { kind } = fitnessOf(db);
    if (kind === 'older' || kind === 'no version') return { kind: 'older' };
    return usableWith(db.prepare(countPeople('people')).all().map(readRow));
  });
}

/** Beside a running service too; never over a file that is there. */
export function backUpFile(path: string, copy: string): void {
  const draft = `${copy}.draft-${process.pid}`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    reading(path, (db) => db.prepare('VACUUM INTO ?').run(draft));
    linkSync(draft, copy);
  } catch (error) {
    if (errorCode(error) === 'EEXIST')
      throw new RecordsUnavailable(`${copy} already exists; choose another name.`);
    if (errorCode(error) === 'ENOENT')
      throw new RecordsUnavailable(`Cannot make ${copy}; make its folder first.`);
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function reading<T>(path: string, work: (db: DatabaseSync) => T): T {
  try {
    const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    try {
      return work(db);
    } finally {
      db.close();
    }
  } catch (error) {
    if (damage.includes(resultOf(error))) throw damaged();
    throw error;
  }
}

const damage: readonly (number | undefined)[] = [11, 26]; // SQLite: corrupt, not a database

const damaged = () =>
  new RecordsUnavailable(
    'records.sqlite is damaged; stop the service and put the last copy in its place, or move it away to start again without people and requests.',
  );
