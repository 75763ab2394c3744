// The journals of the SQLite engine as a whole: following every chain, and retention. Read in the order of writing, which
// is each account's own order too, so that no index by account is needed.

import { setTimeout as pause } from 'node:timers/promises';
import { type ChainBreak, ChainReader } from '../chain.ts';
import {
  type BalanceCheck,
  type Contradiction,
  type JournalReport,
  type Journals,
  journalKinds,
  LedgerRefusal,
  LedgerUnavailable,
  type Trim,
  type TrimReport,
} from '../ledger.ts';
import { isCustomer } from '../public-sandbox.ts';
import { checkTrim, closeEntries, Prefix } from '../retention.ts';
import { isRefreshDue } from '../rules.ts';
import { type JournalRow, type KnownOfHome, Proofs } from './proofs.ts';
import { type Row, readNumber, readNumberOrNull, readText, readTextOrNull } from './rows.ts';
import { type AccountRow, readAccount, type Statements } from './statements.ts';
import type { SqliteStore } from './store.ts';

/** Entries read or replaced at once: some 20 ms of work. */
const portionEntries = 2_000;
/** How long a trim steps aside after each portion. */
const pauseMs = 20;

type Names = {
  readonly accounts: ReadonlyMap<number, AccountRow>;
  readonly keys: ReadonlyMap<number, string>;
  readonly endpoints: ReadonlyMap<number, string>;
};

/** What gives way, by account. */
type TrimPlan = { readonly names: Names; readonly prefixes: ReadonlyMap<number, Prefix> };

export class SqliteJournals implements Journals {
  readonly #store: SqliteStore;
  readonly #known: KnownOfHome;

  constructor(store: SqliteStore, known: KnownOfHome) {
    this.#store = store;
    this.#known = known;
  }

  async verify(atMs: number): Promise<JournalReport> {
    return this.#store.readSnapshot(() => verifyJournals(this.#store.statements, this.#known, atMs));
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

  /** Journals that do not hold are refused: a closing entry would hide where they break. */
  #planned(trim: Trim): Promise<TrimPlan> {
    return this.#store.readSnapshot(() => {
      const prefixes = new Map<number, Prefix>();
      let newestAtMs = Number.NEGATIVE_INFINITY;
      const followed = follow(
        this.#store.statements,
        this.#known,
        ({ account, entry: { seq, atMs, kind } }) => {
          newestAtMs = atMs;
          getOrMake(prefixes, account, () => new Prefix(trim)).take({ seq, atMs, kind });
        },
      );
      const { names, readers, contradictions } = followed;
      const [broken] = breaksOf(readers);
      if (broken !== undefined) {
        throw new LedgerRefusal(
          `The journal of ${broken.accountId} breaks at entry ${broken.seq}, so nothing is trimmed; see \`domesday check\`.`,
        );
      }
      const [contradicted] = contradictions;
      if (contradicted !== undefined) {
        const { subject, problem } = contradicted;
        throw new LedgerRefusal(
          `${subject} contradicts the journals (${problem}), so nothing is trimmed; see \`domesday check\`.`,
        );
      }
      if (newestAtMs > Number.NEGATIVE_INFINITY) checkTrim(trim, newestAtMs);
      return { names, prefixes: new Map([...prefixes].filter(([, { entries }]) => entries > 0)) };
    });
  }

  /** Within a transaction. */
  #trimPortion(
    after: number,
    { names, prefixes }: TrimPlan,
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
export function verifyJournals(statements: Statements, known: KnownOfHome, atMs: number): JournalReport {
  const { names, readers, contradictions } = follow(statements, known, () => undefined);
  const accounts = [...names.accounts.values()];
  return {
    customers: accounts.filter(isCustomer).length,
    journals: accounts.length,
    entries: sum(readers, 'entries'),
    unchained: sum(readers, 'unchained'),
    breaks: breaksOf(readers),
    contradictions,
    different: [...readers].flatMap(([number, reader]) => differenceOf(names.accounts.get(number), reader)),
    astray: accounts.flatMap((account) =>
      account.refreshAtMs !== null && atMs < account.refreshAtMs && isRefreshDue(account, atMs)
        ? [{ accountId: account.accountId, refreshAtMs: account.refreshAtMs }]
        : [],
    ),
    stepsBack: [...readers.values()].flatMap(({ accountId, stepBack }) =>
      stepBack === undefined ? [] : [{ accountId, ...stepBack }],
    ),
  };
}

type Followed = {
  readonly names: Names;
  readonly readers: ReadonlyMap<number, ChainReader>;
  readonly contradictions: readonly Contradiction[];
};

type AlsoTake = (row: JournalRow) => void;

