// A chart as a picture of its own, with title, axes and keys, for a file: the same marks as on the screen.

import {
  across,
  type Brush,
  dashOf,
  type Palette,
  paintEnds,
  paintHatches,
  paintHatchWords,
  paintMarks,
  type Sheet,
  shapeOf,
  wordsWidth,
} from './brush.ts';
import type { Drawing, Point } from './drawing.ts';

export const pictureSize = { width: 960, height: 480 } as const;

const margin = 24;

export function paintPicture(brush: Brush, drawing: Drawing, title: string, palette: Palette): void {
  const { width, height } = pictureSize;
  const isDirect = drawing.ends.length > 0;
  const keys = drawing.names.length < 2 || isDirect ? [] : drawing.names;
  const axisWidth = Math.max(...drawing.yTicks.map(({ text }) => wordsWidth(text))) + 10;
  const endWidth = isDirect ? Math.max(...drawing.ends.map(({ text }) => wordsWidth(text))) + 20 : 0;
  const room = {
    left: margin + axisWidth,
    right: width - margin - endWidth,
    top: margin + (keys.length === 0 ? 32 : 58),
    bottom: height - margin - 24,
  };
  const place = {
    x: between(drawing.xRange, room.left, room.right),
    y: between(drawing.yRange, room.bottom, room.top),
  };
  brush.text(title, [margin, margin + 10], palette.ink, 'start');
  paintKeys(brush, keys, palette);
  const sheet: Sheet = { brush, palette, place, room };
  paintHatches(drawing, sheet);
  for (const { at, text } of drawing.yTicks) {
    const y = place.y(at);
    brush.stroke(across(room.left, room.right, y), at === 0 ? palette.line : palette.rule, 1, []);
    brush.text(text, [room.left - 8, y + 4], palette.soft, 'end');
  }
  for (const { at, text } of drawing.xTicks(room.right - room.left))
    brush.text(text, [place.x(at), room.bottom + 20], palette.soft, 'middle');
  paintMarks(drawing, sheet);
  paintHatchWords(drawing, sheet);
  paintEnds(drawing, sheet, room.right + 8);
}

function paintKeys(brush: Brush, names: readonly string[], palette: Palette): void {
  let left = margin;
  for (const [at, name] of names.entries()) {
    const y = margin + 34;
    const colour = palette.series[at] ?? palette.ink;
    brush.stroke(across(left, left + 18, y), colour, 2, dashOf(at));
    brush.shape(shapeOf(at, [left + 9, y], 4), colour, palette.sheet);
    brush.text(name, [left + 24, y + 4], palette.ink, 'start');
    left += 24 + wordsWidth(name) + 22;
  }
}

const between =
  ([least, most]: Point, from: number, to: number) =>
  (value: number): number =>
    from + ((value - least) / (most - least)) * (to - from);
