// A replica's disk that is full, or fills while a release comes: what is served stays, what came is given back, and with room
// the release comes.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { smallDisks, testWith } from '../requirements.ts';
import { makeRelease, numbers, publishToFolder, storeOf, takeFrom, temporaryFolder } from './desk.ts';
import { openWebServer } from './web-server.ts';

/** Takes what is left, but for so many bytes. */
function fill(disk: string, leaving: number): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(path.join(disk, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - leaving)), {
    flag: 'a',
  });
}

testWith(
  smallDisks(),
  'a disk that is full, or fills while a release comes: told, the room is given back, and what was served stays',
  async (mount, context) => {
    const [a, depot] = [temporaryFolder(context), temporaryFolder(context)];
    const server = await openWebServer(context, depot);
    const first = makeRelease(a, 1, { one: numbers(1) });
    await publishToFolder(depot, first);
    const disk = mkdtempSync(path.join(tmpdir(), 'domesday-disk-'));
    const unmount = mount(disk, 128 * 2 ** 20);
    try {
      const home = path.join(disk, 'home');
      await takeFrom(server.url, home);
      const second = makeRelease(a, 2, { one: numbers(2, 500_000), two: numbers(3, 500_000) });
      await publishToFolder(depot, second);
      const isRefused = async () => {
        await assert.rejects(takeFrom(server.url, home), { kind: 'disk full' });
        assert.equal(storeOf(home).openCurrent().id, first.id);
        assert.deepEqual(readdirSync(path.join(home, 'replica-files')), ['.lock']);
      };
      server.mischief = ({ key }) => {
        if (key.startsWith('files/')) fill(disk, 1_000_000);
        return false;
      };
      await isRefused();
      server.mischief = undefined;
      // Known beforehand now: nothing is fetched.
      server.asked.length = 0;
      await isRefused();
      assert.deepEqual(
        server.asked.filter(({ key }) => key.startsWith('files/')),
        [],
      );
      rmSync(path.join(disk, 'filler'));
      assert.equal((await takeFrom(server.url, home)).release, second.id);
    } finally {
      unmount();
      rmSync(disk, { recursive: true, force: true });
    }
  },
);
