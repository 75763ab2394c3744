// The seal beside the ledger: what the home knows of the ledger it had. A ledger that is behind its seal was replaced
// or lost entries, since the seal is written only when the ledger has it on disk.

import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errno.ts';
import { LedgerUnavailable } from './ledger.ts';
import { restoreCommand } from './restore-command.ts';

export type Seal = {
  readonly id: string;
  readonly generation: number;
  /** `open` from the start of a service to its orderly stop. */
  readonly state: 'open' | 'closed';
  /** The pulse that is known to be in the main file, its log left aside. */
  readonly checkpointed: number;
  /** The highest entry of the journal that is known to be on disk. */
  readonly newestEntry: number;
  /** Size and time of the main file at the orderly stop, so that it need not be read to know it untouched; null where
   *  it was not left with everything in it. */
  readonly stamp: string | null;
};

export const sealFile = (home: string): string => path.join(home, 'domesday.seal');

export function stampOf(ledger: string): string {
  const { size, mtimeNs } = statSync(ledger, { bigint: true });
  return `${size} bytes of ${mtimeNs}`;
}

/** Throws LedgerUnavailable where it cannot be understood: it is never guessed and never made anew over a ledger. */
export function readSeal(file: string): Seal | 'absent' {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    // A link that leads nowhere (a disk that is not mounted) is a seal that cannot be read.
    const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    if (errorCode(error) === 'ENOENT' && !isThere) return 'absent';
    throw new LedgerUnavailable(
      `${file} cannot be read; check who owns it and, if it is a link, where it leads.`,
      { cause: error },
    );
  }
  const seal = parseSeal(text);
  if (seal === undefined) {
    throw new LedgerUnavailable(
      `${file} is damaged, so nobody can tell whether the ledger is the newest; restore a backup with ${restoreCommand(path.dirname(file))}, or remove ${file} if the ledger was not touched.`,
    );
  }
  return seal;
}

/** Written whole under another name first, so that a crash leaves the old one or the new one. */
export function writeSeal(file: string, seal: Seal): void {
  const draft = `${file}.new`;
  writeFileSync(draft, `${JSON.stringify({ version: 1, ...seal })}\n`, { mode: 0o600, flush: true });
  renameSync(draft, file);
  syncFolder(path.dirname(file));
}

/** Windows opens no folders to sync them. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function parseSeal(text: string): Seal | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { version, id, generation, state, checkpointed, newestEntry, stamp } = { ...emptySeal, ...value };
  if (version !== 1 || typeof id !== 'string' || (state !== 'open' && state !== 'closed')) return undefined;
  if (!isCount(generation) || !isCount(checkpointed) || !isCount(newestEntry)) return undefined;
  if (typeof stamp !== 'string' && stamp !== null) return undefined;
  return { id, generation, state, checkpointed, newestEntry, stamp };
}

const emptySeal: Partial<Record<keyof Seal | 'version', unknown>> = {};

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
