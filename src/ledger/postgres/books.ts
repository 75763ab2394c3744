// What the operator's half of the ledger asks of an engine, answered by the database.

import type {
  BalanceCheck,
  JournalEntry,
  Key,
  Mode,
  Tell,
  UsageRow,
  UsageSum,
  UsageSums,
  UsageWish,
} from '../ledger.ts';
import { LedgerUnavailable } from '../ledger.ts';
import type { Pace } from '../pace.ts';
import type { Books, CallCounts, Desk, Subject } from '../stored/books.ts';
import { type AccountRow, readAccount, readJournalEntry, readKey, readUsage } from '../stored/records.ts';
import { type Row, readNumber, readText } from '../stored/rows.ts';
import { asOutage, type Database, outcomeOf, toReadAll } from './database.ts';
import { selectKeys, workAtDesk } from './desk.ts';

const retryMs = 10;

type Parts = {
  readonly database: Database;
  readonly pace: Pace;
  readonly patienceMs: number;
  readonly tell: Tell;
  /** Writes counts that are not written yet. */
  readonly flush: () => Promise<void>;
};

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

  async readKeys({ number }: AccountRow): Promise<Key[]> {
    const order = 'ORDER BY keys.created_at, keys.number';
    return (await this.#ask(`${selectKeys} WHERE keys.account = $1 ${order}`, [number])).map(readKey);
  }

  async readJournal({ accountId, number }: AccountRow, newest: number | undefined): Promise<JournalEntry[]> {
    const rows = await this.#askMuch(
      `SELECT seq, at, entries.kind, credits, lasting, balance_after, lasting_after, charge_id, request_id,
        keys.id AS key_id, path AS endpoint, note
        FROM domesday.entries LEFT JOIN domesday.keys ON keys.number = entries.key
        LEFT JOIN domesday.endpoints ON endpoints.number = entries.endpoint
        WHERE entries.account = $1 ORDER BY seq DESC LIMIT $2`,
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

function sumText(by: UsageWish['by']): string {
  const wanted = dimensions.filter(({ name }) => by.includes(name));
  const columns = wanted.map(({ name }) => name);
  const told = wanted.map(({ name, told }) => `${told} AS ${name}`);
  const names = wanted.map((dimension) => dimension.names).join(' ');
  const sorted = columns.length === 0 ? '' : `ORDER BY ${columns.join(', ')}`;
  return `WITH grouped AS MATERIALIZED (
      SELECT ${[...columns, 'sum(calls) AS calls', 'sum(credits) AS credits'].join(', ')} FROM domesday.usage_days
      WHERE account = $1 AND day >= $2 AND day <= $3 ${columns.length === 0 ? '' : `GROUP BY ${columns.join(', ')}`}
      HAVING sum(calls) <> 0 OR sum(credits) <> 0),
    page AS (SELECT ${[...told, 'calls', 'credits'].join(', ')} FROM grouped ${names} ${sorted} LIMIT $4 OFFSET $5)
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
    'The connection to the database was lost at the last moment, so it is not known whether this was done; look before you repeat it.',
    { cause },
  );
