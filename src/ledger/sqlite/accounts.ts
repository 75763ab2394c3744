// The operator's half of the SQLite engine: accounts, keys, journal, usage. Every change is one transaction, and a
// serving process sees it at its next request.

import { spansAt } from '../calendar.ts';
import { hashKey, makeId, makeKey, type RandomBytes } from '../keys.ts';
import {
  type Account,
  type Accounts,
  type BalanceCheck,
  type JournalEntry,
  type Key,
  LedgerRefusal,
  type MakeableKind,
  type Mode,
  type NewKey,
  type PlanName,
  type Terms,
  type UsageRow,
  type WindowUse,
} from '../ledger.ts';
import { allowanceOf, checkTerms, limitsOf, windows } from '../plans.ts';
import { checkPrivate, publicAccount, publicCaller, publicKey } from '../public-sandbox.ts';
import { checkNote, notes } from '../replay.ts';
import {
  adjust,
  changePlan,
  checkExpiry,
  checkMakeable,
  checkName,
  endRotated,
  isRefreshDue,
  nextRefresh,
  openAccount,
} from '../rules.ts';
import { readNumber, readText } from './rows.ts';
import {
  type AccountRow,
  readAccount,
  readJournalEntry,
  readKey,
  readUsage,
  termsColumns,
} from './statements.ts';
import type { SqliteStore } from './store.ts';

export class SqliteAccounts implements Accounts {
  readonly #store: SqliteStore;
  readonly #randomBytes: RandomBytes;

  constructor(store: SqliteStore, randomBytes: RandomBytes) {
    this.#store = store;
    this.#randomBytes = randomBytes;
  }

