// The two property endpoints on the valuation lists of the fictional town, and where no list is loaded.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openTestHome } from '../ingest/home.ts';
import { openRig, type Rig } from '../rig.ts';
import { authoritiesWith, madeDirectory } from './made-postcodes.ts';

const data = path.join(import.meta.dirname, '../../data');
const noLimits = { minute: null, day: null, month: null };

let rig: Rig;
let testKey: string;
let live: { accountId: string; key: string };
before(async () => {
  rig = await openRig();
  ({ key: testKey } = await rig.customer({ mode: 'test', limits: noLimits }));
  live = await rig.customer({ limits: noLimits, credits: 10 });
});
after(() => rig.close());

async function ask(from: Rig, key: string, endpoint: string, query: Record<string, string>) {
  const reply = await from.get(`/api/v1/council-tax/${endpoint}?${new URLSearchParams(query)}`, key);
  return { status: reply.statusCode, body: reply.json(), headers: reply.headers };
}
const lookup = (postcode: string, address: string, more: Record<string, string> = {}) =>
  ask(rig, testKey, 'property-lookup', { postcode, address, ...more });
/** A new test key for each, as Basic limits hold for them all. */
const freshKey = async () => (await rig.customer({ mode: 'test' })).key;
const candidates = async (postcode: string) =>
  ask(rig, await freshKey(), 'property-candidates', { postcode });

test('a flat is found, however it is written, with band, amounts and details', async () => {
  const { status, body, headers } = await lookup('zz11aa', 'flat 2 zenith court, 11 high st');
  assert.equal(status, 200);
  assert.equal(headers['x-data-source'], 'Billing authorities');
  const { allBandAmounts, ...rest } = body.data;
  assert.deepEqual(rest, {
    postcode: 'ZZ1 1AA',
    searchAddress: 'flat 2 zenith court, 11 high st',
    matchedAddress: 'FLAT 2, ZENITH COURT, 11 HIGH STREET, ZEDBURY, ZZ1 1AA',
    councilTaxBand: 'C',
    councilTaxAmount: allBandAmounts.band_c,
    authority: 'Zedbury Borough Council',
    ons_code: 'E06000999',
    taxYear: '2026-27',
    propertyDetails: {
      voaDetailsLink: 'https://www.tax.service.gov.uk/check-council-tax-band/search',
      reference: 'ZED000022',
      uprn: '999000000022',
      effectiveDate: '2008-11-20',
    },
  });
  assert.deepEqual(
    Object.keys(allBandAmounts),
    [...'abcdefgh'].map((letter) => `band_${letter}`),
  );
  assert.equal(allBandAmounts.band_d, 2100.01);
});

test('a flat that is not in the list is refused, with the nearest of the postcode as suggestions', async () => {
  const { status, body, headers } = await lookup('ZZ1 1AA', 'Flat 3, Zenith Court, 11 High Street');
  assert.deepEqual([status, body.error.code], [404, 'PROPERTY_NOT_FOUND']);
  assert.equal(body.error.candidateCount, 31);
  const { suggestions } = body.error;
  assert.ok(suggestions.length > 0 && suggestions.length <= 10);
  assert.match(suggestions[0], /, ZENITH COURT, 11 HIGH STREET, ZEDBURY, ZZ1 1AA$/);
  assert.equal(headers['x-credits-charged'], '0');
  const chosen = await lookup('ZZ1 1AA', suggestions[0]);
  assert.equal(chosen.body.data.matchedAddress, suggestions[0]);
});

test('a deleted entry is neither matched nor a candidate nor a suggestion', async () => {
  const { body } = await lookup('ZZ3 1AA', '6 Ffordd Zed, Zedborth');
  assert.equal(body.error.code, 'PROPERTY_NOT_FOUND');
  const deleted = '6 FFORDD ZED, ZEDBORTH, ZZ3 1AA';
  assert.equal(body.error.suggestions.includes(deleted), false);
  const listed = (await candidates('ZZ3 1AA')).body.data;
  assert.equal(listed.candidates.includes(deleted), false);
  assert.equal(listed.candidateCount, 12);
});

test('a Welsh home in band I has its band and amount, and bands A to H beside it', async () => {
  const { data: home } = (await lookup('ZZ3 1AA', 'Plas Zed, Ffordd Zed')).body;
  assert.deepEqual([home.councilTaxBand, home.councilTaxAmount], ['I', 4621.05]);
  assert.equal('band_i' in home.allBandAmounts, false);
  assert.equal(home.authority, 'Zedborth County Council');
});

