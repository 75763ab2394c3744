// Calls that are admitted where they are charged, when what is there is not what was left there, or the way to it breaks: each is
// charged once or not at all.

import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { LedgerRefusal, LedgerUnavailable } from '../../../src/ledger/ledger.ts';
import { balanceOf, charging, customer } from '../bench.ts';
import { assertSound } from './bench.ts';
import { call, kindsOf, known, presumptionsOf, withTwo } from './presumed-bench.ts';
import { type Fate, withProxy } from './proxy.ts';

test('a charge that is known already is not made again', async () => {
  await withTwo(async ({ here }) => {
    const ada = await known(here, { allowance: 10 });
    const charge = charging(ada.caller, 'once', 2);
    assert.equal((await here.ledger.charge(charge)).creditsRemaining, 8);
    const { admission, result } = await presumptionsOf(here).charge(ada.hash, charge);
    assert.deepEqual([admission.kind, result], ['admitted', undefined]);
    assert.equal(await balanceOf(here.accounts, ada.accountId), 8);
  });
});

test('a database that was put back to an earlier day has other numbers: calls go the usual way and then are presumed again', async () => {
  await withTwo(async ({ here, storage: { server, database } }) => {
    const ada = await known(here, { allowance: 10 });
    assert.deepEqual(kindsOf(await call(here, ada)), ['admitted', 'charged']);
    await server.ask(database, 'ALTER TABLE domesday.endpoints DISABLE TRIGGER USER');
    await server.ask(database, "UPDATE domesday.endpoints SET path = '/other' WHERE path = '/crime'");
    assert.deepEqual(kindsOf(await call(here, ada)), ['admitted', undefined]);
    assert.equal((await here.ledger.charge(charging(ada.caller, 'usual'))).kind, 'charged');
    assert.deepEqual(kindsOf(await call(here, ada)), ['admitted', 'charged']);
    assert.equal(await balanceOf(here.accounts, ada.accountId), 7);
  });
});

for (const change of ["id = 'key_other'", 'account = (SELECT max(number) FROM domesday.accounts)']) {
  test(`a database where the number of a key is another’s charges nobody for it: ${change}`, async () => {
    await withTwo(async ({ here, storage: { server, database } }) => {
      const ada = await known(here, { allowance: 10 });
      const others = await customer(here.accounts, 'basic', { allowance: 10 });
      await server.ask(database, 'ALTER TABLE domesday.keys DISABLE TRIGGER USER');
      const where = `WHERE id = '${ada.caller.keyId}'`;
      await server.ask(database, `UPDATE domesday.keys SET ${change} ${where}`);
      assert.deepEqual(kindsOf(await call(here, ada)), ['admitted', undefined]);
      for (const { accountId } of [ada, others]) assert.equal(await balanceOf(here.accounts, accountId), 10);
    });
  });
}

describe('where the way to the database breaks', () => {
  const longMs = 30_000;

  it('each call is charged once, wherever it was lost', async () => {
    await withProxy(async ({ proxy, openThrough }) => {
      const open = await openThrough(longMs);
      const ada = await known(open, { allowance: 100_000, limits: { minute: null, day: null, month: null } });
      await call(open, ada);
      let charged = 1;
      // On a presumption and after it.
      proxy.sign = 'domesday.charge_';
      const fate = fc.constantFrom<Fate>('pass', 'before', 'after', 'during');
      await fc.assert(
        fc.asyncProperty(fc.array(fate, { maxLength: 5 }), fc.nat(20), async (fates, more) => {
          proxy.fates = [...fates];
          const told = await Promise.all(Array.from({ length: 1 + more }, () => call(open, ada)));
          for (const confirmed of told) assert.deepEqual(kindsOf(confirmed), ['admitted', 'charged']);
          charged += told.length;
          proxy.fates = [];
          assert.equal(await balanceOf(open.accounts, ada.accountId), 100_000 - charged);
        }),
        { numRuns: 25 },
      );
      await assertSound(open);
    });
  });

  it('the last credits of an account are no reason for a refusal', async () => {
    await withProxy(async ({ proxy, openThrough }) => {
      const open = await openThrough(longMs);
      const ada = await known(open, { allowance: 3 });
      await call(open, ada);
      proxy.sign = 'domesday.charge_presumed_1';
      proxy.fates = ['after'];
      const { admission, result } = await call(open, ada, 2);
      assert.deepEqual([admission.kind, result?.kind, result?.creditsRemaining], ['admitted', 'charged', 0]);
      await assertSound(open);
    });
  });

  const given = {
    'is told of an outage when it is to be admitted': {
      sign: 'domesday.',
      fates: ['after', 'before', 'before'],
    },
    'is told of an outage when it is charged again': {
      sign: 'domesday.charge_',
      fates: ['after', 'before'],
    },
  } as const satisfies Record<string, { readonly sign: string; readonly fates: readonly Fate[] }>;
  for (const [name, { sign, fates }] of Object.entries(given)) {
    it(`whoever ${name} is given back what the lost trip took`, async () => {
      await withProxy(async ({ proxy, openThrough, inDoubt }) => {
        const open = await openThrough(0);
        const ada = await known(open, { allowance: 10 });
        await call(open, ada);
        proxy.sign = sign;
        proxy.fates = [...fates];
        const charge = charging(ada.caller, 'lost', 4);
        await assert.rejects(presumptionsOf(open).charge(ada.hash, charge), LedgerUnavailable);
        assert.deepEqual(proxy.fates, []);
        assert.equal(await inDoubt(), 1);
        proxy.sign = 'nothing';
        assert.equal((await open.ledger.charge(charging(ada.caller, 'next'))).creditsRemaining, 8);
        assert.equal(await inDoubt(), 0);
        await assert.rejects(open.ledger.charge(charge), LedgerRefusal);
        await assertSound(open);
      });
    });
  }

  it('whoever is no longer admitted is given back what the lost trip took', async () => {
    await withProxy(async ({ proxy, openThrough }) => {
      const open = await openThrough(longMs);
      const ada = await known(open, { allowance: 10, limits: { minute: 3 } });
      await call(open, ada);
      proxy.sign = 'domesday.charge_presumed_1';
      proxy.fates = ['after'];
      // The lost trip has counted it, so that it is one too many.
      assert.deepEqual(kindsOf(await call(open, ada, 4)), ['limited', undefined]);
      assert.equal((await open.ledger.charge(charging(ada.caller, 'next'))).creditsRemaining, 8);
      await assertSound(open);
    });
  });
});
