// The portable SQL of both engines, and what is asked in it: rows of people, of what they settled, and of the last requests.

import type { Row } from './rows.ts';

export type Value = string | number | null;

/** `?` stands for a value. Portable SQL: TEXT and BIGINT columns, ON CONFLICT, RETURNING; no functions of one engine.
 *  Numbers are whole; texts hold no NUL. */
export interface Sql {
  all(text: string, values?: readonly Value[]): Promise<readonly Row[]>;
}

export interface Database extends Sql {
  /** All or nothing, as if alone. `work` may run more than once, so that it changes nothing but rows. It awaits nothing but `sql`, and
   *  after a statement that failed asks no other. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
}

/** The database cannot be used just now. Where it was told of a write, that may or may not have been done. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** Until the operator has restored a backup. */
export class TablesDamaged extends DatabaseUnavailable {
  override name = 'TablesDamaged';
}

/** Both engines refuse what one of them could not keep. */
export function checkValues(values: readonly Value[]): void {
  for (const value of values) {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      throw new RangeError('The database keeps whole numbers that can be counted exactly.');
    }
    if (typeof value === 'string' && value.includes('\0')) {
      throw new RangeError('The database keeps no text with a NUL in it.');
    }
  }
}
