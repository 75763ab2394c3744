// What an error of SQLite or of the system says about the disk.

import { errorCode } from '../../errno.ts';

const sqlite = { ioError: 10, full: 13, unique: 2067 };

export function resultOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

/** A row was to come that may be there only once. */
export const isRepeated = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === sqlite.unique;

/** Returns where an error says that a file is not what it should be. Any other is a fault of this program. */
export function throwUnlessOfFile(error: unknown): void {
  if (error instanceof TypeError || resultOf(error) !== undefined) return;
  throw error;
}

/** Seen before anything was written. */
export class NoRoom extends Error {
  override name = 'NoRoom';
  readonly code = 'ENOSPC';
}

export function faultOf(error: unknown): 'full' | 'disk' | 'other' {
  if (error instanceof Error && error.cause !== undefined) return faultOf(error.cause);
  const result = resultOf(error);
  if (result === sqlite.full || errorCode(error) === 'ENOSPC') return 'full';
  return result === sqlite.ioError ? 'disk' : 'other';
}

/** The end of a sentence for the operator; empty where the disk is not to blame. */
export function explainedFault(error: unknown): string {
  const fault = faultOf(error);
  if (fault === 'full') return ': the disk is full; make room';
  return fault === 'disk' ? ': the disk reports faults; check it' : '';
}
