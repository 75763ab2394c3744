// A copy of the ledger that is whole by itself, and the way back from one. Copying the files by hand is neither while a
// service writes: the newest charges stand in the log beside the file.

import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type JournalReport, LedgerRefusal, LedgerUnavailable } from '../../ledger.ts';
import { publicCaller } from '../../public-sandbox.ts';
import { readSeal, type Seal, sealFile, stampOf, writeSeal } from '../../seal.ts';
import type { KnownOfHome } from '../../stored/proofs.ts';
import { readNumber, readNumberOrNull } from '../../stored/rows.ts';
import { resultOf, throwUnlessOfFile } from '../faults.ts';
import { asLedgerError, checkWhole, openLedgerFile, sealOf } from '../file.ts';
import { verifyJournals } from '../journals.ts';
import { BrokenReferences, fitnessOf, migrate } from '../migrate.ts';
import { migrations } from '../migrations/index.ts';
import { prepareStatements } from '../statements.ts';
import { readIdentity } from './identity.ts';

/** Where journals do not hold, or other rows contradict them: the file was changed by other hands. */
type Unsound = Pick<JournalReport, 'breaks' | 'different' | 'contradictions'>;

type Figures = {
  readonly entries: number;
  readonly accounts: number;
  /** Without that of the public sandbox key. */
  readonly customers: number;
};

type Backup = {
  readonly file: string;
  /** null where the ledger is of an older version, which this program does not follow. */
  readonly unsound: Unsound | null;
  readonly bytes: number;
} & Figures;

/** Beside a running service too. Never over a file that is there. A journal that breaks is no reason not to copy it. */
export function backUpLedger(ledger: string, file: string, atMs: number): Backup {
  if (existsSync(file)) throw new LedgerRefusal(`${file} is there already; name a file that is not.`);
  const { db, seal } = openLedgerFile(ledger, { ifMissing: 'refuse', ifOlder: 'leave' });
  const draft = `${file}.new-${randomUUID()}`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    db.prepare('VACUUM INTO ?').run(draft);
    sync(draft);
    checkWhole(draft, 'indexes');
    const figures = figuresOf(draft);
    const known = seal === 'absent' ? null : seal;
    const unsound = isOlder(draft) ? null : unsoundIn(draft, known, atMs);
    place(draft, file);
    if (readIdentity(db) !== undefined) db.prepare('UPDATE identity SET backed_up_at = ?').run(atMs);
    return { file, bytes: statSync(file).size, ...figures, unsound };
  } catch (error) {
    throw asLedgerError(error, damage.includes(resultOf(error)) ? ledger : file);
  } finally {
    db.close();
    removeDraft(draft);
  }
}

/** The oldest charge that no backup has; null where there is none. */
export function unsavedSince(ledger: string): number | null {
  const db = new DatabaseSync(ledger, { readOnly: true });
  try {
    const row = db
      .prepare(
        'SELECT min(at) AS at FROM journal WHERE kind = 2 AND at > (SELECT coalesce(backed_up_at, 0) FROM identity)',
      )
      .get();
    return readNumberOrNull(row, 'at');
  } finally {
    db.close();
  }
}

const damage: readonly (number | undefined)[] = [11, 26]; // SQLite: corrupt, not a database

type Restored = Figures & {
  readonly generation: number;
  /** The folder that has what was there before; null where nothing was. */
  readonly movedTo: string | null;
  readonly before: 'compared' | 'unreadable' | 'none';
  /** What the ledger of before had and the backup has not; null where it was not compared. */
  readonly missing: { readonly entries: number; readonly credits: number } | null;
  readonly unsound: Unsound;
};

type RestoreWish = {
  readonly ledger: string;
  readonly file: string;
  readonly otherLedger: 'refuse' | 'take';
  readonly brokenJournal: 'refuse' | 'take';
  readonly atMs: number;
};

