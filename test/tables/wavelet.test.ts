// The wavelet matrix tells the same as sorting and counting would.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeWavelet, Wavelet } from '../../src/tables/wavelet.ts';

/** Sequences that cross the borders of words and blocks, with stretches in them. */
const cases = fc
  .tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 700 }), fc.integer({ min: 0, max: 3 }))
  .chain(([limit, length, stretches]) =>
    fc.record({
      limit: fc.constant(limit),
      sequence: fc.array(fc.nat(limit - 1), { minLength: length, maxLength: length }),
      ends: fc.array(fc.nat(length), { minLength: 2 * stretches, maxLength: 2 * stretches }),
    }),
  );

test('the k-th lowest and the count below a bound are those of the sorted stretches', () => {
  fc.assert(
    fc.property(cases, ({ limit, sequence, ends }) => {
      const wavelet = new Wavelet(encodeWavelet(Uint32Array.from(sequence), limit));
      // Stretches are disjoint and in order.
      const stretches = Uint32Array.from(ends.toSorted((a, b) => a - b));
      const values: number[] = [];
      for (let at = 0; at < stretches.length; at += 2) {
        values.push(...sequence.slice(stretches[at], stretches[at + 1]));
      }
      values.sort((a, b) => a - b);
      for (const [rank, value] of values.entries()) assert.equal(wavelet.lowest(stretches, rank), value);
      for (const bound of [0, 1, limit >> 1, limit - 1, limit, limit + 5]) {
        assert.equal(wavelet.countBelow(stretches, bound), values.filter((value) => value < bound).length);
      }
    }),
    { numRuns: 300 },
  );
});

test('asking changes neither the sequence nor the stretches', () => {
  const wavelet = new Wavelet(encodeWavelet(Uint32Array.of(3, 1, 2), 4));
  const stretches = Uint32Array.of(0, 3);
  assert.equal(wavelet.lowest(stretches, 1), 2);
  assert.deepEqual(stretches, Uint32Array.of(0, 3));
  assert.equal(wavelet.lowest(stretches, 1), 2);
});
