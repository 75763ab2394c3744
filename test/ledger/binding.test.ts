// Which origins a key can be bound to, and which of those that a caller sends are one of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { boundOrigin, parseOrigin } from '../../src/ledger/binding.ts';

const bound = [
  'https://www.example.com',
  'https://example.com:8443',
  'http://localhost:3000',
  'https://[2001:db8::1]',
];
const binding = { origins: bound, endpoints: null };

test('an origin is kept as a browser sends it, whatever letters and default port it is typed with', () => {
  const written: Record<string, string> = {
    'https://www.example.com': 'https://www.example.com',
    'HTTPS://WWW.Example.COM': 'https://www.example.com',
    'https://www.example.com:443': 'https://www.example.com',
    'https://www.example.com:8443': 'https://www.example.com:8443',
    'http://localhost:80': 'http://localhost',
    'http://app.localhost:3000': 'http://app.localhost:3000',
    'http://127.0.0.1:5173': 'http://127.0.0.1:5173',
    'http://[::1]:5173': 'http://[::1]:5173',
    'https://b\u00fccher.example': 'https://xn--bcher-kva.example',
    'https://192.168.0.1': 'https://192.168.0.1',
  };
  for (const [typed, kept] of Object.entries(written)) assert.equal(parseOrigin(typed), kept, typed);
});

test('what is no origin, or one that anybody on the way could pretend to be, is none', () => {
  for (const text of [
    'null',
    '',
    '*',
    'https://*',
    'https://*.example.com',
    'https://example.com/',
    'https://example.com/page',
    'https://example.com?',
    'https://example.com#',
    'https://user@example.com',
    'https://example.com:443:443',
    'https://example.com, https://www.example.com',
    'https://example.com https://www.example.com',
    ' https://example.com',
    'https://example.com\n',
    'https://exa\tmple.com',
    'https:\\\\example.com',
    'https:///example.com',
    'https://',
    'https://exam%70le.com',
    'http://example.com',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://notlocalhost',
    'http://128.0.0.1',
    'http://192.168.0.1',
    'ftp://localhost',
    'file://',
    'chrome-extension://abcdefgh',
    'javascript:alert(1)',
    'data:text/html,x',
  ]) {
    assert.equal(parseOrigin(text), undefined, text);
  }
});

/** Close to the bound origins, and far from them. */
const near = fc
  .tuple(fc.constantFrom(...bound), fc.nat(40), fc.nat(3), fc.string({ unit: 'binary', maxLength: 4 }))
  .map(([origin, at, gone, put]) => origin.slice(0, at) + put + origin.slice(at + gone));
const anyText = fc.oneof(near, fc.string({ unit: 'binary' }), fc.webUrl(), fc.constantFrom(...bound));

test('of any text, only one that means a bound origin is taken for it, and that origin is what is told', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const found = boundOrigin(binding, text);
      if (found === undefined) return;
      assert.ok(bound.includes(found));
      // As the standard reads an address, which knows nothing of ours.
      const { origin, pathname, search, hash, username, password } = new URL(text);
      assert.deepEqual([origin, pathname, search, hash, username, password], [found, '/', '', '', '', '']);
    }),
    { numRuns: 5_000 },
  );
  for (const origin of bound) assert.equal(boundOrigin(binding, origin), origin);
  assert.equal(boundOrigin(binding, undefined), undefined);
});

test('what is kept is read again as itself', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyText,
        fc.webAuthority().map((authority) => `https://${authority}`),
      ),
      (text) => {
        const origin = parseOrigin(text);
        if (origin === undefined) return;
        assert.equal(parseOrigin(origin), origin);
        assert.match(origin, /^https?:\/\/[\w.:[\]-]+$/);
      },
    ),
    { numRuns: 5_000 },
  );
});
