// An area's rank and the national rate are those of a plain count over the covered areas.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CrimeAreas, openCrimeAreas } from '../../src/tables/crime-areas.ts';
import { CrimeRates } from '../../src/tables/crime-rates.ts';
import { CrimesBuilder } from '../../src/tables/crimes-builder.ts';
import { memoryRelease } from './memory-release.ts';

const newest = 12 * 2025 + 8;
const year = { from: newest - 11, to: newest };
const codeOf = (index: number) => `E01${String(index).padStart(6, '0')}`;
const force = 'North';

/** Areas of one force with so many crimes in its newest month; other months have one crime far off. */
function build(crimes: readonly number[]): CrimeAreas {
  const builder = new CrimesBuilder();
  const lsoas = [...crimes.keys(), 900_000].map(codeOf);
  const add = (month: number, area: number, times: number) => {
    const { point } = builder.point({ latitudeMicro: area, longitudeMicro: 0, name: 0, lsoa: 1 + area });
    for (let row = 0; row < times; row += 1) builder.month(month).add(point, 0, 0, 0, 0);
    builder.countPublished(month, 0, times);
  };
  for (let month = year.from; month <= year.to; month += 1) add(month, crimes.length, 100);
  for (const [area, times] of crimes.entries()) add(newest, area, times);
  const words = {
    names: [''],
    lsoas,
    forces: [force],
    categories: ['drugs'],
    outcomes: [],
    nationalForce: '',
  };
  return openCrimeAreas(memoryRelease(builder.encode(words)));
}

const area = fc.record({
  crimes: fc.nat(40),
  residents: fc.constantFrom(0, 100, 200, 1_500),
  force: fc.constantFrom(force, force, force, 'Silent', undefined),
});

test('rank and pooled rate are those of a count over covered areas with residents, ties in the middle of their places', () => {
  fc.assert(
    fc.property(fc.array(area, { minLength: 1, maxLength: 40 }), (given) => {
      const areas = build(given.map(({ crimes }) => crimes));
      const forces = new Map(given.map((item, index) => [codeOf(index), item.force]));
      const residents = new Map(given.map((item, index) => [codeOf(index), item.residents]));
      const rates = new CrimeRates(areas, forces, 'some', residents);
      const covered = given.filter((item) => item.force === force && item.residents > 0);
      assert.equal(rates.size, covered.length);
      const sum = (pick: (item: (typeof given)[number]) => number) =>
        covered.reduce((total, item) => total + pick(item), 0);
      const pooled =
        covered.length === 0 ? 0 : (1000 * sum(({ crimes }) => crimes)) / sum((item) => item.residents);
      assert.equal(rates.pooledPerThousand, pooled);
      const all = covered.map(({ crimes, residents: people }) => (1000 * crimes) / people);
      for (const rate of all) {
        const places = all
          .toSorted((a, b) => a - b)
          .flatMap((other, place) => (other === rate ? [place] : []));
        const middle = places.reduce((total, place) => total + place, 0) / places.length;
        const expected = all.length === 1 ? 0.5 : middle / (all.length - 1);
        assert.ok(Math.abs(rates.rankOf(rate) - expected) < 1e-12);
      }
    }),
    { numRuns: 200 },
  );
});

test('the lowest rate is 0, the highest 1, and one beyond them stays there', () => {
  const areas = build([1, 2, 3]);
  const forces = new Map([0, 1, 2].map((index) => [codeOf(index), force]));
  const residents = [...forces.keys()].map((code) => [code, 1_000] as const);
  const rates = new CrimeRates(areas, forces, 'some', residents);
  assert.deepEqual(
    [0.5, 1, 2, 3, 9].map((rate) => rates.rankOf(rate)),
    [0, 0, 0.5, 1, 1],
  );
});

test('crime in areas that no postcode lies in counts as without an area, where all areas are known', () => {
  const areas = build([80, 80]);
  const forces = new Map([0, 1].map((index) => [codeOf(index), force]));
  const residents = [...forces.keys()].map((code) => [code, 1_000] as const);
  assert.equal(new CrimeRates(areas, forces, 'some', residents).yearOf(force).kind, 'covered');
  // The crime far off is most of what the force reported.
  const whole = new CrimeRates(areas, forces, 'all', residents);
  assert.equal(whole.yearOf(force).kind, 'too-many-unplaced');
  assert.equal(whole.size, 0);
});
