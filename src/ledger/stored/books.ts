// What the operator's half of the ledger asks of an engine: reads, and changes that are worked out at a desk where what
// they are about lies ready.

import type {
  BalanceCheck,
  JournalEntry,
  Key,
  MakeableKind,
  Mode,
  PlanName,
  Terms,
  UsageRow,
  UsageSums,
  UsageWish,
} from '../ledger.ts';
import type { Period } from '../rules.ts';
import type { Periods } from './periods.ts';
import type { Posting } from './posting.ts';
import type { AccountRow } from './records.ts';

/** What a change is about: an account, there or to be made, or the account of a key. */
export type Subject = { readonly accountId: string } | { readonly keyId: string };

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
  readonly kind: MakeableKind;
  readonly hash: string;
};

/** Within a transaction: sees the newest state of the subject, which nobody else changes meanwhile. */
export type Desk = {
  readonly findAccount: (accountId: string) => AccountRow | undefined;
  readonly findKey: (keyId: string) => Key | undefined;
  readonly periods: Periods;
  /** An entry of the journal and the balances it leads to. */
  readonly post: (account: AccountRow, posting: Posting) => void;
  readonly insertAccount: (account: NewAccount) => AccountRow;
  readonly updateTerms: (account: AccountRow, plan: PlanName, terms: Terms) => void;
  readonly closeAccount: (account: AccountRow, atMs: number) => void;
  readonly insertKey: (key: NewKeyRow) => void;
  readonly endKey: (keyId: string, end: Pick<Key, 'expiresAtMs' | 'revokedAtMs' | 'replacedBy'>) => void;
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
  /** Oldest first. */
  readKeys(account: AccountRow): Promise<Key[]>;
  /** Newest first. */
  readJournal(account: AccountRow, newest: number | undefined): Promise<JournalEntry[]>;
  /** Every count that was made before included. */
  readUsage(account: AccountRow, fromMs: number, toMs: number): Promise<UsageRow[]>;
  /** Every call that this process has answered is in it. */
  sumUsage(account: AccountRow, wish: UsageWish): Promise<UsageSums>;
  readWindows(account: AccountRow, mode: Mode): Promise<CallCounts>;
  /** Accounts oldest first. */
  sumJournals(): Promise<readonly Omit<BalanceCheck, 'kind'>[]>;
}
