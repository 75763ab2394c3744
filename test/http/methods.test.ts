// Method and cost are entries of the table: a POST that costs three credits is added to the list, and is served, charged,
// described and refused like the others. HEAD is answered where no key is needed.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { endpoint } from '../../src/contract/endpoint.ts';
import { flag, postcode, wholeNumber } from '../../src/contract/params.ts';
import { boolean, integer, object, string } from '../../src/contract/shape.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { openRig, type Rig } from '../rig.ts';

let runs = 0;
const survey = endpoint({
  method: 'POST',
  path: '/made-up/survey',
  summary: 'Survey',
  description: 'Made up.',
  credits: 3,
  envelope: 'data',
  datasets: ['bank-rate'],
  maxAgeSeconds: 60,
  params: {
    postcode: postcode({
      description: 'Where.',
      example: 'SW1A 1AA',
      missing: 'MISSING_POSTCODE',
      fault: 'INVALID_POSTCODE',
    }),
    limit: wholeNumber({
      description: 'How many.',
      min: 1,
      max: 9,
      fallback: 5,
      outside: 'refuse',
      fault: 'INVALID_LIMIT',
    }),
    isDeep: flag({ description: 'Whether.' }),
  },
  errors: [
    'MISSING_POSTCODE',
    'INVALID_POSTCODE',
    'INVALID_LIMIT',
    'AUTHENTICATION_REQUIRED',
    'INSUFFICIENT_CREDITS',
    'INTERNAL_SERVER_ERROR',
  ],
  answer: object('Survey', { place: string(), limit: integer(), isDeep: boolean(), run: integer() }),
  handle: ({ postcode: place, limit, isDeep }) => {
    runs += 1;
    return { place: place.text, limit, isDeep, run: runs };
  },
});

const url = '/api/v1/made-up/survey';
let rig: Rig;
let key: string;
let address: string;
before(async () => {
  rig = await openRig({ endpoints: [...endpoints, survey] });
  ({ key } = await rig.customer());
  address = await rig.app.listen({ host: '127.0.0.1', port: 0 });
});
after(() => rig.close());

const post = (payload: string, headers: Record<string, string> = {}) =>
  rig.app.inject({ method: 'POST', url, headers: { 'x-api-key': key, ...headers }, payload });

test('a POST reads its JSON body and charges what its entry says', async () => {
  const { accountId, key: own } = await rig.customer({ credits: 10 });
  const sent = { postcode: 'sw1a1aa', limit: 7, isDeep: true };
  const headers = { 'x-api-key': own, 'content-type': 'application/json' };
  const reply = await rig.app.inject({ method: 'POST', url, headers, payload: JSON.stringify(sent) });
  assert.equal(reply.statusCode, 200);
  const { data, billing } = reply.json();
  assert.deepEqual({ ...data, run: 0 }, { place: 'SW1A 1AA', limit: 7, isDeep: true, run: 0 });
  assert.deepEqual([billing.creditsCharged, billing.creditsRemaining], [3, 7]);
  assert.equal(reply.headers['x-credits-charged'], '3');
  assert.equal((await rig.accounts.findAccount(accountId, rig.clock.nowMs))?.balance, 7);
});

test('an account that has less than the price is refused and keeps what it has', async () => {
  const { accountId, key: poor } = await rig.customer({ credits: 2 });
  const reply = await post('{"postcode":"SW1A 1AA"}', { 'x-api-key': poor });
  assert.deepEqual([reply.statusCode, reply.json().error.code], [402, 'INSUFFICIENT_CREDITS']);
  assert.equal((await rig.accounts.findAccount(accountId, rig.clock.nowMs))?.balance, 2);
});

test('replies to a POST are not kept: no ETag, no 304, and each call is run', async () => {
  const first = await post('{"postcode":"SW1A 1AA"}');
  const second = await post('{"postcode":"SW1A 1AA"}', { 'if-none-match': '*' });
  assert.deepEqual([first.headers.etag, first.headers['cache-control']], [undefined, 'no-store']);
  assert.equal(second.statusCode, 200);
  assert.equal(second.json().data.run, first.json().data.run + 1);
});

