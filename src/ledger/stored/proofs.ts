// What the journals prove about every other table, whatever the engine: rows of accounts, keys, periods, usage and repeats that
// contradict them, or that refer to nothing, were changed by other hands.

import { type Row, readNumber, readNumberOrNull, readText, readTextOrNull } from '../../storage/rows.ts';
import { isAsBound } from '../binding.ts';
import { hourStart } from '../calendar.ts';
import type { ChainReader, StoredEntry } from '../chain.ts';
import { keyKinds } from '../ledger.ts';
import { sayPlan } from '../plans.ts';
import { isCustomer, publicAccount, publicCaller, publicKeyHash } from '../public-sandbox.ts';
import { type LeftPeriod, Replay } from '../replay.ts';
import type { Contradiction } from '../told/journals.ts';
import type { AccountRow } from './records.ts';

/** An entry and what belongs to the engine. */
export type JournalRow = {
  readonly account: number;
  readonly key: number | null;
  readonly endpoint: number | null;
  readonly entry: StoredEntry;
};

type KeyRow = {
  readonly keyId: string;
  readonly account: number;
  readonly kind: string;
  readonly hash: string;
  readonly lastFour: string;
  readonly replacedBy: number | null;
  readonly origins: string | null;
  readonly paths: string | null;
  readonly addresses: string | null;
};

/** What the charges of one row of the usage come to. */
type UsageCell = { readonly account: number; calls: number; credits: number };

/** Rows of the same moment as the journals. */
export type Evidence = {
  /** number, id, account, kind, hash, last_four, replaced_by, origins, paths, addresses */
  readonly keys: readonly Row[];
  /** account, ends_at, allowance_given */
  readonly periods: readonly Row[];
  /** Ids of charges that were given back. */
  readonly reversed: ReadonlySet<string>;
  /** Charges up to this entry are in the usage. */
  readonly counted: number;
  /** account, hour, key, endpoint, status, calls, credits */
  readonly usage: () => AsyncIterable<readonly Row[]>;
  /** entry, account, at, called, call; of its entry: payer, paid_at, key, charge_id */
  readonly repeats: () => AsyncIterable<readonly Row[]>;
  /** What is wrong with the tables themselves: rows that refer to nothing, and what an engine keeps beside them. */
  readonly faults: () => AsyncIterable<string>;
};

type ProofParts = {
  readonly evidence: Evidence;
  readonly accounts: ReadonlyMap<number, AccountRow>;
  readonly endpoints: ReadonlyMap<number, string>;
};

const ledger = 'ledger';
const digestForm = /^[\w-]{22}$/;
const hashForm = /^[0-9a-f]{64}$/;

export class Proofs {
  readonly #evidence: Evidence;
  readonly #accounts: ReadonlyMap<number, AccountRow>;
  readonly #keys: ReadonlyMap<number, KeyRow>;
  readonly #replays: ReadonlyMap<number, Replay>;
  readonly #endpoints: ProofParts['endpoints'];
  readonly #cells = new Map<string, UsageCell>();
  /** Accounts that each key has charged or was counted for, as far as they are not its own. */
  readonly #strangers = new Map<number, number>();
  readonly #chargedTestKeys = new Set<number>();
  #usageOfNone = false;

