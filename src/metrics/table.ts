// Every metric that Prometheus can read at /metrics; nothing else can be counted. docs/observability.md, the dashboard and the
// alert rules rest on these rows. One more metric is one row here, and one call where its figure is known (metrics.ts).

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
    | { readonly type: 'counter' | 'gauge' }
    | { readonly type: 'histogram'; readonly buckets: readonly number[] }
  );

// Metrics of what is served: release, datasets, updates, and what a replica follows.
const dataMetrics = {
  domesday_release_info: {
    type: 'gauge',
    labels: ['release'],
    unit: 'none',
    help: 'The current release; always 1.',
  },
  domesday_release_created_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    unit: 'timestamp',
    help: 'When the current release was made.',
  },
  domesday_release_refused: {
    type: 'gauge',
    labels: [],
    unit: 'none',
    help: '1 while the service cannot use the current release and keeps the one before.',
  },
  domesday_dataset_info: {
    type: 'gauge',
    labels: ['dataset', 'edition', 'extent'],
    unit: 'none',
    help: 'Datasets of the current release; always 1.',
  },
  domesday_dataset_age_seconds: {
    type: 'gauge',
    labels: ['dataset'],
    unit: 'seconds',
    help: 'Time since the newest day that the dataset covers.',
  },
  domesday_dataset_loaded_timestamp_seconds: {
    type: 'gauge',
    labels: ['dataset'],
    unit: 'timestamp',
    help: 'When the files of the dataset were loaded.',
  },
  domesday_dataset_unreadable: {
    type: 'gauge',
    labels: ['dataset'],
    unit: 'none',
    help: '1 for a dataset of the current release that this version cannot read.',
  },
  domesday_update_checked_timestamp_seconds: {
    type: 'gauge',
    labels: ['dataset', 'publication'],
    unit: 'timestamp',
    help: 'When the publisher last answered.',
  },
  domesday_update_changed_timestamp_seconds: {
    type: 'gauge',
    labels: ['dataset', 'publication'],
    unit: 'timestamp',
    help: 'When a new file of the publication was last loaded.',
  },
  domesday_update_failing_since_timestamp_seconds: {
    type: 'gauge',
    labels: ['dataset', 'publication'],
    unit: 'timestamp',
    help: 'Since when updates of a publication fail, so that its dataset keeps its old data. Absent while they work.',
  },
  domesday_update_last_run_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    unit: 'timestamp',
    help: 'When the last update of the data ended. Absent if there was none.',
  },
  domesday_update_last_run_outcome: {
    type: 'gauge',
    labels: ['outcome'],
    unit: 'none',
    help: 'How the last update ended; always 1.',
  },
  domesday_update_next_run_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    unit: 'timestamp',
    help: 'When the service runs the next update by itself. Absent if it runs none.',
  },
  domesday_replica_sequence: {
    type: 'gauge',
    labels: [],
    unit: 'none',
    help: 'Sequence number of the published release that a replica has.',
  },
  domesday_replica_published_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    unit: 'timestamp',
    help: 'When that release was published.',
  },
  domesday_replica_taken_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    unit: 'timestamp',
    help: 'When the replica got it.',
  },
  domesday_replica_failing_since_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    unit: 'timestamp',
    help: 'Since when a replica cannot follow what is published. Absent while it can.',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

// Metrics of the ledger, whatever the engine, of the room on its disk and of the clock it goes by.

const diskSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;
const doublings = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] as const;

const ledgerMetrics = {
  domesday_ready: {
    type: 'gauge',
    labels: [],
    unit: 'none',
    help: '1 if the service can charge calls, 0 if it cannot use the ledger and /health/ready says 503.',
  },
  domesday_ledger_batch_charges: {
    type: 'histogram',
    labels: [],
    unit: 'none',
    buckets: doublings,
    help: 'Charges committed together.',
  },
  domesday_ledger_commit_seconds: {
    type: 'histogram',
    labels: ['result'],
    unit: 'seconds',
    buckets: diskSeconds,
    help: 'Time of a ledger transaction from its beginning to the end of its commit, with every retry: done, refused or failed.',
  },
  domesday_ledger_waiting_charges: {
    type: 'gauge',
    labels: [],
    unit: 'none',
    help: 'Charges that wait for their commit.',
  },
  domesday_ledger_doubtful_charges: {
    type: 'gauge',
    labels: [],
    unit: 'none',
    help: 'Charges that may or may not have been committed. The next commit gives them back if they were.',
  },
  domesday_last_backup_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    unit: 'timestamp',
    help: 'When `domesday backup` was last done, as seconds since 1970; 0 if never.',
  },
  domesday_people_damaged: {
    type: 'gauge',
    labels: [],
    unit: 'none',
    help: '1 while the tables of people are damaged, so that nobody can sign in. Calls with keys go on.',
  },
  domesday_ledger_reserve_kept: {
    type: 'gauge',
    labels: [],
    unit: 'none',
    help: '1 while the reserve for a full disk exists, 0 after the service used it.',
  },
  domesday_home_free_bytes: {
    type: 'gauge',
    labels: [],
    unit: 'bytes',
    help: 'Free space on the disk of the home folder.',
  },
  domesday_home_size_bytes: {
    type: 'gauge',
    labels: [],
    unit: 'bytes',
    help: 'Size of the disk of the home folder.',
  },
  domesday_clock_jumps_total: {
    type: 'counter',
    labels: [],
    unit: 'none',
    help: 'How often the clock of the machine jumped by more than five seconds. The log reports each jump.',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

// Metrics of the process.

const pauseSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1] as const;

