// The SQLite engine's file: how it is made, recognised, brought up to date and refused. A file that is not plainly a
// sound ledger is never written to.

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isEarlyApplication, sayEarly } from '../../before-release.ts';
import { readNumber, readText } from '../../storage/rows.ts';
import { peopleTableNames } from '../../storage/tables.ts';
import { LedgerMissing, LedgerOutdated, LedgerRefusal, LedgerUnavailable, type Tell } from '../ledger.ts';
import { restoreCommand } from '../restore-command.ts';
import { readSeal, type Seal, sealFile, stampOf, syncFolder, writeSeal } from '../seal.ts';
import { refuseMarkedFile } from '../stored/relocation.ts';
import { existingFile } from './connection.ts';
import { faultOf, resultOf } from './faults.ts';
import { compareLedger, compareMainFile, lost, newestEntryOf, readIdentity } from './keeping/identity.ts';
import { readFileMark } from './keeping/mark.ts';
import { letReserveGo } from './keeping/reserve.ts';
import { fitnessOf, migrate } from './migrate.ts';
import { migrations } from './schema/migrations.ts';

const applicationId = 0x44_44_44_42; // "DDDB"
/** Up to this size every opening checks the whole file. */
const checkedAtOnceBytes = 32 * 1024 * 1024;
const busyTimeoutMs = 5_000;
const leastRoomBytes = 256 * 1024;

export type FileWish = {
  readonly ifMissing: 'make' | 'refuse';
  readonly ifOlder: 'migrate' | 'refuse' | 'leave';
  /** How long it takes to bring it up to date. */
  readonly tell?: Tell;
};

export type OpenedFile = {
  readonly db: DatabaseSync;
  /** As it was when the file was opened. */
  readonly seal: Seal | 'absent';
  /** `unproved` after an unclean stop or a change since, where checking the whole file takes too long to wait for. */
  readonly standing: 'proved' | 'unproved';
  /** How long the check of the whole file took; undefined where it was too large to wait for. */
  readonly checkMs: number | undefined;
  readonly people: 'sound' | 'people damaged';
};

export function openLedgerFile(path: string, wish: FileWish): OpenedFile {
  try {
    return openOrMake(path, wish);
  } catch (error) {
    if (!isForWantOfRoom(error, path) || letReserveGo(path) === 'none') throw error;
    return openOrMake(path, wish);
  }
}

function openOrMake(path: string, { ifMissing, ifOlder, tell }: FileWish): OpenedFile {
  try {
    if (!existsSync(path)) {
      const seal = readSeal(sealFile(dirname(path)));
      if (seal !== 'absent') throw lost(path, seal);
      if (ifMissing === 'refuse') throw missing(path);
      // A link that leads nowhere is not made over: its disk may not be mounted.
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) makeLedgerFile(path);
    }
    return openExisting(path, ifOlder, tell);
  } catch (error) {
    throw asLedgerError(error, path);
  }
}

