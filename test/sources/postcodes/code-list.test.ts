// The code list of Code-Point Open: the names of the wards, districts and counties that its postcodes lie in, wherever
// the list is given beside them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { makeZip } from '../../../scripts/make-zip.ts';
import { openPlaceNames } from '../../../src/tables/postcodes/place-names.ts';
import { openPostcodes } from '../../../src/tables/postcodes/postcodes.ts';
import { joinKey } from '../../../src/uk/place-name.ts';
import { openHomeWith, openTestHome, type TestHome } from '../../ingest/home.ts';
import { realFiles, testWith } from '../../requirements.ts';
import { book } from '../council-tax/books.ts';
import { datasetOf, findName, findRow, fixturePath, fixtureText } from './desk.ts';

let home: TestHome;
beforeEach(() => {
  home = openTestHome();
});
afterEach(() => home.remove());

const kinds = ['CTY', 'DIS', 'DIW', 'LBO', 'LBW', 'MTD', 'MTW', 'UTA', 'UTE', 'UTW'];

/** In the official layout; every kind has its sheet. */
const codeList = (
  sheets: Record<string, readonly (readonly [name: string, code: string])[]>,
  from = 'Oct 25',
) =>
  book(
    {
      Sheet1: [[`This CodeList is taken from ${from} Boundary Line`]],
      AREA_CODES: kinds.map((kind) => [kind, 'a kind of area']),
      ...Object.fromEntries(kinds.map((kind) => [kind, sheets[kind] ?? []])),
    },
    'xlsx',
  );

const zedbury = codeList({
  CTY: [['Zedshire County', 'E10000999']],
  DIS: [['Zedbury District (B)', 'E07000999']],
  DIW: [['Market, Upper Ward', 'E05999001']],
  UTA: [['Sir Zed - Zedborth', 'W06000999']],
  UTW: [
    ['Zedhaven & St. Zed Ward', 'S13999001'],
    ['Zedhaven & St. Zed Ward (DET)', 'S13999001'],
  ],
});
const data = fixtureText('code-point-2025.csv');
const metadata = fixtureText('code-point-metadata.txt');

test('beside the postcodes in a folder, in the official archive or alone, it names their wards, districts and counties', async () => {
  const archive = makeZip({
    'Data/CSV/zz.csv': data,
    'Doc/metadata.txt': metadata,
    'Doc/Codelist.xlsx': zedbury,
  });
  home.put('folder/Data/CSV/codepo_gb_2025.4_zz.csv', data);
  home.put('folder/Doc/Codelist.xlsx', zedbury);
  const given = {
    archive: [home.put('codepo_gb.zip', archive)],
    folder: [path.join(home.folder, 'folder')],
    alone: [home.put('codepo_gb_2025.4_all.csv', data), home.put('list.xlsx', zedbury)],
  };
  for (const [how, paths] of Object.entries(given)) {
    const own = openTestHome();
    try {
      const { sources, skipped } = await own.ingest(paths);
      assert.deepEqual(
        [sources.map(({ dataset }) => dataset), skipped],
        [['postcodes', 'place-names'], []],
        how,
      );
      const row = findRow(own, 'ZZ1 1AA');
      assert.deepEqual(
        [row?.wardCode, row?.authorityCode, row?.countyCode].map((code) => findName(own, code ?? '')),
        ['Market, Upper', 'Zedbury', 'Zedshire'],
        how,
      );
      assert.equal(findName(own, findRow(own, 'ZZ1 1AB')?.wardCode ?? ''), 'Zedhaven & St. Zed', how);
      assert.equal(findName(own, 'W06000999'), 'Zedborth', how);
      assert.deepEqual(
        [datasetOf(own, 'place-names').asOf, datasetOf(own, 'place-names').rows],
        ['2025-10-01', 5],
      );
    } finally {
      own.remove();
    }
  }
});

