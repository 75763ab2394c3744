// The nearest postcodes are those that a look at every single one finds, whatever the point, radius and limit.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openPostcodesNear } from '../../../src/tables/postcodes/near.ts';
import {
  monthNumber,
  noPoint,
  openPostcodes,
  type PostcodeRow,
} from '../../../src/tables/postcodes/postcodes.ts';
import { PostcodesBuilder } from '../../../src/tables/postcodes/postcodes-builder.ts';
import { postcodesPart } from '../../../src/tables/postcodes/postcodes-table.ts';
import { packPostcodeText, unpackPostcode } from '../../../src/uk/postcode.ts';
import { openHomeWith } from '../../ingest/home.ts';
import { realFile, testWith } from '../../requirements.ts';
import { memoryRelease } from '../memory-release.ts';
import { naiveNear } from './naive.ts';

type Made = {
  readonly packed: number;
  readonly point: readonly [number, number] | null;
  readonly isInUse: boolean;
};

function open(given: readonly Made[]) {
  const builder = new PostcodesBuilder();
  for (const { packed, point, isInUse } of given) {
    builder.add({
      packed,
      place: builder.place('England', [0, 0, 0, 0, 0, 0, 0]),
      latitude: point?.[0] ?? noPoint,
      longitude: point?.[1] ?? 0,
      easting: 0,
      northing: 0,
      terminated: isInUse ? 0 : monthNumber(2019, 5),
      usage: null,
    });
  }
  const release = memoryRelease([[postcodesPart, builder.finish().columns]]);
  const rows = [...openPostcodes(release).packedNumbers()].map((packed) =>
    openPostcodes(release).at(openPostcodes(release).rowOf(parsed(packed))),
  );
  return { near: openPostcodesNear(release), rows };
}

const parsed = (packed: number) => {
  const text = unpackPostcode(packed);
  return {
    kind: 'postcode',
    text,
    outcode: '',
    incode: '',
    area: '',
    district: '',
    sector: '',
    packed,
  } as const;
};

// Many share a point or lie equally far, some lie all over the country and beyond where most are.
const knot = fc
  .tuple(fc.nat(12), fc.nat(12))
  .map(([y, x]) => [51_500_000 + 700 * y, -120_000 + 1_100 * x] as const);
const anywhere = fc.tuple(
  fc.integer({ min: 49_000_000, max: 61_000_000 }),
  fc.integer({ min: -8_900_000, max: 2_400_000 }),
);
const base = packPostcodeText('SW1A 0AA') ?? assert.fail();
const tables = fc.uniqueArray(
  fc.record({
    packed: fc.nat(3_999).map((unit) => base + unit),
    point: fc.option(fc.oneof({ weight: 5, arbitrary: knot }, anywhere), { freq: 15 }),
    isInUse: fc.nat(4).map((one) => one > 0),
  }),
  { selector: ({ packed }) => packed, maxLength: 1_300, size: 'max' },
);
const places = fc.oneof(
  knot,
  anywhere,
  fc.tuple(fc.integer({ min: -90e6, max: 90e6 }), fc.integer({ min: -180e6, max: 180e6 })),
);

const asked = fc.record({
  place: places,
  radiusMetres: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom(1, 250, 500, 5_000)),
  limit: fc.integer({ min: 1, max: 100 }),
});

const circleOf = ([latitude, longitude]: readonly [number, number], radiusMetres: number) => ({
  latitudeDegrees: latitude / 1e6,
  longitudeDegrees: longitude / 1e6,
  radiusMetres,
});

test('the nearest postcodes in use, in their order, are those that a plain search of all rows finds', () => {
  fc.assert(
    fc.property(tables, fc.array(asked, { minLength: 1, maxLength: 8 }), (given, questions) => {
      const { near, rows } = open(given);
      for (const { place, radiusMetres, limit } of questions) {
        const circle = circleOf(place, radiusMetres);
        assert.deepEqual(near.nearest(circle, limit), naiveNear(rows, circle, limit));
      }
    }),
    { numRuns: 60 },
  );
});

const directory = realFile('data/onspd/onspd_2024_aberdeen_8048rows_crlf.csv');

testWith(
  directory,
  'around any point of a real directory the nearest are those of a plain search',
  async (file) => {
    const home = await openHomeWith(file);
    try {
      const release = home.store.openCurrent();
      const table = openPostcodes(release);
      const rows: readonly PostcodeRow[] = table.areas().flatMap((area) => [...table.inArea(area)]);
      const points = rows.flatMap(({ point }) => point ?? []);
      const near = openPostcodesNear(release);
      fc.assert(
        fc.property(
          fc.constantFrom(...points),
          fc.integer({ min: -3_000, max: 3_000 }),
          fc.integer({ min: -3_000, max: 3_000 }),
          fc.integer({ min: 1, max: 5_000 }),
          fc.integer({ min: 1, max: 100 }),
          ({ latitudeDegrees, longitudeDegrees }, north, east, radiusMetres, limit) => {
            const circle = circleOf(
              [Math.round(latitudeDegrees * 1e6) + north, Math.round(longitudeDegrees * 1e6) + east],
              radiusMetres,
            );
            assert.deepEqual(near.nearest(circle, limit), naiveNear(rows, circle, limit));
          },
        ),
        { numRuns: 100 },
      );
    } finally {
      home.remove();
    }
  },
);