/** Made whole under another name: nobody ever meets half a ledger, and an empty file is plainly damage. */
function makeLedgerFile(path: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  if (existsSync(`${path}-wal`)) {
    // SQLite would play it into the new file.
    throw new LedgerUnavailable(
      `${path}-wal is left over from a ledger whose main file is gone; put ${path} back, or move the rest aside too.`,
    );
  }
  const draft = `${path}.new-${randomUUID()}`;
  try {
    const db = makeEmptyLedger(draft);
    db.exec('PRAGMA journal_mode = WAL');
    db.close();
    syncFile(draft);
    const made = sealOf(draft);
    renameSync(draft, path);
    syncFolder(folder);
    writeSeal(sealFile(folder), made);
  } finally {
    for (const leftover of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(leftover, { force: true });
  }
}

/** Not on disk before it is synced. */
export function makeEmptyLedger(draft: string): DatabaseSync {
  // Accounts and hashes of keys are the owner's alone; SQLite gives the files beside it the same rights.
  closeSync(openSync(draft, 'wx', 0o600));
  const db = new DatabaseSync(draft);
  try {
    db.exec('PRAGMA synchronous = OFF'); // nobody has it yet, so it is enough to sync it once it is whole
    db.exec(`PRAGMA application_id = ${applicationId}`);
    migrate(db, migrations);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Windows wants it open for writing. */
function syncFile(path: string): void {
  const handle = openSync(path, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function openExisting(path: string, ifOlder: FileWish['ifOlder'], tell?: Tell): OpenedFile {
  if (statSync(path).size === 0) throw damaged(path);
  const seal = readSeal(sealFile(dirname(path)));
  const real = realpathSync(path);
  const size = sizeOf(real) + sizeOf(`${real}-wal`);
  if (seal !== 'absent') compareMainFile(path, seal);
  const checked = inspect(path, (db) => {
    recognise(db, path);
    const mark = readFileMark(db);
    if (mark !== undefined) throw refuseMarkedFile(path, mark);
    if (seal !== 'absent') compareLedger(path, db, seal);
    if (size > checkedAtOnceBytes) return undefined;
    const startedMs = performance.now();
    const people = checkSound(db, path, 'indexes');
    return { people, checkMs: performance.now() - startedMs };
  });
  const isUntouched = seal !== 'absent' && seal.state === 'closed' && seal.stamp === stampOf(real);
  const isProved = size <= checkedAtOnceBytes || isUntouched;
  const db = openToWrite(path, ifOlder, tell);
  // A service's thread copies the log; a command does when it closes.
  db.exec('PRAGMA wal_autocheckpoint = 0');
  return {
    db,
    seal,
    standing: isProved ? 'proved' : 'unproved',
    checkMs: checked?.checkMs,
    people: checked?.people ?? 'sound',
  };
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function openToWrite(path: string, ifOlder: FileWish['ifOlder'], tell?: Tell): DatabaseSync {
  const db = new DatabaseSync(existingFile(path), {
    timeout: busyTimeoutMs,
    enableForeignKeyConstraints: true,
  });
  try {
    const fitness = recognise(db, path);
    if (fitness === 'older' && ifOlder === 'refuse') throw outdated(path);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    if (fitness === 'older' && ifOlder === 'migrate') migrate(db, migrations, tell);
    else db.exec('BEGIN IMMEDIATE; ROLLBACK'); // finds out now whether it can be written
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Read-only, since the last connection that may write copies the log into the file when it closes. */
function inspect<T>(path: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** Beside a service too: it takes no lock that a commit would meet. */
export function readLedgerFile<T>(path: string, work: (db: DatabaseSync) => T): T {
  try {
    const seal = readSeal(sealFile(dirname(path)));
    if (!existsSync(path)) throw seal === 'absent' ? missing(path) : lost(path, seal);
    if (statSync(path).size === 0) throw damaged(path);
    if (seal !== 'absent') compareMainFile(path, seal);
    return inspect(path, (db) => {
      recognise(db, path);
      const mark = readFileMark(db);
      if (mark !== undefined) throw refuseMarkedFile(path, mark);
      if (seal !== 'absent') compareLedger(path, db, seal);
      return work(db);
    });
  } catch (error) {
    throw asLedgerError(error, path);
  }
}

/** Whatever the size. Throws LedgerUnavailable where something is wrong. */
export function checkWhole(path: string, depth: Depth): void {
  try {
    inspect(path, (db) => {
      recognise(db, path);
      checkSound(db, path, depth);
    });
  } catch (error) {
    throw asLedgerError(error, path);
  }
}

/** What the home is to know of a ledger that nobody uses. */
export function sealOf(path: string): Seal {
  return inspect(path, (db) => {
    const found = readIdentity(db);
    if (found === undefined) throw damaged(path);
    const { id, generation, pulse } = found;
    return {
      id,
      generation,
      state: 'closed',
      checkpointed: pulse,
      newestEntry: newestEntryOf(db),
      stamp: stampOf(path),
    };
  });
}

/** It was made before version 1.0 was published. */
export class EarlyLedger extends LedgerUnavailable {
  override name = 'EarlyLedger';

  constructor(path: string) {
    super(sayEarly(path));
  }
}

function recognise(db: DatabaseSync, path: string): 'fits' | 'older' {
  const id = readNumber(db.prepare('PRAGMA application_id').get(), 'application_id');
  if (isEarlyApplication(id)) throw new EarlyLedger(path);
  if (id !== applicationId) throw damaged(path);
  const fitness = fitnessOf(db, migrations);
  if (fitness.kind === 'no version') throw damaged(path);
  if (fitness.kind !== 'too new') return fitness.kind === 'older' ? 'older' : 'fits';
  const { version, since } = fitness;
  throw new LedgerUnavailable(
    `${path} was made by a newer Domesday (ledger version ${version}, this one knows ${migrations.length}); use ${since === undefined ? 'that one' : `Domesday ${since} or later`}, or restore an older backup.`,
  );
}

/** `pages`: every page and row; `indexes` also compares each index with its table, which takes three times as long. */
type Depth = 'pages' | 'indexes';

/** Where the tables of people alone are damaged, calls with keys go on. */
function checkSound(db: DatabaseSync, path: string, depth: Depth): 'sound' | 'people damaged' {
  const pragma = depth === 'pages' ? 'quick_check' : 'integrity_check';
  const isSound = (what: string | number) =>
    readText(db.prepare(`PRAGMA ${pragma}(${what})`).get(), pragma) === 'ok';
  if (isSound(1)) return 'sound';
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map((row) => readText(row, 'name'));
  const unsound = tables.filter((table) => !isSound(table));
  if (unsound.length > 0 && unsound.every((table) => peopleTableNames.includes(table)))
    return 'people damaged';
  throw damaged(path);
}

function missing(path: string): LedgerMissing {
  return new LedgerMissing(
    `${dirname(path)} has no ledger yet; \`domesday accounts create\` or \`domesday serve\` makes one, or name the right folder with --home.`,
  );
}

function outdated(path: string): LedgerOutdated {
  return new LedgerOutdated(
    `${path} was made by an older Domesday; the next start of this one brings it up to date.`,
  );
}

function damaged(path: string, cause?: unknown): LedgerUnavailable {
  return new LedgerUnavailable(
    `${path} is not a Domesday ledger or is damaged; move it aside, or restore a backup with ${restoreCommand(dirname(path))}.`,
    { cause },
  );
}

/** Without room for the files beside the ledger, SQLite speaks of a fault of the disk. */
function isForWantOfRoom(error: unknown, path: string): boolean {
  const fault = faultOf(error);
  if (fault !== 'disk') return fault === 'full';
  const { bavail, bsize } = statfsSync(existsSync(path) ? path : dirname(path));
  return bavail * bsize < leastRoomBytes;
}

// SQLite's result codes: the low byte is the family, the rest the detail.
const sqlite = { busy: 5, locked: 6, readOnly: 8, ioError: 10, cantOpen: 14 };

export function asLedgerError(error: unknown, path: string): LedgerUnavailable | LedgerRefusal {
  if (error instanceof LedgerUnavailable || error instanceof LedgerRefusal) return error;
  const result = resultOf(error);
  if (result === sqlite.busy || result === sqlite.locked) {
    return new LedgerUnavailable(`${path} is locked by another process; try again when that has finished.`, {
      cause: error,
    });
  }
  if (isForWantOfRoom(error, path)) {
    return new LedgerUnavailable(`${path} cannot be written: the disk is full; make room and try again.`, {
      cause: error,
    });
  }
  const unusable: readonly (number | undefined)[] = [
    sqlite.readOnly,
    sqlite.ioError,
    sqlite.cantOpen,
    undefined,
  ];
  if (unusable.includes(result)) {
    return new LedgerUnavailable(
      `${path} cannot be read or written; check that the folder exists and who owns it.`,
      { cause: error },
    );
  }
  return damaged(path, error);
}
