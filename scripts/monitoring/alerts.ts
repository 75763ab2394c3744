// The alert rules of deploy/prometheus/alerts.yaml: what wakes somebody, what can wait until morning, and what to do then.
// Thresholds of datasets come from the rhythm of their publications.

import { openSources } from '../../src/ingest/source.ts';
import { sources } from '../../src/sources/index.ts';
import { count, perSecond, quantile, series } from './promql.ts';

export type Alert = {
  readonly name: string;
  /** `critical`: calls fail or soon will. `warning`: within a day or two. */
  readonly severity: 'critical' | 'warning';
  readonly expr: string;
  readonly for: string;
  /** One line, with what Prometheus fills in. */
  readonly summary: string;
  /** What it means. */
  readonly meaning: string;
  /** What to do, in order. */
  readonly advice: string;
};

const each = 'job, instance';
const where = '{{ $labels.instance }}';

const requestAlerts: readonly Alert[] = [
  {
    name: 'DomesdayDown',
    severity: 'critical',
    expr: 'up{job="domesday"} == 0',
    for: '2m',
    summary: `Domesday on ${where} does not answer Prometheus.`,
    meaning:
      'Prometheus could not read its metrics for two minutes: the process has ended, hangs, or cannot be reached.',
    advice:
      'Ask `/health/live` on the machine. If that fails too, look at the end of the log and start the service again. If it answers, look at the network, the metrics port and its token.',
  },
  {
    name: 'DomesdayNotReady',
    severity: 'critical',
    expr: `${series('domesday_ready')} == 0`,
    for: '2m',
    summary: `Domesday on ${where} cannot charge calls and refuses them with 503.`,
    meaning:
      'The service cannot read or write the ledger, or a replica has no release yet. Meanwhile nobody is charged and nothing is given away.',
    advice:
      'Read the last errors in the log: each says what to do. `domesday check` looks at the ledger, or at its database; `docs/ledger.md` says how to restore one. Do not restart in a loop: a start after an unclean stop checks the whole ledger first.',
  },
  {
    name: 'DomesdayErrors',
    severity: 'critical',
    expr: `${perSecond('domesday_requests_total', each, 'status=~"5.."')} / ${perSecond('domesday_requests_total', each)} > 0.01 and sum by (${each}) (increase(${series('domesday_requests_total', 'status=~"5.."')}[5m])) > 5`,
    for: '5m',
    summary: `{{ $value | humanizePercentage }} of the replies of ${where} are server errors.`,
    meaning: 'More than one reply in a hundred had a status of 500 or above for five minutes.',
    advice:
      'The panel "Errors by endpoint" on the dashboard says where. For 500, the log has the cause. For 503, check whether the service is ready, whether a dataset is not loaded (`domesday check`), or whether a live service is down.',
  },
  {
    name: 'DomesdayFaults',
    severity: 'warning',
    expr: `increase(${series('domesday_faults_total')}[15m]) > 0`,
    for: '0m',
    summary: `Requests failed on ${where} in a way that should not happen.`,
    meaning: 'A request hit a fault in the program, the release or the disk. Other requests continued.',
    advice:
      'Look for lines of level error in the log: the first of each kind has its stack. If a release is damaged, `domesday check` says so, and a new load repairs it. Please report anything else.',
  },
  {
    name: 'DomesdaySlow',
    severity: 'warning',
    expr: `${quantile(0.99, 'domesday_request_seconds', `${each}, endpoint`, 'endpoint!="other"', '10m')} > 1`,
    for: '10m',
    summary: `One call in a hundred to {{ $labels.endpoint }} on ${where} takes {{ $value | humanizeDuration }}.`,
    meaning: 'The 99th percentile of one endpoint was above a second for ten minutes.',
    advice:
      'The panel "Time by stage" says which stage takes the time. lookup: a live service, or a release that is read from disk for the first time. charge: the disk of the ledger. key: the event loop is busy; add a replica (docs/capacity.md).',
  },
  {
    name: 'DomesdayBreakerOpen',
    severity: 'warning',
    expr: `${series('domesday_upstream_breaker_open')} == 1`,
    for: '15m',
    summary: `{{ $labels.service }} keeps failing, so ${where} does not ask it.`,
    meaning:
      'A live service failed five times in a row. One request every half minute tries it again. Callers get 503 if nothing is loaded.',
    advice:
      'Look at the status page of the service. If it stays down, load the data instead (`domesday update`), or unset the setting of the service.',
  },
];

