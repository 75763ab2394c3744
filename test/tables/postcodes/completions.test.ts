// Suggestions are those that a look at every postcode and every name finds, whatever was typed.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { Release, readShared } from '../../../src/release/reader.ts';
import { openAuthorities } from '../../../src/tables/council-tax/authorities.ts';
import { layouts } from '../../../src/tables/index.ts';
import { openCompletions } from '../../../src/tables/postcodes/completions.ts';
import { openPlaceNames } from '../../../src/tables/postcodes/place-names.ts';
import { openPostcodes, type PostcodeRow } from '../../../src/tables/postcodes/postcodes.ts';
import { distanceMetres } from '../../../src/uk/grid.ts';
import { type MadePostcode, madeDirectory } from '../../endpoints/made-postcodes.ts';
import { openTestHome, type TestHome } from '../../ingest/home.ts';
import { realFiles, testWith } from '../../requirements.ts';
import { inUseOf, type NaivePlace, naiveComplete } from './naive.ts';

const facts = path.join(import.meta.dirname, '../../../data/facts');
const councils = ['billing-authorities.csv', 'authorities.json'].map((name) => path.join(facts, name));

/** Wards with all that names have: accents, apostrophes of both kinds, hyphens, signs, saints, equal names. */
const wards = [
  ['W05000001', "Ynys Môn St. Tysilio's"],
  ['W05000002', 'Bryn-y-môr'],
  ['W05000003', 'Tŷ-du / Llŷn'],
  ['E05000001', 'King’s Lynn & Saint Margaret’s'],
  ['E05000002', "St Mary's"],
  ['E05000003', 'Newport'],
  ['E05000004', 'Newport'],
  ['E05000005', 'New'],
  ['E05000006', 'Stoke (North)'],
  ['E05000007', 'Abbey 2'],
] as const;
const authorities = ['W06000001', 'W06000022', 'E06000046', 'E09000033', 'E06000001'];

const outcodes = ['PO3', 'PO30', 'PO31', 'E1', 'E1W', 'E10', 'SW1A', 'S1', 'W1A', 'N1', 'N1C', 'LL5'];
const town: readonly MadePostcode[] = outcodes.flatMap((outcode, at) =>
  ['0AA', '0AB', '0BA', '1AA', '1AZ', '3ZZ'].map((incode, index) => {
    const number = 6 * at + index;
    const [ward] = wards[number % wards.length] ?? assert.fail();
    return {
      postcode: `${outcode} ${incode}`,
      country: 'england' as const,
      ...(number % 11 === 3 ? {} : { point: [51 + 0.01 * at, -1 + 0.003 * index ** 2] as const }),
      ward: `"${ward}"`,
      authority: `"${authorities[number % authorities.length]}"`,
      ...(number % 7 === 2 || outcode === 'N1' ? { terminated: '201905' } : {}),
    };
  }),
);

let home: TestHome;
let release: Release;
before(async () => {
  home = openTestHome();
  const names = wards.map(([code, name]) => `${code},"${name}"`).join('\n');
  ({ release } = await home.ingest([
    ...councils,
    home.put('ONSPD_NOV_2025_UK.csv', madeDirectory(town)),
    home.put('wards.csv', `WD25CD,WD25NM\n${names}\n`),
    home.put('districts.csv', 'LAD25CD,LAD25NM\nE06000001,Hartlepool\nW06000001,Isle of Anglesey\n'),
  ]));
});
after(() => home.remove());

const rowsOf = (given: Release): readonly PostcodeRow[] => {
  const table = openPostcodes(given);
  return table.areas().flatMap((area) => [...table.inArea(area)]);
};

