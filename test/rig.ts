// What tests run against: the whole house in one process on a temporary home (openRig), or the real command as
// a process of its own (startDomesday). Always the real ledger and a release built by the real ingest.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { publications } from '../src/cli/publications.ts';
import { observeService } from '../src/cli/serve/figures.ts';
import { openUpdates } from '../src/cli/serve/updates.ts';
import { readSettings, type Settings } from '../src/config.ts';
import type { Endpoint } from '../src/contract/endpoint.ts';
import type { DatasetName } from '../src/datasets.ts';
import { endpoints as allEndpoints } from '../src/endpoints/index.ts';
import { Log } from '../src/http/observe/log.ts';
import { RequestFigures } from '../src/http/observe/request-figures.ts';
import type { Tracer } from '../src/http/observe/tracing/tracer.ts';
import type { Portal } from '../src/http/portal-door.ts';
import { buildServer } from '../src/http/server.ts';
import { type Patience, servicePatience } from '../src/http/wire/listen.ts';
import { chargeIds, requestIds } from '../src/http/wire/request-ids.ts';
import type { Accounts, Ledger, Limits, Mode, PlanName } from '../src/ledger/ledger.ts';
import { openLedger } from '../src/ledger/open.ts';
import { renderMetrics } from '../src/metrics/exposition.ts';
import { Metrics } from '../src/metrics/metrics.ts';
import { Release, readShared } from '../src/release/reader.ts';
import { openHome } from '../src/release/store.ts';
import type { RequestNotes } from '../src/requests/notes.ts';
import type { Database } from '../src/storage/sql.ts';
import { layouts } from '../src/tables/index.ts';
import type { LiveService } from '../src/upstream/index.ts';
import { copyBundled } from './prebuilt.ts';

export const command = path.join(import.meta.dirname, '../bin/domesday.js');

/** A temporary home with the sample and the sandbox in place, and no ledger. */
export async function bundledHome(): Promise<{ home: string; remove: () => void }> {
  const own = temporaryHome();
  await copyBundled(own.home);
  return own;
}

const removed = new Set<string>();
// A service that is still there may be writing what it noted of its last calls.
const removeHome = (home: string) => rmSync(home, { recursive: true, force: true, maxRetries: 10 });

// What was asked just before a home was removed may be kept on disk a moment after it.
process.once('exit', () => {
  for (const home of removed) removeHome(home);
});

export function temporaryHome(): { home: string; remove: () => void } {
  const home = mkdtempSync(path.join(tmpdir(), 'domesday-test-'));
  return {
    home,
    remove: () => {
      removeHome(home);
      removed.add(home);
    },
  };
}

type AccountWish = { plan?: PlanName; credits?: number; limits?: Partial<Limits>; mode?: Mode };

export type Rig = {
  app: FastifyInstance;
  home: string;
  ledger: Ledger;
  accounts: Accounts;
  /** What the service takes for the present moment; tests move it. */
  clock: { nowMs: number };
  logLines: string[];
  /** An account with one key. */
  customer: (wish?: AccountWish) => Promise<{ accountId: string; keyId: string; key: string }>;
  get: (url: string, key?: string, headers?: Record<string, string>) => Promise<LightMyRequestResponse>;
  /** What Prometheus would read. */
  metrics: () => Promise<string>;
  close: () => Promise<void>;
};

export type RigWish = {
  endpoints?: readonly Endpoint[];
  ledger?: (real: Ledger) => Ledger;
  live?: (real: Release) => Release;
  failedKeysPerMinute?: number;
  publicUrl?: string;
  publicSandbox?: 'on' | 'off';
  liveService?: LiveService | undefined;
  /** Time-outs and bounds of connections, where other than in earnest. */
  patience?: Partial<Patience>;
  tracer?: Tracer;
  /** Who keeps a list of requests; nobody unless told. */
  requests?: (metrics: Metrics, log: Log) => RequestNotes;
  /** People and their pages; none unless told. */
  pages?: (parts: PagesParts) => Promise<RigPages>;
  /** Settings as the environment has them. */
  env?: Readonly<Record<string, string>>;
  /** Of a ledger in PostgreSQL; without it, one in the home. */
  databaseUrl?: string;
  /** What stage times are taken with. */
  elapsedMs?: () => number;
};

export type PagesParts = {
  settings: Settings;
  books: { ledger: Ledger; accounts: Accounts };
  database: Database;
  live: () => Release;
  updates: ReturnType<typeof openUpdates>;
  log: Log;
  metrics: Metrics;
  now: () => number;
};

type RigPages = {
  requests: RequestNotes;
  openPortal: () => Promise<Portal>;
  close: () => Promise<void>;
};

/** The release as it would be if these alone were still a sample, or loaded in part. */
export function withSamples(
  release: Release,
  samples: readonly DatasetName[],
  otherwise: 'sample' | 'partial' = 'sample',
): Release {
  const datasets = release.manifest.datasets.map((dataset) => ({
    ...dataset,
    extent: samples.some((name) => name === dataset.name) ? otherwise : ('complete' as const),
  }));
  return new Release(release.dir, { ...release.manifest, kind: 'loaded', datasets }, layouts, readShared);
}

/** What of a query an endpoint takes: it refuses other parameters before anything else. */
export function takenBy({ params }: Endpoint, query: string): string {
  const taken = [...new URLSearchParams(query)].filter(([name]) => name in params);
  return new URLSearchParams(taken).toString();
}

