// The police archive as it is published, with everything that is odd about it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { makeZip } from '../../../scripts/make-zip.ts';
import { type Crimes, openCrimes } from '../../../src/tables/crime/crimes.ts';
import { formatMonth, parseMonth } from '../../../src/uk/calendar.ts';
import { openHomeWith, openHomeWithSample, openTestHome, type TestHome } from '../../ingest/home.ts';
import { realFiles, testWith } from '../../requirements.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const streetTitles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context';
const outcomeTitles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Outcome type';
const id = (letter: string) => letter.repeat(64);

type Row = {
  id?: string;
  at?: string;
  name?: string;
  lsoa?: string;
  type?: string;
  outcome?: string;
  context?: string;
};
const line = (month: string, force: string, row: Row = {}) =>
  [
    row.id ?? '',
    month,
    force,
    force,
    row.at ?? '-1.134336,52.630528',
    row.name ?? 'On or near Norton Street',
    row.lsoa ?? 'E01032868,Leicester 041B',
    row.type ?? 'Drugs',
    row.outcome ?? '',
    row.context ?? '',
  ].join();
/** Enough rows for the month to count as published, then the given ones. */
const street = (month: string, force: string, rows: readonly Row[], filling = 60) =>
  `${[streetTitles, ...Array.from({ length: filling }, () => line(month, force, { type: 'Other crime' })), ...rows.map((row) => line(month, force, row))].join('\n')}\n`;
const outcomesFile = (rows: readonly (readonly [id: string, month: string, type: string])[]) =>
  `${[outcomeTitles, ...rows.map(([crime, month, type]) => `${crime},${month},Zed,Zed,-1.1,52.6,On or near X,E01032868,Leicester 041B,${type}`)].join('\n')}\n`;

const table = (): Crimes => openCrimes(home.store.openCurrent());
const month = (text: string) => parseMonth(text) ?? assert.fail(text);
const around = (crimes: Crimes) =>
  crimes.within({ latitudeDegrees: 52.63, longitudeDegrees: -1.134, radiusMetres: 5_000 });
const incidents = (text: string) => {
  const crimes = table();
  return crimes.incidentsIn(around(crimes), month(text)).filter(({ category }) => category !== 'other-crime');
};
const reported = async (paths: readonly string[]) => {
  const report = (await home.ingest(paths)).sources[0] ?? assert.fail('no source');
  const counts = (entries: typeof report.noted) =>
    Object.fromEntries(entries.map(({ reason, count }) => [reason, count]));
  return { ...report, noted: counts(report.noted), rejected: counts(report.rejected) };
};

test('an archive is read with its outcomes: the date is that of the latest outcome', async () => {
  const zip = makeZip({
    '2024-01/2024-01-zed-street.csv': street('2024-01', 'Zed Police', [
      { id: id('a'), outcome: 'Suspect charged' },
      { id: id('b'), outcome: 'Local resolution' },
      { id: id('c') },
      { id: id('d'), outcome: 'Under investigation' },
    ]),
    '2024-02/2024-02-zed-street.csv': street('2024-02', 'Zed Police', []),
    '2024-01/2024-01-zed-outcomes.csv': outcomesFile([[id('a'), '2024-01', 'Local resolution']]),
    '2024-02/2024-02-zed-outcomes.csv': outcomesFile([
      [id('a'), '2024-02', 'Suspect charged'],
      [id('b'), '2024-02', 'Offender given a caution'],
      [id('c'), '2024-02', 'Offender given a caution'],
    ]),
    '2024-01/2024-01-zed-stop-and-search.csv':
      'Type,Date,Part of a policing operation\nPerson search,2024-01-01,False\n',
  });
  const report = await home.ingest([home.put('2024-02.zip', zip)]);
  assert.equal(report.skipped.length, 1);
  assert.deepEqual(
    incidents('2024-01').map(({ id: crime, outcome }) => [
      crime[0],
      outcome?.label,
      outcome?.month && formatMonth(outcome.month),
    ]),
    [
      ['a', 'Suspect charged', '2024-02'],
      // The row is of the day the archive was cut, so that another outcome in the files is an older one.
      ['b', 'Local resolution', null],
      ['c', 'Offender given a caution', '2024-02'],
      ['d', 'Under investigation', '2024-01'],
    ],
  );
});