/** Not while anybody has the ledger open. What was there is moved aside whole, never deleted. */
export function restoreLedger({ ledger, file, otherLedger, brokenJournal, atMs }: RestoreWish): Restored {
  const home = path.dirname(ledger);
  refuseUseless(ledger, file);
  const draft = `${ledger}.new-${randomUUID()}`;
  try {
    copyWithLog(file, draft);
    prepareDraft(draft, file);
    const backup = sealOf(draft);
    const known = knownSeal(home);
    if (known !== undefined && known.id !== backup.id && otherLedger === 'refuse') {
      throw new LedgerRefusal(
        `${file} is a backup of another ledger than the one this home had; give --other-ledger if that is meant.`,
      );
    }
    const unsound = unsoundIn(draft, known?.id === backup.id ? known : null, atMs);
    const [fault] = sayUnsound(unsound);
    if (fault !== undefined && brokenJournal === 'refuse') {
      throw new LedgerRefusal(
        `${fault}, in ${file}; restore another backup, or give --broken-journal to take this one as it is. Nothing was changed.`,
      );
    }
    const before = compareBefore(ledger, draft);
    const compared = typeof before === 'string' ? undefined : before;
    const generation = Math.max(backup.generation, known?.generation ?? 0, compared?.generation ?? 0) + 1;
    beginAnew(draft, generation, atMs);
    const figures = figuresOf(draft);
    refuseInUse(ledger);
    const movedTo = moveAside(ledger, atMs);
    // The seal first: a crash here leaves a home that asks for its ledger, not one that doubts it.
    writeSeal(sealFile(home), { ...backup, generation, stamp: stampOf(draft) });
    place(draft, ledger);
    return {
      ...figures,
      generation,
      movedTo,
      before: typeof before === 'string' ? before : 'compared',
      missing: compared === undefined ? null : { entries: compared.entries, credits: compared.credits },
      unsound,
    };
  } catch (error) {
    throw asLedgerError(error, file);
  } finally {
    removeDraft(draft);
  }
}

/** One clause for each journal, balance and other row. */
export function sayUnsound({ breaks, different, contradictions }: Unsound): readonly string[] {
  return [
    ...breaks.map(
      ({ accountId, seq, problem }) => `The journal of ${accountId} breaks at entry ${seq}: ${problem}`,
    ),
    ...different.map(({ accountId }) => `The balance of ${accountId} is not what its journal adds up to`),
    ...contradictions.map(({ subject, problem }) => `${subject} contradicts the journals: ${problem}`),
  ];
}

function isOlder(file: string): boolean {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return fitnessOf(db, migrations).kind === 'older';
  } finally {
    db.close();
  }
}

function unsoundIn(file: string, known: KnownOfHome, atMs: number): Unsound {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const { breaks, different, contradictions } = verifyJournals(prepareStatements(db), known, atMs);
    return { breaks, different, contradictions };
  } finally {
    db.close();
  }
}

function refuseUseless(ledger: string, file: string): void {
  if (!existsSync(file)) throw new LedgerRefusal(`There is no file ${file}; name the backup to restore.`);
  if (!statSync(file).isFile()) throw new LedgerRefusal(`${file} is not a file; name the backup to restore.`);
  if (existsSync(ledger) && realpathSync(file) === realpathSync(ledger)) {
    throw new LedgerRefusal(
      `${file} is the ledger of this home itself; move it elsewhere and restore it from there.`,
    );
  }
}

/** A copy made by hand may have its newest charges in a log beside it. */
function copyWithLog(file: string, draft: string): void {
  for (const part of ['', '-wal']) {
    if (!existsSync(`${file}${part}`)) continue;
    copyFileSync(`${file}${part}`, `${draft}${part}`);
    chmodSync(`${draft}${part}`, 0o600); // the copy has the rights of FILE
  }
}

/** Brings it to this program's version, with its log played in, and proves it whole. */
function prepareDraft(draft: string, file: string): void {
  try {
    checkWhole(draft, 'indexes');
    const db = new DatabaseSync(draft);
    try {
      migrate(db, migrations);
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      db.close();
    }
    checkWhole(draft, 'indexes');
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    const why = error instanceof BrokenReferences ? `: ${error.what}` : '';
    const beside = existsSync(`${file}-wal`) ? ` (perhaps ${file}-wal does not belong to it)` : '';
    throw new LedgerRefusal(
      `${file} is no sound backup of a Domesday ledger${beside}${why}; restore another. Nothing was changed.`,
      { cause: error },
    );
  }
}

