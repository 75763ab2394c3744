// What SQLite keeps beside its log for all who have it open: how far it goes, and how far copies of it have come. Read
// from `-shm` itself, because no statement tells of a copy that another process has begun and not yet ended. Layout:
// https://sqlite.org/walformat.html#walidxfmt

import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { endianness } from 'node:os';

export type LogIndex = {
  /** Of the ledger, by anybody; counted on when the log begins anew. */
  readonly commits: number;
  readonly pages: number;
  /** Pages that are surely in the main file. */
  readonly copied: number;
  /** Up to where a copy was begun, noted before it writes anything; undefined where the index changed meanwhile. */
  readonly begun: number | undefined;
  /** Another one whenever the log begins anew. */
  readonly salt: string;
};

/** It stands there twice, for those who read while it is written. */
const halfBytes = 48;
const headBytes = 100;
const at = { commits: 8, pages: 16, salt: 32, afterSalt: 40, copied: 96, begun: 128 };

/** Never to be closed, also not by the end of a thread: with it, POSIX would release all the locks that SQLite has on that
 *  file in this process. */
export const openLogIndex = (ledger: string): number => openSync(`${realpathSync(ledger)}-shm`, 'r');

export function readLogIndex(handle: number): LogIndex {
  // Apart from the head, since Windows lets nobody read the bytes between while they are locked; twice, since the head is of no one
  // moment with a single look.
  const begunBefore = numberIn(readBytes(handle, 4, at.begun), 0);
  const head = readBytes(handle, headBytes, 0);
  const begun = numberIn(readBytes(handle, 4, at.begun), 0);
  const isOfOneMoment = head.subarray(0, halfBytes).equals(head.subarray(halfBytes, 2 * halfBytes));
  return {
    commits: numberIn(head, at.commits),
    pages: numberIn(head, at.pages),
    copied: numberIn(head, at.copied),
    begun: isOfOneMoment && begun === begunBefore ? begun : undefined,
    salt: head.toString('hex', at.salt, at.afterSalt),
  };
}

// Of the log itself: before all pages, and before each. Layout: https://sqlite.org/fileformat2.html#walformat
const [logHeadBytes, pageHeadBytes] = [32, 24];
const atPage = { sizeAfterCommit: 4, salt: 8, afterSalt: 16 };

export const bytesOfLog = (pages: number, pageBytes: number): number =>
  logHeadBytes + pages * (pageHeadBytes + pageBytes);

/** How many commits stand in the log, as far as it is still the one of the index. */
export function countCommits(ledger: string, { pages, salt }: LogIndex, pageBytes: number): number {
  const handle = openSync(`${realpathSync(ledger)}-wal`, 'r');
  try {
    const head = Buffer.alloc(pageHeadBytes);
    let commits = 0;
    for (let page = 0; page < pages; page += 1) {
      const bytes = readSync(handle, head, 0, pageHeadBytes, bytesOfLog(page, pageBytes));
      if (bytes < pageHeadBytes || head.toString('hex', atPage.salt, atPage.afterSalt) !== salt) break;
      if (head.readUInt32BE(atPage.sizeAfterCommit) > 0) commits += 1;
    }
    return commits;
  } finally {
    closeSync(handle);
  }
}

function readBytes(handle: number, bytes: number, position: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  if (readSync(handle, buffer, 0, bytes, position) < bytes)
    throw new Error('the index of the log is cut off');
  return buffer;
}

const numberIn = (bytes: Buffer, offset: number): number =>
  endianness() === 'LE' ? bytes.readUInt32LE(offset) : bytes.readUInt32BE(offset);
