// What a dashboard and an operator may ask of any engine: suspended accounts, keys that are bound and changed, keys of the
// dashboard's own pages, and what is told of use.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { monthName } from '../../src/ledger/calendar.ts';
import { hashKey } from '../../src/ledger/keys.ts';
import { KeysFull, LedgerRefusal } from '../../src/ledger/ledger.ts';
import type { JournalEntry } from '../../src/ledger/told/entries.ts';
import { dayMs, hourMs, minuteMs } from '../../src/time.ts';
import { type Bench, charging, customer, type Engine, type Guarantee, runsOf, startMs } from './bench.ts';

export async function assertSound({ journals }: Pick<Bench, 'journals'>, atMs = startMs): Promise<void> {
  const { breaks, different, contradictions } = await journals.verify(atMs);
  assert.deepEqual([breaks, different, contradictions], [[], [], []]);
}

export function suspensionGuarantees(guarantee: Guarantee): void {
  guarantee('an account is renamed wherever it is asked, and its journal holds', async (bench) => {
    const { accounts, storage, beside } = bench;
    const { accountId } = await customer(accounts);
    const other = await beside();
    const before = await accounts.findAccount(accountId, startMs);
    assert.deepEqual(await accounts.renameAccount(accountId, 'Another name'), {
      ...before,
      name: 'Another name',
    });
    await storage.nextRequest();
    for (const each of [accounts, other.accounts])
      assert.equal((await each.findAccount(accountId, startMs))?.name, 'Another name');
    const page = { search: 'another', also: [], limit: 5, after: undefined, atMs: startMs };
    assert.equal((await accounts.accountPage(page)).accounts[0]?.accountId, accountId);
    await assert.rejects(accounts.renameAccount(accountId, ''), LedgerRefusal);
    await accounts.closeAccount(accountId, startMs);
    await assert.rejects(accounts.renameAccount(accountId, 'Too late'), LedgerRefusal);
    await assertSound(bench);
  });

  guarantee('a suspended account is refused at the next request, wherever it is asked', async (bench) => {
    const { ledger, accounts, storage, beside } = bench;
    const { accountId, hash, caller } = await customer(accounts, 'basic', { limits: { minute: 3 } });
    const other = await beside();
    assert.equal((await other.ledger.admit(hash, startMs)).kind, 'admitted');
    const suspension = { atMs: startMs + 1, reason: 'bills unpaid: two of them' };
    const suspended = await accounts.suspendAccount(accountId, suspension);
    assert.deepEqual(suspended.suspended, suspension);
    await storage.nextRequest();
    for (const each of [ledger, other.ledger]) {
      const admission = await each.admit(hash, startMs + 2);
      assert.ok(admission.kind === 'suspended');
      assert.deepEqual(admission.caller, caller);
      assert.equal(admission.standing.creditsRemaining, 5_000);
    }
    await storage.settle(other);
    const [minute] = await accounts.windowsOf(accountId, 'live', startMs);
    assert.equal(minute?.used, 3, 'it counts like any call');
    assert.equal((await ledger.admit(hash, startMs + 3)).kind, 'suspended', 'waiting would not end it');
    assert.deepEqual((await accounts.findAccount(accountId, startMs))?.suspended, suspension);
    await assertSound(bench);
    const resumed = await accounts.resumeAccount(accountId, startMs + minuteMs);
    assert.equal(resumed.suspended, null);
    await storage.nextRequest();
    assert.equal((await other.ledger.admit(hash, startMs + minuteMs)).kind, 'admitted');
    const entries = await accounts.journalOf(accountId);
    const noted = entries.filter(({ note }) => /^(suspended|resumed)/.test(note ?? ''));
    assert.deepEqual(
      noted.map(({ kind, credits, note }) => [kind, credits, note]),
      [
        ['correction', 0, 'resumed'],
        ['correction', 0, 'suspended: bills unpaid: two of them'],
      ],
    );
    await assertSound(bench);
  });

  guarantee(
    'an account is suspended once, for a reason, and nobody suspends the public one',
    async (bench) => {
      const { accounts } = bench;
      const { accountId } = await customer(accounts);
      await accounts.openPublicSandbox(startMs);
      const refuse = (work: Promise<unknown>, why: string) => assert.rejects(work, LedgerRefusal, why);
      await refuse(accounts.resumeAccount(accountId, startMs), 'not suspended');
      for (const reason of ['', '  ', 'x'.repeat(501)]) {
        await refuse(accounts.suspendAccount(accountId, { reason, atMs: startMs }), reason);
      }
      await refuse(accounts.suspendAccount('acc_public', { reason: 'x', atMs: startMs }), 'public');
      await accounts.suspendAccount(accountId, { reason: 'x', atMs: startMs });
      await refuse(accounts.suspendAccount(accountId, { reason: 'y', atMs: startMs }), 'again');
      assert.equal((await accounts.findAccount(accountId, startMs))?.suspended?.reason, 'x');
      await accounts.changePlan(accountId, { plan: 'basic', atMs: startMs });
      await accounts.grantCredits(accountId, { credits: 5, atMs: startMs });
      assert.equal((await accounts.findAccount(accountId, startMs))?.suspended?.reason, 'x', 'it stays so');
      await accounts.closeAccount(accountId, startMs);
      await refuse(accounts.resumeAccount(accountId, startMs), 'closed');
      await assertSound(bench);
    },
  );
}

