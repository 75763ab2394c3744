// Crime and council tax in the explorer, in a real browser against the real service: the figures are the API's, a month that was
// not published is a gap with words, and what costs is asked only on request.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { browser, testWith } from '../requirements.ts';
import { type ExploreDesk, openExploreDesk } from './explore-desk.ts';
import { lookOverStates } from './look-over-states.ts';
import { exploreCrimeStates } from './states/explore-crime.ts';
import { lookOver } from './visit.ts';

let desk: ExploreDesk;
before(async () => {
  if (browser.kind === 'there') desk = await openExploreDesk(browser.value);
});
after(async () => {
  if (browser.kind === 'there') await desk.close();
});

const whole = new Intl.NumberFormat('en-GB');
const pounds = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' });
const panel = (page: Page, id: string) => page.locator(`#${id}`);

testWith(
  browser,
  'NP10 8WA: total, months and kinds are those of the API, and force and nation come on request',
  async () => {
    const { page, faults, close } = await desk.open('/explore/NP10-8WA', 1280);
    const crime = panel(page, 'crime');
    const told = await desk.call('/crime/by-postcode', { postcode: 'NP10 8WA', months: '12' });
    await crime
      .getByText(`${whole.format(told.totalCrimes)}`, { exact: true })
      .first()
      .waitFor();
    await crime.getByText('Published by Gwent Police').waitFor();
    await crime.getByText('As a table').first().click();
    const rows = await crime.locator('.chart-table').first().locator('tbody tr').allInnerTexts();
    const counts = rows.map((row) => Number(row.replaceAll(',', '').split(/\s+/).at(-1)));
    assert.deepEqual(counts, Object.values(told.monthlyTotals));
    const kinds = await crime
      .getByRole('list', { name: /Crimes by kind/ })
      .locator('.share-count')
      .allInnerTexts();
    assert.equal(
      kinds.reduce((sum, text) => sum + Number(text.replaceAll(',', '')), 0),
      told.totalCrimes,
    );
    assert.equal(desk.asked('compare=true').length, 0, 'nothing is compared before somebody asks');
    await crime.getByText('Compare with Gwent Police and the nation').click();
    await crime.getByText('newest 12 months against the 12 before').first().waitFor();
    await crime
      .getByText(/load the archive of data.police.uk/)
      .first()
      .waitFor();
    assert.equal(desk.asked('compare=true').length, 1);
    assert.deepEqual(faults, []);
    await close();
  },
);

testWith(
  browser,
  'ZZ3 1AA: a month that was not published is a gap and is named, on a phone too',
  async () => {
    for (const width of [360, 1280] as const) {
      const visited = await desk.open('/explore/ZZ3-1AA', width);
      const crime = panel(visited.page, 'crime');
      await crime.getByText('Nothing was published for March 2026 and September 2026.').waitFor();
      const chart = crime.getByRole('group', { name: /Crimes by month/ });
      await chart.focus();
      await visited.page.keyboard.press('End');
      await crime.getByText('Sept 26: not published').waitFor();
      await visited.page.keyboard.press('ArrowLeft');
      const told = await desk.call('/crime/by-postcode', { postcode: 'ZZ3 1AA' });
      await crime.getByText(`Aug 26: ${told.monthlyTotals['2026-08']}`).waitFor();
      await lookOver(visited, `ZZ3 1AA at ${width}`);
      await visited.close();
    }
  },
);

testWith(browser, 'a place without crime data says so, and the other panels live', async () => {
  const { page, faults, close } = await desk.open('/explore/ZZ2-9ZZ', 1280);
  await panel(page, 'crime').getByText('NO_CRIME_DATA').waitFor();
  await panel(page, 'council-tax').getByText('Zedbury Borough Council').first().waitFor();
  await panel(page, 'area').getByRole('heading', { name: 'People' }).waitFor();
  assert.deepEqual(faults, []);
  await close();
});

testWith(
  browser,
  'council tax: bands, years and what a band means, authorities around, and the band of a home',
  async () => {
    const visited = await desk.open('/explore/ZZ1-1AB', 360);
    const tax = panel(visited.page, 'council-tax');
    const told = await desk.call('/council-tax/lookup', { postcode: 'ZZ1 1AB', allYears: 'true' });
    await tax.getByText('value on 1 April 1991').waitFor();
    for (const { councilTaxBands } of told.years ?? [])
      await tax.getByText(pounds.format(councilTaxBands.band_d), { exact: true }).first().waitFor();
    await tax.getByText('£40,001 to £52,000').waitFor();
    await tax.getByText('What nearby authorities charge').click();
    await tax.getByText('Zedhaven Council').waitFor();
    await tax.getByText('Which band is a home here in?').click();
    await tax.getByLabel('Address', { exact: true }).selectOption({ index: 1 });
    await tax.getByRole('button', { name: /Show its band/ }).click();
    await tax.getByText(/^Band [A-H]$/).waitFor();
    await lookOver(visited, 'council tax at 360');
    await visited.close();
  },
);

testWith(
  browser,
  'Wales has band I and values of 2003; Scotland has amounts of its own and no crime',
  async () => {
    const welsh = await desk.open('/explore/NP10-8WA', 1280);
    await panel(welsh.page, 'council-tax').getByText('more than £424,000').waitFor();
    await panel(welsh.page, 'council-tax').getByText('value on 1 April 2003').waitFor();
    await welsh.close();
    const scottish = await desk.open('/explore/ZZ4-1AA', 1280);
    await panel(scottish.page, 'crime').getByText('Police Scotland does not publish').waitFor();
    await panel(scottish.page, 'council-tax').getByText('£27,001 to £35,000').waitFor();
    await panel(scottish.page, 'council-tax').getByText('Water and sewerage').waitFor();
    await scottish.close();
  },
);

lookOverStates(exploreCrimeStates);
