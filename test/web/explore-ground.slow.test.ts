// The explorer as a visitor meets it, in a real browser against the real service: from the search to every panel, who pays, links
// that mean a place, and what happens where a call fails.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { browser } from '../requirements.ts';
import { bundledHome, type Running, runDomesday, startDomesday } from '../rig.ts';
import { changeAnswers, refusal } from './change-answers.ts';
import { explorer } from './explore-desk.ts';
import { type Look, lookOver, type Visit, visit } from './visit.ts';

const desk: Look = { width: 1280, colours: 'light' };
const phone: Look = { width: 360, colours: 'dark' };

/** With a demo account, as on a newcomer's machine. */
const { desk: demo, open, test } = explorer();

/** Without one: the made-up town alone. */
let own: { readonly home: string; readonly remove: () => void } | undefined;
let running: Running | undefined;
before(async () => {
  if (browser.kind === 'lacking') return;
  own = await bundledHome();
  running = await startDomesday(own.home, {
    DOMESDAY_DEMO_ACCOUNT: 'off',
    DOMESDAY_SANDBOX_PAGE_CALLS: '1000000',
  });
});
after(async () => {
  await running?.stop();
  own?.remove();
});
const closed = () => ({
  url: running?.url ?? assert.fail('nothing is started'),
  home: own?.home ?? assert.fail('nothing is started'),
});

const visitOf = (of: () => { readonly url: string }, look: Look = desk): Promise<Visit> =>
  visit(demo().browser, of().url, look);

const panels = ['map', 'area', 'prices', 'bank-rate', 'crime', 'council-tax'];
const search = (page: Page, name = 'Postcode or place') => page.getByRole('combobox', { name, exact: true });
const headingOf = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** Each has its answer and its call, or its refusal in words. */
async function waitForPanels(page: Page): Promise<void> {
  for (const id of panels) {
    await page.locator(`#${id}`).waitFor();
    await page.locator(`#${id} .panel-room > .loading`).waitFor({ state: 'detached' });
  }
}

/** Panels without an answer. */
async function unanswered(page: Page): Promise<readonly string[]> {
  const refused: string[] = [];
  for (const id of panels)
    if ((await page.locator(`#${id} .panel-room > .notice.warning`).count()) > 0) refused.push(id);
  return refused;
}

test('from the search to every panel of a real place, which the demo account pays for', async () => {
  const visited = await open('about:blank', 1280);
  const { page } = visited;
  const charged: string[] = [];
  page.on('response', (response) => {
    const credits = response.headers()['x-credits-charged'];
    if (credits !== undefined && credits !== '0')
      charged.push(`${new URL(response.url()).pathname}: ${credits}`);
  });
  await page.goto('/explore');
  await page.getByText('The demo account of this machine pays').waitFor();
  await search(page).pressSequentially('np10 8w');
  await page.getByRole('option', { name: /^NP10 8WA/ }).waitFor();
  // By keyboard alone.
  await page.keyboard.press('ArrowDown');
  const active = await search(page).getAttribute('aria-activedescendant');
  assert.equal(await page.locator(`[id="${active}"]`).getAttribute('aria-selected'), 'true');
  await page.keyboard.press('Enter');
  await headingOf(page, 'NP10 8WA').waitFor();
  assert.equal(new URL(page.url()).pathname, '/explore/NP10-8WA');
  await waitForPanels(page);
  assert.deepEqual(await unanswered(page), []);
  assert.equal(await page.getByText('Newport', { exact: false }).first().isVisible(), true);
  assert.equal(charged.length, 1, charged.join());
  assert.match(charged[0] ?? '', /^\/api\/v1\/batch: [1-8]$/);
  await lookOver(visited, 'a real place');
});

test('every panel of the made-up town answers without an account, on a phone, and nothing is paid', async () => {
  const { page } = await visitOf(closed, phone);
  await page.goto('/explore');
  await page.getByText('the made-up town is free for everybody').waitFor();
  await search(page).fill('zz1');
  await page.getByRole('option', { name: /^ZZ1 1AA/ }).click();
  await headingOf(page, 'ZZ1 1AA').waitFor();
  await waitForPanels(page);
  assert.deepEqual(await unanswered(page), []);
  await page.getByText('The made-up town is free.').waitFor();
  await page.locator('.page-head').getByText('A made-up town: none of these figures is real.').waitFor();
});

test('a real place without anybody to pay says so and leads to the sign-in, and to the town', async () => {
  const { page } = await visitOf(closed);
  await page.goto('/explore/NP10-8WA');
  await page.getByText('Sign in to see this place').waitFor();
  await page.getByRole('link', { name: 'See the made-up town' }).click();
  await headingOf(page, 'ZZ1 1AA').waitFor();
  await page.goBack();
  await page.getByText('Sign in to see this place').waitFor();
});

