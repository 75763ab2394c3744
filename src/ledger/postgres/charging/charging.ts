// Charges on their way through the database: sent again under the same ids until it is known what became of them, and given
// back where their callers had to be told of an outage first.

import { type Row, readNumber, readNumberOrNull, readText, readWord } from '../../../storage/rows.ts';
import { minuteMs } from '../../../time.ts';
import { givenBackAlready, noPayer } from '../../charges.ts';
import type { Doubts } from '../../doubts.ts';
import { type Charge, type Charged, type ChargeResult, LedgerUnavailable, type Tell } from '../../ledger.ts';
import type { Pace } from '../../pace.ts';
import { planNames } from '../../plans.ts';
import { rememberedBetween } from '../../repeats.ts';
import { nextRefresh } from '../../rules.ts';
import type { PostgresBooks } from '../books.ts';
import {
  asOutage,
  type Database,
  frequent,
  hasOtherNumbers,
  isKnownAlready,
  outcomeOf,
} from '../database.ts';
import type { Numbers } from './numbers.ts';
import { isPresumed, sendPresumed } from './presumed.ts';
import { giveBack } from './reversals.ts';
import { chargeValues, type Numbered, numbered, repeatValues, runsOf, runValues } from './runs.ts';

const retryMs = 20;
/** A refresh can be due again only if the clock jumps between the two. */
const refreshesMost = 3;
/** Old calls with an Idempotency-Key that are removed at once, and how often it is looked for them. */
const removedMost = 1_000;
const removeEveryMs = minuteMs;

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
  #settling: Promise<void> | undefined;

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
    const presumed = charges.filter(isPresumed);
    if (presumed.length === 0) return this.#writeAdmitted(charges, askedMs);
    const { database, numbers } = this.#parts;
    const results = new Map(await sendPresumed(presumed, database, numbers));
    const admitted = charges.filter((charge) => !isPresumed(charge));
    if (admitted.length > 0) {
      // The others have their answers.
      const written = await this.#writeAdmitted(admitted, askedMs).catch(asOutage);
      for (const [index, charge] of admitted.entries())
        results.set(charge, written instanceof Error ? written : (written[index] ?? noPayer()));
    }
    return charges.map((charge) => results.get(charge) ?? noPayer());
  }

  /** An attempt of it was sent, nobody knows what became of that, and its caller is told of no charge. */
  giveUp(charge: Charge): void {
    this.#note([charge]);
  }

  async #writeAdmitted(charges: readonly Charge[], askedMs: number): Promise<readonly Charged[]> {
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
    const rows = await database.ask(chargeAdmitted, [...valuesOf(known), ids === 'may be known']);
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
    const stood = await giveBack(database, chargeIds, tell);
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

const chargeAdmitted = frequent(
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