export function boundKeyGuarantees(guarantee: Guarantee): void {
  guarantee('any key can be bound to endpoints and addresses, and tells so', async (bench) => {
    const { ledger, accounts } = bench;
    const { accountId } = await customer(accounts);
    const wished = {
      endpoints: ['/bank-rates'],
      addresses: ['203.0.113.7', '2001:DB8::/32', '203.0.113.7/32'],
    };
    const kept = {
      origins: null,
      endpoints: ['/bank-rates'],
      addresses: ['203.0.113.7/32', '2001:db8::/32'],
    };
    for (const kind of ['live', 'test'] as const) {
      const made = await accounts.createKey({ accountId, kind, binding: wished, atMs: startMs });
      const admission = await ledger.admit(hashKey(made.key), startMs);
      assert.ok(admission.kind === 'admitted');
      assert.deepEqual(admission.caller, { accountId, keyId: made.keyId, mode: kind, binding: kept });
      const rotated = await accounts.rotateKey(made.keyId, { overlapMs: 0, atMs: startMs });
      assert.deepEqual((await accounts.findKey(accountId, rotated.keyId))?.binding, kept);
    }
    const free = await accounts.createKey({ accountId, kind: 'live', binding: {}, atMs: startMs });
    assert.equal((await accounts.findKey(accountId, free.keyId))?.binding, null);
    const many = Array.from({ length: 51 }, (_, i) => `10.0.0.${i}`);
    for (const binding of [
      { endpoints: [] },
      { addresses: [] },
      { addresses: ['10.0.0.1/8'] },
      { addresses: ['10.0.0.0/33'] },
      { addresses: ['localhost'] },
      { addresses: ['fe80::1%eth0'] },
      { addresses: [''] },
      { addresses: many },
    ]) {
      const made = accounts.createKey({ accountId, kind: 'live', binding, atMs: startMs });
      await assert.rejects(made, LedgerRefusal, JSON.stringify(binding));
    }
    // Names, notes and reasons are kept and shown, so that none may have a key in it.
    const text = `not here: ${free.key}`;
    for (const refused of [
      () => accounts.createKey({ accountId, kind: 'live', name: text, atMs: startMs }),
      () => accounts.changeKey(free.keyId, { name: text, atMs: startMs }),
      () => accounts.createAccount({ name: text, plan: 'trial', atMs: startMs }),
      () => accounts.grantCredits(accountId, { credits: 1, note: text, atMs: startMs }),
      () => accounts.suspendAccount(accountId, { reason: text, atMs: startMs }),
    ]) {
      await assert.rejects(refused(), LedgerRefusal);
    }
    await assertSound(bench);
  });

  guarantee(
    'no more keys than were allowed are made, however many are made at once and where',
    async (bench) => {
      const { accounts, beside } = bench;
      const { accountId } = await customer(accounts);
      const other = await beside();
      await accounts.createWebKey(accountId, startMs);
      const keysMost = 5;
      const tries = Array.from({ length: 12 }, (_, at) => {
        const half = at % 2 === 0 ? accounts : other.accounts;
        return half.createKey({ accountId, kind: 'live', keysMost, atMs: startMs });
      });
      const settled = await Promise.allSettled(tries);
      const made = settled.filter(({ status }) => status === 'fulfilled');
      assert.equal(made.length, keysMost - 1, 'the first key counts, that of a page does not');
      assert.equal((await accounts.listKeys(accountId)).length, keysMost);
      for (const half of [accounts, other.accounts]) {
        await assert.rejects(half.createKey({ accountId, kind: 'test', keysMost, atMs: startMs }), KeysFull);
      }
      await accounts.createKey({ accountId, kind: 'test', atMs: startMs });
      assert.equal((await accounts.listKeys(accountId)).length, keysMost + 1, 'the operator may');
      await assertSound(bench);
    },
  );

  guarantee('a key is rotated however many there are, and what has ended makes room', async (bench) => {
    const { accounts } = bench;
    const { accountId, caller } = await customer(accounts);
    const wish = { accountId, kind: 'live', keysMost: 3, atMs: startMs } as const;
    const revoked = await accounts.createKey(wish);
    await accounts.createKey({ ...wish, expiresAtMs: startMs + 60_000 });
    await assert.rejects(accounts.createKey(wish), KeysFull);
    const overlapping = await accounts.rotateKey(caller.keyId, { overlapMs: 60_000, atMs: startMs });
    const leaked = await accounts.rotateKey(overlapping.keyId, { overlapMs: 0, atMs: startMs });
    await assert.rejects(accounts.createKey(wish), KeysFull);
    await accounts.revokeKey(revoked.keyId, startMs);
    await accounts.createKey(wish);
    await assert.rejects(accounts.createKey(wish), KeysFull);
    await accounts.createKey({ ...wish, atMs: startMs + 60_000 });
    await accounts.rotateKey(leaked.keyId, { overlapMs: 0, atMs: startMs + 60_000 });
    await assertSound(bench);
  });

  guarantee('a key that is changed is another at the next request, wherever it is asked', async (bench) => {
    const { ledger, accounts, storage, beside } = bench;
    const { accountId, hash, caller } = await customer(accounts);
    const other = await beside();
    await other.ledger.admit(hash, startMs);
    const endsMs = startMs + hourMs;
    const changed = await accounts.changeKey(caller.keyId, {
      name: 'new',
      expiresAtMs: endsMs,
      endpoints: ['/crime'],
      addresses: ['10.0.0.0/8'],
      atMs: startMs,
    });
    const binding = { origins: null, endpoints: ['/crime'], addresses: ['10.0.0.0/8'] };
    assert.deepEqual([changed.name, changed.expiresAtMs, changed.binding], ['new', endsMs, binding]);
    assert.deepEqual(await accounts.findKey(accountId, caller.keyId), changed);
    await storage.nextRequest();
    for (const each of [ledger, other.ledger]) {
      const admission = await each.admit(hash, startMs + 1);
      assert.ok(admission.kind === 'admitted');
      assert.deepEqual(admission.caller.binding, binding);
    }
    assert.equal((await other.ledger.admit(hash, endsMs)).kind, 'unknown');
    const partly = await accounts.changeKey(caller.keyId, {
      addresses: null,
      expiresAtMs: null,
      atMs: startMs,
    });
    assert.deepEqual(
      [partly.name, partly.expiresAtMs, partly.binding],
      ['new', null, { origins: null, endpoints: ['/crime'], addresses: null }],
      'what is not named stays',
    );
    const free = await accounts.changeKey(caller.keyId, { name: null, endpoints: null, atMs: startMs });
    assert.deepEqual([free.name, free.binding], [null, null]);
    await storage.nextRequest();
    const again = await other.ledger.admit(hash, endsMs);
    assert.ok(again.kind === 'admitted');
    assert.ok(!('binding' in again.caller));
    await assertSound(bench);
  });

  guarantee('a change revives no key, and moves neither origins nor the end of a rotation', async (bench) => {
    const { accounts } = bench;
    const { accountId, caller } = await customer(accounts);
    const { keyId } = caller;
    const refuse = (change: object, why: string, of = keyId) =>
      assert.rejects(accounts.changeKey(of, { atMs: startMs + 2, ...change }), LedgerRefusal, why);
    await refuse({ expiresAtMs: startMs }, 'in the past');
    const rotated = await accounts.rotateKey(keyId, { overlapMs: hourMs, atMs: startMs });
    await refuse({ expiresAtMs: null }, 'its rotation ends it');
    await accounts.changeKey(keyId, { name: 'old', addresses: ['10.0.0.0/8'], atMs: startMs });
    await refuse({ name: 'x', atMs: startMs + hourMs }, 'it has ended');
    await accounts.revokeKey(rotated.keyId, startMs);
    await refuse({ expiresAtMs: null }, 'revoked', rotated.keyId);
    await refuse({ name: 'x' }, 'there is none', 'key_none');
    const binding = { origins: ['https://www.example.com'] };
    const page = await accounts.createKey({ accountId, kind: 'publishable', binding, atMs: startMs });
    const changed = await accounts.changeKey(page.keyId, { endpoints: ['/crime'], atMs: startMs });
    assert.deepEqual(changed.binding, { ...binding, endpoints: ['/crime'], addresses: null });
    const other = await customer(accounts);
    assert.equal(await accounts.findKey(other.accountId, page.keyId), undefined, 'of another account');
    await assertSound(bench);
  });
}

