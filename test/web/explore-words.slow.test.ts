// What visitors of the explorer read while something is missing: that it is on its way, that a limit is reached, or why there is
// none and what to do, in words that need no program.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { answerPortal } from './answers.ts';
import { changeAnswers, refusal } from './change-answers.ts';
import { explorer } from './explore-desk.ts';
import { operator } from './state.ts';
import { closed } from './states/explore-ground.ts';
import { until } from './visit.ts';

const { desk, open, test } = explorer();

test('a filter that does not fit is marked, and says once what to type: a slip needs no support', async () => {
  for (const [query, label, words] of [
    ['min-price=dear', 'Lowest price', 'The lowest price must be a whole number of pounds, such as 250000.'],
    ['sales-months=none', 'Period', 'The period must be one of those in the list.'],
  ] as const) {
    const { page } = await open(`/explore/ZZ1-1AA?${query}`, 360);
    const field = page.getByLabel(label, { exact: true }).and(page.locator('[aria-invalid="true"]'));
    await field.waitFor();
    const id = (await field.getAttribute('aria-describedby')) ?? '';
    assert.equal(await page.locator(`[id="${id}"]`).innerText(), words);
    assert.equal(await page.locator('[aria-invalid="true"]').count(), 1);
    assert.equal(await page.getByText(words).count(), 1);
    await page.locator('#prices .notice').getByText('A filter does not fit').waitFor();
    assert.equal(await page.locator('#prices').getByText('For support').count(), 0);
    assert.equal(await page.locator('#sales').count(), 0);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.locator('#sales table').waitFor();
    assert.equal(await page.locator('[aria-invalid]').count(), 0);
  }
  // It has no field: the list has no such page.
  const { page } = await open('/explore/ZZ1-1AA?offset=far', 1280);
  await page.locator('#prices .notice').getByText('The list of sales has no such page.').waitFor();
});

test('how to open real places is told to whoever runs the service, to no visitor', async () => {
  for (const { answers, count } of [
    { answers: closed, count: 0 },
    {
      answers: { ...closed, ...operator, 'GET /portal/accounts': { accounts: [], trial: 'used' } },
      count: 1,
    },
  ] as const) {
    const { page, faults } = await open('/explore', 1280);
    await answerPortal(page, answers, faults);
    await page.goto('/explore/NP10-8WA');
    await page.getByText('Sign in to see this place').waitFor();
    assert.equal(await page.getByText('DOMESDAY_VISITORS').count(), count);
  }
});

/** Every call meets it as long as it is reached. */
async function limit(page: Page, seconds: number): Promise<{ isReached: boolean }> {
  const limited = { isReached: true };
  const told = refusal(
    429,
    { code: 'RATE_LIMITED', message: 'So many requests.' },
    { 'Retry-After': String(seconds) },
  );
  await changeAnswers(page, 'every call', () => (limited.isReached ? told : undefined));
  return limited;
}

test('a place whose one request fails says so once, and is asked for again by hand or when a limit is over', async () => {
  const { page, close } = await desk().open('/explore', 1280);
  await page.clock.install();
  const batches: string[] = [];
  await page.route('**/api/v1/batch', (route) => {
    batches.push(route.request().url());
    if (batches.length === 1) return route.abort();
    const error = { code: 'RATE_LIMITED', message: 'So many requests without a valid key.' };
    return batches.length === 2
      ? route.fulfill({ status: 429, headers: { 'retry-after': '50' }, json: { success: false, error } })
      : route.continue();
  });
  await page.goto('/explore/ZZ1-1AA');
  await page.getByText('The service did not answer.').waitFor();
  assert.equal(await page.locator('.notice').count(), 1);
  assert.equal(await page.locator('.panel').count(), 0);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.limit .notice').getByText('The rest of this page follows in').waitFor();
  assert.equal(await page.locator('.notice').count(), 1);
  await page.clock.runFor(51_000);
  await page.locator('#crime .lead-figure').waitFor();
  assert.equal(await page.locator('.notice').count(), 0);
  assert.equal(batches.length, 3);
  await close();
});

test('a limit is told once, at the top, with the time until the page goes on; panels wait, and all of them go on by themselves', async () => {
  const { page, close } = await desk().open('/explore', 1280);
  await page.clock.install();
  const limited = await limit(page, 50);
  await page.goto('/explore/ZZ1-1AA');
  const panels = page.locator('.panel');
  await page.locator('.panel .waiting').nth(6).waitFor();
  assert.equal(await page.locator('.panel .waiting').count(), await panels.count());
  assert.equal(await page.locator('.notice').count(), 1);
  const notice = page.locator('.limit .notice');
  const [seconds = ''] = /\d+ seconds/.exec(await notice.innerText()) ?? assert.fail('no time is told');
  assert.ok(Number.parseInt(seconds, 10) > 40 && Number.parseInt(seconds, 10) <= 50, seconds);
  await page.clock.runFor(10_000);
  await notice.getByText(`${Number.parseInt(seconds, 10) - 10} seconds`).waitFor();
  limited.isReached = false;
  await page.clock.runFor(41_000);
  await notice.waitFor({ state: 'detached' });
  await page.locator('#crime .lead-figure').waitFor();
  await close();
});

