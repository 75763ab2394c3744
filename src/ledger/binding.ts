// What a key is bound to: the origins of the pages that may use it, some endpoints, the addresses that calls may come from.
// Origins are kept as a browser sends them, and blocks of addresses in one form, so that comparing is comparing texts and bits.

import { isIP } from 'node:net';
import { dotted, groupsOf, isMapped, plainAddress } from '../ip-address.ts';
import { type Binding, type KeyKind, LedgerRefusal } from './ledger.ts';

/** Of each: a page names its own, and nobody can look over more. */
const listMost = 50;

const originForm = /^https?:\/\/(?:[\p{L}\p{M}\p{N}._-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/iu;
const hostForm = /^(?:[\da-z._-]+|\[[\da-f:.]+\])$/;
const pathForm = /^(?:\/[\w.-]+)+$/;
const blockForm = /^([^/]+)(?:\/(\d{1,3}))?$/;

/** As a browser sends it: in small letters, without the port that its scheme has anyway. Undefined for what is none that a
 *  key can be bound to: anything over plain http but this machine, and `null`, which pages without an origin send. */
export function parseOrigin(text: string): string | undefined {
  const url = originForm.test(text) ? URL.parse(text) : null;
  if (url === null || !hostForm.test(url.hostname)) return undefined;
  return url.protocol === 'https:' || isThisMachine(url.hostname) ? url.origin : undefined;
}

const isThisMachine = (host: string): boolean =>
  /^(?:.+\.)?localhost$/.test(host) || /^127(?:\.\d{1,3}){3}$/.test(host) || host === '[::1]';

/** The origin that a page sent, if it is one of these. */
export function boundOrigin(origins: readonly string[], sent: string | undefined): string | undefined {
  if (sent === undefined) return undefined;
  const origin = parseOrigin(sent);
  return origins.find((each) => each === origin);
}

/** A block of addresses: the first `bits` bits of `groups`. IPv4 is a part of IPv6, so that either way of writing an address
 *  is the same one. */
type Block = { readonly groups: readonly number[]; readonly bits: number };

const allBits = 128;
/** What stands before the address in the IPv6 form of an IPv4 address. */
const mappedBits = 96;

function parseBlock(text: string): Block | undefined {
  const [, address = '', length] = blockForm.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return undefined;
  const before = family === 4 ? mappedBits : 0;
  const bits = length === undefined ? allBits : before + Number(length);
  return bits > allBits ? undefined : { groups: groupsOf(address), bits };
}

/** The 16 bits of one group that lie within so many bits from the beginning. */
const maskOf = (bits: number, group: number): number => {
  const inGroup = Math.min(16, Math.max(0, bits - 16 * group));
  return (0xffff << (16 - inGroup)) & 0xffff;
};

/** As it is kept: IPv4 where it is, without bits behind its length. */
function sayBlock({ groups, bits }: Block): string {
  const kept = groups.map((group, at) => group & maskOf(bits, at));
  if (bits >= mappedBits && isMapped(kept)) return `${dotted(kept)}/${bits - mappedBits}`;
  const written = kept.map((group) => group.toString(16)).join(':');
  return `${new URL(`http://[${written}]`).hostname.slice(1, -1)}/${bits}`;
}

/** Whether an address as the wire or a proxy tells it lies in one of the blocks. What is no address lies in none. */
export function isWithin(blocks: readonly string[], address: string): boolean {
  const plain = plainAddress(address);
  if (plain === undefined) return false;
  const groups = groupsOf(plain);
  return blocks.some((text) => {
    const block = parseBlock(text);
    if (block === undefined) return false;
    return groups.every(
      (group, at) => (group & maskOf(block.bits, at)) === ((block.groups[at] ?? 0) & maskOf(block.bits, at)),
    );
  });
}

/** What an operator wishes. */
type BindingWish = { readonly [Name in keyof Binding]?: Binding[Name] };

/** As it is kept; null where it binds to nothing. */
export function checkBinding(kind: KeyKind, wish: BindingWish): Binding | null {
  const { origins = null, endpoints = null, addresses = null } = wish;
  const kept = {
    origins: origins === 'own' ? origins : origins && [...new Set(origins.map(checkOrigin))],
    endpoints: endpoints && [...new Set(endpoints.map(checkPath))],
    addresses: addresses && [...new Set(addresses.map(checkBlock))],
  };
  if (kind === 'publishable' && (kept.origins === null || kept.origins.length === 0)) {
    throw new LedgerRefusal('A publishable key needs an origin: the origin of the page that will use it.');
  }
  if (kept.endpoints?.length === 0) {
    throw new LedgerRefusal('A key for no endpoint is useless; name one, or all.');
  }
  if (kept.addresses?.length === 0) {
    throw new LedgerRefusal('A key for no address is useless; name one, or any.');
  }
  if (Object.values(kept).some((list) => list !== null && list !== 'own' && list.length > listMost)) {
    throw new LedgerRefusal(
      `A key is bound to at most ${listMost} origins, ${listMost} endpoints and ${listMost} blocks of addresses.`,
    );
  }
  return Object.values(kept).every((list) => list === null) ? null : kept;
}

/** A slash at the end is what an address bar adds. */
function checkOrigin(text: string): string {
  const origin = parseOrigin(text.replace(/\/$/, ''));
  if (origin !== undefined) return origin;
  throw new LedgerRefusal(
    `"${text}" is not an origin that a key can be bound to: give scheme and host, and the port if there is one, such as https://www.example.com. Use http only for localhost, and no path and no *.`,
  );
}

function checkPath(text: string): string {
  if (pathForm.test(text)) return text;
  throw new LedgerRefusal(`"${text}" is not the path of an endpoint, such as /bank-rates.`);
}

/** Bits behind the length could mean the one address or all of the block. */
function checkBlock(text: string): string {
  const block = parseBlock(text.trim());
  if (block === undefined) {
    throw new LedgerRefusal(
      `"${text}" is neither an IP address nor a block of addresses, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32.`,
    );
  }
  const kept = sayBlock(block);
  if (block.groups.every((group, at) => (group & maskOf(block.bits, at)) === group)) return kept;
  const alone = sayBlock({ ...block, bits: allBits });
  throw new LedgerRefusal(
    `"${text}" is not the start of a block; write ${kept} for the whole block, or ${alone} for the one address.`,
  );
}

/** How the ledger keeps it: each list in one text, with spaces between. */
type BindingColumns = {
  readonly origins: string | null;
  readonly paths: string | null;
  readonly addresses: string | null;
};

const ownPages = 'own';

export function bindingColumns(binding: Binding | null): BindingColumns {
  const { origins = null, endpoints = null, addresses = null } = binding ?? {};
  return {
    origins: origins === ownPages ? ownPages : (origins?.join(' ') ?? null),
    paths: endpoints?.join(' ') ?? null,
    addresses: addresses?.join(' ') ?? null,
  };
}

export function bindingIn({ origins, paths, addresses }: BindingColumns): Binding | null {
  if (origins === null && paths === null && addresses === null) return null;
  return {
    origins: origins === ownPages ? ownPages : (origins?.split(' ') ?? null),
    endpoints: paths?.split(' ') ?? null,
    addresses: addresses?.split(' ') ?? null,
  };
}

/** Whether a key of that kind can have been bound like this. */
export function isAsBound(kind: KeyKind, columns: BindingColumns): boolean {
  const { origins = null, endpoints = null, addresses = null } = bindingIn(columns) ?? {};
  if (kind === 'web') return origins === ownPages && endpoints === null && addresses === null;
  if (origins === ownPages || (kind === 'publishable') !== (origins !== null)) return false;
  const isSound =
    (origins ?? []).every((origin) => parseOrigin(origin) === origin) &&
    (endpoints ?? []).every((path) => pathForm.test(path)) &&
    (addresses ?? []).every(isBlockAsKept);
  return isSound && [origins, endpoints, addresses].every((list) => isSoundList(list ?? []));
}

function isBlockAsKept(text: string): boolean {
  const block = parseBlock(text);
  return block !== undefined && sayBlock(block) === text;
}

const isSoundList = (list: readonly string[]): boolean =>
  list.length <= listMost && new Set(list).size === list.length;
