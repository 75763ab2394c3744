// A service that others can reach answers their live keys from data of its own, never from the sample that comes with the
// program: by its settings, dataset by dataset, and on purpose only.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { publicKey } from '../../../src/ledger/public-sandbox.ts';
import { madeDirectory } from '../../endpoints/made-postcodes.ts';
import { bundledHome, type Running, runDomesday, startDomesday } from '../../rig.ts';

let home: string;
let remove: () => void;
let key: string;

const domesday = async (...args: readonly string[]): Promise<string> => {
  const { code, out, err } = await runDomesday([...args, '--home', home]);
  assert.equal(code, 0, err);
  return out;
};

before(async () => {
  ({ home, remove } = await bundledHome());
  const create = ['accounts', 'create', '--name', 'Acme', '--plan', 'premium', '--json'];
  const { accountId } = JSON.parse(await domesday(...create));
  key = JSON.parse(await domesday('keys', 'create', '--account', accountId, '--json')).key;
});
after(() => remove());

async function serving(env: Record<string, string>, look: (running: Running) => Promise<void>) {
  const running = await startDomesday(home, env);
  try {
    await look(running);
  } finally {
    await running.stop();
  }
}

const local = ({ url }: Running, place: string) => new URL(place, url.replace('0.0.0.0', '127.0.0.1'));

async function ask(running: Running, place: string, withKey = key) {
  const reply = await fetch(local(running, `/api/v1${place}`), { headers: { 'x-api-key': withKey } });
  return { status: reply.status, headers: reply.headers, body: JSON.parse(await reply.text()) };
}

/** Answered from the bundled sample, one for each way of asking. */
const sampled = [
  '/area/statistics?postcode=NP10+8WA',
  '/area/sold-prices?area=EC',
  '/crime/by-postcode?postcode=NP10+8WA',
  '/council-tax/lookup?postcode=NP10+8WA',
  '/council-tax/property-candidates?postcode=NP10+8WA',
  '/postcodes/lookup?postcode=NP10+8WA',
];

const reached: readonly Record<string, string>[] = [
  { HOST: '0.0.0.0' },
  { DOMESDAY_PUBLIC_URL: 'https://data.example.com' },
];

for (const env of reached) {
  test(`a service that others can reach refuses live keys the sample: ${JSON.stringify(env)}`, () =>
    serving(env, async (running) => {
      for (const place of sampled) {
        const { status, headers, body } = await ask(running, place);
        assert.equal(status, 503, place);
        assert.equal(body.error.code, 'SERVICE_UNAVAILABLE', place);
        assert.match(body.error.message, /no data of your own is loaded.*: domesday update/, place);
        assert.equal(headers.get('x-credits-charged'), '0', place);
        assert.equal(headers.get('x-data-coverage'), null, place);
      }
      const ready = await fetch(local(running, '/health/ready'));
      assert.equal(ready.status, 503);
      assert.match(await ready.text(), /no data of your own is loaded: domesday update/);
      assert.equal((await fetch(local(running, '/health/live'))).status, 200);
    }));
}

test('facts, test keys, documentation and pages are there all the same', () =>
  serving({ HOST: '0.0.0.0' }, async (running) => {
    assert.equal((await ask(running, '/bank-rates?limit=1')).status, 200);
    assert.equal((await ask(running, '/area/statistics?postcode=ZZ1+1AA', publicKey)).status, 200);
    for (const place of ['/docs', '/account', '/admin', '/explore', '/', '/api/v1/datasets'])
      assert.equal((await fetch(local(running, place))).status, 200, place);
    const calls = [
      { path: '/bank-rates', params: {} },
      { path: '/area/sold-prices', params: { area: 'EC' } },
    ];
    const batch = await fetch(local(running, '/api/v1/batch'), {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ calls }),
    });
    const { results, billing } = JSON.parse(await batch.text());
    assert.deepEqual(
      results.map(({ status }: { status: number }) => status),
      [200, 503],
    );
    assert.equal(billing.creditsCharged, 1);
    assert.match(running.output(), /Live keys get 503 .* until you load your own/);
  }));

const amongOwn: readonly Record<string, string>[] = [{}, { HOST: '0.0.0.0', DOMESDAY_SAMPLE: 'serve' }];

for (const env of amongOwn) {
  test(`the sample is served, and named, where nobody takes it for more: ${JSON.stringify(env)}`, () =>
    serving(env, async (running) => {
      const { status, headers } = await ask(running, '/area/statistics?postcode=NP10+8WA');
      assert.deepEqual([status, headers.get('x-credits-charged')], [200, '1']);
      assert.match(headers.get('x-data-coverage') ?? '', /^sample/);
      assert.equal((await fetch(local(running, '/health/ready'))).status, 200);
    }));
}

test('a service is ready once its postcodes are its own; what is a sample still gives no figure', async () => {
  const file = path.join(home, 'directory.csv');
  const point = [51.56, -3.02] as const;
  writeFileSync(file, madeDirectory([{ postcode: 'NP10 8WA', country: 'england', point }]));
  await serving({ HOST: '0.0.0.0' }, async (running) => {
    await domesday('ingest', file);
    running.child.kill('SIGHUP');
    while ((await fetch(local(running, '/health/ready'))).status !== 200)
      assert.equal(running.child.exitCode, null);
    assert.equal((await ask(running, '/postcodes/lookup?postcode=NP10+8WA')).status, 200);
    assert.equal((await ask(running, '/postcodes/lookup?postcode=PO33+2RX')).status, 404);
    assert.equal((await ask(running, '/area/sold-prices?area=EC')).status, 503);
    const { status, headers, body } = await ask(running, '/area/statistics?postcode=NP10+8WA');
    assert.deepEqual([status, headers.get('x-credits-charged')], [200, '0']);
    assert.match(headers.get('x-data-coverage') ?? '', /^none; no loaded dataset/);
    const figures = [body.data.crime.score, body.data.schools.primary, body.data.demographics.population];
    assert.deepEqual(figures, [null, null, null]);
  });
});
