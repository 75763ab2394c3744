// Writes entries of the journal into the SQLite engine's file.

import type { Charge } from '../ledger.ts';
import type { Movement } from '../rules.ts';
import { type Drawn, drawCharge, drawEntry, type Posting } from '../stored/posting.ts';
import type { AccountRow } from '../stored/records.ts';
import { journalKinds } from '../told/entries.ts';
import type { Statements } from './statements.ts';

/** The account's newest entry, once it is committed. */
export type Posted = Drawn & { readonly seq: number };

export function insertEntry(statements: Statements, account: AccountRow, posting: Posting): Posted {
  const { atMs, kind, credits, lasting, note, chargeId = null } = posting;
  const drawn = drawEntry(account, posting);
  const { lastInsertRowid } = statements.insertEntry.run(
    account.newestSeq,
    account.number,
    atMs,
    journalKinds.indexOf(kind),
    credits,
    lasting,
    drawn.balanceAfter,
    drawn.lastingAfter,
    chargeId,
    note,
    drawn.hash,
  );
  return { ...drawn, seq: Number(lastInsertRowid) };
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
  const { atMs, chargeId, requestId } = charge;
  const drawn = drawCharge(account, charge, movement);
  const { changes, lastInsertRowid } = statements.insertCharge.run(
    account.newestSeq,
    account.number,
    atMs,
    movement.credits,
    movement.lasting,
    drawn.balanceAfter,
    drawn.lastingAfter,
    chargeId,
    requestId === chargeId ? null : requestId,
    number,
    endpointNumber,
    drawn.hash,
  );
  return changes === 0 ? 'repeated' : { ...drawn, seq: Number(lastInsertRowid) };
}
