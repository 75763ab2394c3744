// How a ledger file says which one it is, whether it is the one that its seal tells of, and what the operator is to do where it is
// not: first of all to restore a copy in this home that has everything, if there is one.

import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { readNumber, readText } from '../../../storage/rows.ts';
import { LedgerUnavailable } from '../../ledger.ts';
import { restoreCommand } from '../../restore-command.ts';
import { type Seal, sealFile } from '../../seal.ts';
import { throwUnlessOfFile } from '../faults.ts';

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
function readMainFile<T>(path: string, read: (db: DatabaseSync) => T): T {
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

/** Before SQLite may play a log into it: a file older than the seal has another ledger's log beside it, or none. */
export function compareMainFile(file: string, seal: Seal): void {
  const found = readMainFile(file, readIdentity);
  if (found !== undefined && found.id !== seal.id) throw another(file, seal);
  if (found === undefined || found.pulse < seal.checkpointed) throw older(file, seal);
}

/** With its log. */
export function compareLedger(file: string, db: DatabaseSync, seal: Seal): void {
  const found = readIdentity(db);
  if (found !== undefined && found.id !== seal.id) throw another(file, seal);
  const isBehind =
    found === undefined ||
    found.generation < seal.generation ||
    found.pulse < seal.checkpointed ||
    newestEntryOf(db) < seal.newestEntry;
  if (isBehind) throw older(file, seal);
}

/** The home has a seal and no ledger. */
export function lost(file: string, seal: Seal): LedgerUnavailable {
  const home = path.dirname(file);
  const otherwise = `put it back, restore a backup with ${restoreCommand(home)}, or remove ${sealFile(home)} to start a new ledger`;
  return new LedgerUnavailable(
    `${home} had a ledger, but ${file} is gone; ${savedAdvice(home, seal) ?? otherwise}.`,
  );
}

function another(file: string, seal: Seal): LedgerUnavailable {
  const home = path.dirname(file);
  const ownOne =
    savedAdvice(home, seal) ?? `put that one back or restore a backup of it with ${restoreCommand(home)}`;
  return new LedgerUnavailable(
    `${file} is not the ledger that this home had; ${ownOne}, or, if you want this one, move it elsewhere and run ${restoreCommand(home, { option: '--other-ledger' })}.`,
  );
}

function older(file: string, seal: Seal): LedgerUnavailable {
  const home = path.dirname(file);
  const otherwise = `put the newest back, or restore the newest backup with ${restoreCommand(home)}`;
  return new LedgerUnavailable(
    `${file} is older than what this home has acknowledged, or a part of it (its -wal) is gone; ${savedAdvice(home, seal) ?? otherwise}.`,
  );
}

/** What a service rescued or a restore moved aside, newest first, if it has everything that the seal knows of. Copies of
 *  earlier losses lie beside it and have not. */
function savedAdvice(home: string, seal: Seal): string | undefined {
  const names = readdirSync(home).toSorted().toReversed();
  const rescued = names.filter((name) => /^domesday\.sqlite\.rescued-\d+$/.test(name));
  const before = names.filter((name) => name.startsWith('domesday-before-'));
  const copy = [...rescued, ...before.map((folder) => path.join(folder, 'domesday.sqlite'))]
    .map((name) => path.join(home, name))
    .find((file) => existsSync(file) && hasAll(file, seal));
  return copy === undefined
    ? undefined
    : `restore ${path.basename(copy)}, which has all of it, with ${restoreCommand(home, { file: copy })}`;
}

function hasAll(file: string, { id, generation, newestEntry }: Seal): boolean {
  try {
    return readMainFile(file, (db) => {
      const found = readIdentity(db);
      return found?.id === id && found.generation === generation && newestEntryOf(db) >= newestEntry;
    });
  } catch (error) {
    throwUnlessOfFile(error);
    return false;
  }
}
