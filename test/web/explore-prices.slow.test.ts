// Sold prices and Bank Rate in the explorer, in a real browser against the real service: what the page shows is what the API
// answers, wherever the reader goes, and what they save is the same.

import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { browser, testWith } from '../requirements.ts';
import { changeAnswers, notNow } from './change-answers.ts';
import { exploreDeskOfFile } from './explore-desk.ts';
import { lookOverStates } from './look-over-states.ts';
import { explorePriceStates } from './states/explore-prices.ts';
import { lookOver, unfold, type Visit, visit } from './visit.ts';

const service = exploreDeskOfFile();

type Opened = Visit & {
  /** The API's own answer to a question, with the key that the page calls with. */
  readonly api: (target: string, accept?: string) => Promise<string>;
};

async function open(
  path: string,
  look: Parameters<typeof visit>[2] = { width: 1280, colours: 'light' },
): Promise<Opened> {
  const visited = await visit(service().browser, service().url, look);
  const { page } = visited;
  const [call] = await Promise.all([
    page.waitForRequest((request) => request.headers()['x-api-key'] !== undefined),
    page.goto(path),
  ]);
  const key = call.headers()['x-api-key'] ?? assert.fail('a call without a key');
  const api = async (target: string, accept = 'application/json') => {
    const told = await page.evaluate(
      async (asked) => {
        const response = await fetch(asked.target, {
          headers: { 'x-api-key': asked.key, accept: asked.accept },
        });
        return { status: response.status, text: await response.text() };
      },
      { target: `/api/v1${target}`, key, accept },
    );
    assert.equal(told.status, 200, told.text);
    return told.text;
  };
  return { ...visited, api };
}

type Sale = { readonly price: number; readonly date: string; readonly postcode: string };
type Sales = {
  readonly totalResults: number;
  readonly returned: number;
  readonly summary: { readonly medianPrice: number };
  readonly properties: readonly Sale[];
};
type TrendMonth = {
  readonly month: string;
  readonly count: number | null;
  readonly medianPrice: number | null;
};

async function salesOf({ api }: Opened, query: string): Promise<Sales> {
  const told: { data: Sales } = JSON.parse(await api(`/area/sold-prices?${query}`));
  return told.data;
}
async function trendOf({ api }: Opened, query: string): Promise<readonly TrendMonth[]> {
  const told: { data: { months: readonly TrendMonth[] } } = JSON.parse(
    await api(`/area/sold-prices/trend?${query}`),
  );
  return told.data.months;
}

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

/** Each row of the table of sales that is in sight. */
const salesShown = (page: Page): Promise<readonly (readonly string[])[]> =>
  panel(page, 'sales')
    .locator('.stack > .table-frame tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent ?? '')),
    );

