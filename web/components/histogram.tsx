// How many values lie in each step from low to high.

import type { ComponentChildren } from 'preact';
import { numberText } from '../formats.ts';
import { binsOf } from './chart/bins.ts';
import { Chart } from './chart.tsx';

type HistogramWish = {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly values: readonly number[];
  /** Heads the column of steps in the table. */
  readonly labelTitle: string;
  readonly countName: string;
  /** Of a value, below the bars and in words. */
  readonly text: (value: number) => string;
};

const barsWanted = 14;

export function Histogram({ title, note, values, labelTitle, countName, text }: HistogramWish) {
  const bins = binsOf(values, barsWanted);
  const step = (bins[1]?.from ?? 1) - (bins[0]?.from ?? 0);
  return (
    <Chart
      title={title}
      note={note}
      labels={bins.map(({ from, to }) =>
        to === undefined ? `${text(from)} and more` : `${text(from)} to ${text(to)}`,
      )}
      labelTitle={labelTitle}
      series={[{ name: countName, values: bins.map(({ count }) => count) }]}
      along={{ kind: 'number', at: bins.map(({ from }) => from + step / 2), text }}
      axisText={numberText}
      heightPixels={280}
    />
  );
}
