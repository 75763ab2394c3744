// Answers kept on disk take no more room than they may.

import assert from 'node:assert/strict';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { DiskCache } from '../../src/upstream/disk-cache.ts';

test('what is kept has a limit: answers that were used longest ago go, and drafts that a crash left', async (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-cache-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const startMs = 1_800_000_000_000;
  const limit = 64 * 1024;
  const text = (name: string) => JSON.stringify(Array.from({ length: 400 }, () => [name, Math.random()]));
  const cache = new DiskCache({ folder, bytesMost: limit });
  const day = 86_400_000;
  const keep = (name: string, nowMs: number) =>
    cache.keep(name, text(name), { nowMs, untilMs: nowMs + 365 * day });
  await keep('/often', startMs);
  const draft = path.join(folder, 'aa', `${'b'.repeat(32)}.1-1-1`);
  mkdirSync(path.dirname(draft), { recursive: true });
  writeFileSync(draft, 'half');
  utimesSync(draft, 1, 1);
  for (let round = 0; round < 60; round += 1) {
    const nowMs = startMs + round * 2 * day;
    await keep(`/once/${round}`, nowMs);
    assert.notEqual(await cache.find('/often', nowMs), undefined, `in use, but gone in round ${round}`);
    const bytes = globSync('*/*', { cwd: folder }).reduce(
      (sum, name) => sum + statSync(path.join(folder, name)).size,
      0,
    );
    assert.ok(bytes <= (limit / 16) * 18, `${bytes} bytes`);
  }
  assert.equal(existsSync(draft), false);
  assert.equal(await cache.find('/once/0', startMs), undefined);
  assert.notEqual(await cache.find('/once/59', startMs), undefined);
});
