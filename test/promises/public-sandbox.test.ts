// Promise: everybody may use the public sandbox key. It is free, knows the made-up town alone, holds each address to the
// Basic limits by itself, and ends with its setting.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type ExampleSet, exampleParams } from '../../src/contract/examples.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { LedgerRefusal } from '../../src/ledger/ledger.ts';
import { publicCaller, publicKey, Visitors } from '../../src/ledger/public-sandbox.ts';
import { openHome } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { noonMs, openRig, type Rig } from '../rig.ts';

const rates = '/api/v1/bank-rates?limit=1';
let rig: Rig;
before(async () => {
  rig = await openRig();
  await rig.accounts.openPublicSandbox(noonMs);
});
after(() => rig.close());

const from = (remoteAddress: string, url = rates, headers: Record<string, string> = {}) =>
  rig.app.inject({ url, remoteAddress, headers: { 'x-api-key': publicKey, ...headers } });

async function statusesFrom(remoteAddress: string, calls: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let call = 0; call < calls; call += 1) statuses.push((await from(remoteAddress)).statusCode);
  return statuses;
}

const elsewhere = (host: string) => ({ host, from: 'elsewhere' }) as const;

const tenThen = (...last: number[]) => [...Array.from({ length: 10 }, () => 200), ...last];

function urlOf(set: ExampleSet, endpoint: (typeof endpoints)[number]): string | undefined {
  const params = exampleParams(endpoint, set);
  if (params === undefined) return undefined;
  const query = new URLSearchParams(params.map(([name, value]) => [name, String(value)]));
  return `/api/v1${endpoint.path}?${query}`;
}

/** Whether an answer tells anything: some text, number or entry that is not merely its envelope. */
function tells(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(tells);
  if (typeof value === 'object' && value !== null) return Object.values(value).some(tells);
  return value !== null && value !== 0 && value !== '' && value !== false;
}

test('two addresses do not share a window; one host under several names does', async () => {
  assert.deepEqual(await statusesFrom('192.0.2.1', 11), tenThen(429));
  assert.deepEqual(await statusesFrom('192.0.2.2', 10), tenThen());
  assert.deepEqual(await statusesFrom('::ffff:192.0.2.2', 1), [429]);
  assert.deepEqual(await statusesFrom('2001:db8:1:2::1', 10), tenThen());
  assert.deepEqual(await statusesFrom('2001:db8:1:2:ffff::9', 1), [429]);
  assert.deepEqual(await statusesFrom('2001:db8:1:3::1', 1), [200]);
});

test('a limited address is told when to come back, and how to be limited by itself', async () => {
  await statusesFrom('192.0.2.3', 10);
  const { statusCode, headers, ...reply } = await from('192.0.2.3');
  assert.equal(statusCode, 429);
  assert.equal(headers['retry-after'], '50');
  const { code, window, limit, message } = reply.json().error;
  assert.deepEqual([code, window, limit], ['RATE_LIMITED', 'minute', 10]);
  assert.match(message, /address.*test key of your own/);
  rig.clock.nowMs = noonMs + 60_000;
  const next = await from('192.0.2.3');
  rig.clock.nowMs = noonMs;
  assert.equal(next.statusCode, 200);
});

test('a page of the service itself has a bucket of its own, and leaves that of others alone', async () => {
  const ownPage = { 'sec-fetch-site': 'same-origin' };
  const statuses = new Map<number, number>();
  for (let call = 0; call < 121; call += 1) {
    const { statusCode } = await from('192.0.2.9', rates, ownPage);
    statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
  }
  assert.deepEqual(
    [...statuses],
    [
      [200, 120],
      [429, 1],
    ],
  );
  const other = await from('192.0.2.9', rates, { 'sec-fetch-site': 'cross-site' });
  assert.deepEqual([other.statusCode, other.headers['x-ratelimit-remaining']], [200, '9']);
});

