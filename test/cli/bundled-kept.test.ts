// What an install has built is taken as it is, or not at all.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import type { BuildOrder } from '../../src/cli/bundled/bundled.ts';
import { copyKept, keepRelease } from '../../src/cli/bundled/kept.ts';
import { openHome, ReleaseStore } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { bundled, bundledAtMs } from '../prebuilt.ts';

const scratch = mkdtempSync(path.join(tmpdir(), 'domesday-kept-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
const kept = path.join(scratch, 'kept');
const built = openHome(await bundled(), layouts).releases.openCurrent();
const orderInto = (name: string): BuildOrder => ({
  kind: 'sample',
  folder: path.join(scratch, name),
  id: built.id,
  atMs: bundledAtMs,
});

test('a copy is the release that building gives at that moment', async () => {
  assert.equal(await copyKept(orderInto('none'), kept), false);
  keepRelease(built, kept);
  assert.equal(await copyKept(orderInto('copy'), kept), true);
  const copy = new ReleaseStore(path.join(scratch, 'copy'), layouts).open(built.id);
  copy.verify();
  assert.deepEqual(copy.manifest, built.manifest);
});

test('another release, a damaged one and one of another program are not taken', async () => {
  keepRelease(built, kept);
  assert.equal(await copyKept({ ...orderInto('other'), id: 'sample-000000000000' }, kept), false);
  const [program = assert.fail()] = readdirSync(kept);
  const own = path.join(kept, program);
  cpSync(own, path.join(kept, 'another-program'), { recursive: true });
  truncateSync(path.join(own, built.id, 'postcodes.part'), 100);
  assert.equal(await copyKept(orderInto('damaged'), kept), false);
  writeFileSync(path.join(own, built.id, 'manifest.json'), '{');
  assert.equal(await copyKept(orderInto('damaged'), kept), false);
  rmSync(own, { recursive: true });
  assert.equal(await copyKept(orderInto('foreign'), kept), false);
  keepRelease(built, kept);
  assert.deepEqual(readdirSync(kept), [program], 'what another program has left is removed');
});
