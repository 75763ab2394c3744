// Writes charges into the journal of the SQLite engine's file, those of many accounts by one statement.

import type { SQLInputValue } from 'node:sqlite';
import type { HashCharge } from '../chain.ts';
import type { Charge } from '../ledger.ts';
import { type Movement, spend } from '../rules.ts';
import { drawCharge } from '../stored/posting.ts';
import type { AccountRow } from '../stored/records.ts';
import { isRepeated } from './faults.ts';
import { chargesMost, type Statements } from './statements.ts';

/** Who a charge is for: a key, live or not, and its account. */
export type Payer = {
  readonly number: number;
  readonly account: AccountRow;
  readonly hashCharge: HashCharge;
};

/** An account as it was before a charge. */
type Before = Pick<AccountRow, 'balance' | 'lasting' | 'newestSeq' | 'newestHash'> & {
  readonly account: AccountRow;
};

/** Charges on their way into one statement. Their accounts stand where the last of them leaves them. */
export class ChargeRows {
  readonly #values: SQLInputValue[] = [];
  readonly #before: Before[] = [];
  #seq: number;

  /** `seq`: of the newest entry of all. */
  constructor(seq: number) {
    this.#seq = seq;
  }

  get count(): number {
    return this.#before.length;
  }

  get isFull(): boolean {
    return this.count === chargesMost;
  }

  add({ account, number, hashCharge }: Payer, charge: Charge, endpoint: number): 'added' | 'insufficient' {
    const movement: Movement | 'insufficient' = spend(account, charge.credits);
    if (movement === 'insufficient') return 'insufficient';
    const { balance, lasting, newestSeq, newestHash } = account;
    const drawn = drawCharge(account, charge, movement, hashCharge);
    const { chargeId, requestId, atMs } = charge;
    this.#seq += 1;
    this.#values.push(
      this.#seq,
      newestSeq,
      account.number,
      atMs,
      movement.credits,
      movement.lasting,
      drawn.balanceAfter,
      drawn.lastingAfter,
      chargeId,
      // The charge's own id is not written twice.
      requestId === chargeId ? null : requestId,
      number,
      endpoint,
      drawn.hash,
    );
    this.#before.push({ account, balance, lasting, newestSeq, newestHash });
    moveTo(account, this.#seq, drawn);
    return 'added';
  }

  /** All or none: none where one of them stands in the journal already, and their accounts are as they were before. */
  insert(statements: Statements): 'inserted' | 'repeated' {
    try {
      statements.insertCharges(this.count).run(...this.#values);
      return 'inserted';
    } catch (error) {
      if (!isRepeated(error)) throw error;
      for (const { account, ...before } of this.#before.toReversed()) Object.assign(account, before);
      return 'repeated';
    }
  }
}

type Drawn = { readonly balanceAfter: number; readonly lastingAfter: number; readonly hash: string };

function moveTo(account: AccountRow, seq: number, { balanceAfter, lastingAfter, hash }: Drawn): void {
  account.balance = balanceAfter;
  account.lasting = lastingAfter;
  account.newestSeq = seq;
  account.newestHash = hash;
}
