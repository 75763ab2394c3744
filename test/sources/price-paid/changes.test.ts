// Files of changes are applied as of their month: in whatever order and in however many runs they come, the sales are
// those of the files applied month by month.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { firstRows } from '../../../src/ingest/read/csv.ts';
import type { IngestReport } from '../../../src/ingest/run.ts';
import type { Loader } from '../../../src/ingest/source.ts';
import { sourcesNamed } from '../../../src/sources/index.ts';
import { pricePaidOf } from '../../../src/sources/price-paid/price-paid.ts';
import type { FileSizes } from '../../../src/sources/price-paid/reading.ts';
import { changesKnown } from '../../../src/tables/sales/changes.ts';
import { formatMonth } from '../../../src/uk/calendar.ts';
import { realFile, testWith } from '../../requirements.ts';
import { bulkCsv, exportCsv, type Fields, liveAfter, openSalesHome, row, type SalesHome } from './files.ts';

let home: SalesHome;
beforeEach(() => {
  home = openSalesHome();
});
afterEach(() => home.remove());

/** Without its judge, which refuses changes as the first thing that is loaded. */
function loaderOf(sizes: FileSizes): Loader {
  const { judge: _, ...loader } = pricePaidOf(sizes);
  return loader;
}

/** A complete file of three rows is enough here, and twenty rows are more than a month. */
const small = sourcesNamed('price-paid').map((source) => ({
  ...source,
  open: async () => loaderOf({ complete: 3, month: 20 }),
}));

const load = (paths: readonly string[], edition?: string) => home.ingest(paths, small, [], edition);
const put = (name: string, rows: readonly Fields[]) => home.put(name, bulkCsv(rows));

/** The complete file with sales to June 2026. */
const june = [
  row(1, { date: '1995-01-05 00:00' }),
  row(2, { date: '2026-03-02 00:00' }),
  row(3, { date: '2026-06-30 00:00' }),
];
const putComplete = () => put('pp-complete.csv', june);

/** Every part and what is said of the dataset, but for what tells of the run. */
const stateOf = ({ store }: SalesHome) => {
  const { manifest } = store.openCurrent();
  const [{ loadedAt, rejects, files, ...said } = assert.fail('no dataset')] = manifest.datasets;
  return { parts: Object.entries(manifest.parts).sort(([a], [b]) => (a < b ? -1 : 1)), said };
};

const known = () => {
  const { completeOf, months, missing } = changesKnown(home.store.openCurrent()) ?? assert.fail('not loaded');
  return {
    completeOf: completeOf === undefined ? undefined : formatMonth(completeOf),
    months: months.map(formatMonth),
    missing: missing.map(formatMonth),
  };
};

const notes = ({ sources: [source] }: IngestReport) => source?.noted.map(({ reason }) => reason) ?? [];
const rejected = ({ sources: [source] }: IngestReport) => source?.rejected.map(({ reason }) => reason) ?? [];
const nothingChanged = 'nothing changed: everything in these files is already loaded';

const change = fc.record({
  number: fc.integer({ min: 1, max: 9 }),
  status: fc.constantFrom('A', 'A', 'C', 'D'),
  postcode: fc.constantFrom('PO33 2JR', 'PO33 2JR', 'SO14 2AA', ''),
  town: fc.constantFrom('RYDE', 'COWES', 'SOUTHAMPTON'),
  price: fc.constantFrom('1000', '2000', '3000'),
});

/** A month without a file is undefined. */
const months = fc.array(fc.option(fc.array(change, { maxLength: 7 }), { nil: undefined, freq: 5 }), {
  minLength: 1,
  maxLength: 6,
});

/** An order of up to so many files, and after which of them a run ends. */
const comings = fc.array(fc.record({ place: fc.nat(), isLastOfRun: fc.boolean() }), {
  minLength: 6,
  maxLength: 6,
});

