// The documents and files of the pages as they are sent: strict about what may run in them, kept long where the name changes
// with the content, and an index instead of a page for programs.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { openRig, type Rig } from '../rig.ts';

let rig: Rig;
before(async () => {
  rig = await openRig();
});
after(() => rig.close());

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const document = (url: string) => rig.app.inject({ url, headers: { accept: browser } });

const documents = ['/', '/account', '/account/sign-in', '/account/acc_1/keys', '/admin', '/admin/health'];
const partsOf = (html: string) =>
  [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, part = '']) => part);

test('every document runs nothing but files of the service, and nothing written into it', async () => {
  for (const url of documents) {
    const reply = await document(url);
    assert.equal(reply.statusCode, 200, url);
    const policy = String(reply.headers['content-security-policy']);
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(reply.headers['x-content-type-options'], 'nosniff');
    assert.equal(reply.headers['referrer-policy'], 'no-referrer');
    assert.equal(reply.headers['access-control-allow-origin'], undefined);
    assert.doesNotMatch(reply.body, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
    assert.doesNotMatch(reply.body, /(?:src|href)="(?!\/|data:,)/, 'outside of the service');
  }
});

test('a document is asked for again each time, and not sent again where it is the same', async () => {
  const first = await document('/account');
  assert.equal(first.headers['cache-control'], 'no-cache');
  const etag = String(first.headers.etag);
  const again = await rig.app.inject({
    url: '/account',
    headers: { accept: browser, 'if-none-match': `"other", ${etag}` },
  });
  assert.equal(again.statusCode, 304);
  assert.equal(again.body, '');
  assert.equal(again.headers.etag, etag);
  assert.equal(again.headers['content-security-policy'], first.headers['content-security-policy']);
});

test('files are kept for a year, and come compressed as the browser likes', async () => {
  for (const url of new Set(
    (await Promise.all(documents.map(document))).flatMap(({ body }) => partsOf(body)),
  )) {
    const plain = await rig.app.inject({ url });
    assert.equal(plain.statusCode, 200, url);
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.match(String(plain.headers['content-type']), /^text\/(?:javascript|css); charset=utf-8$/);
    for (const [coding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const coded = await rig.app.inject({ url, headers: { 'accept-encoding': coding } });
      assert.equal(coded.headers.vary, 'Accept-Encoding');
      if (coded.headers['content-encoding'] === undefined) {
        assert.ok(plain.rawPayload.length < 4096, url);
        continue;
      }
      assert.equal(coded.headers['content-encoding'], coding);
      assert.deepEqual(decode(coded.rawPayload), plain.rawPayload);
    }
    const modern = await rig.app.inject({ url, headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } });
    if (plain.rawPayload.length >= 4096) assert.equal(modern.headers['content-encoding'], 'br');
  }
});

test('a file that there is not is not found, whatever its name', async () => {
  for (const name of ['main-AAAAAAAA.js', '../package.json', '%2e%2e/package.json', '', 'constructor']) {
    const reply = await rig.app.inject({ url: `/assets/${name}` });
    assert.equal(reply.statusCode, 404, name);
    assert.equal(reply.json().error.code, 'NOT_FOUND');
  }
});

test('/ is a page for browsers and an index for programs, by GET and HEAD', async () => {
  for (const accept of [
    undefined,
    '*/*',
    'application/json',
    'text/html;q=0.5, application/json',
    'text/plain',
  ]) {
    const reply = await rig.app.inject({ url: '/', headers: accept === undefined ? {} : { accept } });
    assert.equal(reply.statusCode, 200);
    assert.match(String(reply.headers['content-type']), /^application\/json/, accept ?? 'no Accept');
    const { name, documentation, openapi, datasets, health } = reply.json();
    assert.equal(name, 'Domesday');
    for (const url of [documentation, openapi, datasets, health])
      assert.equal((await rig.app.inject({ url: String(url) })).statusCode, 200);
  }
  for (const accept of [browser, 'text/html', '*/*']) {
    const [get, head] = await Promise.all([
      rig.app.inject({ url: '/', headers: { accept } }),
      rig.app.inject({ method: 'HEAD', url: '/', headers: { accept } }),
    ]);
    assert.equal(head.statusCode, 200);
    assert.equal(head.headers['content-type'], get.headers['content-type']);
    assert.match(String(get.headers.vary), /\bAccept\b/);
  }
});

test('the public key is in the documents only where it works', async () => {
  assert.match((await document('/')).body, /<meta name="domesday-sandbox-key" content="dd_test_Public/);
  const without = await openRig({ publicSandbox: 'off', publicUrl: 'https://api.example.com' });
  const { body } = await without.app.inject({ url: '/', headers: { accept: browser } });
  assert.doesNotMatch(body, /sandbox-key/);
  assert.match(body, /<meta name="domesday-public-url" content="https:\/\/api\.example\.com">/);
  await without.close();
});
