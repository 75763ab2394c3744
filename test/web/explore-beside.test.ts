// How two places side by side are compared by eye, in a real browser against the real service: what stands in one line, scales,
// orders and months of crime, and headings that say which place they are of. A minute has so many calls, so that other questions of
// two places have files of their own.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before } from 'node:test';
import type { Locator } from 'playwright-core';
import { browser, testWith } from '../requirements.ts';
import { type ExploreDesk, openExploreDesk } from './explore-desk.ts';

let desk: ExploreDesk;
before(async () => {
  if (browser.kind === 'there') desk = await openExploreDesk(browser.value);
});
after(async () => {
  if (browser.kind === 'there') await desk.close();
});

const exactly = (of: Locator, text: string) => of.and(of.page().getByText(text, { exact: true })).waitFor();

testWith(
  browser,
  'area, crime and council tax stand side by side, each with its own place’s figures',
  async () => {
    const { page, close } = await desk.open('/explore/ZZ1-1AA?with=ZZ3-1AA', 1280);
    const whole = new Intl.NumberFormat('en-GB');
    const exact = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' });
    const told = new Set<string>();
    for (const { postcode, end } of [
      { postcode: 'ZZ1 1AA', end: '' },
      { postcode: 'ZZ3 1AA', end: '-beside' },
    ]) {
      const area = page.locator(`#area${end}`);
      const crime = page.locator(`#crime${end}`);
      const tax = page.locator(`#council-tax${end}`);
      await exactly(area.locator('h2'), `The area, ${postcode}`);
      await exactly(crime.locator('h2'), `Crime, ${postcode}`);
      await exactly(tax.locator('h2'), `Council tax, ${postcode}`);
      const { demographics } = await desk.call('/area/statistics', { postcode });
      const { totalCrimes } = await desk.call('/crime/by-postcode', { postcode, months: '12' });
      const { councilTaxBands } = await desk.call('/council-tax/lookup', { postcode });
      const residents = `Residents ${whole.format(demographics.population ?? assert.fail('nobody lives there'))}`;
      await area.getByRole('button', { name: residents, exact: true }).waitFor();
      await exactly(crime.locator('.lead-figure > strong'), whole.format(totalCrimes));
      await exactly(tax.locator('.lead-figure > strong').first(), exact.format(councilTaxBands.band_d));
      for (const each of [residents, `${totalCrimes} crimes`, `${councilTaxBands.band_d} pounds`])
        told.add(each);
    }
    assert.equal(told.size, 6, 'the two places differ in every figure');
    // What is told once for both is the first place's.
    await page.getByRole('application', { name: /^Map around ZZ1 1AA/ }).waitFor();
    assert.equal(await page.locator('#bank-rate').count(), 1);
    await close();
  },
);

/** Numbers along the axis of the months, as the saved chart has them. */
async function axisOf(panel: Locator): Promise<readonly number[]> {
  const chart = panel.locator('.by-month');
  await chart.getByText('As a table or a file').click();
  const [download] = await Promise.all([
    panel.page().waitForEvent('download'),
    chart.getByRole('button', { name: 'Save as SVG' }).click(),
  ]);
  const texts = readFileSync(await download.path(), 'utf8').matchAll(/<text\b[^>]*>([^<]*)</g);
  return [...texts].map(([, text = '']) => Number(text.replaceAll(',', ''))).filter(Number.isInteger);
}

testWith(
  browser,
  'crimes of two places have one scale by month and one order and scale by kind; totals of other months say so',
  async () => {
    const { page, close } = await desk.open('/explore/ZZ1-1AA?with=ZZ2-2AA', 1280);
    const [here, there] = [page.locator('#crime'), page.locator('#crime-beside')];
    await there.locator('.lead-figure').waitFor();
    assert.equal(await page.getByText('Compare months, not the totals').count(), 0);
    // Nine times as many in each month, and two kinds that the first place has are not there.
    const gone = new Set(['burglary', 'robbery']);
    await page.route('**/crime/by-postcode?postcode=ZZ3*', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      for (const month of Object.keys(json.data.monthlyTotals)) json.data.monthlyTotals[month] *= 9;
      for (const { byMonth } of json.data.points)
        for (const counts of Object.values<Record<string, number>>(byMonth))
          for (const slug of gone) delete counts[slug];
      await route.fulfill({ response, json });
    });
    await page.goto('/explore/ZZ1-1AA?with=ZZ3-1AA');
    await here.getByText('This total is of 12 months, that of ZZ3 1AA of 10.').waitFor();
    await there.getByText('This total is of 10 months, that of ZZ1 1AA of 12.').waitFor();
    const axis = await axisOf(here);
    const { monthlyTotals } = await desk.call('/crime/by-postcode', { postcode: 'ZZ3 1AA', months: '12' });
    assert.ok(Math.max(...axis) >= 9 * Math.max(...Object.values(monthlyTotals)), axis.join());
    assert.deepEqual(await axisOf(there), axis);

    const bars = (panel: Locator) => panel.getByRole('list', { name: /^Crimes by kind/ }).locator('li');
    const textsOf = (panel: Locator, of: string) => bars(panel).locator(of).allInnerTexts();
    const names = await textsOf(here, '.share-name');
    assert.deepEqual(await textsOf(there, '.share-name'), names);
    const counts = (await textsOf(here, '.share-count')).map(Number);
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => b - a),
      'most of the first place first',
    );
    const otherCounts = (await textsOf(there, '.share-count')).map(Number);
    assert.notDeepEqual(
      otherCounts,
      otherCounts.toSorted((a, b) => b - a),
    );
    for (const [at, name] of names.entries())
      assert.equal(otherCounts[at] === 0, name === 'Burglary' || name === 'Robbery', name);
    assert.equal(await there.getByText('In the order of ZZ1 1AA.').count(), 1);
    // What is as long on both sides is the same share.
    const pixels = await Promise.all(
      [here, there].map(async (panel) => {
        const shares = (await textsOf(panel, '.share-part')).map(Number.parseFloat);
        const most = shares.indexOf(Math.max(...shares));
        const box = await bars(panel).nth(most).locator('.share-bar').boundingBox();
        return (box?.width ?? 0) / (shares[most] ?? 1);
      }),
    );
    const [left = 0, right = 0] = pixels;
    assert.ok(Math.abs(left / right - 1) < 0.02, pixels.join());
    await close();
  },
);