test('day and month hold too, each address by itself', () => {
  const visitors = new Visitors();
  const minuteMs = 60_000;
  const hits = new Map<string, number>();
  const start = Date.UTC(2026, 0, 1);
  // Ten a minute for an hour a day: the day's 500 come first, then on the tenth day the month's 5,000.
  for (let day = 0; day < 12; day += 1) {
    for (let call = 0; call < 600; call += 1) {
      const atMs = start + day * 86_400_000 + Math.floor(call / 10) * minuteMs;
      const admission = visitors.admit(elsewhere('a'), atMs);
      if (admission.kind === 'limited') hits.set(admission.window, (hits.get(admission.window) ?? 0) + 1);
    }
  }
  // 100 a day past the day's limit count as calls too, so the month ends within the ninth day.
  assert.deepEqual([...hits.keys()].sort(), ['day', 'month']);
  assert.equal((hits.get('day') ?? 0) + (hits.get('month') ?? 0), 12 * 600 - (8 * 500 + 200));
  assert.equal(visitors.admit(elsewhere('b'), start).kind, 'admitted');
});

test('the bucket of our own pages has 2,000 a day', () => {
  const visitors = new Visitors();
  const ownPages = { host: 'a', from: 'our pages' } as const;
  const midnight = Date.UTC(2026, 0, 1);
  const kinds = Array.from({ length: 2_001 }, (_, call) =>
    visitors.admit(ownPages, midnight + Math.floor(call / 100) * 60_000),
  );
  const refused = kinds.flatMap((one, at) => (one.kind === 'limited' ? [[at, one.window]] : []));
  assert.deepEqual(refused, [[2_000, 'day']]);
});

test('a call that is told of late does not begin the next window anew; a clock that was set back does', () => {
  const visitors = new Visitors();
  const edge = Date.UTC(2026, 0, 2);
  for (let call = 0; call < 10; call += 1) visitors.admit(elsewhere('a'), edge);
  assert.equal(visitors.admit(elsewhere('a'), edge - 1).kind, 'admitted');
  assert.equal(visitors.admit(elsewhere('a'), edge).kind, 'limited');
  assert.equal(visitors.admit(elsewhere('a'), edge - 3 * 86_400_000).kind, 'admitted');
  assert.equal(visitors.admit(elsewhere('a'), edge - 3 * 86_400_000).kind, 'admitted');
});

test('many addresses do not free one that keeps calling', () => {
  const visitors = new Visitors();
  for (let call = 0; call < 10; call += 1) visitors.admit(elsewhere('busy'), noonMs);
  for (let other = 0; other < 120_000; other += 1) {
    visitors.admit(elsewhere(`host ${other}`), noonMs);
    if (other % 10_000 === 0) assert.equal(visitors.admit(elsewhere('busy'), noonMs).kind, 'limited');
  }
});

test('every endpoint answers its sandbox example, free, from the made-up town, with something to see', async () => {
  const sandboxId = openHome(rig.home, layouts).sandbox.currentId();
  for (const [place, endpoint] of endpoints.entries()) {
    const url = urlOf('sandbox', endpoint) ?? assert.fail(`${endpoint.path} has no sandbox example`);
    const { statusCode, headers, ...reply } = await from(`198.51.100.${place}`, url);
    assert.equal(statusCode, 200, `${url} ${reply.body}`);
    assert.equal(headers['x-credits-charged'], '0');
    assert.equal(headers['x-credits-remaining'], '0');
    assert.equal(headers['x-data-release'], sandboxId);
    const { success: _, billing, ...told } = reply.json();
    if (endpoint.credits > 0) assert.deepEqual([billing.mode, billing.creditsCharged], ['sandbox', 0]);
    assert.ok(tells(told), url);
  }
  const journal = await rig.accounts.journalOf(publicCaller.accountId);
  assert.deepEqual(
    journal.map(({ kind, credits }) => [kind, credits]),
    [['grant', 0]],
  );
});

