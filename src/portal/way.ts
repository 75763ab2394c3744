// How a page reached the service: over TLS, on this machine, or in the clear. It decides which cookie a session has, which
// origin is our own, and whether anybody may sign in at all.

import type { Settings } from '../config.ts';

export type Way =
  | { readonly kind: 'tls' | 'this machine'; readonly origin: string }
  | { readonly kind: 'in the clear'; readonly because: string };

type Asked = {
  readonly host: string | undefined;
  /** Of the connection, and whether a proxy says that it stands between. */
  readonly address: string;
  readonly forwarded: 'by a proxy' | 'no';
};

const advice =
  'Nobody can sign in here: passwords would cross the network in the clear. Put TLS in front of this service and set DOMESDAY_PUBLIC_URL to its https address, or open it on its own machine.';

/** The operator's word counts for TLS: a proxy may tell any Host. Without it only a browser on this machine is safe, whatever
 *  address of this machine the operator has set: nothing keeps the network from reaching it by another. */
export function wayOf({ publicUrl }: Pick<Settings, 'publicUrl'>, { host, address, forwarded }: Asked): Way {
  const set = publicUrl === undefined ? null : new URL(publicUrl);
  if (set?.protocol === 'https:') return { kind: 'tls', origin: set.origin };
  const asked = host === undefined ? null : URL.parse(`http://${host}`);
  const isLocal =
    asked !== null &&
    asked.host === host?.toLowerCase() &&
    isThisMachine(asked.hostname) &&
    isLoopback(address) &&
    forwarded === 'no' &&
    (set === null || isThisMachine(set.hostname));
  return isLocal
    ? { kind: 'this machine', origin: (set ?? asked).origin }
    : { kind: 'in the clear', because: advice };
}

const isThisMachine = (hostname: string): boolean =>
  /^(?:.+\.)?localhost$/.test(hostname) || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));

const isLoopback = (address: string): boolean =>
  /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address) || address === '::1';

type CookieName = 'session' | 'device';

/** `__Host-`: browsers take it over TLS alone, for this host alone, so that no sibling can set it. */
const cookieNames = {
  tls: { session: '__Host-domesday', device: '__Host-domesday-device' },
  'this machine': { session: 'domesday', device: 'domesday-device' },
} as const satisfies Record<Exclude<Way['kind'], 'in the clear'>, Record<CookieName, string>>;

/** What the browser sent under that name; undefined where nothing, or two of them, since one is then not ours. */
export function cookieIn(way: Way, header: string | undefined, cookie: CookieName): string | undefined {
  if (way.kind === 'in the clear' || header === undefined) return undefined;
  const start = `${cookieNames[way.kind][cookie]}=`;
  const found = header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(start));
  return found.length === 1 ? found[0]?.slice(start.length) : undefined;
}

/** No value: it is to be forgotten. Lax, so that a link from elsewhere finds its reader signed in; writes need more. */
export function cookieText(
  way: Exclude<Way, { kind: 'in the clear' }>,
  cookie: CookieName,
  kept: { readonly value: string; readonly seconds: number } | 'forgotten',
): string {
  const { value, seconds } = kept === 'forgotten' ? { value: '', seconds: 0 } : kept;
  const secure = way.kind === 'tls' ? '; Secure' : '';
  return `${cookieNames[way.kind][cookie]}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}
