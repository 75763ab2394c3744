// Calls that are admitted where they are charged: whatever has changed since their key was last known, by whichever replica,
// counts for the next of them.

import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import pg from 'pg';
import { hashKey } from '../../../src/ledger/keys.ts';
import type { Accounts, Admission, OpenLedger } from '../../../src/ledger/ledger.ts';
import { repeatable } from '../../../src/ledger/repeats.ts';
import { dayMs, hourMs, minuteMs } from '../../../src/time.ts';
import { balanceOf, balancesOf, type Customer, charging, customer, startMs, writeCounts } from '../bench.ts';
import { assertSound, freshStorage, untilBlocked } from './bench.ts';
import { call, kindsOf, known, nextId, presumptionsOf, standingOf, used, withTwo } from './presumed-bench.ts';

test('a key is known once a call of it was admitted; its next one is counted and charged in one', async () => {
  await withTwo(async ({ here, presumptions }) => {
    const ada = await customer(here.accounts, 'basic', { allowance: 10, limits: { minute: 5 } });
    assert.equal(presumptions.find(ada.hash, startMs), undefined);
    await here.ledger.admit(ada.hash, startMs);
    assert.deepEqual(presumptions.find(ada.hash, startMs)?.caller, ada.caller);
    const { admission, result } = await call(here, ada, 3);
    assert.deepEqual([result?.kind, result?.creditsRemaining], ['charged', 7]);
    const { minuteRemaining, creditsRemaining, minuteResetAtMs, limits } = standingOf(admission);
    assert.deepEqual([minuteRemaining, creditsRemaining, minuteResetAtMs], [3, 7, startMs + minuteMs]);
    assert.equal(limits.minute, 5);
    assert.deepEqual(await used(here.accounts, ada.accountId), [2, 2, 2]);
  });
});

describe('what another replica has changed since counts for the next call', () => {
  type Change = {
    readonly name: string;
    readonly make: (accounts: Accounts, ada: Customer) => Promise<unknown>;
    readonly told: readonly [Admission['kind'], string | undefined];
  };
  const atMs = startMs;
  const changes: readonly Change[] = [
    {
      name: 'the key is revoked',
      make: (accounts, { caller }) => accounts.revokeKey(caller.keyId, atMs),
      told: ['unknown', undefined],
    },
    {
      name: 'the key is rotated',
      make: (accounts, { caller }) => accounts.rotateKey(caller.keyId, { overlapMs: 0, atMs }),
      told: ['unknown', undefined],
    },
    {
      name: 'the account is closed',
      make: (accounts, { accountId }) => accounts.closeAccount(accountId, atMs),
      told: ['unknown', undefined],
    },
    {
      name: 'the account is suspended',
      make: (accounts, { accountId }) => accounts.suspendAccount(accountId, { reason: 'late', atMs }),
      told: ['suspended', undefined],
    },
    {
      name: 'the key is bound to addresses',
      make: (accounts, { caller }) => accounts.changeKey(caller.keyId, { addresses: ['10.0.0.0/8'], atMs }),
      told: ['admitted', undefined],
    },
    {
      name: 'the key is bound to endpoints',
      make: (accounts, { caller }) => accounts.changeKey(caller.keyId, { endpoints: ['/bank-rates'], atMs }),
      told: ['admitted', undefined],
    },
    {
      name: 'the key is to expire within the hour',
      make: (accounts, { caller }) =>
        accounts.changeKey(caller.keyId, { expiresAtMs: atMs + minuteMs, atMs }),
      told: ['admitted', undefined],
    },
    ...(['minute', 'day', 'month'] as const).map((window) => ({
      name: `the limit of the ${window} is lower`,
      make: (accounts: Accounts, { accountId }: Customer) =>
        accounts.changePlan(accountId, { plan: 'basic', terms: { limits: { [window]: 1 } }, atMs }),
      told: ['limited', undefined] as const,
    })),
    {
      name: 'the credits are gone',
      make: (accounts, { accountId }) => accounts.grantCredits(accountId, { credits: -10, atMs }),
      told: ['admitted', undefined],
    },
    {
      name: 'credits are granted',
      make: (accounts, { accountId }) => accounts.grantCredits(accountId, { credits: 10, atMs }),
      told: ['admitted', 'charged'],
    },
  ];
  for (const { name, make, told } of changes) {
    it(name, async () => {
      await withTwo(async ({ here, elsewhere }) => {
        const ada = await known(here, { allowance: 10 });
        const others = await known(here, { allowance: 10 });
        assert.deepEqual(kindsOf(await call(here, others)), ['admitted', 'charged']);
        await make(elsewhere.accounts, ada);
        const before = await balanceOf(here.accounts, ada.accountId);
        const [hers, theirs] = await Promise.all([call(here, ada), call(here, others)]);
        assert.deepEqual(kindsOf(hers), told);
        assert.equal(await balanceOf(here.accounts, ada.accountId), told[1] ? before - 1 : before);
        // Nothing of it is to be seen by whoever comes with her.
        assert.deepEqual(kindsOf(theirs), ['admitted', 'charged']);
        assert.deepEqual(await used(here.accounts, others.accountId), [3, 3, 3]);
        await assertSound(here);
      });
    });
  }
});

