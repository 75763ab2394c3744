// What is plausible as a whole: rows enough, and all over the country.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extentOfList } from '../../src/tables/whole.ts';

/** So many points, one after another in so many squares. */
const points = (rows: number, squares: number) =>
  Array.from({ length: rows }, (_, at) => ({
    latitudeDegrees: 50 + Math.floor((at % squares) / 30) / 4,
    longitudeDegrees: -6 + ((at % squares) % 30) / 4,
  }));

test('a list is whole only with rows enough all over the country: neither a cut nor a thinned list is', () => {
  const extents = (name: Parameters<typeof extentOfList>[0], rows: number, squares: number) => [
    extentOfList(name, points(rows, squares)),
    extentOfList(name, points(rows - 1, squares)),
    extentOfList(name, points(2 * rows, squares - 1)),
  ];
  for (const [name, rows, squares] of [
    ['schools-england', 22_000, 310],
    ['schools-wales', 1_300, 60],
    ['schools-scotland', 2_200, 110],
    ['bus-routes', 150_000, 450],
    ['traffic', 15_000, 450],
  ] as const)
    assert.deepEqual(extents(name, rows, squares), ['complete', 'partial', 'partial'], name);
});
