// The ONS directories, old and new column names, as files and in their archive.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { makeZip } from '../../../scripts/make-zip.ts';
import { readCsv } from '../../../src/ingest/read/csv.ts';
import { findGridReferences } from '../../../src/tables/postcodes/grid-references.ts';
import { openPostcodes } from '../../../src/tables/postcodes/postcodes.ts';
import { distanceMetres, gridToLatLong } from '../../../src/uk/grid.ts';
import { parsePostcode } from '../../../src/uk/postcode.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';
import { realFile, realFiles, testWith } from '../../requirements.ts';
import { datasetOf, findRow, fixturePath, fixtureText } from './desk.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const newNames = fixturePath('ONSPD_NOV_2025_UK.csv');
const newText = fixtureText('ONSPD_NOV_2025_UK.csv');

const ordinary = {
  postcode: 'ZZ1 1AA',
  nation: 'England',
  point: { latitudeDegrees: 54.180581, longitudeDegrees: 0.909995 },
  authorityCode: 'E07000999',
  wardCode: 'E05999001',
  countyCode: 'E10000999',
  regionCode: 'E12000999',
  lsoaCode: 'E01999001',
  msoaCode: 'E02999001',
  policeForceCode: 'E23000999',
  terminated: null,
  usage: 'small',
};

test('old names, new names, capitals and the NSPL give the same rows', async () => {
  const shouted = newText.replace(/^.*\n/, (line) => line.toUpperCase());
  const files = [
    newNames,
    fixturePath('onspd-old-names.csv'),
    home.put('shouted.csv', shouted),
    fixturePath('NSPL_AUG_2026_UK.csv'),
  ];
  for (const file of files) {
    const { sources } = await home.ingest([file]);
    assert.deepEqual([sources[0]?.read, sources[0]?.kept, sources[0]?.rejected], [5, 5, []], file);
    assert.deepEqual(findRow(home, 'zz11aa'), ordinary, file);
    const terminated = findRow(home, 'ZZ10 2AB');
    assert.deepEqual([terminated?.terminated, terminated?.usage], ['2019-05', 'large'], file);
    assert.equal(findRow(home, 'ZZ1 1AB'), undefined);
  }
});

test('columns in another order are found by their names', async () => {
  const reversed = newText
    .trimEnd()
    .split('\n')
    .map((line) => line.split(',').toReversed().join())
    .join('\n');
  await home.ingest([home.put('reversed.csv', reversed)]);
  assert.deepEqual(findRow(home, 'ZZ1 1AA'), ordinary);
});

test('a row without grid reference is kept without a point, and pseudo codes are null', async () => {
  await home.ingest([newNames]);
  assert.deepEqual(findRow(home, 'ZZ2 9ZZ'), {
    postcode: 'ZZ2 9ZZ',
    nation: 'Isle of Man',
    point: null,
    authorityCode: null,
    wardCode: null,
    countyCode: null,
    regionCode: null,
    lsoaCode: null,
    msoaCode: null,
    policeForceCode: null,
    terminated: null,
    usage: 'small',
  });
});

test('a recoded authority has its current code, and other nations their own codes', async () => {
  await home.ingest([newNames]);
  assert.equal(findRow(home, 'ZZ1A 3BD')?.authorityCode, 'S12000047');
  const irish = findRow(home, 'ZZ3 1AA');
  assert.deepEqual(
    [irish?.nation, irish?.lsoaCode, irish?.regionCode],
    ['Northern Ireland', 'N20999001', null],
  );
});

test('an edition with the census of 2011 only is read with its areas', async () => {
  const older = newText.replace('oa21cd,lsoa21cd,msoa21cd,ruc21ind', 'x1,x2,x3,x4');
  await home.ingest([home.put('older.csv', older)]);
  assert.equal(findRow(home, 'ZZ1 1AA')?.lsoaCode, 'E01998001');
  assert.equal(findRow(home, 'ZZ3 1AA')?.lsoaCode, '95GG15S1');
});

test('edition and day come from the name, else from the newest month in the rows', async () => {
  await home.ingest([fixturePath('onspd-old-names.csv')]);
  const unnamed = datasetOf(home);
  assert.deepEqual(
    [unnamed.edition, unnamed.asOf, unnamed.nextEditionExpected],
    ['changes to 2025-10', '2025-10-01', null],
  );
  await home.ingest([newNames]);
  const named = datasetOf(home);
  assert.deepEqual(
    [named.edition, named.asOf, named.nextEditionExpected, named.extent],
    ['November 2025', '2025-11-01', 'February 2026', 'partial'],
  );
  assert.match(named.attribution, /Royal Mail copyright and database right 2025/);
  assert.equal(named.coverage.Scotland, '1 postcodes of postcode area ZZ only');
});

