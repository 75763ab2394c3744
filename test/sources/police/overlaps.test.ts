// A force's month that is given in several files of one run, or again in a later one, is counted once.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeZip } from '../../../scripts/make-zip.ts';
import { openCrimes } from '../../../src/tables/crime/crimes.ts';
import { parseMonth } from '../../../src/uk/calendar.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';

const streetTitles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context';
const outcomeTitles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Outcome type';
const crimeId = 'a'.repeat(64);

const row = (month: string, force: string, id = '') =>
  `${id},${month},${force},${force},-1.134336,52.630528,On or near Norton Street,E01032868,Leicester 041B,Drugs,,\n`;
const street = (month: string, force: string, rows: number) =>
  `${streetTitles}\n${row(month, force, crimeId)}${row(month, force).repeat(rows - 1)}`;
const outcome = (month: string, force: string, label: string) =>
  `${outcomeTitles}\n${crimeId},${month},${force},${force},-1.1,52.6,On or near X,E01032868,Leicester 041B,${label}\n`;

async function withHome<T>(use: (home: TestHome) => Promise<T>): Promise<T> {
  const home = openTestHome();
  try {
    return await use(home);
  } finally {
    home.remove();
  }
}

async function load(home: TestHome, paths: readonly string[]) {
  const { release, sources } = await home.ingest(paths);
  const crimes = openCrimes(release);
  const around = { latitudeDegrees: 52.63, longitudeDegrees: -1.134, radiusMetres: 5_000 };
  const monthNumber = (text: string) => parseMonth(text) ?? assert.fail(text);
  const count = (text: string) => {
    const month = monthNumber(text);
    return crimes.totalsIn(crimes.within(around), month, month).counts[0];
  };
  const rowsOf = (force: string, text: string) => crimes.coverageOf(force, monthNumber(text)).rows;
  const outcomesOf = (text: string) =>
    crimes
      .incidentsIn(crimes.within(around), monthNumber(text))
      .flatMap(({ outcome: found }) => (found === null ? [] : [found.label]));
  return { count, rowsOf, outcomesOf, report: sources[0] ?? assert.fail('no source') };
}

/** Without what was loaded before. */
function loadAfresh(home: TestHome, paths: readonly string[]) {
  rmSync(home.store.folder, { recursive: true, force: true });
  return load(home, paths);
}

/** Both orders of two files must do the same. */
const orders = (one: string, other: string) => [
  [one, other],
  [other, one],
];

test('the same file in two folders, archives or forms counts once, and the report says so', async () => {
  await withHome(async (home) => {
    const text = street('2024-12', 'A Police', 60);
    const copies = [
      home.put('a/2024-12-a-street.csv', text),
      home.put('b/x.csv', text),
      home.put('2024-12.zip', makeZip({ '2024-12/2024-12-a-street.csv': text })),
      home.put('windows.csv', `\ufeff${text.replaceAll('\n', '\r\n')}`),
      // A newer archive that has it unchanged.
      home.put(
        '2025-02.zip',
        makeZip({ 'a-street.csv': text, 'later-street.csv': street('2025-02', 'A Police', 55) }),
      ),
    ];
    for (const paths of [copies, copies.toReversed()]) {
      const { count, rowsOf, report } = await loadAfresh(home, paths);
      assert.deepEqual([count('2024-12'), rowsOf('A Police', '2024-12')], [60, 60]);
      assert.deepEqual(
        report.noted.filter(({ reason }) => reason.includes('given again')).map(({ count: times }) => times),
        [4],
      );
    }
  });
});

test('of different files of a force and month that of the newer archive counts, whatever the order', async () => {
  await withHome(async (home) => {
    const archive = (name: string, rows: number, newest: string, label: string) =>
      home.put(
        name,
        makeZip({
          '2024-01/2024-01-a-street.csv': street('2024-01', 'A Police', rows),
          '2024-01/2024-01-a-outcomes.csv': outcome('2024-01', 'A Police', label),
          [`${newest}/${newest}-b-street.csv`]: street(newest, 'B Police', 70),
        }),
      );
    const byContent = [
      archive('older.zip', 90, '2024-02', 'Local resolution'),
      archive('newer.zip', 80, '2024-03', 'Suspect charged'),
    ] as const;
    const byName = [
      archive('2024-06.zip', 90, '2024-02', 'Local resolution'),
      archive('2024-12.zip', 80, '2024-02', 'Suspect charged'),
    ] as const;
    for (const paths of [...orders(...byContent), ...orders(...byName)]) {
      const { count, rowsOf, outcomesOf, report } = await loadAfresh(home, paths);
      assert.deepEqual([count('2024-01'), rowsOf('A Police', '2024-01')], [80, 80]);
      assert.deepEqual(outcomesOf('2024-01'), ['Suspect charged']);
      const told = report.noted.find(({ reason }) => reason.includes('newer archive'));
      assert.equal(told?.count, 2);
      assert.match(told.places[0] ?? '', /(older|2024-06)\.zip > .*, taken from .*(newer|2024-12)\.zip > /);
    }
  });
});

