// What is told of accounts: where they stand, journal, windows, statements. Nothing here changes anything but a refresh that is due.
// Whatever may be long is read in portions of a snapshot, so that charges go on between them.

import { readNumber, readNumberOrNull, readText } from '../../storage/rows.ts';
import type { Sql } from '../../storage/sql.ts';
import { dayMs } from '../../time.ts';
import { dayOf, monthName, monthSpan, type Span, spansAt } from '../calendar.ts';
import {
  type Account,
  type AccountPage,
  LedgerRefusal,
  type Mode,
  type Tell,
  type Window,
  type WindowUse,
} from '../ledger.ts';
import { limitsOf } from '../plans.ts';
import { isCustomer } from '../public-sandbox.ts';
import { isRefreshDue, useOf } from '../rules.ts';
import type { AccountWish } from '../told/accounts.ts';
import { type JournalEntry, type JournalPage, journalKinds, type Statement } from '../told/entries.ts';
import { type Backups, type BalanceCheck, readBackups } from '../told/journals.ts';
import type { AccountUse, KeyUse, MonthTotal, UsageRow, UsageSums, UsageWish } from '../told/usage.ts';
import { lockAccount, refreshAccount } from './posting.ts';
import { type AccountRow, readAccount, readJournalEntry } from './records.ts';
import type { LedgerStorage } from './storage.ts';
import { readAccountsUse, readKeyUse, readUsageOf, sumMonthOf, sumUsageOf } from './usage.ts';

/** Looked through at a time. */
const portionAccounts = 100;
const portionEntries = 100;
/** For calls in flight, and clocks that differ. */
const marginMs = dayMs;

const chargeKind = journalKinds.indexOf('charge');
/** As the index of movements has it, or it is not used. Numbers of its entries are not asked for in their order, for which SQLite would
 *  read the whole journal: `seq + 0` has none. */
const isMovement = `kind <> ${chargeKind}`;

export const selectKeys = `SELECT keys.*, accounts.id AS account_id, newer.id AS replaced_by_id
  FROM keys JOIN accounts ON accounts.number = keys.account LEFT JOIN keys AS newer ON newer.number = keys.replaced_by`;

const selectEntries = `SELECT entry.seq, entry.previous, entry.at, entry.kind, entry.credits, entry.lasting, entry.balance_after,
    entry.lasting_after, entry.charge_id, coalesce(entry.request_id, entry.charge_id) AS request_id, keys.id AS key_id,
    endpoints.path AS endpoint, entry.note`;
const namesOfEntries = `LEFT JOIN keys ON keys.number = entry.key LEFT JOIN endpoints ON endpoints.number = entry.endpoint`;

export class StoredHistory {
  protected readonly storage: LedgerStorage;
  protected readonly tell: Tell;
  /** The sum of usage that is being worked out, and those that wait for it. */
  #summing: Promise<void> = Promise.resolve();

  constructor(storage: LedgerStorage, tell: Tell) {
    this.storage = storage;
    this.tell = tell;
  }

  async listAccounts(atMs: number): Promise<Account[]> {
    const found = await this.storage.snapshot(readAccountRows);
    const due = found.filter((account) => isRefreshDue(account, atMs));
    if (due.length === 0) return found.map(published);
    for (const { accountId } of due) await refreshAccount(this.storage, accountId, atMs, this.tell);
    return (await this.storage.snapshot(readAccountRows)).map(published);
  }

