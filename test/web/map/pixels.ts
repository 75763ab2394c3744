// What is on the map, by its colours: a canvas says nothing else.

import type { Page } from 'playwright-core';

export type Colour = readonly [red: number, green: number, blue: number];

const patienceMs = 90_000;

/** Waits until it is so. The page's own policy forbids to evaluate text within it, but for what the test itself asks. */
export async function until(page: Page, expression: string): Promise<void> {
  const endMs = performance.now() + patienceMs;
  while (!(await page.evaluate(expression))) {
    if (performance.now() > endMs) throw new Error(`This never came: ${expression}`);
    const came: string = await page.evaluate(`Promise.race([
      new Promise((resolve) => requestAnimationFrame(() => resolve('frame'))),
      new Promise((resolve) => setTimeout(resolve, 1000, 'nothing')),
    ])`);
    // On a busy machine the browser may stop making frames until somebody wants to see one.
    if (came === 'nothing') await page.screenshot({ clip: { x: 0, y: 0, width: 1, height: 1 } });
  }
}

const searchOf = (canvas: string, colour: Colour) => `(() => {
  const canvas = ${canvas};
  if (canvas === null || canvas.width === 0) return false;
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < data.length; at += 4)
    if (${colour.map((value, at) => `data[at + ${at}] === ${value}`).join(' && ')}) return true;
  return false;
})()`;

/** Something of that colour is on the canvas. */
export const isPainted = (page: Page, colour: Colour) =>
  until(page, searchOf(`document.querySelector('.map canvas')`, colour));

/** Something of that colour is seen: a canvas with pictures of another host tells nobody what is on it. */
export async function isSeen(page: Page, colour: Colour): Promise<void> {
  const other = await page.context().newPage();
  const endMs = performance.now() + patienceMs;
  for (;;) {
    if (performance.now() > endMs) throw new Error(`Nothing of the colour ${colour.join(', ')} is seen.`);
    const shot = (await page.locator('.map').screenshot()).toString('base64');
    await other.evaluate(`(async () => {
      const image = new Image();
      image.src = 'data:image/png;base64,${shot}';
      await image.decode();
      globalThis.seen = new OffscreenCanvas(image.width, image.height);
      seen.getContext('2d').drawImage(image, 0, 0);
    })()`);
    if (await other.evaluate(searchOf('seen', colour))) break;
  }
  await other.close();
}
