// Clocks that are wrong for a while, and allowances: whatever the clock and the plans do, no period gives more than the
// largest allowance it had, and a customer never waits longer than a month for the next refresh.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { anchorUpTo, nextAnniversary } from '../../src/ledger/calendar.ts';
import { hashKey } from '../../src/ledger/keys.ts';
import type { OpenLedger, PlanName } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { planNames, plans } from '../../src/ledger/plans.ts';
import { dayMs, hourMs, minuteMs } from '../../src/time.ts';
import { assertBooksAgree, charging, customer, startMs } from './bench.ts';

const wrongMs = Date.UTC(2037, 4, 5, 6);
const longestMs = 32 * dayMs;

let home = '';
let told: string[] = [];
let opened: OpenLedger | undefined;
const open = async (): Promise<OpenLedger> => {
  await opened?.ledger.close();
  opened = await openLedger({ home, tell: ({ message }) => told.push(message) });
  return opened;
};
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'domesday-clock-'));
  told = [];
});
afterEach(async () => {
  await opened?.ledger.close();
  opened = undefined;
  rmSync(home, { recursive: true });
});

describe('one call under a clock of 2037', () => {
  const terms = { allowance: 100 };
  for (const plan of planNames) {
    for (const way of ['admit', 'charge', 'command'] as const) {
      it(`${plan}, by ${way}: the refresh is worked out again once, gives nothing, and comes when it was due`, async () => {
        const { ledger, accounts, journals } = await open();
        const { accountId, hash, caller } = await customer(accounts, plan, terms);
        const due = (await accounts.findAccount(accountId, startMs))?.refreshAtMs ?? null;
        await ledger.charge(charging(caller, 'c1', 40, startMs + 1));
        await ledger.charge(charging(caller, 'c2', 10, wrongMs));
        const call = async (atMs: number, id: string) => {
          if (way === 'admit') await ledger.admit(hash, atMs);
          else if (way === 'charge') await ledger.charge(charging(caller, id, 1, atMs));
          else await accounts.findAccount(accountId, atMs);
        };
        const backMs = startMs + dayMs;
        const { astray } = await journals.verify(backMs);
        const renews = plan !== 'trial';
        assert.deepEqual(
          astray.map((each) => each.accountId),
          renews ? [accountId] : [],
        );
        const balanceBefore = renews ? 90 : 50;
        await call(backMs, 'c3');
        await call(backMs + 1, 'c4');
        const spent = way === 'charge' ? 2 : 0;
        const now = await accounts.findAccount(accountId, backMs + 2);
        assert.deepEqual([now?.balance, now?.refreshAtMs], [balanceBefore - spent, due]);
        assert.equal(told.length, renews ? 1 : 0, told.join('\n'));
        if (renews)
          assert.match(
            told[0] ?? '',
            new RegExp(
              `^The next refresh of ${accountId} was set to 2037-.* It is now at 2026-02-28T12:00:00.000Z; no credits`,
            ),
          );
        assert.deepEqual((await journals.verify(backMs)).astray, []);
        if (due !== null) {
          const after = await accounts.findAccount(accountId, due);
          assert.deepEqual([after?.balance, after?.refreshAtMs], [100, Date.UTC(2026, 2, 31, 12)]);
        }
        const kinds = (await accounts.journalOf(accountId)).filter(({ kind }) => kind === 'refresh').length;
        assert.equal(kinds, renews ? 2 : 0, 'one in 2037 and one that was due');
        await assertBooksAgree(accounts);
        const { breaks, contradictions } = await journals.verify(backMs);
        assert.deepEqual([breaks, contradictions], [[], []]);
      });
    }
  }

  it('leaves limits of minute, day and month as those of the time it is', async () => {
    const { ledger, accounts } = await open();
    const { hash, accountId } = await customer(accounts, 'basic');
    const admitAt = async (atMs: number) => (await ledger.admit(hash, atMs)).kind;
    for (let i = 0; i < 10; i++) assert.equal(await admitAt(wrongMs), 'admitted');
    assert.equal(await admitAt(wrongMs), 'limited');
    assert.equal(await admitAt(startMs), 'admitted', 'back again');
    const uses = await accounts.windowsOf(accountId, 'live', startMs);
    assert.deepEqual(
      uses.map(({ used }) => used),
      [1, 1, 1],
    );
    assert.deepEqual(
      uses.map(({ resetAtMs }) => resetAtMs <= startMs + 31 * dayMs),
      [true, true, true],
    );
  });

  it('ends no key for good', async () => {
    const { ledger, accounts } = await open();
    const { accountId } = await customer(accounts, 'basic');
    const expiresAtMs = startMs + 90 * dayMs;
    const { key } = await accounts.createKey({ accountId, kind: 'live', expiresAtMs, atMs: startMs });
    const admitAt = async (atMs: number) => (await ledger.admit(hashKey(key), atMs)).kind;
    assert.equal(await admitAt(wrongMs), 'unknown');
    assert.equal(await admitAt(startMs), 'admitted');
  });

  it('is told by where the time of the journal goes back', async () => {
    const { ledger, accounts, journals } = await open();
    const { accountId, caller } = await customer(accounts, 'trial');
    for (const [i, atMs] of [startMs + 5, startMs, wrongMs, startMs + 9].entries()) {
      await ledger.charge(charging(caller, `c${i}`, 1, atMs));
    }
    const { stepsBack } = await journals.verify(startMs);
    assert.deepEqual(
      stepsBack,
      [{ accountId, seq: 5, fromMs: wrongMs, toMs: startMs + 9 }],
      'not the 5 ms of calls in flight',
    );
  });
});

