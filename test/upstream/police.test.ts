// The live police service: what it answers is passed on, what it fails at is a failure, and it is never pressed.

import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { formatMonth } from '../../src/uk/calendar.ts';
import { openPoliceApi, type PoliceApi } from '../../src/upstream/police.ts';
import { TokenBucket } from '../../src/upstream/token-bucket.ts';
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
const openApi = (timeoutMs = 2_000): PoliceApi =>
  openPoliceApi(
    { baseUrl: server.url, cacheFolder: folder, sharers: 1, timeoutMs },
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
