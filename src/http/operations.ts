// Paths beside the contract: health, metrics, the list of datasets, OpenAPI, the documentation and the pages.

import { timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import { type Settings, settings as settingTable } from '../config.ts';
import { basePath, type Endpoint } from '../contract/endpoint.ts';
import type { LiveServices } from '../contract/live.ts';
import { findMissingDatasets, findMissingHoldings, type Publication } from '../contract/missing-datasets.ts';
import { openApi } from '../contract/openapi.ts';
import { refuse } from '../contract/refusal.ts';
import type { Replica } from '../contract/replica.ts';
import type { Updates } from '../contract/updates.ts';
import { errorCodes, isErrorCode } from '../errors.ts';
import { type Ledger, LedgerUnavailable } from '../ledger/ledger.ts';
import { publicKey } from '../ledger/public-sandbox.ts';
import { metricsContentType } from '../metrics/exposition.ts';
import type { Release } from '../release/reader.ts';
import { atAskedAddress } from './docs/asked-address.ts';
import { errorCodePage, errorListPage, noSuchErrorPage } from './docs/error-pages.ts';
import { docsPage } from './docs/page.ts';
import { dataHeaders, jsonType, type Reply, refusalReply, replyOf, requestHeaders } from './envelope.ts';
import { jsonReply, moved, type Operation, pageReply, textReply } from './operation.ts';
import { noReleaseYet } from './refusals.ts';
import { type BackdropDesk, backdropOperations } from './web/backdrop.ts';
import { type WebPagesDesk, webPages } from './web/pages.ts';
import { tilesFileOperations } from './web/tiles-file.ts';
import { pathOf } from './wire/target.ts';

export type OperationsDesk = WebPagesDesk &
  BackdropDesk & {
    readonly endpoints: readonly Endpoint[];
    readonly ledger: Ledger;
    /** Whether calls are to come, or go elsewhere since the service is about to stop. */
    readonly phase: () => 'serving' | 'draining';
    readonly live: LiveServices;
    readonly settings: Settings;
    readonly version: string;
    /** Where the files of each dataset are. */
    readonly publications: readonly Publication[];
    readonly updates: () => Updates;
    /** Undefined where the service follows no published releases. */
    readonly replica: () => Replica | undefined;
    /** The figures of every worker, as Prometheus text. */
    readonly renderMetrics: () => Promise<string>;
  };

export function operations(desk: OperationsDesk): readonly Operation[] {
  const ready = shared(() => desk.ledger.ready());
  return [
    { path: '/health/live', reply: ({ id }) => jsonReply(id, { status: 'live' }) },
    { path: '/health/ready', reply: ({ id }) => readiness(id, desk, ready) },
    { path: '/metrics', reply: (request) => metrics(request, desk), pages: 'none' },
    { path: `${basePath}/datasets`, reply: ({ id }) => datasets(id, desk) },
    ...documents(desk),
    ...backdropOperations(desk),
    ...tilesFileOperations(desk),
    ...webPages(desk),
  ];
}

/** Whoever asks while it is being found out hears the same answer. */
function shared(ask: () => Promise<void>): () => Promise<void> {
  let asking: Promise<void> | undefined;
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

async function readiness(
  requestId: string,
  { releases, settings, updates, replica, phase }: OperationsDesk,
  ready: () => Promise<void>,
): Promise<Reply> {
  const unready = (message: string) =>
    refusalReply(refuse('SERVICE_UNAVAILABLE', message), { requestId, publicUrl: settings.publicUrl });
  if (phase() === 'draining') return unready('The service is about to stop; send calls elsewhere.');
  try {
    await ready();
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    return unready('The service cannot use its ledger; the operator finds the cause in the log.');
  }
  const release = releases.live();
  const followed = replica();
  if (release === undefined) return unready(waitingFor(followed));
  const { lastRun, nextRun, publications } = updates();
  const failing = publications.filter(({ failingSince }) => failingSince !== null).length;
  const update = { lastRun, nextRun, failing };
  const told = { status: 'ready', release: release.id, update };
  return jsonReply(requestId, followed === undefined ? told : { ...told, replica: followed });
}

function waitingFor(replica: Replica | undefined): string {
  const because = replica?.failingBecause ?? null;
  return because === null
    ? 'The first release is not here yet.'
    : `The first release is not here yet: ${because}. The operator finds more in the log.`;
}

async function metrics(request: FastifyRequest, desk: OperationsDesk): Promise<Reply> {
  const { metricsToken, publicUrl } = desk.settings;
  if (!mayReadMetrics(request, metricsToken)) {
    const message =
      metricsToken === undefined
        ? noMetricsToken
        : 'Send the token for /metrics: Authorization: Bearer TOKEN.';
    return refusalReply(refuse('AUTHENTICATION_REQUIRED', message), { requestId: request.id, publicUrl });
  }
  return replyOf(200, requestHeaders(request.id), metricsContentType, await desk.renderMetrics());
}

function datasets(requestId: string, desk: OperationsDesk): Reply {
  const release = desk.releases.live();
  if (release === undefined)
    return refusalReply(noReleaseYet(), { requestId, publicUrl: desk.settings.publicUrl });
  const data = { ...datasetsOf(release, desk), live: desk.live.facts };
  return jsonReply(requestId, { success: true, data }, dataHeaders(release));
}

function documents(desk: OperationsDesk): readonly Operation[] {
  // Each is made when it is first asked for: together they would be a tenth of a start.
  let specification: Buffer | undefined;
  let page: string | undefined;
  // Most readers ask the same host: the page need not be encoded for each.
  let last: { readonly host: string | undefined; readonly bytes: Buffer } | undefined;
  const { endpoints, version, settings } = desk;
  const reference = {
    endpoints,
    version,
    publicKey: settings.publicSandbox === 'on' ? publicKey : undefined,
    publicUrl: settings.publicUrl,
  };
  let errorList: Buffer | undefined;
  // As bytes, they are kept compressed too.
  const file = (name: string, type: string): Operation => {
    let bytes: Buffer | undefined;
    return {
      path: `/docs/${name}`,
      reply: async ({ id }) => {
        bytes ??= await readFile(new URL(`../../web/docs/${name}`, import.meta.url));
        return textReply(id, type, bytes);
      },
    };
  };
  return [
    {
      path: `${basePath}/openapi.json`,
      reply: ({ id }) => {
        specification ??= Buffer.from(JSON.stringify(openApi(desk.endpoints, desk.version)));
        return textReply(id, jsonType, specification);
      },
    },
    {
      path: '/docs',
      reply: ({ id, headers: { host } }) => {
        page ??= docsPage(reference);
        if (last === undefined || last.host !== host)
          last = { host, bytes: Buffer.from(atAskedAddress(page, host)) };
        return pageReply(id, last.bytes);
      },
    },
    { path: '/docs/', reply: (request) => moved(request, '/docs') },
    {
      path: '/docs/errors',
      reply: ({ id }) => {
        errorList ??= Buffer.from(errorListPage(version));
        return pageReply(id, errorList);
      },
    },
    ...errorCodes.map((code) => ({
      path: `/docs/errors/${code}`,
      reply: ({ id, headers }: FastifyRequest) =>
        pageReply(id, atAskedAddress(errorCodePage(code, reference), headers.host)),
    })),
    { path: '/docs/errors/*', reply: (request) => strayErrorPage(request, version) },
    file('colours.css', 'text/css; charset=utf-8'),
    file('docs.css', 'text/css; charset=utf-8'),
    file('docs.js', 'text/javascript; charset=utf-8'),
    file('origin.js', 'text/javascript; charset=utf-8'),
  ];
}

/** A code in other letters, or with a slash behind it, is led to its page. */
function strayErrorPage(request: FastifyRequest, version: string): Reply {
  const named = pathOf(request).slice('/docs/errors/'.length).replace(/\/+$/, '');
  if (named === '') return moved(request, '/docs/errors');
  const code = named.toUpperCase();
  if (isErrorCode(code)) return moved(request, `/docs/errors/${code}`);
  return pageReply(request.id, noSuchErrorPage(named, version), 404);
}

/** What is loaded, and what an endpoint would read that is not. */
function datasetsOf(release: Release, { endpoints, publications, updates }: OperationsDesk) {
  const { id, manifest } = release;
  const lacking = Map.groupBy(findMissingHoldings(endpoints, release), ({ name }) => name);
  const loaded = release.datasets.map(({ files, ...dataset }) => ({
    ...dataset,
    files: files.length,
    /** What another publication of the dataset would have, and the fields that are null without it. */
    lacks: (lacking.get(dataset.name) ?? []).map(({ name: _, ...missing }) => missing),
  }));
  return {
    release: { id, createdAt: manifest.createdAt, kind: manifest.kind },
    datasets: loaded,
    notLoaded: findMissingDatasets(endpoints, release, publications),
    updates: updates(),
  };
}

const noMetricsToken = `This service has no token for /metrics. Its operator can set one with ${settingTable.metricsToken.env}, or open a port for metrics alone with ${settingTable.metricsPort.env}.`;

/** Loopback is not enough: a proxy on the machine calls from there for anybody. */
function mayReadMetrics({ headers }: FastifyRequest, token: string | undefined): boolean {
  const sent = headers.authorization?.replace(/^Bearer /i, '');
  if (token === undefined || sent === undefined) return false;
  const [a, b] = [Buffer.from(sent), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
