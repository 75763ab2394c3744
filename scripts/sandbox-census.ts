// Makes the fictional town's census and incomes in the official layouts: Nomis tables of LSOAs, tables of Scotland's
// Census by output area with their look-up, and HMRC's table 3.14. The same figures at every run.

import { readFileSync, writeFileSync } from 'node:fs';
import { utils, write } from '@e965/xlsx';
import { firstRows } from '../src/ingest/read/csv.ts';
import { outOfRange } from '../src/out-of-range.ts';
import { randomFrom } from './random.ts';

const folder = new URL('../data/sandbox/', import.meta.url);
const put = (name: string, content: string | Uint8Array) => writeFileSync(new URL(name, folder), content);
const [postcodeHeader = [], ...postcodes] = firstRows(
  readFileSync(new URL('postcodes.csv', folder)),
  Number.POSITIVE_INFINITY,
  'utf-8',
);
const [, ...lsoas] = firstRows(
  readFileSync(new URL('lsoa-names.csv', folder)),
  Number.POSITIVE_INFINITY,
  'utf-8',
);

const random = randomFrom(20_210_321);
const between = (low: number, high: number) => Math.floor(low + random() * (high - low));
/** `total` split by weights, give or take. */
const split = (total: number, weights: readonly number[]) => {
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => Math.round((total * weight * (0.85 + 0.3 * random())) / sum));
};
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

const sizeWeights = [30, 34, 16, 13, 4, 2, 1, 0.5];
/** One year each, 0 to 100 and over. */
const yearWeights = Array.from({ length: 101 }, (_, age) =>
  age < 60 ? 10 : Math.max(0.05, 10 - (age - 60) / 4),
);
const bandOf = (age: number) => Math.min(17, Math.floor(age / 5));

function makeArea(people: number) {
  const years = split(people, yearWeights);
  const communal = between(0, 3) * between(0, 12);
  const population = sum(years);
  const sizes = split(Math.round((population - communal) / 2.3), sizeWeights);
  const adults = sum(years.slice(16));
  const employed = Math.round(adults * (0.5 + 0.15 * random()));
  const students = Math.round(employed * 0.04);
  const bands = Array.from({ length: 18 }, (_, band) => sum(years.filter((_, age) => bandOf(age) === band)));
  return { years, bands, population, communal, sizes, homes: sum(sizes), adults, employed, students };
}

type NomisRow = { readonly code: string; readonly name: string; readonly area: ReturnType<typeof makeArea> };
const rows: readonly NomisRow[] = lsoas
  .map(([code = '', name = '']) => ({ code, name }))
  .filter(({ code }) => /^[EW]/.test(code))
  .map(({ code, name }) => ({ code, name, area: makeArea(between(1_100, 2_000)) }));

function nomis(
  table: string,
  columns: readonly string[],
  suffix: '' | '; measures: Value',
  valuesOf: (row: NomisRow) => readonly number[],
  given = rows,
): void {
  const quote = (text: string) => `"${text}"`;
  const header = ['date', 'geography', 'geography code', ...columns.map((column) => `${column}${suffix}`)];
  const lines = given.map((row) =>
    [quote('2021'), quote(row.name), quote(row.code), ...valuesOf(row)].join(','),
  );
  put(`census2021-${table}-lsoa.csv`, `${[header.map(quote).join(','), ...lines].join('\n')}\n`);
}

const value = '; measures: Value';
const residence = 'Residence type:';
nomis(
  'ts001',
  [
    `${residence} Total`,
    `${residence} Lives in a household`,
    `${residence} Lives in a communal establishment`,
  ],
  value,
  ({ area }) => [area.population, area.population - area.communal, area.communal],
);
nomis('ts006', ['Population Density: Persons per square kilometre'], value, ({ area }) => [
  Math.round((area.population / (0.2 + 0.4 * random())) * 10) / 10,
]);
nomis(
  'ts007a',
  [
    'Age: Total',
    'Age: Aged 4 years and under',
    ...Array.from({ length: 16 }, (_, at) => `Age: Aged ${5 * at + 5} to ${5 * at + 9} years`),
    'Age: Aged 85 years and over',
  ],
  '',
  ({ area }) => [area.population, ...area.bands],
);
nomis(
  'ts017',
  [
    'Total: All household spaces',
    '0 people in household',
    '1 person in household',
    ...Array.from({ length: 6 }, (_, at) => `${at + 2} people in household`),
    '8 or more people in household',
  ].map((name) => `Household size: ${name}`),
  value,
  ({ area }) => [area.homes, 0, ...area.sizes],
);
nomis('ts041', ['Number of households: Number of households'], value, ({ area }) => [area.homes]);
const status = 'Economic activity status:';
nomis(
  'ts066',
  [
    `${status} Total: All usual residents aged 16 years and over`,
    `${status} Economically active (excluding full-time students)`,
    `${status} Economically active (excluding full-time students):In employment`,
    `${status} Economically active (excluding full-time students): Unemployed`,
    `${status} Economically active and a full-time student`,
    `${status} Economically active and a full-time student:In employment`,
    `${status} Economically active and a full-time student: Unemployed`,
    `${status} Economically inactive`,
  ],
  '',
  ({ area: { adults, employed, students } }) => {
    const unemployed = Math.round(employed * 0.03);
    return [
      adults,
      employed - students + unemployed,
      employed - students,
      unemployed,
      students + 2,
      students,
      2,
      adults - employed - unemployed - 2,
    ];
  },
  // One area is left out, so that a test key sees a figure that is not there.
  rows.filter(({ code }) => code !== 'W01999002'),
);

