// Medians by local authority from the workbooks of HMRC and ONS: by their headers, never a mean, never a guess.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { makeZip } from '../../../scripts/make-zip.ts';
import { openIncome } from '../../../src/tables/census/income.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';
import { book, type Row } from '../council-tax/books.ts';
import { ashe } from './ashe.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const find = (code: string) => openIncome(home.store.openCurrent()).find(code);

const hmrcHeader = [
  'Area Code',
  'Area Name',
  'Self-employment income: Number of individuals',
  'Self-employment income: Mean',
  'Self-employment income: Median',
  'Total income: Number of individuals',
  'Total income: Mean',
  'Total income: Median',
  'Total tax: Median',
];
const hmrcTitle =
  'Table 3.14: Income and tax by borough and district or unitary authority, tax year 2022 to 2023 [note 1]';
const hmrcRows: readonly Row[] = [
  ['K02000001', 'United Kingdom', 5, 14_700, 5_300, 34_700, 41_200, 28_400, 2_900],
  ['E12000007', 'London', 5, 20_000, 5_300, 4_700, 61_200, 34_400, 4_900],
  ['E06000001', 'Hartlepool', 3, 14_700, 5_300, 35, 31_000, 25_300, 2_200],
  ['E08000016', 'Barnsley', 3, 14_700, 5_300, 105, 31_500, 26_000, 2_300],
  ['E09000001', 'City of London', 3, '[x]', '[x]', 8, '[x]', '[x]', '[x]'],
  ['S12000036', 'City of Edinburgh', 3, 14_700, 5_300, 250, 46_000, 30_700, 3_700],
];
/** Sheet and header as in the ODS of HMRC; the header stands on row 5. */
const hmrc = (rows = hmrcRows, title = hmrcTitle, header: Row = hmrcHeader) => ({
  Contents: [['Personal Incomes: tables 3.12 to 3.15']],
  Table_3_14: [
    [title],
    ['This worksheet contains one table.'],
    ['Amounts are in £.'],
    ['Taxpayers only'],
    header,
    ...rows,
  ],
});
const constituencies = {
  Table_3_15: [
    ['Table 3.15: Income and tax by Parliamentary constituency, tax year 2022 to 2023'],
    ['This worksheet contains one table.'],
    ['Amounts are in £.'],
    [],
    ['Area Code', 'Parliamentary Constituency', 'Total income: Mean', 'Total income: Median'],
    ['E14000530', 'Aldershot', 40_000, 29_000],
  ] satisfies readonly Row[],
};

const put = (name: string, sheets: Record<string, readonly Row[]>, type: 'ods' | 'xlsx' = 'xlsx') =>
  home.put(name, book(sheets, type));

test('HMRC: the median of total income of every authority, with what it is and its tax year', async () => {
  const { sources } = await home.ingest([put('t314.ods', hmrc(), 'ods')]);
  assert.deepEqual(find('E06000001'), {
    medianPounds: 25_300,
    what: 'median total income of taxpayers before tax',
    source:
      'Personal incomes by local authority, table 3.14 (HM Revenue & Customs, Survey of Personal Incomes)',
    period: '2022-23',
  });
  assert.equal(find('S12000036')?.medianPounds, 30_700);
  assert.equal(find('E09000001'), undefined);
  assert.equal(find('E12000007'), undefined);
  assert.deepEqual(
    sources[0]?.rejected.map(({ reason, count }) => [reason, count]),
    [
      ['region, county or country', 2],
      ['no median published', 1],
    ],
  );
  const dataset = home.store.openCurrent().findDataset('income');
  assert.deepEqual([dataset?.edition, dataset?.asOf], ['Personal incomes 2022-23', '2023-04-05']);
});

test('a recoded authority is found under both of its codes', async () => {
  await home.ingest([put('t314.ods', hmrc(), 'ods')]);
  assert.deepEqual([find('E08000016')?.medianPounds, find('E08000038')?.medianPounds], [26_000, 26_000]);
});

