// What Prometheus reads: every figure of the table and nothing else, in a form that Prometheus takes.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { endpoints } from '../../src/endpoints/index.ts';
import { renderMetrics } from '../../src/metrics/exposition.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { metricRows, metricTable } from '../../src/metrics/table.ts';
import { anyString } from '../any-string.ts';
import { promtool, testWith } from '../requirements.ts';
import { openRig, type Rig } from '../rig.ts';

const url = '/api/v1/bank-rates?limit=1';

type Sample = { readonly name: string; readonly labels: ReadonlyMap<string, string>; readonly value: number };

const unescaped = (text: string) =>
  text.replaceAll(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));

function samplesOf(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', braces = '', value = ''] =
        /^(\w+)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)$/.exec(line) ?? assert.fail(`odd line: ${line}`);
      const pairs = braces.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g);
      const labels = new Map(pairs.map(([, label = '', text = '']) => [label, unescaped(text)] as const));
      return { name, labels, value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value) };
    });
}

/** The sample of that name whose labels are these. */
function figure(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels);
  return samplesOf(text).find(
    (sample) =>
      sample.name === name &&
      sample.labels.size === wanted.length &&
      wanted.every(([label, value]) => sample.labels.get(label) === value),
  )?.value;
}

const familyOf = (sample: string) =>
  Object.hasOwn(metricTable, sample) ? sample : sample.replace(/_(bucket|sum|count)$/, '');

function checkAgainstTable(text: string): void {
  const rows = new Map(metricRows);
  for (const { name, labels, value } of samplesOf(text)) {
    const row = rows.get(familyOf(name)) ?? assert.fail(`${name} is not in the table`);
    const own = [...labels.keys()].filter((label) => !(name.endsWith('_bucket') && label === 'le'));
    assert.deepEqual(own, row.labels, name);
    assert.ok(!Number.isNaN(value), name);
  }
}

/** A rig that has been called in every way that leaves a figure. */
async function calledRig(): Promise<Rig> {
  const rig = await openRig();
  const { key } = await rig.customer();
  for (const path of [url, url, '/api/v1/bank-rates?limit=0', '/nowhere', '/%', '/health/ready']) {
    await rig.get(path, key);
  }
  return rig;
}

test('every figure that is exposed is a row of the table with exactly its labels, described once', async () => {
  const rig = await calledRig();
  const text = await rig.metrics();
  checkAgainstTable(text);
  for (const [name, { type }] of metricRows) {
    const kinds = [...text.matchAll(new RegExp(`^# TYPE ${name} (.*)$`, 'gm'))].map(([, kind]) => kind);
    assert.ok(kinds.length <= 1 && kinds.every((kind) => kind === type), name);
  }
  await rig.close();
});

test('names follow the conventions of Prometheus: unit last, counters end in _total', () => {
  for (const [name, { type, unit, help }] of metricRows) {
    assert.match(name, /^(domesday|process)_[a-z_]+$/);
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    const bare = name.replace(/_total$/, '');
    if (unit === 'seconds' || unit === 'bytes') assert.ok(bare.endsWith(`_${unit}`), name);
    if (unit === 'timestamp') assert.match(name, /_timestamp_seconds$|^process_start_time_seconds$/);
    if (unit === 'none') assert.doesNotMatch(bare, /_(seconds|bytes)$/);
    assert.match(help, /^[A-Z0-9].*\.$/s, name);
  }
});

testWith(promtool, 'promtool takes what is exposed, and finds nothing to improve', async (place) => {
  const rig = await calledRig();
  const { status, stdout, stderr } = spawnSync(place, ['check', 'metrics'], {
    input: await rig.metrics(),
    encoding: 'utf8',
  });
  assert.deepEqual([status, stdout, stderr], [0, '', '']);
  await rig.close();
});

test('whatever callers send, labels have only values of ours', async () => {
  const rig = await openRig();
  const { key, accountId, keyId } = await rig.customer();
  const paths = new Set<string>(['other', ...endpoints.map(({ path }) => path)]);
  const secret = 'SW1A2AA';
  const text = fc.string({ unit: 'binary-ascii', maxLength: 20 }).map(encodeURIComponent);
  const target = fc.oneof(
    text.map((part) => `/${part}${secret}`),
    text.map((part) => `/api/v1/bank-rates?limit=${part}${secret}`),
    text.map((part) => `/api/v1/council-tax/${secret}${part}`),
    fc.constantFrom(url, '/metrics', '/docs/errors/x', `/health/${secret}`, '/%'),
  );
  await fc.assert(
    fc.asyncProperty(target, fc.constantFrom(key, undefined, secret), async (path, sent) => {
      await rig.get(path, sent, { 'x-request-id': secret, 'x-sandbox-outcome': secret });
    }),
    { numRuns: 200 },
  );
  const exposed = await rig.metrics();
  for (const word of [secret, key, accountId, keyId, key.slice(-8)]) assert.ok(!exposed.includes(word), word);
  for (const { name, labels } of samplesOf(exposed)) {
    const endpoint = labels.get('endpoint');
    assert.ok(endpoint === undefined || paths.has(endpoint), `${name} ${endpoint}`);
    assert.match(labels.get('status') ?? '200', /^[2-5]\d\d$/);
  }
  await rig.close();
});

