// Charges on their way through the database: by the numbers of their accounts, keys and endpoints, sent again under the same ids until it
// is known what became of them, and given back where their callers had to be told of an outage first.

import { Recent } from '../../recent.ts';
import { type Row, readNumber, readNumberOrNull, readText, readWord } from '../../storage/rows.ts';
import { minuteMs } from '../../time.ts';
import { hourStart } from '../calendar.ts';
import { givenBackAlready, noPayer } from '../charges.ts';
import type { Doubts } from '../doubts.ts';
import { type Charge, type Charged, type ChargeResult, LedgerUnavailable, type Tell } from '../ledger.ts';
import type { Pace } from '../pace.ts';
import { planNames } from '../plans.ts';
import { rememberedBetween } from '../repeats.ts';
import { nextRefresh } from '../rules.ts';
import { lockAccount, post, refreshAccount } from '../stored/posting.ts';
import { reversalOf, reverse } from '../stored/reversals.ts';
import type { LedgerStorage } from '../stored/storage.ts';
import {
  type Ask,
  asOutage,
  bigints,
  type Database,
  frequent,
  hasOtherNumbers,
  isKnownAlready,
  outcomeOf,
  texts,
} from './database.ts';
import { sqlOf } from './portable.ts';

const retryMs = 20;
/** A refresh can be due again only if the clock jumps between the two. */
const refreshesMost = 3;
/** Old calls with an Idempotency-Key that are removed at once, and how often it is looked for them. */
const removedMost = 1_000;
const removeEveryMs = minuteMs;

type Parts = {
  readonly database: Database;
  readonly storage: LedgerStorage;
  readonly numbers: Numbers;
  readonly doubts: Doubts;
  readonly pace: Pace;
  readonly patienceMs: number;
  readonly tell: Tell;
};

export class Charging {
  readonly #parts: Parts;
  #removedAtMs = Number.NEGATIVE_INFINITY;
  #settling: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Ids of charges. */
  get inDoubt(): ReadonlySet<string> {
    return this.#parts.doubts.chargeIds;
  }

  /** Those of an earlier run too. */
  async settleDoubts(): Promise<void> {
    try {
      this.#parts.doubts.recall();
      await this.#settle();
    } catch (fault) {
      this.#parts.tell({ level: 'error', message: 'charges in doubt are not settled yet', fault });
    }
  }

  /** One result each, in their order. */
  async write(charges: readonly Charge[], askedMs: number): Promise<readonly Charged[]> {
    try {
      await this.#settle();
    } catch (error) {
      throw asOutage(error);
    }
    await this.#removeOld(charges);
    const deadlineMs = askedMs + this.#parts.patienceMs;
    const results = new Map<Charge, Charged>();
    let due = await this.#sendAll(charges, deadlineMs, results);
    for (let refreshes = 0; due.length > 0; refreshes++) {
      try {
        if (refreshes === refreshesMost) throw new LedgerUnavailable('The clock of this machine jumps.');
        const { storage, tell } = this.#parts;
        for (const { caller, atMs } of due) await refreshAccount(storage, caller.accountId, atMs, tell);
        due = await this.#sendAll(due, deadlineMs, results);
      } catch (error) {
        // The others are committed and have their answers.
        for (const charge of due) results.set(charge, asOutage(error));
        break;
      }
    }
    return charges.flatMap((charge) => results.get(charge) ?? []);
  }

