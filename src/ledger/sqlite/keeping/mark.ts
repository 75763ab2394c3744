// The mark of a ledger file that was moved, or that is not wholly there yet.

import type { DatabaseSync } from 'node:sqlite';
import { type Mark, markedTables, markValues, movedText, readMark } from '../../stored/relocation.ts';

const triggers = markedTables.flatMap((table) =>
  ['INSERT', 'UPDATE', 'DELETE'].map((event) => ({
    name: `moved_${table}_${event.toLowerCase()}`,
    table,
    event,
  })),
);

export function readFileMark(db: DatabaseSync): Mark | undefined {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'relocation'").get();
  const row = table && db.prepare('SELECT state, place, at, token FROM relocation').get();
  return row && readMark(row);
}

/** Within a transaction. */
export function markFile(db: DatabaseSync, mark: Mark): void {
  db.exec(
    'CREATE TABLE relocation (state TEXT NOT NULL, place TEXT NOT NULL, at INTEGER NOT NULL, token TEXT NOT NULL) STRICT',
  );
  db.prepare('INSERT INTO relocation VALUES (?, ?, ?, ?)').run(...markValues(mark));
  for (const { name, table, event } of triggers) {
    db.exec(
      `CREATE TRIGGER ${name} BEFORE ${event} ON ${table} BEGIN SELECT RAISE(ABORT, '${movedText}'); END`,
    );
  }
}

/** Within a transaction. Nothing where there is none. */
export function liftFileMark(db: DatabaseSync): void {
  for (const { name } of triggers) db.exec(`DROP TRIGGER IF EXISTS ${name}`);
  db.exec('DROP TABLE IF EXISTS relocation');
}
