// The ledger's rules: what a charge, a grant, a refresh and a change of plan do to the credits of an account, which
// calls its windows admit, when a key works. Pure functions over values: an engine reads, asks here and writes.

import { dayMs } from '../time.ts';
import { checkBinding } from './binding.ts';
import { anchorUpTo, nextAnniversary, type Span, type Spans } from './calendar.ts';
import { holdsKey } from './keys.ts';
import {
  type Charge,
  type Key,
  type KeyChange,
  type KeyKind,
  LedgerRefusal,
  type Limits,
  type MakeableKind,
  type Mode,
  type PlanName,
  type Surplus,
  type Terms,
  type Window,
  type WindowUse,
} from './ledger.ts';
import { allowanceOf, creditsMost, plans, windows } from './plans.ts';

/** `balance` is all that can be spent, `lasting` the part of it that no refresh resets. */
export type Balances = { readonly balance: number; readonly lasting: number };

/** What an entry of the journal does to the balances: `lasting` is a part of `credits`. */
export type Movement = { readonly credits: number; readonly lasting: number };

/** The month between two refreshes. It goes on when an account moves to trial, so that moving back starts no other. */
export type Period = {
  readonly anchorAtMs: number;
  /** null where none was ever started. */
  readonly periodEndsAtMs: number | null;
  /** The allowance that was given since it began. */
  readonly allowanceGiven: number;
};

/** What the rules look at in an account. */
export type AccountState = Balances &
  Period & {
    readonly plan: PlanName;
    readonly allowance: number;
    readonly refreshAtMs: number | null;
    readonly closedAtMs: number | null;
  };

/** What happens to an account at one moment: its credits move and perhaps a period begins. */
type Turn = { readonly movement: Movement; readonly period: Period };

/** Takes the allowance first: what is left of the balance is lasting as far as it reaches. */
export function spend({ balance, lasting }: Balances, credits: number): Movement | 'insufficient' {
  const left = balance - credits;
  return left < 0 ? 'insufficient' : { credits: -credits, lasting: Math.min(lasting, left) - lasting };
}

type Adjustment = { readonly kind: 'grant' | 'correction'; readonly movement: Movement };

/** A grant is lasting. A correction takes lasting credits first, so that it undoes a grant exactly. */
export function adjust({ balance, lasting }: Balances, credits: number): Adjustment {
  if (!Number.isSafeInteger(credits) || credits === 0) {
    throw new LedgerRefusal('Credits must be a whole number other than 0.');
  }
  if (balance + credits < 0) {
    throw new LedgerRefusal(`The balance is ${balance} and cannot fall below zero; take at most that.`);
  }
  if (credits > 0 && lasting + credits > creditsMost) {
    throw new LedgerRefusal(`An account holds at most ${creditsMost} lasting credits; grant less.`);
  }
  return credits > 0
    ? { kind: 'grant', movement: { credits, lasting: credits } }
    : { kind: 'correction', movement: { credits, lasting: -Math.min(lasting, -credits) } };
}

export function openAccount(plan: PlanName, terms: Terms, atMs: number): Turn {
  const allowance = allowanceOf(plan, terms);
  const periodEndsAtMs = plans[plan].renewal === 'monthly' ? nextAnniversary(atMs, atMs) : null;
  return {
    movement: { credits: allowance, lasting: 0 },
    period: { anchorAtMs: atMs, periodEndsAtMs, allowanceGiven: allowance },
  };
}

/** When the account is refreshed next; null on a plan that does not renew. */
export function nextRefresh(
  plan: PlanName,
  { periodEndsAtMs }: Pick<Period, 'periodEndsAtMs'>,
): number | null {
  return plans[plan].renewal === 'monthly' ? periodEndsAtMs : null;
}

/** Due to be made, or to be worked out again. */
export function isRefreshDue(
  { refreshAtMs, closedAtMs }: Pick<AccountState, 'refreshAtMs' | 'closedAtMs'>,
  atMs: number,
): boolean {
  return isEndDueOrAstray(refreshAtMs, atMs) && closedAtMs === null;
}

