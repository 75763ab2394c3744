// Every migration of the records, oldest first. The first makes all tables, and is edited in place until version 1.0 is published; from
// then on a change is another migration.

import type { Version } from '../ledger/stored/versions.ts';
import { peopleTables } from './people-tables.ts';

/** For both engines: BIGINT is a whole number, TEXT a text. Tables are named without a schema. */
type RecordsMigration = Version & { readonly statements: readonly string[] };

const requestTables: readonly string[] = [
  // What an account's calls left, many in a row: `lines` has them as JSON, `parameters` what was asked in the same order.
  `CREATE TABLE request_chunks (
    chunk_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    requests BIGINT NOT NULL,
    first_ms BIGINT NOT NULL,
    last_ms BIGINT NOT NULL,
    lines TEXT NOT NULL,
    parameters TEXT
  )`,
  'CREATE INDEX request_chunks_by_time ON request_chunks (account_id, last_ms)',
  'CREATE INDEX request_chunks_with_parameters ON request_chunks (first_ms) WHERE parameters IS NOT NULL',
  // Accounts that have the parameters of their calls kept.
  'CREATE TABLE request_parameters_kept (account_id TEXT PRIMARY KEY, since_ms BIGINT NOT NULL)',
  // Of an hour, as one thread of one service has counted them: written again as they grow. '' is no account.
  `CREATE TABLE refusals (
    hour_ms BIGINT NOT NULL,
    counter_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    path TEXT NOT NULL,
    status BIGINT NOT NULL,
    code TEXT NOT NULL,
    calls BIGINT NOT NULL,
    PRIMARY KEY (hour_ms, counter_id, account_id, path, status, code)
  )`,
];

export const recordsMigrations: readonly RecordsMigration[] = [
  {
    version: 1,
    name: 'records',
    breaks: true,
    since: '1.0.0',
    statements: [...requestTables, ...peopleTables],
  },
];
