// What an ingest works out for every area is what a plain count over the covered areas gives, and comes back from the
// part as it was worked out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CrimeAreas, openCrimeAreas } from '../../../src/tables/crime/areas.ts';
import { CrimesBuilder } from '../../../src/tables/crime/crimes-builder.ts';
import {
  type AreaCrime,
  CrimeRates,
  crimeRatesPart,
  encodeCrimeRates,
  type RatedAreas,
} from '../../../src/tables/crime/rates.ts';
import { memoryRelease } from '../memory-release.ts';

const newest = 12 * 2025 + 8;
const year = { from: newest - 11, to: newest };
const codeOf = (index: number) => `E01${String(index).padStart(6, '0')}`;
const force = 'North';
const farOff = 900_000;

/** Areas of one force with so many crimes in its newest month; other months have crime far off. */
function build(crimes: readonly number[], firstMonth = year.from): CrimeAreas {
  const builder = new CrimesBuilder();
  const add = (month: number, area: number, times: number) => {
    const { point } = builder.point({
      latitudeMicro: area,
      longitudeMicro: 0,
      name: 0,
      lsoa: 1 + area,
      month,
    });
    for (let row = 0; row < times; row += 1) builder.month(month).add(point, 0, 0, 0, 0);
    builder.countPublished(month, 0, times);
  };
  for (let month = firstMonth; month <= year.to; month += 1) add(month, crimes.length, 100);
  for (const [area, times] of crimes.entries()) {
    add(newest, area, times);
    // One more in the year before, where it is loaded.
    if (firstMonth < year.from) add(year.from - 1, area, times + 1);
  }
  const words = {
    names: [''],
    lsoas: [...crimes.keys(), farOff].map(codeOf),
    forces: [force],
    categories: ['drugs'],
    outcomes: [],
  };
  return openCrimeAreas(memoryRelease(builder.encode(words)));
}

/** Through the bytes of the part. */
const rate = (given: RatedAreas): CrimeRates =>
  new CrimeRates(memoryRelease([[crimeRatesPart.part, encodeCrimeRates(given)]]));

const covered = (area: AreaCrime | undefined) => {
  assert.ok(area?.kind === 'covered');
  return area;
};

const area = fc.record({
  crimes: fc.nat(40),
  residents: fc.constantFrom(0, 100, 200, 1_500),
  force: fc.constantFrom(force, force, force, 'Silent', undefined),
});

