// What moves, backups and restores share at the database's end.

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { LedgerMissing, LedgerRefusal, LedgerUnavailable, type Tell } from '../ledger.ts';
import { eventLoop } from '../pace.ts';
import { type Ask, Database } from '../postgres/database.ts';
import { fitnessOf } from '../postgres/migrate.ts';
import { explained } from '../postgres/open.ts';
import { migrations } from '../postgres/schema/migrations.ts';
import { resultOf } from '../sqlite/faults.ts';
import { asLedgerError } from '../sqlite/file.ts';

type Way = {
  readonly url: string;
  /** The file at the other end, if there is one. */
  readonly file?: string;
  readonly tell: Tell;
};

/** Faults of either end become one line for the operator. */
export async function withDatabase<T>(
  { url, file, tell }: Way,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = new Database(url, eventLoop, tell);
  try {
    return await work(database);
  } catch (error) {
    if (error instanceof LedgerRefusal || error instanceof LedgerUnavailable) throw error;
    if (file !== undefined && resultOf(error) !== undefined) throw asLedgerError(error, file);
    const told = explained(error);
    if (told.cause instanceof pg.DatabaseError) {
      throw new LedgerUnavailable(
        `The database refuses (${told.cause.message}); fix that, then run the same command again.`,
        { cause: error },
      );
    }
    throw told;
  } finally {
    await database.close();
  }
}

/** Within a transaction: where there is a ledger of this program's version. */
export async function requireLedger(ask: Ask): Promise<void> {
  const { kind } = await fitnessOf(ask, migrations);
  if (kind === 'fits') return;
  throw kind === 'no version'
    ? new LedgerMissing('The database has no ledger; correct the address.')
    : new LedgerRefusal(
        'The ledger in the database has another version than this program; use the Domesday that serves it, or start this one on it once.',
      );
}

export const servedRefusal = (then: string): LedgerRefusal =>
  new LedgerRefusal(`A service runs on the ledger in the database; stop every replica and ${then}.`);

/** Within a transaction: what is there is kept under another name, which it tells. */
export async function setAside(ask: Ask, atMs: number): Promise<string> {
  const stamp = new Date(atMs)
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, '')
    .toLowerCase();
  const name = `domesday_before_${stamp}_${randomUUID().slice(0, 8)}`;
  await ask(`ALTER SCHEMA domesday RENAME TO ${name}`);
  return name;
}
