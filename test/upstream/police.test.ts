// The live police service: what it answers is passed on, what it fails at is a failure, and it is never pressed.

import assert from 'node:assert/strict';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { renderMetrics } from '../../src/metrics/exposition.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { formatMonth } from '../../src/uk/calendar.ts';
import { distanceMetres } from '../../src/uk/grid.ts';
import { DiskCache } from '../../src/upstream/live/disk-cache.ts';
import { FairTurns } from '../../src/upstream/live/fair-turns.ts';
import { openPoliceApi, type PoliceApi } from '../../src/upstream/police.ts';
import { crime, openPoliceServer, type PoliceServer } from './police-server.ts';

const at = { latitudeDegrees: 51.5, longitudeDegrees: -0.1 };
const mile = 1_609.344;
const account = 'acc_one';
let server: PoliceServer;
let folder: string;
let clock: { ms: number; slept: number[] };

beforeEach(async () => {
  server = await openPoliceServer({
    months: ['2024-12', '2024-11'],
    force: 'city-of-london',
    crimes: (month) => [
      crime(month, 'drugs'),
      crime(month, 'violent-crime', [51.501, -0.1], { outcome_status: null }),
    ],
  });
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-police-'));
  clock = { ms: 1_800_000_000_000, slept: [] };
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Time stands still but for sleeping, so that nothing waits in earnest. */
const openApi = (sharers = 1, metrics = new Metrics()): PoliceApi =>
  openPoliceApi(
    {
      name: 'police-api',
      metrics,
      baseUrl: server.url,
      cacheFolder: folder,
      cacheBytesMost: 2 ** 30,
      sharers,
      deadline: server.patience.deadline,
    },
    {
      now: () => clock.ms,
      sleep: async (ms) => {
        clock.slept.push(ms);
        clock.ms += ms;
      },
      random: () => 0.5,
    },
  )(account);

test('months, force and crimes come in the words of this program', async () => {
  const api = openApi();
  const months = await api.findMonths();
  assert.ok(months.kind === 'answered');
  assert.deepEqual(months.value.map(formatMonth), ['2024-11', '2024-12']);
  assert.deepEqual(await api.findForce(at), { kind: 'answered', value: 'City of London Police' });
  const crimes = await api.crimesNear(at, mile, '2024-12', 'newest');
  assert.ok(crimes.kind === 'answered');
  assert.deepEqual(
    crimes.value.map(({ category, location, outcome }) => [category, location, outcome?.label]),
    [
      ['drugs', 'On or near Quayside', 'Under investigation'],
      ['violent-crime', 'On or near Quayside', undefined],
    ],
  );
  assert.equal(
    server.asked.at(-1)?.address,
    '/api/crimes-street/all-crime?lat=51.500000&lng=-0.100000&date=2024-12',
  );
});

test('a settled month is asked for once in a lifetime, the newest once a day', async () => {
  await openApi().crimesNear(at, mile, '2024-11', 'settled');
  await openApi().crimesNear(at, mile, '2024-12', 'newest');
  assert.equal(server.asked.length, 2);
  clock.ms += 86_399_000;
  await openApi().crimesNear(at, mile, '2024-11', 'settled');
  await openApi().crimesNear(at, mile, '2024-12', 'newest');
  assert.equal(server.asked.length, 2);
  clock.ms += 2_000;
  await openApi().crimesNear(at, mile, '2024-12', 'newest');
  clock.ms += 10 * 365 * 86_400_000;
  await openApi().crimesNear(at, mile, '2024-11', 'settled');
  assert.equal(server.asked.length, 3);
});

test('which months there are is asked once a day, which force polices a point once in thirty days', async () => {
  const ask = async () => {
    await openApi().findMonths();
    await openApi().findForce(at);
    return server.asked.length;
  };
  assert.equal(await ask(), 2);
  clock.ms += 86_399_000;
  assert.equal(await ask(), 2);
  clock.ms += 2_000;
  assert.equal(await ask(), 3);
  clock.ms += 29 * 86_400_000;
  assert.equal(await ask(), 5);
});

test('a cache that cannot be written, or holds another address under the same name, costs a request and nothing else', async () => {
  await openApi().crimesNear(at, mile, '2024-11', 'settled');
  const [kept = assert.fail('nothing was kept')] = globSync('*/*', { cwd: folder });
  const text = readFileSync(path.join(folder, kept), 'utf8');
  writeFileSync(path.join(folder, kept), text.replace('2024-11', '2024-10'));
  assert.equal((await openApi().crimesNear(at, mile, '2024-11', 'settled')).kind, 'answered');
  assert.equal(server.asked.length, 2);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'a file where the folder should be');
  for (const count of [3, 4]) {
    assert.equal((await openApi().crimesNear(at, mile, '2024-11', 'settled')).kind, 'answered');
    assert.equal(server.asked.length, count);
  }
});

test('crimes without a place are left out, and crimes of another month are an answer of another form', async () => {
  await server.close();
  server = await openPoliceServer({
    months: ['2024-12'],
    force: undefined,
    crimes: (month) =>
      month === '2024-11'
        ? [crime('2024-11', 'drugs'), crime('2024-11', 'burglary', [51.5, -0.1], { location: null })]
        : [crime('2024-09', 'drugs')],
  });
  const found = await openApi().crimesNear(at, mile, '2024-11', 'settled');
  assert.ok(found.kind === 'answered');
  assert.deepEqual(
    found.value.map(({ category }) => category),
    ['drugs'],
  );
  assert.equal((await openApi().crimesNear(at, mile, '2024-10', 'settled')).kind, 'failed');
});

test('threads divide the burst and the rate among them', async () => {
  const api = openApi(5);
  const askAll = async (from: number, count: number) => {
    for (let at = from; at < from + count; at += 1)
      await api.findForce({ latitudeDegrees: 50 + at / 100, longitudeDegrees: 0 });
  };
  // Six at once, then three a second.
  await askAll(0, 6);
  assert.deepEqual(clock.slept, []);
  await askAll(6, 3);
  assert.deepEqual([clock.slept.length, clock.slept.reduce((sum, ms) => sum + ms, 0)], [3, 1_000]);
});

test('a pause that the service asks for is obeyed up to five seconds', async () => {
  server.retryAfterSeconds = 60;
  server.moods.push(429);
  assert.equal((await openApi().crimesNear(at, mile, '2024-11', 'settled')).kind, 'answered');
  assert.deepEqual(clock.slept, [3_750]);
});

test('an empty month may still be published: it is asked for again the next day', async () => {
  await server.close();
  server = await openPoliceServer({ months: ['2024-12'], force: undefined, crimes: () => [] });
  await openApi().crimesNear(at, mile, '2024-11', 'settled');
  await openApi().crimesNear(at, mile, '2024-11', 'settled');
  assert.equal(server.asked.length, 1);
  clock.ms += 86_401_000;
  await openApi().crimesNear(at, mile, '2024-11', 'settled');
  assert.equal(server.asked.length, 2);
});

test('what was kept and then damaged is asked for again', async () => {
  await openApi().crimesNear(at, mile, '2024-11', 'settled');
  const [kept = assert.fail('nothing was kept')] = globSync('*/*', { cwd: folder });
  const whole = readFileSync(path.join(folder, kept), 'utf8');
  for (const [times, damaged] of [whole.slice(0, -9), `${whole.replace('[{', '{"a":[{')}}`, ''].entries()) {
    writeFileSync(path.join(folder, kept), damaged);
    assert.equal((await openApi().crimesNear(at, mile, '2024-11', 'settled')).kind, 'answered');
    assert.equal(server.asked.length, 2 + times);
  }
});

test('a larger area with too many crimes is told apart, is not pressed, and closes nothing for others', async () => {
  const api = openApi();
  server.mood = 503;
  for (let call = 0; call < 6; call += 1) {
    assert.deepEqual(await api.crimesNear(at, 5_000, '2024-11', 'settled'), { kind: 'too much' });
  }
  assert.equal(server.asked.length, 6);
  server.mood = 'well';
  assert.equal((await api.crimesNear(at, mile, '2024-11', 'settled')).kind, 'answered');
});

test('whoever would wait more than twenty seconds for his turn is told so at once', async () => {
  const { promise: turn, resolve: letGo } = Promise.withResolvers<void>();
  const api = openPoliceApi(
    {
      name: 'police-api',
      metrics: new Metrics(),
      baseUrl: server.url,
      cacheFolder: folder,
      cacheBytesMost: 2 ** 30,
      sharers: 1,
      deadline: server.patience.deadline,
    },
    { now: () => clock.ms, sleep: () => turn, random: () => 0 },
  )(account);
  const asked = Array.from({ length: 340 }, (_, index) =>
    api.crimesNear({ ...at, latitudeDegrees: 50 + index / 100 }, mile, '2024-11', 'settled'),
  );
  // A burst of 30 and 15 a second for 20 seconds have a turn.
  const refused = await Promise.all(asked.slice(330));
  assert.deepEqual(new Set(refused.map(({ kind }) => kind)), new Set(['unavailable']));
  const [first] = refused;
  assert.ok(first?.kind === 'unavailable' && first.retrySeconds === 21);
  letGo();
  const answered = await Promise.all(asked.slice(0, 330));
  assert.deepEqual(new Set(answered.map(({ kind }) => kind)), new Set(['answered']));
});

test('equal questions at the same moment are one request', async () => {
  const api = openApi();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => api.crimesNear(at, mile, '2024-11', 'settled')),
  );
  assert.equal(server.asked.length, 1);
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
});

