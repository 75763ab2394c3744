// `domesday serve` as an operator meets it: first start, later starts, wrong settings, damage, signals, switching.

import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { bundledHome, runDomesday, runDomesdayProcess, startDomesday, temporaryHome } from '../rig.ts';

const curlLine = /^curl -H 'X-API-Key: (dd_live_\w+)' '(http:\S+)'$/m;
const newRates = path.join(import.meta.dirname, '../fixtures/bank-rate/iadb-later.csv');
const testKeyLine = /^(dd_test_\w+)$/m;

let started: { home: string; remove: () => void; key: string };
before(async () => {
  const { home, remove } = await bundledHome();
  const running = await startDomesday(home);
  await until(() => testKeyLine.test(running.output()));
  started = { home, remove, key: curlLine.exec(running.output())?.[1] ?? '' };
  await running.stop();
});
after(() => started.remove());

/** A home that was started once; its live key. */
function startedHome() {
  const { home, remove } = temporaryHome();
  cpSync(started.home, home, { recursive: true });
  return { home, remove, key: started.key };
}

/** Waits for something another process prints or does. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('the first start prints a curl line that works and a test key; the second prints neither', async () => {
  const { home, remove } = temporaryHome();
  const first = await startDomesday(home);
  await until(() => testKeyLine.test(first.output()));
  const [, liveKey = '', url = ''] = curlLine.exec(first.output()) ?? [];
  const [, testKey = ''] = testKeyLine.exec(first.output()) ?? [];
  const live = await fetch(url, { headers: { 'x-api-key': liveKey } });
  assert.equal(live.status, 200);
  assert.equal(live.headers.get('x-credits-remaining'), '99999');
  const sandbox = await fetch(url, { headers: { 'x-api-key': testKey } });
  assert.equal(sandbox.headers.get('x-credits-charged'), '0');
  assert.match(first.output(), /sample/);
  assert.deepEqual(await first.stop(), { code: 0, errors: '' });

  const second = await startDomesday(home);
  const again = await fetch(`${second.url}/api/v1/bank-rates?limit=1`, { headers: { 'x-api-key': liveKey } });
  assert.equal(again.headers.get('x-credits-remaining'), '99998');
  assert.equal((await second.stop()).code, 0);
  assert.doesNotMatch(second.output(), /dd_(live|test)_/);
  remove();
});

test('slow: day windows survive a restart', async () => {
  const { home, remove } = startedHome();
  const make = [
    'accounts',
    'create',
    '--name',
    'day',
    '--plan',
    'basic',
    '--per-day',
    '3',
    '--json',
    '--home',
    home,
  ];
  const { accountId } = JSON.parse((await runDomesday(make)).out);
  const made = await runDomesday(['keys', 'create', '--account', accountId, '--json', '--home', home]);
  const { key } = JSON.parse(made.out);
  const statuses = [];
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const running = await startDomesday(home);
    for (let call = 0; call < 2; call += 1) {
      const url = `${running.url}/api/v1/bank-rates?limit=1`;
      statuses.push((await fetch(url, { headers: { 'x-api-key': key } })).status);
    }
    await running.stop(signal);
  }
  remove();
  assert.deepEqual(statuses, [200, 200, 200, 429]);
});

test('commands beside the running service take effect at the next request', async () => {
  const { home, remove, key } = startedHome();
  const running = await startDomesday(home);
  const call = async (apiKey: string) =>
    (await fetch(`${running.url}/api/v1/bank-rates?limit=1`, { headers: { 'x-api-key': apiKey } })).status;
  assert.equal(await call(key), 200);
  const listed = JSON.parse((await runDomesday(['accounts', 'list', '--json', '--home', home])).out);
  const { accountId } = listed.accounts?.[0] ?? listed[0];
  const made = await runDomesday(['keys', 'create', '--account', accountId, '--json', '--home', home]);
  const { key: second, keyId } = JSON.parse(made.out);
  assert.equal(await call(second), 200);
  await runDomesday(['keys', 'revoke', keyId, '--home', home]);
  assert.equal(await call(second), 401);
  await running.stop();
  remove();
});

test('slow: what cannot work is refused in one line, with exit 1, and nothing is overwritten', async () => {
  const { home, remove } = startedHome();
  const busy = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => busy.once('listening', resolve));
  const address = busy.address();
  assert.ok(typeof address === 'object' && address !== null);
  const aFile = path.join(home, 'a-file');
  writeFileSync(aFile, 'precious');

  const refusals: [env: Record<string, string>, pattern: RegExp][] = [
    [{ PORT: 'eighty' }, /^PORT is "eighty"; it must be a whole number/],
    [{ PORT: '99999' }, /^PORT is "99999"/],
    [{ DOMESDAY_LOG: 'loud' }, /^DOMESDAY_LOG is "loud"; it must be one of/],
    [{ DOMESDAY_METRICS_TOKEN: 'hush' }, /^DOMESDAY_METRICS_TOKEN is not usable; it must be at least 16/],
    [{ PORT: String(address.port) }, /^Port \d+ on 127\.0\.0\.1 is in use; .*--port/],
    [{ HOST: '192.0.2.1' }, /^192\.0\.2\.1 is not an address of this machine/],
    [{ DOMESDAY_HOME: aFile }, /^The home .*a-file .*DOMESDAY_HOME/],
  ];
  for (const [env, pattern] of refusals) {
    const { code, err } = await runDomesdayProcess(['serve'], { DOMESDAY_HOME: home, PORT: '0', ...env });
    assert.equal(code, 1, JSON.stringify(env));
    assert.match(err, pattern);
    assert.equal(err.trimEnd().split('\n').length, 1, err);
  }
  assert.equal(readFileSync(aFile, 'utf8'), 'precious');
  busy.close();
  remove();
});

test('slow: a damaged ledger or loaded release is told in one line, with exit 1, and left as it is', async () => {
  const { home, remove } = startedHome();
  assert.equal((await runDomesday(['ingest', newRates, '--home', home])).code, 0);
  const damages: [what: string, damage: (copy: string) => string][] = [
    ['ledger of junk', (copy) => write(path.join(copy, 'domesday.sqlite'), 'junk '.repeat(5000))],
    ['ledger cut short', (copy) => cut(path.join(copy, 'domesday.sqlite'))],
    ['release part flipped', (copy) => flip(partOf(copy))],
    ['release part cut', (copy) => cut(partOf(copy))],
    ['manifest of junk', (copy) => write(path.join(releaseOf(copy), 'manifest.json'), '{')],
    ['pointer to nothing', (copy) => write(path.join(copy, 'releases/current'), 'no-such-release\n')],
  ];
  for (const [what, damage] of damages) {
    const copy = path.join(home, `copy-${what.replaceAll(' ', '-')}`);
    mkdirSync(copy);
    // The town is built after the greeting and may not be there yet.
    for (const entry of ['releases', 'domesday.sqlite']) {
      cpSync(path.join(home, entry), path.join(copy, entry), { recursive: true });
    }
    const damaged = damage(copy);
    const before = readFileSync(damaged);
    const { code, err } = await runDomesdayProcess(['serve'], { DOMESDAY_HOME: copy, PORT: '0' });
    assert.equal(code, 1, `${what}: ${err}`);
    assert.equal(err.trimEnd().split('\n').length, 1, `${what}: ${err}`);
    assert.match(err, /[.;] ?(Run|run|Move|move|restore|choose|domesday)|domesday/, what);
    assert.ok(readFileSync(damaged).equals(before), what);
  }
  remove();
});

const releaseOf = (home: string) =>
  path.join(home, 'releases', openHome(home, layouts).releases.currentId() ?? '');
const partOf = (home: string) => {
  const name = readdirSync(releaseOf(home)).find((file) => file.endsWith('.part'));
  return path.join(releaseOf(home), name ?? '');
};
const write = (file: string, text: string) => {
  assert.ok(existsSync(file));
  writeFileSync(file, text);
  return file;
};
const cut = (file: string) => {
  truncateSync(file, Math.floor(readFileSync(file).length / 2));
  return file;
};
const flip = (file: string) => {
  const bytes = readFileSync(file);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 0xff;
  writeFileSync(file, bytes);
  return file;
};

test('slow: 50 of 300 parallel calls on 50 credits, switching without a failed request, clean stop', async () => {
  const { home, remove } = startedHome();
  const metricsToken = 'a-token-of-the-tests';
  const env = {
    DOMESDAY_WATCH_RELEASE_MS: '50',
    DOMESDAY_METRICS_TOKEN: metricsToken,
  };
  const running = await startDomesday(home, env);
  const make = ['accounts', 'create', '--name', 'n', '--plan', 'enterprise', '--credits', '50', '--json'];
  const { accountId } = JSON.parse((await runDomesday([...make, '--home', home])).out);
  const made = await runDomesday(['keys', 'create', '--account', accountId, '--json', '--home', home]);
  const { key } = JSON.parse(made.out);
  const url = `${running.url}/api/v1/bank-rates?limit=1`;
  const call = () => fetch(url, { headers: { 'x-api-key': key } });

  const statuses = (await Promise.all(Array.from({ length: 300 }, call))).map(({ status }) => status);
  assert.deepEqual(
    [statuses.filter((s) => s === 200).length, statuses.filter((s) => s === 402).length],
    [50, 250],
  );

  await runDomesday(['accounts', 'credit', accountId, '1000000', '--home', home]);
  const releasesSeen = new Set<string | null>();
  const failures: number[] = [];
  let isDone = false;
  const load = Array.from({ length: 8 }, async () => {
    while (!isDone) {
      const reply = await call();
      await reply.arrayBuffer();
      if (reply.status !== 200) failures.push(reply.status);
      releasesSeen.add(reply.headers.get('x-data-release'));
    }
  });
  const ingested = await runDomesday(['ingest', newRates, '--home', home]);
  assert.equal(ingested.code, 0, ingested.err);
  await until(() => releasesSeen.size > 1);
  isDone = true;
  await Promise.all(load);
  assert.deepEqual(failures, []);
  assert.equal(releasesSeen.size, 2);

  const metrics = await (
    await fetch(`${running.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  ).text();
  assert.match(metrics, /domesday_requests_total\{endpoint="\/bank-rates",status="402"\} 250/);
  assert.equal((await fetch(`${running.url}/health/ready`)).status, 200);
  assert.deepEqual(await running.stop(), { code: 0, errors: '' });
  remove();
});

test('slow: while it drains, a service answers calls, closes connections and is not ready; a second signal ends that', async () => {
  const { home, remove, key } = startedHome();
  const running = await startDomesday(home, { DOMESDAY_DRAIN_SECONDS: '3600' });
  const ready = () => fetch(`${running.url}/health/ready`);
  const call = () => fetch(`${running.url}/api/v1/bank-rates?limit=1`, { headers: { 'x-api-key': key } });
  const before = await call();
  assert.deepEqual([before.status, before.headers.get('connection')], [200, 'keep-alive']);
  running.child.kill('SIGTERM');
  await until(async () => (await ready()).status === 503);
  assert.match(await (await ready()).text(), /SERVICE_UNAVAILABLE.*about to stop/);
  await until(async () => {
    const reply = await call();
    assert.equal(reply.status, 200);
    return reply.headers.get('connection') === 'close';
  });
  assert.equal((await fetch(`${running.url}/health/live`)).status, 200);
  assert.deepEqual(await running.stop(), { code: 0, errors: '' });
  await assert.rejects(ready());
  remove();
});

test('slow: a service that drains stops by itself when its time is over', async () => {
  const { home, remove } = startedHome();
  const running = await startDomesday(home, { DOMESDAY_DRAIN_SECONDS: '1' });
  assert.deepEqual(await running.stop(), { code: 0, errors: '' });
  remove();
});

test('a request in flight when SIGTERM comes is finished', async () => {
  const { home, remove, key } = startedHome();
  const running = await startDomesday(home);
  const url = `${running.url}/api/v1/bank-rates?limit=500`;
  const calls = Array.from({ length: 30 }, () => fetch(url, { headers: { 'x-api-key': key } }));
  await calls[0];
  const stopped = running.stop();
  const outcomes = await Promise.allSettled(calls);
  // A call may find the port closed already; one that got through is answered whole.
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') {
      assert.equal(outcome.value.status, 200);
      assert.match(await outcome.value.text(), /^\{"success":true,/);
    }
  }
  assert.equal((await stopped).code, 0);
  remove();
});
