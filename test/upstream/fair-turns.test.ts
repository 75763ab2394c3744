// Turns at a live service: no more of them than it may be asked, and the same for every account that waits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairTurns } from '../../src/upstream/fair-turns.ts';

test('never more than 15 a second, however many ask', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 50, maxLength: 200 }),
      async (gaps) => {
        let now = 0;
        const sent: number[] = [];
        const turns = new FairTurns(15, {
          now: () => now,
          // The moment it may go is noted instead of waited for.
          sleep: async (ms) => {
            sent.push(now + ms);
          },
        });
        for (const gap of gaps) {
          now += gap;
          const before = sent.length;
          await turns.take('acc_one');
          if (sent.length === before) sent.push(now);
        }
        sent.sort((a, b) => a - b);
        for (const [first, start] of sent.entries()) {
          for (const [length, end] of sent.slice(first).entries()) {
            assert.ok(length <= ((end - start) * 15) / 1000 + 1, `${length + 1} in ${end - start} ms`);
          }
        }
      },
    ),
    { numRuns: 30 },
  );
});

test('whatever accounts ask, in any order, they get turns that differ by one at most while they wait', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 60 }),
      async (askers) => {
        const sleeps: (() => void)[] = [];
        const turns = new FairTurns(1, {
          now: () => 0,
          sleep: () => new Promise((resolve) => sleeps.push(resolve)),
        });
        const order: string[] = [];
        const left = new Map<string, number>();
        for (const asker of askers) {
          left.set(asker, (left.get(asker) ?? 0) + 1);
          void turns.take(asker).then(() => order.push(asker));
        }
        await new Promise(setImmediate);
        // The first found nobody before it.
        left.set(order[0] ?? '', (left.get(order[0] ?? '') ?? 0) - 1);
        while (order.length < askers.length) {
          sleeps.shift()?.();
          await new Promise(setImmediate);
        }
        const since = new Map<string, number>();
        for (const asker of order.slice(1)) {
          since.set(asker, (since.get(asker) ?? 0) + 1);
          left.set(asker, (left.get(asker) ?? 0) - 1);
          for (const [other, waiting] of left) {
            if (waiting > 0)
              assert.ok((since.get(asker) ?? 0) <= (since.get(other) ?? 0) + 1, order.join(''));
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});
