// What must add up in every answer of /crime/by-postcode: at random places of the fictional town, and of the real
// archives.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Outcome } from '../../src/contract/endpoint.ts';
import { crimeByPostcode } from '../../src/endpoints/crime-by-postcode.ts';
import type { Release } from '../../src/release/reader.ts';
import { openCrimes } from '../../src/tables/crime/crimes.ts';
import { openPostcodes } from '../../src/tables/postcodes/postcodes.ts';
import { crimeCategories } from '../../src/uk/police.ts';
import { openHomeWith, openTestHome } from '../ingest/home.ts';
import { realFile, testWith } from '../requirements.ts';
import { type MadePostcode, madeDirectory } from './made-postcodes.ts';

const root = path.join(import.meta.dirname, '../..');
const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0);

async function ask(release: Release, query: string, form: 'json' | 'csv'): Promise<Outcome> {
  const prepared = crimeByPostcode.prepare(new URLSearchParams(query));
  assert.ok(prepared.kind === 'prepared', query);
  return prepared.run({ release, today: 20_772 }, form);
}

type Category = { category: string; count: number; percentage: number; outcomes: Record<string, number> };
type Crimes = {
  readonly referenceMonth: string;
  readonly monthlyTotals: Readonly<Record<string, number>>;
  readonly crimeCategories: readonly Category[];
  readonly totalCrimes: number;
  readonly pointsTotal: number;
  readonly points: readonly {
    readonly count: number;
    readonly byMonth: Readonly<Record<string, Readonly<Record<string, number>>>>;
  }[];
};

function assertAddsUp(json: string, months: number): void {
  const data = JSON.parse(json);
  const categories: Category[] = data.crimeCategories;
  const reference: number = data.monthlyTotals[data.referenceMonth];
  const asked = Object.keys(data.monthlyTotals);
  assert.ok(asked.length >= 1 && asked.length <= months);
  assert.equal(asked.at(-1), data.referenceMonth);
  assert.deepEqual(asked, asked.toSorted());
  assert.equal(data.totalCrimes, sum(Object.values(data.monthlyTotals)));
  assert.equal(sum(categories.map(({ count }) => count)), reference);
  assert.equal(data.rawCrimes.length, reference);
  assertPointsAddUp(data);
  // Each is rounded to a tenth, so that it is wrong by half a tenth at most.
  const percent = sum(categories.map(({ percentage }) => percentage));
  assert.ok(categories.length === 0 || Math.abs(percent - 100) <= 0.05 * categories.length + 1e-9);
  for (const { count, percentage, outcomes } of categories) {
    assert.ok(Math.abs(percentage - (100 * count) / reference) <= 0.05 + 1e-9);
    assert.ok(count > 0 && sum(Object.values(outcomes)) <= count);
  }
}

/** Months, categories and the whole: each is what its points have together. */
function assertPointsAddUp(data: Crimes): void {
  assert.equal(data.points.length, data.pointsTotal, 'all of them on one page');
  assert.equal(sum(data.points.map(({ count }) => count)), data.totalCrimes);
  for (const { count, byMonth } of data.points) {
    assert.deepEqual(Object.keys(byMonth), Object.keys(byMonth).toSorted());
    assert.equal(sum(Object.values(byMonth).flatMap((counts) => Object.values(counts))), count);
  }
  const ofMonth = (month: string) => data.points.map(({ byMonth }) => byMonth[month] ?? {});
  for (const [month, total] of Object.entries(data.monthlyTotals))
    assert.equal(sum(ofMonth(month).flatMap((counts) => Object.values(counts))), total);
  for (const { category, count } of data.crimeCategories)
    assert.equal(sum(ofMonth(data.referenceMonth).map((counts) => counts[category] ?? 0)), count);
  for (const [at, { count }] of data.points.entries())
    assert.ok(at === 0 || (data.points[at - 1]?.count ?? 0) >= count, 'most crimes first');
}

/** Every outcome that is counted is in the table; one whose month is not known is null in the JSON. */
function assertOutcomesAgree(json: string, csv: string): void {
  const data = JSON.parse(json);
  const counted = data.crimeCategories.flatMap(({ outcomes }: Category) => Object.values(outcomes));
  const [, ...lines] = csv.trimEnd().split('\r\n');
  // No label and no month has a comma.
  const ends = lines.map((line) => line.split(',').slice(-2));
  assert.equal(ends.filter(([label]) => label !== '').length, sum(counted));
  const dated = ends.filter(([, date]) => date !== '');
  const told = data.rawCrimes.flatMap(
    (crime: { outcome_status: object | null }) => crime.outcome_status ?? [],
  );
  assert.deepEqual(
    told,
    dated.map(([category, date]) => ({ category, date })),
  );
  for (const [, date] of dated) assert.match(date ?? '', /^\d{4}-\d{2}$/);
}

