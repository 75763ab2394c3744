// One copy of a release for all threads: a worker sees the main thread's memory, and its faults.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
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

test('an answer that comes too late for one wish is not taken for that to the next', async () => {
  const { home, remove } = temporaryHome();
  const files = ['first', 'second'].map((name) => path.join(home, name));
  for (const file of files) writeFileSync(file, path.basename(file).padEnd(12));
  const port = new SharedParts().open();
  const gaveUp = new Int32Array(new SharedArrayBuffer(4));
  const impatient = `
    const { parentPort, workerData: { port, files, gaveUp } } = require('node:worker_threads');
    import(${module}).then(({ loadThrough }) => {
      try {
        loadThrough(port, 1)(files[0], 12);
      } catch (error) {
        parentPort.postMessage(error.message);
      }
      Atomics.store(gaveUp, 0, 1);
      Atomics.notify(gaveUp, 0);
      const load = loadThrough(port);
      for (const file of [files[1], files[0]]) parentPort.postMessage(Buffer.from(load(file, 12)).toString().trim());
    });
  `;
  const worker = new Worker(impatient, {
    eval: true,
    workerData: { port, files, gaveUp },
    transferList: [port],
  });
  const said: unknown[] = [];
  worker.on('message', (message) => said.push(message));
  // This thread answers nobody until the worker has given up once.
  await once(worker, 'online');
  Atomics.wait(gaveUp, 0, 0);
  await once(worker, 'exit');
  remove();
  assert.deepEqual(said, ['The main thread did not hand over a part in time.', 'second', 'first']);
});

test('a file that was mended in place is read again, one that was removed is not needed again', () => {
  const { home, remove } = temporaryHome();
  const file = path.join(home, 'a.part');
  const parts = new SharedParts();
  writeFileSync(file, 'damaged');
  const damaged = parts.load(file, 7);
  // Whatever the clock of the file system, this is another moment.
  writeFileSync(file, 'correct');
  utimesSync(file, 1, 1);
  const mended = parts.load(file, 7);
  assert.equal(Buffer.from(mended).toString(), 'correct');
  assert.notEqual(mended, damaged);
  rmSync(file);
  assert.equal(parts.load(file, 7), mended);
  remove();
});