test('what is odd is kept where it can be, and counted', async () => {
  const text = street('2024-01', 'Heddlu Dyfed-Powys', [
    { id: id('a'), name: 'On or near Ffordd Tŵr', context: 'a word' },
    { id: id('a'), name: '"On or near Castle, The"' },
    { id: 'short' },
    { at: ',', name: 'No Location', lsoa: ',' },
    { at: '0.000000,0.000000' },
    { at: 'east,52.630528' },
    { type: '' },
    { lsoa: 'E01099999,Leicester 041Z' },
    { lsoa: ',', at: '-1.134000,52.630000' },
    {
      type: 'Violence and sexual offences',
      lsoa: '"E01000001","Bournemouth, Christchurch and Poole 029A"',
      at: '-1.134001,52.630000',
    },
  ]);
  const report = await reported([home.put('x.csv', `\ufeff${text}`.replaceAll('\n', '\r\n'))]);
  assert.deepEqual([report.read, report.kept], [70, 66]);
  assert.deepEqual(report.rejected, {
    'no point': 1,
    'point outside the United Kingdom': 1,
    'coordinates that are not numbers': 1,
    'no crime type': 1,
  });
  assert.deepEqual(report.noted, {
    'no crime id': 63,
    'duplicate crime id in its month': 1,
    'crime id in another form': 1,
    'LSOA of another vintage than the same point had before': 1,
    'month without British Transport Police, whose crimes lie on railways in the areas of all other forces': 1,
  });
  const found = incidents('2024-01');
  assert.deepEqual(
    found
      .filter(({ id: crime }) => crime !== '')
      .map(({ location, context }) => [location, context])
      .sort(),
    [
      ['On or near Castle, The', ''],
      ['On or near Ffordd Tŵr', 'a word'],
    ],
  );
  assert.equal(found.filter(({ category }) => category === 'violent-crime').length, 1);
  assert.deepEqual(table().coverageOf('Heddlu Dyfed-Powys', month('2024-01')), {
    kind: 'published',
    rows: 70,
    usualRows: 70,
  });
});

test('columns are found by their names, in any order and case', async () => {
  const rows = [{ id: id('a'), outcome: 'Local resolution', context: 'a word' }, { id: id('b') }];
  const outcomes = outcomesFile([[id('a'), '2024-02', 'Local resolution']]);
  await home.ingest([
    home.put('plain-street.csv', street('2024-01', 'A Police', rows)),
    home.put('plain-outcomes.csv', outcomes),
  ]);
  const expected = incidents('2024-01');
  assert.equal(expected[0]?.outcome?.month, month('2024-02'));
  const turned = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((row, index) => (index === 0 ? row.toUpperCase() : row).split(',').toReversed().join())
      .join('\n');
  const other = openTestHome();
  try {
    const { release } = await other.ingest([
      other.put('turned-street.csv', turned(street('2024-01', 'A Police', rows))),
      other.put('turned-outcomes.csv', turned(outcomes)),
    ]);
    const crimes = openCrimes(release);
    const found = crimes.incidentsIn(around(crimes), month('2024-01'));
    assert.deepEqual(
      found.filter(({ category }) => category !== 'other-crime'),
      expected,
    );
  } finally {
    other.remove();
  }
});

