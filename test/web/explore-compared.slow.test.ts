// Two places side by side in the explorer, in a real browser against the real service: each column is what the API answers for its
// own place, asked for as cheaply as can be, and the way there and back.

import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { changeOf } from '../../web/explore/prices/figures.ts';
import { percentText, poundsText } from '../../web/formats.ts';
import { browser, testWith } from '../requirements.ts';
import { type CallAnswer, changeAnswers, notNow } from './change-answers.ts';
import { exploreDeskOfFile } from './explore-desk.ts';
import { unfold } from './visit.ts';

const desk = exploreDeskOfFile();

const rowsOf = (page: Page) =>
  page.getByRole('region', { name: 'Sold prices side by side' }).locator('tbody tr');

/** Without the arrows of those that sort. */
const headingsOf = async (of: Locator): Promise<readonly string[]> =>
  (await of.locator('thead th').allInnerTexts()).map((text) => text.replace(/\s*[↕↑↓]$/, ''));

const exactly = (of: Locator, text: string) => of.and(of.page().getByText(text, { exact: true })).waitFor();

const signed = (share: number) => `${share < 0 ? '−' : share > 0 ? '+' : '±'}${percentText(Math.abs(share))}`;

/** What the column of an outcode has to say, worked out from the API's own answers. */
async function columnOf(
  outcode: string,
  filter: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const question = { outcode, months: '24', ...filter };
  const { summary, totalResults, properties } = await desk().call('/area/sold-prices', {
    ...question,
    limit: '500',
  });
  const trend = await desk().call('/area/sold-prices/trend', question);
  const change = changeOf(trend, properties);
  const end = trend.months.findLastIndex(({ count }) => count !== null) + 1;
  const within = (from: number, to: number) => {
    const months = new Set(trend.months.slice(end - to, end - from).map(({ month }) => month));
    return properties.filter(({ date }) => months.has(date.slice(0, 7))).length;
  };
  assert.equal(trend.totalResults, totalResults);
  assert.equal(properties.length, totalResults, 'every sale is at hand');
  return [
    poundsText(summary.medianPrice),
    `${poundsText(summary.priceRange.min)}–${poundsText(summary.priceRange.max)}`,
    String(totalResults),
    change.kind === 'known' ? signed(change.share) : 'not known',
    `${change.kind === 'known' ? '' : 'too few: '}${within(0, 6)} against ${within(12, 18)}`,
  ];
}

/** Waits for each cell, since answers come one by one. */
async function columnIs(page: Page, at: number, words: readonly string[]): Promise<void> {
  for (const [row, text] of words.entries()) await exactly(rowsOf(page).nth(row).locator('td').nth(at), text);
}

testWith(
  browser,
  'prices of two places: each column and each line is its own place’s, filtered alike, and the second is asked for once each',
  async () => {
    const { page, faults, close } = await desk().open('/explore/ZZ1-1AA?with=ZZ2-2AA', 1280);
    const panel = page.locator('#prices');
    for (const filter of [{}, { type: 'T' }]) {
      if (filter.type === 'T') await panel.getByRole('button', { name: 'Terraced' }).click();
      const [here, other] = [await columnOf('ZZ1', filter), await columnOf('ZZ2', filter)];
      for (const [at, words] of here.entries())
        if (words !== 'not known') assert.notEqual(words, other[at], 'told apart by each figure');
      await columnIs(page, 0, here);
      await columnIs(page, 1, other);
    }
    assert.deepEqual(
      await page
        .getByRole('region', { name: 'Sold prices side by side' })
        .locator('thead th')
        .allInnerTexts(),
      ['Figure', 'ZZ1', 'ZZ2'],
    );
    assert.deepEqual(await rowsOf(page).locator('th').allInnerTexts(), [
      'Median price',
      'Price range',
      'Sales',
      'Change in a year',
      'Sales that it compares',
    ]);
    // The chart has a line for each place, and no band: two would hide each other.
    await unfold(panel.getByText('As a table or a file'));
    const table = panel.locator('.chart-table');
    assert.deepEqual(await headingsOf(table), ['Month', 'ZZ1', 'ZZ2']);
    for (const [at, outcode] of ['ZZ1', 'ZZ2'].entries()) {
      const { months } = await desk().call('/area/sold-prices/trend', { outcode, months: '24', type: 'T' });
      const cells = await table.locator(`tbody td:nth-of-type(${at + 1})`).allInnerTexts();
      for (const [row, { medianPrice }] of months.entries())
        if (medianPrice !== null) assert.equal(cells[row], poundsText(medianPrice));
    }
    const ofOther = desk()
      .asked('/area/sold-prices?')
      .filter((url) => url.includes('outcode=ZZ2'));
    assert.equal(ofOther.length, 2, ofOther.join());
    // Every sale is listed of the first place alone.
    await page.getByRole('heading', { name: 'Every sale in ZZ1', exact: true }).waitFor();
    assert.equal(await page.getByRole('heading', { name: /^Every sale in/ }).count(), 1);
    assert.deepEqual(faults, []);
    await close();
  },
);

