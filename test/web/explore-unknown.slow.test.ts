// What the explorer says where the service does not know: in every panel, layer and list, side by side and on paper, in a real
// browser against the real service. "None" stands only where somebody looked, and 0 only where somebody counted.

import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { wordsFor } from '../../web/api/refusal-words.ts';
import { reasonText, subjects } from '../../web/explore/area/figures.ts';
import { postcodePlace } from '../../web/explore/place.ts';
import { silenceOf, type Unknown, unknownBecause } from '../../web/explore/silence.ts';
import { withDates } from '../../web/formats.ts';
import { changeAnswers } from './change-answers.ts';
import { explorer } from './explore-desk.ts';

const { desk, open, test } = explorer();

/** Of the bundled sample: each lacks other datasets, and together they lack each. */
const places = [
  { postcode: 'NP10 8WA', sales: 'not loaded' },
  { postcode: 'SW1A 1AA', sales: 'not loaded' },
  { postcode: 'EC4A 1BW', sales: 'not loaded' },
  { postcode: 'EH1 1YJ', sales: 'not published' },
] as const;

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const outcodeOf = (postcode: string) => postcode.split(' ')[0] ?? postcode;
const pathOf = (postcode: string) => `/explore/${postcodePlace(postcode).slug}`;
const everyLayer = 'layers=crime,schools,stations,stops,amenities,sales';
const layers = ['schools', 'stations', 'stops', 'amenities'] as const;
const panel = (page: Page, id: string) => page.locator(`#${id}`);

/** Words that only somebody who looked may say of sales. */
const toldAsNone = /\b0 sales\b|\bno sales\b|none in \d+ months|has no sale|Sales\s+0\b|£0\b/i;

async function saysNoSales(page: Page, id: string, words: string): Promise<void> {
  await panel(page, id).getByText(words).waitFor();
  assert.doesNotMatch(await panel(page, id).innerText(), toldAsNone);
}

/** Its switch says so once, with the reason, and explains no sign that the map cannot have. */
async function isUnknown(layer: Locator, { kind, why }: Unknown): Promise<void> {
  const reason = `${why.slice(0, 1).toUpperCase()}${why.slice(1)}${why.endsWith('.') ? '' : '.'}`;
  const said = [kind === 'not loaded' ? '' : kind, withDates(reason)].filter(Boolean);
  await layer.getByText(withDates(reason), { exact: true }).waitFor();
  assert.deepEqual(await layer.locator('.layer-standing, .layer-lacking').allInnerTexts(), said);
  assert.equal(await layer.locator('.legend').count(), 0);
}