test('whoever was refused, or is bound to anything, is not presumed to be admitted again', async () => {
  await withTwo(async ({ here, elsewhere, presumptions }) => {
    const limited = await known(here, { limits: { minute: 1 } });
    assert.deepEqual(kindsOf(await call(here, limited)), ['limited', undefined]);
    assert.equal(presumptions.find(limited.hash, startMs), undefined);
    const bound = await known(here);
    await elsewhere.accounts.changeKey(bound.caller.keyId, { endpoints: ['/crime'], atMs: startMs });
    assert.deepEqual(kindsOf(await call(here, bound)), ['admitted', undefined]);
    assert.equal(presumptions.find(bound.hash, startMs), undefined);
    const revoked = await known(here);
    await elsewhere.accounts.revokeKey(revoked.caller.keyId, startMs);
    assert.deepEqual(kindsOf(await call(here, revoked)), ['unknown', undefined]);
    assert.equal(presumptions.find(revoked.hash, startMs), undefined);
  });
});

test('nobody is presumed to be admitted in the hour of an expiry or a refresh, nor with a test key', async () => {
  await withTwo(async ({ here, presumptions }) => {
    const ada = await known(here);
    const { accountId } = ada;
    const { refreshAtMs } = (await here.accounts.findAccount(accountId, startMs)) ?? assert.fail();
    assert.ok(refreshAtMs);
    assert.ok(presumptions.find(ada.hash, refreshAtMs - hourMs - 1));
    assert.equal(presumptions.find(ada.hash, refreshAtMs), undefined);
    const expiresAtMs = startMs + dayMs + minuteMs;
    await here.accounts.changeKey(ada.caller.keyId, { expiresAtMs, atMs: startMs });
    await here.ledger.admit(ada.hash, startMs);
    assert.ok(presumptions.find(ada.hash, startMs + dayMs - 1));
    assert.equal(presumptions.find(ada.hash, startMs + dayMs), undefined);
    const test = await here.accounts.createKey({ accountId, kind: 'test', atMs: startMs });
    assert.equal((await here.ledger.admit(hashKey(test.key), startMs)).kind, 'admitted');
    assert.equal(presumptions.find(hashKey(test.key), startMs), undefined);
  });
});

for (const [bound, atMs] of [
  ['quiet_from', startMs + 1],
  ['quiet_to', startMs + hourMs - 1],
] as const) {
  test(`a call in an hour that is not quiet to the database goes the usual way: ${bound}`, async () => {
    await withTwo(async ({ here, presumptions, storage: { server, database } }) => {
      const ada = await known(here, { allowance: 10 });
      await server.ask(database, `UPDATE domesday.accounts SET ${bound} = ${atMs}`);
      assert.equal((await call(here, ada)).result, undefined);
      assert.equal(presumptions.find(ada.hash, startMs), undefined);
    });
  });
}

for (const window of ['minute', 'day', 'month'] as const) {
  test(`the limit of the ${window} holds`, async () => {
    await withTwo(async ({ here }) => {
      const ada = await known(here, { allowance: 10, limits: { [window]: 3 } });
      const elsewhere = { ...charging(ada.caller, nextId()), endpoint: '/bank-rates' };
      const together = await Promise.all([
        call(here, ada),
        presumptionsOf(here).charge(ada.hash, elsewhere),
        call(here, ada),
      ]);
      assert.deepEqual(together.map(kindsOf), [
        ['admitted', 'charged'],
        ['admitted', 'charged'],
        ['limited', undefined],
      ]);
      assert.deepEqual(kindsOf(await call(here, ada)), ['limited', undefined]);
    });
  });
}