  /** Compared here, not in the engine: each has letters of its own that it can fold. */
  async accountPage({ search, also, after, limit, atMs }: AccountWish): Promise<AccountPage> {
    const [wanted, ids] = [search.toLowerCase(), new Set(also)];
    const isWanted = (account: AccountRow): boolean =>
      isCustomer(account) &&
      (ids.has(account.accountId) ||
        [account.name, account.accountId, account.plan].some((text) => text.toLowerCase().includes(wanted)));
    const first = after === undefined ? 0 : (await this.known(after)).number;
    const found = await this.storage.snapshot(async (sql) => {
      const wantedRows: AccountRow[] = [];
      for await (const portion of accountsAfter(sql, first)) {
        wantedRows.push(...portion.filter(isWanted));
        // One more says whether there is another page.
        if (wantedRows.length > limit) break;
      }
      return wantedRows;
    });
    const page = found.slice(0, limit);
    const accounts: Account[] = [];
    for (const account of page) accounts.push(await this.#refreshed(account, atMs));
    return { accounts, after: found.length > limit ? (page.at(-1)?.accountId ?? null) : null };
  }

  async findAccount(accountId: string, atMs: number): Promise<Account | undefined> {
    const found = await readAccountRow(this.storage, accountId);
    return found && this.#refreshed(found, atMs);
  }

  async #refreshed(account: AccountRow, atMs: number): Promise<Account> {
    const { accountId } = account;
    if (!isRefreshDue(account, atMs)) return published(account);
    await refreshAccount(this.storage, accountId, atMs, this.tell);
    return published(await this.known(accountId));
  }

  async journalOf(accountId: string, range: { readonly newest?: number } = {}): Promise<JournalEntry[]> {
    const most = range.newest ?? Number.POSITIVE_INFINITY;
    return this.storage.snapshot(async (sql) => {
      const account = checkKnown(await readAccountRow(sql, accountId), accountId);
      const entries: JournalEntry[] = [];
      for await (const portion of this.#entriesBack(sql, account, account.newestSeq)) {
        entries.push(...portion.slice(0, most - entries.length));
        if (entries.length >= most) break;
      }
      return entries;
    });
  }

