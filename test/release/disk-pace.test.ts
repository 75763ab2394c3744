// A release that is read and written beside a service leaves the disk room for it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DiskPace, diskPace } from '../../src/release/disk-pace.ts';
import { encodePart } from '../../src/release/part.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { madeUpDataset } from './made-up-dataset.ts';

/** A clock that only rests and given pauses move. */
function countedTime() {
  let nowMs = 0;
  const sleep = (ms: number) => {
    assert.ok(ms >= 0);
    nowMs += ms;
  };
  return { elapsedMs: () => nowMs, sleep, sleepAside: async (ms: number) => sleep(ms) };
}

test('however much is moved at once and whatever comes between, no more than the pace has been moved', () => {
  const steps = fc.array(fc.record({ bytes: fc.nat(1 << 23), pauseMs: fc.nat(500) }), { minLength: 1 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 100_000_000 }), (all, bytesPerSecond) => {
      const time = countedTime();
      const { rest } = diskPace(bytesPerSecond, time);
      let moved = 0;
      let paused = 0;
      for (const { bytes, pauseMs } of all) {
        rest(bytes);
        moved += bytes;
        const neededMs = (moved / bytesPerSecond) * 1000;
        assert.ok(time.elapsedMs() >= neededMs - 1e-3, 'faster than allowed');
        assert.ok(time.elapsedMs() <= neededMs + paused + 1e-3, 'slower than it has to be');
        time.sleep(pauseMs);
        paused += pauseMs;
      }
    }),
  );
});

test('what is moved side by side shares the pace', async () => {
  const asleep: number[] = [];
  const sleepAside = async (ms: number) => void asleep.push(ms);
  const { restAside } = diskPace(1_000, { elapsedMs: () => 0, sleep: () => undefined, sleepAside });
  await Promise.all([restAside(500), restAside(500), restAside(1_000)]);
  assert.deepEqual(asleep, [500, 1_000, 2_000]);
});

test('every byte of a part is counted when it is written and when it is read, four megabytes at most at once', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-pace-'));
  const rests: number[] = [];
  const pace: DiskPace = {
    rest: (bytes) => void rests.push(bytes),
    restAside: async (bytes) => void rests.push(bytes),
  };
  const take = () => rests.splice(0).reduce((sum, bytes) => sum + bytes, 0);
  try {
    const store = new ReleaseStore(folder, layouts, pace);
    const writer = store.beginRelease({ id: 'one', kind: 'loaded', createdAtMs: 0, base: undefined });
    const columns = { value: new Uint32Array(2_500_000) };
    writer.writePart('a', columns);
    assert.ok(Math.max(...rests) <= 1 << 22);
    const bytes = encodePart(columns).length;
    assert.equal(take(), bytes);
    await writer.writeEncoded('b', encodePart(columns));
    assert.ok(Math.max(...rests) <= 1 << 22);
    assert.equal(take(), bytes);
    writer.putDataset(madeUpDataset('authorities', ['a', 'b']));
    const { dir } = writer.finish();
    assert.ok(statSync(dir).isDirectory());
    take();
    store.open('one').part('a');
    assert.ok(Math.max(...rests) <= 1 << 22);
    assert.equal(take(), bytes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