test('an older edition never takes the place of a newer one', async () => {
  const edition = (month: string) => home.put(`ONSPD_${month}_UK.csv`, newText);
  await home.ingest([edition('MAY_2025')]);
  await home.ingest([edition('AUG_2025')]);
  await assert.rejects(
    home.ingest([edition('MAY_2025')]),
    /the file is of 2025-05-01, and ONS Postcode Directory \(ONSPD\) of 2025-08-01 is loaded/,
  );
  assert.equal(datasetOf(home).edition, 'August 2025');
});

test('in the archive the national file is read once, names too, and the copies by area are named', async () => {
  const zip = makeZip({
    'Data/ONSPD_NOV_2025_UK.csv': newText,
    'Data/multi_csv/ONSPD_NOV_2025_UK_ZZ.csv': newText,
    'Documents/LA_UA names and codes UK as at 04_23.csv': fixtureText(
      'LA_UA names and codes UK as at 04_23.csv',
    ),
    'User Guide/guide.pdf': '%PDF',
  });
  const { sources, skipped, passedOver } = await home.ingest([home.put('ONSPD_NOV_2025.zip', zip)]);
  assert.deepEqual(
    sources.map(({ dataset, read, kept }) => [dataset, read, kept]),
    [
      ['postcodes', 5, 5],
      ['place-names', 4, 3],
    ],
  );
  assert.deepEqual(
    passedOver.map(({ name, because }) => [path.basename(name), because]),
    [['ONSPD_NOV_2025_UK_ZZ.csv', 'file by postcode area, whose rows are in the national file']],
  );
  assert.equal(skipped.length, 1);
  assert.equal(datasetOf(home).edition, 'November 2025');
});

test('of two editions at once the newer is read, and the other is named', async () => {
  const zip = makeZip({ 'ONSPD_NOV_2025_UK.csv': newText, 'ONSPD_FEB_2026_UK.csv': newText });
  const { passedOver } = await home.ingest([home.put('both.zip', zip)]);
  assert.equal(datasetOf(home).edition, 'February 2026');
  assert.match(passedOver[0]?.name ?? '', /ONSPD_NOV_2025_UK\.csv$/);
  assert.match(passedOver[0]?.because ?? '', /of 2026-02-01, and newer than this of 2025-11-01$/);
});

test('what is not a postcode, or comes twice, is counted with its place', async () => {
  const many = Array.from({ length: 200 }, (_, index) => {
    const letters = 'ABDEFGHJLN';
    return `ZZ4 ${index % 10}${letters[Math.floor(index / 10) % 10]}${letters[Math.floor(index / 100)]}`;
  });
  const [header = '', row = ''] = newText.split('\n');
  const text = [header, ...[...many, 'ZZ4 0AA', 'none'].map((item) => row.replaceAll('ZZ1 1AA', item))].join(
    '\n',
  );
  const { sources } = await home.ingest([home.put('ONSPD_NOV_2025_UK.csv', text)]);
  assert.deepEqual(sources[0]?.rejected, [
    { reason: 'duplicate postcode', count: 1, places: ['ONSPD_NOV_2025_UK.csv:202'] },
    { reason: 'not a postcode', count: 1, places: ['ONSPD_NOV_2025_UK.csv:203'] },
  ]);
  assert.equal(sources[0]?.kept, 200);
});

