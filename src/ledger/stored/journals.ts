// The journals as a whole: following every chain and what it proves, and retention. All in portions of some milliseconds of work, so
// that charges go on between them.

import { type Row, readNumber, readNumberOrNull, readTextOrNull } from '../../storage/rows.ts';
import type { Sql } from '../../storage/sql.ts';
import { dayMs } from '../../time.ts';
import { dayOf } from '../calendar.ts';
import { LedgerRefusal } from '../ledger.ts';
import { closeEntries, type Prefix } from '../retention.ts';
import { journalKinds } from '../told/entries.ts';
import type { JournalReport, Journals, Trim, TrimReport } from '../told/journals.ts';
import {
  asFollowError,
  type Followed,
  JournalFollower,
  type Names,
  namesOf,
  readJournalRow,
  reportOf,
  sum,
  TrimPlan,
} from './follow.ts';
import { readAccountRows } from './history.ts';
import type { Evidence, JournalRow } from './proofs.ts';
import { reversedBy } from './reversals.ts';
import type { FollowedEngine, LedgerStorage } from './storage.ts';

const portionRows = 100;
const portionDays = 31;
/** Entries replaced in one transaction. After each of them the chain holds. */
const portionTrimmed = 100;

export class StoredJournals implements Journals {
  readonly #storage: LedgerStorage;

  constructor(storage: LedgerStorage) {
    this.#storage = storage;
  }

  verify(atMs: number): Promise<JournalReport> {
    return this.#storage.snapshot((sql) => verifyJournals(sql, this.#storage, atMs));
  }

  async planTrim(trim: Trim): Promise<TrimReport> {
    const { prefixes } = await this.#planned(trim);
    return { accounts: prefixes.size, entries: sum(prefixes, 'entries') };
  }

  async trim(trim: Trim): Promise<TrimReport> {
    await this.#storage.flush();
    const plan = await this.#planned(trim);
    for (let place = plan.prefixes.size === 0 ? undefined : beginning; place !== undefined; ) {
      const from = place;
      place = await this.#storage.transaction((sql) => trimPortion(sql, this.#storage, plan, from), 'repeat');
    }
    await this.#storage.trimmed(trim.beforeMs);
    return { accounts: plan.prefixes.size, entries: sum(plan.prefixes, 'entries') };
  }

  #planned(trim: Trim): Promise<Planned> {
    return this.#storage.snapshot(async (sql) => {
      const plan = new TrimPlan(trim);
      const followed = await follow(sql, this.#storage, (row) => plan.take(row));
      return { names: followed.names, prefixes: plan.prefixes(followed) };
    });
  }
}

type Planned = { readonly names: Names; readonly prefixes: ReadonlyMap<number, Prefix> };

/** Every chain, and everything else against it, as of the moment that `sql` sees. */
export async function verifyJournals(sql: Sql, engine: FollowedEngine, atMs: number): Promise<JournalReport> {
  return reportOf(await follow(sql, engine, () => undefined), atMs);
}

async function follow(
  sql: Sql,
  engine: FollowedEngine,
  alsoTake: (row: JournalRow) => void,
): Promise<Followed> {
  try {
    return await followAll(sql, engine, alsoTake);
  } catch (error) {
    throw asFollowError(error);
  }
}

async function followAll(
  sql: Sql,
  engine: FollowedEngine,
  alsoTake: (row: JournalRow) => void,
): Promise<Followed> {
  const names = await readNames(sql);
  const follower = new JournalFollower(names, await gatherEvidence(sql, engine));
  const take = (row: Row) => {
    const read = readJournalRow(row, names);
    follower.take(read);
    alsoTake(read);
  };
  // What stands for entries that gave way comes before the entries that are left.
  for await (const portion of portions(sql, closingsText, ['account'])) portion.forEach(take);
  for (let place: Place | undefined = beginning; place !== undefined; ) {
    const rows: readonly Row[] = await readEntries(sql, engine, place, portionRows);
    rows.forEach(take);
    place = placeAfter(rows, portionRows);
  }
  return follower.end();
}

/** The last entry that was read. */
type Place = { readonly account: number; readonly seq: number };
const beginning: Place = { account: 0, seq: 0 };

const placeAfter = (rows: readonly Row[], most: number): Place | undefined => {
  const last = rows.at(-1);
  return last === undefined || rows.length < most
    ? undefined
    : { account: readNumber(last, 'account'), seq: readNumber(last, 'seq') };
};

const entryColumns = `seq, previous, account, at, kind, credits, lasting, balance_after, lasting_after, charge_id,
  coalesce(request_id, charge_id) AS request_id, key, endpoint, note, hash, NULL AS entries`;

const closingsText = `SELECT seq, NULL AS previous, account, at, ${journalKinds.indexOf('closing')} AS kind, credits, lasting, balance_after,
  lasting_after, NULL AS charge_id, NULL AS request_id, NULL AS key, NULL AS endpoint, note, hash, entries, first_at, closing_hash
  FROM closings`;

