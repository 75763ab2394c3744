// Sums of usage as charts and tables want them: days without a gap, the largest parts by name and the others together.

import type { UsageRowView } from '../../../src/portal/views.ts';

export type Measure = 'calls' | 'credits';
export type Part = 'endpoint' | 'key' | 'status';

const dayMs = 86_400_000;
const dayName = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

type Span = { readonly from: string; readonly to: string; readonly days: readonly string[] };

/** Days by UTC, the last of them today. */
export function daysUntilToday(count: number, nowMs = Date.now()): Span {
  const today = Math.floor(nowMs / dayMs) * dayMs;
  const days = Array.from({ length: count }, (_, at) => dayName(today - (count - 1 - at) * dayMs));
  return { from: dayName(today - (count - 1) * dayMs), to: dayName(today), days };
}

export function perDay(
  rows: readonly UsageRowView[],
  days: readonly string[],
  measure: Measure,
): readonly number[] {
  const sums = new Map<string, number>();
  for (const { day = '', [measure]: value } of rows) sums.set(day, (sums.get(day) ?? 0) + value);
  return days.map((day) => sums.get(day) ?? 0);
}

/** Of a year each bar is a week, named by its first day: bars of a day would be thinner than a hair. */
export function inWeeks(days: readonly string[]): readonly (readonly string[])[] {
  // Counted from the end, so that the last week is whole.
  const first = days.length % 7;
  const weeks = Array.from({ length: Math.floor(days.length / 7) }, (_, at) =>
    days.slice(first + at * 7, first + at * 7 + 7),
  );
  return first === 0 ? weeks : [days.slice(0, first), ...weeks];
}

/** Values of days, added up to those of bars. */
export function inBars(values: readonly number[], bars: readonly (readonly string[])[]): readonly number[] {
  const sums: number[] = [];
  let at = 0;
  for (const { length } of bars) {
    sums.push(values.slice(at, at + length).reduce((sum, value) => sum + value, 0));
    at += length;
  }
  return sums;
}

const nameOfPart = (row: UsageRowView, part: Part): string => {
  switch (part) {
    case 'endpoint':
      return row.endpoint ?? '';
    case 'key':
      return row.keyId ?? '';
    case 'status':
      return String(row.status ?? '');
  }
};

export type Sum = { readonly name: string; readonly calls: number; readonly credits: number };

/** Largest first. */
export function sumsOf(rows: readonly UsageRowView[], part: Part): readonly Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const name = nameOfPart(row, part);
    const { calls, credits } = sums.get(name) ?? { calls: 0, credits: 0 };
    sums.set(name, { name, calls: calls + row.calls, credits: credits + row.credits });
  }
  return [...sums.values()].toSorted((a, b) => b.calls - a.calls || a.name.localeCompare(b.name));
}

/** What a chart draws: a value for each day. */
export type DaySeries = { readonly name: string; readonly values: readonly number[] };

const namedMost = 5;

/** One series for each of the largest parts, and one for all others. */
export function seriesOf(
  rows: readonly UsageRowView[],
  {
    part,
    measure,
    days,
    nameOf,
  }: {
    readonly part: Part;
    readonly measure: Measure;
    readonly days: readonly string[];
    readonly nameOf: (part: string) => string;
  },
): readonly DaySeries[] {
  const byPart = Map.groupBy(rows, (row) => nameOfPart(row, part));
  const largest = sumsOf(rows, part)
    .toSorted((a, b) => b[measure] - a[measure])
    .filter((sum) => sum[measure] > 0);
  const series = (name: string, own: readonly UsageRowView[]): DaySeries => ({
    name,
    values: perDay(own, days, measure),
  });
  const others = largest.slice(namedMost).flatMap(({ name }) => byPart.get(name) ?? []);
  return [
    ...largest.slice(0, namedMost).map(({ name }) => series(nameOf(name), byPart.get(name) ?? [])),
    ...(others.length === 0 ? [] : [series('Others', others)]),
  ];
}
