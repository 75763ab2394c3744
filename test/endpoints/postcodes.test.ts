// Postcodes at the edges, on every endpoint that takes one, with a directory that was loaded: withdrawn, never given out,
// of a nation that the directory lacks, on both sides of the border to Scotland.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { openPostcodes } from '../../src/tables/postcodes/postcodes.ts';
import { distanceMetres } from '../../src/uk/grid.ts';
import { openTestHome, type TestHome } from '../ingest/home.ts';
import { openRig, type Rig } from '../rig.ts';
import { type MadePostcode, madeDirectory } from './made-postcodes.ts';

const data = path.join(import.meta.dirname, '../../data');
const sale = (postcode: string) =>
  `"{49F49D51-6661-46AA-6A5F-D437B6E4D2${postcode.slice(-2) === 'AA' ? '52' : '53'}}","63500","2026-02-10 00:00","${postcode}","S","N","F","31","","HIGH STREET","","BERWICK","BERWICK","NORTHUMBERLAND","A","A"\n`;

/** Places of one town along a line; every third was withdrawn, and TS24 wholly: its postcodes became TS25. */
const town: readonly MadePostcode[] = [...'ABDEFGHJLNPQRSTU'].flatMap((letter, index) =>
  (['TS23', 'TS24', 'TS25'] as const).map((outcode, row) => ({
    postcode: `${outcode} 1A${letter}`,
    country: 'england' as const,
    point: [54.68 + row * 0.002, -1.2 + index * 0.0011] as const,
    authority: 'E06000001',
    ...(outcode === 'TS24' || index % 3 === 2 ? { terminated: '201905' } : {}),
  })),
);
const others: readonly MadePostcode[] = [
  { postcode: 'TS23 1ZZ', country: 'england', terminated: '199906', authority: 'E06000001' },
  {
    postcode: 'TS26 1AA',
    country: 'england',
    point: [54.9, -1.2],
    terminated: '200101',
    authority: 'E06000001',
  },
  { postcode: 'TD15 1AA', country: 'england', point: [55.77, -2.0], authority: 'E06000057' },
  { postcode: 'TD15 1AB', country: 'scotland', point: [55.8, -2.1], authority: 'S12000026' },
  { postcode: 'TD1 1AA', country: 'scotland', point: [55.61, -2.8], authority: 'S12000026' },
  { postcode: 'TD1 2AA', country: 'scotland', point: [55.61, -2.8], authority: 'S12000026' },
];

let home: TestHome;
let rig: Rig;
let key: string;
before(async () => {
  home = openTestHome();
  const facts = ['billing-authorities.csv', 'authorities.json', 'council-tax.csv', 'council-tax.json'];
  const { release } = await home.ingest([
    ...facts.map((name) => path.join(data, 'facts', name)),
    home.put('ONSPD_NOV_2025_UK.csv', madeDirectory([...town, ...others])),
    home.put('pp-2026.csv', sale('TD15 1AA') + sale('TS23 1AB')),
  ]);
  rig = await openRig({ live: () => release });
  ({ key } = await rig.customer({ limits: { minute: null, day: null }, credits: 10_000 }));
});
after(async () => {
  await rig.close();
  home.remove();
});

const ask = async (url: string) => {
  const reply = await rig.get(`/api/v1${url}`, key);
  return { status: reply.statusCode, headers: reply.headers, body: reply.json() };
};
const lookup = (postcode: string) => ask(`/council-tax/lookup?postcode=${postcode}`);

test('a withdrawn postcode names those in use that lie nearest to its last place, as a plain search finds them', async () => {
  const inUse = town.filter(({ terminated }) => terminated === undefined);
  const withdrawn = town.filter(({ terminated }) => terminated !== undefined);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...withdrawn), async ({ postcode, point = [0, 0] }) => {
      const { status, body } = await lookup(postcode);
      assert.deepEqual(
        [status, body.error.code, body.error.terminated],
        [404, 'POSTCODE_NOT_FOUND', '2019-05'],
      );
      const [lat, long] = point;
      const within = (pool: readonly MadePostcode[]) =>
        pool
          .map((one) => ({
            postcode: one.postcode,
            distanceMetres: Math.round(distanceMetres(lat, long, one.point?.[0] ?? 0, one.point?.[1] ?? 0)),
          }))
          .filter((one) => one.distanceMetres <= 1000)
          .sort((a, b) => a.distanceMetres - b.distanceMetres);
      const expected = within(inUse).slice(0, 3);
      assert.deepEqual(
        body.error.nearest.map(({ distanceMetres: metres }: { distanceMetres: number }) => metres),
        expected.map(({ distanceMetres: metres }) => metres),
      );
      const [first] = body.error.nearest;
      assert.ok(
        body.error.message.includes(
          `withdrew this postcode in 2019-05; the nearest postcode in use is ${first.postcode}`,
        ),
      );
    }),
    { numRuns: 30 },
  );
});