  async createAccount(account: {
    readonly name: string;
    readonly plan: PlanName;
    readonly terms?: Terms;
    readonly atMs: number;
  }): Promise<Account> {
    const accountId = makeId('acc', this.#randomBytes);
    return this.#store.change(() => published(this.#insertAccount({ ...account, accountId })));
  }

  async openPublicSandbox(atMs: number): Promise<void> {
    const { accountId, keyId, mode } = publicCaller;
    // Every start asks; only the first has to write.
    if ((await this.#store.read(() => this.#store.findAccount(accountId))) !== undefined) return;
    await this.#store.change(() => {
      if (this.#store.findAccount(accountId) !== undefined) return;
      const account = this.#insertAccount({ ...publicAccount, accountId, atMs });
      const { name } = publicAccount;
      this.#insertKey({ account, kind: mode, name, expiresAtMs: null, atMs }, { keyId, key: publicKey });
    });
  }

  async listAccounts(atMs: number): Promise<Account[]> {
    const found = await this.#store.read(() => this.#store.statements.listAccounts.all().map(readAccount));
    const due = found.filter((account) => isRefreshDue(account, atMs));
    if (due.length === 0) return found.map(published);
    await this.#store.writer.transact(() => {
      for (const { accountId } of due) this.#store.periods.refreshIfDue(this.#known(accountId), atMs);
    });
    return this.#store.read(() =>
      this.#store.statements.listAccounts.all().map((row) => published(readAccount(row))),
    );
  }

  async findAccount(accountId: string, atMs: number): Promise<Account | undefined> {
    const found = await this.#store.read(() => this.#store.findAccount(accountId));
    if (found === undefined || !isRefreshDue(found, atMs)) return found && published(found);
    return this.#store.writer.transact(() => {
      const account = this.#known(accountId);
      this.#store.periods.refreshIfDue(account, atMs);
      return published(account);
    });
  }

  async changePlan(
    accountId: string,
    change: { readonly plan: PlanName; readonly terms?: Terms; readonly atMs: number },
  ): Promise<Account> {
    const { plan, terms = {}, atMs } = change;
    checkTerms(terms);
    const allowance = allowanceOf(plan, terms);
    return this.#store.change(() => {
      const before = this.#open(accountId);
      this.#store.periods.refreshIfDue(before, atMs);
      const { movement, period } = changePlan(before, {
        plan,
        terms,
        atMs,
        givenBefore: this.#store.periods.givenBefore(before, atMs),
      });
      // Also where no credits move: the journal alone says which plan and terms an account has.
      const kind = movement.credits < 0 ? 'correction' : 'grant';
      this.#store.post(before, {
        ...movement,
        atMs,
        kind,
        note: notes.planChanged(before.plan, plan, terms),
      });
      this.#store.periods.begin(before, period);
      this.#store.statements.updateTerms.run(plan, ...termsColumns(terms), before.number);
      const limits = limitsOf(plan, terms, 'live');
      return published({ ...before, plan, terms, allowance, limits, refreshAtMs: nextRefresh(plan, period) });
    });
  }

  async grantCredits(
    accountId: string,
    grant: { readonly credits: number; readonly note?: string; readonly atMs: number },
  ): Promise<Account> {
    const { credits, note = null, atMs } = grant;
    checkNote(note);
    return this.#store.change(() => {
      const account = this.#open(accountId);
      this.#store.periods.refreshIfDue(account, atMs);
      const { kind, movement } = adjust(account, credits);
      this.#store.post(account, { ...movement, atMs, kind, note });
      return published(account);
    });
  }

  async closeAccount(accountId: string, atMs: number): Promise<Account> {
    return this.#store.change(() => {
      const account = this.#open(accountId);
      this.#store.post(account, { credits: 0, lasting: 0, atMs, kind: 'correction', note: notes.closed });
      this.#store.statements.closeAccount.run(atMs, account.number);
      return published({ ...account, closedAtMs: atMs });
    });
  }

  async createKey(key: {
    readonly accountId: string;
    readonly kind: MakeableKind;
    readonly name?: string;
    readonly expiresAtMs?: number;
    readonly atMs: number;
  }): Promise<NewKey> {
    const { accountId, kind, name = null, expiresAtMs = null, atMs } = key;
    checkExpiry(expiresAtMs, atMs);
    return this.#store.change(() => {
      const account = this.#open(accountId);
      return this.#insertKey({ account, kind, name, expiresAtMs, atMs }, this.#makeKey(kind));
    });
  }

  async listKeys(accountId: string): Promise<Key[]> {
    return this.#store.read(() => {
      const { number } = this.#known(accountId);
      return this.#store.statements.listKeys.all(number).map(readKey);
    });
  }

  async revokeKey(keyId: string, atMs: number): Promise<Key> {
    return this.#store.change(() => {
      const key = this.#knownKey(keyId);
      checkPrivate(key.accountId);
      if (key.revokedAtMs !== null) throw new LedgerRefusal(`${keyId} is revoked already.`);
      this.#store.statements.endKey.run(key.expiresAtMs, atMs, key.replacedBy, keyId);
      return { ...key, revokedAtMs: atMs };
    });
  }

  async rotateKey(
    keyId: string,
    rotation: { readonly overlapMs: number; readonly atMs: number },
  ): Promise<NewKey> {
    return this.#store.change(() => {
      const old = this.#knownKey(keyId);
      const account = this.#open(old.accountId);
      const ends = endRotated(old, rotation);
      const { name, expiresAtMs } = old;
      const kind = checkMakeable(old.kind);
      const { atMs } = rotation;
      const made = this.#insertKey({ account, kind, name, expiresAtMs, atMs }, this.#makeKey(kind));
      this.#store.statements.endKey.run(ends.expiresAtMs, ends.revokedAtMs, made.keyId, keyId);
      return made;
    });
  }

  async journalOf(accountId: string, range: { readonly newest?: number } = {}): Promise<JournalEntry[]> {
    const everything = -1;
    return this.#store.read(() => {
      const { newestSeq } = this.#known(accountId);
      const rows = this.#store.statements.listJournal.all(newestSeq, range.newest ?? everything);
      return rows.map((row) => readJournalEntry(accountId, row));
    });
  }

  async usageOf(
    accountId: string,
    range: { readonly fromMs?: number; readonly toMs?: number } = {},
  ): Promise<UsageRow[]> {
    const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = range;
    await this.#store.flush();
    return this.#store.read(() => {
      const { number } = this.#known(accountId);
      const rows = this.#store.statements.listUsage.all(number, fromMs, toMs);
      return rows.map((row) => readUsage(accountId, row));
    });
  }

  async windowsOf(accountId: string, mode: Mode, atMs: number): Promise<WindowUse[]> {
    return this.#store.read(() => {
      const account = this.#known(accountId);
      const limits = limitsOf(account.plan, account.terms, mode);
      const tally = this.#store.tallyOf(account, mode);
      const spans = spansAt(atMs);
      return windows.map((window) => ({
        window,
        used: tally.countIn(window, spans[window].startMs),
        limit: limits[window],
        resetAtMs: spans[window].endMs,
      }));
    });
  }

  async recomputeBalances(): Promise<BalanceCheck[]> {
    return this.#store.read(() =>
      this.#store.statements.sumJournals.all().map((row) => {
        const balance = readNumber(row, 'balance');
        const journalSum = readNumber(row, 'total');
        const lasting = readNumber(row, 'lasting');
        const journalLastingSum = readNumber(row, 'lasting_total');
        const isEqual = balance === journalSum && lasting === journalLastingSum;
        const kind = isEqual ? 'equal' : 'different';
        return { accountId: readText(row, 'id'), kind, balance, journalSum, lasting, journalLastingSum };
      }),
    );
  }

  #known(accountId: string): AccountRow {
    const account = this.#store.findAccount(accountId);
    if (account === undefined) {
      throw new LedgerRefusal(`There is no account ${accountId}; \`domesday accounts list\` shows them.`);
    }
    return account;
  }

  #open(accountId: string): AccountRow {
    const account = this.#known(accountId);
    checkPrivate(accountId);
    if (account.closedAtMs !== null) throw new LedgerRefusal(`The account ${accountId} is closed.`);
    return account;
  }

  #knownKey(keyId: string): Key {
    const row = this.#store.statements.findKeyById.get(keyId);
    if (row === undefined) {
      throw new LedgerRefusal(`There is no key ${keyId}; \`domesday keys list --account ID\` shows them.`);
    }
    return readKey(row);
  }

  /** Within a transaction. */
  #insertAccount(account: {
    readonly accountId: string;
    readonly name: string;
    readonly plan: PlanName;
    readonly terms?: Terms;
    readonly atMs: number;
  }): AccountRow {
    const { accountId, name, plan, terms = {}, atMs } = account;
    checkName(name);
    checkTerms(terms);
    const { movement, period } = openAccount(plan, terms, atMs);
    const { anchorAtMs, periodEndsAtMs, allowanceGiven } = period;
    const columns = [...termsColumns(terms), anchorAtMs, periodEndsAtMs, allowanceGiven, atMs];
    this.#store.statements.insertAccount.run(accountId, name, plan, ...columns);
    const made = this.#known(accountId);
    this.#store.post(made, { ...movement, atMs, kind: 'grant', note: notes.opened(plan, terms) });
    return made;
  }

  #makeKey(kind: MakeableKind): NewKey {
    return { keyId: makeId('key', this.#randomBytes), key: makeKey(kind, this.#randomBytes) };
  }

  #insertKey(
    of: Pick<Key, 'name' | 'expiresAtMs'> & {
      readonly account: AccountRow;
      readonly kind: MakeableKind;
      readonly atMs: number;
    },
    { keyId, key }: NewKey,
  ): NewKey {
    const { account, kind, name, expiresAtMs, atMs } = of;
    const columns = [keyId, account.number, name, kind, hashKey(key), key.slice(-4), atMs, expiresAtMs];
    this.#store.statements.insertKey.run(...columns);
    return { keyId, key };
  }
}

/** A copy without what is the engine's own. */
function published(row: AccountRow): Account {
  const { accountId, name, plan, terms, balance, lasting, allowance, limits } = row;
  const { refreshAtMs, createdAtMs, closedAtMs } = row;
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
  };
}
