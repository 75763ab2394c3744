// What the operator's half of the ledger asks of an engine, answered by the database.

import { type Row, readNumber, readText } from '../../storage/rows.ts';
import { dayMs } from '../../time.ts';
import { dayOf, type Span } from '../calendar.ts';
import { type Key, LedgerUnavailable, type Mode, type Tell } from '../ledger.ts';
import type { Pace } from '../pace.ts';
import type { Books, CallCounts, Desk, MonthRecord, Subject } from '../stored/books.ts';
import {
  type AccountRow,
  readAccount,
  readAccountUse,
  readJournalEntry,
  readKey,
  readUsage,
} from '../stored/records.ts';
import { addingKinds, type JournalEntry, type JournalPage, journalKinds } from '../told/entries.ts';
import { type Backups, type BalanceCheck, readBackups } from '../told/journals.ts';
import type {
  AccountUse,
  KeyUse,
  MonthTotal,
  UsageRow,
  UsageSum,
  UsageSums,
  UsageWish,
} from '../told/usage.ts';
import { asOutage, type Database, outcomeOf, toReadAll } from './database.ts';
import { selectKeys, workAtDesk } from './desk.ts';

const retryMs = 10;

const selectEntries = `SELECT seq, at, entries.kind, credits, lasting, balance_after, lasting_after, charge_id, request_id,
    keys.id AS key_id, path AS endpoint, note
  FROM domesday.entries LEFT JOIN domesday.keys ON keys.number = entries.key
  LEFT JOIN domesday.endpoints ON endpoints.number = entries.endpoint`;

/** As the index of movements has it, or it is not used. */
const isMovement = `kind <> ${journalKinds.indexOf('charge')}`;

type PageWish = Parameters<Books['readJournalPage']>[1];

type Parts = {
  readonly database: Database;
  readonly pace: Pace;
  readonly patienceMs: number;
  readonly tell: Tell;
  /** Writes counts that are not written yet. */
  readonly flush: () => Promise<void>;
};

const backupsText = `SELECT backed_up_at AS last_at, (SELECT min(at) FROM domesday.journal
  WHERE kind = ${journalKinds.indexOf('charge')} AND at > coalesce(backed_up_at, 0)) AS unsaved_at FROM domesday.identity`;

export class PostgresBooks implements Books {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  change<T>(subject: Subject, work: (desk: Desk) => T): Promise<T> {
    return this.#transact(subject, work, 'give up');
  }

  /** Each account by itself, so that nobody waits for all of them. */
  async refresh(accountIds: readonly string[], atMs: number): Promise<void> {
    for (const accountId of accountIds) {
      const refreshIfDue = (desk: Desk) => {
        const account = desk.findAccount(accountId);
        if (account !== undefined) desk.periods.refreshIfDue(account, atMs);
      };
      await this.#transact({ accountId }, refreshIfDue, 'repeat');
    }
  }

  async readAccount(accountId: string): Promise<AccountRow | undefined> {
    const [row] = await this.#ask('SELECT * FROM domesday.accounts WHERE id = $1', [accountId]);
    return row && readAccount(row);
  }

