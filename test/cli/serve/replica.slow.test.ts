// The whole way with real processes: one home publishes, a service on an empty home follows.

import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openLedger } from '../../../src/ledger/open.ts';
import { openHome } from '../../../src/release/store.ts';
import { layouts } from '../../../src/tables/index.ts';
import { openWebServer } from '../../depot/web-server.ts';
import {
  bundledHome,
  type Running,
  runDomesday,
  runDomesdayProcess,
  startDomesday,
  temporaryHome,
} from '../../rig.ts';

type Context = { after(end: () => void | Promise<void>): void };

async function openStage(context: Context) {
  const [a, b, depot] = [await bundledHome(), temporaryHome(), temporaryHome()];
  const services: Running[] = [];
  context.after(async () => {
    for (const service of services) await service.stop();
    for (const { remove } of [a, b, depot]) remove();
  });
  const server = await openWebServer(context, depot.home);
  const publish = async (...args: readonly string[]) => {
    const ended = await runDomesday([
      'releases',
      'publish',
      depot.home,
      '--home',
      a.home,
      '--sample',
      ...args,
    ]);
    assert.equal(ended.code, 0, ended.err);
  };
  const follow = async (env: Record<string, string> = {}) => {
    const running = await startDomesday(b.home, {
      DOMESDAY_RELEASES_URL: server.url,
      DOMESDAY_RELEASES_EVERY_SECONDS: '1',
      ...env,
    });
    services.push(running);
    return running;
  };
  return { a: a.home, b: b.home, depot: depot.home, server, publish, follow };
}

/** A second release: the sample without one of its datasets, so that some of its parts are the same. */
function makeSecond(home: string): string {
  const { releases } = openHome(home, layouts);
  const base = releases.openCurrent();
  const writer = releases.beginRelease({
    id: 'second',
    kind: 'loaded',
    createdAtMs: Date.parse(base.manifest.createdAt) + 60_000,
    base,
  });
  const [dataset] = base.datasets.filter(({ name }) => name === 'bank-rate');
  assert.ok(dataset !== undefined);
  writer.putDataset({ ...dataset, edition: 'second' });
  for (const derived of base.manifest.derived) writer.putDerived(derived);
  const { id } = writer.finish();
  releases.point(id);
  return id;
}

const ready = (url: string) => fetch(`${url}/health/ready`);

/** Asks until the answer is as it should be; the test's own time-out ends it. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  // Asking without a pause would take the processor from what is waited for.
  while (!(await isSo())) await pause(20);
}

/** Of an account that no limit holds back. */
async function makeKey(home: string): Promise<string> {
  const { ledger, accounts } = await openLedger({ home });
  const atMs = Date.now();
  const limits = { minute: null, day: null };
  const terms = { allowance: 1_000_000, limits };
  const { accountId } = await accounts.createAccount({ name: 'load', plan: 'premium', terms, atMs });
  const { key } = await accounts.createKey({ accountId, kind: 'live', atMs });
  await ledger.close();
  return key;
}

test('an empty home listens, is ready when its first release is there, and switches under load without a failed request', async (t) => {
  const { a, b, server, publish, follow } = await openStage(t);
  const key = await makeKey(b);
  const { url } = await follow();
  const call = () => fetch(`${url}/api/v1/bank-rates?limit=1`, { headers: { 'x-api-key': key } });
  assert.equal((await fetch(`${url}/health/live`)).status, 200);
  await until(async () =>
    (await (await ready(url)).text()).includes('nothing is published there, or a file of it is missing'),
  );
  const unready = await ready(url);
  assert.equal(unready.status, 503);
  const early = await call();
  assert.equal(early.status, 503);
  assert.ok(Number(early.headers.get('retry-after')) > 0);
  assert.equal(early.headers.get('x-credits-charged'), '0');
  assert.equal((await fetch(`${url}/api/v1/datasets`)).status, 503);
  assert.equal(existsSync(path.join(b, 'releases', 'current')), false, 'no sample is made');

  await publish();
  await until(async () => (await ready(url)).status === 200);
  const first = await call();
  assert.equal(first.status, 200);
  const [sampleId] = readdirSync(path.join(b, 'releases')).filter((name) => name.startsWith('sample-'));
  assert.equal(first.headers.get('x-data-release'), sampleId);

  const id = makeSecond(a);
  server.asked.length = 0;
  await publish();
  const statuses = new Map<number, number>();
  let last = '';
  const load = async () => {
    while (last !== id) {
      const answer = await call();
      await answer.text();
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      last = answer.headers.get('x-data-release') ?? '';
    }
  };
  await Promise.all([load(), load(), load(), load()]);
  assert.deepEqual([...statuses.keys()], [200]);
  const fetched = server.asked.filter(({ key }) => key.startsWith('files/'));
  assert.equal(fetched.length, 2, 'the manifest and its checksum: no part has changed');
});

