// A drawing on the screen by uPlot, in the colours of the page: drawn again when its room, the colours or the medium change.

import UPlot from 'uplot';
import {
  across,
  type Palette,
  paintEnds,
  paintHatches,
  paintHatchWords,
  paintMarks,
  type Sheet,
  wordsWidth,
} from './brush.ts';
import { canvasBrush } from './canvas-brush.ts';
import { type Drawing, nearestAmong, type Point } from './drawing.ts';
import { fontOf, paletteOf } from './palette.ts';

type PlotWish = {
  readonly drawing: Drawing;
  readonly heightPixels: number;
  /** The pointer is above this point; undefined when it left. */
  readonly onPoint: (at: number | undefined) => void;
};

export type Plot = {
  readonly pointTo: (at: number | undefined) => void;
  readonly remove: () => void;
};

/** How far a pointer may be from the point that it means. */
const reachPixels = 36;
/** Narrower ones have keys instead of names at the ends of lines (chart.css). */
const directWidth = 560;

export function drawPlot(place: HTMLElement, wish: PlotWish): Plot {
  let shown = draw(place, wish);
  const redraw = () => {
    const byKeys = shown.byKeys();
    shown.plot.destroy();
    shown = draw(place, wish);
    if (byKeys !== undefined) shown.pointTo(byKeys);
  };
  const widths = new ResizeObserver(() => {
    if (place.clientWidth !== shown.plot.width && place.clientWidth > 0) redraw();
  });
  widths.observe(place);
  const media = ['(prefers-color-scheme: dark)', 'print'].map((query) => matchMedia(query));
  for (const medium of media) medium.addEventListener('change', redraw);
  return {
    pointTo: (at) => shown.pointTo(at),
    remove: () => {
      widths.disconnect();
      for (const medium of media) medium.removeEventListener('change', redraw);
      shown.plot.destroy();
    },
  };
}

type Shown = {
  readonly plot: UPlot;
  readonly pointTo: (at: number | undefined) => void;
  /** Undefined where a pointer has taken over. */
  readonly byKeys: () => number | undefined;
};

function draw(place: HTMLElement, { drawing, heightPixels, onPoint }: PlotWish): Shown {
  // Where the arrow keys went, whatever lies nearer to the cursor.
  let chosen: number | undefined;
  let nearest = nearestAmong([]);
  const meant = (plot: UPlot, closest: number | null, x: number): number | undefined => {
    if (chosen !== undefined) return chosen;
    if (drawing.meant === 'any') return nearest([plot.cursor.left ?? -1, plot.cursor.top ?? -1], reachPixels);
    if (drawing.meant === 'nearest') return closest ?? undefined;
    const at = drawing.xs.findLastIndex((each) => each <= x);
    return at === -1 ? undefined : at;
  };
  const isDirect = drawing.ends.length > 0 && place.clientWidth >= directWidth;
  const options: UPlot.Options = {
    ...lookOf(place, drawing, isDirect ? 'direct' : 'keys'),
    width: Math.max(1, place.clientWidth),
    height: heightPixels,
    cursor: {
      x: drawing.meant !== 'any',
      y: false,
      points: { show: drawing.spots.length > 0, size: 10 },
      drag: { x: false, y: false },
      dataIdx: (plot, _series, closest, x) => meant(plot, closest, x) ?? null,
    },
    hooks: {
      drawClear: [(plot) => onCanvas(plot, drawing, place, 'below')],
      draw: [
        (plot) => {
          onCanvas(plot, drawing, place, isDirect ? 'above, with names' : 'above');
          if (drawing.meant === 'any') nearest = nearestAmong(pixelsOf(plot, drawing));
        },
      ],
      setCursor: [
        (plot) => {
          const { left = -1, idx = null } = plot.cursor;
          onPoint(left < 0 ? undefined : meant(plot, idx, plot.posToVal(left, 'x')));
        },
      ],
    },
  };
  const data: UPlot.AlignedData = [[...drawing.xs], ...spotsOf(drawing).map((values) => [...values])];
  const plot = new UPlot(options, data, place);
  // A pointer that moves takes over from the keys.
  plot.over.addEventListener('pointermove', () => {
    chosen = undefined;
  });
  return {
    plot,
    byKeys: () => chosen,
    pointTo: (at) => {
      chosen = at;
      if (at === undefined) return plot.setCursor({ left: -10, top: -10 }, false);
      const y = drawing.spots.map((values) => values[at] ?? null).find((value) => value !== null) ?? 0;
      // What began before the chart does is shown at its edge.
      const left = Math.max(0, plot.valToPos(drawing.xs[at] ?? 0, 'x'));
      plot.setCursor({ left, top: plot.valToPos(y, 'y') }, false);
    },
  };
}

