// The operator's half of the guarantees: monthly refresh, accounts and keys, several openings at once.

import assert from 'node:assert/strict';
import { hashKey } from '../../src/ledger/keys.ts';
import { LedgerRefusal, type PlanName } from '../../src/ledger/ledger.ts';
import { creditsMost, plans } from '../../src/ledger/plans.ts';
import { dayMs, hourMs, minuteMs } from '../../src/time.ts';
import {
  admitTimes,
  assertBooksAgree,
  balanceOf,
  balancesOf,
  charging,
  customer,
  type Guarantee,
  kindsOf,
  startMs,
} from './bench.ts';
import { assertSound } from './contract-dashboard.ts';

export function refreshGuarantees(guarantee: Guarantee): void {
  guarantee('no note of an operator is taken for a change of plan', async ({ accounts, journals }) => {
    const { accountId } = await customer(accounts, 'basic', { allowance: 10 });
    for (const note of ['plan basic to premium', 'plan basic to premium, own allowance 7']) {
      const correction = { credits: -1, note, atMs: startMs };
      await assert.rejects(accounts.grantCredits(accountId, correction), /use other words/);
    }
    for (const note of ['Plan basic to premium', 'the plan basic to premium was wrong', '']) {
      await accounts.grantCredits(accountId, { credits: -1, note, atMs: startMs });
    }
    const { breaks, contradictions } = await journals.verify(startMs);
    assert.deepEqual([breaks, contradictions], [[], []]);
  });

  guarantee('on the anniversary the balance is set to the allowance, once', async ({ ledger, accounts }) => {
    const { hash, caller, accountId } = await customer(accounts, 'basic', { allowance: 10 });
    await ledger.charge(charging(caller, 'c1', 4));
    const dueMs = Date.UTC(2026, 1, 28, 12);
    const before = await ledger.admit(hash, dueMs - 1);
    assert.ok(before.kind === 'admitted');
    assert.equal(before.standing.creditsRemaining, 6);
    const after = await ledger.admit(hash, dueMs);
    assert.ok(after.kind === 'admitted');
    assert.equal(after.standing.creditsRemaining, 10);
    assert.equal(after.standing.refreshAtMs, Date.UTC(2026, 2, 31, 12), 'the 31st again, not the 28th');
    await ledger.charge(charging(caller, 'c2', 1, dueMs + 1));
    await ledger.admit(hash, dueMs + 2);
    const journal = (await accounts.journalOf(accountId)).map(({ kind, credits }) => [kind, credits]);
    assert.deepEqual(journal, [
      ['charge', -1],
      ['refresh', 4],
      ['charge', -4],
      ['grant', 10],
    ]);
    await assertBooksAgree(accounts);
  });

  guarantee('granted credits outlast the month; what is left of the allowance does not', async (bench) => {
    const { ledger, accounts } = bench;
    const { accountId, caller, hash } = await customer(accounts, 'basic', { allowance: 10 });
    await accounts.grantCredits(accountId, { credits: 90, atMs: startMs });
    await ledger.charge(charging(caller, 'c1', 4));
    assert.deepEqual(await balancesOf(accounts, accountId), [96, 90], 'the allowance is spent first');
    const dueMs = Date.UTC(2026, 1, 28, 12);
    const admission = await ledger.admit(hash, dueMs);
    assert.ok(admission.kind === 'admitted');
    assert.equal(admission.standing.creditsRemaining, 100, 'the sum of both');
    assert.deepEqual(await balancesOf(accounts, accountId, dueMs), [100, 90]);
    await assertBooksAgree(accounts);
  });

  guarantee('a charge takes the allowance first and then lasting credits, in one entry', async (bench) => {
    const { ledger, accounts } = bench;
    const { accountId, caller } = await customer(accounts, 'basic', { allowance: 10 });
    await accounts.grantCredits(accountId, { credits: 5, atMs: startMs });
    assert.equal((await ledger.charge(charging(caller, 'c1', 12))).creditsRemaining, 3);
    assert.equal((await ledger.charge(charging(caller, 'c2', 4))).kind, 'insufficient');
    assert.equal((await ledger.charge(charging(caller, 'c3', 3))).creditsRemaining, 0);
    const journal = (await accounts.journalOf(accountId)).map(
      ({ kind, credits, lasting, balanceAfter, lastingAfter }) => [
        kind,
        credits,
        lasting,
        balanceAfter,
        lastingAfter,
      ],
    );
    assert.deepEqual(journal, [
      ['charge', -3, -3, 0, 0],
      ['charge', -12, -2, 3, 3],
      ['grant', 5, 5, 15, 5],
      ['grant', 10, 0, 10, 0],
    ]);
    assert.deepEqual(await balancesOf(accounts, accountId, Date.UTC(2026, 1, 28, 12)), [10, 0]);
    await assertBooksAgree(accounts);
  });

  guarantee('months without a call make one refresh, due again at the next anniversary', async (bench) => {
    const { ledger, accounts } = bench;
    const { caller, accountId } = await customer(accounts, 'basic', { allowance: 10 });
    const result = await ledger.charge(charging(caller, 'c1', 1, Date.UTC(2026, 5, 10)));
    assert.deepEqual(result, {
      kind: 'charged',
      creditsRemaining: 9,
      refreshAtMs: Date.UTC(2026, 5, 30, 12),
    });
    const journal = await accounts.journalOf(accountId);
    assert.equal(journal.filter(({ kind }) => kind === 'refresh').length, 1);
  });

  guarantee('a trial is never refreshed', async ({ ledger, accounts }) => {
    const { hash, caller } = await customer(accounts, 'trial');
    await ledger.charge(charging(caller, 'c1', 100));
    const admission = await ledger.admit(hash, startMs + 400 * dayMs);
    assert.ok(admission.kind === 'admitted');
    assert.deepEqual([admission.standing.creditsRemaining, admission.standing.refreshAtMs], [0, null]);
  });

  guarantee('of two changes at once the second knows what the first did', async ({ accounts, journals }) => {
    const { accountId } = await customer(accounts, 'basic');
    const change = (plan: 'standard' | 'trial', allowance: number) =>
      accounts.changePlan(accountId, { plan, terms: { allowance }, atMs: startMs });
    await Promise.all([change('trial', 9), change('standard', 7), change('trial', 5), change('standard', 3)]);
    const { breaks, different, contradictions } = await journals.verify(startMs);
    assert.deepEqual([...breaks, ...different, ...contradictions], []);
  });

  guarantee('two openings make one refresh between them', async ({ ledger, accounts, beside }) => {
    const { hash, caller, accountId } = await customer(accounts, 'basic', { allowance: 10 });
    const other = await beside();
    await Promise.all([ledger.admit(hash, startMs), other.ledger.admit(hash, startMs)]);
    const dueMs = Date.UTC(2026, 1, 28, 12);
    await Promise.all([
      ledger.charge(charging(caller, 'c1', 1, dueMs)),
      other.ledger.charge(charging(caller, 'c2', 1, dueMs)),
      ledger.admit(hash, dueMs),
      other.ledger.admit(hash, dueMs),
      other.accounts.listAccounts(dueMs),
    ]);
    const journal = await accounts.journalOf(accountId);
    assert.equal(journal.filter(({ kind }) => kind === 'refresh').length, 1);
    assert.equal(await balanceOf(accounts, accountId, dueMs), 8);
    await assertBooksAgree(accounts);
  });
}