test('ONS: the median of all employees by residence, from the archive of all tables', async () => {
  const zip = makeZip({
    'PROV - Home Geography Table 8.1a   Weekly pay - Gross 2025.xlsx': book(
      ashe(2025, 600, 'Table 8.1a'),
      'xlsx',
    ),
    'PROV - Home Geography Table 8.7a   Annual pay - Gross 2025.xlsx': book(ashe(2025, 27_150), 'xlsx'),
    'PROV - Home Geography Table 8.7b   Annual pay - Gross 2025 CV.xlsx': book(
      ashe(2025, 5, 'Table 8.7b'),
      'xlsx',
    ),
  });
  const { skipped } = await home.ingest([home.put('ashetable8.zip', zip)]);
  assert.deepEqual(find('E06000001'), {
    medianPounds: 27_150,
    what: 'median gross annual pay of employee jobs, by where the employee lives',
    source: 'Annual Survey of Hours and Earnings, table 8.7a (Office for National Statistics)',
    period: '2024-25',
  });
  assert.equal(find('E09000033')?.medianPounds, 47_300.5);
  assert.equal(find('E09000001'), undefined);
  assert.equal(skipped.length, 2);
});

test('both stand together: taxpayers first, pay where taxpayers have none; on another day too', async () => {
  await home.ingest([put('ashe.xlsx', ashe(2025, 27_150))]);
  await home.ingest([put('t314.ods', hmrc(), 'ods')]);
  assert.equal(find('E06000001')?.medianPounds, 25_300);
  assert.equal(find('E09000033')?.medianPounds, 47_300.5);
  assert.equal(
    home.store.openCurrent().findDataset('income')?.edition,
    'Personal incomes 2022-23; Hours and earnings 2024-25',
  );
});

test('only the publishers of what is loaded are named, and of two publications the older one tells the day', async () => {
  const told = () => {
    const { publisher, publisherShort, asOf } =
      home.store.openCurrent().findDataset('income') ?? assert.fail();
    return [publisher, publisherShort, asOf];
  };
  await home.ingest([put('ashe.xlsx', ashe(2025, 27_150))]);
  assert.deepEqual(told(), ['Office for National Statistics', 'ONS', '2025-04-05']);
  await home.ingest([put('t314.ods', hmrc(), 'ods')]);
  assert.deepEqual(told(), [
    'HM Revenue & Customs; Office for National Statistics',
    'HMRC, ONS',
    '2023-04-05',
  ]);
  home.remove();
  home = openTestHome();
  await home.ingest([put('t314.ods', hmrc(), 'ods')]);
  assert.deepEqual(told(), ['HM Revenue & Customs', 'HMRC', '2023-04-05']);
});

test('a newer year takes the place of an older one, never the other way round', async () => {
  await home.ingest([put('a.xlsx', ashe(2024, 26_000))]);
  await home.ingest([put('b.xlsx', ashe(2025, 27_150))]);
  assert.deepEqual([find('E06000001')?.medianPounds, find('E06000001')?.period], [27_150, '2024-25']);
  const { sources } = await home.ingest([put('a.xlsx', ashe(2024, 26_000))]);
  assert.deepEqual([find('E06000001')?.medianPounds, find('E06000001')?.period], [27_150, '2024-25']);
  assert.ok(sources[0]?.rejected.some(({ reason }) => reason === 'older than the loaded median'));
});

test('a workbook that leaves the median in doubt is refused', async () => {
  const rejects = (sheets: Record<string, readonly Row[]>, expected: RegExp) =>
    assert.rejects(home.ingest([put('wrong.xlsx', sheets)]), expected);
  const renamed = hmrcHeader.map((name) => (name === 'Total income: Mean' ? 'Total income: Median' : name));
  await rejects(hmrc(hmrcRows, hmrcTitle, renamed), /has no row with one column of codes and one of medians/);
  await rejects(
    hmrc(hmrcRows, 'Income and tax by borough'),
    /does not say above its header which single year/,
  );
  await rejects(
    hmrc([['E06000001', 'Hartlepool', 3, 1, 1, 35, 31, 25.3, 2]]),
    /expected pounds a year from 5,000/,
  );
  await rejects(
    hmrc([['E10000001', 'Somewhere', 3, 1, 1, 35, 31_000, 25_300, 2]]),
    /holds no median of a local/,
  );
  await rejects(constituencies, /has 0 sheets .* by borough and district among "Table_3_15"/);
  await rejects(
    {
      Mean: [
        ['Area Code', 'Total income: Mean'],
        ['E06000001', 31_000],
      ],
    },
    /not recognised/,
  );
  assert.equal(home.store.currentId(), undefined);
});

test('in a workbook of several tables the one of authorities is read', async () => {
  await home.ingest([put('all.ods', { ...hmrc(), ...constituencies }, 'ods')]);
  assert.equal(find('E06000001')?.medianPounds, 25_300);
});

test('a release without incomes finds none', async () => {
  await home.ingest([home.put('names.csv', 'LAD25CD,LAD25NM\nE09000001,City of London\n')]);
  assert.equal(find('E09000001'), undefined);
});
