// `domesday serve` as a whole process that is told to update its data, against a server that plays all publishers: the run
// begins when it is due, as a process of the lowest priority, and what it loaded is served without a start.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { nextRunMs } from '../../../src/cli/serve/updates.ts';
import { writeUpdateState } from '../../../src/update/state.ts';
import { bundledHome, runDomesdayProcess, startDomesday } from '../../rig.ts';
import { putEverything } from '../../update/editions.ts';
import { openPublishers } from '../../update/publishers.ts';

const time = { every: 'day', minuteOfDay: 210 } as const;
const token = 'a token of the test';

/** Of every process: its parent, how nice it is, and what it runs. */
const processes = () =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,ni=,args='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [, pid, parent, nice, args = ''] = /^\s*(\d+)\s+(\d+)\s+(-?\d+|-)\s+(.*)$/.exec(line) ?? [];
      return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), nice, args }];
    });

const updatesOf = (home: string) =>
  processes().filter(({ args }) => args.includes(' update ') && args.includes(home));

test('a service with DOMESDAY_UPDATE updates by itself when it is due, and health, metrics and check tell how it went and what comes next', async (context) => {
  const { home, remove } = await bundledHome();
  context.after(remove);
  const publishers = await openPublishers(context);
  putEverything(publishers);
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const { promise: goOn, resolve: letGo } = Promise.withResolvers<void>();
  publishers.onSent(async () => {
    isAsked();
    await goOn;
  });
  const dueMs = nextRunMs(time, home, Date.UTC(2026, 10, 16, 12));
  const clock = path.join(home, 'clock');
  const setClock = (ms: number) => writeFileSync(clock, String(ms));
  setClock(dueMs - 500);
  mkdirSync(path.join(home, 'updates'));
  const yesterday = new Date(dueMs - 86_400_000).toISOString();
  const lastRun = {
    startedAt: yesterday,
    endedAt: yesterday,
    outcome: 'fresh',
    release: null,
    kept: [],
  } as const;
  writeUpdateState(home, { publications: {}, notBefore: {}, termsShown: [], removing: [], lastRun });
  const env = {
    NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'set-clock.ts')}`,
    DOMESDAY_TEST_CLOCK: clock,
    DOMESDAY_UPDATE: 'daily',
    DOMESDAY_UPDATE_SET: 'essential',
    DOMESDAY_UPDATE_FROM: publishers.from,
    DOMESDAY_METRICS_TOKEN: token,
    DOMESDAY_WATCH_RELEASE_MS: '50',
  };
  const running = await startDomesday(home, env);
  context.after(() => {
    letGo();
    running.child.kill();
  });
  const ready = async () => JSON.parse(await (await fetch(`${running.url}/health/ready`)).text());
  const before = await ready();
  assert.deepEqual(
    [before.update.lastRun.endedAt, before.update.nextRun],
    [yesterday, new Date(dueMs).toISOString()],
  );

  await asked;
  const updates = updatesOf(home);
  // By its priority, or because the kernel runs it only when nothing else wants to.
  assert.match(updates.map(({ nice }) => nice).join(), /^(19|-)$/);
  assert.ok(processes().some(({ pid }) => pid === updates[0]?.parent));
  let clockMs = dueMs + 60_000;
  setClock(clockMs);
  letGo();
  let after = await ready();
  while (after.release === before.release || after.update.lastRun.release !== after.release) {
    assert.equal(running.child.exitCode, null);
    // The file of what the home remembers is read at most once a second, by a clock that stands still.
    clockMs += 2_000;
    setClock(clockMs);
    await pause(50);
    after = await ready();
  }
  const nextMs = nextRunMs(time, home, clockMs);
  assert.deepEqual(
    [after.update.lastRun.outcome, after.update.failing, after.update.nextRun],
    ['fresh', 0, new Date(nextMs).toISOString()],
  );
  const metrics = await (
    await fetch(`${running.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  ).text();
  const endedS = Date.parse(after.update.lastRun.endedAt) / 1_000;
  assert.match(metrics, new RegExp(`^domesday_update_last_run_timestamp_seconds ${endedS}$`, 'm'));
  assert.match(metrics, new RegExp(`^domesday_update_next_run_timestamp_seconds ${nextMs / 1_000}$`, 'm'));
  const { out } = await runDomesdayProcess(['check', '--all', '--home', home], env);
  assert.match(out, /The last update, on 2026-11-17, found everything up to date, or loaded it\./);
  assert.match(out, new RegExp(`The service runs the next update .*${new Date(nextMs).toISOString()}`));
  assert.equal((await running.stop()).code, 0);
  assert.deepEqual(updatesOf(home), []);
});
