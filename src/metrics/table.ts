// Every metric that Prometheus can read at /metrics; nothing else can be counted. docs/observability.md, the dashboard and the
// alert rules rest on these rows. One more metric is one row in a file of table/, and one call where its figure is known
// (metrics.ts).

import { dataMetrics } from './table/data.ts';
import { ledgerMetrics } from './table/ledger.ts';
import { processMetrics } from './table/process.ts';
import { requestsMetrics } from './table/requests.ts';
import type { MetricRow } from './table/row.ts';

export const metricTable = {
  ...requestsMetrics,
  ...ledgerMetrics,
  ...dataMetrics,
  ...processMetrics,
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof metricTable;

/** Names of the metrics of one type. */
export type NameOf<Type extends MetricRow['type']> = {
  [Name in MetricName]: (typeof metricTable)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** A value for each label of the metric; nothing where it has none. */
export type LabelsOf<Name extends MetricName> = (typeof metricTable)[Name]['labels'] extends readonly []
  ? readonly []
  : readonly [Readonly<Record<(typeof metricTable)[Name]['labels'][number], string>>];

export const metricRows: readonly (readonly [string, MetricRow])[] = Object.entries(metricTable);
