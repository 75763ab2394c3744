// Schools within a circle, with their ratings, against a naive search over plain lists.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { describeSchools } from '../../../src/endpoints/area-statistics/schools.ts';
import { type Columns, encodePart, Part } from '../../../src/release/part.ts';
import { Release } from '../../../src/release/reader.ts';
import { layouts } from '../../../src/tables/index.ts';
import { encodeInspections, inspectionsPart } from '../../../src/tables/schools/inspections.ts';
import {
  encodeSchools,
  openSchools,
  type PlacedSchool,
  type SchoolNation,
  schoolLists,
  schoolNations,
} from '../../../src/tables/schools/schools.ts';
import { distanceMetres, type LatLong } from '../../../src/uk/grid.ts';
import type { Rating } from '../../../src/uk/ofsted.ts';

type Country = {
  readonly lists: Readonly<Record<SchoolNation, readonly PlacedSchool[]>>;
  readonly ratings: ReadonlyMap<number, Rating>;
};

/** Through the bytes of real parts, as a release has them. */
function open({ lists, ratings }: Country): Release {
  const parts = new Map<string, Columns>([
    [inspectionsPart, encodeInspections(ratings)],
    ...schoolNations.map((nation): [string, Columns] => [
      schoolLists[nation],
      encodeSchools(nation, lists[nation], 'a list'),
    ]),
  ]);
  const encoded = new Map([...parts].map(([name, columns]) => [name, encodePart(columns)]));
  const facts = {
    title: 'x',
    source: 'x',
    publisher: 'x',
    publisherShort: 'x',
    licence: 'x',
    attribution: 'x',
    edition: 'x',
    asOf: '2026-08-31',
    loadedAt: '2026-11-15T12:00:00Z',
    rows: 0,
    rejects: {},
    extent: 'complete',
    coverage: {},
    nextEditionExpected: null,
    files: [],
    loadedBy: { source: 'made up', version: 1 },
    layout: 1,
  } as const;
  return new Release(
    'nowhere',
    {
      format: 'domesday-data',
      version: 1,
      id: 'made-1',
      createdAt: '2026-11-15T12:00:00Z',
      kind: 'loaded',
      parent: null,
      datasets: [...encoded.keys()].map((name) => ({ ...facts, name, parts: [name] })),
      derived: [],
      parts: Object.fromEntries(
        [...encoded].map(([name, bytes]) => [name, { bytes: bytes.length, crc32: bytes.readUInt32LE(16) }]),
      ),
    },
    layouts,
    (file) => {
      const name = [...encoded.keys()].find((part) => file.endsWith(`${part}.part`)) ?? '';
      const bytes = encoded.get(name) ?? assert.fail(file);
      const shared = new SharedArrayBuffer(bytes.length);
      new Uint8Array(shared).set(bytes);
      assert.ok(Part.open(shared).columns.length > 0);
      return shared;
    },
  );
}

const micro = (degrees: number) => Math.round(degrees * 1e6) / 1e6;
// About 11 km by 10 km, so that a circle of 3.2 km has some inside and some out.
const point = fc.record(
  {
    latitudeDegrees: fc.double({ min: 52, max: 52.1, noNaN: true }).map(micro),
    longitudeDegrees: fc.double({ min: -3.1, max: -2.95, noNaN: true }).map(micro),
  },
  { noNullPrototype: true },
);
const school = fc.record({
  name: fc.string({ maxLength: 12 }),
  phase: fc.constantFrom('Primary', 'Secondary', 'Not applicable'),
  teachesPrimary: fc.boolean(),
  teachesSecondary: fc.boolean(),
  point,
  placing: fc.constantFrom('grid reference' as const, 'postcode' as const),
});
const list = fc
  .array(school, { maxLength: 40 })
  .map((rows) => rows.map((row, index): PlacedSchool => ({ ...row, number: 100 + index })));
