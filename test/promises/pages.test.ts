// Promise: a page of another origin reads what its key allows and nothing else. The preflight is answered everywhere and tells
// nothing; test keys work in any page, publishable keys in pages of their origins, live keys in none.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { LightMyRequestResponse } from 'fastify';
import { exampleParams } from '../../src/contract/examples.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { type Ledger, LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { publicKey } from '../../src/ledger/public-sandbox.ts';
import { exchange, portOf } from '../http/raw-sockets.ts';
import { noonMs, openRig, type Rig } from '../rig.ts';

const origins = ['https://www.example.com', 'https://shop.example.com:8443', 'http://localhost:3000'];
const [home = ''] = origins;
const strangers = [
  'https://example.com',
  'https://evil.example',
  'http://www.example.com',
  'https://www.example.com:444',
  'https://www.example.com.evil.example',
  'https://shop.example.com',
  'http://localhost:3001',
  'http://localhost',
  'null',
  '*',
  '',
];
const unlimited = { limits: { minute: null, day: null, month: null }, credits: 1_000_000 };

let rig: Rig;
let port: number;
let outage: 'none' | 'total' = 'none';
before(async () => {
  const away = (real: Ledger): Ledger => ({
    admit: (...args) => {
      if (outage === 'total') throw new LedgerUnavailable('away');
      return real.admit(...args);
    },
    admitVisitor: (...args) => real.admitVisitor(...args),
    visitorWindows: (...args) => real.visitorWindows(...args),
    admitPage: (...args) => real.admitPage(...args),
    recall: (...args) => real.recall(...args),
    charge: (...args) => real.charge(...args),
    chargeTogether: (...args) => real.chargeTogether(...args),
    record: (...args) => real.record(...args),
    ready: () => real.ready(),
    close: () => real.close(),
  });
  rig = await openRig({ ledger: away, failedKeysPerMinute: 1_000_000 });
  port = await portOf(rig.app);
});
after(() => rig.close());

/** An account with a key of each kind. */
async function keysOf(
  wish: Parameters<Rig['customer']>[0] = unlimited,
  bound: readonly string[] | null = null,
) {
  const { accountId, key: live } = await rig.customer(wish);
  const binding = { origins, endpoints: bound };
  const make = async (of: { kind: 'test' } | { kind: 'publishable'; binding: typeof binding }) =>
    (await rig.accounts.createKey({ accountId, atMs: noonMs, ...of })).key;
  return {
    accountId,
    live,
    test: await make({ kind: 'test' }),
    publishable: await make({ kind: 'publishable', binding }),
  };
}

const call = (url: string, key: string | undefined, origin: string | undefined) =>
  rig.get(url, key, origin === undefined ? {} : { origin });

const readableBy = ({ headers }: LightMyRequestResponse) => headers['access-control-allow-origin'];

const urlOf = (path: string, query = '') => `/api/v1${path}${query === '' ? '' : `?${query}`}`;

/** The example call of an endpoint. */
function ask(
  endpoint: (typeof endpoints)[number],
  set: 'live' | 'sandbox',
  key: string,
  origin: string | undefined,
): Promise<LightMyRequestResponse> {
  const params = exampleParams(endpoint, set) ?? [];
  if (endpoint.method === 'GET') {
    const query = new URLSearchParams(params.map(([name, value]) => [name, `${value}`])).toString();
    return call(urlOf(endpoint.path, query), key, origin);
  }
  const headers = { 'x-api-key': key, ...(origin === undefined ? {} : { origin }) };
  const payload = Object.fromEntries(params);
  return rig.app.inject({ method: endpoint.method, url: urlOf(endpoint.path), headers, payload });
}

