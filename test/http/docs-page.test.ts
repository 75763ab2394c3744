// The reference at /docs promises that every link in an error reply lands, that nothing it shows can run as
// code, and that it works under a content policy without inline or outside assets.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { endpoint } from '../../src/contract/endpoint.ts';
import { wholeNumber } from '../../src/contract/params.ts';
import {
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  record,
  string,
} from '../../src/contract/shape.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { errorCodes, errors } from '../../src/errors.ts';
import { errorCodePage, errorListPage, noSuchErrorPage } from '../../src/http/docs/error-pages.ts';
import type { Reference } from '../../src/http/docs/html.ts';
import { docsPage } from '../../src/http/docs/page.ts';
import { publicKey } from '../../src/ledger/public-sandbox.ts';

const hostile = `</code><script>alert("1 & '2'")</script>`;

const madeUp = endpoint({
  method: 'GET',
  path: '/made-up/by-name',
  summary: `Summary ${hostile}`,
  description: `Description ${hostile} and \`${hostile}\``,
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
  example: {
    label: hostile,
    totals: { '2025-01': 3 },
    sales: [{ pricePaid: 1, soldOn: '2025-01-02' }],
    best: null,
  },
  handle: () => ({ totals: {}, sales: [], best: null }),
});

const all = [...endpoints, madeUp];
const reference: Reference = { endpoints: all, version: `1.2.3${hostile}`, publicKey, publicUrl: undefined };
const page = docsPage(reference);
const section = page.slice(page.indexOf('id="get-made-up-by-name"'), page.indexOf('id="errors"'));

