// The columns and SQLite give equal answers to the benchmark's questions on areas as large as real ones, where common words have
// sets of their own.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { allLines, createWorld, writeLines } from '../../bench/sold-prices/generate.ts';
import type { Query } from '../../bench/sold-prices/queries.ts';
import { openSales } from '../../src/tables/sales/sales.ts';
import { openSalesHome } from '../sources/price-paid/files.ts';
import { assertEqualAnswers, usual } from './equal-sales.ts';

const largeRows = 1_000_000;
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
