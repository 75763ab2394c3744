// A manifest is proved before anything in it is believed: no damage to what says which data is served can change a meaning.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ReleaseDamaged } from '../../src/release/reader.ts';
import { NoSuchRelease, ReleaseStore } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { madeUpDataset } from './made-up-dataset.ts';

let folder: string;
let store: ReleaseStore;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-seal-'));
  store = new ReleaseStore(folder, layouts);
  make('2026-11-15T1200Z-aaaaaa', 0);
  make('2026-11-15T1201Z-bbbbbb', 1);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const one = '2026-11-15T1200Z-aaaaaa';
const two = '2026-11-15T1201Z-bbbbbb';
const fileOf = (name: string) => path.join(folder, one, name);

function make(id: string, minute: number): void {
  const createdAtMs = Date.UTC(2026, 10, 15, 12, minute);
  const writer = store.beginRelease({ id, kind: 'loaded', createdAtMs, base: undefined });
  writer.writePart('a', { value: Uint32Array.of(7) });
  writer.putDataset(madeUpDataset('authorities', ['a']));
  writer.finish();
}

/** Has each bit of a file flipped in turn while it goes on. In place: a file that is written anew thousands of times waits for
 *  the disk each time. */
function* flips(file: string): Generator<void> {
  const sound = readFileSync(file);
  const handle = openSync(file, 'r+');
  try {
    for (const [at, byte] of sound.entries()) {
      for (let bit = 0; bit < 8; bit += 1) {
        writeSync(handle, Uint8Array.of(byte ^ (1 << bit)), 0, 1, at);
        assert.notDeepEqual(readFileSync(file), sound);
        yield;
      }
      writeSync(handle, Uint8Array.of(byte), 0, 1, at);
    }
  } finally {
    closeSync(handle);
  }
}

/** Opens and closes; the error's kind, or what was served. */
function outcome(id: string): string {
  try {
    return JSON.stringify(store.open(id).manifest);
  } catch (error) {
    assert.ok(error instanceof ReleaseDamaged, String(error));
    return 'refused';
  }
}

for (const name of ['manifest.json', 'manifest.sha256']) {
  test(`each single bit of ${name} that flips is noticed: the release is refused, never read otherwise`, () => {
    const sound = readFileSync(fileOf(name));
    const tried: string[] = [];
    for (const _ of flips(fileOf(name))) tried.push(outcome(one));
    assert.equal(tried.length, 8 * sound.length);
    assert.deepEqual([...new Set(tried)], ['refused']);
    assert.notEqual(outcome(one), 'refused');
    writeFileSync(fileOf(name), sound.subarray(1));
    assert.throws(() => store.use(one), ReleaseDamaged);
    assert.deepEqual(
      store.list().map(({ id, kind }) => [id, kind]),
      [
        [two, 'usable'],
        [one, 'damaged'],
      ],
    );
  });

  test(`${name} cut off at any length, and made longer, is noticed`, () => {
    const sound = readFileSync(fileOf(name));
    for (let length = sound.length - 1; length >= 0; length -= 1) {
      truncateSync(fileOf(name), length);
      assert.equal(outcome(one), 'refused', `${length} bytes`);
    }
    writeFileSync(fileOf(name), Buffer.concat([sound, Buffer.from('\n')]));
    assert.equal(outcome(one), 'refused');
  });
}

test('each single bit of the pointer that flips points at the same release or at none', () => {
  store.use(one);
  const pointer = path.join(folder, 'current');
  const sound = readFileSync(pointer);
  let refused = 0;
  for (const _ of flips(pointer)) {
    try {
      assert.equal(store.openCurrent().id, one);
    } catch (error) {
      assert.ok(error instanceof ReleaseDamaged || error instanceof NoSuchRelease, String(error));
      refused += 1;
    }
  }
  // Of the line feed, what is left may be another white space.
  assert.ok(refused >= 8 * (sound.length - 1), `${refused} refused`);
});

test('a release whose checksum was lost is refused', () => {
  rmSync(fileOf('manifest.sha256'));
  assert.throws(
    () => store.open(one),
    /its manifest cannot be proved: manifest\.sha256 is missing beside it/,
  );
});

test('the checksum is one that the tools of the system can check', () => {
  const said = execFileSync('sha256sum', ['--check', 'manifest.sha256'], { cwd: path.join(folder, one) });
  assert.equal(String(said), 'manifest.json: OK\n');
});
