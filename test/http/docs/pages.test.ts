// The pages of the documentation promise that every link in them and in an error reply lands, that nothing they show can run
// as code, that they work under a content policy without inline or outside assets, and that Markdown says the same.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { endpoint } from '../../../src/contract/endpoint.ts';
import { readExampleAnswers } from '../../../src/contract/examples.ts';
import { wholeNumber } from '../../../src/contract/params.ts';
import {
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  record,
  string,
} from '../../../src/contract/shape.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import { errorCodes, errors } from '../../../src/errors.ts';
import type { Shown } from '../../../src/http/docs/blocks.ts';
import { guideNames } from '../../../src/http/docs/guides.ts';
import { openSite, type Site } from '../../../src/http/docs/site.ts';
import { publicKey } from '../../../src/ledger/public-sandbox.ts';
import { attributesOf, tagsOf, wordsOf } from './read-page.ts';

const hostile = `</code><script>alert("1 & '2'")</script>`;

const madeUp = endpoint({
  method: 'GET',
  path: '/made-up/by-name',
  summary: `Summary ${hostile}`,
  description: `Description ${hostile} and \`${hostile}\` and [words](https://example.com) and [${hostile}](/docs/${hostile})`,
  credits: 3,
  envelope: 'data',
  datasets: ['bank-rate'],
  maxAgeSeconds: 0,
  params: {
    months: wholeNumber({
      description: `Parameter ${hostile}`,
      example: hostile,
      min: 1,
      max: 24,
      fallback: 12,
      outside: 'refuse',
      fault: 'INVALID_MONTHS',
    }),
  },
  errors: ['INVALID_MONTHS', 'AUTHENTICATION_REQUIRED', 'INTERNAL_SERVER_ERROR'],
  answer: object('MadeUp', {
    label: optional(nullable(string({ description: `Field ${hostile}` }))),
    totals: record(integer()),
    sales: list(object('MadeUpSale', { pricePaid: integer(), soldOn: nullable(string({ format: 'date' })) })),
    best: nullable(object('MadeUpBest', { estate: oneOf(['Freehold', 'Leasehold']) })),
  }),
  handle: () => ({ totals: {}, sales: [], best: null }),
});

const examples = {
  ...(await readExampleAnswers()),
  [madeUp.path]: {
    label: hostile,
    totals: { '2025-01': 3 },
    sales: [{ pricePaid: 1, soldOn: '2025-01-02' }],
    best: null,
  },
};

const all = [...endpoints, madeUp];
const openTestSite = (shown: Shown): Promise<Site> =>
  openSite({
    endpoints: all,
    examples,
    version: `1.2.3${hostile}`,
    shown,
    publications: [],
    live: () => undefined,
  });
const site = await openTestSite({ publicKey, publicUrl: undefined, planPrices: [] });

const referenceOf = (path: string) => `/docs/reference/${path.slice(1).replaceAll('/', '-')}`;
const paths: readonly string[] = [
  '/docs',
  ...guideNames.map((name) => `/docs/guides/${name}`),
  '/docs/reference',
  ...all.map(({ path }) => referenceOf(path)),
  '/docs/errors',
  ...errorCodes.map((code) => `/docs/errors/${code}`),
  '/docs/data',
  '/docs/changelog',
];

const pageOf = (path: string, from = site) => from.html(from.find(path) ?? assert.fail(`${path} is no page`));
const markdownOf = (path: string) => site.markdown(site.find(path) ?? assert.fail(`${path} is no page`));
const pages = new Map(paths.map((path) => [path, pageOf(path)]));
const madeUpPage = pageOf(referenceOf(madeUp.path));

