// The second tables: allowance and lasting credits, kinds of keys and entries that no CHECK lists. The one balance of
// before is split by following each journal from its first entry; docs/ledger.md says how and why.

import type { DatabaseSync } from 'node:sqlite';
import { type Row, readNumber, readNumberOrNull, readTextOrNull } from '../../../storage/rows.ts';
import { appendOnlyJournal, keepNumbers, type Migration } from './migration.ts';

const newTables = `
CREATE TABLE new_accounts (
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
  anchor_at INTEGER NOT NULL,
  period_ends_at INTEGER,
  allowance_given INTEGER NOT NULL, -- in this period
  created_at INTEGER NOT NULL,
  closed_at INTEGER
) STRICT;

CREATE TABLE new_keys (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account INTEGER NOT NULL REFERENCES accounts (number),
  name TEXT,
  kind TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  last_four TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  replaced_by INTEGER REFERENCES keys (number)
) STRICT;

CREATE TABLE new_windows (
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

CREATE TABLE new_journal (
  seq INTEGER PRIMARY KEY, -- nothing is ever deleted, so none comes twice
  previous INTEGER CHECK (previous < seq), -- the account's entry before this one
  account INTEGER NOT NULL REFERENCES accounts (number),
  at INTEGER NOT NULL,
  kind INTEGER NOT NULL, -- the place in journalKinds
  credits INTEGER NOT NULL,
  lasting INTEGER NOT NULL, -- a part of credits
  balance_after INTEGER NOT NULL CHECK (balance_after >= 0),
  lasting_after INTEGER NOT NULL CHECK (lasting_after >= 0),
  charge_id TEXT UNIQUE,
  request_id TEXT, -- NULL: the same as charge_id
  key INTEGER REFERENCES keys (number),
  endpoint INTEGER REFERENCES endpoints (number),
  note TEXT
) STRICT;
`;

const copies = `
INSERT INTO new_accounts SELECT number, id, name, plan, own_allowance, own_minute_limit, own_day_limit,
  own_month_limit, balance, 0, newest_entry, anchor_at, refresh_at, 0, created_at, closed_at FROM accounts;
INSERT INTO new_keys SELECT * FROM keys;
INSERT INTO new_windows SELECT * FROM windows;
INSERT INTO new_journal SELECT seq, previous, account, at, kind, credits, 0, balance_after, 0, charge_id,
  request_id, key, endpoint, note FROM journal ORDER BY seq;
`;

const exchanges = ['accounts', 'keys', 'windows', 'journal']
  .map((table) => `DROP TABLE ${table}; ALTER TABLE new_${table} RENAME TO ${table};`)
  .join('\n');

const indexesAndTriggers = `
CREATE INDEX keys_of_account ON keys (account);
${keepNumbers('accounts', 'id')}
${keepNumbers('keys', 'id, account')}
${appendOnlyJournal}
`;

export const twoBalances: Migration = {
  version: 2,
  name: 'two balances',
  breaks: true,
  since: '0.2.0',
  up: (db) => {
    db.exec(newTables);
    db.exec(copies);
    splitBalances(db);
    db.exec(exchanges);
    db.exec(indexesAndTriggers);
  },
};

const kinds = { grant: 0, refresh: 1, charge: 2, correction: 3 };
/** The note that version 1 wrote with the entry of a change of plan. */
const planNote =
  /^plan (trial|basic|standard|premium|enterprise) to (trial|basic|standard|premium|enterprise)$/;

type Entry = {
  readonly seq: number;
  readonly isFirst: boolean;
  readonly kind: number;
  readonly credits: number;
  readonly balanceAfter: number;
  readonly note: string;
};

/** What the entries so far have come to. */
type Split = { readonly lasting: number; readonly allowanceGiven: number };

// Charges matter only where something was granted. In the order of writing, so that no index by account is needed.
const entriesToFollow = `SELECT seq, previous, account, kind, credits, balance_after, note FROM journal
  WHERE kind <> ${kinds.charge}
    OR account IN (SELECT account FROM journal WHERE kind = ${kinds.grant} AND previous IS NOT NULL)
  ORDER BY seq`;

function splitBalances(db: DatabaseSync): void {
  const updateEntry = db.prepare('UPDATE new_journal SET lasting = ?, lasting_after = ? WHERE seq = ?');
  const updateAccount = db.prepare(
    'UPDATE new_accounts SET lasting = min(?, balance), allowance_given = ? WHERE number = ?',
  );
  const splits = new Map<number, Split>();
  for (const row of db.prepare(entriesToFollow).iterate()) {
    const account = readNumber(row, 'account');
    const entry = readEntry(row);
    const before = splits.get(account) ?? { lasting: 0, allowanceGiven: 0 };
    const after = follow(before, entry);
    splits.set(account, after);
    if (before.lasting === 0 && after.lasting === 0) continue;
    updateEntry.run(after.lasting - before.lasting, after.lasting, entry.seq);
  }
  for (const [account, { lasting, allowanceGiven }] of splits) {
    updateAccount.run(lasting, allowanceGiven, account);
  }
}

function readEntry(row: Row): Entry {
  return {
    seq: readNumber(row, 'seq'),
    isFirst: readNumberOrNull(row, 'previous') === null,
    kind: readNumber(row, 'kind'),
    credits: readNumber(row, 'credits'),
    balanceAfter: readNumber(row, 'balance_after'),
    note: readTextOrNull(row, 'note') ?? '',
  };
}

function follow({ lasting, allowanceGiven }: Split, entry: Entry): Split {
  const { isFirst, kind, credits, balanceAfter, note } = entry;
  const change = planNote.exec(note);
  const startsPeriod = change !== null && change[1] === 'trial' && change[2] !== 'trial';
  // These set the whole balance to the allowance: grants before them ended.
  if (isFirst || kind === kinds.refresh || startsPeriod) return { lasting: 0, allowanceGiven: balanceAfter };
  if (change !== null) return { lasting, allowanceGiven: allowanceGiven + credits };
  if (kind === kinds.grant) return { lasting: lasting + credits, allowanceGiven };
  if (kind === kinds.correction) return { lasting: Math.max(0, lasting + credits), allowanceGiven };
  return { lasting: Math.min(lasting, balanceAfter), allowanceGiven };
}
