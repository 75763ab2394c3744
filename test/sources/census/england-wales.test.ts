// Census 2021 from tables of Nomis: LSOAs as published, output areas summed, and nothing guessed.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { makeZip } from '../../../scripts/make-zip.ts';
import { normaliseColumn } from '../../../src/sources/census/england-wales.ts';
import { openCensus } from '../../../src/tables/census/census.ts';
import { openHomeWithSample, openTestHome, type TestHome } from '../../ingest/home.ts';
import {
  ages,
  nomisCsv,
  ts001Columns,
  ts006Columns,
  ts007aColumns,
  ts017Columns,
  ts041Columns,
  ts066Columns,
} from './files.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const find = (code: string) => openCensus(home.store.openCurrent()).find(code);
const put = (name: string, columns: readonly string[], rows: Parameters<typeof nomisCsv>[1], date?: string) =>
  home.put(name, nomisCsv(columns, rows, date));

const ts001 = () =>
  put('ts001.csv', ts001Columns, { E01000001: [1475, 1470, 5], W01000003: [1000, 1000, 0] });
const ts041 = () => put('ts041.csv', ts041Columns, { E01000001: [838], W01000003: [400] });
const lookup = (pairs: Readonly<Record<string, string>>) =>
  home.put(
    'lookup.csv',
    `\ufeffOA21CD,LSOA21CD,LSOA21NM\n${Object.entries(pairs)
      .map(([child, parent]) => `${child},${parent},Somewhere`)
      .join('\n')}\n`,
  );

test('all six tables together give every figure, rounded as documented', async () => {
  await home.ingest([
    ts001(),
    ts041(),
    put('ts006.csv', ts006Columns, { E01000001: [11363.7] }),
    put('ts007a.csv', ts007aColumns, { E01000001: ages(10, 10, 20, 40) }),
    put('ts017.csv', ts017Columns, { E01000001: [838, 0, 838, 0, 0, 0, 0, 0, 0, 0] }),
    put('ts066.csv', ts066Columns, { E01000001: [1300, 800, 700, 60, 44] }),
  ]);
  assert.deepEqual(find('E01000001'), {
    code: 'E01000001',
    dataset: 'census-england-wales',
    population: 1475,
    populationDensity: 11364,
    // Half of 80 is reached at the end of the third band.
    medianAge: 15,
    households: 838,
    averageHouseholdSize: 1.75,
    employmentRate: 57.2,
  });
  const dataset = home.store.openCurrent().findDataset('census-england-wales');
  assert.equal(dataset?.edition, 'Census 2021 (TS001, TS006, TS007A, TS017, TS041, TS066)');
  assert.deepEqual(
    [dataset?.asOf, dataset?.coverage.Wales],
    ['2021-03-21', 'population, households of 1 LSOAs'],
  );
});

test('the rate of England and Wales is that of the published totals', async () => {
  await home.ingest([put('a.csv', ts066Columns, { E01000001: [48_566_371, 0, 27_773_665, 0, 0] })]);
  assert.equal(find('E01000001')?.employmentRate, 57.2);
});

test('what is not loaded is null, an unknown area is not found, and nothing is 0', async () => {
  await home.ingest([ts041()]);
  assert.deepEqual(find('W01000003'), {
    code: 'W01000003',
    dataset: 'census-england-wales',
    population: null,
    populationDensity: null,
    medianAge: null,
    households: 400,
    averageHouseholdSize: null,
    employmentRate: null,
  });
  assert.equal(find('E01000002'), undefined);
  assert.equal(find('S01000001'), undefined);
  assert.equal(find(''), undefined);
  assert.equal(find('nonsense'), undefined);
});

test('an area without people, adults or households has no figures that would divide by them', async () => {
  await home.ingest([
    put('ts001.csv', ts001Columns, { E01000001: [0, 0, 0] }),
    put('ts041.csv', ts041Columns, { E01000001: [0] }),
    put('ts006.csv', ts006Columns, { E01000001: [0] }),
    put('ts007a.csv', ts007aColumns, { E01000001: ages() }),
    put('ts066.csv', ts066Columns, { E01000001: [0, 0, 0, 0, 0] }),
  ]);
  const { population, populationDensity, medianAge, averageHouseholdSize, employmentRate } =
    find('E01000001') ?? assert.fail();
  assert.deepEqual(
    [population, populationDensity, medianAge, averageHouseholdSize, employmentRate],
    [null, null, null, null, null],
  );
});

