// The embedded ledger's file: how it is made, recognised and refused. A file that is not plainly a sound
// ledger is never written to.

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
import { journalKinds, LedgerUnavailable } from './ledger.ts';
import { readNumber, readText } from './rows.ts';

const applicationId = 0x44_4f_4d_45; // "DOME"
const schemaVersion = 1;
const quickCheckBytes = 32 * 1024 * 1024;
const busyTimeoutMs = 5_000;

// Rows refer to one another by number: binding and indexing text is most of what a charge costs. The ids that
// people see are text. What a number stands for never changes, so neither does what the journal says.
const schema = `
CREATE TABLE accounts (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  -- own terms: NULL follows the plan; a limit of -1 is no limit
  own_allowance INTEGER CHECK (own_allowance >= 0),
  own_minute_limit INTEGER CHECK (own_minute_limit >= -1),
  own_day_limit INTEGER CHECK (own_day_limit >= -1),
  own_month_limit INTEGER CHECK (own_month_limit >= -1),
  balance INTEGER NOT NULL CHECK (balance >= 0),
  newest_entry INTEGER, -- of its journal; each entry names the one before
  anchor_at INTEGER NOT NULL,
  refresh_at INTEGER,
  created_at INTEGER NOT NULL,
  closed_at INTEGER
) STRICT;
${keepNumbers('accounts', 'id')}

CREATE TABLE keys (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account INTEGER NOT NULL REFERENCES accounts (number),
  name TEXT,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  hash TEXT NOT NULL UNIQUE,
  last_four TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  replaced_by INTEGER REFERENCES keys (number)
) STRICT;
CREATE INDEX keys_of_account ON keys (account);
${keepNumbers('keys', 'id, account')}

CREATE TABLE endpoints (
  number INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE
) STRICT;
${keepNumbers('endpoints', 'path')}

CREATE TABLE windows (
  account INTEGER NOT NULL REFERENCES accounts (number),
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  minute_start INTEGER NOT NULL,
  minute_count INTEGER NOT NULL,
  day_start INTEGER NOT NULL,
  day_count INTEGER NOT NULL,
  month_start INTEGER NOT NULL,
  month_count INTEGER NOT NULL,
  PRIMARY KEY (account, mode)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  seq INTEGER PRIMARY KEY, -- nothing is ever deleted, so none comes twice
  -- The account's entry before this one. An index by account would be one more page written for every account
  -- in a commit, which was a third of the cost of a charge with 200 accounts in use.
  previous INTEGER CHECK (previous < seq),
  account INTEGER NOT NULL REFERENCES accounts (number),
  at INTEGER NOT NULL,
  kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3), -- ${journalKinds.join(', ')}
  credits INTEGER NOT NULL,
  balance_after INTEGER NOT NULL CHECK (balance_after >= 0),
  charge_id TEXT UNIQUE,
  request_id TEXT, -- NULL: the same as charge_id
  key INTEGER REFERENCES keys (number),
  endpoint INTEGER REFERENCES endpoints (number),
  note TEXT
) STRICT;
CREATE TRIGGER journal_is_never_changed BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_is_never_shortened BEFORE DELETE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TABLE usage (
  account INTEGER NOT NULL REFERENCES accounts (number),
  hour INTEGER NOT NULL,
  key INTEGER NOT NULL REFERENCES keys (number),
  endpoint INTEGER NOT NULL REFERENCES endpoints (number),
  status INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  PRIMARY KEY (account, hour, key, endpoint, status)
) STRICT, WITHOUT ROWID;

PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${schemaVersion};
`;

/** Triggers that keep a number for what it was given to. */
function keepNumbers(table: 'accounts' | 'keys' | 'endpoints', columns: string): string {
  return `
CREATE TRIGGER ${table}_are_never_deleted BEFORE DELETE ON ${table}
BEGIN SELECT RAISE(ABORT, '${table} are never deleted'); END;
CREATE TRIGGER ${table}_keep_their_numbers BEFORE UPDATE OF number, ${columns} ON ${table}
BEGIN SELECT RAISE(ABORT, '${table} keep their numbers'); END;`;
}

export type OpenedFile = { readonly db: DatabaseSync; readonly isNew: boolean };

/** `logPagesMost`: how many pages the log gathers before a commit here copies them into the file. */
export function openLedgerFile(path: string, logPagesMost: number): OpenedFile {
  let isNew = false;
  try {
    if (!existsSync(path)) isNew = makeLedgerFile(path) === 'made';
  } catch (error) {
    throw asUnavailable(error, path);
  }
  return { db: openExisting(path, logPagesMost), isNew };
}

/** Made whole under another name and then linked into place: nobody ever meets half a ledger, an empty file is
 *  plainly damage, and of two processes that start at once only one makes it. */
function makeLedgerFile(path: string): 'made' | 'other was first' {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  if (existsSync(`${path}-wal`)) {
    if (existsSync(path)) return 'other was first';
    // SQLite would play it into the new file.
    throw new LedgerUnavailable(
      `${path}-wal is left of a ledger whose main file is gone; put ${path} back, or move the rest aside too.`,
    );
  }
  const draft = `${path}.new-${randomUUID()}`;
  try {
    const db = new DatabaseSync(draft);
    try {
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
      db.exec(`BEGIN; ${schema} COMMIT`);
    } finally {
      db.close();
    }
    if (placeDraft(draft, path) === 'taken') return 'other was first';
    syncFolder(folder);
    return 'made';
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

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return; // folders cannot be opened there
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function openExisting(path: string, logPagesMost: number): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    const { size } = statSync(path);
    if (size === 0) throw damaged(path);
    db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
    recognise(db, path);
    if (size <= quickCheckBytes) quickCheck(db, path);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    db.exec(`PRAGMA wal_autocheckpoint = ${logPagesMost}`);
    db.exec('BEGIN IMMEDIATE; ROLLBACK'); // finds out now whether it can be written
    return db;
  } catch (error) {
    db?.close();
    throw asUnavailable(error, path);
  }
}

function recognise(db: DatabaseSync, path: string): void {
  if (pragma(db, 'application_id') !== applicationId) throw damaged(path);
  const version = pragma(db, 'user_version');
  if (version > schemaVersion) {
    throw new LedgerUnavailable(
      `${path} was made by a newer Domesday (ledger version ${version}, this one knows ${schemaVersion}); run that one, or restore an older backup.`,
    );
  }
  if (version !== schemaVersion) throw damaged(path);
}

function quickCheck(db: DatabaseSync, path: string): void {
  const row = db.prepare('PRAGMA quick_check(1)').get();
  if (row === undefined || readText(row, 'quick_check') !== 'ok') throw damaged(path);
}

function pragma(db: DatabaseSync, name: 'application_id' | 'user_version'): number {
  const row = db.prepare(`PRAGMA ${name}`).get();
  return row === undefined ? 0 : readNumber(row, name);
}

function damaged(path: string, cause?: unknown): LedgerUnavailable {
  return new LedgerUnavailable(
    `${path} is not a Domesday ledger or is damaged; move it aside or restore it from a backup.`,
    { cause },
  );
}

// SQLite's result codes: the low byte is the family, the rest the detail.
const sqlite = { busy: 5, locked: 6, readOnly: 8, corrupt: 11, full: 13, cantOpen: 14, notADatabase: 26 };

function asUnavailable(error: unknown, path: string): LedgerUnavailable {
  if (error instanceof LedgerUnavailable) return error;
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