  /** Tells which have to wait for a refresh of their account. */
  async #sendAll(
    charges: readonly Charge[],
    deadlineMs: number,
    results: Map<Charge, Charged>,
  ): Promise<readonly Charge[]> {
    const told = await this.#send(charges, deadlineMs);
    return charges.filter((charge) => {
      const result = told.get(charge) ?? noPayer();
      if (result === 'due') return true;
      results.set(charge, result);
      return false;
    });
  }

  /** What became of each charge of a key that there is. Sent again for as long as its charges are in doubt or others are in the
   *  way. */
  async #send(charges: readonly Charge[], deadlineMs: number): Promise<Told> {
    const { pace } = this.#parts;
    // A service makes an id for each call, so that the first time nothing is known of any.
    let ids: 'new' | 'may be known' = 'new';
    let standing: 'nothing was written' | 'in doubt' = 'nothing was written';
    for (;;) {
      try {
        const told = await this.#sendOnce(charges, ids);
        // An attempt that nobody knows of may still arrive, when there is enough again.
        const refused = charges.filter((charge) => isRefused(told.get(charge)));
        if (standing === 'in doubt' && refused.length > 0) this.#note(refused);
        return told;
      } catch (error) {
        const wereNew = ids === 'new';
        ids = 'may be known';
        if (hasOtherNumbers(error)) this.#parts.numbers.forget();
        if (wereNew && (isKnownAlready(error) || hasOtherNumbers(error))) continue;
        const outcome = outcomeOf(error);
        if (outcome === 'unknown') standing = 'in doubt';
        if (outcome === 'failed' && standing === 'nothing was written') throw asOutage(error);
        if (pace.elapsedMs() >= deadlineMs) {
          if (standing === 'in doubt') this.#note(charges);
          throw asOutage(error);
        }
      }
      await pace.pause(retryMs);
    }
  }

  async #sendOnce(charges: readonly Charge[], ids: 'new' | 'may be known'): Promise<Told> {
    const { database, numbers } = this.#parts;
    const known = await numbered(charges, numbers);
    if (known.length === 0) return new Map();
    const rows = await database.ask(chargeAll, [...valuesOf(known), ids === 'may be known']);
    return toldIn(rows, known);
  }

  /** Doubts are settled first: a charge in doubt that is sent again must not be given back once it was made. By one at a time:
   *  two would be in each other's way. */
  #settle(): Promise<void> {
    this.#settling ??= this.#settleAll().finally(() => {
      this.#settling = undefined;
    });
    return this.#settling;
  }

  async #settleAll(): Promise<void> {
    const { doubts, database, tell } = this.#parts;
    const chargeIds = [...doubts.chargeIds];
    if (chargeIds.length === 0) return;
    const stood = await giveBack(database, chargeIds);
    const message = `of ${chargeIds.length} charges in doubt, ${stood} had been made and were given back`;
    tell({ level: 'warn', message });
    try {
      doubts.settled(chargeIds);
    } catch (fault) {
      tell({ level: 'error', message: 'the note of charges in doubt cannot be removed', fault });
    }
  }

  #note(charges: readonly Charge[]): void {
    const chargeIds = charges.map(({ chargeId }) => chargeId);
    try {
      this.#parts.doubts.add(chargeIds);
    } catch (fault) {
      const message = `charges in doubt cannot be noted; they are given back at the next commit, unless a crash comes first: ${chargeIds.join(', ')}`;
      this.#parts.tell({ level: 'error', message, fault });
    }
  }

  /** What nobody asks for any more, by the clock of these charges. Left for the next minute where it fails. */
  async #removeOld([first]: readonly Charge[]): Promise<void> {
    const nowMs = this.#parts.pace.elapsedMs();
    if (first === undefined || nowMs - this.#removedAtMs < removeEveryMs) return;
    this.#removedAtMs = nowMs;
    try {
      const between = rememberedBetween(first.atMs);
      const removed = await this.#parts.database.ask(removeText, [removedMost, ...between]);
      // Where they were many, the next charges go on.
      if (removed.length >= removedMost / 2) this.#removedAtMs = Number.NEGATIVE_INFINITY;
    } catch (error) {
      if (outcomeOf(error) === 'failed') throw asOutage(error);
    }
  }
}

const isRefused = (told: Charged | 'due' | undefined): boolean =>
  told !== undefined && told !== 'due' && !(told instanceof Error) && told.kind === 'insufficient';

/** `due` has to wait for a refresh of its account. */
type Told = ReadonlyMap<Charge, Charged | 'due'>;

const chargeAll = frequent(
  'SELECT * FROM domesday.charge_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)',
);

// Never waits for a charge that uses one of them.
const removeText = `DELETE FROM domesday.repeats WHERE entry IN (
    SELECT entry FROM (SELECT entry, at FROM domesday.repeats ORDER BY entry LIMIT $1 FOR UPDATE SKIP LOCKED) AS oldest
    WHERE at <= $2 OR at >= $3)
  RETURNING entry`;

