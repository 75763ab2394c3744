// Metrics of requests and of what they ask: endpoints, stages, credits, live services.

import type { MetricRow } from './row.ts';

const callSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 5, 10] as const;
const stageSeconds = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5,
] as const;

export const requestsMetrics = {
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
    help: 'Requests missing from the list of their account, or from the refusals, because the service could not write the records in time.',
  },
  domesday_upstream_requests_total: {
    type: 'counter',
    labels: ['service', 'result'],
    unit: 'none',
    help: 'Questions to a live service: kept (answered from the disk), answered, failed, or held back (by its breaker or a long queue).',
  },
  domesday_upstream_breaker_open: {
    type: 'gauge',
    across: 'max',
    labels: ['service'],
    unit: 'none',
    help: '1 while the service does not ask a live service because it kept failing.',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
