// Which host an address belongs to, for whatever is counted per caller.

import { isIP } from 'node:net';

/** As proxies write it: `1.2.3.4:80`, `[2001:db8::1]:80`, quoted, or `for=` in the manner of `Forwarded`. */
const forwarded = /^(?:for=)?"?(?:\[([^\]]*)\]|([^:"]*)|([^"]*))(?::[\w.-]*)?"?(?:;.*)?$/i;

/** One IPv6 customer holds a whole /64, so that is what counts as one host. An IPv4 address is one host however it is
 *  written; what is no address, as a proxy may pass on, is all one host, and so is a caller who is gone already. */
export function hostOf(address: string | undefined): string {
  const text = address?.trim() ?? '';
  const [, bracketed, plainV4, plainV6] = isIP(text) === 0 ? (forwarded.exec(text) ?? []) : [];
  const [plain = ''] = (bracketed ?? plainV4 ?? plainV6 ?? text).split('%'); // the zone of a link-local address
  const family = isIP(plain);
  if (family === 0) return 'unknown';
  if (family === 4) return plain;
  const groups = groupsOf(plain);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const before = partsOf(head);
  if (tail === undefined) return before;
  const after = partsOf(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

/** The last group may be written as an IPv4 address, which is two. */
function partsOf(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const bytes = Buffer.from(part.split('.').map(Number));
    return [bytes.readUInt16BE(0), bytes.readUInt16BE(2)];
  });
}
