// Brings a ledger file to the newest version that this program knows, and says whether the program can use it.

import type { DatabaseSync } from 'node:sqlite';
import type { Migration } from './migrations/migration.ts';
import { readNumber, readText } from './rows.ts';

type Fitness =
  | { readonly kind: 'fits' }
  | { readonly kind: 'older' }
  /** A migration that this program does not know breaks it; `since` is the oldest program that knows it. */
  | { readonly kind: 'too new'; readonly version: number; readonly since: string | undefined }
  | { readonly kind: 'no version' };

/** A ledger of a newer version fits as long as nothing in it breaks this program. */
export function fitnessOf(db: DatabaseSync, known: readonly Migration[]): Fitness {
  const version = versionOf(db);
  const newest = known.length;
  if (version < 1) return { kind: 'no version' };
  if (version < newest) return { kind: 'older' };
  if (version === newest) return { kind: 'fits' };
  const rows = hasMigrationTable(db)
    ? db
        .prepare('SELECT version, since, breaks FROM migrations WHERE version > ? ORDER BY version')
        .all(newest)
    : [];
  const breaking = rows.filter((row) => readNumber(row, 'breaks') !== 0);
  // A version that does not tell what it changed is taken to have changed everything.
  if (rows.length === version - newest && breaking.length === 0) return { kind: 'fits' };
  const last = breaking.at(-1);
  return { kind: 'too new', version, since: last === undefined ? undefined : readText(last, 'since') };
}

/** All pending migrations in one transaction under the write lock: done whole or not at all, and by one process. */
export function migrate(db: DatabaseSync, known: readonly Migration[]): void {
  // Tables are copied and exchanged, which enforced foreign keys forbid. Within a transaction this has no effect.
  db.exec('PRAGMA foreign_keys = OFF');
  try {
    db.exec('BEGIN IMMEDIATE');
    // Another process may have been faster.
    const version = versionOf(db);
    if (version < known.length) {
      for (const { up } of known.slice(version)) up(db);
      recordMigrations(db, known);
      refuseBrokenReferences(db);
    }
    db.exec('COMMIT');
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
    db.exec('PRAGMA foreign_keys = ON');
  }
}

function recordMigrations(db: DatabaseSync, known: readonly Migration[]): void {
  db.exec(`CREATE TABLE IF NOT EXISTS migrations (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    breaks INTEGER NOT NULL,
    since TEXT NOT NULL
  ) STRICT`);
  const insert = db.prepare('INSERT OR IGNORE INTO migrations VALUES (?, ?, ?, ?)');
  for (const { version, name, breaks, since } of known) insert.run(version, name, breaks ? 1 : 0, since);
  db.exec(`PRAGMA user_version = ${known.length}`);
}

function refuseBrokenReferences(db: DatabaseSync): void {
  const broken = db.prepare('PRAGMA foreign_key_check').get();
  if (broken !== undefined) throw new Error(`a row of ${String(broken.table)} refers to nothing`);
}

function versionOf(db: DatabaseSync): number {
  const row = db.prepare('PRAGMA user_version').get();
  return readNumber(row, 'user_version');
}

function hasMigrationTable(db: DatabaseSync): boolean {
  return (
    db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'").get() !== undefined
  );
}
