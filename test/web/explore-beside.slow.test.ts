// How two places side by side are compared by eye, in a real browser against the real service: what stands in one line, scales,
// orders and months of crime, and headings that say which place they are of. A minute has so many calls, so that other questions of
// two places have files of their own.

import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { browser, testWith } from '../requirements.ts';
import { changeAnswers, refusal } from './change-answers.ts';
import { exploreDeskOfFile } from './explore-desk.ts';
import { brokenWords, unfold } from './visit.ts';

const desk = exploreDeskOfFile();

const exactly = (of: Locator, text: string) => of.and(of.page().getByText(text, { exact: true })).waitFor();

testWith(
  browser,
  'area, crime and council tax stand side by side, each with its own place’s figures',
  async () => {
    const { page, close } = await desk().open('/explore/ZZ1-1AA?with=ZZ3-1AA', 1280);
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
      const { demographics } = await desk().call('/area/statistics', { postcode });
      const { totalCrimes } = await desk().call('/crime/by-postcode', { postcode, months: '12' });
      const { councilTaxBands } = await desk().call('/council-tax/lookup', { postcode });
      const residents = `Residents ${whole.format(demographics.population ?? assert.fail('nobody lives there'))}`;
      await area.getByRole('button', { name: residents, exact: true }).waitFor();
      const household = demographics.averageHouseholdSize?.toFixed(2);
      await area.getByRole('button', { name: `People per household ${household}`, exact: true }).waitFor();
      const atWork = `In work, aged 16 and over ${demographics.employmentRate?.toFixed(1)}%`;
      await area.getByRole('button', { name: atWork, exact: true }).waitFor();
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
  await unfold(chart.getByText('As a table or a file'));
  const [download] = await Promise.all([
    panel.page().waitForEvent('download'),
    chart.getByRole('button', { name: 'Save as SVG' }).click(),
  ]);
  const texts = (await text(await download.createReadStream())).matchAll(/<text\b[^>]*>([^<]*)</g);
  return [...texts].map(([, text = '']) => Number(text.replaceAll(',', ''))).filter(Number.isInteger);
}

testWith(
  browser,
  'crimes of two places have one scale by month and one order and scale by kind; totals of other months say so',
  async () => {
    const { page, close } = await desk().open('/explore/ZZ1-1AA?with=ZZ2-2AA', 1280);
    const [here, there] = [page.locator('#crime'), page.locator('#crime-beside')];
    await there.locator('.lead-figure').waitFor();
    assert.equal(await page.getByText('Compare months, not the totals').count(), 0);
    // Nine times as many in each month, and two kinds that the first place has are not there.
    const gone = new Set(['burglary', 'robbery']);
    await changeAnswers(page, ['/crime/by-postcode'], (told, params) => {
      if (params.get('postcode') !== 'ZZ3 1AA') return undefined;
      const { data } = told.body;
      for (const month of Object.keys(data.monthlyTotals)) data.monthlyTotals[month] *= 9;
      for (const { byMonth } of data.points)
        for (const counts of Object.values<Record<string, number>>(byMonth))
          for (const slug of gone) delete counts[slug];
      return told;
    });
    await page.goto('/explore/ZZ1-1AA?with=ZZ3-1AA');
    await here.getByText('This total is of 12 months, that of ZZ3 1AA of 10.').waitFor();
    await there.getByText('This total is of 10 months, that of ZZ1 1AA of 12.').waitFor();
    const axis = await axisOf(here);
    const { monthlyTotals } = await desk().call('/crime/by-postcode', { postcode: 'ZZ3 1AA', months: '12' });
    assert.ok(Math.max(...axis) >= 9 * Math.max(...Object.values(monthlyTotals)), axis.join());
    assert.deepEqual(await axisOf(there), axis);

    const textsOf = (panel: Locator, of: string) => barsOf(panel, kinds).locator(of).allInnerTexts();
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
    assert.equal(await there.getByText('In the order of ZZ1 1AA.').count(), 2, 'kinds and outcomes');
    await haveOneScale([here, there], kinds);
    await close();
  },
);

testWith(
  browser,
  'outcomes of two places have the order of the first and one scale, and say of which months they are; charts by month stand in one line',
  async () => {
    const { page, close } = await desk().open('/explore/ZZ1-1AA?with=ZZ3-1AA', 1280);
    const [here, there] = [page.locator('#crime'), page.locator('#crime-beside')];
    const note = (panel: Locator) => panel.locator('.kinds-order').nth(1);
    await note(here)
      .getByText('In the order of ZZ1 1AA. Bars show shares, with one scale for both.')
      .waitFor();
    await note(here).getByText('These are of September 2026, those of ZZ3 1AA of August 2026.').waitFor();
    await note(there).getByText('These are of August 2026, those of ZZ1 1AA of September 2026.').waitFor();
    const names = (panel: Locator) => barsOf(panel, outcomes).locator('.share-name').allInnerTexts();
    assert.deepEqual(await names(there), await names(here));
    await haveOneScale([here, there], outcomes);
    await here.getByText('Outcomes by kind of crime, September 2026').first().waitFor();
    await there.getByText('Outcomes by kind of crime, August 2026').first().waitFor();
    // Only the second has a gap, and a key that says what it means.
    const keys = page.locator('.hatch-keys').filter({ visible: true });
    assert.deepEqual([await here.locator(keys).count(), await there.locator(keys).count()], [0, 1]);
    for (const part of ['.chart-place', '.chart-point', '.chart-table'])
      await standInLine(page, `#crime .by-month ${part}`, `#crime-beside .by-month ${part}`, 1);
    await page.setViewportSize({ width: 390, height: 800 });
    assert.equal(await here.locator('.hatch-keys').evaluate((key) => key.getClientRects().length), 0);
    await close();
  },
);

const kinds = /^Crimes by kind/;
const outcomes = /^Outcomes of the crimes/;

const barsOf = (panel: Locator, name: RegExp): Locator => panel.getByRole('list', { name }).locator('li');

/** What is as long on both sides is the same share. */
async function haveOneScale(panels: readonly Locator[], name: RegExp): Promise<void> {
  const pixels = await Promise.all(
    panels.map(async (panel) => {
      const parts = await barsOf(panel, name).locator('.share-part').allInnerTexts();
      const shares = parts.map(Number.parseFloat);
      const most = shares.indexOf(Math.max(...shares));
      const box = await barsOf(panel, name).nth(most).locator('.share-bar').boundingBox();
      return (box?.width ?? 0) / (shares[most] ?? 1);
    }),
  );
  const [left = 0, right = 0] = pixels;
  assert.ok(Math.abs(left / right - 1) < 0.02, pixels.join());
}

testWith(
  browser,
  'headings name both places; what is of the first alone says so, and leads to the same of the second',
  async () => {
    const { page, close } = await desk().open('/explore/ZZ1-1AA?with=ZZ2-2AA', 1280);
    const lead = page.locator('.page-head .lead');
    for (const postcode of ['ZZ1 1AA', 'ZZ2 2AA']) {
      const { authority } = await desk().call('/council-tax/lookup', { postcode });
      await lead.getByText(`${postcode}: ${authority}`, { exact: true }).waitFor();
    }
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
    await changeAnswers(page, ['/council-tax/lookup'], (_, params) =>
      params.get('postcode') === 'ZZ2 2AA'
        ? refusal(404, { code: 'POSTCODE_NOT_FOUND', message: 'None here.' })
        : undefined,
    );
    await page.goto('/explore/ZZ1-1AA?with=ZZ2-2AA');
    await lead.getByText('ZZ2 2AA: council not known').waitFor();
    await close();
  },
);

/** How far below the top of the page both are, at one moment: what is above them may still be loading. */
async function standInLine(page: Page, here: string, there: string, least: number): Promise<void> {
  for (const place of [here, there])
    await page
      .locator(place)
      .nth(least - 1)
      .waitFor({ state: 'attached' });
  const tops: readonly (readonly number[])[] = await page.evaluate(
    `${JSON.stringify([here, there])}.map((place) =>
      [...document.querySelectorAll(place)].map((each) => Math.round(each.getBoundingClientRect().top)))`,
  );
  assert.deepEqual(tops[1], tops[0], here);
}

testWith(
  browser,
  'what belongs together stands in one line, also if one place has a table or a notice that the other lacks',
  async () => {
    const { page, close } = await desk().open('/explore/ZZ1-1AA?with=ZZ4-1AA', 1280);
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
      await standInLine(page, here, there, 1);
    }
    await close();
  },
);

