// The live police service: what it answers is passed on, what it fails at is a failure, and it is never pressed.

import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { formatMonth } from '../../src/uk/calendar.ts';
import { distanceMetres } from '../../src/uk/grid.ts';
import { TokenBucket } from '../../src/upstream/live/token-bucket.ts';
import { openPoliceApi, type PoliceApi } from '../../src/upstream/police.ts';
import { crime, openPoliceServer, type PoliceServer } from './police-server.ts';

const at = { latitudeDegrees: 51.5, longitudeDegrees: -0.1 };
const mile = 1_609.344;
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
const openApi = (timeoutMs = 2_000, sharers = 1): PoliceApi =>
  openPoliceApi(
    { baseUrl: server.url, cacheFolder: folder, sharers, timeoutMs },
    {
      now: () => clock.ms,
      sleep: async (ms) => {
        clock.slept.push(ms);
        clock.ms += ms;
      },
      random: () => 0.5,
    },
  );

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
  const api = openApi(2_000, 5);
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
    { baseUrl: server.url, cacheFolder: folder, sharers: 1, timeoutMs: 5_000 },
    { now: () => clock.ms, sleep: () => turn, random: () => 0 },
  );
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
  for (const mood of [429, 503, 'cut', 'slow'] as const) {
    server.moods.push(mood, mood);
    const before = server.asked.length;
    const pauses = clock.slept.length;
    const month = `2023-0${1 + clock.slept.length}`;
    const answer = await openApi(100).crimesNear(at, mile, month, 'settled');
    assert.equal(answer.kind, 'answered', String(mood));
    assert.equal(server.asked.length - before, 3, String(mood));
    const [first = 0, second = 0] = clock.slept.slice(pauses);
    // Retry-After: 1 is obeyed, and half of every pause is chance.
    assert.deepEqual([first, second], mood === 429 ? [750, 750] : [375, 750]);
  }
});

test('what keeps failing is a failure, and so is junk, an answer of another form, 400 and 404; none is kept', async () => {
  const tries = { 429: 3, 503: 3, cut: 3, slow: 3, junk: 1, odd: 1, 400: 1, 404: 1 };
  for (const [mood, count] of Object.entries(tries)) {
    const kind = Number.isNaN(Number(mood)) ? mood : Number(mood);
    server.mood = kind as PoliceServer['mood'];
    const before = server.asked.length;
    const answer = await openApi(100).crimesNear(at, mile, '2024-11', 'settled');
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
  const api = openApi(100);
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
        const bucket = new TokenBucket(15, 30, {
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
          await bucket.take();
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