  async readAccounts(): Promise<readonly AccountRow[]> {
    return (await this.#ask('SELECT * FROM domesday.accounts ORDER BY created_at, number')).map(readAccount);
  }

  async readAccountsAfter(number: number, most: number): Promise<readonly AccountRow[]> {
    const text = 'SELECT * FROM domesday.accounts WHERE number > $1 ORDER BY number LIMIT $2';
    return (await this.#ask(text, [number, most])).map(readAccount);
  }

  async readKeys({ number }: AccountRow): Promise<Key[]> {
    const order = 'ORDER BY keys.created_at, keys.number';
    return (await this.#ask(`${selectKeys} WHERE keys.account = $1 ${order}`, [number])).map(readKey);
  }

  async readJournal({ accountId, number }: AccountRow, newest: number | undefined): Promise<JournalEntry[]> {
    const rows = await this.#askMuch(
      `${selectEntries} WHERE entries.account = $1 ORDER BY seq DESC LIMIT $2`,
      [number, newest ?? null],
    );
    return rows.map((row) => readJournalEntry(accountId, row));
  }

  async readUsage({ accountId, number }: AccountRow, fromMs: number, toMs: number): Promise<UsageRow[]> {
    await this.#parts.flush();
    const rows = await this.#askMuch(
      `SELECT hour, keys.id AS key_id, path AS endpoint, status, calls, credits
        FROM domesday.usage JOIN domesday.keys ON keys.number = usage.key
        JOIN domesday.endpoints ON endpoints.number = usage.endpoint
        WHERE usage.account = $1 AND hour >= $2 AND hour < $3
        ORDER BY hour, keys.id COLLATE "C", path COLLATE "C", status`,
      [number, fromMs, toMs],
    );
    return rows.map((row) => readUsage(accountId, row));
  }

  /** Counts that wait here are written first: what other replicas have answered is in it once they have written theirs. */
  async sumUsage({ number }: AccountRow, wish: UsageWish): Promise<UsageSums> {
    await this.#parts.flush();
    const { fromDay, toDay, by, limit, offset } = wish;
    const rows = await this.#ask(sumText(by), [number, fromDay, toDay, limit, offset]);
    const [first] = rows;
    const total = {
      rows: readNumber(first, 'total_rows'),
      calls: readNumber(first, 'total_calls'),
      credits: readNumber(first, 'total_credits'),
    };
    // An empty page is one row without counts.
    return { rows: rows.filter(({ calls }) => calls !== null).map((row) => readSum(row, by)), total };
  }

  /** What it was last used in is looked for in the one day that can have it. */
  async readKeyUse({ number }: AccountRow): Promise<readonly KeyUse[]> {
    await this.#parts.flush();
    const rows = await this.#ask(
      `SELECT keys.id, used.calls, hour FROM (
          SELECT key, sum(calls) AS calls, max(day) AS day FROM domesday.usage_days
          WHERE account = $1 AND calls <> 0 GROUP BY key) AS used
        JOIN domesday.keys ON keys.number = used.key
        JOIN LATERAL (SELECT max(hour) AS hour FROM domesday.usage WHERE usage.account = $1 AND usage.key = used.key
          AND hour >= used.day * ${dayMs} AND hour < (used.day + 1) * ${dayMs} AND usage.calls <> 0) AS last ON true
        WHERE hour IS NOT NULL`,
      [number],
    );
    return rows.map((row) => ({
      keyId: readText(row, 'id'),
      calls: readNumber(row, 'calls'),
      lastHourMs: readNumber(row, 'hour'),
    }));
  }

