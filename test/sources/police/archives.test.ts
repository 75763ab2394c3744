// Archives of data.police.uk that are loaded one after the other: the newer one counts, whichever came first.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeZip } from '../../../scripts/make-zip.ts';
import { readCrimeArchives } from '../../../src/tables/crime/archives.ts';
import { openCrimes } from '../../../src/tables/crime/crimes.ts';
import { formatMonth, parseMonth } from '../../../src/uk/calendar.ts';
import { openHomeWith, openTestHome, type TestHome } from '../../ingest/home.ts';
import { realFiles, testWith } from '../../requirements.ts';

const streetTitles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context';
const outcomeTitles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Outcome type';
const crimeId = 'a'.repeat(64);

const street = (month: string, force: string, rows: number, label = '') =>
  `${streetTitles}\n${crimeId},${month},${force},${force},-1.134336,52.630528,On or near X,E01032868,Leicester 041B,Drugs,${label},\n${`,${month},${force},${force},-1.134336,52.630528,On or near X,E01032868,Leicester 041B,Drugs,,\n`.repeat(rows - 1)}`;
const outcome = (month: string, force: string, label: string) =>
  `${outcomeTitles}\n${crimeId},${month},${force},${force},-1.1,52.6,On or near X,E01032868,Leicester 041B,${label}\n`;

const around = { latitudeDegrees: 52.63, longitudeDegrees: -1.134, radiusMetres: 5_000 };
const monthNumber = (text: string) => parseMonth(text) ?? assert.fail(text);

async function withHome<T>(use: (home: TestHome) => Promise<T>): Promise<T> {
  const home = openTestHome();
  try {
    return await use(home);
  } finally {
    home.remove();
  }
}

/** "A Police 2024-01" → rows read, incidents and archive, of all that is loaded. */
function loadedIn(home: TestHome): ReadonlyMap<string, string> {
  const release = home.store.openCurrent();
  const crimes = openCrimes(release);
  const archiveOf = readCrimeArchives(release);
  const found = new Map<string, string>();
  for (const month of crimes.months) {
    const incidents = crimes.incidentsIn(crimes.within(around), month);
    for (const force of crimes.forces) {
      const { rows } = crimes.coverageOf(force, month);
      if (rows === 0) continue;
      const own = incidents.filter((incident) => incident.force === force).length;
      found.set(
        `${force} ${formatMonth(month)}`,
        `${rows} rows, ${own} incidents, archive ${formatMonth(archiveOf(force, month))}`,
      );
    }
  }
  return found;
}

const passedOver = (noted: readonly { readonly reason: string; readonly count: number }[]) =>
  noted.find(({ reason }) => reason.endsWith('passed over'))?.count ?? 0;

const months = ['2024-01', '2024-02', '2024-03'] as const;
const forces = ['A Police', 'B Police'] as const;

/** Per force and month: rows, or none. */
const archiveCells = fc.array(fc.option(fc.integer({ min: 50, max: 60 })), { minLength: 6, maxLength: 6 });

test('a newer archive in which a month of a force is cut off is refused, and one with somewhat fewer or far more rows is not', async () => {
  await withHome(async (home) => {
    const load = (name: string, rows: number) =>
      home.ingest([
        home.put(
          `${name}.zip`,
          makeZip({
            '2024-01/2024-01-a-street.csv': street('2024-01', 'A Police', rows),
            '2024-01/2024-01-b-street.csv': street('2024-01', 'B Police', 500),
          }),
        ),
      ]);
    await load('2024-03', 100);
    const told = /lost: 60 of 100 rows of 2024-01 of A Police\./;
    await assert.rejects(load('2024-04', 40), told);
    assert.match(loadedIn(home).get('A Police 2024-01') ?? '', /^100 rows, .*2024-03$/);
    for (const [name, rows] of [
      ['2024-05', 60],
      ['2024-06', 900],
    ] as const) {
      await load(name, rows);
      assert.match(loadedIn(home).get('A Police 2024-01') ?? '', new RegExp(`^${rows} rows, .*${name}$`));
    }
  });
});

