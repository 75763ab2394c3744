// What moved an account's credits, as the ledger tells it: entry by entry, in pages, and as the statement of a month.

import type { UsageRow } from './usage.ts';

/** In the order of the numbers they are stored as: add at the end only. `purchase` is not written yet; it is
 *  named so that a journal written by a later program can be shown. */
export const journalKinds = [
  'grant',
  'refresh',
  'charge',
  'correction',
  'purchase',
  'reversal',
  'closing',
] as const;
export type JournalKind = (typeof journalKinds)[number];

/** Numbers of those that a statement counts as added, or as taken back. */
export const addingKinds: readonly number[] = (['grant', 'refresh', 'correction', 'purchase'] as const).map(
  (kind) => journalKinds.indexOf(kind),
);

export type JournalEntry = {
  readonly seq: number;
  readonly accountId: string;
  readonly atMs: number;
  readonly kind: JournalKind;
  /** What was added; below zero, what was taken. */
  readonly credits: number;
  /** The part of `credits` that concerns lasting credits; the rest concerns the allowance. */
  readonly lasting: number;
  readonly balanceAfter: number;
  readonly lastingAfter: number;
  readonly chargeId: string | null;
  readonly requestId: string | null;
  readonly keyId: string | null;
  readonly endpoint: string | null;
  readonly note: string | null;
};

/** Newest first. */
export type JournalPage = {
  readonly entries: readonly JournalEntry[];
  /** Where the next page begins; null after the last. */
  readonly before: number | null;
};

/** A month of an account. Opening balance, movements and charges come to the closing balance. */
export type Statement = {
  readonly openingBalance: number;
  readonly closingBalance: number;
  /** Calls that were charged, less what was given back, by day (UTC, since 1970) and endpoint. */
  readonly charges: readonly (Pick<UsageRow, 'endpoint' | 'calls' | 'credits'> & { readonly day: number })[];
  /** Everything else, oldest first. */
  readonly movements: readonly JournalEntry[];
  /** All that there are statements of, oldest first, as YYYY-MM. */
  readonly months: readonly string[];
};