test('the preflight is answered on every path of the API, alike for everybody, and is no call', async () => {
  const { accountId, ...keys } = await keysOf();
  const paths = [
    ...endpoints.map(({ path }) => path),
    '/datasets',
    '/openapi.json',
    '/no/such/path',
    '/%zz',
    `/bank-rates?q=${'x'.repeat(9_000)}`,
  ];
  const answers = new Set<string>();
  for (const path of paths) {
    for (const key of [undefined, 'nonsense', publicKey, ...Object.values(keys)]) {
      for (const origin of [home, 'https://evil.example', 'null']) {
        const headers = {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'x-api-key',
          ...(key === undefined ? {} : { 'x-api-key': key }),
        };
        const reply = await rig.app.inject({ method: 'OPTIONS', url: urlOf(path), headers });
        assert.deepEqual([reply.statusCode, reply.body], [204, ''], path);
        const { 'x-request-id': _, date: __, ...told } = reply.headers;
        answers.add(JSON.stringify(told));
      }
    }
  }
  assert.equal(answers.size, 1, 'nothing of path, key or origin shows');
  const told = JSON.parse([...answers].join());
  assert.equal(told['access-control-allow-origin'], '*');
  assert.ok(!('access-control-allow-credentials' in told));
  const allowed = told['access-control-allow-headers'].split(', ');
  for (const name of ['accept', 'content-type', 'x-api-key', 'x-request-id'])
    assert.ok(allowed.includes(name));
  for (const name of ['if-none-match', 'idempotency-key', 'x-sandbox-outcome'])
    assert.ok(allowed.includes(name));
  // HEAD is refused on every path that asks for a key.
  assert.equal(told['access-control-allow-methods'], 'GET, POST');
  assert.ok(Number(told['access-control-max-age']) > 0);
  for (const mode of ['live', 'test'] as const) {
    const used = (await rig.accounts.windowsOf(accountId, mode, noonMs)).map((window) => window.used);
    assert.deepEqual(used, [0, 0, 0]);
  }
  assert.deepEqual(await rig.accounts.usageOf(accountId), []);
});

test('OPTIONS that asks for nothing, or is sent elsewhere, is no preflight', async () => {
  const asking = { origin: home, 'access-control-request-method': 'GET' };
  const statusOf = async (url: string, headers: Record<string, string>) =>
    (await rig.app.inject({ method: 'OPTIONS', url, headers })).statusCode;
  assert.equal(await statusOf('/api/v1/bank-rates', { origin: home }), 405);
  for (const url of ['/docs', '/metrics', '/health/live']) assert.equal(await statusOf(url, asking), 405);
});

const isOfAccount = ({ path }: (typeof endpoints)[number]) => /^\/account\b/.test(path);

for (const endpoint of endpoints) {
  test(`${endpoint.path}: who may read depends on the key and, of a publishable one, on the page`, async () => {
    const { accountId, ...keys } = await keysOf();
    const balance = async () => (await rig.accounts.findAccount(accountId, noonMs))?.balance;
    for (const origin of [...origins, ...strangers]) {
      // A test key has ten calls a minute.
      rig.clock.nowMs += 60_000;
      const byTest = await ask(endpoint, 'sandbox', keys.test, origin);
      assert.deepEqual([byTest.statusCode, readableBy(byTest)], [200, '*'], origin);
      const byLive = await ask(endpoint, 'live', keys.live, origin);
      assert.equal(readableBy(byLive), undefined, origin);
      assert.equal(byLive.headers['access-control-expose-headers'], undefined);
      for (const { headers } of [byTest, byLive]) {
        assert.match(String(headers.vary), /(^|, )Origin\b/);
        assert.equal(headers['access-control-allow-credentials'], undefined);
      }
    }
    const before = await balance();
    for (const origin of [undefined, ...strangers]) {
      const refused = await ask(endpoint, 'live', keys.publishable, origin);
      const { error } = refused.json();
      assert.deepEqual([refused.statusCode, error.code, error.reason], [403, 'KEY_NOT_ALLOWED', 'origin']);
      assert.match(error.message, /[a-z]\.$/);
      assert.deepEqual(
        [readableBy(refused), refused.headers['x-credits-charged']],
        [undefined, '0'],
        String(origin),
      );
    }
    assert.equal(await balance(), before, 'refusals are free');
    for (const origin of origins) {
      const answered = await ask(endpoint, 'live', keys.publishable, origin);
      // Who opens a page can read its key, and is not to see what the account calls.
      if (isOfAccount(endpoint)) assert.equal(answered.json().error?.reason, 'endpoint');
      else assert.notEqual(answered.statusCode, 403);
      assert.equal(readableBy(answered), origin);
      assert.match(String(answered.headers.vary), /(^|, )Origin\b/);
    }
  });
}

