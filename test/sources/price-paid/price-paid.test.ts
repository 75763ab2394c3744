// HM Land Registry's price paid data: every layout, every rejection, and what a record does to the sales that are there.
// The order of files is the matter of changes.test.ts.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { realFile, testWith } from '../../requirements.ts';
import {
  areasOf,
  bulkCsv,
  exportCsv,
  type Fields,
  liveAfter,
  openSalesHome,
  row,
  type SalesHome,
} from './files.ts';

let home: SalesHome;
beforeEach(() => {
  home = openSalesHome();
});
afterEach(() => home.remove());

const count = (entries: readonly { reason: string; count: number }[]) =>
  Object.fromEntries(entries.map((entry) => [entry.reason, entry.count]));

test('every field of the bulk layout is kept, quotes and empty ones too', async () => {
  const rows = [
    row(1),
    row(2, { saon: 'FLAT "A", 2', paon: 'MAXWELL COURT, 8', street: '', estate: 'U', postcode: 'po332jr' }),
    row(3, { type: 'O', category: 'B', new: 'Y', price: '1', date: '1995-01-01 00:00', postcode: 'M1 1AE' }),
    row(4, { price: '594300000', locality: 'RYDE', estate: 'L', postcode: 'W1M 5AA' }),
  ];
  const report = await home.ingest([home.put('pp-2025.csv', bulkCsv(rows))]);
  const expected = liveAfter(rows).map((line) => line.replace('po332jr', 'PO33 2JR'));
  assert.deepEqual(home.live(), expected.toSorted());
  assert.deepEqual(areasOf(home.store), ['M', 'PO', 'W']);
  const [source] = report.sources;
  assert.deepEqual([source?.read, source?.kept, source?.rows, source?.asOf], [4, 4, 4, '2025-06-27']);
});

test('CRLF, no line break at the end and ids without braces or quotes are read alike', async () => {
  const rows = [row(1), row(2)];
  const odd = bulkCsv(rows)
    .replaceAll('\n', '\r\n')
    .trimEnd()
    .replace(/"\{([^}]*)\}"/, '$1');
  await home.ingest([home.put('a.csv', odd)]);
  assert.deepEqual(home.live(), liveAfter(rows));
});

for (const [what, afterHeader] of [
  ['with its header', '\n'],
  ['with the header glued to the first row', ''],
] as const) {
  test(`the query tool's export ${what} gives the same sales`, async () => {
    const rows = [row(1, { saon: 'FLAT 2', paon: '38' }), row(2), row(3, { postcode: '', town: 'COWES' })];
    const report = await home.ingest([home.put('ppd_data.csv', exportCsv(rows, afterHeader))]);
    assert.deepEqual(report.sources[0]?.files[0]?.layout, 'query-tool export');
    assert.deepEqual(home.live(), liveAfter(rows));
  });
}

test('what cannot be read is rejected with its reason and line, and the rest is kept', async () => {
  const bad: readonly [Fields, string][] = [
    [row(10, { id: '{12}' }), 'its transaction id is not valid'],
    [row(11, { price: '1e5' }), 'its price is not a whole number of pounds'],
    [row(12, { price: '0' }), 'its price is not a whole number of pounds'],
    [row(13, { date: '2025-02-30 00:00' }), 'its date is not valid, or before 1995'],
    [row(14, { date: '27/06/2025' }), 'its date is not valid, or before 1995'],
    [row(15, { type: 'X' }), 'its property type is none of D, S, T, F, O'],
    [row(16, { new: '' }), 'its mark for newly built is neither Y nor N'],
    [row(17, { estate: 'X' }), 'its tenure is none of F, L, U'],
    [row(18, { category: '' }), 'its category is neither A nor B'],
    [row(19, { status: 'X' }), 'its record status is none of A, C, D'],
    [row(20).slice(0, 15), 'it has 15 columns instead of 16'],
  ];
  const report = await home.ingest([home.put('a.csv', bulkCsv([row(1), ...bad.map(([fields]) => fields)]))]);
  const expected: Record<string, number> = {};
  for (const [, reason] of bad) expected[reason] = (expected[reason] ?? 0) + 1;
  assert.deepEqual(count(report.sources[0]?.rejected ?? []), expected);
  assert.deepEqual(report.sources[0]?.rejected[0]?.places, ['a.csv:2']);
  assert.deepEqual(home.live(), liveAfter([row(1)]));
});

