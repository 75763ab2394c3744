// Metrics of the process and of its threads.

import type { MetricRow } from './row.ts';

const pauseSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1] as const;

export const processMetrics = {
  domesday_build_info: {
    type: 'gauge',
    across: 'max',
    labels: ['version', 'node'],
    unit: 'none',
    help: 'What runs; always 1.',
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
    help: 'How late a timer of a tenth of a second came, in every thread: what a request waits before anything is done for it.',
  },
  domesday_gc_seconds: {
    type: 'histogram',
    labels: ['kind'],
    unit: 'seconds',
    buckets: pauseSeconds,
    help: 'Pauses for the collection of garbage, in every thread.',
  },
  domesday_heap_used_bytes: {
    type: 'gauge',
    across: 'sum',
    labels: [],
    unit: 'bytes',
    help: 'JavaScript objects of all threads.',
  },
  domesday_heap_limit_bytes: {
    type: 'gauge',
    across: 'sum',
    labels: [],
    unit: 'bytes',
    help: 'What they may grow to before the process ends.',
  },
  process_resident_memory_bytes: {
    type: 'gauge',
    across: 'max',
    labels: [],
    unit: 'bytes',
    help: 'Resident memory of the whole process, with the pages of the release that were read.',
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
    help: 'Log lines that standard output did not take.',
  },
  domesday_trace_spans_total: {
    type: 'counter',
    labels: ['result'],
    unit: 'none',
    help: 'Spans of traces: sent, dropped (the queue was full, or the collector was away for too long), refused (by the collector).',
  },
  domesday_figures_failed_total: {
    type: 'counter',
    labels: [],
    unit: 'none',
    help: 'How often figures could not be read for /metrics, and so are missing there.',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
