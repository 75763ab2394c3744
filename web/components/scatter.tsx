// Every single value by its day: each is found by the pointer or the arrow keys and told in words.

import { dayText } from '../formats.ts';
import { type ScatterPoint, scatterOf } from './chart/drawing.ts';
import { ChartFrame } from './chart/frame.tsx';
import { type Column, Table } from './table.tsx';

type ScatterWish = {
  readonly title: string;
  readonly points: readonly ScatterPoint[];
  /** At most five; each has its own shape. */
  readonly groups: readonly string[];
  readonly groupTitle: string;
  readonly valueTitle: string;
  /** What the words of a point are. */
  readonly wordsTitle: string;
  readonly format: (value: number) => string;
  readonly axisText: (value: number) => string;
};

export function Scatter(wish: ScatterWish) {
  const { title, groups, format, axisText } = wish;
  const points = wish.points.toSorted((a, b) => a.atMs - b.atMs);
  const { drawing, edge, above } = scatterOf(points, groups, axisText);
  return (
    <ChartFrame
      title={title}
      note={above === 0 ? undefined : aboveWords(above, axisText(edge))}
      drawing={drawing}
      meaning={JSON.stringify([points, groups])}
      heightPixels={280}
      words={(at) => pointWords(points[at], format)}
      keys="shapes"
      table={() => <PointTable {...wish} points={points} />}
    />
  );
}

const aboveWords = (count: number, edge: string): string =>
  count === 1
    ? `One above ${edge} is shown at the upper edge.`
    : `${count} above ${edge} are shown at the upper edge.`;

const dayOf = (atMs: number): string => dayText(new Date(atMs).toISOString().slice(0, 10));

const pointWords = (point: ScatterPoint | undefined, format: (value: number) => string): string =>
  point === undefined ? '' : `${dayOf(point.atMs)}: ${format(point.value)}, ${point.words()}`;

function PointTable({ title, points, groups, groupTitle, valueTitle, wordsTitle, format }: ScatterWish) {
  const columns: readonly Column<number>[] = [
    {
      title: 'Day',
      kind: 'name',
      by: (at) => points[at]?.atMs ?? 0,
      cell: (at) => dayOf(points[at]?.atMs ?? 0),
    },
    {
      title: valueTitle,
      kind: 'number',
      by: (at) => points[at]?.value ?? 0,
      cell: (at) => format(points[at]?.value ?? 0),
    },
    { title: groupTitle, cell: (at) => groups[points[at]?.group ?? 0] },
    { title: wordsTitle, cell: (at) => points[at]?.words() },
  ];
  return <Table caption={title} columns={columns} rows={points.map((_, at) => at)} keyOf={String} />;
}