/** Tags of our own making: hostile text has its brackets escaped, so it cannot be among them. */
const tagsOf = (markup: string) => markup.match(/<[a-z!][^>]*>/gi) ?? [];
const tags = tagsOf(page);
const attributes = (name: string, markup = page): string[] =>
  tagsOf(markup).flatMap((tag) =>
    [...tag.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map((found) => found[1] ?? ''),
  );

test('every error code has exactly one anchor of its own name, so that links in replies land', () => {
  const ids = attributes('id');
  for (const code of errorCodes) assert.equal(ids.filter((id) => id === code).length, 1, code);
});

test('no id occurs twice, and every link within the page has a target', () => {
  const ids = attributes('id');
  assert.equal(new Set(ids).size, ids.length);
  for (const href of attributes('href').filter((href) => href.startsWith('#'))) {
    assert.ok(ids.includes(href.slice(1)), href);
  }
});

test('the page of an error tells when it comes, what to do, an example body, and who answers it', () => {
  for (const code of errorCodes) {
    const markup = errorCodePage(code, reference);
    const plain = plainText(markup);
    const { status, when, message, advice = message, extras = {} } = errors[code];
    assert.ok(plain.includes(when.replaceAll('`', '')), code);
    assert.ok(plain.includes(`What to do ${advice.replaceAll('`', '')}`), code);
    assert.ok(plain.includes(`Status ${status} `), code);
    const { error } = JSON.parse(bodyShownIn(markup));
    assert.deepEqual([error.code, error.message], [code, message]);
    assert.equal(error.docs, `/docs/errors/${code}`);
    for (const [name, value] of Object.entries(extras)) assert.deepEqual(error[name], value, code);
    const users = all.filter((each) => each.errors.includes(code));
    const links = attributes('href', markup).filter((href) => href.startsWith('/docs#'));
    if (users.length === all.length) assert.ok(plain.includes('Every endpoint'), code);
    else assert.equal(links.length, users.length, code);
    for (const link of links) assert.ok(attributes('id').includes(link.slice('/docs#'.length)), link);
  }
});

test('the page of every error says what to do, and of one that waiting may not cure, how to tell', () => {
  const doing = /\b(send|ask|use|add|check|choose|correct|wait|try|shorten|find|look)\b/i;
  for (const code of errorCodes) {
    const { message, advice = message, when } = errors[code];
    assert.match(advice, doing, code);
    if (!when.includes('without Retry-After')) continue;
    const again = /Send it again\? (.*) Cost /.exec(plainText(errorCodePage(code, reference)))?.[1] ?? '';
    for (const words of [advice, again]) {
      assert.match(words, /Retry-After/, code);
      assert.match(words, /waiting does not help/, code);
    }
  }
});

test('the list names every code, and an address without one leads to the list', () => {
  const listed = attributes('href', errorListPage('1'));
  for (const code of errorCodes) assert.ok(listed.includes(`/docs/errors/${code}`), code);
  const stray = noSuchErrorPage(hostile, '1');
  assert.ok(attributes('href', stray).includes('/docs/errors'));
  assert.ok(!stray.includes('<script>'));
});

test('every call in the pages goes to the public address; where none is set, the script is told what to replace', () => {
  const publicUrl = 'https://data.example.com/uk';
  const pagesOf = (told: Reference) => [
    docsPage(told),
    ...errorCodes.map((code) => errorCodePage(code, told)),
  ];
  for (const markup of pagesOf({ ...reference, publicUrl })) {
    assert.doesNotMatch(markup, /127\.0\.0\.1|data-origin/);
    for (const call of markup.match(/curl -H .*/g) ?? [])
      assert.ok(call.includes(`${publicUrl}/api/v1/`), call);
  }
  for (const markup of pagesOf(reference)) {
    const calls = markup.split('127.0.0.1:8080/api/').length - 1;
    assert.equal(attributes('data-origin', markup).length, calls);
    assert.match(markup, /<script type="module" src="\/docs\/(docs|origin)\.js">/);
  }
});

test('without a public key the pages name none, and say how to come by one', () => {
  const bare = docsPage({ ...reference, publicKey: undefined });
  assert.ok(!bare.includes(publicKey));
  assert.ok(!bare.includes('key-choice'));
  assert.match(plainText(bare), /Ask whoever runs this service for a key/);
  for (const code of errorCodes) {
    assert.ok(!errorCodePage(code, { ...reference, publicKey: undefined }).includes(publicKey));
  }
});

test('every endpoint has its section, with each parameter, each code linked, and a form to try it', () => {
  for (const { path, params, errors: codes } of all) {
    const part =
      page.slice(page.indexOf(`id="get${path.replaceAll('/', '-')}"`)).split('</section>')[0] ?? '';
    assert.ok(part.includes(`data-path="/api/v1${path}"`), path);
    for (const name of Object.keys(params)) assert.ok(part.includes(` name="${name}"`), `${path} ${name}`);
    for (const code of codes) {
      assert.ok(part.includes(`href="/docs/errors/${code}"`), `${path} ${code}`);
      assert.ok(part.includes(`<option>${code}</option>`), `${path} ${code}`);
    }
  }
});

test('a parameter shows its bounds and default, and the cost of a call stands beside the path', () => {
  const plain = plainText(section);
  assert.ok(plain.includes('integer, 1 to 24, default 12'));
  assert.ok(plain.includes('3 credits'));
});

test('the answer is shown as a tree of fields: nested, nullable, optional, lists and maps', () => {
  const plain = plainText(section);
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

test('hostile text in any description, example or version is shown, never run', () => {
  assert.ok(!page.includes('<script>'));
  assert.equal(tags.filter((tag) => /^<script/i.test(tag)).length, 1);
  const places = page.split('&lt;script&gt;alert(').length - 1;
  assert.ok(places >= 8, `${places} places`);
});

test('nothing is loaded or linked from outside', () => {
  const addresses = [...attributes('href'), ...attributes('src')];
  assert.ok(addresses.includes('/docs/docs.css') && addresses.includes('/docs/docs.js'));
  for (const address of addresses) assert.match(address, /^(#|\/(?!\/)|data:,$)/);
  for (const name of ['docs.css', 'docs.js', 'origin.js']) {
    assert.doesNotMatch(
      readFileSync(new URL(`../../web/docs/${name}`, import.meta.url), 'utf8'),
      /https?:\/\/|\burl\(|@import/,
    );
  }
});

test('there is no inline script, style or event handler, which the content policy would refuse', () => {
  assert.doesNotMatch(page, /<script(?![^>]* src=)[^>]*>|<style/i);
  for (const tag of tags) assert.doesNotMatch(tag, /\s(style|on[a-z]+)\s*=/i);
});

test('the form script never writes markup from text and keeps the key out of lasting storage', () => {
  const script = readFileSync(new URL('../../web/docs/docs.js', import.meta.url), 'utf8');
  assert.doesNotMatch(
    script,
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|localStorage|cookie/,
  );
});

/** The example in the page of an error. */
function bodyShownIn(markup: string): string {
  return plainText((markup.split('<h2>Body</h2>')[1] ?? '').split('</pre>')[0] ?? '');
}

/** As a reader sees it: tags gone, entities resolved, white space as single blanks. */
function plainText(markup: string): string {
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return markup
    .replace(/<wbr>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? '')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,.)])|(?<=\() /g, '');
}