describe('an account made under a wrong clock', () => {
  for (const madeMs of [wrongMs, Date.UTC(2037, 2, 31, 12), Date.UTC(2036, 1, 29), Date.UTC(2027, 0, 31)]) {
    it(`of ${new Date(madeMs).toISOString()} is refreshed every month of the right one`, async () => {
      const { accounts } = await open();
      const made = await accounts.createAccount({ name: 'Ada', plan: 'basic', atMs: madeMs });
      let last = (await accounts.findAccount(made.accountId, startMs))?.refreshAtMs ?? 0;
      assert.ok(last > startMs && last <= startMs + longestMs);
      for (let month = 0; month < 14; month++) {
        const next = (await accounts.findAccount(made.accountId, last))?.refreshAtMs ?? 0;
        assert.ok(next > last && next <= last + longestMs);
        const day = new Date(madeMs).getUTCDate();
        const lastDay = new Date(
          Date.UTC(new Date(next).getUTCFullYear(), new Date(next).getUTCMonth() + 1, 0),
        ).getUTCDate();
        assert.equal(new Date(next).getUTCDate(), Math.min(day, lastDay));
        last = next;
      }
      assert.equal(told.length, 1);
    });
  }
});

describe('a clock', () => {
  it('that steps back over a refresh, by seconds or by weeks, gives it once', async () => {
    for (const stepMs of [1, 10_000, hourMs, dayMs, 3 * dayMs, 20 * dayMs, 40 * dayMs, 20_000 * dayMs]) {
      const { ledger, accounts } = await open();
      const { accountId, caller } = await customer(accounts, 'basic', { allowance: 100 });
      const dueMs = Date.UTC(2026, 1, 28, 12);
      const spendAll = async (atMs: number) => {
        const balance = (await accounts.findAccount(accountId, atMs))?.balance ?? 0;
        if (balance > 0)
          await ledger.charge(charging(caller, `${accountId} ${atMs} ${balance}`, balance, atMs));
        return balance;
      };
      let had = await spendAll(startMs);
      had += await spendAll(dueMs + 1);
      had += await spendAll(dueMs + 1 - stepMs);
      had += await spendAll(dueMs + 2);
      had += await spendAll(dueMs + 3 * dayMs);
      assert.equal(had, 200, `a step of ${stepMs} ms`);
      had += await spendAll(Date.UTC(2026, 2, 31, 12));
      assert.equal(had, 300, 'and the next one comes');
    }
  });

  it('that began in 1970 takes nothing from a customer and gives nothing twice', async () => {
    const { ledger, accounts } = await open();
    const { accountId, caller } = await customer(accounts, 'basic', { allowance: 100 });
    await ledger.charge(charging(caller, 'c1', 60, startMs + 1));
    await ledger.charge(charging(caller, 'c2', 1, 5_000));
    const account = await accounts.findAccount(accountId, startMs + hourMs);
    assert.deepEqual([account?.balance, account?.refreshAtMs], [39, Date.UTC(2026, 1, 28, 12)]);
  });
});

describe('an anchor', () => {
  it('that lies ahead goes back by whole months and keeps its anniversaries', () => {
    const anyTime = fc.integer({ min: 0, max: Date.UTC(2090, 0, 1) });
    fc.assert(
      fc.property(anyTime, anyTime, (anchorMs, atMs) => {
        const moved = anchorUpTo(anchorMs, atMs);
        assert.ok(moved <= atMs && moved <= anchorMs);
        if (anchorMs <= atMs) assert.equal(moved, anchorMs);
        else assert.ok(atMs - moved < 63 * dayMs);
        const later = Math.max(anchorMs, atMs);
        assert.equal(nextAnniversary(moved, later), nextAnniversary(anchorMs, later));
      }),
    );
  });
});

