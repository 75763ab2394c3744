// Loaders of council tax on small files in the official layouts: figures, joins, what is dropped, what is refused.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { openCouncilTax } from '../../../src/tables/council-tax/council-tax.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';
import {
  abolishedCsv,
  allBands,
  authoritiesCsv,
  bandD,
  book,
  localAuthorityLevel,
  type Row,
  scottishBands,
  statsWales,
  welshLevels,
} from './books.ts';

let home: TestHome;
async function openAuthoritiesHome(): Promise<void> {
  home = openTestHome();
  const note = JSON.stringify({ describes: 'authorities', asOf: '2026-04-01' });
  await home.ingest([
    home.put('list.csv', authoritiesCsv),
    home.put('gone.csv', abolishedCsv),
    home.put('note.json', note),
  ]);
}
beforeEach(openAuthoritiesHome);
afterEach(() => home.remove());

const load = (name: string, content: string | Uint8Array) => home.ingest([home.put(name, content)]);
const find = (code: string, taxYear: number) => openCouncilTax(home.store.openCurrent()).find(code, taxYear);
const rejects = ({ sources }: Awaited<ReturnType<typeof load>>) =>
  sources[0]?.rejected.map(({ reason, count }) => [reason, count]);
const csvOf = (rows: readonly Row[]) =>
  `${rows.map((row) => row.map((cell) => (typeof cell === 'string' ? `"${cell}"` : (cell ?? ''))).join(',')).join('\n')}\n`;

for (const kind of ['ods', 'xlsx'] as const) {
  test(`${kind}: local authority level data gives line 17, by value, for every authority`, async () => {
    const report = await load(`renamed.${kind}`, book(localAuthorityLevel(), kind));
    assert.equal(find('E07000223', 2024)?.pence[3], 221_739);
    // By its former code, and under its current one.
    assert.equal(find('E08000038', 2024)?.pence[3], 190_075);
    assert.equal(find('E06000063', 2024)?.pence[3], 200_001);
    // A half penny goes up.
    assert.equal(find('E09000033', 2024)?.pence[3], 91_379);
    assert.deepEqual(rejects(report), [['total of several authorities, or no billing authority', 2]]);
    assert.equal(report.sources[0]?.kept, 4);
  });
}

test('derived bands are marked so; the date is the one the cover states, with offset', async () => {
  await load('a.ods', book(localAuthorityLevel()));
  const row = find('E07000223', 2024);
  assert.deepEqual(row?.pence, [147_826, 172_464, 197_101, 221_739, 271_014, 320_290, 369_565, 443_478]);
  assert.equal(row?.basis, 'derived');
  assert.deepEqual(
    [row?.edition.publishedAt, row?.edition.updatedAt],
    ['2024-04-25T00:00:00+01:00', '2024-04-25T00:00:00+01:00'],
  );
  assert.match(row?.edition.title ?? '', /^Table 1: Council Tax Requirement/);
});

test('columns and rows in another order give the same', async () => {
  const sheets = localAuthorityLevel();
  const turned = sheets.Data_Billing?.map((row, index) => (index < 4 ? row : row.toReversed())) ?? [];
  const [a = [], b = [], c = [], d = [], header = [], ...rows] = turned;
  await load('a.ods', book({ ...sheets, Data_Billing: [a, b, c, d, header, ...rows.toReversed()] }));
  assert.equal(find('E07000223', 2024)?.pence[3], 221_739);
  assert.equal(find('E06000063', 2024)?.pence[3], 200_001);
});

test('Table 9 gives published bands, which win over derived ones in either order', async () => {
  const all = home.put('all.ods', book(allBands()));
  const one = home.put('one.ods', book(localAuthorityLevel()));
  for (const order of [[one, all], [all, one], [all]]) {
    for (const file of order) await home.ingest([file]);
    const row = find('E07000223', 2024);
    assert.equal(row?.basis, 'published');
    assert.deepEqual(row?.pence, [147_827, 172_464, 197_101, 221_739, 271_014, 320_290, 369_565, 443_478]);
    assert.equal(row?.edition.publishedAt, '2024-03-20T00:00:00+00:00');
    assert.equal(row?.edition.updatedAt, '2024-05-01T00:00:00+01:00');
  }
  await home.ingest([all, one]);
  assert.equal(find('E07000223', 2024)?.basis, 'published');
});