function isEndDueOrAstray(endMs: number | null, atMs: number): boolean {
  return endMs !== null && (atMs >= endMs || endMs - atMs > longestPeriodMs);
}

/** No month is longer. */
export const monthMostMs = 31 * dayMs;
/** A day more: calls in flight and a clock put right by hours are no reason to work anything out again. */
export const longestPeriodMs = monthMostMs + dayMs;

/** Calls in it find nothing to refresh and nothing astray: whoever has stored this need not
 *  look further. */
export function quietSpan({
  refreshAtMs,
  periodEndsAtMs,
  closedAtMs,
}: Pick<AccountState, 'refreshAtMs' | 'periodEndsAtMs' | 'closedAtMs'>): Span {
  const [always, never] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  if (closedAtMs !== null) return { startMs: always, endMs: never };
  return {
    startMs: periodEndsAtMs === null ? always : periodEndsAtMs - longestPeriodMs,
    endMs: refreshAtMs ?? never,
  };
}

/** The end of a period lies further ahead than any period is long: the clock was wrong when it began, or is wrong now. */
export function isPeriodAstray(
  { periodEndsAtMs, closedAtMs }: Pick<AccountState, 'periodEndsAtMs' | 'closedAtMs'>,
  atMs: number,
): boolean {
  return periodEndsAtMs !== null && periodEndsAtMs - atMs > longestPeriodMs && closedAtMs === null;
}

/** The period that holds `atMs` in place of one that lies astray. It gives nothing, and what was given stays. */
export function realign({ anchorAtMs, allowanceGiven }: Period, atMs: number, givenBefore: number): Period {
  const anchor = anchorUpTo(anchorAtMs, atMs);
  return {
    anchorAtMs: anchor,
    periodEndsAtMs: nextAnniversary(anchor, atMs),
    allowanceGiven: Math.max(allowanceGiven, givenBefore),
  };
}

/** Sets the allowance anew, once however many months have passed. `givenBefore` is what the period that begins has given
 *  already, which happens after the clock went back: then only the difference is given. */
export function refresh(account: AccountState, atMs: number, givenBefore: number): Turn {
  const { allowance } = account;
  const anchorAtMs = anchorUpTo(account.anchorAtMs, atMs);
  return {
    movement: beginningMovement(account, allowance, givenBefore),
    period: {
      anchorAtMs,
      periodEndsAtMs: nextAnniversary(anchorAtMs, atMs),
      allowanceGiven: Math.max(allowance, givenBefore),
    },
  };
}

function beginningMovement(balances: Balances, allowance: number, givenBefore: number): Movement {
  return givenBefore === 0
    ? allowanceMovement(balances, allowance)
    : { credits: Math.max(0, allowance - givenBefore), lasting: 0 };
}

/** A larger allowance adds what this period has not given yet. From trial a period begins, unless one still runs. What a smaller one
 *  has taken back counts as not given. */
export function changePlan(
  before: AccountState,
  change: {
    readonly plan: PlanName;
    readonly terms: Terms;
    readonly surplus: Surplus;
    readonly atMs: number;
    /** As with `refresh`. */
    readonly givenBefore: number;
  },
): Turn {
  const { plan, terms, surplus, atMs, givenBefore } = change;
  const allowance = allowanceOf(plan, terms);
  const { anchorAtMs, periodEndsAtMs, allowanceGiven } = before;
  const isRunning = periodEndsAtMs !== null && atMs < periodEndsAtMs;
  if (before.plan === 'trial' && plan !== 'trial' && !isRunning) {
    const { period } = openAccount(plan, terms, atMs);
    return {
      movement: beginningMovement(before, allowance, givenBefore),
      period: { ...period, allowanceGiven: Math.max(allowance, givenBefore) },
    };
  }
  const unspent = before.balance - before.lasting;
  const missing = allowance - allowanceGiven;
  const credits = Math.max(missing, surplus === 'taken back' ? 0 - unspent : 0);
  return {
    movement: { credits, lasting: 0 },
    period: { anchorAtMs, periodEndsAtMs, allowanceGiven: allowanceGiven + credits },
  };
}