const ledgerAlerts: readonly Alert[] = [
  {
    name: 'DomesdayLedgerFailing',
    severity: 'critical',
    expr: `sum by (${each}) (increase(${count('domesday_ledger_commit_seconds', 'result="failed"')}[5m])) > 0`,
    for: '5m',
    summary: `Transactions of the ledger fail on ${where}.`,
    meaning: 'The service refuses calls with 503 and charges nothing.',
    advice:
      'The log says why: a full disk (free some space), a faulty disk (replace it and restore the ledger as in `docs/ledger.md`), or another process that holds the ledger.',
  },
  {
    name: 'DomesdayLedgerSlow',
    severity: 'warning',
    expr: `${quantile(0.99, 'domesday_ledger_commit_seconds', each, 'result="done"', '10m')} > 0.1`,
    for: '10m',
    summary: `Commits of the ledger on ${where} take {{ $value | humanizeDuration }}.`,
    meaning:
      'The 99th percentile of a commit was above a tenth of a second: every charged call waits for it.',
    advice:
      'Look what else writes to that disk (backups, an update) and move it, or move the home folder to a faster disk.',
  },
  {
    name: 'DomesdayChargesWaiting',
    severity: 'critical',
    expr: `min_over_time(${series('domesday_ledger_waiting_charges')}[5m]) > 512`,
    for: '5m',
    summary: `{{ $value }} charges wait for the ledger on ${where}.`,
    meaning:
      'More charges arrive than are committed: for minutes there were never fewer waiting than one commit takes.',
    advice:
      'Look at the commits first (panel "Time of a commit"). If they are fast, this machine has reached what its ledger can do: lower the limits of the accounts that call most, or move to a faster disk or machine.',
  },
  {
    name: 'DomesdayDoubtfulCharges',
    severity: 'warning',
    expr: `${series('domesday_ledger_doubtful_charges')} > 0`,
    for: '10m',
    summary: `{{ $value }} charges on ${where} are neither made nor given back.`,
    meaning:
      'The disk failed during their commit. The next successful commit settles them, but there has been none for ten minutes.',
    advice:
      'Look at the disk, as for DomesdayLedgerFailing. You need not do anything else: callers who were charged without an answer get their credits back automatically.',
  },
  {
    name: 'DomesdayBackupOld',
    severity: 'warning',
    expr: `time() - ${series('domesday_last_backup_timestamp_seconds')} > 129600`,
    for: '1h',
    summary: `The last backup of ${where} is more than 36 hours old.`,
    meaning: 'If the disk dies now, all charges and changes of people since then are lost.',
    advice:
      'Look at `systemctl status domesday-backup.timer` and `journalctl --unit domesday-backup`, and run `domesday backup FOLDER` by hand.',
  },
  {
    name: 'DomesdayPeopleDamaged',
    severity: 'critical',
    expr: `${series('domesday_people_damaged')} > 0`,
    for: '1m',
    summary: `The tables of people on ${where} are damaged.`,
    meaning: 'Nobody can sign in, and /account and /admin answer 503. Calls with keys go on.',
    advice:
      'Run `domesday check`, stop the service, restore the newest backup as in `docs/self-hosting.md`, and replace the disk if it reports faults.',
  },
  {
    name: 'DomesdayReserveUsed',
    severity: 'critical',
    expr: `${series('domesday_ledger_reserve_kept')} == 0`,
    for: '15m',
    summary: `The disk of ${where} was full, and the reserve is used up.`,
    meaning:
      'The service used its reserve of 8 MB to write what was in progress. The next full disk stops charging.',
    advice:
      'Free some space on the disk of the home folder: `domesday releases` lists and removes old releases. The reserve comes back by itself once 32 MB are free.',
  },
  {
    name: 'DomesdayDiskFilling',
    severity: 'warning',
    expr: `${series('domesday_home_free_bytes')} / ${series('domesday_home_size_bytes')} < 0.1 or predict_linear(${series('domesday_home_free_bytes')}[6h], 86400) < 0`,
    for: '30m',
    summary: `The disk of the home folder of ${where} is nearly full, or will be within a day.`,
    meaning: 'Less than a tenth is free, or at the pace of the last six hours nothing will be left tomorrow.',
    advice:
      'Remove old releases (`domesday releases`), trim the ledger (`domesday ledger`), lower `DOMESDAY_CACHE_MEGABYTES`, or give the home a larger disk.',
  },
  {
    name: 'DomesdayClockJumped',
    severity: 'warning',
    expr: `increase(${series('domesday_clock_jumps_total')}[1h]) > 0`,
    for: '0m',
    summary: `The clock of ${where} changed while the service ran.`,
    meaning: 'Limits, refreshes and expiries depend on that clock. The log says by how much it moved.',
    advice:
      'Make sure that the clock is right and stays right (NTP). `domesday check` lists refreshes that it moved.',
  },
];

