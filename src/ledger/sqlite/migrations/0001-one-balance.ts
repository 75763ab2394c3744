// The first tables: one balance, keys that are live or test. Its CHECKs list words and numbers, which is why the
// second version had to copy most of them.

import { appendOnlyJournal, keepNumbers, type Migration } from './migration.ts';

// Rows refer to one another by number: binding and indexing text is most of what a charge costs. The ids that
// people see are text. What a number stands for never changes, so neither does what the journal says.
const tables = `
CREATE TABLE accounts (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  -- own terms: NULL follows the plan; a limit of -1 is no limit
  own_allowance INTEGER CHECK (own_allowance >= 0),
  own_minute_limit INTEGER CHECK (own_minute_limit >= -1),
  own_day_limit INTEGER CHECK (own_day_limit >= -1),
  own_month_limit INTEGER CHECK (own_month_limit >= -1),
  balance INTEGER NOT NULL CHECK (balance >= 0),
  newest_entry INTEGER, -- of its journal; each entry names the one before
  anchor_at INTEGER NOT NULL,
  refresh_at INTEGER,
  created_at INTEGER NOT NULL,
  closed_at INTEGER
) STRICT;
${keepNumbers('accounts', 'id')}

CREATE TABLE keys (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account INTEGER NOT NULL REFERENCES accounts (number),
  name TEXT,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  hash TEXT NOT NULL UNIQUE,
  last_four TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  replaced_by INTEGER REFERENCES keys (number)
) STRICT;
CREATE INDEX keys_of_account ON keys (account);
${keepNumbers('keys', 'id, account')}

CREATE TABLE endpoints (
  number INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE
) STRICT;
${keepNumbers('endpoints', 'path')}

CREATE TABLE windows (
  account INTEGER NOT NULL REFERENCES accounts (number),
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  minute_start INTEGER NOT NULL,
  minute_count INTEGER NOT NULL,
  day_start INTEGER NOT NULL,
  day_count INTEGER NOT NULL,
  month_start INTEGER NOT NULL,
  month_count INTEGER NOT NULL,
  PRIMARY KEY (account, mode)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  seq INTEGER PRIMARY KEY, -- nothing is ever deleted, so none comes twice
  -- The account's entry before this one. An index by account would be one more page written for every account
  -- in a commit, which was a third of the cost of a charge with 200 accounts in use.
  previous INTEGER CHECK (previous < seq),
  account INTEGER NOT NULL REFERENCES accounts (number),
  at INTEGER NOT NULL,
  kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 3), -- grant, refresh, charge, correction
  credits INTEGER NOT NULL,
  balance_after INTEGER NOT NULL CHECK (balance_after >= 0),
  charge_id TEXT UNIQUE,
  request_id TEXT, -- NULL: the same as charge_id
  key INTEGER REFERENCES keys (number),
  endpoint INTEGER REFERENCES endpoints (number),
  note TEXT
) STRICT;
${appendOnlyJournal}

CREATE TABLE usage (
  account INTEGER NOT NULL REFERENCES accounts (number),
  hour INTEGER NOT NULL,
  key INTEGER NOT NULL REFERENCES keys (number),
  endpoint INTEGER NOT NULL REFERENCES endpoints (number),
  status INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  PRIMARY KEY (account, hour, key, endpoint, status)
) STRICT, WITHOUT ROWID;
`;

export const oneBalance: Migration = {
  version: 1,
  name: 'one balance',
  breaks: true,
  since: '0.1.0',
  up: (db) => db.exec(tables),
};
