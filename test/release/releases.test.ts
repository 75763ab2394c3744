// Writer and store together, on real folders.

import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { isContentOf, writeDurableAside } from '../../src/release/durable.ts';
import { encodePart } from '../../src/release/part.ts';
import { openRelease, type Release, ReleaseDamaged } from '../../src/release/reader.ts';
import { ReleaseStore, releaseIdAt } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { madeUpDataset } from './made-up-dataset.ts';
import { writeManifest } from './sealed-manifest.ts';

let folder: string;
let store: ReleaseStore;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-releases-'));
  store = new ReleaseStore(folder, layouts);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const noon = Date.UTC(2026, 10, 15, 12);

function make(id: string, minute: number, base?: Release): Release {
  const writer = store.beginRelease({ id, kind: 'loaded', createdAtMs: noon + minute * 60_000, base });
  writer.writePart('a', { value: Uint32Array.of(minute) });
  writer.putDataset(madeUpDataset('authorities', ['a']));
  if (base === undefined) {
    writer.writePart('b', { value: Uint32Array.of(7) });
    writer.putDataset(madeUpDataset('stops', ['b']));
  }
  return writer.finish();
}

test('a finished release opens with what was written, and nothing else lies beside it', () => {
  make('one', 0);
  const release = store.open('one');
  assert.deepEqual([...release.part('a').u32('value')], [0]);
  assert.equal(release.findDataset('stops')?.rows, 1);
  assert.equal(release.findDataset('traffic'), undefined);
  assert.deepEqual(readdirSync(folder), ['one']);
});

test('a part is opened once', () => {
  make('one', 0);
  let loads = 0;
  const release = store.open('one', (file) => {
    loads += 1;
    const bytes = readFileSync(file);
    const buffer = new SharedArrayBuffer(bytes.length);
    new Uint8Array(buffer).set(bytes);
    return buffer;
  });
  assert.equal(release.part('a'), release.part('a'));
  assert.equal(loads, 1);
});

test('parts of the base that did not change are hard links', () => {
  const base = make('one', 0);
  const next = make('two', 1, base);
  assert.equal(next.manifest.parent, 'one');
  assert.equal(statSync(path.join(folder, 'one/b.part')).ino, statSync(path.join(folder, 'two/b.part')).ino);
  assert.deepEqual([...next.part('b').u32('value')], [7]);
  assert.deepEqual([...next.part('a').u32('value')], [1]);
  store.remove('one');
  assert.deepEqual([...store.open('two').part('b').u32('value')], [7]);
});

test('parts of a dataset that was written anew without them are dropped', () => {
  const base = make('one', 0);
  const writer = store.beginRelease({ id: 'two', kind: 'loaded', createdAtMs: noon, base });
  writer.writePart('c', { value: Uint8Array.of(1) });
  writer.putDataset(madeUpDataset('stops', ['c']));
  const next = writer.finish();
  assert.deepEqual(Object.keys(next.manifest.parts).sort(), ['a', 'c']);
  assert.equal(existsSync(path.join(folder, 'two/b.part')), false);
});

test('an abandoned build leaves nothing behind', () => {
  make('one', 0);
  const writer = store.beginRelease({ id: 'two', kind: 'loaded', createdAtMs: noon, base: undefined });
  writer.writePart('a', { value: Uint8Array.of(1) });
  assert.notDeepEqual(readdirSync(folder), ['one']);
  writer.abandon();
  assert.deepEqual(readdirSync(folder), ['one']);
});

test('a build that cannot be completed leaves nothing behind', () => {
  const writer = store.beginRelease({ id: 'two', kind: 'loaded', createdAtMs: noon, base: undefined });
  writer.putDataset(madeUpDataset('authorities', ['never-written']));
  assert.throws(() => writer.finish(), /never-written was neither written/);
  assert.deepEqual(readdirSync(folder), []);
});

test('what was written is read back before it appears', () => {
  const writer = store.beginRelease({ id: 'two', kind: 'loaded', createdAtMs: noon, base: undefined });
  writer.writePart('a', { value: Uint8Array.of(1, 2, 3) });
  writer.putDataset(madeUpDataset('authorities', ['a']));
  const building = readdirSync(folder).find((name) => statSync(path.join(folder, name)).isDirectory());
  assert.ok(building);
  const file = path.join(folder, building, 'a.part');
  const bytes = readFileSync(file);
  bytes[bytes.length - 8] = 9;
  writeFileSync(file, bytes);
  assert.throws(() => writer.finish(), ReleaseDamaged);
  assert.deepEqual(readdirSync(folder), []);
});