test('counts, rank and pooled rate are those of a count over covered areas with residents, ties in the middle of their places', () => {
  fc.assert(
    fc.property(fc.array(area, { minLength: 1, maxLength: 40 }), fc.boolean(), (given, hasBefore) => {
      const rates = rate({
        areas: build(
          given.map(({ crimes }) => crimes),
          hasBefore ? year.from - 12 : year.from,
        ),
        forces: new Map(given.map((item, index) => [codeOf(index), item.force])),
        residents: new Map(given.map((item, index) => [codeOf(index), item.residents])),
      });
      const ranked = given.filter((item) => item.force === force && item.residents > 0);
      assert.equal(rates.size, ranked.length);
      const sum = (pick: (item: (typeof given)[number]) => number) =>
        ranked.reduce((total, item) => total + pick(item), 0);
      const pooled =
        ranked.length === 0 ? 0 : (1000 * sum(({ crimes }) => crimes)) / sum((item) => item.residents);
      assert.equal(rates.pooledPerThousand, pooled);
      const rateOf = (item: (typeof given)[number]) => (1000 * item.crimes) / item.residents;
      const ordered = ranked.map(rateOf).sort((a, b) => a - b);
      for (const [index, item] of given.entries()) {
        const found = rates.find(codeOf(index));
        if (item.force === undefined) assert.deepEqual(found, { kind: 'force-unknown' });
        else if (item.force === 'Silent') {
          const year = { kind: 'force-not-loaded' };
          assert.deepEqual(found, { kind: 'uncovered', force: 'Silent', year });
        } else {
          const places = ordered.flatMap((other, place) => (other === rateOf(item) ? [place] : []));
          const middle = places.reduce((total, place) => total + place, 0) / places.length;
          const rank = ordered.length === 1 ? 0.5 : middle / (ordered.length - 1);
          const { rank: told, ...facts } = covered(found);
          assert.deepEqual(facts, {
            kind: 'covered',
            force,
            year,
            unplacedShare: 0,
            counts: { violent: 0, burglary: 0, vehicleCrime: 0, antisocial: 0, other: item.crimes },
            previousTotal: hasBefore ? item.crimes + 1 : undefined,
            residents: item.residents,
          });
          if (item.residents === 0) assert.equal(told, undefined);
          else assert.ok(Math.abs((told ?? Number.NaN) - rank) < 1e-12, `${told} instead of ${rank}`);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('the lowest rate is 0, the highest 1, and an area of which no postcode is loaded is not found', () => {
  const codes = [0, 1, 2].map(codeOf);
  const rates = rate({
    areas: build([3, 1, 2]),
    forces: new Map(codes.map((code) => [code, force])),
    residents: new Map(codes.map((code) => [code, 1_000])),
  });
  assert.deepEqual(
    codes.map((code) => covered(rates.find(code)).rank),
    [1, 0, 0.5],
  );
  for (const code of [codeOf(farOff), codeOf(3), 'W01000001', 'no code', '']) {
    assert.equal(rates.find(code), undefined, code);
  }
});

test('crime in areas that no postcode lies in takes nothing from the others', () => {
  const codes = [0, 1].map(codeOf);
  const rates = rate({
    areas: build([80, 80]),
    forces: new Map(codes.map((code) => [code, force])),
    residents: new Map(codes.map((code) => [code, 1_000])),
  });
  // The crime far off is most of what the force reported: 1,200 of 1,360.
  assert.deepEqual(
    codes.map((code) => covered(rates.find(code)).counts.other),
    [80, 80],
  );
  assert.deepEqual([rates.size, rates.comparedForces], [2, [force]]);
});

test('areas of the sample are compared with, and hold for their force in place of its incidents', () => {
  const counts = (other: number) => ({ violent: 0, burglary: 0, vehicleCrime: 0, antisocial: 0, other });
  const number = (index: number) => 4e8 + 1_000_000 + index;
  const listed = (index: number, other: number) =>
    [
      number(index),
      { code: number(index), force: 'Sampled', counts: counts(other), previous: 7, residents: 1_000 },
    ] as const;
  const year = { from: newest - 11, to: newest };
  const rates = rate({
    areas: build([3, 50, 50]),
    forces: new Map([
      [codeOf(0), force],
      [codeOf(1), 'Sampled'],
      [codeOf(2), 'Sampled'],
    ]),
    residents: new Map([0, 1, 2].map((index) => [codeOf(index), 1_000])),
    sample: {
      areas: new Map([listed(1, 20), listed(9, 10)]),
      years: new Map([
        ['Sampled', { kind: 'covered', year, unplacedShare: 0.1, previous: { from: 0, to: 11 } }],
      ]),
    },
  });
  assert.deepEqual(
    [0, 1, 2, 9].map((index) => {
      const found = covered(rates.find(codeOf(index)));
      return [found.counts.other, found.previousTotal, found.unplacedShare, found.rank];
    }),
    [
      [3, undefined, 0, 1 / 3],
      [20, 7, 0.1, 1],
      [0, 0, 0.1, 0],
      [10, 7, 0.1, 2 / 3],
    ],
  );
  assert.deepEqual([rates.size, rates.comparedForces], [4, [force, 'Sampled']]);
});

test('why a force has no year comes back from the part as it was found', () => {
  const builder = new CrimesBuilder();
  const forces = ['Gapped', 'Stopped', 'Tiny', 'Whole'];
  const { point } = builder.point({ latitudeMicro: 0, longitudeMicro: 0, name: 0, lsoa: 1, month: newest });
  const add = (month: number, name: string, times: number) => {
    for (let row = 0; row < times; row += 1) builder.month(month).add(point, 0, 0, 0, forces.indexOf(name));
    builder.countPublished(month, forces.indexOf(name), times);
  };
  for (let month = year.from; month <= year.to; month += 1) {
    add(month, 'Whole', 60);
    if (month !== year.from && month !== year.to - 3) add(month, 'Gapped', 60);
    if (month < year.to - 6) add(month, 'Stopped', 60);
    add(month, 'Tiny', 3);
  }
  const words = { names: [''], lsoas: [codeOf(0)], forces, categories: ['drugs'], outcomes: [] };
  const areas = openCrimeAreas(memoryRelease(builder.encode(words)));
  const asked = [...forces, 'Unheard of'];
  const rates = rate({
    areas,
    forces: new Map(asked.map((name, index) => [codeOf(index), name])),
    residents: new Map(),
  });
  const kinds = asked.map((name, index) => {
    const found = rates.find(codeOf(index));
    if (found?.kind === 'uncovered') {
      assert.deepEqual([found.force, found.year], [name, areas.yearOf(name)]);
      return found.year.kind;
    }
    return found?.kind;
  });
  assert.deepEqual(kinds, [
    'months-missing',
    'outdated',
    'force-without-data',
    'covered',
    'force-not-loaded',
  ]);
});
