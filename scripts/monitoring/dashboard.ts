// The Grafana dashboard of deploy/grafana/domesday.json, in the order in which somebody who is called at night looks: is it
// up and right, how much is asked, how fast is it, what does the ledger, how old is the data, what does the process take.

import { count, perSecond, quantile, series, sum } from './promql.ts';

type Unit = 'short' | 's' | 'bytes' | 'reqps' | 'percentunit' | 'dateTimeFromNow' | 'bool_yes_no' | 'ops';

type Target = { readonly expr: string; readonly legend: string };

export type Panel = {
  readonly title: string;
  readonly description: string;
  readonly kind: 'timeseries' | 'stat' | 'table' | 'bars';
  readonly unit: Unit;
  /** Of 24 columns. */
  readonly width: 4 | 6 | 8 | 12 | 24;
  readonly targets: readonly Target[];
  /** Values from which a stat is shown in that colour; the first has none. */
  readonly colours?: readonly (readonly [from: number | null, colour: 'green' | 'orange' | 'red'])[];
};

type Row = { readonly title: string; readonly panels: readonly Panel[] };

/** What the two variables of the dashboard choose. */
const chosen = 'job=~"$job", instance=~"$instance"';
const also = (more: string): string => `${chosen}, ${more}`;

const graph = (
  title: string,
  unit: Unit,
  description: string,
  targets: readonly (readonly [expr: string, legend: string])[],
  width: Panel['width'] = 12,
): Panel => ({
  title,
  description,
  kind: 'timeseries',
  unit,
  width,
  targets: targets.map(([expr, legend]) => ({ expr, legend })),
});

const stat = (
  title: string,
  unit: Unit,
  description: string,
  target: readonly [expr: string, legend: string],
  colours: Panel['colours'] = [[null, 'green']],
): Panel => ({
  title,
  description,
  kind: 'stat',
  unit,
  width: 4,
  targets: [{ expr: target[0], legend: target[1] }],
  colours,
});

const notZero: Panel['colours'] = [
  [null, 'green'],
  [1, 'red'],
];
const wantsOne: Panel['colours'] = [
  [null, 'red'],
  [1, 'green'],
];