async function loadAsTheyCome(
  own: SalesHome,
  paths: readonly string[],
  coming: readonly { readonly place: number; readonly isLastOfRun: boolean }[],
): Promise<void> {
  const left = [...paths];
  let run: string[] = [];
  for (const { place, isLastOfRun } of coming) {
    run.push(...left.splice(left.length === 0 ? 0 : place % left.length, 1));
    if (run.length > 0 && (isLastOfRun || left.length === 0)) {
      await own.ingest(run, small, []);
      run = [];
    }
  }
  assert.equal(left.length, 0);
}

/** Whether names tell the months, or the newest sale of each file does. */
const tellings = fc.constantFrom('name', 'rows');

test('months that come in any order and any number of runs give the sales of applying them by month', async () => {
  await fc.assert(
    fc.asyncProperty(
      months,
      comings,
      tellings,
      fc.boolean(),
      async (changes, coming, telling, isOnComplete) => {
        const [own, inOrder] = [openSalesHome(), openSalesHome()];
        try {
          const files = changes.flatMap((month, index) => {
            if (month === undefined) return [];
            const name = telling === 'name' ? `2026-0${index + 1}.csv` : `${9 - index}.csv`;
            // A sale of its own keeps the dataset from being empty, and can tell the month.
            const date = telling === 'name' ? '2026-01-05 00:00' : `2026-0${index + 1}-28 00:00`;
            const kept = row(100 + index, { postcode: 'E1 1AA', town: 'X', date });
            const rows = month.map(({ number, ...wish }) =>
              row(number, { ...wish, date: '2026-01-05 00:00' }),
            );
            return [{ name, rows: [kept, ...rows] }];
          });
          if (files.length === 0) return;
          const base = isOnComplete
            ? [
                row(1, { date: '1995-01-03 00:00' }),
                row(2, { date: '2025-01-03 00:00' }),
                row(3, { date: '2025-12-03 00:00', town: 'COWES' }),
              ]
            : [];
          const paths = files.map(({ name, rows }) => own.put(name, bulkCsv(rows)));
          if (isOnComplete) {
            for (const one of [own, inOrder]) {
              await one.ingest([one.put('pp-complete.csv', bulkCsv(base))], small, []);
            }
          }
          await loadAsTheyCome(own, paths, coming);
          assert.deepEqual(own.live(), liveAfter([...base, ...files.flatMap(({ rows }) => rows)]));
          await inOrder.ingest(paths, small, []);
          assert.deepEqual(stateOf(own), stateOf(inOrder), 'as in one run, byte for byte');
          const report = await own.ingest(paths.toReversed(), small, []);
          assert.deepEqual(stateOf(own), stateOf(inOrder), 'once more changes nothing');
          assert.equal(report.outcome, 'nothing new');
        } finally {
          own.remove();
          inOrder.remove();
        }
      },
    ),
    { numRuns: 30 },
  );
});

/** "July_2026.csv" as a number that rises with the months. */
const placeOf = (file: string) => Date.parse(`1 ${path.basename(file, '.csv').replace('_', ' ')}`);
const readReal = (file: string) => firstRows(readFileSync(file), Number.POSITIVE_INFINITY, 'utf-8');

testWith(
  realFile('data/pricepaid/monthly_isle_of_wight'),
  'slow: sixteen real monthly files come in twenty random orders and groupings, and every byte is the same',
  async (folder) => {
    const paths = readdirSync(folder).map((name) => path.join(folder, name));
    const live = liveAfter(paths.toSorted((a, b) => placeOf(a) - placeOf(b)).flatMap(readReal));
    assert.deepEqual([paths.length, live.length], [16, 3939]);
    await load(paths);
    assert.deepEqual(home.live(), live);
    assert.deepEqual(known().missing, ['2026-06'], 'the file of June is that of May once more');
    const expected = stateOf(home);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(paths, { minLength: paths.length }),
        fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 16, maxLength: 16 }),
        async (order, sizes) => {
          const own = openSalesHome();
          try {
            for (let [at, run] = [0, 0]; at < order.length; at += sizes[run++] ?? 1) {
              await own.ingest(order.slice(at, at + (sizes[run] ?? 1)), small, []);
            }
            assert.deepEqual(stateOf(own), expected);
          } finally {
            own.remove();
          }
        },
      ),
      { numRuns: 20 },
    );
  },
);

