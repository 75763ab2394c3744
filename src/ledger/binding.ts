// What a publishable key is bound to: the origins of the pages that may use it, and perhaps some endpoints. Origins are kept
// as a browser sends them, so that comparing is comparing texts.

import { type Binding, type KeyKind, LedgerRefusal } from './ledger.ts';

/** Of each: a page names its own, and nobody can look over more. */
const listMost = 50;

const originForm = /^https?:\/\/(?:[\p{L}\p{M}\p{N}._-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/iu;
const hostForm = /^(?:[\da-z._-]+|\[[\da-f:.]+\])$/;
const pathForm = /^(?:\/[\w.-]+)+$/;

/** As a browser sends it: in small letters, without the port that its scheme has anyway. Undefined for what is none that a
 *  key can be bound to: anything over plain http but this machine, and `null`, which pages without an origin send. */
export function parseOrigin(text: string): string | undefined {
  const url = originForm.test(text) ? URL.parse(text) : null;
  if (url === null || !hostForm.test(url.hostname)) return undefined;
  return url.protocol === 'https:' || isThisMachine(url.hostname) ? url.origin : undefined;
}

const isThisMachine = (host: string): boolean =>
  /^(?:.+\.)?localhost$/.test(host) || /^127(?:\.\d{1,3}){3}$/.test(host) || host === '[::1]';

/** The origin that a page sent, if the key may be used from there. */
export function boundOrigin({ origins }: Binding, sent: string | undefined): string | undefined {
  if (sent === undefined) return undefined;
  const origin = parseOrigin(sent);
  return origins.find((each) => each === origin);
}

/** What an operator wishes, as it is kept. */
export function checkBinding({ origins, endpoints }: Binding): Binding {
  const kept = [...new Set(origins.map(checkOrigin))];
  if (kept.length === 0) {
    throw new LedgerRefusal('A publishable key needs an origin: that of the page which is to use it.');
  }
  const paths = endpoints === null ? null : [...new Set(endpoints)];
  const odd = paths?.find((path) => !pathForm.test(path));
  if (odd !== undefined) throw new LedgerRefusal(`"${odd}" is no path of an endpoint, such as /bank-rates.`);
  if (paths?.length === 0) throw new LedgerRefusal('A key for no endpoint is of no use; name one, or all.');
  if (Math.max(kept.length, paths?.length ?? 0) > listMost) {
    throw new LedgerRefusal(`A key is bound to at most ${listMost} origins and ${listMost} endpoints.`);
  }
  return { origins: kept, endpoints: paths };
}

/** A slash at the end is what an address bar adds. */
function checkOrigin(text: string): string {
  const origin = parseOrigin(text.replace(/\/$/, ''));
  if (origin !== undefined) return origin;
  throw new LedgerRefusal(
    `"${text}" is no origin that a key can be bound to: name scheme and host, and the port if the address has one, such as https://www.example.com; http only for localhost, no path, no *.`,
  );
}

/** How the ledger keeps it: each list in one text, with spaces between. */
type BindingColumns = { readonly origins: string | null; readonly paths: string | null };

export function bindingColumns(binding: Binding | null): BindingColumns {
  return {
    origins: binding?.origins.join(' ') ?? null,
    paths: binding?.endpoints?.join(' ') ?? null,
  };
}

export function bindingIn({ origins, paths }: BindingColumns): Binding | null {
  if (origins === null) return null;
  return { origins: origins.split(' '), endpoints: paths?.split(' ') ?? null };
}

/** Whether a key of that kind can have been bound like this. */
export function isAsBound(kind: KeyKind, columns: BindingColumns): boolean {
  const binding = bindingIn(columns);
  if (kind !== 'publishable') return columns.origins === null && columns.paths === null;
  if (binding === null) return false;
  const { origins, endpoints } = binding;
  const isSound =
    origins.every((origin) => parseOrigin(origin) === origin) &&
    (endpoints?.every((path) => pathForm.test(path)) ?? true);
  const isShort = Math.max(origins.length, endpoints?.length ?? 0) <= listMost;
  return isSound && isShort && hasNoTwice(origins) && hasNoTwice(endpoints ?? []);
}

const hasNoTwice = (list: readonly string[]): boolean => new Set(list).size === list.length;
