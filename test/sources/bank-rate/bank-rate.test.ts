// Every layout of the Bank of England, and how they merge.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { utils, write } from '@e965/xlsx';
import { facts, fixture, openTestHome, type TestHome } from '../../ingest/home.ts';
import { realFile, testWith } from '../../requirements.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const factLines = readFileSync(facts[0] ?? '', 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(',').join(' '));

const csv = (...rows: readonly string[]) => `${rows.join('\n')}\n`;

type SheetRow = readonly (string | number | null)[];

function baserate(...rows: readonly SheetRow[]): Buffer {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([['x']]), 'BOEBASERATE');
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([
      [null, null, null, null, 'CHANGES IN BANK RATE'],
      ['Date', null, null, 'New'],
      ['effective', null, null, 'rate'],
      ['Bank Rate'],
      ['1694', null, 'Oct', 6],
      [],
      [1974, 23, 'Sep', 11.5],
      ['no changes'],
      ...rows.map((row) => [...row]),
    ]),
    'HISTORICAL SINCE 1694',
  );
  return write(book, { type: 'buffer', bookType: 'xls' });
}

test('the facts load exactly, eighths included, as far as they were checked', async () => {
  const { release, sources } = await home.ingest(facts);
  assert.deepEqual(home.changes(), factLines);
  assert.equal(factLines.length, 258);
  assert.ok(home.changes().includes('1982-08-26 10.875 Min.Band 1 Dealing Rate'));
  const dataset = release.findDataset('bank-rate');
  assert.equal(dataset?.asOf, '2026-09-21');
  assert.equal(dataset?.edition, 'changes to 2025-12-18');
  assert.deepEqual(
    dataset?.files.map(({ name }) => name),
    ['bank-rate.csv', 'bank-rate.json'],
  );
  assert.match(dataset?.files[0]?.sha256 ?? '', /^[0-9a-f]{64}$/);
  assert.deepEqual([sources[0]?.read, sources[0]?.kept, sources[0]?.rejected], [258, 258, []]);
});

for (const name of ['web-table.csv', 'excel-resaved.csv']) {
  test(`${name}: loads into an empty home, with years of both centuries`, async () => {
    const { release } = await home.ingest([fixture(name)]);
    assert.deepEqual(home.changes(), [
      '1975-01-20 11.25 Min Lending Rate',
      '1989-08-31 13.84 Min.Band 1 Dealing Rate',
      '1989-09-04 13.88 Min.Band 1 Dealing Rate',
      '1989-09-08 13.75 Min.Band 1 Dealing Rate',
      '1989-10-06 14.88 Min.Band 1 Dealing Rate',
      '2025-05-08 4.25 Official Bank Rate',
      '2025-08-07 4 Official Bank Rate',
      '2025-12-18 3.75 Official Bank Rate',
    ]);
    assert.equal(release.findDataset('bank-rate')?.asOf, '2025-12-18');
  });
}

test('rounded rates never replace exact ones, and exact ones replace rounded, in either order', async () => {
  const exact = home.put('exact.csv', csv('date,rate,series', '1989-10-06,14.875,Min.Band 1 Dealing Rate'));
  const rounded = home.put('rounded.csv', csv('Date Changed,Rate', '6-Oct-89,14.88'));
  for (const order of [
    [exact, rounded],
    [rounded, exact],
  ]) {
    for (const file of order) await home.ingest([file]);
    assert.deepEqual(home.changes(), ['1989-10-06 14.875 Min.Band 1 Dealing Rate']);
  }
});

test('within its span a file decides which days are changes, and says what it took out', async () => {
  await home.ingest(facts);
  const { sources } = await home.ingest([
    home.put('a.csv', csv('Date Changed,Rate', '18-Dec-25,3.75', '8-May-25,4.25', '6-Feb-25,4.6')),
  ]);
  assert.deepEqual(home.changes().slice(-4), [
    '2024-11-07 4.75 Official Bank Rate',
    '2025-02-06 4.6 Official Bank Rate',
    '2025-05-08 4.25 Official Bank Rate',
    '2025-12-18 3.75 Official Bank Rate',
  ]);
  assert.deepEqual(
    sources[0]?.revised.map(({ reason, count }) => [reason, count]),
    [
      ['known change removed: the file does not have it', 1],
      ['known rate corrected: the file has another', 1],
    ],
  );
  assert.equal(home.store.openCurrent().findDataset('bank-rate')?.asOf, '2026-09-21');
});

test('a daily series is collapsed to its changes; its first day is not one', async () => {
  const { sources, release } = await home.ingest([fixture('iadb-daily.csv')]);
  assert.deepEqual(home.changes(), ['2025-08-07 4 Official Bank Rate']);
  assert.equal(release.findDataset('bank-rate')?.asOf, '2025-08-11');
  assert.deepEqual(
    sources[0]?.rejected.map(({ reason, count, places }) => [reason, count, places[0]]),
    [
      ['first day of the file: it does not say since when the rate applies', 1, 'iadb-daily.csv:2'],
      ['no change on that day', 5, 'iadb-daily.csv:3'],
    ],
  );
});

