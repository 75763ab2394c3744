// Sales of a place that has more of them than an answer can hold, in a real browser against the real service: page by page, back and
// forward, and as files that together have every sale once. And what the figures say of how prices are spread.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { numberText, poundsText, shortPounds } from '../../web/formats.ts';
import { runDomesday } from '../rig.ts';
import { bulkCsv, row } from '../sources/price-paid/files.ts';
import { explorer } from './explore-desk.ts';
import { unfold } from './visit.ts';

const added = 1_130;

/** Sales of a town, each for a price of its own. */
async function addSales(home: string): Promise<void> {
  const file = path.join(home, 'changes.csv');
  const rows = Array.from({ length: added }, (_, at) =>
    row(at + 1, {
      price: String(100_000 + 137 * at),
      date: `${at % 2 === 0 ? 2025 : 2026}-${String((at % 8) + 1).padStart(2, '0')}-${String((at % 27) + 1).padStart(2, '0')} 00:00`,
      paon: String(at + 1),
    }),
  );
  // With a deletion it is a file of changes, which leaves the sales before it.
  writeFileSync(file, bulkCsv([...rows, row(added + 1, { status: 'D' })]));
  const { code, err } = await runDomesday(['ingest', file, '--home', home]);
  assert.equal(code, 0, err);
}

const { desk, open, test } = explorer(addSales);

const sales = (page: Page) => page.locator('#sales');
const go = (page: Page, which: 'Next' | 'Previous') =>
  sales(page).getByRole('button', { name: new RegExp(`^${which} sales`) });

const question = { outcode: 'PO33', months: '24' };

/** The part of the list that stands in the caption, in the rows and in the charts, as the API answers it; saved, its CSV. */
async function holds(page: Page, offset: number): Promise<string> {
  const params = { ...question, limit: '500', ...(offset === 0 ? {} : { offset: String(offset) }) };
  const { properties, returned, totalResults } = await desk().call('/area/sold-prices', params);
  const part = `sales ${numberText(offset + 1)} to ${numberText(offset + returned)} of ${numberText(totalResults)}`;
  await sales(page).getByText(`Price by day, ${part}`, { exact: true }).waitFor();
  await sales(page).getByText(`Spread of prices, ${part}`, { exact: true }).waitFor();
  const table = sales(page).getByRole('group', { name: `Sales in PO33: ${part}` });
  const prices = await table.locator('tbody td[data-title="Price"]').allInnerTexts();
  assert.deepEqual(
    prices,
    properties.slice(0, 12).map(({ price }) => poundsText(price)),
  );
  // The service sorts: a heading would sort this part alone.
  assert.equal(await table.locator('thead button').count(), 0);
  assert.equal(await go(page, 'Previous').count(), offset === 0 ? 0 : 1);
  assert.equal(await go(page, 'Next').count(), offset + returned < totalResults ? 1 : 0);
  assert.equal(new URL(page.url()).searchParams.get('offset'), offset === 0 ? null : String(offset));
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    sales(page).getByRole('button', { name: 'Save these sales as CSV' }).click(),
  ]);
  const saved = await text(await download.createReadStream());
  assert.equal(saved, await desk().table('/area/sold-prices', params));
  assert.equal(download.suggestedFilename(), `sold-prices-po33-${part.replaceAll(/[ ,]+/g, '-')}.csv`);
  return saved;
}

test('more sales than an answer holds are shown page by page, back and forward, and saved each once', async () => {
  const { page } = await open('/explore/PO33-2RX', 1280);
  const { totalResults } = await desk().call('/area/sold-prices', { ...question, limit: '1' });
  assert.ok(totalResults > 1_000 && totalResults < 1_500, String(totalResults));
  const files = [await holds(page, 0)];
  await go(page, 'Next').click();
  files.push(await holds(page, 500));
  await go(page, 'Next').click();
  files.push(await holds(page, 1_000));
  const lines = files.flatMap((file) => file.trimEnd().split('\r\n').slice(1));
  assert.equal(lines.length, totalResults);
  assert.equal(new Set(lines).size, totalResults, 'no sale twice');
  await go(page, 'Previous').click();
  await holds(page, 500);
  await page.goBack();
  await holds(page, 1_000);
  await page.goBack();
  await page.goBack();
  await holds(page, 0);
  await page.goForward();
  await holds(page, 500);
  // The same by its address alone, and from the beginning with another filter.
  await page.reload();
  await holds(page, 500);
  await page.locator('#prices').getByRole('button', { name: 'Terraced' }).click();
  await page.getByText('Median price by month, terraced', { exact: true }).waitFor();
  assert.equal(new URL(page.url()).search, '?type=T');
});

