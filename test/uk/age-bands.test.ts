// Ages as four publishers write them, and medians of counts in bands.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AgeBand, coverEveryAge, medianAge, parseAgeBand } from '../../src/uk/age-bands.ts';

test('every spelling of an age is read, and nothing else', () => {
  const read = (text: string) => {
    const band = parseAgeBand(text);
    return band === undefined ? undefined : [band.from, band.until];
  };
  assert.deepEqual(read('Aged 4 years and under'), [0, 5]);
  assert.deepEqual(read('Aged 5 to 9 years'), [5, 10]);
  assert.deepEqual(read('Aged 85 years and over'), [85, undefined]);
  assert.deepEqual(read('Aged under 1 year'), [0, 1]);
  assert.deepEqual(read('Under 1'), [0, 1]);
  assert.deepEqual(read('0 - 4'), [0, 5]);
  assert.deepEqual(read('16 – 17'), [16, 18]);
  assert.deepEqual(read('15'), [15, 16]);
  assert.deepEqual(read('100 and over'), [100, undefined]);
  assert.deepEqual(read('85+ years'), [85, undefined]);
  for (const text of ['Total', '9 to 5', 'All people', '', 'Aged', '5 to', '1 person']) {
    assert.equal(read(text), undefined, text);
  }
});

test('bands cover every age only without gap, overlap or closed end', () => {
  const bands = (...texts: readonly string[]) => texts.flatMap((text) => parseAgeBand(text) ?? []);
  assert.ok(coverEveryAge(bands('0 - 4', '5 - 9', '10+')));
  assert.ok(!coverEveryAge(bands('0 - 4', '6 - 9', '10+')));
  assert.ok(!coverEveryAge(bands('0 - 4', '4 - 9', '10+')));
  assert.ok(!coverEveryAge(bands('0 - 4', '5 - 9')));
  assert.ok(!coverEveryAge(bands('1 - 4', '5+')));
  assert.ok(!coverEveryAge([]));
});

test('a median is unknown where there is nobody, or where it falls in the open band', () => {
  const bands: readonly AgeBand[] = [
    { from: 0, until: 5 },
    { from: 5, until: undefined },
  ];
  assert.equal(medianAge(bands, [0, 0]), Number.NaN);
  assert.equal(medianAge(bands, [1, 5]), Number.NaN);
  assert.equal(medianAge(bands, [4, 4]), 5);
  assert.equal(medianAge(bands, [8, 0]), 2.5);
});

test('a band without a count is refused, not taken as empty', () => {
  const bands: readonly AgeBand[] = [
    { from: 0, until: 5 },
    { from: 5, until: undefined },
  ];
  assert.throws(() => medianAge(bands, [4]), /No count was given for the band of age from 5/);
});

test('the median of bands is that of people spread evenly within them', () => {
  const bands = [
    ...Array.from({ length: 9 }, (_, at) => ({ from: 10 * at, until: 10 * at + 10 })),
    { from: 90, until: undefined },
  ];
  fc.assert(
    fc.property(fc.array(fc.nat(40), { minLength: 9, maxLength: 9 }), (counts) => {
      const people = counts.flatMap((count, band) =>
        Array.from({ length: count }, (_, nth) => 10 * band + (10 * (nth + 0.5)) / count),
      );
      const median = medianAge(bands, [...counts, 0]);
      if (people.length === 0) return assert.equal(median, Number.NaN);
      const younger = people.filter((age) => age < median).length;
      assert.ok(
        Math.abs(younger - people.length / 2) <= 0.5,
        `${younger} of ${people.length} below ${median}`,
      );
    }),
  );
});
