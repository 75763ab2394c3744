// Moves a ledger between a home and a database. The copy is made and proved first, and marked as not to be used yet; then
// the source is marked as gone; then the copy's mark is lifted. At no moment can both be used, the source has everything
// until it is marked, and whoever was killed in between runs the same command again.

import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readNumber, readText } from '../../storage/rows.ts';
import { LedgerMissing, LedgerRefusal, type Tell } from '../ledger.ts';
import { nameOf } from '../postgres/address.ts';
import { type Ask, type Database, toReplace } from '../postgres/database.ts';
import { liftDatabaseMark, markDatabase, readDatabaseMark } from '../postgres/mark.ts';
import { fitnessOf, lockSchema } from '../postgres/migrate.ts';
import { migrations } from '../postgres/schema/migrations.ts';
import { keepServicesOut } from '../postgres/serving.ts';
import { readSeal, sealFile, writeSeal } from '../seal.ts';
import { existingFile } from '../sqlite/connection.ts';
import { openLedgerFile, sealOf } from '../sqlite/file.ts';
import { figuresOf, judgeBackup, moveAside, place, removeDraft, sync } from '../sqlite/keeping/copies.ts';
import { readIdentity } from '../sqlite/keeping/identity.ts';
import { liftFileMark, markFile, readFileMark } from '../sqlite/keeping/mark.ts';
import { countAllCharges } from '../sqlite/statements.ts';
import { type Mark, markedTables, refuseMarkedDatabase } from '../stored/relocation.ts';
import { requireLedger, servedRefusal, setAside, withDatabase } from './at-database.ts';
import { fillDatabase, proveDatabase } from './into-database.ts';
import { fillFile } from './into-file.ts';
import type { RowCounts } from './tables.ts';

/** A home whose lock the caller holds, with its ledger, or a database. */
export type FilePlace = { readonly kind: 'file'; readonly ledger: string };
export type DatabasePlace = { readonly kind: 'database'; readonly url: string };

export type Moved = {
  readonly entries: number;
  readonly accounts: number;
  readonly customers: number;
  /** `finished`: an earlier run had done all but the last step. */
  readonly how: 'moved' | 'finished';
  /** How many rows of each table both ends had; null where an earlier run compared them. */
  readonly tables: RowCounts | null;
  /** Where what the target had of this ledger from before is kept; null where it had nothing. */
  readonly aside: string | null;
};

type Wish = { readonly atMs: number; readonly tell: Tell };

export const placeName = (place: FilePlace | DatabasePlace): string =>
  place.kind === 'file' ? path.dirname(place.ledger) : nameOf(place.url);

export async function moveToDatabase(
  from: FilePlace,
  to: DatabasePlace,
  { atMs, tell }: Wish,
): Promise<Moved> {
  refuseDoubts(path.join(path.dirname(from.ledger), 'domesday.doubtful'));
  return withDatabase({ url: to.url, file: from.ledger, tell }, async (database) => {
    const gone = goneMark(from.ledger);
    const figures = () => figuresOf(from.ledger);
    if (gone !== undefined) {
      await finishInDatabase(database, gone);
      return { ...figures(), how: 'finished', tables: null, aside: null };
    }
    const { db } = openLedgerFile(from.ledger, { ifMissing: 'refuse', ifOlder: 'migrate', tell });
    try {
      db.exec('BEGIN IMMEDIATE'); // nobody changes it meanwhile
      countAllCharges(db);
      const token = randomUUID();
      const { aside, tables } = await database.transact(async (ask) => {
        const old = await clearDatabase(
          ask,
          readText(db.prepare('SELECT id FROM identity').get(), 'id'),
          atMs,
        );
        await fillDatabase(ask, db);
        await ask('UPDATE domesday.identity SET generation = generation + 1');
        const counts = await proveDatabase(ask, db, { brokenJournal: 'refuse', atMs });
        await markDatabase(ask, { state: 'arriving', place: placeName(from), atMs, token });
        return { aside: old, tables: counts };
      }, toReplace);
      markFile(db, { state: 'gone', place: placeName(to), atMs, token });
      db.exec('COMMIT');
      await database.transact(liftDatabaseMark);
      return { ...figures(), how: 'moved', tables, aside };
    } finally {
      if (db.isTransaction) db.exec('ROLLBACK');
      db.close();
    }
  });
}