test('a call that begins a minute, a day and a month begins their counts', async () => {
  await withTwo(async ({ here }) => {
    const ada = await known(here);
    const februaryMs = startMs + dayMs;
    await call(here, ada);
    assert.deepEqual(kindsOf(await call(here, ada, 1, februaryMs)), ['admitted', 'charged']);
    assert.deepEqual(await used(here.accounts, ada.accountId, februaryMs), [1, 1, 1]);
  });
});

test('a call that others of its account are just being counted with is counted after them', async () => {
  await withTwo(async ({ here, storage }) => {
    const ada = await known(here, { limits: { minute: 2 } });
    const other = new pg.Client(storage.server.url(storage.database));
    await other.connect();
    await other.query('BEGIN; UPDATE domesday.windows SET minute_count = minute_count + 1');
    const calling = call(here, ada);
    await untilBlocked(storage);
    await other.query('COMMIT');
    await other.end();
    assert.deepEqual(kindsOf(await calling), ['limited', undefined]);
  });
});

test('a call whose Idempotency-Key is remembered goes the usual way, where it is a repetition', async () => {
  await withTwo(async ({ here, elsewhere }) => {
    const ada = await known(here, { allowance: 10, limits: { minute: null } });
    const others = await known(here, { allowance: 10 });
    const pay = ({ hash, caller }: Customer, key: string, asked = 'call', atMs = startMs) =>
      presumptionsOf(here).charge(hash, {
        ...charging(caller, nextId(), 2, atMs),
        repeatable: repeatable(key, asked),
      });
    const together = await Promise.all([pay(ada, 'a'), pay(ada, 'a'), pay(ada, 'b'), pay(others, 'a')]);
    assert.deepEqual(
      together.map(({ result }) => result?.kind),
      ['charged', undefined, 'charged', 'charged'],
    );
    assert.equal(await elsewhere.ledger.recall(ada.caller, repeatable('a', 'call'), startMs), 'same');
    assert.equal(await elsewhere.ledger.recall(ada.caller, repeatable('a', 'other'), startMs), 'other');
    assert.deepEqual(kindsOf(await pay(ada, 'a', 'other')), ['admitted', undefined]);
    assert.equal(await balanceOf(here.accounts, ada.accountId), 6);
    assert.deepEqual(kindsOf(await pay(ada, 'a', 'other', startMs + dayMs)), ['admitted', 'charged']);
    assert.equal(
      await elsewhere.ledger.recall(ada.caller, repeatable('a', 'other'), startMs + dayMs),
      'same',
    );
    await assertSound(here);
  });
});

test('what a month gave is spent before what lasts', async () => {
  await withTwo(async ({ here }) => {
    const ada = await known(here, { allowance: 3 });
    await here.accounts.grantCredits(ada.accountId, { credits: 10, atMs: startMs });
    await call(here, ada, 2);
    assert.deepEqual(await balancesOf(here.accounts, ada.accountId), [11, 10]);
    await call(here, ada, 4);
    assert.deepEqual(await balancesOf(here.accounts, ada.accountId), [7, 7]);
    await assertSound(here);
  });
});

test('parallel calls through two replicas are admitted up to the limit and charged up to the balance, exactly', async () => {
  await withTwo(async ({ here, elsewhere }) => {
    const limited = await known(here, { allowance: 1_000, limits: { minute: 152 } });
    const poor = await known(here, { allowance: 101, limits: { minute: null, day: null, month: null } });
    for (const { hash } of [limited, poor]) await elsewhere.ledger.admit(hash, startMs);
    const pay = async ({ ledger }: OpenLedger, { hash, caller }: Customer): Promise<string> => {
      const charge = charging(caller, nextId());
      const presumed = ledger.presumptions?.find(hash, startMs) && ledger.presumptions;
      const { admission, result } = presumed
        ? await presumed.charge(hash, charge)
        : { admission: await ledger.admit(hash, startMs), result: undefined };
      if (admission.kind !== 'admitted') return admission.kind;
      return (result ?? (await ledger.charge(charge))).kind;
    };
    const told = await Promise.all(
      Array.from({ length: 400 }, async (_, place) => {
        const open = place % 2 === 0 ? here : elsewhere;
        // In several turns, so that some batches are whole and some are not.
        for (let turn = 0; turn < place % 7; turn++) await new Promise(setImmediate);
        return place % 4 < 2 ? `limited: ${await pay(open, limited)}` : `poor: ${await pay(open, poor)}`;
      }),
    );
    const counts = Object.fromEntries(
      [...new Set(told)].sort().map((kind) => [kind, told.filter((each) => each === kind).length]),
    );
    assert.deepEqual(counts, {
      'limited: charged': 150,
      'limited: limited': 50,
      'poor: charged': 101,
      'poor: insufficient': 99,
    });
    assert.deepEqual(await used(here.accounts, limited.accountId), [202, 202, 202]);
    assert.deepEqual(await used(here.accounts, poor.accountId), [202, 202, 202]);
    for (const open of [here, elsewhere]) await writeCounts(open);
    const usage = (await here.accounts.usageOf(poor.accountId)).map(({ status, calls: n }) => [status, n]);
    assert.deepEqual(usage, [
      [200, 101],
      [402, 99],
    ]);
    await assertSound(here);
  });
});

