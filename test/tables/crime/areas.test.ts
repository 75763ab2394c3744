// Crime by LSOA is what a recount of the rows gives, and an area has figures only where its force published the year.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeZip } from '../../../scripts/make-zip.ts';
import { findFiles } from '../../../src/ingest/files.ts';
import { readCsv } from '../../../src/ingest/read/csv.ts';
import { type CrimeAreas, crimeAreasPart, openCrimeAreas } from '../../../src/tables/crime/areas.ts';
import { CrimesBuilder } from '../../../src/tables/crime/crimes-builder.ts';
import { parseMonth } from '../../../src/uk/calendar.ts';
import { type CrimeGroup, crimeCategories } from '../../../src/uk/police.ts';
import { openHomeWith, openTestHome } from '../../ingest/home.ts';
import { realFile, testWith } from '../../requirements.ts';
import { memoryRelease } from '../memory-release.ts';

const newest = 12 * 2025 + 8;
const forces = ['North', 'South', 'National'];
const lsoas = ['E01000001', 'E01000002', 'W01000003', 'not a code'];
const categories = crimeCategories.map(({ slug }) => slug);

type Row = { month: number; point: number; lsoa: string; category: string; force: string };

/** Rows of months in their order, as a load reads them; `noPoint` are rows without a point. */
function build(
  rows: readonly Row[],
  noPoint: readonly { month: number; force: string; rows: number }[] = [],
): CrimeAreas {
  const builder = new CrimesBuilder();
  for (const row of rows.toSorted((a, b) => a.month - b.month)) {
    const place = { latitudeMicro: 51_000_000 + row.point, longitudeMicro: 0, name: 0 };
    const { point } = builder.point({ ...place, lsoa: 1 + lsoas.indexOf(row.lsoa), month: row.month });
    builder.countPublished(row.month, forces.indexOf(row.force));
    builder.month(row.month).add(point, categories.indexOf(row.category), 0, 0, forces.indexOf(row.force));
  }
  for (const { month, force, rows: count } of noPoint)
    builder.countPublished(month, forces.indexOf(force), count);
  const words = { names: [''], lsoas, forces, categories, outcomes: [] };
  return openCrimeAreas(memoryRelease(builder.encode(words)));
}

/** The five groups as the documentation words them. */
const groupsInWords: Record<CrimeGroup, readonly string[]> = {
  violent: ['Violence and sexual offences', 'Robbery'],
  burglary: ['Burglary'],
  vehicleCrime: ['Vehicle crime'],
  antisocial: ['Anti-social behaviour'],
  other: [
    'Bicycle theft',
    'Criminal damage and arson',
    'Drugs',
    'Other theft',
    'Possession of weapons',
    'Public order',
    'Shoplifting',
    'Theft from the person',
    'Other crime',
  ],
};
const nameOf = (slug: string) => crimeCategories.find((item) => item.slug === slug)?.name ?? '';
const emptyGroups = () => ({ violent: 0, burglary: 0, vehicleCrime: 0, antisocial: 0, other: 0 });
function groupOf(name: string): CrimeGroup {
  for (const [group, names] of Object.entries(groupsInWords))
    if (names.includes(name)) return group as CrimeGroup;
  return assert.fail(name);
}

const row: fc.Arbitrary<Row> = fc.record({
  month: fc.integer({ min: newest - 25, max: newest }),
  point: fc.nat(12),
  lsoa: fc.constantFrom('', ...lsoas),
  category: fc.constantFrom(...categories),
  force: fc.constantFrom(...forces),
});

test('counts are those of a scan over the rows, each in the newest LSOA of its point', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 200, size: 'max' }), fc.nat(24), (given, months) => {
      const areas = build(given);
      const ordered = given.toSorted((a, b) => a.month - b.month);
      const newestLsoa = new Map<number, string>();
      for (const { point, lsoa } of ordered) if (lsoa !== '') newestLsoa.set(point, lsoa);
      const year = { from: newest - months, to: newest };
      for (const code of ['E01000001', 'E01000002', 'W01000003', 'E01999999']) {
        const inside = given.filter(
          ({ point, month }) => newestLsoa.get(point) === code && month >= year.from && month <= year.to,
        );
        const expected = emptyGroups();
        for (const { category } of inside) expected[groupOf(nameOf(category))] += 1;
        assert.deepEqual(areas.countsIn(code, year), expected);
        assert.equal(areas.totalIn(code, year), inside.length);
      }
    }),
    { numRuns: 200 },
  );
});

const at = (month: number, force: string, times: number, lsoa = 'E01000001', point = 1): readonly Row[] =>
  Array.from({ length: times }, () => ({ month, point, lsoa, category: 'drugs', force }));
const months = (count: number, last = newest) => Array.from({ length: count }, (_, back) => last - back);
const full = (count: number, force: string, last = newest) =>
  months(count, last).flatMap((month) => at(month, force, 100));

