// Pages in their states, in a real browser: no error in the console, no request that leaves the service, nothing serious for
// whoever hears the page, no sideways scrolling on a phone.

import { after, before } from 'node:test';
import { type RunningBrowser, startBrowser } from '../browser.ts';
import { browser, testWith } from '../requirements.ts';
import { bundledHome, type Running, startDomesday } from '../rig.ts';
import { show } from './show.ts';
import type { State } from './state.ts';
import { type Look, lookOver } from './visit.ts';

let running: Running;
let started: RunningBrowser;
let remove: () => void;

before(async () => {
  if (browser.kind === 'lacking') return;
  const own = await bundledHome();
  remove = own.remove;
  running = await startDomesday(own.home);
  started = await startBrowser(browser.value);
});
after(async () => {
  if (browser.kind === 'lacking') return;
  await started.close();
  await running.stop();
  remove();
});

const looked: readonly Look[] = [
  { width: 360, colours: 'light' },
  { width: 1280, colours: 'dark' },
];

export function lookOverStates(states: readonly State[]): void {
  for (const state of states) {
    testWith(browser, `${state.name}: readable by everybody, on a phone and on a desk`, async () => {
      for (const look of looked) {
        const visited = await show(started.browser, running.url, state, look);
        await lookOver(visited, `${state.name} at ${look.width}`);
        await visited.close();
      }
    });
  }
}