  async readAccountsUse(accountIds: readonly string[], day: number): Promise<readonly AccountUse[]> {
    await this.#parts.flush();
    const rows = await this.#ask(
      `SELECT id, hour, coalesce(calls, 0) AS calls, coalesce(errors, 0) AS errors FROM domesday.accounts
        LEFT JOIN LATERAL (SELECT hour FROM domesday.usage WHERE usage.account = accounts.number
          ORDER BY hour DESC LIMIT 1) AS last ON true
        LEFT JOIN LATERAL (SELECT sum(calls) AS calls, sum(calls) FILTER (WHERE status >= 400) AS errors
          FROM domesday.usage_days WHERE usage_days.account = accounts.number AND day = $1) AS today ON true
        WHERE id = ANY ($2) ORDER BY accounts.number`,
      [day, accountIds],
    );
    return rows.map(readAccountUse);
  }

  async readBackups(): Promise<Backups> {
    return readBackups((await this.#askMuch(backupsText, []))[0]);
  }

  async sumMonth({ startMs, endMs }: Span): Promise<readonly MonthTotal[]> {
    await this.#parts.flush();
    const rows = await this.#askMuch(
      `SELECT id, coalesce(calls, 0) AS calls, coalesce(credits, 0) AS credits,
          coalesce(allowance_added, 0) AS allowance_added, coalesce(lasting_added, 0) AS lasting_added
        FROM domesday.accounts
        LEFT JOIN LATERAL (SELECT sum(calls) AS calls, sum(credits) AS credits FROM domesday.usage_days
          WHERE usage_days.account = accounts.number AND day >= $1 AND day < $2) AS used ON true
        LEFT JOIN LATERAL (SELECT sum(credits - lasting) AS allowance_added, sum(lasting) AS lasting_added
          FROM domesday.journal
          WHERE journal.account = accounts.number AND at >= $3 AND at < $4 AND ${isMovement} AND kind = ANY ($5))
          AS added ON true
        ORDER BY accounts.number`,
      [dayOf(startMs), dayOf(endMs), startMs, endMs, addingKinds],
    );
    return rows.map((row) => ({
      accountId: readText(row, 'id'),
      calls: readNumber(row, 'calls'),
      credits: readNumber(row, 'credits'),
      allowanceAdded: readNumber(row, 'allowance_added'),
      lastingAdded: readNumber(row, 'lasting_added'),
    }));
  }

  async readMonth({ accountId, number }: AccountRow, { startMs, endMs }: Span): Promise<MonthRecord> {
    const [fromDay, toDay] = [dayOf(startMs), dayOf(endMs)];
    try {
      return await this.#parts.database.transact(async (ask) => {
        const [sums] = await ask(
          `SELECT balance, (SELECT coalesce(sum(credits), 0) FROM domesday.usage_days
            WHERE account = number AND day >= $2) AS spent FROM domesday.accounts WHERE number = $1`,
          [number, fromDay],
        );
        const movements = await ask(
          `${selectEntries} WHERE entries.account = $1 AND entries.${isMovement} AND entries.kind <> $2 ORDER BY seq`,
          [number, journalKinds.indexOf('reversal')],
        );
        const charges = await ask(
          `SELECT day, path COLLATE "C" AS endpoint, sum(calls) AS calls, sum(credits) AS credits
            FROM domesday.usage_days JOIN domesday.endpoints ON endpoints.number = endpoint
            WHERE account = $1 AND day >= $2 AND day < $3 AND credits <> 0 GROUP BY 1, 2 ORDER BY 1, 2`,
          [number, fromDay, toDay],
        );
        return {
          balance: readNumber(sums, 'balance'),
          spentSince: readNumber(sums, 'spent'),
          movements: movements.map((row) => readJournalEntry(accountId, row)),
          charges: charges.map((row) => ({
            day: readNumber(row, 'day'),
            endpoint: readText(row, 'endpoint'),
            calls: readNumber(row, 'calls'),
            credits: readNumber(row, 'credits'),
          })),
        };
      }, toReadAll);
    } catch (error) {
      throw asOutage(error);
    }
  }

  async readJournalPage({ accountId, number }: AccountRow, page: PageWish): Promise<JournalPage> {
    const { span, before, limit } = page;
    const rows = await this.#askMuch(
      `${selectEntries} WHERE entries.account = $1 AND at >= $2 AND at < $3 AND seq < $4 ORDER BY seq DESC LIMIT $5`,
      [number, span.startMs, span.endMs, before ?? Number.MAX_SAFE_INTEGER, limit],
    );
    const entries = rows.map((row) => readJournalEntry(accountId, row));
    return { entries, before: entries.length < limit ? null : (entries.at(-1)?.seq ?? null) };
  }

  async readWindows({ number }: AccountRow, mode: Mode): Promise<CallCounts> {
    const [row] = await this.#ask('SELECT * FROM domesday.windows WHERE account = $1 AND mode = $2', [
      number,
      mode,
    ]);
    return {
      countIn: (window, startMs) =>
        row !== undefined && readNumber(row, `${window}_start`) === startMs
          ? readNumber(row, `${window}_count`)
          : 0,
    };
  }

  async sumJournals(): Promise<readonly Omit<BalanceCheck, 'kind'>[]> {
    const rows = await this.#askMuch(
      `SELECT id, balance, accounts.lasting, coalesce(total, 0) AS total, coalesce(lasting_total, 0) AS lasting_total
        FROM domesday.accounts LEFT JOIN (SELECT account, sum(credits) AS total, sum(lasting) AS lasting_total
          FROM domesday.entries GROUP BY account) AS sums ON account = number
        ORDER BY created_at, number`,
    );
    return rows.map((row) => ({
      accountId: readText(row, 'id'),
      balance: readNumber(row, 'balance'),
      journalSum: readNumber(row, 'total'),
      lasting: readNumber(row, 'lasting'),
      journalLastingSum: readNumber(row, 'lasting_total'),
    }));
  }

  async #ask(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    try {
      return await this.#parts.database.ask(text, values);
    } catch (error) {
      throw asOutage(error);
    }
  }

  /** What may take longer than a call would wait. */
  async #askMuch(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    try {
      return await this.#parts.database.transact((ask) => ask(text, values), toReadAll);
    } catch (error) {
      throw asOutage(error);
    }
  }

  /** A lock is waited for. `repeat` is for work that can be done twice without harm. */
  async #transact<T>(subject: Subject, work: (desk: Desk) => T, ifUnknown: 'repeat' | 'give up'): Promise<T> {
    const { database, pace, patienceMs, tell } = this.#parts;
    const deadlineMs = pace.elapsedMs() + patienceMs;
    for (;;) {
      try {
        return await database.transact((ask) => workAtDesk(ask, subject, tell, work));
      } catch (error) {
        const outcome = outcomeOf(error);
        if (outcome === 'unknown' && ifUnknown === 'give up') throw unknownChange(error);
        if (outcome === 'failed') throw asOutage(error);
        if (pace.elapsedMs() >= deadlineMs) throw asOutage(error);
      }
      await pace.pause(retryMs);
    }
  }
}