test('tables loaded on different days stand together, and a second loading replaces its own', async () => {
  await home.ingest([ts001()]);
  assert.equal(find('E01000001')?.averageHouseholdSize, null);
  await home.ingest([ts041()]);
  assert.deepEqual([find('E01000001')?.population, find('E01000001')?.averageHouseholdSize], [1475, 1.75]);
  const { sources } = await home.ingest([put('again.csv', ts041Columns, { E01000001: [735] })]);
  assert.deepEqual([find('E01000001')?.averageHouseholdSize, find('W01000003')?.households], [2, 400]);
  assert.deepEqual(sources[0]?.revised, [
    { reason: 'known figures replaced by those of the file', count: 1, places: ['again.csv'] },
  ]);
});

test('household sizes speak where the counted people or households are missing: eight or more as eight', async () => {
  const sizes = put('ts017.csv', ts017Columns, { E01000001: [7, 1, 1, 2, 0, 0, 0, 0, 0, 1] });
  await home.ingest([sizes, ts001()]);
  assert.equal(find('E01000001')?.averageHouseholdSize, 3.25);
  assert.equal(find('E01000001')?.households, null);
  await home.ingest([ts041()]);
  assert.equal(find('E01000001')?.averageHouseholdSize, 1.75);
});

test('an archive with every kind of area gives the LSOAs; the rest is passed over and counted', async () => {
  const file = (rows: Parameters<typeof nomisCsv>[1]) => nomisCsv(ts001Columns, rows);
  const zip = makeZip({
    'census2021-ts001-ctry.csv': file({ E92000001: [56_490_048, 1, 1] }),
    'census2021-ts001-ltla.csv': file({ E09000001: [8583, 8500, 83] }),
    'census2021-ts001-msoa.csv': file({ E02000001: [8583, 8500, 83] }),
    'census2021-ts001-lsoa.csv': file({ E01000001: [1475, 1475, 0] }),
    'census2021-ts001-oa.csv': file({ E00000001: [180, 180, 0] }),
    'metadata.txt': 'Residence type',
  });
  const { sources, skipped } = await home.ingest([home.put('census2021-ts001.zip', zip)]);
  assert.equal(find('E01000001')?.population, 1475);
  assert.equal(find('E01000002')?.medianAge ?? null, null);
  assert.deepEqual(
    sources[0]?.rejected.map(({ reason, count }) => [reason, count]),
    [
      ['file of areas that are too large', 3],
      ['file of output areas whose LSOAs are loaded', 1],
    ],
  );
  assert.equal(skipped.length, 1);
});

test('output areas are summed to LSOAs; a density is people by ground, and medians are of summed bands', async () => {
  const pairs = { E00000001: 'E01000001', E00000003: 'E01000001', E00000005: 'E01000002' };
  await home.ingest([
    lookup(pairs),
    put('ts001.csv', ts001Columns, {
      E00000001: [100, 90, 10],
      E00000003: [300, 300, 0],
      E00000005: [50, 50, 0],
    }),
    put('ts006.csv', ts006Columns, { E00000001: [1000], E00000003: [500], E00000005: [25.5] }),
    put('ts041.csv', ts041Columns, { E00000001: [50], E00000003: [80], E00000005: [20] }),
    put('ts007a.csv', ts007aColumns, {
      E00000001: ages(10),
      E00000003: ages(0, 10, 20),
      E00000005: ages(0, 0, 8),
    }),
  ]);
  const one = find('E01000001') ?? assert.fail();
  assert.deepEqual(
    [one.population, one.populationDensity, one.households, one.averageHouseholdSize, one.medianAge],
    // 400 people on 0.1 + 0.6 square kilometres; half of 40 people is the end of the second band.
    [400, 571, 130, 3, 10],
  );
  assert.equal(find('E01000002')?.populationDensity, 26);
});