function valuesOf(charges: readonly Numbered[]): readonly unknown[] {
  const runs = runsOf(charges);
  return [...runValues(runs), ...repeatValues(runs), ...chargeValues(charges)];
}

/** A row tells of the charges from its place on to the next one's. */
function toldIn(rows: readonly Row[], charges: readonly Numbered[]): Told {
  const told = new Map<Charge, Charged | 'due'>();
  const following = rows.values();
  let next = following.next().value;
  let stretch: Stretch | undefined;
  for (const [index, { charge }] of charges.entries()) {
    if (next !== undefined && readNumber(next, 'place') === index + 1) {
      stretch = stretchIn(next);
      next = following.next().value;
    }
    if (stretch === undefined) throw new TypeError('the database did not tell what became of a charge');
    told.set(charge, resultOf(stretch, charge));
  }
  return told;
}

type Stretch = { readonly outcome: string; balance: number; readonly refreshAtMs: number | null };

function stretchIn(row: Row): Stretch {
  const periodEndsAtMs = readNumberOrNull(row, 'period_ends_at');
  return {
    outcome: readText(row, 'outcome'),
    balance: readNumber(row, 'balance'),
    refreshAtMs: nextRefresh(readWord(row, 'plan', planNames), { periodEndsAtMs }),
  };
}

const kinds: Readonly<Record<string, ChargeResult['kind']>> = {
  charged: 'charged',
  known: 'charged',
  insufficient: 'insufficient',
  same: 'replayed',
  other: 'mismatched',
};

function resultOf(stretch: Stretch, { credits }: Charge): Charged | 'due' {
  const { outcome, refreshAtMs } = stretch;
  if (outcome === 'due') return outcome;
  if (outcome === 'given back') return givenBackAlready();
  const kind = kinds[outcome];
  if (kind === undefined) throw new TypeError(`${outcome} is no outcome of a charge`);
  if (outcome === 'charged') stretch.balance -= credits;
  return { kind, creditsRemaining: stretch.balance, refreshAtMs };
}

type Numbered = {
  readonly charge: Charge;
  readonly account: number;
  readonly key: number;
  readonly endpoint: number;
};

/** Those of keys that there are. Charges of one account stay in their order. */
async function numbered(charges: readonly Charge[], numbers: Numbers): Promise<readonly Numbered[]> {
  const { keys, endpoints } = await numbers.find(
    charges.map(({ caller }) => caller.keyId),
    charges.map(({ endpoint }) => endpoint),
  );
  const found = charges.flatMap((charge): readonly Numbered[] => {
    const { accountId, keyId } = charge.caller;
    const [key, endpoint] = [keys.get(keyId), endpoints.get(charge.endpoint)];
    if (key?.accountId !== accountId || endpoint === undefined) return [];
    return [{ charge, account: key.account, key: key.key, endpoint }];
  });
  return found.sort((a, b) => a.account - b.account);
}

/** Charges that came one after another and differ in nothing but their ids and moments. */
type Run = {
  readonly first: Numbered;
  readonly hourMs: number;
  lastPlace: number;
};

function runsOf(charges: readonly Numbered[]): readonly Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  for (const [index, each] of charges.entries()) {
    const hourMs = hourStart(each.charge.atMs);
    if (run !== undefined && run.hourMs === hourMs && isAlike(run.first, each)) {
      run.lastPlace = index + 1;
    } else {
      run = { first: each, hourMs, lastPlace: index + 1 };
      runs.push(run);
    }
  }
  return runs;
}

const isAlike = (one: Numbered, other: Numbered): boolean =>
  one.key === other.key &&
  one.endpoint === other.endpoint &&
  one.charge.credits === other.charge.credits &&
  one.charge.repeatable === undefined &&
  other.charge.repeatable === undefined;