/** In an order that has each account's own order in it. */
function readEntries(
  sql: Sql,
  { journalOrder }: FollowedEngine,
  { account, seq }: Place,
  most: number,
): Promise<readonly Row[]> {
  return journalOrder === 'by entry'
    ? sql.all(`SELECT ${entryColumns} FROM journal WHERE seq > ? ORDER BY seq LIMIT ?`, [seq, most])
    : sql.all(
        `SELECT ${entryColumns} FROM journal WHERE (account, seq) > (?, ?) ORDER BY account, seq LIMIT ?`,
        [account, seq, most],
      );
}

async function readNames(sql: Sql): Promise<Names> {
  const accounts = await readAccountRows(sql);
  const keys: Row[] = [];
  for await (const portion of portions(sql, 'SELECT number, id AS text FROM keys', ['number']))
    keys.push(...portion);
  return {
    accounts: new Map(accounts.map((account) => [account.number, account])),
    keys: namesOf(keys),
    endpoints: namesOf(await sql.all('SELECT number, path AS text FROM endpoints')),
  };
}

/** By a key that is whole numbers, of whatever sign: other hands may have written them. */
async function* portions(sql: Sql, select: string, key: readonly string[]): AsyncGenerator<readonly Row[]> {
  const [columns, marks] = [key.join(', '), key.map(() => '?').join(', ')];
  const from = `SELECT * FROM (${select}) AS each_row`;
  const order = `ORDER BY ${columns} LIMIT ?`;
  let rows = await sql.all(`${from} ${order}`, [portionRows]);
  for (;;) {
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < portionRows) return;
    const after = key.map((column) => readNumber(last, column));
    rows = await sql.all(`${from} WHERE (${columns}) > (${marks}) ${order}`, [...after, portionRows]);
  }
}

const usageColumns = ['account', 'hour', 'key', 'endpoint', 'status'];

async function gatherEvidence(sql: Sql, engine: FollowedEngine): Promise<Evidence> {
  const keys: Row[] = [];
  const keyColumns = 'number, id, account, kind, hash, last_four, replaced_by, origins, paths, addresses';
  for await (const portion of portions(sql, `SELECT ${keyColumns} FROM keys`, ['number']))
    keys.push(...portion);
  const periods: Row[] = [];
  const periodsText = 'SELECT account, ends_at, allowance_given FROM periods';
  for await (const portion of portions(sql, periodsText, ['account', 'ends_at'])) periods.push(...portion);
  const reversals = await sql.all(
    `SELECT charge_id FROM journal WHERE kind <> ${journalKinds.indexOf('charge')} AND kind = ${journalKinds.indexOf('reversal')}`,
  );
  const reversed = reversals.flatMap((row) => readTextOrNull(row, 'charge_id') ?? []).map(reversedBy);
  return {
    keys,
    periods,
    reversed: new Set(reversed),
    counted: await engine.readCounted(sql),
    usage: () => portions(sql, `SELECT ${usageColumns.join(', ')}, calls, credits FROM usage`, usageColumns),
    repeats: () => portions(sql, repeatsText, ['entry']),
    faults: () => faultsIn(sql, engine),
  };
}

const repeatsText = `SELECT entry, repeats.account, repeats.at, repeats.key AS called, call, journal.account AS payer, journal.at AS paid_at,
  journal.key, journal.charge_id
  FROM repeats LEFT JOIN journal ON journal.account = repeats.account AND journal.seq = repeats.entry`;

async function* faultsIn(sql: Sql, engine: FollowedEngine): AsyncGenerator<string> {
  for (const table of ['keys', 'windows', 'periods', 'repeats']) {
    const [row] = await sql.all(
      `SELECT count(*) AS rows FROM ${table} WHERE account NOT IN (SELECT number FROM accounts)`,
    );
    if (readNumber(row, 'rows') > 0) yield `a row of ${table} refers to a missing row of accounts`;
  }
  if (await areDaysAstray(sql)) yield 'its usage by day does not match its usage by hour';
  const [identities] = await sql.all('SELECT count(*) AS rows FROM identity');
  if (readNumber(identities, 'rows') !== 1) yield 'its table identity was changed';
  const trimming = await sql.all('SELECT is_under_way FROM trimming');
  if (trimming.length !== 1 || trimming.some((row) => readNumber(row, 'is_under_way') !== 0)) {
    yield 'its table trimming was changed: anybody may be able to delete entries';
  }
  yield* await engine.faults(sql);
}

