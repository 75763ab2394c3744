// Charges that are committed together: whatever an engine makes of them, each gets an answer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ChargeQueue } from '../../src/ledger/charges.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { eventLoop } from '../../src/ledger/pace.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { charging } from './bench.ts';

const places = fc.constantFrom('in this thread', 'elsewhere');
const caller = { accountId: 'acc_1', keyId: 'key_1', mode: 'live' } as const;
const taking = { patienceMs: 0, faultOf: () => undefined };

test('a charge that the engine left out is an outage, not left open', async () => {
  const charged = { kind: 'charged', creditsRemaining: 1, refreshAtMs: null } as const;
  const queue = new ChargeQueue(eventLoop, new Metrics(), {
    ...taking,
    writes: 'in this thread',
    write: async () => [charged],
  });
  const [first, second] = await Promise.allSettled(
    ['c1', 'c2'].map((chargeId) => queue.add(charging(caller, chargeId))),
  );
  assert.deepEqual(first, { status: 'fulfilled', value: charged });
  assert.ok(second?.status === 'rejected' && second.reason instanceof LedgerUnavailable);
  const together = ['c3', 'c4'].map((chargeId) => charging(caller, chargeId));
  const [third, fourth] = await queue.addTogether(together);
  assert.deepEqual(third, charged);
  assert.ok(fourth instanceof LedgerUnavailable);
});

test('charges that came together are in one commit with their own results, in whatever crowd they come', async () => {
  await fc.assert(
    fc.asyncProperty(
      places,
      fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 12 }),
      async (writes, sizes) => {
        const commits: string[][] = [];
        const queue = new ChargeQueue(eventLoop, new Metrics(), {
          ...taking,
          writes,
          write: async (charges) => {
            commits.push(charges.map(({ chargeId }) => chargeId));
            return charges.map(({ credits }) => ({
              kind: 'charged',
              creditsRemaining: credits,
              refreshAtMs: null,
            }));
          },
        });
        let credits = 0;
        const groups = sizes.map((size, group) =>
          Array.from({ length: size }, (_, place) => {
            credits += 1;
            return charging(caller, `${group} ${place}`, credits);
          }),
        );
        const results = await Promise.all(groups.map((group) => queue.addTogether(group)));
        assert.deepEqual(
          results.flat().map((result) => (result instanceof Error ? result : result.creditsRemaining)),
          groups.flat().map((charge) => charge.credits),
        );
        assert.deepEqual(
          commits.flat(),
          groups.flat().map(({ chargeId }) => chargeId),
        );
        for (const commit of commits) assert.ok(commit.length <= 512);
        for (const group of groups) {
          const holding = commits.filter((commit) => group.some(({ chargeId }) => commit.includes(chargeId)));
          assert.equal(holding.length, 1);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('the next charges are on their way before the last are answered where they are written elsewhere, and after it in this thread', async () => {
  for (const writes of ['elsewhere', 'in this thread'] as const) {
    const seen: string[] = [];
    const { promise: written, resolve: end } = Promise.withResolvers<void>();
    const { promise: writing, resolve: begin } = Promise.withResolvers<void>();
    const queue = new ChargeQueue(eventLoop, new Metrics(), {
      ...taking,
      writes,
      write: async (charges) => {
        seen.push(`write ${charges.map(({ chargeId }) => chargeId).join(' ')}`);
        begin();
        await written;
        return charges.map(({ credits }) => ({
          kind: 'charged',
          creditsRemaining: credits,
          refreshAtMs: null,
        }));
      },
    });
    const add = (chargeId: string) =>
      queue.add(charging(caller, chargeId)).then(() => seen.push(`answer ${chargeId}`));
    const first = ['a', 'b'].map(add);
    await writing;
    const later = add('c');
    end();
    await Promise.all([...first, later]);
    assert.deepEqual(
      seen,
      writes === 'elsewhere'
        ? ['write a b', 'write c', 'answer a', 'answer b', 'answer c']
        : ['write a b', 'answer a', 'answer b', 'write c', 'answer c'],
    );
  }
});