export async function moveToFile(from: DatabasePlace, to: FilePlace, { atMs, tell }: Wish): Promise<Moved> {
  const home = path.dirname(to.ledger);
  refuseDoubts(path.join(home, 'postgres.doubtful'));
  const draft = `${to.ledger}.arriving`;
  removeDraft(draft); // of a run that was killed
  return withDatabase({ url: from.url, file: to.ledger, tell }, async (database) => {
    const ask: Ask = database.ask.bind(database);
    await requireLedger(ask);
    const gone = await readDatabaseMark(ask);
    if (gone?.state === 'arriving') throw refuseMarkedDatabase(gone);
    if (gone !== undefined) {
      finishInFile(to.ledger, gone);
      return { ...figuresOf(to.ledger), how: 'finished', tables: null, aside: null };
    }
    try {
      const token = randomUUID();
      const { aside, tables } = await database.transact(async (inside) => {
        await holdStill(inside);
        const [identity] = await inside('SELECT id FROM domesday.identity');
        const known = knownOfTarget(to.ledger, readText(identity, 'id'));
        const counts = await fillFile(inside, draft);
        await judgeBackup({ draft, file: nameOf(from.url), brokenJournal: 'refuse', atMs });
        prepareArrival(draft, known, { state: 'arriving', place: nameOf(from.url), atMs, token });
        const old = placeArrival(draft, to.ledger, atMs);
        await markDatabase(inside, { state: 'gone', place: placeName(to), atMs, token });
        return { aside: old, tables: counts };
      }, toReplace);
      arrive(to.ledger);
      return { ...figuresOf(to.ledger), how: 'moved', tables, aside };
    } finally {
      removeDraft(draft);
    }
  });
}

/** The ledger that was moved from `place` goes on there, as it was then. */
export async function undoMove(place: FilePlace | DatabasePlace, tell: Tell): Promise<Mark> {
  if (place.kind === 'file') {
    requireFile(place.ledger);
    const mark = requireGone(inspectMark(place.ledger), placeName(place));
    liftInFile(place.ledger);
    return mark;
  }
  return withDatabase({ url: place.url, tell }, (database) =>
    database.transact(async (ask) => {
      await requireLedger(ask);
      const mark = requireGone(await readDatabaseMark(ask), placeName(place));
      await liftDatabaseMark(ask);
      return mark;
    }),
  );
}

function requireGone(mark: Mark | undefined, place: string): Mark {
  if (mark?.state === 'gone') return mark;
  throw new LedgerRefusal(
    mark === undefined
      ? `The ledger of ${place} was not moved; there is nothing to undo.`
      : `The ledger of ${place} is an unfinished copy of the ledger of ${mark.place}, which is still good; move again.`,
  );
}

/** Charges that may stand or not are settled by a service, on the ledger where they were made. */
function refuseDoubts(file: string): void {
  if (!existsSync(file) || statSync(file).size === 0) return;
  throw new LedgerRefusal(
    `${file} names charges whose commit is in doubt; start the service on this ledger, stop it once it is ready, then move.`,
  );
}

function requireFile(ledger: string): void {
  if (existsSync(ledger)) return;
  throw new LedgerMissing(`${path.dirname(ledger)} has no ledger; name the right home.`);
}

const inspectMark = (ledger: string): Mark | undefined => {
  const db = new DatabaseSync(ledger, { readOnly: true });
  try {
    return readFileMark(db);
  } finally {
    db.close();
  }
};

/** Of a source that an earlier run has marked. */
function goneMark(ledger: string): Mark | undefined {
  requireFile(ledger);
  const mark = inspectMark(ledger);
  return mark?.state === 'gone' ? mark : undefined;
}

