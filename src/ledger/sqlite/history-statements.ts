// The statements by which the SQLite engine tells what accounts have done. Prepared when they are first asked for: most openings
// never are.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { addingKinds, journalKinds } from '../told/entries.ts';
import { entryColumns } from './statements.ts';

/** Entries that are no charges, by their own index: the planner would take it for cheaper to read the journal in its order. */
const isMovement = `kind <> ${journalKinds.indexOf('charge')}`;
const movements = 'journal INDEXED BY movements';

const texts = {
  // A dimension that is not asked for is one group.
  sumUsageOfDays: `SELECT path AS endpoint, keys.id AS key_id, status, calls, credits FROM (
      SELECT CASE WHEN ? THEN endpoint END AS endpoint, CASE WHEN ? THEN key END AS key,
        CASE WHEN ? THEN status END AS status, sum(calls) AS calls, sum(credits) AS credits
      FROM usage_days WHERE account = ? AND day >= ? AND day < ? GROUP BY 1, 2, 3) AS grouped
    LEFT JOIN endpoints ON endpoints.number = grouped.endpoint LEFT JOIN keys ON keys.number = grouped.key`,
  countUsageOfDays: `SELECT day, count(*) AS rows, sum(calls) AS calls, sum(credits) AS credits FROM (
      SELECT day, sum(calls) AS calls, sum(credits) AS credits FROM usage_days
      WHERE account = ? AND day >= ? AND day < ?
      GROUP BY day, CASE WHEN ? THEN endpoint END, CASE WHEN ? THEN key END, CASE WHEN ? THEN status END
      HAVING sum(calls) <> 0 OR sum(credits) <> 0)
    GROUP BY day`,
  findUsageDays: 'SELECT min(day) AS first, max(day) AS last FROM usage_days WHERE account = ?',
  sumKeysOfDays: `SELECT key, keys.id AS key_id, sum(calls) AS calls, max(day) AS day
    FROM usage_days JOIN keys ON keys.number = key
    WHERE usage_days.account = ? AND day >= ? AND day < ? AND calls <> 0 GROUP BY key`,
  findLastHours: `SELECT key, max(hour) AS hour FROM usage
    WHERE account = ? AND hour >= ? AND hour < ? AND calls <> 0 GROUP BY key`,
  findAccountUse: `SELECT id, (SELECT max(hour) FROM usage WHERE usage.account = number) AS hour,
    (SELECT coalesce(sum(calls), 0) FROM usage_days WHERE usage_days.account = number AND day = ?) AS calls,
    (SELECT coalesce(sum(calls), 0) FROM usage_days WHERE usage_days.account = number AND day = ? AND status >= 400)
      AS errors
    FROM accounts WHERE id = ?`,
  sumMonthOfAccount: `SELECT coalesce(sum(calls), 0) AS calls, coalesce(sum(credits), 0) AS credits FROM usage_days
    WHERE account = ? AND day >= ? AND day < ?`,
  sumAdded: `SELECT coalesce(sum(credits - lasting), 0) AS allowance_added, coalesce(sum(lasting), 0) AS lasting_added
    FROM ${movements}
    WHERE account = ? AND at >= ? AND at < ? AND ${isMovement} AND kind IN (${addingKinds.join(', ')})`,
  sumSpentSince: 'SELECT coalesce(sum(credits), 0) AS spent FROM usage_days WHERE account = ? AND day >= ?',
  listMovements: `SELECT ${entryColumns} FROM ${movements}
    LEFT JOIN keys ON keys.number = key LEFT JOIN endpoints ON endpoints.number = endpoint
    WHERE journal.account = ? AND journal.${isMovement} AND journal.kind <> ${journalKinds.indexOf('reversal')}
    ORDER BY seq`,
  sumChargesOfDays: `SELECT day, path AS endpoint, sum(calls) AS calls, sum(credits) AS credits
    FROM usage_days JOIN endpoints ON endpoints.number = endpoint
    WHERE account = ? AND day >= ? AND day < ? AND credits <> 0 GROUP BY day, path ORDER BY day, path`,
  findLastMovement: `SELECT max(seq) AS seq FROM ${movements} WHERE account = ? AND ${isMovement} AND at < ?`,
  findFirstMovement: `SELECT min(seq) AS seq FROM ${movements} WHERE account = ? AND ${isMovement} AND at >= ?`,
  findMovementBefore: `SELECT max(seq) AS seq FROM ${movements} WHERE account = ? AND ${isMovement} AND seq < ?`,
  findMovementAfter: `SELECT previous FROM ${movements} WHERE account = ? AND ${isMovement} AND seq > ? ORDER BY seq LIMIT 1`,
  findEntryBefore: 'SELECT previous FROM journal WHERE account = ? AND seq = ?',
  findNewest: 'SELECT newest_entry AS previous FROM accounts WHERE number = ?',
  listAccountIds: 'SELECT number, id FROM accounts WHERE number > ? ORDER BY number LIMIT ?',
} as const;

export type HistoryStatements = Readonly<Record<keyof typeof texts, StatementSync>>;

export function prepareHistory(db: DatabaseSync): HistoryStatements {
  const prepare = (name: keyof typeof texts): StatementSync => db.prepare(texts[name]);
  return {
    sumUsageOfDays: prepare('sumUsageOfDays'),
    countUsageOfDays: prepare('countUsageOfDays'),
    findUsageDays: prepare('findUsageDays'),
    sumKeysOfDays: prepare('sumKeysOfDays'),
    findLastHours: prepare('findLastHours'),
    findAccountUse: prepare('findAccountUse'),
    sumMonthOfAccount: prepare('sumMonthOfAccount'),
    sumAdded: prepare('sumAdded'),
    sumSpentSince: prepare('sumSpentSince'),
    listMovements: prepare('listMovements'),
    sumChargesOfDays: prepare('sumChargesOfDays'),
    findLastMovement: prepare('findLastMovement'),
    findFirstMovement: prepare('findFirstMovement'),
    findMovementBefore: prepare('findMovementBefore'),
    findMovementAfter: prepare('findMovementAfter'),
    findEntryBefore: prepare('findEntryBefore'),
    findNewest: prepare('findNewest'),
    listAccountIds: prepare('listAccountIds'),
  };
}