/** A month of an account at a time. */
async function areDaysAstray(sql: Sql): Promise<boolean> {
  for (const { number } of await readAccountRows(sql)) {
    const [ends] = await sql.all(
      `SELECT (SELECT min(hour) FROM usage WHERE account = ?) AS first_hour, (SELECT max(hour) FROM usage WHERE account = ?) AS last_hour,
        (SELECT min(day) FROM usage_days WHERE account = ?) AS first_day, (SELECT max(day) FROM usage_days WHERE account = ?) AS last_day`,
      [number, number, number, number],
    );
    const days = [
      ...['first_hour', 'last_hour'].map((column) => dayOf(readNumberOrNull(ends, column) ?? 0)),
      ...['first_day', 'last_day'].map((column) => readNumberOrNull(ends, column) ?? 0),
    ].filter((day) => day !== 0);
    for (let day = Math.min(...days); day <= Math.max(...days); day += portionDays) {
      const [found] = await sql.all(
        `SELECT count(*) AS days FROM (SELECT day FROM (
            SELECT hour / ${dayMs} AS day, key, endpoint, status, calls, credits FROM usage
              WHERE account = ? AND hour >= ? AND hour < ?
            UNION ALL SELECT day, key, endpoint, status, -calls, -credits FROM usage_days
              WHERE account = ? AND day >= ? AND day < ?) AS both_sides
          GROUP BY day, key, endpoint, status HAVING sum(calls) <> 0 OR sum(credits) <> 0) AS astray`,
        [number, day * dayMs, (day + portionDays) * dayMs, number, day, day + portionDays],
      );
      if (readNumber(found, 'days') > 0) return true;
    }
  }
  return false;
}

/** Tells the place after which the next portion begins. */
async function trimPortion(
  sql: Sql,
  engine: FollowedEngine,
  { names, prefixes }: Planned,
  from: Place,
): Promise<Place | undefined> {
  // By this row, trims wait for each other: two at once would each close what the other has closed.
  await sql.all('UPDATE trimming SET is_under_way = 1');
  const found = await readEntries(sql, engine, from, portionTrimmed);
  const rows = found
    .map((row) => readJournalRow(row, names))
    .filter(({ account, entry }) => entry.seq <= (prefixes.get(account)?.lastSeq ?? 0));
  for (const [account, [first, ...others]] of Map.groupBy(rows, (row) => row.account))
    if (first !== undefined) await closeRows(sql, account, [first, ...others]);
  await sql.all('UPDATE trimming SET is_under_way = 0');
  const next = placeAfter(found, portionTrimmed);
  if (next === undefined) return undefined;
  if (engine.journalOrder === 'by entry') {
    const last = Math.max(...[...prefixes.values()].map(({ lastSeq }) => lastSeq));
    return next.seq < last ? next : undefined;
  }
  // All that gives way of this account is gone.
  const isDone = next.seq >= (prefixes.get(next.account)?.lastSeq ?? 0);
  return isDone ? { account: next.account, seq: Number.MAX_SAFE_INTEGER } : next;
}

/** Entries of an account, with the closing entry before them, become one closing entry. */
async function closeRows(
  sql: Sql,
  account: number,
  rows: readonly [JournalRow, ...JournalRow[]],
): Promise<void> {
  const [{ entry: first }, ...others] = rows;
  const entries = [first, ...others.map(({ entry }) => entry)] as const;
  const [closing] = await sql.all(
    'DELETE FROM closings WHERE account = ? RETURNING seq, credits, lasting, entries, first_at',
    [account],
  );
  if ((closing === undefined ? null : readNumber(closing, 'seq')) !== first.previous)
    throw changedMeanwhile();
  const before = closing && {
    credits: readNumber(closing, 'credits'),
    lasting: readNumber(closing, 'lasting'),
    entries: readNumber(closing, 'entries'),
    firstAtMs: readNumber(closing, 'first_at'),
  };
  const { last, credits, lasting, note, entries: count, firstAtMs, hash } = closeEntries(before, entries);
  const seqs = entries.map(({ seq }) => seq);
  const times = entries.map(({ atMs }) => atMs);
  const marks = seqs.map(() => '?').join(', ');
  await sql.all(`DELETE FROM journal WHERE account = ? AND at >= ? AND at <= ? AND seq IN (${marks})`, [
    account,
    Math.min(...times),
    Math.max(...times),
    ...seqs,
  ]);
  await sql.all(`DELETE FROM repeats WHERE account = ? AND entry IN (${marks})`, [account, ...seqs]);
  await sql.all(
    `INSERT INTO closings (seq, account, at, credits, lasting, balance_after, lasting_after, note, hash, entries, first_at,
        closing_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      last.seq,
      account,
      last.atMs,
      credits,
      lasting,
      last.balanceAfter,
      last.lastingAfter,
      note,
      last.hash,
      count,
      firstAtMs,
      hash,
    ],
  );
}

const changedMeanwhile = () =>
  new LedgerRefusal('The journal was changed while it was trimmed; run `domesday check`, then trim again.');
