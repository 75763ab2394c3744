// The rules beside statements so naive that they can be believed: credits counted one by one, limits compared one by
// one, and what must hold for any values.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { spansAt } from '../../src/ledger/calendar.ts';
import {
  type Key,
  keyKinds,
  LedgerRefusal,
  type Limits,
  type PlanName,
  type Window,
} from '../../src/ledger/ledger.ts';
import { creditsMost, planNames, plans } from '../../src/ledger/plans.ts';
import {
  type AccountState,
  adjust,
  type Balances,
  changePlan,
  checkExpiry,
  checkMakeable,
  endRotated,
  findLimitHit,
  isPeriodAstray,
  isRefreshDue,
  keyState,
  type Movement,
  minuteRemaining,
  modeOf,
  nextRefresh,
  openAccount,
  quietSpan,
  refresh,
  spend,
} from '../../src/ledger/rules.ts';
import { dayMs } from '../../src/time.ts';
import { startMs } from './bench.ts';

const few = fc.nat(60);
const anyTime = fc.integer({ min: startMs, max: startMs + 3_000 * dayMs });
const anyBalances = fc.record({ monthly: few, lasting: few });
const balancesOf = ({ monthly, lasting }: { monthly: number; lasting: number }): Balances => ({
  balance: monthly + lasting,
  lasting,
});
const partsAfter = ({ balance, lasting }: Balances, movement: Movement) => ({
  monthly: balance - lasting + movement.credits - movement.lasting,
  lasting: lasting + movement.lasting,
});

describe('credits', () => {
  it('are spent one by one, the allowance first, or not at all', () => {
    fc.assert(
      fc.property(anyBalances, fc.integer({ min: 1, max: 130 }), (parts, credits) => {
        const movement = spend(balancesOf(parts), credits);
        let { monthly, lasting } = parts;
        for (let i = 0; i < credits; i++) {
          if (monthly > 0) monthly -= 1;
          else lasting -= 1;
        }
        if (lasting < 0) assert.equal(movement, 'insufficient');
        else {
          assert.ok(movement !== 'insufficient');
          assert.deepEqual(partsAfter(balancesOf(parts), movement), { monthly, lasting });
        }
      }),
    );
  });

  it('are taken back also where there are more than may be granted', () => {
    const { kind, movement } = adjust({ balance: 2 * creditsMost, lasting: 2 * creditsMost }, -5);
    assert.deepEqual([kind, movement], ['correction', { credits: -5, lasting: -5 }]);
  });

  it('are granted to last, and taken back from what lasts first', () => {
    fc.assert(
      fc.property(anyBalances, fc.integer({ min: -130, max: 130 }), (parts, credits) => {
        let { monthly, lasting } = parts;
        for (let i = 0; i < credits; i++) lasting += 1;
        for (let i = 0; i > credits; i--) {
          if (lasting > 0) lasting -= 1;
          else monthly -= 1;
        }
        if (credits === 0 || monthly < 0) {
          assert.throws(() => adjust(balancesOf(parts), credits), LedgerRefusal);
          return;
        }
        const { kind, movement } = adjust(balancesOf(parts), credits);
        assert.equal(kind, credits > 0 ? 'grant' : 'correction');
        assert.deepEqual(partsAfter(balancesOf(parts), movement), { monthly, lasting });
      }),
    );
  });
});

const anyPlan = fc.constantFrom<PlanName>(...planNames);
const anyState: fc.Arbitrary<AccountState> = fc
  .record({
    parts: anyBalances,
    plan: anyPlan,
    allowance: few,
    anchorAtMs: anyTime,
    periodEndsAtMs: fc.option(anyTime),
    allowanceGiven: few,
    closedAtMs: fc.option(anyTime),
  })
  .map(({ parts, ...rest }) => ({
    ...rest,
    ...balancesOf(parts),
    refreshAtMs: nextRefresh(rest.plan, rest),
  }));

