// A chart as marks in the units of its data: the screen, a PNG and an SVG all show these, so that none can show anything else.
// A value that is not known is null and leaves a gap; it is never drawn as zero.

import { usualMost } from './bins.ts';
import { roundNumbers, roundWithin, spreadOver, type Tick, timeTicks } from './scales.ts';

export type Series = {
  readonly name: string;
  /** Null where it is not known. */
  readonly values: readonly (number | null)[];
  /** Values that rest on too little for a line: each is a dot by itself, without a band. */
  readonly apart?: readonly number[];
  /** What most of the values lie between, drawn around the line. */
  readonly band?: {
    readonly lowerName: string;
    readonly lower: readonly (number | null)[];
    readonly upperName: string;
    readonly upper: readonly (number | null)[];
  };
};

/** Where the values stand from left to right; without it, one after another. */
export type Along =
  /** Milliseconds since 1970. `range`: what is shown, where that is not from the first to the last. A last step goes on to its end. */
  | { readonly kind: 'time'; readonly at: readonly number[]; readonly range?: Point }
  | { readonly kind: 'number'; readonly at: readonly number[]; readonly text: (value: number) => string };

export type Mark =
  | {
      readonly kind: 'bar';
      readonly series: number;
      readonly from: number;
      readonly to: number;
      readonly low: number;
      readonly high: number;
    }
  | { readonly kind: 'area'; readonly series: number; readonly points: readonly Point[] }
  | { readonly kind: 'line'; readonly series: number; readonly points: readonly Point[] }
  | { readonly kind: 'dot'; readonly series: number; readonly x: number; readonly y: number };

export type Point = readonly [x: number, y: number];

type Hatch = { readonly from: number; readonly to: number; readonly words: string };

export type Drawing = {
  /** Of each point that a reader can go to, rising. */
  readonly xs: readonly number[];
  /** Where the cursor puts its dots: for each series a value at each point. */
  readonly spots: readonly (readonly (number | null)[])[];
  /** Which point is meant by a place between two. `any`: the nearest in both directions. */
  readonly meant: 'nearest' | 'before' | 'any';
  readonly xRange: Point;
  readonly yRange: Point;
  /** As many as have room in so many pixels. */
  readonly xTicks: (pixels: number) => readonly Tick[];
  readonly yTicks: readonly Tick[];
  /** What is not known. */
  readonly hatches: readonly Hatch[];
  readonly marks: readonly Mark[];
  readonly names: readonly string[];
  /** Names at the right end of their lines, where there is room. */
  readonly ends: readonly { readonly series: number; readonly y: number; readonly text: string }[];
};

type DrawingWish = {
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly kind: 'bars' | 'line' | 'step';
  readonly arranged: 'stacked' | 'grouped';
  readonly along: Along | undefined;
  readonly axisText: (value: number) => string;
  /** The axis goes up to this at least, as that of a chart beside it does. */
  readonly reach?: number;
  /** Words for each point that is hatched because it is not known. */
  readonly hatched: ReadonlyMap<number, string>;
};

export function drawingOf(wish: DrawingWish): Drawing {
  const { labels, series, kind, along, axisText, reach = 0 } = wish;
  const xs = along?.at ?? labels.map((_, at) => at);
  const step = leastStep(xs);
  const marks =
    kind === 'bars'
      ? barsOf(wish, xs, step)
      : [
          ...series.flatMap((own, at) => bandOf(own, at, xs, step)),
          ...series.flatMap((own, at) => linesOf(own, at, wish, xs)),
        ];
  const yTicks = ticksUp([...marks.flatMap(heightsOf), reach], axisText);
  const xRange = rangeAlong(wish, xs, step);
  return {
    xs,
    spots: kind === 'bars' ? [] : series.map(({ values }) => values),
    meant: kind === 'step' ? 'before' : 'nearest',
    xRange,
    yRange: [yTicks[0]?.at ?? 0, yTicks.at(-1)?.at ?? 1],
    xTicks: (pixels) => ticksAlong(wish, xRange, pixels),
    yTicks,
    hatches: hatchesOf(wish.hatched, xs, step, xRange),
    marks,
    names: series.map(({ name }) => name),
    ends: kind === 'bars' || series.length < 2 ? [] : endsOf(series),
  };
}

function rangeAlong({ kind, along }: DrawingWish, xs: readonly number[], step: number): Point {
  if (along?.kind === 'time' && along.range !== undefined) return along.range;
  const [first = 0, last = 0] = [xs[0], xs.at(-1)];
  const air = kind === 'bars' || first === last ? step / 2 : (last - first) * 0.012;
  return [first - air, last + air];
}

