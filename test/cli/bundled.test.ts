// The bundled data is built when it is lacking, and only then.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import {
  buildInThread,
  bundledFolder,
  ensureBundled,
  ensureSample,
  ensureSandbox,
  sample,
  sandbox,
} from '../../src/cli/bundled/bundled.ts';
import { findFiles } from '../../src/ingest/files.ts';
import { recogniseFiles } from '../../src/ingest/recognise.ts';
import { openSources } from '../../src/ingest/source.ts';
import { type Home, openHome } from '../../src/release/store.ts';
import { sources } from '../../src/sources/index.ts';
import { openBankRate } from '../../src/tables/bank-rate.ts';
import { layouts } from '../../src/tables/index.ts';
import { parseDay } from '../../src/uk/calendar.ts';
import { bundledAtMs, copyBundled } from '../prebuilt.ts';

const noon = Date.UTC(2026, 10, 15, 12);
let folder: string;
let home: Home;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-bundled-'));
  home = openHome(folder, layouts);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('an empty home gets the sample and the sandbox, both current, by the real ingest', async () => {
  const { sampleId, sandboxId } = await ensureBundled(folder, noon);
  assert.match(sampleId, /^sample-[0-9a-f]{12}$/);
  assert.match(sandboxId, /^sandbox-[0-9a-f]{12}$/);
  const live = home.releases.openCurrent();
  const sandbox = home.sandbox.openCurrent();
  assert.deepEqual([live.id, live.manifest.kind], [sampleId, 'sample']);
  assert.deepEqual([sandbox.id, sandbox.manifest.kind], [sandboxId, 'sandbox']);
  for (const release of [live, sandbox]) {
    release.verify();
    assert.equal(openBankRate(release).rateInForceOn(parseDay('2026-11-15') ?? 0)?.rate, 3.75);
  }
});

test('a bundle names exactly the sources that know its files', async () => {
  for (const { kind, files, sources: named } of [sample, sandbox]) {
    const found = await findFiles(files.map((file) => path.join(bundledFolder, file)));
    try {
      const { groups, passedOver } = recogniseFiles(found, await openSources(sources));
      assert.deepEqual(groups.map(({ source }) => source.name).sort(), [...named].sort(), kind);
      assert.deepEqual(passedOver, [], kind);
    } finally {
      found.close();
    }
  }
});

test('slow: a thread builds the same releases, and its failure is that of whoever waits for it', async () => {
  await Promise.all([
    ensureSample(folder, bundledAtMs, buildInThread),
    ensureSandbox(folder, bundledAtMs, buildInThread),
  ]);
  const other = mkdtempSync(path.join(tmpdir(), 'domesday-bundled-'));
  try {
    // This one was not built in a thread.
    await copyBundled(other);
    for (const kind of ['releases', 'sandbox'] as const) {
      assert.deepEqual(
        home[kind].openCurrent().manifest,
        openHome(other, layouts)[kind].openCurrent().manifest,
      );
    }
    writeFileSync(path.join(other, 'a file'), '');
    await assert.rejects(ensureSample(path.join(other, 'a file'), noon, buildInThread), { code: 'ENOTDIR' });
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});

test('a second start builds nothing', async () => {
  await copyBundled(folder);
  const { createdAt } = home.releases.openCurrent().manifest;
  await ensureBundled(folder, bundledAtMs + 60_000);
  assert.equal(home.releases.openCurrent().manifest.createdAt, createdAt);
});

test('the sample of an older program is replaced, a loaded release never', async () => {
  await copyBundled(folder);
  const sampleId = home.releases.currentId() ?? assert.fail();
  const place = (id: string) => path.join(folder, 'releases', id);
  renameSync(place(sampleId), place('sample-000000000000'));
  home.releases.point('sample-000000000000');
  await ensureBundled(folder, noon);
  assert.equal(home.releases.currentId(), sampleId);
  home.releases.point('2026-11-15T0312Z-ab12cd');
  await ensureBundled(folder, noon);
  assert.equal(home.releases.currentId(), '2026-11-15T0312Z-ab12cd');
});

test('a damaged sandbox that is not in use yet is built anew', async () => {
  await copyBundled(folder);
  const sandboxId = home.sandbox.currentId() ?? assert.fail();
  writeFileSync(path.join(folder, 'sandbox', sandboxId, 'bank-rate.part'), 'rubbish');
  rmSync(path.join(folder, 'sandbox/current'));
  await ensureBundled(folder, noon);
  home.sandbox.openCurrent().verify();
});

test('slow: two first starts at the same moment both end with the sample', async () => {
  await Promise.all([ensureBundled(folder, noon), ensureBundled(folder, noon)]);
  home.releases.openCurrent().verify();
  assert.equal(readdirSync(path.join(folder, 'releases')).length, 2);
});
