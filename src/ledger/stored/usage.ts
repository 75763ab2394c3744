// What accounts and keys have called, added up: read in portions of a snapshot that are some milliseconds of work each. Counts that
// wait in memory are written first, so that every call that was answered before is in it.

import { type Row, readNumber, readNumberOrNull, readText } from '../../storage/rows.ts';
import type { Sql } from '../../storage/sql.ts';
import { dayMs } from '../../time.ts';
import { dayOf, type Span } from '../calendar.ts';
import { addingKinds, journalKinds } from '../told/entries.ts';
import type { AccountUse, KeyUse, MonthTotal, UsageRow, UsageSums, UsageWish } from '../told/usage.ts';
import { AddedUsage } from './added-usage.ts';
import { type AccountRow, readAccountUse, readUsage } from './records.ts';
import type { LedgerStorage } from './storage.ts';

const portionDays = 31;
const portionAccounts = 25;
const portionRows = 300;
/** As the index of movements has it, or it is not used. */
const isMovement = `kind <> ${journalKinds.indexOf('charge')}`;

/** By hour, oldest first; hours that begin in [fromMs, toMs). */
export async function readUsageOf(
  storage: LedgerStorage,
  { accountId, number }: AccountRow,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<UsageRow[]> {
  await storage.flush();
  return storage.snapshot(async (sql) => {
    const names = await namesOf(sql, number);
    const found: UsageRow[] = [];
    // No number of a key is 0.
    let after: readonly number[] = [fromMs, 0, 0, 0];
    for (;;) {
      const rows = await sql.all(
        `SELECT hour, key, endpoint, status, calls, credits FROM usage
          WHERE account = ? AND (hour, key, endpoint, status) > (?, ?, ?, ?) AND hour < ?
          ORDER BY hour, key, endpoint, status LIMIT ?`,
        [number, ...after, toMs, portionRows],
      );
      found.push(...rows.map((row) => readUsage(accountId, names(row))));
      const last = rows.at(-1);
      if (last === undefined || rows.length < portionRows) break;
      after = ['hour', 'key', 'endpoint', 'status'].map((column) => readNumber(last, column));
    }
    return found.sort(
      (a, b) =>
        a.hourStartMs - b.hourStartMs ||
        compareTexts(a.keyId, b.keyId) ||
        compareTexts(a.endpoint, b.endpoint) ||
        a.status - b.status,
    );
  });
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Rows of the usage of an account with the names for their numbers. */
async function namesOf(sql: Sql, account: number): Promise<(row: Row) => Row> {
  const named = (rows: readonly Row[]) =>
    new Map(rows.map((row) => [readNumber(row, 'number'), readText(row, 'name')]));
  const keys = named(await sql.all('SELECT number, id AS name FROM keys WHERE account = ?', [account]));
  const endpoints = named(await sql.all('SELECT number, path AS name FROM endpoints'));
  return (row) => ({
    ...row,
    key_id: typeof row.key === 'number' ? keys.get(row.key) : '',
    endpoint: typeof row.endpoint === 'number' ? endpoints.get(row.endpoint) : '',
  });
}

/** From one on and before the other. */
type Days = { readonly fromDay: number; readonly toDay: number };

export async function sumUsageOf(
  storage: LedgerStorage,
  account: AccountRow,
  wish: UsageWish,
): Promise<UsageSums> {
  await storage.flush();
  return storage.snapshot(async (sql) => {
    const names = await namesOf(sql, account.number);
    const adding = new AddedUsage(wish);
    const asked = { fromDay: wish.fromDay, toDay: wish.toDay + 1 };
    for await (const week of stretches(sql, account, asked, 7))
      await addWeek(sql, adding, { account, wish, week, names });
    return adding.sums();
  });
}

/** Stretches of so many days, as far as there is any usage. */
async function* stretches(
  sql: Sql,
  { number }: AccountRow,
  { fromDay, toDay }: Days,
  days: number,
): AsyncGenerator<Days> {
  const asked = [number, fromDay * dayMs, Math.min(toDay * dayMs, Number.MAX_SAFE_INTEGER)];
  const hours = 'FROM usage WHERE account = ? AND hour >= ? AND hour < ?';
  const [ends] = await sql.all(
    `SELECT (SELECT min(hour) ${hours}) AS first, (SELECT max(hour) ${hours}) AS last`,
    [...asked, ...asked],
  );
  const [first, last] = ['first', 'last'].map((name) => {
    const hour = readNumberOrNull(ends, name);
    return hour === null ? undefined : dayOf(hour);
  });
  if (first === undefined || last === undefined) return;
  for (let day = first; day <= last; day += days)
    yield { fromDay: day, toDay: Math.min(day + days, last + 1) };
}

type Week = {
  readonly account: AccountRow;
  readonly wish: UsageWish;
  readonly week: Days;
  readonly names: (row: Row) => Row;
};

/** Days that are on other pages add their sums alone. */
async function addWeek(
  sql: Sql,
  adding: AddedUsage,
  { account: { number }, wish: { by }, week, names }: Week,
): Promise<void> {
  const columns = (['endpoint', 'key', 'status'] as const).filter((column) => by.includes(column));
  const add = (row: Row, day: number) => {
    const named = names(row);
    adding.add({
      day,
      endpoint: readText(named, 'endpoint'),
      key: readText(named, 'key_id'),
      status: by.includes('status') ? readNumber(row, 'status') : 0,
      calls: readNumber(row, 'calls'),
      credits: readNumber(row, 'credits'),
    });
  };
  const rowsOf = ({ fromDay, toDay }: Days) =>
    sql.all(`${groupedBy(columns)} ${columns.length === 0 ? '' : `GROUP BY ${columns.join(', ')}`}`, [
      number,
      fromDay,
      toDay,
    ]);
  if (!by.includes('day')) {
    for (const row of await rowsOf(week)) add(row, 0);
    return;
  }
  const grouped = ['day', ...columns];
  const days = await sql.all(
    `SELECT day, count(*) AS rows, sum(calls) AS calls, sum(credits) AS credits
      FROM (${groupedBy(grouped)} GROUP BY ${grouped.join(', ')} HAVING sum(calls) <> 0 OR sum(credits) <> 0) AS grouped
      GROUP BY day ORDER BY day`,
    [number, week.fromDay, week.toDay],
  );
  for (const row of days) {
    const day = readNumber(row, 'day');
    const rows = readNumber(row, 'rows');
    if (!adding.isOfPage(rows)) {
      adding.pass({ rows, calls: readNumber(row, 'calls'), credits: readNumber(row, 'credits') });
      continue;
    }
    for (const each of await rowsOf({ fromDay: day, toDay: day + 1 })) add(each, day);
    adding.endDay();
  }
}

const groupedBy = (columns: readonly string[]): string =>
  `SELECT ${[...columns, 'coalesce(sum(calls), 0) AS calls', 'coalesce(sum(credits), 0) AS credits'].join(', ')}
    FROM usage_days WHERE account = ? AND day >= ? AND day < ?`;

/** What a key was last used in is looked for in the one day that can have it. */
export async function readKeyUse(storage: LedgerStorage, account: AccountRow): Promise<readonly KeyUse[]> {
  await storage.flush();
  return storage.snapshot(async (sql) => {
    const names = await namesOf(sql, account.number);
    const uses = new Map<number, { readonly keyId: string; calls: number; lastDay: number }>();
    const everyDay = { fromDay: 0, toDay: Number.MAX_SAFE_INTEGER };
    for await (const { fromDay, toDay } of stretches(sql, account, everyDay, portionDays)) {
      const rows = await sql.all(
        `SELECT key, sum(calls) AS calls, max(day) AS day FROM usage_days
          WHERE account = ? AND day >= ? AND day < ? AND calls <> 0 GROUP BY key`,
        [account.number, fromDay, toDay],
      );
      for (const row of rows) {
        const key = readNumber(row, 'key');
        const known = uses.get(key) ?? { keyId: readText(names(row), 'key_id'), calls: 0, lastDay: 0 };
        known.calls += readNumber(row, 'calls');
        known.lastDay = readNumber(row, 'day');
        uses.set(key, known);
      }
    }
    const lastHours = new Map<number, ReadonlyMap<number, number>>();
    for (const { lastDay } of uses.values())
      if (!lastHours.has(lastDay)) lastHours.set(lastDay, await readLastHours(sql, account, lastDay));
    return [...uses].flatMap(([key, { keyId, calls, lastDay }]) => {
      const lastHourMs = lastHours.get(lastDay)?.get(key);
      return lastHourMs === undefined ? [] : [{ keyId, calls, lastHourMs }];
    });
  });
}

/** By the number of the key. */
async function readLastHours(
  sql: Sql,
  { number }: AccountRow,
  day: number,
): Promise<ReadonlyMap<number, number>> {
  const rows = await sql.all(
    `SELECT key, max(hour) AS hour FROM usage WHERE account = ? AND hour >= ? AND hour < ? AND calls <> 0 GROUP BY key`,
    [number, day * dayMs, (day + 1) * dayMs],
  );
  return new Map(rows.map((row) => [readNumber(row, 'key'), readNumber(row, 'hour')]));
}

/** Accounts that exist, in the order asked for. `day` is that of UTC, since 1970. */
export async function readAccountsUse(
  storage: LedgerStorage,
  accountIds: readonly string[],
  day: number,
): Promise<readonly AccountUse[]> {
  await storage.flush();
  return storage.snapshot(async (sql) => {
    const found: AccountUse[] = [];
    for (let from = 0; from < accountIds.length; from += portionAccounts) {
      const ids = accountIds.slice(from, from + portionAccounts);
      const ofToday = 'usage_days.account = accounts.number AND day = ?';
      const rows = await sql.all(
        `SELECT id, (SELECT max(hour) FROM usage WHERE usage.account = accounts.number) AS hour,
          (SELECT coalesce(sum(calls), 0) FROM usage_days WHERE ${ofToday}) AS calls,
          (SELECT coalesce(sum(calls), 0) FROM usage_days WHERE ${ofToday} AND status >= 400) AS errors
          FROM accounts WHERE id IN (${ids.map(() => '?').join(', ')})`,
        [day, day, ...ids],
      );
      const useOf = new Map(rows.map(readAccountUse).map((use) => [use.accountId, use]));
      found.push(...ids.flatMap((id) => useOf.get(id) ?? []));
    }
    return found;
  });
}

/** What every account used in a month, and what was added to it. */
export async function sumMonthOf(
  storage: LedgerStorage,
  { startMs, endMs }: Span,
): Promise<readonly MonthTotal[]> {
  await storage.flush();
  const [fromDay, toDay] = [dayOf(startMs), dayOf(endMs)];
  const ofMonth = 'usage_days.account = accounts.number AND day >= ? AND day < ?';
  const added = `FROM journal WHERE journal.account = accounts.number AND ${isMovement} AND at >= ? AND at < ?
    AND kind IN (${addingKinds.join(', ')})`;
  return storage.snapshot(async (sql) => {
    const totals: MonthTotal[] = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      const rows: readonly Row[] = await sql.all(
        `SELECT number, id, (SELECT coalesce(sum(calls), 0) FROM usage_days WHERE ${ofMonth}) AS calls,
          (SELECT coalesce(sum(credits), 0) FROM usage_days WHERE ${ofMonth}) AS credits,
          (SELECT coalesce(sum(credits - journal.lasting), 0) ${added}) AS allowance_added,
          (SELECT coalesce(sum(journal.lasting), 0) ${added}) AS lasting_added
          FROM accounts WHERE number > ? ORDER BY number LIMIT ?`,
        [fromDay, toDay, fromDay, toDay, startMs, endMs, startMs, endMs, after, portionAccounts],
      );
      totals.push(...rows.map(readMonthTotal));
      const last = rows.at(-1);
      after = last === undefined || rows.length < portionAccounts ? undefined : readNumber(last, 'number');
    }
    return totals;
  });
}

const readMonthTotal = (row: Row): MonthTotal => ({
  accountId: readText(row, 'id'),
  calls: readNumber(row, 'calls'),
  credits: readNumber(row, 'credits'),
  allowanceAdded: readNumber(row, 'allowance_added'),
  lastingAdded: readNumber(row, 'lasting_added'),
});
