// How long calls took, as the server saw it.

import type { Line } from './line.ts';

export type Latency = {
  readonly path: string;
  readonly requests: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
};

/** By path, most requests first. Calls of a batch have no time of their own and are left out. */
export function latencyOf(lines: readonly Line[]): readonly Latency[] {
  const alone = lines.filter(({ sent }) => sent === 'alone');
  return [...Map.groupBy(alone, ({ path }) => path)]
    .map(([path, taken]) => {
      const sorted = taken.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
      const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
      return { path, requests: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
    })
    .sort((one, other) => other.requests - one.requests || (one.path < other.path ? -1 : 1));
}