const quarterMs = 15 * minuteMs;

export function webKeyGuarantees(guarantee: Guarantee): void {
  guarantee(
    'a web key is live for a quarter of an hour, for our own pages, and is not listed',
    async (bench) => {
      const { ledger, accounts } = bench;
      const { accountId } = await customer(accounts, 'basic', { allowance: 3 });
      const made = await accounts.createWebKey(accountId, startMs);
      assert.match(made.key, /^dd_web_/);
      assert.equal(made.expiresAtMs, startMs + quarterMs);
      const admission = await ledger.admit(hashKey(made.key), startMs + quarterMs - 1);
      assert.ok(admission.kind === 'admitted');
      const { mode, binding } = admission.caller;
      assert.deepEqual([mode, binding], ['live', { origins: 'own', endpoints: null, addresses: null }]);
      assert.equal((await ledger.charge(charging(admission.caller, 'c1', 2))).creditsRemaining, 1);
      assert.equal((await ledger.admit(hashKey(made.key), startMs + quarterMs)).kind, 'unknown');
      assert.equal((await accounts.listKeys(accountId)).length, 1);
      assert.equal((await accounts.findKey(accountId, made.keyId))?.kind, 'web');
      const rotation = { overlapMs: 0, atMs: startMs };
      await assert.rejects(accounts.rotateKey(made.keyId, rotation), LedgerRefusal);
      await assert.rejects(
        accounts.changeKey(made.keyId, { expiresAtMs: null, atMs: startMs }),
        LedgerRefusal,
      );
      await assertSound(bench);
    },
  );

  guarantee('web keys of an account are few, and what was called by them stays', async (bench) => {
    const { ledger, accounts } = bench;
    const { accountId } = await customer(accounts);
    const ids = new Set<string>();
    const makeAt = async (atMs: number) => {
      const made = await accounts.createWebKey(accountId, atMs);
      ids.add(made.keyId);
      const admission = await ledger.admit(hashKey(made.key), atMs);
      assert.ok(admission.kind === 'admitted', 'a new one works');
      await ledger.charge(charging(admission.caller, made.key, 1, atMs));
      return made;
    };
    const together = [];
    for (let count = 0; count < 21; count++) together.push(await makeAt(startMs + count));
    assert.equal(ids.size, 20, 'the oldest gave way');
    const [first, second] = together;
    assert.ok(first && second);
    assert.equal((await ledger.admit(hashKey(first.key), startMs + 30)).kind, 'unknown');
    assert.equal((await ledger.admit(hashKey(second.key), startMs + 30)).kind, 'admitted');
    for (let count = 0; count < 5; count++) await makeAt(startMs + (count + 1) * hourMs);
    assert.equal(ids.size, 20, 'those that have ended give way');
    const calls = (await accounts.keyUse(accountId)).map((use) => use.calls);
    assert.equal(
      calls.reduce((sum, each) => sum + each, 0),
      26,
    );
    const revoked = await makeAt(startMs + dayMs);
    await accounts.revokeKey(revoked.keyId, startMs + dayMs);
    for (let count = 0; count < 20; count++) await makeAt(startMs + dayMs + count);
    assert.equal(ids.size, 20);
    await assertSound(bench, startMs + dayMs);
  });

  guarantee(
    'web keys that were made while the clock was ahead give way first, so that pages of today do not end each other',
    async (bench) => {
      const { ledger, accounts } = bench;
      const { accountId } = await customer(accounts);
      for (let count = 0; count < 20; count++)
        await accounts.createWebKey(accountId, startMs + 365 * dayMs + count);
      const today = [];
      for (let count = 0; count < 20; count++)
        today.push(await accounts.createWebKey(accountId, startMs + count));
      for (const { key } of today)
        assert.equal((await ledger.admit(hashKey(key), startMs + 30)).kind, 'admitted');
      await assertSound(bench);
    },
  );
}

