// What is counted per caller counts by host: whatever way an address is written, the same host is the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hostOf } from '../../src/http/wire/host-of.ts';

const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
const half = fc.array(group, { minLength: 4, maxLength: 4 });
const hex = (groups: readonly number[]) => groups.map((each) => each.toString(16)).join(':');

/** The address with one run of noughts, from `start` on, left out; whole where there is none. */
function shortened(groups: readonly number[], start: number): string {
  let end = start;
  while (end < groups.length && groups[end] === 0) end += 1;
  return end === start ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(end))}`;
}

test('addresses of one /64 are one host, of two are two, however they are shortened', () => {
  const start = fc.integer({ min: 0, max: 7 });
  fc.assert(
    fc.property(half, half, half, half, start, start, (network, other, a, b, cutA, cutB) => {
      const isMapped = (net: readonly number[], rest: readonly number[]) =>
        net.every((each) => each === 0) && rest[0] === 0 && rest[1] === 0xffff;
      fc.pre(!isMapped(network, a) && !isMapped(network, b) && !isMapped(other, b));
      const host = hostOf(shortened([...network, ...a], cutA));
      assert.equal(hostOf(shortened([...network, ...b], cutB)), host);
      assert.equal(hostOf(hex([...network, ...a]).toUpperCase()), host);
      const isSame = network.join() === other.join();
      assert.equal(hostOf(shortened([...other, ...b], cutB)) === host, isSame);
    }),
    { numRuns: 2000 },
  );
});

test('an IPv4 address is itself, also where it is written as an IPv6 one', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      assert.equal(hostOf(address), address);
      assert.equal(hostOf(`::ffff:${address}`), address);
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      assert.equal(hostOf(`::ffff:${hex([a * 256 + b, c * 256 + d])}`), address);
    }),
  );
});

test('a zone is no part of a host, and whatever is no address is one host', () => {
  assert.equal(hostOf('fe80::1%eth0'), hostOf('fe80::2%wlan0'));
  const odd = [
    '',
    undefined,
    'unknown',
    '1.2.3',
    '1.2.3.4.5:80',
    '_hidden',
    'for=_x',
    '[',
    '[]:1',
    'x'.repeat(5000),
  ];
  assert.equal(new Set(odd.map(hostOf)).size, 1);
});

test('an address with a port, in brackets, quoted or as Forwarded has it is the address itself', () => {
  const ports = fc.constantFrom('', ':0', ':80', ':65535', ':_x');
  const wraps = fc.constantFrom(
    (text: string) => text,
    (text: string) => `"${text}"`,
    (text: string) => `for=${text}`,
    (text: string) => `For="${text}"`,
    (text: string) => ` for="${text}";proto=https;by=203.0.113.43 `,
  );
  fc.assert(
    fc.property(fc.ipV4(), fc.ipV6(), ports, wraps, (v4, v6, port, wrap) => {
      assert.equal(hostOf(wrap(`${v4}${port}`)), hostOf(v4));
      assert.equal(hostOf(wrap(`[${v6}]${port}`)), hostOf(v6));
      assert.equal(hostOf(wrap(v6)), hostOf(v6));
    }),
    { numRuns: 1000 },
  );
});
