// Promise: a long answer is sent in the coding that its caller likes best, and is the same answer: body, ETag, Vary, price.
// A short one is sent as it is, unless the caller rules that out.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { sendBatch, withMadeUp } from '../batch/bench.ts';
import { openRig, type Rig } from '../rig.ts';

let rig: Rig;
let origin: string;
let key: string;
before(async () => {
  rig = await openRig({ endpoints: withMadeUp });
  origin = await rig.app.listen({ host: '127.0.0.1', port: 0 });
  ({ key } = await rig.customer({ credits: 1_000_000, limits: { minute: null, day: null, month: null } }));
});
after(() => rig.close());

const readers = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  plain: (bytes: Buffer) => bytes,
};
type Coding = keyof typeof readers;
const codings: readonly Coding[] = ['zstd', 'br', 'gzip'];

const isCoding = (name: string): name is Coding => Object.hasOwn(readers, name);

async function ask(
  path: string,
  acceptEncoding: string | undefined,
  more: Record<string, string> = {},
  method = 'GET',
) {
  const headers = {
    'x-api-key': key,
    ...(acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }),
    ...more,
  };
  const asking = request(`${origin}${path}`, { method, headers });
  asking.end();
  const [reply]: IncomingMessage[] = await once(asking, 'response');
  assert.ok(reply);
  const chunks: Buffer[] = [];
  for await (const chunk of reply) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const coding = reply.headers['content-encoding'] ?? 'plain';
  assert.ok(isCoding(coding), coding);
  const hasBody = method !== 'HEAD' && reply.statusCode !== 304;
  if (hasBody) assert.equal(reply.headers['content-length'], String(bytes.length));
  const text = hasBody ? readers[coding](bytes).toString() : '';
  return { status: reply.statusCode, headers: reply.headers, coding, bytes: bytes.length, text };
}

/** Without what each call changes. */
const lasting = (text: string) => text.replace(/"creditsRemaining":\d+/, '');

const short = '/api/v1/bank-rates?limit=1';
/** Compressed at once, and by a thread. */
const middling = '/api/v1/long?word=10000';
const long = '/api/v1/long?word=300000';
const kept = ['/docs', '/docs/errors', '/docs/docs.css', '/docs/docs.js', '/api/v1/openapi.json'];

test('every coding carries the same answer, with the same ETag, Vary and price', async () => {
  for (const path of [
    middling,
    long,
    '/api/v1/area/statistics?postcode=SW1A1AA',
    '/api/v1/datasets',
    ...kept,
  ]) {
    const plain = await ask(path, undefined);
    assert.deepEqual([plain.status, plain.coding], [200, 'plain'], path);
    assert.match(String(plain.headers.vary), /Accept-Encoding/);
    for (const coding of plain.bytes < 4_096 ? [] : codings) {
      for (const _ of ['first', 'again']) {
        const coded = await ask(path, coding);
        assert.equal(coded.coding, coding, path);
        assert.equal(lasting(coded.text), lasting(plain.text));
        assert.ok(coded.bytes < plain.bytes / 2, `${path} ${coding}`);
        for (const name of ['etag', 'vary', 'content-type', 'cache-control', 'x-credits-charged'])
          assert.equal(coded.headers[name], plain.headers[name], `${path} ${name}`);
      }
    }
  }
});

test('what the caller likes best is taken', async () => {
  for (const [header, coding] of [
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['deflate, compress', 'plain'],
    ['gzip;q=0.8, br;q=0.9, zstd;q=0.1', 'br'],
    ['gzip;q=1.000,br;q=0.999', 'gzip'],
    ['gzip; q=0.5 , identity', 'plain'],
    ['gzip, identity', 'gzip'],
    ['identity', 'plain'],
    ['*', 'zstd'],
    ['*;q=0', 'plain'],
    ['*;q=0.5, zstd;q=0, br;q=0', 'gzip'],
    ['gzip;q=0, *', 'zstd'],
    ['gzip;q=0', 'plain'],
    ['gzip;q=2, br;q=-1, zstd;q=x', 'plain'],
    ['', 'plain'],
    [',,;q=1;;,', 'plain'],
  ] as const) {
    for (const path of [middling, long, '/docs']) {
      assert.equal((await ask(path, header)).coding, coding, `${path} ${header}`);
    }
  }
});

