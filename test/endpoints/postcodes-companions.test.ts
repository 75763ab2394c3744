// Postcodes themselves: what is known of each, which lie near a point, and what a half typed text can mean.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Release } from '../../src/release/reader.ts';
import { anyString } from '../any-string.ts';
import { openTestHome, type TestHome } from '../ingest/home.ts';
import { openRig, type Rig, withSamples } from '../rig.ts';
import { fixtureText } from '../sources/postcodes/desk.ts';
import { madeDirectory } from './made-postcodes.ts';

const unlimited = { limits: { minute: null, day: null, month: null } };
const data = path.join(import.meta.dirname, '../../data');

let rig: Rig;
let live: string;
let sandbox: string;
let homes: TestHome[];
before(async () => {
  homes = [];
  rig = await openRig();
  ({ key: live } = await rig.customer({ ...unlimited, credits: 100_000 }));
  // Test keys have Basic limits; the clock moves on instead.
  ({ key: sandbox } = await rig.customer({ mode: 'test' }));
});
after(async () => {
  await rig.close();
  for (const home of homes) home.remove();
});

const ask = async (url: string, key: string, of: Rig = rig) => {
  of.clock.nowMs += 60_000;
  const reply = await of.get(`/api/v1/postcodes${url}`, key);
  const { 'x-data-coverage': coverage, 'x-credits-charged': charged } = reply.headers;
  return { status: reply.statusCode, coverage, charged, body: reply.json() };
};

/** A service over files that were loaded, and a key for it. */
async function serve(files: Readonly<Record<string, string>>, change = (release: Release) => release) {
  const home = openTestHome();
  homes.push(home);
  const facts = ['billing-authorities.csv', 'authorities.json'].map((name) => path.join(data, 'facts', name));
  const put = Object.entries(files).map(([name, content]) => home.put(name, content));
  const { release } = await home.ingest([...facts, ...put]);
  const own = await openRig({ live: () => change(release) });
  const { key } = await own.customer({ ...unlimited, credits: 10_000 });
  return {
    look: (url: string) => ask(url, key, own),
    close: () => own.close(),
  };
}

const rowsOf = (name: string, delimiter = ',') => {
  const [header = '', ...lines] = readFileSync(path.join(data, 'sandbox', name), 'utf8')
    .trim()
    .split(/\r?\n/);
  const titles = header.split(delimiter);
  return lines.map((line) => {
    const cells = line.split(delimiter).map((cell) => cell.replace(/^"(.*)"$/, '$1'));
    return new Map(titles.map((title, at) => [title, cells[at] ?? '']));
  });
};

test('every postcode of the sandbox is looked up as its directory and the lists of names have it', async () => {
  const names = new Map<string, string>();
  for (const [file, delimiter] of [
    ['ward-names.csv', ','],
    ['lsoa-names.csv', ','],
    ['police-force-names.csv', ','],
    ['region-names.txt', '\t'],
  ] as const) {
    for (const row of rowsOf(file, delimiter)) {
      for (const [title, value] of row) {
        if (title.endsWith('CD')) names.set(value, row.get(title.replace(/CD$/, 'NM')) ?? '');
      }
    }
  }
  for (const row of rowsOf('billing-authorities.csv')) {
    names.set(row.get('code') ?? '', row.get('govukOfficialName') ?? '');
  }
  for (const [code, name] of [
    ['E92000001', 'England'],
    ['W92000004', 'Wales'],
    ['S92000003', 'Scotland'],
  ] as const)
    names.set(code, name);
  const rows = rowsOf('postcodes.csv');
  assert.equal(rows.length, 60);
  for (const row of rows) {
    const cell = (title: string) => row.get(title) ?? assert.fail(title);
    const area = (title: string) => {
      const code = cell(title);
      return /999999$/.test(code) ? null : { code, name: names.get(code) ?? null };
    };
    const postcode = cell('pcds');
    const { status, body } = await ask(`/lookup?postcode=${encodeURIComponent(postcode)}`, sandbox);
    assert.equal(status, 200, postcode);
    const ended = cell('doterm');
    const hasPlace = cell('east1m') !== '';
    const { policeForce, ...told } = body.data;
    assert.deepEqual(
      told,
      {
        postcode,
        outcode: postcode.split(' ')[0],
        terminated: ended === '' ? null : `${ended.slice(0, 4)}-${ended.slice(4)}`,
        latitude: hasPlace ? Number(cell('lat')) : null,
        longitude: hasPlace ? Number(cell('long')) : null,
        easting: hasPlace ? Number(cell('east1m')) : null,
        northing: hasPlace ? Number(cell('north1m')) : null,
        nation: area('ctry25cd'),
        region: area('rgn25cd'),
        county: area('cty25cd'),
        authority: area('lad25cd'),
        ward: area('wd25cd'),
        lsoa: area('lsoa21cd'),
        msoa: area('msoa21cd'),
      },
      postcode,
    );
    assert.equal(policeForce?.code ?? null, area('pfa23cd')?.code ?? null, postcode);
  }
});

