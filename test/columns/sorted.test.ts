// Searches in rising columns against looking at every value.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { firstIndex, indexIn, lastNotAbove, lowerBound } from '../../src/columns/sorted.ts';

const rising = fc
  .array(fc.nat(40), { minLength: 1, maxLength: 60 })
  .map((values) => Uint32Array.from(values).sort());

test('the first value that is not lower, the last that is not higher, and the value itself are found', () => {
  fc.assert(
    fc.property(rising, fc.nat(42), (values, wanted) => {
      const all = [...values];
      const first = all.findIndex((value) => value >= wanted);
      assert.equal(lowerBound(values, wanted), first === -1 ? all.length : first);
      assert.equal(
        firstIndex(0, all.length, (index) => (all[index] ?? 0) >= wanted),
        lowerBound(values, wanted),
      );
      assert.equal(indexIn(values, wanted), all.indexOf(wanted));
      if (all[0] !== undefined && all[0] <= wanted) {
        assert.equal(
          lastNotAbove(values, wanted, 0, all.length - 1),
          all.findLastIndex((value) => value <= wanted),
        );
      }
    }),
  );
});

test('a search between two indexes looks at nothing outside them', () => {
  fc.assert(
    fc.property(rising, fc.nat(42), fc.nat(59), fc.nat(59), (values, wanted, one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      const lowest = values[low];
      fc.pre(high < values.length && lowest !== undefined && lowest <= wanted);
      const within = [...values.subarray(low, high + 1)];
      const first = within.findIndex((value) => value >= wanted);
      const bound = first === -1 ? high + 1 : low + first;
      assert.equal(lowerBound(values, wanted, low, high + 1), bound);
      const valueAt = (index: number) => within[index - low] ?? assert.fail('outside');
      assert.equal(
        firstIndex(low, high + 1, (index) => valueAt(index) >= wanted),
        bound,
      );
      assert.equal(
        lastNotAbove(values, wanted, low, high),
        low + within.findLastIndex((value) => value <= wanted),
      );
    }),
  );
});

test('of equal values the first is found', () => {
  const values = Float64Array.of(1, 2, 2, 2, 3);
  assert.deepEqual([indexIn(values, 2), indexIn(values, 2.5), indexIn(new Float64Array(0), 2)], [1, -1, -1]);
});
