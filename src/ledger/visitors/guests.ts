// Guests of the explorer: whoever looks at real places without signing in, where the operator has opened that. One account pays
// for all of them, so many calls a day; each host has its share of the day, so that nobody takes all of it.

import type { Spans } from '../calendar.ts';
import type { Limits, Terms } from '../ledger.ts';
import type { LimitHit } from '../rules.ts';
import { CallsByHost } from './calls-by-host.ts';

/** By its id there is one of it, however many machines open it. */
export const guestAccount = { accountId: 'acc_visitors', name: 'visitors', plan: 'enterprise' } as const;

export const isGuest = ({ accountId }: { readonly accountId: string }): boolean =>
  accountId === guestAccount.accountId;

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

/** What each host has had of the day. */
export class GuestShares {
  readonly #calls = new CallsByHost();

  /** Counts one more call of the host. One that has had its share is told so, and nothing is counted: neither here nor, by
   *  whoever asks, for the account, or one visitor would use up everybody's day with refusals. `limits` are the account's. */
  take(host: string, limits: Limits, spans: Spans): LimitHit | undefined {
    const { startMs, endMs } = spans.day;
    const share = limits.day === null ? undefined : shareOf(limits.day);
    if (share !== undefined && this.#calls.of(host).countIn('day', startMs) >= share)
      return { window: 'day', limit: share, resetAtMs: endMs };
    this.#calls.add(host, spans);
    return undefined;
  }
}