test('a bad file is refused by name, line and what was expected, and the current release stays', async () => {
  await home.ingest([newNames]);
  const lines = newText.trimEnd().split('\n');
  const cases: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    ['empty.csv', '', /empty\.csv: is empty/],
    ['header.csv', `${lines[0]}\n`, /header\.csv: has a header and no rows\./],
    [
      'cut.csv',
      newText.slice(0, -60),
      /cut\.csv: line 6 has (\d+ fields; expected 53|a quote that is never closed)/,
    ],
    [
      'short.csv',
      `${lines.slice(0, 3).join('\n')}\n"ZZ9 9AA",\n`,
      /short\.csv: line 4 has 2 fields; expected 53/,
    ],
    [
      'renamed.csv',
      newText.replace('lad25cd', 'council'),
      /line 1 lacks a required column; expected \(oslaua, laua or lad25cd\)/,
    ],
    [
      'renamed2.csv',
      newText.replace('doterm', 'ended').replace('pfa23cd', 'police'),
      /line 1 lacks 2 required columns; expected \(doterm\) \(pfa or pfa23cd\)/,
    ],
    [
      'twice.csv',
      newText.replace('ced25cd', 'lad24cd'),
      /line 1 has lad24cd and lad25cd; expected one column for authority/,
    ],
    [
      'swapped.csv',
      newText.replace('lat,long', 'long,lat'),
      /line 2 has "0\.909995" as lat; expected a latitude/,
    ],
    [
      'month.csv',
      newText.replace('"201905"', '"2019-05"'),
      /line 3 has "2019-05" as doterm; expected a month like 202511/,
    ],
    [
      'code.csv',
      newText.replace('"E05999002"', '"E05 999 002"'),
      /line 3 has "E05 999 002" as wd25cd; expected a code/,
    ],
    [
      'country.csv',
      newText.replace('"S92000003"', '"S12000033"'),
      /line 4 has "S12000033" as ctry25cd; expected one of E92/,
    ],
    [
      'latin.csv',
      Buffer.from(newText.replace('99ZZ00', '99ZZ\xe9'), 'latin1'),
      /latin\.csv: line 2 is not UTF-8/,
    ],
    ['other.csv', newText.replaceAll('"ZZ', '"Q'), /5 of 5 rows have no postcode, the first at other\.csv:2/],
  ];
  for (const [name, content, expected] of cases) {
    await assert.rejects(home.ingest([home.put(name, content)]), expected, name);
    assert.equal(home.store.currentId(), 'made-1');
  }
  assert.deepEqual(findRow(home, 'ZZ1 1AA'), ordinary);
});

testWith(
  realFile('data/onspd/onspd_2024_aberdeen_8048rows_crlf.csv'),
  'real rows of Aberdeen: every one is kept, and the grid gives their place within 5 m',
  async (file, context) => {
    const { sources } = await home.ingest([file]);
    assert.deepEqual([sources[0]?.read, sources[0]?.rejected], [8048, []]);
    const table = openPostcodes(home.store.openCurrent());
    assert.equal(table.size, 8048);
    assert.equal(table.survey().terminated, 3811);
    const gridAt = findGridReferences(home.store.openCurrent()) ?? assert.fail('no grid references');
    const columns = new Map<string, number>();
    let near = 0;
    let compared = 0;
    await readCsv(chunksOf(readFileSync(file)), { file, encoding: 'utf-8' }, (row) => {
      if (columns.size === 0) {
        for (const [at, name] of row.texts().entries()) columns.set(name, at);
        return;
      }
      const [east, north, lat, long] = ['oseast1m', 'osnrth1m', 'lat', 'long'].map((name) =>
        row.text(columns.get(name) ?? -1),
      );
      const postcode = parsePostcode(row.text(columns.get('pcds') ?? -1));
      const found = postcode === undefined ? undefined : table.find(postcode);
      if (east === '' || found?.point == null) {
        assert.equal(found?.point, null);
        return;
      }
      const published = { latitudeDegrees: Number(lat), longitudeDegrees: Number(long) };
      assert.deepEqual(found.point, published);
      const reference = { eastingMetres: Number(east), northingMetres: Number(north) };
      assert.deepEqual(gridAt(table.rowOf(postcode ?? assert.fail())), reference);
      compared += 1;
      const { latitudeDegrees: latitude, longitudeDegrees: longitude } = gridToLatLong(
        Number(east),
        Number(north),
      );
      if (distanceMetres(latitude, longitude, Number(lat), Number(long)) <= 5) near += 1;
    });
    assert.ok(compared > 8000 && near >= 0.99 * compared, `${near} of ${compared} within 5 m`);
    context.diagnostic(`${near} of ${compared} rows within 5 m`);
  },
);

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const otherEditions = [
  'data/onspd/onspd_nov2025_sample.csv',
  'data/onspd/onspd_aug2024_sample.csv',
  'data/onspd/ONSPD_JUN_2023_UK_AB_sample.csv',
  'data/onspd/nspl_2025_sample.csv',
] as const;

testWith(realFiles(...otherEditions), 'real samples of other editions are read whole', async (place) => {
  for (const name of otherEditions) {
    const fresh = openTestHome();
    const { sources } = await fresh.ingest([place(name)]);
    assert.deepEqual(sources[0]?.rejected, [], name);
    assert.equal(sources[0]?.read, sources[0]?.rows, name);
    fresh.remove();
  }
});