test('a part that was encoded elsewhere is on disk as it is, and only if it has a name of its own', async () => {
  const writer = store.beginRelease({ id: 'two', kind: 'loaded', createdAtMs: noon, base: undefined });
  const part = encodePart({ value: Uint32Array.of(5) });
  await writer.writeEncoded('a', part);
  await assert.rejects(writer.writeEncoded('a', part), /written twice/);
  await assert.rejects(writer.writeEncoded('../a', part), /not a name for a part/);
  writer.putDataset(madeUpDataset('authorities', ['a']));
  const release = writer.finish();
  assert.ok(readFileSync(path.join(release.dir, 'a.part')).equals(part));
  release.verify();
});

test('a file with one byte changed, missing or to spare does not hold the content', async () => {
  const content = Buffer.alloc((1 << 22) + 3, 7);
  const file = path.join(folder, 'content');
  await writeDurableAside(file, content);
  assert.equal(await isContentOf(file, content), true);
  const changed = Buffer.from(content);
  changed[changed.length - 1] = 8;
  for (const other of [changed, content.subarray(1), Buffer.concat([content, Buffer.of(7)]), Buffer.of()]) {
    writeFileSync(file, other);
    assert.equal(await isContentOf(file, content), false);
  }
});

test('the next build removes what a dead one left, never a build under way in the same process', () => {
  const dead = path.join(folder, '.building-1-1-earlier');
  mkdirSync(dead);
  const underWay = store.beginRelease({ id: 'two', kind: 'loaded', createdAtMs: noon, base: undefined });
  assert.equal(existsSync(dead), false);
  make('one', 0);
  underWay.writePart('a', { value: Uint8Array.of(1) });
  underWay.abandon();
  underWay.abandon();
  assert.deepEqual(readdirSync(folder), ['one']);
});

test('use() switches, and open() keeps serving what it opened', () => {
  const one = make('one', 0);
  make('two', 1);
  assert.equal(store.currentId(), undefined);
  store.use('one');
  assert.equal(store.currentId(), 'one');
  store.use('two');
  assert.equal(store.openCurrent().id, 'two');
  assert.equal(one.id, 'one');
});

test('a damaged release is never made current, and the message says what to do', () => {
  make('one', 0);
  make('two', 1);
  store.use('one');
  writeFileSync(path.join(folder, 'two/a.part'), 'rubbish');
  assert.throws(
    () => store.use('two'),
    (error: unknown) =>
      error instanceof ReleaseDamaged &&
      error.message ===
        `Part a of release two cannot be used: it has 7 bytes instead of ${store.open('two').manifest.parts.a?.bytes}. Run \`domesday check\`, or use another release with \`domesday releases use ID\`.`,
  );
  assert.equal(store.currentId(), 'one');
});

test('a part swapped for a sound one of another release is noticed', () => {
  make('one', 0);
  make('two', 1);
  writeFileSync(path.join(folder, 'two/a.part'), readFileSync(path.join(folder, 'one/a.part')));
  assert.throws(() => store.open('two').part('a'), /it is a part of another release/);
});

test('a part that lacks a column tells which part of which release it is', () => {
  make('one', 0);
  const part = store.open('one').part('a');
  const says = (problem: string) => ({
    name: 'ReleaseDamaged',
    message: `Part a of release one cannot be used: ${problem}. Run \`domesday check\`, or use another release with \`domesday releases use ID\`.`,
  });
  assert.throws(() => part.u32('price'), says('it has no column price'));
  assert.throws(() => part.u8('value'), says('its column value is of type u32, not u8'));
});

