// The months of journal and usage in the database: a table each, made before it begins, dropped when retention has emptied
// it. Where none was made in time the common table takes the rows, so that no charge ever waits for this.

import { readNumber, readText } from '../../storage/rows.ts';
import { hourMs } from '../../time.ts';
import { type Span, spansAt } from '../calendar.ts';
import type { Tell } from '../ledger.ts';
import type { Pace } from '../pace.ts';
import { type Ask, type Database, outcomeOf, toRebuild } from './database.ts';
import { lockSchema } from './migrate.ts';

const tables = { journal: 'at', usage: 'hour' } as const;
type Table = keyof typeof tables;

const monthsAhead = 2;
const lookEveryMs = 6 * hourMs;

export class Months {
  readonly #database: Database;
  readonly #pace: Pace;
  readonly #tell: Tell;
  #state: 'kept' | 'stopped' = 'kept';
  #callOff: (() => void) | undefined;

  constructor(database: Database, pace: Pace, tell: Tell) {
    this.#database = database;
    this.#pace = pace;
    this.#tell = tell;
  }

  /** Until it is stopped. By the database's clock, so that all replicas make the same. */
  async keep(): Promise<void> {
    this.#callOff = this.#pace.later(lookEveryMs, () => void this.keep());
    try {
      const [row] = await this.#database.ask('SELECT floor(extract(epoch FROM now()) * 1000) AS now');
      await makeMonths(this.#database, readNumber(row, 'now'));
    } catch (fault) {
      if (this.#state === 'stopped') return;
      const message = 'the ledger has no tables for the coming months yet; the common ones take their rows';
      this.#tell({ level: 'warn', message, fault });
    }
  }

  stop(): void {
    this.#state = 'stopped';
    this.#callOff?.();
  }
}

/** This month and the next ones. */
export async function makeMonths(database: Database, nowMs: number): Promise<void> {
  let { month } = spansAt(nowMs);
  for (let ahead = 0; ahead <= monthsAhead; ahead++) {
    for (const table of ['journal', 'usage'] as const) {
      // Each by itself: what it locks is free again at once.
      await database.transact((ask) => makeMonth(ask, table, month), toRebuild);
    }
    month = spansAt(month.endMs).month;
  }
}

/** Within a transaction. */
export async function makeMonth(ask: Ask, table: Table, { startMs, endMs }: Span): Promise<void> {
  const name = `${table}_${new Date(startMs).toISOString().slice(0, 7).replace('-', '_')}`;
  await lockSchema(ask);
  const column = tables[table];
  const [found] = await ask(
    `SELECT to_regclass($1) IS NOT NULL AS is_made,
      EXISTS (SELECT FROM domesday.${table}_other WHERE ${column} >= $2 AND ${column} < $3) AS is_begun`,
    [`domesday.${name}`, startMs, endMs],
  );
  // Rows of a month that has begun in the common table stay there with those to come.
  if (found?.is_made === true || found?.is_begun === true) return;
  // Made beside the others and then joined to them, which locks nobody out who reads or writes other months.
  await ask(`CREATE TABLE domesday.${name} (LIKE domesday.${table} INCLUDING ALL);
    ALTER TABLE domesday.${table} ATTACH PARTITION domesday.${name} FOR VALUES FROM (${startMs}) TO (${endMs})`);
}

/** Months of the journal that are over at `beforeMs` and have no entries left. */
export async function dropEmptyMonths(database: Database, beforeMs: number): Promise<void> {
  const months = await database.ask(
    `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'domesday.journal'::regclass AND relname <> 'journal_other' ORDER BY relname`,
  );
  const last = `journal_${new Date(beforeMs).toISOString().slice(0, 7).replace('-', '_')}`;
  for (const name of months.map((row) => readText(row, 'name')).filter((each) => each < last)) {
    try {
      await database.transact((ask) => dropIfEmpty(ask, name), toRebuild);
    } catch (error) {
      // Somebody uses it just now; the next trim drops it.
      if (outcomeOf(error) !== 'busy') throw error;
    }
  }
}

async function dropIfEmpty(ask: Ask, name: string): Promise<void> {
  await lockSchema(ask);
  // Readers lock the journal before its months, and this the month before the journal: it gives way before the server ends either.
  await ask("SET LOCAL lock_timeout = '250ms'");
  await ask(`LOCK TABLE domesday.${name} IN ACCESS EXCLUSIVE MODE`);
  const [row] = await ask(`SELECT EXISTS (SELECT FROM domesday.${name}) AS has_entries`);
  if (row?.has_entries === false) await ask(`DROP TABLE domesday.${name}`);
}
