// Thousands of points as a drawing. Those far above all others stand at the upper edge, so that the rest can be told apart.

import { usualMost } from './bins.ts';
import { type Drawing, type Mark, type Point, shortLabelPixels } from './drawing.ts';
import { roundNumbers, timeTicks } from './scales.ts';

export type ScatterPoint = {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly value: number;
  /** Index in the names of groups. */
  readonly group: number;
  /** Of many points few are asked for them. */
  readonly words: () => string;
};

type ScatterDrawing = {
  readonly drawing: Drawing;
  /** The highest value that is drawn at its own height, and how many lie above. */
  readonly edge: number;
  readonly above: number;
};

/** `points` by rising time. */
export function scatterOf(
  points: readonly ScatterPoint[],
  groups: readonly string[],
  axisText: (value: number) => string,
): ScatterDrawing {
  const heights = points.map(({ value }) => value).sort((a, b) => a - b);
  const yTicks = roundNumbers(0, usualMost(heights), 4).map((at) => ({ at, text: axisText(at) }));
  const edge = yTicks.at(-1)?.at ?? 0;
  const xs = points.map(({ atMs }) => atMs);
  const [first = 0, last = 0] = [xs[0], xs.at(-1)];
  const air = Math.max((last - first) * 0.015, 86_400_000);
  const xRange: Point = [first - air, last + air];
  const ys = points.map(({ value }) => Math.min(value, edge));
  return {
    drawing: {
      xs,
      spots: [ys],
      meant: 'any',
      xRange,
      yRange: [0, edge],
      xTicks: (pixels) => timeTicks(xRange[0], xRange[1], pixels / shortLabelPixels),
      yTicks,
      hatches: [],
      marks: points.map(
        ({ group }, at): Mark => ({ kind: 'dot', series: group, x: xs[at] ?? 0, y: ys[at] ?? 0 }),
      ),
      names: groups,
      ends: [],
    },
    edge,
    above: heights.filter((value) => value > edge).length,
  };
}