/** Every named area that has a postcode in use with a point. */
function placesOf(given: Release): readonly NaivePlace[] {
  const names = openPlaceNames(given);
  const register = given.findDataset('authorities') === undefined ? undefined : openAuthorities(given);
  const found = new Map<string, NaivePlace>();
  for (const row of inUseOf(rowsOf(given))) {
    if (row.point === null) continue;
    const nation = row.nation ?? '';
    const council = register?.find(row.authorityCode ?? '');
    const published = names.find(row.authorityCode ?? '');
    const authority = council?.fullName ?? published;
    const all = [
      ...(council === undefined ? [] : (register?.namesOf(council) ?? [])),
      ...(published === undefined ? [] : [published]),
    ];
    const put = (
      kind: NaivePlace['kind'],
      code: string | null,
      name: string | undefined,
      more: readonly string[],
      within: string,
    ) => {
      if (code !== null && name !== undefined && !found.has(code))
        found.set(code, { kind, code, name, names: [name, ...more], within });
    };
    put('authority', row.authorityCode, authority, all, nation);
    put('ward', row.wardCode, names.find(row.wardCode ?? ''), [], authority ?? nation);
    put('county', row.countyCode, names.find(row.countyCode ?? ''), [], nation);
    put('region', row.regionCode, names.find(row.regionCode ?? ''), [], nation);
  }
  return [...found.values()];
}

function compare(
  given: Release,
  rows: readonly PostcodeRow[],
  places: readonly NaivePlace[],
  typed: string,
  limit: number,
) {
  const { outcodes: heads, postcodes, places: named } = openCompletions(given).complete(typed, limit);
  assert.deepEqual(
    {
      outcodes: heads.map(({ name }) => name),
      postcodes: postcodes.map(({ postcode }) => postcode),
      places: named.map(({ code }) => code),
    },
    naiveComplete(rows, places, typed, limit),
    JSON.stringify(typed),
  );
}

/** What people type: a beginning of something there is, from any word on, in any case, with slips of spacing and signs. */
const typedOf = (texts: readonly string[]) =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(
          fc.constantFrom(...texts),
          fc.nat(30),
          fc.nat(3),
          fc.constantFrom('as it is', 'upper', 'lower', 'plain'),
          fc.nat(8),
          fc.constantFrom('', '', '', ' ', '  ', "'", '\t'),
        )
        .map(([text, length, word, form, at, sign]) => {
          const cut = text.split(' ').slice(word).join(' ').slice(0, length) || text.slice(0, 2);
          const shown =
            form === 'upper'
              ? cut.toUpperCase()
              : form === 'lower'
                ? cut.toLowerCase()
                : form === 'plain'
                  ? cut.normalize('NFD').replace(/\p{M}/gu, '')
                  : cut;
          return shown.slice(0, at) + sign + shown.slice(at);
        }),
    },
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...'ENPOSW0139AZ '), maxLength: 8 }),
  );

test('what is suggested, and in which order, is what a plain search of all postcodes and names finds', () => {
  const rows = rowsOf(release);
  const places = placesOf(release);
  assert.ok(places.length > 12);
  const texts = [
    ...rows.map(({ postcode }) => postcode),
    ...places.flatMap(({ names, code }) => [...names, code]),
    'Saint',
    'saint marg',
  ];
  fc.assert(
    fc.property(typedOf(texts), fc.integer({ min: 1, max: 12 }), (typed, limit) =>
      compare(release, rows, places, typed, limit),
    ),
    { numRuns: 1_500 },
  );
});

test('half a word is enough, whatever its accents, apostrophes and saints', () => {
  const codes = (typed: string) =>
    openCompletions(release)
      .complete(typed, 5)
      .places.map(({ code }) => code);
  for (const [typed, code] of [
    ['ynys mon', 'W05000001'],
    ['YNYS MÔ', 'W05000001'],
    ['bryn y', 'W05000002'],
    ['llyn', 'W05000003'],
    ['kings ly', 'E05000001'],
    ["king's lynn and sain", 'E05000001'],
    ['saint mary', 'E05000002'],
    ["St. Mary'", 'E05000002'],
    ['westmin', 'E09000033'],
  ] as const)
    assert.ok(codes(typed).includes(code), `${typed}: ${codes(typed)}`);
  assert.ok(codes('ynys m').includes('W06000001'), 'Anglesey by its Welsh name');
});

