// The three council tax endpoints on the bundled data, and the corners of the postcode directory.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { firstRows } from '../../src/ingest/read/csv.ts';
import { openTestHome, type TestHome } from '../ingest/home.ts';
import { noonMs, openRig, type Rig } from '../rig.ts';

const data = path.join(import.meta.dirname, '../../data');
const wide = { limits: { minute: null, day: null, month: null }, credits: 100_000 };

let rig: Rig;
let key: string;
before(async () => {
  rig = await openRig();
  ({ key } = await rig.customer(wide));
});
after(() => rig.close());

async function ask(from: Rig, asker: string, url: string) {
  const reply = await from.get(`/api/v1/council-tax/${url}`, asker);
  return { status: reply.statusCode, body: reply.json(), headers: reply.headers };
}
const lookup = (query: string) => ask(rig, key, `lookup?${query}`);
const search = async (query: string) => (await ask(rig, key, `authorities?${query}`)).body.data.authorities;
const byCode = (query: string) => ask(rig, key, `authority-lookup?${query}`);
const codesOf = (list: readonly { authorityCode: string }[]) =>
  list.map(({ authorityCode }) => authorityCode);

async function at<T>(date: string, work: () => Promise<T>): Promise<T> {
  rig.clock.nowMs = Date.parse(date);
  try {
    return await work();
  } finally {
    rig.clock.nowMs = noonMs;
  }
}

test('a postcode is answered with the bands A to H of its authority', async () => {
  const { status, body } = await lookup('postcode=sw1a1aa');
  assert.equal(status, 200);
  assert.deepEqual(body.data, {
    postcode: 'SW1A 1AA',
    authority: 'City of Westminster',
    ons_code: 'E09000033',
    taxYear: '2026-27',
    councilTaxBands: {
      band_a: 699.7,
      band_b: 816.32,
      band_c: 932.93,
      band_d: 1049.55,
      band_e: 1282.78,
      band_f: 1516.02,
      band_g: 1749.25,
      band_h: 2099.1,
    },
  });
  assert.equal(body.billing.creditsCharged, 1);
});

test('an authority is answered with dates of its source, with offsets, and band_i null outside Wales', async () => {
  const { body } = await byCode('authorityCode=e09000033');
  assert.deepEqual(Object.keys(body.data), [
    'authorityCode',
    'authority',
    'ons_code',
    'category',
    'nation',
    'taxYear',
    'sourcePublishedAt',
    'sourceUpdatedAt',
    'councilTaxBands',
  ]);
  assert.equal(body.data.sourcePublishedAt, '2026-03-25T00:00:00+00:00');
  assert.equal(body.data.sourceUpdatedAt, '2026-05-12T00:00:00+01:00');
  assert.equal(body.data.category, 'London borough');
  assert.equal(body.data.councilTaxBands.band_d, 1049.55);
  assert.equal(body.data.councilTaxBands.band_i, null);
  const cardiff = (await byCode('authorityCode=W06000015')).body.data.councilTaxBands;
  assert.equal(cardiff.band_i, Math.round((cardiff.band_d * 100 * 21) / 9) / 100);
  assert.equal((await byCode('authorityCode=S12000049')).body.data.councilTaxBands.band_i, null);
});

test('amounts of a nation are its own publisher’s, and a list of all nations is of all of them', async () => {
  for (const [code, publisher] of [
    ['E09000033', 'MHCLG'],
    ['W06000022', 'Welsh Government'],
    ['S12000033', 'Scottish Government'],
  ] as const)
    assert.equal((await byCode(`authorityCode=${code}`)).headers['x-data-source'], publisher);
  assert.equal((await lookup('postcode=NP10 8WA')).headers['x-data-source'], 'Welsh Government');
  const { datasets } = (await rig.get('/api/v1/datasets')).json().data;
  const { publisherShort } = datasets.find(({ name }: { name: string }) => name === 'council-tax');
  assert.equal(publisherShort, 'MHCLG, Welsh Government, Scottish Government');
  // A refusal is of no nation.
  const refused = await byCode('authorityCode=W06000022&taxYear=1990-91');
  assert.deepEqual([refused.status, refused.headers['x-data-source']], [404, publisherShort]);
});

test('published Scottish bands are answered as published', async () => {
  const { body } = await byCode('authorityCode=S12000049&taxYear=2026-27');
  assert.deepEqual(body.data.councilTaxBands, {
    band_a: 1137.33,
    band_b: 1326.89,
    band_c: 1516.44,
    band_d: 1706,
    band_e: 2241.49,
    band_f: 2772.25,
    band_g: 3340.92,
    band_h: 4179.7,
    band_i: null,
  });
});

