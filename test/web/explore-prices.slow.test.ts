// Sold prices and Bank Rate in the explorer, in a real browser against the real service: what the page shows is what the API
// answers, wherever the reader goes, and what they save is the same.

import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import type { Answers } from '../../web/api/answers.ts';
import { changeAnswers, notNow } from './change-answers.ts';
import { explorer } from './explore-desk.ts';
import { unfold } from './visit.ts';

const { desk, open, test } = explorer();

/** As a page writes it in its address. */
const paramsOf = (query: string) => Object.fromEntries(new URLSearchParams(query));

const pounds = (value: number) =>
  new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP', maximumFractionDigits: 0 }).format(
    value,
  );

const panel = (page: Page, id: string): Locator => page.locator(`#${id}`);

/** What stands below a label among the figures. */
const figure = (of: Locator, label: string): Locator =>
  of
    .locator('dl.figures > div', { has: of.page().locator('dt', { hasText: new RegExp(`^${label}(,|$)`) }) })
    .locator('.figure');

/** Waits for it, since a panel is filled when its answer comes. */
const figureIs = (of: Locator, label: string, value: string): Promise<void> =>
  figure(of, label)
    .and(of.page().getByText(value, { exact: true }))
    .waitFor();

const chart = (of: Locator, name: RegExp): Locator => of.getByRole('group', { name });

/** What the first chart there says of its first points, when the arrow key leads from each to the next: within the page, since it is
 *  pressed often. */
const wordsByKeys = (page: Page, of: string, count: number): Promise<readonly string[]> =>
  page.evaluate(`(async () => {
    const chart = document.querySelector('${of} figure.chart');
    const said = [];
    while (said.length < ${count}) {
      const key = new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true });
      if (said.length > 0) chart.querySelector('.chart-place').dispatchEvent(key);
      await new Promise((drawn) => setTimeout(drawn));
      said.push(chart.querySelector('.chart-point').innerText);
    }
    return said;
  })()`);

/** Each row of the table of sales that is in sight. */
const salesShown = (page: Page): Promise<readonly (readonly string[])[]> =>
  panel(page, 'sales')
    .locator('.stack > .table-frame tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent ?? '')),
    );

async function tellsWhatTheApiTells(page: Page, query: string): Promise<void> {
  const sales = await desk().call('/area/sold-prices', paramsOf(`${query}&limit=500`));
  assert.ok(sales.totalResults > 0, `no sale to compare with for ${query}`);
  await figureIs(panel(page, 'prices'), 'Median price', pounds(sales.summary.medianPrice));
  await figureIs(panel(page, 'prices'), 'Sales', String(sales.totalResults));
  const rows = await salesShown(page);
  assert.deepEqual(
    rows.map(([, price]) => price),
    sales.properties.slice(0, rows.length).map(({ price }) => pounds(price)),
  );
  assert.ok(rows.length === Math.min(12, sales.returned), `${rows.length} rows`);
}

test('figures and rows are the API’s, by kind, by filter, back and forward', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  await tellsWhatTheApiTells(page, 'outcode=ZZ1&months=24');

  await panel(page, 'prices').getByRole('button', { name: 'Terraced' }).click();
  await page.getByText('Median price by month, terraced', { exact: true }).waitFor();
  assert.equal(new URL(page.url()).search, '?type=T');
  await tellsWhatTheApiTells(page, 'outcode=ZZ1&months=24&type=T');

  const filters = panel(page, 'prices').locator('summary', { hasText: 'Filters' });
  const filterWords = async () => (await filters.innerText()).replaceAll(/\s+/g, ' ').trim();
  assert.equal(await filterWords(), 'Filters ZZ1, 2 years');
  await filters.click();
  await page.getByLabel('Lowest price').fill('150000');
  await page.getByLabel('Order').selectOption('Highest price first');
  await page.getByRole('button', { name: 'Show these sales' }).click();
  await page.getByRole('button', { name: 'Clear the filters' }).waitFor();
  assert.equal(await filterWords(), 'Filters ZZ1, 2 years, highest price first');
  const { searchParams } = new URL(page.url());
  assert.deepEqual(Object.fromEntries(searchParams), {
    type: 'T',
    'min-price': '150000',
    sort: 'price',
    order: 'desc',
  });
  const filtered = 'outcode=ZZ1&months=24&type=T&minPrice=150000&sort=price&order=desc';
  await tellsWhatTheApiTells(page, filtered);

  await page.goBack();
  await tellsWhatTheApiTells(page, 'outcode=ZZ1&months=24&type=T');
  await page.goBack();
  await page.getByText('Median price by month, all kinds', { exact: true }).waitFor();
  await tellsWhatTheApiTells(page, 'outcode=ZZ1&months=24');
  await page.goForward();
  await page.goForward();
  await tellsWhatTheApiTells(page, filtered);
  // The same by its address alone.
  await page.reload();
  await tellsWhatTheApiTells(page, filtered);
});

