// The SQLite engine's file: how it is made, recognised, brought up to date and refused. A file that is not plainly a
// sound ledger is never written to.

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LedgerMissing, LedgerOutdated, LedgerRefusal, LedgerUnavailable } from '../ledger.ts';
import { fitnessOf, migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { readNumber, readText } from './rows.ts';

const applicationId = 0x44_4f_4d_45; // "DOME"
const quickCheckBytes = 32 * 1024 * 1024;
const busyTimeoutMs = 5_000;

export type FileWish = {
  readonly ifMissing: 'make' | 'refuse';
  readonly ifOlder: 'migrate' | 'refuse';
};

export function openLedgerFile(path: string, { ifMissing, ifOlder }: FileWish): DatabaseSync {
  try {
    if (!existsSync(path)) {
      if (ifMissing === 'refuse') throw missing(path);
      makeLedgerFile(path);
    }
    return openExisting(path, ifOlder);
  } catch (error) {
    throw asLedgerError(error, path);
  }
}

/** Made whole under another name and then linked into place: nobody ever meets half a ledger, an empty file is
 *  plainly damage, and of two processes that start at once only one makes it. */
function makeLedgerFile(path: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  if (existsSync(`${path}-wal`)) {
    if (existsSync(path)) return;
    // SQLite would play it into the new file.
    throw new LedgerUnavailable(
      `${path}-wal is left of a ledger whose main file is gone; put ${path} back, or move the rest aside too.`,
    );
  }
  const draft = `${path}.new-${randomUUID()}`;
  try {
    // Accounts and hashes of keys are the owner's alone; SQLite gives the files beside it the same rights.
    closeSync(openSync(draft, 'wx', 0o600));
    const db = new DatabaseSync(draft);
    try {
      db.exec('PRAGMA synchronous = OFF'); // nobody has it yet, so it is enough to sync it once it is whole
      db.exec(`PRAGMA application_id = ${applicationId}`);
      migrate(db, migrations);
      db.exec('VACUUM'); // pages of tables that later versions replaced
      db.exec('PRAGMA journal_mode = WAL');
    } finally {
      db.close();
    }
    sync(draft, 'r+');
    if (placeDraft(draft, path) === 'placed' && process.platform !== 'win32') sync(folder, 'r');
  } finally {
    for (const leftover of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(leftover, { force: true });
  }
}

function placeDraft(draft: string, path: string): 'placed' | 'taken' {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || existsSync(path)) return 'taken';
    renameSync(draft, path); // a file system without hard links
  }
  return 'placed';
}

/** Windows wants files open for writing and opens no folders. */
function sync(path: string, flags: 'r' | 'r+'): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function openExisting(path: string, ifOlder: FileWish['ifOlder']): DatabaseSync {
  const { size } = statSync(path);
  if (size === 0) throw damaged(path);
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  try {
    const fitness = recognise(db, path);
    if (size <= quickCheckBytes) quickCheck(db, path);
    if (fitness === 'older' && ifOlder === 'refuse') throw outdated(path);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    if (fitness === 'older') migrate(db, migrations);
    else db.exec('BEGIN IMMEDIATE; ROLLBACK'); // finds out now whether it can be written
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function recognise(db: DatabaseSync, path: string): 'fits' | 'older' {
  const row = db.prepare('PRAGMA application_id').get();
  if (row === undefined || readNumber(row, 'application_id') !== applicationId) throw damaged(path);
  const fitness = fitnessOf(db, migrations);
  if (fitness.kind === 'no version') throw damaged(path);
  if (fitness.kind !== 'too new') return fitness.kind;
  const { version, since } = fitness;
  throw new LedgerUnavailable(
    `${path} was made by a newer Domesday (ledger version ${version}, this one knows ${migrations.length}); use ${since === undefined ? 'that one' : `Domesday ${since} or later`}, or restore an older backup.`,
  );
}

function quickCheck(db: DatabaseSync, path: string): void {
  const row = db.prepare('PRAGMA quick_check(1)').get();
  if (row === undefined || readText(row, 'quick_check') !== 'ok') throw damaged(path);
}

function missing(path: string): LedgerMissing {
  return new LedgerMissing(
    `${dirname(path)} has no ledger yet; \`domesday accounts create\` or \`domesday serve\` makes one, or name the right folder with --home.`,
  );
}

function outdated(path: string): LedgerOutdated {
  return new LedgerOutdated(
    `${path} was made by an older Domesday; the next start of this one brings it up to date.`,
  );
}

function damaged(path: string, cause?: unknown): LedgerUnavailable {
  return new LedgerUnavailable(
    `${path} is not a Domesday ledger or is damaged; move it aside or restore it from a backup.`,
    { cause },
  );
}

// SQLite's result codes: the low byte is the family, the rest the detail.
const sqlite = { busy: 5, locked: 6, readOnly: 8, corrupt: 11, full: 13, cantOpen: 14, notADatabase: 26 };

function asLedgerError(error: unknown, path: string): LedgerUnavailable | LedgerRefusal {
  if (error instanceof LedgerUnavailable || error instanceof LedgerRefusal) return error;
  const result = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
  if (result === sqlite.busy || result === sqlite.locked) {
    return new LedgerUnavailable(`${path} is locked by another process; try again when that has finished.`, {
      cause: error,
    });
  }
  if (result === sqlite.full || codeOf(error) === 'ENOSPC') {
    return new LedgerUnavailable(`${path} cannot be written: the disk is full; make room and try again.`, {
      cause: error,
    });
  }
  if (result === sqlite.readOnly || result === sqlite.cantOpen || result === undefined) {
    return new LedgerUnavailable(
      `${path} cannot be read and written; check that the folder exists and who owns it.`,
      { cause: error },
    );
  }
  return damaged(path, error);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