export function accountGuarantees(guarantee: Guarantee): void {
  guarantee('an account opens with its plan’s allowance and limits', async ({ accounts }) => {
    const made = await accounts.createAccount({ name: 'Ada', plan: 'standard', atMs: startMs });
    assert.deepEqual(
      [made.balance, made.allowance, made.limits, made.refreshAtMs],
      [30_000, 30_000, plans.standard.limits, Date.UTC(2026, 1, 28, 12)],
    );
    assert.deepEqual(await accounts.findAccount(made.accountId, startMs), { ...made, terms: { limits: {} } });
    assert.equal((await accounts.listAccounts(startMs)).length, 1);
    assert.equal(await accounts.findAccount('acc_none', startMs), undefined);
  });

  guarantee(
    'from trial the new allowance replaces what was left, and the month starts now',
    async (bench) => {
      const { ledger, accounts } = bench;
      const { accountId, caller, hash } = await customer(accounts, 'trial', { limits: { minute: 1 } });
      await ledger.charge(charging(caller, 'c1', 30));
      await accounts.grantCredits(accountId, { credits: 8, atMs: startMs });
      const atMs = startMs + 3 * dayMs;
      const changed = await accounts.changePlan(accountId, { plan: 'basic', atMs });
      assert.deepEqual(
        [changed.balance, changed.lasting, changed.refreshAtMs, changed.limits],
        [5_008, 8, Date.UTC(2026, 2, 3, 12), plans.basic.limits],
      );
      const admission = await ledger.admit(hash, atMs);
      assert.ok(admission.kind === 'admitted');
      assert.equal(admission.standing.minuteRemaining, 9, 'own limits are gone');
      const later = await accounts.findAccount(accountId, Date.UTC(2026, 2, 3, 12));
      assert.equal(later?.refreshAtMs, Date.UTC(2026, 3, 3, 12), 'the 3rd from now on');
      await assertBooksAgree(accounts);
    },
  );

  guarantee('an upgrade grants the difference now, a downgrade waits for the refresh', async (bench) => {
    const { ledger, accounts } = bench;
    const { accountId, caller } = await customer(accounts, 'basic');
    await ledger.charge(charging(caller, 'c1', 1_000));
    const up = await accounts.changePlan(accountId, { plan: 'standard', atMs: startMs });
    assert.deepEqual([up.balance, up.refreshAtMs], [29_000, Date.UTC(2026, 1, 28, 12)]);
    const down = await accounts.changePlan(accountId, { plan: 'basic', atMs: startMs });
    assert.deepEqual([down.balance, down.limits], [29_000, plans.basic.limits]);
    assert.equal(await balanceOf(accounts, accountId, Date.UTC(2026, 1, 28, 12)), 5_000);
    await assertBooksAgree(accounts);
  });

  guarantee('changes of plan give the difference once per period', async ({ accounts }) => {
    const { accountId } = await customer(accounts, 'basic');
    const move = async (plan: PlanName, atMs = startMs) =>
      (await accounts.changePlan(accountId, { plan, atMs })).balance;
    assert.equal(await move('standard'), 30_000);
    assert.equal(await move('basic'), 30_000);
    assert.equal(await move('standard'), 30_000, 'not 55,000');
    assert.equal(await move('trial'), 30_000);
    assert.equal(await move('basic'), 30_000, 'trial in between starts no other period');
    assert.equal(await move('premium'), 100_000);
    assert.equal(await move('basic'), 100_000);
    const dueMs = Date.UTC(2026, 1, 28, 12);
    assert.equal(await balanceOf(accounts, accountId, dueMs), 5_000);
    assert.equal(await move('standard', dueMs), 30_000, 'a new period gives it again');
    await assertBooksAgree(accounts);
  });

  guarantee(
    'a customer who moves down keeps what the smaller plan gives; moving up again returns exactly it',
    async (bench) => {
      const { ledger, accounts } = bench;
      const { accountId, caller } = await customer(accounts, 'basic');
      await accounts.grantCredits(accountId, { credits: 700, atMs: startMs });
      const move = async (plan: PlanName) =>
        (await accounts.changePlan(accountId, { plan, surplus: 'taken back', atMs: startMs })).balance;
      await ledger.charge(charging(caller, 'c1', 1_000));
      assert.equal(await move('premium'), 99_700);
      assert.equal(await move('basic'), 4_700, 'a moment on premium gave nothing');
      assert.equal(await move('premium'), 99_700);
      await ledger.charge(charging(caller, 'c2', 97_000));
      assert.equal(await move('standard'), 700, 'what was spent is not taken back, nor are lasting credits');
      assert.equal(await move('basic'), 700);
      assert.equal(await move('premium'), 2_700);
      assert.equal(await move('basic'), 700);
      assert.equal(await balanceOf(accounts, accountId, Date.UTC(2026, 1, 28, 12)), 5_700);
      await assertSound(bench);
    },
  );

  guarantee('a period that ended on trial is followed by a new one', async ({ accounts }) => {
    const { accountId } = await customer(accounts, 'basic', { allowance: 7 });
    await accounts.changePlan(accountId, { plan: 'trial', terms: { allowance: 7 }, atMs: startMs });
    const atMs = startMs + 60 * dayMs;
    const back = await accounts.changePlan(accountId, { plan: 'basic', terms: { allowance: 9 }, atMs });
    assert.deepEqual([back.balance, back.refreshAtMs], [9, Date.UTC(2026, 4, 1, 12)]);
    await assertBooksAgree(accounts);
  });

  guarantee('back on trial the balance stays and is no longer refreshed', async ({ accounts }) => {
    const { accountId } = await customer(accounts, 'basic');
    const changed = await accounts.changePlan(accountId, { plan: 'trial', atMs: startMs });
    assert.deepEqual([changed.balance, changed.refreshAtMs], [5_000, null]);
    assert.equal(await balanceOf(accounts, accountId, startMs + 90 * dayMs), 5_000);
  });

  guarantee('enterprise needs an allowance', async ({ accounts }) => {
    const { accountId } = await customer(accounts, 'basic');
    const enterprise = { name: 'Ada', plan: 'enterprise', atMs: startMs } as const;
    await assert.rejects(accounts.createAccount(enterprise), LedgerRefusal);
    await assert.rejects(accounts.changePlan(accountId, enterprise), LedgerRefusal);
    const terms = { allowance: 123 };
    assert.equal((await accounts.createAccount({ ...enterprise, terms })).balance, 123);
  });

  guarantee('a correction never takes the balance below zero', async ({ accounts }) => {
    const { accountId } = await customer(accounts, 'trial');
    const grant = (credits: number) => accounts.grantCredits(accountId, { credits, atMs: startMs });
    await assert.rejects(grant(-101), LedgerRefusal);
    await assert.rejects(grant(0), LedgerRefusal);
    await assert.rejects(grant(0.5), LedgerRefusal);
    assert.equal((await grant(-100)).balance, 0);
    assert.equal((await grant(7)).balance, 7);
    const kinds = (await accounts.journalOf(accountId)).map(({ kind }) => kind);
    assert.deepEqual(kinds, ['grant', 'correction', 'grant']);
    await assertBooksAgree(accounts);
  });

  guarantee(
    'a correction undoes a grant; only more than that comes from the allowance',
    async ({ accounts }) => {
      const { accountId } = await customer(accounts, 'basic', { allowance: 10 });
      const grant = async (credits: number) => {
        const { balance, lasting } = await accounts.grantCredits(accountId, { credits, atMs: startMs });
        return [balance, lasting];
      };
      assert.deepEqual(await grant(30), [40, 30]);
      assert.deepEqual(await grant(-30), [10, 0], 'as if it had not been');
      assert.deepEqual(await grant(5), [15, 5]);
      assert.deepEqual(await grant(-8), [7, 0]);
      await assertBooksAgree(accounts);
    },
  );

  guarantee('more credits than can be counted are refused', async ({ accounts }) => {
    const { accountId } = await customer(accounts, 'basic', { allowance: creditsMost });
    await accounts.grantCredits(accountId, { credits: creditsMost, atMs: startMs });
    await assert.rejects(accounts.grantCredits(accountId, { credits: 1, atMs: startMs }), LedgerRefusal);
    assert.deepEqual(await balancesOf(accounts, accountId), [2 * creditsMost, creditsMost]);
    const terms = { allowance: creditsMost + 1 };
    await assert.rejects(
      accounts.changePlan(accountId, { plan: 'basic', terms, atMs: startMs }),
      LedgerRefusal,
    );
  });

  guarantee('a closed account refuses changes and keeps its journal', async ({ accounts }) => {
    const { accountId } = await customer(accounts, 'basic');
    assert.equal((await accounts.closeAccount(accountId, startMs + 1)).closedAtMs, startMs + 1);
    await assert.rejects(accounts.closeAccount(accountId, startMs), LedgerRefusal);
    await assert.rejects(accounts.grantCredits(accountId, { credits: 1, atMs: startMs }), LedgerRefusal);
    await assert.rejects(accounts.createKey({ accountId, kind: 'live', atMs: startMs }), LedgerRefusal);
    await assert.rejects(accounts.changePlan(accountId, { plan: 'trial', atMs: startMs }), LedgerRefusal);
    const account = await accounts.findAccount(accountId, startMs + 400 * dayMs);
    assert.equal(account?.closedAtMs, startMs + 1);
    const notes = (await accounts.journalOf(accountId)).map(({ kind, credits, note }) => [
      kind,
      credits,
      note,
    ]);
    assert.deepEqual(
      notes,
      [
        ['correction', 0, 'closed'],
        ['grant', 5_000, 'opened on basic'],
      ],
      'no refresh after the end',
    );
  });

  guarantee('names and ids that are not there are refused', async ({ accounts }) => {
    await assert.rejects(accounts.listKeys('acc_none'), LedgerRefusal);
    await assert.rejects(accounts.journalOf('acc_none'), LedgerRefusal);
    await assert.rejects(accounts.usageOf('acc_none'), LedgerRefusal);
    await assert.rejects(accounts.revokeKey('key_none', startMs), LedgerRefusal);
    await assert.rejects(accounts.rotateKey('key_none', { overlapMs: 0, atMs: startMs }), LedgerRefusal);
    await assert.rejects(accounts.createAccount({ name: ' ', plan: 'basic', atMs: startMs }), LedgerRefusal);
    const terms = { limits: { minute: 0 } };
    for (const limit of [0.5, -1, Number.NaN]) {
      const wrong = { plan: 'basic', terms: { limits: { day: limit } }, atMs: startMs } as const;
      await assert.rejects(accounts.createAccount({ name: 'Ada', ...wrong }), LedgerRefusal);
    }
    for (const allowance of [0.5, -1, Number.NaN]) {
      const wrong = { plan: 'basic', terms: { allowance }, atMs: startMs } as const;
      await assert.rejects(accounts.createAccount({ name: 'Ada', ...wrong }), LedgerRefusal);
    }
    await assert.rejects(
      accounts.createAccount({ name: 'x', plan: 'basic', terms, atMs: startMs }),
      LedgerRefusal,
    );
    assert.deepEqual(await accounts.listAccounts(startMs), []);
  });

  guarantee('listed keys show neither key nor hash', async ({ accounts }) => {
    const { accountId } = await customer(accounts);
    const { key } = await accounts.createKey({ accountId, kind: 'test', name: 'ci', atMs: startMs });
    const keys = await accounts.listKeys(accountId);
    const shown = JSON.stringify(keys);
    assert.ok(!shown.includes(key) && !shown.includes(hashKey(key)));
    assert.deepEqual(
      keys.map(({ kind, name }) => [kind, name]),
      [
        ['live', null],
        ['test', 'ci'],
      ],
    );
    assert.equal(keys[1]?.lastFour, key.slice(-4));
  });

  guarantee('a rotated key works until the overlap ends, the new one from now', async (bench) => {
    const { ledger, accounts } = bench;
    const { accountId, hash, caller } = await customer(accounts);
    const made = await accounts.rotateKey(caller.keyId, { overlapMs: hourMs, atMs: startMs });
    assert.equal((await ledger.admit(hash, startMs + hourMs - 1)).kind, 'admitted');
    assert.equal((await ledger.admit(hash, startMs + hourMs)).kind, 'unknown');
    assert.equal((await ledger.admit(hashKey(made.key), startMs)).kind, 'admitted');
    const again = await accounts.rotateKey(made.keyId, { overlapMs: 0, atMs: startMs });
    assert.equal((await ledger.admit(hashKey(made.key), startMs)).kind, 'unknown', 'no overlap: at once');
    assert.equal((await ledger.admit(hashKey(again.key), startMs)).kind, 'admitted');
    const replacements = (await accounts.listKeys(accountId)).map(({ replacedBy }) => replacedBy);
    assert.deepEqual(replacements, [made.keyId, again.keyId, null]);
    const rotation = { overlapMs: 0, atMs: startMs };
    await assert.rejects(accounts.rotateKey(caller.keyId, rotation), LedgerRefusal, 'rotated already');
    await assert.rejects(accounts.rotateKey(made.keyId, rotation), LedgerRefusal, 'revoked');
    await assert.rejects(accounts.revokeKey(made.keyId, startMs), LedgerRefusal, 'revoked');
  });
}

