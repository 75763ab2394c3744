// The one way to open records, for the service, the commands and the tests. Nothing is opened before the first question, and an
// engine that has failed is opened anew by the next.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Tell } from '../ledger/ledger.ts';
import { type Engine, EngineRecords, type Records, type Standing } from './records.ts';
import { FileEngine } from './sqlite/engine.ts';

type RecordsWish = {
  readonly home: string;
  /** Of the PostgreSQL that holds them; without one they are a file in the home. */
  readonly databaseUrl?: string | undefined;
  /** Hears what the operator should know. */
  readonly tell?: Tell;
};

export const recordsFile = (home: string): string => path.join(home, 'records.sqlite');

/** For `domesday check`: changes nothing, and rejects with RecordsUnavailable where they cannot be used. */
export async function examineRecords({ home, databaseUrl }: Omit<RecordsWish, 'tell'>): Promise<Standing> {
  if (databaseUrl !== undefined) return (await import('./postgres.ts')).examineDatabase(databaseUrl);
  if (!existsSync(recordsFile(home))) return { kind: 'absent' };
  return (await import('./sqlite/standing.ts')).examineFile(recordsFile(home));
}

export async function openRecords({
  home,
  databaseUrl,
  tell = () => undefined,
}: RecordsWish): Promise<Records> {
  const engine: Engine =
    databaseUrl === undefined
      ? new FileEngine(recordsFile(home), tell)
      : new (await import('./postgres.ts')).PostgresEngine(databaseUrl, tell);
  return new EngineRecords(engine);
}
