// What this replica last knew of keys that were good: by it calls are looked up before they are admitted, and charge_presumed_1 is
// told what to expect. Nothing is decided here; whatever has changed since, the database finds.

import { Recent } from '../../../recent.ts';
import { type Row, readNumber, readNumberOrNull, readWord } from '../../../storage/rows.ts';
import { hourMs } from '../../../time.ts';
import { hourStart } from '../../calendar.ts';
import type { Admission, Admitted, PlanName } from '../../ledger.ts';
import { planNames } from '../../plans.ts';

export type Presumption = {
  readonly admission: Admitted;
  readonly plan: PlanName;
  /** Plan and own limits, as charge_presumed_1 writes them. */
  readonly terms: string;
  /** Charges of whole hours within need no refresh, and the key does not expire. */
  readonly fromMs: number;
  readonly toMs: number;
};

const keysMost = 10_000;

export class KnownKeys {
  readonly #lately = new Recent<string, Presumption>(keysMost);

  find(keyHash: string, atMs: number): Presumption | undefined {
    const known = this.#lately.get(keyHash);
    if (known === undefined) return undefined;
    const fromMs = hourStart(atMs);
    return fromMs >= known.fromMs && fromMs + hourMs <= known.toMs ? known : undefined;
  }

  /** What the row of an admission says, and how the last of its calls was judged. */
  learn(keyHash: string, row: Row, admission: Admission): void {
    if (admission.kind !== 'admitted' || !isPlain(admission)) {
      this.forget(keyHash);
      return;
    }
    const plan = readWord(row, 'plan', planNames);
    this.#lately.set(keyHash, {
      admission: { ...admission, presumed: true },
      plan,
      terms: termsIn(plan, row),
      fromMs: readNumber(row, 'quiet_from'),
      toMs: Math.min(
        readNumber(row, 'quiet_to'),
        readNumberOrNull(row, 'expires_at') ?? Number.POSITIVE_INFINITY,
      ),
    });
  }

  forget(keyHash: string): void {
    this.#lately.delete(keyHash);
  }
}

/** Whoever is bound to anything is looked at before. */
const isPlain = ({ caller }: Admitted): boolean => caller.mode === 'live' && caller.binding === undefined;

function termsIn(plan: PlanName, row: Row): string {
  const columns = ['own_minute_limit', 'own_day_limit', 'own_month_limit'];
  return [plan, ...columns.map((name) => readNumberOrNull(row, name) ?? '-')].join(' ');
}