const processMetrics = {
  domesday_build_info: {
    type: 'gauge',
    labels: ['version', 'node'],
    unit: 'none',
    help: 'Versions of the program and of Node; always 1.',
  },
  domesday_event_loop_lag_seconds: {
    type: 'histogram',
    labels: [],
    unit: 'seconds',
    buckets: pauseSeconds,
    help: 'How late a timer of 0.1 s fired. A request waits that long before any work on it begins.',
  },
  domesday_gc_seconds: {
    type: 'histogram',
    labels: ['kind'],
    unit: 'seconds',
    buckets: pauseSeconds,
    help: 'Garbage collection pauses.',
  },
  domesday_heap_used_bytes: {
    type: 'gauge',
    labels: [],
    unit: 'bytes',
    help: 'Memory of JavaScript objects.',
  },
  domesday_heap_limit_bytes: {
    type: 'gauge',
    labels: [],
    unit: 'bytes',
    help: 'Limit of that memory. At the limit the process ends.',
  },
  process_resident_memory_bytes: {
    type: 'gauge',
    labels: [],
    unit: 'bytes',
    help: 'Resident memory of the whole process, including the pages of the release that it has read.',
  },
  process_cpu_seconds_total: {
    type: 'counter',
    labels: [],
    unit: 'seconds',
    help: 'Processor time of the whole process.',
  },
  process_start_time_seconds: {
    type: 'gauge',
    labels: [],
    unit: 'timestamp',
    help: 'When the process started.',
  },
  domesday_log_lines_dropped_total: {
    type: 'counter',
    labels: [],
    unit: 'none',
    help: 'Log lines lost because nobody read standard output.',
  },
  domesday_trace_spans_total: {
    type: 'counter',
    labels: ['result'],
    unit: 'none',
    help: 'Trace spans: sent, dropped (the queue was full, or the collector was away for too long) or refused (by the collector).',
  },
  domesday_figures_failed_total: {
    type: 'counter',
    labels: [],
    unit: 'none',
    help: 'How often the service could not read figures for /metrics, so that they were missing.',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

// Metrics of requests and of what they ask: endpoints, stages, credits, live services.

const callSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 5, 10] as const;
const stageSeconds = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5,
] as const;

const requestsMetrics = {
  domesday_requests_total: {
    type: 'counter',
    labels: ['endpoint', 'status'],
    unit: 'none',
    help: 'Replies by endpoint and status. Each call of a batch counts for its endpoint, and the batch itself for /batch.',
  },
  domesday_request_seconds: {
    type: 'histogram',
    labels: ['endpoint'],
    unit: 'seconds',
    buckets: callSeconds,
    help: 'Time from the arrival of a request to its reply. A batch counts once, for /batch.',
  },
  domesday_stage_seconds: {
    type: 'histogram',
    labels: ['stage'],
    unit: 'seconds',
    buckets: stageSeconds,
    help: 'Time in each stage of a call. For a batch, the sum over all its calls. A stage that a call did not reach is not counted. With PostgreSQL, a call of a known key has no stage key: it is admitted with its charge.',
  },
  domesday_credits_charged_total: {
    type: 'counter',
    labels: ['endpoint'],
    unit: 'credits',
    help: 'Credits charged.',
  },
  domesday_public_sandbox_requests_total: {
    type: 'counter',
    labels: [],
    unit: 'none',
    help: 'Calls with the public sandbox key.',
  },
  domesday_faults_total: {
    type: 'counter',
    labels: [],
    unit: 'none',
    help: 'Requests that failed on our side. The log has the cause of each kind.',
  },
  domesday_answer_cache_total: {
    type: 'counter',
    labels: ['result'],
    unit: 'none',
    help: 'Lookups: hit if the answer was still in memory, otherwise miss.',
  },
  domesday_request_lines_lost_total: {
    type: 'counter',
    labels: [],
    unit: 'none',
    help: 'Requests missing from the list of their account, or from the refusals, because the service could not write them in time.',
  },
  domesday_upstream_requests_total: {
    type: 'counter',
    labels: ['service', 'result'],
    unit: 'none',
    help: 'Questions to a live service: kept (answered from the disk), answered, failed, or held back (by its breaker or a long queue).',
  },
  domesday_upstream_breaker_open: {
    type: 'gauge',
    labels: ['service'],
    unit: 'none',
    help: '1 while the service does not ask a live service because it kept failing.',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

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
