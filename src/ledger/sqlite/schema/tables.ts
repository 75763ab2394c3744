// Tables, views and triggers of the SQLite engine's file.

import { journalKinds } from '../../told/entries.ts';

/** Triggers that keep a number for what it was given to. */
const keepNumbers = (table: 'accounts' | 'keys' | 'endpoints', columns: string): string => `
CREATE TRIGGER ${table}_are_never_deleted BEFORE DELETE ON ${table}
BEGIN SELECT RAISE(ABORT, '${table} are never deleted'); END;
CREATE TRIGGER ${table}_keep_their_numbers BEFORE UPDATE OF number, ${columns} ON ${table}
BEGIN SELECT RAISE(ABORT, '${table} keep their numbers'); END;`;

// Rows refer to one another by number: binding and indexing text is most of what a charge costs. The ids that
// people see are text. What a number stands for never changes, so neither does what the journal says.
export const tables = `
CREATE TABLE identity ( -- what tells this ledger from every other and from older copies of itself
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  id TEXT NOT NULL,
  generation INTEGER NOT NULL, -- raised by every start of a service and every restore
  pulse INTEGER NOT NULL, -- raised at most once a second while the service writes
  backed_up_at INTEGER,
  counted_entry INTEGER NOT NULL -- charges up to this entry of the journal are in the usage
) STRICT;
INSERT INTO identity VALUES (1, lower(hex(randomblob(16))), 0, 0, NULL, 0);

CREATE TABLE accounts (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  -- own terms: NULL follows the plan; a limit of -1 is no limit
  own_allowance INTEGER,
  own_minute_limit INTEGER,
  own_day_limit INTEGER,
  own_month_limit INTEGER,
  balance INTEGER NOT NULL CHECK (balance >= 0),
  lasting INTEGER NOT NULL CHECK (lasting >= 0), -- a part of balance
  newest_entry INTEGER, -- of its journal; each entry names the one before
  newest_hash TEXT, -- of that entry
  anchor_at INTEGER NOT NULL,
  period_ends_at INTEGER,
  allowance_given INTEGER NOT NULL, -- in this period
  created_at INTEGER NOT NULL,
  closed_at INTEGER,
  suspended_at INTEGER, -- NULL: it is not
  suspended_because TEXT CHECK ((suspended_because IS NULL) = (suspended_at IS NULL)),
  last_day_at INTEGER NOT NULL DEFAULT 0 -- start of its last day with usage; days before are in past_days
) STRICT;
${keepNumbers('accounts', 'id')}

CREATE TABLE keys (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account INTEGER NOT NULL REFERENCES accounts (number),
  name TEXT,
  kind TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  last_four TEXT NOT NULL,
  origins TEXT, -- with spaces between; NULL for keys that are bound to none
  paths TEXT, -- of endpoints, with spaces between; NULL = all of them
  addresses TEXT, -- blocks of them, with spaces between; NULL = any
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
  mode TEXT NOT NULL,
  minute_start INTEGER NOT NULL,
  minute_count INTEGER NOT NULL,
  day_start INTEGER NOT NULL,
  day_count INTEGER NOT NULL,
  month_start INTEGER NOT NULL,
  month_count INTEGER NOT NULL,
  PRIMARY KEY (account, mode)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal ( -- what its numbers refer to is never deleted, so that no charge has to look it up
  seq INTEGER PRIMARY KEY, -- no number comes twice
  -- The account's entry before this one. An index by account would be one more page written for every account
  -- in a commit, which was a third of the cost of a charge with 200 accounts in use.
  previous INTEGER CHECK (previous < seq),
  account INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind INTEGER NOT NULL, -- the place in journalKinds; closing entries are in a table of their own
  credits INTEGER NOT NULL,
  lasting INTEGER NOT NULL, -- a part of credits
  balance_after INTEGER NOT NULL CHECK (balance_after >= 0),
  lasting_after INTEGER NOT NULL CHECK (lasting_after >= 0),
  charge_id TEXT UNIQUE,
  request_id TEXT, -- NULL: the same as charge_id
  key INTEGER,
  endpoint INTEGER,
  note TEXT,
  hash TEXT -- over this entry and the account's hash before
) STRICT;
-- The few entries that are no charges are found without reading all the others.
CREATE INDEX movements ON journal (account, at) WHERE kind <> ${journalKinds.indexOf('charge')};

CREATE TABLE trimming (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  is_under_way INTEGER NOT NULL -- 1 only within the transaction of a trim, so that nobody else ever meets it
) STRICT;
INSERT INTO trimming VALUES (1, 0);

CREATE TRIGGER journal_is_never_changed BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_is_never_shortened BEFORE DELETE ON journal WHEN (SELECT is_under_way FROM trimming) = 0
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TABLE closings (
  seq INTEGER PRIMARY KEY, -- that of the last entry it stands for
  account INTEGER NOT NULL UNIQUE REFERENCES accounts (number),
  at INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  lasting INTEGER NOT NULL,
  balance_after INTEGER NOT NULL CHECK (balance_after >= 0),
  lasting_after INTEGER NOT NULL CHECK (lasting_after >= 0),
  note TEXT NOT NULL,
  hash TEXT, -- that of the last entry it stands for
  entries INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  closing_hash TEXT NOT NULL -- over the closing entry
) STRICT;

-- What periods have given that an account has left, so that a clock that goes back gives none of them again.
CREATE TABLE periods (
  account INTEGER NOT NULL REFERENCES accounts (number),
  ends_at INTEGER NOT NULL,
  allowance_given INTEGER NOT NULL,
  PRIMARY KEY (account, ends_at)
) STRICT, WITHOUT ROWID;

-- Calls with an Idempotency-Key, for the day in which they may be sent again.
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

-- The usage added up by day: a year of a busy account is read in a moment. It is added up when a day is over, since to keep it with
-- each charge takes a page more in every commit. Triggers decide what is added up, so that whatever changes the usage changes both.
CREATE TABLE past_days (
  account INTEGER NOT NULL,
  day INTEGER NOT NULL, -- by UTC, since 1970
  key INTEGER NOT NULL,
  endpoint INTEGER NOT NULL,
  status INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  PRIMARY KEY (account, day, key, endpoint, status)
) STRICT, WITHOUT ROWID;

CREATE VIEW last_days AS
  SELECT number AS account, last_day_at / 86400000 AS day, key, endpoint, status, sum(calls) AS calls, sum(credits) AS credits
    FROM accounts CROSS JOIN usage ON usage.account = number AND hour >= last_day_at
    GROUP BY 1, 2, 3, 4, 5;
CREATE VIEW usage_days AS SELECT * FROM past_days UNION ALL SELECT * FROM last_days;

CREATE TRIGGER usage_of_a_day_begins AFTER INSERT ON usage
  WHEN NEW.hour >= (SELECT last_day_at FROM accounts WHERE number = NEW.account) + 86400000
BEGIN
  INSERT INTO past_days SELECT account, hour / 86400000, key, endpoint, status, sum(calls), sum(credits) FROM usage
    WHERE account = NEW.account AND hour >= (SELECT last_day_at FROM accounts WHERE number = NEW.account)
      AND hour < NEW.hour - NEW.hour % 86400000
    GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT DO UPDATE SET calls = excluded.calls, credits = excluded.credits;
  UPDATE accounts SET last_day_at = NEW.hour - NEW.hour % 86400000 WHERE number = NEW.account;
END;
CREATE TRIGGER usage_of_a_past_hour_begins AFTER INSERT ON usage
  WHEN NEW.hour < (SELECT last_day_at FROM accounts WHERE number = NEW.account)
BEGIN
  INSERT INTO past_days
    VALUES (NEW.account, NEW.hour / 86400000, NEW.key, NEW.endpoint, NEW.status, NEW.calls, NEW.credits)
    ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits;
END;
CREATE TRIGGER usage_of_a_past_hour_grows AFTER UPDATE OF calls, credits ON usage
  WHEN NEW.hour < (SELECT last_day_at FROM accounts WHERE number = NEW.account)
BEGIN
  UPDATE past_days SET calls = calls + NEW.calls - OLD.calls, credits = credits + NEW.credits - OLD.credits
    WHERE account = NEW.account AND day = NEW.hour / 86400000 AND key = NEW.key AND endpoint = NEW.endpoint
      AND status = NEW.status;
END;
`;