test('the live table gives every year; abolished councils are counted, absent years are absent', async () => {
  const report = await load('Band_D_2025-03-26.ods', book(bandD()));
  const table = openCouncilTax(report.release);
  assert.deepEqual(table.yearsOf('E07000223'), [2025, 2024, 2023, 2022]);
  assert.deepEqual(table.yearsOf('E06000063'), [2025, 2024, 2023]);
  assert.equal(table.find('E08000038', 2025)?.pence[3], 200_000);
  assert.deepEqual(rejects(report), [
    ['abolished council', 1],
    ['unknown authority: E0120 Avon', 1],
  ]);
  assert.equal(report.sources[0]?.edition, 'England 2022-23, 2023-24, 2024-25, 2025-26');
});

test('the Welsh workbook and StatsWales join by name, with band I; an unknown name is reported', async () => {
  const report = await load('wales.xlsx', book(welshLevels(), 'xlsx'));
  assert.deepEqual(rejects(report), [['total of several authorities', 1]]);
  assert.equal(find('W06000001', 2026)?.pence[3], 210_050);
  assert.equal(find('W06000001', 2026)?.pence[8], 490_117);
  assert.equal(find('W06000016', 2026)?.pence[3], 200_000);
  assert.equal(find('W06000016', 2026)?.edition.publishedAt, '2026-03-24T00:00:00+00:00');
  for (const content of [book({ Export: statsWales }, 'xlsx'), csvOf(statsWales)]) {
    await load('stats_2022-07-14', content);
    assert.equal(find('W06000001', 2022)?.pence[3], 173_801);
    assert.equal(find('W06000016', 2022)?.pence[3], 188_621);
  }
  const more = statsWales.concat([[null, 'Zedborth ', 1, 1, 1, 1, 1999.99]]);
  assert.deepEqual(rejects(await load('more_2022-07-14', csvOf(more))), [
    ['total of several authorities', 1],
    ['unknown authority: Zedborth', 1],
  ]);
});

test('the Scottish workbook gives published bands, joined by name, rounded to the penny', async () => {
  const report = await load('scotland_2026-03-31.xlsx', book(scottishBands(), 'xlsx'));
  const glasgow = find('S12000049', 2026);
  assert.equal(glasgow?.basis, 'published');
  assert.deepEqual(glasgow?.pence, [113_733, 132_689, 151_644, 170_600, 224_149, 277_225, 334_092, 417_970]);
  assert.equal(find('S12000035', 2026)?.pence[7], 419_151);
  assert.equal(find('S12000027', 2026)?.pence[0], 94_470);
  assert.deepEqual(rejects(report), [['total of several authorities', 1]]);
});

test('a file without a date is refused; its name or the operator may tell the day', async () => {
  await assert.rejects(
    load('stats.csv', csvOf(statsWales)),
    /stats\.csv: does not state its day\. .*--edition/,
  );
  await load('stats 2022-07-14.csv', csvOf(statsWales));
  assert.equal(find('W06000001', 2022)?.edition.updatedAt, '2022-07-14T00:00:00+01:00');
});

test('another band D: the later publication has the last word, and the change is reported', async () => {
  await load('new.ods', book(localAuthorityLevel()));
  const older = book({ ...allBands(), Cover: [['Published on 1 March 2024']] });
  const sheets = allBands();
  const changed = sheets.Table_9?.map((row) => row.map((cell) => (cell === 2217.39 ? 2218 : cell))) ?? [];
  const report = await load('old.ods', book({ Cover: [['Published on 1 March 2024']], Table_9: changed }));
  assert.deepEqual(rejects(report), [['older than the loaded amounts', 1]]);
  assert.equal(find('E07000223', 2024)?.pence[3], 221_739);
  const newer = await load('newer.ods', book({ Cover: [['Published on 1 June 2024']], Table_9: changed }));
  assert.equal(find('E07000223', 2024)?.pence[3], 221_800);
  assert.deepEqual(
    newer.sources[0]?.revised.map(({ reason }) => reason),
    ['known amounts replaced by those of the file'],
  );
  assert.ok(older.length > 0);
});

