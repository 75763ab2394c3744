// Dashboard and alert rules: they ask for metrics that exist, Prometheus takes them, and each rule fires when it should and
// stays quiet when it should not.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { alertGroups, alertsFile } from '../scripts/monitoring/alerts.ts';
import { dashboardFile, rows } from '../scripts/monitoring/dashboard.ts';
import { datasetNames } from '../src/datasets.ts';
import { metricRows, metricTable } from '../src/metrics/table.ts';
import { promtool, testWith } from './requirements.ts';

const alerts = [...(await alertGroups()).values()].flat();
const panels = rows.flatMap((row) => row.panels);
const panelQueries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** What a question names that looks like a metric of ours, without the ends that a histogram has. */
function metricsIn(expr: string): readonly string[] {
  const bare = expr.replaceAll(/"[^"]*"/g, '""');
  return [...bare.matchAll(/\b(?:domesday|process)_\w+/g)].map(([name]) =>
    Object.hasOwn(metricTable, name) ? name : name.replace(/_(bucket|sum|count)$/, ''),
  );
}

test('rules and dashboard ask for nothing but rows of the table, with labels that those have', () => {
  const rowOf = new Map(metricRows);
  for (const expr of [...alerts.map((alert) => alert.expr), ...panelQueries]) {
    for (const name of metricsIn(expr)) assert.ok(rowOf.has(name), `${name} in ${expr}`);
    for (const [, full = '', fitting = ''] of expr.matchAll(/\b((?:domesday|process)_\w+)\{([^}]*)\}/g)) {
      const [name = ''] = metricsIn(full);
      const known = ['job', 'instance', ...(rowOf.get(name)?.labels ?? [])];
      for (const [, label = ''] of fitting.matchAll(/(\w+)(?:=~?|!=)"/g))
        assert.ok(known.includes(label), expr);
    }
  }
});

test('every metric is on the dashboard, and every panel asks for something', () => {
  const shown = new Set(panelQueries.flatMap(metricsIn));
  assert.deepEqual(
    metricRows.map(([name]) => name).filter((name) => !shown.has(name)),
    [],
  );
  for (const { title, targets } of panels) assert.ok(targets.length > 0, title);
});

test('panels of the dashboard lie side by side, within its columns, each under an id of its own', () => {
  const { panels: drawn } = JSON.parse(dashboardFile());
  assert.equal(new Set(drawn.map(({ id }: { id: number }) => id)).size, drawn.length);
  const taken = new Set<string>();
  for (const { title, gridPos } of drawn) {
    const { x, y, w, h } = gridPos;
    assert.ok(x >= 0 && x + w <= 24, title);
    for (let column = x; column < x + w; column += 1) {
      for (let line = y; line < y + h; line += 1) {
        assert.ok(!taken.has(`${column} ${line}`), `${title} covers another panel`);
        taken.add(`${column} ${line}`);
      }
    }
  }
});

test('every alert says in plain words what it means and what to do next', () => {
  assert.equal(new Set(alerts.map(({ name }) => name)).size, alerts.length);
  for (const { name, summary, meaning, advice } of alerts) {
    assert.match(name, /^Domesday[A-Z]\w+$/);
    assert.match(summary, /\.$/, name);
    assert.ok(meaning.length > 20 && advice.length > 40, name);
  }
});

const one = 'job="domesday", instance="a:8080"';

/** Series by name, with values in promtool's notation, one a minute. */
type Input = Readonly<Record<string, string>>;

/** Days before the beginning of the time of promtool, for as long as a test runs. */
const daysAgo = (days: number) => `${-days * 86_400}+0x500`;

type Case = { readonly fires: Input; readonly quiet: Input };

const gauge = (name: string, bad: number, good: number): Case => ({
  fires: { [`${name}{${one}}`]: `${bad}x500` },
  quiet: { [`${name}{${one}}`]: `${good}x500` },
});

/** Grows at some moment, or not at all. */
const counted = (name: string, more = ''): Case => ({
  fires: { [`${name}{${one}${more}}`]: '0x100 1+1x1900' },
  quiet: { [`${name}{${one}${more}}`]: '7x500' },
});

const histogram = (name: string, more: string, slow: string, fast: string): Case => {
  const of = (within: string): Input => ({
    [`${name}_bucket{${one}${more}, le="${within}"}`]: '0+100x500',
    [`${name}_bucket{${one}${more}, le="+Inf"}`]: '0+100x500',
    [`${name}_bucket{${one}${more}, le="0.0005"}`]: '0x500',
  });
  return { fires: of(slow), quiet: of(fast) };
};

const requests = (errors: string): Input => ({
  [`domesday_requests_total{${one}, endpoint="/bank-rates", status="200"}`]: '0+600x500',
  [`domesday_requests_total{${one}, endpoint="/bank-rates", status="500"}`]: errors,
});

const stale = (dataset: string, days: number, extent = 'complete'): Input => ({
  [`domesday_dataset_loaded_timestamp_seconds{${one}, dataset="${dataset}"}`]: daysAgo(days),
  [`domesday_dataset_info{${one}, dataset="${dataset}", edition="May", extent="${extent}"}`]: '1x500',
});

const cases: Readonly<Record<string, Case>> = {
  DomesdayDown: gauge('up', 0, 1),
  DomesdayNotReady: gauge('domesday_ready', 0, 1),
  // One in sixty, against one in six hundred.
  DomesdayErrors: { fires: requests('0+10x500'), quiet: requests('0+1x500') },
  DomesdayFaults: counted('domesday_faults_total'),
  DomesdaySlow: histogram('domesday_request_seconds', ', endpoint="/bank-rates"', '5', '0.25'),
  DomesdayBreakerOpen: {
    fires: { [`domesday_upstream_breaker_open{${one}, service="valuation-site"}`]: '1x500' },
    quiet: { [`domesday_upstream_breaker_open{${one}, service="valuation-site"}`]: '1x5 0x500' },
  },
  DomesdayLedgerFailing: counted('domesday_ledger_commit_seconds_count', ', result="failed"'),
  DomesdayLedgerSlow: histogram('domesday_ledger_commit_seconds', ', result="done"', '1', '0.01'),
  // A peak is no queue.
  DomesdayChargesWaiting: {
    fires: { [`domesday_ledger_waiting_charges{${one}}`]: '600+10x500' },
    quiet: { [`domesday_ledger_waiting_charges{${one}}`]: `${'2000 2000 2000 0 '.repeat(500)}` },
  },
  DomesdayDoubtfulCharges: gauge('domesday_ledger_doubtful_charges', 3, 0),
  DomesdayBackupOld: gauge('domesday_last_backup_timestamp_seconds', -200_000, 0),
  DomesdayPeopleDamaged: gauge('domesday_people_damaged', 1, 0),
  DomesdayReserveUsed: gauge('domesday_ledger_reserve_kept', 0, 1),
  DomesdayDiskFilling: {
    fires: {
      [`domesday_home_free_bytes{${one}}`]: '5000000000x500',
      [`domesday_home_size_bytes{${one}}`]: '100000000000x500',
    },
    quiet: {
      [`domesday_home_free_bytes{${one}}`]: '50000000000-1000x500',
      [`domesday_home_size_bytes{${one}}`]: '100000000000x500',
    },
  },
  DomesdayClockJumped: counted('domesday_clock_jumps_total'),
  DomesdayReleaseRefused: gauge('domesday_release_refused', 1, 0),
  DomesdayReplicasDiffer: {
    fires: {
      [`domesday_release_info{${one}, release="r1"}`]: '1x500',
      'domesday_release_info{job="domesday", instance="b:8080", release="r2"}': '1x500',
    },
    quiet: {
      [`domesday_release_info{${one}, release="r2"}`]: '1x500',
      'domesday_release_info{job="domesday", instance="b:8080", release="r2"}': '1x500',
    },
  },
  DomesdayReplicaFailing: {
    fires: { [`domesday_replica_failing_since_timestamp_seconds{${one}}`]: '-4000x500' },
    quiet: { [`domesday_replica_failing_since_timestamp_seconds{${one}}`]: '0+60x500' },
  },
  DomesdayDatasetUnreadable: {
    fires: { [`domesday_dataset_unreadable{${one}, dataset="crime"}`]: '1x500' },
    quiet: { [`domesday_dataset_info{${one}, dataset="crime", edition="May", extent="complete"}`]: '1x500' },
  },
  DomesdayUpdateFailing: {
    fires: {
      [`domesday_update_failing_since_timestamp_seconds{${one}, dataset="crime", publication="police"}`]:
        daysAgo(4),
    },
    quiet: {
      [`domesday_update_failing_since_timestamp_seconds{${one}, dataset="crime", publication="police"}`]:
        daysAgo(1),
    },
  },
  DomesdayUpdateFailed: {
    fires: { [`domesday_update_last_run_outcome{${one}, outcome="failed"}`]: '1x500' },
    quiet: { [`domesday_update_last_run_outcome{${one}, outcome="some kept"}`]: '1x500' },
  },
  // Who runs none by itself has missed none.
  DomesdayUpdateMissed: {
    fires: {
      [`domesday_update_last_run_timestamp_seconds{${one}}`]: daysAgo(10),
      [`domesday_update_next_run_timestamp_seconds{${one}}`]: daysAgo(-1),
    },
    quiet: { [`domesday_update_last_run_timestamp_seconds{${one}}`]: daysAgo(10) },
  },
  DomesdayDatasetStale45Days: { fires: stale('price-paid', 46), quiet: stale('price-paid', 40) },
  // What comes with the program is as old as the program.
  DomesdayDatasetStale75Days: { fires: stale('crime', 80, 'partial'), quiet: stale('crime', 800, 'sample') },
  DomesdayDatasetStale100Days: { fires: stale('bank-rate', 101), quiet: stale('bank-rate', 90) },
  DomesdayDatasetStale150Days: { fires: stale('postcodes', 151), quiet: stale('postcodes', 140) },
  DomesdayEventLoopLate: histogram('domesday_event_loop_lag_seconds', '', '1', '0.01'),
  DomesdayHeapNearLimit: {
    fires: {
      [`domesday_heap_used_bytes{${one}}`]: '95x500',
      [`domesday_heap_limit_bytes{${one}}`]: '100x500',
    },
    quiet: {
      [`domesday_heap_used_bytes{${one}}`]: '60x500',
      [`domesday_heap_limit_bytes{${one}}`]: '100x500',
    },
  },
  DomesdayRestarts: {
    fires: {
      [`process_start_time_seconds{${one}}`]: `${'0 '.repeat(80)}${'1x8 2x8 3x8 4x8 5x8 6x8'} 7x1300`,
    },
    quiet: { [`process_start_time_seconds{${one}}`]: '0x100 1x1900' },
  },
  DomesdayLogLost: counted('domesday_log_lines_dropped_total'),
  DomesdayTracesLost: counted('domesday_trace_spans_total', ', result="dropped"'),
  DomesdayFiguresMissing: counted('domesday_figures_failed_total'),
};

/** Long enough for the `for` of the rule and for its ranges. */
const lookAtMinutes = ({ for: how }: { readonly for: string }): number => (how === '6h' ? 400 : 130);

/** The rules of one threshold have the same form; those without a case of their own are tried with a dataset of theirs. */
function caseOf({ name, expr }: { readonly name: string; readonly expr: string }): Case {
  const own = cases[name];
  if (own !== undefined) return own;
  const days = Number(
    /^DomesdayDatasetStale(\d+)Days$/.exec(name)?.[1] ?? assert.fail(`${name} is not tried out`),
  );
  const [dataset = ''] = /dataset=~"([^"|]+)/.exec(expr)?.slice(1) ?? [];
  return { fires: stale(dataset, days + 1), quiet: stale(dataset, days - 10) };
}