test('twelve published months are a year, and 24 of them have one before', () => {
  const year = { from: newest - 11, to: newest };
  assert.deepEqual(build(full(12, 'North')).yearOf('North'), {
    kind: 'covered',
    year,
    unplacedShare: 0,
    previous: undefined,
  });
  assert.deepEqual(build(full(24, 'North')).yearOf('North'), {
    kind: 'covered',
    year,
    unplacedShare: 0,
    previous: { from: newest - 23, to: newest - 12 },
  });
});

test('a year with a month absent or collapsed is no year, whatever other forces report there', () => {
  const strays = full(24, 'South');
  const without = full(24, 'North').filter(({ month }) => month !== newest - 3);
  const missing = {
    kind: 'months-missing',
    year: { from: newest - 11, to: newest },
    missing: [newest - 3],
  };
  assert.deepEqual(build([...strays, ...without]).yearOf('North'), missing);
  assert.deepEqual(build([...strays, ...without, ...at(newest - 3, 'North', 14)]).yearOf('North'), missing);
  const gapBefore = full(24, 'North').filter(({ month }) => month !== newest - 12);
  const found = build([...strays, ...gapBefore]).yearOf('North');
  assert.ok(found.kind === 'covered' && found.previous === undefined);
});

test('a force that is behind keeps its own year; one whose newest month is too old, or that only ever had strays, has none', () => {
  const behind = build([...full(24, 'South'), ...full(18, 'North', newest - 6)]).yearOf('North');
  assert.deepEqual(behind.kind === 'covered' && behind.year, { from: newest - 17, to: newest - 6 });
  assert.deepEqual(build([...full(24, 'South'), ...full(18, 'North', newest - 7)]).yearOf('North'), {
    kind: 'outdated',
    last: newest - 7,
  });
  assert.deepEqual(build([...full(24, 'South'), ...at(newest, 'North', 14)]).yearOf('North'), {
    kind: 'force-without-data',
  });
  assert.deepEqual(build(full(12, 'South')).yearOf('Nobody'), { kind: 'force-not-loaded' });
});

test('a year says what share of it names no area, and more than a quarter is too many', () => {
  const given = full(24, 'North');
  const without = (rows: number, last = newest) =>
    months(12, last).map((month) => ({ month, force: 'North', rows }));
  const share = (areas: CrimeAreas) => {
    const year = areas.yearOf('North');
    return [year.kind, 'unplacedShare' in year && year.unplacedShare];
  };
  assert.deepEqual(share(build(given, without(10))), ['covered', 10 / 110]);
  assert.deepEqual(share(build(given, without(33))), ['covered', 33 / 133]);
  assert.deepEqual(share(build(given, without(34))), ['too-many-unplaced', 34 / 134]);
  const uncoded = months(12).flatMap((month) => at(month, 'North', 34, '', 2));
  assert.deepEqual(share(build([...given, ...uncoded])), ['too-many-unplaced', 34 / 134]);
});

test('an area that nobody knows is an area: its crimes name a place', () => {
  const elsewhere = months(12).flatMap((month) => at(month, 'North', 900, 'E01000002', 3));
  const found = build([...full(12, 'North'), ...elsewhere]).yearOf('North');
  assert.ok(found.kind === 'covered' && found.unplacedShare === 0);
});

test('years that differ in what names no area are not compared', () => {
  const before = (rows: number) =>
    build(
      full(24, 'North'),
      months(12, newest - 12).map((month) => ({ month, force: 'North', rows })),
    ).yearOf('North');
  const hasPrevious = (rows: number) => {
    const found = before(rows);
    return found.kind === 'covered' && found.previous !== undefined;
  };
  // 5 of 105 are fewer than 5 %, 6 of 106 are more.
  assert.deepEqual([hasPrevious(5), hasPrevious(6)], [true, false]);
});

test('a month of which a part was published is no month of a year, and a newest one does not end it', () => {
  const twice = [...full(24, 'North'), ...full(24, 'North')];
  const partial = (month: number) => [
    ...twice.filter((row) => row.month !== month),
    ...at(month, 'North', 99),
  ];
  assert.deepEqual(build([...partial(newest - 3), ...full(24, 'South')]).yearOf('North'), {
    kind: 'months-missing',
    year: { from: newest - 11, to: newest },
    missing: [newest - 3],
  });
  const late = build([...partial(newest), ...full(24, 'South')]).yearOf('North');
  assert.deepEqual(late.kind === 'covered' && late.year, { from: newest - 12, to: newest - 1 });
});

const titles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context';
const month = (text: string) => parseMonth(text) ?? assert.fail(text);