for (const { postcode } of places) {
  test(`${postcode}: layers and lists of the map that nobody knows say so`, async () => {
    const { page } = await open(`${pathOf(postcode)}?${everyLayer}`, 1280);
    const { kinds } = await desk().call('/area/places', { postcode, radius: '800', limit: '500' });
    const crime = await desk().ask('/crime/by-postcode', { postcode });
    for (const id of layers) {
      const { total, lacking } = kinds[id] ?? assert.fail(`${id} are not told`);
      const layer = page.locator(`[data-layer="${id}"]`);
      if (total === null) {
        await isUnknown(layer, unknownBecause(lacking ?? assert.fail(id)));
        continue;
      }
      const standing =
        total === 0 && lacking !== null ? /^none known$/ : new RegExp(`^${total} [a-z ]+ within 800 m$`);
      await layer.locator('.layer-standing').getByText(standing).waitFor();
      if (lacking !== null) await layer.getByText(lacking).waitFor();
    }
    if (crime.status !== 200) {
      const { error } = JSON.parse(crime.text);
      const kind = error.reason === 'scotland' ? 'not published' : 'not loaded';
      await isUnknown(page.locator('[data-layer="crime"]'), { kind, why: wordsFor(error) });
    }
    // Every list has something, and what is read out of the map has no layer that is not known.
    const counts = await page.locator('.map-list summary .soft').allInnerTexts();
    assert.deepEqual(
      counts.filter((count) => !/^[1-9]/.test(count)),
      [],
    );
    await page.getByRole('application', { name: /^Map around / }).focus();
    await page.keyboard.press('ArrowRight');
    const said = page.locator('.map-frame [role="status"]');
    const titles = { schools: 'Schools', stations: 'Stations', stops: 'Bus stops', amenities: 'Amenities' };
    if (layers.some((id) => kinds[id]?.total !== null))
      await said.filter({ hasText: 'in sight' }).waitFor({ state: 'attached' });
    for (const id of layers)
      if (kinds[id]?.total === null) assert.ok(!(await said.innerText()).includes(titles[id]), id);
    assert.ok(!(await said.innerText()).includes('Sales'));
  });

  test(`${postcode}: area, crime and council tax that nobody knows say so`, async () => {
    const { page } = await open(pathOf(postcode), 1280);
    const told = await desk().call('/area/statistics', { postcode });
    for (const { subject, figures } of subjects)
      for (const { field, label, value, unknown, note } of figures(told)) {
        const radius = told[subject].basis.find(({ fields }) => fields.includes(field))?.radiusMetres ?? null;
        const section = panel(page, 'area').locator('section', { has: page.locator(`#area-${subject}`) });
        const beside = note === undefined ? '( within [\\d.]+ k?m)?' : escaped(` ${note}`);
        const figure = section.getByRole('button', {
          name: new RegExp(`^${escaped(`${label} ${value ?? 'not known'}`)}${beside}$`),
        });
        // Where most are not known, they stand in a line with the reason, and none of them as a figure.
        const line = section.locator('.facts-unknown', { hasText: reasonText(unknown) });
        await figure.or(line).first().waitFor();
        if (value === null && (await line.count()) > 0) {
          assert.match(await line.innerText(), new RegExp(`^Not known(\\.|: .*${escaped(label)})`, 'i'));
          assert.equal(await figure.count(), 0, label);
          continue;
        }
        await figure.waitFor();
        // Nothing is a figure that the answer has not.
        if (value === null) assert.match((await figure.getAttribute('class')) ?? '', /\bunknown\b/, label);
        if (value === null || (radius === null && note === undefined))
          assert.equal(await figure.locator('.fact-within').count(), 0);
      }
    const crime = await desk().ask('/crime/by-postcode', { postcode });
    if (crime.status !== 200) {
      const { error } = JSON.parse(crime.text);
      assert.equal(error.code, 'NO_CRIME_DATA');
      await panel(page, 'crime').getByText(wordsFor(error), { exact: true }).waitFor();
      assert.equal(await panel(page, 'crime').locator('.lead-figure').count(), 0);
    }
    const homes = await desk().ask('/council-tax/property-candidates', { postcode });
    const { code, message }: { readonly code: string; readonly message: string } = JSON.parse(
      homes.text,
    ).error;
    const why =
      code === 'PROPERTY_LEVEL_COUNTRY_UNSUPPORTED'
        ? 'Bands of single homes are known for England and Wales only.'
        : message;
    await panel(page, 'council-tax').getByText('Which band is a home here in?').click();
    await panel(page, 'council-tax').getByText(why).waitFor();
    assert.equal(await panel(page, 'council-tax').getByText('has no home').count(), 0);
  });
}

