// A batch on its way to the database says once what its charges share, and gets one row for those with one outcome. Whatever they
// share, each must come out as if it had been sent alone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Caller, type Charge, type Charged, LedgerRefusal } from '../../../src/ledger/ledger.ts';
import { repeatable } from '../../../src/ledger/repeats.ts';
import { hourMs } from '../../../src/time.ts';
import { assertBooksAgree, charging, customer, startMs } from '../bench.ts';
import { freshStorage } from './bench.ts';

const small = (most: number) => fc.integer({ min: 0, max: most });
/** Few of each, so that charges share keys, endpoints, hours and prices with those beside them, meet an earlier one, and run out of
 *  credits. */
const charge = fc.record({
  account: small(1),
  key: fc.constantFrom(0, 0, 0, 1),
  endpoint: fc.constantFrom('/crime', '/crime', '/crime', '/area'),
  id: small(60),
  repeat: fc.oneof(
    { weight: 6, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ key: small(2), call: small(1) }) },
  ),
  atMs: fc.constantFrom(startMs, startMs + 1, startMs + hourMs),
});

type Sketch = typeof charge extends fc.Arbitrary<infer T> ? T : never;

const first: Sketch = { account: 0, key: 0, endpoint: '/crime', id: 0, repeat: null, atMs: startMs };
const repeated: Sketch = { ...first, repeat: { key: 0, call: 0 } };
/** One id three times, of which the first is a repeated call and makes no charge. */
const idOfRepeatedCall: readonly Sketch[] = [
  { ...repeated, id: 43 },
  { ...first, id: 43 },
  { ...first, id: 43 },
];

test('charges of a batch come out as if each had been sent alone', async () => {
  const storage = await freshStorage();
  const { ledger, accounts, journals } = await storage.open();
  const account = async () => {
    const { accountId, caller } = await customer(accounts, 'basic', { allowance: 16 });
    await accounts.grantCredits(accountId, { credits: 5, note: 'lasting', atMs: startMs });
    const { keyId } = await accounts.createKey({ accountId, kind: 'live', atMs: startMs });
    return { accountId, callers: [caller, { ...caller, keyId }] };
  };
  let runs = 0;
  const toCharge = (
    side: string,
    callers: readonly (readonly Caller[])[],
    { account, key, endpoint, id, repeat, atMs }: Sketch,
  ): Charge => {
    const caller = callers[account]?.[key];
    assert.ok(caller);
    const plain = {
      ...charging(caller, `${runs} ${side} ${account} ${id}`, id % 5 === 0 ? 2 : 1, atMs),
      endpoint,
    };
    return repeat === null
      ? plain
      : { ...plain, repeatable: repeatable(String(repeat.key), String(repeat.call)) };
  };
  const alone = (charge: Charge): Promise<Charged> =>
    ledger.charge(charge).catch((error: unknown) => {
      assert.ok(error instanceof LedgerRefusal);
      return error;
    });
  const batches = fc.array(fc.array(charge, { minLength: 1, maxLength: 30, size: 'max' }), {
    minLength: 1,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(batches, async (sketches) => {
      runs += 1;
      const together = [await account(), await account()];
      const apart = [await account(), await account()];
      const callersOf = (side: typeof apart) => side.map(({ callers }) => callers);
      for (const batch of sketches) {
        const results = await ledger.chargeTogether(
          batch.map((sketch) => toCharge('together', callersOf(together), sketch)),
        );
        const expected: Charged[] = [];
        for (const sketch of batch) expected.push(await alone(toCharge('apart', callersOf(apart), sketch)));
        assert.deepEqual(results, expected);
      }
      const told = async ({ accountId, callers }: (typeof apart)[number]) => ({
        usage: (await accounts.usageOf(accountId))
          .map(({ hourStartMs, endpoint, status, calls, credits, keyId }) => ({
            hourStartMs,
            endpoint,
            status,
            calls,
            credits,
            key: callers.findIndex((each) => each.keyId === keyId),
          }))
          .map((row) => JSON.stringify(row))
          .sort(),
        journal: (await accounts.journalOf(accountId)).map(
          ({ atMs, kind, credits, lasting, balanceAfter, lastingAfter, endpoint }) => [
            atMs,
            kind,
            credits,
            lasting,
            balanceAfter,
            lastingAfter,
            endpoint,
          ],
        ),
      });
      for (const place of [0, 1]) {
        const [one, other] = [together[place], apart[place]];
        assert.ok(one && other);
        assert.deepEqual(await told(one), await told(other));
      }
    }),
    { numRuns: 15, examples: [[[[repeated], [...idOfRepeatedCall]]]] },
  );
  await assertBooksAgree(accounts);
  const { breaks, contradictions, different } = await journals.verify(startMs);
  assert.deepEqual([breaks, contradictions, different], [[], [], []]);
  await ledger.close();
  await storage.remove();
});
