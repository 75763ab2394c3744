// What the operator's half of the ledger asks of an engine, answered by the SQLite engine's file.

import { bindingColumns } from '../binding.ts';
import { dayOf } from '../calendar.ts';
import type {
  BalanceCheck,
  JournalEntry,
  Key,
  Mode,
  PlanName,
  Terms,
  UsageRow,
  UsageSums,
  UsageWish,
} from '../ledger.ts';
import { beginTurn, type Pace } from '../pace.ts';
import { AddedUsage } from '../stored/added-usage.ts';
import type { Books, CallCounts, Desk, NewAccount, NewKeyRow, Subject } from '../stored/books.ts';
import {
  type AccountRow,
  readAccount,
  readJournalEntry,
  readKey,
  readUsage,
  termsColumns,
} from '../stored/records.ts';
import { readNumber, readText } from '../stored/rows.ts';
import type { SqliteStore } from './store.ts';

export class SqliteBooks implements Books {
  readonly #store: SqliteStore;
  readonly #pace: Pace;
  readonly #desk: Desk;

  constructor(store: SqliteStore, pace: Pace) {
    this.#store = store;
    this.#pace = pace;
    this.#desk = deskOf(store);
  }

  /** The whole file is locked, whatever the subject. */
  change<T>(_subject: Subject, work: (desk: Desk) => T): Promise<T> {
    return this.#store.change(() => work(this.#desk));
  }

  refresh(accountIds: readonly string[], atMs: number): Promise<void> {
    return this.#store.writer.transact(() => {
      for (const accountId of accountIds) {
        const account = this.#store.findAccount(accountId);
        if (account !== undefined) this.#store.periods.refreshIfDue(account, atMs);
      }
    });
  }

  readAccount(accountId: string): Promise<AccountRow | undefined> {
    return this.#store.read(() => this.#store.findAccount(accountId));
  }

  readAccounts(): Promise<readonly AccountRow[]> {
    return this.#store.read(() => this.#store.statements.listAccounts.all().map(readAccount));
  }

  readKeys({ number }: AccountRow): Promise<Key[]> {
    return this.#store.read(() => this.#store.statements.listKeys.all(number).map(readKey));
  }

  readJournal({ accountId, newestSeq }: AccountRow, newest: number | undefined): Promise<JournalEntry[]> {
    const everything = -1;
    return this.#store.read(() => {
      const rows = this.#store.statements.listJournal.all(newestSeq, newest ?? everything);
      return rows.map((row) => readJournalEntry(accountId, row));
    });
  }

  async readUsage({ accountId, number }: AccountRow, fromMs: number, toMs: number): Promise<UsageRow[]> {
    await this.#store.flush();
    return this.#store.read(() => {
      const rows = this.#store.statements.listUsage.all(number, fromMs, toMs);
      return rows.map((row) => readUsage(accountId, row));
    });
  }

  /** Day by day, and never for long: each day and what is counted for it in memory are read at the same moment, so that no
   *  call is missed or comes twice. */
  async sumUsage(account: AccountRow, wish: UsageWish): Promise<UsageSums> {
    const adding = new AddedUsage(wish);
    let turn = beginTurn(this.#pace);
    for (let day = wish.fromDay; day <= wish.toDay; day++) {
      await this.#store.read(() => this.#addDay(adding, account, day));
      adding.endDay();
      if (turn.isLong()) turn = await turn.next();
    }
    return adding.sums();
  }

  #addDay(adding: AddedUsage, { accountId, number }: AccountRow, day: number): void {
    for (const row of this.#store.statements.listUsageOfDay.all(number, day)) {
      adding.add({
        day,
        endpoint: readText(row, 'endpoint'),
        key: readText(row, 'key_id'),
        status: readNumber(row, 'status'),
        calls: readNumber(row, 'calls'),
        credits: readNumber(row, 'credits'),
      });
    }
    for (const { hourStartMs, keyId, endpoint, status, calls, credits } of this.#store.pendingUsage) {
      if (dayOf(hourStartMs) !== day) continue;
      if (this.#store.findPayer(keyId)?.account.accountId !== accountId) continue;
      adding.add({ day, endpoint, key: keyId, status, calls, credits });
    }
  }

  readWindows(account: AccountRow, mode: Mode): Promise<CallCounts> {
    return this.#store.read(() => this.#store.tallyOf(account, mode));
  }

  sumJournals(): Promise<readonly Omit<BalanceCheck, 'kind'>[]> {
    return this.#store.read(() =>
      this.#store.statements.sumJournals.all().map((row) => ({
        accountId: readText(row, 'id'),
        balance: readNumber(row, 'balance'),
        journalSum: readNumber(row, 'total'),
        lasting: readNumber(row, 'lasting'),
        journalLastingSum: readNumber(row, 'lasting_total'),
      })),
    );
  }
}

/** Statements are asked for each time: they are others after a connection was exchanged. */
function deskOf(store: SqliteStore): Desk {
  return {
    periods: store.periods,
    findAccount: (accountId) => store.findAccount(accountId),
    findKey: (keyId) => {
      const row = store.statements.findKeyById.get(keyId);
      return row && readKey(row);
    },
    post: (account, posting) => store.post(account, posting),
    insertAccount: (account) => insertAccount(store, account),
    updateTerms: ({ number }: AccountRow, plan: PlanName, terms: Terms) => {
      store.statements.updateTerms.run(plan, ...termsColumns(terms), number);
    },
    closeAccount: ({ number }, atMs) => {
      store.statements.closeAccount.run(atMs, number);
    },
    insertKey: (key: NewKeyRow) => {
      const { keyId, account, name, kind, hash, lastFour, createdAtMs, expiresAtMs } = key;
      const { origins, paths } = bindingColumns(key.binding);
      const columns = [keyId, account.number, name, kind, hash, lastFour, origins, paths];
      store.statements.insertKey.run(...columns, createdAtMs, expiresAtMs);
    },
    endKey: (keyId, { expiresAtMs, revokedAtMs, replacedBy }) => {
      store.statements.endKey.run(expiresAtMs, revokedAtMs, replacedBy, keyId);
    },
  };
}

function insertAccount(store: SqliteStore, account: NewAccount): AccountRow {
  const { accountId, name, plan, terms, anchorAtMs, periodEndsAtMs, allowanceGiven, createdAtMs } = account;
  const columns = [...termsColumns(terms), anchorAtMs, periodEndsAtMs, allowanceGiven, createdAtMs];
  store.statements.insertAccount.run(accountId, name, plan, ...columns);
  const made = store.findAccount(accountId);
  if (made === undefined) throw new Error('an account that was inserted is not there');
  return made;
}
