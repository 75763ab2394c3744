// Promise: a test key is free, is answered from the fictional town, and can ask for any error of the endpoint.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endpoints } from '../../src/endpoints/index.ts';
import { errors } from '../../src/errors.ts';
import { noonMs, openRig, type Rig, takenBy } from '../rig.ts';

const url = '/api/v1/bank-rates?limit=1';
let rig: Rig;
before(async () => {
  rig = await openRig();
});
after(() => rig.close());

test('a test key costs nothing and shows the real balance', async () => {
  const { accountId, key } = await rig.customer({ mode: 'test', credits: 7 });
  const { headers, ...reply } = await rig.get(url, key);
  assert.deepEqual(
    [reply.json().billing.mode, reply.json().billing.creditsCharged, reply.json().billing.creditsRemaining],
    ['sandbox', 0, 7],
  );
  assert.equal(headers['x-credits-charged'], '0');
  assert.match(String(headers['x-data-release']), /^sandbox-/);
  assert.equal((await rig.accounts.findAccount(accountId, noonMs))?.balance, 7);
});

test('of an unknown postcode of the town it is said where the known ones are, and nothing untrue', async () => {
  const { key } = await rig.customer({ mode: 'test', limits: { minute: null } });
  let refusals = 0;
  for (const endpoint of endpoints) {
    const { path, params } = endpoint;
    if (!('postcode' in params)) continue;
    const query = takenBy(endpoint, 'postcode=ZZ9 9ZZ&address=1 High Street');
    const reply = await rig.get(`/api/v1${path}?${query}`, key);
    if (reply.statusCode === 200) continue;
    const { code, message } = reply.json().error;
    assert.equal(code, 'POSTCODE_NOT_FOUND', path);
    assert.match(message, /^ZZ9 9ZZ is none of the fictional postcodes .*\/docs#sandbox.*ZZ1 1AA/, path);
    refusals += 1;
  }
  assert.ok(refusals >= 4);
  assert.match((await rig.get('/docs')).body, /id="sandbox"/);
});

test('a postcode of the other kind of key, or outside the sample, is answered with postcodes that the key does know', async () => {
  const ofOther = { live: ['ZZ1 1AA', 'M1 1AA'], test: ['NP10 8WA', 'M1 1AA'] } as const;
  const docs = (await rig.get('/docs')).body;
  let named = 0;
  for (const mode of ['live', 'test'] as const) {
    const { key } = await rig.customer({
      mode,
      plan: 'enterprise',
      credits: 1_000,
      limits: { minute: null },
    });
    const ask = async (endpoint: (typeof endpoints)[number], postcode: string) => {
      const query = takenBy(endpoint, `postcode=${postcode}&address=1 High Street`);
      // Of a test key, limits are those of the mode: each question has a key of its own.
      const own = mode === 'test' ? (await rig.customer({ mode })).key : key;
      return rig.get(`/api/v1${endpoint.path}?${query}`, own);
    };
    for (const endpoint of endpoints) {
      const { path, params } = endpoint;
      if (!('postcode' in params)) continue;
      for (const postcode of ofOther[mode]) {
        const reply = await ask(endpoint, postcode);
        if (reply.statusCode === 200) continue;
        assert.equal(reply.json().error.code, 'POSTCODE_NOT_FOUND', `${path} ${postcode}`);
        const { message } = reply.json().error;
        const helpful = [...message.matchAll(/[A-Z]{2}\d+ \d[A-Z]{2}/g)]
          .map(String)
          .filter((one) => one !== postcode);
        assert.ok(helpful.length > 0, `${path} ${message}`);
        for (const known of helpful) {
          const { error } = (await ask(endpoint, known)).json();
          assert.notEqual(error?.code, 'POSTCODE_NOT_FOUND', `${path} ${known} ${message}`);
          assert.match(docs, new RegExp(`<code[^>]*>${known}</code>`));
          named += 1;
        }
      }
    }
  }
  assert.ok(named >= 16, String(named));
});

test('a test key works on an empty balance', async () => {
  const { key } = await rig.customer({ mode: 'test', credits: 0 });
  assert.equal((await rig.get(url, key)).statusCode, 200);
});

test('each error of an endpoint can be asked for, with its status and extra fields', async () => {
  for (const endpoint of endpoints) {
    for (const code of endpoint.errors) {
      const { key } = await rig.customer({ mode: 'test' });
      const reply = await rig.get(`/api/v1${endpoint.path}`, key, { 'x-sandbox-outcome': code });
      const { error } = reply.json();
      assert.equal(reply.statusCode, errors[code].status);
      assert.equal(error.code, code);
      assert.deepEqual({ ...error, ...errors[code].extras }, error);
      assert.equal('retry-after' in reply.headers, error.message.includes('Retry-After'), code);
      assert.equal('x-credits-remaining' in reply.headers, errors[code].status !== 401, code);
    }
  }
});

test('an outcome the endpoint does not have is refused by name', async () => {
  const { key } = await rig.customer({ mode: 'test' });
  for (const outcome of ['MISSING_ADDRESS', 'NO_SUCH_CODE', 'toString']) {
    const reply = await rig.get(url, key, { 'x-sandbox-outcome': outcome });
    assert.equal(reply.statusCode, 400);
    assert.equal(reply.json().error.code, 'INVALID_PARAMETER');
    assert.equal(reply.json().error.field, 'X-Sandbox-Outcome');
  }
});

test('a live key cannot ask for an outcome and never sees the sandbox', async () => {
  const { key } = await rig.customer();
  const reply = await rig.get(url, key, { 'x-sandbox-outcome': 'NO_DATA_FOUND' });
  assert.equal(reply.statusCode, 200);
  assert.doesNotMatch(String(reply.headers['x-data-release']), /^sandbox-/);
});
