// What stands under the panels of a place: every call that made them, with what it cost, and whether they show only a sample. In
// a real browser against the real service.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { callsOf, explorer } from './explore-desk.ts';

const { desk, open, test } = explorer();

const inSample = 'From the bundled sample, which has only a few places.';

/** Path and query of every call that a page makes from now on, with the credits that the answers say were charged. */
function followCalls(page: Page): ReadonlyMap<string, number> {
  const charged = new Map<string, number>();
  page.on('response', async (response) => {
    const calls = callsOf(response.request()).filter((call) => call !== '/api/v1/datasets');
    for (const call of calls) charged.set(call, Number(response.headers()['x-credits-charged']));
    if (calls.length <= 1) return;
    const { results }: { readonly results: readonly { readonly creditsCharged: number }[] } =
      await response.json();
    for (const [place, call] of calls.entries()) charged.set(call, results[place]?.creditsCharged ?? 0);
  });
  return charged;
}

async function waitForPanels(page: Page): Promise<void> {
  await page.locator('#council-tax .lead-figure').waitFor();
  await page.locator('#crime .lead-figure').waitFor();
  await page.locator('#area .subject').first().waitFor();
  await page.locator('#map .layers').waitFor();
  await page.locator('.panel .loading').waitFor({ state: 'detached' });
}

/** The calls under each panel, and the words of their cost. */
async function shownCalls(
  page: Page,
): Promise<readonly { readonly calls: string[]; readonly cost: string }[]> {
  const told = [];
  for (const under of await page.locator('.panel-foot > .this-call').all()) {
    await under.locator('summary').click();
    const texts = await under.locator('pre').allInnerTexts();
    const calls = texts.map((text) => /\/api\/v1\/[^\s'"]+/.exec(text)?.[0] ?? assert.fail(text));
    told.push({ calls, cost: await under.locator('summary .soft').innerText() });
  }
  return told;
}

for (const { path, paid } of [
  { path: '/explore/PO33-2RX?layers=crime,sales', paid: 'a real place' },
  { path: '/explore/PO33-2RX?with=NP10-8WA', paid: 'two real places' },
  { path: '/explore/ZZ4-1AA', paid: 'a place of the made-up town, where crime is refused' },
]) {
  test(`${paid}: every call stands under the panels that it made, with the credits that it cost`, async () => {
    const { page, close } = await desk().open('about:blank', 1280);
    const charged = followCalls(page);
    await page.goto(path);
    if (path.includes('ZZ4')) await page.getByText('Police Scotland does not publish').first().waitFor();
    else await waitForPanels(page);
    if (path.includes('sales')) await page.locator('[data-layer="sales"] .layer-standing').waitFor();
    await page.waitForLoadState('networkidle');
    const told = await shownCalls(page);
    for (const { calls, cost } of told) {
      const sum = calls.reduce((all, call) => all + (charged.get(call) ?? assert.fail(call)), 0);
      assert.equal(cost, sum === 0 ? 'free' : sum === 1 ? '1 credit' : `${sum} credits`, calls.join(' '));
    }
    const shown = new Set(told.flatMap(({ calls }) => calls));
    assert.deepEqual(
      [...charged.keys()].filter((call) => !shown.has(call)),
      [],
    );
    const ofMap = told[0]?.calls ?? assert.fail('no panel');
    assert.deepEqual(
      ofMap.map((call) => /^\/api\/v1(\/[^?]+)/.exec(call)?.[1]),
      [
        '/postcodes/lookup',
        '/area/places',
        '/crime/by-postcode',
        ...(path.includes('sales') ? ['/area/sold-prices'] : []),
      ],
    );
    await close();
  });
}

test('what a place needs is asked in one request, once, also what is refused', async () => {
  // Of the second one crime is refused.
  for (const path of ['/explore/NP10-8WA?type=T', '/explore/ZZ4-1AA?type=T']) {
    const { page, close } = await desk().open('about:blank', 1280);
    const asked: (readonly string[])[] = [];
    page.on('request', (request) => {
      const calls = callsOf(request).filter((call) => call !== '/api/v1/datasets');
      if (calls.length > 0) asked.push(calls);
    });
    await page.goto(path);
    await page.locator('#council-tax .lead-figure').waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(asked.length, 1, asked.join());
    assert.deepEqual(asked[0]?.map((call) => /^\/api\/v1([^?]+)/.exec(call)?.[1]).sort(), [
      '/area/places',
      '/area/sold-prices',
      '/area/sold-prices/trend',
      '/area/statistics',
      '/bank-rates',
      '/council-tax/lookup',
      '/crime/by-postcode',
      '/postcodes/lookup',
    ]);
    await close();
  }
});

test('a page whose code cannot be fetched says so', async () => {
  const { page, close } = await desk().open('about:blank', 1280);
  await page.route(/\/assets\/app-/, (route) => route.abort());
  await page.goto('/explore/ZZ1-1AA');
  await page.getByText('This page could not be loaded. Load it again.').waitFor();
  await close();
});

test('a panel speaks of the sample if its own figures are from one: council tax is complete, whatever postcodes are loaded', async () => {
  const { page } = await open('/explore/PO33-2RX', 1280);
  await waitForPanels(page);
  await page.locator('#crime').getByText(inSample).waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(await page.locator('#council-tax').getByText(inSample).count(), 0);
  await page.getByRole('link', { name: 'Report to print' }).click();
  const part = (title: string) => page.locator('.report-part').filter({ hasText: title });
  await part('Crime within a mile').getByText('(sample').waitFor();
  await part('Council tax').locator('.source').waitFor();
  assert.doesNotMatch(await part('Council tax').locator('.source').innerText(), /sample/);
  // The list of datasets decides, and without it the header.
  for (const answer of [
    { json: { data: { datasets: [{ name: 'council-tax', extent: 'sample' }] } } },
    { status: 503, json: { error: { code: 'DATABASE_ERROR', message: 'Not now.' } } },
  ]) {
    await page.route('**/api/v1/datasets', (route) => route.fulfill(answer));
    await page.goto('/explore/PO33-2RX');
    await page.locator('#council-tax').getByText(inSample).waitFor();
    await page.unrouteAll();
  }
});
