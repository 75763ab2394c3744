// Asks the columns and SQLite the benchmark's questions about the same sales, and compares every answer.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { answerOf, ask, type Query, queriesFor } from '../../bench/sold-prices/queries.ts';
import { open } from '../../bench/sold-prices/sqlite.ts';
import { openSales } from '../../src/tables/sales/sales.ts';
import type { SalesHome } from '../sources/price-paid/files.ts';

/** Variations of the first question. */
export const usual: readonly Partial<Query>[] = [
  {},
  { type: 'D', limit: 500 },
  { minPrice: 200_000, maxPrice: 200_000, months: 360 },
  { street: 'ROAD', months: 360 },
  { minPrice: 50_000, maxPrice: 300_000, type: 'F', months: 360, offset: 20 },
];

/** Every question, and variations of the first, to the release and to SQLite. */
export async function assertEqualAnswers(
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
