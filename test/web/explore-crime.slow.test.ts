// Crime and council tax in the explorer, in a real browser against the real service: the figures are the API's, a month that was
// not published is a gap with words, and what costs is asked only on request.

import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { Answers } from '../../web/api/answers.ts';
import { percentText } from '../../web/formats.ts';
import { explorer } from './explore-desk.ts';
import { unfold } from './visit.ts';

const { desk, open, test } = explorer();

const whole = new Intl.NumberFormat('en-GB');
const pounds = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' });
const panel = (page: Page, id: string) => page.locator(`#${id}`);

/** Cells of each row, in order. */
const cellsOf = (table: Locator): Promise<readonly (readonly string[])[]> =>
  table
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent ?? '')),
    );

test('NP10 8WA: total, months and kinds are those of the API, and force and nation come on request', async () => {
  const { page } = await open('/explore/NP10-8WA', 1280);
  const crime = panel(page, 'crime');
  const told = await desk().call('/crime/by-postcode', { postcode: 'NP10 8WA', months: '12' });
  await crime
    .getByText(`${whole.format(told.totalCrimes)}`, { exact: true })
    .first()
    .waitFor();
  await crime.getByText('Published by Gwent Police').waitFor();
  await unfold(crime.getByText('As a table or a file').first());
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
  assert.equal(desk().asked('compare=true').length, 0, 'nothing is compared before somebody asks');
  await crime.getByText('Compare with Gwent Police and the nation').click();
  await crime.getByText('newest 12 months against the 12 before').first().waitFor();
  await crime
    .getByText(/load the archive of data.police.uk/)
    .first()
    .waitFor();
  assert.equal(desk().asked('compare=true').length, 1);
});

/** The made-up nation has one force with every month, and so the same figures: these differ. */
function withLargerNation(told: Answers['/crime/by-postcode']): Answers['/crime/by-postcode'] {
  const { comparison } = told;
  if (comparison === undefined) return told;
  const larger = (counts: Readonly<Record<string, number>> | null) =>
    counts === null
      ? null
      : Object.fromEntries(Object.entries(counts).map(([name, count], at) => [name, 3 * count + 40 * at]));
  const { nation } = comparison;
  return {
    ...told,
    comparison: {
      ...comparison,
      nation: {
        ...nation,
        forces: [...nation.forces, 'Zedborth Police'],
        missing: [],
        monthlyTotals: larger(nation.monthlyTotals),
        byCategory: larger(nation.byCategory),
      },
    },
  };
}

test('beside force and nation: the change in a year, each month and each share are those of its own side', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  const crime = panel(page, 'crime');
  const told = withLargerNation(
    await desk().call('/crime/by-postcode', { postcode: 'ZZ1 1AA', months: '24', compare: 'true' }),
  );
  await page.route('**/crime/by-postcode?*compare=true*', async (route) => {
    const response = await route.fetch();
    return route.fulfill({ response, json: { ...(await response.json()), data: told } });
  });
  const { here, force, nation } = told.comparison ?? assert.fail('nothing to compare with');
  const sides = [
    { name: told.postcode, monthly: told.monthlyTotals, kinds: here.byCategory },
    { name: force.name, monthly: force.monthlyTotals, kinds: force.byCategory },
    { name: 'The made-up country', monthly: nation.monthlyTotals, kinds: nation.byCategory },
  ].map(({ name, monthly, kinds }) => ({
    name,
    monthly: monthly ?? assert.fail(`${name} has no months`),
    kinds: Object.values(kinds ?? assert.fail(`${name} has no kinds`)),
  }));
  await crime.getByText('Compare with Zedbury Constabulary').click();
  await crime.locator('.changes').waitFor();
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const changes = await crime
    .locator('.changes > div')
    .evaluateAll((found) =>
      found.map((each) => [
        each.querySelector('dt')?.textContent,
        each.querySelector('.figure')?.textContent,
      ]),
    );
  assert.deepEqual(
    changes,
    sides.map(({ name, monthly }) => {
      const counts = Object.keys(monthly)
        .sort()
        .map((month) => monthly[month] ?? 0);
      const share = sum(counts.slice(12)) / sum(counts.slice(0, 12)) - 1;
      return [name, `${share < 0 ? '−' : '+'}${percentText(Math.abs(share))}`];
    }),
  );
  const shares = await cellsOf(crime.getByRole('group', { name: 'Share of each kind of crime' }));
  for (const [at, { name, kinds }] of sides.entries())
    assert.deepEqual(
      shares.map((cells) => cells[at + 1]).sort(),
      kinds.map((count) => percentText(count / sum(kinds))).sort(),
      name,
    );
  const tracks = await crime
    .locator('.shares .share-track')
    .evaluateAll((found) => found.map((each) => each.getBoundingClientRect().width));
  assert.equal(new Set(tracks).size, 1, 'bars of all columns have one scale');
  // What has a ground of its own looks like all of something.
  const grounds = await page.evaluate(
    `[...new Set([...document.querySelectorAll('.share-track')].map((each) => getComputedStyle(each).backgroundColor))]`,
  );
  assert.deepEqual(grounds, ['rgba(0, 0, 0, 0)']);
  const first = shares.map(([, share = '']) => Number.parseFloat(share));
  assert.deepEqual(
    first,
    first.toSorted((a, b) => b - a),
    'most first',
  );
  const chart = crime.locator('figure', { hasText: 'Each month against the average month' });
  await unfold(chart.getByText('As a table or a file'));
  const months = await cellsOf(chart.locator('.chart-table'));
  for (const [at, { name, monthly }] of sides.entries()) {
    const average = sum(Object.values(monthly)) / Object.values(monthly).length;
    assert.deepEqual(
      months.map((cells) => Number(cells[at + 1])),
      Object.keys(monthly)
        .sort()
        .map((month) => Math.round((1000 * (monthly[month] ?? 0)) / average) / 10),
      name,
    );
  }
});

