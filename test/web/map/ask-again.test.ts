// Parts of the map that fail are asked for again, each by itself, and no host is asked more often than the waits allow.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import fc from 'fast-check';
import { AskAgain } from '../../../web/explore/map/drawing/ask-again.ts';

const failed = { kind: 'failed', why: 'away' } as const;
const came = { kind: 'came' } as const;

/** What is in sight is asked for again and again, as a map does that is painted at every tick. */
async function askAtEachTick(
  asking: AskAgain,
  loads: (name: string) => typeof failed | typeof came,
  names: readonly string[],
  ticks: number,
): Promise<readonly (readonly [name: string, atMs: number])[]> {
  const asked: (readonly [string, number])[] = [];
  for (let at = 0; at < ticks; at += 1) {
    await Promise.all(
      names.map((name) =>
        asking.ask(name, async () => {
          asked.push([name, at * tickMs]);
          return loads(name);
        }),
      ),
    );
    mock.timers.tick(tickMs);
  }
  return asked;
}

const tickMs = 500;

test('what fails is asked for after a wait that doubles up to its most, and at once again after it came', async (context) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  context.after(() => mock.timers.reset());
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }), async (one, other) => {
      let due = 0;
      const asking = new AskAgain({ firstMs: 1_000, mostMs: 8_000 }, () => {
        due += 1;
      });
      const left = new Map([
        ['one', one],
        ['other', other],
      ]);
      const loads = (name: string) => {
        const failures = left.get(name) ?? 0;
        left.set(name, failures - 1);
        return failures > 0 ? failed : came;
      };
      const asked = await askAtEachTick(asking, loads, ['one', 'other'], 200);
      for (const [name, failures] of [
        ['one', one],
        ['other', other],
      ] as const) {
        const times = asked.filter(([each]) => each === name).map(([, atMs]) => atMs);
        const waits = times.slice(1, failures + 1).map((atMs, at) => atMs - (times[at] ?? 0));
        assert.deepEqual(
          waits,
          Array.from({ length: failures }, (_, at) => Math.min(8_000, 1_000 * 2 ** at)),
        );
        // Once it came, it is fetched whenever it is asked for: keeping it is up to the asker.
        assert.equal(times[failures + 1], (times[failures] ?? 0) + tickMs);
      }
      assert.equal(due, one + other, 'each wait that ends is told');
    }),
    { numRuns: 30 },
  );
});

test('what is on its way is not asked for twice', async () => {
  const asking = new AskAgain({ firstMs: 1_000, mostMs: 8_000 }, () => {});
  const { promise, resolve } = Promise.withResolvers<typeof came>();
  const first = asking.ask('one', () => promise);
  assert.deepEqual(await asking.ask('one', () => assert.fail('asked twice')), { kind: 'not now' });
  resolve(came);
  assert.deepEqual(await first, came);
});