test('calls of two minutes, of two endpoints and prices, of two keys of one account come out as one after another', async () => {
  await withTwo(async ({ here }) => {
    const ada = await known(here, { allowance: 100, limits: { minute: 10 } });
    const { keyId, key } = await here.accounts.createKey({
      accountId: ada.accountId,
      kind: 'live',
      atMs: startMs,
    });
    const second = { ...ada, hash: hashKey(key), caller: { ...ada.caller, keyId } };
    await here.ledger.admit(second.hash, startMs);
    const lastMs = startMs + minuteMs - 1;
    const told = await Promise.all([
      call(here, ada, 1, lastMs),
      call(here, second, 2, lastMs),
      presumptionsOf(here).charge(ada.hash, {
        ...charging(ada.caller, 'elsewhere', 3, lastMs),
        endpoint: '/bank-rates',
      }),
      call(here, ada, 1, lastMs),
      call(here, ada, 1, lastMs + 1),
    ]);
    assert.deepEqual(
      told.map(({ admission, result }) => [standingOf(admission).minuteRemaining, result?.creditsRemaining]),
      [
        [7, 99],
        [6, 97],
        [5, 94],
        [4, 93],
        [9, undefined],
      ],
    );
    assert.deepEqual(await used(here.accounts, ada.accountId, lastMs + 1), [1, 7, 7]);
    const journal = (await here.accounts.journalOf(ada.accountId)).map(
      ({ credits, balanceAfter, keyId: by, endpoint }) => [credits, balanceAfter, by === keyId, endpoint],
    );
    assert.deepEqual(journal.slice(0, 4), [
      [-1, 93, false, '/crime'],
      [-3, 94, false, '/bank-rates'],
      [-2, 97, true, '/crime'],
      [-1, 99, false, '/crime'],
    ]);
    await assertSound(here);
  });
});

test('a replica whose clock is behind neither begins the minute anew nor is held to it', async () => {
  await withTwo(async ({ here, elsewhere }) => {
    const ada = await known(here, { allowance: 100, limits: { minute: 3 } });
    for (let i = 0; i < 3; i++) await elsewhere.ledger.admit(ada.hash, startMs + minuteMs);
    assert.deepEqual(kindsOf(await call(here, ada)), ['admitted', 'charged']);
    assert.equal((await elsewhere.ledger.admit(ada.hash, startMs + minuteMs)).kind, 'limited');
  });
});

test('a charge is on disk when it is told of, also where the database would not wait for that', async () => {
  const storage = await freshStorage();
  const { server, database } = storage;
  await server.asAdmin(`ALTER DATABASE ${database} SET synchronous_commit = off`);
  await server.ask(
    database,
    `CREATE TABLE waits (how text);
     CREATE FUNCTION note_wait() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN INSERT INTO waits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
     CREATE TRIGGER wait_noted AFTER INSERT ON domesday.journal FOR EACH STATEMENT EXECUTE FUNCTION note_wait()`,
  );
  const open = await storage.open();
  const ada = await known(open, { allowance: 10 });
  await server.ask(database, 'DELETE FROM waits');
  await open.ledger.charge(charging(ada.caller, nextId()));
  assert.deepEqual(kindsOf(await call(open, ada)), ['admitted', 'charged']);
  const { rows } = await server.ask(database, 'SELECT how FROM waits');
  assert.deepEqual(rows, [{ how: 'on' }, { how: 'on' }]);
  await open.ledger.close();
  await storage.remove();
});
