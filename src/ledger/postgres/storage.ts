// What the operator's half of the ledger asks of an engine, answered by the database.

import { type Row, readNumber } from '../../storage/rows.ts';
import type { Sql, Value } from '../../storage/sql.ts';
import { LedgerUnavailable } from '../ledger.ts';
import type { Pace } from '../pace.ts';
import type { FollowedEngine, IfUnknown, LedgerStorage } from '../stored/storage.ts';
import { recordFaults } from '../stored/versions.ts';
import { asOutage, type Database, type Manner, outcomeOf, toReadAll, toWrite } from './database.ts';
import { dropEmptyMonths } from './months.ts';
import { sqlOf } from './portable.ts';
import { migrations } from './schema/migrations.ts';

const retryMs = 10;

type Parts = {
  readonly database: Database;
  readonly pace: Pace;
  readonly patienceMs: number;
  /** Writes counts that are not written yet. */
  readonly flush: () => Promise<void>;
};

/** What following the journals asks of a database. */
export const postgresDatabase: FollowedEngine = {
  journalOrder: 'by account',
  readCounted: async () => Number.MAX_SAFE_INTEGER,
  faults: faultsIn,
};

export class PostgresStorage implements LedgerStorage {
  readonly journalOrder = postgresDatabase.journalOrder;
  readonly faults = postgresDatabase.faults;
  readonly readCounted = postgresDatabase.readCounted;
  readonly entriesBack = 'SELECT * FROM journal WHERE account = ? AND seq <= ? ORDER BY seq DESC LIMIT ?';
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A pooler may give each transaction another connection: every statement is part of one that names the schema. */
  all(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#transact((sql) => sql.all(text, values), toWrite);
  }

  /** A lock is waited for. */
  async transaction<T>(work: (sql: Sql) => Promise<T>, ifUnknown: IfUnknown): Promise<T> {
    const { database, pace, patienceMs } = this.#parts;
    const deadlineMs = pace.elapsedMs() + patienceMs;
    for (;;) {
      try {
        return await database.transact((ask) => work(sqlOf(ask)));
      } catch (error) {
        const outcome = outcomeOf(error);
        if (outcome === 'unknown' && ifUnknown === 'tell') throw unknownChange(error);
        if (outcome === 'failed' || pace.elapsedMs() >= deadlineMs) throw asOutage(error);
      }
      await pace.pause(retryMs);
    }
  }

  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#transact(work, toReadAll);
  }

  flush(): Promise<void> {
    return this.#parts.flush();
  }

  async trimmed(beforeMs: number): Promise<void> {
    try {
      await dropEmptyMonths(this.#parts.database, beforeMs);
    } catch (error) {
      throw asOutage(error);
    }
  }

  async #transact<T>(work: (sql: Sql) => Promise<T>, manner: Manner): Promise<T> {
    try {
      return await this.#parts.database.transact((ask) => work(sqlOf(ask)), manner);
    } catch (error) {
      throw asOutage(error);
    }
  }
}

/** The ids of charges beside the journal, and those of calls that may be sent again. */
async function faultsIn(sql: Sql): Promise<readonly string[]> {
  const [sums] = await sql.all(`SELECT
    (SELECT count(*) FROM journal WHERE charge_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM charge_ids AS known WHERE known.id = charge_id AND known.seq = journal.seq
        AND known.account = journal.account AND known.at = journal.at)) AS without_id,
    (SELECT count(*) FROM charge_ids AS known WHERE seq IS NOT NULL AND NOT EXISTS (
      SELECT FROM journal WHERE journal.account = known.account AND journal.seq = known.seq
        AND journal.at = known.at AND charge_id = known.id)) AS without_entry`);
  const repeats = await sql.all(`SELECT entry FROM repeats
    JOIN journal ON journal.account = repeats.account AND seq = entry
    WHERE journal.charge_id IS DISTINCT FROM repeats.charge_id ORDER BY entry`);
  const count = (column: string) => readNumber(sums, column);
  return [
    ...(count('without_id') > 0
      ? [`${count('without_id')} entries have a charge id that is not listed as used`]
      : []),
    ...(count('without_entry') > 0
      ? [`${count('without_entry')} charge ids are listed as used, but no entry has them`]
      : []),
    ...repeats.map(
      (row) => `its memory of the call charged by entry ${readNumber(row, 'entry')} names another charge`,
    ),
    ...recordFaults(await sql.all('SELECT version, name, breaks, since FROM schema_versions'), migrations),
  ];
}

const unknownChange = (cause: unknown) =>
  new LedgerUnavailable(
    'The connection to the database was lost at the last moment, so nobody knows whether this was done; check before you repeat it.',
    { cause },
  );
