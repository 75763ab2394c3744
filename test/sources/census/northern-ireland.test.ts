// Northern Ireland's table builder: long tables told by their labels, and refused where labels do not say enough.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { openCensus } from '../../../src/tables/census/census.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';
import { nisraCsv } from './files.ts';
import { activity, ages, one, sizes, two, years } from './nisra-tables.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const find = (code: string) => openCensus(home.store.openCurrent()).find(code);

test('people by age, households by size and people by activity give every figure but density', async () => {
  await home.ingest([
    home.put('a.csv', ages),
    home.put('b.csv', `\ufeff${sizes}`),
    home.put('c.csv', activity),
  ]);
  assert.deepEqual(find(one), {
    code: one,
    dataset: 'census-northern-ireland',
    population: 50,
    populationDensity: null,
    // 5 of the 30 people aged 40 make the half.
    medianAge: 40.2,
    households: 4,
    averageHouseholdSize: 4.5,
    employmentRate: 50,
  });
  assert.deepEqual([find(two)?.population, find(two)?.households], [5, null]);
});

test('other variables of a table are summed over, and tables stand together from day to day', async () => {
  const bySex = ['Female', 'Male'].flatMap((sex) =>
    years(one, { 20: 4 }).map(
      ([zone, age, label, count]) => `${zone},Zone,${age},"${label}",${sex},${sex},${count}`,
    ),
  );
  const header =
    'Census 2021 Data Zone Code,Census 2021 Data Zone Label,Age Code,Age Label,Sex Code,Sex Label,Count';
  await home.ingest([home.put('a.csv', [header, ...bySex].join('\n'))]);
  assert.equal(find(one)?.population, 8);
  await home.ingest([home.put('b.csv', sizes)]);
  assert.deepEqual([find(one)?.population, find(one)?.households], [8, 4]);
});

test('a zone with withheld categories is left out and counted', async () => {
  const text = nisraCsv('Age', [...years(one, { 10: 20 }), ...years(two, { 70: 5 })]);
  const blank = text.replace(/(N20000002,[^\n]*,5,"5",)0/, '$1');
  const { sources } = await home.ingest([home.put('a.csv', blank)]);
  assert.equal(find(two), undefined);
  assert.equal(find(one)?.population, 20);
  assert.deepEqual(sources[0]?.rejected, [
    { reason: 'data zone with withheld categories', count: 1, places: ['a.csv'] },
  ]);
  const short = text.replace(/N20000002,[^\n]*,5,"5",0\n/, '');
  await home.ingest([home.put('a.csv', short)]);
  assert.equal(find(two), undefined);
});

test('an average is not made of sizes with a small open end, though households are counted', async () => {
  const four = nisraCsv('Household Size - 4 Categories', [
    [one, 1, '1 person', 3],
    [one, 2, '2 people', 3],
    [one, 3, '3 people', 3],
    [one, 4, '4 or more people', 3],
  ]);
  await home.ingest([home.put('a.csv', four)]);
  assert.deepEqual([find(one)?.households, find(one)?.averageHouseholdSize], [12, null]);
});

test('what cannot be told from labels is refused: counts of nobody knows what, wide ages, students', async () => {
  const rejects = (text: string, expected: RegExp) =>
    assert.rejects(home.ingest([home.put('wrong.csv', text)]), expected);
  await rejects(
    'Census 2021 Data Zone Code,Census 2021 Data Zone Label,Count\nN20000001,Zone,10\n',
    /people and households look alike/,
  );
  await rejects(
    nisraCsv('Age - 3 Categories', [
      [one, 1, '0 to 15', 3],
      [one, 2, '16 to 64', 3],
      [one, 3, '65 and over', 3],
    ]),
    /bands of at most 5 years/,
  );
  await rejects(
    activity.replace('and a full-time student: In employment', 'and a full-time student'),
    /does not tell who is in employment among economically active and a full-time student/,
  );
  await rejects(activity.replace(',20\n', ',n/a\n'), /line 2 has "n\/a" as Count/);
});
