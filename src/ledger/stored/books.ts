// What the operator's half of the ledger asks of an engine: reads, and changes that are worked out at a desk where what
// they are about lies ready.

import type { Span } from '../calendar.ts';
import type { AdmittedKind, Key, Mode, PlanName, Suspension, Terms } from '../ledger.ts';
import type { Period } from '../rules.ts';
import type { JournalEntry, JournalPage, Statement } from '../told/entries.ts';
import type { Backups, BalanceCheck } from '../told/journals.ts';
import type { AccountUse, KeyUse, MonthTotal, UsageRow, UsageSums, UsageWish } from '../told/usage.ts';
import type { Periods } from './periods.ts';
import type { Posting } from './posting.ts';
import type { AccountRow } from './records.ts';

/** What a change is about: an account, there or to be made, or the account of a key; perhaps with its web keys, or with how
 *  many others work at a moment. */
export type Subject =
  | { readonly accountId: string; readonly also?: 'web keys' | { readonly liveKeysAtMs: number } }
  | { readonly keyId: string; readonly also?: undefined };

export type NewAccount = Period & {
  readonly accountId: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly terms: Terms;
  readonly createdAtMs: number;
};

export type NewKeyRow = Pick<
  Key,
  'keyId' | 'name' | 'lastFour' | 'binding' | 'createdAtMs' | 'expiresAtMs'
> & {
  readonly account: AccountRow;
  readonly kind: AdmittedKind;
  readonly hash: string;
};

/** What a web key becomes in place of one that gives way: its id stays, and with it what was called by it. */
type RenewedKey = Pick<NewKeyRow, 'hash' | 'lastFour' | 'createdAtMs' | 'expiresAtMs'>;

/** Within a transaction: sees the newest state of the subject, which nobody else changes meanwhile. */
export type Desk = {
  readonly findAccount: (accountId: string) => AccountRow | undefined;
  readonly findKey: (keyId: string) => Key | undefined;
  /** Of the account that is the subject, where it is `also` about them. */
  readonly listWebKeys: (account: AccountRow) => readonly Key[];
  /** Of the account of the subject, where it is `also` about them: neither revoked nor expired nor rotated, and no web keys. */
  readonly countLiveKeys: (account: AccountRow, atMs: number) => number;
  readonly periods: Periods;
  /** An entry of the journal and the balances it leads to. */
  readonly post: (account: AccountRow, posting: Posting) => void;
  readonly insertAccount: (account: NewAccount) => AccountRow;
  readonly updateTerms: (account: AccountRow, plan: PlanName, terms: Terms) => void;
  readonly closeAccount: (account: AccountRow, atMs: number) => void;
  readonly renameAccount: (account: AccountRow, name: string) => void;
  readonly setSuspension: (account: AccountRow, suspension: Suspension | null) => void;
  readonly insertKey: (key: NewKeyRow) => void;
  readonly renewKey: (keyId: string, renewed: RenewedKey) => void;
  /** Name, end, endpoints and addresses. */
  readonly updateKey: (key: Key) => void;
  readonly endKey: (keyId: string, end: Pick<Key, 'expiresAtMs' | 'revokedAtMs' | 'replacedBy'>) => void;
};

/** What a statement is made of, all of one moment. */
export type MonthRecord = {
  readonly balance: number;
  /** What was charged and not given back, from the beginning of the month until now. */
  readonly spentSince: number;
  /** All of the account but charges and what gave them back, oldest first. */
  readonly movements: readonly JournalEntry[];
  /** Of the month, sorted by day and endpoint. */
  readonly charges: Statement['charges'];
};

/** Calls of an account and mode. */
export type CallCounts = {
  readonly countIn: (window: 'minute' | 'day' | 'month', startMs: number) => number;
};

export interface Books {
  /** A change by the operator, which cannot be made twice: rejects with LedgerUnavailable where nobody knows whether it
   *  was made. */
  change<T>(subject: Subject, work: (desk: Desk) => T): Promise<T>;
  /** Makes the refreshes that are due; once, however often it is asked. */
  refresh(accountIds: readonly string[], atMs: number): Promise<void>;
  readAccount(accountId: string): Promise<AccountRow | undefined>;
  /** Oldest first. */
  readAccounts(): Promise<readonly AccountRow[]>;
  /** At most so many of those that were opened after the one of that number, in that order; of the first, after 0. */
  readAccountsAfter(number: number, most: number): Promise<readonly AccountRow[]>;
  /** Oldest first. */
  readKeys(account: AccountRow): Promise<Key[]>;
  /** Newest first. */
  readJournal(account: AccountRow, newest: number | undefined): Promise<JournalEntry[]>;
  /** Every count that was made before included. */
  readUsage(account: AccountRow, fromMs: number, toMs: number): Promise<UsageRow[]>;
  /** Every call that this process has answered is in it. */
  sumUsage(account: AccountRow, wish: UsageWish): Promise<UsageSums>;
  readWindows(account: AccountRow, mode: Mode): Promise<CallCounts>;
  /** Every count that was made before included. */
  readKeyUse(account: AccountRow): Promise<readonly KeyUse[]>;
  /** Every count that was made before included. `day` is that of UTC, since 1970. */
  readAccountsUse(accountIds: readonly string[], day: number): Promise<readonly AccountUse[]>;
  /** Every count that was made before included. */
  sumMonth(month: Span): Promise<readonly MonthTotal[]>;
  readMonth(account: AccountRow, month: Span): Promise<MonthRecord>;
  /** Entries of a span before the one of that number, or from the newest on. */
  readJournalPage(
    account: AccountRow,
    page: { readonly span: Span; readonly before: number | undefined; readonly limit: number },
  ): Promise<JournalPage>;
  readBackups(): Promise<Backups>;
  /** Accounts oldest first. */
  sumJournals(): Promise<readonly Omit<BalanceCheck, 'kind'>[]>;
}