/** A damaged seal is what a restore puts right. */
function knownSeal(home: string): Seal | undefined {
  try {
    const seal = readSeal(sealFile(home));
    return seal === 'absent' ? undefined : seal;
  } catch {
    return undefined;
  }
}

type Before = { readonly entries: number; readonly credits: number; readonly generation: number };

const missingEntries = `SELECT count(*) AS entries, coalesce(sum(CASE WHEN kind = 2 THEN -credits ELSE 0 END), 0) AS credits
  FROM journal AS old WHERE NOT EXISTS (SELECT 1 FROM backup.journal AS kept
    WHERE kept.seq = old.seq AND kept.account = old.account AND kept.at = old.at AND kept.charge_id IS old.charge_id)`;

/** Whoever has it open holds a lock on the file that the kernel keeps, in whatever container it runs. Asked for by
 *  another name, since beside its own name a log would be played into it. */
function refuseInUse(ledger: string): void {
  if (!existsSync(ledger)) return;
  const probe = `${ledger}.new-${randomUUID()}`;
  let db: DatabaseSync | undefined;
  try {
    linkSync(realpathSync(ledger), probe);
    db = new DatabaseSync(probe, { timeout: 0 });
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK');
  } catch (error) {
    const busy: readonly (number | undefined)[] = [5, 6]; // SQLite: busy, locked
    if (!busy.includes(resultOf(error))) return; // damaged, or a file system without links
    throw new LedgerRefusal(
      `${ledger} is in use; stop the service and whatever else uses this home, then restore again.`,
    );
  } finally {
    db?.close();
    removeDraft(probe);
  }
}

function compareBefore(ledger: string, draft: string): Before | 'none' | 'unreadable' {
  if (!existsSync(ledger)) return 'none';
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(ledger, { readOnly: true });
    const row = db.prepare('SELECT generation FROM identity').get();
    db.prepare('ATTACH ? AS backup').run(draft);
    const found = db.prepare(missingEntries).get();
    const generation = readNumber(row, 'generation');
    return { entries: readNumber(found, 'entries'), credits: readNumber(found, 'credits'), generation };
  } catch (error) {
    throwUnlessOfFile(error);
    return 'unreadable';
  } finally {
    db?.close();
  }
}

/** What it is restored from is its backup so far. */
function beginAnew(draft: string, generation: number, atMs: number): void {
  const db = new DatabaseSync(draft);
  try {
    db.prepare('UPDATE identity SET generation = ?, backed_up_at = ?').run(generation, atMs);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
  sync(draft);
}

/** Together in one folder, so that the log stays beside the file it belongs to. */
function moveAside(ledger: string, atMs: number): string | null {
  const parts = ['', '-wal', '-shm'].filter((part) => existsSync(`${ledger}${part}`));
  const home = path.dirname(ledger);
  const seal = sealFile(home);
  if (parts.length === 0) return null;
  const stamp = new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const folder = path.join(home, `ledger-before-${stamp}-${randomUUID().slice(0, 8)}`);
  mkdirSync(folder, { mode: 0o700 });
  if (existsSync(seal)) copyFileSync(seal, path.join(folder, path.basename(seal)));
  for (const part of parts.toReversed()) {
    renameSync(`${ledger}${part}`, path.join(folder, `${path.basename(ledger)}${part}`));
  }
  return folder;
}

function figuresOf(file: string): Figures {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const row = db
      .prepare(
        'SELECT (SELECT count(*) FROM journal) AS entries, (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM accounts WHERE id <> ?) AS customers',
      )
      .get(publicCaller.accountId);
    return {
      entries: readNumber(row, 'entries'),
      accounts: readNumber(row, 'accounts'),
      customers: readNumber(row, 'customers'),
    };
  } finally {
    db.close();
  }
}

function place(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch {
    if (existsSync(file)) throw new LedgerRefusal(`${file} is there already; name a file that is not.`);
    renameSync(draft, file); // a file system without hard links
  }
  if (process.platform !== 'win32') sync(path.dirname(file));
}

function sync(file: string): void {
  const handle = openSync(file, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function removeDraft(draft: string): void {
  for (const leftover of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(leftover, { force: true });
}