test('a panel whose call fails shows its error; the others live, and it is asked again by hand', async () => {
  const { page } = await open('about:blank', 1280);
  let isBroken = true;
  const error = { code: 'DATABASE_ERROR', message: 'The data cannot be read just now.', requestId: 'r-1' };
  await changeAnswers(page, ['/council-tax/lookup'], () => (isBroken ? refusal(503, error) : undefined));
  await page.goto('/explore/PO33-2RX');
  const broken = page.locator('#council-tax');
  await broken.getByText('The data cannot be read just now.').waitFor();
  await broken.getByText('request r-1').waitFor();
  await waitForPanels(page);
  assert.deepEqual(await unanswered(page), ['council-tax']);
  isBroken = false;
  await broken.getByRole('button', { name: 'Try again' }).click();
  await broken.locator('.notice').waitFor({ state: 'detached' });
});

test('a panel that came too soon waits in sight and asks again by itself', async () => {
  const { page } = await open('about:blank', 1280);
  let asked = 0;
  const limited = { code: 'RATE_LIMITED', message: 'The limit is reached.' };
  await changeAnswers(page, ['/council-tax/lookup'], () => {
    asked += 1;
    return asked > 1 ? undefined : refusal(429, limited, { 'Retry-After': '1' });
  });
  await page.goto('/explore/NP10-8WA');
  await page.locator('#council-tax').getByText('Waiting…').waitFor();
  await page.locator('#council-tax .lead-figure').waitFor();
  await page.locator('.limit .notice').waitFor({ state: 'detached' });
  assert.equal(asked, 2);
});

test('links mean places: however typed, by name, with a second one; back and forward; wrong ones say so', async () => {
  const { page } = await open('about:blank', 1280);
  await page.goto('/explore/np108wa');
  await headingOf(page, 'NP10 8WA').waitFor();
  await page.waitForURL('**/explore/NP10-8WA');
  await page.goto('/explore/zz11aa?with=zz3-1aa&type=T&layers=none#crime');
  await page.waitForURL('**/explore/ZZ1-1AA?with=zz3-1aa&type=T&layers=none#crime');
  await headingOf(page, 'ZZ1 1AA and ZZ3 1AA').waitFor();
  await page.goto('/explore/NP10-8WA');
  await search(page, 'Another place').fill('newport');
  await page.getByRole('option', { name: /^Newport.*Authority in Wales/ }).click();
  await page.waitForURL(/\/explore\/newport[a-z-]*-W06000022$/);
  const named = page.url();
  await page.goBack();
  await headingOf(page, 'NP10 8WA').waitFor();
  await page.goForward();
  await page.getByText('Around NP', { exact: false }).waitFor();
  await page.goto(named);
  await page.getByText('Around NP', { exact: false }).waitFor();
  // A name with a sign, and the same by a name that it never had.
  await search(page, 'Another place').fill('ryde app');
  await page.getByRole('option', { name: /^Ryde Appley & Elmfield/ }).click();
  await headingOf(page, 'Ryde Appley & Elmfield').waitFor();
  await page.goto('/explore/ride-apley-E05013385');
  await headingOf(page, 'Ryde Appley & Elmfield').waitFor();
  await page.waitForURL('**/explore/ryde-appley-and-elmfield-E05013385');
  await page.goto('/explore/newport-W06999999');
  await page.getByText('No place with the code W06999999 is known here.').waitFor();
  await page
    .getByRole('link', { name: /^Newport/ })
    .first()
    .waitFor();
  await page.goto('/explore/NP10');
  await headingOf(page, 'NP10').waitFor();
  await page.goto('/explore/NP10-8WA?with=PO33-2RX');
  await headingOf(page, 'NP10 8WA and PO33 2RX').waitFor();
  await page.getByRole('link', { name: 'NP10 8WA alone' }).click();
  await headingOf(page, 'NP10 8WA').waitFor();
  await page.goto('/explore/nowhere-at-all');
  await page.getByText('“nowhere at all” is neither a postcode nor a place').waitFor();
  await page.goto('/explore/newpo');
  await page.getByText('Did you mean').waitFor();
  await page
    .getByRole('link', { name: /^Newport/ })
    .first()
    .waitFor();
  await page.goto('/explore/NP99-9ZZ');
  await page.getByText('NP99 9ZZ is not in it').waitFor();
  await headingOf(page, 'Not known here').waitFor();
  // Whichever way no postcode can be so, and whichever view is asked for: one line, and no panel.
  for (const [address, heading, words] of [
    ['XX1-1XX', 'No such place', 'XX1 1XX is not a UK postcode. Check it for a typing slip.'],
    ['xx11xx/report', 'No such place', 'XX1 1XX is not a UK postcode. Check it for a typing slip.'],
    ['NP10-8CI', 'No such place', 'NP10 8CI is not a UK postcode. Check it for a typing slip.'],
    ['NQ1-1AA', 'Not known here', 'No place has a postcode that begins with NQ; check it for a typing slip.'],
  ] as const) {
    await page.goto(`/explore/${address}`);
    await page.getByText(words, { exact: true }).waitFor();
    await headingOf(page, heading).waitFor();
    assert.equal(await page.locator('.panel, .report, .notice').count(), 0, address);
  }
  await page.goto('/explore/NP10-8WA?with=XX1-1XX');
  await page.getByText('XX1 1XX is not a UK postcode. Check it for a typing slip.').waitFor();
  await headingOf(page, 'NP10 8WA').waitFor();
  await page.goto('/explore/ZZ1-2ZZ');
  await page.getByText('Royal Mail withdrew this postcode in May 2019').first().waitFor();
});

