// Other years and other authorities: allYears=true has what each year answers by itself, and near=POSTCODE the authorities in the
// order of their nearest postcode, as one finds by measuring to every postcode.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { councilTaxAuthorities } from '../../src/endpoints/council-tax-authorities.ts';
import { openPostcodes } from '../../src/tables/postcodes/postcodes.ts';
import { distanceMetres } from '../../src/uk/grid.ts';
import { openTestHome } from '../ingest/home.ts';
import { openRig, type Rig } from '../rig.ts';
import { type MadePostcode, madeDirectory } from './made-postcodes.ts';

const data = path.join(import.meta.dirname, '../../data');
const facts = [
  'billing-authorities.csv',
  'abolished-authorities.csv',
  'authorities.json',
  'council-tax.csv',
  'council-tax.json',
].map((name) => path.join(data, 'facts', name));

let rig: Rig;
let key: string;
before(async () => {
  rig = await openRig();
  ({ key } = await rig.customer({ limits: { minute: null, day: null, month: null }, credits: 10_000 }));
});
after(() => rig.close());

async function ask(url: string, asker = key) {
  const reply = await rig.get(`/api/v1/council-tax/${url}`, asker);
  return { status: reply.statusCode, body: reply.json() };
}

type Year = { readonly taxYear: string; readonly councilTaxBands: Readonly<Record<string, number | null>> };

test('allYears has every year that is loaded, each as it is answered by itself, newest first', async () => {
  for (const code of ['W06000022', 'E09000033', 'S12000036']) {
    const { body } = await ask(`authority-lookup?authorityCode=${code}&allYears=true`);
    const years: readonly Year[] = body.data.years;
    const { body: refused } = await ask(`authority-lookup?authorityCode=${code}&taxYear=1993-94`);
    const available: readonly string[] = refused.error.availableYears;
    assert.ok(available.length >= 2, code);
    assert.deepEqual(
      years.map(({ taxYear }) => taxYear),
      available.toSorted().reverse(),
    );
    for (const { taxYear, councilTaxBands } of years) {
      const alone = await ask(`authority-lookup?authorityCode=${code}&taxYear=${taxYear}`);
      assert.deepEqual(councilTaxBands, alone.body.data.councilTaxBands);
      assert.equal('years' in alone.body.data, false);
    }
  }
});

test('a postcode has the years of its authority, with band I in Wales alone', async () => {
  const { body } = await ask('lookup?postcode=NP10 8WA&allYears=true');
  const { body: byCode } = await ask('authority-lookup?authorityCode=W06000022&allYears=true');
  assert.deepEqual(body.data.years, byCode.data.years);
  assert.equal(typeof body.data.years[0].councilTaxBands.band_i, 'number');
  const { body: english } = await ask('lookup?postcode=SW1A 1AA&allYears=true');
  assert.equal(english.data.years[0].councilTaxBands.band_i, null);
  assert.equal('band_i' in english.data.councilTaxBands, false);
});

const codes = ['E06000001', 'E06000047', 'E08000021', 'E09000033', 'W06000022', 'S12000036', 'S12000017'];
const letters = 'ABDEFGHJLNPQRSTUWXYZ';
/** Towns of many postcodes, some far apart, so that boxes of the index lie around several authorities. */
const places = fc.array(
  fc.record({
    authority: fc.constantFrom(...codes, 'N09000003'),
    latitude: fc.integer({ min: 54_000_000, max: 56_500_000 }),
    longitude: fc.integer({ min: -4_000_000, max: 0 }),
  }),
  { minLength: 40, maxLength: 1_100 },
);

