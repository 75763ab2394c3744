// What guests of the explorer get, whatever the engine: one account however many open it, one key for all, and a share of the day
// for each host.

import assert from 'node:assert/strict';
import { endpoints } from '../../src/endpoints/index.ts';
import { hashKey } from '../../src/ledger/keys.ts';
import { type Admission, type Ledger, LedgerRefusal } from '../../src/ledger/ledger.ts';
import { dayMs, minuteMs } from '../../src/time.ts';
import { customer, type Guarantee, startMs } from './bench.ts';

export function guestGuarantees(guarantee: Guarantee): void {
  guarantee(
    'their account is made once, by whoever asks first, and keeps step with the setting',
    async (bench) => {
      const { accounts, beside } = bench;
      const other = await beside();
      const wish = { callsPerDay: 1_000, atMs: startMs };
      const opened = await Promise.all(
        Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? accounts : other.accounts).openGuests(wish)),
      );
      const ids = new Set(opened.map(({ accountId }) => accountId));
      assert.deepEqual([...ids], ['acc_visitors']);
      const named = async () =>
        (await accounts.listAccounts(startMs))
          .filter(({ name }) => name === 'visitors')
          .map(({ limits }) => limits.day);
      assert.deepEqual(await named(), [1_000]);
      const dearest = Math.max(...endpoints.map(({ credits }) => credits));
      const [account] = opened;
      assert.ok(
        (account?.balance ?? 0) >= 31 * 1_000 * dearest,
        'the day is what ends, in the longest month too',
      );
      await other.accounts.openGuests({ callsPerDay: 200, atMs: startMs });
      assert.deepEqual(await named(), [200]);
      const journal = await accounts.journalOf('acc_visitors');
      await accounts.openGuests({ callsPerDay: 200, atMs: startMs });
      assert.deepEqual(await accounts.journalOf('acc_visitors'), journal, 'what is in step writes nothing');
    },
  );

  guarantee('all who ask within ten minutes get one key, and the next one before it ends', async (bench) => {
    const { accounts, ledger } = bench;
    const { accountId } = await accounts.openGuests({ callsPerDay: 1_000, atMs: startMs });
    const askAt = (minutes: number) => accounts.sharedWebKey(accountId, startMs + minutes * minuteMs);
    const [first, ...others] = await Promise.all([askAt(0), askAt(0), askAt(0)]);
    for (const each of [...others, await askAt(9)]) assert.equal(each.key, first.key);
    const next = await askAt(11);
    assert.notEqual(next.key, first.key);
    assert.equal((await ledger.admit(hashKey(first.key), startMs + 14 * minuteMs)).kind, 'admitted');
    assert.equal((await ledger.admit(hashKey(first.key), startMs + 15 * minuteMs)).kind, 'unknown');
  });

  guarantee('a shared key that gave way to others is not handed on', async ({ accounts }) => {
    const { accountId } = await accounts.openGuests({ callsPerDay: 1_000, atMs: startMs });
    const shared = await accounts.sharedWebKey(accountId, startMs);
    for (let count = 1; count <= 20; count++) await accounts.createWebKey(accountId, startMs + count);
    const ask = () => accounts.sharedWebKey(accountId, startMs + minuteMs);
    const [next, same] = await Promise.all([ask(), ask()]);
    assert.notEqual(next.key, shared.key);
    assert.equal(same.key, next.key, 'all who notice at once get one');
    await accounts.revokeKey(next.keyId, startMs + minuteMs);
    assert.notEqual((await ask()).key, next.key, 'nor one that was revoked');
  });

  guarantee('a shared key that could not be made is asked for again', async ({ accounts }) => {
    await assert.rejects(accounts.sharedWebKey('acc_visitors', startMs), LedgerRefusal);
    const { accountId } = await accounts.openGuests({ callsPerDay: 1_000, atMs: startMs });
    assert.ok((await accounts.sharedWebKey(accountId, startMs)).key);
  });

  guarantee('a host has its share under the terms that an operator gave their account', async (bench) => {
    const { accounts, ledger } = bench;
    const wish = { callsPerDay: 100, atMs: startMs };
    const { accountId, plan, terms } = await accounts.openGuests(wish);
    const { key } = await accounts.sharedWebKey(accountId, startMs);
    const call = async (atMs: number) => {
      const calls = Array.from({ length: 30 }, () => ledger.admitPage(hashKey(key), '192.0.2.1', atMs));
      return countOf(await Promise.all(calls));
    };
    const changed = { plan, terms: { ...terms, limits: { minute: 1_000, day: 100 } }, atMs: startMs };
    await accounts.changePlan(accountId, changed);
    assert.deepEqual(await call(startMs), { admitted: 25, limited: 5 });
    await accounts.changePlan(accountId, { plan, terms: { allowance: 1_000 }, atMs: startMs });
    assert.deepEqual(await call(startMs + minuteMs), { admitted: 30 }, 'of a day without end there is none');
    await accounts.changePlan(accountId, { plan: 'standard', terms, atMs: startMs });
    const again = await accounts.openGuests(wish);
    assert.deepEqual([again.plan, again.limits.day], [plan, 100], 'a start puts it back');
  });

  guarantee(
    'a host has a tenth of the day; beyond it nothing is counted against the others',
    async (bench) => {
      const { accounts, ledger } = bench;
      const { accountId } = await accounts.openGuests({ callsPerDay: 1_000, atMs: startMs });
      const { key } = await accounts.sharedWebKey(accountId, startMs);
      const hash = hashKey(key);
      const kinds: string[] = [];
      for (let call = 0; call < 130; call++) {
        const admission = await ledger.admitPage(hash, '192.0.2.1', startMs);
        kinds.push(admission.kind === 'limited' ? `${admission.window} ${admission.limit}` : admission.kind);
      }
      assert.deepEqual(new Set(kinds.slice(0, 100)), new Set(['admitted']));
      assert.deepEqual(new Set(kinds.slice(100)), new Set(['day 100']));
      assert.equal((await ledger.admitPage(hash, '192.0.2.2', startMs)).kind, 'admitted');
      const [, day] = await accounts.windowsOf(accountId, 'live', startMs);
      assert.deepEqual([day?.window, day?.used, day?.limit], ['day', 101, 1_000]);
      const tomorrow = startMs + dayMs;
      const { key: later } = await accounts.sharedWebKey(accountId, tomorrow);
      assert.equal((await ledger.admitPage(hashKey(later), '192.0.2.1', tomorrow)).kind, 'admitted');
    },
  );

  guarantee('the first calls by a key count too, however many come at once', async ({ accounts, ledger }) => {
    const { accountId } = await accounts.openGuests({ callsPerDay: 1_000, atMs: startMs });
    const { key } = await accounts.sharedWebKey(accountId, startMs);
    const calls = Array.from({ length: 130 }, () => ledger.admitPage(hashKey(key), '192.0.2.1', startMs));
    assert.deepEqual(countOf(await Promise.all(calls)), { admitted: 100, limited: 30 });
    const [, day] = await accounts.windowsOf(accountId, 'live', startMs);
    assert.equal(day?.used, 100);
  });

  guarantee('the share follows the account, up and down', async ({ accounts, ledger }) => {
    const { accountId } = await accounts.openGuests({ callsPerDay: 100, atMs: startMs });
    const { key } = await accounts.sharedWebKey(accountId, startMs);
    const call = async (calls: number, atMs: number) => {
      const kinds: Admission[] = [];
      for (let count = 0; count < calls; count++)
        kinds.push(await ledger.admitPage(hashKey(key), '192.0.2.1', atMs));
      return countOf(kinds);
    };
    assert.deepEqual(await call(30, startMs), { admitted: 25, limited: 5 });
    await accounts.openGuests({ callsPerDay: 400, atMs: startMs });
    assert.deepEqual(await call(20, startMs + minuteMs), { admitted: 15, limited: 5 });
    await accounts.openGuests({ callsPerDay: 20, atMs: startMs });
    assert.deepEqual(await call(1, startMs + 2 * minuteMs), { limited: 1 });
  });

  guarantee('a key that has ended is unknown, whatever its host has had', async ({ accounts, ledger }) => {
    const { accountId } = await accounts.openGuests({ callsPerDay: 10, atMs: startMs });
    const { key } = await accounts.sharedWebKey(accountId, startMs);
    const call = (host: string, atMs: number) => ledger.admitPage(hashKey(key), host, atMs);
    for (let count = 0; count < 10; count++) await call('192.0.2.1', startMs);
    assert.equal((await call('192.0.2.1', startMs)).kind, 'limited');
    const endMs = startMs + 15 * minuteMs;
    for (const host of ['192.0.2.1', '192.0.2.2']) {
      assert.equal((await call(host, endMs - 1)).kind, 'limited', host);
      assert.equal((await call(host, endMs)).kind, 'unknown', host);
    }
    const { key: next } = await accounts.sharedWebKey(accountId, endMs);
    const callNext = (minutes: number) =>
      ledger.admitPage(hashKey(next), '192.0.2.1', endMs + minutes * minuteMs);
    assert.equal((await callNext(0)).kind, 'limited');
    await accounts.suspendAccount(accountId, { atMs: endMs, reason: 'abuse' });
    assert.equal((await callNext(1)).kind, 'suspended');
    await accounts.resumeAccount(accountId, endMs);
    await accounts.closeAccount(accountId, endMs);
    assert.equal((await callNext(2)).kind, 'unknown');
  });

  guarantee('calls by a key that has ended take nothing of the share of their host', async (bench) => {
    const { accounts, ledger } = bench;
    const { accountId } = await accounts.openGuests({ callsPerDay: 100, atMs: startMs });
    const { key: ended } = await accounts.sharedWebKey(accountId, startMs);
    const endMs = startMs + 15 * minuteMs;
    const call = (key: string, atMs: number) => ledger.admitPage(hashKey(key), '192.0.2.1', atMs);
    assert.equal((await call(ended, endMs - 1)).kind, 'admitted');
    const late = Array.from({ length: 30 }, () => call(ended, endMs));
    assert.deepEqual(countOf(await Promise.all(late)), { unknown: 30 });
    const { key: next } = await accounts.sharedWebKey(accountId, endMs);
    const calls = Array.from({ length: 30 }, () => call(next, endMs));
    assert.deepEqual(
      countOf(await Promise.all(calls)),
      { admitted: 24, limited: 6 },
      '25 with the one before',
    );
  });

  guarantee('keys of other pages have no share', async ({ accounts, ledger }) => {
    const { accountId } = await customer(accounts, 'enterprise', { allowance: 100, limits: { day: 60 } });
    const { key } = await accounts.createWebKey(accountId, startMs);
    const calls = Array.from({ length: 70 }, () => ledger.admitPage(hashKey(key), '192.0.2.1', startMs));
    assert.deepEqual(countOf(await Promise.all(calls)), { admitted: 60, limited: 10 });
  });

  guarantee('processes share the day of the account, each with a key of its own', async (bench) => {
    const { accounts, ledger, storage, beside } = bench;
    const other = await beside();
    if (other.accounts === accounts) return; // a storage that one process has
    const { accountId } = await accounts.openGuests({ callsPerDay: 30, atMs: startMs });
    const keys = [accounts, other.accounts].map((each) => each.sharedWebKey(accountId, startMs));
    const [here, there] = (await Promise.all(keys)).map(({ key }) => hashKey(key));
    assert.ok(here !== undefined && there !== undefined && here !== there);
    const callsOf = (at: Ledger, hash: string, host: string) =>
      Promise.all(Array.from({ length: 20 }, () => at.admitPage(hash, host, startMs)));
    assert.deepEqual(countOf(await callsOf(ledger, here, '192.0.2.1')), { admitted: 20 });
    await storage.settle(bench);
    await storage.nextRequest();
    assert.deepEqual(countOf(await callsOf(other.ledger, there, '192.0.2.2')), { admitted: 10, limited: 10 });
  });
}

function countOf(admissions: readonly Admission[]): Partial<Record<Admission['kind'], number>> {
  const counts: Partial<Record<Admission['kind'], number>> = {};
  for (const { kind } of admissions) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
