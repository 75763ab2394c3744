// Paths beside the contract: health, metrics, the list of datasets, OpenAPI and the documentation.

import { timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { basePath, type Endpoint, refuse, type Upstream } from '../contract/endpoint.ts';
import { findMissingDatasets, type Publication } from '../contract/missing-datasets.ts';
import { openApi } from '../contract/openapi.ts';
import { type Ledger, LedgerUnavailable } from '../ledger/ledger.ts';
import type { Release } from '../release/reader.ts';
import { docsPage } from './docs/page.ts';
import { dataHeaders, type Headers, type Reply, refusalReply } from './envelope.ts';
import { metricsContentType } from './observe/metrics.ts';

export type OperationsDesk = {
  readonly endpoints: readonly Endpoint[];
  readonly releases: { readonly live: () => Release };
  readonly ledger: Ledger;
  readonly upstream?: Upstream;
  readonly version: string;
  /** Where the files of each dataset are. */
  readonly publications: readonly Publication[];
  readonly metricsToken: string | undefined;
  /** The figures of every worker, as Prometheus text. */
  readonly renderMetrics: () => Promise<string>;
};

type Send = (request: FastifyRequest, reply: FastifyReply, answered: Reply) => FastifyReply;

const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function operationRoutes(app: FastifyInstance, desk: OperationsDesk, send: Send): void {
  healthRoutes(app, desk, send);
  documentRoutes(app, desk, send);
  app.get('/metrics', async (request, reply) => {
    const headers: Headers = ['x-request-id', request.id];
    if (!mayReadMetrics(request, desk.metricsToken)) {
      const message =
        'Read /metrics from the machine itself, or send Authorization: Bearer with the token of DOMESDAY_METRICS_TOKEN.';
      return send(
        request,
        reply,
        refusalReply(refuse('AUTHENTICATION_REQUIRED', message), request.id, headers),
      );
    }
    headers.push('content-type', metricsContentType);
    return send(request, reply, { status: 200, headers, body: await desk.renderMetrics() });
  });
}

function healthRoutes(app: FastifyInstance, desk: OperationsDesk, send: Send): void {
  app.get('/health/live', (request, reply) =>
    send(request, reply, jsonReply(request, 200, { status: 'live' })),
  );
  app.get('/health/ready', async (request, reply) => {
    try {
      await desk.ledger.ready();
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error;
      const message = 'The ledger cannot be used; see the log, or run "domesday check".';
      const headers: Headers = ['x-request-id', request.id];
      return send(request, reply, refusalReply(refuse('SERVICE_UNAVAILABLE', message), request.id, headers));
    }
    const release = desk.releases.live().id;
    return send(request, reply, jsonReply(request, 200, { status: 'ready', release }));
  });
}

function documentRoutes(app: FastifyInstance, desk: OperationsDesk, send: Send): void {
  // Each is made when it is first asked for: together they would be a tenth of a start.
  let specification: string | undefined;
  let page: string | undefined;
  app.get(`${basePath}/openapi.json`, (request, reply) => {
    specification ??= JSON.stringify(openApi(desk.endpoints, desk.version));
    return send(request, reply, textReply(request, 'application/json; charset=utf-8', specification));
  });
  app.get(`${basePath}/datasets`, (request, reply) => {
    const release = desk.releases.live();
    const data = { ...datasetsOf(release, desk), live: liveSources(desk.upstream) };
    const answer = jsonReply(request, 200, { success: true, data });
    dataHeaders(answer.headers, release, []);
    return send(request, reply, answer);
  });
  app.get('/docs', (request, reply) => {
    page ??= docsPage(desk.endpoints, desk.version);
    return send(request, reply, textReply(request, 'text/html; charset=utf-8', page));
  });
  for (const [name, type] of [
    ['docs.css', 'text/css; charset=utf-8'],
    ['docs.js', 'text/javascript; charset=utf-8'],
  ] as const) {
    app.get(`/docs/${name}`, async (request, reply) => {
      const file = await readFile(new URL(`../../web/docs/${name}`, import.meta.url), 'utf8');
      return send(request, reply, textReply(request, type, file));
    });
  }
  app.get('/', (request, reply) =>
    send(request, reply, {
      status: 302,
      headers: ['x-request-id', request.id, 'location', '/docs'],
      body: '',
    }),
  );
}

/** What is loaded, and what an endpoint would read that is not. */
function datasetsOf(release: Release, { endpoints, publications }: OperationsDesk) {
  const { id, manifest } = release;
  const loaded = release.datasets.map(({ files, ...dataset }) => ({ ...dataset, files: files.length }));
  return {
    release: { id, createdAt: manifest.createdAt, kind: manifest.kind },
    datasets: loaded,
    notLoaded: findMissingDatasets(endpoints, release, publications),
  };
}

/** Services that are asked where nothing is loaded, with the terms that bind whoever uses their answers. */
function liveSources({ police, valuationSite }: Upstream = {}) {
  return [police, valuationSite].flatMap((service) => (service === undefined ? [] : [service.facts]));
}

function jsonReply(request: FastifyRequest, status: number, value: unknown): Reply {
  return { ...textReply(request, 'application/json; charset=utf-8', JSON.stringify(value)), status };
}

function textReply({ id }: FastifyRequest, type: string, body: string): Reply {
  const headers = ['x-request-id', id, 'content-type', type, 'cache-control', 'no-cache'];
  headers.push('x-content-type-options', 'nosniff', 'referrer-policy', 'no-referrer');
  if (type.startsWith('text/html')) headers.push('content-security-policy', contentSecurityPolicy);
  return { status: 200, headers, body };
}

/** Loopback counts only when no proxy stands between: a forwarded request may come from anywhere. */
function mayReadMetrics({ headers, socket }: FastifyRequest, token: string | undefined): boolean {
  const sent = headers.authorization?.replace(/^Bearer /i, '');
  if (token !== undefined && sent !== undefined && sent.length === token.length) {
    const [a, b] = [Buffer.from(sent), Buffer.from(token)];
    if (a.length === b.length && timingSafeEqual(a, b)) return true;
  }
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return !isForwarded && isLoopback(socket.remoteAddress ?? '');
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/, '');
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}
