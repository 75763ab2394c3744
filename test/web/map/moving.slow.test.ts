// The map under the reader's hands, in a real browser: whatever is pulled and zoomed, points lie where the API said, what is
// pointed to is named rightly, no frame paints everything at once, and a ground that failed comes later.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { around, pulled, type Spot, spotOf, zoomedAt } from '../../../web/explore/map/drawing/camera.ts';
import { toWorld } from '../../../web/explore/map/drawing/projection.ts';
import { test } from '../../browser.ts';
import { changeAnswers } from '../change-answers.ts';
import { exploreDeskOfFile } from '../explore-desk.ts';
import { until, type Visit, visit } from '../visit.ts';
import { type Colour, isPainted } from './pixels.ts';

const service = exploreDeskOfFile();
const visitDesk = (): Promise<Visit> =>
  visit(service().browser, service().url, { width: 1280, colours: 'light' });

/** A picture of the camera as it is now is in sight, and nothing is left to paint. */
const isSharp = `/scale\\(1\\)$/.test(document.querySelector('.map canvas')?.style.transform)`;

const stopInk: Colour = [44, 82, 119];
const builtInk: Colour = [226, 218, 200];

/** Whether the map has that colour at each of the spots. */
const coloursAt = (spots: readonly Spot[], colour: Colour) => `(() => {
  const map = document.querySelector('.map');
  const canvas = map.querySelector('canvas');
  const context = canvas.getContext('2d');
  const inner = map.getBoundingClientRect();
  const outer = canvas.getBoundingClientRect();
  const scale = canvas.width / outer.width;
  return ${JSON.stringify(spots)}.map(({ left, top }) => {
    const x = (inner.left + map.clientLeft + left - outer.left) * scale;
    const y = (inner.top + map.clientTop + top - outer.top) * scale;
    const [red, green, blue] = context.getImageData(Math.floor(x), Math.floor(y), 1, 1).data;
    return ${colour.map((value, at) => `${['red', 'green', 'blue'][at]} === ${value}`).join(' && ')};
  });
})()`;

type Gesture =
  | { readonly kind: 'drag'; readonly right: number; readonly down: number }
  | { readonly kind: 'wheel'; readonly pixels: number; readonly left: number; readonly top: number };

const gestures: fc.Arbitrary<Gesture> = fc.oneof(
  fc.record({
    kind: fc.constant('drag' as const),
    right: fc.integer({ min: 20, max: 200 }),
    down: fc.integer({ min: -150, max: 150 }),
  }),
  fc.record({
    kind: fc.constant('wheel' as const),
    pixels: fc.constantFrom(-240, -120, -60, 60, 120),
    left: fc.integer({ min: 100, max: 600 }),
    top: fc.integer({ min: 100, max: 400 }),
  }),
);

test('whatever is pulled and zoomed, points are where the API said, and one that is pointed to is named', async () => {
  const { page, close } = await visitDesk();
  // No names of the ground, which lie above the points.
  await page.route('**/explore/backdrop/**', (asked) =>
    asked.fulfill({ json: { release: 'none', levels: [], attributions: [], tile: '/' } }),
  );
  // Far enough from each other that none hides another, and none below the mark of the place.
  const stops = Array.from({ length: 49 }, (_, at) => ({
    kind: 'stop',
    category: 'bus',
    name: `Stop ${at}`,
    code: String(at),
    latitude: 54.1806 + (Math.floor(at / 7) - 3.4) * 0.0021,
    longitude: 0.91 + ((at % 7) - 3.4) * 0.0037,
    distanceMetres: at,
  }));
  await changeAnswers(page, ['/area/places'], (told) => ({
    ...told,
    body: { ...told.body, data: { ...told.body.data, places: stops } },
  }));
  await page.goto('/explore/ZZ1-1AA?layers=stops');
  const { latitude, longitude } = await service().call('/postcodes/lookup', { postcode: 'ZZ1 1AA' });
  assert.ok(latitude !== null && longitude !== null);
  await page.getByText('Bus stops as a list').waitFor();
  const host = page.locator('.map');
  await host.scrollIntoViewIfNeeded();
  const [x, y, width, height]: readonly [number, number, number, number] = await page.evaluate(
    `((map) => { const { left, top } = map.getBoundingClientRect();
      return [left + map.clientLeft, top + map.clientTop, map.clientWidth, map.clientHeight]; })(document.querySelector('.map'))`,
  );
  const size = { width, height };
  const home = around(toWorld(latitude, longitude), 800, size, []);
  const run = async (moves: readonly Gesture[], chosen: number) => {
    await host.focus();
    await page.keyboard.press('0');
    let camera = home;
    for (const move of moves) {
      if (move.kind === 'wheel') {
        await page.mouse.move(x + move.left, y + move.top);
        await page.mouse.wheel(0, move.pixels);
        camera = zoomedAt(camera, camera.zoom - move.pixels / 240, move, size);
      } else {
        await page.mouse.move(x + 300, y + 250);
        await page.mouse.down();
        await page.mouse.move(x + 300 + move.right, y + 250 + move.down);
        await page.mouse.up();
        camera = pulled(camera, move.right, move.down);
      }
    }
    const place = spotOf(home, camera, size);
    const isSeen = ({ left, top }: Spot) =>
      left > 5 &&
      top > 5 &&
      left < width - 5 &&
      top < height - 5 &&
      Math.hypot(left - place.left, top - place.top) > 15;
    const spotAt = (latitude: number, longitude: number) =>
      spotOf(toWorld(latitude, longitude), camera, size);
    const spots = stops.map(({ latitude, longitude }) => spotAt(latitude, longitude));
    // Half way to the next one there is none.
    const between = stops.map(({ latitude, longitude }) => spotAt(latitude + 0.00105, longitude));
    await until(page, `${isSharp} && ${coloursAt(spots.filter(isSeen), stopInk)}.every(Boolean)`);
    const beside: readonly boolean[] = await page.evaluate(coloursAt(between.filter(isSeen), stopInk));
    assert.ok(!beside.includes(true), 'a stop where none is');
    const free = spots
      .map((spot, at) => ({ ...spot, at }))
      // Buttons and the scale lie on the map.
      .filter((spot) => isSeen(spot) && spot.left < width - 80 && spot.top > 20 && spot.top < height - 60);
    const one = free[chosen % Math.max(1, free.length)];
    if (one === undefined) return;
    await page.mouse.click(x + one.left + 2, y + one.top - 3);
    await page.locator('.map-tip strong').getByText(`Stop ${one.at}`, { exact: true }).waitFor();
    await page.keyboard.press('Escape');
  };
  await fc.assert(fc.asyncProperty(fc.array(gestures, { minLength: 1, maxLength: 5 }), fc.nat(), run), {
    numRuns: 6,
  });
  await close();
});

