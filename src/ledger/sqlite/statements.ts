// The statements of the SQLite engine, prepared once. No rule stands here: what a statement writes was worked out by
// rules.ts.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Row, readNumber } from '../../storage/rows.ts';
import { hourMs } from '../../time.ts';
import type { Window } from '../ledger.ts';
import { journalKinds } from '../told/entries.ts';
import type { Counts } from './tally.ts';

const chargeKind = journalKinds.indexOf('charge');
const chargeRow = `(?, ?, ?, ?, ${chargeKind}, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Charges that one statement writes: a dozen take two thirds of the time that they take one by one. */
export const chargesMost = 16;

const insertCharges = (count: number): string =>
  `INSERT INTO journal (seq, previous, account, at, kind, credits, lasting, balance_after, lasting_after,
    charge_id, request_id, key, endpoint, hash) VALUES ${Array(count).fill(chargeRow).join(', ')}`;

/** Charges after one entry, up to another: what the usage lacks as long as it does not know them. */
const uncounted = `SELECT account, at - (at % ${hourMs} + ${hourMs}) % ${hourMs} AS hour, key, endpoint, 200 AS status,
    count(*) AS calls, -sum(credits) AS credits FROM journal WHERE kind = ${chargeKind}`;

const texts = {
  pageCount: 'PRAGMA page_count',
  findUnrevokedKey: `SELECT keys.id AS key_id, accounts.id AS account_id, kind, hash, origins, paths, addresses,
    expires_at
    FROM keys JOIN accounts ON accounts.number = keys.account WHERE hash = ? AND revoked_at IS NULL`,
  findPayer: `SELECT keys.number, accounts.id AS account_id
    FROM keys JOIN accounts ON accounts.number = keys.account WHERE keys.id = ?`,
  findAccount: 'SELECT * FROM accounts WHERE id = ?',
  findEndpoint: 'SELECT number FROM endpoints WHERE path = ?',
  insertEndpoint: 'INSERT INTO endpoints (path) VALUES (?)',
  findWindows: 'SELECT * FROM windows WHERE account = ? AND mode = ?',
  findUncounted: `SELECT counted_entry, newest, max(newest - counted_entry, 0) AS uncounted
    FROM identity, (SELECT coalesce(max(seq), 0) AS newest FROM journal)`,
  countCharges: `INSERT INTO usage ${uncounted} AND seq > ? AND seq <= ? GROUP BY 1, 2, 3, 4
    ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits`,
  setCounted: 'UPDATE identity SET counted_entry = ?',
  newestEntry: 'SELECT coalesce(max(seq), 0) AS seq FROM journal',
  findCharge: `SELECT seq, account, accounts.id AS account_id, at, credits, journal.lasting, balance_after, key, endpoint
    FROM journal JOIN accounts ON accounts.number = journal.account WHERE charge_id = ?`,
  findRepeat: `SELECT repeats.call, repeats.at, charge_id FROM repeats JOIN journal ON seq = entry
    WHERE charge_id IS NOT NULL AND repeats.account = ? AND repeats.key = ?`,
  insertRepeat: 'INSERT OR REPLACE INTO repeats (entry, account, key, call, at) VALUES (?, ?, ?, ?, ?)',
  removeRepeat: 'DELETE FROM repeats WHERE entry = ?',
  removeRepeats: `DELETE FROM repeats WHERE entry IN (SELECT entry FROM repeats ORDER BY entry LIMIT ?)
    AND (at <= ? OR at >= ?)`,
  updateBalances:
    'UPDATE accounts SET balance = ?, lasting = ?, newest_entry = ?, newest_hash = ? WHERE number = ?',
  upsertWindows: `INSERT INTO windows VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    minute_start = excluded.minute_start, minute_count = excluded.minute_count,
    day_start = excluded.day_start, day_count = excluded.day_count,
    month_start = excluded.month_start, month_count = excluded.month_count`,
  // A fault undoes the transaction anyway; so SQLite keeps no copy of what this statement and its triggers change.
  growUsage: `UPDATE OR ROLLBACK usage SET calls = calls + ?6, credits = credits + ?7
    WHERE account = ?1 AND hour = ?2 AND key = ?3 AND endpoint = ?4 AND status = ?5`,
  insertUsage:
    'INSERT INTO usage (account, hour, key, endpoint, status, calls, credits) VALUES (?, ?, ?, ?, ?, ?, ?)',
  raisePulse: 'UPDATE identity SET pulse = pulse + 1 RETURNING pulse',
} as const;

/** What a service that was cut off left of it. For a file that nobody else uses. */
export function countAllCharges(db: DatabaseSync): void {
  const row = db.prepare(texts.findUncounted).get();
  // Without an identity it is no ledger, as whoever reads that next says.
  if (row === undefined) return;
  const newest = readNumber(row, 'newest');
  db.prepare(texts.countCharges).run(readNumber(row, 'counted_entry'), newest);
  db.prepare(texts.setCounted).run(newest);
}

export type Statements = Readonly<Record<keyof typeof texts, StatementSync>> & {
  /** Writes so many charges. */
  readonly insertCharges: (count: number) => StatementSync;
};

export function prepareStatements(db: DatabaseSync): Statements {
  const prepare = (name: keyof typeof texts): StatementSync => db.prepare(texts[name]);
  const ofCharges: StatementSync[] = [];
  return {
    pageCount: prepare('pageCount'),
    findUnrevokedKey: prepare('findUnrevokedKey'),
    findPayer: prepare('findPayer'),
    findAccount: prepare('findAccount'),
    findEndpoint: prepare('findEndpoint'),
    insertEndpoint: prepare('insertEndpoint'),
    findWindows: prepare('findWindows'),
    insertCharges: (count) => {
      ofCharges[count] ??= db.prepare(insertCharges(count));
      return ofCharges[count];
    },
    newestEntry: prepare('newestEntry'),
    findUncounted: prepare('findUncounted'),
    countCharges: prepare('countCharges'),
    setCounted: prepare('setCounted'),
    findCharge: prepare('findCharge'),
    findRepeat: prepare('findRepeat'),
    insertRepeat: prepare('insertRepeat'),
    removeRepeat: prepare('removeRepeat'),
    removeRepeats: prepare('removeRepeats'),
    updateBalances: prepare('updateBalances'),
    upsertWindows: prepare('upsertWindows'),
    growUsage: prepare('growUsage'),
    insertUsage: prepare('insertUsage'),
    raisePulse: prepare('raisePulse'),
  };
}

type Usage = {
  readonly account: number;
  readonly hourStartMs: number;
  readonly key: number | null;
  readonly endpoint: number | null;
  readonly status: number;
  readonly calls: number;
  readonly credits: number;
};

/** Nearly always there is some of the same hour; one statement for both cases takes twice as long. */
export function addUsage(
  { growUsage, insertUsage }: Pick<Statements, 'growUsage' | 'insertUsage'>,
  { account, hourStartMs, key, endpoint, status, calls, credits }: Usage,
): void {
  const values = [account, hourStartMs, key, endpoint, status, calls, credits];
  if (growUsage.run(...values).changes === 0) insertUsage.run(...values);
}

export function countsFrom(row: Row): Counts {
  const count = (window: Window) => ({
    startMs: readNumber(row, `${window}_start`),
    count: readNumber(row, `${window}_count`),
  });
  return { minute: count('minute'), day: count('day'), month: count('month') };
}