test('a body that is no JSON object, or has a list for a text, is 400 in the envelope and free', async () => {
  const faults: Record<string, [code: string, field: string]> = {
    '{': ['INVALID_PARAMETER', 'body'],
    'postcode=SW1A 1AA': ['INVALID_PARAMETER', 'body'],
    '[1]': ['INVALID_PARAMETER', 'body'],
    null: ['INVALID_PARAMETER', 'body'],
    '"text"': ['INVALID_PARAMETER', 'body'],
    '{"postcode":["SW1A 1AA"]}': ['INVALID_PARAMETER', 'postcode'],
    '{"postcode":{"a":1}}': ['INVALID_PARAMETER', 'postcode'],
    '{"__proto__":{"postcode":"SW1A 1AA"}}': ['INVALID_PARAMETER', '__proto__'],
    '{"postcode":"SW1A 1AA","isdeep":true}': ['INVALID_PARAMETER', 'isdeep'],
    '{"postcode":null}': ['MISSING_POSTCODE', 'postcode'],
    '{"postcode":""}': ['MISSING_POSTCODE', 'postcode'],
    '': ['MISSING_POSTCODE', 'postcode'],
    '{"postcode":"SW1A 1AA","limit":1.5}': ['INVALID_LIMIT', 'limit'],
    [JSON.stringify({ postcode: 'x'.repeat(70_000) })]: ['INVALID_PARAMETER', 'body'],
  };
  for (const [body, [code, field]] of Object.entries(faults)) {
    const reply = await post(body);
    const { success, error } = reply.json();
    assert.deepEqual(
      [reply.statusCode, success, error.code, error.field, reply.headers['x-credits-charged']],
      [400, false, code, field, '0'],
      body.slice(0, 80),
    );
  }
  const { statusCode } = await rig.app.inject({ method: 'POST', url, payload: '{' });
  assert.equal(statusCode, 401, 'the key comes before the body');
});

test('another method is 405 and names the right one; another path is 404', async () => {
  const answers = async (method: NonNullable<InjectOptions['method']>, path: string) => {
    const { statusCode, headers } = await rig.app.inject({
      method,
      url: path,
      headers: { 'x-api-key': key },
    });
    return [statusCode, headers.allow];
  };
  for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS'] as const) {
    assert.deepEqual(await answers(method, url), [405, 'POST'], method);
  }
  for (const { path, method } of endpoints) {
    assert.deepEqual(await answers('DELETE', `/api/v1${path}`), [405, method], path);
    assert.deepEqual(await answers('HEAD', `/api/v1${path}`), [405, method], path);
  }
  assert.deepEqual(await answers('POST', '/api/v1/datasets'), [405, 'GET, HEAD']);
  for (const method of ['POST', 'GET'] as const) {
    assert.deepEqual(await answers(method, `${url}/more`), [404, undefined], method);
  }
});

test('below a path that answers all below it, another method is 405 too', async () => {
  for (const path of [
    '/docs/guides/keys',
    '/docs/guides/keys.md',
    '/docs/docs.css',
    '/docs/no-such-page',
    '/docs/',
    '/account/acc_1/keys',
    '/admin/audit',
    '/explore/place',
  ]) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const reply = await rig.app.inject({ method, url: path });
      assert.deepEqual([reply.statusCode, reply.headers.allow], [405, 'GET, HEAD'], `${method} ${path}`);
      assert.equal(reply.json().error.code, 'METHOD_NOT_ALLOWED');
      assert.match(reply.json().error.message, /^This path takes only GET and HEAD; send the call as GET\.$/);
    }
  }
  for (const { path, method } of endpoints) {
    const wrong = method === 'GET' ? 'POST' : 'GET';
    const reply = await rig.app.inject({ method: wrong, url: `/api/v1${path}` });
    if (reply.statusCode === 404) continue;
    assert.equal(reply.json().error.message, `This path takes only ${method}; send the call as ${method}.`);
  }
  for (const path of ['/docsand', '/doc/keys', '/accounts', '/nothing/here']) {
    assert.equal((await rig.app.inject({ method: 'POST', url: path })).statusCode, 404, path);
  }
});

test('a slash too many gets the path without it; what is nowhere gets no such promise', async () => {
  const messageAt = async (path: string) => {
    const reply = await rig.app.inject({ url: path });
    assert.deepEqual([reply.statusCode, reply.json().error.code], [404, 'NOT_FOUND'], path);
    return reply.json().error.message;
  };
  for (const path of ['/api/v1/openapi.json', '/api/v1/datasets', '/api/v1/made-up/survey']) {
    for (const slashes of ['/', '//']) {
      assert.match(
        await messageAt(path + slashes),
        new RegExp(` at ${path}, without a slash at its end\\.$`),
      );
    }
  }
  for (const path of ['/api/v1/', '/api/v1/nothing/', '/api/v1/nothing', '/nothing/', '//'])
    assert.match(await messageAt(path), /^There is nothing at this path; look at \/docs/, path);
});

