// The journals of the SQLite engine as a whole: following every chain, and retention. Read in the order of writing, which
// is each account's own order too, so that no index by account is needed.

import { setTimeout as pause } from 'node:timers/promises';
import { readNumber, readNumberOrNull, readText } from '../../storage/rows.ts';
import { LedgerRefusal } from '../ledger.ts';
import { closeEntries, type Prefix } from '../retention.ts';
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
} from '../stored/follow.ts';
import type { JournalRow } from '../stored/proofs.ts';
import { readAccount } from '../stored/records.ts';
import type { JournalReport, Journals, Trim, TrimReport } from '../told/journals.ts';
import { evidenceOf } from './evidence.ts';
import type { Statements } from './statements.ts';
import type { SqliteStore } from './store.ts';

/** Entries read or replaced at once: some 20 ms of work. */
const portionEntries = 2_000;
/** How long a trim steps aside after each portion. */
const pauseMs = 20;

type Planned = { readonly names: Names; readonly prefixes: ReadonlyMap<number, Prefix> };

export class SqliteJournals implements Journals {
  readonly #store: SqliteStore;

  constructor(store: SqliteStore) {
    this.#store = store;
  }

  async verify(atMs: number): Promise<JournalReport> {
    return this.#store.readSnapshot(() => verifyJournals(this.#store.statements, atMs));
  }

  async planTrim(trim: Trim): Promise<TrimReport> {
    const { prefixes } = await this.#planned(trim);
    return { accounts: prefixes.size, entries: sum(prefixes, 'entries') };
  }

  async trim(trim: Trim): Promise<TrimReport> {
    const plan = await this.#planned(trim);
    const { prefixes } = plan;
    let lastSeq = 0;
    for (const prefix of prefixes.values()) lastSeq = Math.max(lastSeq, prefix.lastSeq);
    let entries = 0;
    for (let after = 0; after < lastSeq; ) {
      const portion = await this.#store.writer.transact(() => this.#trimPortion(after, plan));
      entries += portion.entries;
      after = portion.lastSeq ?? lastSeq;
      await pause(pauseMs);
    }
    return { accounts: prefixes.size, entries };
  }

  #planned(trim: Trim): Promise<Planned> {
    return this.#store.readSnapshot(() => {
      const plan = new TrimPlan(trim);
      const followed = follow(this.#store.statements, (row) => plan.take(row));
      return { names: followed.names, prefixes: plan.prefixes(followed) };
    });
  }

  /** Within a transaction. */
  #trimPortion(
    after: number,
    { names, prefixes }: Planned,
  ): { readonly entries: number; readonly lastSeq: number | undefined } {
    const { statements } = this.#store;
    const byAccount = new Map<number, [JournalRow, ...JournalRow[]]>();
    let lastSeq: number | undefined;
    for (const row of readPortion(statements, after, names)) {
      lastSeq = row.entry.seq;
      const prefix = prefixes.get(row.account);
      if (prefix === undefined || lastSeq > prefix.lastSeq || row.entry.closing !== null) continue;
      const rows = byAccount.get(row.account);
      if (rows === undefined) byAccount.set(row.account, [row]);
      else rows.push(row);
    }
    let entries = 0;
    statements.setTrimming.run(1);
    for (const [number, rows] of byAccount) {
      closeRows(statements, number, rows);
      entries += rows.length;
    }
    statements.setTrimming.run(0);
    return { entries, lastSeq };
  }
}

/** Every chain, and every balance against it. Called within a snapshot, or on a file that nobody else has. */
export function verifyJournals(statements: Statements, atMs: number): JournalReport {
  return reportOf(
    follow(statements, () => undefined),
    atMs,
  );
}

type AlsoTake = (row: JournalRow) => void;

function follow(statements: Statements, alsoTake: AlsoTake): Followed {
  try {
    return followAll(statements, alsoTake);
  } catch (error) {
    throw asFollowError(error);
  }
}

/** Every entry in the order of writing, which is each account's own order too. */
function followAll(statements: Statements, alsoTake: AlsoTake): Followed {
  const names = readNames(statements);
  const follower = new JournalFollower(names, evidenceOf(statements));
  for (let after: number | undefined = 0; after !== undefined; ) {
    const portion = readPortion(statements, after, names);
    for (const row of portion) {
      follower.take(row);
      alsoTake(row);
    }
    after = portion.length < portionEntries ? undefined : portion.at(-1)?.entry.seq;
  }
  return follower.end();
}

function readPortion(statements: Statements, after: number, names: Names): readonly JournalRow[] {
  const rows = statements.readJournal.all(after, portionEntries);
  return rows.map((row) => readJournalRow(JSON.parse(readText(row, 'entry')), names));
}

function readNames(statements: Statements): Names {
  const accounts = statements.listAccounts.all().map(readAccount);
  return {
    accounts: new Map(accounts.map((account) => [account.number, account])),
    keys: namesOf(statements.listKeyIds.iterate()),
    endpoints: namesOf(statements.listEndpoints.iterate()),
  };
}

/** All of an account's entries of one portion, with the closing entry before them, become one closing entry. */
function closeRows(
  statements: Statements,
  number: number,
  rows: readonly [JournalRow, ...JournalRow[]],
): void {
  const [first, ...others] = rows;
  const { previous } = first.entry;
  const before = previous === null ? undefined : readClosing(statements, previous);
  if (previous !== null) {
    statements.deleteEntry.run(previous);
    statements.deleteClosing.run(previous);
  }
  for (const { entry } of rows) {
    statements.deleteEntry.run(entry.seq);
    statements.removeRepeat.run(entry.seq);
  }
  const closed = closeEntries(before, [first.entry, ...others.map(({ entry }) => entry)]);
  const { last, credits, lasting, note, entries, firstAtMs, hash } = closed;
  const { seq, atMs, balanceAfter, lastingAfter } = last;
  const sums = [credits, lasting, balanceAfter, lastingAfter];
  statements.insertClosingEntry.run(seq, number, atMs, ...sums, note, last.hash);
  statements.insertClosing.run(seq, entries, firstAtMs, hash);
}

function readClosing(statements: Statements, seq: number) {
  const row = statements.readEntry.get(seq);
  if (row === undefined || readNumberOrNull(row, 'entries') === null) throw changedMeanwhile();
  return {
    credits: readNumber(row, 'credits'),
    lasting: readNumber(row, 'lasting'),
    entries: readNumber(row, 'entries'),
    firstAtMs: readNumber(row, 'first_at'),
  };
}

const changedMeanwhile = () =>
  new LedgerRefusal('The journal was changed while it was trimmed; run `domesday check`, then trim again.');
