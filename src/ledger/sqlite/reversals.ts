// Finds charges in the SQLite engine's file and gives them back.

import { readNumber, readNumberOrNull, readText } from '../../storage/rows.ts';
import type { Sql } from '../../storage/sql.ts';
import { post } from '../stored/posting.ts';
import type { AccountRow } from '../stored/records.ts';
import { reversalOf, reverse } from '../stored/reversals.ts';
import { addUsage, type Statements } from './statements.ts';

type Books = {
  readonly statements: Pick<Statements, 'findCharge' | 'removeRepeat' | 'growUsage' | 'insertUsage'>;
  readonly findAccount: (accountId: string) => AccountRow | undefined;
  readonly sql: Sql;
};

/** Within a transaction. */
export async function giveBack(books: Books, chargeIds: Iterable<string>): Promise<number> {
  const { findCharge, removeRepeat } = books.statements;
  let count = 0;
  for (const id of chargeIds) {
    const charge = findCharge.get(id);
    const account = charge && books.findAccount(readText(charge, 'account_id'));
    if (account === undefined || findCharge.get(reversalOf(id)) !== undefined) continue;
    const reversal = reverse(id, {
      atMs: readNumber(charge, 'at'),
      credits: readNumber(charge, 'credits'),
      lasting: readNumber(charge, 'lasting'),
    });
    await post(books.sql, account, reversal.posting);
    removeRepeat.run(readNumber(charge, 'seq'));
    const [key, endpoint] = [readNumberOrNull(charge, 'key'), readNumberOrNull(charge, 'endpoint')];
    addUsage(books.statements, { ...reversal.usage, account: account.number, key, endpoint });
    count += 1;
  }
  return count;
}
