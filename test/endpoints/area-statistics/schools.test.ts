// The schools of an area: counts, ratings and the five best, by nation, at a border, and where data is not loaded.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { schools as shape } from '../../../src/endpoints/area-statistics/schools.ts';
import { openTestHome } from '../../ingest/home.ts';
import {
  answerOf,
  contactBook,
  contactRow,
  giasCsv,
  ofstedCsv,
  openSchoolDesk,
  sandbox,
  welshBook,
  welshRow,
} from '../../sources/schools/desk.ts';

const nothing = {
  averageRating: null,
  primary: null,
  secondary: null,
  ofstedOutstanding: null,
  topSchools: [],
  basis: [],
};

const good = {
  'Latest OEIF overall effectiveness': '2',
  'Inspection start date of latest OEIF graded inspection': '05/11/2019',
};
const outstanding = { ...good, 'Latest OEIF overall effectiveness': '1' };

test('the fictional town: old grades, report cards and ungraded outcomes on one scale', async (t) => {
  const desk = await openSchoolDesk(t);
  await desk.ingest([sandbox('gias.csv'), sandbox('ofsted.csv')]);
  const { topSchools, basis, ...figures } = desk.answer('ZZ1 1AA');
  // Tiers 4 3 2 4 3 2 4 1 1 of nine rated schools.
  assert.deepEqual(figures, { averageRating: 2.7, primary: 8, secondary: 6, ofstedOutstanding: 2 });
  assert.deepEqual(
    topSchools.map(({ urn, rating, framework, inspectionDate, distanceKm }) =>
      [urn, rating, framework, inspectionDate, distanceKm].join(' | '),
    ),
    [
      '999001 | Outstanding | OEIF | 2020-03-12 | 0.32',
      '999007 | School remains Outstanding | Ungraded inspection | 2023-06-20 | 0.57',
      '999004 | Exceptional 1, Strong standard 3, Expected standard 3; safeguarding met | Report card | 2026-03-17 | 0.99',
      '999002 | Good | OEIF | 2019-10-08 | 0.79',
      '999005 | Good (predecessor school) | OEIF | 2019-11-05 | 1.76',
    ],
  );
  assert.deepEqual(
    basis.map(({ fields, period, radiusMetres }) => [fields.join(), period, radiusMetres]),
    [
      ['primary', '2026-08-26', 1600],
      ['secondary,topSchools', '2026-08-26', 3200],
      ['averageRating,ofstedOutstanding,topSchools', '2026-06-16', 3200],
    ],
  );
  assert.match(basis[2]?.source ?? '', /; 9 of the 12 schools counted have a tier$/);
  assert.equal(JSON.parse(shape.write(desk.answer('ZZ1 1AA'))).primary, 8);
});

test('a primary school counts within 1.6 km, a secondary one within 3.2 km, an all-through school in each by its radius', async (t) => {
  const desk = await openSchoolDesk(t);
  const at = (URN: string, phase: string, eastMetres: number) => ({
    URN,
    'PhaseOfEducation (name)': phase,
    Easting: String(590000 + eastMetres),
    Northing: '480000',
  });
  await desk.ingest([
    desk.put(
      'gias.csv',
      giasCsv([
        at('999101', 'Primary', 1590),
        at('999102', 'Primary', 1610),
        at('999103', 'Secondary', 3180),
        at('999104', 'Secondary', 3220),
        at('999105', 'All-through', 1000),
        at('999106', 'All-through', -2000),
      ]),
    ),
  ]);
  const { primary, secondary, topSchools } = desk.answer('ZZ1 1AA');
  assert.deepEqual([primary, secondary], [2, 3]);
  assert.deepEqual(
    topSchools.map(({ urn }) => urn),
    ['999105', '999101', '999106', '999103'],
  );
});

test('where no school is rated the average is null; where none is outstanding the count is 0', async (t) => {
  const desk = await openSchoolDesk(t);
  await desk.ingest([
    desk.put('gias.csv', giasCsv([{}])),
    desk.put('o.csv', ofstedCsv([{ URN: '999909', ...good }])),
  ]);
  const { averageRating, ofstedOutstanding, primary, topSchools } = desk.answer('ZZ1 1AA');
  assert.deepEqual([averageRating, ofstedOutstanding, primary], [null, 0, 1]);
  assert.deepEqual(topSchools[0], {
    name: 'A School',
    urn: '999101',
    phase: 'Primary',
    rating: null,
    framework: null,
    inspectionDate: null,
    distanceKm: 0.14,
  });
});

