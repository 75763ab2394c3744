// Which origins and addresses a key can be bound to, and which of those that a caller sends are one of them.

import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { boundOrigin, checkBinding, isAsBound, isWithin, parseOrigin } from '../../src/ledger/binding.ts';
import { anyString } from '../any-string.ts';

const bound = [
  'https://www.example.com',
  'https://example.com:8443',
  'http://localhost:3000',
  'https://[2001:db8::1]',
];

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
  .tuple(fc.constantFrom(...bound), fc.nat(40), fc.nat(3), anyString({ maxLength: 4 }))
  .map(([origin, at, gone, put]) => origin.slice(0, at) + put + origin.slice(at + gone));
const anyText = fc.oneof(near, anyString(), fc.webUrl(), fc.constantFrom(...bound));

test('of any text, only one that means a bound origin is taken for it, and that origin is what is told', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const found = boundOrigin(bound, text);
      if (found === undefined) return;
      assert.ok(bound.includes(found));
      // As the standard reads an address, which knows nothing of ours.
      const { origin, pathname, search, hash, username, password } = new URL(text);
      assert.deepEqual([origin, pathname, search, hash, username, password], [found, '/', '', '', '', '']);
    }),
    { numRuns: 5_000 },
  );
  for (const origin of bound) assert.equal(boundOrigin(bound, origin), origin);
  assert.equal(boundOrigin(bound, undefined), undefined);
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

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const dotted = bytes(4).map((four) => four.join('.'));
const groups = (sixteen: Uint8Array) =>
  Array.from({ length: 8 }, (_, i) =>
    Buffer.from(sixteen)
      .readUInt16BE(2 * i)
      .toString(16),
  ).join(':');
const anyAddress = fc.oneof(
  dotted,
  dotted.map((four) => `::ffff:${four}`),
  bytes(16).map(groups),
);
/** Close to each other, so that many lie within. */
const fewAddresses = fc.oneof(
  fc.constantFrom(
    '10.0.0.1',
    '10.0.0.2',
    '10.0.1.1',
    '::ffff:10.0.0.1',
    '2001:db8::1',
    '2001:db8:0:1::1',
    '::1',
    '::',
  ),
  anyAddress,
);
const anyBlock = fc.tuple(fewAddresses, fc.nat(128)).map(([address, length]) => {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  return { address, family, bits: family === 'ipv4' ? length % 33 : length } as const;
});

test('an address lies within a block if Node’s own list of blocks says so, whichever way either is written', () => {
  fc.assert(
    fc.property(anyBlock, fewAddresses, ({ address, family, bits }, asked) => {
      const list = new BlockList();
      list.addSubnet(address, bits, family);
      const own = isWithin([`${address}/${bits}`], asked);
      const isMapped = /^::ffff:\d/.test(address);
      // Of an IPv4 block that is written as IPv6, Node knows no IPv4 addresses.
      const theirs = isMapped
        ? list.check(isIP(asked) === 4 ? `::ffff:${asked}` : asked, 'ipv6')
        : list.check(asked, isIP(asked) === 4 ? 'ipv4' : 'ipv6');
      // Nor does it take an IPv4 address for the part of IPv6 that it is.
      if (family === 'ipv6' && !isMapped && isIP(asked) === 4) {
        assert.equal(own, list.check(`::ffff:${asked}`, 'ipv6'));
      } else assert.equal(own, theirs);
    }),
    { numRuns: 5_000 },
  );
});

test('a block is kept in one form, which is read again as itself, and what is no address lies in none', () => {
  fc.assert(
    fc.property(fewAddresses, (address) => {
      const [kept = ''] = checkBinding('live', { addresses: [address] })?.addresses ?? [];
      assert.deepEqual(checkBinding('live', { addresses: [kept] })?.addresses, [kept]);
      assert.ok(
        isWithin([kept], address) && isAsBound('live', { origins: null, paths: null, addresses: kept }),
      );
    }),
    { numRuns: 2_000 },
  );
  for (const odd of ['', 'unknown', '10.0.0', '10.0.0.1.2', 'localhost', '_hidden']) {
    assert.equal(isWithin(['0.0.0.0/0', '::/0'], odd), false, odd);
  }
  for (const proxied of ['10.0.0.1:80', '"[::ffff:10.0.0.1]:80"', 'for=10.0.0.1']) {
    assert.equal(isWithin(['10.0.0.1/32'], proxied), true, proxied);
  }
});

test('a block that other hands have written holds nobody, and lists that no key has are told', () => {
  for (const odd of ['rubbish', '10.0.0.0/99', '10.0.0.0/x', '']) {
    assert.equal(isWithin([odd], '10.0.0.1'), false, odd);
    assert.equal(isWithin([odd, '10.0.0.0/8'], '10.0.0.1'), true, odd);
  }
  for (const wish of [{}, { origins: [] }]) {
    assert.throws(() => checkBinding('publishable', wish), /needs an origin/);
  }
  const paths = (count: number) => Array.from({ length: count }, (_, place) => `/path-${place}`).join(' ');
  const isSound = (list: string) => isAsBound('live', { origins: null, paths: list, addresses: null });
  assert.deepEqual([isSound(paths(50)), isSound(paths(51)), isSound('/a /a')], [true, false, false]);
});