function allowanceMovement({ balance, lasting }: Balances, allowance: number): Movement {
  return { credits: allowance - (balance - lasting), lasting: 0 };
}

/** Looked at before a charge is queued: one bad charge must not take the others of its batch down with it. */
export function checkCharge({ credits, atMs, caller }: Charge): RangeError | undefined {
  if (!Number.isSafeInteger(credits) || credits < 1) {
    return new RangeError('A charge takes a whole number of credits, at least 1.');
  }
  if (!Number.isSafeInteger(atMs)) {
    return new RangeError('A charge is made at a whole number of milliseconds.');
  }
  return caller.mode === 'test' ? new RangeError('A test key is never charged.') : undefined;
}

/** Calls of an account and mode, the one that is judged included. Asked only where there is a limit. */
type CallCounts = { readonly countIn: (window: Window, startMs: number) => number };

export type LimitHit = { readonly window: Window; readonly limit: number; readonly resetAtMs: number };

const longestFirst = ['month', 'day', 'minute'] as const;

/** Of several limits hit, the one that ends last is when it is worth trying again. */
export function findLimitHit(limits: Limits, calls: CallCounts, spans: Spans): LimitHit | undefined {
  for (const window of longestFirst) {
    const limit = limits[window];
    const { startMs, endMs } = spans[window];
    if (limit !== null && calls.countIn(window, startMs) > limit) return { window, limit, resetAtMs: endMs };
  }
  return undefined;
}

export function minuteRemaining({ minute }: Limits, calls: CallCounts, spans: Spans): number | null {
  return minute === null ? null : Math.max(0, minute - calls.countIn('minute', spans.minute.startMs));
}

/** Where every window stands. */
export function useOf(limits: Limits, calls: CallCounts, spans: Spans): WindowUse[] {
  return windows.map((window) => ({
    window,
    used: calls.countIn(window, spans[window].startMs),
    limit: limits[window],
    resetAtMs: spans[window].endMs,
  }));
}

/** How calls by a key of this kind are answered; undefined where this program cannot tell and admits none. */
export function modeOf(kind: KeyKind): Mode | undefined {
  if (isOfPages(kind)) return 'live';
  return kind === 'live' || kind === 'test' ? kind : undefined;
}

/** Whether keys of this kind are made for web pages, and so are bound to some. */
export const isOfPages = (kind: KeyKind): boolean => kind === 'publishable' || kind === 'web';

export function checkMakeable(kind: KeyKind): MakeableKind {
  if (kind === 'live' || kind === 'test' || kind === 'publishable') return kind;
  if (kind === 'web') {
    throw new LedgerRefusal(
      'The dashboard made this key for itself, and it ends by itself; make a key of your own.',
    );
  }
  throw new LedgerRefusal(`This version of Domesday makes no ${kind} keys; use the one that made this key.`);
}

const webKeyMs = 15 * 60_000;
/** That an account has at a time: as many pages as a few people have open. */
const webKeysMost = 20;

export const webKeyEnd = (atMs: number): number => atMs + webKeyMs;

/** Whoever gets a key that others have can still use it for a third of its time. */
export const isShareable = (expiresAtMs: number, atMs: number): boolean =>
  expiresAtMs - atMs > webKeyMs / 3 && expiresAtMs - atMs <= webKeyMs;

/** The web key that gives way to a new one: one that has ended or was made under a clock that was ahead, or where too many work, the
 *  oldest. Undefined where there is room for another: the rows of an account are as many as it ever had at a time. */
