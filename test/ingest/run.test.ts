// An ingest is all or nothing.

import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { DatasetName } from '../../src/datasets.ts';
import type { Loader, Source } from '../../src/ingest/source.ts';
import { bankRate as bankRateLoader } from '../../src/sources/bank-rate/bank-rate.ts';
import { sourcesNamed } from '../../src/sources/index.ts';
import { facts, openTestHome, type TestHome } from './home.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const listed = () => readdirSync(home.store.folder).sort();

const bankRate = sourcesNamed('bank-rate');

/** Claims files that begin with its name; what it does then is the test's. */
const named = (name: string, dataset: DatasetName, load: Loader['load']): Source => ({
  name,
  dataset,
  version: 1,
  title: name,
  source: name,
  homepage: 'https://data.example',
  open: async () => ({
    facts: bankRateLoader.facts,
    layouts: [`text that begins with "${name}"`],
    recognise: (file) => (file.form === 'text' && file.head.toString().startsWith(name) ? name : undefined),
    load,
  }),
});
const other = (load: Loader['load']): Source => named('other', 'stops', load);

const loaded = {
  edition: '1',
  asOf: '2026-01-01',
  rows: 1,
  extent: 'complete',
  nextEditionExpected: null,
} as const;

test('a source that fails half-way leaves the current release and no trace of the new one', async () => {
  await home.ingest(facts);
  const before = home.changes();
  const failing = other(async (_files, into) => {
    into.writePart('other', { value: Uint8Array.of(1) });
    assert.equal(listed().filter((name) => /^\.building-(?!.*\.lock$)/.test(name)).length, 1);
    throw new Error('the power went out');
  });
  const file = home.put('o.txt', 'other');
  await assert.rejects(home.ingest([...facts, file], [...bankRate, failing]), /the power went out/);
  assert.deepEqual(listed(), ['current', 'made-1']);
  assert.equal(home.store.currentId(), 'made-1');
  assert.deepEqual(home.changes(), before);
});

test('an unknown file stops the run before anything is built', async () => {
  let loads = 0;
  const counting = other(async () => {
    loads += 1;
    return loaded;
  });
  await assert.rejects(
    home.ingest([home.put('o.txt', 'other'), home.put('x.txt', 'unknown')], [counting]),
    /x\.txt: its first line is "unknown"/,
  );
  assert.equal(loads, 0);
});

test('a run for one source carries the others over as they are', async () => {
  await home.ingest(facts);
  const writing = other(async (files, into) => {
    into.writePart('other-a', { value: Uint8Array.of(files.length) });
    into.writePart('other-b', { value: Uint8Array.of(2) });
    return loaded;
  });
  await home.ingest([home.put('o.txt', 'other')], [...bankRate, writing]);
  const inode = (id: string) => statSync(path.join(home.store.folder, id, 'bank-rate.part')).ino;
  assert.equal(inode('made-2'), inode('made-1'));
  assert.deepEqual(
    home.store.openCurrent().manifest.datasets.map(({ name, parts }) => [name, parts]),
    [
      ['bank-rate', ['bank-rate']],
      ['stops', ['other-a', 'other-b']],
    ],
  );

  const keeping = other(async (_files, into) => {
    into.keepPart('other-b');
    into.tally.read = 2;
    into.tally.reject('broken', 'o.txt:1');
    into.tally.reject('broken', 'o.txt:2');
    return loaded;
  });
  const { sources } = await home.ingest([home.put('o.txt', 'other, later')], [keeping]);
  const release = home.store.openCurrent();
  release.verify();
  assert.deepEqual(Object.keys(release.manifest.parts).sort(), ['bank-rate', 'other-b']);
  assert.deepEqual(release.findDataset('stops')?.rejects, { broken: 2 });
  assert.deepEqual(sources[0]?.rejected, [{ reason: 'broken', count: 2, places: ['o.txt:1', 'o.txt:2'] }]);
});

test('a source sees what those listed before it loaded in the same run, and what was loaded earlier', async () => {
  await home.ingest(facts);
  const first = named('first', 'traffic', async (_files, into) => {
    assert.equal(into.base?.findDataset('traffic'), undefined);
    into.writePart('first', { value: Uint8Array.of(7) });
    return loaded;
  });
  const seen: unknown[] = [];
  const second = other(async (_files, into) => {
    seen.push(into.base?.part('first').u8('value')[0], into.base?.has('bank-rate'));
    into.base?.part('bank-rate');
    into.writePart('other', { value: Uint8Array.of(1) });
    return loaded;
  });
  await home.ingest([home.put('a.txt', 'other'), home.put('b.txt', 'first')], [first, second]);
  assert.deepEqual(seen, [7, true]);
  home.store.openCurrent().verify();
});

test('of two sources of one dataset the one listed first is read, and the other is named', async () => {
  const rich = named('rich', 'stops', async (_files, into) => {
    into.writePart('other', { value: Uint8Array.of(1) });
    return loaded;
  });
  const poor = other(async () => assert.fail('read all the same'));
  const [poorFile, richFile] = [home.put('a.txt', 'other'), home.put('b.txt', 'rich')];
  const { sources, passedOver } = await home.ingest([poorFile, richFile], [rich, poor]);
  assert.deepEqual(
    sources.map(({ source, dataset }) => [source, dataset]),
    [['rich', 'stops']],
  );
  assert.deepEqual(
    passedOver.map(({ name }) => name),
    [poorFile],
  );
});

test('what a source says of its coverage goes before what is true of the publication', async () => {
  const partial = other(async (_files, into) => {
    into.writePart('other', { value: Uint8Array.of(1) });
    return { ...loaded, coverage: { Scotland: 'postcode area AB' } };
  });
  await home.ingest([home.put('a.txt', 'other')], [partial]);
  assert.deepEqual(home.store.openCurrent().findDataset('stops')?.coverage, { Scotland: 'postcode area AB' });
});
