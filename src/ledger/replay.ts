// What the entries of a journal say about the row of their account: when it was opened and closed, its plan and terms, its
// period and the periods it has left. A row that says otherwise was changed by other hands.

import { anchorUpTo, nextAnniversary } from './calendar.ts';
import type { StoredEntry } from './chain.ts';
import { LedgerRefusal, type PlanName, type Suspension, type Terms } from './ledger.ts';
import { sayPlan } from './plans.ts';
import { monthMostMs, type Period, realign } from './rules.ts';

/** The notes that the rules themselves write. */
export const notes = {
  opened: (plan: PlanName, terms: Terms): string => `opened on ${sayPlan(plan, terms)}`,
  planChanged: (from: PlanName, plan: PlanName, terms: Terms): string =>
    `plan ${from} to ${sayPlan(plan, terms)}`,
  closed: 'closed',
  suspended: (reason: string): string => `suspended: ${reason}`,
  resumed: 'resumed',
  realigned: 'the end of the period was worked out again, as after a wrong clock',
} as const;

const openedNote = /^opened on (.+)$/;
const planNote = /^plan (\w+) to (\w.*)$/;
const suspendedNote = /^suspended: (.+)$/s;
const planOf = (said: string): KnownPlan => ({ name: said.replace(/,.*/, ''), said });

/** A change of plan is known by its note alone, so nobody else may write such a one. */
export function checkNote(note: string | null): void {
  if (!planNote.test(note ?? '')) return;
  throw new LedgerRefusal(`The ledger itself notes a change of plan as "${note}"; use other words.`);
}

/** What a period gave that the account has left. */
export type LeftPeriod = { readonly endsAtMs: number; readonly allowanceGiven: number };

type ReplayedRow = Period & {
  readonly plan: PlanName;
  readonly terms: Terms;
  readonly createdAtMs: number;
  readonly closedAtMs: number | null;
  readonly suspended: Suspension | null;
  readonly left: readonly LeftPeriod[];
};

/** `said`: with its terms, as the notes have it. */
type KnownPlan = { readonly name: string; readonly said: string };

/** Follows the entries of one account, as far as its journal holds. What a trim took away is not known:
 *  there only what must be true is compared. */
export class Replay {
  readonly #row: ReplayedRow;
  #openedAtMs: number | undefined;
  #opening: 'as it is made' | 'otherwise' = 'as it is made';
  #plan: KnownPlan | undefined;
  #closed: { readonly atMs: number | null } | undefined;
  /** null where it is known that the account is not. */
  #suspended: Suspension | null | undefined;
  #period: Period | undefined;
  /** Every period since the opening is known. */
  #reach: 'whole' | 'cut' = 'whole';
  /** From when on the periods of a journal that is cut are known again. */
  #knownFromMs = 0;
  readonly #left = new Map<number, number>();

  constructor(row: ReplayedRow) {
    this.#row = row;
  }

  take(entry: StoredEntry): void {
    if (entry.closing !== null) this.#cut(entry.previous, entry.closing.firstAtMs);
    else this.#follow(entry);
  }

