// More of everything than one portion: accounts that are due, keys that a replica knows, remembered calls. Each is worked off in
// portions, and nobody else waits for it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Caller, OpenLedger } from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { repeatable } from '../../../src/ledger/repeats.ts';
import { dayMs } from '../../../src/time.ts';
import { balanceOf, charging, customer, startMs } from '../bench.ts';
import { freshStorage, type PostgresStorage } from './bench.ts';
import { LossyProxy } from './proxy.ts';

type Rig = PostgresStorage & {
  readonly proxy: LossyProxy;
  /** Through the proxy. */
  readonly open: () => Promise<OpenLedger>;
};

async function withRig(work: (rig: Rig) => Promise<void>): Promise<void> {
  const storage = await freshStorage();
  const { server, database, home } = storage;
  const proxy = await LossyProxy.open(server.port);
  const opened: OpenLedger[] = [];
  const open = async () => {
    const databaseUrl = server.url(database, proxy.port);
    const ledger = await openLedger({ home, databaseUrl, patienceMs: 30_000 });
    opened.push(ledger);
    return ledger;
  };
  try {
    await work({ ...storage, proxy, open });
  } finally {
    for (const { ledger } of opened) await ledger.close();
    await proxy.close();
    await storage.remove();
  }
}

const limits = { minute: null, day: null, month: null };

test('however many accounts are due at once, two are refreshed at a time, and charges of others go on', async () => {
  await withRig(async ({ server, database, open }) => {
    const { ledger, accounts } = await open();
    const due = await Promise.all(
      Array.from({ length: 12 }, () => customer(accounts, 'basic', { allowance: 10 })),
    );
    const other = await customer(accounts, 'trial', { limits });
    await ledger.charge(charging(other.caller, 'before'));
    const waiting = async () => {
      const text = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = $1";
      return (await server.ask(database, text, [database])).rows.length;
    };
    // In a second month too: the places of the first are free again, and no more than they were.
    let atMs = startMs;
    for (const monthMs of [Date.UTC(2026, 1, 28, 12), Date.UTC(2026, 2, 31, 12)]) {
      for (const { caller } of due) {
        const { creditsRemaining } = await ledger.charge(
          charging(caller, `${atMs} ${caller.keyId}`, 3, atMs),
        );
        assert.equal(creditsRemaining, 7);
      }
      const holder = new pg.Client(server.url(database));
      await holder.connect();
      await holder.query('BEGIN');
      await holder.query("SELECT FROM domesday.accounts WHERE plan = 'basic' FOR NO KEY UPDATE");
      const asked = Promise.all(due.map(({ hash }) => ledger.admit(hash, monthMs)));
      while ((await waiting()) < 2) await pause(10);
      const charge = await ledger.charge(charging(other.caller, `at ${monthMs}`, 1, monthMs));
      assert.equal(charge.kind, 'charged');
      const atOnce = await waiting();
      await holder.end();
      assert.ok(atOnce <= 2, `${atOnce} at once`);
      for (const admission of await asked) {
        assert.equal(admission.kind === 'admitted' && admission.standing.creditsRemaining, 10);
      }
      atMs = monthMs;
    }
  });
});

test('slow: a replica keeps the numbers of the ten thousand keys it met last, not of all, and charges rightly by those it forgot', async () => {
  await withRig(async ({ server, database, proxy, open }) => {
    const { ledger, accounts } = await open();
    const { caller, hash } = await customer(accounts, 'enterprise', { allowance: 10, limits });
    const others = await Promise.all(
      Array.from({ length: 100 }, () => customer(accounts, 'enterprise', { allowance: 10, limits })),
    );
    await server.ask(
      database,
      `INSERT INTO domesday.keys (id, account, kind, hash, last_four, created_at)
        SELECT 'key ' || n, number, 'live', 'hash ' || n, '0000', created_at
        FROM generate_series(1, 20000) AS n JOIN domesday.accounts ON id = ($1::text[])[1 + n % 100]`,
      [others.map((other) => other.accountId)],
    );
    const meet = (from: number, to: number) =>
      Promise.all(Array.from({ length: to - from }, (_, n) => ledger.admit(`hash ${from + n}`, startMs)));
    /** Whether the database was asked for the key of a charge. */
    const isLookedFor = async (chargeId: string, by: Caller) => {
      proxy.sign = 'WHERE keys.id = ANY';
      proxy.fates = ['pass'];
      assert.equal((await ledger.charge(charging(by, chargeId))).kind, 'charged');
      return proxy.fates.length === 0;
    };
    const tenThousandth = { ...caller, accountId: others[0]?.accountId ?? '', keyId: 'key 10000' };
    await ledger.admit(hash, startMs);
    assert.equal(await isLookedFor('c1', caller), false);
    await meet(1, 10_001);
    assert.equal(await isLookedFor('c2', caller), false, 'of the generation before');
    assert.equal(await isLookedFor('c3', tenThousandth), false, 'of this one');
    // Its use has kept it for one generation more.
    await meet(10_001, 20_001);
    await meet(1, 10_001);
    assert.equal(await isLookedFor('c4', caller), true, 'forgotten');
    assert.equal(await isLookedFor('c5', caller), false, 'met again');
    const keysOf = async (by: Caller) =>
      (await accounts.journalOf(by.accountId)).flatMap(({ keyId }) => keyId ?? []);
    assert.deepEqual(await keysOf(caller), Array(4).fill(caller.keyId));
    assert.deepEqual(await keysOf(tenThousandth), ['key 10000']);
  });
});

test('where more than half a portion of remembered calls was old, the next charge removes another portion', async () => {
  await withRig(async ({ server, database, open }) => {
    const before = await open();
    const { accountId, caller } = await customer(before.accounts, 'enterprise', { allowance: 10_000 });
    const calls = Array.from({ length: 1_400 }, (_, n) =>
      before.ledger.charge({ ...charging(caller, `c${n}`), repeatable: repeatable(`k${n}`, 'a call') }),
    );
    await Promise.all(calls);
    const kept = async () =>
      (await server.ask(database, 'SELECT count(*)::integer AS kept FROM domesday.repeats')).rows[0]?.kept;
    assert.equal(await kept(), 1_400);
    const { ledger, accounts } = await open();
    const laterMs = startMs + 2 * dayMs;
    await ledger.charge(charging(caller, 'd1', 1, laterMs));
    assert.equal(await kept(), 400);
    await ledger.charge(charging(caller, 'd2', 1, laterMs));
    assert.equal(await kept(), 0);
    assert.equal(await balanceOf(accounts, accountId, laterMs), 10_000 - 1_400 - 2);
  });
});
