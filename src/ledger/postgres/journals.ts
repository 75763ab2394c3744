// The journals in the database as a whole: following every chain, and retention.

import { LedgerUnavailable } from '../ledger.ts';
import {
  asFollowError,
  type Followed,
  JournalFollower,
  namesOf,
  readJournalRow,
  reportOf,
  sum,
  TrimPlan,
} from '../stored/follow.ts';
import type { JournalRow } from '../stored/proofs.ts';
import { readAccount } from '../stored/records.ts';
import type { JournalReport, Journals, Trim, TrimReport } from '../told/journals.ts';
import { type Ask, asOutage, type Database, toReadAll } from './database.ts';
import { gatherEvidence } from './evidence.ts';
import { dropEmptyMonths, keepMonths } from './months.ts';
import { trimAccount } from './trim.ts';

/** Entries read at once. */
const portionEntries = 5_000;

export class PostgresJournals implements Journals {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async verify(atMs: number): Promise<JournalReport> {
    return reportOf(await this.#follow(() => undefined), atMs);
  }

  async planTrim(trim: Trim): Promise<TrimReport> {
    const { prefixes } = await this.#planned(trim);
    return { accounts: prefixes.size, entries: sum(prefixes, 'entries') };
  }

  async trim(trim: Trim): Promise<TrimReport> {
    const { prefixes, names } = await this.#planned(trim);
    try {
      for (const [account, { lastSeq }] of prefixes)
        await trimAccount(this.#database, names, account, lastSeq);
      await dropEmptyMonths(this.#database, trim.beforeMs);
    } catch (error) {
      throw asOutage(error);
    }
    return { accounts: prefixes.size, entries: sum(prefixes, 'entries') };
  }

  async #planned(trim: Trim) {
    const plan = new TrimPlan(trim);
    const followed = await this.#follow((row) => plan.take(row));
    return { names: followed.names, prefixes: plan.prefixes(followed) };
  }

  async #follow(alsoTake: (row: JournalRow) => void): Promise<Followed> {
    try {
      return await this.#database.transact((ask) => followAll(ask, alsoTake), toReadAll);
    } catch (error) {
      const told = asFollowError(error);
      throw told instanceof LedgerUnavailable ? told : asOutage(told);
    }
  }
}

/** Within a transaction. */
export async function verifyDatabase(ask: Ask, atMs: number): Promise<JournalReport> {
  try {
    return reportOf(await followAll(ask, () => undefined), atMs);
  } catch (error) {
    throw asFollowError(error);
  }
}

/** Account by account, each in the order of writing. */
async function followAll(ask: Ask, alsoTake: (row: JournalRow) => void): Promise<Followed> {
  await keepMonths(ask);
  const accountRows = await ask('SELECT * FROM domesday.accounts ORDER BY created_at, number');
  const accounts = accountRows.map(readAccount);
  const names = {
    accounts: new Map(accounts.map((account) => [account.number, account])),
    keys: namesOf(await ask('SELECT number, id AS text FROM domesday.keys')),
    endpoints: namesOf(await ask('SELECT number, path AS text FROM domesday.endpoints')),
  };
  const evidence = await gatherEvidence(ask, accountRows);
  const follower = new JournalFollower(names, evidence);
  let after: readonly [account: number, seq: number] = [0, 0];
  for (;;) {
    const rows = await ask(
      `SELECT * FROM domesday.entries WHERE (account, seq) > ($1, $2) ORDER BY account, seq LIMIT $3`,
      [...after, portionEntries],
    );
    for (const row of rows) {
      const read = readJournalRow(row, names);
      follower.take(read);
      alsoTake(read);
      after = [read.account, read.entry.seq];
    }
    if (rows.length < portionEntries) return follower.end();
  }
}