test("a force's rows in another force's area stay where they lie, and are counted", async () => {
  const report = await reported([
    home.put('a.csv', street('2024-01', 'Leicestershire Police', [])),
    home.put('b.csv', street('2024-01', 'Greater Manchester Police', [{}, {}], 12)),
    home.put('c.csv', street('2024-01', 'British Transport Police', [{}], 0)),
  ]);
  assert.equal(report.noted['outside the area of the force that reported it'], 14);
  const crimes = table();
  assert.equal(crimes.coverageOf('Greater Manchester Police', month('2024-01')).kind, 'collapsed');
  assert.deepEqual([...crimes.totalsIn(around(crimes), month('2024-01'), month('2024-01')).counts], [75]);
});

test("a force's month takes the place of the same month loaded before; the rest stays, with newer outcomes", async () => {
  const first = home.put(
    'first.zip',
    makeZip({
      'a-street.csv': street('2024-01', 'A Police', [
        { id: id('a'), outcome: 'Under investigation', context: 'kept' },
      ]),
      'b-street.csv': street('2024-01', 'B Police', [{ id: id('b') }, { id: id('c') }]),
    }),
  );
  await home.ingest([first]);
  const second = home.put(
    'second.zip',
    makeZip({
      'b-street.csv': street('2024-01', 'B Police', [{ id: id('d') }]),
      'a-street.csv': street('2024-03', 'A Police', [{ id: id('e') }]),
      'a-outcomes.csv': outcomesFile([[id('a'), '2024-03', 'Local resolution']]),
    }),
  );
  const { release } = await home.ingest([second]);
  assert.deepEqual(table().months.map(formatMonth), ['2024-01', '2024-03']);
  assert.deepEqual(
    incidents('2024-01')
      .map(({ id: crime, outcome, context }) => [crime[0], outcome?.label, outcome?.month, context])
      .sort(),
    [
      ['a', 'Local resolution', month('2024-03'), 'kept'],
      ['d', undefined, undefined, ''],
    ],
  );
  assert.deepEqual(
    incidents('2024-03').map(({ id: crime }) => crime[0]),
    ['e'],
  );
  assert.deepEqual(table().coverageOf('A Police', month('2024-01')), {
    kind: 'published',
    rows: 61,
    usualRows: 61,
  });
  assert.deepEqual(table().coverageOf('B Police', month('2024-01')), {
    kind: 'published',
    rows: 61,
    usualRows: 61,
  });
  assert.equal(table().coverageOf('B Police', month('2024-03')).kind, 'absent');
  assert.match(
    release.findDataset('crime')?.coverage['United Kingdom'] ?? '',
    /^2 forces, 2024-01 to 2024-03; not loaded: 42 other forces, British Transport Police, .*; without B Police 2024-02, 2024-03; A Police 2024-02$/,
  );
  assert.equal(release.findDataset('crime')?.extent, 'partial');
});

test('what was read adds up: kept, rejected, and rows of outcomes; each count has an example', async () => {
  const file = home.put(
    'street.csv',
    street('2024-01', 'A Police', [{ id: id('a') }, { at: ',' }, { type: 'Drugs' }]),
  );
  const outcomes = home.put(
    'outcomes.csv',
    outcomesFile([
      [id('a'), '2024-01', 'Local resolution'],
      [id('b'), '2024-01', 'Local resolution'],
      ['', '2024-01', 'Local resolution'],
    ]),
  );
  const [report = assert.fail('no source')] = (await home.ingest([file, outcomes])).sources;
  const sum = (entries: typeof report.noted) => entries.reduce((all, { count }) => all + count, 0);
  const ofOutcomes = report.noted.filter(({ reason }) => reason.startsWith('row of outcomes'));
  assert.deepEqual([report.read, report.kept, sum(report.rejected), sum(ofOutcomes)], [66, 62, 2, 2]);
  for (const { reason, places } of [...report.noted, ...report.rejected]) {
    assert.ok(places.length > 0 && places.every((place) => place !== ''), reason);
  }
});

