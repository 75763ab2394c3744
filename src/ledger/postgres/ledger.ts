// The serving half of the PostgreSQL engine. Everything asked in one turn of the event loop is one round trip and is decided
// in the database, so that any number of replicas count and charge together.

import type { Metrics } from '../../metrics/metrics.ts';
import { type Row, readNumber, readText } from '../../storage/rows.ts';
import { ChargeQueue } from '../charges.ts';
import {
  type Admission,
  type Call,
  type Caller,
  type Charge,
  type Charged,
  type ChargeResult,
  type Ledger,
  LedgerRefusal,
  ledgerClosed,
  type Recollection,
  type Repeatable,
  type Tell,
  type Visitor,
  type WindowUse,
} from '../ledger.ts';
import { isWorthTheWay, type Pace, whileTurnsBring } from '../pace.ts';
import { Visitors } from '../public-sandbox.ts';
import { recollect, rememberedBetween } from '../repeats.ts';
import { CommitTimes } from '../stored/commit-times.ts';
import { readAccountRow } from '../stored/history.ts';
import { refreshAccount } from '../stored/posting.ts';
import { isStorable, type LedgerStorage } from '../stored/storage.ts';
import { GuestShares } from '../visitors/guests.ts';
import { RememberedKeys } from '../visitors/remembered-keys.ts';
import {
  type Asked,
  admitAll,
  admitValues,
  beyondShare,
  type Group,
  groupsOf,
  isDue,
  judgeOf,
  pageKeyText,
  type Refreshed,
  unknown,
} from './admissions.ts';
import type { Charging, Numbers } from './charging.ts';
import { asOutage, type Database, type Frequent, frequent, isSilent, outcomeOf } from './database.ts';
import type { Months } from './months.ts';
import type { Serving } from './serving.ts';
import type { UsageCounts } from './usage-counts.ts';

/** How long an answer of `ready` holds. */
const readyEveryMs = 1_000;
const batchMost = 512;

type Parts = {
  readonly database: Database;
  /** Connections of their own, so that pages and charges never wait for each other. */
  readonly people: Database;
  readonly storage: LedgerStorage;
  readonly tell: Tell;
  readonly charging: Charging;
  readonly numbers: Numbers;
  readonly usage: UsageCounts;
  readonly months: Months;
  readonly serving: Serving;
  readonly pace: Pace;
  readonly patienceMs: number;
  readonly metrics: Metrics;
};

type FoundKey = { readonly row: Row | undefined };
type Recalled = { readonly caller: Caller; readonly repeatable: Repeatable; readonly atMs: number };

