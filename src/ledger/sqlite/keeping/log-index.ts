// What SQLite keeps beside its log for all who have it open: how far it goes, and how far copies of it have come. Read
// from `-shm` itself, because no statement tells of a copy that another process has begun and not yet ended. Layout:
// https://sqlite.org/walformat.html#walidxfmt

import { openSync, readSync, realpathSync } from 'node:fs';
import { endianness } from 'node:os';

export type LogIndex = {
  readonly pages: number;
  /** Pages that are surely in the main file. */
  readonly copied: number;
  /** Up to where a copy was begun, noted before it writes anything; undefined where that changed meanwhile. */
  readonly begun: number | undefined;
  /** Another one whenever the log begins anew. */
  readonly salt: string;
};

const headBytes = 100;
const at = { pages: 16, salt: 32, afterSalt: 40, copied: 96, begun: 128 };

/** Never to be closed, also not by the end of a thread: with it, POSIX would release all the locks that SQLite has on that
 *  file in this process. */
export const openLogIndex = (ledger: string): number => openSync(`${realpathSync(ledger)}-shm`, 'r');

export function readLogIndex(handle: number): LogIndex {
  // Apart from the head, since Windows lets nobody read the bytes between while they are locked; twice, since the head is of no one
  // moment with a single look.
  const begunBefore = numberIn(readBytes(handle, 4, at.begun), 0);
  const head = readBytes(handle, headBytes, 0);
  const begun = numberIn(readBytes(handle, 4, at.begun), 0);
  return {
    pages: numberIn(head, at.pages),
    copied: numberIn(head, at.copied),
    begun: begun === begunBefore ? begun : undefined,
    salt: head.toString('hex', at.salt, at.afterSalt),
  };
}

function readBytes(handle: number, bytes: number, position: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  if (readSync(handle, buffer, 0, bytes, position) < bytes)
    throw new Error('the index of the log is cut off');
  return buffer;
}

const numberIn = (bytes: Buffer, offset: number): number =>
  endianness() === 'LE' ? bytes.readUInt32LE(offset) : bytes.readUInt32BE(offset);
