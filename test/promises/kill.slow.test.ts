// Promise: kill -9 at any moment under load loses no charge that a reply reported, makes none twice, and the
// service starts again without repair.

import { test } from 'node:test';
import { assertNothingLost } from './killed-under-load.ts';

test('30 times kill -9 under load: the journal holds every reported charge exactly once', () =>
  assertNothingLost(30));
