// One process at a time: a lock that the kernel holds. It ends with its holder however that ends, holds while the holder is
// stopped, and means the same in every container on one machine, where process ids do not. SQLite brings it on every system:
// an exclusive transaction on an empty file, in which nothing is ever written.

import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { errorCode } from './errno.ts';

/** Giving it back twice does no harm. */
export type Lock = { release(): void };

const sqliteBusy = 5;

/** A connection that nobody refers to is closed by the garbage collector, and the lock would go with it. */
const held = new Set<DatabaseSync>();

/** The file stays when the lock is given back: whoever removed it could remove the one that another has just taken. */
export function takeLock(file: string): Lock | 'taken' {
  makeFile(file);
  const holder = new DatabaseSync(file, { timeout: 0 });
  try {
    // Any other journal would be a second file.
    holder.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    holder.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return 'taken';
    throw error;
  }
  held.add(holder);
  return {
    release: () => {
      if (held.delete(holder)) holder.close();
    },
  };
}

/** The owner's alone, as whoever can read it can hold it. An existing one is not opened here: closing any handle of a file
 *  gives up all locks that this process has on it. */
function makeFile(file: string): void {
  if (existsSync(file)) {
    // Another user's is refused by its name.
    accessSync(file, constants.R_OK | constants.W_OK);
    return;
  }
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
