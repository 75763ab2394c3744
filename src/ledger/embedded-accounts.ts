// The operator's half of the embedded ledger: accounts, keys, journal, usage. Every change is one transaction,
// and a serving process sees it at its next request.

import { nextAnniversary, spansAt } from './calendar.ts';
import { asLedgerError, type EmbeddedStore, isRefreshDue } from './embedded-store.ts';
import { hashKey, makeId, makeKey, type RandomBytes } from './keys.ts';
import {
  type Account,
  type Accounts,
  type BalanceCheck,
  type JournalEntry,
  type Key,
  LedgerRefusal,
  type Mode,
  type NewKey,
  type PlanName,
  type Terms,
  type UsageRow,
  type WindowUse,
} from './ledger.ts';
import { allowanceOf, checkTerms, limitsOf, plans, windows } from './plans.ts';
import { readNumber, readText } from './rows.ts';
import {
  type AccountRow,
  readAccount,
  readJournalEntry,
  readKey,
  readUsage,
  termsColumns,
} from './statements.ts';

export class EmbeddedAccounts implements Accounts {
  readonly #store: EmbeddedStore;
  readonly #randomBytes: RandomBytes;

  constructor(store: EmbeddedStore, randomBytes: RandomBytes) {
    this.#store = store;
    this.#randomBytes = randomBytes;
  }

