// Two places side by side in the explorer, in a real browser against the real service: each column is what the API answers for its own
// place, asked for as cheaply as can be; what stands in one line, scales, orders and months of crime; the report, and the way back.

import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { changeOf } from '../../web/explore/prices/figures.ts';
import { percentText, poundsText } from '../../web/formats.ts';
import { type CallAnswer, changeAnswers, notNow, refusal } from './change-answers.ts';
import { explorer } from './explore-desk.ts';
import { brokenWords, unfold } from './visit.ts';

const { desk, open, test } = explorer();

const exactly = (of: Locator, text: string) => of.and(of.page().getByText(text, { exact: true })).waitFor();

test('area, crime and council tax stand side by side, each with its own place’s figures', async () => {
  const { page } = await open('/explore/ZZ1-1AA?with=ZZ3-1AA', 1280);
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
});

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

test('crimes of two places have one scale by month and one order and scale by kind; totals of other months say so', async () => {
  const { page } = await open('/explore/ZZ1-1AA?with=ZZ2-2AA', 1280);
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
});

test('outcomes of two places have the order of the first and one scale, and say of which months they are; charts by month stand in one line', async () => {
  const { page } = await open('/explore/ZZ1-1AA?with=ZZ3-1AA', 1280);
  const [here, there] = [page.locator('#crime'), page.locator('#crime-beside')];
  const note = (panel: Locator) => panel.locator('.kinds-order').nth(1);
  await note(here).getByText('In the order of ZZ1 1AA. Bars show shares, with one scale for both.').waitFor();
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
});

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

test('headings name both places; what is of the first alone says so, and leads to the same of the second', async () => {
  const { page } = await open('/explore/ZZ1-1AA?with=ZZ2-2AA', 1280);
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
});

test('whoever wants to compare types at once, and no two landmarks have one name', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  const field = page.getByRole('combobox', { name: 'Compare ZZ1 1AA with' });
  await field.waitFor();
  assert.equal(await field.and(page.locator(':focus')).count(), 1, 'the new field has the focus');
  await page.keyboard.type('ZZ2 2AA');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/explore/ZZ1-1AA?with=ZZ2-2AA');
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  const names = await page
    .getByRole('search')
    .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
  assert.deepEqual(names, ['Another place', 'Compare ZZ1 1AA with']);
});

test('where a finger points, nothing speaks of arrow keys', async () => {
  const context = await desk().browser.newContext({
    baseURL: desk().url,
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  const page = await context.newPage();
  await page.goto('/explore/ZZ1-1AA');
  await page.locator('#prices .chart-place').first().waitFor();
  await page.getByRole('combobox', { name: 'Another place' }).fill('ZZ1');
  await page.getByRole('option').first().waitFor();
  assert.doesNotMatch(await page.content(), /arrow keys/i);
  await context.close();
});

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

test('what belongs together stands in one line, also if one place has a table or a notice that the other lacks', async () => {
  const { page } = await open('/explore/ZZ1-1AA?with=ZZ4-1AA', 1280);
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
});

test('on a phone figures and bands of two places stand side by side, and those that are of the same in one line', async () => {
  const { page } = await open('/explore/ZZ1-1AA?with=ZZ2-2AA', 360);
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
});

test('a second postcode that was withdrawn is told once, with those to compare with', async () => {
  const { page } = await open('/explore/ZZ1-1AA?with=ZZ1-2ZZ', 360);
  const notice = page.locator('#withdrawn .notice');
  await notice.getByText('Royal Mail withdrew ZZ1 2ZZ in May 2019').waitFor();
  for (const id of ['area-beside', 'crime-beside', 'council-tax-beside'])
    await page.locator(`#${id}`).getByText('This needs a postcode that is in use').waitFor();
  assert.equal(await page.locator('.panel .notice').count(), 0);
  await notice.getByRole('link', { name: 'Compare with ZZ1 9AA' }).click();
  await page.locator('#area-beside .fact').first().waitFor();
  assert.equal(new URL(page.url()).searchParams.get('with'), 'ZZ1-9AA');
});

const rowsOf = (page: Page) =>
  page.getByRole('group', { name: 'Sold prices side by side' }).locator('tbody tr');

/** Without the arrows of those that sort. */
const headingsOf = async (of: Locator): Promise<readonly string[]> =>
  (await of.locator('thead th').allInnerTexts()).map((text) => text.replace(/\s*[↕↑↓]$/, ''));

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

test('prices of two places: each column and each line is its own place’s, filtered alike, and the second is asked for once each', async () => {
  const askedBefore = desk().asked('').length;
  const { page } = await open('/explore/ZZ1-1AA?with=ZZ2-2AA', 1280);
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
    await page.getByRole('group', { name: 'Sold prices side by side' }).locator('thead th').allInnerTexts(),
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
    .asked('')
    .slice(askedBefore)
    .filter((url) => /sold-prices\?.*outcode=ZZ2/.test(url));
  assert.equal(ofOther.length, 2, ofOther.join());
  // Every sale is listed of the first place alone.
  await page.getByRole('heading', { name: 'Every sale in ZZ1', exact: true }).waitFor();
  assert.equal(await page.getByRole('heading', { name: /^Every sale in/ }).count(), 1);
});

test('the second place is searched for, turned round and left again, each with its own address', async () => {
  const { page } = await open('/explore/ZZ1-1AA?type=T', 1280);
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
});

test('a second place that cannot be shown is named with the reason, and the first is shown alone', async () => {
  const { page } = await open('/explore/ZZ1-1AA?with=PO33-2RX', 1280);
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
});

test('where calls of the second place fail, its column says so and the first place keeps its figures', async () => {
  const { page } = await open('/explore/ZZ1-1AA?with=ZZ2-2AA', 1280);
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
});

test('the report of two places has a page of paper for each, and leads back to both', async () => {
  const { page } = await open('/explore/ZZ1-1AA?with=ZZ3-1AA', 1280);
  await page.locator('#council-tax-beside .lead-figure').waitFor();
  await page.getByRole('link', { name: 'Report to print' }).click();
  await page.waitForURL('**/explore/ZZ1-1AA/report?with=ZZ3-1AA');
  const words = [];
  for (const postcode of ['ZZ1 1AA', 'ZZ3 1AA']) {
    const part = page.getByRole('region', { name: postcode, exact: true });
    await part.locator('[aria-label="Council tax by band"]').waitFor();
    words.push(await part.locator('[aria-label="Council tax by band"]').innerText());
  }
  assert.notEqual(words[0], words[1]);
  const paper = await page.pdf({ preferCSSPageSize: true });
  assert.equal(paper.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length, 2);
  await page.getByRole('link', { name: 'Back to the places' }).click();
  await page.getByRole('heading', { level: 1, name: 'ZZ1 1AA and ZZ3 1AA', exact: true }).waitFor();
  await page.goto('/explore/ZZ1-1AA/report?with=ZZ9-9ZZ');
  await page.getByText('ZZ9 9ZZ is not a postcode of the made-up town.').waitFor();
  await page.getByRole('link', { name: 'Back to the place', exact: true }).waitFor();
});
