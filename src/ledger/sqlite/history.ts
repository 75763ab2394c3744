// What accounts have done, read from the SQLite engine's file: journal and usage. Whatever may be long is read in portions, so
// that calls go on between them.

import { type Row, readNumber, readNumberOrNull, readText } from '../../storage/rows.ts';
import { dayMs } from '../../time.ts';
import { dayOf, type Span } from '../calendar.ts';
import { beginTurn, type Pace } from '../pace.ts';
import { AddedUsage } from '../stored/added-usage.ts';
import type { Books, MonthRecord } from '../stored/books.ts';
import { type AccountRow, readAccountUse, readJournalEntry, readUsage } from '../stored/records.ts';
import type { JournalEntry, JournalPage } from '../told/entries.ts';
import type {
  AccountUse,
  KeyUse,
  MonthTotal,
  UsageRow,
  UsageSum,
  UsageSums,
  UsageWish,
} from '../told/usage.ts';
import type { SqliteStore } from './store.ts';

/** Some milliseconds of work each. */
const portionDays = 31;
const portionAccounts = 100;
const portionEntries = 500;
/** For calls in flight, and clocks that differ. */
const marginMs = dayMs;
const noEnd = Number.MAX_SAFE_INTEGER;

/** From one on and before the other. */
type Days = { readonly fromDay: number; readonly toDay: number };
type PageWish = Parameters<Books['readJournalPage']>[1];

export class SqliteHistory {
  protected readonly store: SqliteStore;
  protected readonly pace: Pace;

  constructor(store: SqliteStore, pace: Pace) {
    this.store = store;
    this.pace = pace;
  }

  readJournal({ accountId, newestSeq }: AccountRow, newest: number | undefined): Promise<JournalEntry[]> {
    const everything = -1;
    return this.store.read(() => {
      const rows = this.store.statements.listJournal.all(newestSeq, newest ?? everything);
      return rows.map((row) => readJournalEntry(accountId, row));
    });
  }

  async readUsage({ accountId, number }: AccountRow, fromMs: number, toMs: number): Promise<UsageRow[]> {
    await this.store.flush();
    return this.store.read(() => {
      const rows = this.store.statements.listUsage.all(number, fromMs, toMs);
      return rows.map((row) => readUsage(accountId, row));
    });
  }

  /** A week at a time, and never for long: each week and what is counted for it in memory are read at the same moment, so that
   *  no call is missed or comes twice. Of days that are on other pages only their sums are read. */
  async sumUsage(account: AccountRow, wish: UsageWish): Promise<UsageSums> {
    await this.store.flush();
    const adding = new AddedUsage(wish);
    let turn = beginTurn(this.pace);
    for (let day = wish.fromDay; day <= wish.toDay; day += 7) {
      const week = { fromDay: day, toDay: Math.min(day + 7, wish.toDay + 1) };
      await this.store.read(() => this.#addWeek(adding, account, wish, week));
      if (turn.isLong()) turn = await turn.next();
    }
    return adding.sums();
  }

  #addWeek(adding: AddedUsage, account: AccountRow, { by }: UsageWish, { fromDay, toDay }: Days): void {
    const pending = this.#pendingOf(account, { fromDay, toDay });
    const asked = [account.number, fromDay, toDay];
    const flags = (['endpoint', 'key', 'status'] as const).map((name) => Number(by.includes(name)));
    if (!by.includes('day')) {
      for (const row of this.store.history.sumUsageOfDays.all(...asked, ...flags)) adding.add(readGroup(row));
      for (const counted of pending) adding.add(counted);
      return;
    }
    const sums = this.store.history.countUsageOfDays.all(...asked, ...flags);
    const sumOf = new Map(sums.map((row) => [readNumber(row, 'day'), readDaySum(row)]));
    for (let day = fromDay; day < toDay; day++) {
      const sum = sumOf.get(day) ?? { rows: 0, calls: 0, credits: 0 };
      const counted = pending.filter((each) => each.day === day);
      if (counted.length === 0 && !adding.isOfPage(sum.rows)) adding.pass(sum);
      else {
        this.#addDay(adding, account, day);
        for (const each of counted) adding.add(each);
        adding.endDay();
      }
    }
  }

