// The one way to open a ledger, for the service, the commands and the tests. Which engine it is, is decided here.

import { randomBytes as cryptoBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Metrics } from '../metrics/metrics.ts';
import { Doubts, doubtfulFile } from './doubts.ts';
import type { RandomBytes } from './keys.ts';
import { LedgerMissing, type OpenLedger, type Tell } from './ledger.ts';
import { eventLoop } from './pace.ts';
import { Connection, diskOf } from './sqlite/connection.ts';
import { type FileWish, type OpenedFile, openLedgerFile } from './sqlite/file.ts';
import { Guard } from './sqlite/keeping/guard.ts';
import { Keeper } from './sqlite/keeping/keeper.ts';
import { isReserveKept } from './sqlite/keeping/reserve.ts';
import { SqliteLedger } from './sqlite/ledger.ts';
import { SqlitePortable } from './sqlite/portable.ts';
import { StoreSql } from './sqlite/sql.ts';
import { SqliteStorage } from './sqlite/storage.ts';
import { SqliteStore } from './sqlite/store.ts';
import { StoredAccounts } from './stored/accounts.ts';
import { StoredJournals } from './stored/journals.ts';
import { defaultPatienceMs } from './writer.ts';

type LedgerWish = Partial<Omit<FileWish, 'tell'>> & {
  readonly home: string;
  /** Of the PostgreSQL that holds the ledger; without one it is a file in the home. */
  readonly databaseUrl?: string | undefined;
  readonly randomBytes?: RandomBytes;
  /** Hears what the operator should know. */
  readonly tell?: Tell;
  /** Counts batches and commits; a service shows it, a command has no use for it. */
  readonly metrics?: Metrics;
  /** How long a transaction waits while another process holds the ledger. */
  readonly patienceMs?: number;
  /** How often a service has the log copied into the file. */
  readonly copyEveryMs?: number;
};

/** Short, so that each copy is small and no commit waits long for the disk. */
const defaultCopyEveryMs = 250;

export const databaseFile = (home: string): string => path.join(home, 'domesday.sqlite');

/** Makes the ledger (and its folder) where there is none and brings an older one up to date, unless told otherwise.
 *  Rejects with LedgerUnavailable or LedgerRefusal, each one line that says what to do. */
export async function openLedger({
  home,
  databaseUrl,
  ifMissing = 'make',
  ifOlder = 'migrate',
  randomBytes = cryptoBytes,
  tell = () => undefined,
  metrics = new Metrics(),
  patienceMs = defaultPatienceMs,
  copyEveryMs = defaultCopyEveryMs,
}: LedgerWish): Promise<OpenLedger> {
  if (databaseUrl !== undefined) {
    const { openPostgresLedger } = await import('./postgres/open.ts');
    const wish = { url: databaseUrl, home, ifMissing, ifOlder, randomBytes, tell, metrics, patienceMs };
    if (ifMissing === 'refuse' || !existsSync(databaseFile(home))) return openPostgresLedger(wish);
    // An empty one beside a ledger that nobody moved would know no key and no credit.
    return openPostgresLedger({ ...wish, ifMissing: 'refuse' }).catch((error: unknown) => {
      throw error instanceof LedgerMissing ? notMovedYet(home) : error;
    });
  }
  const file = databaseFile(home);
  const opened = openLedgerFile(file, { ifMissing, ifOlder, tell });
  const connection = new Connection(diskOf(file), opened.db);
  const guard = new Guard(file, connection, tell);
  const keeper = new Keeper({ file, opened, connection, guard, tell, copyEveryMs });
  const doubts = new Doubts(doubtfulFile(path.join(home, 'domesday.doubtful')));
  const pace = eventLoop;
  const store = new SqliteStore({ connection, pace, doubts, patienceMs, tell, metrics, guard, keeper });
  metrics.onRead((set) => set('domesday_ledger_reserve_kept', Number(isReserveKept(file))));
  const ledger = new SqliteLedger(store, pace, tell);
  const sql = new StoreSql(store, pace);
  const storage = new SqliteStorage(store, sql, pace);
  const database = new SqlitePortable(sql, tell);
  if (opened.people === 'people damaged') database.condemn();
  metrics.onRead((set) => set('domesday_people_damaged', Number(database.state === 'damaged')));
  return {
    ledger,
    accounts: new StoredAccounts(storage, randomBytes, tell),
    journals: new StoredJournals(storage),
    database,
    maintain: () => {
      tellUncleanStop(opened, tell);
      ledger.maintain();
    },
  };
}

const notMovedYet = (home: string): LedgerMissing =>
  new LedgerMissing(
    `The database of DATABASE_URL has no ledger yet, but this home has one in a file; move it there with \`domesday move ${home} DATABASE_URL\`, or start with a home that has none.`,
  );

/** A larger one is checked by whoever keeps it, who tells too. */
function tellUncleanStop({ seal, checkMs }: OpenedFile, tell: Tell): void {
  if (checkMs === undefined || seal === 'absent' || seal.state === 'closed') return;
  const message = `the ledger was not closed properly; a full check took ${checkMs.toFixed(0)} ms and found no fault`;
  tell({ level: 'warn', message });
}
