// Whatever was used, a chart and its tables add up to what the service counted: no day, part or call is lost or doubled.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { UsageRowView } from '../../src/portal/views.ts';
import { daysUntilToday, inBars, inWeeks, perDay, seriesOf, sumsOf } from '../../web/account/usage/sums.ts';

const nowMs = Date.UTC(2026, 10, 16, 23, 59, 59, 999);
const counts = fc.constantFrom(1, 2, 7, 30, 90, 365, 366);
const parts = fc.constantFrom('endpoint', 'key', 'status');
const measures = fc.constantFrom('calls', 'credits');

const rowsOf = (days: readonly string[]): fc.Arbitrary<readonly UsageRowView[]> =>
  fc.array(
    fc.record({
      day: fc.constantFrom(...days),
      endpoint: fc.constantFrom('/a', '/b', '/c', '/d', '/e', '/f', '/g', '/h'),
      keyId: fc.constantFrom('key_1', 'key_2', 'key_3', 'key_4', 'key_5', 'key_6', 'key_7'),
      status: fc.constantFrom(200, 400, 402, 404, 429, 500, 503),
      calls: fc.nat(10_000),
      credits: fc.nat(10_000),
    }),
    { maxLength: 60 },
  );

const cases = counts.chain((count) => {
  const { days } = daysUntilToday(count, nowMs);
  return fc.record({ days: fc.constant(days), rows: rowsOf(days), part: parts, measure: measures });
});

const add = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

test('days follow each other without a gap, and end today by UTC', () => {
  fc.assert(
    fc.property(counts, fc.integer({ min: 0, max: 4e12 }), (count, atMs) => {
      const { from, to, days } = daysUntilToday(count, atMs);
      assert.equal(days.length, count);
      assert.deepEqual([from, to], [days[0], days.at(-1)]);
      assert.equal(to, new Date(atMs).toISOString().slice(0, 10));
      for (const [at, day] of days.entries())
        assert.equal(Date.parse(day), Date.parse(from) + at * 86_400_000);
    }),
  );
});

test('days, weeks, parts and the largest of them with the others have the same total', () => {
  fc.assert(
    fc.property(cases, ({ days, rows, part, measure }) => {
      const total = add(rows.map((row) => row[measure]));
      const values = perDay(rows, days, measure);
      assert.equal(values.length, days.length);
      assert.equal(add(values), total);
      const weeks = inWeeks(days);
      assert.deepEqual(weeks.flat(), days);
      assert.ok(weeks.slice(1).every(({ length }) => length === 7));
      assert.equal(add(inBars(values, weeks)), total);
      assert.equal(add(sumsOf(rows, part).map((sum) => sum[measure])), total);
      const series = seriesOf(rows, { part, measure, days, nameOf: (name) => name });
      assert.ok(series.length <= 6, 'a chart has six colours');
      assert.equal(add(series.flatMap(({ values: own }) => own)), total);
      assert.equal(new Set(series.map(({ name }) => name)).size, series.length);
    }),
  );
});