test('a deletion that comes late does not take out what was added again, nor an addition what was deleted', async () => {
  const added = put('2025-09.csv', [row(1), row(2), row(9)]);
  const deleted = put('2026-03.csv', [row(1, { status: 'D' }), row(2, { status: 'D' })]);
  const again = put('2026-04.csv', [row(1, { price: '7000' })]);
  await load([again]);
  const late = await load([deleted]);
  assert.deepEqual(rejected(late), [
    'a file of a later month decides about the sale',
    'record that deletes a sale',
  ]);
  await load([added]);
  assert.deepEqual(home.live(), liveAfter([row(9), row(1, { price: '7000' })]));
});

test('a town is told by records that no longer count too, so that sales without postcode lie where they would', async () => {
  const early = put('2026-01.csv', [row(7, { town: 'COWES' }), row(1)]);
  const late = put('2026-02.csv', [
    row(7, { town: 'COWES', postcode: 'SO14 2AA', status: 'C' }),
    row(8, { town: 'COWES', postcode: '' }),
  ]);
  await load([early, late]);
  assert.equal(home.store.openCurrent().datasets[0]?.rows, 2, 'two areas have a COWES');
  const own = openSalesHome();
  for (const place of [late, early]) await own.ingest([place], small, []);
  assert.deepEqual(stateOf(own), stateOf(home));
  own.remove();
});

test('the same content under a later name is the earlier month, whichever came first', async () => {
  const rows = [row(1), row(2, { status: 'D' })];
  const [may, june] = [put('May_2026.csv', rows), put('June_2026.csv', rows)];
  const july = put('July_2026.csv', [row(3), row(2, { status: 'C' })]);
  const states = [];
  for (const order of [[may, june, july], [june, july, may], [[july, june, may]].flat()]) {
    const own = openSalesHome();
    for (const place of order) await own.ingest([place], small, []);
    states.push(stateOf(own));
    own.remove();
  }
  await load([may, june, july]);
  assert.deepEqual(known(), {
    completeOf: undefined,
    months: ['2026-05', '2026-07'],
    missing: ['2026-06'],
  });
  for (const state of states) assert.deepEqual(state, stateOf(home));
});

test('content that was applied over a month before which it belongs is refused, with the way to heal it', async () => {
  const rows = [row(1, { price: '1000' }), row(2, { status: 'D' })];
  await load([put('August_2026.csv', rows)]);
  await load([put('June_2026.csv', [row(1, { price: '2000', status: 'C' })])]);
  await assert.rejects(
    load([put('May_2026.csv', rows)]),
    /May_2026\.csv: is of 2026-05, but the same content was applied as the file of 2026-08, over a file of 2026-06\. Load the complete file/,
  );
});

test('two files of changes of one month that speak of the same sale are refused; of different sales, both count', async () => {
  await load([put('2026-05.csv', [row(1), row(2, { status: 'D' })])]);
  const before = stateOf(home);
  const other = put('other-2026-05.csv', [row(3), row(1, { status: 'C', price: '9' })]);
  await assert.rejects(
    load([other]),
    /other-2026-05\.csv: is of 2026-05, as is another file of changes with other content, and both have transaction 00000001-.*--edition/,
  );
  assert.deepEqual(stateOf(home), before);
  await load([put('north-2026-05.csv', [row(4), row(5, { status: 'D' })])]);
  assert.deepEqual(home.live(), liveAfter([row(1), row(4)]));
});

