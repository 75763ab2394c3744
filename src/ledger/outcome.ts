// What became of a transaction, in words that every engine shares.

import { LedgerRefusal, LedgerUnavailable } from './ledger.ts';

export type Attempt<T> =
  | { readonly kind: 'done'; readonly result: T }
  /** Somebody else is writing. Nothing was begun. */
  | { readonly kind: 'busy'; readonly error: unknown }
  /** Nothing was written, for sure. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The commit itself reported a fault: it may be there, or come back after a crash. If so, `result` holds and these
   *  charges are new in the journal. */
  | {
      readonly kind: 'unknown';
      readonly error: unknown;
      readonly result: T;
      readonly chargeIds: readonly string[];
    };

/** The message names neither statement nor path, since it may end in a reply's log; the cause has them. */
export function asLedgerError(error: unknown): LedgerRefusal | LedgerUnavailable {
  if (error instanceof LedgerRefusal || error instanceof LedgerUnavailable) return error;
  return new LedgerUnavailable('The ledger cannot be used just now.', { cause: error });
}
