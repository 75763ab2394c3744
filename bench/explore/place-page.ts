// To the last panel of a place, in a real browser on loopback, over a home with the country loaded: from the search, in a browser
// that has just opened its page; and from the address, the first visit of a browser, the second with its cache, and the third, for
// which Chromium has kept the compiled code too. Layout shifts are added up as browsers score them.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { startBrowser } from '../../test/browser.ts';
import { readersBrowser } from '../../test/requirements.ts';
import { report } from '../figures.ts';
import { median } from '../rounds.ts';
import { start } from '../server.ts';

const [nation, roundsText = '7', ...given] = process.argv.slice(2);
if (nation === undefined)
  throw new Error('Name a home with the country loaded: npm run bench -- explore HOME [ROUNDS [SLUG…]]');
if (readersBrowser.kind === 'lacking')
  throw new Error(`This machine lacks ${readersBrowser.what.join(' and ')}.`);
const rounds = Number(roundsText);
// Each takes four keys, and an address has thirty a minute.
if (rounds > 7) throw new Error('At most 7 rounds: more are refused for want of keys.');
const slugs = given.length > 0 ? given : ['NP10-8WA', 'SW1A-1AA', 'M1-1AE', 'B1-1BB'];
const aimMs = 300;

/** Its releases under a ledger of its own, so that nothing of that home changes. Beside it: links reach no other disk. */
const home = mkdtempSync(path.join(path.dirname(path.resolve(nation)), 'domesday-bench-explore-'));
for (const folder of ['releases', 'sandbox'])
  execFileSync('cp', ['-al', path.join(nation, folder), path.join(home, folder)]);

const command = path.join(import.meta.dirname, '../../bin/domesday.js');
// Visitors have no limit of the minute; the demo account has.
const payers = { DOMESDAY_DEMO_ACCOUNT: 'off', DOMESDAY_VISITORS: '1000000' };
const opened = await startBrowser(readersBrowser.value);
const patienceMs = 30_000;

/** Milliseconds since the navigation or the search began when no panel waits any more, and how much has moved. */
const watch = `
  globalThis.told = { shift: 0, beganMs: 0 };
  addEventListener('keydown', ({ key }) => { if (key === 'Enter') told.beganMs = performance.now(); }, { capture: true });
  told.complete = new Promise((resolve, reject) => {
    told.resolve = resolve;
    setTimeout(() => reject(new Error('The page is not complete: ' + document.body.innerText.slice(0, 300))), ${patienceMs});
  });
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) told.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  const look = () => {
    const isThere = document.querySelectorAll('.panel').length >= 6 && document.querySelector('.loading') === null;
    if (!isThere) return requestAnimationFrame(look);
    told.completeMs ??= performance.now() - told.beganMs;
    const areDrawn = [...document.querySelectorAll('.chart-place')].every((place) => place.querySelector('canvas') !== null);
    if (!areDrawn) return requestAnimationFrame(look);
    told.drawnMs = performance.now() - told.beganMs;
    told.resolve();
  };
  requestAnimationFrame(look);
`;

/** `drawnMs`: until the last chart below the fold has its lines, too. */
type Visit = { readonly completeMs: number; readonly drawnMs: number; readonly shift: number };

async function newPage(baseURL: string): Promise<Page> {
  const context = await opened.browser.newContext({ baseURL, viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript({ content: watch });
  return page;
}

/** Once the page is complete. */
async function visitOf(page: Page, slug: string): Promise<Visit> {
  await page.evaluate('told.complete');
  const refused = await page.locator('.panel .notice.warning').allInnerTexts();
  if (refused.length > 0) throw new Error(`${slug}: ${refused.join(' | ')}`);
  return page.evaluate('({ completeMs: told.completeMs, drawnMs: told.drawnMs, shift: told.shift })');
}

const untilIdle = (page: Page) => page.evaluate('new Promise(requestIdleCallback)');

/** Of each kind of visit, that of the slowest place. */
const slowest = new Map<string, { readonly value: number; readonly worst: number }>();
for (const slug of slugs) {
  // A service for each place, which has its own count of keys.
  const server = await start([command, 'serve'], {
    ...process.env,
    ...payers,
    DOMESDAY_HOME: home,
    PORT: '0',
  });
  const searched: Visit[] = [];
  const visits: Readonly<Record<string, Visit[]>> = { first: [], second: [], third: [] };
  for (let round = 0; round < rounds; round += 1) {
    const start = await newPage(server.url);
    await start.goto('/explore');
    await start.getByRole('combobox').pressSequentially(slug.replace('-', ' '));
    await start.getByRole('option').first().waitFor();
    await untilIdle(start);
    await start.keyboard.press('Enter');
    searched.push(await visitOf(start, slug));
    await start.context().close();
    const page = await newPage(server.url);
    for (const visited of Object.values(visits)) {
      await page.goto(`/explore/${slug}`);
      visited.push(await visitOf(page, slug));
      // The next visit does not wait for what this one leaves behind.
      await untilIdle(page);
    }
    await page.context().close();
  }
  console.log(`${slug} (aim: ${aimMs} ms, no layout shift)`);
  for (const [visit, taken] of Object.entries({ 'from the search': searched, ...visits })) {
    const complete = taken.map(({ completeMs }) => completeMs);
    const drawn = median(taken.map(({ drawnMs }) => drawnMs));
    const all = slowest.get(visit) ?? { value: 0, worst: 0 };
    slowest.set(visit, {
      value: Math.max(all.value, median(complete)),
      worst: Math.max(all.worst, ...complete),
    });
    const shift = Math.max(...taken.map(({ shift }) => shift));
    console.log(
      `  ${visit.padEnd(15)} median ${median(complete).toFixed(0)} ms, slowest ${Math.max(...complete).toFixed(0)} ms; charts drawn ${drawn.toFixed(0)} ms; layout shift at most ${shift.toFixed(4)}`,
    );
  }
  await server.stop();
}

await opened.close();
rmSync(home, { recursive: true, force: true });
report(
  [...slowest].map(([visit, times]) => ({
    what: `last panel, ${visit}, slowest of ${slugs.length} places`,
    ...times,
    unit: 'ms',
    aim: `≤ ${aimMs} ms`,
  })),
);
