// The statements by which the SQLite engine tells what accounts have done. Prepared when they are first asked for: most openings
// never are.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { addingKinds, journalKinds } from '../told/entries.ts';
import { entryColumns } from './statements.ts';

/** Entries that are no charges, by their own index: the planner would take it for cheaper to read the journal in its order. */
const isMovement = `kind <> ${journalKinds.indexOf('charge')}`;
const movements = 'journal INDEXED BY movements';

/** The days of account ?1 from ?2 on and before ?3: those that are over, then the last. Not by the view of both: SQLite would copy
 *  each of its rows before it adds them up. */
const ofDays = (select: (days: string) => string): string =>
  ['past_days', 'last_days']
    .map((days) => select(`${days} AS days WHERE days.account = ?1 AND day >= ?2 AND day < ?3`))
    .join(' UNION ALL ');

const texts = {
  // A dimension that is not asked for is one group.
  sumUsageOfDays: `SELECT path AS endpoint, keys.id AS key_id, status, calls, credits FROM (
      ${ofDays(
        (days) => `SELECT CASE WHEN ?4 THEN endpoint END AS endpoint, CASE WHEN ?5 THEN key END AS key,
        CASE WHEN ?6 THEN status END AS status, sum(calls) AS calls, sum(credits) AS credits
        FROM ${days} GROUP BY 1, 2, 3`,
      )}) AS grouped
    LEFT JOIN endpoints ON endpoints.number = grouped.endpoint LEFT JOIN keys ON keys.number = grouped.key`,
  countUsageOfDays: `SELECT day, count(*) AS rows, sum(calls) AS calls, sum(credits) AS credits FROM (
      ${ofDays(
        (days) => `SELECT day, sum(calls) AS calls, sum(credits) AS credits FROM ${days}
        GROUP BY day, CASE WHEN ?4 THEN endpoint END, CASE WHEN ?5 THEN key END, CASE WHEN ?6 THEN status END
        HAVING sum(calls) <> 0 OR sum(credits) <> 0`,
      )})
    GROUP BY day`,
  findUsageDays: `SELECT min(first) AS first, max(last) AS last FROM (
      SELECT min(day) AS first, max(day) AS last FROM past_days WHERE account = ?1
      UNION ALL SELECT min(day), max(day) FROM last_days WHERE account = ?1)`,
  sumKeysOfDays: `SELECT key, keys.id AS key_id, calls, day FROM (
      ${ofDays((days) => `SELECT key, sum(calls) AS calls, max(day) AS day FROM ${days} AND calls <> 0 GROUP BY key`)})
    JOIN keys ON keys.number = key ORDER BY day`,
  findLastHours: `SELECT key, max(hour) AS hour FROM usage
    WHERE account = ? AND hour >= ? AND hour < ? AND calls <> 0 GROUP BY key`,
  findAccountUse: `SELECT id, (SELECT max(hour) FROM usage WHERE usage.account = number) AS hour,
    coalesce(sum(calls), 0) AS calls, coalesce(sum(calls) FILTER (WHERE status >= 400), 0) AS errors
    FROM accounts LEFT JOIN usage ON usage.account = number AND hour >= ?2 AND hour < ?3
    WHERE id = ?1 GROUP BY number`,
  sumOfDays: `SELECT coalesce(sum(calls), 0) AS calls, coalesce(sum(credits), 0) AS credits FROM (
      ${ofDays((days) => `SELECT sum(calls) AS calls, sum(credits) AS credits FROM ${days}`)})`,
  sumAdded: `SELECT coalesce(sum(credits - lasting), 0) AS allowance_added, coalesce(sum(lasting), 0) AS lasting_added
    FROM ${movements}
    WHERE account = ? AND at >= ? AND at < ? AND ${isMovement} AND kind IN (${addingKinds.join(', ')})`,
  listMovements: `SELECT ${entryColumns} FROM ${movements}
    LEFT JOIN keys ON keys.number = key LEFT JOIN endpoints ON endpoints.number = endpoint
    WHERE journal.account = ? AND journal.${isMovement} AND journal.kind <> ${journalKinds.indexOf('reversal')}
    ORDER BY seq`,
  sumChargesOfDays: `SELECT day, path AS endpoint, calls, credits FROM (
      ${ofDays(
        (days) => `SELECT day, endpoint, sum(calls) AS calls, sum(credits) AS credits
        FROM ${days} AND credits <> 0 GROUP BY day, endpoint`,
      )})
    JOIN endpoints ON endpoints.number = endpoint ORDER BY day, path`,
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
    sumOfDays: prepare('sumOfDays'),
    sumAdded: prepare('sumAdded'),
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
