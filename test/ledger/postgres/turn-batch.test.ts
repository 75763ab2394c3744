// Questions on their way to the database together.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventLoop } from '../../../src/ledger/pace.ts';
import { TurnBatch } from '../../../src/ledger/postgres/ledger.ts';

test('a question that comes while many are asked is answered too, however few come with it', async () => {
  const batches: number[] = [];
  const { promise: isUnderWay, resolve: startFirst } = Promise.withResolvers<void>();
  const { promise: isAnswered, resolve: answerFirst } = Promise.withResolvers<void>();
  const asked = new TurnBatch<number, number>(eventLoop, 100, async (questions) => {
    batches.push(questions.length);
    startFirst();
    await isAnswered;
    return questions.map((question) => question * 2);
  });
  const many = Array.from({ length: 50 }, (_, number) => asked.add(number));
  await isUnderWay;
  const late = asked.add(50);
  answerFirst();
  assert.deepEqual(
    await Promise.all([...many, late]),
    Array.from({ length: 51 }, (_, number) => number * 2),
  );
  assert.deepEqual(batches, [50, 1]);
  assert.equal(await asked.add(7), 14, 'and the next one after a pause');
});
