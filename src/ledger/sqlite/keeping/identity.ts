// How a ledger file says which one it is, and whether it is the one that its seal tells of.

import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { LedgerUnavailable } from '../../ledger.ts';
import type { Seal } from '../../seal.ts';
import { readNumber, readText } from '../rows.ts';

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

export function newestEntryOf(db: DatabaseSync): number {
  const row = db.prepare('SELECT coalesce(max(seq), 0) AS newest FROM journal').get();
  return row === undefined ? 0 : readNumber(row, 'newest');
}

/** What the main file says by itself, whatever log lies beside it. */
export function readMainFile(path: string): Identity | undefined {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  const db = new DatabaseSync(url, { readOnly: true, defensive: false });
  try {
    // A copy of the log that the full disk cut off leaves a file shorter than its first page says.
    db.exec('PRAGMA writable_schema = ON');
    return readIdentity(db);
  } finally {
    db.close();
  }
}

/** Before SQLite may play a log into it: a file older than the seal has another ledger's log beside it, or none. */
export function compareMainFile(path: string, seal: Seal): void {
  const found = readMainFile(path);
  if (found !== undefined && found.id !== seal.id) throw another(path);
  if (found === undefined || found.pulse < seal.checkpointed) throw older(path);
}

/** With its log. One generation more than the seal's is what a crash between the two writes of a start leaves. */
export function compareLedger(path: string, db: DatabaseSync, seal: Seal): void {
  const found = readIdentity(db);
  if (found !== undefined && found.id !== seal.id) throw another(path);
  const isBehind =
    found === undefined ||
    found.generation < seal.generation ||
    found.pulse < seal.checkpointed ||
    newestEntryOf(db) < seal.newestEntry;
  if (isBehind) throw older(path);
  if (found.generation > seal.generation + 1) {
    throw new LedgerUnavailable(
      `${path} has been in use elsewhere: it is ahead of what this home knows; take it over with domesday ledger restore, from a copy of the file under another name.`,
    );
  }
}

const another = (path: string): LedgerUnavailable =>
  new LedgerUnavailable(
    `${path} is another ledger than the one this home had; put that one back, or move this file elsewhere and run domesday ledger restore FILE --other-ledger.`,
  );

const older = (path: string): LedgerUnavailable =>
  new LedgerUnavailable(
    `${path} is older than what this home has acknowledged, or a part of it (its -wal) is gone; put the newest back, or move this file elsewhere and run domesday ledger restore FILE.`,
  );
