// The table of crimes and SQLite give equal answers to the benchmark's questions.

import { test } from 'node:test';
import { assertEqualAnswers } from './equal-crimes.ts';

test('sixty thousand incidents: every answer equals that of SQLite, in towns and outside', () =>
  assertEqualAnswers(60_000));
