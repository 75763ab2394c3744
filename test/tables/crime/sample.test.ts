// A sample of some places answers within them and nowhere else; of a force that it has as a whole, everywhere.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  crimeSampleAreasTable,
  crimeSampleReachTable,
  encodeCrimeSampleAreas,
  findCrimeSample,
} from '../../../src/tables/crime/sample.ts';
import { encodeReach } from '../../../src/tables/reach.ts';
import { distanceMetres } from '../../../src/uk/grid.ts';
import { memoryRelease } from '../memory-release.ts';

const counts = { violent: 1, burglary: 2, vehicleCrime: 3, antisocial: 4, other: 5 };
const area = { code: 401_000_001, force: 'Some Police', counts, previous: 9, residents: 1_500 };
const force = { name: 'Some Police', lastMonth: 12 * 2024 + 11, unplacedShare: 0.02 };
const middle = { latitudeMicro: 51_567_000, longitudeMicro: -3_050_000 };

const opened = (metres: number) =>
  findCrimeSample(
    memoryRelease([
      [crimeSampleAreasTable.part, encodeCrimeSampleAreas([area], [force])],
      [crimeSampleReachTable.part, encodeReach(crimeSampleReachTable, { points: [middle], metres })],
    ]),
  ) ?? assert.fail('it is there');

test('a circle is answered where all of it lies in one that is whole', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -60_000, max: 60_000 }),
      fc.integer({ min: -60_000, max: 60_000 }),
      fc.integer({ min: 100, max: 5_000 }),
      (north, east, radiusMetres) => {
        const latitudeDegrees = (middle.latitudeMicro + north) / 1e6;
        const longitudeDegrees = (middle.longitudeMicro + east) / 1e6;
        const off = distanceMetres(
          middle.latitudeMicro / 1e6,
          middle.longitudeMicro / 1e6,
          latitudeDegrees,
          longitudeDegrees,
        );
        const circle = { latitudeDegrees, longitudeDegrees, radiusMetres };
        const sample = opened(4_600);
        // Two editions of postcodes may place one some metres apart.
        if (Math.abs(off + radiusMetres - 4_600) > 6)
          assert.equal(sample.reaches('Some Police', circle), off + radiusMetres <= 4_600);
        assert.equal(sample.reaches('Whole Police', circle), true);
      },
    ),
  );
});

test('areas and years come back as they were written, and a release without them has no such sample', () => {
  const { areas, years } = opened(1);
  assert.deepEqual([...areas], [[area.code, area]]);
  assert.deepEqual(
    [...years],
    [
      [
        'Some Police',
        {
          kind: 'covered',
          year: { from: force.lastMonth - 11, to: force.lastMonth },
          unplacedShare: 0.02,
          previous: { from: force.lastMonth - 23, to: force.lastMonth - 12 },
        },
      ],
    ],
  );
  assert.equal(findCrimeSample(memoryRelease([])), undefined);
});