/** A noon, far from the edges of minute, day and month. */
export const noonMs = Date.UTC(2026, 10, 15, 12, 0, 10);

export async function openRig(wish: RigWish = {}): Promise<Rig> {
  const { home, remove } = await bundledHome();
  const clock = { nowMs: noonMs };
  const stores = openHome(home, layouts);
  const live = stores.releases.openCurrent();
  const sandbox = stores.sandbox.openCurrent();
  const metrics = new Metrics();
  const { ledger, accounts, database } = await openLedger({ home, metrics, databaseUrl: wish.databaseUrl });
  const logLines: string[] = [];
  const served = wish.live?.(live) ?? live;
  const settings = {
    ...readSettings({ DOMESDAY_PUBLIC_URL: wish.publicUrl, ...wish.env }, {}),
    home,
    databaseUrl: wish.databaseUrl,
    log: 'debug' as const,
    metricsToken: 'a-token-of-the-tests',
    failedKeysPerMinute: wish.failedKeysPerMinute ?? 300,
    publicSandbox: wish.publicSandbox ?? 'on',
  };
  const updates = openUpdates({ home, update: undefined }, () => clock.nowMs);
  const watched = () => ({ served, current: 'served' as const });
  const replica = () => undefined;
  observeService(metrics, { home, ledger, database, watched, updates, replica, now: () => clock.nowMs });
  const log = new Log(
    settings,
    (line) => logLines.push(line),
    () => clock.nowMs,
  );
  const now = () => clock.nowMs;
  const books = { ledger: wish.ledger?.(ledger) ?? ledger, accounts };
  const pages = await wish.pages?.({
    settings,
    books,
    database,
    live: () => served,
    updates,
    log,
    metrics,
    now,
  });
  const app = buildServer({
    settings,
    endpoints: wish.endpoints ?? allEndpoints,
    ...books,
    phase: () => 'serving',
    releases: { live: () => served, forLiveKeys: () => served, sandbox: () => sandbox },
    liveService: wish.liveService,
    log,
    figures: new RequestFigures(metrics),
    tracer: wish.tracer,
    requests: pages?.requests ?? wish.requests?.(metrics, log),
    now,
    elapsedMs: wish.elapsedMs ?? (() => performance.now()),
    newRequestId: requestIds(randomBytes),
    newChargeId: chargeIds(randomBytes, clock.nowMs),
    patience: { ...servicePatience, ...wish.patience },
    version: 'test',
    publications,
    updates,
    replica,
    renderMetrics: async () => renderMetrics(await metrics.snapshot()),
    planPrices: async () => [],
    openPortal: pages?.openPortal ?? (() => Promise.reject(new Error('This rig has no pages.'))),
  });
  return {
    app,
    home,
    ledger,
    accounts,
    clock,
    logLines,
    customer: async ({ plan = 'premium', credits, limits, mode = 'live' } = {}) => {
      const terms = {
        ...(credits === undefined ? {} : { allowance: credits }),
        ...(limits ? { limits } : {}),
      };
      const { accountId } = await accounts.createAccount({
        name: 'customer',
        plan,
        terms,
        atMs: clock.nowMs,
      });
      return { accountId, ...(await accounts.createKey({ accountId, kind: mode, atMs: clock.nowMs })) };
    },
    get: (url, key, headers = {}) =>
      app.inject({ url, headers: { ...(key === undefined ? {} : { 'x-api-key': key }), ...headers } }),
    metrics: async () =>
      (await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${settings.metricsToken}` } }))
        .body,
    close: async () => {
      await app.close();
      await pages?.close();
      await ledger.close();
      remove();
    },
  };
}

export type Running = {
  child: ChildProcess;
  url: string;
  /** Everything printed so far on standard output. */
  output: () => string;
  /** Sends the signal and waits for the end. */
  stop: (signal?: NodeJS.Signals) => Promise<{ code: number | null; errors: string }>;
};

/** The real `domesday serve` on a port of its own; resolves once it listens, rejects if it ends before. `program` is that of
 *  this checkout unless another is given. */
export function startDomesday(
  home: string,
  env: Record<string, string> = {},
  program = command,
): Promise<Running> {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { PATH: process.env.PATH, DOMESDAY_HOME: home, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  const ended = new Promise<{ code: number | null; errors: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, errors }));
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
      const url = /listens on (http:\/\/\S+)/.exec(output)?.[1];
      // The greeting's last line is out when the data line is.
      if (url !== undefined && /^Data: .*\n/m.test(output)) {
        resolve({
          child,
          url,
          output: () => output,
          stop: (signal = 'SIGTERM') => {
            child.kill(signal);
            return ended;
          },
        });
      }
    });
    ended.then(({ code }) => reject(new Error(`domesday serve ended with ${code}: ${errors}`)));
  });
}

export type Ran = { readonly code: number | null; readonly out: string; readonly err: string };

/** Runs one command to its end, in this process: what it says and its exit status are those of the real one. */
export async function runDomesday(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const { run } = await import('../src/cli/run.ts');
  let out = '';
  let err = '';
  const code = await run(args, {
    env: { PATH: process.env.PATH, ...env },
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    isTerminal: false,
    now: Date.now,
    folder: process.cwd(),
  });
  return { code, out, err };
}

/** The same as a process of its own: what is promised of processes (locks, exits, the launcher) shows only there. */
export function runDomesdayProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = command,
): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...args], { env: { PATH: process.env.PATH, ...env } });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk;
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }));
  });
}
