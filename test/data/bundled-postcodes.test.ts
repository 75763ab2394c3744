// The postcodes and names that come with the program fit each other, and are honest about what they are.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sandbox as bundledSandbox } from '../../src/cli/bundled/bundled.ts';
import type { Release } from '../../src/release/reader.ts';
import { openHome } from '../../src/release/store.ts';
import { sourcesNamed } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';
import { openPlaceNames } from '../../src/tables/postcodes/place-names.ts';
import { openPostcodes, placeCodes } from '../../src/tables/postcodes/postcodes.ts';
import { distanceMetres } from '../../src/uk/grid.ts';
import { parsePostcode } from '../../src/uk/postcode.ts';
import { bundledHome } from '../rig.ts';

const { home, remove } = await bundledHome();
let sample: Release;
let sandbox: Release;
before(() => {
  const stores = openHome(home, layouts);
  sample = stores.releases.openCurrent();
  sandbox = stores.sandbox.openCurrent();
});
after(remove);

const find = (release: Release, text: string) =>
  openPostcodes(release).find(parsePostcode(text) ?? assert.fail(text)) ??
  assert.fail(`${text} is not there`);

test('every code of a bundled postcode has a name', () => {
  for (const release of [sample, sandbox]) {
    const table = openPostcodes(release);
    const names = openPlaceNames(release);
    const nameless = new Set<string>();
    for (const area of table.areas()) {
      for (const row of table.inArea(area)) {
        for (const code of placeCodes) {
          const value = row[code];
          if (value !== null && names.find(value) === undefined) nameless.add(value);
        }
      }
    }
    assert.deepEqual([...nameless], [], release.id);
  }
});

test('every dataset of the sandbox is fictional and says so, but for Bank Rate, which is the real one', () => {
  const { datasets } = sandbox.manifest;
  assert.deepEqual(
    datasets.map(({ name }) => name),
    [...new Set(sourcesNamed(...bundledSandbox.sources).map(({ dataset }) => dataset))].sort(),
  );
  for (const { name, extent, attribution } of datasets) {
    if (name === 'bank-rate')
      assert.deepEqual([extent, attribution], ['complete', 'Source: Bank of England.']);
    else {
      assert.equal(extent, 'fictional', name);
      assert.match(attribution, /^Invented for the sandbox/, name);
    }
  }
});

test('nothing of the sample is fictional, and its postcodes are a sample with the attribution of their publisher', () => {
  for (const { name, extent, attribution } of sample.manifest.datasets) {
    assert.notEqual(extent, 'fictional', name);
    assert.doesNotMatch(attribution, /Invented/, name);
  }
  const extents = (['postcodes', 'place-names'] as const).map((name) => sample.findDataset(name)?.extent);
  assert.deepEqual(extents, ['sample', 'sample']);
  assert.equal(openPostcodes(sample).size, 696);
  assert.equal(openPostcodes(sandbox).size, 60);
  assert.match(sample.findDataset('postcodes')?.attribution ?? '', /Contains OS data © Crown copyright/);
});

test('the Barbican lies in the City of London', () => {
  const row = find(sample, 'EC2Y 8BP');
  const names = openPlaceNames(sample);
  assert.equal(names.find(row.authorityCode ?? ''), 'City of London');
  assert.equal(names.find(row.wardCode ?? ''), 'Aldersgate');
  const { latitudeDegrees, longitudeDegrees } = row.point ?? assert.fail('no point');
  assert.ok(distanceMetres(latitudeDegrees, longitudeDegrees, 51.5202, -0.0938) < 500);
});

test('the sandbox has a terminated postcode, a large user and one without a place', () => {
  assert.equal(find(sandbox, 'ZZ1 2ZZ').terminated, '2019-05');
  assert.equal(find(sandbox, 'ZZ1 9AA').usage, 'large');
  assert.equal(find(sandbox, 'ZZ2 9ZZ').point, null);
  assert.deepEqual(
    ['ZZ1 1AA', 'ZZ3 1AA', 'ZZ4 1AA'].map((text) => find(sandbox, text).nation),
    ['England', 'Wales', 'Scotland'],
  );
});
