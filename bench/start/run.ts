// From the command to the first 200 of /health/ready, with the bundled sample: right after `npm ci` (empty home), on a home that
// is there, and after an install without scripts, which leaves compile cache and built releases out (empty home). The cases
// take turns; processor time is steadier than the clock while other work runs.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { report } from '../figures.ts';
import { allThreads } from '../processor.ts';
import { median } from '../rounds.ts';

const rounds = Number(process.argv[2] ?? 15);
const command = path.join(import.meta.dirname, '../../bin/domesday.js');
const keptReleases = path.join(import.meta.dirname, '../../node_modules/.cache/domesday-bundled');
const askEveryMs = 3;

type Start = { readonly wallMs: number; readonly processorMs: number };

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  return address.port;
}

function isReady(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () =>
    socket.write('GET /health/ready HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n'),
  );
  socket.once('data', (reply) => {
    resolve(reply.toString('latin1').startsWith('HTTP/1.1 200'));
    socket.destroy();
  });
  socket.once('error', () => resolve(false));
  return promise;
}

async function start(home: string, cache: string): Promise<Start> {
  const port = await findPort();
  const startMs = performance.now();
  const child = spawn(process.execPath, [command, 'serve'], {
    env: { ...process.env, DOMESDAY_HOME: home, PORT: String(port), NODE_COMPILE_CACHE: cache },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}.`);
    await setTimeout(askEveryMs);
  }
  const wallMs = performance.now() - startMs;
  const used = allThreads(child.pid ?? 0) / 1000;
  // The sandbox is built after that; the cache is written at the end.
  while (!existsSync(path.join(home, 'sandbox/current'))) await setTimeout(askEveryMs);
  child.kill();
  await ended;
  return { wallMs, processorMs: used };
}

/** What `npm ci` does at its end. */
function compileAhead(cache: string): void {
  execFileSync(process.execPath, [path.join(import.meta.dirname, '../../scripts/compile-ahead.ts')], {
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  });
}

const cases: Record<'just installed' | 'kept home' | 'installed without scripts', Start[]> = {
  'just installed': [],
  'kept home': [],
  'installed without scripts': [],
};
for (let round = 0; round < rounds; round += 1) {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-bench-start-'));
  const place = (name: string) => path.join(folder, name);
  compileAhead(place('cache'));
  cases['just installed'].push(await start(place('home'), place('cache')));
  cases['kept home'].push(await start(place('home'), place('cache')));
  rmSync(keptReleases, { recursive: true, force: true });
  cases['installed without scripts'].push(await start(place('other-home'), place('other-cache')));
  rmSync(folder, { recursive: true, force: true });
}
const show = (values: readonly number[]) =>
  [Math.min(...values), median(values), Math.max(...values)]
    .map((ms) => ms.toFixed(0))
    .join(' / ')
    .padStart(20);
console.log(`${rounds} starts each; lowest / median / highest, ms  to ready           processor`);
for (const [name, starts] of Object.entries(cases)) {
  console.log(
    `${name.padEnd(38)}${show(starts.map(({ wallMs }) => wallMs))}${show(starts.map((one) => one.processorMs))}`,
  );
}
report(
  Object.entries(cases).map(([name, starts]) => {
    const times = starts.map(({ wallMs }) => wallMs);
    return {
      what: `to ready, ${name}`,
      value: median(times),
      unit: 'ms',
      worst: Math.max(...times),
      aim: '≤ 1000 ms',
    };
  }),
);
