// Calls with an Idempotency-Key, for the day in which they may be sent again.

import type { Migration } from './migration.ts';

const tables = `
CREATE TABLE repeats (
  -- Of the charge. It grows, so the oldest are found without an index by time. No reference: retention may be done
  -- before these rows are removed.
  entry INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES accounts (number),
  key TEXT NOT NULL, -- digest
  call TEXT NOT NULL, -- digest
  at INTEGER NOT NULL,
  UNIQUE (account, key)
) STRICT;
`;

export const repeats: Migration = {
  version: 4,
  name: 'repeats',
  breaks: false,
  since: '0.2.0',
  up: (db) => db.exec(tables),
};