test('a publishable key is answered the real data and charged like a live one', async () => {
  const { accountId, publishable } = await keysOf({ ...unlimited, credits: 2 });
  const answered = await call('/api/v1/bank-rates?limit=1', publishable, home);
  const { success, billing } = answered.json();
  assert.deepEqual(
    [success, billing.mode, billing.creditsCharged, billing.creditsRemaining],
    [true, 'prepaid', 1, 1],
  );
  assert.equal((await rig.accounts.findAccount(accountId, noonMs))?.balance, 1);
  const unchanged = await rig.get('/api/v1/bank-rates?limit=1', publishable, {
    origin: home,
    'if-none-match': String(answered.headers.etag),
  });
  assert.deepEqual([unchanged.statusCode, readableBy(unchanged)], [304, home]);
});

test('a page reads why its call failed, whatever the reason, where its key may be used from it', async () => {
  const poor = await keysOf({ ...unlimited, credits: 0 });
  const slow = await keysOf({ limits: { minute: 1, day: null, month: null } });
  const rich = await keysOf();
  const failures: [status: number, url: string, keys: typeof rich, headers?: Record<string, string>][] = [
    [400, '/api/v1/bank-rates?limit=x', rich],
    [400, '/api/v1/bank-rates?limit=1', rich, { 'idempotency-key': 'a b' }],
    [402, '/api/v1/bank-rates?limit=1', poor],
    [404, '/api/v1/council-tax/lookup?postcode=ZZ99 9ZZ', rich],
    [404, '/api/v1/no/such/path', rich],
    [429, '/api/v1/bank-rates?limit=1', slow],
  ];
  await rig.get('/api/v1/bank-rates?limit=1', slow.live);
  for (const [status, url, { publishable, live }, headers = {}] of failures) {
    for (const origin of origins) {
      const reply = await rig.get(url, publishable, { origin, ...headers });
      assert.deepEqual([reply.statusCode, readableBy(reply)], [status, origin], url);
      assert.equal(reply.json().success, false);
      assert.match(String(reply.headers.vary), /Origin/);
    }
    const stranger = await rig.get(url, publishable, { origin: 'https://evil.example', ...headers });
    assert.equal(readableBy(stranger), undefined, url);
    const byLive = await rig.get(url, live, { origin: home, ...headers });
    assert.deepEqual([byLive.statusCode, readableBy(byLive)], [status, undefined], url);
  }
  const wrongMethod = await rig.app.inject({
    method: 'DELETE',
    url: '/api/v1/bank-rates',
    headers: { origin: home, 'x-api-key': rich.publishable },
  });
  assert.deepEqual([wrongMethod.statusCode, readableBy(wrongMethod)], [405, home]);
  for (const code of endpoints[0]?.errors ?? []) {
    const url = urlOf(endpoints[0]?.path ?? '');
    // A test key has ten calls a minute.
    rig.clock.nowMs += 60_000;
    const rehearsed = await rig.get(url, rich.test, { origin: home, 'x-sandbox-outcome': code });
    assert.deepEqual([rehearsed.json().error.code, readableBy(rehearsed)], [code, '*']);
  }
});

test('what is said of no account can be read by any page, unless it sent a key that belongs on a server', async () => {
  const { test: known, publishable, live, accountId } = await keysOf();
  for (const { keyId } of await rig.accounts.listKeys(accountId)) await rig.accounts.revokeKey(keyId, noonMs);
  const url = '/api/v1/bank-rates';
  for (const key of [undefined, 'hunter2', known, publishable]) {
    const reply = await call(url, key, 'https://anywhere.example');
    assert.deepEqual([reply.statusCode, readableBy(reply)], [401, '*'], String(key));
    assert.ok(!Object.keys(reply.headers).some((name) => /credits|ratelimit/.test(name)));
  }
  for (const key of [live, `${live}x`, 'dd_live_', 'DD_LIVE_x', 'dd_web_x', 'dd_admin_x']) {
    const reply = await call(url, key, 'https://anywhere.example');
    assert.deepEqual([reply.statusCode, readableBy(reply)], [401, undefined], key);
  }
  const long = await call(`/api/v1/bank-rates?q=${'x'.repeat(9_000)}`, undefined, home);
  assert.deepEqual([long.statusCode, readableBy(long)], [414, '*']);
  const fresh = await keysOf();
  outage = 'total';
  const told = await Promise.all(
    [fresh.test, fresh.publishable, fresh.live].map(async (key) => {
      const reply = await call(url, key, home);
      return [reply.statusCode >= 500, readableBy(reply)];
    }),
  );
  outage = 'none';
  assert.deepEqual(told, [
    [true, '*'],
    [true, '*'],
    [true, undefined],
  ]);
});