async function tellsWhatTheApiTells(opened: Opened, query: string): Promise<void> {
  const { page } = opened;
  const sales = await salesOf(opened, `${query}&limit=500`);
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

testWith(browser, 'figures and rows are the API’s, by kind, by filter, back and forward', async () => {
  const opened = await open('/explore/ZZ1-1AA');
  const { page } = opened;
  await tellsWhatTheApiTells(opened, 'outcode=ZZ1&months=24');

  await panel(page, 'prices').getByRole('button', { name: 'Terraced' }).click();
  await page.getByText('Median price by month, terraced', { exact: true }).waitFor();
  assert.equal(new URL(page.url()).search, '?type=T');
  await tellsWhatTheApiTells(opened, 'outcode=ZZ1&months=24&type=T');

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
  await tellsWhatTheApiTells(opened, filtered);

  await page.goBack();
  await tellsWhatTheApiTells(opened, 'outcode=ZZ1&months=24&type=T');
  await page.goBack();
  await page.getByText('Median price by month, all kinds', { exact: true }).waitFor();
  await tellsWhatTheApiTells(opened, 'outcode=ZZ1&months=24');
  await page.goForward();
  await page.goForward();
  await tellsWhatTheApiTells(opened, filtered);
  // The same by its address alone.
  await page.reload();
  await tellsWhatTheApiTells(opened, filtered);
  await opened.close();
});

testWith(
  browser,
  'months of the chart are those of the API: known ones with their price, others in words',
  async () => {
    const opened = await open('/explore/ZZ1-1AA');
    const { page } = opened;
    const months = await trendOf(opened, 'outcode=ZZ1&months=24');
    const trend = panel(page, 'prices');
    const place = chart(trend, /^Median price by month/);
    await place.locator('canvas').waitFor();
    await place.focus();
    const words = trend.locator('.chart-point');
    const monthWords = ({ month }: TrendMonth) =>
      new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
        new Date(`${month}-01`),
      );
    for (const [at, month] of months.entries()) {
      await page.keyboard.press(at === 0 ? 'Home' : 'ArrowRight');
      const said = await words.innerText();
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
    await opened.close();
  },
);

testWith(browser, 'each sale is found in the scatter by keyboard and by pointer', async () => {
  const opened = await open('/explore/ZZ1-1AA');
  const { page } = opened;
  const { properties, totalResults } = await salesOf(opened, 'outcode=ZZ1&months=24&limit=500');
  const place = chart(panel(page, 'sales'), /^Price by day, all/);
  await place.locator('canvas').waitFor();
  await place.focus();
  const words = panel(page, 'sales').locator('.sale-charts .chart-point').first();
  const said = new Set<string>();
  for (let at = 0; at < totalResults; at += 1) {
    await page.keyboard.press(at === 0 ? 'Home' : 'ArrowRight');
    said.add(await words.innerText());
  }
  for (const { price, postcode } of properties)
    assert.ok(
      [...said].some((each) => each.includes(`: ${pounds(price)}, `) && each.endsWith(postcode)),
      `${price} in ${postcode}`,
    );
  const box = (await place.locator('.u-over').boundingBox()) ?? assert.fail('not drawn');
  const found = new Set<string>();
  for (let across = 0.02; across < 1; across += 0.04)
    for (let down = 0.1; down < 1; down += 0.2) {
      await page.mouse.move(box.x + box.width * across, box.y + box.height * down);
      const each = await words.innerText();
      if (each !== '') found.add(each);
    }
  assert.ok(found.size > 10, `${found.size} found by pointer`);
  assert.deepEqual(
    [...found].filter((each) => !said.has(each)),
    [],
  );
  await opened.close();
});

const saved = async (page: Page, press: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> => {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: download.suggestedFilename(), bytes: await buffer(await download.createReadStream()) };
};

testWith(browser, 'sales are saved as the API writes them; a chart as PNG, SVG and CSV', async () => {
  const opened = await open('/explore/ZZ1-1AA?type=S');
  const { page, api } = opened;
  const csv = await saved(page, () => page.getByRole('button', { name: 'Save these sales as CSV' }).click());
  assert.equal(
    csv.bytes.toString(),
    await api('/area/sold-prices?outcode=ZZ1&months=24&limit=500&type=S', 'text/csv'),
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
  const months = await trendOf(opened, 'outcode=ZZ1&months=24&type=S');
  const rows = (await save('CSV')).bytes.toString().trimEnd().split('\r\n').slice(1);
  assert.deepEqual(
    rows.map((row) => row.split(',').at(-2)),
    months.map(({ medianPrice }) => (medianPrice === null ? '' : String(medianPrice))),
  );
  await opened.close();
});

testWith(
  browser,
  'Bank Rate is the one in force, each change is told, and prices stand below it when wished for',
  async () => {
    const opened = await open('/explore/ZZ1-1AA');
    const { page, api } = opened;
    type Rates = {
      readonly current: { readonly rate: number; readonly label: string };
      readonly rateChanges: readonly { readonly date: string; readonly rate: number }[];
    };
    const rates: Rates = JSON.parse(await api('/bank-rates?limit=500'));
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
    await opened.close();
  },
);

testWith(browser, 'a panel whose call fails says so and asks again; the other lives on', async () => {
  const opened = await open('/explore/ZZ1-1AA');
  const { page } = opened;
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
  await opened.close();
});

testWith(
  browser,
  'figures of some sales say of which, and a change is told of enough sales alone',
  async () => {
    const opened = await open(
      '/explore/ZZ1-1AA?sales-in=area&min-price=200000&max-price=400000&new-build=true',
    );
    const { page } = opened;
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
    await opened.close();
  },
);

testWith(browser, 'with everything open it can be read by everybody, on a phone and on a desk', async () => {
  for (const look of [
    { width: 360, colours: 'dark' },
    { width: 1280, colours: 'light' },
  ] as const) {
    const opened = await open('/explore/ZZ1-1AA?rate-beside=prices&min-price=1000', look);
    const { page } = opened;
    await chart(panel(page, 'prices-meanwhile'), /^Median/)
      .locator('canvas')
      .waitFor();
    for (const each of await page.getByText('As a table or a file').all()) await unfold(each);
    await lookOver(opened, `sold prices at ${look.width}`);
    await opened.close();
  }
});

lookOverStates(explorePriceStates);
