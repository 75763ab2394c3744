// The columns and SQLite give equal answers to the benchmark's questions on areas as large as many real ones, where common words have
// sets of their own, and after a month of changes.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { allLines, changeLines, createWorld, writeLines } from '../../bench/sold-prices/generate.ts';
import type { Query } from '../../bench/sold-prices/queries.ts';
import { openSales } from '../../src/tables/sales/sales.ts';
import { areaParts, openSalesHome } from '../sources/price-paid/files.ts';
import { assertEqualAnswers, usual } from './equal-sales.ts';

const largeRows = 200_000;
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

test('after a month of changes: every answer equals that of the whole state loaded afresh', async () => {
  const rows = 60_000;
  const world = createWorld(rows, 3);
  const home = openSalesHome();
  const before = path.join(home.folder, 'pp.csv');
  writeLines(before, allLines(world, rows));
  await home.ingest([before]);
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
  home.remove();
});