export class PostgresLedger implements Ledger {
  readonly #parts: Parts;
  readonly #charges: ChargeQueue;
  readonly #admissions: TurnBatch<Asked, Admission>;
  readonly #recollections: TurnBatch<Recalled, Recollection>;
  readonly #refreshes: Refreshes;
  readonly #visitors = new Visitors();
  readonly #guests = new GuestShares();
  readonly #pageKeys: RememberedKeys<Row>;
  #state: 'open' | 'closed' = 'open';
  #readiness: { readonly atMs: number; readonly losses: number; readonly told: Promise<void> } | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { pace, patienceMs, charging, metrics } = parts;
    const times = new CommitTimes(metrics, pace);
    this.#charges = new ChargeQueue(pace, metrics, {
      patienceMs,
      faultOf: (charge) => this.#faultOf(charge),
      writes: 'elsewhere',
      write: (charges, askedMs) => times.during(() => charging.write(charges, askedMs)),
    });
    this.#refreshes = new Refreshes(parts);
    this.#admissions = new TurnBatch(pace, batchMost, (asked) => this.#admitAll(asked));
    this.#recollections = new TurnBatch(pace, batchMost, (asked) => this.#recallAll(asked));
    const pageKeys = new TurnBatch<string, FoundKey>(pace, batchMost, (hashes) => this.#findPageKeys(hashes));
    this.#pageKeys = new RememberedKeys(async (keyHash) => (await pageKeys.add(keyHash)).row);
  }

  async admit(keyHash: string, atMs: number): Promise<Admission> {
    if (this.#state === 'closed') throw ledgerClosed();
    return this.#admissions.add({ keyHash, atMs });
  }

  admitVisitor(visitor: Visitor, atMs: number): Admission {
    return this.#visitors.admit(visitor, atMs);
  }

  visitorWindows(visitor: Visitor, atMs: number): readonly WindowUse[] {
    return this.#visitors.windowsOf(visitor, atMs);
  }

  /** The share comes before the count, which is the database's: so whose key it is must be known before. */
  async admitPage(keyHash: string, host: string, atMs: number): Promise<Admission> {
    if (this.#state === 'closed') throw ledgerClosed();
    const row = await this.#pageKeys.find(keyHash, atMs);
    if (row === undefined) return unknown;
    return beyondShare(row, this.#guests, { host, atMs }) ?? this.admit(keyHash, atMs);
  }

  async recall(caller: Caller, repeatable: Repeatable, atMs: number): Promise<Recollection> {
    if (this.#state === 'closed') throw ledgerClosed();
    return this.#recollections.add({ caller, repeatable, atMs });
  }

  charge(charge: Charge): Promise<ChargeResult> {
    return this.#charges.add(charge);
  }

  chargeTogether(charges: readonly Charge[]): Promise<readonly Charged[]> {
    return this.#charges.addTogether(charges);
  }

  #faultOf(charge: Charge): Error | undefined {
    if (this.#state === 'closed') return ledgerClosed();
    const { chargeId, requestId, endpoint, caller } = charge;
    return [chargeId, requestId, endpoint, caller.keyId, caller.accountId].every(isStorable)
      ? undefined
      : new LedgerRefusal('A charge with the character NUL cannot be stored.');
  }

  record(call: Call & { readonly status: number }): void {
    if (this.#state === 'closed' || !isStorable(call.endpoint) || !isStorable(call.caller.keyId)) return;
    this.#parts.usage.add(call, call.status);
  }

  /** Each look forces a commit, so that anybody who asks often would slow charging down. After a loss, an earlier one says
   *  nothing. */
  ready(): Promise<void> {
    if (this.#state === 'closed') return Promise.reject(ledgerClosed());
    const { pace, database } = this.#parts;
    const atMs = pace.elapsedMs();
    const { losses } = database;
    const last = this.#readiness;
    if (last !== undefined && last.losses === losses && atMs - last.atMs < readyEveryMs) return last.told;
    const told = this.#prove();
    this.#readiness = { atMs, losses, told };
    return told;
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#parts.months.stop();
    this.#parts.serving.stop();
    await this.#charges.settle();
    try {
      await this.#parts.usage.close();
    } finally {
      await this.#parts.people.close();
      await this.#parts.database.close();
    }
  }

  async #prove(): Promise<void> {
    try {
      await this.#parts.database.ask('UPDATE domesday.identity SET pulse = pulse + 1');
    } catch (error) {
      throw asOutage(error);
    }
  }

  /** Refused calls count too, so that repeating them at once gains nothing. An account whose row cannot be judged or refreshed
   *  is refused by itself. */
  async #admitAll(asked: readonly Asked[]): Promise<readonly (Admission | Promise<Admission>)[]> {
    const groups = groupsOf(asked);
    const rows = await this.#askTwice(admitAll, admitValues(groups));
    const rowOf = new Map(rows.map((row) => [readNumber(row, 'place'), row]));
    const admissions = new Map<Asked, Promise<Admission>>();
    for (const [index, group] of groups.entries()) {
      const row = rowOf.get(index + 1);
      if (row === undefined) continue;
      const judging = this.#judge(row, group);
      for (const [order, each] of group.asked.entries()) {
        admissions.set(
          each,
          judging.then((judge) => judge(order, each.atMs)),
        );
      }
    }
    return asked.map((each) => admissions.get(each) ?? unknown);
  }

  /** After a refresh, where one was due. */
  async #judge(row: Row, group: Group): Promise<ReturnType<typeof judgeOf>> {
    this.#parts.numbers.learn(row);
    const refreshed = isDue(row, group)
      ? await this.#refreshes.of(readText(row, 'account_id'), group.lastMs)
      : undefined;
    return judgeOf(row, group, refreshed);
  }

  async #findPageKeys(hashes: readonly string[]): Promise<readonly FoundKey[]> {
    const rows = await this.#askTwice(pageKeyText, [hashes]);
    const rowOf = new Map(rows.map((row) => [readText(row, 'hash'), row]));
    return hashes.map((hash) => ({ row: rowOf.get(hash) }));
  }

  async #recallAll(asked: readonly Recalled[]): Promise<readonly Recollection[]> {
    const remembered = asked.map(({ atMs }) => rememberedBetween(atMs));
    const rows = await this.#askTwice(recallAll, [
      asked.map(({ caller }) => caller.accountId),
      asked.map(({ repeatable }) => repeatable.key),
      asked.map(({ repeatable }) => repeatable.call),
      remembered.map(([afterMs]) => afterMs),
      remembered.map(([, beforeMs]) => beforeMs),
      // What is in doubt here is given back before the next charge is made: it pays for no repetition.
      [...this.#parts.charging.inDoubt],
    ]);
    const rowOf = new Map(rows.map((row) => [readNumber(row, 'place'), row]));
    return asked.map(({ repeatable, atMs }, index) => {
      const row = rowOf.get(index + 1);
      const found =
        row === undefined ? undefined : { call: readText(row, 'call'), atMs: readNumber(row, 'at') };
      return recollect(repeatable, found, atMs);
    });
  }

  /** Again where others were in the way, or the server ended a connection since it was last used: at worst a call is counted
   *  twice. */
  async #askTwice(statement: string | Frequent, values: readonly unknown[]): Promise<readonly Row[]> {
    try {
      return await this.#parts.database.ask(statement, values);
    } catch (error) {
      if (outcomeOf(error) === 'failed' || isSilent(error)) throw asOutage(error);
    }
    try {
      return await this.#parts.database.ask(statement, values);
    } catch (error) {
      throw asOutage(error);
    }
  }
}

