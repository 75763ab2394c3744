// Tables of the explorer where they have little room, in a real browser against the real service: on a phone, and beside a second
// place. That none is read by scrolling sideways is checked in every state (visit.ts).

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { poundsText } from '../../web/formats.ts';
import { explorer } from './explore-desk.ts';

const { desk, open, test } = explorer();

const table = (page: Page, name: RegExp) => page.getByRole('group', { name });

/** Parts that are no longer laid out as those of a table, and do not say what they are. */
const nameless = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll('.table-frame :is(table, thead, tbody, tr, th, td)')]
    .filter((part) => !getComputedStyle(part).display.startsWith('table') && !part.hasAttribute('role'))
    .map((part) => part.outerHTML.slice(0, 80))`);

const layoutOf = async (page: Page, name: RegExp): Promise<string> => {
  const label = await table(page, name).getAttribute('aria-label');
  return page.evaluate(
    `getComputedStyle(document.querySelector('[aria-label="${label}"] tbody tr')).display`,
  );
};

const everyTable = [
  /schools within/i,
  /^Sales in ZZ1/,
  /^Share of each kind/,
  /^Council tax by band/,
  /^Band D in nearby/,
];

test('on a phone rows stand in lines, which whoever hears the page still knows as a table; on a desk in columns', async () => {
  for (const { width, layout } of [
    { width: 360, layout: 'flex' },
    { width: 1280, layout: 'table-row' },
  ] as const) {
    const { page } = await open('/explore/ZZ1-1AA', width);
    await page.getByText('Compare with Zedbury Constabulary').click();
    await page.getByText('What nearby authorities charge').click();
    for (const name of everyTable) {
      await table(page, name).waitFor();
      assert.equal(await layoutOf(page, name), layout, String(name));
    }
    assert.deepEqual(await nameless(page), []);
  }
});

test('beside a second place rows stand in lines on a desk too: what counts is the room of the table', async () => {
  const { page } = await open('/explore/ZZ1-1AA?with=ZZ3-1AA', 1280);
  for (const name of [/schools within/i, /^Council tax by band, Zedborth/]) {
    await table(page, name).waitFor();
    assert.equal(await layoutOf(page, name), 'flex', String(name));
  }
  assert.equal(await layoutOf(page, /^Sales in ZZ1/), 'table-row', 'it has all of the width');
});

test('on a phone sales are sorted by their headings and shown on, as on a desk', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 360);
  const { properties } = await desk().call('/area/sold-prices', {
    outcode: 'ZZ1',
    months: '24',
    limit: '500',
  });
  const prices = properties.map(({ price }) => price);
  const sales = table(page, /^Sales in ZZ1/);
  const shown = () => sales.locator('tbody td[data-title="Price"]').allInnerTexts();
  const price = sales.getByRole('columnheader', { name: 'Price' });
  for (const heading of ['Day', 'Price', 'Address', 'Kind', 'Tenure', 'New build']) {
    const box = await sales.getByRole('button', { name: heading }).boundingBox();
    assert.ok(box !== null && box.height >= 44 && box.x >= 0 && box.x + box.width <= 360, heading);
  }
  // Sales come newest first, and the heading says so.
  assert.equal(
    await sales.getByRole('columnheader', { name: 'Day' }).getAttribute('aria-sort'),
    'descending',
  );
  await price.getByRole('button').click();
  await sales.locator('th.cell-number[aria-sort="descending"]').waitFor();
  assert.deepEqual(
    await shown(),
    prices
      .toSorted((a, b) => b - a)
      .slice(0, 12)
      .map(poundsText),
  );
  await price.getByRole('button').click();
  await sales.locator('th[aria-sort="ascending"]').waitFor();
  await page
    .locator('#sales')
    .getByRole('button', { name: /^Show 12 more/ })
    .click();
  await sales.locator('tbody tr').nth(23).waitFor();
  assert.deepEqual(
    await shown(),
    prices
      .toSorted((a, b) => a - b)
      .slice(0, 24)
      .map(poundsText),
  );
  // Another order of the service is told in the same way.
  await page.goto('/explore/ZZ1-1AA?sort=price&order=asc');
  await sales.locator('th.cell-number[aria-sort="ascending"]').waitFor();
  const [more, save] = await Promise.all(
    [/^Show 12 more/, /^Save these sales/].map((name) =>
      page.locator('#sales').getByRole('button', { name }).boundingBox(),
    ),
  );
  assert.deepEqual([more?.x, more?.height], [save?.x, save?.height]);
});
