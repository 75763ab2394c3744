// One answering thread: the HTTP server over a ledger and two releases, which may be switched under it.

import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Upstream } from '../../contract/endpoint.ts';
import type { Publication } from '../../contract/missing-datasets.ts';
import { endpoints } from '../../endpoints/index.ts';
import { FailedKeys } from '../../http/failed-keys.ts';
import type { Log } from '../../http/observe/log.ts';
import { Metrics, type MetricsSnapshot } from '../../http/observe/metrics.ts';
import { buildServer } from '../../http/server.ts';
import { idSource } from '../../http/wire/request-ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Release } from '../../release/reader.ts';
import type { PoliceOptions } from '../../upstream/police.ts';
import type { ValuationSiteOptions } from '../../upstream/valuation/site.ts';
import { CommandRefused } from '../command.ts';

export type HttpOptions = {
  readonly host: string;
  readonly port: number;
  /** `shared` lets several threads listen on one port. */
  readonly portUse: 'own' | 'shared';
  readonly failedKeysPerMinute: number;
  readonly metricsToken: string | undefined;
  readonly trustedProxies: number;
  readonly version: string;
  readonly publications: readonly Publication[];
  /** The live police service, where the operator set one. */
  readonly police: PoliceOptions | undefined;
  /** The public valuation site, where the operator set it and accepted its terms. */
  readonly valuationSite: ValuationSiteOptions | undefined;
};

export type HttpParts = {
  readonly ledger: Ledger;
  readonly live: Release;
  /** A promise while the first start still builds it; test keys then wait. */
  readonly sandbox: Release | Promise<Release>;
  readonly log: Log;
  readonly now: () => number;
  /** The figures of all threads together. */
  readonly renderMetrics: (own: Metrics) => Promise<string>;
};

export type RunningHttp = {
  readonly port: number;
  readonly switchTo: (release: Release) => void;
  readonly snapshot: () => MetricsSnapshot;
  /** Stops accepting, finishes what is in flight. */
  readonly close: () => Promise<void>;
};

const sweepMs = 20;
const systemClock = { now: Date.now, sleep: (ms: number) => setTimeout(ms), random: Math.random };

export async function startHttp(options: HttpOptions, parts: HttpParts): Promise<RunningHttp> {
  const metrics = new Metrics();
  let live = parts.live;
  metrics.showRelease(live.id);
  const app = buildServer({
    endpoints,
    ledger: parts.ledger,
    releases: { live: () => live, sandbox: () => parts.sandbox },
    failedKeys: new FailedKeys(options.failedKeysPerMinute),
    upstream: await openUpstream(options),
    log: parts.log,
    metrics,
    now: parts.now,
    newId: idSource(randomBytes, parts.now()),
    trustedProxies: options.trustedProxies,
    version: options.version,
    publications: options.publications,
    metricsToken: options.metricsToken,
    renderMetrics: () => parts.renderMetrics(metrics),
  });
  const { host, port, portUse } = options;
  try {
    await app.listen({ host, port, ...(portUse === 'shared' ? { reusePort: true } : {}) });
  } catch (error) {
    throw listenRefusal(error, host, port);
  }
  const address = app.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    switchTo: (release) => {
      live = release;
      metrics.showRelease(release.id);
    },
    snapshot: () => metrics.snapshot(),
    close: async () => {
      // A connection whose last request was still running when the stop began goes idle only afterwards.
      const sweep = setInterval(() => app.server.closeIdleConnections(), sweepMs);
      await app.close();
      clearInterval(sweep);
    },
  };
}

/** Each is loaded only where the operator set it. */
async function openUpstream({ police, valuationSite }: HttpOptions): Promise<Upstream> {
  const upstream: { -readonly [service in keyof Upstream]: Upstream[service] } = {};
  if (police !== undefined) {
    const { openPoliceApi } = await import('../../upstream/police.ts');
    upstream.police = openPoliceApi(police, systemClock);
  }
  if (valuationSite !== undefined) {
    const { openValuationSite } = await import('../../upstream/valuation/site.ts');
    upstream.valuationSite = openValuationSite(valuationSite, systemClock);
  }
  return upstream;
}

/** The operating system's reasons not to listen, in words that say what to do. */
export function listenRefusal(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return new CommandRefused(
        `Port ${port} on ${host} is in use; stop the program that uses it, or choose another with PORT or --port.`,
      );
    case 'EACCES':
      return new CommandRefused(
        `Port ${port} needs more rights than this user has; choose one above 1023 with PORT or --port.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new CommandRefused(`${host} is not an address of this machine; correct HOST or --host.`);
    case 'ENOTSUP':
    case 'ENOPROTOOPT':
      return new CommandRefused(
        'This system cannot share a port between threads; set DOMESDAY_WORKERS to 1.',
      );
    default:
      return error;
  }
}
