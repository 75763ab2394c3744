// How many values lie in each of some equal, round steps. The last step is open where a few values are far above all others: they
// would press the rest together.

import { roundNumbers } from './scales.ts';

type Bin = {
  readonly from: number;
  /** Not counted itself; undefined where the bin is open. */
  readonly to: number | undefined;
  readonly count: number;
};

export function binsOf(values: readonly number[], wanted: number): readonly Bin[] {
  if (values.length === 0) return [];
  const sorted = values.toSorted((a, b) => a - b);
  const [least = 0, most = 0] = [sorted[0], sorted.at(-1)];
  const top = usualMost(sorted);
  // Prices that are all about the same are not split by pennies.
  const edges = roundNumbers(least, Math.max(top, least + top / 5, least + 1), wanted);
  const isOpen = top < most;
  const starts = edges.slice(0, -1);
  // What equals the highest edge needs a bin that begins there.
  if (isOpen || most === edges.at(-1)) starts.push(edges.at(-1) ?? 0);
  const step = (edges[1] ?? 1) - (edges[0] ?? 0);
  const counts = starts.map(() => 0);
  for (const value of sorted) {
    const at = starts.findLastIndex((start) => start <= value);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return starts.map((from, at) => ({
    from,
    to: isOpen && at === starts.length - 1 ? undefined : (starts[at + 1] ?? from + step),
    count: counts[at] ?? 0,
  }));
}

const fewest = 20;

/** The highest of rising values, or of most of them where a few lie far above. */
export function usualMost(sorted: readonly number[]): number {
  const most = sorted.at(-1) ?? 0;
  const usual = sorted[Math.floor((sorted.length - 1) * 0.97)] ?? most;
  return sorted.length >= fewest && most > usual * 1.6 ? usual * 1.1 : most;
}
