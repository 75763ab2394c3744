// The addresses of the documentation: each answers GET and HEAD without a key, as HTML and as Markdown, and one that is
// slightly off is led to the right one.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { errorCodes } from '../../../src/errors.ts';
import type { Release } from '../../../src/release/reader.ts';
import { openRig, type Rig } from '../../rig.ts';
import { attributesOf, wordsOf } from './read-page.ts';

let rig: Rig;
/** What the rig says is served now; a test changes its name. */
let releaseId: string | undefined;
before(async () => {
  rig = await openRig({ live: renamed });
});
after(() => rig.close());

/** The same release, under another id once a test says so: as after a load. */
function renamed(real: Release): Release {
  return new Proxy(real, {
    get: (target, name) => {
      if (name === 'id' && releaseId !== undefined) return releaseId;
      if (name === 'datasets')
        return target.datasets.map((dataset, at) =>
          at === 0 ? { ...dataset, nextEditionExpected: '2031-05', leftOut: 'a made-up street' } : dataset,
        );
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const pages = [
  '/docs',
  '/docs/guides/keys',
  '/docs/reference',
  '/docs/reference/area-statistics',
  '/docs/errors',
  '/docs/data',
  '/docs/changelog',
];

test('every page is there for GET and HEAD, under the strict content policy', async () => {
  for (const path of [...pages, ...errorCodes.map((code) => `/docs/errors/${code}`)]) {
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers } = await rig.app.inject({ method, url: path });
      assert.equal(statusCode, 200, `${method} ${path}`);
      assert.match(String(headers['content-type']), /^text\/html/);
      assert.match(String(headers['content-security-policy']), /^default-src 'none'; script-src 'self';/);
    }
  }
});

test('every page is Markdown behind .md, and for whoever likes that no less than HTML', async () => {
  for (const path of pages) {
    const named = await rig.get(`${path}.md`);
    assert.equal(named.statusCode, 200, path);
    assert.match(String(named.headers['content-type']), /^text\/markdown/);
    assert.match(named.body, /^# /);
    for (const [accept, type] of [
      ['text/markdown', 'markdown'],
      ['text/markdown, text/html;q=0.9, */*;q=0.1', 'markdown'],
      ['text/html, text/markdown', 'markdown'],
      ['text/html, text/markdown;q=0.9', 'html'],
      ['text/html,application/xhtml+xml,*/*;q=0.8', 'html'],
      ['*/*', 'html'],
    ] as const) {
      const { headers, body } = await rig.get(path, undefined, { accept });
      assert.match(String(headers['content-type']), new RegExp(`^text/${type}`), `${path} ${accept}`);
      assert.match(String(headers.vary), /\bAccept\b/);
      if (type === 'markdown') assert.equal(body, named.body);
    }
  }
});

test('whoever has a page already is told so, by its ETag, and HTML is never taken for Markdown', async () => {
  for (const path of [...pages, '/llms.txt', '/llms-full.txt', '/docs/search.json', '/docs/docs.css']) {
    const first = await rig.get(path);
    const etag = String(first.headers.etag);
    assert.match(etag, /^W\/"\w+"$/, path);
    const again = await rig.get(path, undefined, { 'if-none-match': `"other", ${etag}` });
    assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', etag], path);
    assert.equal((await rig.get(path, undefined, { 'if-none-match': '"other"' })).statusCode, 200);
    if (!pages.includes(path)) continue;
    const markdown = await rig.get(`${path}.md`, undefined, { 'if-none-match': etag });
    assert.equal(markdown.statusCode, 200, path);
  }
});

test('the page about the data follows the release that answers, with every dataset and what is not loaded', async () => {
  const { datasets, notLoaded, release } = (await rig.get('/api/v1/datasets')).json().data;
  const before = wordsOf((await rig.get('/docs/data')).body);
  assert.ok(before.includes(release.id));
  assert.ok(attributesOf('id', (await rig.get('/docs/data')).body).includes('attribution'));
  for (const { title, licence, attribution, publisher } of datasets) {
    for (const words of [title, licence, attribution, publisher])
      assert.ok(before.includes(words.replace(/\s+/g, ' ')), words);
  }
  assert.ok(notLoaded.length > 0);
  for (const { title, fills } of notLoaded) {
    for (const words of [title, ...fills]) assert.ok(before.includes(words), words);
  }
  releaseId = 'another-release';
  const later = await rig.get('/docs/data');
  releaseId = undefined;
  assert.ok(wordsOf(later.body).includes('another-release'));
  assert.ok(!wordsOf(later.body).includes(release.id));
});

test('the page about the data says of each dataset what the API says of it', async () => {
  const { datasets } = (await rig.get('/api/v1/datasets')).json().data;
  const plain = wordsOf((await rig.get('/docs/data')).body);
  const dayOf = (moment: string) =>
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(moment));
  const says = (words: string) => assert.ok(plain.includes(words.replace(/\s+/g, ' ').trim()), words);
  for (const { title, asOf, loadedAt, rows, extent, edition, coverage, lacks, ...dataset } of datasets) {
    says(
      `${title} ${dayOf(asOf)} ${dayOf(loadedAt)} ${new Intl.NumberFormat('en-GB').format(rows)} ${extent}`,
    );
    says(`${edition}; as of ${dayOf(asOf)}`);
    for (const [nation, words] of Object.entries(coverage)) says(`${nation}: ${words}`);
    for (const { what, publication, fills } of lacks)
      says(`${what} of “${publication}”. Without it these stay null: ${fills.join('; ')}.`);
    if (dataset.nextEditionExpected !== null) says(`Next edition expected ${dataset.nextEditionExpected}`);
    if (dataset.leftOut !== undefined) says(`Left out ${dataset.leftOut}`);
  }
  const known = datasets.filter(
    (each: { nextEditionExpected: unknown }) => each.nextEditionExpected !== null,
  );
  assert.equal(plain.split('Next edition expected').length - 1, known.length);
  says('Next edition expected 2031-05');
  says('Left out a made-up street');
});

const withCalls = ['/docs', '/docs/errors/INVALID_LIMIT', '/docs.md', '/llms-full.txt'];

test('calls in the pages go to the host that was asked, so that they can be copied where no script runs', async () => {
  for (const host of [
    'data.example.com',
    'localhost:9000',
    '10.0.0.7:80',
    '[2001:db8::1]:8080',
    'my_app:1',
  ]) {
    for (const url of withCalls) {
      const { body } = await rig.app.inject({ url, headers: { host } });
      const calls = body.match(/curl (&#39;|').*/g) ?? [];
      assert.ok(calls.length > 0, url);
      for (const call of calls) assert.ok(call.includes(`http://${host}/api/v1/`), call);
      assert.doesNotMatch(body, /127\.0\.0\.1/);
    }
  }
});

test('nothing of a Host that is no plain name or address comes into the pages', async () => {
  const [page = ''] = withCalls;
  const { body: untouched } = await rig.app.inject({ url: page, headers: { host: '$' } });
  const hostile = fc.tuple(
    fc.constantFrom('', 'a', 'example.com', '[::1]', 'a:80'),
    fc.constantFrom(...`<>"'\`$;&|(){}\\/ @?#%*!,=`),
    fc.constantFrom('', 'a', 'b:80', 'script'),
  );
  await fc.assert(
    fc.asyncProperty(hostile, async (pieces) => {
      // What ends with a space is sent without it.
      fc.pre(pieces.join('') === pieces.join('').trim());
      const { body } = await rig.app.inject({ url: page, headers: { host: pieces.join('') } });
      assert.ok(body === untouched, pieces.join(''));
    }),
  );
});

test('an unknown page is a 404 that leads on and runs nothing of what was asked', async () => {
  for (const named of [
    'errors/NO_SUCH_CODE',
    'errors/a/b',
    'errors/%3Cscript%3Ealert(1)%3C/script%3E',
    'errors/constructor',
    '__proto__',
    'guides/nothing',
    'reference/[x](javascript:1)',
    'reference/`a',
  ]) {
    const { statusCode, headers, body } = await rig.get(`/docs/${named}`);
    assert.equal(statusCode, 404, named);
    assert.equal(headers['cache-control'], 'no-store', 'it may be there after the next start');
    assert.match(String(headers['content-type']), /^text\/html/);
    assert.ok(headers['content-security-policy']);
    assert.ok(attributesOf('href', body).includes('/docs/errors'));
    assert.doesNotMatch(body, /\.md"|>Markdown</, 'its Markdown is not there either');
    assert.doesNotMatch(body, /rel="(prev|next)"|aria-current/, 'it has no place among the others');
    assert.doesNotMatch(body, /<script(?! type="module" src="\/docs\/docs\.js">)|href="javascript/i);
    const markdown = await rig.get(`/docs/${named}.md`);
    assert.equal(markdown.statusCode, 404, named);
    assert.match(String(markdown.headers['content-type']), /^text\/markdown/);
  }
});

test('an address that is slightly off is led to the right one for good, with its query', async () => {
  const asked = {
    '/docs/': '/docs',
    '/docs/?q=1&r=%20': '/docs?q=1&r=%20',
    '/docs/guides': '/docs',
    '/docs/guides/keys/': '/docs/guides/keys',
    '/docs/reference/batch': '/docs/guides/batch',
    '/docs/errors/': '/docs/errors',
    '/docs/errors/invalid_limit': '/docs/errors/INVALID_LIMIT',
    '/docs/errors/invalid_limit.md': '/docs/errors/INVALID_LIMIT.md',
    '/docs/errors/INVALID_LIMIT/': '/docs/errors/INVALID_LIMIT',
  };
  for (const [url, location] of Object.entries(asked)) {
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers } = await rig.app.inject({ method, url });
      assert.deepEqual([statusCode, headers.location], [308, location], url);
    }
  }
});

test('a first visit is light: page, styles and scripts together, as they go over the wire', async () => {
  const bytesOf = async (path: string) => brotliCompressSync((await rig.get(path)).rawPayload).length;
  for (const page of pages) {
    const { body } = await rig.get(page);
    const parts = [...attributesOf('href', body), ...attributesOf('src', body)].filter((part) =>
      /^\/docs\/[\w-]+\.(css|js)$/.test(part),
    );
    let sum = await bytesOf(page);
    for (const part of [...new Set(parts), '/docs/origin.js']) sum += await bytesOf(part);
    assert.ok(sum < 30_000, `${page} weighs ${sum} bytes`);
  }
  const index = await bytesOf('/docs/search.json');
  assert.ok(index < 40_000, `the search index weighs ${index} bytes`);
});