test('429, 503, a cut answer and silence are tried again, with a pause that is partly chance', async () => {
  for (const mood of [429, 503, 'cut', 'silent'] as const) {
    server.moods.push(mood, mood);
    const before = server.asked.length;
    const pauses = clock.slept.length;
    const month = `2023-0${1 + clock.slept.length}`;
    const answer = await openApi().crimesNear(at, mile, month, 'settled');
    assert.equal(answer.kind, 'answered', String(mood));
    assert.equal(server.asked.length - before, 3, String(mood));
    const [first = 0, second = 0] = clock.slept.slice(pauses);
    // Retry-After: 1 is obeyed, and half of every pause is chance.
    assert.deepEqual([first, second], mood === 429 ? [750, 750] : [375, 750]);
  }
});

test('what keeps failing is a failure, and so is junk, an answer of another form, 400 and 404; none is kept', async () => {
  const tries = { 429: 3, 503: 3, cut: 3, silent: 3, junk: 1, odd: 1, 400: 1, 404: 1 };
  for (const [mood, count] of Object.entries(tries)) {
    const kind = Number.isNaN(Number(mood)) ? mood : Number(mood);
    server.mood = kind as PoliceServer['mood'];
    const before = server.asked.length;
    const answer = await openApi().crimesNear(at, mile, '2024-11', 'settled');
    assert.equal(answer.kind, 'failed', mood);
    assert.equal(server.asked.length - before, count, mood);
  }
  server.mood = 'well';
  assert.equal((await openApi().crimesNear(at, mile, '2024-11', 'settled')).kind, 'answered');
});

