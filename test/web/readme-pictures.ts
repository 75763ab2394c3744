// `npm run readme-pictures`: the page of a place as the README shows it, on a desk and on a phone.

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
for (const [name, width] of [
  ['explore-desk', 1280],
  ['explore-phone', 360],
] as const) {
  const { page, close } = await visit(started.browser, running.url, { width, colours: 'light' });
  await page.goto('/explore/NP10-8WA');
  await page.locator('.panel').nth(5).waitFor();
  await page.locator('.panel .loading').first().waitFor({ state: 'detached' });
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
  await close();
}
await started.close();
await running.stop();
remove();