describe('a period', () => {
  type Step =
    | { readonly step: 'plan'; readonly plan: PlanName; readonly allowance: number | undefined }
    | { readonly step: 'wait'; readonly ms: number }
    | { readonly step: 'spend'; readonly credits: number }
    | { readonly step: 'reopen' };
  const far = [
    11 * 365 * dayMs,
    400 * dayMs,
    45 * dayMs,
    31 * dayMs,
    27 * dayMs,
    5 * dayMs,
    hourMs,
    minuteMs,
  ];
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        step: fc.constant('plan'),
        plan: fc.constantFrom<PlanName>('trial', 'trial', 'basic', 'standard', 'premium'),
        allowance: fc.option(fc.constantFrom(0, 10, 7_000), { nil: undefined }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        step: fc.constant('wait'),
        ms: fc.constantFrom(...far, ...far.map((ms) => -ms)),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ step: fc.constant('spend'), credits: fc.integer({ min: 1, max: 120_000 }) }),
    },
    { weight: 1, arbitrary: fc.record({ step: fc.constant('reopen') }) },
  );
  let runs = 0;
  let root = '';
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'domesday-periods-'));
  });
  after(() => rmSync(root, { recursive: true }));

  /** What each period gave, by its end, counted from what the journal says was given when. */
  async function follow(plan: PlanName, steps: readonly Step[]): Promise<void> {
    const at = join(root, String(runs++));
    let books = await openLedger({ home: at });
    const made = await books.accounts.createAccount({ name: 'Ada', plan, atMs: startMs });
    const { accountId } = made;
    const { keyId } = await books.accounts.createKey({ accountId, kind: 'live', atMs: startMs });
    let nowMs = startMs;
    let current: PlanName = plan;
    let allowance = made.allowance;
    /** The end of the last period that was seen; trial has none to show. */
    let endMs = made.refreshAtMs;
    const given = new Map<number, number>();
    const largest = new Map<number, number>();
    const note = (end: number, credits: number) => {
      given.set(end, (given.get(end) ?? 0) + credits);
      largest.set(end, Math.max(largest.get(end) ?? 0, allowance));
    };
    if (endMs !== null) note(endMs, made.balance);
    let seen = (await books.accounts.journalOf(accountId))[0]?.seq ?? 0;
    for (const [i, each] of steps.entries()) {
      if (each.step === 'wait') nowMs = Math.max(0, nowMs + each.ms);
      if (each.step === 'reopen') {
        await books.ledger.close();
        books = await openLedger({ home: at });
      }
      const { ledger, accounts } = books;
      // Refreshes belong to the plan of before the change.
      await takeIn(await accounts.findAccount(accountId, nowMs));
      if (each.step === 'spend') {
        const caller = { accountId, keyId, mode: 'live' } as const;
        await ledger.charge(charging(caller, `c${i}`, each.credits, nowMs));
      }
      if (each.step === 'plan') {
        const terms = each.allowance === undefined ? {} : { allowance: each.allowance };
        const changed = await accounts.changePlan(accountId, { plan: each.plan, terms, atMs: nowMs });
        current = each.plan;
        allowance = changed.allowance;
        await takeIn(changed);
      }
    }
    await assertBooksAgree(books.accounts);
    const { breaks, contradictions } = await books.journals.verify(nowMs);
    assert.deepEqual([breaks, contradictions], [[], []]);
    await books.ledger.close();
    for (const [end, credits] of given) {
      const most = largest.get(end) ?? 0;
      assert.ok(
        credits <= most,
        `${credits} in the period to ${new Date(end).toISOString()}, at most ${most}`,
      );
    }

    async function takeIn(account: { readonly refreshAtMs: number | null } | undefined): Promise<void> {
      const entries = await books.accounts.journalOf(accountId);
      const fresh = entries.filter(({ seq }) => seq > seen).reverse();
      seen = entries[0]?.seq ?? seen;
      if (account?.refreshAtMs != null) endMs = account.refreshAtMs;
      if (account?.refreshAtMs != null)
        assert.ok(account.refreshAtMs > nowMs && account.refreshAtMs - nowMs <= longestMs);
      if (endMs === null || (current === 'trial' && endMs <= nowMs)) return;
      for (const { kind, credits, lasting, balanceAfter, lastingAfter, note: words } of fresh) {
        assert.equal(lasting, 0);
        const isPlan = words?.startsWith('plan ') === true;
        const isAnew = kind === 'refresh' || (isPlan && /^plan trial to (?!trial)/.test(words ?? ''));
        if (!isAnew && !isPlan) continue;
        // Setting the allowance anew gives the whole of it, unless it left the rest of the one before as it was.
        const setAnew = isAnew && !given.has(endMs) && balanceAfter - lastingAfter === allowance;
        note(endMs, setAnew ? allowance : Math.max(0, credits));
      }
      largest.set(endMs, Math.max(largest.get(endMs) ?? 0, allowance));
    }
  }

  it('gives no more than the largest allowance it had, whatever plans, trials and clock do', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<PlanName>('trial', 'basic', 'standard'),
        fc.array(step, { minLength: 3, maxLength: 25 }),
        follow,
      ),
      { numRuns: 150 },
    );
  });

  it('gives the difference once for any way between plans', async () => {
    const { accounts } = await open();
    const { accountId } = await customer(accounts, 'basic');
    for (const plan of [
      'standard',
      'basic',
      'trial',
      'standard',
      'premium',
      'trial',
      'basic',
      'premium',
    ] as const) {
      await accounts.changePlan(accountId, { plan, atMs: startMs });
    }
    assert.equal((await accounts.findAccount(accountId, startMs))?.balance, plans.premium.allowance);
  });
});
