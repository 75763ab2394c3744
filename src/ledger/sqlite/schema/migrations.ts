// Every migration of the SQLite engine's file, oldest first. The first makes all tables, and is edited in place until version 1.0 is
// published; from then on a change is another migration.

import type { DatabaseSync } from 'node:sqlite';
import { inStrictTypes, peopleTables } from '../../../storage/tables.ts';
import type { Version } from '../../stored/versions.ts';
import { tables } from './tables.ts';

export type Migration = Version & {
  /** Runs within a transaction that holds the write lock, without foreign keys enforced. */
  readonly up: (db: DatabaseSync) => void;
};

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'domesday',
    breaks: true,
    since: '1.0.0',
    up: (db) => db.exec(tables + inStrictTypes(peopleTables)),
  },
];
