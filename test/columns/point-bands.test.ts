// The index of points against looking at every point.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eachOf, encodePoints, PointBands } from '../../src/columns/point-bands.ts';
import { distanceMetres } from '../../src/uk/grid.ts';

const point = fc.record({
  latitude: fc.integer({ min: 51_480_000, max: 51_540_000 }),
  longitude: fc.integer({ min: -60_000, max: 60_000 }),
});
const place = fc.record({
  latitudeDegrees: fc.double({ min: 51.47, max: 51.55, noNaN: true }),
  longitudeDegrees: fc.double({ min: -0.07, max: 0.07, noNaN: true }),
});

type Given = readonly { readonly latitude: number; readonly longitude: number }[];

function indexOf(points: Given, bandMicroDegrees?: number) {
  const { order, columns } = encodePoints(
    Int32Array.from(points, ({ latitude }) => latitude),
    Int32Array.from(points, ({ longitude }) => longitude),
    bandMicroDegrees,
  );
  return { order, bands: new PointBands(columns) };
}

const metresOf = (
  { latitudeDegrees, longitudeDegrees }: { latitudeDegrees: number; longitudeDegrees: number },
  { latitude, longitude }: Given[number],
) => distanceMetres(latitudeDegrees, longitudeDegrees, latitude / 1e6, longitude / 1e6);

test('a circle holds exactly the points that are no farther than its radius', () => {
  fc.assert(
    fc.property(
      fc.array(point, { maxLength: 200, size: 'max' }),
      place,
      fc.integer({ min: 1, max: 6_000 }),
      fc.constantFrom(undefined, 1_000, 8_192, 100_000),
      (points, centre, radiusMetres, bandMicroDegrees) => {
        const { order, bands } = indexOf(points, bandMicroDegrees);
        const found = [...eachOf(bands.within({ ...centre, radiusMetres }))].map((at) => order[at]);
        const wanted = points
          .keys()
          .filter((at) => metresOf(centre, points[at] ?? assert.fail()) <= radiusMetres);
        assert.deepEqual(new Set(found), new Set(wanted));
        assert.equal(found.length, new Set(found).size);
      },
    ),
  );
});

test('the nearest point is none that lies farther than another that would do', () => {
  fc.assert(
    fc.property(
      fc.array(point, { maxLength: 60 }),
      place,
      fc.integer({ min: 1, max: 6_000 }),
      (points, from, withinMetres) => {
        const { order, bands } = indexOf(points);
        const accepts = (at: number) => (order[at] ?? 0) % 2 === 0;
        const wanted = points
          .filter((_, at) => at % 2 === 0)
          .map((given) => metresOf(from, given))
          .filter((metres) => metres <= withinMetres);
        const found = bands.nearest(from, withinMetres, accepts);
        assert.equal(found?.metres, wanted.length === 0 ? undefined : Math.min(...wanted));
      },
    ),
  );
});