testWith(
  browser,
  'on a phone figures and bands of two places stand side by side, and those that are of the same in one line',
  async () => {
    const { page, close } = await desk().open('/explore/ZZ1-1AA?with=ZZ2-2AA', 360);
    await page.locator('#area-beside .fact').first().waitFor();
    await page.locator('.panel .loading').first().waitFor({ state: 'detached' });
    for (const [here, there] of [
      ['#area .subject > h3', '#area-beside .subject > h3'],
      ['#area .fact', '#area-beside .fact'],
      ['#council-tax .band-letter', '#council-tax-beside .band-letter'],
    ] as const) {
      await standInLine(page, here, there, 5);
    }
    for (const panel of ['#area', '#area-beside', '#council-tax', '#council-tax-beside']) {
      const box = (await page.locator(panel).boundingBox()) ?? assert.fail(panel);
      assert.ok(box.width < 170 && box.x >= 0 && box.x + box.width <= 360, panel);
      // Nothing reaches out of its half.
      const beyond = await page.locator(panel).evaluate((half) => {
        const { right } = half.getBoundingClientRect();
        return [...half.querySelectorAll('*')]
          .filter((part) => part.checkVisibility() && part.closest('.unseen, .this-call') === null)
          .filter((part) => part.getBoundingClientRect().right > right + 7)
          .map((part) => part.outerHTML.slice(0, 80));
      });
      assert.deepEqual(beyond, [], panel);
    }
    // Where a scroll bar takes its room.
    await page.setViewportSize({ width: 345, height: 740 });
    assert.deepEqual(await brokenWords(page), []);
    await close();
  },
);

testWith(
  browser,
  'a second postcode that was withdrawn is told once, with those to compare with',
  async () => {
    const { page, close } = await desk().open('/explore/ZZ1-1AA?with=ZZ1-2ZZ', 360);
    const notice = page.locator('#withdrawn .notice');
    await notice.getByText('Royal Mail withdrew ZZ1 2ZZ in May 2019').waitFor();
    for (const id of ['area-beside', 'crime-beside', 'council-tax-beside'])
      await page.locator(`#${id}`).getByText('This needs a postcode that is in use').waitFor();
    assert.equal(await page.locator('.panel .notice').count(), 0);
    await notice.getByRole('link', { name: 'Compare with ZZ1 9AA' }).click();
    await page.locator('#area-beside .fact').first().waitFor();
    assert.equal(new URL(page.url()).searchParams.get('with'), 'ZZ1-9AA');
    await close();
  },
);
