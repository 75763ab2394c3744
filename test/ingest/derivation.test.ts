// A derived part speaks of the data that its release holds, in whatever order and in how many runs that was loaded.

import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { DatasetName } from '../../src/datasets.ts';
import { type Derivation, findUnderived } from '../../src/ingest/derivation.ts';
import type { Source } from '../../src/ingest/source.ts';
import { parseManifest } from '../../src/release/manifest.ts';
import { derivations } from '../../src/sources/derivations.ts';
import { sourcesNamed } from '../../src/sources/index.ts';
import { openTestHome, type TestHome } from './home.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const [bankRate = assert.fail()] = sourcesNamed('bank-rate');

/** A file "a=7" is a dataset with one number, in the part `a`. */
const letter = (name: string, dataset: DatasetName): Source => ({
  ...bankRate,
  name,
  dataset,
  open: async () => ({
    ...(await bankRate.open()),
    headerAlone: () => 'read',
    recognise: (file) =>
      file.form === 'text' && file.head.toString().startsWith(`${name}=`) ? 'letter' : undefined,
    load: async ([given], into) => {
      assert.ok(given?.file.form === 'text');
      into.writePart(name, { value: Uint8Array.of(Number(given.file.head.toString().slice(2))) });
      return { edition: '1', asOf: '2026-01-01', rows: 1, extent: 'complete', nextEditionExpected: null };
    },
  }),
});
const letters = [letter('a', 'stops'), letter('b', 'traffic'), letter('c', 'income')];

let made = 0;
/** The sum of `a` and, where it is loaded, `b`. */
const sum = (version = 1): Derivation => ({
  part: 'sum',
  version,
  from: ['stops', 'traffic'],
  needs: ['a'],
  derive: async (release) => {
    made += 1;
    const numberOf = (name: string) => (release.has(name) ? (release.part(name).u8('value')[0] ?? 0) : 0);
    return { value: Uint8Array.of(numberOf('a') + numberOf('b')) };
  },
});

const load = async (texts: readonly string[], rules: readonly Derivation[] = [sum()]) => {
  const paths = texts.map((text) => home.put(`${text}.txt`, text));
  return (await home.ingest(paths, letters, rules)).release;
};
const inode = (id: string) => statSync(path.join(home.store.folder, id, 'sum.part')).ino;

test('it is made when what it needs is there, anew when a dataset of it changes, and else carried over', async () => {
  made = 0;
  const without = await load(['b=5']);
  assert.deepEqual([without.has('sum'), without.manifest.derived, made], [false, [], 0]);
  const both = await load(['a=7']);
  assert.deepEqual([both.part('sum').u8('value')[0], made], [12, 1]);
  assert.deepEqual(both.manifest.derived, [{ part: 'sum', version: 1, from: ['stops', 'traffic'] }]);
  const replaced = await load(['b=6']);
  assert.deepEqual([replaced.part('sum').u8('value')[0], made], [13, 2]);
  const other = await load(['c=1']);
  assert.deepEqual([other.part('sum').u8('value')[0], made], [13, 2]);
  assert.equal(inode(other.id), inode(replaced.id));
  other.verify();
});

test('a rule of another version makes it anew, whatever was loaded, and until then the release lacks it', async () => {
  made = 0;
  await load(['a=7']);
  const second = sum(2);
  const old = home.store.openCurrent();
  assert.deepEqual([old.has('sum'), old.hasDerived(second)], [true, false]);
  assert.deepEqual(findUnderived([second], old), [second]);
  const release = await load(['c=1'], [second]);
  assert.deepEqual([release.hasDerived(second), made], [true, 2]);
  assert.deepEqual(findUnderived([second], release), []);
});

test('a part that no rule makes any more is not carried over', async () => {
  await load(['a=7']);
  const release = await load(['c=1'], []);
  assert.deepEqual([release.has('sum'), release.manifest.derived], [false, []]);
});

test('a release that lacks what a rule makes says so, and the next ingest makes it', async () => {
  const older = await load(['a=7'], []);
  assert.deepEqual(older.manifest.derived, []);
  const rule = sum();
  assert.deepEqual(findUnderived([rule], older), [rule]);
  assert.equal((await load(['c=1'])).part('sum').u8('value')[0], 7);
});

test('a manifest that names a derived part which it does not list is refused', async () => {
  const { manifest } = await load(['a=7'], []);
  const lying = { ...manifest, derived: [{ part: 'sum', version: 1, from: ['stops'] }] };
  assert.throws(() => parseManifest(JSON.stringify(lying)), /lists no part sum, which it says was derived/);
});

const bundled = (name: string) => path.join(import.meta.dirname, '../../data/sandbox', name);
const official = {
  postcodes: [bundled('postcodes.csv')],
  names: ['ward-names.csv', 'lsoa-names.csv', 'police-force-names.csv'].map(bundled),
  crime: [bundled('police.zip')],
  census: [bundled('census2021-ts001-lsoa.csv')],
};

test('what is derived has the same bytes in whatever order and runs the datasets were loaded', async () => {
  const { postcodes, names, crime, census } = official;
  const few = home.put(
    'few.csv',
    readFileSync(bundled('postcodes.csv'), 'utf8').split('\n').slice(0, 20).join('\n'),
  );
  const orders = [
    [[...postcodes, ...names, ...crime, ...census]],
    [postcodes, names, crime, census],
    [census, crime, names, postcodes],
    [crime, [...census, ...postcodes], names],
    // What is loaded twice is as what is loaded once.
    [[...postcodes, ...names], census, crime, census, postcodes],
    // What is replaced leaves nothing behind.
    [[few, ...names, ...crime, ...census], postcodes],
  ];
  const parts: string[] = [];
  for (const runs of orders) {
    const own = openTestHome();
    try {
      for (const paths of runs) await own.ingest(paths);
      const { dir, manifest } = own.store.openCurrent();
      const derived = manifest.derived.map(({ part }) => part);
      assert.deepEqual(derived, ['completions', 'crime-force-categories', 'crime-ground', 'crime-rates']);
      const bytes = derived.map((part) => readFileSync(path.join(dir, `${part}.part`)).toString('base64'));
      parts.push(bytes.join());
    } finally {
      own.remove();
    }
  }
  assert.equal(new Set(parts).size, 1);
});

test('crime without a census is counted and not ranked; a census without crime gives no ranking', async () => {
  const { postcodes, names, crime, census } = official;
  const { release: people } = await home.ingest([...postcodes, ...names, ...census]);
  const derived = people.manifest.derived.map(({ part }) => part);
  assert.deepEqual([derived, findUnderived(derivations, people)], [['completions'], []]);
  const { release: ranked } = await home.ingest(crime);
  assert.ok((ranked.part('crime-rates').u32('compared')[0] ?? 0) > 0);
  const alone = openTestHome();
  try {
    const { release } = await alone.ingest([...postcodes, ...names, ...crime]);
    const part = release.part('crime-rates');
    assert.equal(part.u32('compared')[0], 0);
    assert.ok(part.u32('counts').some((count) => count > 0));
  } finally {
    alone.remove();
  }
});
