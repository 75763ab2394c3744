// `npm run readme-pictures`: what the README shows of the explorer: the map of a place, and its sold prices.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { startBrowser } from '../browser.ts';
import { browser } from '../requirements.ts';
import { bundledHome, startDomesday } from '../rig.ts';
import { visit } from './visit.ts';

if (browser.kind === 'lacking') throw new Error(`This machine lacks ${browser.what.join(' and ')}.`);
const folder = path.join(import.meta.dirname, '../../docs/images');
mkdirSync(folder, { recursive: true });
const { home, remove } = await bundledHome();
const running = await startDomesday(home);
const started = await startBrowser(browser.value);
for (const [name, place, panel] of [
  ['explore-map', 'NP10-8WA', undefined],
  ['explore-prices', 'PO33-2RX', '#prices'],
] as const) {
  const { page, close } = await visit(started.browser, running.url, { width: 1280, colours: 'light' });
  await page.goto(`/explore/${place}`);
  await page.locator('.panel').nth(5).waitFor();
  await page.locator('.panel .loading').first().waitFor({ state: 'detached' });
  // The ground of the map comes last.
  await page.waitForLoadState('networkidle');
  const shown = panel === undefined ? page : page.locator(panel);
  await shown.screenshot({ path: path.join(folder, `${name}.png`) });
  await close();
}
await started.close();
await running.stop();
remove();