test('a point that nobody polices has no force, which is no failure', async () => {
  await server.close();
  server = await openPoliceServer({ months: [], force: undefined, crimes: () => [] });
  assert.deepEqual(await openApi().findForce(at), { kind: 'answered', value: undefined });
});

test('after five failures nobody is asked for half a minute, then one request goes ahead', async () => {
  const api = openApi();
  server.mood = 400;
  const ask = (month: number) => api.crimesNear(at, mile, `2024-0${month}`, 'settled');
  for (let month = 1; month <= 5; month += 1) assert.equal((await ask(month)).kind, 'failed');
  assert.deepEqual(await ask(6), { kind: 'unavailable', retrySeconds: 30 });
  assert.equal(server.asked.length, 5);
  clock.ms += 30_001;
  const [one, other] = await Promise.all([ask(7), ask(8)]);
  assert.deepEqual([one.kind, other.kind].sort(), ['failed', 'unavailable']);
  clock.ms += 30_001;
  server.mood = 'well';
  assert.equal((await ask(7)).kind, 'answered');
  assert.equal((await ask(8)).kind, 'answered');
});

test('the metrics tell how questions to the service ended, and that its breaker is open', async () => {
  const metrics = new Metrics();
  const api = openApi(1, metrics);
  const figures = async () =>
    [...renderMetrics([await metrics.snapshot()]).matchAll(/^domesday_upstream_\w+\{.*?\} \d+$/gm)].map(
      String,
    );
  const seen = (kept: number, heldBack: number, answered: number, failed: number, breaker: number) => [
    `domesday_upstream_requests_total{service="police-api",result="held back"} ${heldBack}`,
    `domesday_upstream_requests_total{service="police-api",result="answered"} ${answered}`,
    `domesday_upstream_requests_total{service="police-api",result="failed"} ${failed}`,
    `domesday_upstream_requests_total{service="police-api",result="kept"} ${kept}`,
    `domesday_upstream_breaker_open{service="police-api"} ${breaker}`,
  ];
  await api.findMonths();
  await api.findMonths();
  assert.deepEqual(await figures(), seen(1, 0, 1, 0, 0));
  server.mood = 400;
  for (let month = 1; month <= 6; month += 1) await api.crimesNear(at, mile, `2024-0${month}`, 'settled');
  assert.deepEqual(await figures(), seen(1, 1, 1, 5, 1));
});