test('the best come by tier, then by distance, unrated ones last, five at most; the average counts each school once', async (t) => {
  const desk = await openSchoolDesk(t);
  const rows = Array.from({ length: 7 }, (_, index) => ({
    URN: String(999101 + index),
    Easting: String(590000 + 100 * index),
    'PhaseOfEducation (name)': 'All-through',
  }));
  const graded = ['NULL', '3', '2', '1', '1', '2', 'NULL'].map((grade, index) => ({
    URN: String(999101 + index),
    'Latest OEIF overall effectiveness': grade,
    'Inspection start date of latest OEIF graded inspection': '05/11/2019',
  }));
  await desk.ingest([desk.put('gias.csv', giasCsv(rows)), desk.put('o.csv', ofstedCsv(graded))]);
  const { averageRating, ofstedOutstanding, topSchools } = desk.answer('ZZ1 1AA');
  assert.deepEqual([averageRating, ofstedOutstanding], [3.2, 2]);
  assert.deepEqual(
    topSchools.map(({ urn }) => urn),
    ['999104', '999105', '999103', '999106', '999102'],
  );
});

test('what is not loaded is null, never 0', async (t) => {
  const desk = await openSchoolDesk(t);
  assert.deepEqual(desk.answer('ZZ1 1AA'), nothing);
  await desk.ingest([desk.put('o.csv', ofstedCsv([{ URN: '999101', ...good }]))]);
  assert.deepEqual(desk.answer('ZZ1 1AA'), nothing, 'ratings without schools');
  await desk.ingest([sandbox('gias.csv')]);
  assert.deepEqual(desk.answer('ZZ3 1AA'), nothing, 'the list of England says nothing of Wales');
  assert.deepEqual(desk.answer('ZZ4 1AA'), nothing, 'nor of Scotland');
  assert.deepEqual(desk.answer('ZZ2 9ZZ'), nothing, 'a postcode without a location');
});

test('where the list is loaded and has no school nearby, that is 0, with its source', async (t) => {
  const desk = await openSchoolDesk(t);
  await desk.ingest([desk.put('gias.csv', giasCsv([{ Easting: '530000', Northing: '181000' }]))]);
  const { basis, ...figures } = desk.answer('ZZ1 1AA');
  assert.deepEqual(figures, {
    averageRating: null,
    primary: 0,
    secondary: 0,
    ofstedOutstanding: null,
    topSchools: [],
  });
  assert.equal(basis[0]?.source, 'Get Information about Schools (GIAS), Department for Education');
});

test('a part of a list counts what it has, and knows no 0', async (t) => {
  const desk = await openSchoolDesk(t);
  const inPart = (postcode: string) => answerOf(desk.store.openCurrent(), postcode);
  await desk.ingest([desk.put('gias.csv', giasCsv([{ Easting: '530000', Northing: '181000' }]))]);
  assert.deepEqual(inPart('ZZ1 1AA'), nothing);
  await desk.ingest([
    desk.put('gias.csv', giasCsv([{}])),
    desk.put('o.csv', ofstedCsv([{ URN: '999101', ...good }])),
  ]);
  const { basis, topSchools, ...figures } = inPart('ZZ1 1AA');
  assert.deepEqual(figures, { averageRating: 3, primary: 1, secondary: null, ofstedOutstanding: null });
  assert.deepEqual(
    basis.map(({ fields }) => fields.join()),
    ['primary', 'topSchools', 'averageRating,topSchools'],
  );
});

test("without Ofsted's list there are counts and the nearest five, and no ratings", async (t) => {
  const desk = await openSchoolDesk(t);
  await desk.ingest([sandbox('gias.csv')]);
  const { topSchools, basis, ...figures } = desk.answer('ZZ1 1AA');
  assert.deepEqual(figures, { averageRating: null, primary: 8, secondary: 6, ofstedOutstanding: null });
  assert.deepEqual(
    topSchools.map(({ urn, rating }) => [urn, rating]),
    [
      ['999016', null],
      ['999001', null],
      ['999007', null],
      ['999003', null],
      ['999008', null],
    ],
  );
  assert.deepEqual(
    basis.map(({ fields }) => fields.join()),
    ['primary', 'secondary,topSchools'],
  );
});

