// What marks are drawn with, in pixels: once for a canvas, once as the text of an SVG. Each series has its own dash and its own
// shape, for whoever does not tell its colour.

import type { Drawing, Mark, Point } from './drawing.ts';

export type Brush = {
  readonly fill: (points: readonly Point[], colour: string, opacity: number) => void;
  readonly stroke: (points: readonly Point[], colour: string, width: number, dash: readonly number[]) => void;
  /** `path` is that of an SVG. */
  readonly shape: (path: string, colour: string, edge: string) => void;
  readonly text: (words: string, at: Point, colour: string, align: 'start' | 'middle' | 'end') => void;
};

export type Palette = {
  readonly series: readonly string[];
  /** The same as letters, which need more contrast. */
  readonly names: readonly string[];
  readonly ink: string;
  readonly soft: string;
  readonly rule: string;
  readonly line: string;
  readonly sheet: string;
};

/** What a drawing is painted on. */
export type Sheet = {
  readonly brush: Brush;
  readonly palette: Palette;
  /** From units of the data to pixels. */
  readonly place: { readonly x: (value: number) => number; readonly y: (value: number) => number };
  readonly room: { readonly top: number; readonly bottom: number };
};

/** A level line. */
export const across = (left: number, right: number, y: number): readonly Point[] => [
  [left, y],
  [right, y],
];

const box = (left: number, top: number, right: number, bottom: number): readonly Point[] => [
  [left, bottom],
  [left, top],
  [right, top],
  [right, bottom],
];

const dashes: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [9, 3, 2, 3], [12, 4], [4, 2]];
export const dashOf = (series: number): readonly number[] => dashes[series] ?? [];

/** Around a point, as a path of SVG. */
export function shapeOf(series: number, [x, y]: Point, radius: number): string {
  const r = radius;
  switch (series % 5) {
    case 1:
      return `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`;
    case 2:
      return `M${x} ${y - 1.3 * r}L${x + 1.2 * r} ${y + r}H${x - 1.2 * r}z`;
    case 3:
      return `M${x} ${y - 1.4 * r}L${x + 1.4 * r} ${y}L${x} ${y + 1.4 * r}L${x - 1.4 * r} ${y}z`;
    case 4:
      return `M${x} ${y + 1.3 * r}L${x + 1.2 * r} ${y - r}H${x - 1.2 * r}z`;
    default:
      return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  }
}

/** Below everything else: what is not known. */
export function paintHatches(drawing: Drawing, { brush, palette, place, room }: Sheet): void {
  for (const { from, to } of drawing.hatches)
    for (const line of hatching(place.x(from), place.x(to), room.top, room.bottom))
      brush.stroke(line, palette.line, 1, []);
}

const hatchGap = 7;

function hatching(left: number, right: number, top: number, bottom: number): readonly (readonly Point[])[] {
  const lines: Point[][] = [];
  // From the same corner of the picture, so that neighbouring hatches are one.
  for (let sum = Math.ceil((left + top) / hatchGap) * hatchGap; sum < right + bottom; sum += hatchGap)
    lines.push([
      [Math.max(left, sum - bottom), Math.min(bottom, sum - left)],
      [Math.min(right, sum - top), Math.max(top, sum - right)],
    ]);
  return lines;
}

export function paintMarks({ marks }: Drawing, sheet: Sheet): void {
  const dots = marks.filter(({ kind }) => kind === 'dot').length;
  for (const mark of marks) paint(mark, sheet, dots);
}

function paint(mark: Mark, { brush, palette, place }: Sheet, dots: number): void {
  const colour = palette.series[mark.series] ?? palette.ink;
  const pixels = (points: readonly Point[]) => points.map(([x, y]): Point => [place.x(x), place.y(y)]);
  switch (mark.kind) {
    case 'bar': {
      const [left, right] = [place.x(mark.from), place.x(mark.to)];
      const [low, high] = [place.y(mark.low), place.y(mark.high)];
      // A thin line of paper parts what stands on each other.
      const top = mark.low > 0 && low - high > 2 ? low - 1 : low;
      brush.fill(box(left, high, right, top), colour, 1);
      return;
    }
    case 'area':
      brush.fill(pixels(mark.points), colour, 0.24);
      return;
    case 'line':
      brush.stroke(pixels(mark.points), colour, 2.25, dashOf(mark.series));
      return;
    case 'dot': {
      const radius = dots > 400 ? 2.5 : 3.5;
      brush.shape(shapeOf(mark.series, [place.x(mark.x), place.y(mark.y)], radius), colour, palette.sheet);
    }
  }
}

/** Why nothing is drawn there, where the words fit. */
export function paintHatchWords({ hatches }: Drawing, { brush, palette, place, room }: Sheet): void {
  for (const { from, to, words } of hatches) {
    const half = wordsWidth(words) / 2;
    const middle = (place.x(from) + place.x(to)) / 2;
    if (place.x(to) - place.x(from) < half * 2 + 6) continue;
    const y = (room.top + room.bottom) / 2;
    brush.fill(box(middle - half - 4, y - 10, middle + half + 4, y + 10), palette.sheet, 1);
    brush.text(words, [middle, y + 4], palette.soft, 'middle');
  }
}

/** About, at the size that charts are written in. */
export const wordsWidth = (words: string): number => words.length * 6.4;

/** Names at the ends of their lines, pushed apart where they would cover each other. */
export function paintEnds({ ends }: Drawing, { brush, palette, place }: Sheet, left: number): void {
  let free = Number.NEGATIVE_INFINITY;
  const downwards = ends.map((end) => ({ ...end, pixel: place.y(end.y) })).sort((a, b) => a.pixel - b.pixel);
  for (const { series, pixel, text } of downwards) {
    const y = Math.max(pixel, free);
    brush.text(text, [left, y + 4], palette.names[series] ?? palette.ink, 'start');
    free = y + 15;
  }
}
