// Brings the tables in the database to the newest version that this program knows, and says whether the program can use
// what it finds.

import { setTimeout as pause } from 'node:timers/promises';
import { earlyDatabase, earlyVersionsTables } from '../../before-release.ts';
import { readNumber, readText } from '../../storage/rows.ts';
import { LedgerMissing, LedgerOutdated, LedgerUnavailable, type Tell } from '../ledger.ts';
import { refuseMarkedDatabase } from '../stored/relocation.ts';
import { type Fitness, judgeVersion } from '../stored/versions.ts';
import { type Ask, type Database, outcomeOf, toRebuild } from './database.ts';
import { readDatabaseMark } from './mark.ts';
import type { Migration } from './schema/migrations.ts';

type Wish = {
  readonly ifMissing: 'make' | 'refuse';
  readonly ifOlder: 'migrate' | 'refuse' | 'leave';
  readonly tell: Tell;
};

/** Of all that domesday does to the schema, in any database. */
const lockNumber = 0x44_4f_4d_45; // "DOME"

/** Within a transaction: of all that change tables, one after the other. */
export async function lockSchema(ask: Ask): Promise<void> {
  await ask('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
}

export async function prepareSchema(
  database: Database,
  known: readonly Migration[],
  { ifMissing, ifOlder, tell }: Wish,
): Promise<void> {
  const ask: Ask = database.ask.bind(database);
  const fitness = await fitnessOf(ask, known);
  if (fitness.kind === 'no version' && ifMissing === 'refuse') {
    throw new LedgerMissing(
      'The database has no ledger yet; `domesday accounts create` or `domesday serve` makes one, or correct DATABASE_URL.',
    );
  }
  if (fitness.kind !== 'no version') await refuseIfMarked(ask);
  if (fitness.kind === 'older' && ifOlder === 'refuse') {
    throw new LedgerOutdated(
      'The ledger in the database was made by an older Domesday; the next start of this one brings it up to date.',
    );
  }
  const isToDo = fitness.kind === 'no version' || (fitness.kind === 'older' && ifOlder === 'migrate');
  const now = isToDo ? await untilFree(() => migrate(database, known, tell)) : fitness;
  if (now.kind === 'too new') throw tooNew(now, known);
  if (now.kind === 'newer') {
    const message = `the ledger in the database has version ${now.version}, and this program knows ${known.length}; it goes on, because nothing in between breaks it, but upgrade it soon`;
    tell({ level: 'warn', message });
  }
}

const attemptsMost = 20;
const pauseMs = 250;

/** Again while others are in the way: a table that replicas use all the time is free for a moment soon. */
export async function untilFree<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (outcomeOf(error) !== 'busy' || attempt === attemptsMost) throw error;
    }
    await pause(pauseMs);
  }
}

/** All pending migrations in one transaction: done whole or not at all, and by one process. */
function migrate(database: Database, known: readonly Migration[], tell: Tell): Promise<Fitness> {
  return database.transact(async (ask) => {
    // For another that migrates, however long it takes; for a table only as long as its users can wait behind it.
    await ask("SET LOCAL lock_timeout = '1h'");
    await lockSchema(ask);
    await ask("SET LOCAL lock_timeout = '1s'");
    // Another process may have been faster, or newer.
    const fitness = await fitnessOf(ask, known);
    if (fitness.kind !== 'no version') await refuseIfMarked(ask);
    if (fitness.kind !== 'no version' && fitness.kind !== 'older') return fitness;
    for (const version of await makeTables(ask, known))
      if (fitness.kind === 'older')
        tell({ level: 'info', message: `upgraded the ledger in the database to version ${version}` });
    return { kind: 'fits' };
  }, toRebuild);
}

/** Within a transaction that has the lock of the schema: every version that is lacking. Tells which. */
export async function makeTables(ask: Ask, known: readonly Migration[]): Promise<readonly number[]> {
  await checkServer(ask);
  await ask(`CREATE SCHEMA IF NOT EXISTS domesday;
    CREATE TABLE IF NOT EXISTS domesday.schema_versions (
      version integer PRIMARY KEY, name text NOT NULL, breaks integer NOT NULL, since text NOT NULL)`);
  const lacking = known.slice(await versionOf(ask));
  for (const { version, name, breaks, since, sql } of lacking) {
    await ask(sql);
    const row = [version, name, breaks ? 1 : 0, since];
    await ask('INSERT INTO domesday.schema_versions VALUES ($1, $2, $3, $4)', row);
  }
  return lacking.map(({ version }) => version);
}

async function refuseIfMarked(ask: Ask): Promise<void> {
  const mark = await readDatabaseMark(ask);
  if (mark !== undefined) throw refuseMarkedDatabase(mark);
}

/** Text is hashed as UTF-8, and other encodings cannot hold every text. */
async function checkServer(ask: Ask): Promise<void> {
  const [row] = await ask(
    "SELECT current_setting('server_encoding') AS encoding, current_setting('server_version_num')::integer AS version",
  );
  if (readNumber(row, 'version') < oldestServer) {
    throw new LedgerUnavailable('The ledger needs PostgreSQL 15 or later; upgrade the server.');
  }
  if (readText(row, 'encoding') === 'UTF8') return;
  throw new LedgerUnavailable(
    "The database does not keep text as UTF-8; make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.",
  );
}

const oldestServer = 150_000;

export async function fitnessOf(ask: Ask, known: readonly Migration[]): Promise<Fitness> {
  const version = await versionOf(ask);
  const newer =
    version > known.length
      ? await ask(
          'SELECT version, breaks, since FROM domesday.schema_versions WHERE version > $1 ORDER BY version',
          [known.length],
        )
      : [];
  return judgeVersion(version, () => newer, known);
}

/** 0 where there is no ledger. */
async function versionOf(ask: Ask): Promise<number> {
  const early = earlyVersionsTables.map((name) => `to_regclass('domesday.${name}') IS NOT NULL`).join(' OR ');
  const [there] = await ask(
    `SELECT pg_is_in_recovery() AS is_replica, to_regclass('domesday.schema_versions') IS NOT NULL AS is_there,
      ${early} AS is_early`,
  );
  if (there?.is_replica === true) {
    throw new LedgerUnavailable(
      'The database of DATABASE_URL is a read replica, which takes no writes; give the address of its primary.',
    );
  }
  if (there?.is_early === true) throw new LedgerUnavailable(earlyDatabase);
  if (there?.is_there !== true) return 0;
  const [row] = await ask('SELECT coalesce(max(version), 0) AS version FROM domesday.schema_versions');
  return readNumber(row, 'version');
}

function tooNew(
  { version, since }: Extract<Fitness, { kind: 'too new' }>,
  known: readonly Migration[],
): LedgerUnavailable {
  return new LedgerUnavailable(
    `The ledger in the database was made by a newer Domesday (ledger version ${version}, this one knows ${known.length}); use ${since === undefined ? 'that one' : `Domesday ${since} or later`}.`,
  );
}