test('the look-up and the people of output areas are kept for tables that come later', async () => {
  const pairs = { E00000001: 'E01000001', E00000003: 'E01000001' };
  await home.ingest([
    lookup(pairs),
    put('ts001.csv', ts001Columns, { E00000001: [100, 100, 0], E00000003: [300, 300, 0] }),
  ]);
  await home.ingest([put('ts006.csv', ts006Columns, { E00000001: [1000], E00000003: [500] })]);
  assert.deepEqual([find('E01000001')?.population, find('E01000001')?.populationDensity], [400, 571]);
  await home.ingest([put('lsoa.csv', ts006Columns, { E01000001: [570.2] })]);
  assert.equal(find('E01000001')?.populationDensity, 570);
  const { sources } = await home.ingest([put('oa.csv', ts006Columns, { E00000001: [1], E00000003: [1] })]);
  assert.equal(find('E01000001')?.populationDensity, 570);
  assert.equal(sources[0]?.rejected[0]?.reason, 'file of output areas whose LSOAs are loaded');
});

test('densities of output areas wait for their residents, and that is said', async () => {
  const pairs = { E00000001: 'E01000001', E00000003: 'E01000001' };
  const { sources } = await home.ingest([
    lookup(pairs),
    put('ts006.csv', ts006Columns, { E00000001: [1000], E00000003: [500] }),
    put('ts041.csv', ts041Columns, { E00000001: [50], E00000003: [80] }),
  ]);
  assert.equal(find('E01000001')?.populationDensity, null);
  assert.match(sources[0]?.noted[0]?.reason ?? '', /LSOA without density/);
  await home.ingest([put('ts001.csv', ts001Columns, { E00000001: [100, 100, 0], E00000003: [300, 300, 0] })]);
  assert.equal(find('E01000001')?.populationDensity, 571);
});

test('a look-up may come first, alone', async () => {
  await home.ingest([lookup({ E00000001: 'E01000001' })]);
  assert.equal(find('E01000001'), undefined);
  assert.equal(
    home.store.openCurrent().findDataset('census-england-wales')?.edition,
    'Census 2021 (no table yet)',
  );
  await home.ingest([put('oa.csv', ts041Columns, { E00000001: [50] })]);
  assert.equal(find('E01000001')?.households, 50);
});

test('official figures take the place of the bundled sample', async () => {
  home.remove();
  home = await openHomeWithSample();
  assert.deepEqual([find('E01000001')?.households, find('E01000002')?.medianAge], [838, 43.9]);
  await home.ingest([ts001()]);
  assert.deepEqual([find('E01000001')?.population, find('E01000001')?.households], [1475, null]);
  assert.equal(find('E09000001'), undefined);
});

test('an LSOA whose output areas are not all there is left out, never summed short', async () => {
  const { sources } = await home.ingest([
    lookup({ E00000001: 'E01000001', E00000003: 'E01000001', E00000005: 'E01000002' }),
    put('ts041.csv', ts041Columns, { E00000001: [50], E00000005: [20], E00000007: [10] }),
  ]);
  assert.equal(find('E01000001'), undefined);
  assert.equal(find('E01000002')?.households, 20);
  assert.deepEqual(
    sources[0]?.rejected.map(({ reason, count }) => [reason, count]),
    [
      ['output area that the look-up lacks', 1],
      ['area with missing output areas', 1],
    ],
  );
});

test('output areas without a look-up are refused, with what to do', async () => {
  await assert.rejects(
    home.ingest([put('oa.csv', ts041Columns, { E00000001: [50] })]),
    /oa\.csv: has output areas.*OA21CD and LSOA21CD/,
  );
});

