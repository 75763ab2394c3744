// One copy of a release for all threads: a worker sees the main thread's memory, and its faults.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { SharedParts } from '../../src/release/shared-parts.ts';
import { temporaryHome } from '../rig.ts';

const module = JSON.stringify(new URL('../../src/release/shared-parts.ts', import.meta.url).href);
const script = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(${module}).then(({ loadThrough }) => {
    const load = loadThrough(workerData.port);
    for (const { file, bytes } of workerData.wishes) {
      try {
        parentPort.postMessage({ buffer: load(file, bytes) });
      } catch (error) {
        parentPort.postMessage({ name: error.name, code: error.code, message: error.message });
      }
    }
  });
`;

test('a worker is handed the very memory the main thread has, and each fault as it is', async () => {
  const { home, remove } = temporaryHome();
  const file = path.join(home, 'a.part');
  writeFileSync(file, 'twelve bytes');
  const parts = new SharedParts();
  const own = new Uint8Array(parts.load(file, 12));
  const port = parts.open();
  const wishes = [
    { file, bytes: 12 },
    { file, bytes: 13 },
    { file: path.join(home, 'missing.part'), bytes: 1 },
  ];
  const worker = new Worker(script, { eval: true, workerData: { port, wishes }, transferList: [port] });
  const messages: { buffer?: SharedArrayBuffer; name?: string; code?: string }[] = [];
  worker.on('message', (message) => messages.push(message));
  await once(worker, 'exit');
  remove();
  const [given, tooShort, missing] = messages;
  assert.ok(given?.buffer !== undefined);
  own[0] = 0x54;
  assert.equal(Buffer.from(given.buffer).toString(), 'Twelve bytes');
  assert.equal(tooShort?.name, 'PartFault');
  assert.equal(missing?.code, 'ENOENT');
});