test('a sale dated after its file is set aside, and tells no day of the register', async () => {
  const rows = [
    row(1),
    row(2, { date: '2027-03-01 00:00', postcode: 'SW1V 1AA' }),
    row(3, { date: '2036-06-27 00:00' }),
    row(4, { date: '2026-11-16 00:00' }),
  ];
  const late = 'its date lies after the day of the file';
  const { sources } = await home.ingest([home.put('a.csv', bulkCsv(rows))]);
  assert.deepEqual(
    [sources[0]?.asOf, sources[0]?.kept, count(sources[0]?.rejected ?? [])],
    ['2025-06-27', 1, { [late]: 3 }],
  );
  assert.deepEqual(sources[0]?.rejected[0]?.places[0], 'a.csv:2');
  assert.deepEqual([home.live(), areasOf(home.store)], [liveAfter([row(1)]), ['PO']]);
  // A month in the name is the file's own; a correction that is mistyped leaves the sale as it was.
  const named = [
    row(5, { date: '2025-08-31 00:00' }),
    row(6, { date: '2025-09-01 00:00' }),
    row(1, { date: '2028-01-01 00:00', status: 'C' }),
    row(7, { date: '2025-08-01 00:00' }),
  ];
  const next = await home.ingest([home.put('2025-08.csv', bulkCsv(named))]);
  assert.deepEqual(
    [next.sources[0]?.asOf, count(next.sources[0]?.rejected ?? [])],
    ['2025-08-31', { [late]: 2 }],
  );
  assert.deepEqual(home.live(), liveAfter([row(1), ...named.filter((_, at) => at % 3 === 0)]));
});

test('a file most of whose sales are later than the month in its name is refused', async () => {
  const rows = [row(1, { date: '2024-12-27 00:00' }), row(2), row(3)];
  for (const prepare of [async () => {}, () => home.ingest([home.put('a.csv', bulkCsv([row(9)]))])]) {
    await prepare();
    await assert.rejects(
      home.ingest([home.put('from-2024-12.csv', bulkCsv(rows))]),
      /from-2024-12\.csv: is of 2024-12, by the month in its name, but 2 of its 3 sales are dated later; take the month out of its name/,
    );
  }
});

test('a file without a single good row is refused and says why', async () => {
  const file = home.put(
    'a.csv',
    bulkCsv([row(1, { price: '12,5' }), row(2, { price: '12' })]).replace('12,5', '1'),
  );
  await home.ingest([file]);
  await assert.rejects(
    home.ingest([home.put('b.csv', bulkCsv([row(1, { type: '?' })]))]).then(() => {
      home.remove();
      home = openSalesHome();
      return home.ingest([home.put('b.csv', bulkCsv([row(1, { type: '?' })]))]);
    }),
    /b\.csv: has no sale that can be loaded; b\.csv:1: its property type is none of D, S, T, F, O/,
  );
});

test('a change replaces, a deletion removes, unknown ones insert or are ignored, and a deleted sale may return', async () => {
  await home.ingest([home.put('1.csv', bulkCsv([row(1), row(2), row(3)]))]);
  const changed = row(1, {
    status: 'C',
    type: 'O',
    category: 'B',
    paon: 'ROSE COTTAGE',
    date: '2025-07-01 00:00',
  });
  const report = await home.ingest([
    home.put(
      '2.csv',
      bulkCsv([changed, row(2, { status: 'D' }), row(8, { status: 'C' }), row(9, { status: 'D' })]),
    ),
  ]);
  assert.deepEqual(home.live(), liveAfter([changed, row(3), row(8)]));
  assert.deepEqual(count(report.sources[0]?.revised ?? []), {
    'sale changed by a later record': 1,
    'sale deleted by a later record': 1,
  });
  await home.ingest([home.put('3.csv', bulkCsv([row(2, { price: '1000', date: '2025-08-01 00:00' })]))]);
  assert.deepEqual(
    home.live(),
    liveAfter([changed, row(3), row(8), row(2, { price: '1000', date: '2025-08-01' })]),
  );
});

test('a sale whose postcode moves to another area leaves the old one, in one run or in two', async () => {
  const moved = row(1, { status: 'C', postcode: 'SO14 2AA', date: '2025-07-01 00:00' });
  await home.ingest([home.put('1.csv', bulkCsv([row(1), row(2)]))]);
  await home.ingest([home.put('2.csv', bulkCsv([moved]))]);
  assert.deepEqual(home.live(), liveAfter([row(2), moved]));
  assert.deepEqual(areasOf(home.store), ['PO', 'SO']);
  // Deleted under the postcode it had before.
  await home.ingest([home.put('3.csv', bulkCsv([row(1, { status: 'D', date: '2025-08-01 00:00' })]))]);
  assert.deepEqual(areasOf(home.store), ['PO']);
  assert.deepEqual(home.live(), liveAfter([row(2)]));
});

