// What is told of accounts, whatever the engine: where they stand, journal, usage, windows, statements. Nothing here changes
// anything but a refresh that is due.

import { dayOf, monthName, monthSpan, type Span, spansAt } from '../calendar.ts';
import { type Account, type AccountPage, LedgerRefusal, type Mode, type WindowUse } from '../ledger.ts';
import { limitsOf } from '../plans.ts';
import { isCustomer } from '../public-sandbox.ts';
import { isRefreshDue, useOf } from '../rules.ts';
import type { AccountWish } from '../told/accounts.ts';
import type { JournalEntry, JournalPage, Statement } from '../told/entries.ts';
import type { Backups, BalanceCheck } from '../told/journals.ts';
import type { AccountUse, KeyUse, MonthTotal, UsageRow, UsageSums, UsageWish } from '../told/usage.ts';
import type { Books } from './books.ts';
import type { AccountRow } from './records.ts';

/** Looked through at a time. */
const portionAccounts = 200;

export class StoredHistory {
  protected readonly books: Books;
  /** The sum of usage that is being worked out, and those that wait for it. */
  #summing: Promise<void> = Promise.resolve();

  constructor(books: Books) {
    this.books = books;
  }

  async listAccounts(atMs: number): Promise<Account[]> {
    const found = await this.books.readAccounts();
    const due = found.filter((account) => isRefreshDue(account, atMs));
    if (due.length === 0) return found.map(published);
    await this.books.refresh(
      due.map(({ accountId }) => accountId),
      atMs,
    );
    return (await this.books.readAccounts()).map(published);
  }

  /** Compared here, not in the engine: each has letters of its own that it can fold. */
  async accountPage({ search, also, after, limit, atMs }: AccountWish): Promise<AccountPage> {
    const [wanted, ids] = [search.toLowerCase(), new Set(also)];
    const isWanted = (account: AccountRow): boolean =>
      isCustomer(account) &&
      (ids.has(account.accountId) ||
        [account.name, account.accountId, account.plan].some((text) => text.toLowerCase().includes(wanted)));
    const found: AccountRow[] = [];
    let last = after === undefined ? 0 : (await this.known(after)).number;
    // One more says whether there is another page.
    while (found.length <= limit) {
      const portion = await this.books.readAccountsAfter(last, portionAccounts);
      found.push(...portion.filter(isWanted));
      if (portion.length < portionAccounts) break;
      last = portion.at(-1)?.number ?? last;
    }
    const page = found.slice(0, limit);
    const accounts: Account[] = [];
    for (const account of page) accounts.push(await this.#refreshed(account, atMs));
    return { accounts, after: found.length > limit ? (page.at(-1)?.accountId ?? null) : null };
  }

  async findAccount(accountId: string, atMs: number): Promise<Account | undefined> {
    const found = await this.books.readAccount(accountId);
    return found && this.#refreshed(found, atMs);
  }

  async #refreshed(account: AccountRow, atMs: number): Promise<Account> {
    const { accountId } = account;
    if (!isRefreshDue(account, atMs)) return published(account);
    await this.books.refresh([accountId], atMs);
    return published(await this.known(accountId));
  }

  async journalOf(accountId: string, range: { readonly newest?: number } = {}): Promise<JournalEntry[]> {
    return this.books.readJournal(await this.known(accountId), range.newest);
  }

  async journalPage(
    accountId: string,
    { month, before, limit }: { readonly month: string; readonly before?: number; readonly limit: number },
  ): Promise<JournalPage> {
    const span = knownMonth(month);
    return this.books.readJournalPage(await this.known(accountId), { span, before, limit });
  }

  async usageOf(
    accountId: string,
    range: { readonly fromMs?: number; readonly toMs?: number } = {},
  ): Promise<UsageRow[]> {
    const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = range;
    return this.books.readUsage(await this.known(accountId), fromMs, toMs);
  }

  sumUsage(accountId: string, wish: UsageWish): Promise<UsageSums> {
    return this.#oneAtATime(async () => this.books.sumUsage(await this.known(accountId), wish));
  }

  async windowsOf(accountId: string, mode: Mode, atMs: number): Promise<WindowUse[]> {
    const account = await this.known(accountId);
    const limits = limitsOf(account.plan, account.terms, mode);
    const calls = await this.books.readWindows(account, mode);
    return useOf(limits, calls, spansAt(atMs));
  }

  keyUse(accountId: string): Promise<readonly KeyUse[]> {
    return this.#oneAtATime(async () => this.books.readKeyUse(await this.known(accountId)));
  }

  accountsUse(accountIds: readonly string[], atMs: number): Promise<readonly AccountUse[]> {
    return this.#oneAtATime(() => this.books.readAccountsUse(accountIds, dayOf(atMs)));
  }

  backups(): Promise<Backups> {
    return this.books.readBackups();
  }

  async monthTotals(month: string): Promise<readonly MonthTotal[]> {
    const span = knownMonth(month);
    return this.#oneAtATime(() => this.books.sumMonth(span));
  }

  async statement(accountId: string, month: string, atMs: number): Promise<Statement> {
    const span = knownMonth(month);
    const account = await this.known(accountId);
    if (isRefreshDue(account, atMs)) await this.books.refresh([accountId], atMs);
    const { balance, spentSince, movements, charges } = await this.books.readMonth(account, span);
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
    return (await this.books.sumJournals()).map((sums) => {
      const { balance, journalSum, lasting, journalLastingSum } = sums;
      const isEqual = balance === journalSum && lasting === journalLastingSum;
      return { ...sums, kind: isEqual ? 'equal' : 'different' };
    });
  }

  protected async known(accountId: string): Promise<AccountRow> {
    return checkKnown(await this.books.readAccount(accountId), accountId);
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
