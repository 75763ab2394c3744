// The fictional town's transport files have the official layouts and lie in the North Sea.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findFiles } from '../../src/ingest/files.ts';
import { firstRows } from '../../src/ingest/read/csv.ts';
import { gtfsTitles, nodeTitles } from '../sources/transport/desk.ts';

const place = (name: string) => path.join(import.meta.dirname, '../../data/sandbox', name);
const rowsOf = (bytes: Uint8Array) => firstRows(bytes, Number.POSITIVE_INFINITY, 'utf-8');
const isAtSea = (latitude: number, longitude: number) =>
  latitude > 54.1 && latitude < 54.3 && longitude > 0.8 && longitude < 1;

test('NaPTAN: the header of the API, codes of areas that were never allocated', () => {
  const [header = [], ...rows] = rowsOf(readFileSync(place('naptan.csv')));
  assert.equal(header.join(), nodeTitles);
  for (const row of rows) {
    assert.equal(row.length, header.length);
    const get = (name: string) => row[header.indexOf(name)] ?? '';
    assert.match(get('ATCOCode'), /^(99[789]0|9100Z|9400ZZ)/);
    const isJunk = ['', '0', '49.7668'].includes(get('Latitude'));
    assert.ok(isJunk || isAtSea(Number(get('Latitude')), Number(get('Longitude'))), get('ATCOCode'));
  }
});

test('timetables: the tables and headers of the Bus Open Data Service, with byte order marks', async () => {
  const found = await findFiles([place('bus-timetables.zip')]);
  try {
    const files = found.given[0]?.holdings[0]?.files ?? [];
    assert.equal(files.length, Object.keys(gtfsTitles).length);
    for (const file of files) {
      assert.ok(file.form === 'text');
      const table = /> (\w+)\.txt$/.exec(file.name)?.[1] ?? '';
      assert.ok(file.head.toString('utf8').startsWith('\ufeff'), table);
      assert.equal(
        rowsOf(file.head)[0]?.join(),
        Object.entries(gtfsTitles).find(([name]) => name === table)?.[1],
      );
    }
  } finally {
    found.close();
  }
});

test('docks and count points lie at sea', () => {
  const docks: readonly { lat: number; lon: number }[] = JSON.parse(
    readFileSync(place('bikepoint.json'), 'utf8'),
  );
  for (const { lat, lon } of docks) assert.ok(isAtSea(lat, lon));
  const [header = [], ...rows] = rowsOf(readFileSync(place('traffic.csv')));
  for (const row of rows) {
    assert.ok(isAtSea(Number(row[header.indexOf('latitude')]), Number(row[header.indexOf('longitude')])));
    assert.equal(row.length, header.length);
  }
});