test('an archive that was unpacked is as new as its newest month', async () => {
  await withHome(async (home) => {
    const older = home.put('old/2024-01/2024-01-a-street.csv', street('2024-01', 'A Police', 90));
    const newer = home.put('new/2024-01/2024-01-a-street.csv', street('2024-01', 'A Police', 80));
    const later = home.put('new/2024-02/2024-02-a-street.csv', street('2024-02', 'A Police', 80));
    for (const paths of [
      [older, newer, later],
      [later, newer, older],
    ])
      assert.equal((await loadAfresh(home, paths)).count('2024-01'), 80);
  });
});

test('where nothing tells which of two files is the newer, both are named and nothing is loaded', async () => {
  await withHome(async (home) => {
    const pairs = [
      [street('2024-12', 'A Police', 60), street('2024-12', 'A Police', 61)],
      [outcome('2024-12', 'A Police', 'Local resolution'), outcome('2024-12', 'A Police', 'Suspect charged')],
    ] as const;
    for (const [one, other] of pairs)
      for (const paths of orders(home.put('a/x.csv', one), home.put('b/x.csv', other)))
        await assert.rejects(
          home.ingest(paths),
          /a\/x\.csv and .*b\/x\.csv differ, but all have (street|outcomes) rows of A Police for 2024-12/,
        );
    // A file of several forces is told by its first row, and may repeat a force further down.
    const mixed = street('2024-12', 'B Police', 60) + row('2024-12', 'A Police');
    for (const paths of orders(home.put('a/x.csv', mixed), home.put('b/x.csv', pairs[0][0])))
      await assert.rejects(home.ingest(paths), /has rows of A Police for a month that .*x\.csv has too/);
  });
});

test('a month that is loaded again replaces the former one, and is told where it has fewer rows', async () => {
  await withHome(async (home) => {
    const file = (rows: number) => home.put(`${rows}.csv`, street('2024-10', 'A Police', rows));
    // So much that what is cut is no fifth of all.
    await load(home, [home.put('before.csv', street('2024-09', 'A Police', 2_000))]);
    assert.deepEqual((await load(home, [file(200)])).report.revised, []);
    const more = await load(home, [file(210)]);
    assert.deepEqual([more.count('2024-10'), more.report.revised], [210, []]);
    const cut = await load(home, [file(120)]);
    assert.deepEqual([cut.count('2024-10'), cut.rowsOf('A Police', '2024-10')], [120, 120]);
    assert.deepEqual(
      cut.report.revised.map(({ count, places }) => [count, places]),
      [[90, ['2024-10 of A Police: 120 rows instead of 210']]],
    );
  });
});

test('any overlapping archives, in any order, count each force and month as the newest of them has it', async () => {
  const months = ['2024-01', '2024-02', '2024-03'];
  const forces = ['A Police', 'B Police'];
  await fc.assert(
    fc.asyncProperty(
      // Per archive, force and month: rows, or none.
      fc.array(fc.array(fc.option(fc.integer({ min: 50, max: 53 })), { minLength: 6, maxLength: 6 }), {
        minLength: 1,
        maxLength: 3,
      }),
      fc.boolean(),
      async (archives, isReversed) => {
        const expected = new Map<string, number>();
        const contents = archives.map((cells) =>
          cells.flatMap((rows, at) => {
            const [month = '', force = ''] = [months[at % 3], forces[Math.floor(at / 3)]];
            if (rows === null) return [];
            expected.set(`${force} ${month}`, rows);
            return [[`${at}.csv`, street(month, force, rows)] as const];
          }),
        );
        if (expected.size === 0) return;
        await withHome(async (home) => {
          const paths = contents.flatMap((files, at) =>
            files.length === 0 ? [] : [home.put(`2024-0${4 + at}.zip`, makeZip(Object.fromEntries(files)))],
          );
          const { rowsOf } = await load(home, isReversed ? paths.toReversed() : paths);
          for (const [key, rows] of expected)
            assert.equal(rowsOf(key.slice(0, -8), key.slice(-7)), rows, key);
        });
      },
    ),
    { numRuns: 15 },
  );
});
