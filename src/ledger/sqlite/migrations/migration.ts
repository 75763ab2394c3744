// What a migration of the SQLite engine's file is.

import type { DatabaseSync } from 'node:sqlite';
import type { Version } from '../../stored/versions.ts';

export type Migration = Version & {
  /** Runs within a transaction that holds the write lock, without foreign keys enforced. */
  readonly up: (db: DatabaseSync) => void;
};

/** Triggers that keep a number for what it was given to. */
export function keepNumbers(table: 'accounts' | 'keys' | 'endpoints', columns: string): string {
  return `
CREATE TRIGGER ${table}_are_never_deleted BEFORE DELETE ON ${table}
BEGIN SELECT RAISE(ABORT, '${table} are never deleted'); END;
CREATE TRIGGER ${table}_keep_their_numbers BEFORE UPDATE OF number, ${columns} ON ${table}
BEGIN SELECT RAISE(ABORT, '${table} keep their numbers'); END;`;
}

/** Triggers that keep the journal as it was written. */
export const appendOnlyJournal = `
CREATE TRIGGER journal_is_never_changed BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_is_never_shortened BEFORE DELETE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;`;