test('the copy of the page is read like the daily file, days without a rate are counted', async () => {
  const { sources } = await home.ingest([fixture('page-copy.csv')]);
  assert.deepEqual(home.changes(), ['2025-12-18 3.75 Official Bank Rate']);
  assert.ok(sources[0]?.rejected.some(({ reason }) => reason === 'no rate published for the day'));
});

test('files replayed onto the facts in any order leave the facts', async () => {
  const files = ['web-table.csv', 'iadb-daily.csv', 'page-copy.csv'].map(fixture);
  // The short table would rightly take out what lies between its dates; give it the dates of one year only.
  files[0] = home.put('2025.csv', csv('Date Changed,Rate', '18-Dec-25,3.75', '7-Aug-25,4', '8-May-25,4.25'));
  await home.ingest(facts);
  for (const order of [files, files.toReversed()]) {
    for (const file of order) await home.ingest([file]);
    assert.deepEqual(home.changes(), factLines);
  }
  await home.ingest(files);
  assert.deepEqual(home.changes(), factLines);
});

test('a daily file that begins with a known change keeps it', async () => {
  await home.ingest(facts);
  await home.ingest([home.put('d.csv', csv('DATE,IUDBEDR', '18 Dec 2025,3.75', '19 Dec 2025,3.75'))]);
  assert.deepEqual(home.changes(), factLines);
});

test('a daily file that begins just after what is known, with another rate, begins with a change', async () => {
  await home.ingest(facts);
  const { release } = await home.ingest([home.put('d.csv', csv('DATE,IUDBEDR', '22 Sep 2026,3.5'))]);
  assert.equal(home.changes().at(-1), '2026-09-22 3.5 Official Bank Rate');
  assert.equal(release.findDataset('bank-rate')?.asOf, '2026-09-22');
});

test('a daily file that leaves open when the rate changed is refused', async () => {
  await home.ingest(facts);
  const refused = async (expected: RegExp, ...rows: readonly string[]) =>
    assert.rejects(home.ingest([home.put('d.csv', csv('DATE,IUDBEDR', ...rows))]), expected);
  await refused(
    /d\.csv: begins on 2026-11-10 with 3\.5, but the rate known before is 3\.75 since 2025-12-18/,
    '10 Nov 2026,3.5',
  );
  await refused(
    /begins on 2025-10-01 with 4\.5, but the rate known before is 4 since 2025-08-07/,
    '01 Oct 2025,4.5',
  );
  await refused(
    /has no days between 2026-09-21 and 2026-11-06, and the rate changed meanwhile \(d\.csv:3\)/,
    '21 Sep 2026,3.75',
    '06 Nov 2026,3.5',
  );
  assert.deepEqual(home.changes(), factLines);
});

test('a change known for a day without observation keeps its day', async () => {
  // 2025-12-20 was a Saturday.
  await home.ingest([home.put('a.csv', csv('Date Changed,Rate', '20-Dec-25,3.5', '7-Aug-25,4'))]);
  await home.ingest([home.put('d.csv', csv('DATE,IUDBEDR', '19 Dec 2025,4', '22 Dec 2025,3.5'))]);
  assert.deepEqual(
    home.changes().map((line) => line.slice(0, 14)),
    ['2025-08-07 4 O', '2025-12-20 3.5'],
  );
});

test('the workbook gives exact rates since 1975; earlier ones are counted', async () => {
  const file = home.put(
    'renamed.bin',
    baserate(
      [1975, 20, 'Jan', 11.25],
      [null, 27, 'January', 11],
      [],
      ['Repo Rate'],
      ['1997', 6, 'may ', 6.25],
      [1998, 4, 'June', 7.5],
    ),
  );
  const { sources } = await home.ingest([file]);
  assert.deepEqual(home.changes(), [
    '1975-01-20 11.25 Min Lending Rate',
    '1975-01-27 11 Min Lending Rate',
    '1997-05-06 6.25 Repo Rate',
    '1998-06-04 7.5 Repo Rate',
  ]);
  assert.deepEqual(
    sources[0]?.rejected.map(({ reason, count, places }) => [reason, count, places[0]]),
    [['before 1975', 2, 'renamed.bin row 5']],
  );
});

test('a hole or a slip in the workbook is refused with sheet and row', async () => {
  const refused = async (expected: RegExp, ...rows: readonly SheetRow[]) =>
    assert.rejects(home.ingest([home.put('b.xls', baserate(...rows))]), expected);
  await refused(/b\.xls: sheet "HISTORICAL SINCE 1694", row 9 has "20 Jan"; expected a rate/, [
    1975,
    20,
    'Jan',
    null,
  ]);
  await refused(/row 9 has "31 Feb 1975, 11"; expected day, month name and rate/, [1975, 31, 'Feb', 11]);
  await refused(/row 9 has " Jan 1975, 11"/, [1975, null, 'Jan', 11]);
  await refused(
    /row 10 has "1974"; expected a year from 1975 on/,
    [1975, 20, 'Jan', 11],
    [1974, 1, 'Jan', 9],
  );
  await refused(/has no changes since 1975/);
});