test('sums of output areas equal adding them one by one, whatever the order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ parent: fc.integer({ min: 1, max: 4 }), homes: fc.nat(500) }), {
        minLength: 1,
        maxLength: 20,
      }),
      async (list) => {
        const one = openTestHome();
        try {
          const codeOf = (index: number) => `E0000${String(1000 + index)}`;
          const parentOf = (parent: number) => `W0100000${parent}`;
          const pairs = list.map(({ parent }, index) => `${codeOf(index)},${parentOf(parent)}`);
          const rows = Object.fromEntries(list.map(({ homes }, index) => [codeOf(index), [homes]]));
          await one.ingest([
            one.put('lookup.csv', `OA21CD,LSOA21CD\n${pairs.toReversed().join('\n')}\n`),
            one.put('oa.csv', nomisCsv(ts041Columns, rows)),
          ]);
          const census = openCensus(one.store.openCurrent());
          for (const parent of new Set(list.map((item) => item.parent))) {
            const expected = list.reduce((sum, item) => sum + (item.parent === parent ? item.homes : 0), 0);
            assert.equal(census.find(parentOf(parent))?.households, expected);
          }
        } finally {
          one.remove();
        }
      },
    ),
    { numRuns: 15 },
  );
});

test('a needed column that is missing or twice there, and a number that is none, stop the load', async () => {
  const [total = '', inHouseholds = ''] = ts001Columns;
  await assert.rejects(
    home.ingest([put('a.csv', [total], { E01000001: [1] })]),
    /line 1 lacks the column "Residence type: Lives in a household" of TS001/,
  );
  await assert.rejects(
    home.ingest([put('b.csv', [total, inHouseholds, 'Residence type:Total'], { E01000001: [1, 1, 1] })]),
    /has the column "Residence type: Total" of TS001 twice/,
  );
  for (const wrong of ['', '-', '1.5', 'x', '"1,475"']) {
    await assert.rejects(
      home.ingest([put('c.csv', ts041Columns, { E01000001: [wrong] })]),
      /line 2 has .* as "Number of households: Number of households"; expected a whole number/,
      wrong,
    );
  }
  await assert.rejects(
    home.ingest([home.put('cut.csv', `${nomisCsv(ts041Columns, { E01000001: [1] })}"2021","E01000002"`)]),
    /line 3 has 2 fields; expected 4/,
  );
  await assert.rejects(
    home.ingest([put('ltla.csv', ts041Columns, { E09000001: [1] })]),
    /holds no figures of LSOAs/,
  );
  assert.equal(home.store.currentId(), undefined);
});

test('rows of other areas, of another census, and repeated ones are counted, not kept', async () => {
  const text = nomisCsv(ts041Columns, { E01000001: [10], E02000001: [999], S01000001: [5], W01000001: [20] });
  const extra = ['"2011","x","E01000002",7', '"2021","x","E01000001",99'].join('\n');
  const { sources } = await home.ingest([home.put('mixed.csv', `${text}${extra}\n`)]);
  assert.deepEqual(
    sources[0]?.rejected.map(({ reason, places }) => [reason, places]),
    [
      ['code of another kind of area', ['mixed.csv:3', 'mixed.csv:4']],
      ['not of the census of 2021', ['mixed.csv:6']],
      ['duplicate area', ['mixed.csv:7']],
    ],
  );
  assert.deepEqual([find('E01000001')?.households, find('W01000001')?.households], [10, 20]);
  assert.equal(find('E01000002'), undefined);
});

test('names of columns have one form, however the table writes them', () => {
  const one = 'economic activity status: economically active: in employment';
  for (const name of [
    'Economic activity status: Economically active:In employment',
    ' Economic  activity status : Economically active: In employment; measures: Value ',
    'Economic activity status:Economically active:\tIn employment;measures:value',
  ]) {
    assert.equal(normaliseColumn(name), one);
  }
});

test('residents of LSOAs are listed in order of their codes, without areas where nobody lives', async () => {
  await home.ingest([
    put('ts001.csv', ts001Columns, {
      W01000003: [1000, 1, 1],
      E01000002: [0, 0, 0],
      E01000001: [1475, 1, 1],
    }),
  ]);
  assert.deepEqual(
    [...openCensus(home.store.openCurrent()).residents()],
    [
      ['E01000001', 1475],
      ['W01000003', 1000],
    ],
  );
});

test('a release without a census has no areas and no residents', async () => {
  await home.ingest([home.put('names.csv', 'LAD25CD,LAD25NM\nE09000001,City of London\n')]);
  const census = openCensus(home.store.openCurrent());
  assert.equal(census.find('E01000001'), undefined);
  assert.deepEqual([...census.residents()], []);
});