test('paths free of keys can be read by any page, but for the metrics', async () => {
  for (const url of ['/api/v1/datasets', '/api/v1/openapi.json', '/health/live', '/health/ready', '/docs']) {
    for (const origin of [undefined, home, 'null']) {
      assert.equal(readableBy(await call(url, undefined, origin)), '*', url);
    }
  }
  const headers = { origin: home, authorization: 'Bearer a-token-of-the-tests' };
  const figures = await rig.get('/metrics', undefined, headers);
  assert.deepEqual([figures.statusCode, readableBy(figures)], [200, undefined]);
  assert.equal(readableBy(await call('/metrics', undefined, home)), undefined);
});

test('a key for some endpoints answers those, and says so on every other', async () => {
  const bound = ['/bank-rates', '/council-tax/lookup'];
  const { publishable } = await keysOf(unlimited, bound);
  for (const endpoint of endpoints) {
    const reply = await ask(endpoint, 'live', publishable, home);
    assert.equal(readableBy(reply), home, 'the page can read it in either case');
    if (bound.includes(endpoint.path)) {
      assert.equal(reply.statusCode, 200, endpoint.path);
      continue;
    }
    const { error } = reply.json();
    assert.deepEqual([reply.statusCode, error.code, error.reason], [403, 'KEY_NOT_ALLOWED', 'endpoint']);
    assert.deepEqual(error.endpoints, bound);
    assert.equal(reply.headers['x-credits-charged'], '0');
  }
});

test('a publishable key tells of its account where it was made to, by name, and nowhere else', async () => {
  const ofAccount = endpoints.filter(isOfAccount);
  assert.equal(ofAccount.length, 2);
  const { publishable: unnamed } = await keysOf();
  const { publishable: named } = await keysOf(
    unlimited,
    ofAccount.map(({ path }) => path),
  );
  for (const endpoint of ofAccount) {
    const refused = await ask(endpoint, 'live', unnamed, home);
    const { error } = refused.json();
    assert.deepEqual([refused.statusCode, error.code, error.reason], [403, 'KEY_NOT_ALLOWED', 'endpoint']);
    assert.equal((await ask(endpoint, 'live', named, home)).statusCode, 200, endpoint.path);
    const calls = [{ path: endpoint.path, params: {} }];
    const headers = { 'x-api-key': unnamed, origin: home };
    const url = urlOf('/batch');
    const batch = await rig.app.inject({ method: 'POST', url, headers, payload: { calls } });
    assert.equal(batch.json().results[0].status, 403);
  }
});

/** What a page sees of a reply without being told, and what only the browser and the connection need. */
const seenAnyway = new Set([
  'cache-control',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
]);
const notForPages = /^(access-control-.*|connection|date|keep-alive|transfer-encoding|vary)$/;

test('a page sees every header that a reply to its call has', async () => {
  const { test: key, publishable } = await keysOf();
  const replies = [
    ...(await Promise.all(endpoints.map((endpoint) => ask(endpoint, 'sandbox', key, home)))),
    await rig.get('/api/v1/bank-rates?limit=1', publishable, { origin: home, 'idempotency-key': 'seen' }),
    await rig.get('/api/v1/bank-rates?limit=1', publishable, { origin: home, 'idempotency-key': 'seen' }),
    await rig.get('/api/v1/bank-rates', key, { origin: home, 'x-sandbox-outcome': 'RATE_LIMITED' }),
    await call('/api/v1/crime/by-postcode?postcode=ZZ4 1AA', key, home),
  ];
  assert.ok(replies.some(({ headers }) => headers['idempotent-replayed'] !== undefined));
  assert.ok(replies.some(({ headers }) => headers['retry-after'] !== undefined));
  for (const { headers } of replies) {
    const shown = new Set(String(headers['access-control-expose-headers']).toLowerCase().split(', '));
    const hidden = Object.keys(headers).filter(
      (name) => !shown.has(name) && !seenAnyway.has(name) && !notForPages.test(name),
    );
    assert.deepEqual(hidden, []);
  }
});