test('an unreadable row refuses the file, with its line and what was expected; nothing changes', async () => {
  await home.ingest(facts);
  const header = 'Date Changed,Rate';
  const cases: readonly (readonly [string | Uint8Array, RegExp])[] = [
    [
      csv(header, '18-Dec-25,3.75', '31-Nov-25,4'),
      /a\.csv: line 3 has "31-Nov-25"; expected a date like 18 Dec 25/,
    ],
    [csv(header, '18-Dec-25,3.75%'), /line 2 has "3\.75%"; expected a rate in percent like 3\.75/],
    [csv(header, '18-Dec-25'), /line 2 has ""; expected a rate/],
    [csv(header, '12/18/25,3.75'), /line 2 has "12\/18\/25"; expected a date/],
    ['"Date Changed","Rate"\n"18 Dec 25","3.', /line 2 has a quote that is never closed/],
    [`${header}\n`, /a\.csv: has a header and no rows\./],
    [
      csv('date,rate,series', '18 Dec 2025,3.75,x'),
      /line 2 has "18 Dec 2025"; expected a date like 2025-12-18/,
    ],
    [csv('date,rate,series', '2025-12-18,3.75,'), /expected the name of the rate/],
    [csv('DATE,IUDBEDR', '18 Dec 2025,x'), /line 2 has "x"; expected a rate/],
    [
      csv(header, '18-Dec-25,3.75', '18-Dec-25,4'),
      /gives two rates for 2025-12-18: 3\.75 \(a\.csv:2\) and 4 \(a\.csv:3\)/,
    ],
    [
      Buffer.concat([Buffer.from(csv(header, '18-Dec-25,3.75')), Buffer.of(0xa3, 0x0a)]),
      /line 3 is not UTF-8/,
    ],
    [readFileSync(fixture('error-page.csv')), /a\.csv: is a web page titled "Error", not data/],
  ];
  for (const [content, expected] of cases) {
    await assert.rejects(home.ingest([home.put('a.csv', content)]), expected);
  }
  assert.equal(home.store.currentId(), 'made-1');
  assert.deepEqual(readdirSync(home.store.folder).sort(), ['current', 'made-1']);
});

test('columns and rows in another order are the same table', async () => {
  await home.ingest([
    home.put('a.csv', csv('Rate,Note,Date Changed', '4,x,7-Aug-25', '3.75,y,18-Dec-25', '3.75,z,18-Dec-25')),
  ]);
  assert.deepEqual(home.changes(), ['2025-08-07 4 Official Bank Rate', '2025-12-18 3.75 Official Bank Rate']);
});

test('a rate of a day in the future is set aside: nothing is known to that day', async () => {
  for (const [name, lines] of [
    ['changes.csv', ['Date Changed,Rate', '7-Aug-25,4', '18-Dec-25,3.75', '18-Dec-26,3.5']],
    ['daily.csv', ['DATE,IUDBEDR', '17 Dec 2025,4', '18 Dec 2025,3.75', '19 Dec 2026,3.5']],
  ] as const) {
    const { sources } = await home.ingest([home.put(name, csv(...lines))]);
    assert.ok(
      sources[0]?.rejected.some(
        ({ reason, count }) => reason === 'its day lies in the future' && count === 1,
      ),
      name,
    );
    assert.deepEqual([sources[0]?.asOf, home.changes().length], ['2025-12-18', 2], name);
  }
});

test('a daily file without a change is refused where nothing is known yet', async () => {
  const file = home.put('d.csv', csv('DATE,IUDBEDR', '18 Dec 2025,3.75', '19 Dec 2025,3.75'));
  await assert.rejects(home.ingest([file]), /holds no change of the rate, and no history is loaded yet/);
});

test('the note without the facts is refused', async () => {
  await assert.rejects(home.ingest([facts[1] ?? '']), /bank-rate\.json: describes the CSV/);
});

const published = realFile('data/bank_rate');
/** The files, and the same the other way round. */
function ordersOf(folder: string): readonly (readonly string[])[] {
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  assert.ok(files.length > 1, folder);
  return [files, files.toReversed()];
}

testWith(
  published,
  'the real files, replayed in any order onto the facts, leave the facts',
  async (folder) => {
    await home.ingest(facts);
    for (const order of ordersOf(folder)) {
      for (const file of order) await home.ingest([file]);
      assert.deepEqual(home.changes(), factLines);
    }
    await home.ingest([folder]);
    assert.deepEqual(home.changes(), factLines);
  },
);

testWith(
  published,
  'the real files alone, in any order, equal the facts for the dates they cover',
  async (folder) => {
    for (const order of ordersOf(folder)) {
      const other = openTestHome();
      for (const file of order) await other.ingest([file]);
      assert.deepEqual(other.changes(), factLines);
      other.remove();
    }
  },
);
