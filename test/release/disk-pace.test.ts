// A release that is read and written beside a service leaves the disk room for it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { DiskAllowance, type DiskPace, diskPace } from '../../src/release/disk-pace.ts';
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
      const { rest } = diskPace(new DiskAllowance(bytesPerSecond), time);
      let moved = 0;
      let paused = 0;
      for (const { bytes, pauseMs } of all) {
        rest(bytes, 0);
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
  const { restAside } = diskPace(new DiskAllowance(1_000), {
    elapsedMs: () => 0,
    sleep: () => undefined,
    sleepAside,
  });
  await Promise.all([restAside(500, 0), restAside(500, 0), restAside(1_000, 0)]);
  assert.deepEqual(asleep, [500, 1_000, 2_000]);
});

test('a disk that is slower than the pace is given half as much, never less than a sixteenth, and after a while all again', () => {
  const time = countedTime();
  const { rest } = diskPace(new DiskAllowance(1_000_000), time);
  /** Bytes a second, over one piece. */
  const speedAfter = (tookMs: number): number => {
    const begunMs = time.elapsedMs();
    rest(100_000, tookMs);
    return 100_000 / ((time.elapsedMs() - begunMs) / 1000);
  };
  const near = (speed: number, wanted: number) => assert.ok(Math.abs(speed / wanted - 1) < 0.01, `${speed}`);
  near(speedAfter(99), 1_000_000);
  near(speedAfter(101), 500_000);
  near(speedAfter(101), 250_000);
  for (let piece = 0; piece < 8; piece += 1) speedAfter(1_000);
  near(speedAfter(1_000), 62_500);
  const begunMs = time.elapsedMs();
  let last = speedAfter(1);
  while (last < 990_000) {
    const next = speedAfter(1);
    assert.ok(next >= last - 1, 'a quick disk is never slowed down');
    assert.ok(next < last + 25_000, 'and never gets all back at once');
    last = next;
  }
  assert.ok(time.elapsedMs() - begunMs > 300_000, 'not before it has held for a while');
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