test('answers of another form are failures that close the service, and too many crimes tell nothing of its health', async () => {
  const odd = openApi();
  server.mood = 'odd';
  const askOdd = (month: number) => odd.crimesNear(at, mile, `2024-0${month}`, 'settled');
  for (let month = 1; month <= 5; month += 1) assert.equal((await askOdd(month)).kind, 'failed');
  assert.deepEqual(await askOdd(6), { kind: 'unavailable', retrySeconds: 30 });
  const api = openApi();
  const ask = (month: number) => api.crimesNear(at, mile, `2024-0${month}`, 'settled');
  server.mood = 400;
  for (let month = 1; month <= 4; month += 1) assert.equal((await ask(month)).kind, 'failed');
  server.mood = 503;
  assert.equal((await api.crimesNear(at, 5_000, '2024-01', 'settled')).kind, 'too much');
  server.mood = 400;
  assert.equal((await ask(5)).kind, 'failed');
  assert.deepEqual(await ask(6), { kind: 'unavailable', retrySeconds: 30 });
});

test('a circle larger than a mile is asked for as an area that holds all of it', async () => {
  await openApi().crimesNear(at, 5_000, '2024-12', 'newest');
  const address = server.asked.at(-1)?.address ?? '';
  assert.ok(address.length < 4_094);
  const corners =
    new URL(address, server.url).searchParams
      .get('poly')
      ?.split(':')
      .map((pair) => pair.split(',').map(Number)) ?? [];
  assert.equal(corners.length, 48);
  // Every place on the circle lies on the same side of every side, the inner one.
  for (let bearing = 0; bearing < 360; bearing += 1) {
    const angle = (bearing * Math.PI) / 180;
    const north = at.latitudeDegrees + (5_000 / 111_195) * Math.cos(angle);
    const reachEast = 5_000 / (111_195 * Math.cos((at.latitudeDegrees * Math.PI) / 180));
    const east = at.longitudeDegrees + reachEast * Math.sin(angle);
    for (const [index, [fromNorth = 0, fromEast = 0]] of corners.entries()) {
      const next: readonly number[] = corners[(index + 1) % corners.length] ?? [];
      const [toNorth = 0, toEast = 0] = next;
      const side = (toEast - fromEast) * (north - fromNorth) - (toNorth - fromNorth) * (east - fromEast);
      assert.ok(side > 0, `${bearing}° lies outside`);
    }
  }
  // And not much more, as the service counts what is in it against its limit.
  for (const [north = 0, east = 0] of corners) {
    const metres = distanceMetres(at.latitudeDegrees, at.longitudeDegrees, north, east);
    assert.ok(metres < 1.01 * 5_000, `a corner ${metres} m away`);
  }
});

test('never more than a burst of 30 and 15 a second, however many ask', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 50, maxLength: 200 }),
      async (gaps) => {
        let now = 0;
        const sent: number[] = [];
        const turns = new FairTurns(15, 30, {
          now: () => now,
          // The moment it may go is noted instead of waited for.
          sleep: async (ms) => {
            sent.push(now + ms);
          },
          random: () => 0,
        });
        for (const gap of gaps) {
          now += gap;
          const before = sent.length;
          await turns.take(account);
          if (sent.length === before) sent.push(now);
        }
        sent.sort((a, b) => a - b);
        for (const [first, start] of sent.entries()) {
          for (const [length, end] of sent.slice(first).entries()) {
            assert.ok(
              length + 1 <= 30 + ((end - start) * 15) / 1000 + 1,
              `${length + 1} in ${end - start} ms`,
            );
          }
        }
      },
    ),
    { numRuns: 30 },
  );
});

test('an answer without end is given up after some megabytes, once, and not tried again', async () => {
  server.mood = 'endless';
  const answer = await openApi().crimesNear(at, mile, '2024-11', 'settled');
  assert.deepEqual(answer, { kind: 'failed', problem: 'TooLarge' });
  assert.equal(server.asked.length, 1);
  assert.ok(server.taken.bytes < 40_000_000, `${server.taken.bytes} bytes were taken`);
  assert.deepEqual(globSync('*/*', { cwd: folder }), []);
});