test('a whole code finds its place and no other, in any case; the beginning of one is no code', () => {
  const completions = openCompletions(release);
  for (const { code } of placesOf(release)) {
    for (const typed of [code, code.toLowerCase(), ` ${code} `]) {
      const { outcodes: heads, postcodes, places } = completions.complete(typed, 5);
      assert.deepEqual([heads, postcodes, places.map((place) => place.code)], [[], [], [code]]);
    }
    for (const typed of [code.slice(0, -1), `${code}0`, `${code} x`])
      assert.deepEqual(completions.complete(typed, 5).places, [], typed);
  }
  const { places } = completions.complete('E05999999', 5);
  assert.deepEqual(places, []);
});

test('a place has the mean of its postcodes in use, and one of them that none lies nearer to it than', () => {
  const rows = inUseOf(rowsOf(release)).filter(({ point }) => point !== null);
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    const { places, outcodes: heads } = openCompletions(release).complete(letter, 100);
    for (const place of [...places, ...heads]) {
      const own = rows.filter(({ postcode, wardCode, authorityCode }) =>
        place.code === null
          ? postcode.startsWith(`${place.name} `)
          : [wardCode, authorityCode].includes(place.code),
      );
      const mean = (of: (row: PostcodeRow) => number) =>
        own.reduce((sum, row) => sum + of(row), 0) / own.length;
      const latitude = mean(({ point }) => point?.latitudeDegrees ?? assert.fail());
      const longitude = mean(({ point }) => point?.longitudeDegrees ?? assert.fail());
      const middle = place.point ?? assert.fail(place.name);
      assert.ok(Math.abs(middle.latitudeDegrees - latitude) < 1e-6, place.name);
      assert.ok(Math.abs(middle.longitudeDegrees - longitude) < 1e-6, place.name);
      const metres = ({ point }: PostcodeRow) =>
        distanceMetres(latitude, longitude, point?.latitudeDegrees ?? 0, point?.longitudeDegrees ?? 0);
      const nearest = own.find(({ postcode }) => postcode === place.postcode) ?? assert.fail(place.name);
      assert.ok(metres(nearest) <= Math.min(...own.map(metres)) + 1, place.name);
    }
  }
});

test('an outcode of withdrawn postcodes is not suggested, nor is any of them', () => {
  const { outcodes: heads, postcodes } = openCompletions(release).complete('n1', 50);
  assert.deepEqual([...new Set(heads.map(({ name }) => name))], ['N1C']);
  assert.ok(postcodes.length > 0 && postcodes.every(({ postcode }) => postcode.startsWith('N1C ')));
});

test('a release whose part another version of the rule made suggests the same', () => {
  const { manifest } = release;
  const derived = manifest.derived.map((made) => ({ ...made, version: made.version + 1 }));
  const old = new Release(release.dir, { ...manifest, derived }, layouts, readShared);
  for (const typed of ['n', 'new', 'po30', 'E1 ', 'st'])
    assert.deepEqual(openCompletions(old).complete(typed, 20), openCompletions(release).complete(typed, 20));
});

const files = realFiles(
  'data/onspd/onspd_2024_aberdeen_8048rows_crlf.csv',
  'data/codepoint_open/Codelist.xlsx',
);

testWith(
  files,
  'of a real directory with real names, suggestions are those of a plain search',
  async (fileOf) => {
    const own = openTestHome();
    try {
      const { release: real } = await own.ingest([
        ...councils,
        fileOf('data/onspd/onspd_2024_aberdeen_8048rows_crlf.csv'),
        fileOf('data/codepoint_open/Codelist.xlsx'),
      ]);
      const rows = rowsOf(real);
      const places = placesOf(real);
      const texts = [
        ...rows.slice(0, 500).map(({ postcode }) => postcode),
        ...places.flatMap(({ names }) => names),
      ];
      fc.assert(
        fc.property(typedOf(texts), fc.integer({ min: 1, max: 12 }), (typed, limit) =>
          compare(real, rows, places, typed, limit),
        ),
        { numRuns: 150 },
      );
    } finally {
      own.remove();
    }
  },
);