test('several publications of one day give the same amounts in whatever order they are loaded', async () => {
  const withBandD = (sheets: Record<string, readonly Row[]>, value: number) => {
    const changed = Object.entries(sheets).map(([name, rows]): [string, readonly Row[]] => [
      name,
      rows.map((row) => row.map((cell) => (cell === 2217.39 ? value : cell))),
    ]);
    return book({ ...Object.fromEntries(changed), Cover: [['Published on 1 May 2024']] });
  };
  const publication = fc.record({
    sheets: fc.constantFrom(allBands(), localAuthorityLevel()),
    bandD: fc.constantFrom(2217.39, 2218, 2216),
  });
  const inOrders = fc
    .array(publication, { minLength: 3, maxLength: 3 })
    .chain((given) => fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: 3 })));
  const loadedFrom = async (given: readonly { sheets: Record<string, readonly Row[]>; bandD: number }[]) => {
    home.remove();
    await openAuthoritiesHome();
    for (const [at, { sheets, bandD: value }] of given.entries())
      await load(`${at}.ods`, withBandD(sheets, value));
    const { pence, basis } = find('E07000223', 2024) ?? assert.fail();
    return { pence, basis };
  };
  const three = (...given: readonly [Record<string, readonly Row[]>, number][]) =>
    given.map(([sheets, value]) => ({ sheets, bandD: value }));
  const cycle = three([allBands(), 2217.39], [localAuthorityLevel(), 2217.39], [localAuthorityLevel(), 2216]);
  await fc.assert(
    fc.asyncProperty(inOrders, async ([given, shuffled]) => {
      assert.deepEqual(await loadedFrom(shuffled), await loadedFrom(given));
    }),
    {
      numRuns: 12,
      examples: [[[cycle, cycle.toReversed()]], [[cycle, [...cycle.slice(1), ...cycle.slice(0, 1)]]]],
    },
  );
});

test('a file that is not what it should be is refused with file, sheet and what was expected; nothing changes', async () => {
  await load('good.ods', book(localAuthorityLevel()));
  const before = home.store.currentId();
  const billing = localAuthorityLevel().Data_Billing ?? [];
  const edited = (edit: (row: Row, index: number) => Row | undefined) =>
    book({
      Cover: [['Published 1 April 2026']],
      Data_Billing: billing.flatMap((row, index) => [edit(row, index) ?? []]),
    });
  const scots = scottishBands()['CT by Band, 2026-27'] ?? [];
  const whole = book(localAuthorityLevel());
  const cases: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    [
      'cut.ods',
      whole.subarray(0, whole.length / 2),
      /cut\.ods: cannot be read as a (workbook|zip archive); it is damaged or cut off/,
    ],
    ['empty.ods', '', /empty\.ods: is empty/],
    ['page.ods', '<!DOCTYPE html><title>Not found</title>', /page\.ods: is a web page titled "Not found"/],
    [
      'renamed.ods',
      book({ Data_Billing_2: billing }),
      /renamed\.ods: a workbook with the sheets "Data_Billing_2"/,
    ],
    [
      'header.ods',
      edited((row, index) => (index === 4 ? row.slice(0, 9) : row)),
      /header\.ods: sheet "Data_Billing" has no header with "17\. Average \(Band D…" in its first 30 rows/,
    ],
    [
      'keys.ods',
      edited((row) => row.slice(2)),
      /keys\.ods: sheet "Data_Billing" has neither a column "ONS Code" nor "E-code"/,
    ],
    [
      'short.ods',
      edited((row, index) => (index > 7 ? undefined : row)),
      /short\.ods: sheet "Data_Billing" has figures for 1 of the 4 authorities of England; expected all\. Missing: Barnsley, Cumberland, Westminster\. Is the file cut off/,
    ],
    [
      'text.ods',
      edited((row, index) => (index === 7 ? [...row.slice(0, 9), 'two thousand'] : row)),
      /text\.ods: sheet "Data_Billing" row 8 has "two thousand" under "17\. Average \(Band D"; expected pounds a year/,
    ],
    [
      'absurd.ods',
      edited((row, index) => (index === 7 ? [...row.slice(0, 9), 3] : row)),
      /row 8 has 3 under "17/,
    ],
    [
      'twice.ods',
      edited((row, index) => (index === 8 ? billing[7] : row)),
      /sheet "Data_Billing" has E07000223 twice: twice\.ods Data_Billing row 8 and twice\.ods Data_Billing row 9/,
    ],
    [
      'year.ods',
      edited((row, index) => (index < 4 ? ['x'] : row)),
      /sheet "Data_Billing" does not say in its title which years it covers/,
    ],
    [
      'ratios-2026-04-01.xlsx',
      book(
        { 'CT by Band, 2026-27': scots.map((row) => [row[0] ?? null, ...row.slice(1).toReversed()]) },
        'xlsx',
      ),
      /sheet "CT by Band, 2026-27" row 4 has .*; expected the eight ratios of bands A to H/,
    ],
    [
      'overall-2026-04-01.xlsx',
      book(
        {
          Table1: [
            ['Council tax 2026-27'],
            ['Authority', 'Total A', 'Total B'],
            ['Isle of Anglesey', 2000, 1],
          ],
        },
        'xlsx',
      ),
      /sheet "Table1" does not have exactly one column for the overall band D of the year; its columns are "Authority", "Total A", "Total B"/,
    ],
    [
      'latin-2026-04-01.csv',
      Buffer.concat([Buffer.from(csvOf(statsWales)), Buffer.from([0x22, 0xf4, 0x22, 0x0a])]),
      /latin-2026-04-01\.csv: line \d+ is not UTF-8; the file was saved in another encoding/,
    ],
  ];
  for (const [name, content, expected] of cases) {
    await assert.rejects(load(name, content), expected, name);
    assert.equal(home.store.currentId(), before, name);
  }
});

