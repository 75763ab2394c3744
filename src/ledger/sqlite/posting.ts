// Writes entries of the journal into the SQLite engine's file.

import type { SQLInputValue } from 'node:sqlite';
import { readNumber } from '../../storage/rows.ts';
import type { HashCharge } from '../chain.ts';
import type { Charge } from '../ledger.ts';
import { spend } from '../rules.ts';
import { type Before, type Drawn, drawCharge, drawEntry, type Posting } from '../stored/posting.ts';
import type { AccountRow } from '../stored/records.ts';
import { journalKinds } from '../told/entries.ts';
import { isRepeated } from './faults.ts';
import type { Portion, Together } from './portions.ts';
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

/** Who a charge is for: a key, live or not, and its account. */
export type Payer = {
  readonly number: number;
  readonly account: AccountRow;
  readonly hashCharge: HashCharge;
};
type EndpointNumber = (path: string) => number;
type Outcome = Posted | 'insufficient' | 'repeated';

/** Writes all or none: none where the balance is short, or where one stands in the journal already. */
export function insertCharges(
  statements: Statements,
  payer: Payer,
  portion: Portion,
  endpointNumber: EndpointNumber,
): Outcome {
  return portion.share === 'nothing'
    ? insertOne(statements, payer, portion.charges[0], endpointNumber)
    : insertTogether(statements, payer, portion, endpointNumber);
}

function insertOne(
  { insertCharge }: Statements,
  { number, account, hashCharge }: Payer,
  charge: Charge,
  endpointNumber: EndpointNumber,
): Outcome {
  const movement = spend(account, charge.credits);
  if (movement === 'insufficient') return 'insufficient';
  const drawn = drawCharge(account, charge, movement, hashCharge);
  const { changes, lastInsertRowid } = insertCharge.run(
    account.newestSeq,
    account.number,
    charge.atMs,
    movement.credits,
    movement.lasting,
    drawn.balanceAfter,
    drawn.lastingAfter,
    charge.chargeId,
    requestOf(charge),
    number,
    endpointNumber(charge.endpoint),
    drawn.hash,
  );
  return changes === 0 ? 'repeated' : { ...drawn, seq: Number(lastInsertRowid) };
}

/** As it is stored: the charge's own id is not written twice. */
const requestOf = ({ requestId, chargeId }: Charge): string | null =>
  requestId === chargeId ? null : requestId;

function insertTogether(
  statements: Statements,
  { number, account, hashCharge }: Payer,
  { charges, share }: Together,
  endpointNumber: EndpointNumber,
): Outcome {
  const statement = statements.insertTogether[share].get(charges.length);
  if (statement === undefined) throw new RangeError(`No statement writes ${charges.length} charges.`);
  const { accountId } = account;
  const [{ requestId, endpoint, atMs, credits }] = charges;
  const values: SQLInputValue[] = [];
  if (share === 'request')
    values.push(account.number, atMs, -credits, requestId, number, endpointNumber(endpoint));
  // An entry names the number of the one before, which is written with it.
  let seq = readNumber(statements.newestEntry.get(), 'seq');
  let before: Before = account;
  let drawn: Drawn = { hash: '', balanceAfter: account.balance, lastingAfter: account.lasting };
  for (const charge of charges) {
    const movement = spend(before, charge.credits);
    if (movement === 'insufficient') return 'insufficient';
    drawn = drawCharge(before, charge, movement, hashCharge);
    const { hash, balanceAfter: balance, lastingAfter: lasting } = drawn;
    if (share === 'request')
      values.push(before.newestSeq, movement.lasting, balance, lasting, charge.chargeId, hash);
    else {
      values.push(before.newestSeq, account.number, charge.atMs, movement.credits, movement.lasting);
      values.push(balance, lasting, charge.chargeId, requestOf(charge));
      values.push(number, endpointNumber(charge.endpoint), hash);
    }
    seq += 1;
    before = { accountId, balance, lasting, newestSeq: seq, newestHash: hash };
  }
  try {
    const { lastInsertRowid } = statement.run(...values);
    if (Number(lastInsertRowid) !== seq)
      throw new Error(`The journal went on at ${lastInsertRowid}, not at ${seq}.`);
  } catch (error) {
    // The statement has taken back what it had written of the others.
    if (isRepeated(error)) return 'repeated';
    throw error;
  }
  return { ...drawn, seq };
}
