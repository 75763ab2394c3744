// A month with far fewer crimes than usual is told from a whole one: by the rule in words, and on every real file.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findFiles } from '../../../src/ingest/files.ts';
import { readCsv } from '../../../src/ingest/read/csv.ts';
import { judgeMonths } from '../../../src/tables/crime/coverage.ts';
import { formatMonth, parseMonth } from '../../../src/uk/calendar.ts';
import { realFiles, testWith } from '../../requirements.ts';

const newest = 12 * 2025;
const kindsOf = (rows: readonly number[]) =>
  judgeMonths(
    rows.map((_, at) => newest + at),
    rows,
  ).map(({ kind }) => kind);

test('one month alone is judged by its size only', () => {
  assert.deepEqual(
    [0, 1, 49, 50, 100_000].map((rows) => kindsOf([rows])[0]),
    ['absent', 'collapsed', 'collapsed', 'published', 'published'],
  );
});

test('half of a usual month is whole, less is partial, less than a fifth is nothing', () => {
  assert.deepEqual(kindsOf([1000, 1000, 500, 499, 200, 199, 0]), [
    'published',
    'published',
    'published',
    'partial',
    'partial',
    'collapsed',
    'absent',
  ]);
});

test('several bad months do not become the usual', () => {
  const year = [1000, 1010, 990, 1000, 400, 410, 390, 400, 420, 400, 410, 400];
  assert.deepEqual(kindsOf(year), [
    ...Array.from({ length: 4 }, () => 'published'),
    ...Array.from({ length: 8 }, () => 'partial'),
  ]);
});

test('a force that grows to several times its size over the years has whole months all the way', () => {
  const decade = Array.from({ length: 120 }, (_, at) => Math.round(500 * 1.015 ** at));
  assert.ok(kindsOf(decade).every((kind) => kind === 'published'));
});

test('seasons, and whatever else stays within a third around the middle, are whole months', () => {
  const rows = fc.array(fc.integer({ min: 700, max: 1_390 }), { minLength: 1, maxLength: 48 });
  fc.assert(fc.property(rows, (given) => kindsOf(given).every((kind) => kind === 'published')));
});

test('one month of any length of history that falls to a third is the only one that is partial', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 900, max: 1_100 }), { minLength: 2, maxLength: 48 }),
      fc.nat(47),
      (given, at) => {
        const low = at % given.length;
        const kinds = kindsOf(given.map((rows, month) => (month === low ? Math.round(rows / 3) : rows)));
        assert.deepEqual(
          kinds.map((kind) => kind === 'partial'),
          given.map((_, month) => month === low),
        );
      },
    ),
  );
});

const archives = [
  'data/police/2019-10.zip',
  'data/police/2024-12.zip',
  'data/places/newport/police-2023-01_2024-12.zip',
  'data/places/isle-of-wight/police-2023-01_2024-12.zip',
  'data/places/oakham/police-2023-01_2024-12.zip',
] as const;

testWith(
  realFiles(...archives),
  'of all real months of eight forces, only those known to lack something are not whole',
  async (file, t) => {
    const forces = await countRows(archives.map(file));
    const odd: string[] = [];
    let all = 0;
    for (const [force, counts] of forces) {
      const months = [...counts.keys()].sort((a, b) => a - b);
      const rows = months.map((month) => counts.get(month) ?? 0);
      for (const [at, { kind }] of judgeMonths(months, rows).entries()) {
        all += 1;
        if (kind !== 'published') odd.push(`${force} ${formatMonth(months[at] ?? 0)} ${kind}`);
      }
    }
    t.diagnostic(`${all} months of ${forces.size} forces`);
    assert.deepEqual(odd.sort(), [
      'Dyfed-Powys Police 2024-01 partial',
      'Dyfed-Powys Police 2024-02 collapsed',
      'Dyfed-Powys Police 2024-03 collapsed',
      'Greater Manchester Police 2022-08 collapsed',
    ]);
  },
);

/** Force → month → rows. A month that two archives have is counted once. */
async function countRows(zips: readonly string[]) {
  const forces = new Map<string, Map<number, number>>();
  const found = await findFiles(zips);
  try {
    for (const file of found.given.flatMap(({ holdings }) => holdings.flatMap(({ files }) => files))) {
      if (file.form !== 'text' || !file.name.endsWith('-street.csv')) continue;
      let [rows, force, month] = [0, '', 0];
      await readCsv(file.open(), { file: file.name, encoding: 'utf-8' }, (line) => {
        if (rows === 1) [month, force] = [parseMonth(line.text(1)) ?? 0, line.text(2)];
        rows += 1;
      });
      const counts = forces.get(force) ?? new Map<number, number>();
      counts.set(month, rows - 1);
      forces.set(force, counts);
    }
  } finally {
    await found.close();
  }
  return forces;
}