test('prices are spread as the API says: the middle half of all sales, the quartiles of each month, a bar for each step', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  const asked = { outcode: 'ZZ1', months: '24' };
  const told = await desk().call('/area/sold-prices', { ...asked, limit: '500', include: 'quartiles' });
  const { lower, upper } = told.summary.quartiles ?? assert.fail('no quartiles');
  const prices = page.locator('#prices');
  await prices
    .getByText(`half sold for ${shortPounds(lower)} to ${shortPounds(upper)}`, { exact: true })
    .waitFor();
  const { months } = await desk().call('/area/sold-prices/trend', asked);
  await unfold(prices.getByText('As a table or a file'));
  const rows = await prices
    .locator('.chart-table tbody tr')
    .evaluateAll((found) =>
      found.map((each) => [...each.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
    );
  for (const [at, { lowerQuartile, medianPrice, upperQuartile }] of months.entries())
    if (lowerQuartile !== null && medianPrice !== null && upperQuartile !== null)
      assert.deepEqual(rows[at], [lowerQuartile, medianPrice, upperQuartile].map(poundsText));
  // The bars hold every sale, each in its step.
  const spread = sales(page).locator('figure', { hasText: 'Spread of prices' });
  await unfold(spread.getByText('As a table or a file'));
  const bars = await spread.locator('.chart-table tbody tr').evaluateAll((found) =>
    found.map((each) => ({
      step: each.querySelector('th')?.textContent ?? '',
      count: Number(each.querySelector('td')?.textContent),
    })),
  );
  const poundsOf = (text: string) =>
    Number(text.replace('£', '').replace('k', '')) * (text.endsWith('k') ? 1_000 : 1);
  for (const { step, count } of bars) {
    const [from = '', to = ''] = step.split(/ to | and more/);
    const most = to === '' ? Number.POSITIVE_INFINITY : poundsOf(to);
    const within = told.properties.filter(({ price }) => price >= poundsOf(from) && price < most);
    assert.equal(count, within.length, step);
  }
  assert.equal(
    bars.reduce((sum, { count }) => sum + count, 0),
    told.totalResults,
  );
  // Few sales have no spread.
  const few = await desk().call('/area/sold-prices', { ...asked, type: 'D', minPrice: '450000' });
  assert.ok(few.totalResults > 0 && few.totalResults < 8, String(few.totalResults));
  await page.goto('/explore/ZZ1-1AA?type=D&min-price=450000');
  await sales(page)
    .getByText(`Price by day, all ${few.totalResults} matching sales of detached homes`, { exact: true })
    .waitFor();
  assert.equal(await sales(page).getByText('Spread of prices').count(), 0);
  // An order that the address leaves half unsaid is shown as the API takes it.
  for (const [query, chosen] of Object.entries({
    'sort=price': 'price desc',
    'order=asc': 'date asc',
    'sort=date&order=desc': '',
  })) {
    await page.goto(`/explore/ZZ1-1AA?${query}`);
    assert.equal(await page.getByLabel('Order').inputValue(), chosen, query);
  }
});

test('a table that cannot be saved says why, and can be asked for again', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  let isBroken = true;
  await page.route('**/api/v1/area/sold-prices?**', (route) =>
    isBroken && route.request().headers().accept === 'text/csv'
      ? route.fulfill({ status: 503, json: { error: { code: 'DATABASE_ERROR', message: 'No table now.' } } })
      : route.continue(),
  );
  const save = sales(page).getByRole('button', { name: 'Save these sales as CSV (free)', exact: true });
  await save.click();
  const words = sales(page).getByText('The data cannot be read just now. Try again in a moment.');
  await words.waitFor();
  isBroken = false;
  await Promise.all([page.waitForEvent('download'), save.click()]);
  await words.waitFor({ state: 'detached' });
});
