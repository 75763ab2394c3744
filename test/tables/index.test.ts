// The list of tables against releases that the real ingest built: nothing in them is left undescribed or unproved.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { datasetNames } from '../../src/datasets.ts';
import { type Columns, encodePart, Part } from '../../src/release/part.ts';
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

/** The release with one part written anew, its checksums right: what a faulty encoder would have left. */
function rewritten(sound: Release, name: string, edit: (columns: Columns) => Columns): Release {
  const original = sound.readPart(name);
  const columns = Object.fromEntries(
    original.columns.map(({ name: column, type }) => [
      column,
      type === 'strings' ? original.strings(column).list() : original[type](column),
    ]),
  );
  const bytes = encodePart(edit(columns));
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  const entry = { bytes: bytes.length, crc32: Part.open(shared).checksum };
  const manifest = { ...sound.manifest, parts: { ...sound.manifest.parts, [name]: entry } };
  return new Release(sound.dir, manifest, layouts, (file, size) =>
    file.endsWith(`/${name}.part`) ? shared : readShared(file, size),
  );
}

const unsound = (release: Release, problem: RegExp) =>
  assert.throws(
    () => proveRelease(release),
    (error: unknown) => error instanceof ReleaseDamaged && problem.test(error.message),
  );

test('a release is found unsound where a part points outside another', () => {
  const changed = rewritten(home.releases.openCurrent(), 'council-tax', (columns) => ({
    ...columns,
    edition: new Uint16Array(columns.edition?.length ?? 0).fill(60_000),
  }));
  unsound(changed, /edition points with 60000 into \d+ of edition/);
});

test('a release is found unsound where a column of a table that shares its part is missing', () => {
  const sound = home.sandbox.openCurrent();
  let tried = 0;
  for (const name of Object.keys(sound.manifest.parts)) {
    const columns = sound.readPart(name).columns.filter((column) => column.name.includes(' '));
    const byPrefix = Map.groupBy(columns, (column) => column.name.split(' ')[0]);
    // A table of one column is not there at all without it, which whoever asks for it is told.
    for (const column of [...byPrefix.values()].filter((own) => own.length > 1).flat()) {
      const changed = rewritten(sound, name, ({ [column.name]: _, ...rest }) => rest);
      unsound(changed, new RegExp(`it has no column ${column.name}`));
      tried += 1;
    }
  }
  assert.ok(tried > 20, `only ${tried} columns were taken away`);
});
