// Every migration of a ledger in a database, oldest first. The first makes all tables and functions, and is edited in place until
// version 1.0 is published; from then on a change is another migration.

import type { Version } from '../../stored/versions.ts';
import { chargingFunctions } from './charging.ts';
import { functions } from './functions.ts';
import { tables } from './tables.ts';

export type Migration = Version & {
  /** Runs within one transaction that holds the lock of all migrations. Replicas of the version before go on serving
   *  meanwhile: what it locks, it locks briefly. */
  readonly sql: string;
};

export const migrations: readonly Migration[] = [
  { version: 1, name: 'ledger', breaks: true, since: '1.0.0', sql: tables + functions + chargingFunctions },
];