test('each force and month is of the newest archive that has it, in any order and grouping of loads', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(archiveCells, { minLength: 2, maxLength: 4 }),
      fc.array(fc.record({ run: fc.nat(3), rank: fc.nat() }), { minLength: 4, maxLength: 4 }),
      async (archives, places) => {
        const given = archives
          .map((cells, at) => ({
            name: `2024-0${4 + at}`,
            run: places[at]?.run ?? 0,
            rank: places[at]?.rank ?? 0,
            cells: cells.flatMap((rows, cell) =>
              rows === null
                ? []
                : [{ month: months[cell % 3] ?? '', force: forces[Math.floor(cell / 3)] ?? '', rows }],
            ),
          }))
          .filter(({ cells }) => cells.length > 0);
        if (given.length === 0) return;
        const expected = new Map<string, string>();
        for (const { name, cells } of given)
          for (const { month, force, rows } of cells)
            expected.set(`${force} ${month}`, `${rows} rows, ${rows} incidents, archive ${name}`);
        await withHome(async (home) => {
          const loaded = new Map<string, string>();
          for (const run of [0, 1, 2, 3]) {
            const together = given.filter((archive) => archive.run === run).sort((a, b) => a.rank - b.rank);
            if (together.length === 0) continue;
            const paths = together.map(({ name, cells }) =>
              home.put(
                `${name}.zip`,
                makeZip(
                  Object.fromEntries(
                    cells.map(({ month, force, rows }, at) => [`${at}.csv`, street(month, force, rows)]),
                  ),
                ),
              ),
            );
            const { sources: reports } = await home.ingest(paths);
            // Of the archives of one load the newest is read, and passed over where a newer one is loaded.
            let lost = 0;
            const newestFirst = together.toSorted((a, b) => (a.name < b.name ? 1 : -1));
            const seen = new Set<string>();
            for (const { name, cells } of newestFirst)
              for (const { month, force, rows } of cells) {
                const key = `${force} ${month}`;
                if (seen.has(key)) continue;
                seen.add(key);
                if ((loaded.get(key) ?? '') > name) lost += rows;
                else loaded.set(key, name);
              }
            assert.equal(passedOver(reports[0]?.noted ?? []), lost);
          }
          assert.deepEqual(new Map([...loadedIn(home)].sort()), new Map([...expected].sort()));
        });
      },
    ),
    { numRuns: 25 },
  );
});

test('what is passed over is named with both archives, and the rows add up', async () => {
  await withHome(async (home) => {
    const archive = (name: string, rows: number, more: Readonly<Record<string, string>> = {}) =>
      home.put(name, makeZip({ 'a.csv': street('2024-01', 'A Police', rows), ...more }));
    await home.ingest([archive('2024-06.zip', 70)]);
    const [report = assert.fail()] = (
      await home.ingest([archive('2024-02.zip', 60, { 'b.csv': street('2024-01', 'B Police', 55) })])
    ).sources;
    const told = report.noted.find(({ reason }) => reason.endsWith('passed over'));
    assert.deepEqual(told?.places, ['2024-01 of A Police (given: archive of 2024-02, loaded: 2024-06)']);
    assert.deepEqual([report.read, report.kept, told.count], [115, 55, 60]);
    assert.deepEqual([...loadedIn(home).values()].sort(), [
      '55 rows, 55 incidents, archive 2024-02',
      '70 rows, 70 incidents, archive 2024-06',
    ]);
  });
});

test('of a file of several forces only those are passed over that a newer archive has', async () => {
  const rowsOf = (text: string) => text.slice(text.indexOf('\n') + 1);
  const [a, b] = [street('2024-01', 'A Police', 60), street('2024-01', 'B Police', 55)];
  for (const mixed of [a + rowsOf(b), b + rowsOf(a)])
    await withHome(async (home) => {
      await home.ingest([home.put('2024-06.zip', makeZip({ 'a.csv': street('2024-01', 'A Police', 70) }))]);
      await home.ingest([home.put('2024-02.zip', makeZip({ 'mixed.csv': mixed }))]);
      assert.deepEqual(
        new Map([...loadedIn(home)].sort()),
        new Map([
          ['A Police 2024-01', '70 rows, 70 incidents, archive 2024-06'],
          ['B Police 2024-01', '55 rows, 55 incidents, archive 2024-02'],
        ]),
      );
    });
});

test('outcomes of an older archive that is loaded later take nothing back', async () => {
  const newer = (home: TestHome) =>
    home.put(
      '2024-06.zip',
      makeZip({
        'street.csv': street('2024-01', 'A Police', 60, 'Suspect charged'),
        'outcomes.csv': outcome('2024-05', 'A Police', 'Suspect charged'),
      }),
    );
  const older = (home: TestHome, label: string) =>
    home.put(
      '2024-03.zip',
      makeZip({
        'street.csv': street('2024-01', 'A Police', 60, label),
        'outcomes.csv': outcome('2024-03', 'A Police', label),
      }),
    );
  for (const label of ['Local resolution', 'Suspect charged'])
    for (const order of [
      [newer, older],
      [older, newer],
    ])
      await withHome(async (home) => {
        for (const make of order) await home.ingest([make(home, label)]);
        const crimes = openCrimes(home.store.openCurrent());
        const found = crimes.incidentsIn(crimes.within(around), monthNumber('2024-01'));
        assert.deepEqual(
          found.flatMap(({ outcome: had }) => (had === null ? [] : [had])),
          [{ label: 'Suspect charged', month: monthNumber('2024-05') }],
          label,
        );
      });
});

