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
    help: '1 where calls can be charged, 0 where the ledger cannot be used and /health/ready says 503.',
  },
  domesday_ledger_batch_charges: {
    type: 'histogram',
    labels: [],
    unit: 'none',
    buckets: doublings,
    help: 'Charges that were committed together.',
  },
  domesday_ledger_commit_seconds: {
    type: 'histogram',
    labels: ['result'],
    unit: 'seconds',
    buckets: diskSeconds,
    help: 'Time of a transaction of the ledger from its begin to the end of its commit, with every repetition: done, refused or failed.',
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
    help: 'Charges of which it is not known whether their commit stands; given back at the next commit if it does.',
  },
  domesday_ledger_reserve_kept: {
    type: 'gauge',
    across: 'max',
    labels: [],
    unit: 'none',
    help: '1 while the room that is kept for a full disk is there, 0 once the disk was so full that it was let go.',
  },
  domesday_home_free_bytes: {
    type: 'gauge',
    across: 'max',
    labels: [],
    unit: 'bytes',
    help: 'Free room on the disk of the home folder.',
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
    help: 'How often the clock of the machine jumped by more than five seconds, as the log tells.',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
