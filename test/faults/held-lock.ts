// Another process holds the ledger's write lock for many seconds.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { bundledHome, startDomesday } from '../rig.ts';
import type { Fault } from './fault.ts';
import { assertBooksHold, call, makeCustomer, noLoad } from './load.ts';

const holdSeconds = 12;

const holder = `
  const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
  db.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE');
  console.log('held');
  setTimeout(() => { db.exec('ROLLBACK'); process.exit(0); }, ${holdSeconds * 1000});
`;

async function holdLock(): Promise<string> {
  const { home, remove } = await bundledHome();
  try {
    const { accountId, key } = await makeCustomer(home);
    const running = await startDomesday(home, { DOMESDAY_LOG: 'warn' });
    const load = noLoad();
    const child = spawn(process.execPath, ['-e', holder, path.join(home, 'domesday.sqlite')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    let live = 0;
    let slowestMs = 0;
    const watch = async () => {
      while (child.exitCode === null) {
        const startMs = performance.now();
        const reply = await fetch(`${running.url}/health/live`);
        assert.equal(reply.status, 200);
        await reply.arrayBuffer();
        live += 1;
        slowestMs = Math.max(slowestMs, performance.now() - startMs);
      }
    };
    const calls = call(load, {
      url: running.url,
      key,
      round: 'h',
      connections: 8,
      afterReply: () => (child.exitCode === null || load.reported.size < 50 ? 'go on' : 'stop'),
    });
    await Promise.all([watch(), calls, ended]);
    await running.stop();
    await assertBooksHold(home, accountId, load);
    assert.ok(slowestMs < (holdSeconds * 1000) / 4, `health waited ${Math.round(slowestMs)} ms`);
    const refused = [...load.statuses].reduce((sum, [status, count]) => sum + (status >= 500 ? count : 0), 0);
    return `held ${holdSeconds} s: health answered ${live} times, slowest ${slowestMs.toFixed(0)} ms; ${refused} calls refused, ${load.reported.size} charged, none lost`;
  } finally {
    remove();
  }
}

export const heldLock: Fault = {
  name: 'another process holds the lock of the ledger',
  promise:
    'nothing but charging waits: health goes on, calls are charged when the lock is free, or refused and free',
  run: holdLock,
};
