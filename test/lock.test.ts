// The kernel's lock, with real processes: who has it, what ends it, and that containers on one volume see it alike.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, test } from 'node:test';
import { takeLock } from '../src/lock.ts';
import { ReleaseStore } from '../src/release/store.ts';
import { layouts } from '../src/tables/index.ts';
import { pidNamespaces, testWith } from './requirements.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-lock-'));
  file = path.join(folder, 'service.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Other = { child: ChildProcess; nextLine: () => Promise<string>; end: () => Promise<void> };

/** Another process that runs the script, whose `say` prints a line; it lives on until its input ends. */
function startOther(script: string, before: readonly string[] = []): Other {
  const say = 'const say = (text) => process.stdout.write(text + "\\n");';
  const words = [...before, process.execPath, '--expose-gc', '--input-type=module', '-e', `${say} ${script}`];
  const [program = '', ...args] = words;
  const child = spawn(program, args, { cwd: path.join(import.meta.dirname, '..') });
  child.stderr.pipe(process.stderr);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    nextLine: async () => String((await lines.next()).value),
    end: async () => {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

const take = (place: string) => `
  const { takeLock } = await import('./src/lock.ts');
  const taken = () => takeLock(${JSON.stringify(place)}) === 'taken';
  const answer = taken() ? 'taken' : 'held';
  // Nothing here refers to the lock any more.
  globalThis.gc();
  say(answer);
  process.stdin.resume();
`;

async function killed({ child }: Other): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function assertFree(): void {
  const lock = takeLock(file);
  assert.notEqual(lock, 'taken');
  if (lock !== 'taken') lock.release();
}

test('while one process holds it no other gets it, and given back it is free', async () => {
  const lock = takeLock(file);
  assert.ok(lock !== 'taken');
  assert.equal(takeLock(file), 'taken');
  const refused = startOther(take(file));
  assert.equal(await refused.nextLine(), 'taken');
  await refused.end();
  // The second one in this process must not have given up the first.
  const again = startOther(take(file));
  assert.equal(await again.nextLine(), 'taken');
  await again.end();
  lock.release();
  const holder = startOther(take(file));
  assert.equal(await holder.nextLine(), 'held');
  assert.equal(takeLock(file), 'taken');
  await holder.end();
  assertFree();
  assert.deepEqual(readdirSync(folder), ['service.lock']);
});

test('a stopped holder keeps it, a killed one does not, and nothing else is left behind', async () => {
  const holder = startOther(take(file));
  assert.equal(await holder.nextLine(), 'held');
  holder.child.kill('SIGSTOP');
  assert.equal(takeLock(file), 'taken');
  await killed(holder);
  assertFree();
  assert.deepEqual(readdirSync(folder), ['service.lock']);
});

test('what the holder has started does not inherit it', async () => {
  const holder = startOther(`
    ${take(file)}
    const { spawn } = await import('node:child_process');
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'inherit', 'inherit'] });
    child.once('spawn', () => say(String(child.pid)));
  `);
  assert.equal(await holder.nextLine(), 'held');
  const pid = Number(await holder.nextLine());
  process.kill(pid, 'SIGSTOP');
  await killed(holder);
  assertFree();
  process.kill(pid, 'SIGKILL');
});

testWith(
  pidNamespaces(),
  'a holder in another PID namespace is respected, and its end noticed',
  async (unshare) => {
    const holder = startOther(take(file), unshare);
    assert.equal(await holder.nextLine(), 'held');
    const other = startOther(take(file), unshare);
    assert.equal(await other.nextLine(), 'taken');
    await other.end();
    await killed(holder);
    // --kill-child: the kernel ends the process in the namespace a moment after unshare.
    while (takeLock(file) === 'taken') await new Promise((resolve) => setTimeout(resolve, 5));
  },
);

const build = (id: string) => `
  const { ReleaseStore } = await import('./src/release/store.ts');
  const { layouts } = await import('./src/tables/index.ts');
  const writer = new ReleaseStore(${JSON.stringify(path.join(folder, 'releases'))}, layouts)
    .beginRelease({ id: '${id}', kind: 'loaded', createdAtMs: 0, base: undefined });
  say('begun');
  process.stdin.on('end', () => {
    writer.writePart('a', { value: Uint8Array.of(1) });
    const words = { title: 't', source: 't', publisher: 't', publisherShort: 't', licence: 't', attribution: 't', edition: 't' };
    writer.putDataset({ name: 'stops', ...words, asOf: '2026-11-01', loadedAt: '2026-11-15T12:00:00.000Z', rows: 1,
      rejects: {}, extent: 'complete', coverage: {}, loadedBy: { source: "a", version: 1 }, nextEditionExpected: null, files: [], parts: ['a'] });
    writer.finish();
  }).resume();
`;

testWith(
  pidNamespaces(),
  'builds in two containers on one volume leave each other alone, and remove what a killed third has left',
  async (unshare) => {
    const first = startOther(build('first'), unshare);
    assert.equal(await first.nextLine(), 'begun');
    const third = startOther(build('third'), unshare);
    assert.equal(await third.nextLine(), 'begun');
    await killed(third);
    const second = startOther(build('second'), unshare);
    assert.equal(await second.nextLine(), 'begun');
    await first.end();
    await second.end();
    const store = new ReleaseStore(path.join(folder, 'releases'), layouts);
    for (const id of ['first', 'second']) store.open(id).verify();
    store.beginRelease({ id: 'next', kind: 'loaded', createdAtMs: 0, base: undefined }).abandon();
    assert.deepEqual(readdirSync(store.folder).sort(), ['first', 'second']);
  },
);
