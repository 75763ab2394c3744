// What the engine keeps in memory of a key that has been used.

import type { Caller, Limits } from '../ledger.ts';
import type { AccountRow } from '../stored/records.ts';
import type { WindowTally } from './tally.ts';

/** A key that opens something: of a kind that is admitted, not revoked, of an account that is not closed. Whether it
 *  has expired depends on the time. */
export type KeyEntry = {
  readonly caller: Caller;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: null;
  readonly account: AccountRow;
  readonly limits: Limits;
  readonly tally: WindowTally;
};
