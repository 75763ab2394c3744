// Follows the journals of all accounts: every chain, every balance against it, and everything else that they prove. Each account's
// entries come in the order of writing.

import { type Row, readNumber, readNumberOrNull, readText, readTextOrNull } from '../../storage/rows.ts';
import { type ChainBreak, ChainReader } from '../chain.ts';
import { LedgerRefusal, LedgerUnavailable } from '../ledger.ts';
import { isCustomer } from '../public-sandbox.ts';
import { checkTrim, Prefix } from '../retention.ts';
import { isRefreshDue } from '../rules.ts';
import { journalKinds } from '../told/entries.ts';
import type { BalanceCheck, Contradiction, JournalReport, Trim } from '../told/journals.ts';
import { type Evidence, type JournalRow, Proofs } from './proofs.ts';
import type { AccountRow } from './records.ts';

/** What the numbers in the rows stand for. */
export type Names = {
  readonly accounts: ReadonlyMap<number, AccountRow>;
  readonly keys: ReadonlyMap<number, string>;
  readonly endpoints: ReadonlyMap<number, string>;
};

export class JournalFollower {
  readonly #names: Names;
  readonly #readers = new Map<number, ChainReader>();
  readonly #proofs: Proofs;

  constructor(names: Names, evidence: Evidence) {
    this.#names = names;
    const { accounts, endpoints } = names;
    this.#proofs = new Proofs({ evidence, accounts, endpoints });
    for (const [number, { accountId }] of names.accounts) {
      this.#readers.set(number, new ChainReader(accountId));
    }
  }

  take(row: JournalRow): void {
    const unknownOwner = () => new ChainReader(row.entry.accountId);
    const reader = getOrMake(this.#readers, row.account, unknownOwner);
    reader.take(row.entry);
    if (reader.break === undefined) this.#proofs.take(row);
  }

  /** After the last entry. */
  async end(): Promise<Followed> {
    const contradictions: Contradiction[] = [];
    for (const [number, reader] of this.#readers) {
      const account = this.#names.accounts.get(number);
      reader.end(account?.newestSeq ?? null);
      if (account === undefined || reader.break !== undefined || reader.hash === account.newestHash) continue;
      const problem = `the row of ${account.accountId} has another hash than its newest entry`;
      contradictions.push({ subject: 'ledger', problem });
    }
    for await (const each of this.#proofs.contradictions(this.#readers)) contradictions.push(each);
    return { names: this.#names, readers: this.#readers, contradictions };
  }
}

export type Followed = {
  readonly names: Names;
  readonly readers: ReadonlyMap<number, ChainReader>;
  readonly contradictions: readonly Contradiction[];
};

export function reportOf({ names, readers, contradictions }: Followed, atMs: number): JournalReport {
  const accounts = [...names.accounts.values()];
  return {
    customers: accounts.filter(isCustomer).length,
    journals: accounts.length,
    entries: sum(readers, 'entries'),
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

/** What gives way in a trim, by account. */
export class TrimPlan {
  readonly #trim: Trim;
  readonly #prefixes = new Map<number, Prefix>();
  #newest = { seq: 0, atMs: Number.NEGATIVE_INFINITY };

  constructor(trim: Trim) {
    this.#trim = trim;
  }

  take({ account, entry: { seq, atMs, kind } }: JournalRow): void {
    if (seq > this.#newest.seq) this.#newest = { seq, atMs };
    getOrMake(this.#prefixes, account, () => new Prefix(this.#trim)).take({ seq, atMs, kind });
  }

  /** Journals that do not hold are refused: a closing entry would hide where they break. */
  prefixes({ readers, contradictions }: Followed): ReadonlyMap<number, Prefix> {
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
    if (this.#newest.atMs > Number.NEGATIVE_INFINITY) checkTrim(this.#trim, this.#newest.atMs);
    for (const prefix of this.#prefixes.values()) prefix.leave(this.#newest.seq);
    return new Map([...this.#prefixes].filter(([, { entries }]) => entries > 0));
  }
}

/** A row that cannot be understood was written by no program. */
export function asFollowError(error: unknown): unknown {
  const fault = faultOfARow(error);
  if (fault === undefined) return error;
  return new LedgerUnavailable(
    `The ledger has a row that no program wrote (${fault.message}); stop the service and restore the ledger from a backup.`,
    { cause: error },
  );
}

/** A number that is too large, a word that is none, a plan that lacks its terms. What a client of a database meets while it reads
 *  an answer costs it the connection, and is the cause of that. */
function faultOfARow(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const isOfARow =
    error instanceof TypeError || error instanceof RangeError || error instanceof LedgerRefusal;
  return isOfARow ? error : faultOfARow(error.cause);
}

export function readJournalRow(row: Row, names: Names): JournalRow {
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

export const namesOf = (rows: Iterable<Row>): ReadonlyMap<number, string> =>
  new Map(Array.from(rows, (row) => [readNumber(row, 'number'), readText(row, 'text')]));

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

export function sum<K extends string>(
  of: ReadonlyMap<number, Readonly<Record<K, number>>>,
  column: K,
): number {
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