/** Texts that a header could be made of: close to an allowed origin, hostile, or anything. */
const near = fc
  .tuple(
    fc.constantFrom(...origins),
    fc.nat(35),
    fc.nat(3),
    fc.string({ unit: 'binary-ascii', maxLength: 3 }),
  )
  .map(([origin, at, gone, put]) => origin.slice(0, at) + put + origin.slice(at + gone));
const injected = fc
  .tuple(
    fc.constantFrom(...origins, 'null'),
    fc.constantFrom('\r\n', '\n', '\r', '%0d%0a', '\0', '\u000b', ', '),
  )
  .map(([origin, gap]) => `${origin}${gap}X-Injected: yes`);
const anyOrigin = fc.oneof(
  near,
  injected,
  fc.webUrl(),
  fc.string({ unit: 'binary-ascii', maxLength: 60 }),
  fc.constantFrom(...origins, ...strangers),
);

test('whatever is sent as Origin, over a real connection: no 5xx, no other origin, nothing of it in the headers', async () => {
  const { publishable, live, test: sandbox } = await keysOf();
  await fc.assert(
    fc.asyncProperty(
      anyOrigin,
      fc.constantFrom(publishable, live, sandbox),
      fc.constantFrom('GET', 'OPTIONS'),
      async (origin, key, method) => {
        const asking = method === 'OPTIONS' ? 'Access-Control-Request-Method: GET\r\n' : '';
        const reply = await exchange(
          port,
          Buffer.from(
            `${method} /api/v1/bank-rates?limit=1 HTTP/1.1\r\nHost: h\r\nX-API-Key: ${key}\r\n${asking}Origin: ${origin}\r\nConnection: close\r\n\r\n`,
            'latin1',
          ),
        );
        const [head = ''] = reply.split('\r\n\r\n');
        const [line = '', ...lines] = head.split('\r\n');
        // A test key has ten calls a minute; that it has no more can be read too.
        assert.match(line, /^HTTP\/1\.1 (20[04]|40[03]|429|431) /);
        const names = lines.map((each) => each.slice(0, each.indexOf(':')).toLowerCase());
        assert.equal(new Set(names).size, names.length, 'no header twice');
        assert.ok(!names.includes('x-injected') && !names.includes('access-control-allow-credentials'));
        const allowed = lines.find((each) => /^access-control-allow-origin:/i.test(each))?.split(': ')[1];
        if (method === 'OPTIONS' || key === sandbox) assert.ok(allowed === '*' || line.includes(' 400 '));
        else if (key === live) assert.equal(allowed, undefined);
        else if (allowed !== undefined) {
          assert.ok(origins.includes(allowed));
          // What stands behind a line break is another header.
          const [sent = ''] = origin.split('\r\n');
          assert.equal(new URL(sent.trim()).origin, allowed);
          assert.match(line, / 200 /);
        } else assert.match(line, / (400|403|431) /);
      },
    ),
    { numRuns: 400 },
  );
});

test('a batch by a publishable key is what its calls are: bound to origins and endpoints each, and read by its own pages alone', async () => {
  const { publishable, accountId } = await keysOf(unlimited, ['/bank-rates']);
  const payload = {
    calls: [
      { path: '/bank-rates', params: { limit: 1 } },
      { path: '/council-tax/authorities', params: {} },
      { path: '/bank-rates', params: { limit: 2 } },
    ],
  };
  const send = (origin: string | undefined) =>
    rig.app.inject({
      method: 'POST',
      url: urlOf('/batch'),
      headers: { 'x-api-key': publishable, ...(origin === undefined ? {} : { origin }) },
      payload,
    });
  const balance = async () => (await rig.accounts.findAccount(accountId, noonMs))?.balance ?? Number.NaN;
  const told = (reply: LightMyRequestResponse) =>
    reply
      .json()
      .results.map(({ status, body }: { status: number; body: { error?: { reason?: string } } }) => [
        status,
        body.error?.reason,
      ]);
  const before = await balance();
  for (const origin of [undefined, ...strangers]) {
    const reply = await send(origin);
    assert.deepEqual(told(reply), Array(3).fill([403, 'origin']), origin ?? 'no origin');
    assert.equal(readableBy(reply), undefined);
  }
  assert.equal(await balance(), before);
  const reply = await send(home);
  assert.deepEqual(told(reply), [
    [200, undefined],
    [403, 'endpoint'],
    [200, undefined],
  ]);
  assert.equal(readableBy(reply), home);
  assert.equal(await balance(), before - 2);
});
