// The two property endpoints on the public valuation site, as a server on this machine plays it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { Metrics } from '../../src/metrics/metrics.ts';
import { factsOf } from '../../src/upstream/index.ts';
import { openValuationSite } from '../../src/upstream/valuation-site.ts';
import { openTestHome } from '../ingest/home.ts';
import { openRig, type Rig, type RigWish } from '../rig.ts';
import { openValuationServer, type ValuationServer } from '../upstream/valuation-server.ts';
import { authoritiesWith, type MadePostcode, madeDirectory } from './made-postcodes.ts';

const data = path.join(import.meta.dirname, '../../data');
const postcode = 'SW1A 1AA';
const flats = Array.from({ length: 25 }, (_, index) => ({
  address: `FLAT ${index + 1}, PALACE COURT, 9 MALL ROAD, LONDON`,
  band: 'G',
  authority: 'Westminster',
}));
let server: ValuationServer;
let folder: string;
let nowMs: number;

beforeEach(async () => {
  server = await openValuationServer({ [postcode]: flats });
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-site-'));
  nowMs = 1_800_000_000_000;
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const openSite = () =>
  openValuationSite(
    {
      metrics: new Metrics(),
      baseUrl: server.url,
      cacheFolder: folder,
      cacheBytesMost: 2 ** 30,
      deadline: server.patience.deadline,
    },
    {
      now: () => nowMs,
      sleep: async (ms) => {
        nowMs += ms;
      },
    },
  );

async function withRig(wish: RigWish, run: (rig: Rig) => Promise<void>): Promise<void> {
  const liveService = { facts: factsOf(server.url), valuationSiteFor: openSite() };
  const rig = await openRig({ liveService, ...wish });
  try {
    await run(rig);
  } finally {
    await rig.close();
  }
}

async function ask(rig: Rig, key: string, endpoint: string, query: Record<string, string>) {
  const reply = await rig.get(`/api/v1/council-tax/${endpoint}?${new URLSearchParams(query)}`, key);
  return { status: reply.statusCode, body: reply.json(), headers: reply.headers };
}

test('where no list is loaded, the site answers: band, amount, record and its own page', async () => {
  await withRig({}, async (rig) => {
    const { key } = await rig.customer({ credits: 10 });
    const query = { postcode, address: 'flat 21 palace court mall rd' };
    const { status, body, headers } = await ask(rig, key, 'property-lookup', query);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data.matchedAddress, `FLAT 21, PALACE COURT, 9 MALL ROAD, LONDON, ${postcode}`);
    assert.deepEqual([body.data.councilTaxBand, body.data.ons_code], ['G', 'E09000033']);
    assert.deepEqual(body.data.propertyDetails, {
      voaDetailsLink: `${server.url}/property/sw1a1aa-20`,
      reference: 'REF21',
      uprn: null,
      effectiveDate: '1993-04-01',
    });
    assert.equal(body.billing.creditsCharged, 1);
    // No loaded dataset gave the band, so that none speaks for it.
    assert.deepEqual([headers['x-data-as-of'], headers['x-data-source']], [undefined, undefined]);
    const { body: listed } = await ask(rig, key, 'property-candidates', { postcode });
    assert.equal(listed.data.candidateCount, 25);
    const unknown = await ask(rig, key, 'property-lookup', { postcode, address: 'Flat 26, Palace Court' });
    assert.deepEqual(
      [unknown.body.error.code, unknown.body.error.candidateCount],
      ['PROPERTY_NOT_FOUND', 25],
    );
  });
});

test("the site's failures have the codes of the contract, say when to come back, and cost nothing", async () => {
  const query = { postcode, address: 'Flat 1, Palace Court' };
  const cases = [
    [['junk'], 'property-lookup', 503, 'VOA_ERROR'],
    [['junk'], 'property-candidates', 502, 'CANDIDATE_LOOKUP_FAILED'],
    [['well', 'well', 'well', 503, 503], 'property-lookup', 503, 'PROPERTY_LOOKUP_INCOMPLETE'],
    [['well', 'well', 'well', 503, 503], 'property-candidates', 502, 'CANDIDATE_LOOKUP_FAILED'],
    [['well', 'well', 'well', 'well', 'junk'], 'property-lookup', 503, 'PROPERTY_LOOKUP_INCOMPLETE'],
  ] as const;
  for (const [moods, endpoint, status, code] of cases) {
    await withRig({}, async (rig) => {
      const { key, accountId } = await rig.customer({ credits: 10 });
      server.moods.push(...moods);
      const asked = endpoint === 'property-lookup' ? query : { postcode };
      const reply = await ask(rig, key, endpoint, asked);
      assert.deepEqual([reply.status, reply.body.error.code], [status, code]);
      assert.ok(Number(reply.headers['retry-after']) >= 30);
      assert.match(reply.body.error.message, /public valuation site/);
      assert.equal(reply.headers['x-credits-charged'], '0');
      assert.equal((await rig.accounts.findAccount(accountId, rig.clock.nowMs))?.balance, 10);
    });
    assert.equal(server.moods.length, 0);
  }
});

test('an address that the site lists twice in one band is one home; in two bands it is not answered', async () => {
  const twice = { address: '3 MALL ROAD, LONDON', band: 'F', authority: 'Westminster' };
  const other = { address: '5 MALL ROAD, LONDON', band: 'F', authority: 'Westminster' };
  await server.close();
  server = await openValuationServer({ [postcode]: [twice, other, twice, { ...other, band: 'G' }] });
  await withRig({}, async (rig) => {
    const { key } = await rig.customer();
    const { body } = await ask(rig, key, 'property-lookup', { postcode, address: '3 Mall Road' });
    assert.equal(body.data.propertyDetails.voaDetailsLink, `${server.url}/property/sw1a1aa-0`);
    const unclear = await ask(rig, key, 'property-lookup', { postcode, address: '5 Mall Road' });
    assert.deepEqual([unclear.body.error.code, unclear.body.error.candidateCount], ['PROPERTY_NOT_FOUND', 3]);
    assert.match(unclear.body.error.message, /More than one property fits equally well/);
  });
});

test('test keys never reach the site', async () => {
  await withRig({}, async (rig) => {
    const { key } = await rig.customer({ mode: 'test' });
    await ask(rig, key, 'property-lookup', { postcode, address: '1 High Street' });
    await ask(rig, key, 'property-candidates', { postcode: 'ZZ1 1AA' });
    assert.deepEqual(server.asked, []);
  });
});

test('/datasets names the site and its terms only where it is switched on', async () => {
  await withRig({}, async (rig) => {
    const [site] = (await rig.get('/api/v1/datasets')).json().data.live;
    assert.equal(site.address, server.url);
    assert.match(site.terms, /forbid commercial use/);
  });
  await withRig({ liveService: undefined }, async (rig) => {
    assert.deepEqual((await rig.get('/api/v1/datasets')).json().data.live, []);
  });
});

const placeIn = (authority: string, place: string): MadePostcode => ({
  postcode: place,
  country: 'england',
  point: [51.5, -0.1],
  authority,
});

test('a list covers the authority that most of its postcodes lie in, and the site is asked for others', async () => {
  const home = openTestHome();
  const facts = ['authorities.json', 'council-tax.csv', 'council-tax.json'];
  const inList = Array.from({ length: 9 }, (_, index) => `N1 ${index + 1}AA`);
  const rows = [...inList, postcode].map((place, index) => `${index + 1} BORDER ROAD,TOWN,${place},D`);
  const places = [...inList, 'N1 9ZZ'].map((place) => placeIn('E09000019', place));
  await home.ingest([
    ...facts.map((name) => path.join(data, 'facts', name)),
    home.put('billing-authorities.csv', authoritiesWith({ E09000019: 10 })),
    // Without a column that says whose list it is; one home lies across the border, in Westminster.
    home.put('list-202610.csv', `${['ADDR1,ADDR2,POSTCODE,BAND', ...rows].join('\n')}\n`),
    home.put('ONSPD_NOV_2025_UK.csv', madeDirectory([...places, placeIn('E09000033', postcode)])),
  ]);
  try {
    const liveRelease = () => home.store.openCurrent();
    await withRig({ live: liveRelease }, async (rig) => {
      const { key } = await rig.customer();
      const listed = await ask(rig, key, 'property-candidates', { postcode: 'N1 3AA' });
      assert.deepEqual(listed.body.data.candidates, ['3 BORDER ROAD, TOWN, N1 3AA']);
      assert.equal(listed.headers['x-data-source'], 'Billing authorities');
      const empty = await ask(rig, key, 'property-candidates', { postcode: 'N1 9ZZ' });
      assert.deepEqual(empty.body.data.candidates, []);
      assert.deepEqual(server.asked, []);
      const across = await ask(rig, key, 'property-candidates', { postcode });
      assert.equal(across.body.data.candidateCount, 25);
    });
    await withRig({ live: liveRelease, liveService: undefined }, async (rig) => {
      const { key } = await rig.customer();
      const { body } = await ask(rig, key, 'property-candidates', { postcode });
      assert.equal(body.data.candidateCount, 1);
    });
  } finally {
    home.remove();
  }
});
