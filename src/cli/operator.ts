// How commands reach accounts, keys and people. A service that holds the home is asked over its socket. Where none runs, the
// command holds the home itself, so that nobody else opens what it has open. With DATABASE_URL it asks the database.

import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readSettings, type Settings } from '../config.ts';
import { type Operator, operatorIn, type Rooms } from '../control/calls.ts';
import { findService, ServiceUnreachable } from '../control/client.ts';
import { CallFailed } from '../control/wire.ts';
import { LedgerRefusal, type OpenLedger, type Tell } from '../ledger/ledger.ts';
import { databaseFile, openLedger } from '../ledger/open.ts';
import { copyOf } from '../ledger/sqlite/keeping/copy.ts';
import { type Lock, takeLock } from '../lock.ts';
import { revokePageKey } from '../people/accounts/page-keys.ts';
import type { Event, People } from '../people/people.ts';
import { readNumber, readText } from '../storage/rows.ts';
import { type Database, DatabaseUnavailable } from '../storage/sql.ts';
import { peopleColumns } from '../storage/tables.ts';
import { CommandRefused, type Io, tellTo } from './command.ts';
import { lookAt, prepareHome } from './home.ts';
import { findAddress } from './serve/left-address.ts';
import { version } from './version.ts';

type Place = { readonly home: string | undefined; readonly ifMissing: 'make' | 'refuse' };

type OpenOperator = { readonly operator: Operator; readonly close: () => Promise<void> };

/** What cannot be done is said in one line. */
export async function withOperator(
  io: Io,
  place: Place,
  work: (operator: Operator) => Promise<void>,
  ifOlder: 'migrate' | 'refuse' = 'migrate',
): Promise<void> {
  try {
    const { operator, close } = await openOperator(io, place, ifOlder);
    try {
      await work(operator);
    } finally {
      await close();
    }
  } catch (error) {
    if (isForTheOperator(error)) throw new CommandRefused(error.message, { cause: error });
    throw error;
  }
}

const isForTheOperator = (error: unknown): error is Error =>
  [LedgerRefusal, DatabaseUnavailable, ServiceUnreachable, CallFailed].some((kind) => error instanceof kind);

/** `ifOlder`: a command that only looks brings nothing up to date. */
export async function openOperator(
  io: Io,
  { home: given, ifMissing }: Place,
  ifOlder: 'migrate' | 'refuse' = 'migrate',
): Promise<OpenOperator> {
  const settings = readSettings(io.env, { home: given });
  const { home, databaseUrl } = settings;
  // A ledger in a database is reached from any machine, with or without a home.
  const holder = databaseUrl === undefined ? await holdHome(home, ifMissing) : undefined;
  if (holder !== undefined && 'operator' in holder) return holder;
  const closing = new AsyncDisposableStack();
  closing.defer(() => holder?.release());
  try {
    const tell = tellTo(io);
    const { ledger, ...opened } = await openLedger({ home, databaseUrl, ifMissing, ifOlder, tell });
    closing.defer(() => ledger.close());
    const publicUrl = settings.publicUrl ?? findAddress(home);
    const { rooms, close } = roomsOver(opened, { settings: { ...settings, publicUrl }, now: io.now, tell });
    closing.defer(close);
    return { operator: operatorIn(rooms), close: () => closing.disposeAsync() };
  } catch (error) {
    await closing.disposeAsync();
    throw error;
  }
}

// Who has the home: a service that answers, or nobody but this command.

/** Another command is done in this time, and a service that starts or stops has done so. */
const holdMostMs = 10_000;
const lookEveryMs = 50;

