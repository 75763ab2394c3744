// The one way to open a ledger, for the service, the commands and the tests. Which engine it is, is decided here.

import { randomBytes as cryptoBytes } from 'node:crypto';
import path from 'node:path';
import type { RandomBytes } from './keys.ts';
import type { OpenLedger } from './ledger.ts';
import { SqliteAccounts } from './sqlite/accounts.ts';
import { type FileWish, openLedgerFile } from './sqlite/file.ts';
import { SqliteJournals } from './sqlite/journals.ts';
import { SqliteLedger } from './sqlite/ledger.ts';
import { SqliteStore, type Tell } from './sqlite/store.ts';

type LedgerWish = Partial<FileWish> & {
  readonly home: string;
  readonly randomBytes?: RandomBytes;
  readonly tell?: Tell;
};

export const ledgerFile = (home: string): string => path.join(home, 'ledger.sqlite');

/** Makes the ledger (and its folder) where there is none and brings an older one up to date, unless told otherwise.
 *  Rejects with LedgerUnavailable or LedgerRefusal, each one line that says what to do. */
export async function openLedger({
  home,
  ifMissing = 'make',
  ifOlder = 'migrate',
  randomBytes = cryptoBytes,
  tell = () => undefined,
}: LedgerWish): Promise<OpenLedger> {
  const file = ledgerFile(home);
  const store = new SqliteStore(file, openLedgerFile(file, { ifMissing, ifOlder }), tell);
  const ledger = new SqliteLedger(store);
  return {
    ledger,
    accounts: new SqliteAccounts(store, randomBytes),
    journals: new SqliteJournals(store),
    maintain: (onFault) => ledger.maintain(onFault),
  };
}