testWith(promtool, 'promtool takes the rules and every question of the dashboard', async (place) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-rules-'));
  const check = (name: string, text: string) => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    const { status, stdout, stderr } = spawnSync(place, ['check', 'rules', file], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  };
  check('alerts.yaml', await alertsFile());
  const rules = panelQueries.map((expr, index) => ({
    record: `panel:${index}`,
    expr: expr.replaceAll(/\$(job|instance)/g, '.*'),
  }));
  check('panels.json', JSON.stringify({ groups: [{ name: 'panels', rules }] }));
  rmSync(folder, { recursive: true });
});

testWith(
  promtool,
  'slow: every alert fires when it should, not before its time, and not when all is well',
  async (place) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'domesday-rules-'));
    writeFileSync(path.join(folder, 'alerts.yaml'), await alertsFile());
    const tests = alerts.flatMap((alert) => {
      const { fires, quiet } = caseOf(alert);
      const firing = `count by (alertname) (ALERTS{alertname="${alert.name}", alertstate="firing"})`;
      const seen = (name: string, input: Input, minutes: number, count: 0 | 1) => ({
        name: `${alert.name} ${name}`,
        interval: '1m',
        input_series: Object.entries(input).map(([series, values]) => ({ series, values })),
        promql_expr_test: [
          {
            expr: `(${firing}) > bool 0`,
            eval_time: `${minutes}m`,
            exp_samples: count === 0 ? [] : [{ labels: `{alertname="${alert.name}"}`, value: 1 }],
          },
        ],
      });
      return [
        seen('fires', fires, lookAtMinutes(alert), 1),
        seen('waits', fires, 0, 0),
        seen('is quiet', quiet, lookAtMinutes(alert), 0),
      ];
    });
    const file = path.join(folder, 'tests.json');
    writeFileSync(file, JSON.stringify({ rule_files: ['alerts.yaml'], evaluation_interval: '5m', tests }));
    const { status, stdout, stderr } = spawnSync(place, ['test', 'rules', file], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    rmSync(folder, { recursive: true });
  },
);

test('every dataset that a rule names is one of ours', () => {
  for (const { expr } of alerts) {
    for (const name of /dataset=~"([^"]+)"/.exec(expr)?.[1]?.split('|') ?? []) {
      assert.ok(
        datasetNames.some((known) => known === name),
        name,
      );
    }
  }
});
