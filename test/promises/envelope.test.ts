// Promise: whatever is sent, the reply is the envelope with a request id, never a 5xx, never a stack, a path of
// the machine or SQL.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { endpoints } from '../../src/endpoints/index.ts';
import { errors, isErrorCode } from '../../src/errors.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { anyString } from '../any-string.ts';
import { openRig, type Rig } from '../rig.ts';

let rig: Rig;
let key: string;
let port: number;
before(async () => {
  rig = await openRig({ failedKeysPerMinute: 1_000_000 });
  ({ key } = await rig.customer({ limits: { minute: null, day: null, month: null }, credits: 1_000_000 }));
  await rig.app.listen({ host: '127.0.0.1', port: 0 });
  const address = rig.app.server.address();
  assert.ok(typeof address === 'object' && address !== null);
  port = address.port;
});
after(() => rig.close());

function assertEnvelope(status: number, body: string): void {
  assert.ok(status < 500, `status ${status}: ${body}`);
  const reply = JSON.parse(body);
  if (status === 200) {
    assert.equal(reply.success, true);
    return;
  }
  assert.equal(reply.success, false);
  assert.ok(isErrorCode(reply.error.code));
  assert.equal(errors[reply.error.code as keyof typeof errors].status, status);
  assert.equal(reply.error.docs, `/docs/errors/${reply.error.code}`);
  assert.ok(reply.error.requestId.length > 0);
  assert.doesNotMatch(body, /node_modules|\.ts\b|\bat \w+ \(|SELECT |INSERT |\/src\//);
}

const text = fc.oneof(
  anyString({ maxLength: 40 }),
  fc.constantFrom(
    '',
    '%',
    '%zz',
    '%00',
    '..%2f',
    '0',
    '-1',
    '1e3',
    '9'.repeat(40),
    'NaN',
    '2025-02-30',
    'true',
  ),
);

test('any query on any endpoint', async () => {
  const names = [...new Set(endpoints.flatMap(({ params }) => Object.keys(params))), 'unknown'];
  const query = fc.array(fc.tuple(fc.constantFrom(...names), text), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...endpoints),
      query,
      fc.boolean(),
      async ({ path }, pairs, isEncoded) => {
        const encode = isEncoded ? encodeURIComponent : (value: string) => value.replace(/[^!-~]/g, '');
        const search = pairs.map(([name, value]) => `${name}=${encode(value.toWellFormed())}`).join('&');
        const reply = await rig.get(`/api/v1${path}?${search}`, key);
        assertEnvelope(reply.statusCode, reply.body);
      },
    ),
    { numRuns: 400 },
  );
});

test('any path and method', async () => {
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD');
  const path = fc.oneof(
    text.map((part) => `/${encodeURIComponent(part.toWellFormed())}`),
    fc.constantFrom(
      '/api/v1',
      '/api/v1/',
      '/api/v1/%zz',
      '/api/v1/bank-rates/',
      '//',
      '/api/v1/../etc',
      '/%2e%2e',
    ),
    fc.constantFrom(...endpoints.map((endpoint) => `/api/v1${endpoint.path}`)),
  );
  const payload = fc.constantFrom('', '{', '{"a":1}', 'x'.repeat(100_000));
  await fc.assert(
    fc.asyncProperty(method, path, payload, async (verb, url, body) => {
      const hasBody = verb !== 'GET' && verb !== 'HEAD' && body !== '';
      const reply = await rig.app.inject({
        method: verb as 'GET',
        url,
        headers: { 'x-api-key': key, ...(hasBody ? { 'content-type': 'application/json' } : {}) },
        ...(hasBody ? { payload: body } : {}),
      });
      assert.ok(reply.statusCode < 500, `${verb} ${url}: ${reply.statusCode}`);
      assert.ok(String(reply.headers['x-request-id']).length > 0);
      // The front page is no answer of the API.
      const isFrontPage = URL.parse(`http://localhost${url}`)?.pathname === '/' && reply.statusCode === 200;
      if (!isFrontPage && verb !== 'HEAD') assertEnvelope(reply.statusCode, reply.body);
    }),
    { numRuns: 300 },
  );
});

/** Sends bytes as they are and reads until the server closes. */
function exchange(bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}

