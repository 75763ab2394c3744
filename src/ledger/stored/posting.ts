// What an entry of the journal says, worked out from its account: the balances after it and the hash that links it to the
// account's entry before.

import { type HashCharge, hashEntry } from '../chain.ts';
import type { Charge } from '../ledger.ts';
import type { Movement } from '../rules.ts';
import type { JournalEntry, JournalKind } from '../told/entries.ts';
import type { AccountRow } from './records.ts';

export type Posting = Movement & {
  readonly atMs: number;
  readonly kind: Exclude<JournalKind, 'charge' | 'closing'>;
  readonly note: JournalEntry['note'];
  /** Of an entry that must not come twice. */
  readonly chargeId?: string;
};

/** The account's newest entry but for its number, which the storage gives. */
type Drawn = {
  readonly hash: string;
  readonly balanceAfter: number;
  readonly lastingAfter: number;
};

/** What an entry follows. */
type Before = Pick<AccountRow, 'accountId' | 'balance' | 'lasting' | 'newestSeq' | 'newestHash'>;

export function drawEntry(account: Before, posting: Posting): Drawn {
  const { atMs, kind, note, chargeId = null } = posting;
  const { accountId, newestHash } = account;
  const moved = movedBy(account, posting);
  // The request id as it is read back.
  const said = { accountId, atMs, kind, chargeId, requestId: chargeId, keyId: null, endpoint: null, note };
  const { balanceAfter, lastingAfter } = moved;
  return { hash: hashEntry(newestHash, { ...said, ...moved }), balanceAfter, lastingAfter };
}

export function drawCharge(account: Before, charge: Charge, movement: Movement, hashOf: HashCharge): Drawn {
  const moved = movedBy(account, movement);
  const { balanceAfter, lastingAfter } = moved;
  return { hash: hashOf(account.newestHash, moved, charge), balanceAfter, lastingAfter };
}

function movedBy(account: Before, { credits, lasting }: Movement) {
  const { newestSeq: previous } = account;
  const balanceAfter = account.balance + credits;
  const lastingAfter = account.lasting + lasting;
  return { previous, credits, lasting, balanceAfter, lastingAfter };
}
