// An edition that lost more rows than its publication can lose in that time is refused; one with more rows never is. Some
// datasets are loaded piece by piece: lists of councils, areas of stops, regions of the map. A piece that comes cut off is
// refused, however small it is beside the others.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { noProgress } from '../../src/ingest/progress.ts';
import { IngestRefused } from '../../src/ingest/refusal.ts';
import { runIngest } from '../../src/ingest/run.ts';
import type { Shrinkage, Source } from '../../src/ingest/source.ts';
import { derivations } from '../../src/sources/derivations.ts';
import { sources } from '../../src/sources/index.ts';
import { formatDay, parseDay } from '../../src/uk/calendar.ts';
import { bulkCsv, row } from '../sources/price-paid/files.ts';
import { giasCsv } from '../sources/schools/desk.ts';
import { node, nodesFile } from '../sources/transport/desk.ts';
import { openTestHome, type TestHome } from './home.ts';

let home: TestHome;
let made: number;
beforeEach(() => {
  home = openTestHome();
  made = 0;
});
afterEach(() => home.remove());

async function load(
  paths: readonly string[],
  onLoss: 'refuse' | 'accept' = 'refuse',
  known: readonly Source[] = sources,
) {
  made += 1;
  const report = await runIngest({
    paths,
    sources: known,
    derivations,
    store: home.store,
    base: home.store.currentId() === undefined ? undefined : home.store.openCurrent(),
    id: `run-${made}`,
    kind: 'loaded',
    atMs: Date.UTC(2026, 10, 15, 12, made),
    onLoss,
    progress: noProgress,
  });
  if (report.outcome === 'made') home.store.point(report.release.id);
  return report;
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

const area = (code: string, stops: number) =>
  numbers(stops).map((at) =>
    node({
      ATCOCode: `${code}0${String(at).padStart(6, '0')}`,
      CommonName: 'A stop',
      StopType: 'BCT',
      Longitude: '-0.089',
      Latitude: '51.5134',
    }),
  );

const list = (homes: number) =>
  `ADDR,POSTCODE,BAND\n${numbers(homes)
    .map((at) => `"${at} PEAR TREE STREET",AB1 1AA,F\n`)
    .join('')}`;

/** What is loaded, a cut piece of it, and one from which some rows are gone as in any new edition. */
const cases = {
  'area 068': {
    whole: () => [home.put('stops.csv', nodesFile(...area('068', 50), ...area('490', 1_000)))],
    part: (rows: number) => home.put('halton.csv', nodesFile(...area('068', rows))),
    rows: 1_050,
  },
  'the list of leeds': {
    whole: () => [
      home.put('leeds-2026-09-01.csv', list(50)),
      home.put('york-2026-09-01.csv', list(1_000).replaceAll('PEAR', 'PLUM')),
    ],
    part: (rows: number) => home.put('leeds-2026-10-01.csv', list(rows)),
    rows: 1_050,
  },
} as const;

for (const [name, { whole, part, rows }] of Object.entries(cases)) {
  test(`${name}: cut off it is refused beside much else, and loaded with --replace`, async () => {
    await load(whole());
    const dataset = home.store.openCurrent().datasets[0]?.name ?? assert.fail();
    await assert.rejects(load([part(10)]), (error: unknown) => {
      assert.ok(error instanceof IngestRefused);
      assert.ok(error.message.includes(`these would be lost: 40 of 50 rows of ${name}.`), error.message);
      return true;
    });
    await load([part(45)]);
    assert.equal(home.store.openCurrent().findDataset(dataset)?.rows, rows - 5);
    const { sources: reports } = await load([part(10)], 'accept');
    assert.deepEqual(reports[0]?.lost, [`35 of 45 rows of ${name}`]);
  });
}

const ukDay = (day: string) => day.split('-').reverse().join('-');

/** A file of so many rows, of that day. */
const publications = {
  /** One in fifty may go at once, and as many in a year. */
  gias: (rows: number, day: string) =>
    home.put(
      `schools-${rows}-${day}.csv`,
      giasCsv(numbers(rows).map((at) => ({ URN: String(100_000 + at), LastChangedDate: ukDay(day) }))),
    ),
  /** One in twenty likewise. */
  naptan: (rows: number, day: string) =>
    home.put(
      `stops-${rows}-${day}.csv`,
      nodesFile(...area('490', rows).map((text) => text.replaceAll('2026-08-01', day))),
    ),
  /** One in fifty likewise; dated by its quarter. */
  'code-point-open': (rows: number, day: string) =>
    home.put(
      `${rows}/codepo_gb_${day.slice(0, 4)}.${(Number(day.slice(5, 7)) + 2) / 3}.csv`,
      numbers(rows)
        .map((at) => {
          const letters = 'ABDEFGHJLN';
          const code = `ZZ${1 + Math.floor(at / 1_000)} ${at % 10}${letters[Math.floor(at / 10) % 10]}${letters[Math.floor(at / 100) % 10]}`;
          return `"${code}",10,590100,480100,"E92000001","","","","E06000001","E05000001"\n`;
        })
        .join(''),
    ),
} as const;

/** Of 2,000 rows of the first day. */
const editions = [
  { name: 'gias', first: '2026-08-01', day: '2026-08-01', rows: 1_965, fate: 'loaded' },
  { name: 'gias', first: '2026-08-01', day: '2026-08-01', rows: 1_950, fate: 'at most 2% may go' },
  { name: 'gias', first: '2026-08-01', day: '2026-09-01', rows: 1_960, fate: 'loaded' },
  { name: 'gias', first: '2024-08-01', day: '2026-08-01', rows: 1_890, fate: 'loaded' },
  { name: 'gias', first: '2024-08-01', day: '2026-08-01', rows: 1_870, fate: 'at most 6% may go' },
  { name: 'gias', first: '2004-08-01', day: '2026-08-01', rows: 1_590, fate: 'at most 20% may go' },
  { name: 'gias', first: '2026-08-01', day: '2026-08-01', rows: 4_000, fate: 'loaded' },
  { name: 'naptan', first: '2026-08-01', day: '2026-09-01', rows: 1_940, fate: 'loaded' },
  { name: 'naptan', first: '2026-08-01', day: '2026-08-01', rows: 1_880, fate: 'at most 5% may go' },
  { name: 'naptan', first: '2025-08-01', day: '2026-08-01', rows: 1_880, fate: 'loaded' },
  { name: 'naptan', first: '2026-08-01', day: '2026-09-01', rows: 2_500, fate: 'loaded' },
  { name: 'code-point-open', first: '2026-04-01', day: '2026-07-01', rows: 1_965, fate: 'loaded' },
  {
    name: 'code-point-open',
    first: '2026-04-01',
    day: '2026-07-01',
    rows: 1_900,
    fate: 'at most 2.5% may go',
  },
] as const;

for (const { name, first, day, rows, fate } of editions) {
  test(`${name}: ${rows} rows of ${day} in place of 2,000 of ${first}: ${fate}`, async () => {
    await load([publications[name](2_000, first)]);
    const next = load([publications[name](rows, day)]);
    if (fate === 'loaded') {
      assert.equal((await next).release.datasets[0]?.rows, rows);
      return;
    }
    await assert.rejects(next, (error: Error) => {
      assert.ok(error instanceof IngestRefused);
      assert.ok(
        error.message.includes(`of 2,000 rows, where ${fate} from ${first} to ${day}`),
        error.message,
      );
      return true;
    });
    assert.equal(home.store.openCurrent().datasets[0]?.rows, 2_000);
  });
}

test('one month of crime beside three, and a month of few sales, take nothing away', async () => {
  const titles =
    'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context';
  const crimes = (month: string, rows: number) =>
    home.put(
      `${month}-a-street.csv`,
      `${[titles, ...numbers(rows).map(() => `,${month},A Police,A Police,-1.134336,52.630528,On or near X,E01032868,Leicester 041B,Drugs,,`)].join('\n')}\n`,
    );
  await load(['2024-01', '2024-02', '2024-03'].map((month) => crimes(month, 100)));
  await load([crimes('2024-04', 10)]);
  assert.equal(home.store.openCurrent().findDataset('crime')?.rows, 310);
  await load([home.put('pp-2025.csv', bulkCsv(numbers(500).map((at) => row(at))))]);
  await load([home.put('pp-monthly.csv', bulkCsv([row(501), row(1, { status: 'D' })]))]);
  assert.equal(home.store.openCurrent().findDataset('price-paid')?.rows, 500);
});

/** An edition that is nothing but its rows and its day. */
const edition = (rows: number, day: number, shrinks: Shrinkage): Source => ({
  name: 'made-up',
  dataset: 'traffic',
  version: 1,
  title: 'Made up',
  source: 'Made up',
  homepage: 'https://data.example',
  open: async () => ({
    facts: {
      publisher: 'Nobody',
      publisherShort: 'Nobody',
      licence: 'None',
      attribution: 'None.',
      coverage: { 'United Kingdom': 'all' },
    },
    layouts: ['anything'],
    shrinks,
    recognise: () => 'anything',
    load: async (_files, into) => {
      into.writePart('made-up', { value: Uint32Array.of(rows, day) });
      const facts = { edition: '1', extent: 'complete', nextEditionExpected: null } as const;
      return { ...facts, asOf: formatDay(day), rows };
    },
  }),
});

test('more rows are never too many, less than four fifths always too few, and more may go in a longer time', async () => {
  const first = parseDay('2020-01-01') ?? assert.fail();
  const isLoaded = async (before: number, now: number, days: number, shrinks: Shrinkage) => {
    home.remove();
    home = openTestHome();
    await load([home.put('first', 'first')], 'refuse', [edition(before, first, shrinks)]);
    const next = load([home.put('next', 'next')], 'refuse', [edition(now, first + days, shrinks)]);
    return next.then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof IngestRefused);
        return false;
      },
    );
  };
  const percent = fc.integer({ min: 0, max: 20 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 0, max: 120 }),
      fc.integer({ min: 0, max: 5_000 }),
      fc.integer({ min: 0, max: 2_000 }),
      fc.record({
        share: percent.map((part) => part / 100),
        perYear: percent.map((part) => part / 100),
      }),
      async (before, part, days, later, shrinks) => {
        const now = Math.round((before * part) / 100);
        const loaded = await isLoaded(before, now, days, shrinks);
        if (now >= before || before - now < 20) assert.ok(loaded);
        else if (now < 0.8 * before) assert.ok(!loaded);
        if (loaded) assert.ok(await isLoaded(before, now, days + later, shrinks), 'in a longer time');
        if (loaded) assert.ok(await isLoaded(before, now + 1, days, shrinks), 'with a row more');
      },
    ),
    { numRuns: 30 },
  );
});