const cellOf = (row: readonly string[], column: string) => row[postcodeHeader.indexOf(column)] ?? '';
const scottish = new Map(
  postcodes
    .map((row): [string, string] => [cellOf(row, 'oa21cd'), cellOf(row, 'lsoa21cd')])
    .filter(([code, zone]) => /^S00(?!9{6})/.test(code) && zone.startsWith('S01')),
);
put(
  'scotland-oa22-dz22-iz22.csv',
  `OA22,DZ22,IZ22\n${[...scottish].map(([code, zone]) => `${code},${zone},${zone.replace('S01', 'S02').slice(0, 8)}1`).join('\n')}\n`,
);
const outputAreas = [...scottish.keys()].sort().map((code) => ({ code, area: makeArea(between(90, 260)) }));
type OutputRow = (typeof outputAreas)[number];

function scotland(
  title: string,
  header: readonly string[][],
  valuesOf: (row: OutputRow) => readonly number[],
) {
  const width = Math.max(...header.map((row) => row.length));
  const pad = (cells: readonly string[]) => [...cells, ...new Array<string>(width - cells.length).fill('')];
  const quote = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [
    [title],
    ["Scotland's Census 2022 - made up for a fictional town"],
    ['All people; output areas'],
    ...header.map((row) => pad(row)),
    ...outputAreas.map((row) => [
      row.code,
      ...valuesOf(row).map((count) => (count === 0 ? '-' : String(count))),
    ]),
    [],
    ['Source: made up. In the official tables: National Records of Scotland'],
    ['"-" means zero'],
  ];
  const [name = ''] = title.split(' ', 1);
  put(
    `scotland-${name.toLowerCase()}.csv`,
    `\ufeff${lines.map((line) => line.map(quote).join(',')).join('\r\n')}\r\n`,
  );
}

const groups = [
  [0, 16],
  [16, 25],
  [25, 35],
  [35, 50],
  [50, 65],
  [65, 101],
] as const;
const byGroup = (years: readonly number[]) => groups.map(([from, to]) => sum(years.slice(from, to)));
const ofHalf = (years: readonly number[], share: number) => years.map((count) => Math.round(count * share));
const ageHeads = ['Total', '0 - 15', '16 - 24', '25 - 34', '35 - 49', '50 - 64', '65 and over'];
const blank = new Array<string>(6).fill('');
scotland(
  'UV101b - Usual resident population by sex by age (6)',
  [
    ['', 'All people', ...blank, 'Female', ...blank, 'Male', ...blank],
    ['Output Area 2022', ...ageHeads, ...ageHeads, ...ageHeads],
  ],
  ({ area: { years } }) => {
    const women = ofHalf(years, 0.52);
    const men = years.map((count, age) => count - (women[age] ?? outOfRange()));
    return [years, women, men].flatMap((counts) => [sum(counts), ...byGroup(counts)]);
  },
);
scotland(
  'UV103 - Age by single year',
  [
    [
      'Output Area 2022',
      'All people',
      'Under 1',
      ...Array.from({ length: 99 }, (_, at) => String(at + 1)),
      '100 and over',
    ],
  ],
  ({ area: { population, years } }) => [population, ...years],
);
scotland(
  'UV406 - Household size',
  [
    [
      'Output Area 2022',
      'All occupied household spaces',
      ...['One person', ...['Two', 'Three', 'Four', 'Five', 'Six', 'Seven'].map((word) => `${word} people`)],
      'Eight or more people',
    ],
  ],
  ({ area: { homes, sizes } }) => [homes, ...sizes],
);
const excluding = 'Economically Active (excluding full-time students)';
const studying = 'Economically Active full-time students';
scotland(
  'UV601 - Economic activity',
  [
    [
      'Output Area 2022',
      'All people aged 16 and over',
      `${excluding} - Total`,
      `${excluding} - Employee - Part-time`,
      `${excluding} - Employee - Full-time`,
      `${excluding} - Unemployed - Available for work`,
      `${studying} - Total`,
      `${studying} - Employee - Part-time`,
      `${studying} - Unemployed - Available for work`,
      'Economically inactive - Total',
    ],
  ],
  ({ area: { adults, employed, students } }) => {
    const workers = employed - students;
    const unemployed = Math.round(workers * 0.04);
    const partTime = Math.round(workers * 0.25);
    return [
      adults,
      workers + unemployed,
      partTime,
      workers - partTime,
      unemployed,
      students + 1,
      students,
      1,
      adults - workers - unemployed - students - 1,
    ];
  },
);

const medians = [
  ['E92000001', 'England', 30_100, 41_800, 27_900],
  ['E06000999', 'Zedbury', 12, 37_300, 28_450],
  ['W92000004', 'Wales', 1_510, 33_900, 26_300],
  ['W06000999', 'Zedborth', 4, 31_150, 25_900],
  ['S12000999', 'Zedhaven', 3, '[x]', '[x]'],
];
const sheet = utils.aoa_to_sheet([
  ['Table 3.14: Income and tax by borough and district or unitary authority, tax year 2022 to 2023'],
  ['Made up for a fictional town. This worksheet contains one table.'],
  ['Numbers of individuals are in thousands, amounts in £.'],
  ['Taxpayers only.'],
  [
    'Area Code',
    'Area Name',
    'Total income: Number of individuals',
    'Total income: Mean',
    'Total income: Median',
  ],
  ...medians,
]);
const book = utils.book_new();
utils.book_append_sheet(book, utils.aoa_to_sheet([['Made up for the sandbox.']]), 'Cover');
utils.book_append_sheet(book, sheet, 'Table_3_14');
const bytes: unknown = write(book, { type: 'buffer', bookType: 'ods', compression: true });
if (bytes instanceof Uint8Array) put('personal-incomes.ods', bytes);