type Done = {
  readonly who: number;
  readonly atMs: number;
  readonly credits: number;
  readonly status: number;
};

/** From the end of January to the beginning of April, with calls at the very ends of months. */
const anyTime = fc.oneof(
  fc.nat(64 * 24).map((hours) => startMs + hours * hourMs),
  fc.constantFrom(Date.UTC(2026, 1, 1), Date.UTC(2026, 2, 1) - 1, Date.UTC(2026, 2, 1)),
);
const anyDeed = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('charge'), credits: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('free'), status: fc.constantFrom(200, 400, 404) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('grant'), credits: fc.constantFrom(7, -2) }) },
);
const anyHistory = fc.array(fc.record({ who: fc.nat(1), atMs: anyTime, deed: anyDeed }), {
  minLength: 1,
  maxLength: 25,
});

const endMs = startMs + 65 * dayMs;
const months = ['2026-01', '2026-02', '2026-03', '2026-04'];

export function historyGuarantees(guarantee: Guarantee, engine: Engine): void {
  quietMonthGuarantees(guarantee);
  guarantee('what is told of use, months and statements is what was done, in any order', async (bench) => {
    const { accounts } = bench;
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const customers = [await customer(accounts, 'basic', { allowance: 50 }), await customer(accounts)];
        const done = await live(bench, customers, history);
        for (const [who, { accountId, caller }] of customers.entries()) {
          const own = done.filter((each) => each.who === who);
          await assertUse(bench, accountId, caller.keyId, own);
          await assertStatements(bench, accountId, own);
        }
        await assertTotals(bench, customers, done);
      }),
      { numRuns: runsOf(engine, 25) },
    );
    await assertSound(bench, endMs);
  });

  guarantee('a month that is none, or of which entries are gone, has no statement', async (bench) => {
    const { accounts, journals, ledger } = bench;
    const { accountId } = await customer(accounts, 'basic');
    const refuse = (month: string) =>
      assert.rejects(accounts.statement(accountId, month, endMs), LedgerRefusal, month);
    for (const month of ['2026-1', '2026-13', '2026', '', '0000-01', '2025-12', '2026-05'])
      await refuse(month);
    await assert.rejects(accounts.monthTotals('2026-00'), LedgerRefusal);
    await assert.rejects(accounts.journalPage(accountId, { month: 'May', limit: 5 }), LedgerRefusal);
    assert.equal((await accounts.statement(accountId, '2026-01', startMs)).closingBalance, 5_000);
    const old = await customer(accounts, 'basic');
    const lateMs = startMs + 190 * dayMs;
    await ledger.charge(charging(old.caller, 'c1', 4, startMs + dayMs));
    await ledger.charge(charging(old.caller, 'c2', 4, lateMs));
    await journals.trim({ beforeMs: startMs + 50 * dayMs, atMs: lateMs });
    for (const month of ['2026-01', '2026-02']) {
      await assert.rejects(accounts.statement(old.accountId, month, lateMs), /from 2026-03 to 2026-08\.$/);
    }
    const { openingBalance, closingBalance } = await accounts.statement(old.accountId, '2026-03', lateMs);
    assert.deepEqual([openingBalance, closingBalance], [4_996, 4_996]);
    const now = await accounts.statement(old.accountId, '2026-08', lateMs);
    assert.deepEqual([now.openingBalance, now.closingBalance], [4_996, 4_996], 'refreshed, and spent again');
  });

  guarantee('every account is told of, however many there are', async ({ accounts }) => {
    const made: string[] = [];
    for (let count = 0; count < 200; count += 1) {
      const { accountId } = await accounts.createAccount({ name: `C${count}`, plan: 'trial', atMs: startMs });
      made.push(accountId);
    }
    const ids = (told: readonly { readonly accountId: string }[]) =>
      told.map(({ accountId }) => accountId).sort();
    assert.deepEqual(ids(await accounts.accountsUse([...made, 'acc_none'], startMs)), made.toSorted());
    assert.deepEqual(ids(await accounts.monthTotals('2026-01')), made.toSorted());
  });

  guarantee('a sum that cannot be told keeps nobody else waiting', async ({ accounts }) => {
    const { accountId } = await customer(accounts);
    const wish = { fromDay: 0, toDay: 1, by: [], offset: 0, limit: 1 };
    const [none, own] = await Promise.allSettled([
      accounts.sumUsage('acc_none', wish),
      accounts.sumUsage(accountId, wish),
    ]);
    assert.deepEqual([none.status, own.status], ['rejected', 'fulfilled']);
  });

  guarantee('the journal of a month is told in pages that are together all of it', async (bench) => {
    const { accounts, ledger } = bench;
    const { accountId, caller } = await customer(accounts);
    const other = await customer(accounts);
    for (let hours = 0; hours < 90; hours++) {
      const atMs = startMs + hours * 16 * hourMs;
      await ledger.charge(charging(caller, `c${hours}`, 1, atMs));
      await ledger.charge(charging(other.caller, `o${hours}`, 1, atMs));
      if (hours % 10 === 0) await accounts.grantCredits(accountId, { credits: 1, atMs });
    }
    const journal = await accounts.journalOf(accountId);
    for (const month of months) {
      for (const limit of [1, 7, 1_000]) {
        const told = await journalOfMonth(bench, accountId, month, limit);
        assert.deepEqual(
          told,
          journal.filter(({ atMs }) => monthName(atMs) === month),
          `${month} by ${limit}`,
        );
      }
    }
  });
}

