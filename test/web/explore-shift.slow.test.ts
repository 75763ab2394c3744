// What a reader looks at stays where it is while a place is loading, in whichever order its answers come.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { type RunningBrowser, startBrowser } from '../browser.ts';
import { browser, testWith } from '../requirements.ts';
import { bundledHome, type Running } from '../rig.ts';
import { startDemo } from './demo.ts';
import { type Look, visit } from './visit.ts';

let opened: RunningBrowser | undefined;
let own: { readonly home: string; readonly remove: () => void } | undefined;
let running: Running | undefined;

before(async () => {
  if (browser.kind === 'lacking') return;
  opened = await startBrowser(browser.value);
  own = await bundledHome();
  running = await startDemo(own.home);
});
after(async () => {
  await opened?.close();
  await running?.stop();
  own?.remove();
});

const there = <T>(started: T | undefined): T => started ?? assert.fail('nothing is started');

/** Browsers call a tenth good. A note that one layer adds to the legend of the map is a few thousandths. */
const most = 0.01;

const watch = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      shifts.push({ value, moved: sources.map(({ node }) => node?.className ?? node?.parentNode?.className ?? '?') });
  }).observe({ type: 'layout-shift', buffered: true });
`;

type Shift = { readonly value: number; readonly moved: readonly string[] };

const looks: readonly Look[] = [
  { width: 1280, colours: 'light' },
  { width: 360, colours: 'light' },
];
const orders = ['as they come', 'where it is first', 'where it is last'] as const;

const places = { 'one place': '/explore/NP10-8WA', 'two places': '/explore/NP10-8WA?with=PO33-2RX' } as const;

for (const look of looks)
  testWith(
    browser,
    `nothing moves on a screen of ${look.width} from the search to the place, whenever it is known who pays`,
    async () => {
      for (const known of ['soon', 'late'] as const) {
        const visited = await visit(there(opened).browser, there(running).url, look);
        const { page } = visited;
        await page.addInitScript({ content: watch });
        const drawn = Promise.withResolvers<void>();
        await page.route('**/portal/explore/key', async (route) => {
          if (known === 'late') await drawn.promise;
          await route.continue();
        });
        await page.goto('/explore');
        await page.getByRole('combobox').waitFor();
        drawn.resolve();
        await page.getByText('The demo account of this machine pays').waitFor();
        await page.getByRole('combobox').fill('NP10 8WA');
        await page.getByRole('option').first().waitFor();
        await page.keyboard.press('Enter');
        await page.locator('.panel .uplot').first().waitFor();
        assert.deepEqual(await page.evaluate('shifts'), [], known);
        await visited.close();
      }
    },
  );

for (const look of looks)
  for (const order of orders)
    for (const [shown, path] of Object.entries(places))
      testWith(
        browser,
        `nothing moves on a screen of ${look.width} while answers for ${shown} come ${order}`,
        async () => {
          const visited = await visit(there(opened).browser, there(running).url, look);
          const { page } = visited;
          await page.addInitScript({ content: watch });
          const others = Promise.withResolvers<void>();
          const isWhere = (address: string) => address.includes('/postcodes/lookup');
          if (order !== 'as they come')
            await page.route('**/api/v1/**', async (route) => {
              if (isWhere(route.request().url()) === (order === 'where it is last')) await others.promise;
              await route.continue();
            });
          await page.goto(path);
          if (order === 'where it is first') await page.locator('.map').waitFor();
          if (order === 'where it is last') await page.locator('#council-tax .lead-figure').waitFor();
          others.resolve();
          await page.locator('.panel .loading').first().waitFor({ state: 'detached' });
          await page.locator('.panel .uplot').first().waitFor();
          const shifts: readonly Shift[] = await page.evaluate('shifts');
          const sum = shifts.reduce((sum, { value }) => sum + value, 0);
          assert.ok(sum < most, `${sum}: ${JSON.stringify(shifts)}`);
          await visited.close();
        },
      );

testWith(
  browser,
  'answers that come together are drawn together, and none waits longer than a moment for the others',
  async () => {
    const visited = await visit(there(opened).browser, there(running).url, { width: 1280, colours: 'light' });
    const { page } = visited;
    // Time stands still unless it is told to pass.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1000);
    const crime = Promise.withResolvers<void>();
    await page.route('**/api/v1/crime/**', async (route) => {
      await crime.promise;
      await route.continue();
    });
    const councilTax = page.waitForResponse('**/api/v1/council-tax/**');
    await page.goto('/explore/NP10-8WA');
    await (await councilTax).finished();
    const drawn = page.locator('#council-tax .lead-figure');
    assert.equal(await drawn.count(), 0);
    // What has come by now need not have been read by the page.
    while ((await drawn.count()) === 0) await page.clock.runFor(50);
    assert.equal(await page.locator('#crime .panel-room > .loading').count(), 1);
    crime.resolve();
    await page.locator('#crime .lead-figure').waitFor();
    await visited.close();
  },
);
