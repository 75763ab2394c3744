// What every engine guarantees of charges that come together: however they are written, they are what they are one by one.

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

const seldom = <T>(arbitrary: fc.Arbitrary<T>, oneIn = 60) =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** Mostly new charges without a key; now and then one that was there before, or that names an earlier call. */
const anyCall = fc.record({
  credits: fc.constantFrom(1, 1, 1, 2),
  again: seldom(fc.nat(40)),
  named: seldom(fc.constantFrom('first', 'second')),
  /** Past the end of a month, a refresh comes first; a clock can also go back. */
  afterDays: seldom(fc.constantFrom(1, 20, 40, -20, -40), 15),
});

const anyRequest = fc.record({
  calls: fc.array(anyCall, { minLength: 1, maxLength: 70, size: 'max' }),
  endpoint: fc.constantFrom('/crime', '/bank-rates'),
  /** Charges of calls that came one by one have a request each. */
  ids: fc.constantFrom('one', 'own', 'own, chosen'),
});

const anyHistory = fc.record({
  laterDays: fc.constantFrom(0, 0, 40),
  sign: fc.constantFrom('-', ' "é'),
  allowance: fc.constantFrom(0, 15, 40, 1_000),
  requests: fc.array(anyRequest, { minLength: 1, maxLength: 4 }),
});

type History = typeof anyHistory extends fc.Arbitrary<infer Value> ? Value : never;

/** Whether the clock leaps. A day later, names of calls are forgotten by whichever charge comes first, so none are given. */
type Clock = 'steady' | 'leaping';

function chargesIn(
  { laterDays, sign, requests }: History,
  { accountId, caller }: Customer,
  clock: Clock,
): readonly Charge[] {
  let number = 0;
  let days: number = laterDays;
  return requests.flatMap(({ calls, endpoint, ids }, place) =>
    calls.map(({ credits, again, named, afterDays = 0 }) => {
      number += 1;
      if (clock === 'leaping') days = Math.max(0, days + afterDays);
      const chargeId = `${accountId}${sign}${again ?? number}`;
      const requestIds = {
        one: `request ${place}`,
        own: chargeId,
        'own, chosen': `"é ${number}`,
      };
      const plain = {
        ...charging(caller, chargeId, credits, startMs + days * dayMs + place),
        requestId: requestIds[ids],
        endpoint,
      };
      return named === undefined || clock === 'leaping'
        ? plain
        : { ...plain, repeatable: repeatable(named, endpoint) };
    }),
  );
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
      const { allowance } = history;
      const ada = await customer(accounts, 'basic', { allowance });
      const bob = await customer(accounts, 'basic', { allowance });
      const together = await bench.ledger.chargeTogether(chargesIn(history, ada, clock));
      const alone = await oneByOne(bench, chargesIn(history, bob, clock));
      assert.deepEqual(together.map(toldOf), alone.map(toldOf));
      assert.deepEqual(await journalOf(bench, ada), await journalOf(bench, bob));
    }),
    { numRuns: runsOf(engine, 20) },
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
