// A chart of values side by side: bars, lines with or without a band around them, or steps. What is not known is null: a gap in the
// chart, and words at the cursor and in the table.

import type { ComponentChildren } from 'preact';
import { csvText, numberText, shortNumber } from '../formats.ts';
import { type Along, drawingOf, type Series } from './chart/drawing.ts';
import { ChartFrame } from './chart/frame.tsx';
import { type Column, Table } from './table.tsx';

type ChartWish = {
  readonly title: string;
  readonly note?: ComponentChildren;
  /** One for each value, such as "12 Nov 2026". */
  readonly labels: readonly string[];
  readonly labelTitle?: string;
  /** At most six. */
  readonly series: readonly Series[];
  readonly kind?: 'bars' | 'line' | 'step';
  /** Bars of several series: on each other or beside each other. */
  readonly arranged?: 'stacked' | 'grouped';
  /** Where the values stand; without it, one after another with their labels below. */
  readonly along?: Along;
  readonly format?: (value: number) => string;
  /** At the axis, where there is little room. */
  readonly axisText?: (value: number) => string;
  /** The axis goes up to this at least, so that charts side by side have one scale. */
  readonly reach?: number;
  /** What it means that there is no value at a point. */
  readonly nullWords?: (at: number) => string;
  /** Points whose gap is hatched; without it, all that no series has a value of. */
  readonly hatched?: (at: number) => boolean;
  /** What a chart beside it hatches, so that what stands below both stays in one line. */
  readonly hatchedBeside?: readonly string[];
  readonly heightPixels?: number;
};

const unknown = () => 'not known';

export function Chart({
  title,
  note,
  labels,
  labelTitle = 'Day',
  series,
  kind = 'bars',
  arranged = 'stacked',
  along,
  format = numberText,
  axisText = shortNumber,
  reach = 0,
  nullWords = unknown,
  hatched = (at) => series.length > 0 && series.every(({ values }) => (values[at] ?? null) === null),
  hatchedBeside,
  heightPixels,
}: ChartWish) {
  const hatches = new Map(labels.flatMap((_, at) => (hatched(at) ? [[at, nullWords(at)] as const] : [])));
  const columns = columnsOf(series);
  return (
    <ChartFrame
      title={title}
      note={note}
      drawing={drawingOf({ labels, series, kind, arranged, along, axisText, reach, hatched: hatches })}
      meaning={JSON.stringify([labels, series, kind, arranged, along, reach, [...hatches]])}
      words={(at) => pointWords(at, labels, series, format, nullWords)}
      keys={kind === 'bars' ? 'squares' : 'lines'}
      table={() => <ValueTable {...{ title, labels, labelTitle, columns, format, nullWords }} />}
      csv={() =>
        csvText([
          [labelTitle, ...columns.map(({ name }) => name)],
          ...labels.map((label, at) => [label, ...columns.map(({ values }) => values[at] ?? null)]),
        ])
      }
      {...(hatchedBeside === undefined ? {} : { hatchedBeside })}
      {...(heightPixels === undefined ? {} : { heightPixels })}
    />
  );
}

type ValueColumn = { readonly name: string; readonly values: readonly (number | null)[] };

const columnsOf = (series: readonly Series[]): readonly ValueColumn[] =>
  series.flatMap(({ name, values, band }) => {
    if (band === undefined) return [{ name, values }];
    const of = series.length === 1 ? '' : `${name}: `;
    return [
      { name: `${of}${band.lowerName}`, values: band.lower },
      { name, values },
      { name: `${of}${band.upperName}`, values: band.upper },
    ];
  });

type ValueTableWish = {
  readonly title: string;
  readonly labels: readonly string[];
  readonly labelTitle: string;
  readonly columns: readonly ValueColumn[];
  readonly format: (value: number) => string;
  readonly nullWords: (at: number) => string;
};

function ValueTable({ title, labels, labelTitle, columns, format, nullWords }: ValueTableWish) {
  const shown: readonly Column<number>[] = [
    { title: labelTitle, kind: 'name', cell: (at) => labels[at] },
    ...columns.map(({ name, values }): Column<number> => {
      const valueAt = (at: number) => values[at] ?? null;
      return {
        title: name,
        kind: 'number',
        // What is not known stands below everything.
        by: (at) => valueAt(at) ?? Number.NEGATIVE_INFINITY,
        cell: (at) => valueText(valueAt(at), at, format, nullWords),
      };
    }),
  ];
  return <Table caption={title} columns={shown} rows={labels.map((_, at) => at)} keyOf={String} />;
}

const valueText = (
  value: number | null,
  at: number,
  format: (value: number) => string,
  nullWords: (at: number) => string,
): string => (value === null ? nullWords(at) : format(value));

function pointWords(
  at: number,
  labels: readonly string[],
  series: readonly Series[],
  format: (value: number) => string,
  nullWords: (at: number) => string,
): string {
  const label = labels[at] ?? '';
  if (series.every(({ values }) => (values[at] ?? null) === null)) return `${label}: ${nullWords(at)}`;
  const values = series
    // Of many only those that there are.
    .filter(({ values }) => series.length < 3 || values[at] !== 0)
    .map(({ name, values, band }) => {
      const words = `${valueText(values[at] ?? null, at, format, nullWords)}${bandWords(band, at, format)}`;
      return series.length === 1 ? words : `${name} ${words}`;
    });
  return `${label}: ${values.length === 0 ? 'nothing' : values.join(', ')}`;
}

function bandWords(band: Series['band'], at: number, format: (value: number) => string): string {
  const [lower, upper] = [band?.lower[at] ?? null, band?.upper[at] ?? null];
  return lower === null || upper === null ? '' : ` (half of them ${format(lower)} to ${format(upper)})`;
}
