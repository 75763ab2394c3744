// Records in a database, in a schema of their own beside the ledger's. Every statement is a transaction that says which schema
// it means: a pooler may give each transaction another connection.

import { earlyVersionsTable, sayEarlyInDatabase } from '../before-release.ts';
import { LedgerOutOfService, type Tell } from '../ledger/ledger.ts';
import { eventLoop } from '../ledger/pace.ts';
import {
  type Ask,
  asOutage,
  Database,
  isTaken,
  type Manner,
  outcomeOf,
} from '../ledger/postgres/database.ts';
import { explained } from '../ledger/postgres/open.ts';
import { judgeVersion } from '../ledger/stored/versions.ts';
import { readNumber } from '../storage/rows.ts';
import { recordsMigrations } from './migrations.ts';
import {
  Contended,
  countPeople,
  type Engine,
  RecordsUnavailable,
  type Row,
  readRow,
  type Sql,
  type Standing,
  usableWith,
  type Value,
} from './records.ts';
import { tooNew } from './too-new.ts';

const schema = 'domesday_records';
const bounds = `SET LOCAL search_path = ${schema}; SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = '5s';
  SET LOCAL idle_in_transaction_session_timeout = '5s'`;
const answerWithinMs = 6_000;
const byItself = { begin: `BEGIN; ${bounds}`, answerWithinMs };
const asIfAlone = { begin: `BEGIN ISOLATION LEVEL SERIALIZABLE; ${bounds}`, answerWithinMs };
/** Others that migrate are waited for. */
const toMigrate = { begin: 'BEGIN', answerWithinMs: 60_000 };

/** Of all that change these tables, in any database. */
const lockNumber = 0x44_4f_4d_52; // "DOMR"

export class PostgresEngine implements Engine {
  readonly #database: Database;
  #ready: Promise<void> | undefined;

  constructor(url: string, tell: Tell) {
    this.#database = new Database(url, eventLoop, tell, {
      connectionsMost: 4,
      outage:
        'the records in the database cannot be used; people cannot sign in and requests are not listed until they can',
      recovery: 'the records in the database are used again',
    });
  }

  all(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#within(byItself, (sql) => sql.all(text, values));
  }

  attempt<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#within(asIfAlone, work);
  }

  async #within<T>(manner: Manner, work: (sql: Sql) => Promise<T>): Promise<T> {
    await this.#open();
    try {
      return await this.#database.transact((ask) => work(sqlOf(ask)), manner);
    } catch (error) {
      // A statement by itself did not look before, so that nobody else is to blame.
      throw manner === byItself && isTaken(error) ? error : told(error);
    }
  }

  /** Once for a process; tried again by the next question where it fails. */
  #open(): Promise<void> {
    this.#ready ??= migrate(this.#database).catch((error: unknown) => {
      this.#ready = undefined;
      throw error instanceof RecordsUnavailable ? error : unopened(error);
    });
    return this.#ready;
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

/** Changes nothing. */
export async function examineDatabase(url: string): Promise<Standing> {
  const database = new Database(url, eventLoop, () => undefined);
  try {
    const found = await fitness(database.ask.bind(database));
    if (found.kind === 'too new') throw tooNew(found);
    if (found.kind === 'no version') return { kind: 'absent' };
    if (found.kind === 'older') return { kind: 'older' };
    return usableWith((await database.ask(countPeople(`${schema}.people`))).map(readRow));
  } catch (error) {
    throw error instanceof RecordsUnavailable ? error : unopened(error);
  } finally {
    await database.close();
  }
}

/** With what the server said: whoever opens can do something about it. */
const unopened = (error: unknown): RecordsUnavailable =>
  new RecordsUnavailable(explained(error).message, { cause: error });

const sqlOf = (ask: Ask): Sql => ({
  all: async (text, values = []) => {
    let place = 0;
    const numbered = text.replaceAll('?', () => `$${++place}`);
    return (await ask(numbered, values)).map(readRow);
  },
});

/** What `work` threw itself, and a fault of a statement, stay as they are. */
function told(error: unknown): unknown {
  if (outcomeOf(error) === 'busy') {
    return new Contended(
      error instanceof Error ? error.message : String(error),
      isTaken(error) ? 'fault' : 'unavailable',
    );
  }
  return asOutage(error) instanceof LedgerOutOfService
    ? new RecordsUnavailable('The records cannot be used just now.', { cause: error })
    : error;
}

/** All that is lacking in one transaction: done whole or not at all, and by one process. */
async function migrate(database: Database): Promise<void> {
  const ask: Ask = database.ask.bind(database);
  const { kind } = await fitness(ask);
  if (kind === 'fits' || kind === 'newer') return;
  await database.transact(async (within) => {
    await within('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
    await within(`CREATE SCHEMA IF NOT EXISTS ${schema}; SET LOCAL search_path = ${schema};
      CREATE TABLE IF NOT EXISTS versions (
        version integer PRIMARY KEY, name text NOT NULL, breaks integer NOT NULL, since text NOT NULL)`);
    // Another process may have been faster, or newer.
    const found = await fitness(within);
    if (found.kind === 'too new') throw tooNew(found);
    for (const { version, name, breaks, since, statements } of recordsMigrations.slice(
      await versionOf(within),
    )) {
      await within(statements.join(';'));
      await within('INSERT INTO versions VALUES ($1, $2, $3, $4)', [version, name, breaks ? 1 : 0, since]);
    }
  }, toMigrate);
}

async function fitness(ask: Ask) {
  const version = await versionOf(ask);
  const newer =
    version > recordsMigrations.length
      ? await ask(
          `SELECT version, breaks, since FROM ${schema}.versions WHERE version > $1 ORDER BY version`,
          [recordsMigrations.length],
        )
      : [];
  return judgeVersion(version, () => newer, recordsMigrations);
}

/** 0 where there are none. */
async function versionOf(ask: Ask): Promise<number> {
  const [there] = await ask(
    `SELECT to_regclass('${schema}.versions') IS NOT NULL AS is_there, to_regclass($1) IS NOT NULL AS is_early`,
    [`${schema}.${earlyVersionsTable}`],
  );
  if (there?.is_early === true) throw new RecordsUnavailable(sayEarlyInDatabase(schema));
  if (there?.is_there !== true) return 0;
  const [row] = await ask(`SELECT coalesce(max(version), 0) AS version FROM ${schema}.versions`);
  return readNumber(row, 'version');
}