  async createAccount(account: {
    readonly name: string;
    readonly plan: PlanName;
    readonly terms?: Terms;
    readonly atMs: number;
  }): Promise<Account> {
    const { name, plan, terms = {}, atMs } = account;
    if (name.trim() === '') throw new LedgerRefusal('An account needs a name.');
    checkTerms(terms);
    const allowance = allowanceOf(plan, terms);
    const accountId = makeId('acc', this.#randomBytes);
    const columns = [...termsColumns(terms), atMs, firstRefresh(plan, atMs), atMs];
    return this.#store.transactAndForget(() => {
      this.#store.statements.insertAccount.run(accountId, name, plan, ...columns);
      const made = this.#open(accountId);
      this.#store.post(made, { atMs, kind: 'grant', credits: allowance, note: `opened on ${plan}` });
      return published(made);
    });
  }

  async listAccounts(atMs: number): Promise<Account[]> {
    const found = this.#read(() => this.#store.statements.listAccounts.all().map(readAccount));
    const due = found.filter((account) => isRefreshDue(account, atMs));
    if (due.length === 0) return found.map(published);
    this.#store.transact(() => {
      for (const { accountId } of due) this.#store.refreshIfDue(this.#known(accountId), atMs);
    });
    return this.#read(() =>
      this.#store.statements.listAccounts.all().map((row) => published(readAccount(row))),
    );
  }

  async findAccount(accountId: string, atMs: number): Promise<Account | undefined> {
    const found = this.#read(() => this.#store.findAccount(accountId));
    if (found === undefined || !isRefreshDue(found, atMs)) return found && published(found);
    return this.#store.transact(() => {
      const account = this.#known(accountId);
      this.#store.refreshIfDue(account, atMs);
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
    return this.#store.transactAndForget(() => {
      const before = this.#open(accountId);
      this.#store.refreshIfDue(before, atMs);
      const startsNow = before.plan === 'trial' && plan !== 'trial';
      const credits = startsNow ? allowance - before.balance : Math.max(0, allowance - before.allowance);
      const renewed = plans[plan].renewal === 'monthly' ? before.refreshAtMs : null;
      const refreshAtMs = startsNow ? firstRefresh(plan, atMs) : renewed;
      const anchorAtMs = startsNow ? atMs : before.anchorAtMs;
      const note = `plan ${before.plan} to ${plan}`;
      before.refreshAtMs = refreshAtMs; // written again with the balance
      if (credits !== 0) {
        this.#store.post(before, { atMs, kind: credits > 0 ? 'grant' : 'correction', credits, note });
      }
      const columns = [...termsColumns(terms), anchorAtMs, refreshAtMs];
      this.#store.statements.updateTerms.run(plan, ...columns, before.number);
      const limits = limitsOf(plan, terms, 'live');
      return published({ ...before, plan, terms, allowance, limits });
    });
  }

  async grantCredits(
    accountId: string,
    grant: { readonly credits: number; readonly note?: string; readonly atMs: number },
  ): Promise<Account> {
    const { credits, note, atMs } = grant;
    if (!Number.isSafeInteger(credits) || credits === 0) {
      throw new LedgerRefusal('Credits must be a whole number other than 0.');
    }
    return this.#store.transact(() => {
      const account = this.#open(accountId);
      this.#store.refreshIfDue(account, atMs);
      const balance = account.balance + credits;
      if (balance < 0) {
        throw new LedgerRefusal(
          `The balance is ${account.balance} and cannot fall below zero; take at most that.`,
        );
      }
      if (!Number.isSafeInteger(balance)) throw new LedgerRefusal('The balance would be too large to count.');
      const kind = credits > 0 ? 'grant' : 'correction';
      this.#store.post(account, { atMs, kind, credits, note: note ?? null });
      return published(account);
    });
  }

  async closeAccount(accountId: string, atMs: number): Promise<Account> {
    return this.#store.transactAndForget(() => {
      const account = this.#open(accountId);
      this.#store.statements.closeAccount.run(atMs, account.number);
      return published({ ...account, closedAtMs: atMs });
    });
  }

  async createKey(key: {
    readonly accountId: string;
    readonly mode: Mode;
    readonly name?: string;
    readonly expiresAtMs?: number;
    readonly atMs: number;
  }): Promise<NewKey> {
    const { accountId, mode, name = null, expiresAtMs = null, atMs } = key;
    if (expiresAtMs !== null && expiresAtMs <= atMs) {
      throw new LedgerRefusal('The expiry must lie in the future.');
    }
    return this.#store.transact(() => {
      const account = this.#open(accountId);
      return this.#insertKey({ account, mode, name, expiresAtMs, atMs });
    });
  }

  async listKeys(accountId: string): Promise<Key[]> {
    return this.#read(() => {
      const { number } = this.#known(accountId);
      return this.#store.statements.listKeys.all(number).map(readKey);
    });
  }

  async revokeKey(keyId: string, atMs: number): Promise<Key> {
    return this.#store.transactAndForget(() => {
      const key = this.#knownKey(keyId);
      if (key.revokedAtMs !== null) throw new LedgerRefusal(`${keyId} is revoked already.`);
      this.#store.statements.endKey.run(key.expiresAtMs, atMs, key.replacedBy, keyId);
      return { ...key, revokedAtMs: atMs };
    });
  }

  async rotateKey(
    keyId: string,
    rotation: { readonly overlapMs: number; readonly atMs: number },
  ): Promise<NewKey> {
    const { overlapMs, atMs } = rotation;
    if (!Number.isSafeInteger(overlapMs) || overlapMs < 0) {
      throw new LedgerRefusal('The overlap must be 0 or longer.');
    }
    return this.#store.transactAndForget(() => {
      const old = this.#knownKey(keyId);
      const { accountId, mode, name, expiresAtMs } = old;
      const account = this.#open(accountId);
      if (old.revokedAtMs !== null || (expiresAtMs !== null && expiresAtMs <= atMs)) {
        throw new LedgerRefusal(`${keyId} no longer works; make a new key for ${accountId} instead.`);
      }
      if (old.replacedBy !== null) {
        throw new LedgerRefusal(`${keyId} was rotated already; rotate ${old.replacedBy} instead.`);
      }
      const made = this.#insertKey({ account, mode, name, expiresAtMs, atMs });
      const endsAtMs = Math.min(expiresAtMs ?? Number.POSITIVE_INFINITY, atMs + overlapMs);
      const revokedAtMs = overlapMs === 0 ? atMs : null;
      this.#store.statements.endKey.run(endsAtMs, revokedAtMs, made.keyId, keyId);
      return made;
    });
  }

  async journalOf(accountId: string, range: { readonly newest?: number } = {}): Promise<JournalEntry[]> {
    const everything = -1;
    return this.#read(() => {
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
    this.#store.flush();
    return this.#read(() => {
      const { number } = this.#known(accountId);
      const rows = this.#store.statements.listUsage.all(number, fromMs, toMs);
      return rows.map((row) => readUsage(accountId, row));
    });
  }

  async windowsOf(accountId: string, mode: Mode, atMs: number): Promise<WindowUse[]> {
    return this.#read(() => {
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
    return this.#read(() =>
      this.#store.statements.sumJournals.all().map((row) => {
        const balance = readNumber(row, 'balance');
        const journalSum = readNumber(row, 'total');
        const kind = balance === journalSum ? 'equal' : 'different';
        return { accountId: readText(row, 'id'), kind, balance, journalSum };
      }),
    );
  }

  #read<T>(work: () => T): T {
    try {
      this.#store.catchUp();
      return work();
    } catch (error) {
      throw asLedgerError(error);
    }
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

  #insertKey(
    of: Pick<Key, 'mode' | 'name' | 'expiresAtMs'> & { readonly account: AccountRow; readonly atMs: number },
  ): NewKey {
    const { account, mode, name, expiresAtMs, atMs } = of;
    const keyId = makeId('key', this.#randomBytes);
    const key = makeKey(mode, this.#randomBytes);
    const columns = [keyId, account.number, name, mode, hashKey(key), key.slice(-4), atMs, expiresAtMs];
    this.#store.statements.insertKey.run(...columns);
    return { keyId, key };
  }
}

function firstRefresh(plan: PlanName, atMs: number): number | null {
  return plans[plan].renewal === 'monthly' ? nextAnniversary(atMs, atMs) : null;
}

/** A copy without what is the engine's own. */
function published({
  anchorAtMs: _anchor,
  number: _number,
  newestSeq: _newest,
  ...account
}: AccountRow): Account {
  return account;
}
