// The columns and SQLite give equal answers to the benchmark's questions, on generated sales in the official layout, before and
// after a month of changes.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { allLines, changeLines, createWorld, writeLines } from '../../bench/sold-prices/generate.ts';
import { areaParts, openSalesHome, type SalesHome } from '../sources/price-paid/files.ts';
import { assertEqualAnswers, usual } from './equal-sales.ts';

const rows = 60_000;
const world = createWorld(rows, 3);
let home: SalesHome;
before(() => {
  home = openSalesHome();
});
after(() => home.remove());

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