test('a live key is answered every live example from the bundled data', async () => {
  const { key } = await rig.customer();
  const examples = endpoints.flatMap((endpoint) => {
    const url = urlOf('live', endpoint);
    return url === undefined ? [] : [{ url, credits: endpoint.credits }];
  });
  // No list of homes is bundled, so the two endpoints that read one have no live example.
  assert.equal(examples.length, endpoints.length - 2);
  for (const { url, credits } of examples) {
    const reply = await rig.get(url, key);
    assert.equal(reply.statusCode, 200, `${url} ${reply.body}`);
    const { success: _, billing, ...told } = reply.json();
    assert.equal(billing?.mode, credits > 0 ? 'prepaid' : undefined, url);
    assert.ok(tells(told), url);
  }
});

test('it never answers real data, whatever is asked', async () => {
  for (const url of [
    '/api/v1/council-tax/lookup?postcode=SW1A1AA',
    '/api/v1/area/statistics?postcode=EC2Y8DN',
  ]) {
    assert.equal((await from('192.0.2.4', url)).statusCode, 404, url);
  }
});

test('what the documents say of each postcode worth trying is so', async () => {
  let visitor = 0;
  const ask = async (url: string) => {
    visitor += 1;
    const reply = await from(`203.0.113.${visitor}`, `/api/v1/${url}`);
    return { status: reply.statusCode, ...reply.json() };
  };
  const { body: start } = await from('203.0.113.0', '/docs.md');
  const shown = new Map(
    [...start.matchAll(/^\| `(ZZ[^`]+)` \| (.*) \|$/gm)].map(
      ([, postcode = '', words = '']) =>
        [postcode, words.replaceAll(/\[(`[^`]*`)\]\([^)]*\)/g, '$1')] as const,
    ),
  );
  assert.ok(shown.size > 3, `only ${shown.size} postcodes`);
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  assert.ok(readme.includes(publicKey));
  for (const postcode of shown.keys()) assert.ok(readme.includes(`| \`${postcode}\` |`), postcode);
  const saysOf = (postcode: string, words: RegExp) => assert.match(shown.get(postcode) ?? '', words);

  saysOf('ZZ1 1AB', /lists five homes; “36 Last Lane” is none of them/);
  assert.equal((await ask('council-tax/property-candidates?postcode=ZZ1 1AB')).data.candidateCount, 5);
  const { error } = await ask('council-tax/property-lookup?postcode=ZZ1 1AB&address=36 Last Lane');
  assert.equal(error.code, 'PROPERTY_NOT_FOUND');
  assert.ok(error.suggestions.length > 0);

  saysOf(
    'ZZ1 2ZZ',
    /May 2019: `POSTCODE_NOT_FOUND` with `terminated`, while `\/postcodes\/lookup` answers it, and `\/area\/sold-prices` with `months=360`/,
  );
  const withdrawn = await ask('council-tax/lookup?postcode=ZZ1 2ZZ');
  assert.deepEqual([withdrawn.error.code, withdrawn.error.terminated], ['POSTCODE_NOT_FOUND', '2019-05']);
  assert.equal((await ask('postcodes/lookup?postcode=ZZ1 2ZZ')).data.terminated, '2019-05');
  assert.ok((await ask('area/sold-prices?postcode=ZZ1 2ZZ&months=360')).data.totalResults > 0);

  saysOf('ZZ2 9ZZ', /council tax answers, `\/crime\/by-postcode` gives `NO_CRIME_DATA`/);
  assert.equal((await ask('council-tax/lookup?postcode=ZZ2 9ZZ')).status, 200);
  assert.equal((await ask('crime/by-postcode?postcode=ZZ2 9ZZ')).error.code, 'NO_CRIME_DATA');

  saysOf('ZZ3 1AA', /band I, and the month that the force did not publish is absent/);
  const home = await ask('council-tax/property-lookup?postcode=ZZ3 1AA&address=Plas Zed, Ffordd Zed');
  assert.equal(home.data.councilTaxBand, 'I');
  const { monthlyTotals } = (await ask('crime/by-postcode?postcode=ZZ3 1AA')).data;
  assert.ok('2026-02' in monthlyTotals && !('2026-03' in monthlyTotals) && '2026-04' in monthlyTotals);

  saysOf('ZZ4 1AA', /council tax by postcode, but no police data and `PROPERTY_LEVEL_COUNTRY_UNSUPPORTED`/);
  assert.equal((await ask('council-tax/lookup?postcode=ZZ4 1AA')).status, 200);
  assert.equal((await ask('crime/by-postcode?postcode=ZZ4 1AA')).error.code, 'NO_CRIME_DATA');
  const scottish = await ask('council-tax/property-candidates?postcode=ZZ4 1AA');
  assert.equal(scottish.error.code, 'PROPERTY_LEVEL_COUNTRY_UNSUPPORTED');
});