test('a short answer is sent as it is, unless that is ruled out', async () => {
  for (const [header, coding] of [
    ['gzip, deflate, br, zstd', 'plain'],
    ['*', 'plain'],
    ['gzip;q=0.5, br;q=0', 'plain'],
    ['gzip, identity;q=0', 'gzip'],
    ['br, *;q=0', 'br'],
    ['*;q=0, zstd;q=0.001', 'zstd'],
    ['identity;q=0', 'plain'],
    ['*;q=0', 'plain'],
    ['deflate, identity;q=0.000', 'plain'],
  ] as const) {
    const reply = await ask(short, header);
    assert.deepEqual([reply.status, reply.coding], [200, coding], header);
    assert.equal(JSON.parse(reply.text).success, true);
  }
  const refused = await ask('/api/v1/bank-rates?limit=0', 'gzip, identity;q=0');
  assert.deepEqual([refused.status, refused.coding, JSON.parse(refused.text).success], [400, 'gzip', false]);
});

test('HEAD has the headers of GET and no body; 304 has neither body nor coding', async () => {
  for (const path of kept) {
    for (const coding of ['identity', 'br', 'gzip']) {
      const [get, head] = [await ask(path, coding), await ask(path, coding, {}, 'HEAD')];
      assert.equal(head.bytes, 0);
      for (const name of ['content-encoding', 'content-length', 'content-type', 'vary'])
        assert.equal(head.headers[name], get.headers[name], `${path} ${coding} ${name}`);
    }
  }
  for (const coding of ['identity', ...codings]) {
    const { headers } = await ask(long, coding);
    for (const again of ['gzip', 'identity', 'gzip, identity;q=0']) {
      const unchanged = await ask(long, again, { 'if-none-match': String(headers.etag) });
      assert.deepEqual([unchanged.status, unchanged.coding, unchanged.bytes], [304, 'plain', 0]);
      assert.deepEqual([unchanged.headers.etag, unchanged.headers.vary], [headers.etag, headers.vary]);
      assert.equal(unchanged.headers['x-credits-charged'], '0');
    }
  }
});

test('a batch and a reply that is named like a header are compressed too', async () => {
  const calls = [{ path: '/long', params: { word: 20_000 } }, { path: '/bank-rates' }];
  const plain = await sendBatch(rig, key, { calls });
  const coded = await sendBatch(rig, key, { calls }, { 'accept-encoding': 'gzip' });
  assert.equal(coded.headers['content-encoding'], 'gzip');
  assert.deepEqual(
    JSON.parse(gunzipSync(coded.rawPayload).toString()).results[1].body.rateChanges,
    plain.json().results[1].body.rateChanges,
  );
  const named = await ask(middling, 'br', { 'x-request-id': 'content-length' });
  assert.deepEqual([named.coding, named.headers['x-request-id']], ['br', 'content-length']);
});

test('whatever the header says, the answer is there, in a coding that is not ruled out', async () => {
  const name = fc.constantFrom(
    'gzip',
    'br',
    'zstd',
    'identity',
    '*',
    'deflate',
    'x-gzip',
    '',
    'GZip',
    'constructor',
  );
  const weight = fc.constantFrom(
    '',
    ';q=0',
    ';q=0.5',
    ';q=1',
    ';q=0.123',
    ';q=1.5',
    ';q=',
    '; Q=0',
    ';a=b;q=0',
    ';;',
  );
  const odd = fc.stringMatching(/^[\t -~]{0,40}$/);
  const header = fc
    .array(fc.oneof({ weight: 6, arbitrary: fc.tuple(name, weight).map((parts) => parts.join('')) }, odd))
    .map((ranges) => ranges.join(', ').trim());
  const [plainShort, plainLong] = [await ask(short, undefined), await ask(middling, undefined)];
  await fc.assert(
    fc.asyncProperty(header, fc.constantFrom(short, middling), async (sent, path) => {
      const reply = await ask(path, sent);
      assert.equal(reply.status, 200);
      assert.equal(lasting(reply.text), lasting((path === short ? plainShort : plainLong).text));
      if (reply.coding !== 'plain') {
        assert.match(sent.toLowerCase(), new RegExp(`${reply.coding}|\\*`));
        assert.doesNotMatch(sent, new RegExp(`^(?:${reply.coding};q=0|\\*;q=0)$`));
      }
    }),
    { numRuns: 300 },
  );
});