/** Returns how many of the questions had an answer; the others had no data, which is an answer too. */
async function assertAllAddUp(
  release: Release,
  postcodes: readonly string[],
  numRuns: number,
): Promise<number> {
  let answered = 0;
  const slugs = crimeCategories.map(({ slug }) => slug);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...postcodes),
      fc.integer({ min: 1, max: 24 }),
      fc.oneof(fc.constant(undefined), fc.integer({ min: 100, max: 2_000 })),
      fc.option(fc.constantFrom(...slugs), { nil: undefined, freq: 3 }),
      async (postcode, months, radius, category) => {
        const query = new URLSearchParams({
          postcode,
          months: String(months),
          ...(radius === undefined ? {} : { radius: String(radius) }),
          ...(category === undefined ? {} : { category }),
          includeRaw: 'true',
          points: 'true',
        });
        const outcome = await ask(release, String(query), 'json');
        if (outcome.kind === 'refused') {
          assert.equal(outcome.code, 'NO_CRIME_DATA');
          return;
        }
        assert.ok(outcome.kind === 'answered');
        assertAddsUp(outcome.json, months);
        query.delete('includeRaw');
        query.delete('points');
        const table = await ask(release, String(query), 'csv');
        assert.ok(table.kind === 'tabulated');
        assert.equal(table.csv.split('\r\n').length - 2, JSON.parse(outcome.json).rawCrimes.length);
        assertOutcomesAgree(outcome.json, table.csv);
        answered += 1;
      },
    ),
    { numRuns },
  );
  return answered;
}

test('at random places of the town: categories, raw crimes, table and points are the totals, percentages are 100', async () => {
  const home = openTestHome();
  try {
    const names = ['postcodes.csv', 'police.zip', 'police-force-names.csv'];
    const { release } = await home.ingest(names.map((name) => path.join(root, 'data/sandbox', name)));
    const postcodes = [...openPostcodes(release).inArea('ZZ')]
      .filter(({ terminated }) => terminated === null)
      .map(({ postcode }) => postcode);
    assert.ok((await assertAllAddUp(release, postcodes, 150)) > 50);
  } finally {
    home.remove();
  }
});

/** Made-up postcodes at points of the archive, wherever they lie: Dyfed-Powys, Cambridgeshire or Leicestershire for the most. */
function postcodesAtPoints(archive: Release): readonly MadePostcode[] {
  const crimes = openCrimes(archive);
  return Array.from({ length: 400 }, (_, index) => {
    const point = crimes.pointAt(Math.floor((index * crimes.pointCount) / 400));
    const [latitude, longitude] = [point.latitudeMicro / 1e6, point.longitudeMicro / 1e6];
    const incode = `${Math.floor(index / 20) % 10}${'ABDEFGHJLN'.charAt(index % 10)}${'AB'.charAt(Math.floor(index / 10) % 2)}`;
    return {
      postcode: `ZZ${1 + Math.floor(index / 200)} ${incode}`,
      country: latitude > 54 && longitude < -5.4 ? 'northernIreland' : 'england',
      point: [latitude, longitude],
      policeArea: longitude < -3 ? 'W15000004' : longitude > -0.65 ? 'E23000023' : 'E23000021',
    };
  });
}

for (const name of ['2019-10.zip', '2024-12.zip']) {
  const requirement = realFile(`data/police/${name}`);
  testWith(
    requirement,
    `at random places of the real archive ${name} everything adds up`,
    async (archive, t) => {
      const home = await openHomeWith(archive);
      try {
        const made = postcodesAtPoints(home.store.openCurrent());
        const { release } = await home.ingest([home.put('ONSPD_NOV_2025_UK.csv', madeDirectory(made))]);
        const postcodes = made.map(({ postcode }) => postcode);
        const answered = await assertAllAddUp(release, postcodes, 200);
        t.diagnostic(`${answered} of 200 questions had an answer`);
        assert.ok(answered > 60, `only ${answered}`);
      } finally {
        home.remove();
      }
    },
  );
}
