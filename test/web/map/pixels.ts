// What is on the map, by its colours: a canvas says nothing else.

import type { Page } from 'playwright-core';
import { patienceMs, until } from '../visit.ts';

export type Colour = readonly [red: number, green: number, blue: number];

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