const oddText = fc.oneof(
  anyString({ maxLength: 30 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', ',', '}', 'n', 'é') }),
);

test('label values that contain quotes, line feeds or backslashes come back as they were', () =>
  fc.assert(
    fc.asyncProperty(oddText, async (edition) => {
      const metrics = new Metrics();
      metrics.onRead((set) =>
        set('domesday_dataset_info', 1, { dataset: 'crime', edition, extent: 'complete' }),
      );
      const text = renderMetrics(await metrics.snapshot());
      const labels = { dataset: 'crime', edition, extent: 'complete' };
      assert.equal(figure(text, 'domesday_dataset_info', labels), 1);
    }),
  ));

const observations = fc.array(
  fc.oneof(
    fc.double({ min: 0, max: 20, noNaN: true }),
    fc.constantFrom(...metricTable.domesday_request_seconds.buckets),
  ),
  { maxLength: 60 },
);

test('a histogram has what a count by hand has', () =>
  fc.assert(
    fc.asyncProperty(observations, async (all) => {
      const metrics = new Metrics();
      const histogram = metrics.histogram('domesday_request_seconds', { endpoint: 'other' });
      for (const value of all) histogram.observe(value);
      const text = renderMetrics(await metrics.snapshot());
      for (const bound of metricTable.domesday_request_seconds.buckets) {
        const labels = { endpoint: 'other', le: String(bound) };
        const within = all.filter((value) => value <= bound).length;
        assert.equal(figure(text, 'domesday_request_seconds_bucket', labels), within);
      }
      assert.equal(figure(text, 'domesday_request_seconds_count', { endpoint: 'other' }), all.length);
      const sum = figure(text, 'domesday_request_seconds_sum', { endpoint: 'other' }) ?? Number.NaN;
      assert.ok(Math.abs(sum - all.reduce((a, b) => a + b, 0)) < 1e-6);
    }),
  ));

test('a figure that cannot be read is missing and counted; the others are there', async () => {
  const metrics = new Metrics();
  metrics.onRead(() => {
    throw new Error('the disk is gone');
  });
  metrics.onRead((set) => set('domesday_heap_used_bytes', 2));
  metrics.onRead(() => Promise.reject(new Error('this one too')));
  const text = renderMetrics(await metrics.snapshot());
  assert.equal(figure(text, 'domesday_heap_used_bytes'), 2);
  assert.equal(figure(text, 'domesday_figures_failed_total'), 2);
  assert.equal(figure(text, 'domesday_home_free_bytes'), undefined);
});

test('charges that come together are one batch and one commit, and nothing waits afterwards', async () => {
  const rig = await openRig();
  const { key } = await rig.customer();
  const before = await rig.metrics();
  await Promise.all(Array.from({ length: 20 }, () => rig.get(url, key)));
  const after = await rig.metrics();
  const grown = (name: string, labels = {}) =>
    (figure(after, name, labels) ?? 0) - (figure(before, name, labels) ?? 0);
  assert.equal(grown('domesday_ledger_batch_charges_sum'), 20);
  assert.ok(grown('domesday_ledger_batch_charges_count') < 20);
  assert.ok(grown('domesday_ledger_commit_seconds_count', { result: 'done' }) >= 1);
  assert.equal(figure(after, 'domesday_ledger_waiting_charges'), 0);
  assert.equal(figure(after, 'domesday_ledger_doubtful_charges'), 0);
  assert.equal(grown('domesday_credits_charged_total', { endpoint: '/bank-rates' }), 20);
  // Asked at once, the first finds the answer and the others have it from memory.
  assert.equal(grown('domesday_answer_cache_total', { result: 'miss' }), 1);
  assert.equal(grown('domesday_answer_cache_total', { result: 'hit' }), 19);
  await rig.close();
});

test('the age of every dataset is there and grows with the clock; the release and what it has are named', async () => {
  const rig = await openRig();
  const { datasets } = (await rig.get('/api/v1/datasets')).json().data;
  const before = await rig.metrics();
  rig.clock.nowMs += 86_400_000;
  const after = await rig.metrics();
  assert.ok(datasets.length > 10);
  for (const { name: dataset, edition, extent, asOf, loadedAt } of datasets) {
    const age = figure(before, 'domesday_dataset_age_seconds', { dataset }) ?? Number.NaN;
    assert.equal(age, (rig.clock.nowMs - 86_400_000 - Date.parse(asOf)) / 1000);
    assert.equal(figure(after, 'domesday_dataset_age_seconds', { dataset }), age + 86_400);
    const loaded = figure(before, 'domesday_dataset_loaded_timestamp_seconds', { dataset });
    assert.equal(loaded, Date.parse(loadedAt) / 1000);
    assert.equal(figure(before, 'domesday_dataset_info', { dataset, edition, extent }), 1);
  }
  await rig.close();
});

test('a ledger that cannot be used makes the service not ready in its metrics, and the others stay', async () => {
  const rig = await openRig();
  assert.equal(figure(await rig.metrics(), 'domesday_ready'), 1);
  await rig.ledger.close();
  const text = await rig.metrics();
  assert.equal(figure(text, 'domesday_ready'), 0);
  assert.ok((figure(text, 'process_resident_memory_bytes') ?? 0) > 2 ** 20);
  assert.equal(figure(text, 'domesday_figures_failed_total'), 0);
  await rig.close();
});