test('a nation that is the one force has no column of the same figures, and the page says why', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  const crime = panel(page, 'crime');
  await crime.getByText('Compare with Zedbury Constabulary').click();
  await crime.getByText('The made-up country is not shown: Zedbury Constabulary is the only force').waitFor();
  assert.deepEqual(await crime.locator('.changes dt').allInnerTexts(), ['ZZ1 1AA', 'Zedbury Constabulary']);
  assert.equal(await page.getByText('fictional').count(), 0);
});

test('ZZ3 1AA: a month that was not published is a gap and is named', async () => {
  const { page } = await open('/explore/ZZ3-1AA', 360);
  const crime = panel(page, 'crime');
  await crime
    .getByText('Nothing usable was published for March and September 2026, or it is not loaded.')
    .waitFor();
  assert.equal(await crime.locator('.lacking p').count(), 0, 'it is said once');
  const key = crime.locator('figure', { hasText: 'Crimes by month' }).locator('.chart-keys');
  assert.equal((await key.innerText()).trim(), 'Not published, or not loaded');
  await crime.getByRole('group', { name: /Crimes by month/ }).focus();
  await page.keyboard.press('End');
  await crime.getByText('September 2026: not published, or not loaded').waitFor();
  await page.keyboard.press('ArrowLeft');
  const told = await desk().call('/crime/by-postcode', { postcode: 'ZZ3 1AA' });
  await crime.getByText(`August 2026: ${told.monthlyTotals['2026-08']}`).waitFor();
});

test('a place without crime data says so, and the other panels live', async () => {
  const { page } = await open('/explore/ZZ2-9ZZ', 1280);
  await panel(page, 'crime').getByText('NO_CRIME_DATA').waitFor();
  await panel(page, 'council-tax').getByText('Zedbury Borough Council').first().waitFor();
  await panel(page, 'area').getByRole('heading', { name: 'People' }).waitFor();
});

test('council tax: bands, years and what a band means', async () => {
  const { page } = await open('/explore/ZZ1-1AB', 360);
  const tax = panel(page, 'council-tax');
  const told = await desk().call('/council-tax/lookup', { postcode: 'ZZ1 1AB', allYears: 'true' });
  await tax.getByText('value on 1 Apr 1991').waitFor();
  for (const { councilTaxBands } of told.years ?? [])
    await tax.getByText(pounds.format(councilTaxBands.band_d), { exact: true }).first().waitFor();
  await tax.getByText('£40,001 to £52,000').waitFor();
});