/** "2025", "Apr", "£250k"; and "12 Nov 2026". */
const shortLabelPixels = 64;
const longLabelPixels = 100;

function ticksAlong({ along, labels }: DrawingWish, [from, to]: Point, pixels: number): readonly Tick[] {
  switch (along?.kind) {
    case 'time':
      return timeTicks(from, to, pixels / shortLabelPixels);
    case 'number':
      return roundWithin(from, to, pixels / shortLabelPixels).map((at) => ({ at, text: along.text(at) }));
    case undefined:
      return spreadOver(labels.length, pixels / longLabelPixels).map((at) => ({
        at,
        text: labels[at] ?? '',
      }));
  }
}

/** From zero, so that what looks twice as high is twice as much. */
function ticksUp(heights: readonly number[], text: (value: number) => string): readonly Tick[] {
  const [least, most] = heights.reduce(([low, high], at) => [Math.min(low, at), Math.max(high, at)], [0, 0]);
  // Half a sale is no label.
  const count = heights.every(Number.isInteger) ? Math.min(4, Math.max(1, most - least)) : 4;
  return roundNumbers(least, most, count).map((at) => ({ at, text: text(at) }));
}

const heightsOf = (mark: Mark): readonly number[] => {
  switch (mark.kind) {
    case 'bar':
      return [mark.low, mark.high];
    case 'dot':
      return [mark.y];
    case 'area':
    case 'line':
      return mark.points.map(([, y]) => y);
  }
};

function leastStep(xs: readonly number[]): number {
  const steps = xs.slice(1).map((x, at) => x - (xs[at] ?? x));
  const least = steps.reduce((low, each) => (each > 0 && each < low ? each : low), Number.POSITIVE_INFINITY);
  return Number.isFinite(least) ? least : 1;
}

function barsOf({ series, arranged }: DrawingWish, xs: readonly number[], step: number): readonly Mark[] {
  const width = step * 0.78;
  const places = arranged === 'grouped' ? series.length : 1;
  return xs.flatMap((x, at) => {
    let top = 0;
    let bottom = 0;
    return series.flatMap(({ values }, which): Mark[] => {
      const value = values[at] ?? null;
      if (value === null) return [];
      const place = arranged === 'grouped' ? which : 0;
      const from = x - width / 2 + (width / places) * place;
      const start = arranged === 'grouped' ? 0 : value < 0 ? bottom : top;
      const end = start + value;
      if (value < 0) bottom = end;
      else top = end;
      return [
        {
          kind: 'bar',
          series: which,
          from,
          to: from + (width / places) * (places === 1 ? 1 : 0.9),
          low: Math.min(start, end),
          high: Math.max(start, end),
        },
      ];
    });
  });
}

/** Between gaps; a value that stands alone is a dot. */
function linesOf(
  { values, apart }: Series,
  series: number,
  { kind, along }: DrawingWish,
  xs: readonly number[],
): readonly Mark[] {
  const range = along?.kind === 'time' ? along.range : undefined;
  const known = values.filter(isNumber).length;
  // A line of nothing but gaps is not followed by any eye.
  const isSparse = xs.length <= 40 || known < xs.length * 0.75;
  const isJoined = (at: number) => isNumber(values[at]) && apart?.includes(at) !== true;
  const lone = (apart ?? []).filter((at) => isNumber(values[at])).map((at) => [at]);
  return [...runsOf(xs, isJoined), ...lone].flatMap((run): readonly Mark[] => {
    const own = run.map((at): Point => [xs[at] ?? 0, values[at] ?? 0]);
    const until = run.at(-1) === xs.length - 1 ? range?.[1] : undefined;
    const points =
      kind === 'step' ? steps(own, until).map(([x, y]): Point => [Math.max(x, range?.[0] ?? x), y]) : own;
    const line: readonly Mark[] = points.length === 1 ? [] : [{ kind: 'line', series, points }];
    const hasDots = points.length === 1 || (kind === 'line' && isSparse);
    return [...line, ...(hasDots ? own.map(([x, y]): Mark => ({ kind: 'dot', series, x, y })) : [])];
  });
}

