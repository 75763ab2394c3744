// Admissions as the database makes them: what is asked of it for the calls of one turn, and what its rows say of each.

import { type Row, readNumber, readNumberOrNull, readWord } from '../../storage/rows.ts';
import { type Spans, spansAt } from '../calendar.ts';
import { type Admission, type Caller, keyKinds, type Limits, type Window } from '../ledger.ts';
import { limitsOf, planNames } from '../plans.ts';
import { findLimitHit, keyState, type LimitHit, minuteRemaining, modeOf, nextRefresh } from '../rules.ts';
import { readCaller, readTerms } from '../stored/records.ts';
import { isStorable } from '../stored/storage.ts';
import { type GuestShares, isGuest } from '../visitors/guests.ts';
import { bigints, frequent } from './database.ts';

export const unknown: Admission = { kind: 'unknown' };
const admittedKinds = keyKinds.filter((kind) => modeOf(kind) !== undefined);

export type Asked = { readonly keyHash: string; readonly atMs: number };

export const admitAll = frequent('SELECT * FROM domesday.admit_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)');
/** As `admit_1` tells it, without counting. */
export const pageKeyText = `SELECT keys.hash, keys.id AS key_id, keys.kind, keys.origins, keys.paths, keys.addresses, keys.expires_at, keys.revoked_at,
    accounts.id AS account_id, plan, suspended_at, own_allowance, own_minute_limit, own_day_limit, own_month_limit, balance,
    period_ends_at
  FROM domesday.keys JOIN domesday.accounts ON accounts.number = keys.account
  WHERE keys.hash = ANY ($1) AND keys.revoked_at IS NULL AND accounts.closed_at IS NULL`;

/** Calls by one key in one minute: however many they are, the database counts them by one change of a row. */
export type Group = {
  readonly keyHash: string;
  readonly spans: Spans;
  firstMs: number;
  lastMs: number;
  readonly asked: Asked[];
};

export function groupsOf(asked: readonly Asked[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const each of asked) {
    const { keyHash, atMs } = each;
    if (!isStorable(keyHash)) continue;
    const spans = spansAt(atMs);
    const name = `${spans.minute.startMs} ${keyHash}`;
    const group = groups.get(name);
    if (group === undefined) {
      groups.set(name, { keyHash, spans, firstMs: atMs, lastMs: atMs, asked: [each] });
    } else {
      group.firstMs = Math.min(group.firstMs, atMs);
      group.lastMs = Math.max(group.lastMs, atMs);
      group.asked.push(each);
    }
  }
  return [...groups.values()];
}

export function admitValues(groups: readonly Group[]): readonly unknown[] {
  return [
    groups.map(({ keyHash }) => keyHash),
    bigints(groups.map(({ firstMs }) => firstMs)),
    bigints(groups.map(({ asked }) => asked.length)),
    admittedKinds,
    bigints(groups.map(({ spans }) => spans.minute.startMs)),
    bigints(groups.map(({ spans }) => spans.minute.endMs)),
    bigints(groups.map(({ spans }) => spans.day.startMs)),
    bigints(groups.map(({ spans }) => spans.day.endMs)),
    bigints(groups.map(({ spans }) => spans.month.startMs)),
    bigints(groups.map(({ spans }) => spans.month.endMs)),
  ];
}

export const isDue = (row: Row, { firstMs, lastMs }: Group): boolean =>
  firstMs < readNumber(row, 'quiet_from') || lastMs >= readNumber(row, 'quiet_to');

export type Refreshed = { readonly balance: number; readonly refreshAtMs: number | null };

/** Which of the group's calls it is, and when it came. */
type Judge = (order: number, atMs: number) => Admission;

/** What the row of a group says is read once for all of its calls. */
export function judgeOf(row: Row, { spans, asked }: Group, refreshed: Refreshed | undefined): Judge {
  const facts = factsIn(row, refreshed);
  if (facts === undefined) return () => unknown;
  const counted = {
    minute: countedIn(row, 'minute'),
    day: countedIn(row, 'day'),
    month: countedIn(row, 'month'),
  };
  return (order, atMs) => {
    const after = asked.length - 1 - order;
    const countIn = (window: Window, startMs: number) =>
      counted[window].startMs === startMs ? counted[window].count - after : order + 1;
    return judged(facts, { atMs, spans, countIn });
  };
}

const countedIn = (row: Row, window: Window) => ({
  startMs: readNumber(row, `${window}_start`),
  count: readNumber(row, `${window}_count`),
});

type Counted = {
  readonly atMs: number;
  readonly spans: Spans;
  readonly countIn: (window: Window, startMs: number) => number;
  /** Of a limit that is not the account's. */
  readonly hit?: LimitHit;
};

/** Undefined where the call is to be counted: it is no guest's, or within the share of its host. */
export function beyondShare(row: Row, shares: GuestShares, { host, atMs }: PageCall): Admission | undefined {
  const facts = factsIn(row, undefined);
  if (facts === undefined || !isGuest(facts.caller) || keyState(facts.life, atMs) !== 'works')
    return undefined;
  const spans = spansAt(atMs);
  const hit = shares.take(host, facts.limits, spans);
  return hit && judged(facts, { atMs, spans, countIn: () => 0, hit });
}

type PageCall = { readonly host: string; readonly atMs: number };

/** What a row says of its key and account, whichever call asks. */
type Facts = {
  readonly caller: Caller;
  readonly life: { readonly expiresAtMs: number | null; readonly revokedAtMs: number | null };
  readonly limits: Limits;
  readonly suspendedAtMs: number | null;
  readonly balance: number;
  readonly refreshAtMs: number | null;
};

function factsIn(row: Row, refreshed: Refreshed | undefined): Facts | undefined {
  const caller = readCaller(row);
  if (caller === undefined) return undefined;
  const plan = readWord(row, 'plan', planNames);
  const { balance, refreshAtMs } = refreshed ?? {
    balance: readNumber(row, 'balance'),
    refreshAtMs: nextRefresh(plan, { periodEndsAtMs: readNumberOrNull(row, 'period_ends_at') }),
  };
  return {
    caller,
    life: {
      expiresAtMs: readNumberOrNull(row, 'expires_at'),
      revokedAtMs: readNumberOrNull(row, 'revoked_at'),
    },
    limits: limitsOf(plan, readTerms(row), caller.mode),
    suspendedAtMs: readNumberOrNull(row, 'suspended_at'),
    balance,
    refreshAtMs,
  };
}

function judged(facts: Facts, { atMs, spans, countIn, hit: other }: Counted): Admission {
  const { caller, limits } = facts;
  if (keyState(facts.life, atMs) !== 'works') return unknown;
  const calls = { countIn };
  const standing = {
    creditsRemaining: facts.balance,
    refreshAtMs: facts.refreshAtMs,
    limits,
    minuteRemaining: minuteRemaining(limits, calls, spans),
    minuteResetAtMs: spans.minute.endMs,
  };
  if (facts.suspendedAtMs !== null) return { kind: 'suspended', caller, standing };
  const hit = other ?? findLimitHit(limits, calls, spans);
  return hit === undefined
    ? { kind: 'admitted', caller, standing }
    : { kind: 'limited', caller, standing, ...hit };
}