  async journalPage(
    accountId: string,
    { month, before, limit }: { readonly month: string; readonly before?: number; readonly limit: number },
  ): Promise<JournalPage> {
    const span = knownMonth(month);
    return this.storage.snapshot(async (sql) => {
      const account = checkKnown(await readAccountRow(sql, accountId), accountId);
      const stopAt = await findStop(sql, account, span);
      const entries: JournalEntry[] = [];
      for await (const portion of this.#entriesBack(
        sql,
        account,
        await findStart(sql, account, span, before),
      )) {
        for (const entry of portion) {
          if (entry.seq <= stopAt) return { entries, before: null };
          if (entry.atMs >= span.startMs && entry.atMs < span.endMs) entries.push(entry);
          if (entries.length === limit) return { entries, before: entry.seq };
        }
      }
      return { entries, before: null };
    });
  }

  async usageOf(
    accountId: string,
    range: { readonly fromMs?: number; readonly toMs?: number } = {},
  ): Promise<UsageRow[]> {
    const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = range;
    const account = await this.known(accountId);
    return readUsageOf(this.storage, account, { fromMs, toMs });
  }

  sumUsage(accountId: string, wish: UsageWish): Promise<UsageSums> {
    return this.#oneAtATime(async () => sumUsageOf(this.storage, await this.known(accountId), wish));
  }

  async windowsOf(accountId: string, mode: Mode, atMs: number): Promise<WindowUse[]> {
    const account = await this.known(accountId);
    const limits = limitsOf(account.plan, account.terms, mode);
    await this.storage.flush();
    const [row] = await this.storage.all('SELECT * FROM windows WHERE account = ? AND mode = ?', [
      account.number,
      mode,
    ]);
    const countIn = (window: Window, startMs: number): number =>
      row !== undefined && readNumber(row, `${window}_start`) === startMs
        ? readNumber(row, `${window}_count`)
        : 0;
    return useOf(limits, { countIn }, spansAt(atMs));
  }

  keyUse(accountId: string): Promise<readonly KeyUse[]> {
    return this.#oneAtATime(async () => readKeyUse(this.storage, await this.known(accountId)));
  }

  accountsUse(accountIds: readonly string[], atMs: number): Promise<readonly AccountUse[]> {
    return this.#oneAtATime(() => readAccountsUse(this.storage, accountIds, dayOf(atMs)));
  }

  async backups(): Promise<Backups> {
    return this.storage.snapshot(async (sql) => {
      const [row] = await sql.all(
        `SELECT backed_up_at AS last_at, (SELECT min(at) FROM journal
          WHERE kind = ${chargeKind} AND at > coalesce(backed_up_at, 0)) AS unsaved_at FROM identity`,
      );
      return readBackups(row);
    });
  }

  async monthTotals(month: string): Promise<readonly MonthTotal[]> {
    const span = knownMonth(month);
    return this.#oneAtATime(() => sumMonthOf(this.storage, span));
  }

  async statement(accountId: string, month: string, atMs: number): Promise<Statement> {
    const span = knownMonth(month);
    const account = await this.known(accountId);
    if (isRefreshDue(account, atMs)) await refreshAccount(this.storage, accountId, atMs, this.tell);
    await this.storage.flush();
    const { balance, spentSince, movements, charges } = await this.storage.transaction(
      (sql) => readMonth(sql, account, span),
      'repeat',
    );
    const months = statementMonths(account, movements, atMs);
    if (!months.includes(month)) {
      throw new LedgerRefusal(
        `${accountId} has no statement for ${month}: ${months.length === 0 ? 'it has none yet' : `its statements run from ${months[0]} to ${months.at(-1)}`}.`,
      );
    }
    const since = movements.filter((entry) => entry.atMs >= span.startMs);
    const within = since.filter((entry) => entry.atMs < span.endMs);
    const openingBalance = balance - sumOf(since) + spentSince;
    const closingBalance = openingBalance + sumOf(within) - sumOf(charges);
    return { openingBalance, closingBalance, charges, movements: within, months };
  }

  async recomputeBalances(): Promise<BalanceCheck[]> {
    const { journalOrder } = this.storage;
    return this.storage.snapshot(async (sql) => {
      const sums = await sumJournals(sql, journalOrder);
      return (await readAccountRows(sql)).map(({ accountId, number, balance, lasting }) => {
        const { credits: journalSum, lasting: journalLastingSum } = sums.get(number) ?? noCredits;
        const isEqual = balance === journalSum && lasting === journalLastingSum;
        const kind = isEqual ? 'equal' : 'different';
        return { accountId, kind, balance, journalSum, lasting, journalLastingSum };
      });
    });
  }

  protected async known(accountId: string): Promise<AccountRow> {
    return checkKnown(await readAccountRow(this.storage, accountId), accountId);
  }

  /** Newest first, from the one of that number on; last the closing entry, if there is one. */
  async *#entriesBack(
    sql: Sql,
    { accountId, number }: AccountRow,
    from: number | null,
  ): AsyncGenerator<readonly JournalEntry[]> {
    const text = `${selectEntries} FROM (${this.storage.entriesBack}) AS entry ${namesOfEntries} ORDER BY entry.seq DESC`;
    for (let seq = from; seq !== null; ) {
      const rows = await sql.all(text, [number, seq, portionEntries]);
      yield rows.map((row) => readJournalEntry(accountId, row));
      const last = rows.at(-1);
      if (last === undefined || rows.length < portionEntries) break;
      seq = readNumberOrNull(last, 'previous');
    }
    if (from === null) return;
    const closings = await readClosings(sql, number);
    yield closings.filter(({ seq }) => seq <= from).map((entry) => ({ ...entry, accountId }));
  }

  /** Sums are long work: however many are asked for, calls wait for one of them at most. */
  #oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const sums = this.#summing.then(work);
    this.#summing = sums.then(
      () => undefined,
      () => undefined,
    );
    return sums;
  }
}

export async function readAccountRow(sql: Sql, accountId: string): Promise<AccountRow | undefined> {
  const [row] = await sql.all('SELECT * FROM accounts WHERE id = ?', [accountId]);
  return row && readAccount(row);
}

/** Oldest first. */
export async function readAccountRows(sql: Sql): Promise<readonly AccountRow[]> {
  const all: AccountRow[] = [];
  for await (const portion of accountsAfter(sql, 0)) all.push(...portion);
  return all.sort((a, b) => a.createdAtMs - b.createdAtMs || a.number - b.number);
}

