// The columns and SQLite give equal answers to the benchmark's questions, on generated sales in the official layout,
// before and after a month of changes. DOMESDAY_EQUALITY_ROWS=1000000 asks for more rows than the usual.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { allLines, changeLines, createWorld, writeLines } from '../../bench/sold-prices/generate.ts';
import { answerOf, ask, type Query, queriesFor } from '../../bench/sold-prices/queries.ts';
import { open } from '../../bench/sold-prices/sqlite.ts';
import { openSales } from '../../src/tables/sales.ts';
import { openSalesHome, type SalesHome } from '../sources/price-paid-files.ts';

const rows = Number(process.env.DOMESDAY_EQUALITY_ROWS ?? 60_000);
const world = createWorld(rows, 3);
let home: SalesHome;
before(() => {
  home = openSalesHome();
});
after(() => home.remove());

const places: readonly Partial<Query>[] = [
  {},
  { type: 'D', limit: 500 },
  { minPrice: 200_000, maxPrice: 200_000, months: 360 },
  { street: 'ROAD', months: 360 },
  { minPrice: 50_000, maxPrice: 300_000, type: 'F', months: 360, offset: 20 },
];

/** Every question, and variations of the first, to the release and to SQLite. */
async function assertEqualAnswers(csv: string): Promise<number> {
  const sqlite = await open(csv, path.join(home.folder, 'sales.sqlite'));
  try {
    const sales = openSales(home.store.openCurrent());
    const [typical, largest] = [sales.find('GU'), sales.find('B')];
    assert.ok(typical !== undefined && largest !== undefined);
    const queries = queriesFor(typical.postcode(3), largest.length);
    const [first] = queries;
    assert.ok(first !== undefined);
    const all = [...queries, ...places.map((place) => ({ ...first, ...place }))];
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

test('generated sales: every answer equals that of SQLite', async () => {
  const csv = path.join(home.folder, 'pp.csv');
  writeLines(csv, allLines(world, rows));
  const report = await home.ingest([csv]);
  assert.equal(report.sources[0]?.rows, rows);
  assert.ok((await assertEqualAnswers(csv)) > 10);
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
  await assertEqualAnswers(csv);
});
