// What becomes of the service when its output cannot be written: nothing. What could not be written is counted, and told
// when it can be.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type Requirement, smallDisks, testWith } from '../../requirements.ts';
import { bundledHome, command, runDomesday, startDomesday } from '../../rig.ts';

let home: string;
let remove: () => void;
beforeEach(async () => {
  ({ home, remove } = await bundledHome());
});
afterEach(() => remove());

/** One that nobody listens on at the moment; the service cannot tell where it listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : assert.fail();
}

type Blind = { child: ChildProcess; url: string };

/** A service whose output goes to these handles; resolves when it answers. */
async function startBlind(output: number | 'pipe', errors: number | 'pipe', shell?: string): Promise<Blind> {
  const port = await freePort();
  const args = shell === undefined ? [command, 'serve'] : ['-c', shell, process.execPath, command, 'serve'];
  const child = spawn(shell === undefined ? process.execPath : 'sh', args, {
    env: { PATH: process.env.PATH, DOMESDAY_HOME: home, PORT: String(port) },
    stdio: ['ignore', output, errors],
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    assert.equal(child.exitCode, null, 'it ended');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { child, url };
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/health/live`).then(
    ({ status }) => status === 200,
    () => false,
  );

async function assertStops({ child }: Blind): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
}

const fullDevice: Requirement<string> = existsSync('/dev/full')
  ? { kind: 'there', value: '/dev/full' }
  : { kind: 'lacking', what: ['/dev/full'] };

testWith(
  fullDevice,
  'it starts, answers and stops while output and errors are on a full disk',
  async (device) => {
    const full = openSync(device, 'w');
    const blind = await startBlind(full, full);
    closeSync(full);
    for (let calls = 0; calls < 50; calls += 1) assert.ok(await answers(blind.url));
    await assertStops(blind);
  },
);

testWith(fullDevice, 'a command that cannot print says so and fails', async (device) => {
  const full = openSync(device, 'w');
  const child = spawn(process.execPath, [command, '--help'], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  assert.deepEqual(await once(child, 'close'), [1, null]);
  assert.equal(errors, 'Cannot write standard output (ENOSPC), so what was printed is not complete.\n');
});

test('it answers and stops while output and errors are closed', async () => {
  const blind = await startBlind('pipe', 'pipe', 'exec "$0" "$@" >&- 2>&-');
  for (let calls = 0; calls < 50; calls += 1) assert.ok(await answers(blind.url));
  await assertStops(blind);
});

test('it answers and stops after the readers of output and errors are gone', async () => {
  const running = await startDomesday(home);
  running.child.stdout?.destroy();
  running.child.stderr?.destroy();
  for (let calls = 0; calls < 50; calls += 1) assert.ok(await answers(running.url));
  const ended = once(running.child, 'exit');
  running.child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

/** Waits until the file has it. */
function holds(file: string, what: RegExp): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!what.test(readFileSync(file, 'utf8'))) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(file, look);
    look();
  });
}

testWith(
  smallDisks(),
  'a log on a disk that fills up goes on when there is room, with the greeting, whole lines and a count',
  async (mount) => {
    const disk = path.join(home, 'disk');
    mkdirSync(disk);
    const unmount = mount(disk, 4 * 2 ** 20);
    const log = path.join(disk, 'log');
    const filler = path.join(disk, 'filler');
    const asked = 8_000;
    const marked = 'm'.repeat(100);
    const fill = () => {
      assert.throws(() => writeFileSync(filler, Buffer.alloc(8 * 2 ** 20)), { code: 'ENOSPC' });
    };
    try {
      const output = openSync(log, 'a');
      fill();
      const blind = await startBlind(output, output);
      closeSync(output);
      rmSync(filler);
      await holds(log, /listens on .*\n[\s\S]*dd_live_[\s\S]*dd_test_\w+\n/);
      fill();
      // More than is kept.
      for (let calls = 0; calls < asked; calls += 100) {
        const headers = { 'x-request-id': marked };
        await Promise.all(Array.from({ length: 100 }, () => fetch(`${blind.url}/nowhere`, { headers })));
      }
      rmSync(filler);
      await holds(
        log,
        /"\d+ log lines were dropped: standard output could not be written for a while \(ENOSPC\)"/,
      );
      await assertStops(blind);
      const lines = readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('{'));
      const parsed = lines.map((line) => JSON.parse(line));
      const requests = parsed.filter(({ requestId }) => requestId === marked).length;
      const dropped = parsed.map(({ message }) => Number(/^(\d+) log lines/.exec(message ?? '')?.[1] ?? 0));
      const sum = dropped.reduce((total, count) => total + count, 0);
      assert.ok(sum > 0);
      assert.equal(requests + sum, asked);
    } finally {
      unmount();
    }
  },
);

test('where others can reach it no account is made, unless asked for; its keys then go into a file of the owner', async () => {
  const env = { DOMESDAY_HOME: home, HOST: '0.0.0.0' };
  const first = await startDomesday(home, env);
  await first.stop();
  assert.doesNotMatch(first.output(), /dd_(live|test)_|"demo"/);
  assert.match(first.output(), /^There is no account yet\. .*domesday accounts create/m);
  const listed = await runDomesday(['accounts', 'list', '--json'], env);
  assert.doesNotMatch(listed.out, /"demo"/);
  const asked = await startDomesday(home, { ...env, DOMESDAY_DEMO_ACCOUNT: 'on' });
  const file = path.join(home, 'demo-keys.txt');
  while (!asked.output().includes(file)) await once(asked.child.stdout ?? assert.fail(), 'data');
  assert.doesNotMatch(asked.output(), /dd_(live|test)_/);
  const key = /dd_live_\w+/.exec(readFileSync(file, 'utf8'))?.[0] ?? assert.fail();
  const reply = await fetch(`${asked.url}/api/v1/bank-rates?limit=1`, { headers: { 'x-api-key': key } });
  assert.equal(reply.status, 200);
  assert.equal((await asked.stop()).code, 0);
});
