// Writing whole numbers without the conversion of V8.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeWhole } from '../../src/contract/digits.ts';

test('any whole number is written as String writes it', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.nat(15), (value, digits) => {
      const shorter = value % 10 ** digits;
      assert.equal(writeWhole(value), String(value));
      assert.equal(writeWhole(shorter), String(shorter));
    }),
  );
  for (const value of [0, 9, 10, 999, 1000, 1001, 1_000_000, 10_000_050]) {
    assert.equal(writeWhole(value), String(value));
  }
});
