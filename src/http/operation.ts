// What a path beside the contract is, and the replies that such paths share: JSON, pages, files, and that it has moved.

import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type Headers, jsonType, type Reply, replyOf, requestHeaders } from './envelope.ts';
import type { StreamedReply } from './wire/stream.ts';
import { queryOf } from './wire/target.ts';

/** A path that needs no key: asked by GET or HEAD, free. */
export type Operation = {
  readonly path: string;
  readonly reply: (request: FastifyRequest) => Reply | Promise<Reply | StreamedReply>;
  /** Pages of any origin may read what anybody may; this says otherwise. */
  readonly pages?: 'none';
};

/** `tiles`: the one origin elsewhere that a map fetches its tiles from. */
export function contentSecurityPolicy(tiles?: string): string {
  const also = tiles === undefined ? '' : ` ${tiles}`;
  return `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'${also}; img-src 'self' data:${also}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

const ownPolicy = contentSecurityPolicy();

export const jsonReply = (requestId: string, value: unknown, headers: Headers = []): Reply =>
  textReply(requestId, jsonType, JSON.stringify(value), headers);

/** `headers` where a page has more to say of itself. */
export const pageReply = (
  requestId: string,
  body: Reply['body'],
  status = 200,
  headers: Headers = [],
): Reply =>
  textReply(
    requestId,
    'text/html; charset=utf-8',
    body,
    headers.includes('content-security-policy')
      ? headers
      : ['content-security-policy', ownPolicy, ...headers],
    status,
  );

export function textReply(
  requestId: string,
  type: string,
  body: Reply['body'],
  headers: Headers = [],
  status = 200,
): Reply {
  return replyOf(status, ownHeaders(requestId, headers), type, body);
}

export function ownHeaders(requestId: string, headers: Headers): Headers {
  const own = ['x-content-type-options', 'nosniff', 'referrer-policy', 'no-referrer'];
  const caching = headers.includes('cache-control')
    ? []
    : ['cache-control', 'no-cache', 'vary', 'Accept-Encoding'];
  return [...requestHeaders(requestId), ...caching, ...own, ...headers];
}

/** An empty 304 for whoever has this version already; `whole` names the same ETag. */
export function unlessKnown({ headers }: FastifyRequest, etag: string, whole: Reply): Reply {
  const known = headers['if-none-match']?.split(',').some((each) => each.trim() === etag);
  if (known !== true) return whole;
  const about = whole.headers.indexOf('content-type');
  return { status: 304, headers: whole.headers.slice(0, about), body: '', bodyBytes: 0 };
}

/** The version of what is sent to everybody, whatever its coding. */
export const etagOfBytes = (bytes: Buffer): string =>
  `W/"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;

/** For good, and with the query that was sent. */
export function moved(request: FastifyRequest, path: string): Reply {
  const query = queryOf(request);
  const location = query === '' ? path : `${path}?${query}`;
  return replyOf(308, [...requestHeaders(request.id), 'location', location], 'text/plain', '');
}
