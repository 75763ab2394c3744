// Fills the tables of a database from a ledger file: in one transaction, a few thousand rows at a time, so that neither a
// kill nor a large journal matters.

import type { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { type Row, readNumber, readText } from '../../storage/rows.ts';
import { peopleColumns } from '../../storage/tables.ts';
import { type Span, spansAt } from '../calendar.ts';
import { LedgerRefusal, LedgerUnavailable } from '../ledger.ts';
import type { Ask } from '../postgres/database.ts';
import { makeTables } from '../postgres/migrate.ts';
import { makeMonth } from '../postgres/months.ts';
import { sqlOf } from '../postgres/portable.ts';
import { migrations } from '../postgres/schema/migrations.ts';
import { postgresDatabase } from '../postgres/storage.ts';
import { sayUnsound } from '../sqlite/keeping/copies.ts';
import { verifyJournals } from '../stored/journals.ts';
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

/** The newest; what is older shares one table. */
const monthsMost = 120;

/** Within a transaction that has the lock of a schema that is not there. The file is nobody else's meanwhile. */
export async function fillDatabase(ask: Ask, db: DatabaseSync): Promise<void> {
  try {
    await makeTables(ask, migrations);
    for (const [table, month] of monthsOf(db)) await makeMonth(ask, table, month);
    await copyAll(ask, db);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === untranslatable) {
      throw new LedgerRefusal(
        'A name, note or id in the ledger contains the character NUL, which PostgreSQL cannot store; nothing was changed.',
        { cause: error },
      );
    }
    throw error;
  }
}

type Proof = {
  readonly brokenJournal: 'refuse' | 'take';
  readonly atMs: number;
};

/** Within the same transaction: throws unless it has everything that the file has, and tells how much that is. */
export async function proveDatabase(
  ask: Ask,
  db: DatabaseSync,
  { brokenJournal, atMs }: Proof,
): Promise<RowCounts> {
  const counts = await compareEnds(db, ask);
  if (typeof counts === 'string') {
    throw new LedgerUnavailable(
      `The copy in the database differs from the file in ${counts}; nothing was changed: run \`domesday check\` and try again.`,
    );
  }
  const [fault] = sayUnsound(await verifyJournals(sqlOf(ask), postgresDatabase, atMs));
  if (fault === undefined || brokenJournal === 'take') return counts;
  throw new LedgerRefusal(
    `${fault}; nothing was changed: see \`domesday check\`, and restore a sound backup first.`,
  );
}

const untranslatable = '22P05';

async function copyAll(ask: Ask, db: DatabaseSync): Promise<void> {
  const identity = db.prepare('SELECT id, generation, pulse, backed_up_at FROM identity').get();
  await ask('UPDATE domesday.identity SET id = $1, generation = $2, pulse = $3, backed_up_at = $4', [
    identity?.id,
    identity?.generation,
    identity?.pulse,
    identity?.backed_up_at,
  ]);
  const insert = (table: string, columns: Columns, rows: Iterable<string>) =>
    insertAll(ask, table, columns, rows);
  await insert('accounts', accountColumns, jsonRows(db, accountColumns, 'accounts'));
  // Newest first: a key that was replaced names a newer one.
  await insert('keys', keyColumns, jsonRows(db, keyColumns, 'keys ORDER BY number DESC'));
  for (const [table, columns] of Object.entries({ ...plainTables, ...peopleColumns })) {
    await insert(table, columns, jsonRows(db, columns, table));
  }
  await insert('journal', journalColumns, jsonRows(db, journalColumns, 'journal ORDER BY seq'));
  await ask(`INSERT INTO domesday.charge_ids SELECT charge_id, seq, account, at FROM domesday.journal
    WHERE charge_id IS NOT NULL ORDER BY charge_id`);
  const remembered = { ...repeatColumns, charge_id: 'text' } as const;
  await insert('repeats', remembered, jsonRows(db, remembered, repeatsInFile));
  await ask(`SELECT setval('domesday.entry_numbers', coalesce(newest, 1), newest IS NOT NULL) FROM (
    SELECT greatest((SELECT max(seq) FROM domesday.journal), (SELECT max(seq) FROM domesday.closings)) AS newest) AS numbers`);
  for (const table of ['accounts', 'keys', 'endpoints']) {
    await ask(`SELECT setval(pg_get_serial_sequence('domesday.${table}', 'number'),
      greatest(1, (SELECT max(number) FROM domesday.${table})), EXISTS (SELECT FROM domesday.${table}))`);
  }
  // So that following the journals uses their indexes.
  await ask(
    'ANALYZE domesday.journal, domesday.charge_ids, domesday.usage, domesday.accounts, domesday.repeats',
  );
}

const repeatsInFile = '(SELECT repeats.*, journal.charge_id FROM repeats LEFT JOIN journal ON seq = entry)';

/** Rows as JSON, which SQLite writes and PostgreSQL reads, so that none of them passes through here by itself. */
function* jsonRows(db: DatabaseSync, columns: Columns, from: string): Generator<string> {
  const parts = Object.keys(columns).map((column) => `'${column}', ${column}`);
  for (const row of db.prepare(`SELECT json_object(${parts.join(', ')}) AS row FROM ${from}`).iterate()) {
    yield readText(row, 'row');
  }
}

async function insertAll(ask: Ask, table: string, columns: Columns, rows: Iterable<string>): Promise<void> {
  const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  const names = namesOfColumns(columns);
  const text = `INSERT INTO domesday.${table} (${names}) SELECT ${names} FROM json_to_recordset($1) AS row (${types.join(', ')})`;
  for (const portion of portionsOf(rows)) await ask(text, [`[${portion.join()}]`]);
}

function* portionsOf(rows: Iterable<string>): Generator<readonly string[]> {
  let portion: string[] = [];
  for (const row of rows) {
    portion.push(row);
    if (portion.length < portionRows) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}

/** Months in which there is something, as far as a clock that was right can have stamped it. */
function monthsOf(db: DatabaseSync): readonly (readonly ['journal' | 'usage', Span])[] {
  const rowsOf = (table: string, column: string): readonly Row[] =>
    db
      .prepare(
        `SELECT min(${column}) AS at FROM ${table} WHERE ${column} BETWEEN 0 AND ? GROUP BY strftime('%Y-%m', ${column} / 1000, 'unixepoch') ORDER BY at DESC LIMIT ?`,
      )
      .all(lastMs, monthsMost);
  const spans = (rows: readonly Row[]) => rows.map((row) => spansAt(readNumber(row, 'at')).month);
  return [
    ...spans(rowsOf('journal', 'at')).map((month) => ['journal', month] as const),
    ...spans(rowsOf('usage', 'hour')).map((month) => ['usage', month] as const),
  ];
}

const lastMs = Date.UTC(2999, 11, 31);
