// The command as the first process of a container, to which the kernel sends no signal that it does not listen for.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { pidNamespaces, testWith } from '../requirements.ts';
import { bundledHome, command, startDomesday } from '../rig.ts';

const againEveryMs = 10;

/** By the id that it has outside of its container; undefined before it is there and after its end. */
function firstProcessOf({ pid }: ChildProcess): number | undefined {
  try {
    const [, first] = /^(\d+)/.exec(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')) ?? [];
    return first === undefined ? undefined : Number(first);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

for (const [signal, status] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const) {
  testWith(
    pidNamespaces(),
    `a command ends at ${signal}, whatever it waits for`,
    async ([program = '', ...words], context) => {
      const { home, remove } = await bundledHome();
      // For some seconds the second waits for the first to end.
      const first = await startDomesday(home);
      context.after(async () => {
        await first.stop();
        remove();
      });
      const second = spawn(program, [...words, process.execPath, command, 'serve'], {
        env: { PATH: process.env.PATH, DOMESDAY_HOME: home, PORT: '0' },
        stdio: 'ignore',
      });
      // Nobody can see from outside when it begins to listen, so it is told until it ends.
      const telling = setInterval(() => {
        const first = firstProcessOf(second);
        if (first !== undefined) process.kill(first, signal);
      }, againEveryMs);
      context.after(() => clearInterval(telling));
      const [code, by] = await once(second, 'close');
      // One that comes while it ends is the kernel's to tell.
      assert.ok(code === status || by === signal, `it ended with ${code ?? by}`);
    },
  );
}

testWith(
  pidNamespaces(),
  'a service finishes and ends with 0 at SIGTERM',
  async ([program = '', ...words], context) => {
    const { home, remove } = await bundledHome();
    context.after(remove);
    const child = spawn(program, [...words, process.execPath, command, 'serve'], {
      env: { PATH: process.env.PATH, DOMESDAY_HOME: home, PORT: '0' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'close');
    await once(child.stdout, 'data');
    process.kill(firstProcessOf(child) ?? assert.fail('it has ended'), 'SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  },
);