test('with 20,000 points no frame of a move paints them all, and when it has ended the picture is sharp', async () => {
  const context = await service().browser.newContext({
    baseURL: service().url,
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
  });
  const page = await context.newPage();
  // How many signs each frame has put on a canvas.
  await page.addInitScript({
    content: `globalThis.painted = [];
      let count = 0;
      for (const method of ['drawImage', 'arc']) {
        const usual = CanvasRenderingContext2D.prototype[method];
        CanvasRenderingContext2D.prototype[method] = function (...given) {
          count += 1;
          return usual.apply(this, given);
        };
      }
      const next = () => { painted.push(count); count = 0; requestAnimationFrame(next); };
      requestAnimationFrame(next);`,
  });
  const points = Array.from({ length: 20_000 }, (_, at) => ({
    latitude: 54.1806 + ((at % 140) / 140 - 0.5) * 0.012,
    longitude: 0.91 + (Math.floor(at / 140) / 140 - 0.5) * 0.02,
    location: `On or near Street ${at}`,
    count: 1,
    byMonth: { '2026-09': { burglary: 1 + (at % 9) } },
  }));
  await changeAnswers(page, ['/crime/by-postcode'], (told) => ({
    ...told,
    body: { ...told.body, data: { ...told.body.data, points } },
  }));
  await page.goto('/explore/ZZ1-1AA?layers=crime');
  await page.locator('.map-list .soft').getByText('20,000 street points', { exact: true }).waitFor();
  // All of them were painted, and then there was nothing to do for a while.
  const isQuiet = `painted.reduce((sum, each) => sum + each, 0) > 20000 && painted.slice(-10).every((each) => each === 0)`;
  await until(page, isQuiet);
  await page.locator('.map').scrollIntoViewIfNeeded();
  const box = (await page.locator('.map').boundingBox()) ?? assert.fail('no map');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const session = await context.newCDPSession(page);
  const touch = (
    type: 'touchStart' | 'touchMove' | 'touchEnd',
    fingers: readonly (readonly [number, number])[],
  ) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: fingers.map(([left, top], id) => ({ x: left, y: top, id })),
    });
  await page.evaluate('painted.length = 0');
  await touch('touchStart', [[x, y]]);
  for (let step = 1; step <= 30; step += 1) await touch('touchMove', [[x + 5 * step, y + 3 * step]]);
  await touch('touchEnd', []);
  const pinch = (apart: number) =>
    [
      [x - apart, y],
      [x + apart, y],
    ] as const;
  await touch('touchStart', pinch(80));
  for (let step = 1; step <= 30; step += 1) await touch('touchMove', pinch(80 - 1.5 * step));
  await touch('touchEnd', []);
  await until(page, `${isQuiet} && ${isSharp}`);
  const most: number = await page.evaluate('Math.max(...painted)');
  assert.ok(most < 10_000, `${most} signs in one frame`);
  await context.close();
});

test('a ground that failed is asked for again, and is there without a reload', async () => {
  const { page, close } = await visitDesk();
  const failed = new Set<string>();
  await page.route('**/explore/backdrop/**', (asked) => {
    const address = asked.request().url();
    if (failed.has(address)) return asked.continue();
    failed.add(address);
    return asked.fulfill({ status: 503, body: '' });
  });
  await page.goto('/explore/ZZ1-1AA?layers=none');
  await isBuilt(page);
  // What there is of it, and at least one tile.
  assert.ok(failed.size >= 2, [...failed].join());
  await close();
});

test('when another release becomes current, the map asks for its ground', async () => {
  const { page, close } = await visitDesk();
  let asked = 0;
  await page.route('**/explore/backdrop/sandbox', async (route) => {
    asked += 1;
    const told = await (await route.fetch()).json();
    const earlier = { ...told, tile: told.tile.replace(told.release, 'the-one-before') };
    return route.fulfill({ json: asked === 1 ? earlier : told });
  });
  await page.goto('/explore/ZZ1-1AA?layers=none');
  await isBuilt(page);
  assert.equal(asked, 2);
  await close();
});

/** Built-up land is on the map. */
const isBuilt = (page: Page) => isPainted(page, builtInk);
