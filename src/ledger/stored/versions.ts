// Versions of a ledger's tables, whatever the engine: whether a program can use what it finds.

import { type Row, readNumber, readText } from '../../storage/rows.ts';

/** What a storage records of each migration that it went through. */
export type Version = {
  /** Counted from 1 without gaps; never changed once a program with it was published. */
  readonly version: number;
  readonly name: string;
  /** Whether a program that does not know this migration can no longer use the ledger. */
  readonly breaks: boolean;
  /** The first version of Domesday that knows it: what a refused program tells its operator to use. */
  readonly since: string;
};

export type Fitness =
  | { readonly kind: 'fits' }
  | { readonly kind: 'older' }
  /** Of a later program, and nothing in it breaks this one. */
  | { readonly kind: 'newer'; readonly version: number }
  /** A migration that this program does not know breaks it; `since` is the oldest program that knows it. */
  | { readonly kind: 'too new'; readonly version: number; readonly since: string | undefined }
  | { readonly kind: 'no version' };

/** A newer version fits as long as nothing in it breaks this program. `recorded` has version, breaks and since of those that are newer than `known`. */
export function judgeVersion(
  version: number,
  recorded: () => readonly Row[],
  known: readonly Version[],
): Fitness {
  const newest = known.length;
  if (version < 1) return { kind: 'no version' };
  if (version < newest) return { kind: 'older' };
  if (version === newest) return { kind: 'fits' };
  const rows = recorded();
  const breaking = rows.filter((row) => isBreaking(row));
  // A version that does not tell what it changed is taken to have changed everything.
  if (rows.length === version - newest && breaking.length === 0) return { kind: 'newer', version };
  const last = breaking.at(-1);
  return { kind: 'too new', version, since: last === undefined ? undefined : readText(last, 'since') };
}

/** Where the record of a version is not what that version wrote. */
export function* recordFaults(rows: readonly Row[], known: readonly Version[]): Generator<string> {
  const recorded = new Map(rows.map((row) => [readNumber(row, 'version'), row]));
  for (const { version, name, breaks, since } of known) {
    const row = recorded.get(version);
    if (row?.name === name && row.breaks === (breaks ? 1 : 0) && row.since === since) continue;
    yield `its record of version ${version} is not what that version wrote`;
  }
}

const isBreaking = (row: Row): boolean => readNumber(row, 'breaks') !== 0;
