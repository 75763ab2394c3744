// The table of rate changes against a naive search.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BankRate, type RateChange } from '../../src/tables/bank-rate.ts';

const history = fc
  .uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 20 })
  .map((days) =>
    days
      .sort((a, b) => a - b)
      .map((day): RateChange => ({ day, rate: day / 8, series: 'Official Bank Rate' })),
  );
const day = fc.integer({ min: -5, max: 65 });

test('the rate in force is the newest change on or before the day', () => {
  fc.assert(
    fc.property(history, day, (changes, asked) => {
      assert.deepEqual(
        new BankRate(changes).rateInForceOn(asked),
        changes.findLast((change) => change.day <= asked),
      );
    }),
  );
});

test('a range holds both its ends, newest first, up to the limit', () => {
  fc.assert(
    fc.property(history, day, day, fc.integer({ min: 1, max: 30 }), (changes, from, to, limit) => {
      assert.deepEqual(
        new BankRate(changes).changesIn(from, to, limit),
        changes
          .filter((change) => change.day >= from && change.day <= to)
          .reverse()
          .slice(0, limit),
      );
    }),
  );
});

test('an empty table has no range and no rate', () => {
  const table = new BankRate([]);
  assert.deepEqual(table.changesIn(table.firstDay, table.lastDay), []);
  assert.equal(table.rateInForceOn(0), undefined);
});
