// The figures in Prometheus's text format, in the order of the table.

import type { MetricsSnapshot } from './metrics.ts';
import { type MetricRow, metricRows } from './table.ts';

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

export function renderMetrics(snapshot: MetricsSnapshot): string {
  return metricRows
    .flatMap(([name, row]) => {
      const lines =
        row.type === 'histogram'
          ? histogramLines(name, row.buckets, snapshot)
          : numberLines(name, row, snapshot);
      return lines.length === 0
        ? []
        : [`# HELP ${name} ${row.help.replaceAll('\\', '\\\\')}`, `# TYPE ${name} ${row.type}`, ...lines];
    })
    .map((line) => `${line}\n`)
    .join('');
}

function numberLines(name: string, row: MetricRow, { numbers }: MetricsSnapshot): string[] {
  // What has no labels and was never counted is none; a gauge that nobody read is unknown.
  const none = row.type === 'counter' && row.labels.length === 0 ? [['', 0] as const] : [];
  return [...(numbers.get(name) ?? none)].map(
    ([labels, value]) => `${name}${labels === '' ? '' : `{${labels}}`} ${value}`,
  );
}

function histogramLines(name: string, bounds: readonly number[], { histograms }: MetricsSnapshot): string[] {
  return [...(histograms.get(name) ?? [])].flatMap(([labels, { buckets, sum }]) => {
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