test('the newest sale tells the month where the name does not, --edition where the rows do not', async () => {
  const latest = 'pp-monthly-update-new-version.csv';
  await load([put(latest, [row(1, { date: '2026-06-27 00:00' }), row(2, { status: 'D', date: '' })])]);
  assert.deepEqual(known().months, ['2026-06']);
  const silent = put(latest, [row(5, { price: '0' }), row(1, { status: 'D', date: '' })]);
  await assert.rejects(load([silent]), /does not state its day.*--edition/);
  await load([put('3.csv', [row(3)])]);
  await load([silent], '2026-05');
  assert.deepEqual(home.live(), liveAfter([row(1, { date: '2026-06-27' }), row(3)]));
  assert.deepEqual(known().months, ['2025-06', '2026-05', '2026-06']);
  const unnamed = put('4.csv', [row(4, { date: '2026-07-30 00:00' }), row(3, { status: 'D' })]);
  await assert.rejects(
    load([unnamed], '2026-06'),
    /has rows of 2026-07-30, so it cannot be of 2026-06, as --edition says/,
  );
  await load([unnamed], '2026-07');
  assert.deepEqual(known().months.at(-1), '2026-07');
});

test('a day in the future, mistyped, does not tell the month', async () => {
  const rows = [row(1, { date: '2026-06-27 00:00' }), row(2, { status: 'C', date: '2062-06-27 00:00' })];
  await load([put('a.csv', rows)]);
  assert.deepEqual(known().months, ['2026-06']);
});

test('a file of a month that the complete file has changes nothing, before it and after it, and is told', async () => {
  const earlier = put('2026-06.csv', [row(1, { price: '5' }), row(3, { status: 'D' })]);
  await load([earlier]);
  await load([putComplete()]);
  const before = stateOf(home);
  assert.deepEqual(home.live(), liveAfter(june));
  const report = await load([earlier]);
  assert.deepEqual(stateOf(home), before);
  assert.deepEqual(notes(report), [nothingChanged]);
  assert.match(rejected(report)[0] ?? '', /^the complete file, which reaches 2026-06, includes this file/);
  assert.deepEqual(known(), { completeOf: '2026-06', months: [], missing: [] });
});

test('a missed month is told in report and coverage until its file comes, and is applied as of its month then', async () => {
  await load([putComplete()]);
  const july = put('2026-07.csv', [row(1, { status: 'C', price: '7' }), row(2, { status: 'C', price: '7' })]);
  const august = put('2026-08.csv', [row(1, { status: 'C', price: '8' })]);
  const report = await load([august]);
  assert.match(
    notes(report)[0] ?? '',
    /^no changes of 2026-07 are loaded, though later ones are\. Load that file/,
  );
  const said = () => home.store.openCurrent().datasets[0];
  assert.deepEqual(
    [said()?.extent, said()?.coverage.England],
    ['partial', 'sales registered since 1995, without the changes of 2026-07'],
  );
  assert.deepEqual(known().missing, ['2026-07']);
  await load([july]);
  assert.deepEqual([said()?.extent, said()?.coverage.England], ['complete', 'sales registered since 1995']);
  const prices = [row(1, { price: '8', date: '2025-06-27' }), row(2, { price: '7' }), june[2] ?? []];
  assert.deepEqual(home.live(), liveAfter(prices));
  assert.deepEqual(known().missing, []);
});

test('an older complete file does not take later months out, unless they are given with it', async () => {
  const august = put('2026-08.csv', [row(1, { status: 'C', price: '8' })]);
  const july = put('2026-07.csv', [row(4), row(2, { status: 'D' })]);
  await load([august, july]);
  const before = stateOf(home);
  await assert.rejects(
    load([putComplete(), july]),
    /pp-complete\.csv: reaches 2026-06, but changes of 2026-08 are loaded and would be lost\. Take a newer/,
  );
  assert.deepEqual(stateOf(home), before);
  await load([august, putComplete(), july]);
  assert.deepEqual(
    home.live(),
    liveAfter([...june, row(4), row(2, { status: 'D' }), row(1, { price: '8' })]),
  );
  const own = openSalesHome();
  for (const place of [path.join(home.folder, 'pp-complete.csv'), august, july]) {
    await own.ingest([place], small, []);
  }
  assert.deepEqual(stateOf(own), stateOf(home));
  own.remove();
});