test('a withdrawn postcode without a place, or with nothing near, names none', async () => {
  for (const [postcode, month] of [
    ['TS23 1ZZ', '1999-06'],
    ['TS26 1AA', '2001-01'],
  ] as const) {
    const { error } = (await lookup(postcode)).body;
    assert.deepEqual([error.terminated, error.nearest], [month, undefined]);
  }
});

test('a typing slip is suspected where the directory covers the area; else it is said what is not held', async () => {
  assert.match(
    (await lookup('TS23 9ZZ')).body.error.message,
    /not in the postcode directory of 2025-11.*typing slip/,
  );
  const { error } = (await lookup('M1 1AA')).body;
  assert.match(error.message, /holds no postcodes of M;/);
  assert.match(
    (await ask('/area/statistics?postcode=BT1 1AA')).body.error.message,
    /no postcodes of Northern Ireland/,
  );
});

test('Northern Ireland and the islands are known by their letters, though the directory has none of them', async () => {
  const release = home.store.openCurrent();
  const places: Record<string, RegExp> = {
    'BT1 1AA': /holds no postcodes of Northern Ireland;/,
    'JE2 3AB': /^JE2 3AB lies in the Channel Islands, /,
    'GY1 1AA': /^GY1 1AA lies in the Channel Islands, /,
    'IM1 1AA': /^IM1 1AA lies in the Isle of Man, /,
  };
  for (const [postcode, rates] of Object.entries({
    'BT1 1AA': /^Northern Ireland has domestic rates/,
    'JE2 3AB': /^Jersey has its own domestic rates/,
    'GY1 1AA': /^Guernsey has its own domestic rates/,
    'IM1 1AA': /^The Isle of Man has its own domestic rates/,
  })) {
    assert.equal(openPostcodes(release).areas().includes(postcode.slice(0, 2)), false);
    const tax = await lookup(postcode);
    assert.deepEqual([tax.status, tax.body.error.code], [404, 'COUNCIL_TAX_NOT_FOUND']);
    assert.match(tax.body.error.message, rates);
    for (const url of ['property-candidates?', 'property-lookup?address=1 High Street&']) {
      const { status, body } = await ask(`/council-tax/${url}postcode=${postcode}`);
      assert.deepEqual([status, body.error.code], [400, 'PROPERTY_LEVEL_COUNTRY_UNSUPPORTED'], url);
    }
    const area = (await ask(`/area/statistics?postcode=${postcode}`)).body.error;
    assert.equal(area.code, 'POSTCODE_NOT_FOUND');
    assert.match(area.message, places[postcode] ?? assert.fail(postcode));
    const sales = await ask(`/area/sold-prices?postcode=${postcode}`);
    assert.deepEqual([sales.status, sales.body.billing.creditsCharged], [200, 0]);
    assert.match(String(sales.headers['x-data-coverage']), /^none; .*covers England and Wales/);
  }
});

test('on the border the directory tells: sales of the English side are charged, the Scottish side is free, as is what a part of the register does not know', async () => {
  const cases: Record<string, [charged: string, total: number, coverage: RegExp]> = {
    'area=TD&months=12': ['1', 1, /^partial; loaded: 1 sale of postcode area TD, /],
    'area=TD&months=12&street=zzzz': [
      '0',
      0,
      /^none; only a part of the register is loaded: 1 sale of postcode area TD, /,
    ],
    'postcode=TD15 1AA&months=12': ['1', 1, /^partial; loaded: 1 sale of postcode area TD, /],
    'postcode=TD15 1AB&months=12': ['0', 0, /^none; .*not Scotland$/],
    'outcode=TD15&street=zzzz': [
      '0',
      0,
      /^none; only a part of the register is loaded: 1 sale of postcode area TD, /,
    ],
    'outcode=TD1': ['0', 0, /^none; .*not Scotland$/],
    'sector=TD1 2': ['0', 0, /^none; .*not Scotland$/],
    'postcode=TD1 3AA': [
      '0',
      0,
      /^none; only a part of the register is loaded: 1 sale of postcode area TD, /,
    ],
    'area=M': ['0', 0, /^none; no sale in M is loaded$/],
  };
  for (const [query, [charged, total, coverage]] of Object.entries(cases)) {
    const { status, headers, body } = await ask(`/area/sold-prices?${query}`);
    assert.deepEqual(
      [status, headers['x-credits-charged'], body.data.totalResults],
      [200, charged, total],
      query,
    );
    assert.match(String(headers['x-data-coverage']), coverage, query);
  }
  for (const [postcode, status] of [
    ['TD1 1AA', 400],
    ['TD15 1AB', 400],
    ['TD15 1AA', 404],
  ] as const) {
    assert.equal(
      (await ask(`/council-tax/property-candidates?postcode=${postcode}`)).status,
      status,
      postcode,
    );
  }
});