test('months of the chart are those of the API: known ones with their price, others in words', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  const { months } = await desk().call('/area/sold-prices/trend', paramsOf('outcode=ZZ1&months=24'));
  const trend = panel(page, 'prices');
  const place = chart(trend, /^Median price by month/);
  await place.locator('canvas').waitFor();
  await place.focus();
  const words = trend.locator('.chart-point');
  const monthWords = ({ month }: { readonly month: string }) =>
    new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
      new Date(`${month}-01`),
    );
  await page.keyboard.press('Home');
  const saidOf = await wordsByKeys(page, '#prices', months.length);
  for (const [at, month] of months.entries()) {
    const said = saidOf[at] ?? '';
    assert.ok(said.startsWith(monthWords(month)), `${said} for ${month.month}`);
    if (month.count === null) assert.ok(said.endsWith(': not loaded or not registered yet'), said);
    else if (month.medianPrice === null) assert.ok(said.endsWith(': no sales'), said);
    else assert.ok(said.includes(`: ${pounds(month.medianPrice)}`), said);
  }
  assert.ok(
    months.some(({ count }) => count === null),
    'the last months are not in the register',
  );
  await page.keyboard.press('PageUp');
  await page.keyboard.press('Home');
  assert.ok((await words.innerText()).startsWith(monthWords(months[0] ?? assert.fail('no month'))));
});

test('each sale is found in the scatter by keyboard and by pointer', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  const { properties, totalResults } = await desk().call(
    '/area/sold-prices',
    paramsOf('outcode=ZZ1&months=24&limit=500'),
  );
  const place = chart(panel(page, 'sales'), /^Price by day, all/);
  await place.locator('canvas').waitFor();
  await place.focus();
  const words = panel(page, 'sales').locator('.sale-charts .chart-point').first();
  await page.keyboard.press('Home');
  const said = new Set(await wordsByKeys(page, '#sales .sale-charts', totalResults));
  for (const { price, postcode } of properties)
    assert.ok(
      [...said].some((each) => each.includes(`: ${pounds(price)}, `) && each.endsWith(postcode)),
      `${price} in ${postcode}`,
    );
  const box = (await place.locator('.u-over').boundingBox()) ?? assert.fail('not drawn');
  const found = new Set<string>();
  for (let across = 0.02; across < 1; across += 0.07)
    for (let down = 0.1; down < 1; down += 0.25) {
      await page.mouse.move(box.x + box.width * across, box.y + box.height * down);
      const each = await words.innerText();
      if (each !== '') found.add(each);
    }
  assert.ok(found.size > 10, `${found.size} found by pointer`);
  assert.deepEqual(
    [...found].filter((each) => !said.has(each)),
    [],
  );
});

const saved = async (page: Page, press: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> => {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: download.suggestedFilename(), bytes: await buffer(await download.createReadStream()) };
};

test('sales are saved as the API writes them; a chart as PNG, SVG and CSV', async () => {
  const { page } = await open('/explore/ZZ1-1AA?type=S', 1280);
  const csv = await saved(page, () => page.getByRole('button', { name: 'Save these sales as CSV' }).click());
  assert.equal(
    csv.bytes.toString(),
    await desk().table('/area/sold-prices', paramsOf('outcode=ZZ1&months=24&limit=500&type=S')),
  );
  assert.match(csv.name, /^sold-prices-zz1-all-\d+-sales-of-semi-detached-homes\.csv$/);

  const trend = panel(page, 'prices');
  await unfold(trend.getByText('As a table or a file'));
  const save = (as: string) =>
    saved(page, () => trend.getByRole('button', { name: `Save as ${as}` }).click());
  const png = await save('PNG');
  assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
  assert.match(png.name, /^median-price-by-month-semi-detached\.png$/);
  const svg = (await save('SVG')).bytes.toString();
  assert.match(svg, /^<svg [^>]*>\n<title>Median price by month, semi-detached<\/title>/);
  assert.ok(!svg.includes('<image'), 'drawn, not a picture in a wrapper');
  const { months } = await desk().call('/area/sold-prices/trend', paramsOf('outcode=ZZ1&months=24&type=S'));
  const rows = (await save('CSV')).bytes.toString().trimEnd().split('\r\n').slice(1);
  assert.deepEqual(
    rows.map((row) => row.split(',').at(-2)),
    months.map(({ medianPrice }) => (medianPrice === null ? '' : String(medianPrice))),
  );
});

