// How a ledger file says which one it is.

import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { readNumber, readText } from '../../../storage/rows.ts';

type Identity = { readonly id: string; readonly generation: number; readonly pulse: number };

/** undefined in a file that is no ledger. */
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
