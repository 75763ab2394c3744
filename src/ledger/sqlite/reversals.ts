// Gives charges back whose callers were told that the ledger was out, though their commit came through after all.

import { hourStart } from '../calendar.ts';
import { readNumber, readNumberOrNull, readText } from './rows.ts';
import type { AccountRow, Statements } from './statements.ts';

type Books = {
  readonly statements: Pick<Statements, 'findCharge' | 'removeRepeat' | 'upsertUsage'>;
  readonly findAccount: (accountId: string) => AccountRow | undefined;
  readonly post: (account: AccountRow, reversal: Reversal) => void;
};

type Reversal = {
  readonly kind: 'reversal';
  readonly atMs: number;
  readonly credits: number;
  readonly lasting: number;
  readonly note: string;
  readonly chargeId: string;
};

/** The id of the entry that gives a charge back: it names the charge, and comes once at most. */
export const reversalOf = (chargeId: string): string => `reversal of ${chargeId}`;

/** The charge that such an entry gives back. */
export const reversedBy = (reversalId: string): string => reversalId.slice(reversalOf('').length);

/** Within a transaction. Credits go back as they were taken, and out of the usage. */
export function giveBack(books: Books, chargeIds: Iterable<string>): number {
  const { findCharge, removeRepeat, upsertUsage } = books.statements;
  let count = 0;
  for (const id of chargeIds) {
    const charge = findCharge.get(id);
    const account = charge && books.findAccount(readText(charge, 'account_id'));
    if (account === undefined || findCharge.get(reversalOf(id)) !== undefined) continue;
    const atMs = readNumber(charge, 'at');
    const credits = -readNumber(charge, 'credits');
    const lasting = 0 - readNumber(charge, 'lasting');
    const note = 'its commit was in doubt and its caller was told that it failed';
    books.post(account, { kind: 'reversal', atMs, credits, lasting, note, chargeId: reversalOf(id) });
    // What was given back pays for no repetition.
    removeRepeat.run(readNumber(charge, 'seq'));
    const [key, endpoint] = [readNumberOrNull(charge, 'key'), readNumberOrNull(charge, 'endpoint')];
    upsertUsage.run(account.number, hourStart(atMs), key, endpoint, 200, -1, -credits);
    count += 1;
  }
  return count;
}
