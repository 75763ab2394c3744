// The bundle: light enough for a first visit, kept by what it is made of, and whole or not there at all.

import assert from 'node:assert/strict';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Bundle, bundleKey, findKept, keepBundle } from '../../src/bundle/bundle.ts';
import { makeBundle } from '../../src/bundle/make.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'domesday-bundle-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let made: Promise<Bundle> | undefined;
const bundle = () => {
  made ??= makeBundle();
  return made;
};

test('a first visit to any section takes at most 120 kB, charts included', async () => {
  const { assets, script, style, needs } = await bundle();
  const bytesOf = new Map(assets.map(({ name, br }) => [name, br.length]));
  const sum = (names: Iterable<string>) =>
    [...names].reduce((total, name) => total + (bytesOf.get(name) ?? Number.NaN), 0);
  // What draws is asked for when the first chart appears.
  const drawing = assets.filter(({ name }) => name.startsWith('plot-')).map(({ name }) => name);
  for (const section of ['front', 'person', 'account', 'admin'] as const) {
    const bytes = sum(new Set([script, style, ...needs[section], ...drawing]));
    assert.ok(bytes <= 118_000, `${section}: ${bytes} bytes`);
  }
});

test('a customer does not fetch the operator’s pages', async () => {
  const { assets, script, needs } = await bundle();
  const fetched = assets.filter(({ name }) => name === script || needs.account.includes(name));
  assert.ok(fetched.length > 2);
  for (const { name, plain } of fetched) assert.equal(plain.includes('/portal/admin/'), false, name);
  assert.equal(
    needs.admin.some((name) => !needs.account.includes(name)),
    true,
  );
});

test('a section is one file, and what sections share is two more: few files are fetched sooner than many', async () => {
  const { needs } = await bundle();
  for (const [section, names] of Object.entries(needs)) {
    const kinds = names.map((name) => name.split('-')[0]).sort();
    assert.deepEqual(kinds, ['app', 'chunk', 'chunk', 'section'], section);
  }
});

test('every coding of a file is the same file', async () => {
  for (const { name, plain, br, gzip } of (await bundle()).assets) {
    assert.deepEqual(brotliDecompressSync(br), plain, name);
    assert.deepEqual(gunzipSync(gzip), plain, name);
  }
});

test('the same sources make the same names, so that what was fetched once is not fetched again', async () => {
  const names = async (of: Promise<Bundle>) => (await of).assets.map(({ name }) => name).sort();
  assert.deepEqual(await names(makeBundle()), await names(bundle()));
});

test('a kept bundle is found by its key, takes the place of earlier ones, and is not there when it is broken', async () => {
  const whole = await bundle();
  assert.equal(await findKept('one', folder), undefined);
  await keepBundle('one', whole, folder);
  writeFileSync(path.join(folder, 'new-left-by-a-crash'), '');
  await keepBundle('two', whole, folder);
  assert.deepEqual(readdirSync(folder), ['two.json']);
  assert.deepEqual(await findKept('two', folder), whole);
  truncateSync(path.join(folder, 'two.json'), 1000);
  assert.equal(await findKept('two', folder), undefined);
});

test('the key is of every source, of the packages and of how it is made', async () => {
  const root = path.join(import.meta.dirname, '../..');
  const copy = path.join(folder, 'copy');
  for (const name of ['web', 'src/bundle', 'package-lock.json'])
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  const key = await bundleKey(copy);
  assert.equal(key, await bundleKey());
  for (const file of ['web/main.ts', 'web/styles/ground.css', 'package-lock.json', 'src/bundle/make.ts']) {
    const text = readFileSync(path.join(copy, file), 'utf8');
    writeFileSync(path.join(copy, file), `${text} `);
    assert.notEqual(await bundleKey(copy), key, file);
    writeFileSync(path.join(copy, file), text);
  }
  renameSync(path.join(copy, 'web/main.ts'), path.join(copy, 'web/main-2.ts'));
  assert.notEqual(await bundleKey(copy), key, 'a name');
});
