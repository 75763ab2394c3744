// Opens the ledger in a database. Loaded only where there is one, so that others do not wait for its client.

import path from 'node:path';
import { errorCode } from '../../errno.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { Doubts, doubtfulFile } from '../doubts.ts';
import type { RandomBytes } from '../keys.ts';
import { LedgerUnavailable, type OpenLedger, type Tell } from '../ledger.ts';
import { eventLoop } from '../pace.ts';
import { StoredAccounts } from '../stored/accounts.ts';
import { StoredJournals } from '../stored/journals.ts';
import { Charging, Numbers } from './charging.ts';
import { asOutage, Database } from './database.ts';
import { PostgresLedger } from './ledger.ts';
import { prepareSchema } from './migrate.ts';
import { Months } from './months.ts';
import { PostgresPortable } from './portable.ts';
import { migrations } from './schema/migrations.ts';
import { Serving } from './serving.ts';
import { PostgresStorage } from './storage.ts';
import { UsageCounts } from './usage-counts.ts';

type Wish = {
  readonly url: string;
  /** Where charges in doubt are noted. */
  readonly home: string;
  readonly ifMissing: 'make' | 'refuse';
  readonly ifOlder: 'migrate' | 'refuse' | 'leave';
  readonly randomBytes: RandomBytes;
  readonly tell: Tell;
  readonly metrics: Metrics;
  readonly patienceMs: number;
};

export async function openPostgresLedger(wish: Wish): Promise<OpenLedger> {
  const { url, home, randomBytes, tell, metrics, patienceMs } = wish;
  const pace = eventLoop;
  const database = new Database(url, pace, tell);
  try {
    await prepareSchema(database, migrations, wish);
  } catch (error) {
    await database.close();
    throw explained(error);
  }
  const people = new Database(url, pace, tell, {
    connectionsMost: 4,
    outage: 'the tables of people in the database cannot be used; people cannot sign in until they can',
    recovery: 'the tables of people in the database are used again',
  });
  const usage = new UsageCounts(database, pace);
  const storage = new PostgresStorage({ database, pace, patienceMs, flush: () => usage.flush() });
  const doubts = new Doubts(doubtfulFile(path.join(home, 'postgres.doubtful')));
  const numbers = new Numbers(database);
  const charging = new Charging({ database, storage, numbers, doubts, pace, patienceMs, tell });
  metrics.onRead((set) => set('domesday_ledger_doubtful_charges', doubts.chargeIds.size));
  const months = new Months(database, pace, tell);
  const serving = new Serving(database, pace, tell);
  return {
    ledger: new PostgresLedger({
      database,
      people,
      storage,
      tell,
      charging,
      numbers,
      usage,
      months,
      serving,
      pace,
      patienceMs,
      metrics,
    }),
    accounts: new StoredAccounts(storage, randomBytes, tell),
    journals: new StoredJournals(storage),
    database: new PostgresPortable(people),
    maintain: () => {
      void charging.settleDoubts();
      void months.keep();
      void serving.keep();
    },
  };
}

/** At an opening the operator reads the message, so that it says what the server or the way to it said. */
export function explained(error: unknown): Error {
  const known = asOutage(error);
  const { cause } = known;
  if (!(known instanceof LedgerUnavailable) || !(cause instanceof Error)) return known;
  const said = cause.cause instanceof Error ? cause.cause : cause;
  const reason = said.message || (errorCode(said) ?? '');
  return new LedgerUnavailable(
    `The database of DATABASE_URL cannot be used (${reason}); check that it runs, that the address is right, and that its user owns the database.`,
    { cause },
  );
}
