// Metrics of what is served: release, datasets, updates.

import type { MetricRow } from './row.ts';

export const dataMetrics = {
  domesday_release_info: {
    type: 'gauge',
    across: 'max',
    labels: ['release'],
    unit: 'none',
    help: 'The release now served; always 1.',
  },
  domesday_release_created_timestamp_seconds: {
    type: 'gauge',
    across: 'max',
    labels: [],
    unit: 'timestamp',
    help: 'When the release now served was made.',
  },
  domesday_release_refused: {
    type: 'gauge',
    across: 'max',
    labels: [],
    unit: 'none',
    help: '1 while the release that was made current cannot be served, so that the one before stays.',
  },
  domesday_dataset_info: {
    type: 'gauge',
    across: 'max',
    labels: ['dataset', 'edition', 'extent'],
    unit: 'none',
    help: 'Datasets of the release now served; always 1.',
  },
  domesday_dataset_age_seconds: {
    type: 'gauge',
    across: 'max',
    labels: ['dataset'],
    unit: 'seconds',
    help: 'Time since the newest day that the dataset speaks about.',
  },
  domesday_dataset_loaded_timestamp_seconds: {
    type: 'gauge',
    across: 'max',
    labels: ['dataset'],
    unit: 'timestamp',
    help: 'When the files of the dataset were loaded.',
  },
  domesday_dataset_unreadable: {
    type: 'gauge',
    across: 'max',
    labels: ['dataset'],
    unit: 'none',
    help: '1 for a dataset of the release now served that this version cannot read.',
  },
  domesday_update_checked_timestamp_seconds: {
    type: 'gauge',
    across: 'max',
    labels: ['dataset', 'publication'],
    unit: 'timestamp',
    help: 'When the publisher was last asked and answered.',
  },
  domesday_update_changed_timestamp_seconds: {
    type: 'gauge',
    across: 'max',
    labels: ['dataset', 'publication'],
    unit: 'timestamp',
    help: 'When a new file of the publication was last loaded.',
  },
  domesday_update_failing_since_timestamp_seconds: {
    type: 'gauge',
    across: 'max',
    labels: ['dataset', 'publication'],
    unit: 'timestamp',
    help: 'Since when a publication cannot be fetched or used, and its dataset keeps what it had. Absent while it can.',
  },
  domesday_update_last_run_timestamp_seconds: {
    type: 'gauge',
    across: 'max',
    labels: [],
    unit: 'timestamp',
    help: 'When the last update of the data ended. Absent where there was none.',
  },
  domesday_update_last_run_outcome: {
    type: 'gauge',
    across: 'max',
    labels: ['outcome'],
    unit: 'none',
    help: 'How the last update ended; always 1.',
  },
  domesday_update_next_run_timestamp_seconds: {
    type: 'gauge',
    across: 'max',
    labels: [],
    unit: 'timestamp',
    help: 'When the service runs the next update by itself. Absent where it runs none.',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