function quietMonthGuarantees(guarantee: Guarantee): void {
  guarantee('a month before the account, and one of calls alone, are told as they are', async (bench) => {
    const { accounts, ledger } = bench;
    const { accountId, caller } = await customer(accounts, 'trial', { allowance: 10 });
    for (const [place, chargeId] of ['c1', 'c2', 'c3'].entries()) {
      await ledger.charge(charging(caller, chargeId, 1, startMs + (70 + place) * dayMs));
    }
    assert.deepEqual(await journalOfMonth(bench, accountId, '2025-10', 5), []);
    const told = await journalOfMonth(bench, accountId, '2026-04', 2);
    assert.deepEqual(
      told.map(({ chargeId }) => chargeId),
      ['c3', 'c2', 'c1'],
    );
  });
}

async function journalOfMonth({ accounts }: Bench, accountId: string, month: string, limit: number) {
  const told: JournalEntry[] = [];
  for (let before: number | null | undefined; before !== null; ) {
    const page = await accounts.journalPage(accountId, {
      month,
      limit,
      ...(before === undefined ? {} : { before }),
    });
    assert.ok(page.entries.length <= limit);
    told.push(...page.entries);
    before = page.before;
  }
  return told;
}

type Customer = Awaited<ReturnType<typeof customer>>;
type History = typeof anyHistory extends fc.Arbitrary<infer T> ? T : never;

