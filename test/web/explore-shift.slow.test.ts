// What a reader looks at stays where it is while a place is loading, whether its answers come soon or late.

import assert from 'node:assert/strict';
import { test } from '../browser.ts';
import { exploreDeskOfFile } from './explore-desk.ts';
import { type Look, visit } from './visit.ts';

const service = exploreDeskOfFile();

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
const places = { 'one place': '/explore/NP10-8WA', 'two places': '/explore/NP10-8WA?with=PO33-2RX' } as const;

for (const look of looks)
  test(`nothing moves on a screen of ${look.width} from the search to the place, whenever it is known who pays`, async () => {
    for (const known of ['soon', 'late'] as const) {
      const visited = await visit(service().browser, service().url, look);
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
  });

for (const look of looks)
  for (const come of ['soon', 'late'] as const)
    for (const [shown, path] of Object.entries(places))
      test(`nothing moves on a screen of ${look.width} while answers for ${shown} come ${come}`, async () => {
        const visited = await visit(service().browser, service().url, look);
        const { page } = visited;
        await page.addInitScript({ content: watch });
        const held = Promise.withResolvers<void>();
        await page.route('**/api/v1/batch', async (route) => {
          if (come === 'late') await held.promise;
          await route.continue();
        });
        await page.goto(path);
        if (come === 'late') await page.getByText('Loading the place').waitFor();
        held.resolve();
        await page.locator('.panel .uplot').first().waitFor();
        const shifts: readonly Shift[] = await page.evaluate('shifts');
        const sum = shifts.reduce((sum, { value }) => sum + value, 0);
        assert.ok(sum < most, `${sum}: ${JSON.stringify(shifts)}`);
        await visited.close();
      });
