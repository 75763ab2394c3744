// The statements of the SQLite engine, prepared once. No rule stands here: what a statement writes was worked out by
// rules.ts.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Row, readNumber } from '../../storage/rows.ts';
import { dayMs, hourMs } from '../../time.ts';
import type { Window } from '../ledger.ts';
import { journalKinds } from '../told/entries.ts';
import type { Counts } from './tally.ts';

const selectKeys = `SELECT keys.*, accounts.id AS account_id, newer.id AS replaced_by_id
    FROM keys JOIN accounts ON accounts.number = keys.account
    LEFT JOIN keys AS newer ON newer.number = keys.replaced_by`;

const selectAccounts = `SELECT accounts.*, journal.hash AS newest_hash
    FROM accounts LEFT JOIN journal ON seq = newest_entry`;

export const entryColumns = `seq, previous, at, journal.kind, credits, lasting, balance_after, lasting_after, charge_id,
    coalesce(request_id, charge_id) AS request_id, keys.id AS key_id, path AS endpoint, note`;

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
  dataVersion: 'PRAGMA data_version',
  pageCount: 'PRAGMA page_count',
  findUnrevokedKey: `SELECT keys.id AS key_id, accounts.id AS account_id, kind, hash, origins, paths, addresses,
    expires_at
    FROM keys JOIN accounts ON accounts.number = keys.account WHERE hash = ? AND revoked_at IS NULL`,
  findPayer: `SELECT keys.number, accounts.id AS account_id
    FROM keys JOIN accounts ON accounts.number = keys.account WHERE keys.id = ?`,
  findAccount: `${selectAccounts} WHERE id = ?`,
  findEndpoint: 'SELECT number FROM endpoints WHERE path = ?',
  insertEndpoint: 'INSERT INTO endpoints (path) VALUES (?)',
  findWindows: 'SELECT * FROM windows WHERE account = ? AND mode = ?',
  findUncounted: `SELECT counted_entry, newest, max(newest - counted_entry, 0) AS uncounted
    FROM identity, (SELECT coalesce(max(seq), 0) AS newest FROM journal)`,
  countCharges: `INSERT INTO usage ${uncounted} AND seq > ? AND seq <= ? GROUP BY 1, 2, 3, 4
    ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits`,
  setCounted: 'UPDATE identity SET counted_entry = ?',
  newestEntry: 'SELECT coalesce(max(seq), 0) AS seq FROM journal',
  insertEntry: `INSERT INTO journal
    (seq, previous, account, at, kind, credits, lasting, balance_after, lasting_after, charge_id, note, hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  findCharge: `SELECT seq, account, accounts.id AS account_id, at, credits, journal.lasting, balance_after, key, endpoint
    FROM journal JOIN accounts ON accounts.number = journal.account WHERE charge_id = ?`,
  findRepeat: `SELECT repeats.call, repeats.at, charge_id FROM repeats JOIN journal ON seq = entry
    WHERE charge_id IS NOT NULL AND repeats.account = ? AND repeats.key = ?`,
  insertRepeat: 'INSERT OR REPLACE INTO repeats (entry, account, key, call, at) VALUES (?, ?, ?, ?, ?)',
  removeRepeat: 'DELETE FROM repeats WHERE entry = ?',
  removeRepeats: `DELETE FROM repeats WHERE entry IN (SELECT entry FROM repeats ORDER BY entry LIMIT ?)
    AND (at <= ? OR at >= ?)`,
  updateBalances: 'UPDATE accounts SET balance = ?, lasting = ?, newest_entry = ? WHERE number = ?',
  updatePeriod: `UPDATE accounts SET anchor_at = ?, period_ends_at = ?, allowance_given = ?
    WHERE number = ?`,
  upsertGiven: `INSERT INTO periods VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET allowance_given = max(allowance_given, excluded.allowance_given)`,
  findGiven: `SELECT coalesce(max(allowance_given), 0) AS given FROM periods
    WHERE account = ? AND ends_at > ? AND ends_at <= ?`,
  upsertWindows: `INSERT INTO windows VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    minute_start = excluded.minute_start, minute_count = excluded.minute_count,
    day_start = excluded.day_start, day_count = excluded.day_count,
    month_start = excluded.month_start, month_count = excluded.month_count`,
  // A fault undoes the transaction anyway; so SQLite keeps no copy of what this statement and its triggers change.
  growUsage: `UPDATE OR ROLLBACK usage SET calls = calls + ?6, credits = credits + ?7
    WHERE account = ?1 AND hour = ?2 AND key = ?3 AND endpoint = ?4 AND status = ?5`,
  insertUsage:
    'INSERT INTO usage (account, hour, key, endpoint, status, calls, credits) VALUES (?, ?, ?, ?, ?, ?, ?)',
  insertAccount: `INSERT INTO accounts (id, name, plan, own_allowance, own_minute_limit, own_day_limit,
    own_month_limit, balance, lasting, anchor_at, period_ends_at, allowance_given, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?)`,
  raisePulse: 'UPDATE identity SET pulse = pulse + 1 RETURNING pulse',
  listAccounts: `${selectAccounts} ORDER BY created_at, number`,
  listAccountsAfter: `${selectAccounts} WHERE number > ? ORDER BY number LIMIT ?`,
  updateTerms: `UPDATE accounts SET plan = ?, own_allowance = ?, own_minute_limit = ?, own_day_limit = ?,
    own_month_limit = ? WHERE number = ?`,
  closeAccount: 'UPDATE accounts SET closed_at = ? WHERE number = ?',
  renameAccount: 'UPDATE accounts SET name = ? WHERE number = ?',
  setSuspension: 'UPDATE accounts SET suspended_at = ?, suspended_because = ? WHERE number = ?',
  insertKey: `INSERT INTO keys (id, account, name, kind, hash, last_four, origins, paths, addresses, created_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  renewKey: `UPDATE keys SET hash = ?, last_four = ?, created_at = ?, expires_at = ?, revoked_at = NULL WHERE id = ?`,
  updateKey: 'UPDATE keys SET name = ?, expires_at = ?, paths = ?, addresses = ? WHERE id = ?',
  listWebKeys: `${selectKeys} WHERE keys.account = ? AND keys.kind = 'web'`,
  countLiveKeys: `SELECT count(*) AS count FROM keys WHERE account = ? AND kind <> 'web' AND revoked_at IS NULL
    AND replaced_by IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
  findKeyById: `${selectKeys} WHERE keys.id = ?`,
  listKeys: `${selectKeys} WHERE keys.account = ? ORDER BY keys.created_at, keys.number`,
  endKey: `UPDATE keys SET expires_at = ?, revoked_at = ?,
    replaced_by = (SELECT number FROM keys AS newer WHERE newer.id = ?) WHERE id = ?`,
  listJournal: `WITH RECURSIVE chain (entry, before) AS (
      SELECT seq, previous FROM journal WHERE seq = ?
      UNION ALL SELECT seq, previous FROM chain JOIN journal ON seq = before LIMIT ?)
    SELECT ${entryColumns}
    FROM chain JOIN journal ON seq = entry
    LEFT JOIN keys ON keys.number = key LEFT JOIN endpoints ON endpoints.number = endpoint
    ORDER BY seq DESC`,
  listUsage: `SELECT hour, keys.id AS key_id, path AS endpoint, status, calls, credits
    FROM usage JOIN keys ON keys.number = key JOIN endpoints ON endpoints.number = endpoint
    WHERE usage.account = ? AND hour >= ? AND hour < ? ORDER BY hour, keys.id, path, status`,
  listUsageOfDay: `SELECT keys.id AS key_id, path AS endpoint, status, calls, credits
    FROM usage_days JOIN keys ON keys.number = key JOIN endpoints ON endpoints.number = endpoint
    WHERE usage_days.account = ? AND day = ?`,
  // As JSON: half the cost of as many columns, and a number that other hands made too large is read as well.
  readJournal: `SELECT json_object('seq', journal.seq, 'previous', previous, 'account', account, 'at', at, 'kind', kind,
    'credits', credits, 'lasting', lasting, 'balance_after', balance_after, 'lasting_after', lasting_after,
    'charge_id', charge_id, 'request_id', coalesce(request_id, charge_id), 'key', key, 'endpoint', endpoint,
    'note', note, 'hash', journal.hash, 'entries', entries, 'first_at', first_at, 'closing_hash', closings.hash
    ) AS entry FROM journal LEFT JOIN closings ON closings.seq = journal.seq
    WHERE journal.seq > ? ORDER BY journal.seq LIMIT ?`,
  readEntry: `SELECT previous, kind, credits, lasting, entries, first_at
    FROM journal LEFT JOIN closings USING (seq) WHERE seq = ?`,
  listKeyIds: 'SELECT number, id AS text FROM keys',
  listEndpoints: 'SELECT number, path AS text FROM endpoints',
  readBackups: `SELECT backed_up_at AS last_at, (SELECT min(at) FROM journal
    WHERE kind = ${journalKinds.indexOf('charge')} AND at > coalesce(backed_up_at, 0)) AS unsaved_at FROM identity`,
  readTrimming: 'SELECT is_under_way FROM trimming',
  proveKeys:
    'SELECT number, id, account, kind, hash, last_four, replaced_by, origins, paths, addresses FROM keys',
  provePeriods: 'SELECT account, ends_at, allowance_given FROM periods',
  proveUsage: `SELECT account, hour, key, endpoint, status, sum(calls) AS calls, sum(credits) AS credits FROM (
      SELECT * FROM usage UNION ALL SELECT * FROM (
        ${uncounted} AND seq > (SELECT counted_entry FROM identity) GROUP BY 1, 2, 3, 4))
    GROUP BY 1, 2, 3, 4, 5`,
  proveRepeats: `SELECT entry, repeats.account, repeats.at, repeats.key AS called, call,
    journal.account AS payer, journal.at AS paid_at, journal.key, charge_id FROM repeats LEFT JOIN journal ON seq = entry`,
  // All but the journal, whose references are followed with its entries.
  proveReferences: ['keys', 'windows', 'usage', 'periods', 'repeats']
    .map((table) => `SELECT "table" AS child, parent FROM pragma_foreign_key_check('${table}')`)
    .join(' UNION ALL '),
  proveVersions: 'SELECT version, name, breaks, since FROM versions',
  proveUsageDays: `SELECT (SELECT count(*) FROM (
      SELECT account, day, key, endpoint, status FROM (
        SELECT account, hour / ${dayMs} AS day, key, endpoint, status, calls, credits FROM usage
        UNION ALL SELECT account, day, key, endpoint, status, -calls, -credits FROM usage_days)
      GROUP BY 1, 2, 3, 4, 5 HAVING sum(calls) <> 0 OR sum(credits) <> 0))
    + (SELECT count(*) FROM accounts
      WHERE last_day_at <> coalesce((SELECT max(hour) - max(hour) % ${dayMs} FROM usage WHERE account = number), 0)) AS astray`,
  setTrimming: 'UPDATE trimming SET is_under_way = ?',
  deleteEntry: 'DELETE FROM journal WHERE seq = ?',
  deleteClosing: 'DELETE FROM closings WHERE seq = ?',
  insertClosingEntry: `INSERT INTO journal
    (seq, account, at, kind, credits, lasting, balance_after, lasting_after, note, hash)
    VALUES (?, ?, ?, ${journalKinds.indexOf('closing')}, ?, ?, ?, ?, ?, ?)`,
  insertClosing: 'INSERT INTO closings VALUES (?, ?, ?, ?)',
  sumJournals: `SELECT id, balance, lasting, coalesce(total, 0) AS total, coalesce(lasting_total, 0) AS lasting_total
    FROM accounts LEFT JOIN (SELECT account, sum(credits) AS total, sum(lasting) AS lasting_total
      FROM journal GROUP BY account) ON account = number
    ORDER BY created_at, number`,
} as const;

/** What a service that was cut off left of it. For a file that nobody else uses. */
export function countAllCharges(db: DatabaseSync): void {
  const row = db.prepare(texts.findUncounted).get();
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
    dataVersion: prepare('dataVersion'),
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
    insertEntry: prepare('insertEntry'),
    findCharge: prepare('findCharge'),
    findRepeat: prepare('findRepeat'),
    insertRepeat: prepare('insertRepeat'),
    removeRepeat: prepare('removeRepeat'),
    removeRepeats: prepare('removeRepeats'),
    updateBalances: prepare('updateBalances'),
    updatePeriod: prepare('updatePeriod'),
    upsertGiven: prepare('upsertGiven'),
    findGiven: prepare('findGiven'),
    upsertWindows: prepare('upsertWindows'),
    growUsage: prepare('growUsage'),
    insertUsage: prepare('insertUsage'),
    insertAccount: prepare('insertAccount'),
    raisePulse: prepare('raisePulse'),
    listAccounts: prepare('listAccounts'),
    listAccountsAfter: prepare('listAccountsAfter'),
    updateTerms: prepare('updateTerms'),
    closeAccount: prepare('closeAccount'),
    insertKey: prepare('insertKey'),
    findKeyById: prepare('findKeyById'),
    listKeys: prepare('listKeys'),
    endKey: prepare('endKey'),
    listJournal: prepare('listJournal'),
    listUsage: prepare('listUsage'),
    listUsageOfDay: prepare('listUsageOfDay'),
    readJournal: prepare('readJournal'),
    readEntry: prepare('readEntry'),
    listKeyIds: prepare('listKeyIds'),
    listEndpoints: prepare('listEndpoints'),
    readBackups: prepare('readBackups'),
    readTrimming: prepare('readTrimming'),
    proveKeys: prepare('proveKeys'),
    provePeriods: prepare('provePeriods'),
    proveUsage: prepare('proveUsage'),
    proveUsageDays: prepare('proveUsageDays'),
    proveRepeats: prepare('proveRepeats'),
    proveReferences: prepare('proveReferences'),
    proveVersions: prepare('proveVersions'),
    setTrimming: prepare('setTrimming'),
    deleteEntry: prepare('deleteEntry'),
    deleteClosing: prepare('deleteClosing'),
    insertClosingEntry: prepare('insertClosingEntry'),
    insertClosing: prepare('insertClosing'),
    sumJournals: prepare('sumJournals'),
    renameAccount: prepare('renameAccount'),
    setSuspension: prepare('setSuspension'),
    renewKey: prepare('renewKey'),
    updateKey: prepare('updateKey'),
    listWebKeys: prepare('listWebKeys'),
    countLiveKeys: prepare('countLiveKeys'),
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
