// What the map in sight was painted with: its words, signs and circles, where the reader sees them.

import type { Page } from 'playwright-core';
import { until } from '../visit.ts';

type Box = {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
};

export type Painted = {
  /** Of the map. */
  readonly width: number;
  readonly height: number;
  readonly words: readonly (Box & { readonly text: string })[];
  readonly signs: readonly Box[];
  readonly circles: readonly { readonly left: number; readonly top: number; readonly radius: number }[];
  /** Buttons and the scale. */
  readonly over: readonly Box[];
};

/** Has to be asked for before the page is opened, on a screen with one pixel for each of the page. */
export async function recordPainting(page: Page): Promise<void> {
  await page.addInitScript({
    content: `globalThis.strokes = 0;
      globalThis.quietFrames = 0;
      const recordOf = new WeakMap();
      const record = (method, note) => {
        const usual = CanvasRenderingContext2D.prototype[method];
        CanvasRenderingContext2D.prototype[method] = function (...given) {
          strokes += 1;
          note(this, ...given);
          return usual.apply(this, given);
        };
      };
      const of = ({ canvas }) => recordOf.get(canvas) ?? { words: [], signs: [], circles: [] };
      // Each picture begins with its paper.
      record('fillRect', ({ canvas }, left, top, width) => {
        if (width >= canvas.width) recordOf.set(canvas, { words: [], signs: [], circles: [] });
      });
      record('fillText', (context, text, x, y) => {
        const [wide, high] = [context.measureText(text).width / 2, Number(/([\\d.]+)px/.exec(context.font)[1]) / 2];
        of(context).words.push({ text, left: x - wide, right: x + wide, top: y - high, bottom: y + high });
      });
      record('drawImage', (context, picture, left, top) =>
        of(context).signs.push({ left, top, right: left + picture.width, bottom: top + picture.height }));
      record('arc', (context, left, top, radius) => {
        if (radius > 50) of(context).circles.push({ left, top, radius });
      });
      globalThis.paintedNow = () => {
        const map = document.querySelector('.map');
        const canvas = map.querySelector('canvas');
        const [, right, down] = /translate\\((\\S+)px, (\\S+)px\\)/.exec(canvas.style.transform).map(Number);
        const moved = (each) => ({
          ...each,
          left: each.left + right,
          top: each.top + down,
          ...('right' in each ? { right: each.right + right, bottom: each.bottom + down } : {}),
        });
        const corner = map.getBoundingClientRect();
        const over = [...map.querySelectorAll('.map-buttons, .map-scale')].map((each) => {
          const box = each.getBoundingClientRect();
          const [x, y] = [corner.left + map.clientLeft, corner.top + map.clientTop];
          return { left: box.left - x, top: box.top - y, right: box.right - x, bottom: box.bottom - y };
        });
        const { words, signs, circles } = recordOf.get(canvas);
        return {
          width: map.clientWidth,
          height: map.clientHeight,
          words: words.map(moved),
          signs: signs.map(moved),
          circles: circles.map(moved),
          over,
        };
      };
      let before = 0;
      const next = () => {
        quietFrames = strokes === before ? quietFrames + 1 : 0;
        before = strokes;
        requestAnimationFrame(next);
      };
      requestAnimationFrame(next);`,
  });
}

/** Once nothing is left to paint. A map that was moved is at rest after a moment. */
export async function paintedOf(page: Page): Promise<Painted> {
  await page.evaluate('quietFrames = 0');
  await until(page, `strokes > 0 && quietFrames > 20 && document.querySelector('.map canvas') !== null`);
  return page.evaluate('paintedNow()');
}

export const isApart = (one: Box, other: Box): boolean =>
  one.right <= other.left || one.left >= other.right || one.bottom <= other.top || one.top >= other.bottom;
