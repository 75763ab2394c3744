// Words on the map never lie on each other, on larger points, or half out of sight.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LabelRoom } from '../../../web/explore/map/drawing/labels.ts';

const boxes = fc.record({
  left: fc.integer({ min: -200, max: 1_000 }),
  top: fc.integer({ min: -200, max: 800 }),
  width: fc.integer({ min: 5, max: 150 }),
  height: fc.integer({ min: 8, max: 20 }),
});
const signs = fc.record({
  left: fc.integer({ min: -200, max: 1_000 }),
  top: fc.integer({ min: -200, max: 800 }),
  radius: fc.double({ min: 3, max: 22, noNaN: true }),
  sign: fc.constantFrom('transparent' as const, 'solid' as const),
});
const sheet = {
  size: { width: 800, height: 600 },
  seen: { left: 200, top: 150, right: 600, bottom: 450 },
  corner: { left: 12_345, top: 6_789 },
};
type Placed = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
};
const edgesOf = ({ left, top, width, height }: Placed) => ({
  left: left - width / 2,
  top: top - height / 2,
  right: left + width / 2,
  bottom: top + height / 2,
});
const isApart = (one: Placed, other: Placed) =>
  Math.abs(one.left - other.left) >= (one.width + other.width) / 2 ||
  Math.abs(one.top - other.top) >= (one.height + other.height) / 2;

test('words that were given room never lie on each other, nor on larger points, and none is cut', () => {
  fc.assert(
    fc.property(
      fc.array(boxes, { maxLength: 80 }),
      fc.array(signs, { maxLength: 30 }),
      fc.option(boxes, { nil: undefined }),
      (labels, points, kept) => {
        const room = new LabelRoom(sheet);
        for (const { left, top, radius, sign } of points) room.cover(left, top, radius, sign);
        if (kept !== undefined) room.keepFree(edgesOf(kept));
        const given = labels.flatMap(({ left, top, width, height }) => {
          const spots = [
            { left, top },
            { left: left + width, top },
            { left, top: top + 20 },
          ];
          const spot = room.take(spots, { width, height, air: 3 });
          return spot === undefined ? [] : [{ ...spot, width, height }];
        });
        for (const [at, words] of given.entries()) {
          for (const other of given.slice(at + 1)) assert.ok(isApart(words, other));
          if (kept !== undefined) assert.ok(isApart(words, kept));
          for (const { left, top, radius, sign } of points)
            if (isOnSheet({ left, top, radius }) && (sign === 'solid' || radius >= 9))
              assert.ok(isApart(words, { left, top, width: 2 * radius, height: 2 * radius }));
          const box = edgesOf(words);
          const { seen } = sheet;
          const isOut =
            box.right <= seen.left ||
            box.left >= seen.right ||
            box.bottom <= seen.top ||
            box.top >= seen.bottom;
          const isIn =
            box.left >= seen.left &&
            box.right <= seen.right &&
            box.top >= seen.top &&
            box.bottom <= seen.bottom;
          assert.ok(isOut || isIn);
        }
        if (labels.length > 0 && points.length === 0 && kept === undefined && isWellInside(labels[0]))
          assert.ok(given.length > 0);
      },
    ),
  );
});

/** What lies beyond it nobody sees. */
const isOnSheet = ({
  left,
  top,
  radius,
}: {
  readonly left: number;
  readonly top: number;
  readonly radius: number;
}) => left >= radius && top >= radius && left <= 800 - radius && top <= 600 - radius;

const isWellInside = (box: Placed | undefined): boolean =>
  box !== undefined && box.left > 300 && box.left < 500 && box.top > 200 && box.top < 400;

test('words keep off every point where one of their places is free of them', () => {
  fc.assert(
    fc.property(signs, boxes, ({ radius, sign }, { width, height }) => {
      const [left, top] = [400, 300];
      const room = new LabelRoom(sheet);
      room.cover(left, top, radius, sign);
      const beside = { left, top: top + radius + height / 2 + 4 };
      assert.deepEqual(room.take([{ left, top }, beside], { width, height, air: 3 }), beside);
    }),
  );
});

test('a small point may lie below words that have no other place, a larger one or a sign never', () => {
  const words = { width: 60, height: 12, air: 3 };
  const room = new LabelRoom(sheet);
  room.cover(400, 250, 5, 'transparent');
  room.cover(400, 300, 9, 'transparent');
  room.cover(400, 350, 5, 'solid');
  const takenAt = (top: number) => room.take([{ left: 400, top }], words);
  assert.deepEqual([250, 300, 350].map(takenAt), [{ left: 400, top: 250 }, undefined, undefined]);
});

test('words at the edge of what is seen are moved within; those of what is out of sight are not drawn', () => {
  const words = { width: 60, height: 12, air: 3 };
  const room = new LabelRoom(sheet);
  assert.deepEqual(room.take([{ left: 590, top: 300 }], words), { left: 566, top: 300 });
  assert.equal(room.take([{ left: 610, top: 200 }], words), undefined);
  assert.deepEqual(room.take([{ left: 640, top: 200 }], words), { left: 640, top: 200 });
});

test('words stay at their places on a map that is only pulled', () => {
  fc.assert(
    fc.property(
      fc.array(boxes, { minLength: 1, maxLength: 20 }),
      fc.array(signs, { maxLength: 30 }),
      fc.integer({ min: -90, max: 90 }),
      fc.integer({ min: -90, max: 90 }),
      (labels, points, right, down) => {
        const taken = (across: number, below: number) => {
          const room = new LabelRoom({
            size: { width: 3_000, height: 3_000 },
            seen: { left: -500, top: -500, right: 3_000, bottom: 3_000 },
            corner: { left: 12_345 - across, top: 6_789 - below },
          });
          const [x, y] = [500 + across, 500 + below];
          for (const { left, top, radius, sign } of points) room.cover(left + x, top + y, radius, sign);
          return labels.map(({ left, top, width, height }) => {
            const spots = [0, 1, -1].map((step) => ({ left: left + x, top: top + y + 15 * step }));
            const spot = room.take(spots, { width, height, air: 3 });
            return spot && [spot.left - across, spot.top - below];
          });
        };
        assert.deepEqual(taken(right, down), taken(0, 0));
      },
    ),
  );
});
