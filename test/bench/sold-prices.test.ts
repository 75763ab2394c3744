// The columns and SQLite give equal answers to the benchmark's questions, on generated sales in the official layout:
// on areas as large as real ones, and before and after a month of changes. Checks of a change ask for a million rows
// (DOMESDAY_EQUALITY_ROWS=1000000, see .ci/run).

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { allLines, changeLines, createWorld, writeLines } from '../../bench/sold-prices/generate.ts';
import { answerOf, ask, type Query, queriesFor } from '../../bench/sold-prices/queries.ts';
import { open } from '../../bench/sold-prices/sqlite.ts';
import { openSales } from '../../src/tables/sales/sales.ts';
import { areaParts, openSalesHome, type SalesHome } from '../sources/price-paid/files.ts';

const largeRows = Number(process.env.DOMESDAY_EQUALITY_ROWS ?? 150_000);
const rows = 60_000;
const world = createWorld(rows, 3);
let home: SalesHome;
before(() => {
  home = openSalesHome();
});
after(() => home.remove());

/** Variations of the first question. */
const usual: readonly Partial<Query>[] = [
  {},
  { type: 'D', limit: 500 },
  { minPrice: 200_000, maxPrice: 200_000, months: 360 },
  { street: 'ROAD', months: 360 },
  { minPrice: 50_000, maxPrice: 300_000, type: 'F', months: 360, offset: 20 },
];

const prices = { minPrice: 120_000, maxPrice: 333_333 };
/** Texts that few and many streets have, whole words and cut ones, with every other filter and far pages. */
const streets: readonly Partial<Query>[] = ['ROAD', 'OAD', 'A', 'E', 'CHURCH', 'GREEN W'].flatMap(
  (street) => [
    { street, area: 'B', months: 360 },
    { street, area: 'B', months: 97, ...prices },
    { street, area: 'B', months: 360, type: 'T', ...prices, offset: 40 },
    { street, area: 'B', months: 200, offset: 700, limit: 500 },
  ],
);
const ranges: readonly Partial<Query>[] = [12, 60, 143, 360].map((months) => ({
  area: 'B',
  months,
  ...prices,
}));

/** Every question, and variations of the first, to the release and to SQLite. */
async function assertEqualAnswers(
  home: SalesHome,
  csv: string,
  variations: readonly Partial<Query>[],
): Promise<number> {
  const sqlite = await open(csv, path.join(home.folder, 'sales.sqlite'));
  try {
    const sales = openSales(home.store.openCurrent());
    const [typical, largest] = [sales.find('GU'), sales.find('B')];
    assert.ok(typical !== undefined && largest !== undefined);
    const queries = queriesFor(typical.postcode(3), largest.length);
    const [first] = queries;
    assert.ok(first !== undefined);
    const all = [...queries, ...variations.map((place) => ({ ...first, ...place }))];
    for (const query of all) {
      const own = answerOf(ask(home.store.openCurrent(), query));
      assert.ok(own.total > 0, query.name);
      assert.deepEqual(own, await sqlite.ask(query), JSON.stringify(query));
    }
    return all.length;
  } finally {
    await sqlite.close();
    rmSync(path.join(home.folder, 'sales.sqlite'));
  }
}

test('generated sales of every area: every answer equals that of SQLite', async () => {
  const csv = path.join(home.folder, 'pp.csv');
  writeLines(csv, allLines(world, rows));
  const report = await home.ingest([csv]);
  assert.equal(report.sources[0]?.rows, rows);
  assert.ok((await assertEqualAnswers(home, csv, usual)) > 10);
});

test('after a month of changes: every answer equals that of the whole state loaded afresh', async () => {
  const changes = path.join(home.folder, 'changes.csv');
  writeLines(changes, changeLines(world, rows, 3000));
  await home.ingest([changes]);
  // The whole state, as the last word about each sale has it.
  const live = new Map<string, string>();
  for (const line of [...allLines(world, rows), ...changeLines(world, rows, 3000)]) {
    const id = line.slice(0, 40);
    if (line.endsWith('"D"\n')) live.delete(id);
    else live.set(id, line);
  }
  const csv = path.join(home.folder, 'state.csv');
  writeLines(csv, live.values());
  await assertEqualAnswers(home, csv, usual);
  const afresh = openSalesHome();
  await afresh.ingest([csv]);
  assert.deepEqual(areaParts(home.store), areaParts(afresh.store), 'byte for byte');
  afresh.remove();
});

test('generated sales of two large areas, whose common words have sets: every answer equals that of SQLite', async () => {
  const large = openSalesHome();
  try {
    const csv = path.join(large.folder, 'pp.csv');
    writeLines(csv, allLines(createWorld(largeRows, 5, ['B', 'GU']), largeRows));
    await large.ingest([csv]);
    const segment = openSales(large.store.openCurrent()).find('B');
    assert.ok(segment?.sets.find('E') !== undefined && segment.sets.find('GREEN W') === undefined);
    assert.ok((await assertEqualAnswers(large, csv, [...usual, ...streets, ...ranges])) > 35);
  } finally {
    large.remove();
  }
});
