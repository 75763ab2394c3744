// A service ends with what started it, where that waits for it: the launcher of an older Node, or npm. Started by a
// shell it outlives it. The end of all its processes is the end of the pipe that they print into.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { npm, olderNode, type Requirement, testWith } from '../../requirements.ts';
import { bundledHome, command } from '../../rig.ts';

const root = path.join(import.meta.dirname, '../../..');

let home: string;
let remove: () => void;
before(async () => {
  ({ home, remove } = await bundledHome());
});
after(() => remove());

type Started = { child: ChildProcess; url: string; ended: Promise<unknown> };

/** Resolves when the service listens. */
async function start(program: string, args: readonly string[]): Promise<Started> {
  const child = spawn(program, args, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DOMESDAY_HOME: home, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child.stdout, 'end');
  let output = '';
  for await (const [chunk] of on(child)) {
    output += String(chunk);
    const url = /listens on (http:\/\/\S+)/.exec(output)?.[1];
    if (url !== undefined) {
      child.stdout.resume();
      return { child, url, ended };
    }
  }
  return assert.fail(`it ended: ${output}`);
}

async function* on({ stdout }: ChildProcess): AsyncGenerator<[Buffer]> {
  assert.ok(stdout !== null);
  for (;;) yield [(await once(stdout, 'data'))[0]];
}

async function assertEndsWith({ ended, url }: Started): Promise<void> {
  await ended;
  await assert.rejects(fetch(`${url}/health/live`));
}

testWith(olderNode(), 'kill -9 of the launcher of an older Node ends the service', async (node) => {
  const started = await start(node, [command, 'serve']);
  started.child.kill('SIGKILL');
  await assertEndsWith(started);
});

testWith(
  olderNode(),
  'an older Node runs a command to its end, and passes SIGTERM on to the service',
  async (node) => {
    const version = spawn(node, [command, '--version'], { stdio: 'ignore' });
    assert.deepEqual(await once(version, 'exit'), [0, null]);
    const started = await start(node, [command, 'serve']);
    started.child.kill('SIGTERM');
    assert.deepEqual(await once(started.child, 'exit'), [0, null]);
    await assertEndsWith(started);
  },
);

/** Children and their children, by what Linux tells. */
function descendantsOf(pid: number): readonly number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => parentOf(other) === pid);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

const npmOnLinux: Requirement<string> =
  process.platform === 'linux' ? npm : { kind: 'lacking', what: ['/proc'] };

for (const [words, args] of [
  ['npm start', ['start']],
  ['npx domesday', ['exec', '--', 'domesday', 'serve']],
] as const) {
  testWith(npmOnLinux, `kill -9 of ${words} ends the service`, async (program) => {
    const started = await start(program, args);
    started.child.kill('SIGKILL');
    await assertEndsWith(started);
  });

  testWith(npmOnLinux, `kill -9 of the shell between ${words} and the service ends it`, async (program) => {
    const started = await start(program, args);
    const shell = descendantsOf(started.child.pid ?? 0).find((pid) =>
      /sh$/.test(readlinkSync(`/proc/${pid}/exe`)),
    );
    // A shell that gave way to the command leaves none to kill.
    process.kill(shell ?? started.child.pid ?? 0, 'SIGKILL');
    await assertEndsWith(started);
  });
}

test('a service that a shell put into the background outlives it', async () => {
  const shell = `nohup '${process.execPath}' '${command}' serve 2> /dev/null & echo "pid $!"; read -r wait`;
  const child = spawn('sh', ['-c', shell], {
    // As left over from a script of npm that starts it and goes.
    env: { PATH: process.env.PATH, DOMESDAY_HOME: home, PORT: '0', npm_lifecycle_event: 'start' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  const listens = Promise.withResolvers<string>();
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
    const url = /listens on (http:\/\/\S+)/.exec(output)?.[1];
    if (url !== undefined) listens.resolve(url);
  });
  const url = await listens.promise;
  const pid = Number(/pid (\d+)/.exec(output)?.[1]);
  const ended = once(child.stdout, 'end');
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  process.kill(pid, 'SIGHUP');
  // They take longer than it would take to notice that the shell is gone.
  for (let calls = 0; calls < 1000; calls += 1) {
    assert.equal((await fetch(`${url}/health/live`)).status, 200);
  }
  process.kill(pid, 'SIGTERM');
  await ended;
});