const recallAll = frequent('SELECT * FROM domesday.recall_1($1, $2, $3, $4, $5, $6)');

/** At a time: one that waits for a lock leaves a way for the others. Each takes a connection. */
const refreshesMost = 2;

/** Refreshes that admissions wait for. However many calls of an account come, and however many accounts are due on the first
 *  of a month, charges have their connections. */
class Refreshes {
  readonly #parts: Pick<Parts, 'storage' | 'tell'>;
  readonly #underWay = new Map<string, Promise<Refreshed | undefined>>();
  readonly #waiting: (() => void)[] = [];
  #free = refreshesMost;

  constructor(parts: Pick<Parts, 'storage' | 'tell'>) {
    this.#parts = parts;
  }

  of(accountId: string, atMs: number): Promise<Refreshed | undefined> {
    const refreshing = this.#underWay.get(accountId) ?? this.#inTurn(accountId, atMs);
    this.#underWay.set(accountId, refreshing);
    return refreshing;
  }

  async #inTurn(accountId: string, atMs: number): Promise<Refreshed | undefined> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      const { storage, tell } = this.#parts;
      await refreshAccount(storage, accountId, atMs, tell);
      return await readAccountRow(storage, accountId);
    } finally {
      this.#underWay.delete(accountId);
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

type Waiting<Question, Answer> = {
  readonly question: Question;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
};

/** One answer each, in their order. What is promised for one of them keeps nobody else waiting. */
type AskAll<Question, Answer> = (
  questions: readonly Question[],
) => Promise<readonly (Answer | Promise<Answer>)[]>;

/** Questions that come together are asked together: one round trip for all of them, and one under way at a time, so that
 *  those which come meanwhile gather. */
export class TurnBatch<Question, Answer> {
  readonly #pace: Pace;
  readonly #askAll: AskAll<Question, Answer>;
  readonly #most: number;
  #waiting: Waiting<Question, Answer>[] = [];
  #state: 'idle' | 'gathering' | 'asking' = 'idle';

  constructor(pace: Pace, most: number, askAll: AskAll<Question, Answer>) {
    this.#pace = pace;
    this.#most = most;
    this.#askAll = askAll;
  }

  add(question: Question): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ question, resolve, reject });
    if (this.#state === 'idle') this.#gather();
    return promise;
  }

  #gather(): void {
    this.#state = 'gathering';
    whileTurnsBring(
      this.#pace,
      () => this.#waiting.length,
      () => void this.#ask(),
    );
  }

  async #ask(): Promise<void> {
    this.#state = 'asking';
    const batch = this.#waiting.splice(0, this.#most);
    const questions = batch.map(({ question }) => question);
    const answer = await this.#askAll(questions).then(
      (answers) => () => answerAll(batch, answers),
      (error: unknown) => () => {
        for (const { reject } of batch) reject(error);
      },
    );
    if (isWorthTheWay(this.#waiting.length, batch.length)) {
      void this.#ask();
      return this.#pace.endOfTurn(answer);
    }
    answer();
    if (this.#waiting.length === 0) this.#state = 'idle';
    else this.#gather();
  }
}

function answerAll<Question, Answer>(
  batch: readonly Waiting<Question, Answer>[],
  answers: readonly (Answer | Promise<Answer>)[],
): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const answer = answers[index];
    if (answer === undefined) reject(new Error('a question was left without an answer'));
    else resolve(answer);
  }
}