/** Sales are not known for one of two reasons. */
for (const { postcode, sales } of [places[0], places[3]]) {
  const outcode = outcodeOf(postcode);
  const title =
    sales === 'not loaded'
      ? `No matching sale in ${outcode} is loaded`
      : `Sales in ${outcode} are not published`;

  test(`${postcode}: sold prices that are ${sales} are told so, in every panel`, async () => {
    const { page } = await open(`${pathOf(postcode)}?${everyLayer}&rate-beside=prices`, 1280);
    const { coverage, text } = await desk().ask('/area/sold-prices', { outcode, months: '24' });
    assert.match(text, /"totalResults":0,/);
    const silence = silenceOf(coverage);
    assert.equal(silence.kind, sales);
    for (const id of ['prices', 'sales', 'prices-meanwhile']) await saysNoSales(page, id, title);
    const layer = page.locator('[data-layer="sales"]');
    assert.ok('why' in silence);
    assert.equal(await page.locator('#prices .lacking').count(), 0, 'the content says why');
    // Nothing that a reader can choose would find any.
    const controls = await page.locator('#prices .sale-controls').count();
    assert.equal(controls, sales === 'not published' ? 0 : 1);
    await isUnknown(layer, silence);
    assert.equal(await page.getByText('Sales as a list').count(), 0);
  });

  test(`${postcode}: beside another place its column says what is not known`, async () => {
    for (const path of [
      `/explore/PO33-2RX?with=${postcodePlace(postcode).slug}`,
      `${pathOf(postcode)}?with=PO33-2RX`,
    ]) {
      const { page } = await open(path, 1280);
      const table = page.getByRole('group', { name: 'Sold prices side by side' });
      const at = path.startsWith('/explore/PO33') ? 2 : 1;
      const cells = table.locator(`tbody td:nth-of-type(${at})`);
      for (const row of [0, 1, 2, 3]) await cells.nth(row).getByText(sales, { exact: true }).waitFor();
      const others = table.locator(`tbody td:nth-of-type(${3 - at})`);
      for (const row of [0, 1, 2, 3])
        await others
          .nth(row)
          .getByText(/^[+−£]?[1-9]/)
          .waitFor();
      if (at === 2) await panel(page, 'prices').getByText(`Sales in ${outcode} are not known: `).waitFor();
      assert.doesNotMatch(await panel(page, 'prices').innerText(), toldAsNone);
    }
  });

  test(`${postcode}: the report says what is not known`, async () => {
    const { page } = await open(`${pathOf(postcode)}/report`, 1280);
    const part = page.locator('.report-part', { hasText: 'Sold prices' });
    await part.getByText(new RegExp(`^${sales}: `)).waitFor();
    assert.doesNotMatch(await part.innerText(), toldAsNone);
    const { demographics, schools } = await desk().call('/area/statistics', { postcode });
    const meaning = (term: string) =>
      page.locator('.terms > div', { has: page.locator('dt', { hasText: term }) }).locator('dd');
    for (const [term, value] of [
      ['Residents', demographics.population],
      ['Primary schools', schools.primary],
      ['Secondary schools', schools.secondary],
    ] as const)
      if (value === null) assert.equal(await meaning(term).innerText(), 'not known');
  });
}

test('where somebody looked and there is none, that is what is said', async () => {
  const none = 'min-price=90000000';
  const { page } = await open(`/explore/ZZ1-1AA?${none}`, 1280);
  await panel(page, 'prices').getByText('The register has no sale in ZZ1 that matches').waitFor();
  await panel(page, 'sales').getByText('No matching sales in ZZ1.', { exact: true }).waitFor();
  await page.goto(`/explore/ZZ1-1AA?with=ZZ2-2AA&${none}`);
  const table = page.getByRole('group', { name: 'Sold prices side by side' });
  for (const at of [1, 2])
    for (const [row, words] of ['no sales', '–', '0', 'not known'].entries())
      await table.locator(`tbody td:nth-of-type(${at})`).nth(row).getByText(words, { exact: true }).waitFor();
  // A page after the last sale is not a place without sales.
  await page.goto('/explore/ZZ1-1AA?offset=400');
  await panel(page, 'sales').getByText('this page begins after them').waitFor();
  await panel(page, 'sales').getByRole('button', { name: 'First sales' }).click();
  await panel(page, 'sales')
    .getByRole('group', { name: /^Price by day, all/ })
    .waitFor();
});

test('a register that ends before the period says nothing of it', async () => {
  const { page } = await open('/explore/ZZ1-1AA?sales-months=1', 1280);
  await panel(page, 'prices').getByText('No matching sale in ZZ1 is loaded').waitFor();
  await panel(page, 'prices').getByText('the loaded sales in ZZ end on').waitFor();
  await panel(page, 'sales').getByText('No matching sale in ZZ1 is loaded.', { exact: true }).waitFor();
});

test('a month without figures has no list of 0 crimes', async () => {
  const { page } = await open('/explore/ZZ3-1AA', 1280);
  const list = page.locator('.map-list summary', { hasText: 'Crimes as a list' }).locator('.soft');
  const slider = page.getByRole('slider', { name: 'Months to show' });
  await slider.focus();
  await page.keyboard.press('End');
  await page.locator('.month-words').getByText('not published, or not loaded').waitFor();
  await list.getByText('not known', { exact: true }).waitFor();
  await page.goto('/explore/ZZ3-1AA/report');
  await page
    .locator('.report-part', { hasText: 'Crime within a mile' })
    .getByText('in the 10 months that are known')
    .waitFor();
});

