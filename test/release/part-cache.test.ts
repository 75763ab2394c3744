// Parts of releases in memory: what is read again, and what is not needed again.

import assert from 'node:assert/strict';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { PartCache } from '../../src/release/part-cache.ts';
import { temporaryHome } from '../rig.ts';

test('a file that was mended in place is read again, one that was removed is not needed again', () => {
  const { home, remove } = temporaryHome();
  const file = path.join(home, 'a.part');
  const parts = new PartCache();
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