export function publishableGuarantees(guarantee: Guarantee): void {
  guarantee('a publishable key tells what it is bound to, and no other key does', async (bench) => {
    const { ledger, accounts } = bench;
    const { accountId, hash } = await customer(accounts);
    const wished = {
      origins: ['HTTPS://Www.Example.COM:443/', 'http://localhost:3000', 'https://www.example.com'],
      endpoints: ['/bank-rates', '/bank-rates'],
    };
    const kept = {
      origins: ['https://www.example.com', 'http://localhost:3000'],
      endpoints: ['/bank-rates'],
      addresses: null,
    };
    const made = await accounts.createKey({
      accountId,
      kind: 'publishable',
      binding: wished,
      atMs: startMs,
    });
    assert.match(made.key, /^dd_pub_/);
    const admission = await ledger.admit(hashKey(made.key), startMs);
    assert.ok(admission.kind === 'admitted');
    assert.deepEqual(admission.caller, { accountId, keyId: made.keyId, mode: 'live', binding: kept });
    const other = await ledger.admit(hash, startMs);
    assert.ok(other.kind === 'admitted');
    assert.ok(!('binding' in other.caller));
    const rotated = await accounts.rotateKey(made.keyId, { overlapMs: 0, atMs: startMs });
    assert.match(rotated.key, /^dd_pub_/);
    const anywhere = { origins: ['https://example.org'], endpoints: null, addresses: null };
    await accounts.createKey({ accountId, kind: 'publishable', binding: anywhere, atMs: startMs });
    assert.deepEqual(
      (await accounts.listKeys(accountId)).map(({ kind, binding }) => [kind, binding]),
      [
        ['live', null],
        ['publishable', kept],
        ['publishable', kept],
        ['publishable', anywhere],
      ],
    );
    const now = await ledger.admit(hashKey(rotated.key), startMs);
    assert.ok(now.kind === 'admitted');
    assert.deepEqual(now.caller.binding, kept);
    assert.equal((await ledger.admit(hashKey(made.key), startMs)).kind, 'unknown');
  });

  guarantee('a publishable key spends the credits and the calls of its account', async (bench) => {
    const { ledger, accounts, journals } = bench;
    const { accountId, hash } = await customer(accounts, 'basic', { allowance: 3, limits: { minute: 2 } });
    const binding = { origins: ['https://www.example.com'], endpoints: null, addresses: null };
    const made = await accounts.createKey({ accountId, kind: 'publishable', binding, atMs: startMs });
    const first = await ledger.admit(hashKey(made.key), startMs);
    assert.ok(first.kind === 'admitted');
    assert.equal(first.standing.minuteRemaining, 1);
    assert.equal((await ledger.charge(charging(first.caller, 'c1', 2))).creditsRemaining, 1);
    assert.equal((await ledger.admit(hash, startMs)).kind, 'admitted');
    const third = await ledger.admit(hashKey(made.key), startMs);
    assert.ok(third.kind === 'limited', 'the live key took the last call');
    assert.deepEqual(third.caller.binding, binding);
    assert.equal((await accounts.windowsOf(accountId, 'live', startMs))[0]?.used, 3);
    assert.equal((await accounts.windowsOf(accountId, 'test', startMs))[0]?.used, 0);
    const { breaks, contradictions } = await journals.verify(startMs);
    assert.deepEqual([breaks, contradictions], [[], []]);
    await accounts.revokeKey(made.keyId, startMs);
    assert.equal((await ledger.admit(hashKey(made.key), startMs)).kind, 'unknown');
  });

  guarantee('what no key can be bound to is refused, and no key is made', async ({ accounts }) => {
    const { accountId } = await customer(accounts);
    const [origins, endpoints] = [['https://www.example.com'], null];
    const many = Array.from({ length: 51 }, (_, i) => `https://www${i}.example.com`);
    const wrong = [
      ...['null', '*', 'https://*.example.com', 'http://example.com', 'example.com', 'https://a/b', ''].map(
        (origin) => ({ origins: [...origins, origin], endpoints }),
      ),
      { origins: [], endpoints },
      { origins: many, endpoints },
      { origins, endpoints: [] },
      { origins, endpoints: ['/bank rates'] },
      { origins, endpoints: ['bank-rates'] },
      { origins, endpoints: many.map((_, i) => `/path-${i}`) },
    ];
    for (const binding of wrong) {
      const made = accounts.createKey({ accountId, kind: 'publishable', binding, atMs: startMs });
      await assert.rejects(made, LedgerRefusal, JSON.stringify(binding));
    }
    assert.equal((await accounts.listKeys(accountId)).length, 1);
  });
}