test('authorities around: each with its distance, its band D and the difference, unless a border lies between', async () => {
  const { page } = await open('/explore/ZZ1-1AB', 1280);
  const tax = panel(page, 'council-tax');
  const { authorities } = await desk().call('/council-tax/authorities', { near: 'ZZ1 1AB', limit: '8' });
  const [own, ...others] = authorities;
  const here = own?.band_d ?? assert.fail('the own authority has no band D');
  const [cheaper, dearer] = [-1, 1].map((sign) =>
    others.filter(({ band_d = null }) => band_d !== null && Math.sign(band_d - here) === sign),
  );
  assert.ok((cheaper?.length ?? 0) + (dearer?.length ?? 0) > 0, 'there is something to compare with');
  // As if the second lay in the same nation.
  const [second] = others;
  assert.ok(second !== undefined && second.authorityCode[0] !== own?.authorityCode[0]);
  await page.route('**/api/v1/council-tax/authorities?**', async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll(second.authorityCode, 'E06000998');
    await route.fulfill({ response, body });
  });
  await tax.getByText('What nearby authorities charge').click();
  const table = tax.getByRole('group', { name: 'Band D in nearby authorities' });
  await table.waitFor();
  const kilometres = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });
  assert.deepEqual(
    await cellsOf(table),
    authorities.map(({ authorityCode, name, distanceMetres = 0, band_d = null, taxYear }) => [
      name,
      authorityCode === own?.authorityCode
        ? 'here'
        : distanceMetres < 1000
          ? `${distanceMetres} m`
          : `${kilometres.format(Math.round(distanceMetres / 100) / 10)} km`,
      band_d === null ? 'not known' : pounds.format(band_d),
      authorityCode === own?.authorityCode || band_d === null
        ? ''
        : authorityCode === second.authorityCode
          ? `${band_d < here ? '−' : '+'}${pounds.format(Math.abs(band_d - here))}`
          : 'not comparable',
      taxYear ?? '',
    ]),
  );
  // Sorted by what is charged, dearest first and then cheapest.
  const sort = table.getByRole('button', { name: /^Band D/ });
  for (const sign of [-1, 1]) {
    await sort.click();
    const charged = (await cellsOf(table)).map(([, , amount = '']) => Number(amount.replaceAll(/[£,]/g, '')));
    assert.deepEqual(
      charged,
      charged.toSorted((a, b) => sign * (a - b)),
    );
  }
  assert.equal(await tax.getByText('Only a sample of postcodes is loaded').count(), 0);
});

test('the band of a home is that of the address that was chosen, each time anew', async () => {
  const { page } = await open('/explore/ZZ1-1AB', 1280);
  const tax = panel(page, 'council-tax');
  const { candidates } = await desk().call('/council-tax/property-candidates', { postcode: 'ZZ1 1AB' });
  const askedBefore = desk().asked('property-lookup').length;
  await tax.getByText('Which band is a home here in?').click();
  const choice = tax.getByLabel('Address', { exact: true });
  await choice.waitFor();
  assert.deepEqual(await choice.locator('option').allInnerTexts(), candidates);
  assert.equal(
    desk().asked('property-lookup').length,
    askedBefore,
    'nothing is asked before somebody presses',
  );
  const told = new Set<string>();
  for (const address of candidates.toReversed()) {
    const answer = await desk().call('/council-tax/property-lookup', { postcode: 'ZZ1 1AB', address });
    await choice.selectOption(address);
    await tax.getByRole('button', { name: 'Show its band (free)' }).click();
    const home = tax.locator('.home-band').filter({ hasText: answer.matchedAddress });
    await home.getByText(`Band ${answer.councilTaxBand}`, { exact: true }).waitFor();
    await home
      .getByText(`${pounds.format(answer.councilTaxAmount)} in ${answer.taxYear}.`, { exact: true })
      .waitFor();
    told.add(answer.matchedAddress);
  }
  assert.equal(told.size, candidates.length);
});

test('the report counts kinds of crime over the months that it names, as the panel does', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  const bars = panel(page, 'crime')
    .getByRole('list', { name: 'Crimes by kind, all these months' })
    .locator('li');
  await bars.first().waitFor();
  const kinds = await bars.evaluateAll((items) =>
    items.map((item) => [
      item.querySelector('.share-name')?.textContent ?? '',
      item.querySelector('.share-count')?.textContent ?? '',
    ]),
  );
  await page.goto('/explore/ZZ1-1AA/report');
  const commonest = page.locator('.terms > div', { hasText: 'Most often' }).locator('dd li');
  await commonest.first().waitFor();
  assert.deepEqual(
    await commonest.allInnerTexts(),
    kinds.slice(0, 4).map((kind) => kind.join(': ')),
  );
});

test('Wales has band I and values of 2003; Scotland has amounts of its own and no crime', async () => {
  for (const { path, words } of [
    { path: '/explore/NP10-8WA', words: ['more than £424,000', 'value on 1 Apr 2003'] },
    { path: '/explore/ZZ4-1AA', words: ['£27,001 to £35,000', 'Water and sewerage'] },
  ]) {
    const { page } = await open(path, 1280);
    for (const each of words) await panel(page, 'council-tax').getByText(each).waitFor();
    if (path.includes('ZZ4'))
      await panel(page, 'crime').getByText('Police Scotland does not publish').waitFor();
  }
});