/** What every function of charges is told of its runs. */
function runValues(runs: readonly Run[]): readonly string[] {
  const firsts = runs.map(({ first }) => first);
  return [
    bigints(firsts.map(({ account }) => account)),
    bigints(firsts.map(({ key }) => key)),
    bigints(firsts.map(({ endpoint }) => endpoint)),
    texts(firsts.map(({ charge }) => charge.caller.keyId)),
    texts(firsts.map(({ charge }) => charge.endpoint)),
    bigints(firsts.map(({ charge }) => charge.credits)),
    bigints(runs.map(({ hourMs }) => hourMs)),
    bigints(runs.map(({ lastPlace }) => lastPlace)),
  ];
}

/** And of repetitions: a charge that can be repeated is a run of its own. */
function repeatValues(runs: readonly Run[]): readonly string[] {
  const repeats = runs.map(({ first: { charge } }) => {
    const { repeatable, atMs } = charge;
    const [afterMs, beforeMs] = repeatable === undefined ? [null, null] : rememberedBetween(atMs);
    return { key: repeatable?.key ?? null, call: repeatable?.call ?? null, afterMs, beforeMs };
  });
  return [
    texts(repeats.map(({ key }) => key)),
    texts(repeats.map(({ call }) => call)),
    bigints(repeats.map(({ afterMs }) => afterMs)),
    bigints(repeats.map(({ beforeMs }) => beforeMs)),
  ];
}

/** And of each charge. */
function chargeValues(charges: readonly Numbered[]): readonly string[] {
  return [
    bigints(charges.map(({ charge }) => charge.atMs)),
    texts(charges.map(({ charge }) => charge.chargeId)),
    texts(charges.map(({ charge: { chargeId, requestId } }) => (requestId === chargeId ? null : requestId))),
  ];
}

type KeyNumbers = { readonly accountId: string; readonly account: number; readonly key: number };

type FoundNumbers = {
  readonly keys: ReadonlyMap<string, KeyNumbers>;
  readonly endpoints: ReadonlyMap<string, number>;
};

const numbersMost = 10_000;
/** Another replica may make an endpoint between the two halves of a look. */
const looksMost = 3;

/** The numbers by which rows know accounts, keys and endpoints. They never change and are never given twice, so a replica keeps
 *  those it has met, and the database need not look for three names with every charge. A database that was put back to an earlier
 *  day may lack them or give them to others; charge_1 tells where it is so. */
export class Numbers {
  readonly #database: Database;
  readonly #lately = new Recent<string, KeyNumbers>(numbersMost);
  #endpoints = new Map<string, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  learn(row: Row): void {
    const keyId = readText(row, 'key_id');
    if (this.#lately.get(keyId) === undefined) this.#lately.set(keyId, numbersIn(row));
  }

  forget(): void {
    this.#lately.clear();
    this.#endpoints.clear();
  }

  /** Keys that are not among what it finds do not exist. What is kept may be forgotten meanwhile, what was found not. */
  async find(keyIds: Iterable<string>, paths: Iterable<string>): Promise<FoundNumbers> {
    return {
      keys: await this.#findKeys(new Set(keyIds)),
      endpoints: await this.#findEndpoints(new Set(paths)),
    };
  }

  async #findKeys(keyIds: ReadonlySet<string>): Promise<ReadonlyMap<string, KeyNumbers>> {
    const found = new Map<string, KeyNumbers>();
    const lacking: string[] = [];
    for (const keyId of keyIds) {
      const known = this.#lately.get(keyId);
      if (known === undefined) lacking.push(keyId);
      else found.set(keyId, known);
    }
    if (lacking.length === 0) return found;
    for (const row of await this.#database.ask(keysText, [lacking])) {
      this.learn(row);
      found.set(readText(row, 'key_id'), numbersIn(row));
    }
    return found;
  }

  async #findEndpoints(paths: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (let looks = 0; ; looks += 1) {
      for (const path of paths) {
        const number = this.#endpoints.get(path);
        if (number !== undefined) found.set(path, number);
      }
      const lacking = [...paths].filter((path) => !found.has(path)).sort();
      if (lacking.length === 0) return found;
      if (looks === looksMost) throw new Error('an endpoint cannot be noted');
      for (const row of await this.#database.ask(endpointsText, [lacking])) {
        const [path, number] = [readText(row, 'path'), readNumber(row, 'number')];
        this.#endpoints.set(path, number);
        found.set(path, number);
      }
    }
  }
}

