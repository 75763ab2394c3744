// A backup of the ledger in a database, and the way back from one. A backup is a file of the embedded ledger, whatever engine
// it is of, so that there is one form to keep, to check and to restore into either.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Row, readNumber, readText } from '../../storage/rows.ts';
import type { Tell } from '../ledger.ts';
import { type Ask, toReadAll, toReplace } from '../postgres/database.ts';
import { readDatabaseMark } from '../postgres/mark.ts';
import { fitnessOf, lockSchema, untilFree } from '../postgres/migrate.ts';
import { sqlOf } from '../postgres/portable.ts';
import { migrations } from '../postgres/schema/migrations.ts';
import { keepServicesOut } from '../postgres/serving.ts';
import { sealOf } from '../sqlite/file.ts';
import type { EraseAgain, Restored } from '../sqlite/keeping/backup.ts';
import {
  type Backup,
  draftOf,
  figuresOf,
  judgeBackup,
  otherLedgerRefusal,
  placeBackup,
  refuseExisting,
  removeDraft,
  takeBackup,
} from '../sqlite/keeping/copies.ts';
import { refuseMarkedDatabase } from '../stored/relocation.ts';
import { requireLedger, servedRefusal, setAside, withDatabase } from './at-database.ts';
import { fillDatabase, proveDatabase } from './into-database.ts';
import { fillFile } from './into-file.ts';

/** Beside any number of services: it sees one moment of them all. */
export async function backUpDatabase(url: string, file: string, atMs: number, tell: Tell): Promise<Backup> {
  refuseExisting(file);
  const draft = draftOf(file);
  try {
    return await withDatabase({ url, file, tell }, async (database) => {
      await requireLedger(database.ask.bind(database));
      await database.transact(async (ask) => {
        const mark = await readDatabaseMark(ask);
        if (mark !== undefined) throw refuseMarkedDatabase(mark);
        await fillFile(ask, draft);
      }, toReadAll);
      return await placeBackup(draft, file, atMs);
    });
  } finally {
    removeDraft(draft);
  }
}

type RestoreWish = {
  readonly url: string;
  readonly file: string;
  readonly otherLedger: 'refuse' | 'take';
  readonly brokenJournal: 'refuse' | 'take';
  readonly atMs: number;
  readonly tell: Tell;
  readonly eraseAgain: EraseAgain;
};

/** Not while a service runs. In one transaction; what was there is kept under another name, never deleted. */
export async function restoreDatabase(wish: RestoreWish): Promise<Restored> {
  const { url, file, brokenJournal, atMs, tell } = wish;
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-restore-'));
  const draft = path.join(folder, 'domesday.sqlite');
  try {
    takeBackup(file, draft);
    const unsound = await judgeBackup({ draft, file, brokenJournal, atMs });
    const db = new DatabaseSync(draft, { readOnly: true });
    try {
      const done = await withDatabase({ url, file, tell }, (database) =>
        untilFree(() => database.transact((ask) => replaceLedger(ask, db, draft, wish), toReplace)),
      );
      return { ...figuresOf(draft), ...done, unsound };
    } finally {
      db.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Replaced = Pick<Restored, 'generation' | 'movedTo' | 'before' | 'missing' | 'erasedAgain'>;

async function replaceLedger(
  ask: Ask,
  db: DatabaseSync,
  draft: string,
  { file, otherLedger, brokenJournal, atMs, eraseAgain }: RestoreWish,
): Promise<Replaced> {
  await lockSchema(ask);
  if ((await keepServicesOut(ask)) === 'served') throw servedRefusal('restore then');
  const backup = sealOf(draft);
  const old = await readBefore(ask);
  if (typeof old === 'object' && old.id !== backup.id && otherLedger === 'refuse') {
    throw otherLedgerRefusal(file, 'the database has');
  }
  if (old !== 'none') await endWriting(ask);
  const movedTo = old === 'none' ? null : await setAside(ask, atMs);
  await fillDatabase(ask, db);
  const generation =
    Math.max(backup.generation, typeof old === 'object' ? readNumber(old, 'generation') : 0) + 1;
  await ask('UPDATE domesday.identity SET generation = $1, backed_up_at = $2', [generation, atMs]);
  await proveDatabase(ask, db, { brokenJournal, atMs });
  if (typeof old === 'string' || movedTo === null)
    return { generation, movedTo, before: asSaid(old), missing: null, erasedAgain: 0 };
  const [missing] = await ask(missingEntries(movedTo));
  const erased = await ask(
    `SELECT DISTINCT subject_person FROM ${movedTo}.people_audit WHERE what = 'person.erased'`,
  );
  await ask('SET LOCAL search_path = domesday');
  const personIds = erased.map((row) => readText(row, 'subject_person'));
  return {
    generation,
    movedTo,
    before: 'compared',
    missing: { entries: readNumber(missing, 'entries'), credits: readNumber(missing, 'credits') },
    erasedAgain: await eraseAgain(sqlOf(ask), personIds),
  };
}

/** Waits for whoever writes, a command or a replica that lost its lock. Afterwards nobody does: whoever waited meanwhile would write into
 *  what is set aside, and is refused. */
async function endWriting(ask: Ask): Promise<void> {
  const found = await ask(`SELECT format('domesday.%I', relname) AS name FROM pg_class
    WHERE relnamespace = 'domesday'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    ORDER BY array_position(ARRAY['endpoints', 'accounts'], relname::text) NULLS LAST, oid`);
  const tables = found.map((row) => readText(row, 'name'));
  if (tables.length === 0) return;
  // Endpoints and accounts come first, as for most who write; whoever does not is in the way once, and all of it is done again.
  await ask(`LOCK TABLE ${tables.join(', ')} IN EXCLUSIVE MODE`);
  await ask(`CREATE FUNCTION domesday.refuse_writing() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'this ledger was set aside by a restore'; END $$`);
  const trigger = (table: string) => `CREATE TRIGGER set_aside BEFORE INSERT OR UPDATE OR DELETE ON ${table}
    FOR EACH STATEMENT EXECUTE FUNCTION domesday.refuse_writing()`;
  await ask(tables.map(trigger).join(';'));
}

const asSaid = (old: Row | 'none' | 'unreadable') => (old === 'none' ? old : 'unreadable');

/** Its identity, where it is a ledger that this program can read. */
async function readBefore(ask: Ask): Promise<Row | 'none' | 'unreadable'> {
  const [there] = await ask("SELECT to_regnamespace('domesday') IS NOT NULL AS is_there");
  if (there?.is_there !== true) return 'none';
  if ((await fitnessOf(ask, migrations)).kind !== 'fits') return 'unreadable';
  const [tables] = await ask(
    "SELECT to_regclass('domesday.journal') IS NOT NULL AND to_regclass('domesday.identity') IS NOT NULL AS are_there",
  );
  if (tables?.are_there !== true) return 'unreadable';
  const [identity] = await ask('SELECT id, generation FROM domesday.identity');
  return identity ?? 'unreadable';
}

const missingEntries = (before: string) => `SELECT count(*) AS entries,
  coalesce(sum(CASE WHEN kind = 2 THEN -credits ELSE 0 END), 0) AS credits
  FROM ${before}.journal AS old WHERE NOT EXISTS (SELECT FROM domesday.journal AS kept
    WHERE kept.seq = old.seq AND kept.account = old.account AND kept.at = old.at
      AND kept.charge_id IS NOT DISTINCT FROM old.charge_id)`;
