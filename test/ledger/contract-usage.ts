// What usage comes to, whatever the engine: by any grouping, range and page it is what a naive sum over every single call
// gives, at once.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Caller } from '../../src/ledger/ledger.ts';
import type { UsageSum, UsageSums, UsageWish } from '../../src/ledger/told/usage.ts';
import { dayMs, hourMs, minuteMs } from '../../src/time.ts';
import { type Bench, charging, customer, type Engine, type Guarantee, runsOf, startMs } from './bench.ts';

const dimensions = ['day', 'endpoint', 'key', 'status'] as const;

type Made = Required<UsageSum> & { readonly accountId: string };

const anyCall = fc.record({
  who: fc.nat(2),
  hours: fc.integer({ min: 0, max: 75 }),
  endpoint: fc.constantFrom('/crime', '/bank-rates', 'other'),
  outcome: fc.oneof(
    fc.record({ credits: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ status: fc.constantFrom(200, 304, 400, 404, 429) }),
  ),
  /** Which opening of the ledger it comes through. */
  through: fc.nat(1),
});

const startDay = startMs / dayMs;
const anyWish: fc.Arbitrary<UsageWish> = fc.record({
  fromDay: fc.integer({ min: Math.floor(startDay) - 1, max: Math.floor(startDay) + 4 }),
  toDay: fc.integer({ min: Math.floor(startDay) - 1, max: Math.floor(startDay) + 4 }),
  by: fc.subarray([...dimensions]).chain((names) => fc.shuffledSubarray(names, { minLength: names.length })),
  offset: fc.nat(12),
  limit: fc.integer({ min: 1, max: 9 }),
});

/** Every call looked at for every group. */
function naiveSums(made: readonly Made[], accountId: string, wish: UsageWish): UsageSums {
  const asked = made.filter(
    (call) => call.accountId === accountId && call.day >= wish.fromDay && call.day <= wish.toDay,
  );
  const wanted = dimensions.filter((name) => wish.by.includes(name));
  const nameOf = (call: Made) =>
    JSON.stringify(wanted.map((name) => (typeof call[name] === 'number' ? [call[name]] : call[name])));
  const rows = [...new Set(asked.map(nameOf))].map((name) => {
    const group = asked.filter((call) => nameOf(call) === name);
    const own = wanted.flatMap((dimension) => group.slice(0, 1).map((call) => [dimension, call[dimension]]));
    return {
      ...Object.fromEntries(own),
      calls: group.reduce((sum, { calls }) => sum + calls, 0),
      credits: group.reduce((sum, { credits }) => sum + credits, 0),
    };
  });
  rows.sort((a, b) => {
    const different = wanted.find((name) => a[name] !== b[name]);
    return different === undefined ? 0 : a[different] < b[different] ? -1 : 1;
  });
  const total = {
    rows: rows.length,
    calls: asked.reduce((sum, { calls }) => sum + calls, 0),
    credits: asked.reduce((sum, { credits }) => sum + credits, 0),
  };
  return { rows: rows.slice(wish.offset, wish.offset + wish.limit), total };
}

const twoAccounts = async ({ accounts }: Bench): Promise<readonly Caller[]> => {
  const one = await customer(accounts, 'premium');
  const other = await customer(accounts, 'premium');
  const test = await accounts.createKey({ accountId: one.accountId, kind: 'test', atMs: startMs });
  return [one.caller, other.caller, { accountId: one.accountId, keyId: test.keyId, mode: 'test' }];
};

export function usageGuarantees(guarantee: Guarantee, engine: Engine): void {
  guarantee(
    'usage by any grouping, range and page is what a naive sum over all calls gives',
    async (bench) => {
      const other = await bench.beside();
      const openings = [bench, other];
      const callers = await twoAccounts(bench);
      await bench.storage.nextRequest();
      const made: Made[] = [];
      let charges = 0;
      const call = async ({
        who,
        hours,
        endpoint,
        outcome,
        through,
      }: typeof anyCall extends fc.Arbitrary<infer T> ? T : never) => {
        const caller = callers[who];
        const opening = openings[through];
        assert.ok(caller && opening);
        const atMs = startMs + hours * hourMs;
        const credits = 'credits' in outcome && caller.mode === 'live' ? outcome.credits : 0;
        const status = 'credits' in outcome ? 200 : outcome.status;
        charges += 1;
        if (credits > 0)
          await opening.ledger.charge({ ...charging(caller, `c${charges}`, credits, atMs), endpoint });
        else opening.ledger.record({ caller, endpoint, atMs, status });
        const day = Math.floor(atMs / dayMs);
        made.push({
          accountId: caller.accountId,
          day,
          endpoint,
          key: caller.keyId,
          status,
          calls: 1,
          credits,
        });
      };
      const rounds = fc.array(anyCall, { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(rounds, fc.nat(1), anyWish, async (calls, who, wish) => {
          for (const each of calls) await call(each);
          // What another opening has not written yet, nobody but that one can know.
          await bench.storage.settle(other);
          const accountId = callers[who]?.accountId ?? '';
          assert.deepEqual(await bench.accounts.sumUsage(accountId, wish), naiveSums(made, accountId, wish));
        }),
        { numRuns: runsOf(engine, 60) },
      );
      const { contradictions } = await bench.journals.verify(startMs);
      assert.deepEqual(contradictions, []);
    },
  );

  guarantee('a call that was recorded is in the next sum, and in it once', async ({ ledger, accounts }) => {
    const { caller, accountId } = await customer(accounts);
    const day = Math.floor(startMs / dayMs);
    const wish: UsageWish = { fromDay: day - 365, toDay: day, by: [], offset: 0, limit: 1 };
    for (let calls = 1; calls <= 40; calls++) {
      ledger.record({ caller, endpoint: '/crime', atMs: startMs, status: 404 });
      const { rows, total } = await accounts.sumUsage(accountId, wish);
      assert.deepEqual(rows, [{ calls, credits: 0 }]);
      assert.equal(total.calls, calls);
    }
    const said = { day, endpoint: '/crime', key: caller.keyId, status: 404 };
    for (const by of ['day', 'endpoint', 'key', 'status'] as const) {
      const { rows } = await accounts.sumUsage(accountId, { ...wish, by: [by] });
      assert.deepEqual(rows, [{ [by]: said[by], calls: 40, credits: 0 }]);
    }
  });

  guarantee('windows of a visitor are those of its own host', async ({ ledger }) => {
    const elsewhere = (host: string) => ({ host, from: 'elsewhere' }) as const;
    for (let call = 0; call < 3; call++) await ledger.admitVisitor(elsewhere('192.0.2.1'), startMs);
    await ledger.admitVisitor(elsewhere('192.0.2.2'), startMs + dayMs);
    await ledger.admitVisitor({ host: '192.0.2.1', from: 'our pages' }, startMs);
    const usedBy = async (host: string, atMs: number) =>
      (await ledger.visitorWindows(elsewhere(host), atMs)).map(({ window, used, limit }) => [
        window,
        used,
        limit,
      ]);
    assert.deepEqual(await usedBy('192.0.2.1', startMs), [
      ['minute', 3, 10],
      ['day', 3, 500],
      ['month', 3, 5_000],
    ]);
    assert.deepEqual(
      (await usedBy('192.0.2.1', startMs + minuteMs)).map(([, used]) => used),
      [0, 3, 3],
    );
    assert.deepEqual(
      (await usedBy('192.0.2.3', startMs)).map(([, used]) => used),
      [0, 0, 0],
    );
  });
}
