// Copies of a ledger: made under another name, proved, and only then given the one that they are for. What backups, restores
// and moves of every engine share, since the file of the embedded ledger is the form of them all.

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
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sayEarly } from '../../../before-release.ts';
import { readNumber, readNumberOrNull } from '../../../storage/rows.ts';
import { LedgerRefusal, LedgerUnavailable } from '../../ledger.ts';
import { eventLoop } from '../../pace.ts';
import { publicCaller } from '../../public-sandbox.ts';
import { sealFile } from '../../seal.ts';
import { verifyJournals } from '../../stored/journals.ts';
import type { JournalReport } from '../../told/journals.ts';
import { checkWhole, EarlyLedger } from '../file.ts';
import { BrokenReferences, fitnessOf, migrate } from '../migrate.ts';
import { migrations } from '../schema/migrations.ts';
import { countAllCharges } from '../statements.ts';
import { slicedSql, sqliteFile } from '../storage.ts';
import { readIdentity } from './identity.ts';
import { liftFileMark } from './mark.ts';

/** Where journals do not hold, or other rows contradict them: the file was changed by other hands. */
export type Unsound = Pick<JournalReport, 'breaks' | 'different' | 'contradictions'>;

export type Figures = {
  readonly entries: number;
  readonly accounts: number;
  /** Without that of the public sandbox key. */
  readonly customers: number;
  /** Up to which entry of any journal it goes; null where there is none. */
  readonly newest: { readonly entry: number; readonly atMs: number } | null;
};

export type Backup = {
  readonly file: string;
  /** null where the ledger is of an older version, which this program does not follow. */
  readonly unsound: Unsound | null;
  readonly bytes: number;
} & Figures;

export const draftOf = (file: string): string => `${file}.new-${randomUUID()}`;

/** Before anything is done for a backup. */
export function refuseExisting(file: string): void {
  if (existsSync(file)) throw new LedgerRefusal(`${file} already exists; name a new file.`);
}

/** A whole copy becomes the backup. A journal that breaks is no reason not to keep it. */
export async function placeBackup(draft: string, file: string, atMs: number): Promise<Backup> {
  sync(draft);
  checkWhole(draft, 'indexes');
  const figures = figuresOf(draft);
  const unsound = isOlder(draft) ? null : await unsoundIn(draft, atMs);
  place(draft, file);
  return { file, bytes: statSync(file).size, ...figures, unsound };
}

/** A backup as a draft of this program's version, with its log played in, proved whole. */
export function takeBackup(file: string, draft: string): void {
  if (!existsSync(file)) throw new LedgerRefusal(`There is no file ${file}; name the backup to restore.`);
  if (!statSync(file).isFile()) throw new LedgerRefusal(`${file} is not a file; name the backup to restore.`);
  copyWithLog(file, draft);
  prepareDraft(draft, file);
}

type Doubted = {
  readonly draft: string;
  readonly file: string;
  readonly brokenJournal: 'refuse' | 'take';
  readonly atMs: number;
};

/** What is wrong with what a backup says, where that is to be taken. */
export async function judgeBackup({ draft, file, brokenJournal, atMs }: Doubted): Promise<Unsound> {
  const unsound = await unsoundIn(draft, atMs);
  const [fault] = sayUnsound(unsound);
  if (fault === undefined || brokenJournal === 'take') return unsound;
  throw new LedgerRefusal(
    `${fault}, in ${file}; restore another backup, or give --broken-journal to take this one as it is. Nothing was changed.`,
  );
}

export const otherLedgerRefusal = (file: string, whose: string): LedgerRefusal =>
  new LedgerRefusal(
    `${file} is a backup of another ledger than the one ${whose}; give --other-ledger if you want that.`,
  );

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

async function unsoundIn(file: string, atMs: number): Promise<Unsound> {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const sql = slicedSql(db, eventLoop);
    const { breaks, different, contradictions } = await verifyJournals(sql, sqliteFile, atMs);
    return { breaks, different, contradictions };
  } finally {
    db.close();
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

function prepareDraft(draft: string, file: string): void {
  try {
    checkWhole(draft, 'indexes');
    const db = new DatabaseSync(draft);
    try {
      liftFileMark(db); // of a ledger that was moved: it is meant to go on
      migrate(db, migrations);
      if (readIdentity(db) === undefined) throw new LedgerUnavailable('It has no identity.');
      countAllCharges(db);
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      db.close();
    }
    checkWhole(draft, 'indexes');
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    if (error instanceof EarlyLedger) throw new LedgerRefusal(sayEarly(file));
    const why = error instanceof BrokenReferences ? `: ${error.what}` : '';
    const beside = existsSync(`${file}-wal`) ? ` (perhaps ${file}-wal does not belong to it)` : '';
    throw new LedgerRefusal(
      `${file} is not a sound backup of a Domesday ledger${beside}${why}; restore another. Nothing was changed.`,
      { cause: error },
    );
  }
}

/** Together in one folder, so that the log stays beside the file it belongs to. */
export function moveAside(ledger: string, atMs: number): string | null {
  const parts = ['', '-wal', '-shm'].filter((part) => existsSync(`${ledger}${part}`));
  const home = path.dirname(ledger);
  const seal = sealFile(home);
  if (parts.length === 0) return null;
  const stamp = new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const folder = path.join(home, `domesday-before-${stamp}-${randomUUID().slice(0, 8)}`);
  mkdirSync(folder, { mode: 0o700 });
  if (existsSync(seal)) copyFileSync(seal, path.join(folder, path.basename(seal)));
  for (const part of parts.toReversed()) {
    renameSync(`${ledger}${part}`, path.join(folder, `${path.basename(ledger)}${part}`));
  }
  return folder;
}

export function figuresOf(file: string): Figures {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const row = db
      .prepare(
        'SELECT (SELECT count(*) FROM journal) AS entries, (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM accounts WHERE id <> ?) AS customers, (SELECT max(seq) FROM journal) AS newest, (SELECT at FROM journal ORDER BY seq DESC LIMIT 1) AS newest_at',
      )
      .get(publicCaller.accountId);
    const newest = readNumberOrNull(row, 'newest');
    return {
      newest: newest === null ? null : { entry: newest, atMs: readNumber(row, 'newest_at') },
      entries: readNumber(row, 'entries'),
      accounts: readNumber(row, 'accounts'),
      customers: readNumber(row, 'customers'),
    };
  } finally {
    db.close();
  }
}

export function place(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch {
    if (existsSync(file)) throw new LedgerRefusal(`${file} already exists; name a new file.`);
    renameSync(draft, file); // a file system without hard links
  }
  if (process.platform !== 'win32') sync(path.dirname(file));
}

export function sync(file: string): void {
  const handle = openSync(file, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function removeDraft(draft: string): void {
  for (const leftover of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(leftover, { force: true });
}