/** In the order of time, as a clock that is right has it. */
async function live({ ledger, accounts }: Bench, customers: readonly Customer[], history: History) {
  const done: Done[] = [];
  for (const [count, { who, atMs, deed }] of history.toSorted((a, b) => a.atMs - b.atMs).entries()) {
    const of = customers[who];
    assert.ok(of);
    const { accountId, caller } = of;
    if (deed.kind === 'grant' && 'credits' in deed) {
      await accounts.grantCredits(accountId, { credits: deed.credits, atMs }).catch((error: unknown) => {
        assert.ok(error instanceof LedgerRefusal);
      });
    } else if (deed.kind === 'charge' && 'credits' in deed) {
      const { kind } = await ledger.charge(charging(caller, `${accountId} ${count}`, deed.credits, atMs));
      const isCharged = kind === 'charged';
      done.push({ who, atMs, credits: isCharged ? deed.credits : 0, status: isCharged ? 200 : 402 });
    } else if ('status' in deed) {
      ledger.record({ caller, endpoint: '/free', atMs, status: deed.status });
      done.push({ who, atMs, credits: 0, status: deed.status });
    }
  }
  return done;
}

const hourOf = (atMs: number) => atMs - (atMs % hourMs);

async function assertUse({ accounts }: Bench, accountId: string, keyId: string, own: readonly Done[]) {
  const last = own.at(-1);
  const use = last === undefined ? [] : [{ keyId, calls: own.length, lastHourMs: hourOf(last.atMs) }];
  assert.deepEqual(await accounts.keyUse(accountId), use);
  const day = Math.floor((last?.atMs ?? startMs) / dayMs);
  const today = own.filter(({ atMs }) => Math.floor(atMs / dayMs) === day);
  assert.deepEqual(await accounts.accountsUse([accountId], day * dayMs), [
    {
      accountId,
      lastHourMs: last === undefined ? null : hourOf(last.atMs),
      callsToday: today.length,
      errorsToday: today.filter(({ status }) => status >= 400).length,
    },
  ]);
}

