// kill -9 of a publisher and of a replica at steps that they take on the disk: the release before stays whole, and the next run
// ends as if there had been none.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { keepCompiledModules } from '../../bin/compile-cache.js';
import { spread } from '../update/killing.ts';
import {
  bytesOf,
  type Context,
  makeRelease,
  numbers,
  publishToFolder,
  storeOf,
  takeFrom,
  temporaryFolder,
} from './desk.ts';

// For the processes.
keepCompiledModules();

const program = path.join(import.meta.dirname, 'killed-process.ts');

function run(...args: readonly string[]): Promise<{ out: string; signal: NodeJS.Signals | null }> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  return new Promise((resolve) => {
    child.on('close', (_, signal) => resolve({ out, signal }));
  });
}

/** A publisher with a second release, a depot with the first, and a replica that has it. */
async function stage(context: Context) {
  const [a, b, depot] = [temporaryFolder(context), temporaryFolder(context), temporaryFolder(context)];
  const first = makeRelease(a, 1, { kept: numbers(1), changed: numbers(2) });
  await publishToFolder(depot, first);
  await takeFrom(depot, b);
  const second = makeRelease(a, 2, { kept: numbers(1), changed: numbers(3, 20_000) });
  return { a, b, depot, first: bytesOf(first), second: bytesOf(second), release: second };
}

function copyOf(context: Context, folder: string): string {
  const copy = temporaryFolder(context);
  cpSync(folder, copy, { recursive: true });
  return copy;
}

const leftIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /arriving|building|replica-files\/[0-9a-f]|[0-9a-f]{8}-[0-9a-f]{4}-/.test(name),
  );

test('a publisher killed at any of 8 steps leaves the release before, and the next one ends well', async (t) => {
  const { a, b, depot, first, second, release } = await stage(t);
  const undisturbed = await run('publish', a, copyOf(t, depot));
  const steps: readonly string[] = JSON.parse(undisturbed.out);
  const pointing = steps.findLast((step) => /^renameSync newest$/.test(step)) ?? assert.fail(steps.join());
  for (const step of new Set([...spread(steps, 7), pointing])) {
    const own = copyOf(t, depot);
    const { signal, out } = await run('publish', a, own, step);
    assert.equal(signal, 'SIGKILL', `${step} was not reached: ${out}`);
    const replica = copyOf(t, b);
    await takeFrom(own, replica);
    assert.deepEqual(
      bytesOf(storeOf(replica).openCurrent()),
      isAfterPointing(steps, step) ? second : first,
      step,
    );
    await publishToFolder(own, release);
    assert.deepEqual(leftIn(own), [], step);
    await takeFrom(own, replica);
    assert.deepEqual(bytesOf(storeOf(replica).openCurrent()), second, step);
  }
});

const isAfterPointing = (steps: readonly string[], step: string): boolean =>
  steps.indexOf(step) > steps.indexOf('renameSync newest');

test('a replica killed at any of 10 steps has the one release or the other, whole, and the next run ends well', async (t) => {
  const { a, b, depot, first, second } = await stage(t);
  assert.equal((await run('publish', a, depot)).signal, null);
  const steps: readonly string[] = JSON.parse((await run('fetch', copyOf(t, b), depot)).out);
  const switching = steps.filter((step) => /renameSync (releases\/current|replica\.json)$/.test(step));
  assert.equal(switching.length, 2);
  for (const step of new Set([...spread(steps, 8), ...switching])) {
    const own = copyOf(t, b);
    const { signal, out } = await run('fetch', own, depot, step);
    assert.equal(signal, 'SIGKILL', `${step} was not reached: ${out}`);
    const current = storeOf(own).openCurrent();
    current.verify();
    const isSwitched = steps.indexOf(step) > steps.indexOf('renameSync releases/current');
    assert.deepEqual(bytesOf(current), isSwitched ? second : first, step);
    await takeFrom(depot, own);
    assert.deepEqual(bytesOf(storeOf(own).openCurrent()), second, step);
    assert.deepEqual(leftIn(own), [], step);
  }
});
