// The list of tables against releases that the real ingest built: nothing in them is left undescribed or unproved.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { datasetNames } from '../../src/datasets.ts';
import { encodePart, Part } from '../../src/release/part.ts';
import { Release, ReleaseDamaged, readShared } from '../../src/release/reader.ts';
import { type Home, openHome } from '../../src/release/store.ts';
import { layouts, proveRelease, tables } from '../../src/tables/index.ts';
import { bundledHome } from '../rig.ts';

const { home: folder, remove } = await bundledHome();
let home: Home;
before(() => {
  home = openHome(folder, layouts);
});
after(remove);

test('every dataset has a layout', () => {
  assert.deepEqual(new Set(layouts.keys()), new Set(datasetNames));
});

/** `sales-<area>` → what matches its names; a table with a prefix has it before every column. */
const pattern = (text: string) => new RegExp(`^${text.replace(/<[a-z]+>/, '[a-z0-9-]+')}$`);

for (const kind of ['releases', 'sandbox'] as const) {
  test(`a table describes every column of the ${kind}, and every number there points at something`, () => {
    const release = home[kind].openCurrent();
    const all = Object.values(tables).flat();
    const undescribed = Object.keys(release.manifest.parts).flatMap((name) => {
      const own = all.filter(({ part }) => pattern(part).test(name));
      const names = own.flatMap(({ prefix, columns }) =>
        Object.keys(columns).map((column) => pattern(prefix === undefined ? column : `${prefix} ${column}`)),
      );
      return release
        .readPart(name)
        .columns.filter((column) => !names.some((known) => known.test(column.name)))
        .map((column) => `${name}: ${column.name}`);
    });
    assert.deepEqual(undescribed, []);
    proveRelease(release);
  });
}

test('a release is found unsound where a part points outside another', () => {
  const sound = home.releases.openCurrent();
  const name = 'council-tax';
  const original = sound.readPart(name);
  const columns = Object.fromEntries(
    original.columns.map(({ name: column, type }) => {
      if (type === 'strings') return [column, original.strings(column).list()];
      return [column, column === 'edition' ? original.u16(column).map(() => 60_000) : original[type](column)];
    }),
  );
  const bytes = encodePart(columns);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  const entry = { bytes: bytes.length, crc32: Part.open(shared).checksum };
  const manifest = { ...sound.manifest, parts: { ...sound.manifest.parts, [name]: entry } };
  const changed = new Release(sound.dir, manifest, layouts, (file, size) =>
    file.endsWith(`/${name}.part`) ? shared : readShared(file, size),
  );
  assert.throws(
    () => proveRelease(changed),
    (error: unknown) =>
      error instanceof ReleaseDamaged && /edition points with 60000 into \d+ of edition/.test(error.message),
  );
});
