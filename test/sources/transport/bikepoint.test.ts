// Cycle hire as Transport for London's API answers.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, test } from 'node:test';
import { openCycleHire } from '../../../src/tables/transport/cycle-hire.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';
import { realFile, testWith } from '../../requirements.ts';
import { loadReport } from './desk.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const place = (number: number, properties: Readonly<Record<string, string>> = {}, lat: unknown = 51.5) => ({
  id: `BikePoints_${number}`,
  commonName: 'River Street , Clerkenwell',
  placeType: 'BikePoint',
  additionalProperties: Object.entries({ Installed: 'true', RemovalDate: '', ...properties }).map(
    ([key, value]) => ({
      key,
      value,
      modified: `2026-09-0${number}T19:57:48.923Z`,
    }),
  ),
  lat,
  lon: -0.1,
});
const count = () =>
  openCycleHire(home.store.openCurrent()).countWithin({
    latitudeDegrees: 51.5,
    longitudeDegrees: -0.1,
    radiusMetres: 800,
  });

test('stations that are installed and not removed count; the newest change is the edition', async () => {
  const places = [
    place(1),
    place(2, { Installed: 'false' }),
    place(3, { RemovalDate: '1716321468923' }),
    place(4),
    place(4),
    place(5, {}, 0),
  ];
  const file = home.put('BikePoint.json', `\ufeff${JSON.stringify(places)}`);
  const { kept, rejected, asOf } = await loadReport(home, [file]);
  assert.deepEqual([kept, count(), asOf], [2, 2, '2026-09-05']);
  assert.deepEqual(rejected, {
    'not installed': 1,
    removed: 1,
    'duplicate id': 1,
    'no place in Great Britain': 1,
  });
  await home.ingest([home.put('BikePoint.json', JSON.stringify([place(9)]))]);
  assert.equal(count(), 1);
});

test('an answer that is cut off, without docks, or of another shape is refused', async () => {
  const refused = (text: string, message: RegExp) =>
    assert.rejects(home.ingest([home.put('BikePoint.json', text)]), message);
  await refused(JSON.stringify([place(1), place(2)]).slice(0, -20), /cut off/);
  await refused(JSON.stringify([place(1, { Installed: 'false' })]), /no docking station that is installed/);
  await refused(JSON.stringify([place(1, {}, '51.5')]), /place 1 has no lat and lon/);
});

testWith(
  realFile('data/area/tfl_bikepoint_sample.json'),
  'real: a docking station of 2024 is read',
  async (file) => {
    assert.match(readFileSync(file, 'utf8'), /BikePoints_1/);
    const { kept, asOf } = await loadReport(home, [file]);
    assert.deepEqual([kept, asOf], [1, '2024-05-21']);
  },
);
