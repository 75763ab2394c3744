// What visitors of the explorer read while something is missing: that it is on its way, that a limit is reached, or why there is
// none and what to do, in words that need no program.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { errorCodes, errors } from '../../src/errors.ts';
import { wordsFor } from '../../web/api/refusal-words.ts';
import { browser, testWith } from '../requirements.ts';
import { answerPortal } from './answers.ts';
import { changeAnswers, refusal } from './change-answers.ts';
import { exploreDeskOfFile } from './explore-desk.ts';
import { operator } from './state.ts';
import { closed } from './states/explore-ground.ts';
import { until } from './visit.ts';

const desk = exploreDeskOfFile();

/** Parameters, headers, members of a reply. */
const forPrograms = /`|Retry-After|X-|API key|\bsend the call\b|\brequest id\b|=/;

test('no code is told in words for programs', () => {
  const fields = ['minPrice', 'maxPrice', 'months', 'type', 'street', 'newBuild', 'sort', 'offset', 'limit'];
  // What these say is of the parameters that pages choose themselves, or of calls that pages do not make.
  const notOfPages =
    /^(MISSING|METHOD|URI|HEADERS|BAD_REQUEST|NOT_FOUND|INVALID_(AREA|TAX|DATE|LIMIT)|AUTHORITY)/;
  for (const code of errorCodes.filter((each) => !notOfPages.test(each)))
    for (const field of [undefined, ...fields]) {
      const { message } = errors[code];
      const words = wordsFor({ code, message, ...(field === undefined ? {} : { field }) });
      assert.doesNotMatch(words, forPrograms, code);
      assert.match(words, /^[A-Z].*\.$/, code);
    }
});

test('where there are no crimes a visitor reads why, in words of the page', () => {
  const reasons = readdirSync('src/endpoints', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('crime') && name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(`src/endpoints/${name}`, 'utf8').matchAll(/noData\(\s*'([\w-]+)'/g)])
    .map(([, reason = '']) => reason);
  const told = new Map(
    [...new Set([...reasons, 'scotland', 'channel-islands', 'isle-of-man'])].map((reason) => [
      reason,
      wordsFor({
        code: 'NO_CRIME_DATA',
        message: 'Nothing; ask for one nearby.',
        reason,
        policeForce: 'Kent Police',
      }),
    ]),
  );
  assert.ok(told.size >= 9, [...told.keys()].join());
  assert.equal(new Set(told.values()).size, told.size, 'each has words of its own');
  const unknown = wordsFor({ code: 'NO_CRIME_DATA', message: 'Nothing; ask for one nearby.', reason: 'new' });
  for (const [reason, words] of [...told, ['another', unknown] as const]) {
    assert.doesNotMatch(words, /\bask for\b|\bsend\b|`|=/, reason);
    assert.match(words, /^[A-Z].*\.$/, reason);
    if (reason !== 'another') assert.notEqual(words, unknown, reason);
  }
});

testWith(
  browser,
  'a filter that does not fit is marked, and says once what to type: a slip needs no support',
  async () => {
    for (const [query, label, words] of [
      [
        'min-price=dear',
        'Lowest price',
        'The lowest price must be a whole number of pounds, such as 250000.',
      ],
      ['sales-months=none', 'Period', 'The period must be one of those in the list.'],
    ] as const) {
      const { page, close } = await desk().open(`/explore/ZZ1-1AA?${query}`, 360);
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
      await close();
    }
    // It has no field: the list has no such page.
    const { page, close } = await desk().open('/explore/ZZ1-1AA?offset=far', 1280);
    await page.locator('#prices .notice').getByText('The list of sales has no such page.').waitFor();
    await close();
  },
);

testWith(browser, 'how to open real places is told to whoever runs the service, to no visitor', async () => {
  for (const { answers, count } of [
    { answers: closed, count: 0 },
    {
      answers: { ...closed, ...operator, 'GET /portal/accounts': { accounts: [], trial: 'used' } },
      count: 1,
    },
  ] as const) {
    const { page, faults, close } = await desk().open('/explore', 1280);
    await answerPortal(page, answers, faults);
    await page.goto('/explore/NP10-8WA');
    await page.getByText('Sign in to see this place').waitFor();
    assert.equal(await page.getByText('DOMESDAY_VISITORS').count(), count);
    await close();
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

testWith(
  browser,
  'a place whose one request fails says so once, and is asked for again by hand or when a limit is over',
  async () => {
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
  },
);

testWith(
  browser,
  'a limit is told once, at the top, with the time until the page goes on; panels wait, and all of them go on by themselves',
  async () => {
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
  },
);

testWith(browser, 'a limit that lasts for hours is told once too, with what a visitor can do', async () => {
  const { page, close } = await desk().open('/explore', 360);
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
  await close();
});

testWith(
  browser,
  'an address with a section leads to it, whether its answers come soon or late',
  async () => {
    for (const come of ['soon', 'late'] as const) {
      const { page, close } = await desk().open('/explore', 1280);
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
      await close();
    }
  },
);

testWith(browser, 'the links of the page mark the section that its reader is at', async () => {
  for (const width of [360, 1280] as const) {
    const { page, close } = await desk().open('/explore/ZZ1-1AA', width);
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
    await close();
  }
});

testWith(
  browser,
  'all sections of a place stand in one line on a phone, between the margins; a line that goes on has a shade',
  async () => {
    const { page, close } = await desk().open('/explore/ZZ1-1AA', 360);
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
    await close();
  },
);