test('Bank Rate is the one in force, each change is told, and prices stand below it when wished for', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  const { text } = await desk().ask('/bank-rates', { limit: '500' });
  const rates: Answers['/bank-rates'] = JSON.parse(text);
  const rate = panel(page, 'bank-rate');
  await figureIs(rate, rates.current.label, `${rates.current.rate}%`);
  const place = chart(rate, /^Bank Rate, percent a year/);
  await place.locator('canvas').waitFor();
  await place.focus();
  await page.keyboard.press('Home');
  assert.equal(
    await rate.locator('.chart-point').innerText(),
    `From 20 Jan 1975: ${rates.rateChanges.at(-1)?.rate}%`,
  );
  await page.keyboard.press('End');
  assert.ok((await rate.locator('.chart-point').innerText()).endsWith(`: ${rates.rateChanges[0]?.rate}%`));
  await rate.getByRole('button', { name: 'Show prices below' }).click();
  const meanwhile = panel(page, 'prices-meanwhile');
  await chart(meanwhile, /^Median price by year in ZZ1/)
    .locator('canvas')
    .waitFor();
  assert.equal(new URL(page.url()).search, '?rate-beside=prices');
  // The same years stand above each other.
  const rooms = await page
    .locator('#bank-rate .u-over, #prices-meanwhile .u-over')
    .evaluateAll((found) => found.map((each) => each.getBoundingClientRect().left));
  assert.equal(rooms[0], rooms[1]);
  await page.goBack();
  await panel(page, 'prices-meanwhile').waitFor({ state: 'detached' });
});

test('a panel whose call fails says so and asks again; the other lives on', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  let isBroken = true;
  await changeAnswers(page, ['/area/sold-prices'], () => (isBroken ? notNow : undefined));
  await page.reload();
  await panel(page, 'sales').getByText('The data cannot be read just now.').waitFor();
  await figureIs(panel(page, 'prices'), 'Median price', 'no answer');
  await chart(panel(page, 'prices'), /^Median price by month/)
    .locator('canvas')
    .waitFor();
  isBroken = false;
  await panel(page, 'sales').getByRole('button', { name: 'Try again' }).click();
  await chart(panel(page, 'sales'), /^Price by day/).waitFor();
});

test('figures of some sales say of which, and a change is told of enough sales alone', async () => {
  const { page } = await open(
    '/explore/ZZ1-1AA?sales-in=area&min-price=200000&max-price=400000&new-build=true',
    1280,
  );
  const labels = panel(page, 'prices').locator('dl.figures dt');
  const which = panel(page, 'prices').locator('.only-sales');
  await labels.first().waitFor();
  assert.deepEqual(await labels.allInnerTexts(), ['Median price', 'Sales', 'Change in a year']);
  assert.equal(await which.innerText(), 'Only sales of £200,000 to £400,000, new builds.');
  await page
    .getByText(/^Price by day, all \d+ matching sales$/)
    .first()
    .waitFor();
  const change = panel(page, 'prices').locator('dl.figures > div', { hasText: 'Change in a year' });
  await change.getByText('not known', { exact: true }).waitFor();
  await change
    .getByText(/^too few sales to tell: \d+ in the last 6 known months against \d+ a year before/)
    .waitFor();
  await page.goto('/explore/ZZ1-1AA?max-price=400000');
  await which.getByText('Only sales of £400,000 or less.', { exact: true }).waitFor();
  await change.getByText(/^\d{2} sales in the last 6 known months against \d{2} a year before/).waitFor();
  await page.goto('/explore/ZZ1-1AA?type=F&min-price=100000');
  await which.getByText('Only flats of £100,000 or more.', { exact: true }).waitFor();
  await page
    .getByText(/^Price by day, all \d+ matching sales of flats$/)
    .first()
    .waitFor();
  await page.goto('/explore/ZZ1-1AA');
  await change.waitFor();
  assert.equal(await which.count(), 0);
});
