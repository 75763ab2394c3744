// Addresses of the internet protocol as callers and proxies write them, read into the one form in which they can be compared.

import { isIP } from 'node:net';

/** As proxies write it: `1.2.3.4:80`, `[2001:db8::1]:80`, quoted, or `for=` in the manner of `Forwarded`. */
const forwarded = /^(?:for=)?"?(?:\[([^\]]*)\]|([^:"]*)|([^"]*))(?::[\w.-]*)?"?(?:;.*)?$/i;

/** The address in what a proxy passes on, without port and zone; undefined for what is none. */
export function plainAddress(sent: string): string | undefined {
  const text = sent.trim();
  const [, bracketed, plainV4, plainV6] = isIP(text) === 0 ? (forwarded.exec(text) ?? []) : [];
  const [plain = ''] = (bracketed ?? plainV4 ?? plainV6 ?? text).split('%'); // the zone of a link-local address
  return isIP(plain) === 0 ? undefined : plain;
}

/** The eight groups of 16 bits of a valid address; those of an IPv4 address are of its form in IPv6, `::ffff:1.2.3.4`. */
export function groupsOf(address: string): readonly number[] {
  if (isIP(address) === 4) return [0, 0, 0, 0, 0, 0xffff, ...partsOf(address)];
  const [head = '', tail] = address.split('::');
  const before = partsOf(head);
  if (tail === undefined) return before;
  const after = partsOf(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

/** Whether groups are those of an IPv4 address. */
export const isMapped = (groups: readonly number[]): boolean =>
  groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);

/** The IPv4 address of groups that are one's. */
export const dotted = (groups: readonly number[]): string =>
  groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');

/** The last group may be written as an IPv4 address, which is two. */
function partsOf(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const bytes = Buffer.from(part.split('.').map(Number));
    return [bytes.readUInt16BE(0), bytes.readUInt16BE(2)];
  });
}