test('loading the same files twice changes nothing', async () => {
  const file = home.put(
    'x.csv',
    street('2024-01', 'A Police', [{ id: id('a'), outcome: 'Local resolution' }]),
  );
  await home.ingest([file]);
  const before = incidents('2024-01');
  await home.ingest([file]);
  assert.deepEqual(incidents('2024-01'), before);
  assert.equal(table().coverageOf('A Police', month('2024-01')).rows, 61);
});

test('a file that is cut off, or has no month, stops the load and names the line', async () => {
  const whole = street('2024-01', 'A Police', [{}]);
  await assert.rejects(
    home.ingest([home.put('cut.csv', whole.slice(0, -40))]),
    /cut\.csv: line 62 has \d+ fields/,
  );
  await assert.rejects(
    home.ingest([home.put('odd.csv', street('January', 'A Police', []))]),
    /odd\.csv: line 2 has the month "January"/,
  );
  await assert.rejects(
    home.ingest([home.put('empty.csv', `${streetTitles}\n`)]),
    /has a header and no rows\./,
  );
});

test('a row of another month than its file is counted, not mixed in', async () => {
  const mixed = `${street('2024-01', 'A Police', [])}${line('2024-02', 'A Police')}\n`;
  const report = await reported([home.put('x.csv', mixed)]);
  assert.deepEqual(report.rejected, { 'of another month than the first row of its file': 1 });
  assert.deepEqual(table().months.map(formatMonth), ['2024-01']);
});

test('the bundled sample has 24 months of the City of London as a whole and of three forces in part, and gives way to official files', async () => {
  home.remove();
  home = await openHomeWithSample();
  const dataset = home.store.openCurrent().findDataset('crime');
  assert.deepEqual([dataset?.extent, dataset?.rejects], ['sample', { 'no point': 1_761 }]);
  const crimes = table();
  const forces = ['City of London Police', 'Gwent Police', 'Hampshire Constabulary', 'Leicestershire Police'];
  assert.deepEqual([crimes.forces, crimes.months.length], [forces, 24]);
  for (const force of forces)
    assert.ok(
      crimes.months.every((item) => crimes.coverageOf(force, item).kind === 'published'),
      force,
    );
  assert.equal(
    crimes.months.reduce((sum, item) => sum + crimes.coverageOf('City of London Police', item).rows, 0),
    19_290,
  );
  await home.ingest([home.put('x.csv.gz', gzipSync(street('2024-01', 'A Police', [])))]);
  assert.deepEqual(table().forces, ['A Police']);
});

const archive = 'data/police/2024-12.zip';
const recorded = 'data/police/api/crimes-street_all-crime_52.629729_-1.131592_2023-01.json';

testWith(
  realFiles(archive, recorded),
  'the files give at least 99.5 % of a recorded answer of the police API, and nothing it has not',
  async (place, t) => {
    home.remove();
    home = await openHomeWith(place(archive));
    const crimes = table();
    const points = crimes.within({
      latitudeDegrees: 52.629729,
      longitudeDegrees: -1.131592,
      radiusMetres: 1_609.344,
    });
    type Recorded = { category: string; persistent_id: string };
    const answer: Recorded[] = JSON.parse(readFileSync(place(recorded), 'utf8'));
    const own = crimes.incidentsIn(points, month('2023-01'));
    const key = (category: string, crime: string) => `${category} ${crime}`;
    const left = new Map<string, number>();
    for (const { category, persistent_id } of answer) {
      left.set(key(category, persistent_id), (left.get(key(category, persistent_id)) ?? 0) + 1);
    }
    const extra = own.filter(({ category, id: crime }) => {
      const rest = left.get(key(category, crime)) ?? 0;
      left.set(key(category, crime), rest - 1);
      return rest <= 0;
    });
    assert.deepEqual(extra, []);
    assert.ok(own.length / answer.length >= 0.995, `${own.length} of ${answer.length}`);
    t.diagnostic(
      `${own.length} of ${answer.length} incidents, ${((100 * own.length) / answer.length).toFixed(2)} %`,
    );
  },
);