test('near finds the nearest authorities among any postcodes, as measuring to each of them does', async () => {
  for (const drawn of fc.sample(places, { numRuns: 6, seed: 3 })) {
    const home = openTestHome();
    try {
      const made = drawn.map(
        ({ authority, latitude, longitude }, at): MadePostcode => ({
          postcode: `${'AB'.charAt(at % 2)}B${1 + Math.floor(at / 400)} ${Math.floor(at / 40) % 10}A${letters.charAt(Math.floor(at / 2) % 20)}`,
          country: authority.startsWith('N') ? 'northernIreland' : 'england',
          point: [latitude / 1e6, longitude / 1e6],
          authority,
        }),
      );
      const { release } = await home.ingest([
        ...facts,
        home.put('ONSPD_NOV_2025_UK.csv', madeDirectory(made)),
      ]);
      const rows = ['AB', 'BB'].flatMap((area) => [...openPostcodes(release).inArea(area)]);
      assert.ok(rows.length >= 40);
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...rows), fc.integer({ min: 1, max: 9 }), async (from, limit) => {
          const here = from.point ?? assert.fail('every postcode has a point');
          const least = new Map<string, number>();
          for (const { point, authorityCode } of rows) {
            if (point === null || authorityCode === null || authorityCode.startsWith('N')) continue;
            const metres = distanceMetres(
              here.latitudeDegrees,
              here.longitudeDegrees,
              point.latitudeDegrees,
              point.longitudeDegrees,
            );
            if (metres <= 100_000)
              least.set(authorityCode, Math.min(metres, least.get(authorityCode) ?? metres));
          }
          const byHand = [...least]
            .sort(([a, near], [b, far]) => near - far || (a < b ? -1 : 1))
            .slice(0, limit)
            .map(([code, metres]) => [code, Math.round(metres)]);
          const prepared = councilTaxAuthorities.prepare(
            new URLSearchParams({ near: from.postcode, limit: String(limit) }),
          );
          assert.ok(prepared.kind === 'prepared');
          const outcome = await prepared.run({ release, today: 20_772 });
          assert.ok(outcome.kind === 'answered');
          const { authorities } = JSON.parse(outcome.json);
          assert.deepEqual(
            authorities.map((one: { authorityCode: string; distanceMetres: number }) => [
              one.authorityCode,
              one.distanceMetres,
            ]),
            byHand,
          );
        }),
        { numRuns: 60 },
      );
    } finally {
      home.remove();
    }
  }
});

test('at most 25 are near, those as near as each other by code, and its own before them', async () => {
  const numbers = [...Array.from({ length: 27 }, (_, at) => at + 1), 30, 31, 32, 33, 34];
  const made = numbers.map(
    (number, at): MadePostcode => ({
      postcode: `AB1 ${Math.floor(at / 20)}A${letters.charAt(at % 20)}`,
      country: 'england',
      point: [54, -1],
      authority: `E060000${String(number).padStart(2, '0')}`,
    }),
  );
  // As far as may be, and a little farther: a degree of latitude has some 111 km.
  const beyond = [54.893, 54.905].map(
    (latitude, at): MadePostcode => ({
      postcode: `BB${at + 1} 1AA`,
      country: 'england',
      point: [latitude, -1],
      authority: ['E08000021', 'E09000033'][at] ?? '',
    }),
  );
  const home = openTestHome();
  try {
    const directory = madeDirectory([...made, ...beyond, { postcode: 'BB3 1AA', country: 'england' }]);
    const { release } = await home.ingest([...facts, home.put('ONSPD_NOV_2025_UK.csv', directory)]);
    const near = async (postcode: string, limit: number) => {
      const prepared = councilTaxAuthorities.prepare(
        new URLSearchParams({ near: postcode, limit: String(limit) }),
      );
      assert.ok(prepared.kind === 'prepared');
      return prepared.run({ release, today: 20_772 });
    };
    const codesNear = async (postcode: string, limit: number) => {
      const outcome = await near(postcode, limit);
      assert.ok(outcome.kind === 'answered');
      return JSON.parse(outcome.json).authorities.map((one: { authorityCode: string }) => one.authorityCode);
    };
    const last = made.at(-1) ?? assert.fail();
    const all = made.map(({ authority = '' }) => authority);
    assert.deepEqual(await codesNear(last.postcode, 1), [last.authority]);
    assert.deepEqual(await codesNear(last.postcode, 100), [last.authority, ...all.slice(0, 24)]);
    // From the other side, so that few are in the way.
    const [within = '', outside = ''] = beyond.map(({ postcode }) => postcode);
    assert.deepEqual((await codesNear(within, 3)).slice(0, 3), ['E08000021', 'E09000033', 'E06000001']);
    assert.deepEqual(await codesNear(outside, 5), ['E09000033', 'E08000021']);
    const nowhere = await near('BB3 1AA', 5);
    assert.ok(nowhere.kind === 'refused' && nowhere.code === 'POSTCODE_NOT_FOUND');
    assert.match(nowhere.message, /no grid reference/);
  } finally {
    home.remove();
  }
});

