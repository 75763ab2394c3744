// Promise: price-paid addresses may be shown only as price information, so no endpoint but sold prices reads them,
// and the attribution is where callers find it.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openRig, type Rig } from '../rig.ts';

const root = path.join(import.meta.dirname, '../..');
let rig: Rig;
before(async () => {
  rig = await openRig();
});
after(() => rig.close());

test('only the endpoints of sold prices can reach the sales, and only their list the addresses', () => {
  const files = globSync('src/**/*.ts', { cwd: root });
  const readers = files.filter(
    (file) =>
      !/^src\/(tables|sources)\//.test(file) &&
      // Which months are in has nothing of a sale.
      /from '[^']*tables\/sales(?!\/changes\.ts)/.test(readFileSync(path.join(root, file), 'utf8')),
  );
  assert.deepEqual(readers.sort(), [
    'src/endpoints/area-sold-prices-trend.ts',
    'src/endpoints/area-sold-prices.ts',
    'src/endpoints/sold-prices/filter.ts',
    'src/endpoints/sold-prices/page.ts',
  ]);
  const pages = files.filter((file) =>
    /from '[^']*sold-prices\/page\.ts'/.test(readFileSync(path.join(root, file), 'utf8')),
  );
  assert.deepEqual(pages, ['src/endpoints/area-sold-prices.ts']);
});

test('the attribution is in /datasets, in the documents and in the description of the endpoint', async () => {
  const words = /Contains HM Land Registry data © Crown copyright and database right \d{4}/;
  assert.match((await rig.get('/api/v1/datasets')).body, words);
  for (const file of ['docs/data-sources.md', 'docs/api.md', 'data/sample/README.md']) {
    assert.match(readFileSync(path.join(root, file), 'utf8'), words, file);
  }
});
