// The ledger under every fault that a seed can think of. `npm run simulate` runs as many seeds as you like.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './run.ts';

test('300 seeds: whatever fails, the journal says what callers were told, and every proof of check holds', async () => {
  for (let seed = 1; seed <= 300; seed++) await simulate(seed);
});

test('a seed replays its run byte by byte', async () => {
  for (let seed = 1; seed <= 25; seed++) assert.equal(await simulate(seed), await simulate(seed));
});
