// Where the periods of accounts stand in the SQLite engine's file.

import { readNumber } from '../../storage/rows.ts';
import type { Periods } from '../stored/periods.ts';
import type { Posting } from '../stored/posting.ts';
import type { AccountRow } from '../stored/records.ts';
import type { Statements } from './statements.ts';

type Store = {
  readonly statements: Statements;
  readonly post: (account: AccountRow, posting: Posting) => void;
};

/** Statements are asked for each time: they are others after a connection was exchanged. */
export function periodBooks(store: Store): ConstructorParameters<typeof Periods>[0] {
  return {
    post: (account, posting) => store.post(account, posting),
    findGiven: ({ number }, afterMs, upToMs) =>
      readNumber(store.statements.findGiven.get(number, afterMs, upToMs), 'given'),
    keepGiven: ({ number }, endsAtMs, allowanceGiven) => {
      store.statements.upsertGiven.run(number, endsAtMs, allowanceGiven);
    },
    updatePeriod: ({ number }, { anchorAtMs, periodEndsAtMs, allowanceGiven }) => {
      store.statements.updatePeriod.run(anchorAtMs, periodEndsAtMs, allowanceGiven, number);
    },
  };
}
