// Charges on their way through the database: sent again under the same ids until it is known what became of them, and given
// back where their callers had to be told of an outage first.

import { chargeTextParts } from '../chain.ts';
import { givenBackAlready, noPayer } from '../charges.ts';
import type { Doubts } from '../doubts.ts';
import { type Charge, type Charged, type ChargeResult, LedgerUnavailable, type Tell } from '../ledger.ts';
import type { Pace } from '../pace.ts';
import { planNames } from '../plans.ts';
import { rememberedBetween } from '../repeats.ts';
import { nextRefresh } from '../rules.ts';
import { type Row, readNumber, readNumberOrNull, readText, readWord } from '../stored/rows.ts';
import type { PostgresBooks } from './books.ts';
import { asOutage, type Database, hasOtherNumbers, isKnownAlready, outcomeOf } from './database.ts';
import { bigints } from './literals.ts';
import type { Numbers } from './numbers.ts';
import { giveBack } from './reversals.ts';

const retryMs = 20;
/** A refresh can be due again only if the clock jumps between the two. */
const refreshesMost = 3;
/** Old calls with an Idempotency-Key that are removed at once, and how often it is looked for them. */
const removedMost = 1_000;
const removeEveryMs = 60_000;

type Parts = {
  readonly database: Database;
  readonly books: PostgresBooks;
  readonly numbers: Numbers;
  readonly doubts: Doubts;
  readonly pace: Pace;
  readonly patienceMs: number;
  readonly tell: Tell;
};

export class Charging {
  readonly #parts: Parts;
  #removedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Ids of charges. */
  get inDoubt(): ReadonlySet<string> {
    return this.#parts.doubts.chargeIds;
  }

  /** Of an earlier run too. */
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
        for (const { caller, atMs } of due) await this.#parts.books.refresh([caller.accountId], atMs);
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
    const { known, rows } = await this.#send(charges, deadlineMs);
    const answers = new Map(known.map(({ charge }, index) => [charge, rows[index]]));
    return charges.filter((charge) => {
      if (!answers.has(charge)) {
        results.set(charge, noPayer());
        return false;
      }
      const row = answers.get(charge);
      if (readText(row, 'outcome') === 'due') return true;
      results.set(charge, resultOf(row));
      return false;
    });
  }

  /** A row for each charge of a key that there is. Sent again for as long as its charges are in doubt or others are in the
   *  way. */
  async #send(charges: readonly Charge[], deadlineMs: number): Promise<Sent> {
    const { pace } = this.#parts;
    // A service makes an id for each call, so that the first time nothing is known of any.
    let ids: 'new' | 'may be known' = 'new';
    let standing: 'nothing was written' | 'in doubt' = 'nothing was written';
    for (;;) {
      try {
        return await this.#sendOnce(charges, ids);
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

  async #sendOnce(charges: readonly Charge[], ids: 'new' | 'may be known'): Promise<Sent> {
    const { database, numbers } = this.#parts;
    const { keys, endpoints } = await numbers.find(
      charges.map(({ caller }) => caller.keyId),
      charges.map(({ endpoint }) => endpoint),
    );
    const known = charges.flatMap((charge): readonly Known[] => {
      const { accountId, keyId } = charge.caller;
      const [key, endpoint] = [keys.get(keyId), endpoints.get(charge.endpoint)];
      if (key?.accountId !== accountId || endpoint === undefined) return [];
      return [{ charge, account: key.account, key: key.key, endpoint }];
    });
    if (known.length === 0) return { known, rows: [] };
    // Charges of one account stay in their order.
    known.sort((a, b) => a.account - b.account);
    return { known, rows: await database.ask(chargeText, [...valuesOf(known), ids === 'may be known']) };
  }

  /** Doubts are settled first: a charge in doubt that is sent again must not be given back once it was made. */
  async #settle(): Promise<void> {
    const { doubts, database, tell } = this.#parts;
    const { chargeIds } = doubts;
    if (chargeIds.size === 0) return;
    const stood = await giveBack(database, chargeIds, tell);
    const message = `of ${chargeIds.size} charges in doubt, ${stood} had been made and were given back`;
    tell({ level: 'warn', message });
    try {
      doubts.clear();
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

type Known = {
  readonly charge: Charge;
  readonly account: number;
  readonly key: number;
  readonly endpoint: number;
};

type Sent = { readonly known: readonly Known[]; readonly rows: readonly Row[] };

const chargeText =
  'SELECT * FROM domesday.charge_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)';

// Never waits for a charge that uses one of them.
const removeText = `DELETE FROM domesday.repeats WHERE entry IN (
    SELECT entry FROM (SELECT entry, at FROM domesday.repeats ORDER BY entry LIMIT $1 FOR UPDATE SKIP LOCKED) AS oldest
    WHERE at <= $2 OR at >= $3)
  RETURNING entry`;

function valuesOf(known: readonly Known[]): readonly unknown[] {
  const charges = known.map(({ charge }) => charge);
  const parts = charges.map(chargeTextParts);
  const remembered = charges.map(({ atMs }) => rememberedBetween(atMs));
  return [
    bigints(known.map(({ account }) => account)),
    bigints(known.map(({ key }) => key)),
    bigints(known.map(({ endpoint }) => endpoint)),
    charges.map(({ caller }) => caller.keyId),
    charges.map(({ endpoint }) => endpoint),
    bigints(charges.map(({ atMs }) => atMs)),
    charges.map(({ chargeId }) => chargeId),
    charges.map(({ chargeId, requestId }) => (requestId === chargeId ? null : requestId)),
    bigints(charges.map(({ credits }) => credits)),
    parts.map(({ head }) => head),
    parts.map(({ tail }) => tail),
    charges.map(({ repeatable }) => repeatable?.key ?? null),
    charges.map(({ repeatable }) => repeatable?.call ?? null),
    bigints(remembered.map(([afterMs]) => afterMs)),
    bigints(remembered.map(([, beforeMs]) => beforeMs)),
  ];
}

const kinds: Readonly<Record<string, ChargeResult['kind']>> = {
  charged: 'charged',
  insufficient: 'insufficient',
  same: 'replayed',
  other: 'mismatched',
};

function resultOf(row: Row | undefined): Charged {
  const outcome = readText(row, 'outcome');
  if (outcome === 'given back') return givenBackAlready();
  const kind = kinds[outcome];
  if (row === undefined || kind === undefined) throw new TypeError(`${outcome} is no outcome of a charge`);
  const periodEndsAtMs = readNumberOrNull(row, 'period_ends_at');
  return {
    kind,
    creditsRemaining: readNumber(row, 'balance'),
    refreshAtMs: nextRefresh(readWord(row, 'plan', planNames), { periodEndsAtMs }),
  };
}