test('a postcode that the made-up town lacks leads to those it has', async () => {
  const { page } = await visitOf(closed);
  await page.goto('/explore/ZZ9-9ZZ');
  await page.getByText('ZZ9 9ZZ is not a postcode of the made-up town.').waitFor();
  await page.getByRole('link', { name: 'ZZ1 1AA' }).click();
  await headingOf(page, 'ZZ1 1AA').waitFor();
});

test('the last places are remembered in this browser, and forgotten when asked', async () => {
  const { page } = await open('about:blank', 1280);
  for (const slug of ['NP10-8WA', 'LE15-6QU']) {
    await page.goto(`/explore/${slug}`);
    await waitForPanels(page);
  }
  await page.goto('/explore');
  const recent = page.getByRole('region', { name: 'Recent places' });
  await recent.waitFor();
  assert.deepEqual(await recent.locator('.option-title').allInnerTexts(), ['LE15 6QU', 'NP10 8WA']);
  await recent.getByRole('button', { name: 'Clear' }).click();
  await recent.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText('Worth a look').waitFor();
  assert.equal(await recent.count(), 0);
});

test('the front page searches too, and the report has the figures of the place on one page', async () => {
  const { page } = await open('about:blank', 1280);
  const keys: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/portal/explore/key')) keys.push(request.url());
  });
  await page.goto('/');
  await page.getByText('200 OK').waitFor();
  assert.equal(keys.length, 0, 'nobody has searched yet');
  await search(page, 'Look at a place').fill('PO33 2RX');
  await page.getByRole('option', { name: /^PO33 2RX/ }).waitFor();
  await page.keyboard.press('Enter');
  await headingOf(page, 'PO33 2RX').waitFor();
  await waitForPanels(page);
  assert.deepEqual(await unanswered(page), []);
  const spent: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/')) spent.push(request.url());
  });
  await page.getByRole('link', { name: 'Report to print' }).click();
  await page.waitForURL('**/explore/PO33-2RX/report');
  await page.locator('[aria-label="Council tax by band"]').waitFor();
  assert.deepEqual(spent, [], 'what the place has asked is not asked again');
  const pages = await page.pdf({ preferCSSPageSize: true });
  assert.equal(pages.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length, 1, 'one page of paper');
});

test('whoever signs in is told the cost before anything is spent, and pays with their own credits', async () => {
  const { page } = await visitOf(closed);
  const email = 'explorer@example.com';
  const password = 'a quiet meadow at noon';
  await page.goto('/account/sign-in');
  const ask = (path: string, takes: Record<string, string>) =>
    page.evaluate(
      async ([address, body]) => {
        const response = await fetch(address, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        return response.status;
      },
      [path, JSON.stringify(takes)] as const,
    );
  assert.equal(await ask('/portal/sign-up', { email }), 200);
  const told = await runDomesday(['people', 'link', email], {
    DOMESDAY_HOME: closed().home,
    DOMESDAY_DEMO_ACCOUNT: 'off',
  });
  const token = /\/account\/confirm#(\S+)/.exec(told.out)?.[1] ?? assert.fail(told.out + told.err);
  assert.equal(await ask('/portal/confirm', { token, password }), 200);
  assert.equal(await ask('/portal/sign-in', { email, password }), 200);
  assert.equal(await ask('/portal/accounts', { name: 'Acme' }), 200);
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/')) calls.push(request.url());
  });
  await page.goto('/explore/NP10-8WA');
  await page.getByText('A place costs up to 8 credits of Acme; 100 left.').waitFor();
  assert.deepEqual(calls, []);
  await page.getByRole('button', { name: 'Show the place' }).click();
  await waitForPanels(page);
  await page.getByText('Acme pays for these calls.').waitFor();
  await page.reload();
  await headingOf(page, 'NP10 8WA').waitFor();
  await page.getByText('Acme pays for these calls.').waitFor();
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByText(/A place costs up to 8 credits of Acme; \d+ left\./).waitFor();
});

test('without storage everything works, and nothing is remembered', async () => {
  const visited = await visitOf(demo);
  const { page } = visited;
  await page.addInitScript(() => {
    const refuse = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    };
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(globalThis, name, { get: refuse });
  });
  await page.goto('/explore/NP10-8WA');
  await waitForPanels(page);
  assert.deepEqual(visited.faults, []);
});

/** Without tiles. */
const firstLoadBytesMost = 150_000;

test('the first load of the explorer is at most 150 kB, compressed', async () => {
  const { page } = await visitOf(closed);
  let bytes = 0;
  const counting = await page.context().newCDPSession(page);
  await counting.send('Network.enable');
  counting.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto('/explore');
  await page.getByText('the made-up town is free for everybody').waitFor();
  await page.waitForLoadState('networkidle');
  assert.ok(bytes > 10_000 && bytes <= firstLoadBytesMost, `${bytes} bytes`);
});