const dataAlerts: readonly Alert[] = [
  {
    name: 'DomesdayReleaseRefused',
    severity: 'warning',
    expr: `${series('domesday_release_refused')} == 1`,
    for: '5m',
    summary: `${where} cannot use the new release and keeps the one before.`,
    meaning: 'The current release is damaged, incomplete, or made by another version.',
    advice:
      '`domesday check` says what is wrong with it. Repair it or load the data again; `domesday releases use ID` goes back to the one before.',
  },
  {
    name: 'DomesdayReplicasDiffer',
    severity: 'warning',
    expr: `count by (job) (count by (job, release) (${series('domesday_release_info')})) > 1`,
    for: '1h',
    summary: 'Replicas serve {{ $value }} different releases.',
    meaning: 'Callers get different answers from different machines.',
    advice:
      'The panel "Release" says which machine is behind. Its log says why it does not take the new release.',
  },
  {
    name: 'DomesdayReplicaFailing',
    severity: 'warning',
    expr: `time() - ${series('domesday_replica_failing_since_timestamp_seconds')} > 3600`,
    for: '5m',
    summary: `${where} has been unable to fetch published releases for {{ $value | humanizeDuration }}.`,
    meaning:
      'The published release cannot be reached, does not match its hashes or its signature, or does not fit on the disk. The replica keeps serving the last good release.',
    advice:
      '`domesday check` on that machine says why, and so does `replica` of `/health/ready`. `docs/releases.md` says what a replica refuses.',
  },
  {
    name: 'DomesdayDatasetUnreadable',
    severity: 'warning',
    expr: `${series('domesday_dataset_unreadable')} == 1`,
    for: '5m',
    summary: `{{ $labels.dataset }} on ${where} has the layout of another version, so the service cannot use it.`,
    meaning: 'Its endpoints answer 503 or null.',
    advice:
      'Load it again with this version: `domesday check` names the files, `domesday update {{ $labels.dataset }}` fetches them.',
  },
  {
    name: 'DomesdayUpdateFailing',
    severity: 'warning',
    expr: `time() - ${series('domesday_update_failing_since_timestamp_seconds')} > 3 * 86400`,
    for: '1h',
    summary: 'Updates of {{ $labels.publication }} have failed for {{ $value | humanizeDuration }}.',
    meaning:
      'Its publisher cannot be reached, has moved the file, or publishes something else. The dataset keeps its old data.',
    advice:
      '`domesday check` says why. `domesday update {{ $labels.publication }}` tries again; if the file has moved, `--address {{ $labels.publication }}=URL` gives the new address.',
  },
  {
    name: 'DomesdayUpdateFailed',
    severity: 'warning',
    expr: `${series('domesday_update_last_run_outcome', 'outcome="failed"')} == 1`,
    for: '1h',
    summary: `The last update of the data on ${where} failed completely.`,
    meaning: 'Nothing was loaded. All data stayed as it was.',
    advice:
      'The log has its last line. Run `domesday update` by hand to see everything: usually it is the network, a proxy or the disk.',
  },
  {
    name: 'DomesdayUpdateMissed',
    severity: 'warning',
    expr: `time() - ${series('domesday_update_last_run_timestamp_seconds')} > 9 * 86400 and on (${each}) ${series('domesday_update_next_run_timestamp_seconds')}`,
    for: '1h',
    summary: `${where} should update its data by itself, but has not done so for {{ $value | humanizeDuration }}.`,
    meaning: 'The service is set to update daily or weekly, but no update has ended for nine days.',
    advice:
      'Look in the log for "an update of the data begins". An update that never ends may wait for a stalled download: stop it, and run `domesday update` by hand.',
  },
];