testWith(
  browser,
  'headings name both places; what is of the first alone says so, and leads to the same of the second',
  async () => {
    const { page, close } = await desk.open('/explore/ZZ1-1AA?with=ZZ2-2AA', 1280);
    const lead = page.locator('.page-head .lead');
    const { ward } = await desk.call('/postcodes/lookup', { postcode: 'ZZ1 1AA' });
    await lead.getByText(`ZZ1 1AA: ${ward?.name}`).waitFor();
    const { authority } = await desk.call('/council-tax/lookup', { postcode: 'ZZ2 2AA' });
    await lead.getByText(`ZZ2 2AA: ${authority}`).waitFor();
    await page.getByRole('heading', { name: 'Sold prices in ZZ1 and ZZ2', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Map of ZZ1 1AA', exact: true }).waitFor();
    await page.locator('#map').getByText('This map is of ZZ1 1AA alone. To see that of ZZ2 2AA').waitFor();
    const sales = page.locator('#sales');
    await sales.getByText('These are the sales in ZZ1 alone. To see those in ZZ2').waitFor();
    await sales.getByRole('link', { name: 'swap the places' }).click();
    await page.getByRole('heading', { name: 'Every sale in ZZ2', exact: true }).waitFor();
    const { pathname, search, hash } = new URL(page.url());
    assert.equal(`${pathname}${search}${hash}`, '/explore/ZZ2-2AA?with=ZZ1-1AA#sales');
    // Both lie in one district: its sales are those of both.
    await page.goto('/explore/ZZ1-1AA?with=ZZ1-1AB');
    await page.getByRole('heading', { name: 'Sold prices in ZZ1', exact: true }).waitFor();
    await page.locator('#map').getByText('This map is of ZZ1 1AA alone.').waitFor();
    assert.equal(await sales.getByText('swap the places').count(), 0);
    // As in Northern Ireland, which has no council tax.
    await page.route('**/council-tax/lookup?postcode=ZZ2*', (route) =>
      route.fulfill({ status: 404, json: { error: { code: 'POSTCODE_NOT_FOUND', message: 'None here.' } } }),
    );
    await page.goto('/explore/ZZ1-1AA?with=ZZ2-2AA');
    await lead.getByText('ZZ2 2AA: council not known').waitFor();
    await close();
  },
);

/** How far below the top of the page. */
const topsOf = (of: Locator): Promise<readonly number[]> =>
  of.evaluateAll((elements) => elements.map((each) => Math.round(each.getBoundingClientRect().top)));

testWith(
  browser,
  'what belongs together stands in one line, also if one place has a table or a notice that the other lacks',
  async () => {
    const { page, close } = await desk.open('/explore/ZZ1-1AA?with=ZZ4-1AA', 1280);
    await page.locator('#council-tax-beside .lead-figure').waitFor();
    await page.locator('.panel .loading').first().waitFor({ state: 'detached' });
    const [notices, tables] = [page.locator('#area-beside .lacking p'), page.locator('#area .top-schools')];
    assert.deepEqual([await notices.count(), await tables.count()], [1, 1]);
    const others = page.locator('#area .lacking p, #area-beside .top-schools');
    assert.equal(await others.count(), 0, 'the two have the same notices and tables');
    for (const [here, there] of [
      ['#area .subject > h3', '#area-beside .subject > h3'],
      ['#area > footer', '#area-beside > footer'],
      ['#council-tax .council-tax > *', '#council-tax-beside .council-tax > *'],
    ] as const) {
      const tops = await topsOf(page.locator(here));
      assert.ok(tops.length > 0);
      assert.deepEqual(await topsOf(page.locator(there)), tops, here);
    }
    // On a phone they stand below each other.
    await page.setViewportSize({ width: 390, height: 800 });
    const [first, second] = await topsOf(page.locator('#area, #area-beside'));
    assert.ok(first !== undefined && second !== undefined && second > first + 800);
    await close();
  },
);
