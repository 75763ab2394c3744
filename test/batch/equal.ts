// The promise of a batch, for any ledger: it is the same calls one after the other.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { noonMs, type Rig } from '../rig.ts';
import { type BatchedCall, sendBatch, sendSingle } from './bench.ts';

const call = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(1, 2, 3).map((limit) => ({ path: '/bank-rates', params: { limit } })),
  },
  fc.constantFrom<BatchedCall>(
    { path: '/bank-rates' },
    { path: '/bank-rates', params: { limit: 0 } },
    { path: '/bank-rates', params: { limit: 'é\ud800&=+ %' } },
    { path: '/bank-rates', params: { startDate: '1700-01-01', endDate: '1700-01-02' } },
    { path: '/area/sold-prices', params: { area: 'EH' } },
    { path: '/area/sold-prices', params: { postcode: 'po30 1ab', colour: 'red' } },
    { path: '/area/sold-prices' },
    { path: '/council-tax/lookup', params: { postcode: 'SW1A 1AA' } },
    { path: '/council-tax/lookup', params: { postcode: 'ZZ1 1AA' } },
    { path: '/council-tax/authorities', params: { q: 'a&b' } },
    // A page with another after it.
    { path: '/council-tax/authorities', params: { limit: 1 } },
    { path: '/council-tax/property-candidates', params: { postcode: 'PO30 1AB' } },
    { path: '/echo', params: { word: 'a' } },
    { path: '/echo', params: { word: 'b' } },
    { path: '/echo', params: { word: 'nothing' } },
    { path: '/nothing-here' },
  ),
);

const named = fc
  .tuple(
    call,
    fc.option(fc.constantFrom('first', 'second', 'not visible', ''), { nil: undefined, freq: 2 }),
    fc.option(fc.constantFrom('NO_DATA_FOUND', 'RATE_LIMITED', 'no code'), { nil: undefined, freq: 6 }),
  )
  .map(
    ([{ path, params }, idempotencyKey, sandboxOutcome]): BatchedCall => ({
      path,
      ...(params === undefined ? {} : { params }),
      // Sent as a header, an empty one is none that could be told from a missing one.
      ...(idempotencyKey === undefined || idempotencyKey === '' ? {} : { idempotencyKey }),
      ...(sandboxOutcome === undefined ? {} : { sandboxOutcome }),
    }),
  );

const customer = fc.record({
  credits: fc.constantFrom(0, 1, 2, 3, 5, 8, 100),
  minute: fc.constantFrom(1, 4, 9, null),
  mode: fc.constantFrom('live', 'live', 'live', 'test') as fc.Arbitrary<'live' | 'test'>,
});

/** What of a reply does not depend on when it was made. */
function withoutMoment(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value) =>
    name === 'billing' || name === 'requestId' || name === 'executionTime' ? undefined : value,
  );
}

const told = [
  'X-Data-As-Of',
  'X-Data-Source',
  'X-Data-Coverage',
  'Link',
  'Idempotent-Replayed',
  'Retry-After',
];

async function standingOf(
  { accounts, ledger, clock: { nowMs } }: Rig,
  accountId: string,
  mode: 'live' | 'test',
) {
  await ledger.ready();
  const journal = await accounts.journalOf(accountId);
  const usage = await accounts.usageOf(accountId);
  return {
    balance: (await accounts.findAccount(accountId, nowMs))?.balance,
    journal: journal.map(({ kind, credits, balanceAfter, endpoint }) => [
      kind,
      credits,
      balanceAfter,
      endpoint,
    ]),
    windows: await accounts.windowsOf(accountId, mode, nowMs),
    // What no endpoint answers stands under the path that was asked: of a batch, that is its own.
    usage: usage
      .map(({ endpoint, status, calls, credits }) => {
        const under = endpoint === '/batch' ? 'other' : endpoint;
        return `${under} ${status} ${calls} ${credits}`;
      })
      .sort(),
  };
}

export async function assertEqualToSingleCalls(open: () => Rig, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(named, { minLength: 1, maxLength: 14 }), customer, async (calls, wish) => {
      const rig = open();
      rig.clock.nowMs = noonMs;
      const make = () =>
        rig.customer({ mode: wish.mode, credits: wish.credits, limits: { minute: wish.minute, day: null } });
      const [alone, together] = [await make(), await make()];
      const singles = [];
      for (const each of calls) singles.push(await sendSingle(rig, alone.key, each));
      const batch = await sendBatch(rig, together.key, { calls });
      assert.equal(batch.statusCode, 200, batch.body);
      const { results, billing } = batch.json();
      assert.deepEqual(
        results.map(({ status, body, creditsCharged, headers }: Record<string, unknown>) => ({
          status,
          body: withoutMoment(body),
          creditsCharged,
          headers,
        })),
        singles.map((single) => ({
          status: single.statusCode,
          body: withoutMoment(single.json()),
          creditsCharged: Number(single.headers['x-credits-charged']),
          headers: Object.fromEntries(
            told
              .map((name) => [name, single.headers[name.toLowerCase()]])
              .filter(([, value]) => value !== undefined),
          ),
        })),
      );
      const after = await standingOf(rig, together.accountId, wish.mode);
      assert.deepEqual(after, await standingOf(rig, alone.accountId, wish.mode));
      const charged = singles.reduce((sum, { headers }) => sum + Number(headers['x-credits-charged']), 0);
      assert.deepEqual([billing.creditsCharged, billing.creditsRemaining], [charged, after.balance]);
      assert.equal(batch.headers['x-credits-charged'], String(charged));
      assert.equal(batch.headers['x-ratelimit-remaining'], singles.at(-1)?.headers['x-ratelimit-remaining']);
    }),
    { numRuns },
  );
}
