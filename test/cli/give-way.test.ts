// Work beside a service has the processor only while nothing else wants it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { scheduler, testWith } from '../requirements.ts';

const module = fileURLToPath(new URL('../../src/cli/give-way.ts', import.meta.url));
/** Of every thread: nice value and scheduling class. */
const tell = `
  import { readdirSync, readFileSync } from 'node:fs';
  import { getPriority } from 'node:os';
  const { giveWay } = await import(${JSON.stringify(module)});
  await giveWay();
  console.log(JSON.stringify({ nice: getPriority(), classes: process.platform !== 'linux' ? [] :
    readdirSync('/proc/self/task').map((id) => readFileSync('/proc/self/task/' + id + '/stat', 'utf8').split(') ').at(-1).split(' ')[38]) }));`;

function tellOf(env: NodeJS.ProcessEnv): { readonly nice: number; readonly classes: readonly string[] } {
  const args = ['--input-type=module', '-e', tell];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

const idleClass = '5';

testWith(scheduler, 'all threads of a process that gives way are idle to the kernel', () => {
  const { nice, classes } = tellOf(process.env);
  assert.equal(nice, 19);
  assert.ok(classes.length > 1);
  assert.deepEqual([...new Set(classes)], [idleClass]);
});

test('without the program that changes it, the lowest priority has to do', () => {
  assert.equal(tellOf({ ...process.env, PATH: '/nowhere' }).nice, 19);
});
