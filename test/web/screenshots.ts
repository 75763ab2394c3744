// `npm run screenshots [FOLDER] [WORDS…]`: every page in every state, on a phone and on a desk, light and dark. With words, only
// states whose names have one of them.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { startBrowser } from '../browser.ts';
import { browser } from '../requirements.ts';
import { bundledHome } from '../rig.ts';
import { startDemo } from './demo.ts';
import { show } from './show.ts';
import { states } from './states/index.ts';
import { lookAs, looks, visit } from './visit.ts';

const [folder = 'screenshots', ...words] = process.argv.slice(2);
if (browser.kind === 'lacking') throw new Error(`This machine lacks ${browser.what.join(' and ')}.`);
const wanted = states.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
mkdirSync(folder, { recursive: true });
const { home, remove } = await bundledHome();
const running = await startDemo(home);
const started = await startBrowser(browser.value);
const visited = await visit(started.browser, running.url, looks[0]);
let failed = 0;
for (const state of wanted) {
  try {
    await lookAs(visited, looks[0]);
    await show(visited, state);
    // States that come so fast use up the calls of a minute; a page asks again by itself.
    if (!state.name.startsWith('explore-limit'))
      await visited.page.locator('.limit .notice').waitFor({ state: 'detached', timeout: 90_000 });
    for (const look of looks) {
      await lookAs(visited, look);
      // Charts are drawn once the page has nothing else to do.
      await visited.page.evaluate(
        'new Promise((drawn) => requestIdleCallback(() => requestAnimationFrame(() => requestAnimationFrame(drawn)), { timeout: 2000 }))',
      );
      const name = `${state.name}-${look.width}-${look.colours}.png`;
      await visited.page.screenshot({ path: path.join(folder, name), fullPage: true });
    }
  } catch (fault) {
    failed += 1;
    console.error(`${state.name}: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
}
await started.close();
await running.stop();
remove();
console.log(`${(wanted.length - failed) * looks.length} pictures in ${path.resolve(folder)}`);
process.exitCode = failed === 0 ? 0 : 1;