test('a newer complete file takes the place of all months to its own, and of what the base had', async () => {
  await load([putComplete()]);
  await load([put('2026-08.csv', [row(1, { status: 'C', price: '8' })])]);
  const newer = [...june.slice(0, 2), row(7, { date: '2026-08-20 00:00' })];
  await load([put('newer.csv', newer)]);
  assert.deepEqual(home.live(), liveAfter(newer));
  assert.deepEqual(known(), { completeOf: '2026-08', months: [], missing: [] });
  const report = await load([putComplete()]);
  assert.deepEqual(home.live(), liveAfter(newer), 'the older one changes nothing');
  assert.deepEqual(notes(report), [nothingChanged]);
});

test('years fill in what no month has spoken of, whichever comes first', async () => {
  const year = Array.from({ length: 21 }, (_, at) => row(at + 1, { price: '1' }));
  const years = put('pp-2025.csv', year);
  const corrected = row(1, { status: 'C', price: '2', date: '2025-02-03 00:00' });
  const month = put('2025-02.csv', [corrected, row(2, { status: 'D' })]);
  await load([years]);
  await load([month]);
  const expected = liveAfter([...year, corrected, row(2, { status: 'D' })]);
  assert.deepEqual(home.live(), expected);
  const own = openSalesHome();
  for (const place of [month, years]) await own.ingest([place], small, []);
  assert.deepEqual(own.live(), expected);
  assert.deepEqual(stateOf(own), stateOf(home));
  own.remove();
});

test('an export of the query tool is of its newest sale, and later corrections stand', async () => {
  const correction = put('2025-07.csv', [row(1, { status: 'C', price: '7' }), row(4)]);
  const early = put('2025-05.csv', [row(2, { status: 'C', price: '5', date: '2025-05-01 00:00' })]);
  const exported = home.put('ppd_data.csv', exportCsv([row(1), row(2)]));
  for (const place of [correction, exported, early]) await load([place]);
  assert.deepEqual(home.live(), liveAfter([row(1, { price: '7' }), row(2), row(4)]));
});

const many = (first: number, date: string) =>
  Array.from({ length: 100 }, (_, at) => row(first + at, { date, status: at === 0 ? 'C' : 'A' }));

test('names that have the month of the download are told, and refused where they would turn the order', async () => {
  const large = sourcesNamed('price-paid').map((source) => ({
    ...source,
    open: async () => loaderOf({ complete: 100, month: 200 }),
  }));
  const complete = many(1, '2026-06-03 00:00').map((fields) => fields.with(15, 'A'));
  const first = complete[0]?.with(2, '1995-01-02 00:00') ?? [];
  await home.ingest([put('pp-complete.csv', [first, ...complete.slice(1)])], large, []);
  const old = put('July_2026.csv', many(200, '2026-05-26 00:00'));
  await assert.rejects(
    home.ingest([old], large, []),
    /July_2026\.csv: is of 2026-07 with sales to 2026-05, and the complete file is of 2026-06 with sales to 2026-06: nobody can tell which is later\. /,
  );
  const report = await home.ingest([put('a.csv', many(200, '2026-05-26 00:00'))], large, []);
  assert.match(
    rejected(report)[0] ?? '',
    /^the complete file, which reaches 2026-06, includes this file of 2026-05/,
  );
  const next = await home.ingest([put('August_2026.csv', many(200, '2026-06-26 00:00'))], large, []);
  assert.deepEqual(
    notes(next).map((note) => note.slice(0, 69)),
    [
      'file of changes whose name or --edition gives a later month than its ',
      'no changes of 2026-07 are loaded, though later ones are. Load that fi',
    ],
  );
});