const processAlerts: readonly Alert[] = [
  {
    name: 'DomesdayEventLoopLate',
    severity: 'warning',
    expr: `${quantile(0.99, 'domesday_event_loop_lag_seconds', each, '', '10m')} > 0.25`,
    for: '10m',
    summary: `The event loop on ${where} is {{ $value | humanizeDuration }} late.`,
    meaning:
      'Requests wait that long before any work on them begins: the processor is busy, or single calls are very large.',
    advice:
      'Compare with "Processor" on the dashboard. If a core is at its limit, add a replica, on this machine if it has more cores (docs/capacity.md). If not, look for slow calls in the log (`stages`).',
  },
  {
    name: 'DomesdayHeapNearLimit',
    severity: 'critical',
    expr: `${series('domesday_heap_used_bytes')} / ${series('domesday_heap_limit_bytes')} > 0.9`,
    for: '10m',
    summary: `The heap of ${where} is at {{ $value | humanizePercentage }} of its limit.`,
    meaning: 'At the limit the process ends. The data itself is not in this heap.',
    advice:
      'Restart the service at a quiet moment, and report the problem with the dashboard of the last days: memory should not grow.',
  },
  {
    name: 'DomesdayRestarts',
    severity: 'warning',
    expr: `changes(${series('process_start_time_seconds', 'job="domesday"')}[1h]) > 3`,
    for: '0m',
    summary: `Domesday on ${where} was started {{ $value }} times within an hour.`,
    meaning: 'Something keeps ending the process.',
    advice:
      'Look at the end of the log of each run, and at the machine: it may have run out of memory (`dmesg`), or a health check may be too strict.',
  },
  {
    name: 'DomesdayLogLost',
    severity: 'warning',
    expr: `increase(${series('domesday_log_lines_dropped_total')}[15m]) > 0`,
    for: '0m',
    summary: `${where} lost log lines.`,
    meaning: 'Nobody reads standard output fast enough, or its disk is full. The service continues.',
    advice: 'Fix the program that reads the log, or log less with `DOMESDAY_LOG=warn`.',
  },
  {
    name: 'DomesdayTracesLost',
    severity: 'warning',
    expr: `sum by (${each}) (increase(${series('domesday_trace_spans_total', 'result=~"dropped|refused"')}[15m])) > 0`,
    for: '15m',
    summary: `${where} loses traces.`,
    meaning:
      'The collector is down or refuses them, or there are more than the service can send. No request waits for this.',
    advice:
      'Look at the collector and at the log. If there are too many, keep fewer: `OTEL_TRACES_SAMPLER=parentbased_traceidratio` with `OTEL_TRACES_SAMPLER_ARG=0.1`.',
  },
  {
    name: 'DomesdayFiguresMissing',
    severity: 'warning',
    expr: `increase(${series('domesday_figures_failed_total')}[15m]) > 0`,
    for: '15m',
    summary: `Some metrics of ${where} cannot be read.`,
    meaning: 'Figures are missing in `/metrics`, and alerts about them cannot work.',
    advice:
      'Compare `/metrics` with the list of metrics to see which are missing. Usually the service cannot read the home folder.',
  },
];

/** One for each rhythm: datasets that should have been loaded anew by now. */
async function staleAlerts(): Promise<readonly Alert[]> {
  const days = new Map<string, number>();
  for (const { dataset, publications = [] } of await openSources(sources)) {
    for (const { rhythm } of publications) {
      if (rhythm.lateAfterDays === null) continue;
      days.set(dataset, Math.min(rhythm.lateAfterDays, days.get(dataset) ?? Number.POSITIVE_INFINITY));
    }
  }
  const byDays = Map.groupBy([...days.keys()].sort(), (dataset) => days.get(dataset) ?? 0);
  return [...byDays]
    .sort(([a], [b]) => a - b)
    .map(([lateAfterDays, datasets]) => ({
      name: `DomesdayDatasetStale${lateAfterDays}Days`,
      severity: 'warning',
      expr: `time() - ${series('domesday_dataset_loaded_timestamp_seconds', `dataset=~"${datasets.join('|')}"`)} > ${lateAfterDays} * 86400 and on (${each}, dataset) ${series('domesday_dataset_info', 'extent=~"complete|partial"')}`,
      for: '6h',
      summary: `{{ $labels.dataset }} on ${where} was last loaded {{ $value | humanizeDuration }} ago.`,
      meaning: `The publisher usually brings out a new edition within ${lateAfterDays} days (${datasets.join(', ')}). This leaves out samples that come with the program.`,
      advice:
        '`domesday update {{ $labels.dataset }}` loads what is new, or says why there is nothing. See `docs/national-data.md`.',
    }));
}

/** In groups, as the file has them. */
export async function alertGroups(): Promise<ReadonlyMap<string, readonly Alert[]>> {
  return new Map([
    ['requests', requestAlerts],
    ['ledger', ledgerAlerts],
    ['data', [...dataAlerts, ...(await staleAlerts())]],
    ['process', processAlerts],
  ]);
}

/** One line of YAML. */
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export async function alertsFile(): Promise<string> {
  const groups = [...(await alertGroups())].map(
    ([group, alerts]) => `  - name: domesday-${group}\n    rules:\n${alerts.map(ruleText).join('')}`,
  );
  return `# Generated from scripts/monitoring/alerts.ts by \`npm run docs\`; do not edit by hand.\n# Checked and tried out by promtool in test/monitoring.test.ts. What each means: docs/observability.md.\ngroups:\n${groups.join('')}`;
}

function ruleText({ name, severity, expr, for: how, summary, meaning, advice }: Alert): string {
  const description = `${meaning} What to do: ${advice} More: docs/observability.md#${name}`;
  return `      - alert: ${name}
        expr: ${quoted(expr)}
        for: ${how}
        labels:
          severity: ${severity}
        annotations:
          summary: ${quoted(summary)}
          description: ${quoted(description)}
`;
}