  #follow(entry: StoredEntry): void {
    const { kind, credits, lasting, note, atMs } = entry;
    const allowanceLeft = entry.balanceAfter - entry.lastingAfter;
    if (entry.previous === null) this.#open(entry, allowanceLeft);
    else if (kind === 'refresh') this.#refresh(atMs, credits, allowanceLeft);
    else if (kind === 'correction' && credits === 0 && note === notes.closed) this.#closed = { atMs };
    else if (kind === 'correction' && credits === 0 && note === notes.realigned) this.#realign(atMs);
    else if (kind === 'correction' && credits === 0 && note === notes.resumed) this.#suspended = null;
    else {
      const said = note ?? '';
      const reason = suspendedNote.exec(said)?.[1];
      if (kind === 'correction' && credits === 0 && reason !== undefined) this.#suspended = { atMs, reason };
      const isChange = lasting === 0 && (kind === 'grant' || kind === 'correction') && planNote.test(said);
      if (isChange) this.#change(said, atMs, credits, allowanceLeft);
    }
  }

  /** Each a clause about the account. */
  *contradictions(): Generator<string> {
    const { createdAtMs, plan, terms, closedAtMs } = this.#row;
    if (this.#openedAtMs === undefined) yield 'it has no entries, not even its opening';
    else if (this.#openedAtMs !== createdAtMs) {
      yield `its journal opens at ${sayTime(this.#openedAtMs)}; its row says ${sayTime(createdAtMs)}`;
    }
    if (this.#opening === 'otherwise') yield 'its first entry is not an opening';
    const said = sayPlan(plan, terms);
    if (this.#plan !== undefined && this.#plan.said !== said) {
      yield `its journal says that it is on ${this.#plan.said}; its row says ${said}`;
    }
    if (this.#closed !== undefined && this.#closed.atMs !== closedAtMs) {
      yield `its journal says that it ${this.#closed.atMs === null ? 'is open' : `was closed at ${sayTime(this.#closed.atMs)}`}; its row says ${closedAtMs === null ? 'that it is open' : sayTime(closedAtMs)}`;
    }
    if (this.#suspended !== undefined && !isSameSuspension(this.#suspended, this.#row.suspended)) {
      yield `its journal says that it is ${saySuspension(this.#suspended)}; its row says ${saySuspension(this.#row.suspended)}`;
    }
    yield* this.#periodContradictions();
  }

  /** What an entry stands for is not known, only when the first of them was written. */
  #cut(previous: number | null, firstAtMs: number): void {
    if (previous === null) this.#openedAtMs = firstAtMs;
    this.#reach = 'cut';
    this.#plan = undefined;
    this.#closed = undefined;
    this.#suspended = undefined;
    this.#period = undefined;
  }

  #open({ atMs, note, credits }: StoredEntry, allowanceLeft: number): void {
    this.#openedAtMs = atMs;
    this.#closed = { atMs: null };
    this.#suspended = null;
    const text = note ?? '';
    if (!openedNote.test(text) || credits !== allowanceLeft) {
      this.#opening = 'otherwise';
      this.#reach = 'cut';
      return;
    }
    this.#plan = planOf(text.replace(openedNote, '$1'));
    const periodEndsAtMs = this.#plan.name === 'trial' ? null : nextAnniversary(atMs, atMs);
    this.#period = { anchorAtMs: atMs, periodEndsAtMs, allowanceGiven: credits };
  }

  #refresh(atMs: number, credits: number, allowanceLeft: number): void {
    // Where the opening is gone the row itself has to say the anchor: the end of the period shows whether it is right.
    if (!isTime(this.#row.anchorAtMs)) return;
    const anchorAtMs = anchorUpTo(this.#period?.anchorAtMs ?? this.#row.anchorAtMs, atMs);
    this.#begin(atMs, {
      anchorAtMs,
      periodEndsAtMs: nextAnniversary(anchorAtMs, atMs),
      allowanceGiven: this.#given(atMs, credits, allowanceLeft),
    });
  }

  #realign(atMs: number): void {
    if (this.#period !== undefined) this.#begin(atMs, realign(this.#period, atMs, this.#givenBefore(atMs)));
  }

  #change(note: string, atMs: number, credits: number, allowanceLeft: number): void {
    const from = note.replace(planNote, '$1');
    const plan = planOf(note.replace(planNote, '$2'));
    // No program wrote it: what it says is not so.
    if (this.#plan !== undefined && this.#plan.name !== from) return;
    this.#plan = plan;
    const end = this.#period?.periodEndsAtMs ?? null;
    if (from === 'trial' && plan.name !== 'trial') {
      if (this.#reach === 'cut') {
        this.#forgetPeriods();
        return;
      }
      if (end === null || atMs >= end) {
        this.#start(atMs, credits, allowanceLeft);
        return;
      }
    }
    if (this.#period === undefined) return;
    this.#period = { ...this.#period, allowanceGiven: this.#period.allowanceGiven + credits };
  }

  #start(atMs: number, credits: number, allowanceLeft: number): void {
    const allowanceGiven = this.#given(atMs, credits, allowanceLeft);
    this.#begin(atMs, { anchorAtMs: atMs, periodEndsAtMs: nextAnniversary(atMs, atMs), allowanceGiven });
  }

  /** The anchor of before is not known, so neither is whether a period ran. */
  #forgetPeriods(): void {
    this.#period = undefined;
    this.#left.clear();
  }

  #given(atMs: number, credits: number, allowanceLeft: number): number {
    const before = this.#givenBefore(atMs);
    return before === 0 ? allowanceLeft : before + credits;
  }

  #givenBefore(atMs: number): number {
    let before = 0;
    for (const [endsAtMs, given] of this.#left) {
      if (endsAtMs > atMs && endsAtMs <= atMs + monthMostMs) before = Math.max(before, given);
    }
    return before;
  }

  #begin(atMs: number, period: Period): void {
    if (this.#period === undefined) this.#knownFromMs = atMs;
    const { periodEndsAtMs: end = null, allowanceGiven = 0 } = this.#period ?? {};
    if (end !== null && end !== period.periodEndsAtMs) {
      this.#left.set(end, Math.max(allowanceGiven, this.#left.get(end) ?? 0));
    }
    this.#period = period;
  }

  *#periodContradictions(): Generator<string> {
    const { plan, anchorAtMs, periodEndsAtMs, allowanceGiven, left } = this.#row;
    const isAnniversary =
      isTime(anchorAtMs) &&
      isTime(periodEndsAtMs ?? 0) &&
      (periodEndsAtMs === null || nextAnniversary(anchorAtMs, periodEndsAtMs - 1) === periodEndsAtMs);
    if (!isAnniversary)
      yield `its period ends at ${sayTime(periodEndsAtMs)}, which is not an anniversary of ${sayTime(anchorAtMs)}`;
    if (plan !== 'trial' && periodEndsAtMs === null) yield `it is on ${plan} and has no period`;
    if (allowanceGiven < 0) yield `its period gave ${allowanceGiven}`;
    if (this.#period === undefined) return;
    const period = this.#period;
    if (period.periodEndsAtMs !== periodEndsAtMs) {
      yield `its journal says that its period ends ${period.periodEndsAtMs === null ? 'never' : `at ${sayTime(period.periodEndsAtMs)}`}; its row says ${periodEndsAtMs === null ? 'never' : sayTime(periodEndsAtMs)}`;
    }
    if (period.anchorAtMs !== anchorAtMs) {
      yield `its journal says that its anniversaries count from ${sayTime(period.anchorAtMs)}; its row says ${sayTime(anchorAtMs)}`;
    }
    const unknown = left.filter(({ endsAtMs }) => !this.#left.has(endsAtMs));
    // Kept from before the trim, under a clock that was ahead: what later periods gave depends on it.
    if (this.#reach === 'cut' && unknown.some(({ endsAtMs }) => endsAtMs > this.#knownFromMs)) return;
    if (period.allowanceGiven !== allowanceGiven) {
      yield `its journal says that its period gave ${period.allowanceGiven}; its row says ${allowanceGiven}`;
    }
    for (const [endsAtMs, given] of this.#left) {
      const stored = left.find((each) => each.endsAtMs === endsAtMs)?.allowanceGiven;
      if (stored === given) continue;
      yield `its period that ended at ${sayTime(endsAtMs)} gave ${given}, ${stored === undefined ? 'which is not stored' : `but ${stored} is stored`}`;
    }
    if (this.#reach === 'cut') return;
    for (const { endsAtMs } of unknown)
      yield `it never had the period that is stored as ended at ${sayTime(endsAtMs)}`;
  }
}

const isSameSuspension = (a: Suspension | null, b: Suspension | null): boolean =>
  a?.atMs === b?.atMs && a?.reason === b?.reason;

const saySuspension = (suspension: Suspension | null): string =>
  suspension === null
    ? 'not suspended'
    : `suspended since ${sayTime(suspension.atMs)} because "${suspension.reason}"`;

/** What a date can hold. */
const isTime = (atMs: number): boolean => Math.abs(atMs) <= 8.64e15;

export const sayTime = (atMs: number | null): string =>
  atMs === null || !isTime(atMs) ? String(atMs) : new Date(atMs).toISOString();