test('names of ONS stay where the map only writes them in another way, and win where both come together', async () => {
  const portal = home.put(
    'wards.csv',
    'WD25CD,WD25NM\nS13999001,Zedhaven and St Zed\nE05999001,Old Market\n',
  );
  await home.ingest([portal]);
  const { sources } = await home.ingest([home.put('list.xlsx', zedbury)]);
  assert.equal(findName(home, 'S13999001'), 'Zedhaven and St Zed');
  assert.deepEqual([findName(home, 'E05999001'), findName(home, 'E07000999')], ['Market, Upper', 'Zedbury']);
  assert.deepEqual(sources[0]?.revised, [
    { reason: 'another name for the same code', count: 1, places: ['Old Market → Market, Upper'] },
  ]);
  const both = openTestHome();
  try {
    await both.ingest([portal, home.put('newer.xlsx', zedbury)]);
    assert.equal(findName(both, 'E05999001'), 'Old Market');
  } finally {
    both.remove();
  }
});

test('an older list adds what is not known, and takes no newer name away', async () => {
  await home.ingest([fixturePath('ward-lookup-portal.csv')]);
  const older = codeList(
    {
      UTA: [
        ['Zedville (B)', 'E06000999'],
        ['Zedend', 'E06000998'],
      ],
    },
    'May 2014',
  );
  const { sources } = await home.ingest([home.put('old.xlsx', older)]);
  assert.deepEqual([findName(home, 'E06000999'), findName(home, 'E06000998')], ['Zedbury Town', 'Zedend']);
  assert.deepEqual(
    sources[0]?.rejected.map(({ reason }) => reason),
    ['older name that differs from the one that is loaded'],
  );
});

test('a list that is cut off or of unknown kinds is refused and says what was expected', async () => {
  const without = book(
    {
      AREA_CODES: [
        ['CTY', 'County'],
        ['DIS', 'District'],
      ],
      CTY: [['Zedshire County', 'E10000999']],
    },
    'xlsx',
  );
  await assert.rejects(
    home.ingest([home.put('a.xlsx', without)]),
    /a\.xlsx: has no sheet "DIS"; its sheets are/,
  );
  const strange = book(
    { AREA_CODES: [['XYZ', 'New']], CTY: [['Zedshire County', 'E10000999']], XYZ: [] },
    'xlsx',
  );
  await assert.rejects(
    home.ingest([home.put('b.xlsx', strange)]),
    /b\.xlsx: sheet AREA_CODES lists XYZ; expected kinds of areas \(CTY, DIS/,
  );
  const nameless = codeList({ CTY: [['', 'E10000999']] });
  await assert.rejects(home.ingest([home.put('c.xlsx', nameless)]), /c\.xlsx: holds no names/);
  assert.equal(home.store.currentId(), undefined);
});

const known = ['wards', 'districts', 'counties'].map((kind) => `data/names_codes/postcodesio_${kind}.json`);
const real = realFiles(
  'data/codepoint_open/codepo_gb_2025.4_all.csv.gz',
  'data/codepoint_open/Codelist.xlsx',
  ...known,
);

testWith(
  real,
  'slow: of the real edition every ward, district and county has the name that ONS has',
  async (place) => {
    const own = await openHomeWith(place('data/codepoint_open/codepo_gb_2025.4_all.csv.gz'));
    try {
      const { sources } = await own.ingest([place('data/codepoint_open/Codelist.xlsx')]);
      assert.deepEqual([sources[0]?.read, sources[0]?.rejected, sources[0]?.rows], [8_318, [], 8_314]);
      const release = own.store.openCurrent();
      const names = openPlaceNames(release);
      const codes = new Set(
        openPostcodes(release)
          .places()
          .flatMap(({ wardCode, authorityCode, countyCode }) => [wardCode, authorityCode, countyCode])
          .filter((code) => code !== null),
      );
      assert.equal(codes.size, 7_943 + 350 + 21);
      const ofOns = Object.assign({}, ...known.map((name) => JSON.parse(readFileSync(place(name), 'utf8'))));
      const others = [...codes].filter((code) => joinKey(names.find(code) ?? '') !== joinKey(ofOns[code]));
      assert.deepEqual(
        others.map((code) => [names.find(code), ofOns[code]]),
        [['Na h-Eileanan an Iar', 'Na h-Eileanan Siar']],
      );
    } finally {
      own.remove();
    }
  },
);
