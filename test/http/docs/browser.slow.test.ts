// What whoever opens /docs in a browser is promised: one click on any form shows an answer, a key of one's own brings the
// real examples and goes nowhere but into the header of the call, the search works by the keyboard alone, old links arrive,
// and all of it can be read without a script.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { endpoints } from '../../../src/endpoints/index.ts';
import { type RunningBrowser, startBrowser, test } from '../../browser.ts';
import { browser } from '../../requirements.ts';
import { bundledHome, type Running, startDomesday } from '../../rig.ts';

let running: Running;
let started: RunningBrowser;
let remove: () => void;
before(async () => {
  if (browser.kind === 'lacking') return;
  const own = await bundledHome();
  remove = own.remove;
  running = await startDomesday(own.home, { DOMESDAY_TRUST_PROXY: '1', DOMESDAY_SAMPLE: 'serve' });
  started = await startBrowser(browser.value);
});
after(async () => {
  if (browser.kind === 'lacking') return;
  await started.close();
  await running.stop();
  remove();
});

async function withPage(
  path: string,
  look: (page: Page) => Promise<void>,
  options: Pick<BrowserContextOptions, 'javaScriptEnabled'> = {},
) {
  const context = await started.browser.newContext({
    baseURL: running.url,
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  const page = await context.newPage();
  await page.goto(path);
  await look(page);
  await context.close();
}

const referenceOf = (path: string) => `/docs/reference/${path.slice(1).replaceAll('/', '-')}`;

/** One click on "Send", and what the form then shows. */
async function send(page: Page): Promise<{ readonly line: string; readonly told: string }> {
  await page.locator('form.try button[type=submit]').click();
  await page.locator('.outcome-line').getByText(/ ms/).waitFor();
  const line = (await page.locator('.outcome-line').textContent()) ?? '';
  const told = (await page.locator('form.try .reply pre').textContent()) ?? '';
  return { line, told };
}

test('one click on the form of any endpoint shows an answer, without a key of one’s own', () =>
  withPage('/docs', async (page) => {
    for (const [place, { path }] of endpoints.entries()) {
      // Each reader has an address, and so a minute, of their own.
      await page.setExtraHTTPHeaders({ 'x-forwarded-for': `198.51.100.${place}` });
      await page.goto(referenceOf(path));
      const { line, told } = await send(page);
      assert.match(line, /^200 OK · \d+ ms$/, `${path} ${told}`);
      assert.equal(JSON.parse(told).success, true);
    }
  }));

test('a live key brings the real examples, and is neither in the address nor in a curl line', () =>
  withPage('/docs', async (page) => {
    const key = /dd_live_\w+/.exec(running.output())?.[0] ?? assert.fail('no demo key was printed');
    for (const { path, credits } of endpoints) {
      // On every page as for the first time.
      await page.evaluate('sessionStorage.clear()');
      await page.goto(referenceOf(path));
      await page.locator('#key-choice').selectOption('own');
      await page.locator('#key').fill(key);
      if ((await page.locator('form.try').getAttribute('data-live-example')) === 'none') continue;
      const { line, told } = await send(page);
      assert.match(line, /^200 OK/, `${path} ${told}`);
      assert.equal(JSON.parse(told).billing?.mode, credits === 0 ? undefined : 'prepaid');
      const kept = await page.evaluate(
        `[location.href, document.documentElement.outerHTML, JSON.stringify(localStorage), document.cookie].join()`,
      );
      assert.ok(!String(kept).includes(key));
      assert.equal(await page.locator('#key').getAttribute('type'), 'password');
    }
  }));

test('calls in a page go to the address that the page came from', async () => {
  for (const path of ['/docs', '/docs/errors/VOA_ERROR']) {
    await withPage(path, async (page) => {
      const call = await page.locator('.panel-curl code').first().textContent();
      assert.ok(String(call).includes(`'${running.url}/api/v1/`), String(call));
    });
  }
});

test('the search finds a page by the keyboard alone, and says how many there are', async () => {
  await withPage('/docs', async (page) => {
    await page.keyboard.press('/');
    await page.keyboard.type('idempotency');
    const list = page.locator('#found');
    await list.waitFor();
    assert.match((await page.locator('#found-count').textContent()) ?? '', /\d+ results|One result/);
    assert.equal(await page.locator('#search').getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('ArrowDown');
    const chosen = (await page.locator('#search').getAttribute('aria-activedescendant')) ?? '';
    assert.equal(await page.locator(`#${chosen}`).getAttribute('aria-selected'), 'true');
    await page.keyboard.press('Escape');
    assert.equal(await list.isVisible(), false);
    await page.keyboard.press('ArrowDown');
    await list.waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/guides\/errors#idempotency$/);
  });
  const expected = {
    medianage: /\/docs\/reference\/area-statistics/,
    RATE_LIMITED: /\/docs\/errors\/RATE_LIMITED$/,
    // Words side by side, and a letter that is a word.
    'band I': /\/docs\/reference\/council-tax-property-lookup$/,
    operator: /\/docs\/guides\/operators/,
    password: /\/docs\/guides\/operators#passwords$/,
    'council tax band': /\/docs\/reference\/council-tax/,
    csv: /\/docs\/guides\/csv$/,
    // The last of all.
    'data sources': /\/docs\/data$/,
  };
  for (const [typed, arrives] of Object.entries(expected)) {
    await withPage('/docs/changelog', async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type(typed);
      await page.locator('#found').waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(arrives);
    });
  }
  await withPage('/docs', async (page) => {
    // Every word has to be there.
    for (const typed of ['zzzzqq', 'csv zzzzqq']) {
      await page.locator('#search').fill('csv');
      await page.locator('#found').waitFor();
      await page.locator('#search').fill(typed);
      await page.locator('#found-count').getByText('Nothing found').waitFor();
    }
  });
});

type Entry = readonly [href: string, page: string, part: string, words: string];

const wordsByText = new Map<string, readonly string[]>();

function wordsIn(text: string): readonly string[] {
  const known = wordsByText.get(text);
  if (known !== undefined) return known;
  const words = text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
  wordsByText.set(text, words);
  return words;
}

test('the search finds every word by its beginning, titles first, two parts of a page at most, and marks it', async () => {
  const response = await fetch(`${running.url}/docs/search.json`);
  const entries: readonly Entry[] = JSON.parse(await response.text());
  const has = (text: string, typed: string) => wordsIn(text).some((word) => word.startsWith(typed));
  const holding = (typed: string) =>
    entries.filter(([, page, part, words]) => [page, part, words].some((text) => has(text, typed)));
  await withPage('/docs', async (page) => {
    const box = page.locator('#search');
    const found = page.locator('#found > a');
    const count = page.locator('#found-count');
    for (const typed of ['credit', 'postcode', 'limit', 'age', 'csv', 'key']) {
      await box.fill(typed);
      await found.first().waitFor();
      const hrefs = await found.evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
      const known = new Map(holding(typed).map((entry) => [entry[0], entry]));
      const shown = hrefs.map((href) => known.get(href) ?? assert.fail(`${href} has no word like ${typed}`));
      const pages = new Set(holding(typed).map(([, title]) => title));
      const most = [...pages].reduce(
        (sum, title) => sum + Math.min(2, holding(typed).filter(([, each]) => each === title).length),
        0,
      );
      assert.equal(shown.length, Math.min(8, most), typed);
      for (const [, title] of shown)
        assert.ok(shown.filter(([, each]) => each === title).length <= 2, `${title} for ${typed}`);
      // One whose title has the word never stands behind one that has it in its text alone.
      const ranks = shown.map(([, title, part]) => (has(title, typed) ? 0 : has(part, typed) ? 1 : 2));
      assert.deepEqual(
        ranks,
        ranks.toSorted((a, b) => a - b),
        `${typed}: ${hrefs.join(' ')}`,
      );
      assert.equal(await count.textContent(), `${shown.length} results. Press the down arrow to choose.`);
      const marks = await found.evaluateAll((links) =>
        links.map((link) =>
          [...link.querySelectorAll('mark')].map((mark) => mark.textContent?.toLowerCase()),
        ),
      );
      for (const [at, each] of marks.entries())
        assert.ok(each.length > 0 && each.every((text) => text === typed), `${hrefs[at]} for ${typed}`);
    }
    // A part is named with its page, and says the words around the one that was typed.
    await box.fill('idempotency');
    await found.first().waitFor();
    assert.match((await found.first().locator('strong').textContent()) ?? '', /^\S.* › \S/);
    const only =
      entries
        .flatMap(([, , , words]) => wordsIn(words))
        .find((word) => word.length > 7 && holding(word).length === 1) ??
      assert.fail('every word is in several parts');
    await box.fill(only);
    await count.getByText('One result. Press the down arrow to choose it.').waitFor();
    assert.equal(await found.count(), 1);
    assert.ok((await found.locator('span').textContent())?.toLowerCase().includes(only), only);
  });
});

test('the search by keys goes round, is closed and emptied, and says if it cannot be reached', async () => {
  await withPage('/docs', async (page) => {
    const box = page.locator('#search');
    const list = page.locator('#found');
    const options = list.locator('a');
    const chosen = () => options.evaluateAll((all) => all.findIndex((each) => each.ariaSelected === 'true'));
    await box.fill('credits');
    await list.waitFor();
    const last = (await options.count()) - 1;
    assert.equal(await chosen(), -1);
    for (const [key, expected] of [
      ['ArrowUp', last],
      ['ArrowDown', 0],
      ['ArrowDown', 1],
      ['ArrowUp', 0],
      ['ArrowUp', last],
    ] as const) {
      await box.press(key);
      assert.equal(await chosen(), expected, key);
    }
    await box.press('Escape');
    assert.deepEqual([await list.isVisible(), await box.inputValue()], [false, 'credits']);
    assert.equal(await box.getAttribute('aria-expanded'), 'false');
    await box.press('Escape');
    assert.equal(await box.inputValue(), '');
    await box.fill('credits');
    await list.waitFor();
    await box.fill(' ');
    assert.equal(await list.isVisible(), false);
    await box.fill('credits');
    await list.waitFor();
    await page.getByText('On this page', { exact: true }).click();
    assert.equal(await list.isVisible(), false);
    await page.route('**/docs/search.json', (route) => route.fulfill({ status: 503, body: '' }));
    await page.reload();
    await box.focus();
    await page.getByText('The search cannot be reached at the moment.').waitFor();
  });
});

test('contents that were opened on a narrow screen stand beside the page on a wide one', () =>
  withPage('/docs', async (page) => {
    const left = () => page.locator('main').evaluate((main) => main.getBoundingClientRect().left);
    const beside = await left();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.locator('.menu').click();
    await page.locator('#contents:popover-open').waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.locator('#contents:popover-open').waitFor({ state: 'detached' });
    assert.ok(await page.locator('#contents').isVisible());
    assert.equal(await left(), beside);
  }));

test('the language of the examples is chosen once, for every example and for the next page', () =>
  withPage('/docs', async (page) => {
    await page.getByText('Python', { exact: true }).first().click();
    assert.equal(await page.locator('.panel-py:visible').count(), await page.locator('.tabs').count());
    await page.goto('/docs/guides/batch');
    assert.ok(await page.locator('.panel-py').first().isVisible());
    assert.equal(await page.locator('.panel-curl:visible').count(), 0);
  }));

test('without a script everything can be read: pages, contents, every language of an example', () =>
  withPage(
    '/docs/reference/council-tax-lookup',
    async (page) => {
      assert.equal(await page.locator('form.try').isVisible(), false);
      assert.equal(await page.locator('form.search').isVisible(), false);
      await page.getByText('TypeScript', { exact: true }).click();
      assert.ok(await page.locator('.panel-ts').isVisible());
      await page.locator('#contents').getByText('Keys and test mode').click();
      await page.waitForURL(/\/docs\/guides\/keys$/);
      await page.setViewportSize({ width: 360, height: 740 });
      assert.equal(await page.locator('#contents').isVisible(), false);
      await page.locator('.menu').click();
      assert.ok(await page.locator('#contents').isVisible());
    },
    { javaScriptEnabled: false },
  ));