test('near looks past what lies in the same block of postcodes, and at the last one of each block', async () => {
  // Four blocks of the index, each a town by itself, ten kilometres apart; its last postcode is of another authority, farther off.
  const towns = [
    { authority: 'E06000001', last: 'E06000047' },
    { authority: 'E08000021', last: 'E09000033' },
    { authority: 'W06000022', last: 'S12000036' },
    { authority: 'S12000017', last: 'E06000002' },
  ];
  const made = towns.flatMap(({ authority, last }, town) =>
    Array.from({ length: 512 }, (_, row): MadePostcode => {
      const at = town * 512 + row;
      const [first, second] = [letters.charAt(Math.floor(at / 20) % 20), letters.charAt(at % 20)];
      const isLast = row === 511;
      return {
        postcode: `AB1 ${Math.floor(at / 400)}${first}${second}`,
        country: 'england',
        point: [54 + (isLast ? 0.3 + town / 100 : 0), -1 + town * 0.15],
        authority: isLast ? last : authority,
      };
    }),
  );
  const home = openTestHome();
  try {
    const { release } = await home.ingest([...facts, home.put('ONSPD_NOV_2025_UK.csv', madeDirectory(made))]);
    for (const limit of [1, 2, 3, 4, 8]) {
      const prepared = councilTaxAuthorities.prepare(
        new URLSearchParams({ near: 'AB1 0AA', limit: String(limit) }),
      );
      assert.ok(prepared.kind === 'prepared');
      const outcome = await prepared.run({ release, today: 20_772 });
      assert.ok(outcome.kind === 'answered');
      const codesNear = JSON.parse(outcome.json).authorities.map(
        (one: { authorityCode: string }) => one.authorityCode,
      );
      const inOrder = [...towns.map((town) => town.authority), ...towns.map((town) => town.last)];
      assert.deepEqual(codesNear, inOrder.slice(0, limit));
    }
  } finally {
    home.remove();
  }
});

test('what is near is one page, however few are asked for', async () => {
  const reply = await rig.get('/api/v1/council-tax/authorities?near=NP10 8WA&limit=1', key);
  assert.equal(reply.json().data.authorities.length, 1);
  assert.equal(reply.headers.link, undefined);
  const searched = await rig.get('/api/v1/council-tax/authorities?limit=1', key);
  assert.match(String(searched.headers.link), /rel="next"/);
});

test('with near an authority has its distance and band D, its own first', async () => {
  const { key: testKey } = await rig.customer({ mode: 'test' });
  const { body } = await ask('authorities?near=zz11aa', testKey);
  const [own, ...others] = body.data.authorities;
  assert.deepEqual(
    { code: own.authorityCode, metres: own.distanceMetres, year: own.taxYear, d: own.band_d },
    { code: 'E06000999', metres: 0, year: '2026-27', d: 2100.01 },
  );
  assert.deepEqual(others.map((one: { name: string }) => one.name).toSorted(), [
    'Zedborth County Council',
    'Zedhaven Council',
  ]);
  const { body: plain } = await ask('authorities?q=zed', testKey);
  for (const one of plain.data.authorities) assert.equal('distanceMetres' in one || 'band_d' in one, false);
});

test('near is refused beside what searches by name, and for a postcode that nobody knows', async () => {
  for (const other of ['q=newport', 'nation=Wales', 'category=London borough', 'offset=1']) {
    const { status, body } = await ask(`authorities?near=NP10 8WA&${other}`);
    assert.equal(status, 400, other);
    assert.equal(body.error.field, 'near');
  }
  assert.equal((await ask('authorities?near=nonsense')).body.error.code, 'INVALID_PARAMETER');
  assert.equal((await ask('authorities?near=ZZ1 1AA')).body.error.code, 'POSTCODE_NOT_FOUND');
});
