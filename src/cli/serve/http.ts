// The HTTP server over a ledger and two releases, which may be switched under it.

import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '../../config.ts';
import { endpoints } from '../../endpoints/index.ts';
import { errorCode } from '../../errno.ts';
import type { Log } from '../../http/observe/log.ts';
import { RequestFigures } from '../../http/observe/request-figures.ts';
import { buildServer } from '../../http/server.ts';
import { servicePatience } from '../../http/wire/listen.ts';
import { chargeIds, requestIds } from '../../http/wire/request-ids.ts';
import type { OpenLedger } from '../../ledger/ledger.ts';
import type { PlanPrice } from '../../ledger/plans.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { readPlanPrices } from '../../people/accounts/plan-prices.ts';
import type { Release } from '../../release/reader.ts';
import { RequestLog } from '../../requests/request-log.ts';
import { type Database, DatabaseUnavailable, type Sql } from '../../storage/sql.ts';
import { openLiveService } from '../../upstream/index.ts';
import { CommandRefused } from '../command.ts';
import { publications } from '../publications.ts';
import { version } from '../version.ts';
import { releaseForLiveKeys } from './reach.ts';
import { openReplica } from './replica.ts';
import { openUpdates } from './updates.ts';

type HttpParts = {
  readonly books: Pick<OpenLedger, 'ledger' | 'accounts'>;
  readonly database: Database;
  /** Has the last requests. */
  readonly store: Sql;
  /** Undefined where a replica has not fetched its first one yet. */
  readonly live: Release | undefined;
  /** A promise while the first start still builds it; test keys then wait. */
  readonly sandbox: Release | Promise<Release>;
  readonly log: Log;
  readonly now: () => number;
  readonly metrics: Metrics;
  readonly renderMetrics: () => Promise<string>;
};

export type RunningHttp = {
  readonly port: number;
  readonly switchTo: (release: Release) => void;
  /** Answers on, and says that calls are to go elsewhere. */
  readonly drain: () => void;
  /** Stops accepting, finishes what is in flight. */
  readonly close: () => Promise<void>;
};

const systemClock = { now: Date.now, sleep: (ms: number) => setTimeout(ms) };

export async function startHttp(settings: Settings, parts: HttpParts): Promise<RunningHttp> {
  const { metrics, renderMetrics } = parts;
  const { host, port } = settings;
  let live = parts.live;
  let forLiveKeys = releaseForLiveKeys(settings, live);
  let phase: 'serving' | 'draining' = 'serving';
  const traces = isTraced(settings)
    ? (await import('./span-sender.ts')).openTraces(settings, metrics, parts.log)
    : undefined;
  const requests = new RequestLog(parts);
  const updates = openUpdates(settings, parts.now);
  const openPortal = async () => {
    const { openServicePortal } = await import('./portal.ts');
    const reached = { ...settings, port: boundPort(app, port) };
    return openServicePortal({ ...parts, settings: reached, requests, updates, live: () => live });
  };
  const app = buildServer({
    settings,
    endpoints,
    ...parts.books,
    phase: () => phase,
    releases: { live: () => live, forLiveKeys: () => forLiveKeys, sandbox: () => parts.sandbox },
    liveService: await openLiveService(settings, systemClock, metrics),
    log: parts.log,
    tracer: traces?.tracer,
    requests,
    figures: new RequestFigures(metrics),
    now: parts.now,
    elapsedMs: performance.now.bind(performance),
    newRequestId: requestIds(randomBytes),
    newChargeId: chargeIds(randomBytes, parts.now()),
    patience: servicePatience,
    version,
    publications,
    updates,
    replica: openReplica(settings, parts.now),
    renderMetrics,
    openPortal,
    planPrices: () => planPrices(parts.database),
  });
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw listenRefusal(error, host, port);
  }
  return {
    port: boundPort(app, port),
    switchTo: (release) => {
      live = release;
      forLiveKeys = releaseForLiveKeys(settings, release);
    },
    drain: () => {
      phase = 'draining';
    },
    close: async () => {
      await app.close();
      await requests.close();
      await traces?.close();
    },
  };
}

/** Documents are shown without prices where the database is away. */
async function planPrices(database: Database): Promise<readonly PlanPrice[]> {
  try {
    return await readPlanPrices(database);
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return [];
    throw error;
  }
}

/** The port may have been left to the system. */
function boundPort(app: FastifyInstance, wished: number): number {
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : wished;
}

/** Where not, nothing of it is even loaded. */
const isTraced = ({ otlpEndpoint, otlpTracesEndpoint }: Settings): boolean =>
  otlpEndpoint !== undefined || otlpTracesEndpoint !== undefined;

/** The operating system's reasons not to listen, in words that say what to do. */
export function listenRefusal(
  error: unknown,
  host: string,
  port: number,
  settings = 'PORT or --port',
): unknown {
  const code = errorCode(error);
  switch (code) {
    case 'EADDRINUSE':
      return new CommandRefused(
        `Port ${port} on ${host} is in use; stop the program that uses it, or choose another with ${settings}.`,
      );
    case 'EACCES':
      return new CommandRefused(
        `Port ${port} needs more rights than this user has; choose one above 1023 with ${settings}.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new CommandRefused(`${host} is not an address of this machine; correct HOST or --host.`);
    default:
      return error;
  }
}