test('an official file needs the list of authorities', async () => {
  const other = openTestHome();
  try {
    await assert.rejects(
      other.ingest([other.put('a.ods', book(localAuthorityLevel()))]),
      /a\.ods: needs the list of billing authorities, which is not loaded/,
    );
  } finally {
    other.remove();
  }
});

const factsHeader = 'code,taxYear,bandA,bandB,bandC,bandD,bandE,bandF,bandG,bandH,bandI';
const note = JSON.stringify({
  describes: 'council-tax',
  editions: [
    { nation: 'England', taxYear: '2026-27', title: 't', published: '2026-03-25', updated: '2026-05-12' },
  ],
});
const facts = (...rows: readonly string[]) =>
  home.ingest([home.put('facts.csv', `${[factsHeader, ...rows].join('\n')}\n`), home.put('note.json', note)]);

test('the facts: band D alone or every band, once per year, with an edition; else refused with the line', async () => {
  await facts('E09000033,2026-27,,,,1049.55,,,,,');
  assert.equal(find('E09000033', 2026)?.edition.updatedAt, '2026-05-12T00:00:00+01:00');
  const cases: Record<string, RegExp> = {
    'E09000033,2026-28,,,,1049.55,,,,,':
      /facts\.csv: line 2 has "2026-28" as taxYear; expected a tax year like 2026-27/,
    'E9,2026-27,,,,1049.55,,,,,': /line 2 has "E9" as code; expected a code like E09000033/,
    'E09000033,2026-27,,,,1049,,,,,': /line 2 has "1049" as bandD; expected pounds and pence/,
    'E09000033,2026-27,1.00,,,1049.55,,,,,': /line 2 has "1\.00" as bandA; expected pounds and pence/,
    'E09000033,2026-27,699.70,,,1049.55,,,,,': /expected band D alone, or every band/,
    'E09000033,2026-27,,,,,,,,,': /line 2 has "" as bandD; expected an amount/,
    'E09000033,2025-26,,,,1049.55,,,,,':
      /expected a year for which the note \(council-tax\.json\) has an edition of England/,
    'E09000033,2026-27,,,,1049.55': /line 2 has 6 fields; expected 11, as in the header/,
    'E09000033,2026-27,,,,1049.55,,,,,\nE09000033,2026-27,,,,1.00,,,,,': /line 3 /,
  };
  for (const [row, expected] of Object.entries(cases)) await assert.rejects(facts(row), expected, row);
});

test('the list of authorities is refused where a row is wrong, with its line', async () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    [
      'England,Metropolitan',
      'Wales,Metropolitan',
      /list-2026-04-01\.csv: line 3 has "Wales" as nation; expected England, as the code/,
    ],
    [
      'London borough',
      'London Borough',
      /line 5 has "London Borough" as category; expected one of London borough, /,
    ],
    ['E07000223,Adur', 'E0700022,Adur', /line 2 has "E0700022" as code; expected a code like E09000033/],
    [
      'Council,E08000016',
      'Council,E07000223',
      /line 3 has "E08000038" as code; expected a code that no other row has/,
    ],
    ['E09000033,Westminster', 'E09000033,', /line 5 has "" as name; expected a name/],
  ];
  for (const [from, to, expected] of cases) {
    assert.ok(authoritiesCsv.includes(from), from);
    await assert.rejects(load('list-2026-04-01.csv', authoritiesCsv.replace(from, to)), expected, to);
  }
  const list = home.put('list-2026-04-01.csv', authoritiesCsv);
  const gone = home.put('gone.csv', abolishedCsv.replace('E06000063', 'E06000999'));
  await assert.rejects(
    home.ingest([list, gone]),
    /names E06000999 as successor of E07000026, which is not in the list/,
  );
  await assert.rejects(load('gone.csv', abolishedCsv), /goes with the list of authorities; give both/);
});