describe('a period', () => {
  it('is opened with the allowance, and ends only on a plan that renews', () => {
    fc.assert(
      fc.property(anyPlan, few, anyTime, (plan, allowance, atMs) => {
        const { movement, period } = openAccount(plan, { allowance }, atMs);
        assert.deepEqual(movement, { credits: allowance, lasting: 0 });
        assert.equal(period.allowanceGiven, allowance);
        assert.equal(period.periodEndsAtMs === null, plan === 'trial');
        assert.ok(period.periodEndsAtMs === null || period.periodEndsAtMs > atMs);
      }),
    );
  });

  it('is refreshed once when it ends, neither on trial nor after closing', () => {
    fc.assert(
      fc.property(anyState, anyTime, (state, atMs) => {
        const isOver = state.periodEndsAtMs !== null && state.periodEndsAtMs <= atMs;
        const isDue = isRefreshDue(state, atMs);
        const isAstray = state.periodEndsAtMs !== null && state.periodEndsAtMs > atMs + 32 * dayMs;
        assert.equal(isDue, (isOver || isAstray) && state.plan !== 'trial' && state.closedAtMs === null);
        if (isAstray) return;
        const { movement, period } = refresh(state, atMs, 0);
        assert.deepEqual(partsAfter(state, movement), { monthly: state.allowance, lasting: state.lasting });
        assert.equal(period.allowanceGiven, state.allowance);
        const refreshAtMs = nextRefresh(state.plan, period);
        assert.equal(isRefreshDue({ ...state, refreshAtMs }, atMs), false, 'not twice');
      }),
    );
  });

  it('gives by any changes of plan no more than the largest allowance, and takes nothing', () => {
    const changes = fc.array(fc.record({ plan: anyPlan, allowance: few }), { maxLength: 12 });
    fc.assert(
      fc.property(anyState, changes, few, (begin, list, delayMs) => {
        const periodEndsAtMs = startMs + delayMs + 1;
        let state: AccountState = { ...begin, periodEndsAtMs };
        for (const { plan, allowance } of list) {
          const atMs = startMs + delayMs;
          const { movement, period } = changePlan(state, {
            plan,
            terms: { allowance },
            surplus: 'kept',
            atMs,
            givenBefore: 0,
          });
          assert.ok(movement.credits >= 0 && movement.lasting === 0);
          assert.equal(period.anchorAtMs, begin.anchorAtMs);
          assert.equal(period.periodEndsAtMs, periodEndsAtMs);
          const balance = state.balance + movement.credits;
          state = { ...state, ...period, balance, plan, allowance };
        }
        const largest = Math.max(begin.allowanceGiven, ...list.map(({ allowance }) => allowance));
        assert.equal(state.balance - begin.balance, largest - begin.allowanceGiven);
      }),
    );
  });

  it('begins with a change from trial if none is running; lasting credits stay', () => {
    fc.assert(
      fc.property(anyState, anyTime, few, (begin, atMs, allowance) => {
        const periodEndsAtMs = begin.periodEndsAtMs === null ? null : Math.min(begin.periodEndsAtMs, atMs);
        const state = { ...begin, plan: 'trial', periodEndsAtMs } as const;
        const { movement, period } = changePlan(state, {
          plan: 'basic',
          terms: { allowance },
          surplus: 'kept',
          atMs,
          givenBefore: 0,
        });
        assert.deepEqual(partsAfter(state, movement), { monthly: allowance, lasting: state.lasting });
        assert.deepEqual(period, openAccount('basic', { allowance }, atMs).period);
      }),
    );
  });
});

describe('windows', () => {
  const limit = fc.option(fc.integer({ min: 1, max: 5 }));
  const count = fc.integer({ min: 1, max: 7 });
  const anyLimits: fc.Arbitrary<Limits> = fc.record({ minute: limit, day: limit, month: limit });
  const anyUse: fc.Arbitrary<Record<Window, number>> = fc.record({ minute: count, day: count, month: count });

  it('admit a call that is within each limit, and tell the longest window that is not', () => {
    fc.assert(
      fc.property(anyLimits, anyUse, anyTime, (limits, used, atMs) => {
        const spans = spansAt(atMs);
        const over = (window: Window) => used[window] > (limits[window] ?? Number.POSITIVE_INFINITY);
        const expected = over('month')
          ? 'month'
          : over('day')
            ? 'day'
            : over('minute')
              ? 'minute'
              : undefined;
        const hit = findLimitHit(limits, { countIn: (window) => used[window] }, spans);
        assert.equal(hit?.window, expected);
        if (hit === undefined) return;
        assert.deepEqual([hit.limit, hit.resetAtMs], [limits[hit.window], spans[hit.window].endMs]);
      }),
    );
  });

  it('never have less than nothing left', () => {
    const remaining = (limits: Limits, used: number) =>
      minuteRemaining(limits, { countIn: () => used }, spansAt(startMs));
    assert.equal(remaining(plans.basic.limits, 4), 6);
    assert.equal(remaining(plans.basic.limits, 11), 0);
    assert.equal(remaining(plans.enterprise.limits, 11), null);
  });
});

