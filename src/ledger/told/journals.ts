// The journals as a whole: what they say about themselves, and how old entries give way. Long work for commands, never for a
// service.

import { type Row, readNumberOrNull } from '../../storage/rows.ts';

export type BalanceCheck = {
  readonly accountId: string;
  readonly kind: 'equal' | 'different';
  readonly balance: number;
  readonly journalSum: number;
  readonly lasting: number;
  readonly journalLastingSum: number;
};

/** A row that says other than the journals: changed by other hands. */
export type Contradiction = {
  /** An account, a key, or `ledger`. */
  readonly subject: string;
  readonly problem: string;
};

/** What the journals of all accounts say about themselves, and about everything else in the ledger. */
export type JournalReport = {
  /** Accounts but that of the public key. */
  readonly customers: number;
  readonly journals: number;
  readonly entries: number;
  /** The first entry of each journal that does not hold. */
  readonly breaks: readonly { readonly accountId: string; readonly seq: number; readonly problem: string }[];
  /** Balances that are not what a journal without a break leads to. */
  readonly different: readonly BalanceCheck[];
  /** Other rows that are not what journals without a break lead to. */
  readonly contradictions: readonly Contradiction[];
  /** Accounts whose next refresh lies more than a period ahead. */
  readonly astray: readonly { readonly accountId: string; readonly refreshAtMs: number }[];
  /** Where the time of a journal goes back: the clock was wrong then. */
  readonly stepsBack: readonly {
    readonly accountId: string;
    readonly seq: number;
    readonly fromMs: number;
    readonly toMs: number;
  }[];
};

/** Entries before `beforeMs` give way to one closing entry for each account. */
export type Trim = { readonly beforeMs: number; readonly atMs: number };

export type TrimReport = { readonly accounts: number; readonly entries: number };

/** Of those made by this program. */
export type Backups = {
  readonly lastAtMs: number | null;
  /** The oldest charge that none has; null where there is none. */
  readonly unsavedSinceMs: number | null;
};

export const readBackups = (row: Row | undefined): Backups => ({
  lastAtMs: readNumberOrNull(row, 'last_at'),
  unsavedSinceMs: readNumberOrNull(row, 'unsaved_at'),
});

export interface Journals {
  /** Follows every chain. Changes nothing. */
  verify(atMs: number): Promise<JournalReport>;
  /** What `trim` would replace. */
  planTrim(trim: Trim): Promise<TrimReport>;
  /** In portions that a service beside it hardly notices; after each of them every chain holds. Rejects with
   *  LedgerRefusal for entries younger than 62 days and for journals that do not hold. */
  trim(trim: Trim): Promise<TrimReport>;
}
