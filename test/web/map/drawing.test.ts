// What the map is drawn by: places and pixels agree, and whatever is seen is found.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  around,
  between,
  clamped,
  fitOf,
  pulled,
  spotOf,
  worldAt,
  zoomedAt,
} from '../../../web/explore/map/drawing/camera.ts';
import { hitAt } from '../../../web/explore/map/drawing/hit.ts';
import { Pace } from '../../../web/explore/map/drawing/pace.ts';
import { PointGrid } from '../../../web/explore/map/drawing/point-grid.ts';
import {
  latitudeAt,
  longitudeAt,
  metresPerPixel,
  toWorld,
} from '../../../web/explore/map/drawing/projection.ts';
import { layerOf, type MapLayer, shrinkAt } from '../../../web/explore/map/layer.ts';

const latitudes = fc.double({ min: 49.5, max: 61, noNaN: true });
const longitudes = fc.double({ min: -8.5, max: 2, noNaN: true });
const places = fc.record({ latitude: latitudes, longitude: longitudes });
const sizes = fc.record({
  width: fc.integer({ min: 200, max: 2_000 }),
  height: fc.integer({ min: 200, max: 1_500 }),
});
const cameras = fc
  .tuple(places, fc.double({ min: 6, max: 17, noNaN: true }))
  .map(([{ latitude, longitude }, zoom]) => ({ ...toWorld(latitude, longitude), zoom }));
const [farthest, nearest] = [toWorld(61.4, -8.9), toWorld(49.1, 2.4)];
const isInland = ({ x, y }: { readonly x: number; readonly y: number }) =>
  x > farthest.x && x < nearest.x && y > farthest.y && y < nearest.y;
const isNear = (a: number, b: number, by: number) => Math.abs(a - b) <= by;

test('a place is where it was after the projection and back', () => {
  fc.assert(
    fc.property(places, ({ latitude, longitude }) => {
      const { x, y } = toWorld(latitude, longitude);
      assert.ok(isNear(latitudeAt(y), latitude, 1e-9) && isNear(longitudeAt(x), longitude, 1e-9));
    }),
  );
});

test('a pixel is as many metres as the ground between two places has', () => {
  fc.assert(
    fc.property(places, fc.double({ min: 10, max: 18, noNaN: true }), ({ latitude, longitude }, zoom) => {
      const a = toWorld(latitude, longitude);
      const b = toWorld(latitude, longitude + 0.01);
      const metres = 111_319.49 * 0.01 * Math.cos((latitude * Math.PI) / 180);
      const pixels = (b.x - a.x) * 256 * 2 ** zoom;
      assert.ok(isNear(pixels * metresPerPixel(a.y, zoom), metres, metres * 1e-6));
    }),
  );
});

test('what lies under a finger stays under it, whatever is zoomed and pulled', () => {
  fc.assert(
    fc.property(
      cameras,
      sizes,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 7, max: 16, noNaN: true }),
      (camera, size, across, down, zoom) => {
        const spot = { left: across * size.width, top: down * size.height };
        const held = worldAt(spot, camera, size);
        const zoomed = zoomedAt(camera, zoom, spot, size);
        // At the edge of the kingdom a map is held back.
        fc.pre(isInland(zoomed));
        const now = spotOf(held, zoomed, size);
        assert.ok(isNear(now.left, spot.left, 0.01) && isNear(now.top, spot.top, 0.01));
        const moved = pulled(zoomed, 30, -20);
        fc.pre(isInland(moved));
        const after = spotOf(held, moved, size);
        assert.ok(isNear(after.left, spot.left + 30, 0.01) && isNear(after.top, spot.top - 20, 0.01));
      },
    ),
  );
});

test('no move leaves the kingdom or the zooms that there are', () => {
  fc.assert(
    fc.property(
      fc.double({ noNaN: true }),
      fc.double({ noNaN: true }),
      fc.double({ noNaN: true }),
      (x, y, zoom) => {
        const held = clamped({ x, y, zoom });
        assert.ok(held.zoom >= 5 && held.zoom <= 18);
        assert.ok(latitudeAt(held.y) >= 48.99 && latitudeAt(held.y) <= 61.51);
      },
    ),
  );
});

