// What every engine guarantees of charges that come together: however they are written, they are what they are one by one.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Charge, type Charged, LedgerRefusal } from '../../src/ledger/ledger.ts';
import { repeatable } from '../../src/ledger/repeats.ts';
import { dayMs } from '../../src/time.ts';
import {
  assertBooksAgree,
  type Bench,
  type Customer,
  charging,
  customer,
  type Engine,
  type Guarantee,
  runsOf,
  startMs,
} from './bench.ts';

const seldom = <T>(arbitrary: fc.Arbitrary<T>, oneIn = 60) =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** Mostly new charges without a key; now and then one that was there before, or that names an earlier call, or that differs from
 *  the others of its request. */
const anyCall = fc.record({
  credits: seldom(fc.constantFrom(1, 2)),
  elsewhere: seldom(fc.constantFrom('/crime', '/bank-rates')),
  again: seldom(fc.nat(40)),
  named: seldom(fc.constantFrom('first', 'second')),
  /** Past the end of a month, a refresh comes first; a clock can also go back. */
  afterDays: seldom(fc.constantFrom(1, 1, 1, 1, 20, 40, -20, -40), 25),
});

const anyRequest = fc.record({
  calls: fc.array(anyCall, { minLength: 1, maxLength: 110, size: 'max' }),
  price: fc.constantFrom(1, 2),
  endpoint: fc.constantFrom('/crime', '/bank-rates'),
  /** Charges of calls that came one by one have a request each. A caller may choose the name that one of its charges gets. */
  ids: fc.constantFrom('one', 'one', 'own', 'own, chosen', 'of the first'),
});

const anyHistory = fc.record({
  laterDays: fc.constantFrom(0, 0, 40),
  sign: fc.constantFrom('-', ' "é'),
  allowance: fc.constantFrom(0, 15, 70, 1_000),
  /** Spent when the allowance is. */
  granted: fc.constantFrom(0, 30),
  requests: fc.array(anyRequest, { minLength: 1, maxLength: 4 }),
});

type History = typeof anyHistory extends fc.Arbitrary<infer Value> ? Value : never;

/** A day passes among calls that are alike in all else. */
const dayWithin: History = {
  laterDays: 0,
  sign: '-',
  allowance: 1_000,
  granted: 0,
  requests: [
    {
      price: 1,
      endpoint: '/crime',
      ids: 'one',
      calls: Array.from({ length: 60 }, (_, place) => ({
        credits: undefined,
        elsewhere: undefined,
        again: undefined,
        named: undefined,
        afterDays: place === 30 ? 1 : undefined,
      })),
    },
  ],
};

/** Whether the clock leaps. A day later, names of calls are forgotten by whichever charge comes first, so none are given. */
type Clock = 'steady' | 'leaping';

function chargesIn(
  { laterDays, sign, requests }: History,
  { accountId, caller }: Customer,
  clock: Clock,
): readonly Charge[] {
  let number = 0;
  let days: number = laterDays;
  return requests.flatMap(({ calls, price, endpoint: usual, ids }, place) => {
    const first = `${accountId}${sign}${number + 1}`;
    return calls.map(({ credits = price, elsewhere: endpoint = usual, again, named, afterDays = 0 }) => {
      number += 1;
      if (clock === 'leaping') days = Math.max(0, days + afterDays);
      const chargeId = `${accountId}${sign}${again ?? number}`;
      const requestIds = {
        one: `request ${place}`,
        own: chargeId,
        'own, chosen': `"é ${number}`,
        'of the first': first,
      };
      const plain = {
        ...charging(caller, chargeId, credits, startMs + days * dayMs + place),
        requestId: requestIds[ids],
        endpoint,
      };
      return named === undefined || clock === 'leaping'
        ? plain
        : { ...plain, repeatable: repeatable(named, endpoint) };
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
  return entries.map(({ seq: _, accountId: __, keyId: ___, chargeId, requestId, ...entry }) => ({
    ...entry,
    chargeId: chargeId?.replace(accountId, ''),
    requestId: requestId?.replace(accountId, ''),
  }));
}

async function assertSameTogether(bench: Bench, engine: Engine, clock: Clock): Promise<void> {
  const { accounts, journals } = bench;
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const { allowance, granted: credits } = history;
      const ada = await customer(accounts, 'basic', { allowance });
      const bob = await customer(accounts, 'basic', { allowance });
      for (const { accountId } of [ada, bob]) {
        if (credits > 0) await accounts.grantCredits(accountId, { credits, atMs: startMs });
      }
      const together = await bench.ledger.chargeTogether(chargesIn(history, ada, clock));
      const alone = await oneByOne(bench, chargesIn(history, bob, clock));
      assert.deepEqual(together.map(toldOf), alone.map(toldOf));
      assert.deepEqual(await journalOf(bench, ada), await journalOf(bench, bob));
    }),
    { numRuns: runsOf(engine, 20), examples: [[dayWithin]] },
  );
  await assertBooksAgree(accounts);
  const { breaks, contradictions } = await journals.verify(startMs + 200 * dayMs);
  assert.deepEqual([breaks, contradictions], [[], []]);
}

/** Of an engine that writes charges in the order in which they came, whatever their times. */
export function leapingGuarantees(guarantee: Guarantee, engine: Engine): void {
  guarantee('charges that come together while the clock leaps are what they are one by one', (bench) =>
    assertSameTogether(bench, engine, 'leaping'),
  );
}

export function togetherGuarantees(guarantee: Guarantee, engine: Engine): void {
  guarantee('charges that come together are what they are one by one', (bench) =>
    assertSameTogether(bench, engine, 'steady'),
  );
  guarantee('charges of one request that are for several keys are each for their own', async (bench) => {
    const { accounts, journals, ledger } = bench;
    const terms = { allowance: 100 };
    const [ada, bob] = [await customer(accounts, 'basic', terms), await customer(accounts, 'basic', terms)];
    // No such payer: the key is of somebody else.
    const nobody = { ...ada.caller, accountId: bob.accountId };
    const { keyId } = await accounts.createKey({ accountId: ada.accountId, kind: 'live', atMs: startMs });
    const callers = { second: { ...ada.caller, keyId }, ada: ada.caller, nobody, bob: bob.caller };
    const results = await ledger.chargeTogether(
      Object.entries(callers).flatMap(([name, caller]) =>
        Array.from({ length: 25 }, (_, number) => ({
          ...charging(caller, `${name} ${number}`),
          requestId: 'one request',
        })),
      ),
    );
    const from = (balance: number) => Array.from({ length: 25 }, (_, number) => balance - 1 - number);
    assert.deepEqual(
      results.map((result) => (result instanceof Error ? result.constructor : result.creditsRemaining)),
      [...from(100), ...from(75), ...Array<typeof LedgerRefusal>(25).fill(LedgerRefusal), ...from(100)],
    );
    const charged = [
      ...(await accounts.journalOf(ada.accountId)),
      ...(await accounts.journalOf(bob.accountId)),
    ]
      .filter(({ chargeId }) => chargeId !== null)
      .map((entry) => [entry.chargeId, entry.accountId, entry.keyId]);
    const wanted = Object.entries(callers).flatMap(([name, caller]) =>
      name === 'nobody'
        ? []
        : Array.from({ length: 25 }, (_, number) => [`${name} ${number}`, caller.accountId, caller.keyId]),
    );
    assert.deepEqual(charged.toSorted(), wanted.toSorted());
    await assertBooksAgree(accounts);
    const { breaks, contradictions } = await journals.verify(startMs);
    assert.deepEqual([breaks, contradictions], [[], []]);
  });
}
