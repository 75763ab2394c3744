// What every engine guarantees of the charges of a batch: however they are written, they are what they are one by one.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Charge, type Charged, LedgerRefusal } from '../../src/ledger/ledger.ts';
import { repeatable } from '../../src/ledger/repeats.ts';
import {
  assertBooksAgree,
  type Bench,
  type Customer,
  charging,
  customer,
  dayMs,
  type Engine,
  type Guarantee,
  runsOf,
  startMs,
} from './bench.ts';

const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 60, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** Mostly new charges without a key; now and then one that was there before, or that names an earlier call. */
const anyCall = fc.record({
  credits: fc.constantFrom(1, 1, 1, 2),
  again: seldom(fc.nat(40)),
  named: seldom(fc.constantFrom('first', 'second')),
});

const anyRequest = fc.record({
  calls: fc.array(anyCall, { minLength: 1, maxLength: 70, size: 'max' }),
  endpoint: fc.constantFrom('/crime', '/bank-rates'),
});

const anyHistory = fc.record({
  // Past the end of a month, a refresh comes first.
  laterDays: fc.constantFrom(0, 0, 40),
  sign: fc.constantFrom('-', ' "é'),
  allowance: fc.constantFrom(0, 15, 40, 1_000),
  requests: fc.array(anyRequest, { minLength: 1, maxLength: 4 }),
});

type History = typeof anyHistory extends fc.Arbitrary<infer Value> ? Value : never;

function chargesIn(
  { laterDays, sign, requests }: History,
  { accountId, caller }: Customer,
): readonly Charge[] {
  let number = 0;
  return requests.flatMap(({ calls, endpoint }, place) => {
    const atMs = startMs + laterDays * dayMs + place;
    return calls.map(({ credits, again, named }) => {
      number += 1;
      const plain = {
        ...charging(caller, `${accountId}${sign}${again ?? number}`, credits, atMs),
        requestId: `request ${place}`,
        endpoint,
      };
      return named === undefined ? plain : { ...plain, repeatable: repeatable(named, endpoint) };
    });
  });
}

const toldOf = (result: Charged) => (result instanceof Error ? result.constructor : result);

async function oneByOne({ ledger }: Bench, charges: readonly Charge[]): Promise<readonly Charged[]> {
  const results: Charged[] = [];
  for (const charge of charges) results.push(...(await ledger.chargeTogether([charge])));
  return results;
}

async function journalOf({ accounts }: Bench, { accountId }: Customer) {
  const entries = await accounts.journalOf(accountId);
  return entries.map(({ seq: _, accountId: __, keyId: ___, chargeId, ...entry }) => ({
    ...entry,
    chargeId: chargeId?.replace(accountId, ''),
  }));
}

export function togetherGuarantees(guarantee: Guarantee, engine: Engine): void {
  guarantee('the charges of a batch are what they are one by one', async (bench) => {
    const { accounts, journals } = bench;
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const { allowance } = history;
        const ada = await customer(accounts, 'basic', { allowance });
        const bob = await customer(accounts, 'basic', { allowance });
        const together = await bench.ledger.chargeTogether(chargesIn(history, ada));
        const alone = await oneByOne(bench, chargesIn(history, bob));
        assert.deepEqual(together.map(toldOf), alone.map(toldOf));
        assert.deepEqual(await journalOf(bench, ada), await journalOf(bench, bob));
      }),
      { numRuns: runsOf(engine, 15) },
    );
    await assertBooksAgree(accounts);
    const { breaks, contradictions } = await journals.verify(startMs + 200 * dayMs);
    assert.deepEqual([breaks, contradictions], [[], []]);
  });
  guarantee('charges of one request that are for several keys are each for their own', async (bench) => {
    const { accounts, journals, ledger } = bench;
    const terms = { allowance: 100 };
    const [ada, bob] = [await customer(accounts, 'basic', terms), await customer(accounts, 'basic', terms)];
    // No such payer: the key is of somebody else.
    const nobody = { ...ada, caller: { ...ada.caller, accountId: bob.accountId } };
    const chargesOf = ({ caller }: Customer, name: string, count: number) =>
      Array.from({ length: count }, (_, number) => ({
        ...charging(caller, `${name} ${number}`),
        requestId: 'one request',
      }));
    const results = await ledger.chargeTogether([
      ...chargesOf(ada, 'ada', 25),
      ...chargesOf(bob, 'bob', 25),
      ...chargesOf(nobody, 'nobody', 25),
    ]);
    const inTurn = Array.from({ length: 25 }, (_, number) => 99 - number);
    assert.deepEqual(
      results.map((result) => (result instanceof Error ? result.constructor : result.creditsRemaining)),
      [...inTurn, ...inTurn, ...Array<typeof LedgerRefusal>(25).fill(LedgerRefusal)],
    );
    for (const { accountId, caller } of [ada, bob]) {
      const charges = (await accounts.journalOf(accountId)).filter(({ chargeId }) => chargeId !== null);
      assert.deepEqual(new Set(charges.map(({ keyId }) => keyId)), new Set([caller.keyId]));
      assert.equal(charges.length, 25);
    }
    await assertBooksAgree(accounts);
    const { breaks, contradictions } = await journals.verify(startMs);
    assert.deepEqual([breaks, contradictions], [[], []]);
  });
}
