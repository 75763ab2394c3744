// What is answered at a path where there is nothing: programs are told in the envelope, people who follow a wrong link get a page.

import type { FastifyRequest } from 'fastify';
import { basePath } from '../../contract/endpoint.ts';
import { type Refusal, refuse } from '../../contract/refusal.ts';
import { html, page } from '../docs/html.ts';
import type { Reply } from '../envelope.ts';
import { isPageWanted } from '../negotiate.ts';
import { pageReply } from '../operation.ts';
import type { KnownMethods } from '../wire/known-methods.ts';
import { pathOf } from '../wire/target.ts';

/** A slash too many is a slip that many make. */
export function nothingAt(request: FastifyRequest, known: KnownMethods): Refusal {
  const path = pathOf(request);
  const bare = path.replace(/\/+$/, '');
  return bare !== path && bare.startsWith(`${basePath}/`) && known.of(bare) !== undefined
    ? refuse(
        'NOT_FOUND',
        `There is nothing at this path; the endpoint is at ${bare}, without a slash at its end.`,
      )
    : refuse('NOT_FOUND');
}

/** The API itself never answers a page. */
export const isForReader = (request: FastifyRequest): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  !pathOf(request).startsWith('/api/') &&
  isPageWanted(request.headers.accept);

export const noSuchPage = (requestId: string): Reply => ({
  ...pageReply(requestId, notThere, 404, ['cache-control', 'no-store', 'vary', 'Accept, Origin']),
  code: 'NOT_FOUND',
});

const notThere = page({
  title: 'Nothing here · Domesday',
  script: html``,
  body: html`<main id="main" class="single" tabindex="-1">
<h1>There is nothing at this address</h1>
<p class="lead">Check it for a typing slip, or go on from one of these pages:</p>
<ul>
<li><a href="/">Start page</a></li>
<li><a href="/explore">Explore a place</a></li>
<li><a href="/docs">Documentation of the API</a></li>
<li><a href="/account">Your dashboard</a></li>
</ul>
</main>`,
});
