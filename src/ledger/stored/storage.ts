// What the operator's half of the ledger asks of an engine: portable SQL over tables of the same names, and the little that engines do
// differently.

import type { Sql } from '../../storage/sql.ts';

/** `tell`: for a change that cannot be made twice, where nobody knows whether it was made. */
export type IfUnknown = 'repeat' | 'tell';

/** What following the journals asks of an engine. */
export interface FollowedEngine {
  /** In which order the journal can be read without sorting it. */
  readonly journalOrder: 'by account' | 'by entry';
  /** Up to which entry charges are in the usage. */
  readCounted(sql: Sql): Promise<number>;
  /** What is wrong with the tables that this engine alone has. */
  faults(sql: Sql): Promise<readonly string[]>;
}

export interface LedgerStorage extends Sql, FollowedEngine {
  /** All or nothing. `work` awaits nothing but `sql`, and changes nothing but rows: others may be in the way, and it runs again. Whoever
   *  changes an account locks it first, and sees balance and usage of one moment. Rejects with LedgerUnavailable in an outage. */
  transaction<T>(work: (sql: Sql) => Promise<T>, ifUnknown: IfUnknown): Promise<T>;
  /** Reads of one moment, however long they take: charges go on between the statements. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Writes the counts that wait, in memory or in the journal; rejects with LedgerUnavailable. */
  flush(): Promise<void>;
  /** Entries of account ? from number ? on back, ? of them: their numbers. */
  readonly entriesBack: string;
  /** After a trim of what was before that moment. */
  trimmed(beforeMs: number): Promise<void>;
}

/** The one character that PostgreSQL has no room for in a text. */
export const isStorable = (text: string): boolean => !text.includes('\0');