test('with its setting off the key is refused as an unknown one, with words that say it', async () => {
  const closed = await openRig({ publicSandbox: 'off' });
  await closed.accounts.openPublicSandbox(noonMs);
  const reply = await closed.get(rates, publicKey);
  // A whole key, of another service.
  const strange = await closed.get(rates, (await rig.customer({ mode: 'test' })).key);
  await closed.close();
  assert.equal(reply.statusCode, 401);
  const told = reply.json().error;
  assert.match(
    told.message,
    /^The public sandbox key is switched off on this service; .*X-API-Key.*\/account/,
  );
  const { message } = strange.json().error;
  assert.match(message, /^This API key is unknown/);
  assert.deepEqual({ ...told, message, requestId: '' }, { ...strange.json().error, requestId: '' });
});

test('nobody can give its account credits, another plan or another key, nor end it in the ledger', async () => {
  const { accounts } = rig;
  const { accountId, keyId } = publicCaller;
  const atMs = noonMs;
  for (const change of [
    () => accounts.grantCredits(accountId, { credits: 5, atMs }),
    () => accounts.changePlan(accountId, { plan: 'premium', atMs }),
    () => accounts.createKey({ accountId, kind: 'live', atMs }),
    () => accounts.createKey({ accountId, kind: 'test', atMs }),
    () => accounts.rotateKey(keyId, { overlapMs: 0, atMs }),
    () => accounts.revokeKey(keyId, atMs),
    () => accounts.closeAccount(accountId, atMs),
  ]) {
    await assert.rejects(
      change,
      (error) => error instanceof LedgerRefusal && /DOMESDAY_PUBLIC_SANDBOX=off/.test(error.message),
    );
  }
  const account = await accounts.findAccount(accountId, atMs);
  assert.deepEqual([account?.balance, account?.allowance, account?.refreshAtMs], [0, 0, null]);
});

test('made twice it is there once, and stays as it was', async () => {
  await rig.accounts.openPublicSandbox(noonMs + 1000);
  const found = (await rig.accounts.listAccounts(noonMs)).filter(
    ({ accountId }) => accountId === publicCaller.accountId,
  );
  assert.deepEqual(
    found.map(({ createdAtMs }) => createdAtMs),
    [noonMs],
  );
  assert.equal((await rig.accounts.listKeys(publicCaller.accountId)).length, 1);
});

test('its calls are marked in log, metrics and usage, without the key', async () => {
  const count = async () =>
    Number(/^domesday_public_sandbox_requests_total (\d+)$/m.exec(await rig.metrics())?.[1]);
  const countBefore = await count();
  await from('192.0.2.5', `${rates}&key=${publicKey}`);
  assert.equal(await count(), countBefore + 1);
  const log = rig.logLines.join('');
  assert.match(log, /"account":"acc_public","key":"key_public","credits":0/);
  assert.ok(!log.includes(publicKey));
  const usage = await rig.accounts.usageOf(publicCaller.accountId);
  assert.ok(usage.some(({ endpoint, calls }) => endpoint === '/bank-rates' && calls > 0));
});
