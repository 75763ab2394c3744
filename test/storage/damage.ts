// Damage of one table, as a disk does it.

import { closeSync, openSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Overwrites every page of this table, in a file that nobody uses. */
export function damage(file: string, table: string): void {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const pages = db.prepare('SELECT pageno FROM dbstat WHERE name = ?').all(table);
  db.close();
  const handle = openSync(file, 'r+');
  for (const { pageno } of pages)
    writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, (Number(pageno) - 1) * 4096);
  closeSync(handle);
}
