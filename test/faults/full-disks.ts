// The disk of the ledger fills up under load, and later has room again. The disk of the log fills up and stays full.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { copyBundled } from '../prebuilt.ts';
import { command, startDomesday, temporaryHome } from '../rig.ts';
import { type Fault, mounts, smallDisk } from './fault.ts';
import { assertBooksHold, call, makeCustomer, noLoad } from './load.ts';

function fill(folder: string, leaveBytes: number): string {
  const filler = path.join(folder, 'filler');
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - leaveBytes)));
  return filler;
}

async function fillLedgerDisk(rounds: number): Promise<string> {
  const disk = smallDisk(96);
  const home = path.join(disk.folder, 'home');
  try {
    await copyBundled(home);
    const { accountId, key } = await makeCustomer(home);
    const load = noLoad();
    const running = await startDomesday(home, { DOMESDAY_LOG: 'warn' });
    for (let round = 0; round < rounds; round += 1) {
      const filler = fill(disk.folder, 300_000);
      let refused = 0;
      let charged = 0;
      let state: 'filling' | 'full' | 'room' = 'filling';
      await call(load, {
        url: running.url,
        key,
        round: `f${round}`,
        connections: 16,
        afterReply: () => {
          const failures = [...load.statuses].reduce(
            (sum, [status, count]) => sum + (status >= 500 ? count : 0),
            0,
          );
          if (state === 'filling' && failures > refused + 20) {
            state = 'full';
            refused = failures;
          } else if (state === 'full' && failures > refused + 50) {
            state = 'room';
            rmSync(filler);
            charged = load.reported.size;
          }
          return state === 'room' && load.reported.size > charged + 100 ? 'stop' : 'go on';
        },
      });
      assert.equal(state, 'room', 'the service ended before there was room again');
    }
    const log = running.output();
    await running.stop();
    const { unreported } = await assertBooksHold(home, accountId, load);
    const refused = [...load.statuses].reduce((sum, [status, count]) => sum + (status >= 500 ? count : 0), 0);
    const wal = statSync(path.join(home, 'domesday.sqlite-wal'), { throwIfNoEntry: false })?.size ?? 0;
    assert.ok(log.length < 200_000, `${log.length} characters were logged`);
    assert.equal(wal, 0, `the log of the ledger still has ${wal} bytes`);
    return `full ${rounds} times: ${refused} calls refused, ${load.reported.size} charged and none of them lost, ${unreported} charged and not reported; charging went on without a start; ${log.split('\n').length} lines logged`;
  } finally {
    disk.remove();
  }
}

/** Found by letting the system choose one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : assert.fail('no port');
}

async function untilLive(url: string): Promise<void> {
  for (;;) {
    const reply = await fetch(`${url}/health/live`).catch(() => undefined);
    if (reply?.status === 200) return;
    await new Promise(setImmediate);
  }
}

async function fillLogDisk(): Promise<string> {
  const { home, remove } = temporaryHome();
  const disk = smallDisk(1);
  try {
    await copyBundled(home);
    const { accountId, key } = await makeCustomer(home);
    const port = await freePort();
    mkdirSync(path.join(disk.folder, 'logs'));
    const file = openSync(path.join(disk.folder, 'logs', 'serve.log'), 'w');
    writeSync(file, Buffer.alloc(900_000, '\n'));
    const child = spawn(process.execPath, [command, 'serve'], {
      env: { PATH: process.env.PATH, DOMESDAY_HOME: home, PORT: String(port), DOMESDAY_LOG: 'info' },
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    const ended = once(child, 'exit');
    const load = noLoad();
    const url = `http://127.0.0.1:${port}`;
    await untilLive(url);
    await call(load, {
      url,
      key,
      round: 'l',
      connections: 16,
      afterReply: (count) => (count > 8_000 ? 'stop' : 'go on'),
    });
    const { bavail } = statfsSync(disk.folder);
    assert.equal(bavail, 0, 'the disk never was full');
    assert.equal(child.exitCode, null, 'the service has ended');
    child.kill('SIGTERM');
    const [code] = await ended;
    assert.equal(code, 0);
    await assertBooksHold(home, accountId, load);
    return `${load.reported.size} calls answered and charged while nothing could be logged`;
  } finally {
    disk.remove();
    remove();
  }
}

export const fullDisks: readonly Fault[] = [
  {
    name: 'the disk of the ledger is full, then has room',
    promise:
      'calls are refused and cost nothing, nothing reported is lost, charging goes on by itself once there is room, and the log says it once',
    needs: mounts,
    run: (scale) => fillLedgerDisk(scale === 'long' ? 20 : 2),
  },
  {
    name: 'the disk of the log is full',
    promise: 'the service goes on without its log',
    needs: mounts,
    run: fillLogDisk,
  },
];
