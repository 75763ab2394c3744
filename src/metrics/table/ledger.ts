// Metrics of the ledger, whatever the engine, of the room on its disk and of the clock it goes by.

import type { MetricRow } from './row.ts';

const diskSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;
const doublings = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] as const;

export const ledgerMetrics = {
  domesday_ready: {
    type: 'gauge',
    across: 'max',
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
    across: 'sum',
    labels: [],
    unit: 'none',
    help: 'Charges that wait for their commit.',
  },
  domesday_ledger_doubtful_charges: {
    type: 'gauge',
    across: 'sum',
    labels: [],
    unit: 'none',
    help: 'Charges that may or may not have been committed. The next commit gives them back if they were.',
  },
  domesday_ledger_reserve_kept: {
    type: 'gauge',
    across: 'max',
    labels: [],
    unit: 'none',
    help: '1 while the reserve for a full disk exists, 0 after the service used it.',
  },
  domesday_home_free_bytes: {
    type: 'gauge',
    across: 'max',
    labels: [],
    unit: 'bytes',
    help: 'Free space on the disk of the home folder.',
  },
  domesday_home_size_bytes: {
    type: 'gauge',
    across: 'max',
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
