// A disk that fills up in the middle of an update: it is told, what is loaded stays as it is, and with room it is gone on with.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { copyBundled } from '../prebuilt.ts';
import { smallDisks, testWith } from '../requirements.ts';
import { type Desk, openDeskAt, partsOf } from './desk.ts';
import { bikePointAddress } from './editions.ts';

/** Takes what is left, but for so many bytes. */
function fill(file: string, leaving: number): void {
  for (let bytes = 2 ** 26; bytes >= 4096; bytes /= 2) {
    for (;;) {
      try {
        writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
        break;
      }
    }
  }
  if (leaving > 0) rmSync(path.join(path.dirname(file), 'reserved'));
}

testWith(
  smallDisks(),
  'a disk that fills while files come or while they are loaded: told, nothing changed, and gone on with',
  async (mount, context) => {
    for (const [when, leaving] of [
      ['while it is fetched', 0],
      ['while it is loaded', 60_000],
    ] as const) {
      const disk = mkdtempSync(path.join(tmpdir(), 'domesday-disk-'));
      const unmount = mount(disk, 256 * 2 ** 20);
      try {
        const home = path.join(disk, 'home');
        await copyBundled(home);
        writeFileSync(path.join(disk, 'reserved'), Buffer.alloc(leaving));
        const desk = await openDeskAt(home, context, ['bikepoint', 'onspd']);
        const before = desk.release();
        let isFull = false;
        desk.publishers.onSent(async (address, nth) => {
          // The first time it is only looked at.
          if (isFull || address !== bikePointAddress || nth < 2) return;
          isFull = true;
          fill(path.join(disk, 'filler'), leaving);
        });
        const ended = await desk.update();
        assert.equal(ended.status, 1, `${when}: ${ended.out}${ended.err}`);
        assert.match(`${ended.out}${ended.err}`, /make room|Free some space/, when);
        assert.deepEqual(partsOf(desk.release()), partsOf(before));
        rmSync(path.join(disk, 'filler'));
        assertTold(desk, leaving);
        const again = await desk.update();
        assert.equal(again.status, 0, again.out + again.err);
        assert.deepEqual(desk.state().publications.bikepoint?.failing, undefined);
      } finally {
        unmount();
        rmSync(disk, { recursive: true });
      }
    }
  },
);

/** On a disk that is full to the last byte, not even the state can be written. */
function assertTold({ state, home, stateText }: Desk, leaving: number): void {
  if (leaving === 0) return;
  assert.equal(state().lastRun?.outcome, 'failed');
  assert.doesNotMatch(stateText(), new RegExp(home));
}