function bandOf(
  { band, apart }: Series,
  series: number,
  xs: readonly number[],
  step: number,
): readonly Mark[] {
  if (band === undefined) return [];
  const { lower, upper } = band;
  const isThere = (at: number) => isNumber(lower[at]) && isNumber(upper[at]) && apart?.includes(at) !== true;
  return runsOf(xs, isThere).map((run): Mark => {
    // One that stands alone is a narrow bar.
    const places =
      run.length > 1 ? run.map((at) => ({ at, x: xs[at] ?? 0 })) : aroundOne(run[0] ?? 0, xs, step);
    const edge = (values: readonly (number | null)[]) =>
      places.map(({ at, x }): Point => [x, values[at] ?? 0]);
    return { kind: 'area', series, points: [...edge(upper), ...edge(lower).reverse()] };
  });
}

const aroundOne = (at: number, xs: readonly number[], step: number) =>
  [-0.35, 0.35].map((aside) => ({ at, x: (xs[at] ?? 0) + step * aside }));

const isNumber = (value: number | null | undefined): value is number => typeof value === 'number';

function runsOf(xs: readonly number[], isThere: (at: number) => boolean): readonly (readonly number[])[] {
  const runs: number[][] = [];
  for (const at of xs.keys()) {
    if (!isThere(at)) continue;
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1) === at - 1) run.push(at);
    else runs.push([at]);
  }
  return runs;
}

/** A value holds until the next. */
function steps(points: readonly Point[], until: number | undefined): readonly Point[] {
  const corners = points.flatMap(([x, y], at): Point[] => {
    const before = points[at - 1];
    return before === undefined
      ? [[x, y]]
      : [
          [x, before[1]],
          [x, y],
        ];
  });
  const last = points.at(-1);
  return until === undefined || last === undefined ? corners : [...corners, [until, last[1]]];
}

function hatchesOf(
  hatched: ReadonlyMap<number, string>,
  xs: readonly number[],
  step: number,
  [left, right]: Point,
): readonly Hatch[] {
  return runsOf(xs, (at) => hatched.has(at)).map((run) => {
    const [first = 0, last = 0] = [run[0], run.at(-1)];
    return {
      from: Math.max(left, (xs[first] ?? 0) - step / 2),
      to: Math.min(right, (xs[last] ?? 0) + step / 2),
      words: hatched.get(first) ?? '',
    };
  });
}

const endsOf = (series: readonly Series[]): Drawing['ends'] =>
  series.flatMap(({ name, values }, at) => {
    const y = values.findLast(isNumber);
    return y === undefined ? [] : [{ series: at, y, text: name }];
  });

// Which of thousands of points is meant by a pointer: they are sorted into squares, so that only those around it are looked at.

const side = 24;

/** The index of the nearest point that is at most `reach` away; of several, the first. */
export function nearestAmong(points: readonly Point[]): (place: Point, reach: number) => number | undefined {
  const squares = new Map<string, number[]>();
  for (const [at, [x, y]] of points.entries()) {
    const name = nameOf(Math.floor(x / side), Math.floor(y / side));
    const square = squares.get(name);
    if (square === undefined) squares.set(name, [at]);
    else square.push(at);
  }
  return ([x, y], reach) => {
    let nearest: { readonly at: number; readonly distance: number } | undefined;
    const [column, row] = [Math.floor(x / side), Math.floor(y / side)];
    const rings = Math.ceil(reach / side);
    for (let ring = 0; ring <= rings; ring += 1) {
      // Whatever lies in this ring is at least so far away.
      if (nearest !== undefined && nearest.distance < (ring - 1) * side) break;
      for (const name of ringAround(column, row, ring)) {
        for (const at of squares.get(name) ?? []) {
          const [left = 0, top = 0] = points[at] ?? [];
          const distance = Math.hypot(left - x, top - y);
          if (distance > reach) continue;
          const isNearer =
            nearest === undefined ||
            distance < nearest.distance ||
            (distance === nearest.distance && at < nearest.at);
          if (isNearer) nearest = { at, distance };
        }
      }
    }
    return nearest?.at;
  };
}

const nameOf = (column: number, row: number): string => `${column} ${row}`;

function ringAround(column: number, row: number, ring: number): readonly string[] {
  if (ring === 0) return [nameOf(column, row)];
  const names: string[] = [];
  for (let step = -ring; step < ring; step += 1) {
    names.push(
      nameOf(column + step, row - ring),
      nameOf(column + ring, row + step),
      nameOf(column - step, row + ring),
      nameOf(column - ring, row - step),
    );
  }
  return names;
}

// Thousands of points as a drawing. Those far above all others stand at the upper edge, so that the rest can be told apart.

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