test('every authority of Great Britain is found and has figures for every year of the facts', async () => {
  const years = {
    England: ['2026-27', '2023-24'],
    Wales: ['2026-27', '2022-23'],
    Scotland: ['2026-27', '2025-26'],
  };
  let count = 0;
  for (const [nation, list] of Object.entries(years)) {
    const found = [];
    for (const letter of ['E06', 'E07', 'E08', 'E09', 'W06', 'S12']) {
      found.push(...(await search(`q=${letter}&nation=${nation}&limit=100`)));
    }
    // More districts there are than one answer lists.
    const codes = nation === 'England' ? readCodes('E') : codesOf(found);
    count += codes.length;
    for (const code of codes) {
      for (const taxYear of list) {
        const { status, body } = await byCode(`authorityCode=${code}&taxYear=${taxYear}`);
        assert.equal(status, 200, `${code} ${taxYear}`);
        assert.equal(body.data.taxYear, taxYear);
      }
    }
  }
  assert.equal(count, 350);
});

const readCodes = (letter: string) =>
  readFileSync(path.join(data, 'facts/billing-authorities.csv'), 'utf8')
    .split('\n')
    .map((line) => line.slice(0, 9))
    .filter((code) => code.startsWith(letter) && /\d{8}$/.test(code));

test('the active year changes on 1 April, London time, and falls back to the newest before it', async () => {
  const yearAt = (date: string, code: string) =>
    at(date, async () => (await byCode(`authorityCode=${code}`)).body.data?.taxYear);
  assert.equal(await yearAt('2026-03-31T22:59:59Z', 'S12000049'), '2025-26');
  assert.equal(await yearAt('2026-03-31T23:00:00Z', 'S12000049'), '2026-27');
  assert.equal(await yearAt('2026-03-31T22:59:59Z', 'E09000033'), '2023-24');
  assert.equal(await yearAt('2031-01-01T00:00:00Z', 'E09000033'), '2026-27');
  const early = await at('2020-01-01T00:00:00Z', () => byCode('authorityCode=E09000033'));
  assert.deepEqual([early.status, early.body.error.code], [404, 'COUNCIL_TAX_NOT_FOUND']);
});

test('a year that is not loaded is refused with those that are; a malformed one is another fault', async () => {
  for (const ask of [
    () => lookup('postcode=SW1A 1AA&taxYear=2024-25'),
    () => byCode('authorityCode=E09000033&taxYear=2024-25'),
  ]) {
    const { status, body, headers } = await ask();
    assert.deepEqual([status, body.error.code], [404, 'COUNCIL_TAX_NOT_FOUND']);
    assert.deepEqual(body.error.availableYears, ['2026-27', '2023-24']);
    assert.equal(headers['x-credits-charged'], '0');
  }
  for (const year of ['2026', '2026-28', '2026/27', '2026-2027', 'now', '2026-27x']) {
    const { status, body } = await byCode(`authorityCode=E09000033&taxYear=${encodeURIComponent(year)}`);
    assert.deepEqual([status, body.error.code, body.error.field], [400, 'INVALID_TAX_YEAR', 'taxYear'], year);
  }
  assert.equal((await byCode('authorityCode=E09000033&taxYear=')).status, 200);
});

test('missing and malformed parameters have the codes of the contract', async () => {
  const cases: Record<string, [number, string]> = {
    lookup: [400, 'MISSING_POSTCODE'],
    'lookup?postcode=': [400, 'MISSING_POSTCODE'],
    'lookup?postcode=nonsense': [400, 'INVALID_POSTCODE'],
    'lookup?postcode=SW1A%209ZZ': [404, 'POSTCODE_NOT_FOUND'],
    'lookup?postcode=ZZ1%201AA': [404, 'POSTCODE_NOT_FOUND'],
    'authority-lookup': [400, 'MISSING_AUTHORITY_CODE'],
    'authority-lookup?authorityCode=X': [404, 'AUTHORITY_NOT_FOUND'],
    'authority-lookup?authorityCode=%25': [404, 'AUTHORITY_NOT_FOUND'],
    'authorities?limit=abc': [400, 'INVALID_PARAMETER'],
    'authorities?limit=1e2': [400, 'INVALID_PARAMETER'],
  };
  for (const [url, [status, code]] of Object.entries(cases)) {
    const reply = await ask(rig, key, url);
    assert.deepEqual([reply.status, reply.body.error.code], [status, code], url);
  }
});