test('a place has the LSOA that it was last published with, whatever it was called before', async () => {
  const file = (text: string, location: string, code: string) =>
    `${titles}\n${`,${text},A Police,A Police,-1.1,52.63,${location},${code},Zed 001A,Drugs,,\n`.repeat(60)}`;
  const home = openTestHome();
  try {
    const both = {
      'a-street.csv': file('2023-01', 'On or near Old Name', 'E01000001'),
      'b-street.csv': file('2024-01', 'On or near New Name', 'E01033999'),
    };
    const { release } = await home.ingest([home.put('both.zip', makeZip(both))]);
    const areas = openCrimeAreas(release);
    const years = { from: month('2023-01'), to: month('2024-01') };
    assert.deepEqual([areas.totalIn('E01000001', years), areas.totalIn('E01033999', years)], [0, 120]);
    // A month that is loaded later but is older says nothing new of the place.
    const older = home.put('c-street.csv', file('2022-01', 'On or near Older Name', 'E01000001'));
    const again = openCrimeAreas((await home.ingest([older])).release);
    const all = { from: month('2022-01'), to: month('2024-01') };
    assert.deepEqual([again.totalIn('E01000001', all), again.totalIn('E01033999', all)], [0, 180]);
  } finally {
    home.remove();
  }
});

test("a second load replaces a force's month in the areas too, and brings old codes to new ones by the point", async () => {
  const file = (text: string, force: string, code: string, place: number, times: number) =>
    `${titles}\n${`,${text},${force},${force},-1.1,52.63000${place},On or near X,${code},Zed 001A,Drugs,,\n`.repeat(times)}`;
  const home = openTestHome();
  try {
    const first = {
      'a-street.csv': file('2019-01', 'A Police', 'E01000001', 1, 70),
      'b-street.csv': file('2019-01', 'B Police', 'E01000001', 2, 60),
      'c-street.csv': file('2019-01', 'C Police', 'E01000001', 3, 80),
    };
    await home.ingest([home.put('first.zip', makeZip(first))]);
    const second = {
      'a-street.csv': file('2019-01', 'A Police', 'E01000001', 1, 55),
      'b-street.csv': file('2024-01', 'B Police', 'E01033999', 2, 65),
    };
    const { release } = await home.ingest([home.put('second.zip', makeZip(second))]);
    const areas = openCrimeAreas(release);
    const old = { from: month('2019-01'), to: month('2019-01') };
    assert.equal(areas.totalIn('E01000001', old), 55 + 80);
    assert.equal(areas.totalIn('E01033999', old), 60);
    assert.equal(areas.totalIn('E01033999', { from: month('2024-01'), to: month('2024-01') }), 65);
    assert.ok(release.findDataset('crime')?.parts.includes(crimeAreasPart));
  } finally {
    home.remove();
  }
});

testWith(
  realFile('data/police/2024-12.zip'),
  'of the real archive, every LSOA has the counts of a plain recount, and the forces the years they published',
  async (archive, t) => {
    const home = await openHomeWith(archive);
    try {
      const areas = openCrimeAreas(home.store.openCurrent());
      const year = { from: month('2024-01'), to: month('2024-12') };
      const recounted = await recount(archive, '2024');
      for (const [code, groups] of recounted) assert.deepEqual(areas.countsIn(code, year), groups, code);
      t.diagnostic(`${recounted.size} LSOAs of 2024 compared`);
      for (const force of ['Leicestershire Police', 'Cambridgeshire Constabulary']) {
        const found = areas.yearOf(force);
        assert.deepEqual(
          found.kind === 'covered' && { year: found.year, previous: found.previous },
          { year, previous: undefined },
          force,
        );
      }
      assert.equal(areas.yearOf('Greater Manchester Police').kind, 'force-without-data');
      assert.equal(areas.yearOf('Police Service of Northern Ireland').kind, 'outdated');
      // Of early 2024 it has three months, two of them collapsed.
      assert.notEqual(areas.yearOf('Dyfed-Powys Police').kind, 'covered');
    } finally {
      home.remove();
    }
  },
);

/** LSOA → groups, by a reader that knows nothing of points. */
async function recount(zip: string, year: string) {
  const counts = new Map<string, Record<CrimeGroup, number>>();
  const found = await findFiles([zip]);
  try {
    for (const file of found.given.flatMap(({ holdings }) => holdings.flatMap(({ files }) => files))) {
      if (file.form !== 'text' || !file.name.endsWith('-street.csv')) continue;
      let header: readonly string[] | undefined;
      await readCsv(file.open(), { file: file.name, encoding: 'utf-8' }, (line) => {
        const cells = line.texts();
        if (header === undefined) {
          header = cells;
          return;
        }
        const cell = (title: string) => cells[header?.indexOf(title) ?? -1] ?? '';
        if (!cell('Month').startsWith(year) || cell('LSOA code') === '') return;
        const groups = counts.get(cell('LSOA code')) ?? emptyGroups();
        groups[groupOf(cell('Crime type'))] += 1;
        counts.set(cell('LSOA code'), groups);
      });
    }
  } finally {
    found.close();
  }
  return counts;
}