const numbersIn = (row: Row): KeyNumbers => ({
  accountId: readText(row, 'account_id'),
  account: readNumber(row, 'account'),
  key: readNumber(row, 'key'),
});

const keysText = `SELECT keys.id AS key_id, keys.number AS key, accounts.id AS account_id, accounts.number AS account
  FROM domesday.keys JOIN domesday.accounts ON accounts.number = keys.account WHERE keys.id = ANY ($1)`;

const endpointsText = `WITH made AS (
    INSERT INTO domesday.endpoints (path)
      SELECT path FROM unnest($1::text[]) AS asked (path)
      WHERE NOT EXISTS (SELECT FROM domesday.endpoints known WHERE known.path = asked.path)
      ON CONFLICT DO NOTHING RETURNING path, number)
  SELECT path, number FROM made UNION ALL SELECT path, number FROM domesday.endpoints WHERE path = ANY ($1)`;

/** Tells how many stood. Each in a transaction of its own; whatever fails is left for the next time. */
async function giveBack(database: Database, chargeIds: Iterable<string>): Promise<number> {
  let stood = 0;
  for (const chargeId of chargeIds) {
    const was = await database.transact((ask) => giveBackOne(ask, chargeId));
    if (was === 'given back') stood += 1;
  }
  return stood;
}

type GivingBack = 'given back' | 'never made' | 'paid for a repetition';

async function giveBackOne(ask: Ask, chargeId: string): Promise<GivingBack> {
  // Waits for a transaction that is still about to make it; afterwards nobody can.
  const voided = await ask(
    'INSERT INTO domesday.charge_ids (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id',
    [chargeId],
  );
  if (voided.length > 0) return 'never made';
  const [found] = await ask(
    `SELECT known.seq, known.at, known.account, accounts.id AS account_id
      FROM domesday.charge_ids AS known JOIN domesday.accounts ON accounts.number = known.account
      WHERE known.id = $1 AND known.seq IS NOT NULL
      AND NOT EXISTS (SELECT FROM domesday.charge_ids AS reversal WHERE reversal.id = $2)`,
    [chargeId, reversalOf(chargeId)],
  );
  if (found === undefined) return 'never made';
  const [charge] = await ask(
    'SELECT account, seq, at, credits, lasting, key, endpoint FROM domesday.journal WHERE account = $1 AND seq = $2 AND at = $3',
    [found.account, found.seq, found.at],
  );
  if (charge === undefined) return 'never made';
  // In the order in which a charge locks them.
  await ask('SELECT FROM domesday.accounts WHERE number = $1 FOR NO KEY UPDATE', [found.account]);
  const [repeat] = await ask('SELECT paid FROM domesday.repeats WHERE entry = $1 FOR UPDATE', [found.seq]);
  if (repeat?.paid === true) return 'paid for a repetition';
  await reverseOne(ask, chargeId, { ...charge, account_id: found.account_id });
  return 'given back';
}

async function reverseOne(ask: Ask, chargeId: string, charge: Row): Promise<void> {
  const accountId = readText(charge, 'account_id');
  const { posting, usage } = reverse(chargeId, {
    atMs: readNumber(charge, 'at'),
    credits: readNumber(charge, 'credits'),
    lasting: readNumber(charge, 'lasting'),
  });
  const sql = sqlOf(ask);
  const account = await lockAccount(sql, accountId);
  if (account === undefined) return;
  await post(sql, account, posting);
  await ask('INSERT INTO domesday.charge_ids VALUES ($1, $2, $3, $4)', [
    posting.chargeId,
    account.newestSeq,
    account.number,
    posting.atMs,
  ]);
  await ask('DELETE FROM domesday.repeats WHERE entry = $1', [charge.seq]);
  const { hourStartMs, status, calls, credits } = usage;
  await ask(
    `INSERT INTO domesday.usage AS stored VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (account, hour, key, endpoint, status)
      DO UPDATE SET calls = stored.calls + excluded.calls, credits = stored.credits + excluded.credits`,
    [charge.account, hourStartMs, charge.key, charge.endpoint, status, calls, credits],
  );
}
