// Code-Point Open: data without a header, as one file, many, compressed, in its archive, and of earlier years.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { makeZip } from '../../../scripts/make-zip.ts';
import { openPostcodes } from '../../../src/tables/postcodes/postcodes.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';
import { realFile, testWith } from '../../requirements.ts';
import { datasetOf, findRow, fixtureText } from './desk.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const data = fixtureText('code-point-2025.csv');
const metadata = fixtureText('code-point-metadata.txt');
const columns = fixtureText('code-point-columns.csv');
const named = 'codepo_gb_2025.4_all.csv';

test('a row is answered with the codes it has and its grid reference as latitude and longitude', async () => {
  const { sources } = await home.ingest([home.put(named, data)]);
  assert.deepEqual([sources[0]?.read, sources[0]?.kept, sources[0]?.rejected], [4, 4, []]);
  const row = findRow(home, 'ZZ1 1AB');
  // 57.149590, -2.096925 is the place of the same grid reference in the bundled sample.
  assert.ok(Math.abs((row?.point?.latitudeDegrees ?? 0) - 57.14959) < 4e-5, JSON.stringify(row));
  assert.ok(Math.abs((row?.point?.longitudeDegrees ?? 0) + 2.096925) < 6e-5, JSON.stringify(row));
  assert.deepEqual(
    { ...row, point: null },
    {
      postcode: 'ZZ1 1AB',
      nation: 'Scotland',
      point: null,
      authorityCode: 'S12000999',
      wardCode: 'S13999001',
      countyCode: null,
      regionCode: null,
      lsoaCode: null,
      msoaCode: null,
      policeForceCode: null,
      terminated: null,
      usage: null,
    },
  );
  assert.equal(findRow(home, 'ZZ1 1AA')?.countyCode, 'E10000999');
});

test('a row without district, and one without a place, are kept and say so', async () => {
  await home.ingest([home.put(named, data)]);
  const noDistrict = findRow(home, 'ZZ10 2AB');
  assert.deepEqual(
    [noDistrict?.nation, noDistrict?.authorityCode, noDistrict?.point === null],
    ['England', null, false],
  );
  const noPlace = findRow(home, 'ZZ2 9ZZ');
  assert.deepEqual([noPlace?.nation, noPlace?.authorityCode, noPlace?.point], ['Wales', null, null]);
});

test('compressed, in the official archive, one file per area: the same rows', async () => {
  const lines = data.trimEnd().split('\n');
  const files: readonly (readonly [string, Uint8Array])[] = [
    [`${named}.gz`, gzipSync(data)],
    [
      'codepo_gb.zip',
      makeZip({
        'Data/CSV/za.csv': `${lines.slice(0, 2).join('\n')}\n`,
        'Data/CSV/zb.csv': lines.slice(2).join('\r\n'),
        'Doc/metadata.txt': metadata,
        'Doc/Code-Point_Open_Column_Headers.csv': columns,
        'Doc/licence.txt': 'Contains OS data',
      }),
    ],
  ];
  for (const [name, bytes] of files) {
    const { sources } = await home.ingest([home.put(name, bytes)]);
    assert.equal(sources[0]?.rows, 4);
    assert.equal(findRow(home, 'ZZ1 1AB')?.wardCode, 'S13999001');
  }
});

test('postcodes in seven fixed places, as in 2014, are read', async () => {
  await home.ingest([home.put('codepo_gb_2014.2.csv', fixtureText('code-point-2014.csv'))]);
  assert.equal(findRow(home, 'ZZ10 2AB')?.authorityCode, 'E06000999');
  assert.equal(findRow(home, 'Z1 1AD')?.nation, 'Scotland');
});

test('edition and day come from metadata.txt, else from the name; without either the file is refused', async () => {
  await home.ingest([home.put(named, data)]);
  assert.deepEqual([datasetOf(home).edition, datasetOf(home).asOf], ['2025.4', '2025-10-01']);
  const archive = makeZip({ 'Data/CSV/zz.csv': data, 'Doc/metadata.txt': metadata });
  await home.ingest([home.put('download.zip', archive)]);
  assert.deepEqual([datasetOf(home).edition, datasetOf(home).asOf], ['2025.4.0', '2025-10-17']);
  await assert.rejects(
    home.ingest([home.put('zz.csv', data)]),
    /zz\.csv: does not state its day\. .*--edition/,
  );
});

