// Shared by the tests of the postcode sources: the fixtures, and what a current release answers.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { DatasetName } from '../../../src/datasets.ts';
import { openPlaceNames } from '../../../src/tables/postcodes/place-names.ts';
import { openPostcodes, type PostcodeRow } from '../../../src/tables/postcodes/postcodes.ts';
import { parsePostcode } from '../../../src/uk/postcode.ts';
import type { TestHome } from '../../ingest/home.ts';

export const fixturePath = (name: string): string =>
  path.join(import.meta.dirname, '../../fixtures/postcodes', name);
export const fixtureText = (name: string): string => readFileSync(fixturePath(name), 'utf8');

export function findRow(home: TestHome, postcode: string): PostcodeRow | undefined {
  const parsed = parsePostcode(postcode) ?? assert.fail(`${postcode} is no postcode`);
  return openPostcodes(home.store.openCurrent()).find(parsed);
}

export const findName = (home: TestHome, code: string): string | undefined =>
  openPlaceNames(home.store.openCurrent()).find(code);

export const datasetOf = (home: TestHome, name: DatasetName = 'postcodes') =>
  home.store.openCurrent().findDataset(name) ?? assert.fail(`${name} is not loaded`);