describe('keys', () => {
  const anyLife = fc.record({ expiresAtMs: fc.option(anyTime), revokedAtMs: fc.option(anyTime) });
  const keyWith = (life: Pick<Key, 'expiresAtMs' | 'revokedAtMs'>, replacedBy: string | null): Key => ({
    keyId: 'key_1',
    accountId: 'acc_1',
    name: null,
    kind: 'live',
    lastFour: 'abcd',
    binding: null,
    createdAtMs: startMs,
    replacedBy,
    ...life,
  });

  it('work until they are revoked or expire', () => {
    fc.assert(
      fc.property(anyLife, anyTime, (life, atMs) => {
        const expected = life.revokedAtMs !== null || atMs >= (life.expiresAtMs ?? Number.POSITIVE_INFINITY);
        assert.equal(keyState(life, atMs) !== 'works', expected);
      }),
    );
    assert.throws(() => checkExpiry(startMs, startMs), LedgerRefusal);
    checkExpiry(startMs + 1, startMs);
    checkExpiry(null, startMs);
  });

  it('that are rotated end after the overlap, never later than before, at once without one', () => {
    const rotations = fc.record({
      atMs: anyTime,
      expiresInMs: fc.option(fc.integer({ min: -dayMs, max: 5 * dayMs })),
      overlapMs: fc.oneof(fc.constant(0), fc.nat(5 * dayMs)),
      replacedBy: fc.option(fc.constant('key_2'), { freq: 4 }),
      revokedAtMs: fc.option(anyTime, { freq: 4 }),
    });
    fc.assert(
      fc.property(rotations, ({ atMs, expiresInMs, overlapMs, replacedBy, revokedAtMs }) => {
        const expiresAtMs = expiresInMs === null ? null : atMs + expiresInMs;
        const key = keyWith({ expiresAtMs, revokedAtMs }, replacedBy);
        if (keyState(key, atMs) !== 'works' || replacedBy !== null) {
          assert.throws(() => endRotated(key, { overlapMs, atMs }), LedgerRefusal);
          return;
        }
        const end = endRotated(key, { overlapMs, atMs });
        const lastsMs = Math.min(overlapMs, expiresInMs ?? overlapMs);
        assert.equal(keyState(end, atMs + lastsMs), overlapMs === 0 ? 'revoked' : 'expired');
        if (overlapMs > 0) assert.equal(keyState(end, atMs + lastsMs - 1), 'works');
      }),
    );
    const key = keyWith({ expiresAtMs: null, revokedAtMs: null }, null);
    for (const overlapMs of [-1, 0.5, Number.NaN]) {
      assert.throws(() => endRotated(key, { overlapMs, atMs: startMs }), LedgerRefusal);
    }
  });

  it('of a kind that this program cannot bind admit nobody, and only those that customers keep are made for them', () => {
    assert.deepEqual(
      keyKinds.map((kind) => modeOf(kind)),
      ['live', 'test', 'live', 'live', undefined],
    );
    for (const kind of keyKinds.slice(3)) assert.throws(() => checkMakeable(kind), LedgerRefusal);
  });
});

describe('the quiet span of an account', () => {
  it('has every call that finds its period neither due nor astray, and no other', () => {
    const time = fc.integer({ min: startMs - 400 * dayMs, max: startMs + 400 * dayMs });
    const account = fc.record({
      plan: fc.constantFrom(...planNames),
      periodEndsAtMs: fc.option(time),
      closedAtMs: fc.option(time),
    });
    fc.assert(
      fc.property(account, time, fc.constantFrom(0, 1, -1), ({ plan, ...row }, anyMs, by) => {
        const state = { ...row, refreshAtMs: nextRefresh(plan, row) };
        const quiet = quietSpan(state);
        for (const atMs of [anyMs, quiet.startMs + by, quiet.endMs + by]) {
          if (Number.isNaN(new Date(atMs).getTime())) continue;
          const isQuiet = atMs >= quiet.startMs && atMs < quiet.endMs;
          assert.equal(!isQuiet, isRefreshDue(state, atMs) || isPeriodAstray(state, atMs));
        }
      }),
    );
  });
});