test('the circle that is asked about is seen whole at first', () => {
  fc.assert(
    fc.property(
      places,
      sizes,
      fc.integer({ min: 100, max: 3_200 }),
      fc.record({ width: fc.integer({ min: 40, max: 150 }), height: fc.integer({ min: 20, max: 60 }) }),
      ({ latitude, longitude }, size, radius, corner) => {
        const middle = toWorld(latitude, longitude);
        const { width: right, height: bottom } = size;
        const over = { left: right - corner.width, top: bottom - corner.height, right, bottom };
        const pixelsWith = (boxes: readonly (typeof over)[]) => {
          const camera = around(middle, radius, size, boxes);
          fc.pre(camera.zoom < 18);
          return radius / metresPerPixel(middle.y, camera.zoom);
        };
        const free = pixelsWith([]);
        assert.ok(2 * free <= Math.min(right, bottom) && 2 * free >= 0.8 * Math.min(right, bottom));
        // No nearer than what lies over the corner allows.
        const beside = Math.max(0, over.left - right / 2);
        const above = Math.max(0, over.top - bottom / 2);
        const covered = pixelsWith([over]);
        assert.ok(covered <= free + 1e-6 && covered <= Math.hypot(beside, above));
      },
    ),
  );
});

test('a glide begins where it was, and ends where it leads', () => {
  fc.assert(
    fc.property(cameras, cameras, (from, to) => {
      for (const [share, wanted] of [
        [0, from],
        [1, to],
      ] as const) {
        const at = between(from, to, share);
        assert.ok(
          isNear(at.x, wanted.x, 1e-9) && isNear(at.y, wanted.y, 1e-9) && isNear(at.zoom, wanted.zoom, 1e-9),
        );
      }
    }),
  );
});

test('the points in a box are those that a look at every single one finds', () => {
  const coordinate = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.25, 0.5, 1));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(coordinate, coordinate), { maxLength: 400, size: 'max' }),
      coordinate,
      coordinate,
      coordinate,
      coordinate,
      (points, a, b, c, d) => {
        const box = {
          west: Math.min(a, b),
          east: Math.max(a, b),
          north: Math.min(c, d),
          south: Math.max(c, d),
        };
        const grid = new PointGrid(
          Float64Array.from(points, ([x]) => x),
          Float64Array.from(points, ([, y]) => y),
        );
        const found: number[] = [];
        grid.eachIn(box, (point) => found.push(point));
        const naive = points.flatMap(([x, y], at) =>
          x >= box.west && x <= box.east && y >= box.north && y <= box.south ? [at] : [],
        );
        assert.deepEqual(
          found.sort((one, other) => one - other),
          naive,
        );
      },
    ),
  );
});

const steps = fc.double({ min: -0.01, max: 0.01, noNaN: true });
const layerPoints = fc.array(
  fc.record({ north: steps, east: steps, radius: fc.double({ min: 3, max: 22, noNaN: true }) }),
  { maxLength: 200, size: 'max' },
);

