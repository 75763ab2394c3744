// An update that is killed at a step, and the one after it: that must end as if nothing had happened.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { keepCompiledModules } from '../../bin/compile-cache.js';
import type { Release } from '../../src/release/reader.ts';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { readUpdateState } from '../../src/update/state.ts';
import { bundledHome } from '../rig.ts';
import { partsOf, runUpdateIn } from './desk.ts';
import { putEverything } from './editions.ts';
import { openPublishers } from './publishers.ts';

// For the processes.
keepCompiledModules();

const program = path.join(import.meta.dirname, 'update-process.ts');

type Child = {
  readonly out: string;
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
};

function run(...args: readonly string[]): Promise<Child> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  return new Promise((resolve) => {
    child.on('close', (status, signal) => resolve({ out, status, signal }));
  });
}

const current = (home: string): Release => openHome(home, layouts).releases.openCurrent();

export type Killing = {
  /** Everything that an update does to the disk, in its order. */
  readonly steps: readonly string[];
  /** At each of these. Rejects where the update after a kill does not end well, or with other data. */
  killAt(steps: readonly string[]): Promise<void>;
  /** The same with SIGTERM, after which the release before must be current. */
  stopAt(steps: readonly string[]): Promise<void>;
};

/** `names` are of sources. */
export async function openKilling(
  context: { after(end: () => void): void },
  names: readonly string[],
): Promise<Killing> {
  const publishers = await openPublishers(context);
  putEverything(publishers);
  const { home, remove } = await bundledHome();
  context.after(remove);
  const undisturbed = await run(home, publishers.from, names.join());
  const { steps, status, err } = JSON.parse(undisturbed.out);
  assert.equal(status, 0, err);
  const expected = partsOf(current(home));
  const end = async (step: string, by: 'SIGKILL' | 'SIGTERM') => {
    const own = await bundledHome();
    try {
      const before = current(own.home).id;
      const { signal, status, out } = await run(own.home, publishers.from, names.join(), step, by);
      if (by === 'SIGKILL') assert.equal(signal, by, `${step} was not reached: ${out}`);
      else assert.deepEqual([status, current(own.home).id], [1, before], `${step}: ${out}`);
      const again = await runUpdateIn(own.home, publishers.from, names);
      assert.equal(again.status, 0, `${step}: ${again.out}${again.err}`);
      assert.deepEqual(partsOf(current(own.home)), expected, step);
      const { publications, lastRun } = readUpdateState(own.home);
      assert.equal(lastRun?.outcome, 'fresh', step);
      for (const [name, { files }] of Object.entries(publications)) assert.ok(files, `${step}: ${name}`);
      assert.deepEqual(leftIn(own.home), [], step);
    } finally {
      own.remove();
    }
  };
  const endAll = async (chosen: readonly string[], by: 'SIGKILL' | 'SIGTERM') => {
    // Two at a time, as most machines have two processors.
    const halves = [0, 1].map((side) => chosen.filter((_, at) => at % 2 === side));
    await Promise.all(
      halves.map(async (half) => {
        for (const step of half) await end(step, by);
      }),
    );
  };
  return {
    steps,
    killAt: (chosen) => endAll(chosen, 'SIGKILL'),
    stopAt: (chosen) => endAll(chosen, 'SIGTERM'),
  };
}

/** What no release and no next run needs. */
const leftIn = (home: string): readonly string[] => [
  ...readdirSync(path.join(home, 'updates/files')),
  ...readdirSync(path.join(home, 'releases')).filter((name) => name.includes('building')),
];

/** So many of them, spread evenly, the last among them. */
export const spread = <T>(steps: readonly T[], count: number): readonly T[] =>
  steps.filter(
    (_, at) => Math.floor(((at + 1) * count) / steps.length) > Math.floor((at * count) / steps.length),
  );