/** In the order in which they were opened. */
async function* accountsAfter(sql: Sql, number: number): AsyncGenerator<readonly AccountRow[]> {
  for (let last: number | undefined = number; last !== undefined; ) {
    const rows = await sql.all('SELECT * FROM accounts WHERE number > ? ORDER BY number LIMIT ?', [
      last,
      portionAccounts,
    ]);
    const portion = rows.map(readAccount);
    yield portion;
    last = portion.length < portionAccounts ? undefined : portion.at(-1)?.number;
  }
}

/** Before the first entry of the page: the one before the next movement, or the newest. */
async function findStart(
  sql: Sql,
  { number, newestSeq }: AccountRow,
  { endMs }: Span,
  before: number | undefined,
): Promise<number | null> {
  if (before !== undefined) {
    const [row] = await sql.all('SELECT previous FROM journal WHERE account = ? AND seq = ?', [
      number,
      before,
    ]);
    return row === undefined ? null : readNumberOrNull(row, 'previous');
  }
  const [last] = await sql.all(
    `SELECT max(seq + 0) AS seq FROM journal WHERE account = ? AND ${isMovement} AND at < ?`,
    [number, endMs + marginMs],
  );
  const [next] = await sql.all(
    `SELECT previous FROM journal WHERE account = ? AND ${isMovement} AND seq + 0 > ? ORDER BY seq + 0 LIMIT 1`,
    [number, readNumberOrNull(last, 'seq') ?? 0],
  );
  return next === undefined ? newestSeq : readNumberOrNull(next, 'previous');
}

/** No entry up to that one is of the span: there is no index by account and time, but the few movements have one. */
async function findStop(sql: Sql, { number }: AccountRow, { startMs }: Span): Promise<number> {
  const [first] = await sql.all(
    `SELECT min(seq + 0) AS seq FROM journal WHERE account = ? AND ${isMovement} AND at >= ?`,
    [number, startMs - marginMs],
  );
  const [before] = await sql.all(
    `SELECT max(seq + 0) AS seq FROM journal WHERE account = ? AND ${isMovement} AND seq + 0 < ?`,
    [number, readNumberOrNull(first, 'seq') ?? Number.MAX_SAFE_INTEGER],
  );
  return readNumberOrNull(before, 'seq') ?? 0;
}

/** One at most: what stands for the entries that gave way. */
async function readClosings(sql: Sql, account: number): Promise<readonly Omit<JournalEntry, 'accountId'>[]> {
  const rows = await sql.all('SELECT * FROM closings WHERE account = ?', [account]);
  return rows.map((row) => ({
    seq: readNumber(row, 'seq'),
    atMs: readNumber(row, 'at'),
    kind: 'closing',
    credits: readNumber(row, 'credits'),
    lasting: readNumber(row, 'lasting'),
    balanceAfter: readNumber(row, 'balance_after'),
    lastingAfter: readNumber(row, 'lasting_after'),
    chargeId: null,
    requestId: null,
    keyId: null,
    endpoint: null,
    note: readText(row, 'note'),
  }));
}

/** What a statement is made of, all of one moment. */
async function readMonth(sql: Sql, { accountId, number }: AccountRow, { startMs, endMs }: Span) {
  const { balance } = checkKnown(await lockAccount(sql, accountId), accountId);
  const [spent] = await sql.all(
    'SELECT coalesce(sum(credits), 0) AS credits FROM usage_days WHERE account = ? AND day >= ?',
    [number, dayOf(startMs)],
  );
  const movements = await sql.all(
    `${selectEntries} FROM journal AS entry ${namesOfEntries} WHERE entry.account = ? AND entry.${isMovement}
      AND entry.kind <> ${journalKinds.indexOf('reversal')} ORDER BY entry.seq + 0`,
    [number],
  );
  const charges = await sql.all(
    `SELECT day, path AS endpoint, sum(calls) AS calls, sum(credits) AS credits
      FROM usage_days JOIN endpoints ON endpoints.number = endpoint
      WHERE account = ? AND day >= ? AND day < ? AND credits <> 0 GROUP BY day, path ORDER BY day, path`,
    [number, dayOf(startMs), dayOf(endMs)],
  );
  return {
    balance,
    spentSince: readNumber(spent, 'credits'),
    movements: [
      ...(await readClosings(sql, number)).map((entry) => ({ ...entry, accountId })),
      ...movements.map((row) => readJournalEntry(accountId, row)),
    ],
    charges: charges.map((row) => ({
      day: readNumber(row, 'day'),
      endpoint: readText(row, 'endpoint'),
      calls: readNumber(row, 'calls'),
      credits: readNumber(row, 'credits'),
    })),
  };
}

