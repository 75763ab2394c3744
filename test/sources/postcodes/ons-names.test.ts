// Names by code, from files of the postcode directory's Documents and of the portal.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import {
  encodePlaceNames,
  openPlaceNames,
  parsePlaceCode,
  placeNamesPart,
} from '../../../src/tables/postcodes/place-names.ts';
import { openHomeWithSample, openTestHome, type TestHome } from '../../ingest/home.ts';
import { memoryRelease } from '../../tables/memory-release.ts';
import { datasetOf, findName, fixturePath, fixtureText } from './desk.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const authorities = fixturePath('LA_UA names and codes UK as at 04_23.csv');
const regions = fixturePath('Region names and codes EN as at 12_10 (RGN).txt');
const police = fixturePath('PFA names and codes GB as at 12_15.csv');
const wards = fixturePath('ward-lookup-portal.csv');

test('commas and tabs, a byte order mark, and the encoding of Windows are read alike', async () => {
  const { sources } = await home.ingest([authorities, regions, police]);
  assert.equal(findName(home, 'E06000999'), 'Zedbury');
  assert.equal(findName(home, 'E12000999'), 'East of Nowhere');
  assert.equal(findName(home, 'W15000999'), 'Heddlu Zedborth ô');
  assert.equal(findName(home, 'E06000998'), undefined);
  assert.deepEqual(sources[0]?.rejected, [
    { reason: 'pseudo code', count: 1, places: ['LA_UA names and codes UK as at 04_23.csv:5'] },
  ]);
  assert.deepEqual(
    [datasetOf(home, 'place-names').asOf, datasetOf(home, 'place-names').rows],
    ['2023-04-01', 5],
  );
});

test('a look-up from one kind to another gives the names of both, the newest staying', async () => {
  await home.ingest([wards, authorities]);
  assert.equal(findName(home, 'E05999001'), 'Market, Upper');
  assert.equal(findName(home, 'E06000999'), 'Zedbury Town');
});

test('loading adds to what is there, and a changed name is counted', async () => {
  await home.ingest([authorities]);
  const { sources } = await home.ingest([wards]);
  assert.equal(findName(home, 'S12000047'), 'Fife');
  assert.equal(findName(home, 'W05999001'), 'Bae Zedborth');
  assert.equal(findName(home, 'E06000999'), 'Zedbury Town');
  assert.deepEqual(sources[0]?.revised, [
    { reason: 'another name for the same code', count: 1, places: ['Zedbury → Zedbury Town'] },
  ]);
  assert.equal(datasetOf(home, 'place-names').asOf, '2026-01-01');
});

test('a recoded authority has its name under both codes', async () => {
  await home.ingest([authorities]);
  assert.deepEqual([findName(home, 'S12000047'), findName(home, 'S12000015')], ['Fife', 'Fife']);
  await home.ingest([home.put('old.csv', 'LAD19CD,LAD19NM\nE08000016,Barnsley\n')]);
  assert.deepEqual([findName(home, 'E08000016'), findName(home, 'E08000038')], ['Barnsley', 'Barnsley']);
});

test('the bundled names are a sample until official ones are added', async () => {
  home.remove();
  home = await openHomeWithSample();
  assert.deepEqual(
    [findName(home, 'E09000001'), datasetOf(home, 'place-names').extent],
    ['City of London', 'sample'],
  );
  await home.ingest([authorities]);
  assert.deepEqual(
    [findName(home, 'E09000001'), datasetOf(home, 'place-names').extent],
    ['City of London', 'partial'],
  );
});

test('a bad file is refused or its rows are counted, and the current release stays', async () => {
  await home.ingest([authorities]);
  const header = 'WD25CD,WD25NM\n';
  await assert.rejects(
    home.ingest([home.put('a.csv', `${header}E05999001,\n`)]),
    /a\.csv: holds no names; expected a code/,
  );
  await assert.rejects(
    home.ingest([home.put('b.csv', `${header}E05999001,Market\nE0599`)]),
    /b\.csv: line 3 has 1 fields; expected 2, as in the header\. Is the file cut off\?/,
  );
  await assert.rejects(home.ingest([home.put('c.csv', 'ward,name\nE05999001,Market\n')]), /not recognised/);
  assert.equal(home.store.currentId(), 'made-1');
  const { sources } = await home.ingest([
    home.put('d.csv', `${header}E05999001,Market\n00AA,Old\nE05999002,\n,\n`),
  ]);
  assert.deepEqual(
    sources[0]?.rejected.map(({ reason, places }) => [reason, places]),
    [
      ['no code with a letter and eight digits', ['d.csv:3']],
      ['no name', ['d.csv:4']],
    ],
  );
});

test('files of other kinds of areas, and the directory itself, are not taken for names', async () => {
  await assert.rejects(
    home.ingest([home.put('a.csv', 'PCON24CD,PCON24NM\nE14001063,Aldershot\n')]),
    /not recognised/,
  );
  const { sources } = await home.ingest([home.put('b.csv', fixtureText('onspd-old-names.csv'))]);
  assert.deepEqual(
    sources.map(({ dataset }) => dataset),
    ['postcodes'],
  );
});

test('every name is found by its code alone, as in a plain Map', () => {
  const code = fc
    .tuple(fc.constantFrom(...'ENSW'), fc.nat(99_999_999))
    .map(([letter, number]) => `${letter}${String(number).padStart(8, '0')}`);
  fc.assert(
    fc.property(fc.array(fc.tuple(code, fc.string())), fc.array(code), (given, asked) => {
      const naive = new Map(given);
      const columns = encodePlaceNames(
        new Map([...naive].map(([text, name]) => [parsePlaceCode(text) ?? -1, name])),
      );
      const table = openPlaceNames(memoryRelease([[placeNamesPart, columns]]));
      for (const text of [...naive.keys(), ...asked]) assert.equal(table.find(text), naive.get(text));
      assert.deepEqual(
        [...table.entries()],
        [...naive].sort(([a], [b]) => (a < b ? -1 : 1)),
      );
    }),
  );
});
