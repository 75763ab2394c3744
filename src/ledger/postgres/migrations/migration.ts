// What a migration of the PostgreSQL ledger is.

import type { Version } from '../../stored/versions.ts';

export type Migration = Version & {
  /** Runs within one transaction that holds the lock of all migrations. Replicas of the version before go on serving
   *  meanwhile: what it locks, it locks briefly. */
  readonly sql: string;
};
