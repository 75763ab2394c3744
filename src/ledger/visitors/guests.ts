// Guests of the explorer: whoever looks at real places without signing in, where the operator has opened that. One account pays
// for all of them, so many calls a day; each host has its share of the day, so that nobody takes all of it.

import { type Spans, spansAt } from '../calendar.ts';
import type { Admission, KnownAdmission, Terms } from '../ledger.ts';
import { CallsByHost } from './calls-by-host.ts';

/** By its id there is one of it, however many machines open it. */
export const guestAccount = { accountId: 'acc_visitors', name: 'visitors', plan: 'enterprise' } as const;

const longestMonthDays = 31;

/** The limit of the day is what holds; credits are enough for a month of it, whatever each call costs up to this. */
const dearestCallCredits = 2;

export const guestTerms = (callsPerDay: number): Terms => ({
  allowance: callsPerDay * longestMonthDays * dearestCallCredits,
  limits: { day: callsPerDay },
});

/** One page of a place, with what was typed to find it. */
const placeCalls = 25;
const sharers = 10;

const shareOf = (callsPerDay: number): number =>
  Math.min(callsPerDay, Math.max(placeCalls, Math.floor(callsPerDay / sharers)));

export class Guests {
  readonly #calls = new CallsByHost();
  /** All of them are one account, so that it tells where each of them stands. */
  #last: KnownAdmission | undefined;

  /** `ask` counts the call against the account. */
  admit(
    host: string,
    atMs: number,
    ask: () => Admission | Promise<Admission>,
  ): Admission | Promise<Admission> {
    const spans = spansAt(atMs);
    const refusal = this.#refusalOf(host, spans);
    if (refusal !== undefined) return refusal;
    this.#calls.add(host, spans);
    const admission = ask();
    return admission instanceof Promise
      ? admission.then((told) => this.#remember(told))
      : this.#remember(admission);
  }

  #remember(admission: Admission): Admission {
    if (admission.kind !== 'unknown') this.#last = admission;
    return admission;
  }

  #refusalOf(host: string, { day }: Spans): Admission | undefined {
    if (this.#last === undefined) return undefined;
    const { caller, standing } = this.#last;
    if (standing.limits.day === null) return undefined;
    const limit = shareOf(standing.limits.day);
    if (this.#calls.of(host).countIn('day', day.startMs) < limit) return undefined;
    return { kind: 'limited', caller, standing, window: 'day', limit, resetAtMs: day.endMs };
  }
}