test('a recoded authority answers to both codes, with the current one', async () => {
  const recoded = {
    E08000016: 'E08000038',
    E08000019: 'E08000039',
    S12000015: 'S12000047',
    S12000046: 'S12000049',
  };
  for (const [former, current] of Object.entries(recoded)) {
    const [old, today] = [await byCode(`authorityCode=${former}`), await byCode(`authorityCode=${current}`)];
    assert.deepEqual(old.body.data, today.body.data);
    assert.equal(old.body.data.ons_code, current);
    assert.deepEqual(codesOf(await search(`q=${former}`)), [current]);
  }
});

test('an abolished council is not found, and names its successors', async () => {
  const { status, body } = await byCode('authorityCode=E07000026');
  assert.deepEqual([status, body.error.code], [404, 'AUTHORITY_NOT_FOUND']);
  assert.deepEqual(body.error.successors, [{ authorityCode: 'E06000063', name: 'Cumberland Council' }]);
  assert.match(body.error.message, /^Allerdale was abolished in 2023; ask for Cumberland/);
  const cumbria = (await byCode('authorityCode=E10000006')).body.error;
  assert.deepEqual(codesOf(cumbria.successors), ['E06000063', 'E06000064']);
  const essex = (await byCode('authorityCode=E10000012')).body.error;
  assert.deepEqual([essex.code, essex.successors], ['AUTHORITY_NOT_FOUND', undefined]);
  assert.match(essex.message, /not of a billing authority/);
});

test('search: limits are clamped, filters ignore case, order is best first', async () => {
  assert.equal((await search('')).length, 25);
  assert.equal((await search('limit=1000')).length, 100);
  assert.equal((await search('limit=0')).length, 1);
  assert.equal((await search('limit=-5')).length, 1);
  assert.equal((await search('nation=wales&limit=100')).length, 22);
  assert.equal((await search('category=LONDON%20BOROUGH&limit=100')).length, 33);
  assert.deepEqual(await search('nation=Northern%20Ireland'), []);
  assert.deepEqual(await search('category=county'), []);
  assert.deepEqual(await search('q=zzzz'), []);
  assert.deepEqual(await search('q=%25'), []);
  assert.deepEqual(codesOf(await search('q=york')).slice(0, 2), ['E06000014', 'E06000011']);
  assert.deepEqual(codesOf(await search('q=Saint%20Helens')), ['E08000013']);
  assert.deepEqual(codesOf(await search('q=st.helens')), []);
  assert.deepEqual(codesOf(await search('q=kings%20lynn%20%26%20west')), ['E07000146']);
  assert.deepEqual(codesOf(await search('q=e09000033')), ['E09000033']);
  assert.deepEqual((await search('q=city%20of%20westminster'))[0], {
    authorityCode: 'E09000033',
    name: 'City of Westminster',
    category: 'London borough',
    nation: 'England',
    isBillingAuthority: true,
    isSelectable: true,
    websiteUrl: 'https://www.westminster.gov.uk/',
  });
});

test('each of the 350 authorities has one name on every endpoint, and is found by it and by that of its area', async () => {
  const [, ...lines] = firstRows(
    readFileSync(path.join(data, 'facts/billing-authorities.csv')),
    Number.POSITIVE_INFINITY,
    'utf-8',
  );
  const names = new Set<string>();
  for (const [code = '', area = ''] of lines) {
    const { authority } = (await byCode(`authorityCode=${code}`)).body.data;
    names.add(authority);
    for (const text of [authority, area]) {
      const found = await search(`q=${encodeURIComponent(text)}&limit=100`);
      const own = found.find((one: { authorityCode: string }) => one.authorityCode === code);
      assert.equal(own?.name, authority, `${code} by ${text}`);
    }
  }
  assert.equal(names.size, 350);
  const { body } = await ask(rig, key, 'lookup?postcode=SW1A 1AA');
  assert.equal(body.data.authority, (await byCode('authorityCode=E09000033')).body.data.authority);
});

test('a longer limit only ever adds to the end', async () => {
  const all = codesOf(await search('q=e&limit=100'));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 100 }), async (limit) => {
      assert.deepEqual(codesOf(await search(`q=e&limit=${limit}`)), all.slice(0, limit));
    }),
    { numRuns: 20 },
  );
});