testWith(
  browser,
  'the second place is searched for, turned round and left again, each with its own address',
  async () => {
    const { page, close } = await desk().open('/explore/ZZ1-1AA?type=T', 1280);
    const here = () => `${new URL(page.url()).pathname}${new URL(page.url()).search}`;
    const title = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    const search = page.getByRole('combobox', { name: 'Compare ZZ1 1AA with', exact: true });
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await search.waitFor();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await search.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await search.fill('ZZ3 1AA');
    await page.getByRole('option', { name: /^ZZ3 1AA/ }).click();
    await title('ZZ1 1AA and ZZ3 1AA');
    assert.equal(here(), '/explore/ZZ1-1AA?with=ZZ3-1AA');
    assert.equal(await search.count(), 0);
    // The same once more: nothing changes but that the search is gone.
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await search.fill('ZZ3 1AA');
    await page.getByRole('option', { name: /^ZZ3 1AA/ }).click();
    await search.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'The other way round' }).click();
    await title('ZZ3 1AA and ZZ1 1AA');
    assert.equal(here(), '/explore/ZZ3-1AA?with=ZZ1-1AA');
    await page.getByText('Compared with').getByRole('link', { name: 'ZZ1 1AA', exact: true }).click();
    await title('ZZ1 1AA');
    assert.equal(here(), '/explore/ZZ1-1AA');
    await page.goBack();
    await title('ZZ3 1AA and ZZ1 1AA');
    await page.getByRole('link', { name: 'ZZ3 1AA alone' }).click();
    await title('ZZ3 1AA');
    assert.equal(here(), '/explore/ZZ3-1AA');
    await close();
  },
);

testWith(
  browser,
  'a second place that cannot be shown is named with the reason, and the first is shown alone',
  async () => {
    const { page, close } = await desk().open('/explore/ZZ1-1AA?with=PO33-2RX', 1280);
    const isAlone = async (name: string) => {
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await page.locator('#crime .lead-figure').waitFor();
      assert.equal((await page.locator('#crime-beside').count()) + (await rowsOf(page).count()), 0);
    };
    await page.getByText('You cannot compare a real place with one of the made-up town.').waitFor();
    await isAlone('ZZ1 1AA');
    await page.goto('/explore/NP10-8WA?with=ZZ1-1AA');
    await page.getByText('You cannot compare a real place with one of the made-up town.').waitFor();
    await isAlone('NP10 8WA');
    await page.goto('/explore/NP10-8WA?with=nowhere-at-all');
    await page.getByText('“nowhere at all” is neither a postcode nor a place that is known here.').waitFor();
    await isAlone('NP10 8WA');
    await close();
  },
);

testWith(
  browser,
  'where calls of the second place fail, its column says so and the first place keeps its figures',
  async () => {
    const { page, close } = await desk().open('/explore/ZZ1-1AA?with=ZZ2-2AA', 1280);
    const here = await columnOf('ZZ1', {});
    const other = await columnOf('ZZ2', {});
    const ofOther = (_: CallAnswer, params: URLSearchParams) =>
      params.get('outcode') === 'ZZ2' ? notNow : undefined;
    await changeAnswers(page, ['/area/sold-prices/trend'], ofOther);
    await page.reload();
    await page.locator('#prices').getByText('ZZ2 has no answer: The data cannot be read just now.').waitFor();
    await columnIs(page, 0, here);
    await columnIs(page, 1, [other[0] ?? '', other[1] ?? '', 'no answer', 'no answer']);
    // The one line that is left has its band.
    await unfold(page.locator('#prices').getByText('As a table or a file'));
    assert.deepEqual(await headingsOf(page.locator('#prices .chart-table')), [
      'Month',
      'Lower quartile',
      'Median',
      'Upper quartile',
    ]);
    await page.unrouteAll();
    await changeAnswers(page, ['/area/sold-prices'], ofOther);
    await page.reload();
    await columnIs(page, 0, here);
    await columnIs(page, 1, ['no answer', '–', other[2] ?? '', 'no answer']);
    await close();
  },
);