function liftInFile(ledger: string): void {
  const db = new DatabaseSync(existingFile(ledger));
  try {
    db.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
    liftFileMark(db);
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}

const goneElsewhere = ({ place }: Mark) =>
  new LedgerRefusal(`The ledger has already been moved to ${place}; name that one as FROM.`);

async function finishInDatabase(database: Database, { token, ...gone }: Mark): Promise<void> {
  await database.transact(async (ask) => {
    await lockSchema(ask);
    const arrived = await readDatabaseMark(ask);
    if (arrived?.state !== 'arriving' || arrived.token !== token) throw goneElsewhere({ token, ...gone });
    await liftDatabaseMark(ask);
  });
}

function finishInFile(ledger: string, gone: Mark): void {
  const arrived = existsSync(ledger) ? inspectMark(ledger) : undefined;
  if (arrived?.state !== 'arriving' || arrived.token !== gone.token) throw goneElsewhere(gone);
  arrive(ledger);
}

function arrive(ledger: string): void {
  liftInFile(ledger);
  // So that the next start knows it untouched.
  writeSeal(sealFile(path.dirname(ledger)), sealOf(ledger));
}

/** Within a transaction: from here to its end nobody writes. */
async function holdStill(ask: Ask): Promise<void> {
  await lockSchema(ask);
  if ((await keepServicesOut(ask)) === 'served') throw servedRefusal('move it then');
  const tables = markedTables.map((table) => `domesday.${table}`).join(', ');
  await ask(`LOCK TABLE ${tables} IN SHARE ROW EXCLUSIVE MODE`);
}

/** Within a transaction: makes room where there is nothing, a copy that was not finished, or what was left of this ledger when
 *  it was moved away. That is kept under another name, which is told. */
async function clearDatabase(ask: Ask, id: string, atMs: number): Promise<string | null> {
  await lockSchema(ask);
  if ((await keepServicesOut(ask)) === 'served') throw servedRefusal('move then');
  const [there] = await ask("SELECT to_regnamespace('domesday') IS NOT NULL AS is_there");
  if (there?.is_there !== true) return null;
  const { kind } = await fitnessOf(ask, migrations);
  const mark = kind === 'no version' ? undefined : await readDatabaseMark(ask);
  const [identity] = mark === undefined ? [] : await ask('SELECT id FROM domesday.identity');
  if (mark === undefined || identity?.id !== id) {
    throw new LedgerRefusal(
      'The database already has a ledger; name a database without one, or, if you no longer need that ledger, remove it first: DROP SCHEMA domesday CASCADE.',
    );
  }
  if (mark.state === 'arriving') {
    await ask('DROP SCHEMA domesday CASCADE');
    return null;
  }
  return setAside(ask, atMs);
}

/** What the home of the target has of this ledger: nothing, a copy that was not finished, or what was moved away from there.
 *  Tells the highest generation that it knows. */
function knownOfTarget(ledger: string, id: string): number {
  const seal = readSeal(sealFile(path.dirname(ledger)));
  const mark = existsSync(ledger) ? readTarget(ledger) : undefined;
  const isFree = mark === undefined ? !existsSync(ledger) : mark.id === id && mark.isMarked;
  if (!isFree || (seal !== 'absent' && seal.id !== id)) {
    throw new LedgerRefusal(
      `${path.dirname(ledger)} already has a ledger, or had another one; name a home that has none.`,
    );
  }
  return Math.max(mark?.generation ?? 0, seal === 'absent' ? 0 : seal.generation);
}

function readTarget(ledger: string) {
  const db = new DatabaseSync(ledger, { readOnly: true });
  try {
    return { ...readIdentity(db), isMarked: readFileMark(db) !== undefined };
  } finally {
    db.close();
  }
}

function prepareArrival(draft: string, knownGeneration: number, mark: Mark): void {
  const db = new DatabaseSync(draft);
  try {
    db.exec('BEGIN');
    const { generation } = db.prepare('SELECT generation FROM identity').get() ?? {};
    const next = Math.max(readNumber({ generation }, 'generation'), knownGeneration) + 1;
    db.prepare('UPDATE identity SET generation = ?').run(next);
    markFile(db, mark);
    db.exec('COMMIT');
  } finally {
    db.close();
  }
  sync(draft);
}

/** The seal first: a crash here leaves a home that asks for its ledger, and the next run of the move brings it. */
function placeArrival(draft: string, ledger: string, atMs: number): string | null {
  const home = path.dirname(ledger);
  const isUnfinished = existsSync(ledger) && inspectMark(ledger)?.state === 'arriving';
  if (isUnfinished) removeDraft(ledger);
  const aside = moveAside(ledger, atMs);
  writeSeal(sealFile(home), sealOf(draft));
  place(draft, ledger);
  removeDraft(draft); // it has its name
  return aside;
}
