// Bands derived from band D: the ratios of law, per nation and year, rounded half up to the penny.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bandsOf, deriveBands, nations } from '../../src/uk/council-tax-bands.ts';

test('known amounts: Adur 2023-24, Cardiff 2022-23, and a round Scottish one', () => {
  assert.deepEqual(
    deriveBands('England', 2023, 221_739),
    [147_826, 172_464, 197_101, 221_739, 271_014, 320_290, 369_565, 443_478],
  );
  assert.equal(deriveBands('Wales', 2022, 164_018)[8], 382_709);
  assert.deepEqual(
    deriveBands('Scotland', 2026, 150_000),
    [100_000, 116_667, 133_333, 150_000, 197_083, 243_750, 293_750, 367_500],
  );
});

test("Scotland's bands E to H weigh more from 2017-18 on", () => {
  assert.deepEqual(deriveBands('Scotland', 2016, 90_000).slice(4), [110_000, 130_000, 150_000, 180_000]);
  assert.deepEqual(deriveBands('Scotland', 2017, 90_000).slice(4), [118_250, 146_250, 176_250, 220_500]);
});

test('band I is in Wales only, since the revaluation of 2005', () => {
  assert.equal(bandsOf('Wales', 2005).at(-1), 'I');
  for (const [nation, year] of [
    ['Wales', 2004],
    ['England', 2026],
    ['Scotland', 2026],
  ] as const) {
    assert.equal(bandsOf(nation, year).at(-1), 'H');
  }
});

test('a half penny is rounded up', () => {
  // 0.09 × 8 / 9 is exactly 8 pence; 45 × 473 / 360 = 59.125; 60 × 585 / 360 = 97.5.
  assert.equal(deriveBands('Scotland', 2026, 60)[5], 98);
});

test('against exact fractions: never off by more than half a penny, a half goes up, D is D, bands ascend', () => {
  const ninths = [6, 7, 8, 9, 11, 13, 15, 18, 21];
  const scottish = [240, 280, 320, 360, 473, 585, 705, 882];
  fc.assert(
    fc.property(
      fc.constantFrom(...nations),
      fc.integer({ min: 1993, max: 2100 }),
      fc.integer({ min: 1, max: 10_000_000 }),
      (nation, year, bandD) => {
        const derived = deriveBands(nation, year, bandD);
        const isNew = nation === 'Scotland' && year >= 2017;
        assert.equal(derived[3], bandD);
        for (const [index, pence] of derived.entries()) {
          const part = BigInt((isNew ? scottish : ninths)[index] ?? 0);
          const of = isNew ? 360n : 9n;
          const twice = 2n * BigInt(bandD) * part - 2n * of * BigInt(pence);
          assert.ok(twice >= -of && twice < of, `${nation} ${year} ${bandD} ${index}`);
          assert.ok(pence >= (derived[index - 1] ?? 0));
        }
      },
    ),
  );
});
