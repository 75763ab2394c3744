// Paths beside the contract: health, metrics and the list of datasets; the documentation and the pages list their own.

import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type Settings, settings as settingTable } from '../config.ts';
import { basePath, type Endpoint } from '../contract/endpoint.ts';
import { refuseNames } from '../contract/input.ts';
import type { Publication } from '../contract/missing-datasets.ts';
import { refuse } from '../contract/refusal.ts';
import type { Replica } from '../contract/replica.ts';
import type { Updates } from '../contract/updates.ts';
import type { DatasetName } from '../datasets.ts';
import { type Ledger, LedgerUnavailable } from '../ledger/ledger.ts';
import type { PlanPrice } from '../ledger/plans.ts';
import { metricsContentType } from '../metrics/exposition.ts';
import type { LiveService } from '../upstream/index.ts';
import type { Desk } from './call.ts';
import { datasetsOf } from './datasets.ts';
import { documents } from './docs/operations.ts';
import { dataHeaders, type Reply, refusalReply, replyOf, requestHeaders } from './envelope.ts';
import { jsonReply, type Operation } from './operation.ts';
import { noOwnData, noReleaseYet } from './refusals.ts';
import { type BackdropDesk, backdropOperations } from './web/backdrop.ts';
import { type WebPagesDesk, webPages } from './web/pages.ts';
import { tilesFileOperations } from './web/tiles-file.ts';
import { namesIn } from './wire/target.ts';

type Releases = Pick<Desk['releases'], 'live' | 'forLiveKeys'>;

export type OperationsDesk = WebPagesDesk &
  BackdropDesk & {
    readonly releases: Releases;
    readonly endpoints: readonly Endpoint[];
    readonly ledger: Ledger;
    /** Whether calls are to come, or go elsewhere since the service is about to stop. */
    readonly phase: () => 'serving' | 'draining';
    /** Undefined where the operator has not switched it on. */
    readonly liveService: LiveService | undefined;
    readonly settings: Settings;
    readonly version: string;
    /** Where the files of each dataset are. */
    readonly publications: readonly Publication[];
    readonly updates: () => Updates;
    /** As the operator has set them. */
    readonly planPrices: () => Promise<readonly PlanPrice[]>;
    /** Undefined where the service follows no published releases. */
    readonly replica: () => Replica | undefined;
    /** As Prometheus text. */
    readonly renderMetrics: () => Promise<string>;
  };

export function operations(desk: OperationsDesk): readonly Operation[] {
  const ready = shared(() => desk.ledger.ready());
  return [
    { path: '/health/live', reply: ({ id }) => jsonReply(id, { status: 'live' }) },
    { path: '/health/ready', reply: ({ id }) => readiness(id, desk, ready) },
    { path: '/metrics', reply: (request) => metrics(request, desk), pages: 'none' },
    { path: `${basePath}/datasets`, reply: (request) => datasets(request, desk) },
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
  if (isWithheld(releases, 'postcodes'))
    return unready(`The service answers no live keys, since ${noOwnData}.`);
  const { lastRun, nextRun, publications } = updates();
  const failing = publications.filter(({ failingSince }) => failingSince !== null).length;
  const update = { lastRun, nextRun, failing };
  const told = { status: 'ready', release: release.id, update };
  return jsonReply(requestId, followed === undefined ? told : { ...told, replica: followed });
}

/** It is there, and not for live keys. */
const isWithheld = ({ live, forLiveKeys }: Releases, dataset: DatasetName): boolean =>
  live()?.findDataset(dataset) !== undefined && forLiveKeys()?.findDataset(dataset) === undefined;

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

function datasets(request: FastifyRequest, desk: OperationsDesk): Reply {
  const { id: requestId } = request;
  const reference = { requestId, publicUrl: desk.settings.publicUrl };
  const odd = refuseNames(namesIn(request), []);
  if (odd !== undefined) return refusalReply(odd, reference);
  const release = desk.releases.live();
  if (release === undefined) return refusalReply(noReleaseYet(), reference);
  const { endpoints, publications, updates, liveService } = desk;
  const held = datasetsOf(release, endpoints, publications);
  const live = liveService === undefined ? [] : [liveService.facts];
  const data = { ...held, updates: updates(), live };
  return jsonReply(requestId, { success: true, data }, dataHeaders(release));
}

const noMetricsToken = `This service has no token for /metrics. Its operator can set one with ${settingTable.metricsToken.env}, or open a port for metrics alone with ${settingTable.metricsPort.env}.`;

/** Loopback is not enough: a proxy on the machine calls from there for anybody. */
function mayReadMetrics({ headers }: FastifyRequest, token: string | undefined): boolean {
  const sent = headers.authorization?.replace(/^Bearer /i, '');
  if (token === undefined || sent === undefined) return false;
  const [a, b] = [Buffer.from(sent), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
