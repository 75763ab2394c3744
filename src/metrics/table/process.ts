// Metrics of the process and of its threads.

import type { MetricRow } from './row.ts';

const pauseSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1] as const;

export const processMetrics = {
  domesday_build_info: {
    type: 'gauge',
    across: 'max',
    labels: ['version', 'node'],
    unit: 'none',
    help: 'Versions of the program and of Node; always 1.',
  },
  domesday_threads: {
    type: 'gauge',
    across: 'sum',
    labels: [],
    unit: 'none',
    help: 'Threads that answer requests.',
  },
  domesday_event_loop_lag_seconds: {
    type: 'histogram',
    labels: [],
    unit: 'seconds',
    buckets: pauseSeconds,
    help: 'How late a timer of 0.1 s fired, in every thread. A request waits that long before any work on it begins.',
  },
  domesday_gc_seconds: {
    type: 'histogram',
    labels: ['kind'],
    unit: 'seconds',
    buckets: pauseSeconds,
    help: 'Garbage collection pauses, in every thread.',
  },
  domesday_heap_used_bytes: {
    type: 'gauge',
    across: 'sum',
    labels: [],
    unit: 'bytes',
    help: 'Memory of JavaScript objects, in all threads.',
  },
  domesday_heap_limit_bytes: {
    type: 'gauge',
    across: 'sum',
    labels: [],
    unit: 'bytes',
    help: 'Limit of that memory. At the limit the process ends.',
  },
  process_resident_memory_bytes: {
    type: 'gauge',
    across: 'max',
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
    across: 'max',
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
