// Charges of calls that were presumed to be admitted: counted and charged together. Whoever is not charged so goes the usual way,
// so that nothing is tried twice here.

import { type Row, readNumber, readNumberOrNull } from '../../../storage/rows.ts';
import { type Spans, spansAt } from '../../calendar.ts';
import type { Charge, Charged, ChargeResult } from '../../ledger.ts';
import { minuteRemaining, nextRefresh } from '../../rules.ts';
import { asOutage, type Database, frequent, outcomeOf } from '../database.ts';
import { bigints, texts } from '../literals.ts';
import type { Presumption } from './known-keys.ts';
import type { Numbers } from './numbers.ts';
import { chargeValues, type Numbered, numbered, type Run, repeatValues, runsOf, runValues } from './runs.ts';

export type PresumedCharge = Charge & { readonly presumption: Presumption };

export const isPresumed = (charge: Charge): charge is PresumedCharge => 'presumption' in charge;

/** Nothing was counted or charged. */
export class NotAsPresumed extends Error {
  override name = 'NotAsPresumed';
}

/** Nobody knows whether it was counted and charged. */
export class PresumedInDoubt extends Error {
  override name = 'PresumedInDoubt';
}

/** What became of each. */
export async function sendPresumed(
  charges: readonly PresumedCharge[],
  database: Database,
  numbers: Numbers,
): Promise<ReadonlyMap<Charge, Charged>> {
  try {
    const known = await numbered(charges, numbers);
    const [first] = known;
    if (first === undefined) return ofEach(charges, () => new NotAsPresumed());
    const spans = spansAt(first.charge.atMs);
    // Those of the next minute are few, and not as presumed.
    const { startMs, endMs } = spans.minute;
    const together = known.filter(({ charge: { atMs } }) => atMs >= startMs && atMs < endMs);
    const runs = runsOf(together);
    const rows = await database.ask(chargePresumed, valuesOf(together, runs, spans));
    const told = resultsIn(rows, together, runs, spans);
    return ofEach(charges, (charge) => told.get(charge) ?? new NotAsPresumed());
  } catch (error) {
    const outcome = outcomeOf(error);
    return ofEach(charges, () => {
      if (outcome === 'unknown') return new PresumedInDoubt();
      return outcome === 'busy' ? new NotAsPresumed() : asOutage(error);
    });
  }
}

const ofEach = (charges: readonly Charge[], resultOf: (charge: Charge) => Charged) =>
  new Map(charges.map((charge) => [charge, resultOf(charge)]));

const chargePresumed = frequent(
  'SELECT * FROM domesday.charge_presumed_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)',
);

function valuesOf(
  charges: readonly Numbered<PresumedCharge>[],
  runs: readonly Run<PresumedCharge>[],
  { minute, day, month }: Spans,
): readonly unknown[] {
  const presumed = runs.map(({ first }) => first.charge.presumption);
  const limits = presumed.map(({ admission }) => admission.standing.limits);
  return [
    ...runValues(runs),
    texts(presumed.map(({ terms }) => terms)),
    bigints(limits.map((limit) => limit.minute)),
    bigints(limits.map((limit) => limit.day)),
    bigints(limits.map((limit) => limit.month)),
    ...repeatValues(runs),
    ...chargeValues(charges),
    ...[minute, day, month].flatMap(({ startMs, endMs }) => [startMs, endMs]),
  ];
}

/** A row tells of a run that was charged. */
function resultsIn(
  rows: readonly Row[],
  charges: readonly Numbered<PresumedCharge>[],
  runs: readonly Run<PresumedCharge>[],
  spans: Spans,
): ReadonlyMap<Charge, ChargeResult> {
  const results = new Map<Charge, ChargeResult>();
  const rowOf = new Map(rows.map((row) => [readNumber(row, 'run'), row]));
  let last = 0;
  for (const [index, { first, lastPlace }] of runs.entries()) {
    const from = last;
    last = lastPlace;
    const row = rowOf.get(index + 1);
    if (row === undefined) continue;
    const { credits, presumption } = first.charge;
    const { limits } = presumption.admission.standing;
    const refreshAtMs = nextRefresh(presumption.plan, {
      periodEndsAtMs: readNumberOrNull(row, 'period_ends_at'),
    });
    let creditsRemaining = readNumber(row, 'balance');
    let calls = readNumber(row, 'calls_in_minute') - (lastPlace - from);
    for (const { charge } of charges.slice(from, lastPlace)) {
      creditsRemaining -= credits;
      calls += 1;
      const counted = calls;
      const standing = {
        creditsRemaining,
        refreshAtMs,
        limits,
        minuteRemaining: minuteRemaining(limits, { countIn: () => counted }, spans),
        minuteResetAtMs: spans.minute.endMs,
      };
      const admission = { kind: 'admitted', caller: charge.caller, standing } as const;
      results.set(charge, { kind: 'charged', creditsRemaining, refreshAtMs, admission });
    }
  }
  return results;
}