function follow(statements: Statements, known: KnownOfHome, alsoTake: AlsoTake): Followed {
  try {
    return followAll(statements, known, alsoTake);
  } catch (error) {
    // A number that is too large, a word that is none, a plan that lacks its terms.
    const isOfARow =
      error instanceof TypeError || error instanceof RangeError || error instanceof LedgerRefusal;
    if (!isOfARow) throw error;
    throw new LedgerUnavailable(
      `The ledger has a row that no program wrote (${error.message}); stop the service and restore the ledger from a backup.`,
      { cause: error },
    );
  }
}

/** Every entry in the order of writing, each account's by a reader of its own. */
function followAll(statements: Statements, known: KnownOfHome, alsoTake: AlsoTake): Followed {
  const names = readNames(statements);
  const chain = statements.readChain.get();
  const unchainedTo = chain === undefined ? 0 : readNumber(chain, 'unchained_to');
  const readers = new Map<number, ChainReader>();
  const proofs = new Proofs({ statements, accounts: names.accounts, unchainedTo, known });
  for (const [number, { accountId }] of names.accounts) {
    readers.set(number, new ChainReader(accountId, unchainedTo));
  }
  for (let after: number | undefined = 0; after !== undefined; ) {
    const portion = readPortion(statements, after, names);
    for (const row of portion) {
      const unknownOwner = () => new ChainReader(row.entry.accountId, unchainedTo);
      const reader = getOrMake(readers, row.account, unknownOwner);
      reader.take(row.entry);
      if (reader.break === undefined) proofs.take(row);
      alsoTake(row);
    }
    after = portion.length < portionEntries ? undefined : portion.at(-1)?.entry.seq;
  }
  for (const [number, reader] of readers) reader.end(names.accounts.get(number)?.newestSeq ?? null);
  return { names, readers, contradictions: [...proofs.contradictions(readers)] };
}

function readPortion(statements: Statements, after: number, names: Names): readonly JournalRow[] {
  const rows = statements.readJournal.all(after, portionEntries);
  return rows.map((row) => readRow(JSON.parse(readText(row, 'entry')), names));
}

function readNames(statements: Statements): Names {
  const textsOf = (rows: readonly Row[]) =>
    new Map(rows.map((row) => [readNumber(row, 'number'), readText(row, 'text')]));
  const accounts = statements.listAccounts.all().map(readAccount);
  return {
    accounts: new Map(accounts.map((account) => [account.number, account])),
    keys: textsOf(statements.listKeyIds.all()),
    endpoints: textsOf(statements.listEndpoints.all()),
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

function readRow(row: Row, names: Names): JournalRow {
  const account = readNumber(row, 'account');
  const key = readNumberOrNull(row, 'key');
  const endpoint = readNumberOrNull(row, 'endpoint');
  const entries = readNumberOrNull(row, 'entries');
  return {
    account,
    key,
    endpoint,
    entry: {
      seq: readNumber(row, 'seq'),
      accountId: accountIdOf(names, account),
      previous: readNumberOrNull(row, 'previous'),
      atMs: readNumber(row, 'at'),
      kind: journalKinds[readNumber(row, 'kind')] ?? null,
      credits: readNumber(row, 'credits'),
      lasting: readNumber(row, 'lasting'),
      balanceAfter: readNumber(row, 'balance_after'),
      lastingAfter: readNumber(row, 'lasting_after'),
      chargeId: readTextOrNull(row, 'charge_id'),
      requestId: readTextOrNull(row, 'request_id'),
      keyId: key === null ? null : (names.keys.get(key) ?? `key number ${key}`),
      endpoint: endpoint === null ? null : (names.endpoints.get(endpoint) ?? `endpoint number ${endpoint}`),
      note: readTextOrNull(row, 'note'),
      hash: readTextOrNull(row, 'hash'),
      closing:
        entries === null
          ? null
          : { entries, firstAtMs: readNumber(row, 'first_at'), hash: readText(row, 'closing_hash') },
    },
  };
}

/** What is not there is named by its number, so that it is never taken for nothing. */
const accountIdOf = ({ accounts }: Names, number: number): string =>
  accounts.get(number)?.accountId ?? `account number ${number}`;

function breaksOf(readers: ReadonlyMap<number, ChainReader>): ChainBreak[] {
  return [...readers.values()].flatMap((reader) => (reader.break === undefined ? [] : [reader.break]));
}

/** None where the journal itself is broken: what it comes to is not known. */
function differenceOf(account: AccountRow | undefined, reader: ChainReader): BalanceCheck[] {
  if (account === undefined || reader.break !== undefined) return [];
  const { accountId, balance, lasting } = account;
  const { balance: journalSum, lasting: journalLastingSum } = reader;
  if (balance === journalSum && lasting === journalLastingSum) return [];
  return [{ accountId, kind: 'different', balance, journalSum, lasting, journalLastingSum }];
}

function sum<K extends string>(of: ReadonlyMap<number, Readonly<Record<K, number>>>, column: K): number {
  let total = 0;
  for (const each of of.values()) total += each[column];
  return total;
}

function getOrMake<T>(map: Map<number, T>, key: number, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