test('what another version laid out is as if it were not there, and stays when other data is loaded', () => {
  make('one', 0);
  const file = path.join(folder, 'one/manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const [first, second] = manifest.datasets;
  for (const layout of [0, 2]) {
    writeManifest(
      path.dirname(file),
      JSON.stringify({ ...manifest, datasets: [first, { ...second, layout }] }),
    );
    const release = store.open('one');
    assert.deepEqual([release.has('a'), release.findDataset('authorities')?.layout], [true, 1]);
    assert.deepEqual([release.has('b'), release.findDataset('stops')], [false, undefined]);
    assert.deepEqual(
      release.unreadable.map(({ dataset, laidOutBy }) => [dataset.name, laidOutBy]),
      [['stops', layout === 0 ? 'earlier' : 'later']],
    );
    assert.deepEqual(make(`from-${layout}`, 1, release).findUnreadable('stops')?.dataset.layout, layout);
  }
});

test('a dataset that only a later version knows is kept and listed, and not read', () => {
  make('one', 0);
  const file = path.join(folder, 'one/manifest.json');
  const manifest = readFileSync(file, 'utf8');
  writeManifest(path.dirname(file), manifest.replace('"name": "stops"', '"name": "solar-panels"'));
  const release = store.open('one');
  const unknown = (of: Release) => of.unreadable.map(({ dataset, laidOutBy }) => [dataset.name, laidOutBy]);
  assert.deepEqual(
    release.datasets.map(({ name }) => name),
    ['authorities'],
  );
  assert.deepEqual([release.has('b'), unknown(release)], [false, [['solar-panels', 'later']]]);
  const next = make('two', 1, release);
  assert.deepEqual(unknown(next), [['solar-panels', 'later']]);
  assert.equal(Object.hasOwn(next.manifest.parts, 'b'), true);
  next.verify();
});

test('a missing part and a missing manifest are told apart, without paths', () => {
  make('one', 0);
  rmSync(path.join(folder, 'one/a.part'));
  assert.throws(
    () => store.open('one').part('a'),
    /^ReleaseDamaged: Part a of release one cannot be used: a file of it is missing/,
  );
  assert.throws(() => store.open('one').verifyQuickly(), /its file is missing/);
  rmSync(path.join(folder, 'one/manifest.json'));
  assert.throws(
    () => openRelease(path.join(folder, 'one'), layouts),
    (error: unknown) => error instanceof ReleaseDamaged && !error.message.includes(folder),
  );
});

test('a manifest with one wrong member names it', () => {
  make('one', 0);
  const file = path.join(folder, 'one/manifest.json');
  const sound = readFileSync(file, 'utf8');
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['"version": 1', '"version": 9', /format version 9, but this program reads up to 1/],
    [
      '"kind": "loaded"',
      '"kind": "other"',
      /"other" at manifest\.kind; expected one of sample, loaded, sandbox/,
    ],
    ['"asOf": "2026-11-01"', '"asOf": "yesterday"', /datasets\[0\]\.asOf; expected a date/],
    ['"rows": 1', '"rows": -1', /datasets\[0\]\.rows; expected a whole number/],
    ['"layout": 1', '"layout": "old"', /datasets\[0\]\.layout; expected a whole number/],
    ['"id": "one"', '"id": "../../etc"', /expected a release id/],
    ['"a"\n', '"z"\n', /lists no part z, which authorities needs/],
    ['"id": "one"', '"id": "two"', /its manifest belongs to two/],
    ['{', '', /its manifest is not JSON/],
  ];
  for (const [from, to, expected] of cases) {
    assert.ok(sound.includes(from), from);
    writeManifest(path.dirname(file), sound.replace(from, to));
    assert.throws(() => store.open('one'), expected);
  }
});

test('list() is newest first and shows a damaged release as such', () => {
  make('one', 0);
  make('two', 1);
  store.use('two');
  writeFileSync(path.join(folder, 'one/manifest.json'), '{');
  mkdirSync(path.join(folder, '.building-1-1-x'));
  assert.deepEqual(
    store.list().map(({ id, kind, isCurrent }) => [id, kind, isCurrent]),
    [
      ['two', 'usable', true],
      ['one', 'damaged', false],
    ],
  );
});

test('prune() keeps the current release, the one before it, and those that are newer until told otherwise', () => {
  for (const [minute, id] of ['one', 'two', 'three', 'four'].entries()) make(id, minute);
  store.use('three');
  assert.deepEqual(store.prune('keep'), { removed: ['one'], keptNewer: ['four'] });
  assert.deepEqual(
    store.list().map(({ id }) => id),
    ['four', 'three', 'two'],
  );
  assert.deepEqual(store.prune('remove'), { removed: ['four'], keptNewer: [] });
  assert.deepEqual(
    store.list().map(({ id }) => id),
    ['three', 'two'],
  );
});

test('prune() removes nothing when the current release is missing', () => {
  make('one', 0);
  make('two', 1);
  store.use('two');
  store.remove('two');
  assert.throws(() => store.prune('keep'), /nothing was removed/);
  assert.equal(store.has('one'), true);
});

test('a second lock is refused while the first is held', () => {
  const lock = store.lock();
  assert.throws(() => store.lock(), /^HomeBusy: Another process is already changing the releases/);
  lock.release();
  store.lock().release();
});

test('ids sort by time', () => {
  assert.equal(releaseIdAt(Date.UTC(2026, 10, 15, 3, 12), 'ab12cd'), '2026-11-15T0312Z-ab12cd');
});

test('a name that would leave the folder is no release', () => {
  for (const id of ['../one', '', '.building', 'a/b', 'current/..']) {
    assert.throws(() => store.open(id), /There is no release/);
    store.remove(id);
  }
  assert.equal(existsSync(folder), true);
});