test('a finger names the point that a look at every single one finds: of the topmost layer there, the nearest', () => {
  const middle = { latitude: 54.18, longitude: 0.91 };
  fc.assert(
    fc.property(
      fc.array(layerPoints, { minLength: 1, maxLength: 3 }),
      fc.double({ min: 9, max: 18, noNaN: true }),
      sizes,
      fc.nat(),
      fc.double({ min: -45, max: 45, noNaN: true }),
      fc.double({ min: -45, max: 45, noNaN: true }),
      fc.constantFrom(6, 18),
      (given, zoom, size, chosen, right, down, reach) => {
        const layers = given.map((points, at) =>
          layerOf(
            { id: (['crime', 'stops', 'schools'] as const)[at] ?? assert.fail(), tones: [], headings: [] },
            points.map(({ north, east, radius }) => ({
              latitude: middle.latitude + north,
              longitude: middle.longitude + east,
              radius,
              tone: 0,
              facts: () => assert.fail('nobody asked'),
            })),
          ),
        );
        const camera = { ...toWorld(middle.latitude, middle.longitude), zoom };
        // Somewhere around one of them.
        const worlds = layers.flatMap(({ xs, ys }) =>
          Array.from(xs, (x, at) => ({ x, y: ys[at] ?? assert.fail() })),
        );
        const near = spotOf(worlds[chosen % Math.max(1, worlds.length)] ?? camera, camera, size);
        const spot = { left: near.left + right, top: near.top + down };
        /** Pixels between the finger and the edge of the sign. */
        const byOf = ({ xs, ys, radii }: MapLayer, point: number) => {
          const at = spotOf({ x: xs[point] ?? assert.fail(), y: ys[point] ?? assert.fail() }, camera, size);
          const pixels = Math.hypot(at.left - spot.left, at.top - spot.top);
          return pixels - shrinkAt(zoom) * (radii[point] ?? assert.fail());
        };
        const nearestOf = (layer: MapLayer) =>
          Array.from(layer.xs, (_, point) => byOf(layer, point)).reduce((a, b) => Math.min(a, b), Infinity);
        // What lies on the very edge may be either.
        fc.pre(layers.every((layer) => !isNear(nearestOf(layer), reach, 1e-3)));
        const expected = layers.findLast((layer) => nearestOf(layer) <= reach);
        const hit = hitAt(layers, spot, reach, camera, size);
        assert.equal(hit?.layer, expected?.id);
        if (hit !== undefined && expected !== undefined)
          assert.ok(isNear(byOf(expected, hit.point), nearestOf(expected), 1e-3));
      },
    ),
  );
});

test('a picture reaches as far beyond what is seen as it says, and not at all where an edge of it is in sight', () => {
  fc.assert(
    fc.property(
      cameras,
      sizes,
      fc.double({ min: -1.5, max: 1.5, noNaN: true }),
      fc.integer({ min: -900, max: 900 }),
      fc.integer({ min: -900, max: 900 }),
      (camera, size, zooms, right, down) => {
        const picture = { camera, size: { width: 2 * size.width, height: 2 * size.height } };
        const seen = { camera: { ...pulled(camera, right, down), zoom: camera.zoom + zooms }, size };
        const { stretch, reserve } = fitOf(picture, seen);
        // Each corner of what is seen, as a spot on the picture.
        const inside = [0, 1].flatMap((across) =>
          [0, 1].map((below) => {
            const corner = worldAt(
              { left: across * size.width, top: below * size.height },
              seen.camera,
              size,
            );
            const { left, top } = spotOf(corner, camera, picture.size);
            return Math.min(
              Math.min(left, picture.size.width - left) / size.width,
              Math.min(top, picture.size.height - top) / size.height,
            );
          }),
        );
        assert.ok(isNear(reserve, stretch * Math.min(...inside), 1e-4));
      },
    ),
  );
});

test('a frame that came late is followed by less work, others by more, within bounds', () => {
  const frames = fc.array(fc.integer({ min: 4, max: 400 }), { minLength: 2, maxLength: 60 });
  const least = 3_000 / 16;
  fc.assert(
    fc.property(frames, (given) => {
      const pace = new Pace();
      let nowMs = 1_000;
      let before = pace.workAt(nowMs, 'moving');
      for (const ms of given) {
        nowMs += ms;
        const work = pace.workAt(nowMs, 'moving');
        assert.ok(work >= least && work <= 3_000, String(work));
        if (ms > 25) assert.ok(work < before || work === least, 'less');
        else assert.ok(work > before || work === 3_000, 'more');
        before = work;
      }
      pace.rest();
      // After a rest the time that has passed says nothing.
      assert.equal(pace.workAt(nowMs + 60_000, 'moving'), before);
    }),
  );
});
