// The mark of a ledger in a database that was moved elsewhere, or that is not wholly there yet.

import { type Mark, markedTables, markValues, movedText, readMark } from '../stored/relocation.ts';
import type { Ask } from './database.ts';

export async function readDatabaseMark(ask: Ask): Promise<Mark | undefined> {
  const [there] = await ask("SELECT to_regclass('domesday.relocation') IS NOT NULL AS is_there");
  if (there?.is_there !== true) return undefined;
  const [row] = await ask('SELECT state, place, at, token FROM domesday.relocation');
  return row && readMark(row);
}

const tables = [...markedTables, 'charge_ids'];

/** Within a transaction. Waits for whoever writes; nobody writes after it, whatever connection they still have. */
export async function markDatabase(ask: Ask, mark: Mark): Promise<void> {
  await ask(
    'CREATE TABLE domesday.relocation (state text NOT NULL, place text NOT NULL, at bigint NOT NULL, token text NOT NULL)',
  );
  await ask('INSERT INTO domesday.relocation VALUES ($1, $2, $3, $4)', markValues(mark));
  const trigger = (table: string) =>
    `CREATE TRIGGER moved BEFORE INSERT OR UPDATE OR DELETE ON domesday.${table}
      FOR EACH STATEMENT EXECUTE FUNCTION domesday.refuse('${movedText}')`;
  await ask(tables.map(trigger).join(';'));
}

/** Within a transaction. */
export async function liftDatabaseMark(ask: Ask): Promise<void> {
  await ask(tables.map((table) => `DROP TRIGGER moved ON domesday.${table}`).join(';'));
  await ask('DROP TABLE domesday.relocation');
}