  #addDay(adding: AddedUsage, { number }: AccountRow, day: number): void {
    for (const row of this.store.statements.listUsageOfDay.all(number, day)) {
      adding.add({
        day,
        endpoint: readText(row, 'endpoint'),
        key: readText(row, 'key_id'),
        status: readNumber(row, 'status'),
        calls: readNumber(row, 'calls'),
        credits: readNumber(row, 'credits'),
      });
    }
  }

  #pendingOf({ accountId }: AccountRow, { fromDay, toDay }: Days): readonly Required<UsageSum>[] {
    return this.store.pendingUsage.flatMap(({ hourStartMs, keyId, endpoint, status, calls, credits }) => {
      const day = dayOf(hourStartMs);
      const isAsked = day >= fromDay && day < toDay;
      if (!isAsked || this.store.findKeyOwner(keyId)?.account.accountId !== accountId) return [];
      return [{ day, endpoint, key: keyId, status, calls, credits }];
    });
  }

  async readKeyUse({ number }: AccountRow): Promise<readonly KeyUse[]> {
    await this.store.flush();
    const days = await this.store.read(() => this.store.history.findUsageDays.get(number));
    const [first, last] = [readNumberOrNull(days, 'first'), readNumberOrNull(days, 'last')];
    if (first === null || last === null) return [];
    const uses = new Map<number, { readonly keyId: string; calls: number; lastDay: number }>();
    let turn = beginTurn(this.pace);
    for (let day = first; day <= last; day += portionDays) {
      const rows = await this.store.read(() =>
        this.store.history.sumKeysOfDays.all(number, day, day + portionDays),
      );
      for (const row of rows) {
        const key = readNumber(row, 'key');
        const known = uses.get(key) ?? { keyId: readText(row, 'key_id'), calls: 0, lastDay: 0 };
        known.calls += readNumber(row, 'calls');
        known.lastDay = readNumber(row, 'day');
        uses.set(key, known);
      }
      if (turn.isLong()) turn = await turn.next();
    }
    const lastHours = new Map<number, ReadonlyMap<number, number>>();
    for (const day of new Set([...uses.values()].map(({ lastDay }) => lastDay))) {
      lastHours.set(day, await this.#lastHours(number, day));
      if (turn.isLong()) turn = await turn.next();
    }
    return [...uses].flatMap(([key, { keyId, calls, lastDay }]) => {
      const lastHourMs = lastHours.get(lastDay)?.get(key);
      return lastHourMs === undefined ? [] : [{ keyId, calls, lastHourMs }];
    });
  }

  async #lastHours(account: number, day: number): Promise<ReadonlyMap<number, number>> {
    const rows = await this.store.read(() =>
      this.store.history.findLastHours.all(account, day * dayMs, (day + 1) * dayMs),
    );
    return new Map(rows.map((row) => [readNumber(row, 'key'), readNumber(row, 'hour')]));
  }

  async readAccountsUse(accountIds: readonly string[], day: number): Promise<readonly AccountUse[]> {
    await this.store.flush();
    const uses: AccountUse[] = [];
    let turn = beginTurn(this.pace);
    for (const accountId of accountIds) {
      const row = await this.store.read(() =>
        this.store.history.findAccountUse.get(accountId, day * dayMs, (day + 1) * dayMs),
      );
      if (row !== undefined) uses.push(readAccountUse(row));
      if (turn.isLong()) turn = await turn.next();
    }
    return uses;
  }

  async sumMonth({ startMs, endMs }: Span): Promise<readonly MonthTotal[]> {
    await this.store.flush();
    const [fromDay, toDay] = [dayOf(startMs), dayOf(endMs)];
    const rows = await this.#ofAllAccounts((after) => {
      const { listAccountIds, sumOfDays, sumAdded } = this.store.history;
      return listAccountIds.all(after, portionAccounts).map((row) => {
        const number = readNumber(row, 'number');
        return {
          ...row,
          ...sumOfDays.get(number, fromDay, toDay),
          ...sumAdded.get(number, startMs, endMs),
        };
      });
    });
    return rows.map((row) => ({
      accountId: readText(row, 'id'),
      calls: readNumber(row, 'calls'),
      credits: readNumber(row, 'credits'),
      allowanceAdded: readNumber(row, 'allowance_added'),
      lastingAdded: readNumber(row, 'lasting_added'),
    }));
  }

  /** Rows with the numbers of accounts, a portion after a number at a time. */
  async #ofAllAccounts(readAfter: (number: number) => readonly Row[]): Promise<readonly Row[]> {
    const all: Row[] = [];
    let turn = beginTurn(this.pace);
    for (let after = 0; ; ) {
      const from = after;
      const rows = await this.store.read(() => readAfter(from));
      all.push(...rows);
      const last = rows.at(-1);
      if (last === undefined || rows.length < portionAccounts) return all;
      after = readNumber(last, 'number');
      if (turn.isLong()) turn = await turn.next();
    }
  }

  /** At once, so that balance, movements and charges are of one moment. */
  readMonth({ accountId, number }: AccountRow, { startMs, endMs }: Span): Promise<MonthRecord> {
    const [fromDay, toDay] = [dayOf(startMs), dayOf(endMs)];
    return this.store.readCounted(() => {
      const { sumOfDays, listMovements, sumChargesOfDays } = this.store.history;
      const { balance } = this.store.findAccount(accountId) ?? gone(accountId);
      return {
        balance,
        spentSince: readNumber(sumOfDays.get(number, fromDay, noEnd), 'credits'),
        movements: listMovements.all(number).map((row) => readJournalEntry(accountId, row)),
        charges: sumChargesOfDays.all(number, fromDay, toDay).map((row) => ({
          day: readNumber(row, 'day'),
          endpoint: readText(row, 'endpoint'),
          calls: readNumber(row, 'calls'),
          credits: readNumber(row, 'credits'),
        })),
      };
    });
  }

  /** There is no index by account and time, which each charge would pay for. The few entries that are no charges have one: what
   *  lies between two of them is found by following the journal back. */
  async readJournalPage(account: AccountRow, { span, before, limit }: PageWish): Promise<JournalPage> {
    const { accountId, number } = account;
    const stopAt = await this.store.read(() => this.#stopAt(number, span));
    let seq = await this.store.read(() => this.#firstOfPage(account, span, before));
    const entries: JournalEntry[] = [];
    let turn = beginTurn(this.pace);
    while (seq !== null && seq > stopAt) {
      const from: number = seq;
      for (const row of await this.store.read(() =>
        this.store.statements.listJournal.all(from, portionEntries),
      )) {
        const atMs = readNumber(row, 'at');
        if (atMs >= span.startMs && atMs < span.endMs) entries.push(readJournalEntry(accountId, row));
        if (entries.length === limit) return { entries, before: readNumber(row, 'seq') };
        seq = readNumberOrNull(row, 'previous');
      }
      if (seq === from) break;
      if (turn.isLong()) turn = await turn.next();
    }
    return { entries, before: null };
  }

  #firstOfPage({ number }: AccountRow, { endMs }: Span, before: number | undefined): number | null {
    const { findEntryBefore, findLastMovement, findMovementAfter, findNewest } = this.store.history;
    if (before !== undefined) {
      const row = findEntryBefore.get(number, before);
      return row === undefined ? null : readNumberOrNull(row, 'previous');
    }
    const last = readNumberOrNull(findLastMovement.get(number, endMs + marginMs), 'seq') ?? 0;
    return readNumberOrNull(findMovementAfter.get(number, last) ?? findNewest.get(number), 'previous');
  }

  /** No entry up to that one is of the span. */
  #stopAt(number: number, { startMs }: Span): number {
    const { findFirstMovement, findMovementBefore } = this.store.history;
    const first = readNumberOrNull(findFirstMovement.get(number, startMs - marginMs), 'seq');
    const before = findMovementBefore.get(number, first ?? Number.MAX_SAFE_INTEGER);
    return readNumberOrNull(before, 'seq') ?? 0;
  }
}

/** What it was not added up by is not told. */
const readGroup = (row: Row): Required<UsageSum> => ({
  day: 0,
  endpoint: row.endpoint === null ? '' : readText(row, 'endpoint'),
  key: row.key_id === null ? '' : readText(row, 'key_id'),
  status: readNumberOrNull(row, 'status') ?? 0,
  calls: readNumber(row, 'calls'),
  credits: readNumber(row, 'credits'),
});

const readDaySum = (row: Row) => ({
  rows: readNumber(row, 'rows'),
  calls: readNumber(row, 'calls'),
  credits: readNumber(row, 'credits'),
});

function gone(accountId: string): never {
  throw new TypeError(`the account ${accountId} is not there any more`);
}