test('a withdrawn postcode is answered with its month, in any case and spacing; no other endpoint takes it', async () => {
  for (const typed of ['ZZ1 2ZZ', 'zz12zz', ' z z1 2Zz ']) {
    const { status, body } = await ask(`/lookup?postcode=${encodeURIComponent(typed)}`, sandbox);
    assert.deepEqual([status, body.data.postcode, body.data.terminated], [200, 'ZZ1 2ZZ', '2019-05']);
  }
  rig.clock.nowMs += 60_000;
  assert.equal((await rig.get('/api/v1/council-tax/lookup?postcode=ZZ1 2ZZ', sandbox)).statusCode, 404);
});

test('what is null has its reason in X-Data-Coverage, and what there cannot be has none', async () => {
  const whole = await ask('/lookup?postcode=ZZ1 1AA', sandbox);
  assert.equal(whole.coverage, undefined);
  const scottish = await ask('/lookup?postcode=ZZ4 1AA', sandbox);
  assert.deepEqual([scottish.body.data.region, scottish.coverage], [null, undefined]);
  const placeless = await ask('/lookup?postcode=ZZ2 9ZZ', sandbox);
  for (const member of ['latitude', 'easting', 'ward', 'lsoa', 'msoa', 'policeForce']) {
    assert.equal(placeless.body.data[member], null, member);
    assert.match(String(placeless.coverage), new RegExp(`^partial; .*\\b${member}\\b`), member);
  }
});

test('of Code-Point Open the grid reference is as published, and it is said which areas it does not have', async () => {
  const { look, close } = await serve({
    'codepo_gb_2025.4_all.csv': fixtureText('code-point-2025.csv'),
    'metadata.txt': fixtureText('code-point-metadata.txt'),
  });
  try {
    const { body, coverage } = await look('/lookup?postcode=ZZ1 1AA');
    const { easting, northing, region, lsoa, msoa, county, ward } = body.data;
    assert.deepEqual([easting, northing, region, lsoa, msoa], [590_000, 480_000, null, null, null]);
    assert.deepEqual(
      [county, ward],
      [
        { code: 'E10000999', name: null },
        { code: 'E05999001', name: null },
      ],
    );
    assert.match(String(coverage), /region, lsoa, msoa.* are null as OS Code-Point Open has no such areas/);
    assert.match(String(coverage), /county\.name, .*ward\.name.* are null as such names are not loaded/);
  } finally {
    await close();
  }
});

test('a grid reference of Northern Ireland is of another grid and never given as one of the National Grid', async () => {
  const { look, close } = await serve({
    'ONSPD_NOV_2025_UK.csv': madeDirectory([
      { postcode: 'BT1 1AA', country: 'northernIreland', point: [54.6, -5.93] },
      { postcode: 'M1 1AA', country: 'england', point: [53.48, -2.24] },
    ]),
  });
  try {
    const { body, coverage } = await look('/lookup?postcode=BT1 1AA');
    assert.deepEqual([body.data.latitude, body.data.easting, body.data.northing], [54.6, null, null]);
    assert.match(
      String(coverage),
      /easting and northing are null as Northern Ireland is not on the National Grid/,
    );
    assert.notEqual((await look('/lookup?postcode=M1 1AA')).body.data.easting, null);
  } finally {
    await close();
  }
});

test('near lists what is in use, nearest first, within bounds that it moves what is asked for into', async () => {
  const { body } = await ask('/near?lat=54.1806&lon=0.91&radius=99999&limit=99999', sandbox);
  const { postcodes, radiusMetres } = body.data;
  assert.equal(radiusMetres, 5_000);
  const metres = postcodes.map(({ distanceMetres }: { distanceMetres: number }) => distanceMetres);
  assert.deepEqual(
    metres,
    metres.toSorted((a: number, b: number) => a - b),
  );
  const names = postcodes.map(({ postcode }: { postcode: string }) => postcode);
  const expected = rowsOf('postcodes.csv')
    .filter((row) => row.get('doterm') === '' && row.get('east1m') !== '')
    .map((row) => row.get('pcds'));
  assert.deepEqual(names.toSorted(), expected.toSorted());
  const one = await ask('/near?lat=54.1806&lon=0.91&radius=0&limit=0', sandbox);
  assert.deepEqual([one.body.data.radiusMetres, one.body.data.postcodes], [1, []]);
});