test('an area with other counts than metadata.txt has is refused: something is missing', async () => {
  const cut = data.split('\n').slice(0, 3).join('\n');
  const zip = (files: Record<string, string>) =>
    home.put('codepo.zip', makeZip({ 'Doc/metadata.txt': metadata, ...files }));
  await assert.rejects(
    home.ingest([zip({ 'Data/CSV/zz.csv': cut })]),
    /Doc\/metadata\.txt: lists 4 postcodes of ZZ, but the data has 3\. Files are missing or cut off/,
  );
  await assert.rejects(home.ingest([zip({})]), /describes Code-Point Open; give the data/);
});

test('a bad file is refused by name, line and what was expected, and the current release stays', async () => {
  await home.ingest([home.put(named, data)]);
  const lines = data.trimEnd().split('\n');
  const swap = (a: number, b: number) =>
    lines
      .map((line) => {
        const cells = line.split(',');
        [cells[a], cells[b]] = [cells[b] ?? '', cells[a] ?? ''];
        return cells.join();
      })
      .join('\n');
  const cases: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    ['a_codepo_2025.4.csv', '', /a_codepo_2025\.4\.csv: is empty/],
    ['b_codepo_2025.4.csv', data.slice(0, -30), /line 4 .*expected 10 fields/],
    ['c_codepo_2025.4.csv', data.slice(0, -2), /line 4 has a quote that is never closed/],
    ['d_codepo_2025.4.csv', swap(0, 4), /line 1 is .*; expected a postcode as the first field/],
    ['e_codepo_2025.4.csv', swap(1, 2), /line 1 is .*; expected a quality \(10 to 90\) as the second field/],
    ['f_codepo_2025.4.csv', swap(2, 3), /line 2 is .*; expected easting and northing in metres/],
    ['g_codepo_2025.4.csv', swap(8, 9), /line 1 has "E05999001" as district; expected a code like E09000001/],
    ['h_codepo_2025.4.csv', swap(4, 6), /line 2 is .*; expected a country code/],
    ['i_codepo_2025.4.csv', data.replace('480000', '48o000'), /line 1 is .*; expected easting and northing/],
    [
      'j_codepo_2025.4.csv',
      Buffer.from(data.replace('"","S08000020"', '"\xe9","S08000020"'), 'latin1'),
      /line 2 is not UTF-8/,
    ],
    [
      'k_codepo_2025.4.gz',
      gzipSync(data).subarray(0, 90),
      /cannot be read to its end; it is damaged or cut off/,
    ],
    [
      'l.zip',
      makeZip({ 'a.csv': data, 'b.csv': columns.replace('Eastings,Northings', 'Northings,Eastings') }),
      /line 2 has .*; expected Postcode,Positional/,
    ],
  ];
  for (const [name, content, expected] of cases) {
    await assert.rejects(home.ingest([home.put(name, content)]), expected, name);
    assert.equal(home.store.currentId(), 'made-1');
  }
  assert.equal(findRow(home, 'ZZ1 1AB')?.wardCode, 'S13999001');
});

testWith(
  realFile('data/codepoint_open'),
  'slow: the real national file: every row is kept, those without district or place too',
  async (folder) => {
    const { sources } = await home.ingest([folder]);
    assert.deepEqual(
      [sources[0]?.read, sources[0]?.kept, sources[0]?.edition, sources[0]?.asOf],
      [1_745_849, 1_745_849, '2025.4.0', '2025-10-17'],
    );
    const table = openPostcodes(home.store.openCurrent());
    let withoutDistrict = 0;
    let withoutPoint = 0;
    for (const area of table.areas()) {
      for (const row of table.inArea(area)) {
        if (row.authorityCode === null) withoutDistrict += 1;
        if (row.point === null) withoutPoint += 1;
      }
    }
    assert.deepEqual([withoutDistrict, withoutPoint, table.areas().length], [1044, 836, 120]);
    assert.equal(findRow(home, 'PO30 1UD')?.authorityCode, 'E06000046');
  },
);