test('missing, malformed and hopeless questions have the codes of the contract, in its order', async () => {
  const full = { postcode: 'ZZ1 1AA', address: '1 High Street', taxYear: '2026-27' };
  const cases: [Record<string, string>, number, string][] = [
    [{ taxYear: 'x' }, 400, 'MISSING_POSTCODE'],
    [{ postcode: 'nonsense', taxYear: 'x' }, 400, 'INVALID_POSTCODE'],
    [{ postcode: 'ZZ1 1AA', taxYear: 'x' }, 400, 'MISSING_ADDRESS'],
    [{ ...full, address: '' }, 400, 'MISSING_ADDRESS'],
    [{ ...full, taxYear: '2026-28' }, 400, 'INVALID_TAX_YEAR'],
    [{ ...full, postcode: 'BT1 1AA', address: 'Flat 2' }, 400, 'PROPERTY_LEVEL_COUNTRY_UNSUPPORTED'],
    [{ ...full, postcode: 'EH1 1AA', address: 'Flat 2' }, 400, 'PROPERTY_LEVEL_COUNTRY_UNSUPPORTED'],
    [{ ...full, postcode: 'ZZ4 1AA', address: 'Flat 2' }, 400, 'FLAT_ONLY_ADDRESS'],
    [{ ...full, postcode: 'ZZ4 1AA' }, 400, 'PROPERTY_LEVEL_COUNTRY_UNSUPPORTED'],
    [{ ...full, postcode: 'ZZ9 9ZZ' }, 404, 'POSTCODE_NOT_FOUND'],
    [{ ...full, postcode: 'ZZ1 2ZZ' }, 404, 'POSTCODE_NOT_FOUND'],
    [{ ...full, address: 'Flat 2' }, 400, 'FLAT_ONLY_ADDRESS'],
    [{ ...full, address: 'Zed Lettings Ltd' }, 400, 'ORGANISATION_OR_AGENT_NAME'],
    [{ ...full, address: '1 High Street, ZZ1 1AB' }, 404, 'PROPERTY_NOT_FOUND'],
    [{ ...full, taxYear: '1999-00' }, 404, 'COUNCIL_TAX_NOT_FOUND'],
    [full, 200, ''],
  ];
  for (const [query, status, code] of cases) {
    const reply = await ask(rig, await freshKey(), 'property-lookup', query);
    assert.deepEqual(
      [reply.status, reply.body.error?.code ?? ''],
      [status, code],
      JSON.stringify([query, reply.body]),
    );
    if (query.postcode === 'ZZ1 2ZZ') assert.equal(reply.body.error.terminated, '2019-05');
  }
});

test('candidates are the whole list of the postcode, numbers in the order of numbers', async () => {
  const { status, body, headers } = await candidates('zz1 1ab');
  assert.equal(status, 200);
  const { executionTime, ...rest } = body.data;
  assert.deepEqual(rest, {
    postcode: 'ZZ1 1AB',
    candidateCount: 5,
    candidates: ['1', '35', '38', '61', '79A'].map((number) => `${number} LAST LANE, ZEDBURY, ZZ1 1AB`),
  });
  assert.ok(executionTime >= 0);
  assert.equal(body.billing, undefined);
  assert.equal(headers['x-credits-charged'], '0');
  const flats = (await candidates('ZZ1 1AA')).body.data.candidates;
  const places = ['2 HIGH', '2A HIGH', '7-9 HIGH', '28-30 HIGH'].map((start) =>
    flats.findIndex((address: string) => address.startsWith(start)),
  );
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
});

test('every candidate, sent back as it is, is matched as itself', async () => {
  for (const postcode of ['ZZ1 1AA', 'ZZ1 1AD', 'ZZ3 1AA']) {
    for (const address of (await candidates(postcode)).body.data.candidates) {
      const reply = await ask(rig, await freshKey(), 'property-lookup', { postcode, address });
      assert.equal(reply.body.data?.matchedAddress, address);
    }
  }
});

test('candidates refuse what they cannot answer', async () => {
  const cases: Record<string, [number, string]> = {
    '': [400, 'MISSING_POSTCODE'],
    nonsense: [400, 'INVALID_POSTCODE'],
    'ZZ4 1AA': [400, 'PROPERTY_LEVEL_COUNTRY_UNSUPPORTED'],
    'ZZ9 9ZZ': [404, 'POSTCODE_NOT_FOUND'],
    'ZZ1 2ZZ': [404, 'POSTCODE_NOT_FOUND'],
  };
  for (const [postcode, expected] of Object.entries(cases)) {
    const { status, body } = await candidates(postcode);
    assert.deepEqual([status, body.error.code], expected, postcode);
  }
});

test('without any list there is none to find: 404 with its reason and where to look, never when to come back, and free', async () => {
  const query = { postcode: 'SW1A 1AA', address: '1 High Street' };
  const home = await ask(rig, live.key, 'property-lookup', query);
  assert.match(home.body.error.message, /no valuation list of City of Westminster; .*gov\.uk/);
  const list = await ask(rig, live.key, 'property-candidates', { postcode: query.postcode });
  assert.equal(list.body.error.message, home.body.error.message);
  for (const { status, body, headers } of [home, list]) {
    assert.deepEqual(
      [status, body.error.code, body.error.reason],
      [404, 'COUNCIL_TAX_NOT_FOUND', 'LIST_NOT_LOADED'],
    );
    assert.equal(headers['x-credits-charged'], '0');
    assert.equal(headers['retry-after'], undefined);
  }
  assert.equal((await rig.accounts.findAccount(live.accountId, rig.clock.nowMs))?.balance, 10);
});

const facts = ['authorities.json', 'council-tax.csv', 'council-tax.json'].map((name) =>
  path.join(data, 'facts', name),
);

