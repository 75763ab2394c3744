// What every engine of the ledger guarantees. An engine's test file hands in how to make, open and reopen a
// storage; contract-accounts.ts holds the operator's half, model.ts random sequences against a naive ledger.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashKey } from '../../src/ledger/keys.ts';
import { LedgerRefusal, LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { plans } from '../../src/ledger/plans.ts';
import { repeatable } from '../../src/ledger/repeats.ts';
import { hourMs, minuteMs } from '../../src/time.ts';
import {
  admitTimes,
  assertBooksAgree,
  type Bench,
  balanceOf,
  charging,
  customer,
  type Engine,
  type Guarantee,
  kindsOf,
  startMs,
  withStorage,
} from './bench.ts';
import { accountPageGuarantees } from './contract-account-pages.ts';
import {
  accountGuarantees,
  publishableGuarantees,
  refreshGuarantees,
  sharedGuarantees,
} from './contract-accounts.ts';
import {
  boundKeyGuarantees,
  historyGuarantees,
  suspensionGuarantees,
  webKeyGuarantees,
} from './contract-dashboard.ts';
import { guestGuarantees } from './contract-guests.ts';
import { repeatGuarantees } from './contract-repeats.ts';
import { togetherGuarantees } from './contract-together.ts';
import { usageGuarantees } from './contract-usage.ts';

export function ledgerContract(engine: Engine): void {
  const guarantee = (name: string, work: (bench: Bench) => Promise<void>) =>
    it(name, () => withStorage(engine, work));
  describe(`${engine.name}: charges`, () => chargeGuarantees(guarantee));
  describe(`${engine.name}: charges of a batch`, () => togetherGuarantees(guarantee, engine));
  describe(`${engine.name}: repeated calls`, () => repeatGuarantees(guarantee, engine));
  describe(`${engine.name}: admission`, () => admissionGuarantees(guarantee));
  describe(`${engine.name}: monthly refresh`, () => refreshGuarantees(guarantee));
  describe(`${engine.name}: accounts and keys`, () => accountGuarantees(guarantee));
  describe(`${engine.name}: pages of accounts`, () => accountPageGuarantees(guarantee, engine));
  describe(`${engine.name}: usage`, () => usageGuarantees(guarantee, engine));
  describe(`${engine.name}: guests`, () => guestGuarantees(guarantee));
  describe(`${engine.name}: publishable keys`, () => publishableGuarantees(guarantee));
  describe(`${engine.name}: suspended accounts`, () => suspensionGuarantees(guarantee));
  describe(`${engine.name}: bound and changed keys`, () => boundKeyGuarantees(guarantee));
  describe(`${engine.name}: web keys`, () => webKeyGuarantees(guarantee));
  describe(`${engine.name}: what was done`, () => historyGuarantees(guarantee, engine));
  describe(`${engine.name}: several at once`, () => sharedGuarantees(guarantee));
}

function chargeGuarantees(guarantee: Guarantee): void {
  guarantee('300 parallel charges on 50 credits: exactly 50 are charged', async ({ ledger, accounts }) => {
    const { accountId, caller } = await customer(accounts, 'basic', { allowance: 50 });
    const results = await Promise.all(
      Array.from({ length: 300 }, (_, i) => ledger.charge(charging(caller, `c${i}`))),
    );
    assert.equal(results.filter(({ kind }) => kind === 'charged').length, 50);
    assert.equal(results.filter(({ kind }) => kind === 'insufficient').length, 250);
    assert.equal(await balanceOf(accounts, accountId), 0);
    const journal = await accounts.journalOf(accountId);
    assert.equal(
      journal.reduce((sum, { credits }) => sum + credits, 0),
      0,
    );
    await assertBooksAgree(accounts);
  });

  guarantee('a repeated charge id charges once', async ({ ledger, accounts, storage, beside }) => {
    const { accountId, caller } = await customer(accounts, 'basic', { allowance: 5 });
    const together = await Promise.all([1, 2, 3].map(() => ledger.charge(charging(caller, 'same', 3))));
    assert.deepEqual(
      together.map(({ kind, creditsRemaining }) => [kind, creditsRemaining]),
      [1, 2, 3].map(() => ['charged', 2]),
    );
    assert.equal(
      (await ledger.charge(charging(caller, 'same', 3))).kind,
      'charged',
      'balance no longer covers it',
    );
    const other = await beside();
    await storage.nextRequest();
    assert.equal((await other.ledger.charge(charging(caller, 'same', 3))).kind, 'charged');
    assert.equal(await balanceOf(other.accounts, accountId), 2);
    const usage = await accounts.usageOf(accountId);
    assert.deepEqual(
      usage.map(({ status, calls, credits }) => [status, calls, credits]),
      [[200, 1, 3]],
    );
    await assertBooksAgree(accounts);
  });

  guarantee('a repeated charge id charges once, also where the balance would cover more', async (bench) => {
    const { ledger, accounts } = bench;
    const { accountId, caller } = await customer(accounts, 'basic', { allowance: 9 });
    const together = ['same', 'same', 'other'].map((id) => ledger.charge(charging(caller, id, 2)));
    assert.deepEqual(
      (await Promise.all(together)).map(({ creditsRemaining }) => creditsRemaining),
      [7, 7, 5],
    );
    assert.equal(
      (await ledger.charge(charging(caller, 'same', 2))).creditsRemaining,
      7,
      'what it left itself',
    );
    assert.equal(await balanceOf(accounts, accountId), 5);
    const usage = await accounts.usageOf(accountId);
    assert.deepEqual(
      usage.map(({ calls, credits }) => [calls, credits]),
      [[2, 4]],
    );
    await assertBooksAgree(accounts);
  });

  guarantee(
    'charges that came together are charged as one after the other, each with its own result',
    async (bench) => {
      const { ledger, accounts } = bench;
      const ada = await customer(accounts, 'basic', { allowance: 5 });
      const bob = await customer(accounts, 'basic', { allowance: 1 });
      const stranger = { ...bob.caller, keyId: ada.caller.keyId };
      const results = await ledger.chargeTogether([
        charging(ada.caller, 'a1', 2),
        charging(bob.caller, 'b1', 1),
        charging(ada.caller, 'a2', 4),
        charging(ada.caller, 'a1', 2),
        charging(stranger, 'c1', 1),
        charging(ada.caller, 'a3', 3),
      ]);
      const told = results.map((result) =>
        result instanceof Error ? result.constructor : [result.kind, result.creditsRemaining],
      );
      const expected = [
        ['charged', 3],
        ['charged', 0],
        ['insufficient', 3],
        ['charged', 3],
        LedgerRefusal,
        ['charged', 0],
      ];
      assert.deepEqual(told, expected);
      assert.deepEqual(
        (await accounts.journalOf(ada.accountId)).map(({ chargeId }) => chargeId),
        ['a3', 'a1', null],
      );
      assert.deepEqual(await ledger.chargeTogether([]), []);
      await assertBooksAgree(accounts);
    },
  );

  guarantee('of charges that came together none is made where one is none at all', async (bench) => {
    const { ledger, accounts } = bench;
    const { accountId, caller } = await customer(accounts, 'basic', { allowance: 5 });
    const wrong = charging(caller, 'c2', 0);
    await assert.rejects(ledger.chargeTogether([charging(caller, 'c1'), wrong]), RangeError);
    assert.equal(await balanceOf(accounts, accountId), 5);
    await ledger.close();
    await assert.rejects(ledger.chargeTogether([charging(caller, 'c1')]), LedgerUnavailable);
  });

  guarantee('a charge is in the journal with what it was for', async ({ ledger, accounts }) => {
    const { accountId, caller } = await customer(accounts, 'basic');
    const result = await ledger.charge(charging(caller, 'c1', 2, startMs + 5));
    const refreshAtMs = Date.UTC(2026, 1, 28, 12);
    assert.deepEqual(result, { kind: 'charged', creditsRemaining: 4_998, refreshAtMs });
    const [entry, opening] = await accounts.journalOf(accountId);
    assert.ok(entry && opening);
    assert.deepEqual(entry, {
      seq: entry.seq,
      accountId,
      atMs: startMs + 5,
      kind: 'charge',
      credits: -2,
      lasting: 0,
      balanceAfter: 4_998,
      lastingAfter: 0,
      chargeId: 'c1',
      requestId: 'request of c1',
      keyId: caller.keyId,
      endpoint: '/crime',
      note: null,
    });
    assert.deepEqual([opening.kind, opening.credits], ['grant', 5_000]);
    assert.equal((await accounts.journalOf(accountId, { newest: 1 })).length, 1);
  });

  guarantee('a request id is kept, whether or not it is the charge’s own', async ({ ledger, accounts }) => {
    const { accountId, caller } = await customer(accounts, 'basic');
    await ledger.charge({ ...charging(caller, 'c1'), requestId: 'c1' });
    await ledger.charge({ ...charging(caller, 'c2'), requestId: '' });
    await ledger.charge({ ...charging(caller, 'c3'), requestId: 'c1' });
    const ids = (await accounts.journalOf(accountId)).map(({ chargeId, requestId }) => [chargeId, requestId]);
    assert.deepEqual(ids, [
      ['c3', 'c1'],
      ['c2', ''],
      ['c1', 'c1'],
      [null, null],
    ]);
  });

  guarantee('a charge the balance does not cover takes nothing and may be sent again', async (bench) => {
    const { ledger, accounts } = bench;
    const { accountId, caller } = await customer(accounts, 'trial', { allowance: 2 });
    const refused = await ledger.charge(charging(caller, 'c1', 3));
    assert.deepEqual(refused, { kind: 'insufficient', creditsRemaining: 2, refreshAtMs: null });
    assert.equal((await accounts.journalOf(accountId)).length, 1);
    await accounts.grantCredits(accountId, { credits: 1, atMs: startMs });
    assert.equal((await ledger.charge(charging(caller, 'c1', 3))).kind, 'charged');
    await assertBooksAgree(accounts);
  });

  guarantee('usage counts calls and credits by hour, key, endpoint and status', async (bench) => {
    const { ledger, accounts, storage } = bench;
    const { accountId, caller } = await customer(accounts, 'trial', { allowance: 3 });
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => ledger.charge(charging(caller, id))));
    for (const status of [404, 404, 200]) ledger.record({ caller, endpoint: '/area', atMs: startMs, status });
    ledger.record({ caller, endpoint: '/area', atMs: startMs + hourMs, status: 404 });
    await ledger.close();
    const reopened = await bench.beside();
    await storage.nextRequest();
    const rows = (await reopened.accounts.usageOf(accountId)).map(
      ({ hourStartMs, keyId, endpoint, status, calls, credits }) => {
        assert.equal(keyId, caller.keyId);
        return [hourStartMs - startMs, endpoint, status, calls, credits];
      },
    );
    assert.deepEqual(rows, [
      [0, '/area', 200, 1, 0],
      [0, '/area', 404, 2, 0],
      [0, '/crime', 200, 3, 3],
      [0, '/crime', 402, 1, 0],
      [hourMs, '/area', 404, 1, 0],
    ]);
    const range = { fromMs: startMs + 1, toMs: startMs + 2 * hourMs };
    assert.equal((await reopened.accounts.usageOf(accountId, range)).length, 1);
  });

  guarantee('a charge of no, part or negative credits, or on a test key, is a RangeError', async (bench) => {
    const { caller } = await customer(bench.accounts);
    for (const credits of [0, -1, 1.5, Number.NaN]) {
      await assert.rejects(bench.ledger.charge(charging(caller, 'c', credits)), RangeError);
    }
    await assert.rejects(bench.ledger.charge(charging({ ...caller, mode: 'test' }, 'c')), RangeError);
    await assert.rejects(bench.ledger.charge(charging(caller, 'c', 1, 0.5)), RangeError);
  });

  guarantee('a charge to an account or key that is not there fails alone', async ({ ledger, accounts }) => {
    const { caller } = await customer(accounts);
    const stranger = await customer(accounts);
    const lost = [
      { ...caller, accountId: 'acc_none' },
      { ...caller, keyId: 'key_none' },
      { ...caller, keyId: stranger.caller.keyId },
    ].map((nobody, i) => ledger.charge(charging(nobody, `lost ${i}`)));
    const sound = ledger.charge(charging(caller, 'sound'));
    for (const each of lost) await assert.rejects(each, LedgerRefusal);
    assert.equal((await sound).kind, 'charged');
    assert.equal((await accounts.journalOf(stranger.accountId)).length, 1);
  });

  guarantee('a call of a key that is not there is lost alone', async ({ ledger, accounts }) => {
    const { accountId, caller } = await customer(accounts);
    const call = { endpoint: '/area', atMs: startMs, status: 404 };
    ledger.record({ ...call, caller: { ...caller, keyId: 'key_none' } });
    ledger.record({ ...call, caller });
    await ledger.ready();
    const usage = (await accounts.usageOf(accountId)).map(({ keyId, calls }) => [keyId, calls]);
    assert.deepEqual(usage, [[caller.keyId, 1]]);
  });

  guarantee('a charge by a key revoked since its admission is still made', async ({ ledger, accounts }) => {
    const { accountId, caller } = await customer(accounts, 'basic');
    await accounts.revokeKey(caller.keyId, startMs);
    assert.equal((await ledger.charge(charging(caller, 'c1'))).kind, 'charged');
    assert.equal(await balanceOf(accounts, accountId), 4_999);
  });

  guarantee('a closed ledger answers with an outage, never about credit', async ({ ledger, accounts }) => {
    const { caller, hash } = await customer(accounts);
    const last = ledger.charge(charging(caller, 'c0'));
    const closing = ledger.close();
    const isClosed = { name: 'LedgerUnavailable', message: 'The ledger is closed.' };
    await assert.rejects(ledger.charge(charging(caller, 'while it closes')), isClosed);
    await closing;
    await ledger.close();
    assert.equal((await last).kind, 'charged', 'charges under way are finished first');
    await assert.rejects(ledger.charge(charging(caller, 'c1')), isClosed);
    await assert.rejects(ledger.ready(), LedgerUnavailable);
    await assert.rejects(async () => ledger.admit(hash, startMs), LedgerUnavailable);
    await assert.rejects(async () => ledger.admitPage(hash, '192.0.2.1', startMs), LedgerUnavailable);
    const named = repeatable('a key', 'a call');
    await assert.rejects(async () => ledger.recall(caller, named, startMs), LedgerUnavailable);
    ledger.record({ caller, endpoint: '/crime', atMs: startMs, status: 404 });
  });
}

