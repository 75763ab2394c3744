// The SQLite engine's memory of calls with an Idempotency-Key. It is all in the file: a key is looked up once for a
// call.

import { readNumber, readText } from '../../storage/rows.ts';
import { minuteMs } from '../../time.ts';
import type { Charge, Recollection, Repeatable } from '../ledger.ts';
import { type Remembered, recollect, rememberedBetween } from '../repeats.ts';
import type { AccountRow } from '../stored/records.ts';
import type { Keeper } from './keeping/keeper.ts';
import type { Statements } from './statements.ts';

/** In one transaction. Where half of that was there to be removed, the next one goes on. */
const removedMost = 128;
const lookEveryMs = minuteMs;

type Books = { readonly statements: Statements; readonly keeper: Pick<Keeper, 'noteRows'> };

type Found = Remembered & { readonly chargeId: string };

export class Repeats {
  /** Its statements are others after a connection was exchanged. */
  readonly #books: Books;
  /** When hardly any old ones were left, by the clock of the calls. */
  #clearedAtMs = Number.NEGATIVE_INFINITY;

  constructor(books: Books) {
    this.#books = books;
  }

  /** A charge in doubt is given back before the next one is made: it pays for no repetition. */
  recall(
    { number }: Pick<AccountRow, 'number'>,
    repeatable: Repeatable,
    atMs: number,
    isInDoubt: (chargeId: string) => boolean,
  ): Recollection {
    const found = this.#find(number, repeatable);
    if (found !== undefined && isInDoubt(found.chargeId)) return 'new';
    return recollect(repeatable, found, atMs);
  }

  /** As `recall`, for a charge: one that is itself what the key stands for is no repetition. */
  recallFor({ number }: Pick<AccountRow, 'number'>, { repeatable, chargeId, atMs }: Charge): Recollection {
    if (repeatable === undefined) return 'new';
    const found = this.#find(number, repeatable);
    return found?.chargeId === chargeId ? 'new' : recollect(repeatable, found, atMs);
  }

  /** Within the transaction that posts the charge, as the account's newest entry. */
  remember({ number, newestSeq }: AccountRow, { repeatable, atMs }: Charge): void {
    if (repeatable === undefined) return;
    this.#books.statements.insertRepeat.run(newestSeq, number, repeatable.key, repeatable.call, atMs);
  }

  /** Within a transaction of `charges` charges: removes more than that many can add, so that what is kept is bounded by
   *  the calls of two days. */
  removeOld(atMs: number, charges: number): void {
    if (Math.abs(atMs - this.#clearedAtMs) < lookEveryMs) return;
    const most = Math.max(removedMost, 2 * charges);
    const { changes } = this.#books.statements.removeRepeats.run(most, ...rememberedBetween(atMs));
    this.#books.keeper.noteRows(Number(changes));
    if (Number(changes) < most / 2) this.#clearedAtMs = atMs;
  }

  #find(account: number, { key }: Repeatable): Found | undefined {
    const row = this.#books.statements.findRepeat.get(account, key);
    if (row === undefined) return undefined;
    return {
      call: readText(row, 'call'),
      atMs: readNumber(row, 'at'),
      chargeId: readText(row, 'charge_id'),
    };
  }
}