const welsh = [
  welshRow(9992001, 'Ysgol Gynradd Zedborth', 'Primary', 'Infants & Juniors', 'ZZ3 1AA'),
  welshRow(9995001, 'Ysgol Bro Zed', 'Middle', 'Middle (ages 3-16)', 'ZZ3 1AF'),
];

test('Wales and Scotland: counts and the nearest five of their lists, without any rating', async (t) => {
  const desk = await openSchoolDesk(t);
  await desk.ingest([sandbox('ofsted.csv')]);
  await desk.ingest([
    desk.put('wales.ods', welshBook(welsh)),
    desk.put(
      'scotland.xlsx',
      contactBook([
        contactRow(5_900_001, 'Zedhaven Primary School', 'ZZ4 1AB', { primary: 'Yes' }),
        contactRow(5_900_002, 'Zedhaven High School', 'ZZ4 2AE', { secondary: 'Yes' }),
      ]),
    ),
  ]);
  const { basis, ...wales } = desk.answer('ZZ3 1AA');
  assert.deepEqual(wales, {
    averageRating: null,
    primary: 2,
    secondary: 1,
    ofstedOutstanding: null,
    topSchools: [
      {
        name: 'Ysgol Gynradd Zedborth',
        urn: null,
        phase: 'Primary',
        rating: null,
        framework: null,
        inspectionDate: null,
        distanceKm: 0,
      },
      {
        name: 'Ysgol Bro Zed',
        urn: null,
        phase: 'Middle',
        rating: null,
        framework: null,
        inspectionDate: null,
        distanceKm: 0.75,
      },
    ],
  });
  assert.deepEqual(
    [...new Set(basis.map(({ source }) => source))],
    ['Address list of schools, Welsh Government'],
  );
  const { primary, secondary, averageRating, ofstedOutstanding, topSchools } = desk.answer('ZZ4 1AA');
  assert.deepEqual([primary, secondary, averageRating, ofstedOutstanding], [1, 1, null, null]);
  assert.deepEqual(
    topSchools.map(({ name }) => name),
    ['Zedhaven Primary School', 'Zedhaven High School'],
  );
});

test('at a border the schools of both lists count, the average only those that Ofsted rates, and basis names both', async (t) => {
  const desk = await openSchoolDesk(t);
  const english = giasCsv([{ 'PhaseOfEducation (name)': 'All-through' }]);
  await desk.ingest([
    desk.put('gias.csv', english),
    desk.put('o.csv', ofstedCsv([{ URN: '999101', ...outstanding }])),
  ]);
  assert.deepEqual([desk.answer('ZZ1 1AA').secondary, desk.answer('ZZ3 1AA').secondary], [1, null]);
  await desk.ingest([desk.put('wales.ods', welshBook(welsh))]);
  const england = desk.answer('ZZ1 1AA');
  assert.deepEqual(
    [england.primary, england.secondary, england.averageRating, england.ofstedOutstanding],
    [1, 2, 4, 1],
  );
  assert.deepEqual(
    england.topSchools.map(({ name, rating }) => [name, rating]),
    [
      ['A School', 'Outstanding'],
      ['Ysgol Bro Zed', null],
    ],
  );
  assert.equal(new Set(england.basis.map(({ source }) => source.split(';')[0])).size, 3);
  const wales = desk.answer('ZZ3 1AA');
  assert.deepEqual(
    [wales.primary, wales.secondary, wales.averageRating, wales.ofstedOutstanding],
    [2, 2, null, null],
  );
  assert.deepEqual(
    wales.topSchools.map(({ name }) => name),
    ['Ysgol Gynradd Zedborth', 'Ysgol Bro Zed', 'A School'],
  );
});

test('without a list of schools the answer is null', async (t) => {
  const home = openTestHome();
  t.after(() => home.remove());
  const sample = (name: string) => path.join(import.meta.dirname, '../../../data/sample', name);
  await home.ingest([sample('postcodes-2025-10-17.csv')]);
  assert.deepEqual(answerOf(home.store.openCurrent(), 'EC2Y 8DN'), nothing);
});
