// The journal as a chain, retention, and what each period has given. Nothing is copied: entries from before have no hash.

import type { Migration } from './migration.ts';

const changes = `
ALTER TABLE journal ADD COLUMN hash TEXT; -- over this entry and the account's hash before; NULL before the chain

CREATE TABLE chain (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  unchained_to INTEGER NOT NULL, -- the last entry without a hash
  trimming INTEGER NOT NULL -- 1 only within the transaction of a trim, so that nobody else ever meets it
) STRICT;
INSERT INTO chain SELECT 1, coalesce(max(seq), 0), 0 FROM journal;

CREATE TABLE closings (
  seq INTEGER PRIMARY KEY, -- of the closing entry in the journal
  entries INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  hash TEXT NOT NULL -- over the closing entry; the hash in the journal is that of the last entry it stands for
) STRICT;

-- What periods have given that an account has left, so that a clock that goes back gives none of them again.
CREATE TABLE periods (
  account INTEGER NOT NULL REFERENCES accounts (number),
  ends_at INTEGER NOT NULL,
  allowance_given INTEGER NOT NULL,
  PRIMARY KEY (account, ends_at)
) STRICT, WITHOUT ROWID;

DROP TRIGGER journal_is_never_shortened;
CREATE TRIGGER journal_is_never_shortened BEFORE DELETE ON journal WHEN (SELECT trimming FROM chain) = 0
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
`;

export const chain: Migration = {
  version: 3,
  name: 'chain',
  breaks: true, // a program that does not know it would write entries without a hash
  since: '0.2.0',
  up: (db) => db.exec(changes),
};
