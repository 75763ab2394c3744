// A service that updates its data by itself: when, as what process, what it tells of it, and how it ends.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { updateByItself } from '../../../src/cli/serve/updater.ts';
import { catchUpMs, firstRunMs, nextRunMs } from '../../../src/cli/serve/updates.ts';
import { readSettings } from '../../../src/config.ts';
import { Log } from '../../../src/http/observe/log.ts';
import { dayMs } from '../../../src/time.ts';
import { writeUpdateState } from '../../../src/update/state.ts';
import { openRig, type Rig, temporaryHome } from '../../rig.ts';
import { bankRateAddress, bankRateCsv } from '../../update/editions.ts';
import { openPublishers, type Publishers } from '../../update/publishers.ts';

type Service = {
  readonly rig: Rig;
  readonly publishers: Publishers;
  /** Resolves with the first line of the log that has the words. */
  logged(words: string): Promise<string>;
  readonly stop: () => Promise<void>;
};

/** The publishers have Bank Rate and nothing else. */
async function openService(
  context: TestContext,
  env: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const rig = await openRig();
  const publishers = await openPublishers(context);
  publishers.put(bankRateAddress, { content: bankRateCsv(), tells: 'nothing', is: 'file' });
  const settings = readSettings(
    { DOMESDAY_HOME: rig.home, DOMESDAY_UPDATE: 'daily', DOMESDAY_UPDATE_FROM: publishers.from },
    {},
  );
  const lines: string[] = [];
  const waiting = new Map<string, (line: string) => void>();
  const log = new Log(
    { ...settings, log: 'info' },
    (line) => {
      lines.push(line);
      for (const [words, tell] of waiting) if (line.includes(words)) tell(line);
    },
    Date.now,
  );
  const time = settings.update ?? assert.fail();
  const stop = updateByItself({
    time,
    settings,
    io: { env: { PATH: process.env.PATH, ...env }, now: Date.now },
    log,
    soonMs: 0,
  });
  context.after(async () => {
    publishers.onSent(async () => {});
    await stop();
    await rig.close();
  });
  return {
    rig,
    publishers,
    stop,
    logged: (words) =>
      new Promise((resolve) => {
        const before = lines.find((line) => line.includes(words));
        if (before === undefined) waiting.set(words, resolve);
        else resolve(before);
      }),
  };
}

/** How nice each update is that this process has started; `-` where the kernel runs it only when nothing else wants to. */
const updatesRunning = (home: string): readonly string[] =>
  execFileSync('ps', ['-A', '-o', 'ppid=,ni=,args='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [, parent, nice, args = ''] = /^\s*(\d+)\s+(-?\d+|-)\s+(.*)$/.exec(line) ?? [];
      return Number(parent) === process.pid && args.includes(home) && nice !== undefined ? [nice] : [];
    });

test('a home that was never updated is updated soon after the start, and health, datasets and metrics tell how it went', async (context) => {
  const { rig, logged } = await openService(context);
  assert.equal((await rig.get('/health/ready')).json().update.lastRun, null);
  assert.match(await logged('the update ended'), /some datasets keep their old data/);
  // Read at most once a second.
  rig.clock.nowMs += 2_000;
  const { update } = (await rig.get('/health/ready')).json();
  assert.equal(update.lastRun.outcome, 'some kept');
  assert.ok(update.failing > 10, String(update.failing));
  const { updates } = (await rig.get('/api/v1/datasets')).json().data;
  const found = (name: string) =>
    updates.publications.find(({ publication }: { publication: string }) => publication === name);
  assert.deepEqual(
    [found('bank-rate').failingSince, typeof found('bank-rate').lastChecked],
    [null, 'string'],
  );
  assert.match(found('road-traffic').failingBecause, /storage\.googleapis\.com/);
  assert.ok(!JSON.stringify(updates).includes(rig.home));
  const metrics = await rig.metrics();
  assert.match(metrics, /^domesday_update_last_run_timestamp_seconds \d+/m);
  assert.match(
    metrics,
    /^domesday_update_failing_since_timestamp_seconds\{dataset="traffic",publication="road-traffic"\} \d+/m,
  );
});

test('it is a process of the lowest priority, one at a time, and ends with the service', async (context) => {
  const { rig, publishers, stop, logged } = await openService(context);
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  publishers.onSent(() => {
    isAsked();
    return new Promise(() => {});
  });
  await asked;
  assert.match(updatesRunning(rig.home).join(), /^(19|-)$/);
  await stop();
  assert.deepEqual(updatesRunning(rig.home), []);
  assert.match(await logged('the update'), /stopped|ended|failed/);
  assert.equal(existsSync(path.join(rig.home, 'updates/state.json')), false);
});

test('a fault of the program in an update is logged by what it says, not by the last line of its stack', async (context) => {
  const fault = 'data:text/javascript,throw%20new%20RangeError(%60made%20up%60)';
  const { logged } = await openService(context, { NODE_OPTIONS: `--import=${fault}` });
  assert.match(await logged('the update failed'), /the data stays as it was: RangeError: made up/);
});

const times = fc.record({
  every: fc.constantFrom('day' as const, 'week' as const),
  minuteOfDay: fc.integer({ min: 0, max: 1439 }),
});
const moments = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2040, 0) });

test('the next run lies ahead, by at most its period and an hour of summer time, and the run after it a period later', () => {
  fc.assert(
    fc.property(times, moments, fc.string(), (time, nowMs, home) => {
      const next = nextRunMs(time, home, nowMs);
      const periodMs = time.every === 'day' ? dayMs : 7 * dayMs;
      assert.ok(next > nowMs && next - nowMs <= periodMs + 3_600_000, String(next - nowMs));
      assert.ok(Math.abs(nextRunMs(time, home, next) - next - periodMs) <= 3_600_000);
    }),
  );
});

test('a start makes up for a run that is overdue, also after a clock that was ahead, and waits where there was one', (context) => {
  const { home, remove } = temporaryHome();
  context.after(remove);
  mkdirSync(path.join(home, 'updates'));
  fc.assert(
    fc.property(times, moments, fc.integer({ min: -400, max: 400 }), (time, nowMs, days) => {
      const at = new Date(nowMs - days * dayMs - 7_200_000).toISOString();
      const lastRun = { startedAt: at, endedAt: at, outcome: 'fresh' as const, release: null, kept: [] };
      writeUpdateState(home, { publications: {}, notBefore: {}, termsShown: [], removing: [], lastRun });
      const isOverdue = days < 0 || days >= (time.every === 'day' ? 1 : 7);
      const first = firstRunMs(time, home, nowMs, catchUpMs);
      assert.equal(first, isOverdue ? nowMs + catchUpMs : nextRunMs(time, home, nowMs));
    }),
    { numRuns: 50 },
  );
});
