// What may be asked of the records: rows that are no charges (people, sessions, audit, requests). They are kept apart from the
// ledger, whose memory a foreign commit would empty. One SQL for both engines.

import { readNumber, readText } from '../storage/rows.ts';

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** `?` stands for a value. Portable SQL: TEXT and BIGINT columns, ON CONFLICT, RETURNING; no functions of one engine.
 *  Numbers are whole; texts hold no NUL. */
export interface Sql {
  all(text: string, values?: readonly Value[]): Promise<readonly Row[]>;
}

export interface Records extends Sql {
  /** All or nothing, as if alone. `work` may run more than once, so that it changes nothing but rows; it asks `sql` alone, and
   *  after a statement that failed no other. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Whether they can be used as they are, and whom they know then. */
export type Standing =
  | { readonly kind: 'absent' }
  | { readonly kind: 'older' }
  | { readonly kind: 'usable'; readonly people: number; readonly operators: number };

export const countPeople = (table: string): string =>
  `SELECT standing, CAST(count(*) AS INTEGER) AS people FROM ${table} GROUP BY standing`;

export function usableWith(rows: readonly Row[]): Standing {
  const counts = new Map(rows.map((row) => [readText(row, 'standing'), readNumber(row, 'people')]));
  const people = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { kind: 'usable', people, operators: counts.get('operator') ?? 0 };
}

/** The records cannot be used just now. Where it was told of a write, that may or may not have been done. */
export class RecordsUnavailable extends Error {
  override name = 'RecordsUnavailable';
}

/** Nothing was written, because others were in the way; the same may succeed now. */
export class Contended extends Error {
  override name = 'Contended';
  /** What it is where it does not pass. */
  readonly atLast: 'unavailable' | 'fault';

  constructor(message: string, atLast: Contended['atLast']) {
    super(message);
    this.atLast = atLast;
  }
}

/** What an engine does; the rest is the same for all. */
export interface Engine extends Sql {
  /** One try of a transaction: done whole, or rejected and undone. */
  attempt<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Both engines refuse what one of them could not keep. */
function checkValues(values: readonly Value[]): void {
  for (const value of values) {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      throw new RangeError('Records keep whole numbers that can be counted exactly.');
    }
    if (typeof value === 'string' && value.includes('\0')) {
      throw new RangeError('Records keep no text with a NUL in it.');
    }
  }
}

/** A row as an engine tells it. */
export function readRow(told: Readonly<Record<string, unknown>>): Row {
  const row: Record<string, Value> = {};
  for (const [column, value] of Object.entries(told)) {
    if (typeof value !== 'string' && typeof value !== 'number' && value !== null) {
      throw new TypeError(`${column} is neither text nor a whole number`);
    }
    row[column] = value;
  }
  return row;
}

const attemptsMost = 12;
const pauseMs = 8;

export class EngineRecords implements Records {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async all(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    checkValues(values);
    return untilUncontended(() => this.#engine.all(text, values));
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return untilUncontended(() =>
      this.#engine.attempt((sql) =>
        work({
          all: async (text, values = []) => {
            checkValues(values);
            return sql.all(text, values);
          },
        }),
      ),
    );
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

/** Those who met wait for unequal times, so that they do not meet again. */
async function untilUncontended<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Contended)) throw error;
      if (tries === attemptsMost) throw lasting(error);
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * pauseMs * tries));
  }
}

const lasting = (error: Contended): Error =>
  error.atLast === 'fault'
    ? new Error(error.message)
    : new RecordsUnavailable('Too many wrote the same records at once; try again.', { cause: error });
