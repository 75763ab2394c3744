// What a row of the metric table says.

/** Every label and what its values are: always of a set that the program or its operator decides, never what a caller sent. */
export const labels = {
  endpoint: 'the path of an endpoint as docs/api.md has it; `other` for everything beside them',
  status: 'the HTTP status of the reply; 499 where nobody was left to be answered',
  stage: 'key, limit, parameters, balance, lookup, charge, reply',
  result: 'how it ended, as the meaning of the metric says',
  dataset: 'a name of docs/data-sources.md',
  publication: 'a name that `domesday update` has for what it fetches (docs/data-sources.md)',
  edition: 'as the publisher calls it',
  extent: 'complete, partial, sample or fictional',
  release: 'the id of a release',
  service: 'valuation-site',
  outcome: 'fresh, some kept or failed',
  kind: 'minor, major, incremental or weak callbacks',
  version: 'of the program',
  node: 'version of Node',
} as const;

type Label = keyof typeof labels;

/** `none`: a number of things. `timestamp`: seconds since 1970. */
type Unit = 'seconds' | 'timestamp' | 'bytes' | 'credits' | 'none';

type Described = {
  readonly labels: readonly Label[];
  readonly unit: Unit;
  readonly help: string;
};

export type MetricRow = Described &
  (
    | { readonly type: 'counter' }
    /** `across`: what the figure of the process is, made of those of its threads. */
    | { readonly type: 'gauge'; readonly across: 'sum' | 'max' }
    | { readonly type: 'histogram'; readonly buckets: readonly number[] }
  );
