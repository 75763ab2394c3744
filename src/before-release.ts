// What was made before version 1.0 was published: recognised by its marks and refused in one sentence. Nothing of it is read.

import { closeSync, openSync, readSync } from 'node:fs';
import path from 'node:path';

/** What SQLite files of the ledger ("DOME", "DDLG") and of the records ("DOMR", "DDRC") had as their application id. */
const applicationIds: readonly number[] = [0x44_4f_4d_45, 0x44_4f_4d_52, 0x44_44_4c_47, 0x44_44_52_43];
/** What manifests of releases and pointers of depots said at `format`. */
const formats: readonly string[] = ['domesday-release', 'domesday-depot'];
/** What the table of versions in the schema of a database was called. */
export const earlyVersionsTables = ['migrations', 'versions'] as const;

export const isEarlyApplication = (id: number): boolean => applicationIds.includes(id);
export const isEarlyFormat = (format: string): boolean => formats.includes(format);

/** `what` begins the sentence; what to do stands behind its semicolon. The command stands without backticks: printed as typed, it would
 *  name the home that is refused. */
export const sayEarly = (
  what: string,
  remedy = 'start with an empty home, and domesday update brings the data',
): string => `${what} was made before Domesday 1.0; ${remedy}.`;

export const earlyDatabase: string = sayEarly(
  'The schema domesday in the database',
  'start with an empty database and an empty home, and domesday update brings the data',
);

/** Whether the database or the current data of a home are from then. */
export const isEarlyHome = (home: string): boolean =>
  ['ledger.sqlite', 'records.sqlite'].some((name) => isEarlyFile(path.join(home, name))) ||
  ['releases', 'sandbox'].some((name) => isEarlyRelease(path.join(home, name)));

/** Where the header of a SQLite file has it: https://sqlite.org/fileformat2.html#application_id */
const applicationIdAt = 68;

function isEarlyFile(file: string): boolean {
  const header = beginningOf(file, applicationIdAt + 4);
  return header?.length === applicationIdAt + 4 && isEarlyApplication(header.readUInt32BE(applicationIdAt));
}

/** Its manifest says its format first. */
function isEarlyRelease(folder: string): boolean {
  const current = beginningOf(path.join(folder, 'current'), 100)?.toString('latin1').trim() ?? '';
  const text = beginningOf(path.join(folder, current, 'manifest.json'), 100)?.toString('latin1');
  const format = /^\{\s*"format": "([\w-]+)"/.exec(text ?? '')?.[1];
  return format !== undefined && isEarlyFormat(format);
}

/** undefined for what is no file, or cannot be read. */
function beginningOf(file: string, bytes: number): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    return undefined;
  }
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, bytes, 0));
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}