export const rows: readonly Row[] = [
  {
    title: 'Now',
    panels: [
      stat(
        'Ready',
        'bool_yes_no',
        'Whether calls can be charged and answered.',
        [`min(${series('domesday_ready', chosen)})`, 'ready'],
        wantsOne,
      ),
      stat('Requests a second', 'reqps', 'Of all endpoints.', [
        `sum(rate(${series('domesday_requests_total', chosen)}[5m]))`,
        'requests',
      ]),
      stat(
        'Errors of ours',
        'percentunit',
        'Replies with a status of 500 or above.',
        [
          `(sum(rate(${series('domesday_requests_total', also('status=~"5.."'))}[5m])) or vector(0)) / sum(rate(${series('domesday_requests_total', chosen)}[5m]))`,
          'errors',
        ],
        [
          [null, 'green'],
          [0.001, 'orange'],
          [0.01, 'red'],
        ],
      ),
      stat(
        '99th percentile',
        's',
        'Of all calls to endpoints.',
        [quantile(0.99, 'domesday_request_seconds', '', also('endpoint!="other"')), 'p99'],
        [
          [null, 'green'],
          [0.25, 'orange'],
          [1, 'red'],
        ],
      ),
      stat('Credits an hour', 'short', 'Charged.', [
        `sum(increase(${series('domesday_credits_charged_total', chosen)}[1h]))`,
        'credits',
      ]),
      stat(
        'Faults in a day',
        'short',
        'Requests that failed in a way that should not happen; the log has the cause.',
        [`sum(increase(${series('domesday_faults_total', chosen)}[1d]))`, 'faults'],
        notZero,
      ),
    ],
  },
  {
    title: 'Traffic',
    panels: [
      graph(
        'Requests by endpoint',
        'reqps',
        'other: health, documentation, metrics, and paths that do not exist.',
        [[perSecond('domesday_requests_total', 'endpoint', chosen), '{{endpoint}}']],
      ),
      graph('Replies by status', 'reqps', '402: too few credits. 429: a limit. 499: the caller was gone.', [
        [perSecond('domesday_requests_total', 'status', chosen), '{{status}}'],
      ]),
      graph('Errors by endpoint', 'reqps', 'Replies with a status of 500 or above.', [
        [
          perSecond('domesday_requests_total', 'endpoint, status', also('status=~"5.."')),
          '{{endpoint}} {{status}}',
        ],
      ]),
      graph('Credits a minute by endpoint', 'short', 'Charged.', [
        [`60 * ${perSecond('domesday_credits_charged_total', 'endpoint', chosen)}`, '{{endpoint}}'],
      ]),
      graph(
        'Public sandbox and faults',
        'reqps',
        'Calls by the key that /docs shows; requests that failed on our side, and those missing in the list of their account.',
        [
          [perSecond('domesday_public_sandbox_requests_total', 'job', chosen), 'public sandbox'],
          [perSecond('domesday_faults_total', 'instance', chosen), 'faults {{instance}}'],
          [perSecond('domesday_request_lines_lost_total', 'instance', chosen), 'not listed {{instance}}'],
        ],
      ),
      graph('Answers from memory', 'percentunit', 'Part of the look-ups whose answer was still there.', [
        [
          `${perSecond('domesday_answer_cache_total', 'instance', also('result="hit"'))} / ${perSecond('domesday_answer_cache_total', 'instance', chosen)}`,
          '{{instance}}',
        ],
      ]),
    ],
  },
  {
    title: 'Times',
    panels: [
      graph('Median by endpoint', 's', 'Half of the calls are answered within this.', [
        [quantile(0.5, 'domesday_request_seconds', 'endpoint', also('endpoint!="other"')), '{{endpoint}}'],
      ]),
      graph('99th percentile by endpoint', 's', 'One call in a hundred takes longer.', [
        [quantile(0.99, 'domesday_request_seconds', 'endpoint', also('endpoint!="other"')), '{{endpoint}}'],
      ]),
      graph(
        'Time by stage, mean',
        's',
        'Stacked it is the mean time of a call. key begins when the request arrives; charge waits for the commit.',
        [
          [
            `sum by (stage) (rate(${sum('domesday_stage_seconds', chosen)}[5m])) / sum by (stage) (rate(${count('domesday_stage_seconds', chosen)}[5m]))`,
            '{{stage}}',
          ],
        ],
      ),
      graph('Time by stage, 99th percentile', 's', '', [
        [quantile(0.99, 'domesday_stage_seconds', 'stage', chosen), '{{stage}}'],
      ]),
      graph('Live services', 'reqps', 'Questions by how they ended; kept ones were answered from the disk.', [
        [perSecond('domesday_upstream_requests_total', 'service, result', chosen), '{{service}} {{result}}'],
      ]),
      graph('Breakers', 'bool_yes_no', 'Yes: the service kept failing and is not asked.', [
        [`max by (service) (${series('domesday_upstream_breaker_open', chosen)})`, '{{service}}'],
      ]),
    ],
  },
  {
    title: 'Ledger',
    panels: [
      graph('Time of a commit', 's', 'Every charged call waits for one.', [
        [
          quantile(0.5, 'domesday_ledger_commit_seconds', 'instance', also('result="done"')),
          'median {{instance}}',
        ],
        [
          quantile(0.99, 'domesday_ledger_commit_seconds', 'instance', also('result="done"')),
          '99th {{instance}}',
        ],
      ]),
      graph('Commits a second', 'ops', 'By how they ended.', [
        [`sum by (result) (rate(${count('domesday_ledger_commit_seconds', chosen)}[5m]))`, '{{result}}'],
      ]),
      graph(
        'Charges in a commit',
        'short',
        'Those that come together are committed together.',
        [
          [
            `sum by (instance) (rate(${sum('domesday_ledger_batch_charges', chosen)}[5m])) / sum by (instance) (rate(${count('domesday_ledger_batch_charges', chosen)}[5m]))`,
            'mean {{instance}}',
          ],
        ],
        8,
      ),
      graph(
        'Charges that wait',
        'short',
        'At the moment of the scrape.',
        [
          [series('domesday_ledger_waiting_charges', chosen), 'waiting {{instance}}'],
          [series('domesday_ledger_doubtful_charges', chosen), 'in doubt {{instance}}'],
        ],
        8,
      ),
      graph(
        'Room on the disk of the home',
        'bytes',
        'The reserve is let go when the disk is full.',
        [
          [series('domesday_home_free_bytes', chosen), 'free {{instance}}'],
          [series('domesday_home_size_bytes', chosen), 'size {{instance}}'],
        ],
        8,
      ),
      graph(
        'Reserve kept, clock jumps in an hour',
        'short',
        'The reserve should be 1, the jumps 0.',
        [
          [series('domesday_ledger_reserve_kept', chosen), 'reserve {{instance}}'],
          [`increase(${series('domesday_clock_jumps_total', chosen)}[1h])`, 'jumps {{instance}}'],
        ],
        8,
      ),
      graph(
        'Last backup',
        'dateTimeFromNow',
        'When `domesday backup` was last done.',
        [[`1000 * ${series('domesday_last_backup_timestamp_seconds', chosen)}`, 'backup {{instance}}']],
        8,
      ),
      graph(
        'Tables of people damaged',
        'short',
        '1: nobody can sign in, and calls with keys go on.',
        [[series('domesday_people_damaged', chosen), 'damaged {{instance}}']],
        8,
      ),
    ],
  },
  {
    title: 'Data',
    panels: [
      {
        title: 'Release',
        description: 'What each machine serves.',
        kind: 'table',
        unit: 'short',
        width: 12,
        targets: [{ expr: series('domesday_release_info', chosen), legend: '' }],
      },
      graph('Age of the release', 'dateTimeFromNow', 'When it was made; 1 where a newer one is refused.', [
        [`1000 * ${series('domesday_release_created_timestamp_seconds', chosen)}`, 'made {{instance}}'],
        [series('domesday_release_refused', chosen), 'refused {{instance}}'],
      ]),
      {
        title: 'Replicas',
        description: 'The published release that each has taken, by its sequence number.',
        kind: 'table',
        unit: 'short',
        width: 8,
        targets: [{ expr: series('domesday_replica_sequence', chosen), legend: '' }],
      },
      graph(
        'Published and taken',
        'dateTimeFromNow',
        'When what each replica has was published, and when it took it.',
        [
          [
            `1000 * ${series('domesday_replica_published_timestamp_seconds', chosen)}`,
            'published {{instance}}',
          ],
          [`1000 * ${series('domesday_replica_taken_timestamp_seconds', chosen)}`, 'taken {{instance}}'],
        ],
        8,
      ),
      {
        title: 'Replicas that fail',
        description: 'And since when, in seconds.',
        kind: 'table',
        unit: 's',
        width: 8,
        targets: [
          {
            expr: `time() - ${series('domesday_replica_failing_since_timestamp_seconds', chosen)}`,
            legend: '',
          },
        ],
      },
      {
        title: 'Age of the data',
        description: 'Time since the newest day that each dataset speaks about.',
        kind: 'bars',
        unit: 's',
        width: 12,
        targets: [
          {
            expr: `max by (dataset) (${series('domesday_dataset_age_seconds', chosen)})`,
            legend: '{{dataset}}',
          },
        ],
      },
      {
        title: 'Time since it was loaded',
        description: 'What the alerts on stale datasets go by.',
        kind: 'bars',
        unit: 's',
        width: 12,
        targets: [
          {
            expr: `time() - min by (dataset) (${series('domesday_dataset_loaded_timestamp_seconds', chosen)})`,
            legend: '{{dataset}}',
          },
        ],
      },
      {
        title: 'Datasets',
        description: 'Edition and extent of each.',
        kind: 'table',
        unit: 'short',
        width: 12,
        targets: [{ expr: series('domesday_dataset_info', chosen), legend: '' }],
      },
      {
        title: 'Publications that fail',
        description: 'And since when, in seconds.',
        kind: 'table',
        unit: 's',
        width: 12,
        targets: [
          {
            expr: `time() - ${series('domesday_update_failing_since_timestamp_seconds', chosen)}`,
            legend: '',
          },
        ],
      },
      {
        title: 'Last asked',
        description: 'Time since each publisher was asked and answered.',
        kind: 'bars',
        unit: 's',
        width: 8,
        targets: [
          {
            expr: `time() - max by (publication) (${series('domesday_update_checked_timestamp_seconds', chosen)})`,
            legend: '{{publication}}',
          },
        ],
      },
      {
        title: 'Last new file',
        description: 'Time since a new file of each publication was loaded.',
        kind: 'bars',
        unit: 's',
        width: 8,
        targets: [
          {
            expr: `time() - max by (publication) (${series('domesday_update_changed_timestamp_seconds', chosen)})`,
            legend: '{{publication}}',
          },
        ],
      },
      {
        title: 'Updates',
        description:
          'How the last one ended, how long ago, in how long the next one is, and datasets that this version cannot read.',
        kind: 'table',
        unit: 'short',
        width: 8,
        targets: [
          { expr: series('domesday_update_last_run_outcome', chosen), legend: '' },
          { expr: `time() - ${series('domesday_update_last_run_timestamp_seconds', chosen)}`, legend: '' },
          { expr: `${series('domesday_update_next_run_timestamp_seconds', chosen)} - time()`, legend: '' },
          { expr: series('domesday_dataset_unreadable', chosen), legend: '' },
        ],
      },
    ],
  },
  {
    title: 'Process',
    panels: [
      graph(
        'Processor',
        'percentunit',
        '1 is one core.',
        [[perSecond('process_cpu_seconds_total', 'instance', chosen), '{{instance}}']],
        8,
      ),
      graph(
        'Memory',
        'bytes',
        'Resident has the pages of the release that were read; the heap has not.',
        [
          [series('process_resident_memory_bytes', chosen), 'resident {{instance}}'],
          [series('domesday_heap_used_bytes', chosen), 'heap {{instance}}'],
          [series('domesday_heap_limit_bytes', chosen), 'heap limit {{instance}}'],
        ],
        8,
      ),
      graph(
        'Event loop is late by',
        's',
        '99th percentile.',
        [[quantile(0.99, 'domesday_event_loop_lag_seconds', 'instance', chosen), '{{instance}}']],
        8,
      ),
      graph(
        'Garbage',
        'percentunit',
        'Part of the time that it stands still for it.',
        [
          [
            `sum by (instance, kind) (rate(${sum('domesday_gc_seconds', chosen)}[5m]))`,
            '{{instance}} {{kind}}',
          ],
        ],
        8,
      ),
      graph(
        'Lost: log lines, spans, figures',
        'ops',
        'Nothing of it slows a request.',
        [
          [perSecond('domesday_log_lines_dropped_total', 'instance', chosen), 'log lines {{instance}}'],
          [
            perSecond('domesday_trace_spans_total', 'instance, result', chosen),
            'spans {{result}} {{instance}}',
          ],
          [perSecond('domesday_figures_failed_total', 'instance', chosen), 'figures {{instance}}'],
        ],
        8,
      ),
      {
        title: 'What runs',
        description: 'Version of the program and of Node, and since when.',
        kind: 'table',
        unit: 'short',
        width: 8,
        targets: [
          { expr: series('domesday_build_info', chosen), legend: '' },
          { expr: `time() - ${series('process_start_time_seconds', chosen)}`, legend: '' },
        ],
      },
    ],
  },
];