test('a crime that only an older archive has gets the outcome that a newer one has, in one load or two', async () => {
  for (const isTogether of [true, false])
    await withHome(async (home) => {
      const older = home.put(
        '2024-03.zip',
        makeZip({ 's.csv': street('2024-01', 'A Police', 60, 'Under investigation') }),
      );
      const newer = home.put(
        '2024-06.zip',
        makeZip({
          's.csv': street('2024-06', 'B Police', 60),
          'o.csv': outcome('2024-05', 'A Police', 'Suspect charged'),
        }),
      );
      if (isTogether) await home.ingest([older, newer]);
      else for (const file of [older, newer]) await home.ingest([file]);
      const crimes = openCrimes(home.store.openCurrent());
      const [first] = crimes.incidentsIn(crimes.within(around), monthNumber('2024-01'));
      assert.equal(first?.outcome?.label, 'Suspect charged', `${isTogether}`);
    });
});

test('single files are as old as the newest month given beside them, unless --edition says of which archive they are', async () => {
  await withHome(async (home) => {
    await home.ingest([home.put('2024-06.zip', makeZip({ 'a.csv': street('2024-01', 'A Police', 70) }))]);
    const single = home.put('one/2024-01-a-street.csv', street('2024-01', 'A Police', 60));
    assert.equal(passedOver((await home.ingest([single])).sources[0]?.noted ?? []), 60);
    assert.deepEqual([...loadedIn(home).values()], ['70 rows, 70 incidents, archive 2024-06']);
    // Cut out of an archive that was newer.
    const report = await home.ingest([single], undefined, undefined, '2024-09');
    assert.equal(report.sources[0]?.files[0]?.dated, '2024-09-01, by --edition');
    assert.deepEqual([...loadedIn(home).values()], ['60 rows, 60 incidents, archive 2024-09']);
    const beside = home.put('one/2024-10-a-street.csv', street('2024-10', 'A Police', 50));
    await home.ingest([single, beside]);
    assert.equal(loadedIn(home).get('A Police 2024-01'), '60 rows, 60 incidents, archive 2024-10');
    await assert.rejects(home.ingest([beside], undefined, undefined, '2024-09'), /has rows of 2024-10-01/);
  });
});

test('an archive whose name says its month needs no --edition, and is not moved by it', async () => {
  await withHome(async (home) => {
    const zip = home.put('2024-06.zip', makeZip({ 'a.csv': street('2024-01', 'A Police', 70) }));
    await assert.rejects(home.ingest([zip], undefined, undefined, '2025-01'), /--edition is for files that/);
    // A name that cannot be true says nothing.
    const ahead = home.put('2031-01.zip', makeZip({ 'a.csv': street('2024-02', 'A Police', 70) }));
    await home.ingest([ahead]);
    assert.deepEqual([...loadedIn(home).values()], ['70 rows, 70 incidents, archive 2024-02']);
  });
});

test('a file of a month that is yet to come is refused', async () => {
  await withHome(async (home) => {
    const file = home.put('x.csv', street('2031-01', 'A Police', 60));
    await assert.rejects(
      home.ingest([file]),
      /x\.csv: begins with the month 2031-01, which is in the future/,
    );
  });
});

const [newArchive, oldArchive] = ['data/police/2024-12.zip', 'data/police/2019-10.zip'];

/** Everything that is told of a month, by force. */
function tableOf(home: TestHome): readonly string[] {
  const release = home.store.openCurrent();
  const crimes = openCrimes(release);
  const archiveOf = readCrimeArchives(release);
  const everywhere = crimes.within({ latitudeDegrees: 53, longitudeDegrees: -3, radiusMetres: 900_000 });
  return crimes.months
    .flatMap((month) => {
      const totals = crimes.totalsIn(everywhere, month, month).counts[0];
      const categories = crimes
        .categoriesIn(everywhere, month)
        .map(({ category, count }) => `${category} ${count}`)
        .sort();
      return crimes.forces.map(
        (force) =>
          `${formatMonth(month)} ${force}: ${crimes.coverageOf(force, month).rows} of ${archiveOf(force, month)}, all ${totals} ${categories.join()}`,
      );
    })
    .sort();
}

testWith(
  realFiles(newArchive, oldArchive),
  'slow: real archives give the same in either order, and an older copy of their months changes nothing',
  async (place) => {
    const first = await openHomeWith(place(newArchive));
    const second = await openHomeWith(place(oldArchive));
    try {
      await first.ingest([place(oldArchive)]);
      await second.ingest([place(newArchive)]);
      const both = tableOf(first);
      assert.deepEqual(tableOf(second), both);
      const older = first.put(
        '2023-02.zip',
        makeZip({ 'l.csv': street('2023-01', 'Leicestershire Police', 90) }),
      );
      const { sources: reports } = await first.ingest([older]);
      assert.equal(passedOver(reports[0]?.noted ?? []), 90);
      assert.deepEqual(tableOf(first), both);
    } finally {
      first.remove();
      second.remove();
    }
  },
);