test('whoever follows a wrong link in a browser gets a page, at the API the envelope', async () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  for (const method of ['GET', 'HEAD'] as const) {
    const reply = await rig.app.inject({ method, url: '/nonsense', headers: { accept } });
    assert.equal(reply.statusCode, 404);
    assert.match(String(reply.headers['content-type']), /^text\/html/);
    assert.match(String(reply.headers['content-security-policy']), /default-src 'none'/);
    assert.match(String(reply.headers.vary), /Accept/);
    assert.match(reply.body, /There is nothing at this address/);
    for (const [, href = ''] of reply.body.matchAll(/<li><a href="([^"]*)"/g))
      assert.equal((await rig.app.inject({ url: href, headers: { accept } })).statusCode, 200, href);
  }
  for (const [url, headers] of [
    ['/nonsense', {}],
    ['/nonsense', { accept: '*/*' }],
    ['/nonsense', { accept: 'text/html;q=0.1, application/json' }],
    ['/api/v1/nonsense', { accept }],
    ['/api/nonsense', { accept }],
  ] as const) {
    const reply = await rig.app.inject({ url, headers });
    assert.deepEqual([reply.statusCode, reply.json().error.code], [404, 'NOT_FOUND'], url);
  }
  const posted = await rig.app.inject({ method: 'POST', url: '/nonsense', headers: { accept } });
  assert.equal(posted.json().error.code, 'NOT_FOUND');
});

test('a method that the server knows and no path has is 405, whatever its body is said to be', async () => {
  for (const method of ['QUERY', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
    for (const headers of [{}, { 'content-type': 'no/such-type' }, { 'content-type': '' }]) {
      const reply = await rig.app.inject({ method: method as 'PUT', url: '/docs', headers, payload: 'x' });
      assert.deepEqual([reply.statusCode, reply.headers.allow], [405, 'GET, HEAD'], method);
      assert.equal(reply.json().error.code, 'METHOD_NOT_ALLOWED');
    }
  }
  const odd = { 'x-api-key': (await rig.customer()).key, 'content-type': 'no type at all;' };
  const reply = await rig.app.inject({ method: 'POST', url, headers: odd, payload: '{}' });
  assert.equal(reply.json().error.code, 'INVALID_PARAMETER');
});

test('paths that need no key answer HEAD with the headers of GET and no body', async () => {
  for (const path of [
    '/',
    '/docs',
    '/docs/docs.js',
    '/docs/origin.js',
    '/docs/reference/bank-rates',
    '/docs.md',
    '/llms.txt',
    '/health/live',
    '/health/ready',
    '/api/v1/datasets',
    '/api/v1/openapi.json',
  ]) {
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map((method) => fetch(`${address}${path}`, { method, redirect: 'manual' })),
    );
    assert.ok(head && get);
    assert.equal(head.status, get.status, path);
    assert.equal(await head.text(), '', path);
    const names = ['content-type', 'content-length', 'location', 'cache-control'];
    for (const name of names) assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`);
    await get.body?.cancel();
  }
});

test('OpenAPI and the reference describe it from the same entry', async () => {
  const { paths, components } = (await rig.get('/api/v1/openapi.json')).json();
  const { post: operation, get } = paths['/made-up/survey'];
  assert.equal(get, undefined);
  assert.equal(operation['x-credits'], 3);
  const { schema, example } = operation.requestBody.content['application/json'];
  const { required, properties } = components.schemas[schema.$ref.slice('#/components/schemas/'.length)];
  assert.deepEqual([required, Object.keys(properties)], [['postcode'], ['postcode', 'limit', 'isDeep']]);
  assert.deepEqual(example, { postcode: 'SW1A 1AA' });
  assert.equal('304' in operation.responses, false);
  assert.deepEqual(
    operation.parameters.map(({ name }: { name: string }) => name),
    ['X-Sandbox-Outcome', 'Idempotency-Key'],
  );
  const { body: page } = await rig.get('/docs/reference/made-up-survey');
  for (const words of [
    '>POST<',
    '3 credits',
    'data-method="POST"',
    '-d &#39;{&quot;postcode&quot;:&quot;SW1A 1AA&quot;}&#39;',
  ]) {
    assert.ok(page.includes(words), words);
  }
});

test('a POST over a real connection, chunk by chunk, is read to its end', async () => {
  const text = JSON.stringify({ postcode: 'SW1A 1AA', limit: 2 });
  const chunks = async function* () {
    for (const character of text) yield Buffer.from(character);
  };
  const reply = await fetch(`${address}${url}`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: ReadableStream.from(chunks()),
    duplex: 'half',
  });
  assert.equal(reply.status, 200);
  assert.match(await reply.text(), /"limit":2/);
  const large = await fetch(`${address}${url}`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: 'x'.repeat(1_000_000),
  });
  assert.deepEqual([large.status, JSON.parse(await large.text()).error.field], [400, 'body']);
});