/** Undefined where there is no home that anybody could have. */
export async function holdHome(
  home: string,
  ifMissing: Place['ifMissing'],
): Promise<Lock | OpenOperator | undefined> {
  if (ifMissing === 'make') prepareHome(home);
  else if (lookAt(home) === 'absent') return undefined;
  for (let waitedMs = 0; waitedMs <= holdMostMs; waitedMs += lookEveryMs) {
    const lock = takeLock(path.join(home, 'service.lock'));
    if (lock !== 'taken') return lock;
    const operator = await findService({ home, version });
    if (operator !== 'absent') return { operator, close: async () => {} };
    await setTimeout(lookEveryMs);
  }
  throw new ServiceUnreachable(
    `Another command works on ${home}, or a service there is starting or stopping; try again in a moment.`,
  );
}

/** What can be asked where the database is open. Of people nothing is loaded before somebody asks for them. */
export function roomsOver(
  { accounts, journals, database }: Pick<OpenLedger, 'accounts' | 'journals' | 'database'>,
  { settings, now, tell }: { readonly settings: Settings; readonly now: () => number; readonly tell: Tell },
): { readonly rooms: Rooms; readonly close: () => Promise<void> } {
  let opened: Promise<People> | undefined;
  const open = async () => {
    const [{ openPeople }, { peopleWish }] = await Promise.all([
      import('../people/open.ts'),
      import('./people/open-people.ts'),
    ]);
    return openPeople({ database, ...peopleWish(settings), now, tell });
  };
  const people = () => {
    opened ??= open();
    return opened;
  };
  const rooms: Rooms = {
    accounts: async () => accounts,
    journals: async () => journals,
    copies: async () => ({ database: () => copyOf(databaseFile(settings.home)) }),
    people: async () => ({ count: () => countPeople(database) }),
    backups: async () => ({
      note: async (atMs) => {
        await database.all('UPDATE identity SET backed_up_at = ?', [atMs]);
      },
    }),
    persons: async () => (await people()).persons,
    members: async () => (await people()).members,
    planPrices: async () => (await people()).planPrices,
    audit: async () => (await people()).audit,
    mail: async () => (await people()).mail,
    joining: async () => {
      const { signUpPolicy, mail } = (await people()).joining;
      return { policy: async () => ({ signUp: signUpPolicy, mail }) };
    },
    pageKeys: async () => {
      const { pageKeys } = await people();
      return { endOrphans: () => pageKeys.endOrphans((key) => revokePageKey(accounts, key, now())) };
    },
  };
  return { rooms, close: async () => (await opened)?.close() };
}

async function countPeople(database: Database) {
  // Every row is read, so that damage of any table shows, however large the file is.
  for (const [table, columns] of Object.entries(peopleColumns)) {
    const greatest = Object.keys(columns).map((column) => `MAX(${column})`);
    await database.all(`SELECT ${greatest.join(', ')} FROM ${table}`);
  }
  const rows = await database.all('SELECT standing, COUNT(*) AS people FROM people GROUP BY standing');
  const counts = new Map(rows.map((row) => [readText(row, 'standing'), readNumber(row, 'people')]));
  const people = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { people, operators: counts.get('operator') ?? 0 };
}

// What commands change in an account is in its audit log, where its owners read it.

/** `note` has what it changes in an account written to the audit log of that account. */
export async function withAccounts(
  io: Io,
  place: Place,
  work: (accounts: Operator['accounts'], note: (change: Event) => void, operator: Operator) => Promise<void>,
): Promise<void> {
  await withOperator(io, place, async (operator) => {
    const changes: Event[] = [];
    try {
      await work(operator.accounts, (change) => changes.push(change), operator);
    } finally {
      await recordChanges(io, operator, changes);
    }
  });
}

/** The change is made already: a log that cannot be written is told, and undoes nothing. */
async function recordChanges(io: Io, { audit }: Operator, changes: readonly Event[]): Promise<void> {
  try {
    for (const change of changes) await audit.write({ kind: 'command' }, change);
  } catch (error) {
    if (!isForTheOperator(error)) throw error;
    io.err(`The change is made, but the audit log of the account lacks it: ${error.message}\n`);
  }
}