function admissionGuarantees(guarantee: Guarantee): void {
  guarantee('a call over the minute limit is limited until the next minute', async ({ ledger, accounts }) => {
    const { hash, caller, accountId } = await customer(accounts, 'basic');
    const atMs = startMs + 20_000;
    const admissions = await admitTimes(ledger, hash, 11, atMs);
    assert.deepEqual(kindsOf(admissions), [...Array.from({ length: 10 }, () => 'admitted'), 'limited']);
    const standing = {
      creditsRemaining: 5_000,
      refreshAtMs: Date.UTC(2026, 1, 28, 12),
      limits: plans.basic.limits,
      minuteResetAtMs: startMs + minuteMs,
    };
    assert.deepEqual(admissions[0], {
      kind: 'admitted',
      caller,
      standing: { ...standing, minuteRemaining: 9 },
    });
    assert.deepEqual(admissions[10], {
      kind: 'limited',
      caller,
      standing: { ...standing, minuteRemaining: 0 },
      window: 'minute',
      limit: 10,
      resetAtMs: startMs + minuteMs,
    });
    const next = await ledger.admit(hash, startMs + minuteMs);
    assert.equal(next.kind, 'admitted');
    const uses = await accounts.windowsOf(accountId, 'live', startMs + minuteMs);
    assert.deepEqual(
      uses.map(({ window, used, limit }) => [window, used, limit]),
      [
        ['minute', 1, 10],
        ['day', 12, 500],
        ['month', 12, 5_000],
      ],
      'limited calls count too',
    );
  });

  guarantee('of several limits hit, the one that ends last is told', async ({ ledger, accounts }) => {
    const limits = { minute: 1, day: 2, month: 3 };
    const { hash } = await customer(accounts, 'enterprise', { allowance: 9, limits });
    const told = (await admitTimes(ledger, hash, 4, startMs)).map((admission) =>
      admission.kind === 'limited'
        ? [admission.window, admission.limit, admission.resetAtMs]
        : admission.kind,
    );
    assert.deepEqual(told, [
      'admitted',
      ['minute', 1, startMs + minuteMs],
      ['day', 2, Date.UTC(2026, 1, 1)],
      ['month', 3, Date.UTC(2026, 1, 1)],
    ]);
    assert.equal((await ledger.admit(hash, Date.UTC(2026, 1, 1))).kind, 'admitted');
  });

  guarantee('more keys never mean more quota', async ({ ledger, accounts }) => {
    const { hash, accountId } = await customer(accounts, 'basic');
    const second = await accounts.createKey({ accountId, kind: 'live', atMs: startMs });
    await admitTimes(ledger, hash, 10, startMs);
    assert.equal((await ledger.admit(hashKey(second.key), startMs)).kind, 'limited');
  });

  guarantee('test keys have Basic limits of their own and see the real balance', async (bench) => {
    const { ledger, accounts } = bench;
    const { hash, accountId } = await customer(accounts, 'premium');
    const test = await accounts.createKey({ accountId, kind: 'test', atMs: startMs });
    const admissions = await admitTimes(ledger, hashKey(test.key), 11, startMs);
    assert.equal(admissions[9]?.kind, 'admitted');
    const last = admissions[10];
    assert.ok(last?.kind === 'limited');
    assert.deepEqual(last.caller, { accountId, keyId: test.keyId, mode: 'test' });
    assert.deepEqual(last.standing.limits, plans.basic.limits);
    assert.equal(last.standing.creditsRemaining, 100_000);
    const live = await ledger.admit(hash, startMs);
    assert.ok(live.kind === 'admitted');
    assert.equal(live.standing.minuteRemaining, 99);
  });

  guarantee('an account without limits is never limited', async ({ ledger, accounts }) => {
    const { hash } = await customer(accounts, 'enterprise', { allowance: 1 });
    const admissions = await admitTimes(ledger, hash, 200, startMs);
    const last = admissions.at(-1);
    assert.ok(last?.kind === 'admitted');
    assert.equal(last.standing.minuteRemaining, null);
  });

  guarantee('own limits replace the plan’s, window by window', async ({ ledger, accounts }) => {
    const { hash } = await customer(accounts, 'basic', { limits: { minute: null, day: 7 } });
    const admission = await ledger.admit(hash, startMs);
    assert.ok(admission.kind === 'admitted');
    assert.deepEqual(admission.standing.limits, { minute: null, day: 7, month: 5_000 });
  });

  guarantee(
    'unknown, revoked and expired keys, and those of closed accounts, are the same',
    async (bench) => {
      const { ledger, accounts } = bench;
      const { hash, accountId, caller } = await customer(accounts);
      const expiresAtMs = startMs + hourMs;
      const expiring = await accounts.createKey({ accountId, kind: 'live', expiresAtMs, atMs: startMs });
      const expiringHash = hashKey(expiring.key);
      assert.equal((await ledger.admit(expiringHash, expiresAtMs - 1)).kind, 'admitted');
      assert.deepEqual(await ledger.admit(expiringHash, expiresAtMs), { kind: 'unknown' });
      assert.deepEqual(await ledger.admit(hashKey('dd_live_nobody'), startMs), { kind: 'unknown' });
      assert.equal((await ledger.admit(hash, startMs)).kind, 'admitted');
      await accounts.revokeKey(caller.keyId, startMs);
      assert.deepEqual(await ledger.admit(hash, startMs), { kind: 'unknown' });
      await accounts.closeAccount(accountId, startMs);
      assert.deepEqual(await ledger.admit(expiringHash, startMs), { kind: 'unknown' });
    },
  );

  guarantee('window counts survive closing and opening again', async ({ ledger, accounts, beside }) => {
    const { hash } = await customer(accounts, 'basic');
    await admitTimes(ledger, hash, 7, startMs);
    await ledger.close();
    const reopened = await beside();
    const admissions = await admitTimes(reopened.ledger, hash, 4, startMs);
    assert.deepEqual(kindsOf(admissions), ['admitted', 'admitted', 'admitted', 'limited']);
  });
}
