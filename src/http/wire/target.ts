// The request target as it came: Fastify's own parsing is left out, since an endpoint reads its query once, from the text.

import type { FastifyRequest } from 'fastify';

export function pathOf({ raw: { url = '' } }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

export function queryOf({ raw: { url = '' } }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

/** Of the parameters in the query, as often as each was sent. */
export const namesIn = (request: FastifyRequest): Iterable<string> =>
  new URLSearchParams(queryOf(request)).keys();