const closing = 'Connection: close\r\n\r\n';
const broken: Record<string, [bytes: string | Buffer, status: number]> = {
  'no HTTP at all': ['hello\r\n\r\n', 400],
  'TLS to a plain port': [Buffer.from('16030100a5010000a10303', 'hex'), 400],
  'HTTP/2 preface': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  'headers too large': [`GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  'target too long': [`GET /api/v1/bank-rates?x=${'a'.repeat(9_000)} HTTP/1.1\r\nHost: x\r\n${closing}`, 414],
  'target longer than all headers may be': [
    `GET /api/v1/bank-rates?x=${'a'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n${closing}`,
    414,
  ],
  'target without an end': [`GET /api/v1/bank-rates?x=${'a'.repeat(20_000)}`, 414],
  'no host header': [`GET /api/v1/nothing HTTP/1.1\r\n${closing}`, 404],
  'odd expectation': [`GET /api/v1/nothing HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n${closing}`, 404],
  connect: ['CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n', 405],
  'method unknown to the router': [`PROPFIND /api/v1/bank-rates HTTP/1.1\r\nHost: x\r\n${closing}`, 405],
  'two lengths': [`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
};

for (const [what, [bytes, status]] of Object.entries(broken)) {
  test(`broken request: ${what}`, async () => {
    const reply = await exchange(bytes);
    assert.equal(Number(/^HTTP\/1\.1 (\d+)/.exec(reply)?.[1]), status);
    assertEnvelope(status, reply.slice(reply.indexOf('\r\n\r\n') + 4));
    assert.match(reply, /x-request-id: \S+/i);
  });
}

test('a wrong method names the right one', async () => {
  const reply = await rig.app.inject({ method: 'POST', url: '/api/v1/bank-rates' });
  assert.deepEqual([reply.statusCode, reply.headers.allow], [405, 'GET']);
});

test('a sane request id is echoed, another is replaced', async () => {
  const echoed = await rig.get('/api/v1/bank-rates', key, { 'x-request-id': 'abc-1.2:3' });
  assert.equal(echoed.headers['x-request-id'], 'abc-1.2:3');
  for (const odd of ['', 'two words', 'ü', 'x'.repeat(101), '<script>']) {
    const { headers } = await rig.get('/api/v1/bank-rates', key, { 'x-request-id': odd });
    assert.match(String(headers['x-request-id']), /^[\w-]{20,}$/);
  }
});

test('a ledger that fails is an outage of ours, not a word about credit or keys', async () => {
  const failing = await openRig({
    ledger: (real) => ({
      ...real,
      admit: (hash, atMs) => real.admit(hash, atMs),
      charge: async () => {
        throw new LedgerUnavailable('disk full');
      },
      record: () => {},
    }),
  });
  try {
    const { key: other } = await failing.customer();
    const reply = await failing.get('/api/v1/bank-rates', other);
    assert.equal(reply.statusCode, 500);
    assert.equal(reply.json().error.code, 'DATABASE_ERROR');
    assert.equal(reply.headers['x-credits-charged'], '0');
    assert.doesNotMatch(reply.body, /disk full/);
  } finally {
    await failing.close();
  }
});

test('a reply that cannot be written fails alone, in the envelope, and the service goes on', async () => {
  const twisted = await openRig({
    live: (real) =>
      Object.create(real, {
        id: { value: real.id },
        findDataset: { value: () => ({ ...real.findDataset('bank-rate'), publisherShort: 'two\r\nlines' }) },
      }),
  });
  try {
    const { key: other } = await twisted.customer();
    const reply = await twisted.get('/api/v1/bank-rates', other);
    assert.equal(reply.statusCode, 500);
    assert.equal(reply.json().error.code, 'INTERNAL_SERVER_ERROR');
    assert.equal((await twisted.get('/health/ready')).statusCode, 200);
  } finally {
    await twisted.close();
  }
});

test('where the public address is set, every error links to the whole address of its page', async () => {
  const published = await openRig({ publicUrl: 'https://data.example.com/uk/' });
  try {
    const { key: own } = await published.customer();
    const address = await published.app.listen({ host: '127.0.0.1', port: 0 });
    const linkOf = (body: string) => JSON.parse(body).error.docs;
    const base = 'https://data.example.com/uk/docs/errors';
    assert.equal(
      linkOf((await published.get('/api/v1/bank-rates?limit=0', own)).body),
      `${base}/INVALID_LIMIT`,
    );
    assert.equal(linkOf((await published.get('/api/v1/bank-rates')).body), `${base}/AUTHENTICATION_REQUIRED`);
    assert.equal(linkOf((await published.get('/nothing')).body), `${base}/NOT_FOUND`);
    const long = await fetch(`${address}/${'x'.repeat(9_000)}`);
    assert.equal(linkOf(await long.text()), `${base}/URI_TOO_LONG`);
    const large = await fetch(address, { headers: { 'x-large': 'x'.repeat(20_000) } });
    assert.equal(linkOf(await large.text()), `${base}/HEADERS_TOO_LARGE`);
  } finally {
    await published.close();
  }
});