test('no id occurs twice on a page, and every link of every page leads to a page and an anchor there', () => {
  const ids = new Map([...pages].map(([path, markup]) => [path, attributesOf('id', markup)]));
  for (const [path, markup] of pages) {
    const own = ids.get(path) ?? [];
    assert.equal(new Set(own).size, own.length, path);
    for (const href of attributesOf('href', markup)) {
      const [to = '', anchor] = href.split('#');
      if (
        /\.(css|js|md)$|^data:/.test(to) ||
        ['/', '/account', '/account/sign-in', '/admin', '/admin/people', '/explore'].includes(to)
      )
        continue;
      const target = ids.get(to === '' ? path : to);
      // The made-up description has a link that leads nowhere.
      if (path === referenceOf(madeUp.path) && to.includes('&lt;')) continue;
      assert.ok(target !== undefined, `${path} leads to ${href}`);
      // This site has no data to tell of; test/http/docs/paths.test.ts looks at one that has.
      if (anchor !== undefined && to !== '/docs/data')
        assert.ok(target.includes(anchor), `${path} leads to ${href}`);
    }
  }
});

test('the page of an error tells when it comes, what to do, an example body, and who answers it', () => {
  for (const code of errorCodes) {
    const markup = pageOf(`/docs/errors/${code}`);
    const plain = wordsOf(markup);
    const { status, when, message, advice = message, extras = {} } = errors[code];
    assert.ok(plain.includes(when.replaceAll('`', '')), code);
    assert.ok(plain.includes(`What to do ${advice.replaceAll('`', '')}`), code);
    assert.ok(plain.includes(`${status} `), code);
    const { error } = JSON.parse(answerIn(markup));
    assert.deepEqual([error.code, error.message], [code, message]);
    assert.equal(error.docs, `/docs/errors/${code}`);
    // As the real ones (test/http/request-ids.test.ts).
    assert.match(error.requestId, /^[\w-]{20}$/);
    for (const [name, value] of Object.entries(extras)) assert.deepEqual(error[name], value, code);
    const users = all.filter((each) => each.errors.includes(code));
    if (users.length === all.length) assert.ok(plain.includes('Every endpoint'), code);
    else {
      const links = attributesOf('href', markup.slice(markup.indexOf('Who answers it')));
      for (const { path } of users) assert.ok(links.includes(referenceOf(path)), `${code} ${path}`);
    }
  }
});

test('the page of every error says what to do, and of one that waiting may not cure, how to tell', () => {
  const doing = /\b(send|ask|use|add|check|choose|correct|wait|try|shorten|find|look)\b/i;
  for (const code of errorCodes) {
    const { message, advice = message, when } = errors[code];
    assert.match(advice, doing, code);
    if (!when.includes('without Retry-After')) continue;
    const again = /Send it again\? (.*) Example /.exec(wordsOf(pageOf(`/docs/errors/${code}`)))?.[1] ?? '';
    for (const words of [advice, again]) {
      assert.match(words, /Retry-After/, code);
      assert.match(words, /waiting does not help/, code);
    }
  }
});

test('the list of errors and every endpoint tell each code with its cause and its cure', () => {
  const tells = (markup: string, code: (typeof errorCodes)[number]) => {
    const { when, message, advice = message } = errors[code];
    const plain = wordsOf(markup);
    assert.ok(attributesOf('href', markup).includes(`/docs/errors/${code}`), code);
    for (const words of [when, advice])
      assert.ok(plain.includes(words.replaceAll('`', '')), `${code}: ${words}`);
  };
  for (const code of errorCodes) tells(pageOf('/docs/errors'), code);
  for (const { path, errors: codes } of all) for (const code of codes) tells(pageOf(referenceOf(path)), code);
});

test('every call in the pages goes to the public address; where none is set, the script is told what to replace', async () => {
  const publicUrl = 'https://data.example.com/uk';
  const told = await openTestSite({ publicKey, publicUrl, planPrices: [] });
  for (const path of paths) {
    const markup = pageOf(path, told);
    assert.doesNotMatch(markup, /127\.0\.0\.1|data-origin/, path);
    for (const call of markup.match(/curl &#39;.*/g) ?? [])
      assert.ok(call.includes(`${publicUrl}/api/v1/`), call);
  }
  for (const [path, markup] of pages) {
    const codes = markup.split('</code>').filter((code) => code.includes('127.0.0.1:8080/api/'));
    for (const code of codes) assert.match(code, /<code data-origin="[^"]*">[^<]*$/, path);
  }
});

test('without a public key the pages name none, and say how to come by one', async () => {
  const bare = await openTestSite({ publicKey: undefined, publicUrl: undefined, planPrices: [] });
  for (const path of paths) {
    const markup = pageOf(path, bare);
    assert.ok(!markup.includes(publicKey), path);
    assert.ok(!markup.includes('key-choice'), path);
  }
  assert.match(wordsOf(pageOf('/docs', bare)), /Ask whoever runs this service for a test key/);
});

test('every endpoint has its page, with each parameter, each code, and a form to try it', () => {
  for (const { path, params, errors: codes } of all) {
    const markup = pageOf(referenceOf(path));
    assert.ok(markup.includes(`data-path="/api/v1${path}"`), path);
    for (const name of Object.keys(params)) assert.ok(markup.includes(` name="${name}"`), `${path} ${name}`);
    for (const code of codes) assert.ok(markup.includes(`<option>${code}</option>`), `${path} ${code}`);
  }
});

test('a parameter shows its bounds and default, and the cost of a call stands below the path', () => {
  const plain = wordsOf(madeUpPage);
  assert.ok(plain.includes('integer, 1 to 24, default 12'));
  assert.ok(plain.includes('3 credits'));
});

test('beside an example that another day answers with other figures, the page says so', () => {
  for (const path of ['/area/sold-prices', '/area/sold-prices/trend'])
    assert.match(
      markdownOf(referenceOf(path)),
      /## Example answer\n\nThe period counts back from the day of the call, /,
    );
  assert.match(markdownOf(referenceOf('/bank-rates')), /## Example answer\n\n```json/);
});

test('a number without a bound of its own shows none', () => {
  assert.match(markdownOf('/docs/reference/area-sold-prices'), /`offset` \| integer, at least 0 \|/);
});

test('the answer is shown as a tree of fields: nested, nullable, optional, lists and maps', () => {
  const plain = wordsOf(madeUpPage);
  for (const words of [
    'label string or null, may be absent',
    'totals object of integers by key',
    'sales list of objects',
    'pricePaid integer',
    'soldOn date or null',
    'best object or null',
    'estate "Freehold" or "Leasehold"',
    'billing object',
  ]) {
    assert.ok(plain.includes(words), words);
  }
});

test('every example can be read for curl, TypeScript and Python', () => {
  for (const [path, markup] of pages) {
    const tabs = markup.split('<fieldset class="tabs">').slice(1);
    for (const tab of tabs) {
      const [inside = ''] = tab.split('</fieldset>');
      const plain = wordsOf(inside);
      for (const words of ['curl &#39;', 'await fetch(', 'import requests'])
        assert.ok(inside.includes(words) || plain.includes(words), `${path} ${words}`);
    }
  }
  assert.ok((pages.get('/docs') ?? '').includes('<fieldset class="tabs">'));
});

test('hostile text in any description, example or version is shown, never run', () => {
  for (const [path, markup] of pages) assert.ok(!markup.includes('<script>'), path);
  const scripts = tagsOf(madeUpPage).filter((tag) => /^<script/i.test(tag));
  assert.deepEqual(scripts, [
    '<script type="module" src="/docs/docs.js">',
    '<script type="module" src="/docs/try.js">',
  ]);
  const places = madeUpPage.split('&lt;script&gt;alert(').length - 1;
  assert.ok(places >= 8, `${places} places`);
});

test('nothing is loaded or linked from outside', () => {
  for (const [path, markup] of pages) {
    const addresses = [...attributesOf('href', markup), ...attributesOf('src', markup)];
    assert.ok(addresses.includes('/docs/docs.css') && addresses.includes('/docs/docs.js'), path);
    for (const address of addresses) assert.match(address, /^(#|\/(?!\/)|data:,$)/, path);
  }
  for (const name of ['docs.css', 'docs.js', 'origin.js', 'search.js', 'try.js']) {
    assert.doesNotMatch(scriptOf(name), /https?:\/\/|\burl\(|@import/);
  }
});

test('there is no inline script, style or event handler, which the content policy would refuse', () => {
  for (const [path, markup] of pages) {
    assert.doesNotMatch(markup, /<script(?![^>]* src=)[^>]*>|<style/i, path);
    for (const tag of tagsOf(markup)) assert.doesNotMatch(tag, /\s(style|on[a-z]+)\s*=/i, path);
  }
});

test('no script writes markup from text or keeps a key in lasting storage', () => {
  for (const name of ['docs.js', 'origin.js', 'search.js', 'try.js']) {
    assert.doesNotMatch(
      scriptOf(name),
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|localStorage|cookie/,
      name,
    );
  }
});

test('Markdown has the title, the headings and the words of each page, and leads to other pages as Markdown', () => {
  const known = new Set(paths.map((path) => `${path}.md`));
  for (const [path, markup] of pages) {
    const text = markdownOf(path);
    const page = site.find(path) ?? assert.fail(path);
    assert.ok(text.startsWith(`# ${page.title}\n`), path);
    for (const [, heading = ''] of markup.matchAll(/<a class="anchor" href="[^"]*">([^<]*)<\/a>/g)) {
      assert.ok(text.includes(`## ${wordsOf(heading)}`), `${path} ${heading}`);
    }
    for (const [, href = ''] of text.matchAll(/\]\((\/docs[^)\s#]*)/g)) {
      if (path !== referenceOf(madeUp.path)) assert.ok(known.has(href), `${path} leads to ${href}`);
    }
  }
});

test('the search knows every part of every page, and its words', () => {
  const entries: readonly (readonly [string, string, string, string])[] = JSON.parse(site.searchIndex());
  const places = new Set(entries.map(([href]) => href));
  for (const [path, markup] of pages) {
    assert.ok(places.has(path), path);
    if (path === '/docs/data') continue;
    const told = markup.slice(markup.indexOf('<div class="told">'));
    for (const [, anchor = ''] of told.matchAll(/<a class="anchor" href="(#[^"]*)">/g))
      assert.ok(places.has(`${path}${anchor}`), `${path}${anchor}`);
  }
  const wordsAt = (href: string) => entries.find(([place]) => place === href)?.[3] ?? '';
  assert.match(wordsAt('/docs/guides/errors#idempotency'), /Idempotency-Key/);
  assert.match(wordsAt('/docs/reference/area-statistics#answer'), /medianAge/);
});

test('language models find every page but those of single errors, which are in the whole', () => {
  const lines = site.llms();
  assert.match(lines, /^# Domesday\n\n> /);
  for (const path of paths.filter((each) => !each.startsWith('/docs/errors/')))
    assert.ok(lines.includes(`${path}.md)`), path);
  const full = site.llmsFull();
  for (const path of paths.filter((each) => !/^\/docs\/(data|changelog)$/.test(each)))
    assert.ok(full.includes(markdownOf(path)), path);
});

test('the changelog is shown whole: every entry of every version', () => {
  const written = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
  const plain = wordsOf(pageOf('/docs/changelog'));
  const items = [...written.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, title = '']) => title);
  assert.ok(items.length > 20);
  for (const item of items) assert.ok(plain.includes(item.replaceAll('`', '')), item);
  for (const [, version = ''] of written.matchAll(/^## (.+)$/gm)) assert.ok(plain.includes(version), version);
});

const scriptOf = (name: string): string =>
  readFileSync(new URL(`../../../web/docs/${name}`, import.meta.url), 'utf8');

/** The example in the page of an error. */
const answerIn = (markup: string): string =>
  wordsOf((markup.split('aria-label="Answer"><code>')[1] ?? '').split('</code></pre>')[0] ?? '');
