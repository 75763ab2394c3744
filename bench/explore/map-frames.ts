// Frames of the explorer's map while a finger pulls and pinches it, with 20,000 points on it, on a phone's screen with a processor
// four times as slow as this one.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CDPSession } from 'playwright-core';
import { randomFrom } from '../../scripts/random.ts';
import { startBrowser } from '../../test/browser.ts';
import { readersBrowser } from '../../test/requirements.ts';
import { type Figure, report } from '../figures.ts';
import { quantile } from '../rounds.ts';
import { start } from '../server.ts';

const [countText = '20000', slowText = '4'] = process.argv.slice(2);
if (readersBrowser.kind === 'lacking')
  throw new Error(`This machine lacks ${readersBrowser.what.join(' and ')}.`);
const home = mkdtempSync(path.join(tmpdir(), 'domesday-bench-map-'));
const command = path.join(import.meta.dirname, '../../bin/domesday.js');
const server = await start([command, 'serve'], { ...process.env, DOMESDAY_HOME: home, PORT: '0' });
const opened = await startBrowser(readersBrowser.value);
const context = await opened.browser.newContext({
  baseURL: server.url,
  viewport: { width: 360, height: 740 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
});
const page = await context.newPage();

const random = randomFrom(20_000);
const points = Array.from({ length: Number(countText) }, (_, at) => ({
  latitude: 54.1806 + (random() - 0.5) * 0.03,
  longitude: 0.91 + (random() - 0.5) * 0.05,
  location: `On or near Street ${at}`,
  count: 1,
  byMonth: { '2026-09': { burglary: 1 + Math.floor(random() * 9) } },
}));
await page.route('**/api/v1/crime/by-postcode*', async (asked) => {
  const told = await (await asked.fetch()).json();
  return asked.fulfill({ json: { ...told, data: { ...told.data, points } } });
});
await page.goto('/explore/ZZ1-1AA');
await page.getByText('Crimes as a list').waitFor();
await page.locator('.map').scrollIntoViewIfNeeded();
const box = await page.locator('.map').boundingBox();
if (box === null) throw new Error('There is no map.');
const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };

const session = await context.newCDPSession(page);
await session.send('Emulation.setCPUThrottlingRate', { rate: Number(slowText) });

const touch = (
  to: CDPSession,
  type: 'touchStart' | 'touchMove' | 'touchEnd',
  fingers: readonly (readonly [number, number])[],
) => to.send('Input.dispatchTouchEvent', { type, touchPoints: fingers.map(([x, y], id) => ({ x, y, id })) });

/** Milliseconds between frames while it is done. */
async function framesOf(deed: () => Promise<void>): Promise<readonly number[]> {
  await page.evaluate(`globalThis.frames = []; globalThis.counting = true; (() => {
    let before = performance.now();
    const next = (now) => { frames.push(now - before); before = now; if (counting) requestAnimationFrame(next); };
    requestAnimationFrame(next);
  })()`);
  await deed();
  return page.evaluate('counting = false, frames.slice(2)');
}

const figures: Figure[] = [];

function tell(what: string, frames: readonly number[]): void {
  const [middle, most] = [quantile(frames, 0.5), quantile(frames, 0.95)];
  console.log(
    `${what}: ${frames.length} frames, median ${middle.toFixed(1)} ms, 95 of 100 within ${most.toFixed(1)} ms`,
  );
  figures.push({ what: `${what}, 95 of 100 frames`, value: most, unit: 'ms', worst: Math.max(...frames) });
}

const still = await framesOf(async () => {
  for (let turn = 0; turn < 60; turn += 1) await page.evaluate('new Promise(requestAnimationFrame)');
});
tell('Nothing moves', still);

const pulled = await framesOf(async () => {
  await touch(session, 'touchStart', [[middle.x, middle.y]]);
  for (let step = 1; step <= 90; step += 1) {
    const turn = step / 12;
    await touch(session, 'touchMove', [
      [middle.x + 90 * Math.sin(turn / 2), middle.y + 120 * Math.sin(turn / 3)],
    ]);
  }
  await touch(session, 'touchEnd', []);
});
tell(`Pulled, ${countText} points, processor ${slowText} times as slow`, pulled);

const pinched = await framesOf(async () => {
  const fingers = (apart: number) =>
    [
      [middle.x - apart, middle.y],
      [middle.x + apart, middle.y],
    ] as const;
  await touch(session, 'touchStart', fingers(60));
  for (let step = 1; step <= 60; step += 1)
    await touch(session, 'touchMove', fingers(60 + 35 * Math.sin(step / 12)));
  await touch(session, 'touchEnd', []);
});
tell(`Pinched, ${countText} points, processor ${slowText} times as slow`, pinched);

await opened.close();
await server.stop();
rmSync(home, { recursive: true, force: true });
report(figures);
