// What an update may write beside a service: no more than it is told, however many files come at once and whatever the clock does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DiskAllowance } from '../../../src/release/disk-pace.ts';
import type { Clock } from '../../../src/update/web/clock.ts';
import { Flow } from '../../../src/update/web/flow.ts';
import { desk } from './publisher.ts';

const bytesPerSecond = 1_000_000;
/** Bytes: a time of day in milliseconds has only so many digits. */
const rounding = 100;
const { signal } = new AbortController();

/** Whoever waits is let go at that time, in the order of the times. */
function steppedClock() {
  let nowMs = 1_700_000_000_000;
  const waiting: { readonly untilMs: number; readonly go: () => void }[] = [];
  const clock: Clock = {
    now: () => nowMs,
    random: () => 0,
    wait: (ms) => new Promise((go) => waiting.push({ untilMs: nowMs + ms, go })),
  };
  return {
    clock,
    leap: (ms: number) => {
      nowMs += ms;
    },
    /** False where nobody waits. */
    step: (): boolean => {
      const next = waiting.sort((a, b) => b.untilMs - a.untilMs).pop();
      if (next === undefined) return false;
      nowMs = Math.max(nowMs, next.untilMs);
      next.go();
      return true;
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('over any stretch no more comes than is allowed, whatever the pieces and however many transfers', async () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { minLength: 1, maxLength: 5 }), async (transfers) => {
      const time = steppedClock();
      const flow = new Flow(new DiskAllowance(bytesPerSecond), time.clock);
      const passed: { readonly atMs: number; readonly bytes: number }[] = [];
      const all = transfers.map(async (transfer) => {
        for (const bytes of transfer) {
          const write = async () => void passed.push({ atMs: time.clock.now(), bytes });
          await flow.pass(bytes, write, signal);
        }
      });
      await turn();
      while (time.step()) await turn();
      await Promise.all(all);
      assert.equal(passed.length, transfers.flat().length);
      for (const [from, first] of passed.entries()) {
        let sum = 0;
        // The last piece of a stretch has only begun.
        for (const { atMs, bytes } of passed.slice(from)) {
          assert.ok(sum <= ((atMs - first.atMs) / 1000) * bytesPerSecond + rounding, 'more than is allowed');
          sum += bytes;
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('a clock that is put back holds up no transfer', async () => {
  const time = steppedClock();
  const flow = new Flow(new DiskAllowance(bytesPerSecond), time.clock);
  await flow.pass(500_000, async () => {}, signal);
  time.leap(-365 * 86_400_000);
  await flow.pass(1, async () => {}, signal);
});

test('when the disk is slow, less comes', async () => {
  const time = steppedClock();
  const flow = new Flow(new DiskAllowance(bytesPerSecond), time.clock);
  const begins: number[] = [];
  const piece = (tookMs: number) => async () => {
    begins.push(time.clock.now());
    time.leap(tookMs);
  };
  const all = (async () => {
    // The third is slower than the pace.
    for (const tookMs of [0, 1_000, 5_001, 0, 0]) await flow.pass(5_000_000, piece(tookMs), signal);
  })();
  await turn();
  while (time.step()) await turn();
  await all;
  const gaps = begins.slice(1).map((atMs, at) => atMs - (begins[at] ?? 0));
  // When a piece begins was settled with the one before it.
  assert.deepEqual(gaps, [5_000, 5_000, 5_001, 10_000]);
});

test('a file is fetched no faster than is allowed', async (context) => {
  const content = Buffer.alloc(1_500_000, 'a,b\n');
  const { clock, order, reopen } = await desk(context, (_question, response) => response.end(content));
  const begunMs = clock.now();
  let waitedMs = 0;
  const web = reopen({
    bytesPerSecond: 100_000,
    clock: {
      ...clock,
      now: () => begunMs + waitedMs,
      // The watch over silent transfers waits too, and longer.
      wait: async (ms, stop) => {
        if (ms > 60_000) return clock.wait(ms, stop);
        waitedMs += ms;
      },
    },
  });
  assert.equal((await web.download(order)).kind, 'fetched');
  // How large the pieces are is the system’s affair, and the last of them has only begun; asking waits a little, too.
  assert.ok(waitedMs > 1_000 && waitedMs < 16_000, `${waitedMs} ms`);
});