export function sharedGuarantees(guarantee: Guarantee): void {
  guarantee('a change made elsewhere counts at the next request', async (bench) => {
    const { ledger, accounts, storage, beside } = bench;
    const { hash, accountId, caller } = await customer(accounts, 'basic');
    const other = await beside();
    assert.equal((await ledger.admit(hash, startMs)).kind, 'admitted');
    await other.accounts.grantCredits(accountId, { credits: 5, atMs: startMs });
    await storage.nextRequest();
    const richer = await ledger.admit(hash, startMs);
    assert.ok(richer.kind === 'admitted');
    assert.equal(richer.standing.creditsRemaining, 5_005);
    await other.accounts.changePlan(accountId, { plan: 'premium', atMs: startMs });
    await storage.nextRequest();
    const wider = await ledger.admit(hash, startMs);
    assert.ok(wider.kind === 'admitted');
    assert.deepEqual(wider.standing.limits, plans.premium.limits);
    await other.accounts.revokeKey(caller.keyId, startMs);
    await storage.nextRequest();
    assert.deepEqual(await ledger.admit(hash, startMs), { kind: 'unknown' });
  });

  guarantee('charges through two openings never overdraw', async ({ ledger, accounts, beside }) => {
    const { accountId, caller, hash } = await customer(accounts, 'basic', { allowance: 50 });
    const other = await beside();
    await Promise.all([ledger.admit(hash, startMs), other.ledger.admit(hash, startMs)]);
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        (i % 2 === 0 ? ledger : other.ledger).charge(charging(caller, `c${i}`)),
      ),
    );
    assert.equal(results.filter(({ kind }) => kind === 'charged').length, 50);
    assert.equal(await balanceOf(other.accounts, accountId), 0);
    await assertBooksAgree(accounts);
  });

  guarantee('a journal has its account’s entries and no others, newest first', async (bench) => {
    const { accounts, storage, beside } = bench;
    const openings = [bench, await beside()];
    const poor = { allowance: 3 };
    const customers = [
      await customer(accounts),
      await customer(accounts, 'basic', poor),
      await customer(accounts),
    ];
    for (const { accountId } of customers) {
      await accounts.grantCredits(accountId, { credits: 50, atMs: startMs });
    }
    const sent = customers.map((): string[] => []);
    for (let i = 0; i < 24; i++) {
      const { ledger } = openings[i % 5 === 0 ? 1 : 0] ?? bench;
      await storage.nextRequest();
      await Promise.all(
        customers.slice(i % 3).map(({ caller }, at) => {
          sent[at + (i % 3)]?.unshift(`c${i} ${at}`);
          return ledger.charge(charging(caller, `c${i} ${at}`));
        }),
      );
    }
    for (const [i, { accountId }] of customers.entries()) {
      const journal = await accounts.journalOf(accountId);
      const expected = [...(sent[i] ?? []), null, null];
      assert.deepEqual(
        journal.map(({ chargeId }) => chargeId),
        expected,
      );
      const newest = await accounts.journalOf(accountId, { newest: 3 });
      assert.deepEqual(newest, journal.slice(0, 3));
      for (const [at, { balanceAfter, credits, lastingAfter, lasting, seq }] of journal.entries()) {
        const before = journal[at + 1];
        assert.equal(balanceAfter, (before?.balanceAfter ?? 0) + credits);
        assert.equal(lastingAfter, (before?.lastingAfter ?? 0) + lasting);
        assert.ok(before === undefined || before.seq < seq);
      }
    }
  });

  guarantee('window counts of two openings add up', async (bench) => {
    const { ledger, accounts, storage, beside } = bench;
    const { hash, accountId } = await customer(accounts, 'basic');
    const other = await beside();
    await admitTimes(ledger, hash, 3, startMs);
    await admitTimes(other.ledger, hash, 4, startMs);
    await storage.settle(bench);
    await storage.settle(other);
    await storage.nextRequest();
    await admitTimes(ledger, hash, 2, startMs);
    await storage.settle(bench);
    await storage.nextRequest();
    const admissions = await admitTimes(other.ledger, hash, 2, startMs);
    assert.deepEqual(kindsOf(admissions), ['admitted', 'limited']);
    await storage.settle(other);
    for (const open of [bench, other]) {
      const uses = await open.accounts.windowsOf(accountId, 'live', startMs);
      assert.deepEqual(
        uses.map(({ used }) => used),
        [11, 11, 11],
      );
    }
  });

  guarantee('counts that arrive after the next minute began do not undo it', async (bench) => {
    const { ledger, accounts, storage, beside } = bench;
    const { hash, accountId } = await customer(accounts, 'basic');
    const other = await beside();
    await admitTimes(other.ledger, hash, 2, startMs);
    await admitTimes(ledger, hash, 3, startMs + minuteMs);
    await storage.settle(bench);
    await storage.settle(other);
    const uses = await accounts.windowsOf(accountId, 'live', startMs + minuteMs);
    assert.deepEqual(
      uses.map(({ used }) => used),
      [3, 5, 5],
    );
  });
}