test('of a council whose list is loaded in part, a postcode without entries is not known, free and with its reason', async (t) => {
  const at = { country: 'england', point: [53.8, -1.5] } as const;
  const codes = ['LS1 1AA', 'LS1 1AB', 'LS17 5AA'];
  const lines = Array.from({ length: 6 }, (_, at) => `${at + 1} HIGH STREET,LEEDS,${codes[at % 2]},C`);
  const lists = { named: ',E08000035', unnamed: '' };
  for (const [name, code] of Object.entries(lists)) {
    const home = openTestHome();
    t.after(() => home.remove());
    const header = `ADDR1,ADDR2,POSTCODE,BAND${code === '' ? '' : ',AUTHORITY_CODE'}`;
    await home.ingest([
      ...facts,
      home.put('billing-authorities.csv', authoritiesWith({})),
      home.put(`${name}/leeds-202610.csv`, `${[header, ...lines.map((line) => line + code)].join('\n')}\n`),
      home.put(
        'ONSPD_NOV_2025_UK.csv',
        madeDirectory(codes.map((postcode) => ({ ...at, postcode, authority: 'E08000035' }))),
      ),
    ]);
    const other = await openRig({ live: () => home.store.openCurrent() });
    t.after(() => other.close());
    const { key } = await other.customer();
    const there = await ask(other, key, 'property-candidates', { postcode: 'LS1 1AA' });
    const coverage = 'partial; the loaded valuation list has 6 of some 376,840 homes of Leeds City Council';
    assert.deepEqual([there.body.data.candidateCount, there.headers['x-data-coverage']], [3, coverage]);
    for (const endpoint of ['property-candidates', 'property-lookup']) {
      const { status, body, headers } = await ask(other, key, endpoint, {
        postcode: 'LS17 5AA',
        ...(endpoint === 'property-lookup' && { address: '1 High Street' }),
      });
      assert.deepEqual(
        [status, body.error.code, body.error.reason, headers['x-credits-charged']],
        [404, 'COUNCIL_TAX_NOT_FOUND', 'LIST_PARTIAL', '0'],
        `${endpoint}, ${name}`,
      );
      assert.match(body.error.message, /^Only a part of the valuation list of Leeds City Council is loaded/);
      assert.deepEqual([headers['x-data-coverage'], headers['retry-after']], [coverage, undefined]);
    }
    const found = await ask(other, key, 'property-lookup', { postcode: 'LS1 1AB', address: '2 High Street' });
    assert.deepEqual([found.status, found.body.data?.councilTaxBand], [200, 'C']);
  }
});

test('a loaded list covers its council, also where a postcode has no home; others are 404', async () => {
  const home = openTestHome();
  const rows = [
    'ADDR1,ADDR2,POSTCODE,BAND,AUTHORITY_CODE',
    '10 HIGH STREET,TOWN,SW1A 2AA,G,E09000033',
    // A home of Westminster in a postcode that the directory has in another council.
    '1 BORDER ROAD,TOWN,N1 9GU,D,E09000033',
  ];
  const at = { country: 'england', point: [51.5, -0.1] } as const;
  const directory = madeDirectory([
    { ...at, postcode: 'SW1A 2AA', authority: 'E09000033' },
    { ...at, postcode: 'SW1A 1AA', authority: 'E09000033' },
    { ...at, postcode: 'N1 9GU', authority: 'E09000019' },
    { ...at, postcode: 'N1 1AA', authority: 'E09000019' },
  ]);
  await home.ingest([
    ...facts,
    home.put('billing-authorities.csv', authoritiesWith({ E09000033: 2 })),
    home.put('list-202610.csv', `${rows.join('\n')}\n`),
    home.put('ONSPD_NOV_2025_UK.csv', directory),
  ]);
  const other = await openRig({ live: () => home.store.openCurrent() });
  try {
    const { key } = await other.customer({ credits: 0 });
    const { key: paying } = await other.customer();
    const listed = (postcode: string) => ask(other, key, 'property-candidates', { postcode });
    assert.equal((await listed('SW1A 2AA')).body.data.candidateCount, 1);
    assert.deepEqual((await listed('SW1A 1AA')).body.data.candidates, []);
    assert.equal((await listed('N1 1AA')).body.error.reason, 'LIST_NOT_LOADED');
    const lookUp = (postcode: string, address: string) =>
      ask(other, paying, 'property-lookup', { postcode, address });
    const empty = (await lookUp('SW1A 1AA', '1 High Street')).body.error;
    assert.deepEqual([empty.code, empty.candidateCount, empty.suggestions], ['PROPERTY_NOT_FOUND', 0, []]);
    const border = await lookUp('N1 9GU', '1 Border Road');
    assert.equal(border.body.data.ons_code, 'E09000033');
    assert.deepEqual(border.body.data.propertyDetails.reference, null);
    assert.equal(border.body.billing.creditsCharged, 1);
    const broke = await ask(other, key, 'property-lookup', { postcode: 'SW1A 2AA', address: '10 High St' });
    assert.equal(broke.status, 402);
  } finally {
    await other.close();
    home.remove();
  }
});
