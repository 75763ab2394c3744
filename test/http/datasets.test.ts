// GET /datasets tells what is loaded, and what an endpoint would read that is not: what it fills, and where it is.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endpoint, qualify } from '../../src/contract/endpoint.ts';
import type { MissingDataset } from '../../src/contract/missing-datasets.ts';
import { datasetsReadBy } from '../../src/contract/needs.ts';
import { object, string } from '../../src/contract/shape.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { facts, openTestHome } from '../ingest/home.ts';
import { openRig, type Rig } from '../rig.ts';
import { fixturePath, fixtureText } from '../sources/postcodes/desk.ts';

const common = {
  method: 'GET',
  summary: 'made up',
  description: 'Made up.',
  credits: 1,
  envelope: 'data',
  maxAgeSeconds: 0,
  params: {},
  errors: ['UNAUTHORIZED', 'INSUFFICIENT_CREDITS', 'INTERNAL_ERROR'],
  example: { word: 'x' },
} as const;
const made = endpoint({
  ...common,
  path: '/made-up',
  datasets: ['bank-rate', 'cycle-hire'],
  needs: [
    { dataset: 'postcodes', fields: ['word'] },
    { dataset: 'valuations', fields: [], also: 'the other half' },
  ],
  answer: object('MadeUp', { word: string() }),
  handle: () => ({ word: 'x' }),
});
const ofSeveral = endpoint({
  ...common,
  path: '/made-of-several',
  datasets: ['bank-rate'],
  answer: object('MadeOfSeveral', { word: string() }),
  handle: () => qualify({ datasets: ['bank-rate', 'postcodes', 'valuations'] }, { word: 'x' }),
});

let rig: Rig;
before(async () => {
  rig = await openRig({ endpoints: [...endpoints, made, ofSeveral] });
});
after(() => rig.close());

const notLoaded = async (): Promise<readonly MissingDataset[]> =>
  (await rig.get('/api/v1/datasets')).json().data.notLoaded;

test('a dataset that is not loaded is listed once, with every endpoint it fills and where its files are', async () => {
  const missing = await notLoaded();
  const names = missing.map(({ name }) => name);
  assert.deepEqual([...new Set(names)], names);
  const valuations = missing.find(({ name }) => name === 'valuations');
  assert.deepEqual(
    [valuations?.needed, valuations?.fills],
    [
      'optional',
      [
        'every answer of /council-tax/property-lookup',
        'every answer of /council-tax/property-candidates',
        'the other half of /made-up',
      ],
    ],
  );
  assert.ok(valuations?.files.every(({ source, homepage }) => source !== '' && homepage !== ''));
  assert.ok((valuations?.files.length ?? 0) > 0);
});

test('a dataset without which an endpoint cannot answer is required, even if another can do without it', async () => {
  const docks = (await notLoaded()).find(({ name }) => name === 'cycle-hire');
  assert.deepEqual([docks?.title, docks?.needed], ['Cycle hire', 'required']);
  assert.deepEqual(docks?.fills.toSorted(), [
    'all of /made-up',
    'cycleHireStations in transport of /area/statistics, where the map does not reach',
  ]);
});

test('what is loaded is in the one list, what is not in the other, and nothing in both', async () => {
  const { datasets } = (await rig.get('/api/v1/datasets')).json().data;
  const loaded = new Set(datasets.map(({ name }: { name: string }) => name));
  const missing = (await notLoaded()).map(({ name }) => name);
  assert.deepEqual(
    missing.filter((name) => loaded.has(name)),
    [],
  );
  for (const endpoint of endpoints) {
    for (const name of datasetsReadBy(endpoint)) {
      assert.ok(loaded.has(name) || missing.includes(name), name);
    }
  }
});

test('of postcodes without statistical areas it is told which fields are null by it, and of others that they lack nothing', async (t) => {
  const home = openTestHome();
  t.after(() => home.remove());
  const { release } = await home.ingest([...facts, fixturePath('ONSPD_NOV_2025_UK.csv')]);
  const bare = openTestHome();
  t.after(() => bare.remove());
  const { release: without } = await bare.ingest([
    ...facts,
    bare.put('codepo_gb_2025.4_all.csv', fixtureText('code-point-2025.csv')),
  ]);
  for (const [served, lacks] of [
    [release, []],
    [without, ['statistical areas (LSOA)']],
  ] as const) {
    const own = await openRig({ live: () => served });
    try {
      const { datasets } = (await own.get('/api/v1/datasets')).json().data;
      for (const { name, lacks: told } of datasets) {
        const expected = name === 'postcodes' ? lacks : [];
        assert.deepEqual(
          told.map(({ what }: { what: string }) => what),
          expected,
          name,
        );
        for (const { fields } of told) assert.equal(fields[0].endpoint, '/area/statistics');
      }
    } finally {
      await own.close();
    }
  }
});

test('headers that speak of several datasets have the oldest date and every publisher', async () => {
  const { key } = await rig.customer();
  const { headers } = await rig.get('/api/v1/made-of-several', key);
  const { datasets } = (await rig.get('/api/v1/datasets')).json().data;
  type Entry = { name: string; asOf: string; publisherShort: string };
  const entries = ['bank-rate', 'postcodes'].map(
    (wanted) => datasets.find(({ name }: Entry) => name === wanted) as Entry,
  );
  assert.equal(headers['x-data-as-of'], entries.map(({ asOf }) => asOf).sort()[0]);
  assert.equal(headers['x-data-source'], entries.map(({ publisherShort }) => publisherShort).join(', '));
});
