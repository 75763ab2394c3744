// Questions to Prometheus, made of rows of the metric table: a name that is not there does not compile.

import type { MetricName, NameOf } from '../../src/metrics/table.ts';

type Counted = NameOf<'counter'>;
type Spread = NameOf<'histogram'>;

/** A metric, or those of its series that fit, such as `status=~"5.."`. */
export const series = (name: MetricName, fitting = ''): string =>
  fitting === '' ? name : `${name}{${fitting}}`;

export const count = (name: Spread, fitting = ''): string =>
  fitting === '' ? `${name}_count` : `${name}_count{${fitting}}`;

export const bucket = (name: Spread, fitting = ''): string =>
  fitting === '' ? `${name}_bucket` : `${name}_bucket{${fitting}}`;

export const sum = (name: Spread, fitting = ''): string =>
  fitting === '' ? `${name}_sum` : `${name}_sum{${fitting}}`;

/** A second, over all that have the same `by`. */
export const perSecond = (name: Counted, by: string, fitting = '', over = '5m'): string =>
  `sum by (${by}) (rate(${series(name, fitting)}[${over}]))`;

export const quantile = (part: number, name: Spread, by: string, fitting = '', over = '5m'): string =>
  `histogram_quantile(${part}, sum by (${[by, 'le'].filter(Boolean).join(', ')}) (rate(${bucket(name, fitting)}[${over}])))`;
