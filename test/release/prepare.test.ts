// Before a service switches to a release, what is in use of it is in memory and proved: the thread that answers neither
// reads a large file nor holds it against its checksum.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { isProved } from '../../src/release/part.ts';
import { PartCache } from '../../src/release/part-cache.ts';
import { type Release, ReleaseDamaged } from '../../src/release/reader.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { madeUpDataset } from './made-up-dataset.ts';

let folder: string;
let store: ReleaseStore;
let parts: PartCache;
let served: Release;
const never = new AbortController().signal;

/** Of three datasets: `changing` is another in each release, `lasting` is linked, `idle` is another too. */
function make(id: string, value: number, base?: Release): Release {
  const createdAtMs = Date.UTC(2026, 10, 15, 12, value);
  const writer = store.beginRelease({ id, kind: 'loaded', createdAtMs, base });
  writer.writePart('changing', { value: Uint32Array.of(value) });
  writer.putDataset(madeUpDataset('authorities', ['changing']));
  writer.writePart('idle', { value: Uint32Array.of(value) });
  writer.putDataset(madeUpDataset('traffic', ['idle']));
  if (base === undefined) {
    writer.writePart('lasting', { value: Uint32Array.of(7), names: ['one', 'two'] });
    writer.putDataset(madeUpDataset('stops', ['lasting']));
  }
  writer.finish();
  return store.open(id, parts.load);
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-prepare-'));
  store = new ReleaseStore(folder, layouts);
  parts = new PartCache();
  served = make('one', 1);
  for (const name of ['changing', 'lasting']) served.part(name);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('parts in use are in memory, proved, before the switch; those that nobody asked for are left on disk', async () => {
  const next = make('two', 2, served);
  await parts.prepare(next, served, never);
  // Whatever is still to be read now is missing.
  rmSync(next.dir, { recursive: true });
  const { bytes } = next.manifest.parts.changing ?? assert.fail();
  assert.ok(isProved(parts.load(next.fileOf('changing'), bytes)));
  assert.deepEqual([...next.part('changing').u32('value')], [2]);
  assert.throws(() => next.part('idle'), ReleaseDamaged);
});

test('a part that both releases link to is in memory once', async () => {
  const next = make('two', 2, served);
  await parts.prepare(next, served, never);
  const { bytes } = next.manifest.parts.lasting ?? assert.fail();
  const [before, after] = [served, next].map((release) => parts.load(release.fileOf('lasting'), bytes));
  assert.equal(before, after);
});

test('damage to a part in use is found before the switch, and names it; what is served stays whole', async () => {
  const next = make('two', 2, served);
  const file = next.fileOf('changing');
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 5) ^ 1, bytes.length - 5);
  writeFileSync(file, bytes);
  await assert.rejects(parts.prepare(next, served, never), {
    name: 'ReleaseDamaged',
    part: 'changing',
    problem: 'its data does not match its checksum',
  });
  assert.deepEqual([...served.part('changing').u32('value')], [1]);
  rmSync(file);
  await assert.rejects(parts.prepare(next, served, never), { part: 'changing', problem: /missing/ });
});

test('a stop ends it', async () => {
  const next = make('two', 2, served);
  const stop = new AbortController();
  const prepared = parts.prepare(next, served, stop.signal);
  stop.abort();
  await assert.rejects(prepared, { name: 'AbortError' });
});
