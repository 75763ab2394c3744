// uPlot, given what a chart shows, in the colours of the page: drawn again when its room or the colours change.

import UPlot from 'uplot';
import { shortNumber } from '../formats.ts';

type PlotWish = {
  readonly labels: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly kind: 'bars' | 'line';
  /** The pointer is above this point; undefined when it left. */
  readonly onPoint: (at: number | undefined) => void;
};

export type Plot = {
  readonly pointTo: (at: number | undefined) => void;
  readonly remove: () => void;
};

const heightPixels = 220;

export function drawPlot(place: HTMLElement, wish: PlotWish): Plot {
  let plot = draw(place, wish);
  const redraw = () => {
    plot.destroy();
    plot = draw(place, wish);
  };
  const widths = new ResizeObserver(() => {
    if (place.clientWidth !== plot.width && place.clientWidth > 0)
      plot.setSize({ width: place.clientWidth, height: heightPixels });
  });
  widths.observe(place);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', redraw);
  return {
    pointTo: (at) => {
      if (at === undefined) plot.setCursor({ left: -10, top: -10 }, false);
      else
        plot.setCursor({ left: plot.valToPos(at, 'x'), top: plot.bbox.height / 2 / devicePixelRatio }, false);
    },
    remove: () => {
      widths.disconnect();
      dark.removeEventListener('change', redraw);
      plot.destroy();
    },
  };
}

function draw(place: HTMLElement, { labels, series, kind, onPoint }: PlotWish): UPlot {
  const style = getComputedStyle(place);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const sums = stacked(series.map(({ values }) => values));
  // The tallest is drawn first, so that each shows what it adds.
  const layers = series.map(({ name }, at) => ({ name, at, values: sums[at] ?? [] })).reverse();
  const axis: UPlot.Axis = {
    stroke: colour('--soft'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: colour('--rule'), width: 1 },
    ticks: { show: false },
  };
  const bars = UPlot.paths.bars?.({ size: [0.72, 48, 1], radius: 0.12 });
  const options: UPlot.Options = {
    width: Math.max(1, place.clientWidth),
    height: heightPixels,
    legend: { show: false },
    cursor: {
      x: true,
      y: false,
      points: { show: kind === 'line' },
      drag: { x: false, y: false },
    },
    scales: {
      x: { time: false, range: [-0.6, Math.max(1, labels.length) - 0.4] },
      y: { range: (_plot, _least, most) => [0, niceMost(most)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 32,
        splits: (plot) => spreadOver(labels.length, plot.width / 110),
        values: (_plot, splits) => splits.map((at) => labels[at] ?? ''),
      },
      { ...axis, size: 52, values: (_plot, splits) => splits.map(shortNumber) },
    ],
    series: [
      {},
      ...layers.map(({ name, at }): UPlot.Series => {
        const tone = colour(`--series-${at + 1}`);
        return kind === 'bars'
          ? { label: name, fill: tone, width: 0, points: { show: false }, ...(bars ? { paths: bars } : {}) }
          : { label: name, stroke: tone, width: 2, points: { show: labels.length < 2 } };
      }),
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? undefined)] },
  };
  const data: UPlot.AlignedData = [labels.map((_, at) => at), ...layers.map(({ values }) => [...values])];
  return new UPlot(options, data, place);
}

/** Each on top of those before it. */
function stacked(lists: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const sums: number[][] = [];
  for (const list of lists) {
    const below = sums.at(-1);
    sums.push(list.map((value, at) => value + (below === undefined ? 0 : (below[at] ?? Number.NaN))));
  }
  return sums;
}

/** So that there is air above the tallest, and an empty chart has a scale. */
const niceMost = (most: number): number => (most > 0 ? most * 1.08 : 1);

/** About as many of so many points as there is room for, evenly. */
function spreadOver(count: number, room: number): number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(1, room)));
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step);
}
