// Promise: whatever is listed in pages can be read to its end by following `Link`, as JSON and as CSV: every row once, in the
// order of the whole, and no page is empty.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { endpoints } from '../../src/endpoints/index.ts';
import { firstRows } from '../../src/ingest/read/csv.ts';
import { openRig, type Rig } from '../rig.ts';

let rig: Rig;
let key: string;
before(async () => {
  rig = await openRig();
  const limits = { minute: null, day: null, month: null };
  ({ key } = await rig.customer({ limits, credits: 1_000_000 }));
});
after(() => rig.close());

/** What is asked for, and the largest page there is. */
const lists: Readonly<Record<string, { query: string; most: number }>> = {
  '/area/sold-prices': { query: 'area=EC&months=360', most: 500 },
  '/area/places': { query: 'postcode=NP10 8WA&radius=1000', most: 500 },
  '/bank-rates': { query: 'startDate=1985-01-01', most: 500 },
  '/council-tax/authorities': { query: 'nation=Wales', most: 100 },
  '/postcodes/near': { query: 'lat=51.5545&lon=-3.0271&radius=700', most: 100 },
};

type Page = { readonly rows: readonly (readonly string[])[]; readonly next: string | undefined };

async function page(url: string): Promise<Page> {
  const { statusCode, body, headers } = await rig.get(url, key, { accept: 'text/csv' });
  assert.equal(statusCode, 200, `${url} ${body}`);
  const [, ...rows] = firstRows(Buffer.from(body), Number.POSITIVE_INFINITY, 'utf-8');
  const next = /^<(.*)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1];
  const json = await rig.get(url, key);
  assert.equal(json.headers.link, headers.link, url);
  return { rows, next };
}

test('every endpoint with pages is in this list, or has a test of its own', () => {
  const elsewhere = ['/crime/by-postcode', '/account/usage'];
  assert.deepEqual(
    [...Object.keys(lists), ...elsewhere].toSorted(),
    endpoints.flatMap(({ path, isPaged }) => (isPaged ? [path] : [])).toSorted(),
  );
});

for (const [path, { query, most }] of Object.entries(lists)) {
  test(`${path}: pages of any size have together what one page has`, async () => {
    const whole = await page(`/api/v1${path}?${query}&limit=${most}`);
    const count = whole.rows.length;
    assert.ok(count > 3, `${count}`);
    const sizes = fc.integer({ min: Math.ceil(count / 12), max: count + 1 });
    await fc.assert(
      fc.asyncProperty(sizes, async (limit) => {
        const rows: (readonly string[])[] = [];
        let next: string | undefined = `/api/v1${path}?${query}&limit=${limit}`;
        while (next !== undefined && rows.length <= count) {
          const told: Page = await page(next);
          assert.ok(told.rows.length > 0, next);
          rows.push(...told.rows);
          next = told.next;
        }
        const expected = whole.next === undefined ? whole.rows : whole.rows.slice(0, rows.length);
        assert.deepEqual(rows.slice(0, count), expected);
        if (whole.next === undefined) assert.equal(rows.length, count);
      }),
      { numRuns: 12, examples: [[count], [count - 1], [Math.ceil(count / 2)]] },
    );
  });
}
