// What the map shows is what the API answered: every crime of every month at its point, every place and every sale once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Answers } from '../../../web/api/answers.ts';
import { crimeLayers, monthsOf } from '../../../web/explore/map/crime-layer.ts';
import { placesLayer } from '../../../web/explore/map/places-layers.ts';
import { salesLayer, sectorOf } from '../../../web/explore/map/sales-layer.ts';

type Crime = Answers['/crime/by-postcode'];

const months = ['2026-03', '2026-05', '2026-06'];
const crimeOf = (points: NonNullable<Crime['points']>): Crime => ({
  locationName: 'Zedbury',
  postcode: 'ZZ1 1AA',
  latitude: 54.18,
  longitude: 0.91,
  policeForce: 'Zedshire',
  referenceMonth: '2026-06',
  monthsRequested: 5,
  monthlyTotals: { '2026-03': 4, '2026-05': 0, '2026-06': 9 },
  monthCoverage: {
    '2026-03': 'published',
    '2026-04': 'missing',
    '2026-05': 'published',
    '2026-06': 'published',
    '2026-07': 'missing',
  },
  crimeCategories: [
    { category: 'burglary', displayName: 'Burglary', count: 1, percentage: 100, outcomes: {} },
  ],
  totalCrimes: 13,
  points,
});

test('months without figures are among the months, the newest too, and are not told as none', () => {
  assert.deepEqual(monthsOf(crimeOf([])), [
    { month: '2026-03', total: 4 },
    { month: '2026-04', total: undefined },
    { month: '2026-05', total: 0 },
    { month: '2026-06', total: 9 },
    { month: '2026-07', total: undefined },
  ]);
});

const byMonth = fc.dictionary(
  fc.constantFrom(...months),
  fc.dictionary(fc.constantFrom('burglary', 'bicycle-theft', 'drugs'), fc.integer({ min: 1, max: 50 }), {
    minKeys: 1,
  }),
);

test('of all months and of each, the points of the map have the crimes of the answer, and larger points have more', () => {
  fc.assert(
    fc.property(
      fc.array(byMonth, { maxLength: 20 }),
      fc.constantFrom(undefined, ...months),
      (made, month) => {
        const points = made.map((one, at) => ({
          latitude: 54 + at / 100,
          longitude: 0.9,
          location: `On or near Street ${at}`,
          count: 1,
          byMonth: one,
        }));
        const countOf = (one: (typeof made)[number]) =>
          Object.entries(one)
            .filter(([named]) => month === undefined || named === month)
            .flatMap(([, categories]) => Object.values(categories))
            .reduce((sum, count) => sum + count, 0);
        const expected = made.map(countOf).filter((count) => count > 0);
        const layersOf = crimeLayers(crimeOf(points));
        // Whatever month was looked at before.
        layersOf(months[0]);
        const layer = layersOf(month);
        assert.equal(layersOf(month), layer, 'worked out once');
        const told = Array.from(layer.xs, (_, point) => Number(layer.factsOf(point).cells[1]));
        assert.deepEqual(told, expected);
        const sized = told.map((count, point) => ({ count, radius: layer.radii[point] ?? 0 }));
        for (const a of sized) for (const b of sized) if (a.count > b.count) assert.ok(a.radius > b.radius);
      },
    ),
  );
});

test('a school says its rating by a letter and in words, also that none is known', () => {
  const school = {
    kind: 'school',
    category: 'primary',
    name: 'Zedbury Primary',
    code: '1',
    latitude: 54.18,
    longitude: 0.91,
    distanceMetres: 1_240,
    phase: 'Primary',
  } as const;
  const ratings = [
    'Outstanding',
    'Good (predecessor school)',
    'Requires improvement',
    'Inadequate',
    null,
    'Met',
    // As the average of the area counts them.
    'School remains Outstanding',
    'Quality of education: Requires improvement',
  ];
  const told = {
    postcode: 'ZZ1 1AA',
    latitude: 54.18,
    longitude: 0.91,
    radiusMetres: 800,
    kinds: { stations: { total: null, lacking: 'stations are not loaded' } },
    total: 9,
    returned: 9,
    offset: 0,
    places: [
      ...ratings.map((rating) => ({ ...school, rating, framework: null, inspectionDate: null })),
      { ...school, kind: 'stop' as const, category: 'bus' },
    ],
  };
  // What nobody knows is no layer without points.
  assert.equal(placesLayer(told, 'stations'), undefined);
  const layer = placesLayer(told, 'schools') ?? assert.fail('schools are known');
  assert.equal(layer.xs.length, ratings.length);
  const letters = Array.from(layer.toneOf, (tone) => layer.tones[tone]?.letter);
  assert.deepEqual(letters, ['O', 'G', 'R', 'I', '·', '·', 'O', 'R']);
  assert.deepEqual(layer.factsOf(1).cells, [
    'Zedbury Primary',
    'Primary',
    'Good (predecessor school)',
    '1,240 m',
  ]);
  assert.equal(layer.factsOf(4).cells[2], 'No rating is known');
});

test('sales stand at the point of their postcode; one without a point is on no map', () => {
  assert.equal(sectorOf('NP10 8WA'), 'NP10 8');
  const sale = (postcode: string, price: number) => ({
    address: `1 HIGH STREET, ${postcode}`,
    postcode,
    price,
    date: '2026-03-01',
    propertyType: 'T' as const,
    newBuild: false,
    estateType: null,
    street: 'HIGH STREET',
    town: '',
    district: '',
    county: '',
  });
  const layer = salesLayer({
    area: 'ZZ',
    postcode: null,
    street: null,
    period: '24 months',
    totalResults: 4,
    returned: 4,
    offset: 0,
    summary: { averagePrice: 0, medianPrice: 0, priceRange: { min: 0, max: 0 }, byPropertyType: {} },
    properties: [sale('ZZ1 1AA', 200_000), sale('ZZ1 1AB', 1), sale('ZZ1 1AA', 100_000), sale('', 5)],
    positions: [
      { postcode: 'ZZ1 1AA', latitude: 54.1, longitude: 0.9 },
      { postcode: 'ZZ1 1AB', latitude: null, longitude: null },
    ],
  });
  assert.equal(layer.xs.length, 1);
  assert.deepEqual(layer.factsOf(0).cells, ['ZZ1 1AA', '2', '£100,000 to £200,000', '1 Mar 2026']);
});