/** In the order of rows: how each is told, and where its name is looked up once it was added up. */
const dimensions = [
  { name: 'day', told: 'grouped.day', names: '' },
  {
    name: 'endpoint',
    told: 'path COLLATE "C"',
    names: 'JOIN domesday.endpoints ON endpoints.number = grouped.endpoint',
  },
  { name: 'key', told: 'keys.id COLLATE "C"', names: 'JOIN domesday.keys ON keys.number = grouped.key' },
  { name: 'status', told: 'grouped.status', names: '' },
] as const;

const asked = 'domesday.usage_days WHERE account = $1 AND day >= $2 AND day <= $3';

function sumText(by: UsageWish['by']): string {
  const wanted = dimensions.filter(({ name }) => by.includes(name));
  const columns = wanted.map(({ name }) => name);
  const told = wanted.map(({ name, told }) => `${told} AS ${name}`);
  const names = wanted.map((dimension) => dimension.names).join(' ');
  const sorted = columns.length === 0 ? '' : `ORDER BY ${columns.join(', ')}`;
  const page = `SELECT ${[...told, 'calls', 'credits'].join(', ')} FROM grouped ${names}`;
  // Names are looked up, and rows sorted, of the days that are on the page alone.
  const paged = by.includes('day')
    ? `wanted AS (SELECT min(day) AS first, max(day) AS last, min(rows_before) AS rows_before FROM (
        SELECT day, count(*) AS day_rows, (sum(count(*)) OVER (ORDER BY day) - count(*))::bigint AS rows_before
        FROM grouped GROUP BY day) AS days WHERE rows_before < $4::bigint + $5 AND rows_before + day_rows > $5),
      page AS (${page} WHERE grouped.day >= (SELECT first FROM wanted) AND grouped.day <= (SELECT last FROM wanted)
        ${sorted} LIMIT $4 OFFSET $5 - coalesce((SELECT rows_before FROM wanted), $5))`
    : `page AS (${page} ${sorted} LIMIT $4 OFFSET $5)`;
  // By all of them, each row is a group already.
  const grouped =
    columns.length === dimensions.length
      ? `SELECT ${columns.join(', ')}, calls, credits FROM ${asked} AND (calls <> 0 OR credits <> 0)`
      : `SELECT ${[...columns, 'sum(calls)::bigint AS calls', 'sum(credits)::bigint AS credits'].join(', ')} FROM ${asked}
        ${columns.length === 0 ? '' : `GROUP BY ${columns.join(', ')}`} HAVING sum(calls) <> 0 OR sum(credits) <> 0`;
  return `WITH grouped AS MATERIALIZED (${grouped}),
    ${paged}
    SELECT total_rows, total_calls, total_credits, page.* FROM (
      SELECT count(*) AS total_rows, coalesce(sum(calls), 0) AS total_calls, coalesce(sum(credits), 0) AS total_credits
      FROM grouped) AS total LEFT JOIN page ON true ${sorted}`;
}

const readSum = (row: Row, by: UsageWish['by']): UsageSum => ({
  ...(by.includes('day') ? { day: readNumber(row, 'day') } : {}),
  ...(by.includes('endpoint') ? { endpoint: readText(row, 'endpoint') } : {}),
  ...(by.includes('key') ? { key: readText(row, 'key') } : {}),
  ...(by.includes('status') ? { status: readNumber(row, 'status') } : {}),
  calls: readNumber(row, 'calls'),
  credits: readNumber(row, 'credits'),
});

const unknownChange = (cause: unknown) =>
  new LedgerUnavailable(
    'The connection to the database was lost at the last moment, so nobody knows whether this was done; check before you repeat it.',
    { cause },
  );
