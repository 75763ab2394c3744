// Room that is kept beside the ledger for the day when the disk is full: let go, it lets the log be copied and the
// charges in flight be written.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../../errno.ts';

const reserveBytes = 8 * 2 ** 20;
/** Free room from which it is made again: not at once when a little was freed. */
const freeBytesWanted = 4 * reserveBytes;

/** Beside the log, which SQLite keeps where the ledger really is: a link may lead to another disk. */
const reserveFile = (ledger: string): string => path.join(path.dirname(placeOf(ledger)), 'domesday.reserve');

function placeOf(ledger: string): string {
  try {
    return realpathSync(ledger);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ledger;
    throw error;
  }
}

export const isReserveKept = (ledger: string): boolean => existsSync(reserveFile(ledger));

/** Free bytes for a ledger, with those that its reserve would give. */
export function roomFor(ledger: string): number {
  const { blocks, bfree, bavail, bsize } = statfsSync(ledger);
  // Some file systems do not tell; others keep some for root.
  if (blocks === 0) return Number.POSITIVE_INFINITY;
  const free = (process.getuid?.() === 0 ? bfree : bavail) * bsize;
  return free + (isReserveKept(ledger) ? reserveBytes : 0);
}

export function letReserveGo(ledger: string): 'let go' | 'none' {
  const file = reserveFile(ledger);
  const found = [file, `${file}.new`].filter((each) => existsSync(each));
  for (const each of found) rmSync(each, { force: true });
  return found.length > 0 ? 'let go' : 'none';
}

/** Random bytes, since some file systems store nothing for zeros. */
export function keepReserve(ledger: string): void {
  const file = reserveFile(ledger);
  if (existsSync(file)) return;
  const { bavail, bsize } = statfsSync(path.dirname(file));
  if (bavail * bsize < freeBytesWanted) return;
  // Whole or not there: half of it, left by a kill, would never be made whole.
  const draft = `${file}.new`;
  const handle = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(handle, randomBytes(reserveBytes));
    fsyncSync(handle);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}
