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
  const processors = () => readFileSync('/proc/self/task/' + process.pid + '/status', 'utf8').match(/Cpus_allowed:\\s*(.*)/)[1];
  const before = process.platform !== 'linux' ? '' : processors();
  await giveWay();
  const after = process.platform !== 'linux' ? '' : processors();
  console.log(JSON.stringify({ nice: getPriority(), before, after, classes: process.platform !== 'linux' ? [] :
    readdirSync('/proc/self/task').map((id) => readFileSync('/proc/self/task/' + id + '/stat', 'utf8').split(') ').at(-1).split(' ')[38]) }));`;

type Told = {
  readonly nice: number;
  readonly classes: readonly string[];
  /** Processors that it may use, as bits in hexadecimal digits. */
  readonly before: string;
  readonly after: string;
};

function tellOf(env: NodeJS.ProcessEnv): Told {
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

testWith(scheduler, 'half of the processors are left to the service', () => {
  const { before, after } = tellOf(process.env);
  const bitsOf = (mask: string) => [...BigInt(`0x${mask.replaceAll(',', '')}`).toString(2)].map(Number);
  const countOf = (mask: string) => bitsOf(mask).reduce((sum, bit) => sum + bit, 0);
  assert.equal(countOf(after), Math.max(1, Math.floor(countOf(before) / 2)));
  assert.equal(
    BigInt(`0x${before.replaceAll(',', '')}`) | BigInt(`0x${after.replaceAll(',', '')}`),
    BigInt(`0x${before.replaceAll(',', '')}`),
  );
});

test('without the program that changes it, the lowest priority has to do', () => {
  assert.equal(tellOf({ ...process.env, PATH: '/nowhere' }).nice, 19);
});
