// What guests of the explorer get, whatever the engine: one account however many open it, one key for all, and a share of the day
// for each host.

import assert from 'node:assert/strict';
import { hashKey } from '../../src/ledger/keys.ts';
import { dayMs, type Guarantee, minuteMs, startMs } from './bench.ts';

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
    const next = await accounts.sharedWebKey(accountId, startMs + minuteMs);
    assert.notEqual(next.key, shared.key);
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
        const admission = await ledger.admitGuest(hash, '192.0.2.1', startMs);
        kinds.push(admission.kind === 'limited' ? `${admission.window} ${admission.limit}` : admission.kind);
      }
      assert.deepEqual(new Set(kinds.slice(0, 100)), new Set(['admitted']));
      assert.deepEqual(new Set(kinds.slice(100)), new Set(['day 100']));
      assert.equal((await ledger.admitGuest(hash, '192.0.2.2', startMs)).kind, 'admitted');
      const [, day] = await accounts.windowsOf(accountId, 'live', startMs);
      assert.deepEqual([day?.window, day?.used, day?.limit], ['day', 101, 1_000]);
      const tomorrow = startMs + dayMs;
      const { key: later } = await accounts.sharedWebKey(accountId, tomorrow);
      assert.equal((await ledger.admitGuest(hashKey(later), '192.0.2.1', tomorrow)).kind, 'admitted');
    },
  );
}
