// The portable SQL in a database: each statement by itself, or a transaction as if alone, tried again where others were in the way. Every
// statement is part of a transaction that names the schema: a pooler may give each transaction another connection.

import { setTimeout as pause } from 'node:timers/promises';
import type { Row } from '../../storage/rows.ts';
import { checkValues, type Database as Portable, type Sql, type Value } from '../../storage/sql.ts';
import { LedgerUnavailable } from '../ledger.ts';
import { type Ask, asOutage, type Database, isOutage, isTaken, type Manner, outcomeOf } from './database.ts';

const bounds = `SET LOCAL search_path = domesday; SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = '5s';
  SET LOCAL idle_in_transaction_session_timeout = '5s'`;
const answerWithinMs = 6_000;
const byItself = { begin: `BEGIN; ${bounds}`, answerWithinMs };
const asIfAlone = { begin: `BEGIN ISOLATION LEVEL SERIALIZABLE; ${bounds}`, answerWithinMs };

const attemptsMost = 12;
const pauseMs = 8;

export class PostgresPortable implements Portable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  all(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#untilAlone((sql) => sql.all(text, values), byItself);
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#untilAlone(work, asIfAlone);
  }

  /** Those who met wait for unequal times, so that they do not meet again. */
  async #untilAlone<T>(work: (sql: Sql) => Promise<T>, manner: Manner): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#database.transact((ask) => work(sqlOf(ask)), manner);
      } catch (error) {
        // A statement by itself did not look before, so that a value that is taken is its own fault.
        const isFault = isTaken(error) && (manner === byItself || tries === attemptsMost);
        if (isFault || outcomeOf(error) !== 'busy') throw isOutage(error) ? asOutage(error) : error;
        if (tries === attemptsMost) {
          throw new LedgerUnavailable('Too many wrote the same rows at once; try again.', { cause: error });
        }
      }
      await pause(Math.random() * pauseMs * tries);
    }
  }
}

/** Within a transaction that names the schema. */
export const sqlOf = (ask: Ask): Sql => ({
  all: async (text, values = []) => {
    checkValues(values);
    let place = 0;
    return ask(
      text.replaceAll('?', () => `$${++place}`),
      values,
    );
  },
});