type Credits = { credits: number; lasting: number };
const noCredits: Credits = { credits: 0, lasting: 0 };

/** By account, added up over stretches that are a few milliseconds of work each. */
async function sumJournals(
  sql: Sql,
  order: LedgerStorage['journalOrder'],
): Promise<ReadonlyMap<number, Credits>> {
  const [column, step] = order === 'by entry' ? (['seq', 2_000] as const) : (['account', 20] as const);
  const sums = new Map<number, Credits>();
  for (const row of await sql.all('SELECT account, credits, lasting FROM closings')) {
    sums.set(readNumber(row, 'account'), {
      credits: readNumber(row, 'credits'),
      lasting: readNumber(row, 'lasting'),
    });
  }
  const [ends] = await sql.all(
    `SELECT (SELECT min(${column}) FROM journal) AS first, (SELECT max(${column}) FROM journal) AS last`,
  );
  const [first, last] = [readNumberOrNull(ends, 'first') ?? 1, readNumberOrNull(ends, 'last') ?? 0];
  for (let from = first; from <= last; from += step) {
    const rows = await sql.all(
      `SELECT account, sum(credits) AS credits, sum(lasting) AS lasting FROM journal
        WHERE ${column} >= ? AND ${column} < ? GROUP BY account`,
      [from, from + step],
    );
    for (const row of rows) {
      const account = readNumber(row, 'account');
      const { credits, lasting } = sums.get(account) ?? noCredits;
      sums.set(account, {
        credits: credits + readNumber(row, 'credits'),
        lasting: lasting + readNumber(row, 'lasting'),
      });
    }
  }
  return sums;
}

/** A copy without what is the engine's own. */
export function published(row: AccountRow): Account {
  const { accountId, name, plan, terms, balance, lasting, allowance, limits } = row;
  const { refreshAtMs, createdAtMs, closedAtMs, suspended } = row;
  return {
    accountId,
    name,
    plan,
    terms,
    balance,
    lasting,
    allowance,
    limits,
    refreshAtMs,
    createdAtMs,
    closedAtMs,
    suspended,
  };
}

export function checkKnown(account: AccountRow | undefined, accountId: string): AccountRow {
  if (account === undefined) {
    throw new LedgerRefusal(`There is no account ${accountId}; \`domesday accounts list\` shows them.`);
  }
  return account;
}

function knownMonth(text: string): Span {
  const span = monthSpan(text);
  if (span === undefined) throw new LedgerRefusal(`"${text}" is not a month; write one such as 2026-11.`);
  return span;
}

/** Those of which every entry is kept, up to now. */
function statementMonths(
  { createdAtMs }: AccountRow,
  movements: readonly JournalEntry[],
  atMs: number,
): readonly string[] {
  const trimmed = movements.findLast(({ kind }) => kind === 'closing');
  const firstMs = trimmed === undefined ? createdAtMs : spansAt(trimmed.atMs).month.endMs;
  const months: string[] = [];
  for (let month = spansAt(firstMs).month; month.startMs <= atMs; month = spansAt(month.endMs).month) {
    months.push(monthName(month.startMs));
  }
  return months;
}

const sumOf = (parts: readonly { readonly credits: number }[]): number =>
  parts.reduce((sum, { credits }) => sum + credits, 0);
