// Writes entries of the journal, each linked to the account's entry before by number and hash.

import { hashEntry } from '../chain.ts';
import { type Charge, type JournalEntry, type JournalKind, journalKinds } from '../ledger.ts';
import type { Movement } from '../rules.ts';
import type { AccountRow, Statements } from './statements.ts';

export type Posting = Movement & {
  readonly atMs: number;
  readonly kind: Exclude<JournalKind, 'charge' | 'closing'>;
  readonly note: JournalEntry['note'];
  /** Of an entry that must not come twice. */
  readonly chargeId?: string;
};

/** The account's newest entry, once it is committed. */
export type Posted = {
  readonly seq: number;
  readonly hash: string;
  readonly balanceAfter: number;
  readonly lastingAfter: number;
};

export function insertEntry(statements: Statements, account: AccountRow, posting: Posting): Posted {
  const { atMs, kind, credits, lasting, note, chargeId = null } = posting;
  const { accountId, newestSeq, newestHash } = account;
  const balanceAfter = account.balance + credits;
  const lastingAfter = account.lasting + lasting;
  const hash = hashEntry(newestHash, {
    accountId,
    previous: newestSeq,
    atMs,
    kind,
    credits,
    lasting,
    balanceAfter,
    lastingAfter,
    chargeId,
    requestId: chargeId, // as it is read back
    keyId: null,
    endpoint: null,
    note,
  });
  const { lastInsertRowid } = statements.insertEntry.run(
    newestSeq,
    account.number,
    atMs,
    journalKinds.indexOf(kind),
    credits,
    lasting,
    balanceAfter,
    lastingAfter,
    chargeId,
    note,
    hash,
  );
  return { seq: Number(lastInsertRowid), hash, balanceAfter, lastingAfter };
}

type Charging = {
  /** Of the key. */
  readonly number: number;
  readonly account: AccountRow;
  readonly charge: Charge;
  readonly movement: Movement;
  readonly endpointNumber: number;
};

/** A charge that stands in the journal already is not written again. */
export function insertCharge(
  statements: Statements,
  { number, account, charge, movement, endpointNumber }: Charging,
): Posted | 'repeated' {
  const { atMs, chargeId, requestId, endpoint } = charge;
  const { credits, lasting } = movement;
  const { accountId, newestSeq, newestHash } = account;
  const balanceAfter = account.balance + credits;
  const lastingAfter = account.lasting + lasting;
  const hash = hashEntry(newestHash, {
    accountId,
    previous: newestSeq,
    atMs,
    kind: 'charge',
    credits,
    lasting,
    balanceAfter,
    lastingAfter,
    chargeId,
    requestId,
    keyId: charge.caller.keyId,
    endpoint,
    note: null,
  });
  const { changes, lastInsertRowid } = statements.insertCharge.run(
    newestSeq,
    account.number,
    atMs,
    credits,
    lasting,
    balanceAfter,
    lastingAfter,
    chargeId,
    requestId === chargeId ? null : requestId,
    number,
    endpointNumber,
    hash,
  );
  return changes === 0 ? 'repeated' : { seq: Number(lastInsertRowid), hash, balanceAfter, lastingAfter };
}
