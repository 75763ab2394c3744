// Every migration of a database of PostgreSQL, oldest first. The first makes all tables and functions, and is edited in place until
// version 1.0 is published; from then on a change is another migration.

import { peopleTables, requestTables } from '../../../storage/tables.ts';
import type { Version } from '../../stored/versions.ts';
import { chargingFunctions } from './charging.ts';
import { functions } from './functions.ts';
import { tables } from './tables.ts';

export type Migration = Version & {
  /** Runs within one transaction that holds the lock of all migrations. Replicas of the version before go on serving
   *  meanwhile: what it locks, it locks briefly. */
  readonly sql: string;
};

/** Requests may be lost, so that the server need not log them. */
const unlogged = requestTables.map((text) => text.replace(/^CREATE TABLE/, 'CREATE UNLOGGED TABLE'));
const portable = ['SET LOCAL search_path = domesday', ...peopleTables, ...unlogged].join(';\n');

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'domesday',
    breaks: true,
    since: '1.0.0',
    sql: tables + functions + chargingFunctions + portable,
  },
];
