// Brings a ledger file to the newest version that this program knows, and says whether the program can use it.

import type { DatabaseSync } from 'node:sqlite';
import { readNumber } from '../../storage/rows.ts';
import { LedgerUnavailable, type Tell } from '../ledger.ts';
import { type Fitness, judgeVersion } from '../stored/versions.ts';
import type { Migration } from './schema/migrations.ts';

export function fitnessOf(db: DatabaseSync, known: readonly Migration[]): Fitness {
  const recorded = () =>
    hasVersionsTable(db)
      ? db
          .prepare('SELECT version, since, breaks FROM versions WHERE version > ? ORDER BY version')
          .all(known.length)
      : [];
  return judgeVersion(versionOf(db), recorded, known);
}

/** All pending migrations in one transaction under the write lock: done whole or not at all, and by one process. */
export function migrate(db: DatabaseSync, known: readonly Migration[], tell: Tell = () => undefined): void {
  // Tables are copied and exchanged, which enforced foreign keys forbid. Within a transaction this has no effect.
  db.exec('PRAGMA foreign_keys = OFF');
  try {
    db.exec('BEGIN IMMEDIATE');
    // Another process may have been faster.
    const version = versionOf(db);
    let tellEnd: (() => void) | undefined;
    if (version < known.length) {
      if (version > 0) tellEnd = tellBegin(db, tell, version, known.length);
      for (const { up } of known.slice(version)) up(db);
      recordVersions(db, known);
      refuseBrokenReferences(db);
    }
    db.exec('COMMIT');
    tellEnd?.();
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
    db.exec('PRAGMA foreign_keys = ON');
  }
}

/** A large ledger takes seconds in which nothing else happens. */
function tellBegin(db: DatabaseSync, tell: Tell, from: number, to: number): () => void {
  const startedMs = performance.now();
  const entries = readNumber(db.prepare('SELECT count(*) AS entries FROM journal').get(), 'entries');
  const what = `the ledger from version ${from} to ${to}`;
  tell({ level: 'info', message: `upgrading ${what}: ${entries} entries, about 4 s for a million` });
  return () => {
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    tell({ level: 'info', message: `upgraded ${what} in ${seconds} s` });
  };
}

function recordVersions(db: DatabaseSync, known: readonly Migration[]): void {
  db.exec(`CREATE TABLE IF NOT EXISTS versions (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    breaks INTEGER NOT NULL,
    since TEXT NOT NULL
  ) STRICT`);
  const insert = db.prepare('INSERT OR IGNORE INTO versions VALUES (?, ?, ?, ?)');
  for (const { version, name, breaks, since } of known) insert.run(version, name, breaks ? 1 : 0, since);
  db.exec(`PRAGMA user_version = ${known.length}`);
}

/** The tables of an older ledger contradict one another: it was changed by other hands or is damaged. */
export class BrokenReferences extends LedgerUnavailable {
  override name = 'BrokenReferences';
  readonly what: string;

  constructor(what: string) {
    super(`The ledger cannot be upgraded: ${what}; restore a backup from before it was changed.`);
    this.what = what;
  }
}

function refuseBrokenReferences(db: DatabaseSync): void {
  const broken = db.prepare('PRAGMA foreign_key_check').get();
  if (broken === undefined) return;
  throw new BrokenReferences(
    `a row of ${String(broken.table)} refers to a missing row of ${String(broken.parent)}`,
  );
}

function versionOf(db: DatabaseSync): number {
  const row = db.prepare('PRAGMA user_version').get();
  return readNumber(row, 'user_version');
}

function hasVersionsTable(db: DatabaseSync): boolean {
  return (
    db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'versions'").get() !== undefined
  );
}