async function assertStatements({ accounts }: Bench, accountId: string, own: readonly Done[]) {
  let opening = 0;
  for (const month of months) {
    const told = await accounts.statement(accountId, month, endMs);
    const entries = (await accounts.journalOf(accountId)).filter(({ atMs }) => monthName(atMs) === month);
    const movements = entries.filter(({ kind }) => kind !== 'charge').toReversed();
    assert.deepEqual(told.movements, movements);
    assert.deepEqual(told.months, months);
    assert.equal(told.openingBalance, opening, `${month} begins as the one before ended`);
    opening += entries.reduce((sum, { credits }) => sum + credits, 0);
    assert.equal(told.closingBalance, opening, month);
    const charged = own.filter((each) => each.credits > 0 && monthName(each.atMs) === month);
    const days = Map.groupBy(charged, ({ atMs }) => Math.floor(atMs / dayMs));
    assert.deepEqual(
      told.charges,
      [...days].map(([day, calls]) => ({
        day,
        endpoint: '/crime',
        calls: calls.length,
        credits: calls.reduce((sum, { credits }) => sum + credits, 0),
      })),
    );
  }
}

async function assertTotals({ accounts }: Bench, customers: readonly Customer[], done: readonly Done[]) {
  for (const month of months) {
    const totals = await accounts.monthTotals(month);
    for (const [who, { accountId }] of customers.entries()) {
      const own = done.filter((each) => each.who === who && monthName(each.atMs) === month);
      const { movements } = await accounts.statement(accountId, month, endMs);
      const added = movements.reduce((sum, entry) => sum + entry.credits, 0);
      const lasting = movements.reduce((sum, entry) => sum + entry.lasting, 0);
      assert.deepEqual(
        totals.find((each) => each.accountId === accountId),
        {
          accountId,
          calls: own.length,
          credits: own.reduce((sum, { credits }) => sum + credits, 0),
          allowanceAdded: added - lasting,
          lastingAdded: lasting,
        },
      );
    }
  }
}