  constructor({ evidence, accounts, endpoints }: ProofParts) {
    this.#evidence = evidence;
    this.#accounts = accounts;
    this.#endpoints = endpoints;
    this.#keys = new Map(evidence.keys.map((row) => [readNumber(row, 'number'), readKeyRow(row)]));
    const left = readLeft(evidence.periods);
    this.#replays = new Map(
      [...accounts].map(([number, row]) => [number, new Replay({ ...row, left: left.get(number) ?? [] })]),
    );
  }

  /** Of a journal that holds so far. */
  take({ account, key, endpoint, entry }: JournalRow): void {
    this.#replays.get(account)?.take(entry);
    if (key === null) return;
    this.#noteKey(key, account);
    if (this.#keys.get(key)?.kind === 'test') this.#chargedTestKeys.add(key);
    const isReversed = entry.chargeId !== null && this.#evidence.reversed.has(entry.chargeId);
    const calls = Number(entry.seq <= this.#evidence.counted) - Number(isReversed);
    if (calls === 0) return;
    this.#count(
      cellOf(account, hourStart(entry.atMs), key, endpoint),
      account,
      calls,
      calls * -entry.credits,
    );
  }

  async *contradictions(readers: ReadonlyMap<number, ChainReader>): AsyncGenerator<Contradiction> {
    for (const [number, replay] of this.#replays) {
      if (readers.get(number)?.break !== undefined) continue;
      for (const problem of replay.contradictions()) yield { subject: this.#idOf(number), problem };
    }
    yield* this.#publicAccount();
    yield* this.#usage(readers);
    yield* this.#repeats();
    yield* this.#keyContradictions();
    for await (const problem of this.#evidence.faults()) yield { subject: ledger, problem };
  }

  /** It is made by the program and stays as it is, so that no journal is needed to know it. */
  *#publicAccount(): Generator<Contradiction> {
    const made = sayPlan(publicAccount.plan, publicAccount.terms);
    for (const row of this.#accounts.values()) {
      const { accountId: subject, closedAtMs, suspended, periodEndsAtMs, allowanceGiven } = row;
      if (isCustomer(row)) continue;
      const isAsMade = sayPlan(row.plan, row.terms) === made && row.anchorAtMs === row.createdAtMs;
      const isOpen = closedAtMs === null && suspended === null;
      if (isAsMade && isOpen && periodEndsAtMs === null && allowanceGiven === 0) continue;
      yield { subject, problem: 'the account of the public sandbox key was changed' };
    }
  }

  #count(cell: string, account: number, calls: number, credits: number): void {
    const known = this.#cells.get(cell);
    if (known === undefined) this.#cells.set(cell, { account, calls, credits });
    else {
      known.calls += calls;
      known.credits += credits;
    }
  }

  #noteKey(key: number, account: number): void {
    if (this.#keys.get(key)?.account !== account) this.#strangers.set(key, account);
  }

  /** Credits of the usage are written with their charges, so they are the same. Calls that cost nothing are only there. */
  async *#usage(readers: ReadonlyMap<number, ChainReader>): AsyncGenerator<Contradiction> {
    for await (const portion of this.#evidence.usage()) {
      for (const row of portion) yield* this.#usageRow(row, readers);
    }
    if (this.#usageOfNone)
      yield { subject: ledger, problem: 'a row of usage refers to a missing account, key or endpoint' };
    for (const { account, calls, credits } of this.#cells.values()) {
      if (readers.get(account)?.break !== undefined || (calls === 0 && credits === 0)) continue;
      yield { subject: this.#idOf(account), problem: `${calls} of its charges are not in its usage` };
    }
  }

  *#usageRow(row: Row, readers: ReadonlyMap<number, ChainReader>): Generator<Contradiction> {
    const [account, hour, key] = [
      readNumber(row, 'account'),
      readNumber(row, 'hour'),
      readNumber(row, 'key'),
    ];
    const [status, calls, credits] = [
      readNumber(row, 'status'),
      readNumber(row, 'calls'),
      readNumber(row, 'credits'),
    ];
    const endpoint = readNumber(row, 'endpoint');
    if (!this.#accounts.has(account) || !this.#keys.has(key) || !this.#endpoints.has(endpoint))
      this.#usageOfNone = true;
    this.#noteKey(key, account);
    const cell = cellOf(account, hour, key, endpoint);
    const charged = status === 200 ? this.#cells.get(cell) : undefined;
    if (status === 200) this.#cells.delete(cell);
    const reader = readers.get(account);
    if (reader?.break !== undefined) return;
    const isWhole = reader !== undefined && reader.closings === 0;
    const isRight =
      hour === hourStart(hour) &&
      calls >= (charged?.calls ?? 0) &&
      (isWhole || status !== 200 ? credits === (charged?.credits ?? 0) : credits >= (charged?.credits ?? 0));
    if (!isRight)
      yield {
        subject: this.#idOf(account),
        problem: `its usage ${sayHour(hour)} does not match its charges`,
      };
  }

  async *#repeats(): AsyncGenerator<Contradiction> {
    for await (const portion of this.#evidence.repeats()) {
      for (const row of portion) {
        const problem = this.#problemOfRepeat(row);
        if (problem === undefined) continue;
        const subject = this.#idOf(readNumber(row, 'account'));
        yield {
          subject,
          problem: `its memory of the call charged by entry ${readNumber(row, 'entry')} ${problem}`,
        };
      }
    }
  }

  #problemOfRepeat(row: Row): string | undefined {
    const account = readNumber(row, 'account');
    const payer = readNumberOrNull(row, 'payer');
    if (payer === null) return 'names an entry that does not exist';
    const chargeId = readTextOrNull(row, 'charge_id');
    if (payer !== account || chargeId === null || readNumberOrNull(row, 'key') === null) {
      return 'names no charge of this account';
    }
    if (readNumber(row, 'paid_at') !== readNumber(row, 'at')) return 'has another time';
    if (this.#evidence.reversed.has(chargeId)) return 'was given back';
    const isDigested = digestForm.test(readText(row, 'called')) && digestForm.test(readText(row, 'call'));
    return isDigested ? undefined : 'is not a digest';
  }

  *#keyContradictions(): Generator<Contradiction> {
    for (const [number, key] of this.#keys) {
      const { keyId, account, kind, hash, lastFour, replacedBy } = key;
      const subject = keyId;
      const stranger = this.#strangers.get(number);
      if (stranger !== undefined) {
        yield {
          subject,
          problem: `it is a key of ${this.#idOf(account)} and was used by ${this.#idOf(stranger)}`,
        };
      }
      if (this.#chargedTestKeys.has(number)) yield { subject, problem: 'it is a test key and was charged' };
      const known = keyKinds.find((each) => each === kind);
      const isFormed = known !== undefined && hashForm.test(hash) && lastFour.length === 4;
      if (!isFormed) yield { subject, problem: 'its kind, hash or last four characters are not valid' };
      else if (!isAsBound(known, key)) {
        yield { subject, problem: 'no key of its kind can have its origins, endpoints or addresses' };
      }
      const newer = replacedBy === null ? undefined : this.#keys.get(replacedBy);
      if (replacedBy !== null && newer === undefined)
        yield { subject, problem: `it was replaced by key number ${replacedBy}, which does not exist` };
      if (newer !== undefined && (replacedBy === number || !isAlike(key, newer))) {
        yield {
          subject,
          problem: `it was replaced by ${newer.keyId}, which is not another key of the same account, kind and origins`,
        };
      }
      const isPublic = keyId === publicCaller.keyId;
      if (
        isPublic === isCustomer({ accountId: this.#idOf(account) }) ||
        isPublic !== (hash === publicKeyHash) ||
        (isPublic && kind !== publicCaller.mode)
      ) {
        yield { subject, problem: 'it is the public sandbox key or passes for it, and was changed' };
      }
    }
    for (const key of this.#strangers.keys()) {
      if (!this.#keys.has(key))
        yield { subject: `key number ${key}`, problem: 'it was used but does not exist' };
    }
  }

  #idOf(account: number): string {
    return this.#accounts.get(account)?.accountId ?? `account number ${account}`;
  }
}

/** As a rotation makes the new key. Endpoints and addresses of either may have been changed since. */
const isAlike = (old: KeyRow, newer: KeyRow): boolean =>
  newer.account === old.account && newer.kind === old.kind && newer.origins === old.origins;

const cellOf = (account: number, hour: number, key: number | null, endpoint: number | null): string =>
  `${account} ${hour} ${key} ${endpoint}`;

const sayHour = (hour: number): string => {
  const date = new Date(hour);
  return Number.isNaN(date.getTime()) ? `at ${hour}` : `from ${date.toISOString()}`;
};

function readKeyRow(row: Row): KeyRow {
  return {
    keyId: readText(row, 'id'),
    account: readNumber(row, 'account'),
    kind: readText(row, 'kind'),
    hash: readText(row, 'hash'),
    lastFour: readText(row, 'last_four'),
    replacedBy: readNumberOrNull(row, 'replaced_by'),
    origins: readTextOrNull(row, 'origins'),
    paths: readTextOrNull(row, 'paths'),
    addresses: readTextOrNull(row, 'addresses'),
  };
}

function readLeft(rows: Iterable<Row>): ReadonlyMap<number, readonly LeftPeriod[]> {
  return new Map(
    [...Map.groupBy(rows, (row) => readNumber(row, 'account'))].map(([account, of]) => [
      account,
      of.map((row) => ({
        endsAtMs: readNumber(row, 'ends_at'),
        allowanceGiven: readNumber(row, 'allowance_given'),
      })),
    ]),
  );
}
