// A clock that is set while the service runs is noticed and told.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { watchClock } from '../../../src/cli/serve/until-signal.ts';

it('each jump of the clock is told once, with its way and size; time that passes is none', async () => {
  let wallMs = Date.UTC(2026, 0, 31, 12);
  let monotonicMs = 1_000;
  let looks = 0;
  const pass = (ms: number) => {
    wallMs += ms;
    monotonicMs += ms;
  };
  // What happens before each look.
  const events = [
    () => pass(1_000),
    () => pass(3_600_000),
    () => {
      wallMs += 4_000;
    },
    () => {
      pass(1_000);
      wallMs = Date.UTC(2037, 0, 1);
    },
    () => pass(1_000),
    () => {
      wallMs = Date.UTC(2026, 0, 31);
    },
    () => pass(1_000),
  ];
  const told: string[] = [];
  const { promise: seenAll, resolve } = Promise.withResolvers<void>();
  const now = () => wallMs;
  const elapsed = () => monotonicMs;
  const unwatch = watchClock({ now, elapsed }, (notice) => told.push(notice), 1);
  const step = setInterval(() => {
    events[looks++]?.();
    if (looks > events.length) resolve();
  }, 10);
  await seenAll;
  clearInterval(step);
  unwatch();
  assert.equal(told.length, 2, told.join('\n'));
  assert.match(
    told[0] ?? '',
    /^The clock went forward by \d+ s to 2037-01-01T00:00:00.000Z: it was set, or the machine slept\./,
  );
  assert.match(told[1] ?? '', /^The clock went back by \d+ s to 2026-01-31T00:00:00.000Z: it was set\./);
});