test('the report of a Welsh place has every band that the panel has', async () => {
  const { page } = await open('/explore/NP10-8WA', 1280);
  const { taxYear, years = [] } = await desk().call('/council-tax/lookup', {
    postcode: 'NP10 8WA',
    allYears: 'true',
  });
  const bands = years.find((year) => year.taxYear === taxYear)?.councilTaxBands ?? assert.fail('no year');
  const letters = panel(page, 'council-tax').locator('.band-letter');
  await letters.nth(8).waitFor();
  await page.goto('/explore/NP10-8WA/report');
  const listed = page.getByLabel('Council tax by band').locator('div');
  await listed.first().waitFor();
  const whole = new Intl.NumberFormat('en-GB', {
    style: 'currency',
    currency: 'GBP',
    maximumFractionDigits: 0,
  });
  assert.deepEqual(
    await listed.evaluateAll((rows) =>
      rows.map((row) => [row.querySelector('dt')?.textContent, row.querySelector('dd')?.textContent]),
    ),
    Object.entries(bands).map(([band, amount]) => [band.slice(-1).toUpperCase(), whole.format(amount ?? 0)]),
  );
  assert.equal(await listed.count(), 9);
});

test('kinds of crime of one month say which, in the panel and in the report', async () => {
  const { page } = await open('/explore/NP10-8WA', 1280);
  const told = await desk().call('/crime/by-postcode', {
    postcode: 'NP10 8WA',
    months: '12',
    points: 'true',
    limit: '2000',
  });
  const { referenceMonth, pointsTotal = 0 } = told;
  // As where there are more points than an answer has.
  const data = { ...told, pointsTotal: pointsTotal + 1 };
  await changeAnswers(page, ['/crime/by-postcode'], (answer) => ({ ...answer, body: { data } }));
  await page.reload();
  const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${referenceMonth}-01`),
  );
  await panel(page, 'crime')
    .getByRole('heading', { name: `By kind, ${month}` })
    .waitFor();
  await panel(page, 'crime')
    .getByRole('heading', { name: `What happened next, ${month}` })
    .waitFor();
  await page.goto('/explore/NP10-8WA/report');
  const commonest = page.locator('.terms > div', { hasText: `Most often in ${month}` }).locator('dd li');
  await commonest.first().waitFor();
  assert.equal(await commonest.count(), 4);
});

const tick = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });
const layer = (page: Page, id: string) => page.locator(`[data-layer="${id}"]`);

test('a layer of which nothing is known has no list that says 0', async () => {
  const { page } = await open('/explore/ZZ4-1AA?layers=schools,stops', 360);
  await page.getByText('Bus stops as a list').waitFor();
  assert.equal(
    await layer(page, 'schools').innerText(),
    'Schools\n\nThe list of schools of Scotland is not loaded.',
  );
  assert.equal(await page.getByText('Schools as a list').count(), 0);
});

test('below the map stands whose data is in sight, each publisher once', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 1280);
  const source = page.locator('#map > .panel-foot .source');
  await source.getByText('data.police.uk').waitFor();
  assert.match(await source.innerText(), /^Sources: .*\bOpenStreetMap\b.*; the oldest is of 1 Aug 2021$/);
  const names = (await source.innerText()).replace(/^Sources: |; .*$/g, '').split(', ');
  assert.deepEqual(names, [...new Set(names)]);
  await tick(page, 'Crimes').uncheck();
  await source.getByText('data.police.uk').waitFor({ state: 'detached' });
  for (const name of ['Schools', 'Stations']) await tick(page, name).uncheck();
  await source.getByText('Source: ONS, as of 1 Aug 2021', { exact: true }).waitFor();
  await tick(page, 'Sales').check();
  await source.getByText('Sources: ONS, HM Land Registry; the oldest is of 1 Aug 2021').waitFor();
});

test('a withdrawn postcode has one line for all layers that it cannot have', async () => {
  const { page } = await open('/explore/ZZ1-2ZZ', 1280);
  const layers = page.getByRole('list', { name: 'Layers of the map' });
  await layers.getByText('are not counted around a postcode that is no longer in use').waitFor();
  assert.deepEqual(await layers.getByRole('checkbox').count(), 1);
  await tick(page, 'Sales').check();
  await page.getByText('Sales as a list').waitFor();
  for (const id of ['area', 'crime', 'council-tax'])
    await page.locator(`#${id}`).getByText('This needs a postcode that is in use: see the notice').waitFor();
  assert.equal(await page.locator('.panel .notice').count(), 0);
});