test('a redirect is followed nowhere', async () => {
  server.mood = 'elsewhere';
  const answer = await openApi().crimesNear(at, mile, '2024-11', 'settled');
  assert.deepEqual(answer, { kind: 'failed', problem: 'status 302' });
  assert.deepEqual(
    server.asked.filter(({ address }) => address.includes('elsewhere')),
    [],
  );
});

test('an account that asks so much that it is refused leaves another one its turns', async () => {
  const { promise: turn, resolve: letGo } = Promise.withResolvers<void>();
  const open = openPoliceApi(
    {
      name: 'police-api',
      metrics: new Metrics(),
      baseUrl: server.url,
      cacheFolder: folder,
      cacheBytesMost: 2 ** 30,
      sharers: 1,
      deadline: server.patience.deadline,
    },
    {
      now: () => clock.ms,
      sleep: async (ms) => {
        await turn;
        clock.ms += ms;
      },
      random: () => 0,
    },
  );
  const forceAt = (account: string, degrees: number) =>
    open(account).findForce({ latitudeDegrees: degrees, longitudeDegrees: 0 });
  const hog = Array.from({ length: 400 }, (_, index) => forceAt('acc_hog', 50 + index / 1000));
  // The first that is refused tells that its twenty seconds are taken.
  await Promise.race(
    hog.map(async (answer) => (await answer).kind === 'unavailable' || new Promise(() => {})),
  );
  const modest = [forceAt('acc_modest', 60), forceAt('acc_modest', 61)];
  letGo();
  const kinds = (await Promise.all(modest)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['answered', 'answered']);
  await Promise.all(hog);
});

test('whatever accounts ask, in any order, they get turns that differ by one at most while they wait', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 60 }),
      async (askers) => {
        const sleeps: (() => void)[] = [];
        const turns = new FairTurns(1, 1, {
          now: () => 0,
          sleep: () => new Promise((resolve) => sleeps.push(resolve)),
          random: () => 0,
        });
        const order: string[] = [];
        const left = new Map<string, number>();
        for (const asker of askers) {
          left.set(asker, (left.get(asker) ?? 0) + 1);
          void turns.take(asker).then(() => order.push(asker));
        }
        await new Promise(setImmediate);
        // The first found nobody before it.
        left.set(order[0] ?? '', (left.get(order[0] ?? '') ?? 0) - 1);
        while (order.length < askers.length) {
          sleeps.shift()?.();
          await new Promise(setImmediate);
        }
        const since = new Map<string, number>();
        for (const asker of order.slice(1)) {
          since.set(asker, (since.get(asker) ?? 0) + 1);
          left.set(asker, (left.get(asker) ?? 0) - 1);
          for (const [other, waiting] of left) {
            if (waiting > 0)
              assert.ok((since.get(asker) ?? 0) <= (since.get(other) ?? 0) + 1, order.join(''));
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('what is kept has a limit: answers that were used longest ago go, and drafts that a crash left', async () => {
  const limit = 64 * 1024;
  const text = (name: string) => JSON.stringify(Array.from({ length: 400 }, () => [name, Math.random()]));
  const cache = new DiskCache({ folder, bytesMost: limit });
  const day = 86_400_000;
  const keep = (name: string, nowMs: number) =>
    cache.keep(name, text(name), { nowMs, untilMs: Number.POSITIVE_INFINITY });
  await keep('/often', clock.ms);
  const draft = path.join(folder, 'aa', `${'b'.repeat(32)}.1-1-1`);
  mkdirSync(path.dirname(draft), { recursive: true });
  writeFileSync(draft, 'half');
  utimesSync(draft, 1, 1);
  for (let round = 0; round < 60; round += 1) {
    const nowMs = clock.ms + round * 2 * day;
    await keep(`/once/${round}`, nowMs);
    assert.notEqual(await cache.find('/often', nowMs), undefined, `in use, but gone in round ${round}`);
    const bytes = globSync('*/*', { cwd: folder }).reduce(
      (sum, name) => sum + statSync(path.join(folder, name)).size,
      0,
    );
    assert.ok(bytes <= (limit / 16) * 18, `${bytes} bytes`);
  }
  assert.equal(existsSync(draft), false);
  assert.equal(await cache.find('/once/0', clock.ms), undefined);
  assert.notEqual(await cache.find('/once/59', clock.ms), undefined);
});
