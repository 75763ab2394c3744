// A copy of the ledger that is whole by itself, and the way back from one. Copying the files by hand is neither while a
// service writes: the newest charges stand in the log beside the file.

import { closeSync, existsSync, linkSync, openSync, realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorCode } from '../../../errno.ts';
import { readNumber, readText } from '../../../storage/rows.ts';
import type { Sql } from '../../../storage/sql.ts';
import { LedgerRefusal } from '../../ledger.ts';
import { readSeal, type Seal, sealFile, stampOf, writeSeal } from '../../seal.ts';
import { resultOf, throwUnlessOfFile } from '../faults.ts';
import { asLedgerError, readLedgerFile, sealOf } from '../file.ts';
import {
  type Backup,
  draftOf,
  type Figures,
  figuresOf,
  judgeBackup,
  moveAside,
  otherLedgerRefusal,
  place,
  placeBackup,
  refuseExisting,
  removeDraft,
  sync,
  takeBackup,
  type Unsound,
} from './copies.ts';

/** For whoever has the home. Never over a file that is there. A journal that breaks is no reason not to copy it. */
export async function backUpLedger(ledger: string, file: string, atMs: number): Promise<Backup> {
  refuseExisting(file);
  const draft = draftOf(file);
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    readLedgerFile(ledger, (db) => db.prepare('VACUUM INTO ?').run(draft));
    return await placeBackup(draft, file, atMs);
  } catch (error) {
    throw asLedgerError(error, damage.includes(resultOf(error)) ? ledger : file);
  } finally {
    removeDraft(draft);
  }
}

/** The same from a copy that a service tells. */
export async function keepCopy(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  atMs: number,
): Promise<Backup> {
  refuseExisting(file);
  const draft = draftOf(file);
  try {
    await writeFile(draft, chunks, { flag: 'wx', mode: 0o600 });
    return await placeBackup(draft, file, atMs);
  } catch (error) {
    // What the service says stays as it is.
    if (resultOf(error) === undefined && errorCode(error) === undefined) throw error;
    throw asLedgerError(error, file);
  } finally {
    removeDraft(draft);
  }
}

const damage: readonly (number | undefined)[] = [11, 26]; // SQLite: corrupt, not a database

export type Restored = Figures & {
  readonly generation: number;
  /** The folder that has what was there before; null where nothing was. */
  readonly movedTo: string | null;
  readonly before: 'compared' | 'unreadable' | 'none';
  /** What the ledger of before had and the backup has not; null where it was not compared. */
  readonly missing: { readonly entries: number; readonly credits: number } | null;
  readonly unsound: Unsound;
  /** People who had been erased since the backup, and were erased again. */
  readonly erasedAgain: number;
};

/** Erases these people where they are still there, and tells how many those were. */
export type EraseAgain = (sql: Sql, personIds: readonly string[]) => Promise<number>;

type RestoreWish = {
  readonly ledger: string;
  readonly file: string;
  readonly otherLedger: 'refuse' | 'take';
  readonly brokenJournal: 'refuse' | 'take';
  readonly atMs: number;
  readonly eraseAgain: EraseAgain;
};

/** Not while anybody has the ledger open. What was there is moved aside whole, never deleted. */
export async function restoreLedger({
  ledger,
  file,
  otherLedger,
  brokenJournal,
  atMs,
  eraseAgain,
}: RestoreWish): Promise<Restored> {
  const home = path.dirname(ledger);
  if (existsSync(ledger) && existsSync(file) && realpathSync(file) === realpathSync(ledger)) {
    throw new LedgerRefusal(
      `${file} is the ledger of this home itself; move it elsewhere and restore it from there.`,
    );
  }
  const draft = draftOf(ledger);
  try {
    takeBackup(file, draft);
    const backup = sealOf(draft);
    const known = knownSeal(home);
    if (known !== undefined && known.id !== backup.id && otherLedger === 'refuse') {
      throw otherLedgerRefusal(file, 'this home had');
    }
    const unsound = await judgeBackup({ draft, file, brokenJournal, atMs });
    const before = compareBefore(ledger, draft);
    const compared = typeof before === 'string' ? undefined : before;
    const generation = Math.max(backup.generation, known?.generation ?? 0, compared?.generation ?? 0) + 1;
    const erasedAgain = await beginAnew(draft, { generation, atMs }, (sql) =>
      eraseAgain(sql, compared?.erased ?? []),
    );
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
      erasedAgain,
    };
  } catch (error) {
    throw asLedgerError(error, file);
  } finally {
    removeDraft(draft);
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

type Before = {
  readonly entries: number;
  readonly credits: number;
  readonly generation: number;
  readonly erased: readonly string[];
};

const missingEntries = `SELECT count(*) AS entries, coalesce(sum(CASE WHEN kind = 2 THEN -credits ELSE 0 END), 0) AS credits
  FROM journal AS old WHERE NOT EXISTS (SELECT 1 FROM backup.journal AS kept
    WHERE kept.seq = old.seq AND kept.account = old.account AND kept.at = old.at AND kept.charge_id IS old.charge_id)`;

/** Whoever has it open holds a lock on the file that the kernel keeps, in whatever container it runs. Asked for by
 *  another name, since beside its own name a log would be played into it. */
function refuseInUse(ledger: string): void {
  if (!existsSync(ledger)) return;
  const probe = draftOf(ledger);
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
    const erased = db
      .prepare("SELECT DISTINCT subject_person FROM people_audit WHERE what = 'person.erased'")
      .all()
      .map((each) => readText(each, 'subject_person'));
    return {
      entries: readNumber(found, 'entries'),
      credits: readNumber(found, 'credits'),
      generation: readNumber(row, 'generation'),
      erased,
    };
  } catch (error) {
    throwUnlessOfFile(error);
    return 'unreadable';
  } finally {
    db?.close();
  }
}

/** What it is restored from is its backup so far. */
async function beginAnew<T>(
  draft: string,
  { generation, atMs }: { readonly generation: number; readonly atMs: number },
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const db = new DatabaseSync(draft);
  try {
    db.exec('BEGIN');
    db.prepare('UPDATE identity SET generation = ?, backed_up_at = ?').run(generation, atMs);
    const result = await work({ all: async (text, values = []) => db.prepare(text).all(...values) });
    db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
    return result;
  } finally {
    db.close();
    sync(draft);
  }
}