test('a limit that lasts for hours is told once too, with what a visitor can do', async () => {
  const { page } = await open('/explore', 360);
  const limited = await limit(page, 20_000);
  await page.goto('/explore/ZZ1-1AA');
  const notice = page.locator('.notice');
  await notice.getByText('It answers again in 5 hours.').waitFor();
  await notice.getByRole('link', { name: 'Sign in' }).waitFor();
  assert.equal(await notice.count(), 1);
  // Nothing is on its way: no panel waits, keeps room or says more than a line.
  const panels = page.locator('.panel');
  const told = page.locator('.panel-room').getByText('Not shown for now.');
  assert.equal(await told.count(), await panels.count());
  assert.equal(await page.locator('.waiting, .loading').count(), 0);
  assert.doesNotMatch(await page.locator('main').innerText(), /…/);
  for (const panel of await page.locator('.panel-room').all())
    assert.ok(((await panel.boundingBox())?.height ?? 999) < 60);
  limited.isReached = false;
  await notice.getByRole('button', { name: 'Try again' }).click();
  await notice.waitFor({ state: 'detached' });
  await page.locator('#council-tax .lead-figure').waitFor();
});

test('an address with a section leads to it, whether its answers come soon or late', async () => {
  for (const come of ['soon', 'late'] as const) {
    const { page } = await open('/explore', 1280);
    const held = Promise.withResolvers<void>();
    await page.route('**/api/v1/**', async (route) => {
      if (come === 'late') await held.promise;
      await route.continue();
    });
    await page.goto('/explore/ZZ1-1AA#council-tax');
    const section = page.locator('#council-tax');
    const isAtIt = () =>
      until(
        page,
        `(({ top }) => top >= 0 && top < innerHeight / 2)(document.querySelector('#council-tax').getBoundingClientRect())`,
      );
    if (come === 'late') {
      await page.getByText('Loading the place').waitFor();
      held.resolve();
    }
    await section.locator('.lead-figure').waitFor();
    await isAtIt();
  }
});

test('the links of the page mark the section that its reader is at', async () => {
  for (const width of [360, 1280] as const) {
    const { page } = await open('/explore/ZZ1-1AA', width);
    await page.locator('#council-tax .lead-figure').waitFor();
    const current = page.getByRole('navigation', { name: 'On this page' }).locator('[aria-current]');
    assert.equal(await current.count(), 0, 'above the first');
    const sections = [
      ['crime', 'Crime'],
      ['area', 'Area'],
      // It has no link of its own, and belongs to the one before.
      ['sales', 'Sold prices'],
      ['council-tax', 'Council tax'],
      ['map', 'Map'],
    ] as const;
    for (const [id, label] of sections) {
      await page.locator(`#${id}`).evaluate((element) => element.scrollIntoView());
      await current.filter({ hasText: label }).waitFor();
      assert.equal(await current.count(), 1);
    }
  }
});

test('all sections of a place stand in one line on a phone, between the margins; a line that goes on has a shade', async () => {
  const { page } = await open('/explore/ZZ1-1AA', 360);
  const links = page.getByRole('navigation', { name: 'On this page' }).getByRole('link');
  await links.first().waitFor();
  const words: readonly { readonly left: number; readonly right: number }[] = await page.evaluate(`
    [...document.querySelectorAll('nav[aria-label="On this page"] a')].map((link) => {
      const range = document.createRange();
      range.selectNodeContents(link);
      return range.getBoundingClientRect();
    })
  `);
  assert.equal(words.length, 6);
  assert.equal(Math.round(words[0]?.left ?? 0), 16);
  assert.ok(Math.round(words.at(-1)?.right ?? 360) <= 344);
  assert.deepEqual(
    (await links.allInnerTexts()).map((text) => text.trim()),
    ['Map', 'Area', 'Prices', 'Bank Rate', 'Crime', 'Tax'],
  );
  await page.setViewportSize({ width: 260, height: 740 });
  const strip = page.getByRole('navigation', { name: 'On this page' }).locator('ul');
  assert.ok(await strip.evaluate((list) => list.scrollWidth > list.clientWidth));
  const shade = await page.evaluate(
    `getComputedStyle(document.querySelector('nav[aria-label="On this page"] ul')).backgroundAttachment`,
  );
  assert.equal(shade, 'local, local, scroll, scroll');
});