test('what cannot be followed is told once in the log, and in readiness, metrics and check, while the last good one is served', async (t) => {
  const { b, depot, server, publish, follow } = await openStage(t);
  await publish();
  const running = await follow({ DOMESDAY_METRICS_PORT: '0' });
  const { url } = running;
  await until(async () => (await ready(url)).status === 200);
  const metricsUrl = /^Metrics: (\S+)$/m.exec(running.output())?.[1] ?? assert.fail();
  assert.doesNotMatch(
    await (await fetch(metricsUrl)).text(),
    /domesday_replica_failing_since_timestamp_seconds \d/,
  );
  // Gone, and a page in its place.
  renameSync(path.join(depot, 'newest'), path.join(depot, 'away'));
  const tellsFailure = async () =>
    (await (await ready(url)).text()).includes(
      '"failingBecause":"nothing is published there, or a file of it is missing"',
    );
  await until(tellsFailure);
  const asked = server.asked.length;
  await until(async () => server.asked.length >= asked + 3);
  assert.equal((await ready(url)).status, 200);
  assert.match(await (await fetch(metricsUrl)).text(), /domesday_replica_failing_since_timestamp_seconds \d/);
  const check = await runDomesday(['check', '--home', b]);
  assert.match(
    check.out,
    /warning {2}replica: It has sample-\w+, .* Since .* it cannot follow: There is no newest at/,
  );
  // What a replica refuses is not advised.
  assert.match(check.out, /Load it where releases are published/);
  assert.doesNotMatch(check.out, /domesday (?:update|ingest)/);
  renameSync(path.join(depot, 'away'), path.join(depot, 'newest'));
  await until(async () => (await (await ready(url)).text()).includes('"failingBecause":null'));
  const lines = (text: RegExp) =>
    running
      .output()
      .split('\n')
      .filter((line) => text.test(line)).length;
  await until(async () => lines(/published releases are followed again/) === 1);
  assert.equal(lines(/published releases cannot be followed/), 1);
});

test('a replica starts from what it has while the place is away, and a damaged release is fetched anew', async (t) => {
  const { b, depot, publish, follow } = await openStage(t);
  await publish();
  const once = await runDomesday(['releases', 'fetch', '--from', depot, '--home', b]);
  assert.equal(once.code, 0, once.err);
  const away = `${depot}-away`;
  renameSync(depot, away);
  const served = await follow();
  assert.equal((await ready(served.url)).status, 200);
  await served.stop();
  renameSync(away, depot);
  const [id = ''] = readdirSync(path.join(b, 'releases')).filter((name) => name.startsWith('sample-'));
  const part = readdirSync(path.join(b, 'releases', id)).find((name) => name.endsWith('.part')) ?? '';
  cpSync(path.join(b, 'releases', id, 'manifest.json'), path.join(b, 'releases', id, part));
  const check = await runDomesday(['check', '--home', b]);
  assert.match(check.out, /problem {2}release: .*\n.*Restart the service; it fetches/);
  const mended = await follow();
  await until(async () => (await ready(mended.url)).status === 200);
  openHome(b, layouts).releases.openCurrent().verify();
});

test('a start without data shows the keys, and no call that nothing could answer', async (t) => {
  const { b, depot } = await openStage(t);
  const running = await startDomesday(b, { DOMESDAY_RELEASES_URL: depot });
  t.after(() => running.stop());
  while (!/dd_test_/.test(running.output())) await pause(20);
  assert.match(running.output(), /The live key answers as soon as the service has data:\n\ndd_live_/);
  assert.doesNotMatch(running.output(), /curl/);
});

test('a replica neither updates nor loads by itself, and never serves the bundled sample', async (t) => {
  const { a, b, depot, publish } = await openStage(t);
  await publish();
  const env = { DOMESDAY_RELEASES_URL: depot };
  const both = await runDomesdayProcess(['serve', '--home', b, '--update', 'daily'], { ...env, PORT: '0' });
  assert.equal(both.code, 1);
  assert.match(both.err, /DOMESDAY_UPDATE and DOMESDAY_RELEASES_URL are both set/);
  const sampled = await runDomesdayProcess(['serve', '--home', a], { ...env, PORT: '0' });
  assert.equal(sampled.code, 1);
  assert.match(sampled.err, /has the bundled sample/);
  for (const args of [['update'], ['ingest', depot]]) {
    const set = await runDomesday([...args, '--home', a], env);
    assert.equal(set.code, 1);
    assert.match(set.err, /DOMESDAY_RELEASES_URL is set/);
  }
  await runDomesday(['releases', 'fetch', '--home', b], env);
  for (const args of [['update'], ['ingest', depot]]) {
    const home = await runDomesday([...args, '--home', b]);
    assert.equal(home.code, 1);
    assert.match(home.err, /belongs to a replica/);
  }
});

test('the bundled sample is published on purpose alone', async (t) => {
  const { a, depot } = await openStage(t);
  const refused = await runDomesday(['releases', 'publish', depot, '--home', a]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /is the bundled sample/);
  assert.deepEqual(readdirSync(depot), []);
});

test('a place or key that cannot be right is refused at the start', async (t) => {
  const { b } = await openStage(t);
  const start = (env: Record<string, string>) =>
    runDomesdayProcess(['serve', '--home', b], { ...env, PORT: '0' });
  const plain = await start({ DOMESDAY_RELEASES_URL: 'http://releases.example.com' });
  assert.deepEqual([plain.code, /is not https/.test(plain.err)], [1, true]);
  const key = await start({ DOMESDAY_RELEASES_URL: 'https://x.example', DOMESDAY_RELEASE_PUBLIC_KEY: 'x' });
  assert.deepEqual([key.code, /is not a public key/.test(key.err)], [1, true]);
  const bucket = await start({ DOMESDAY_RELEASES_URL: 's3://releases' });
  assert.deepEqual([bucket.code, /AWS_ACCESS_KEY_ID/.test(bucket.err)], [1, true]);
});
