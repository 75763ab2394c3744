// The columns and SQLite give equal answers to the benchmark's questions, on generated sales in the official layout.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { allLines, createWorld, writeLines } from '../../bench/sold-prices/generate.ts';
import { openSalesHome } from '../sources/price-paid/files.ts';
import { assertEqualAnswers, usual } from './equal-sales.ts';

const rows = 60_000;

test('generated sales of every area: every answer equals that of SQLite', async () => {
  const home = openSalesHome();
  try {
    const csv = path.join(home.folder, 'pp.csv');
    writeLines(csv, allLines(createWorld(rows, 3), rows));
    const report = await home.ingest([csv]);
    assert.equal(report.sources[0]?.rows, rows);
    assert.ok((await assertEqualAnswers(home, csv, usual)) > 10);
  } finally {
    home.remove();
  }
});
