// How a ledger file says which one it is.

import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { readNumber, readText } from '../../stored/rows.ts';

type Identity = { readonly id: string; readonly generation: number; readonly pulse: number };

/** undefined in a ledger from before identities. */
export function readIdentity(db: DatabaseSync): Identity | undefined {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'identity'").get();
  const row = table && db.prepare('SELECT id, generation, pulse FROM identity').get();
  if (row === undefined) return undefined;
  return {
    id: readText(row, 'id'),
    generation: readNumber(row, 'generation'),
    pulse: readNumber(row, 'pulse'),
  };
}

/** Of a ledger that is in use. */
export function identityOf(db: DatabaseSync): Identity {
  const found = readIdentity(db);
  if (found === undefined) throw new Error('the ledger has no identity');
  return found;
}

export function newestEntryOf(db: DatabaseSync): number {
  const row = db.prepare('SELECT coalesce(max(seq), 0) AS newest FROM journal').get();
  return readNumber(row, 'newest');
}

/** The newest entry and some before it, at growing distances. */
export function landmarksOf(db: DatabaseSync): readonly number[] {
  const rows = db
    .prepare(
      `WITH RECURSIVE back (entries) AS (VALUES (0), (1) UNION ALL SELECT entries * 2 FROM back WHERE entries BETWEEN 1 AND 65536)
       SELECT seq FROM journal WHERE seq IN (SELECT (SELECT max(seq) FROM journal) - entries FROM back)`,
    )
    .all();
  return rows.map((row) => readNumber(row, 'seq'));
}

/** A trim replaces entries by one that has the number of the last of them. */
export function hasLandmarks(db: DatabaseSync, landmarks: readonly number[]): boolean {
  const missing = db
    .prepare(
      `SELECT 1 FROM json_each(?) AS mark WHERE NOT EXISTS (SELECT 1 FROM journal WHERE seq = mark.value)
       AND NOT EXISTS (SELECT 1 FROM closings WHERE seq >= mark.value)`,
    )
    .get(JSON.stringify(landmarks));
  return missing === undefined;
}

/** Up to which entry it is from before the chain. */
export function unchainedToOf(db: DatabaseSync): number {
  return readNumber(db.prepare('SELECT unchained_to FROM chain').get(), 'unchained_to');
}

/** What the main file says by itself, whatever log lies beside it. */
export function readMainFile<T>(path: string, read: (db: DatabaseSync) => T): T {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  const db = new DatabaseSync(url, { readOnly: true, defensive: false });
  try {
    // A copy of the log that the full disk cut off leaves a file shorter than its first page says.
    db.exec('PRAGMA writable_schema = ON');
    return read(db);
  } finally {
    db.close();
  }
}