const rating: fc.Arbitrary<Rating> = fc.record(
  {
    tier: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const, 4 as const),
    framework: fc.constantFrom('OEIF' as const, 'Report card' as const, null),
    label: fc.constantFrom('', 'Good', 'Standards maintained'),
    day: fc.option(fc.integer({ min: 10_000, max: 21_000 })),
    isOutstanding: fc.boolean(),
    isOfPredecessor: fc.boolean(),
  },
  { noNullPrototype: true },
);
const country: fc.Arbitrary<Country> = fc.record({
  lists: fc.record({ England: list, Wales: list, Scotland: list }),
  ratings: fc.array(fc.tuple(fc.integer({ min: 95, max: 145 }), rating)).map((rows) => new Map(rows)),
});

function naive({ lists, ratings }: Country, from: LatLong, radiusMetres: number) {
  return schoolNations.flatMap((nation) =>
    lists[nation].flatMap(({ point: at, placing: _, ...facts }) => {
      const metres = distanceMetres(
        from.latitudeDegrees,
        from.longitudeDegrees,
        at.latitudeDegrees,
        at.longitudeDegrees,
      );
      const found = nation === 'England' ? (ratings.get(facts.number) ?? null) : null;
      return metres <= radiusMetres ? [{ ...facts, point: at, nation, rating: found, metres }] : [];
    }),
  );
}

test('within a circle are the same schools, ratings and distances that a search over all lists finds', () => {
  fc.assert(
    fc.property(country, point, fc.integer({ min: 0, max: 5000 }), (made, from, radiusMetres) => {
      const byNumber = (a: { nation: string; number: number }, b: { nation: string; number: number }) =>
        a.nation === b.nation ? a.number - b.number : a.nation < b.nation ? -1 : 1;
      const table = openSchools(open(made));
      const found = table.within({ ...from, radiusMetres }).map((near) => {
        const { nation, metres, tier, isOutstanding } = near;
        const full = { ...table.describe(near), nation, metres };
        assert.equal(near.number, full.number);
        assert.equal(near.teachesPrimary, full.teachesPrimary);
        assert.equal(near.teachesSecondary, full.teachesSecondary);
        assert.deepEqual(
          [tier, isOutstanding],
          [full.rating?.tier ?? 0, full.rating?.isOutstanding ?? false],
        );
        return full;
      });
      assert.deepEqual(found.toSorted(byNumber), naive(made, from, radiusMetres).sort(byNumber));
    }),
  );
});

test('the counts, the average and the order of the best are those of a naive count', () => {
  fc.assert(
    fc.property(country, point, (made, from) => {
      const near = naive(made, from, 3200).filter(
        ({ teachesPrimary, teachesSecondary, metres }) =>
          (teachesPrimary && metres <= 1600) || teachesSecondary,
      );
      const tiers = near.map(({ rating: its }) => its?.tier ?? 0).filter((tier) => tier > 0);
      const place = {
        postcode: 'ZZ1 1AA',
        nation: 'England' as const,
        point: from,
        authorityCode: null,
        wardCode: null,
        countyCode: null,
        regionCode: null,
        lsoaCode: null,
        msoaCode: null,
        policeForceCode: null,
        terminated: null,
        usage: null,
      };
      const { averageRating, primary, secondary, ofstedOutstanding, topSchools } = describeSchools(
        place,
        open(made),
      );
      const mean = tiers.reduce((sum: number, tier) => sum + tier, 0) / tiers.length;
      assert.equal(averageRating, tiers.length === 0 ? null : Math.round(mean * 10) / 10);
      assert.equal(primary, near.filter((one) => one.teachesPrimary && one.metres <= 1600).length);
      assert.equal(secondary, near.filter((one) => one.teachesSecondary).length);
      assert.equal(ofstedOutstanding, near.filter((one) => one.rating?.isOutstanding).length);
      const best = near.sort((a, b) => (b.rating?.tier ?? 0) - (a.rating?.tier ?? 0) || a.metres - b.metres);
      assert.deepEqual(
        topSchools.map(({ distanceKm }) => distanceKm),
        best.slice(0, 5).map(({ metres }) => Math.round(metres / 10) / 100),
      );
    }),
  );
});

test('a list comes back as it was written', () => {
  fc.assert(
    fc.property(country, (made) => {
      const table = openSchools(open(made));
      for (const nation of schoolNations) {
        const back = table.allOf(nation).toSorted((a, b) => a.number - b.number);
        assert.deepEqual(back, made.lists[nation]);
        assert.equal(table.publicationOf(nation), 'a list');
      }
    }),
  );
});
