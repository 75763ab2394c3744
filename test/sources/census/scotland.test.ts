// Scotland's Census 2022: headers in several rows, "-" for zero, output areas summed to data zones.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { makeZip } from '../../../scripts/make-zip.ts';
import { openCensus } from '../../../src/tables/census/census.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';
import { scottishCsv } from './files.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const find = (code: string) => openCensus(home.store.openCurrent()).find(code);
const lookup = () =>
  home.put(
    'OA22_DZ22_IZ22.csv',
    'OA22,DZ22,IZ22\nS00135307,S01013482,S02001576\nS00135308,S01013482,S02001576\n',
  );

const heads = ['Total', '0 - 15', '16 and over'];
const uv101b = scottishCsv(
  'UV101b - Usual resident population by sex by age (6)',
  [
    ['', 'All people', '', '', 'Female', '', '', 'Male', '', ''],
    ['Output Area 2022', ...heads, ...heads, ...heads],
  ],
  {
    S00135307: [120, 20, 100, 60, 10, 50, 60, 10, 50],
    S00135308: ['1,030', '-', '1,030', 30, '-', 30, 1000, '-', 1000],
  },
);
const singleYears = ['Under 1', ...Array.from({ length: 99 }, (_, at) => String(at + 1)), '100 and over'];
const uv103 = scottishCsv('UV103 - Age by single year', [['', 'All people', ...singleYears]], {
  S00135307: [4, ...singleYears.map((_, age) => (age === 30 ? 4 : '-'))],
  S00135308: [4, ...singleYears.map((_, age) => (age === 50 ? 4 : '-'))],
});
const bands = [
  '0 - 4',
  ...Array.from({ length: 16 }, (_, at) => `${5 * at + 5} - ${5 * at + 9}`),
  '85 and over',
];
const uv102b = scottishCsv(
  'UV102b - Age (20) by sex',
  [
    ['', 'Female', ...bands.map(() => ''), 'Male', ...bands.map(() => '')],
    ['', 'Total', ...bands, 'Total', ...bands],
  ],
  {
    S00135307: [10, ...bands.map((_, at) => (at === 4 ? 10 : '-')), 0, ...bands.map(() => '-')],
    S00135308: [0, ...bands.map(() => '-'), 10, ...bands.map((_, at) => (at === 8 ? 10 : '-'))],
  },
);
const sizes = [
  'One person',
  'Two people',
  'Three people',
  'Four people',
  'Five people',
  'Six people',
  'Seven people',
  'Eight or more people',
];
const uv406 = scottishCsv('UV406 - Household size', [['', 'All occupied household spaces', ...sizes]], {
  S00135307: [10, 10, '-', '-', '-', '-', '-', '-', '-'],
  S00135308: [10, '-', 8, '-', '-', '-', '-', '-', 2],
});
const excluding = 'Economically Active (excluding full-time students)';
const students = 'Economically Active full-time students';
const unemployed = 'Unemployed - Available for work';
const uv601Header = [
  'All people aged 16 and over',
  `${excluding} - Total`,
  `${excluding} - Employee - Part-time`,
  `${excluding} - ${unemployed}`,
  `${students} - Total`,
  `${students} - ${unemployed}`,
  'Economically inactive - Total',
];
const uv601 = scottishCsv('UV601 - Economic activity', [['', ...uv601Header]], {
  S00135307: [100, 60, 20, 5, 6, 1, 34],
  S00135308: [50, 20, 10, '-', '-', '-', 30],
});

test('an archive of tables and the look-up give every figure of a data zone but density', async () => {
  const zip = home.put(
    'Census-2022-Output-Area-v1.zip',
    makeZip({
      'UV101b - Usual resident population by sex by age (6).csv': uv101b,
      'UV103 - Age by single year.csv': uv103,
      'UV406 - Household size.csv': uv406,
      'UV601 - Economic activity.csv': uv601,
      'UV205 - Religion.csv': scottishCsv('UV205 - Religion', [['', 'All people', 'None']], {
        S00135307: [1, 1],
      }),
    }),
  );
  const { skipped } = await home.ingest([zip, lookup()]);
  assert.deepEqual(find('S01013482'), {
    code: 'S01013482',
    dataset: 'census-scotland',
    population: 1150,
    populationDensity: null,
    medianAge: 31,
    households: 20,
    averageHouseholdSize: 2.1,
    // 60 + 6 − 5 − 1 and 20 of 150.
    employmentRate: 53.3,
  });
  assert.equal(skipped.length, 1);
  assert.equal(home.store.openCurrent().findDataset('census-scotland')?.asOf, '2022-03-20');
});

test('ages of both sexes are added where there are none of all people; single years win over them', async () => {
  await home.ingest([lookup(), home.put('bands.csv', uv102b)]);
  assert.equal(find('S01013482')?.medianAge, 25);
  await home.ingest([home.put('years.csv', uv103)]);
  assert.equal(find('S01013482')?.medianAge, 31);
  const { sources } = await home.ingest([home.put('bands.csv', uv102b)]);
  assert.equal(find('S01013482')?.medianAge, 31);
  assert.equal(sources[0]?.rejected[0]?.reason, 'ages in bands, where single years are loaded');
});

test('a header of several rows is read by column, cells that span columns written once or repeated', async () => {
  const repeated = uv101b.replace(
    ',All people,,,Female,,,Male,,',
    ',All people,All people,All people,Female,Female,Female,Male,Male,Male',
  );
  await home.ingest([lookup(), home.put('a.csv', repeated)]);
  assert.equal(find('S01013482')?.population, 1150);
  const split = scottishCsv(
    'Economic activity',
    [
      ['', 'Economic activity', '', '', '', '', ''],
      ['', 'All people aged 16 and over', excluding, '', '', students, ''],
      ['', 'Total', 'Total', 'Employee', 'Unemployed', 'Total', 'Unemployed'],
      ['', '', '', 'Part-time', 'Available for work', '', 'Available for work'],
    ],
    { S00135307: [100, 60, 20, 5, 6, 1], S00135308: [50, 20, 10, '-', '-', '-'] },
  );
  await home.ingest([home.put('b.csv', split.replace('Economic activity\r', 'UV601 - Economic activity\r'))]);
  assert.equal(find('S01013482')?.employmentRate, 53.3);
});

test('a table without its number in the title is told by its columns', async () => {
  await home.ingest([lookup(), home.put('a.csv', uv406.replace('UV406 - Household size', 'Household size'))]);
  assert.equal(find('S01013482')?.households, 20);
});

test('a missing or doubled column, a text for a number, and a missing look-up stop the load', async () => {
  const rejects = (text: string, expected: RegExp, withLookup: readonly string[] = [lookup()]) =>
    assert.rejects(home.ingest([home.put('wrong.csv', text), ...withLookup]), expected);
  await rejects(uv406.replace('Seven people', 'Seven persons'), /0 columns for seven people; expected one/);
  await rejects(uv406.replace('Seven people', 'Six people'), /2 columns for six people; expected one/);
  await rejects(uv103.replace('100 and over', '100'), /does not have every age once/);
  await rejects(
    uv601.replace(`${students} - Total`, 'Students'),
    /0 columns for economically active full-time/,
  );
  await rejects(
    uv406.replace('S00135307,10', 'S00135307,x'),
    /has "x" in column 2; expected a whole number or "-"/,
  );
  await rejects(uv406, /need the look-up to data zones/, []);
});
