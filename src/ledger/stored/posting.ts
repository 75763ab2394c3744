// What an entry of the journal says, worked out from its account: the balances after it and the hash that links it to the
// account's entry before.

import { hashEntry } from '../chain.ts';
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
export type Drawn = {
  readonly hash: string;
  readonly balanceAfter: number;
  readonly lastingAfter: number;
};

export function drawEntry(account: AccountRow, posting: Posting): Drawn {
  const { atMs, kind, note, chargeId = null } = posting;
  // The request id as it is read back.
  return draw(account, posting, {
    atMs,
    kind,
    chargeId,
    requestId: chargeId,
    keyId: null,
    endpoint: null,
    note,
  });
}

export function drawCharge(account: AccountRow, charge: Charge, movement: Movement): Drawn {
  const { atMs, chargeId, requestId, endpoint, caller } = charge;
  const { keyId } = caller;
  return draw(account, movement, { atMs, kind: 'charge', chargeId, requestId, keyId, endpoint, note: null });
}

type Said = Pick<JournalEntry, 'atMs' | 'kind' | 'chargeId' | 'requestId' | 'keyId' | 'endpoint' | 'note'>;

function draw(account: AccountRow, { credits, lasting }: Movement, said: Said): Drawn {
  const { accountId, newestSeq: previous, newestHash } = account;
  const balanceAfter = account.balance + credits;
  const lastingAfter = account.lasting + lasting;
  const link = { ...said, accountId, previous, credits, lasting, balanceAfter, lastingAfter };
  return { hash: hashEntry(newestHash, link), balanceAfter, lastingAfter };
}
