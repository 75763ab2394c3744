// The list of sources against the list of datasets.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { datasetNames } from '../../src/datasets.ts';
import { sources } from '../../src/sources/index.ts';

test('every dataset has a source that fills it, and every source a name of its own', () => {
  const filled = new Set(sources.map(({ dataset }) => dataset));
  assert.deepEqual(
    datasetNames.filter((name) => !filled.has(name)),
    [],
  );
  assert.equal(new Set(sources.map(({ name }) => name)).size, sources.length);
});