/** A scale needs a series. */
const spotsOf = ({ spots, xs }: Drawing): Drawing['spots'] =>
  spots.length === 0 ? [xs.map(() => null)] : spots;

function lookOf(
  place: HTMLElement,
  drawing: Drawing,
  names: 'direct' | 'keys',
): Pick<UPlot.Options, 'padding' | 'legend' | 'scales' | 'axes' | 'series'> {
  const palette = paletteOf(place);
  const widest = Math.max(0, ...drawing.ends.map(({ text }) => wordsWidth(text)));
  return {
    padding: [12, names === 'direct' ? widest + 22 : Math.max(14, lastTickBeyond(place, drawing)), 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [...drawing.xRange] },
      y: { range: () => [...drawing.yRange] },
    },
    axes: axesOf(drawing, palette, fontOf(place)),
    series: [
      {},
      ...spotsOf(drawing).map(
        (_, at): UPlot.Series => ({
          stroke: palette.series[at] ?? palette.ink,
          width: 0,
          paths: () => null,
          points: { show: false },
        }),
      ),
    ],
  };
}

/** How far the words below the right edge reach beyond it, where they stand just there. */
function lastTickBeyond(place: HTMLElement, { xTicks, xRange }: Drawing): number {
  const last = xTicks(place.clientWidth).at(-1);
  return last === undefined || last.at < xRange[1] ? 0 : wordsWidth(last.text) / 2 + 6;
}

function axesOf(drawing: Drawing, palette: Palette, font: string): UPlot.Axis[] {
  const axis: UPlot.Axis = { stroke: palette.soft, font: `12px ${font}`, ticks: { show: false } };
  const texts = new Map<number, string>();
  return [
    {
      ...axis,
      grid: { show: false },
      size: 30,
      splits: (plot) => {
        texts.clear();
        for (const { at, text } of drawing.xTicks(plot.width)) texts.set(at, text);
        return [...texts.keys()];
      },
      values: (_plot, splits) => splits.map((at) => texts.get(at) ?? ''),
    },
    {
      ...axis,
      grid: { stroke: palette.rule, width: 1 },
      // At least so wide that charts below each other begin at the same place.
      size: Math.max(56, ...drawing.yTicks.map(({ text }) => wordsWidth(text) + 16)),
      splits: () => drawing.yTicks.map(({ at }) => at),
      values: () => drawing.yTicks.map(({ text }) => text),
    },
  ];
}

/** Of each point, from the corner of the room that is drawn in. */
const pixelsOf = (plot: UPlot, { xs, spots: [ys = []] }: Drawing): readonly Point[] =>
  xs.map((x, at): Point => [plot.valToPos(x, 'x'), plot.valToPos(ys[at] ?? 0, 'y')]);

function onCanvas(
  plot: UPlot,
  drawing: Drawing,
  place: HTMLElement,
  what: 'below' | 'above' | 'above, with names',
): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const room = { top: bbox.top / ratio, bottom: (bbox.top + bbox.height) / ratio };
  const left = bbox.left / ratio;
  const right = (bbox.left + bbox.width) / ratio;
  const toPixels = {
    x: (value: number) => plot.valToPos(value, 'x') + left,
    y: (value: number) => plot.valToPos(value, 'y') + room.top,
  };
  const sheet: Sheet = {
    brush: canvasBrush(ctx, fontOf(place)),
    palette: paletteOf(place),
    place: toPixels,
    room,
  };
  ctx.save();
  ctx.scale(ratio, ratio);
  ctx.save();
  ctx.beginPath();
  // Dots at the edge are whole.
  ctx.rect(left - 5, room.top - 6, right - left + 10, room.bottom - room.top + 12);
  ctx.clip();
  if (what === 'below') paintHatches(drawing, sheet);
  else {
    sheet.brush.stroke(across(left, right, toPixels.y(0)), sheet.palette.line, 1, []);
    paintMarks(drawing, sheet);
    paintHatchWords(drawing, sheet);
  }
  ctx.restore();
  if (what === 'above, with names') paintEnds(drawing, sheet, right + 8);
  ctx.restore();
}
