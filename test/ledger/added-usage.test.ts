// Usage added up by whatever it is wanted by, page by page, is what a plain sum over all of it says.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AddedUsage } from '../../src/ledger/stored/added-usage.ts';
import type { UsageSum, UsageWish } from '../../src/ledger/told/usage.ts';

const dimensions = ['day', 'endpoint', 'key', 'status'] as const;
type Counted = Required<UsageSum>;

const counted: fc.Arbitrary<Counted> = fc.record({
  day: fc.nat(3),
  endpoint: fc.constantFrom('/a', '/b'),
  key: fc.constantFrom('key_1', 'key_2'),
  status: fc.constantFrom(200, 404),
  // A charge that was given back takes a call and its credits out again.
  calls: fc.constantFrom(-1, 0, 1, 2),
  credits: fc.constantFrom(-1, 0, 1),
});

/** The sums of all rows, in the order that they are told in. */
function plainSums(rows: readonly Counted[], by: UsageWish['by']): readonly UsageSum[] {
  const groups = Map.groupBy(rows, (row) => JSON.stringify(by.map((dimension) => row[dimension])));
  const sums = [...groups.values()].flatMap((group) => {
    const [first] = group;
    const calls = group.reduce((sum, row) => sum + row.calls, 0);
    const credits = group.reduce((sum, row) => sum + row.credits, 0);
    if (first === undefined || (calls === 0 && credits === 0)) return [];
    return [{ ...Object.fromEntries(by.map((dimension) => [dimension, first[dimension]])), calls, credits }];
  });
  const orderOf = (sum: UsageSum) =>
    JSON.stringify(dimensions.map((dimension) => (dimension in sum ? sum[dimension] : 0)));
  return sums.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

test('a page of sums is that page of the plain sums, by whatever they are added up', () => {
  fc.assert(
    fc.property(
      fc.array(counted, { maxLength: 40 }),
      fc.subarray([...dimensions]),
      fc.nat(6),
      fc.integer({ min: 1, max: 6 }),
      (rows, by, offset, limit) => {
        const adding = new AddedUsage({ fromDay: 0, toDay: 3, by, offset, limit });
        for (let day = 0; day <= 3; day += 1) {
          for (const row of rows) if (row.day === day) adding.add(row);
          adding.endDay();
        }
        const told = adding.sums();
        const plain = plainSums(rows, by);
        assert.deepEqual(told.rows, plain.slice(offset, offset + limit));
        const sum = (figure: 'calls' | 'credits') => plain.reduce((all, row) => all + row[figure], 0);
        assert.deepEqual(told.total, { rows: plain.length, calls: sum('calls'), credits: sum('credits') });
      },
    ),
    { numRuns: 500 },
  );
});
