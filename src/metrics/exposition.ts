// The figures of all threads in Prometheus's text format, in the order of the table.

import type { MetricsSnapshot } from './metrics.ts';
import { type MetricRow, metricRows } from './table.ts';

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

export function renderMetrics(threads: readonly MetricsSnapshot[]): string {
  return metricRows
    .flatMap(([name, row]) => {
      const lines =
        row.type === 'histogram'
          ? histogramLines(name, row.buckets, threads)
          : numberLines(name, row, threads);
      return lines.length === 0
        ? []
        : [`# HELP ${name} ${row.help.replaceAll('\\', '\\\\')}`, `# TYPE ${name} ${row.type}`, ...lines];
    })
    .map((line) => `${line}\n`)
    .join('');
}

function numberLines(name: string, row: MetricRow, threads: readonly MetricsSnapshot[]): string[] {
  const isMost = row.type === 'gauge' && row.across === 'max';
  const whole = new Map<string, number>();
  // What has no labels and was never counted is none; a gauge that nobody read is unknown.
  if (row.type === 'counter' && row.labels.length === 0) whole.set('', 0);
  for (const { numbers } of threads) {
    for (const [labels, value] of numbers.get(name) ?? []) {
      const known = whole.get(labels);
      whole.set(labels, known === undefined ? value : isMost ? Math.max(known, value) : known + value);
    }
  }
  return [...whole].map(([labels, value]) => `${name}${labels === '' ? '' : `{${labels}}`} ${value}`);
}

function histogramLines(
  name: string,
  bounds: readonly number[],
  threads: readonly MetricsSnapshot[],
): string[] {
  const whole = new Map<string, { readonly buckets: number[]; sum: number }>();
  for (const { histograms } of threads) {
    for (const [labels, { buckets, sum }] of histograms.get(name) ?? []) {
      const known = whole.get(labels);
      if (known === undefined) whole.set(labels, { buckets: [...buckets], sum });
      else {
        for (const [place, count] of buckets.entries())
          known.buckets[place] = (known.buckets[place] ?? 0) + count;
        known.sum += sum;
      }
    }
  }
  return [...whole].flatMap(([labels, { buckets, sum }]) => {
    let cumulative = 0;
    const before = labels === '' ? '' : `${labels},`;
    const lines = buckets.map((count, place) => {
      cumulative += count;
      return `${name}_bucket{${before}le="${bounds[place] ?? '+Inf'}"} ${cumulative}`;
    });
    const braces = labels === '' ? '' : `{${labels}}`;
    return [...lines, `${name}_sum${braces} ${sum}`, `${name}_count${braces} ${cumulative}`];
  });
}
