// A chart over days: drawn by uPlot, which is fetched when the first chart appears. A canvas says nothing to whoever cannot see
// it, so the arrow keys move through it, each point is read out, and the same numbers stand in a table behind it.

import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { numberText } from '../formats.ts';
import type { Plot } from './plot.ts';
import { type Column, Table } from './table.tsx';

type Series = {
  readonly name: string;
  readonly values: readonly number[];
};

type ChartWish = {
  readonly title: string;
  /** One for each value, such as "12 Nov 2026". */
  readonly labels: readonly string[];
  readonly labelTitle?: string;
  /** At most six; several stand on each other. */
  readonly series: readonly Series[];
  readonly kind?: 'bars' | 'line';
  readonly format?: (value: number) => string;
};

export function Chart({
  title,
  labels,
  labelTitle = 'Day',
  series,
  kind = 'bars',
  format = numberText,
}: ChartWish) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | undefined>(undefined);
  const [at, setAt] = useState<number | undefined>(undefined);
  const meaning = JSON.stringify([labels, series, kind]);
  // `meaning` has all that is drawn.
  useEffect(() => {
    let isGone = false;
    setAt(undefined);
    void import('./plot.ts').then(({ drawPlot }) => {
      if (isGone || place.current === null) return;
      plot.current = drawPlot(place.current, { labels, series, kind, onPoint: setAt });
    });
    return () => {
      isGone = true;
      plot.current?.remove();
      plot.current = undefined;
    };
  }, [meaning]);
  const move = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const next = pointAfter(event.key, at, labels.length);
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
    plot.current?.pointTo(next);
  };
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: no element is a chart that is moved through. */}
      <div
        class="chart-place"
        ref={place}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move through it.
        tabIndex={0}
        role="group"
        aria-roledescription="chart"
        aria-label={`${title}. The arrow keys move through it.`}
        onKeyDown={move}
        onBlur={() => plot.current?.pointTo(undefined)}
      />
      <p class={series.length < 2 ? 'chart-point' : 'chart-point of-several'} aria-live="polite">
        {at === undefined ? '' : pointWords(at, labels, series, format)}
      </p>
      {series.length < 2 ? null : (
        <ul class="chart-keys">
          {series.map(({ name }, index) => (
            <li key={name}>
              <span class={`chart-key key-${index + 1}`} aria-hidden="true" />
              {name}
            </li>
          ))}
        </ul>
      )}
      <ChartTable title={title} labels={labels} labelTitle={labelTitle} series={series} format={format} />
    </figure>
  );
}

function ChartTable({
  title,
  labels,
  labelTitle,
  series,
  format,
}: Required<Pick<ChartWish, 'title' | 'labels' | 'labelTitle' | 'series' | 'format'>>) {
  const columns: readonly Column<number>[] = [
    { title: labelTitle, kind: 'name', cell: (at) => labels[at] },
    ...series.map(({ name, values }): Column<number> => {
      const valueAt = (at: number) => values[at] ?? Number.NaN;
      return { title: name, kind: 'number', by: valueAt, cell: (at) => format(valueAt(at)) };
    }),
  ];
  return (
    <details class="chart-table">
      <summary>As a table</summary>
      <Table caption={title} columns={columns} rows={labels.map((_, at) => at)} keyOf={String} />
    </details>
  );
}

function pointAfter(key: string, at: number | undefined, count: number): number | undefined {
  if (count === 0) return undefined;
  const last = count - 1;
  switch (key) {
    case 'ArrowLeft':
      return at === undefined ? last : Math.max(0, at - 1);
    case 'ArrowRight':
      return at === undefined ? 0 : Math.min(last, at + 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

function pointWords(
  at: number,
  labels: readonly string[],
  series: readonly Series[],
  format: (value: number) => string,
): string {
  const values = series
    .map(({ name, values }) => ({ name, value: values[at] ?? Number.NaN }))
    // Of many only those that there are.
    .filter(({ value }) => series.length < 3 || value !== 0)
    .map(({ name, value }) => (series.length === 1 ? format(value) : `${name} ${format(value)}`));
  return `${labels[at] ?? ''}: ${values.length === 0 ? 'nothing' : values.join(', ')}`;
}
