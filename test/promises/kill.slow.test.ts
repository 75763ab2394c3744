// Promise: kill -9 at any moment under load loses no charge that a reply reported and no change of people that was acknowledged,
// makes none twice, and the service starts again without repair.

import { test } from 'node:test';
import { killUnderLoad } from '../faults/kills.ts';

test('30 times kill -9 under load: the journal holds every reported charge exactly once, and every acknowledged change of people is there', async (t) => {
  t.diagnostic(await killUnderLoad(30));
});