test('a town of an area whose last sale has gone may turn up in another', async () => {
  const [left, moved] = [row(1, { postcode: 'SO14 2AA', town: 'COWES' }), row(1)];
  await home.ingest([home.put('1.csv', bulkCsv([left, moved]))]);
  assert.deepEqual(areasOf(home.store), ['PO']);
  const next = row(2, { town: 'COWES', date: '2025-07-01 00:00' });
  await home.ingest([home.put('2.csv', bulkCsv([next]))]);
  assert.deepEqual(home.live(), liveAfter([moved, next]));
});

test('areas that nothing touches keep their very files', async () => {
  await home.ingest([
    home.put('1.csv', bulkCsv([row(1), row(2, { postcode: 'M1 1AE', town: 'MANCHESTER' })])),
  ]);
  const before = home.store.openCurrent().manifest.parts;
  await home.ingest([
    home.put('2.csv', bulkCsv([row(3), row(2, { postcode: 'M1 1AE', town: 'MANCHESTER' })])),
  ]);
  const after = home.store.openCurrent().manifest.parts;
  assert.deepEqual(after['sales-m'], before['sales-m']);
  assert.notDeepEqual(after['sales-po'], before['sales-po']);
});

test('a release before that is damaged is told, and stays current with nothing beside it', async () => {
  await home.ingest([
    home.put('1.csv', bulkCsv([row(1), row(2, { postcode: 'M1 1AE', town: 'MANCHESTER' })])),
  ]);
  const file = path.join(home.store.openCurrent().dir, 'sales-po.part');
  const bytes = readFileSync(file);
  bytes[bytes.length - 9] = (bytes[bytes.length - 9] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  const before = readdirSync(home.store.folder);
  const changes = [row(3), row(4, { postcode: 'M1 1AE', town: 'MANCHESTER' })];
  await assert.rejects(home.ingest([home.put('2.csv', bulkCsv(changes))]), /^ReleaseDamaged: Part sales-po /);
  assert.deepEqual(readdirSync(home.store.folder), before);
  assert.equal(home.store.currentId(), 'made-1');
});

test('a file that was applied before is recognised and changes nothing, even after later ones', async () => {
  const first = home.put('latest.csv', bulkCsv([row(1), row(2)]));
  await home.ingest([first]);
  await home.ingest([home.put('2.csv', bulkCsv([row(2, { status: 'D', date: '2025-07-27 00:00' })]))]);
  const report = await home.ingest([home.put('again.csv', readFileSync(first, 'utf8'))]);
  assert.deepEqual(home.live(), liveAfter([row(1)]));
  assert.deepEqual(count(report.sources[0]?.rejected ?? []), {
    'the file has been applied before; is there a newer one?': 2,
  });
});

test('a sale without postcode goes to the area of its town, and waits while that cannot be told', async () => {
  const lost = row(1, { postcode: '', town: 'COWES' });
  const first = await home.ingest([home.put('1.csv', bulkCsv([lost, row(2), row(5, { postcode: '' })]))]);
  assert.equal(first.sources[0]?.rows, 2, 'the one in RYDE is told by its neighbour');
  assert.deepEqual(count(first.sources[0]?.rejected ?? []), {
    'no postcode, and its town does not decide the area': 1,
  });
  const second = await home.ingest([
    home.put('2.csv', bulkCsv([row(3, { town: 'COWES', date: '2025-07-27 00:00' })])),
  ]);
  assert.deepEqual([second.sources[0]?.rows, second.sources[0]?.rejected], [4, []]);
  // The town turns out to lie in two areas: nobody can tell any more.
  const third = await home.ingest([
    home.put('3.csv', bulkCsv([row(4, { town: 'COWES', postcode: 'SO14 2AA', date: '2025-08-27 00:00' })])),
  ]);
  assert.equal(third.sources[0]?.rows, 4);
  assert.deepEqual(
    home.live(),
    liveAfter(
      [
        lost,
        row(2),
        row(5, { postcode: '' }),
        row(3, { town: 'COWES' }),
        row(4, { town: 'COWES', postcode: 'SO14 2AA' }),
      ].map((fields, index) =>
        fields.map((field, at) =>
          at === 2 && index > 2 ? (index === 3 ? '2025-07-27' : '2025-08-27') : field,
        ),
      ),
    ),
  );
});

testWith(
  realFile('data/pricepaid'),
  'the real exports and the real beginning of the complete file are read without loss',
  async (realFolder) => {
    const names = [
      'greater_manchester_2019.csv',
      'newcastle_2022.csv',
      'pp-complete_first10298rows_1995.csv',
    ];
    const report = await home.ingest(names.map((name) => path.join(realFolder, name)));
    const [source] = report.sources;
    assert.deepEqual([source?.read, source?.kept], [15_374 + 6_311 + 10_298, 15_374 + 6_311 + 10_298]);
    assert.equal(home.live().length, source?.kept);
    assert.deepEqual(Object.keys(count(source?.rejected ?? [])), [
      'no postcode, and its town does not decide the area',
    ]);
  },
);
