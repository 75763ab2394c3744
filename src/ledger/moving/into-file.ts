// Writes a ledger that is in a database into a file of the embedded ledger, as of one moment, a few thousand rows at a time.

import type { DatabaseSync } from 'node:sqlite';
import type { Row } from '../../storage/rows.ts';
import { peopleColumns } from '../../storage/tables.ts';
import { LedgerUnavailable } from '../ledger.ts';
import type { Ask } from '../postgres/database.ts';
import { makeEmptyLedger } from '../sqlite/file.ts';
import {
  accountColumns,
  type Columns,
  compareEnds,
  journalColumns,
  keyColumns,
  namesOfColumns,
  plainTables,
  portionRows,
  type RowCounts,
  repeatColumns,
} from './tables.ts';

/** For the index of charge ids, which come in no order. */
const cacheKilobytes = 128 * 1_024;

/** Within a transaction that sees one moment, of a ledger that this program knows. The file is whole when this has resolved, and
 *  not on disk before it is synced. */
export async function fillFile(ask: Ask, draft: string): Promise<RowCounts> {
  const db = makeEmptyLedger(draft);
  try {
    // Nobody has it yet: a failure leaves nothing that anybody would use.
    db.exec(`PRAGMA journal_mode = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -${cacheKilobytes}`);
    db.exec('BEGIN');
    await copyAll(ask, db);
    const counts = await compareEnds(db, ask);
    if (typeof counts === 'string') {
      throw new LedgerUnavailable(
        `The copy differs from the database in ${counts}; nothing was changed: run \`domesday check\` and try again.`,
      );
    }
    db.exec('COMMIT');
    // As a copy that SQLite makes itself: one file.
    db.exec('PRAGMA journal_mode = DELETE');
    return counts;
  } finally {
    db.close();
  }
}

async function copyAll(ask: Ask, db: DatabaseSync): Promise<void> {
  const [identity] = await ask('SELECT id, generation, pulse, backed_up_at FROM domesday.identity');
  db.prepare('UPDATE identity SET id = ?, generation = ?, pulse = ?, backed_up_at = ?').run(
    ...storable(identity, ['id', 'generation', 'pulse', 'backed_up_at']),
  );
  const copy = (table: string, columns: Columns, order: string) =>
    copyRows(
      ask,
      `SELECT ${namesOfColumns(columns)} FROM domesday.${table} ORDER BY ${order}`,
      insertInto(db, table, columns),
    );
  await copy('accounts', accountColumns, 'number');
  await copy('keys', keyColumns, 'number');
  await copy('endpoints', plainTables.endpoints, 'number');
  await copy('windows', plainTables.windows, 'account, mode');
  await copy('periods', plainTables.periods, 'account, ends_at');
  await copy('usage', plainTables.usage, 'account, hour, key, endpoint, status');
  await copy('journal', journalColumns, 'seq');
  await copy('closings', plainTables.closings, 'seq');
  await copy('repeats', repeatColumns, 'entry');
  for (const [table, columns] of Object.entries(peopleColumns)) await copy(table, columns, '1');
  // Its usage has every charge.
  db.exec('UPDATE identity SET counted_entry = (SELECT coalesce(max(seq), 0) FROM journal)');
}

function insertInto(db: DatabaseSync, table: string, columns: Columns): (row: Row) => void {
  const names = Object.keys(columns);
  const insert = db.prepare(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  return (row) => {
    insert.run(...storable(row, names));
  };
}

/** By a cursor: what is sorted is sorted once, and read in portions. */
async function copyRows(ask: Ask, text: string, insert: (row: Row) => void): Promise<void> {
  await ask(`DECLARE rows_to_copy NO SCROLL CURSOR FOR ${text}`);
  for (;;) {
    const rows = await ask(`FETCH ${portionRows} FROM rows_to_copy`);
    for (const row of rows) insert(row);
    if (rows.length < portionRows) break;
  }
  await ask('CLOSE rows_to_copy');
}

function storable(row: Row | undefined, columns: readonly string[]): (string | number | null)[] {
  return columns.map((column) => {
    const value = row?.[column];
    if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
    throw new TypeError(`${column} is neither number nor text`);
  });
}