const columns = 24;
const heightOf = { timeseries: 8, bars: 10, table: 8, stat: 4 } as const satisfies Record<
  Panel['kind'],
  number
>;
/** Filled in by Grafana, by the variable of that name. */
const datasource = { type: 'prometheus', uid: '$datasource' };

export function dashboardFile(): string {
  const panels: unknown[] = [];
  let id = 0;
  let y = 0;
  for (const row of rows) {
    id += 1;
    panels.push({
      id,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y, w: columns, h: 1 },
      panels: [],
    });
    y += 1;
    let x = 0;
    let height = 0;
    for (const panel of row.panels) {
      if (x + panel.width > columns) {
        y += height;
        x = 0;
        height = 0;
      }
      id += 1;
      panels.push(grafanaPanel(panel, id, { x, y, w: panel.width, h: heightOf[panel.kind] }));
      x += panel.width;
      height = Math.max(height, heightOf[panel.kind]);
    }
    y += height;
  }
  return `${JSON.stringify({ ...frame, panels }, null, 2)}\n`;
}

const variable = (name: string, query: string) => ({
  name,
  label: name,
  type: 'query',
  datasource,
  query: { query, refId: name },
  definition: query,
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  current: { text: 'All', value: '$__all' },
});

const frame = {
  title: 'Domesday',
  uid: 'domesday',
  description: 'Generated from scripts/monitoring/dashboard.ts by `npm run docs`; do not edit by hand.',
  tags: ['domesday'],
  schemaVersion: 39,
  version: 1,
  editable: true,
  graphTooltip: 1,
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  timezone: 'browser',
  templating: {
    list: [
      { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus', refresh: 1 },
      variable('job', `label_values(${series('domesday_build_info')}, job)`),
      variable('instance', `label_values(${series('domesday_build_info', 'job=~"$job"')}, instance)`),
    ],
  },
};

type Place = { readonly x: number; readonly y: number; readonly w: number; readonly h: number };

function grafanaPanel(panel: Panel, id: number, gridPos: Place): unknown {
  const { title, description, kind, unit, targets, colours } = panel;
  const isNow = kind !== 'timeseries';
  return {
    id,
    type: kind === 'bars' ? 'bargauge' : kind,
    title,
    description,
    gridPos,
    datasource,
    targets: targets.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource,
      expr,
      legendFormat: legend,
      ...(isNow ? { instant: true, range: false } : { range: true }),
      ...(kind === 'table' ? { format: 'table' } : {}),
    })),
    fieldConfig: {
      defaults: {
        unit,
        min: unit === 'dateTimeFromNow' ? undefined : 0,
        ...(kind === 'timeseries' ? { custom: { fillOpacity: 8, showPoints: 'never' } } : {}),
        ...(colours === undefined
          ? {}
          : {
              color: { mode: 'thresholds' },
              thresholds: { mode: 'absolute', steps: colours.map(([value, color]) => ({ value, color })) },
            }),
      },
      overrides: [],
    },
    options: optionsOf(kind),
    ...(kind === 'table'
      ? {
          transformations: [
            { id: 'merge', options: {} },
            { id: 'organize', options: { excludeByName: { Time: true, __name__: true } } },
          ],
        }
      : {}),
  };
}

function optionsOf(kind: Panel['kind']): unknown {
  switch (kind) {
    case 'timeseries':
      return {
        legend: { displayMode: 'list', placement: 'bottom' },
        tooltip: { mode: 'multi', sort: 'desc' },
      };
    case 'bars':
      return { orientation: 'horizontal', displayMode: 'basic', reduceOptions: { calcs: ['lastNotNull'] } };
    case 'stat':
      return { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value', graphMode: 'none' };
    case 'table':
      return { showHeader: true };
  }
}
