// What a manifest says of a dataset, where a test cares only for its name and its parts.

import type { DatasetName } from '../../src/datasets.ts';
import type { KnownDataset } from '../../src/release/manifest.ts';

export const madeUpDataset = (name: DatasetName, parts: readonly string[]): Omit<KnownDataset, 'layout'> => ({
  name,
  title: name,
  source: 'Test',
  publisher: 'Test',
  publisherShort: 'Test',
  licence: 'OGL v3',
  attribution: 'Test',
  edition: '1',
  asOf: '2026-11-01',
  loadedAt: '2026-11-15T12:00:00.000Z',
  rows: 1,
  rejects: { broken: 2 },
  extent: 'complete',
  coverage: { England: 'complete' },
  nextEditionExpected: null,
  files: [{ name: 'a.csv', bytes: 3, sha256: '0'.repeat(64) }],
  loadedBy: { source: 'test', version: 1 },
  parts,
});