export function outgoingWebKey(keys: readonly Key[], atMs: number): Key | undefined {
  const byAge = keys.toSorted((a, b) => a.createdAtMs - b.createdAtMs);
  const ended = byAge.find((key) => keyState(key, atMs) !== 'works' || key.createdAtMs > atMs + webKeyMs);
  return ended ?? (keys.length < webKeysMost ? undefined : byAge[0]);
}

type KeyLife = Pick<Key, 'expiresAtMs' | 'revokedAtMs'>;

export function keyState(
  { expiresAtMs, revokedAtMs }: KeyLife,
  atMs: number,
): 'works' | 'revoked' | 'expired' {
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && atMs >= expiresAtMs ? 'expired' : 'works';
}

export function checkExpiry(expiresAtMs: number | null, atMs: number): void {
  if (expiresAtMs !== null && expiresAtMs <= atMs) {
    throw new LedgerRefusal('The expiry must be in the future.');
  }
}

/** The key as it is to be. Whoever has ended stays so, and one that was replaced ends when its rotation said. */
export function changedKey(key: Key, { atMs, ...change }: KeyChange): Key {
  const { keyId, accountId, kind, replacedBy } = key;
  checkMakeable(kind);
  if (keyState(key, atMs) !== 'works') {
    throw new LedgerRefusal(`${keyId} no longer works; make a new key for ${accountId} instead.`);
  }
  const { name = key.name, expiresAtMs = key.expiresAtMs } = change;
  if (expiresAtMs !== key.expiresAtMs) checkExpiry(expiresAtMs, atMs);
  if (replacedBy !== null && expiresAtMs !== key.expiresAtMs) {
    throw new LedgerRefusal(
      `${keyId} was rotated and ends at the time that was set then; change ${replacedBy} instead.`,
    );
  }
  const { endpoints = key.binding?.endpoints, addresses = key.binding?.addresses } = change;
  const wish = {
    origins: key.binding?.origins ?? null,
    endpoints: endpoints ?? null,
    addresses: addresses ?? null,
  };
  return { ...key, name, expiresAtMs, binding: checkBinding(kind, wish) };
}

/** When the old key of a rotation ends: at once without an overlap, and never later than it would have. */
export function endRotated(
  key: Key,
  rotation: { readonly overlapMs: number; readonly atMs: number },
): KeyLife {
  const { overlapMs, atMs } = rotation;
  if (!Number.isSafeInteger(overlapMs) || overlapMs < 0) {
    throw new LedgerRefusal('The overlap must be 0 or longer.');
  }
  const { keyId, accountId, expiresAtMs, replacedBy } = key;
  if (keyState(key, atMs) !== 'works') {
    throw new LedgerRefusal(`${keyId} no longer works; make a new key for ${accountId} instead.`);
  }
  if (replacedBy !== null) {
    throw new LedgerRefusal(`${keyId} has already been rotated; rotate ${replacedBy} instead.`);
  }
  return {
    expiresAtMs: Math.min(expiresAtMs ?? Number.POSITIVE_INFINITY, atMs + overlapMs),
    revokedAtMs: overlapMs === 0 ? atMs : null,
  };
}

/** Long enough to say why, short enough to be shown. */
const reasonMost = 500;

/** Of names, notes and reasons, which are kept and shown. */
export function checkNoKey(text: string | null | undefined): void {
  if (typeof text === 'string' && holdsKey(text)) {
    throw new LedgerRefusal('That text contains an API key, which would be stored and shown; leave it out.');
  }
}

export function checkReason(reason: string): void {
  checkNoKey(reason);
  if (reason.trim() === '') throw new LedgerRefusal('Say why the account is suspended; its owner reads it.');
  if (reason.length > reasonMost) throw new LedgerRefusal(`Say it in at most ${reasonMost} characters.`);
}

export function checkName(name: string): void {
  checkNoKey(name);
  if (name.trim() === '') throw new LedgerRefusal('An account needs a name.');
}
