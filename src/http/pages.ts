// Calls from web pages: what a browser asks before it lets a page call (the preflight), and which pages may read a reply. The
// preflight is the same for everybody and so tells nothing; whether a page may read is decided with the key.

import type { FastifyRequest } from 'fastify';
import { basePath } from '../contract/endpoint.ts';
import { boundOrigin, parseOrigin } from '../ledger/binding.ts';
import type { Caller } from '../ledger/ledger.ts';
import { type Reply, requestHeaders } from './envelope.ts';
import { pathOf } from './wire/target.ts';

/** A page of another origin than the service's, or one that posts; a browser always says which. */
export type Page = {
  readonly origin: string;
  readonly key: string | undefined;
  /** The service's own origin, where the page is one of its own. */
  readonly own: string | undefined;
};

/** Which page a request comes from. Where nothing says how the service is reached, its own pages are those of this machine: any
 *  other name may be one that a stranger has pointed here. */
export function pageOf(headers: FastifyRequest['headers'], publicUrl: string | undefined): Page | undefined {
  const { origin, host } = headers;
  if (origin === undefined) return undefined;
  const key = headers['x-api-key'];
  const service = publicUrl === undefined ? parseOrigin(`http://${host}`) : new URL(publicUrl).origin;
  return {
    origin,
    key: typeof key === 'string' ? key : key?.[0],
    own: URL.parse(origin)?.origin === service ? service : undefined,
  };
}

export const anyPage = '*';

/** Made for servers, or to be handed to one page only: a page that has such a key is told nothing. */
const keyOfServers = /^\s*dd_(?!test_|pub_)/i;

/** The origin whose pages may read the reply, or all of them; undefined where none may. A reply that speaks of no account
 *  tells a page why its call failed, unless the key that it sent should not be in a page. */
export function readersOf(page: Page | undefined, caller: Caller | undefined): string | undefined {
  if (page === undefined) return undefined;
  const { origin, key, own } = page;
  if (caller === undefined) return key !== undefined && keyOfServers.test(key) ? undefined : anyPage;
  const { mode, binding } = caller;
  const origins = binding?.origins ?? null;
  if (origins === 'own') return own;
  if (origins !== null) return boundOrigin(origins, origin);
  return mode === 'test' ? anyPage : undefined;
}

/** What a browser asks before a page may call; on every path of the API, also those that are not there, so that the page can
 *  read the 404. */
export const isPreflight = (request: FastifyRequest): boolean =>
  request.method === 'OPTIONS' &&
  request.headers['access-control-request-method'] !== undefined &&
  pathOf(request).startsWith(`${basePath}/`);

/** What a page may send beside what every page may. The last two are of tracing. */
const sendable = [
  'accept',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'x-api-key',
  'x-request-id',
  'x-sandbox-outcome',
  'traceparent',
  'tracestate',
].join(', ');

/** Chromium keeps no answer longer. */
const keptSeconds = '7200';

export function preflightReply(requestId: string, methods: Iterable<string>): Reply {
  const headers = [
    ...requestHeaders(requestId),
    'access-control-allow-origin',
    anyPage,
    'access-control-allow-methods',
    [...methods].join(', '),
    'access-control-allow-headers',
    sendable,
    'access-control-max-age',
    keptSeconds,
  ];
  return { status: 204, headers, body: '', bodyBytes: 0 };
}