test('around a point outside of the kingdom the list is empty, says why and is free; within it an empty list is paid where all postcodes are loaded', async (t) => {
  const outside = await ask('/near?lat=48.85&lon=2.35', live);
  assert.deepEqual([outside.status, outside.body.data.postcodes, outside.charged], [200, [], '0']);
  assert.match(String(outside.coverage), /outside the United Kingdom/);
  const whole = await openRig({ live: (real) => withSamples(real, []) });
  t.after(() => whole.close());
  const { key: ofWhole } = await whole.customer(unlimited);
  for (const [key, of, charged, coverage] of [
    [ofWhole, whole, '1', undefined],
    [live, rig, '0', 'none; only a sample of postcodes is loaded'],
  ] as const) {
    const empty = await ask('/near?lat=56&lon=-6.9', key, of);
    assert.deepEqual([empty.status, empty.body.data.postcodes], [200, []]);
    assert.deepEqual([empty.charged, empty.coverage], [charged, coverage]);
  }
});

test('suggestions cost nothing, on an empty balance too, and outcodes leave room for names', async () => {
  const { key: poor } = await rig.customer({ ...unlimited, credits: 0 });
  const { status, charged, body } = await ask('/complete?q=z', sandbox);
  assert.equal(status, 200);
  assert.equal(charged, '0');
  const kinds = body.data.suggestions.map(({ kind }: { kind: string }) => kind);
  assert.deepEqual(kinds.slice(0, 4), ['outcode', 'outcode', 'outcode', 'outcode']);
  assert.equal(kinds[4], 'authority');
  const few = await ask('/complete?q=z&limit=2', sandbox);
  assert.deepEqual(
    few.body.data.suggestions.map(({ kind }: { kind: string }) => kind),
    ['outcode', 'authority'],
  );
  const paid = await ask('/complete?q=np10', poor);
  assert.deepEqual([paid.status, paid.charged], [200, '0']);
  assert.equal((await ask('/lookup?postcode=NP10 8WA', poor)).status, 402);
});

test('a suggestion can be asked for: its postcode is in use', async () => {
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    const { suggestions } = (await ask(`/complete?q=${letter}&limit=5`, live)).body.data;
    for (const { postcode, latitude } of suggestions) {
      const { status, body } = await ask(`/lookup?postcode=${encodeURIComponent(postcode)}`, live);
      assert.deepEqual([status, body.data.terminated], [200, null]);
      assert.notEqual(latitude, null);
    }
  }
});

test('whatever is sent, the answer is an envelope and never a failure of ours', async () => {
  const odd = fc.oneof(
    anyString({ maxLength: 40 }),
    fc.string({ maxLength: 200 }),
    fc.double().map(String),
    fc.constantFrom(
      '',
      ' ',
      '0',
      '-0',
      '1e3',
      'NaN',
      'Infinity',
      '٣',
      '９',
      "'",
      '%',
      'GIR',
      'GIR0AA',
      'ß1',
      'st',
      '\u0000',
    ),
  );
  const path = fc.constantFrom('lookup', 'near', 'complete');
  const params = fc.dictionary(fc.constantFrom('postcode', 'q', 'lat', 'lon', 'radius', 'limit'), odd);
  await fc.assert(
    fc.asyncProperty(path, params, fc.boolean(), async (own, given, isLive) => {
      const query = new URLSearchParams(
        Object.entries(given).map(([name, value]): [string, string] => [name, value.toWellFormed()]),
      );
      const { status, body } = await ask(`/${own}?${query}`, isLive ? live : sandbox);
      assert.ok([200, 400, 404].includes(status), `${own}?${query}: ${status}`);
      assert.equal(body.success, status === 200);
      if (status !== 200) assert.ok(body.error.code && body.error.message);
    }),
    { numRuns: 400 },
  );
});

test('of a coordinate that is missing or wrong, it is told what one of its own kind is like', async () => {
  for (const [query, such] of [
    ['lat=54.1806', /`lon` .* such as -0\.142/],
    ['lat=54.1806&lon=x', /`lon` .* such as -0\.142/],
    ['lon=0.91', /`lat` .* such as 51\.501/],
  ] as const) {
    assert.match((await ask(`/near?${query}`, sandbox)).body.error.message, such, query);
  }
});
