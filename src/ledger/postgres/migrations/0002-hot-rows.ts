// Rows that every call changes are cleaned up early: a vacuum that waits for a fifth of a large table would find thousands of
// dead versions of the few rows that busy customers have.

import type { Migration } from './migration.ts';

const tables = ['accounts', 'windows', 'identity'];

/** Takes a lock that neither reads nor writes wait for. */
export const hotRows: Migration = {
  version: 2,
  name: 'hot rows',
  breaks: false,
  since: '0.3.0',
  sql: tables
    .map(
      (table) => `ALTER TABLE domesday.${table} SET (
        autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);`,
    )
    .join('\n'),
};
