// Asks the service what the contract of the pages allows. Whatever goes wrong comes back as a value with a sentence for the
// reader, so that no page has to catch anything.

import type { RefusalCode } from '../src/people/people.ts';
import type { RouteName, Routes } from '../src/portal/routes.ts';
import type { PortalRefusal } from '../src/portal/views.ts';

/** `UNREACHABLE`: no reply came at all, or none that this page understands. */
export type Refusal = {
  readonly kind: 'refused';
  readonly code: RefusalCode | 'UNREACHABLE';
  readonly message: string;
  /** The member of what was sent that is to blame. */
  readonly field?: string;
  readonly retryAfterSeconds?: number;
};

export type Told<R extends RouteName> = Routes[R]['tells'];
export type Answer<R extends RouteName> = { readonly kind: 'told'; readonly told: Told<R> } | Refusal;

/** A part that may be empty may be left out. */
type Part<Name extends string, Value> =
  Record<never, never> extends Value
    ? { readonly [name in Name]?: Value }
    : { readonly [name in Name]: Value };

export type Wish<R extends RouteName> = Part<'in', Routes[R]['in']> & Part<'takes', Routes[R]['takes']>;

type AnyWish = {
  readonly in?: Readonly<Record<string, string>>;
  readonly takes?: Readonly<Record<string, unknown>>;
};

export async function ask<R extends RouteName>(
  route: R,
  wish: Wish<R>,
  signal?: AbortSignal,
): Promise<Answer<R>> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const { in: parts = {}, takes = {} }: AnyWish = wish;
  const address = fillIn(path, parts);
  const init: RequestInit = { method, headers: { accept: 'application/json' }, signal: signal ?? null };
  const isRead = method === 'GET';
  const request = isRead
    ? new Request(withQuery(address, takes), init)
    : new Request(address, {
        ...init,
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify(takes),
      });
  try {
    const response = await fetch(request);
    const body = await response.json();
    if (!response.ok) return refusalIn(body);
    const told: Told<R> = body;
    return { kind: 'told', told };
  } catch (fault) {
    // Nobody waits for it any more.
    if (signal?.aborted === true) return unreachable;
    if (fault instanceof TypeError || fault instanceof SyntaxError) return unreachable;
    throw fault;
  }
}

/** `/portal/accounts/:accountId` → `/portal/accounts/acc_1`. */
const fillIn = (path: string, parts: Readonly<Record<string, string>>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(parts[name] ?? ''));

function withQuery(address: string, takes: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams(
    Object.entries(takes).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  return query === '' ? address : `${address}?${query}`;
}

function refusalIn(body: PortalRefusal | null): Refusal {
  const error = body?.error;
  return error === undefined ? unreachable : { kind: 'refused', ...error };
}

const unreachable: Refusal = {
  kind: 'refused',
  code: 'UNREACHABLE',
  message: 'The service did not answer. Check your connection, then try again.',
};