test('the sandbox has an English, a Welsh and a Scottish corner', async () => {
  const { key: testKey } = await rig.customer({ ...wide, mode: 'test' });
  const inTown = (url: string) => ask(rig, testKey, url);
  assert.equal((await inTown('lookup?postcode=ZZ1 1AA')).body.data.councilTaxBands.band_d, 2100.01);
  assert.equal(
    (await inTown('authority-lookup?authorityCode=W06000999')).body.data.councilTaxBands.band_i,
    4621.05,
  );
  assert.equal((await inTown('lookup?postcode=ZZ4 1AA')).body.data.councilTaxBands.band_h, 3675);
  assert.equal(
    (await inTown('lookup?postcode=ZZ3 1AA&taxYear=2025-26')).body.data.authority,
    'Zedborth County Council',
  );
  assert.equal((await inTown('authorities')).body.data.authorities.length, 3);
  const gone = (await inTown('lookup?postcode=ZZ1 2ZZ')).body.error;
  assert.deepEqual([gone.code, gone.terminated], ['POSTCODE_NOT_FOUND', '2019-05']);
  assert.equal((await inTown('authorities?q=westminster')).body.data.authorities.length, 0);
});

test('Northern Ireland, the islands, a PO box and an old directory have answers of their own', async () => {
  const home = await openCorners();
  const corners = await openRig({ live: () => home.store.openCurrent() });
  try {
    const { key: other } = await corners.customer(wide);
    const of = (postcode: string) => ask(corners, other, `lookup?postcode=${postcode}`);
    const reasons: Record<string, RegExp> = {
      'BT1 1AA': /domestic rates/,
      'JE2 3AB': /Jersey has its own domestic rates/,
      'GY1 1AA': /Guernsey has its own domestic rates/,
      'IM1 1AA': /Isle of Man has its own domestic rates/,
      'BX1 1LT': /belongs to no place/,
    };
    for (const [postcode, message] of Object.entries(reasons)) {
      const { status, body, headers } = await of(postcode);
      assert.deepEqual([status, body.error.code], [404, 'COUNCIL_TAX_NOT_FOUND'], postcode);
      assert.match(body.error.message, message);
      assert.equal(headers['x-credits-charged'], '0');
    }
    const homes = await ask(corners, other, 'property-candidates?postcode=BX1 1LT');
    assert.deepEqual([homes.status, homes.body.error.code], [404, 'COUNCIL_TAX_NOT_FOUND']);
    assert.match(homes.body.error.message, /belongs to no place/);
    assert.equal(homes.body.error.reason, undefined, 'no list would have it');
    assert.equal((await of('CA14 1AA')).body.data.ons_code, 'E06000063');
    assert.equal((await of('S70 1AA')).body.data.ons_code, 'E08000038');
    assert.equal((await of('AL1 1AA')).body.data.ons_code, 'E07000240');
  } finally {
    await corners.close();
    home.remove();
  }
});

/** The bundled facts, with a directory of postcodes that has the corners of the kingdom and older codes. */
async function openCorners(): Promise<TestHome> {
  const home = openTestHome();
  const [header = ''] = readFileSync(path.join(data, 'sandbox/postcodes.csv'), 'utf8').split('\n', 1);
  const columns = header.trim().split(',');
  const rowOf = (postcode: string, country: string, authority: string) => {
    const cells: Record<string, string> = {
      pcds: postcode,
      pcd7: postcode,
      pcd8: postcode,
      dointr: '198001',
      ctry25cd: country,
      lad25cd: authority,
      usrtypind: '1',
      gridind: '9',
      lat: '99.999999',
      long: '0.000000',
    };
    return columns.map((column) => cells[column] ?? '').join(',');
  };
  const rows = [
    rowOf('BT1 1AA', 'N92000002', 'N09000003'),
    rowOf('JE2 3AB', 'L93000001', 'L99999999'),
    rowOf('IM1 1AA', 'M83000003', 'M99999999'),
    rowOf('BX1 1LT', 'E92000001', ''),
    rowOf('CA14 1AA', 'E92000001', 'E07000026'),
    rowOf('S70 1AA', 'E92000001', 'E08000016'),
    rowOf('AL1 1AA', 'E92000001', 'E07000100'),
  ];
  const facts = [
    'billing-authorities.csv',
    'abolished-authorities.csv',
    'authorities.json',
    'council-tax.csv',
    'council-tax.json',
  ];
  await home.ingest([
    ...facts.map((name) => path.join(data, 'facts', name)),
    home.put('onspd.csv', `${[header.trim(), ...rows].join('\n')}\n`),
  ]);
  return home;
}
