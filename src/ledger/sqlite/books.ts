// What the operator's half of the ledger asks of an engine, answered by the SQLite engine's file.

import { readNumber, readText } from '../../storage/rows.ts';
import { bindingColumns } from '../binding.ts';
import type { Key, Mode, PlanName, Terms } from '../ledger.ts';
import type { Pace } from '../pace.ts';
import type { Books, CallCounts, Desk, NewAccount, NewKeyRow, Subject } from '../stored/books.ts';
import { type AccountRow, readAccount, readKey, termsColumns } from '../stored/records.ts';
import { type Backups, type BalanceCheck, readBackups } from '../told/journals.ts';
import { SqliteHistory } from './history.ts';
import type { SqliteStore } from './store.ts';

export class SqliteBooks extends SqliteHistory implements Books {
  readonly #desk: Desk;

  constructor(store: SqliteStore, pace: Pace) {
    super(store, pace);
    this.#desk = deskOf(store);
  }

  /** The whole file is locked, whatever the subject. */
  change<T>(_subject: Subject, work: (desk: Desk) => T): Promise<T> {
    return this.store.change(() => work(this.#desk));
  }

  refresh(accountIds: readonly string[], atMs: number): Promise<void> {
    return this.store.writer.transact(() => {
      for (const accountId of accountIds) {
        const account = this.store.findAccount(accountId);
        if (account !== undefined) this.store.periods.refreshIfDue(account, atMs);
      }
    });
  }

  readAccount(accountId: string): Promise<AccountRow | undefined> {
    return this.store.read(() => this.store.findAccount(accountId));
  }

  readAccounts(): Promise<readonly AccountRow[]> {
    return this.store.read(() => this.store.statements.listAccounts.all().map(readAccount));
  }

  /** Whoever looks through all of them asks many times: calls go on between. */
  async readAccountsAfter(number: number, most: number): Promise<readonly AccountRow[]> {
    await new Promise<void>((resolve) => this.pace.endOfTurn(resolve));
    return this.store.read(() => this.store.statements.listAccountsAfter.all(number, most).map(readAccount));
  }

  readKeys({ number }: AccountRow): Promise<Key[]> {
    return this.store.read(() => this.store.statements.listKeys.all(number).map(readKey));
  }

  readWindows(account: AccountRow, mode: Mode): Promise<CallCounts> {
    return this.store.read(() => this.store.tallyOf(account, mode));
  }

  readBackups(): Promise<Backups> {
    return this.store.read(() => readBackups(this.store.statements.readBackups.get()));
  }

  sumJournals(): Promise<readonly Omit<BalanceCheck, 'kind'>[]> {
    return this.store.read(() =>
      this.store.statements.sumJournals.all().map((row) => ({
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
    renameAccount: ({ number }, name) => {
      store.statements.renameAccount.run(name, number);
    },
    setSuspension: ({ number }, suspension) => {
      store.statements.setSuspension.run(suspension?.atMs ?? null, suspension?.reason ?? null, number);
    },
    listWebKeys: ({ number }) => store.statements.listWebKeys.all(number).map(readKey),
    countLiveKeys: ({ number }, atMs) =>
      readNumber(store.statements.countLiveKeys.get(number, atMs), 'count'),
    insertKey: (key: NewKeyRow) => {
      const { keyId, account, name, kind, hash, lastFour, createdAtMs, expiresAtMs } = key;
      const { origins, paths, addresses } = bindingColumns(key.binding);
      const columns = [keyId, account.number, name, kind, hash, lastFour, origins, paths, addresses];
      store.statements.insertKey.run(...columns, createdAtMs, expiresAtMs);
    },
    renewKey: (keyId, { hash, lastFour, createdAtMs, expiresAtMs }) => {
      store.statements.renewKey.run(hash, lastFour, createdAtMs, expiresAtMs, keyId);
    },
    updateKey: ({ keyId, name, expiresAtMs, binding }) => {
      const { paths, addresses } = bindingColumns(binding);
      store.statements.updateKey.run(name, expiresAtMs, paths, addresses, keyId);
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
