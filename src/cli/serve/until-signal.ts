// The running service: puts home, data, ledger and server together, and keeps them going until a signal.

import type { Settings } from '../../config.ts';
import { basePath } from '../../contract/endpoint.ts';
import type { Log } from '../../http/observe/log.ts';
import { renderMetrics } from '../../http/observe/metrics.ts';
import type { Accounts } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { isCustomer } from '../../ledger/public-sandbox.ts';
import { describeUnreadable, type Release } from '../../release/reader.ts';
import { SharedParts } from '../../release/shared-parts.ts';
import { type Home, openHome } from '../../release/store.ts';
import { layouts } from '../../tables/index.ts';
import { noticesOf } from '../../upstream/index.ts';
import { ensureSandbox } from '../bundled.ts';
import { buildQuickly } from '../bundled-kept.ts';
import { CommandRefused, type Io } from '../command.ts';
import { version } from '../version.ts';
import { type RunningHttp, startHttp } from './http.ts';
import { openLog, ownChunkBytes, sharedChunkBytes } from './log.ts';

/** How long requests in flight may take to finish after a signal. */
const stopPatienceMs = 20_000;

/** The home has a release to serve. */
export async function serveUntilSignal(settings: Settings, io: Io): Promise<void> {
  const home = openHome(settings.home, layouts);
  const sharedParts = new SharedParts();
  const live = openChecked(home, sharedParts);
  const { ledger, accounts, maintain } = await openLedger({ home: settings.home });
  if (settings.publicSandbox === 'on') await accounts.openPublicSandbox(io.now());
  const { log, flush: flushLog } = openLog(
    settings,
    io.now,
    settings.workers === 1 ? ownChunkBytes : sharedChunkBytes,
  );
  const stop = Promise.withResolvers<'signal' | CommandRefused>();

  const parts = { live, log };
  const listening = Promise.withResolvers<void>();
  const openSandbox = async () => {
    await ensureSandbox(settings.home, io.now(), buildQuickly);
    return home.sandbox.openCurrent(sharedParts.load);
  };
  const sandboxLater = listening.promise.then(openSandbox);
  sandboxLater.catch((fault) => log.fault('the sandbox cannot be used; test keys are refused', fault));
  const http =
    settings.workers === 1
      ? await startHttp(
          settings,
          { port: settings.port, use: 'own' },
          {
            ...parts,
            ledger,
            // The town can wait until the service answers; only a first start has to build it.
            sandbox: sandboxLater,
            now: io.now,
            renderMetrics: async (own) => renderMetrics([own.snapshot()], process.memoryUsage.rss()),
          },
        )
      : await (await import('./pool.ts')).startPool(settings, {
          ...parts,
          books: { ledger, accounts },
          sandbox: await openSandbox(),
          sharedParts,
          onLoss: (reason) => stop.resolve(new CommandRefused(reason)),
        });

  const unwatch = watchRelease(
    { home, sharedParts, served: live.id, everyMs: settings.watchReleaseMs },
    http,
    log,
  );
  await greet({ settings, port: http.port, live, accounts }, io);
  warnOfUnreadable(live, log);
  listening.resolve();
  maintain((fault) =>
    log.fault('the thread that empties the log of the ledger has ended; charges go on, slower', fault),
  );
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      stop.resolve('signal');
      process.once(signal, () => process.exit(1));
    });
  }
  const reason = await stop.promise;
  unwatch();
  setTimeout(() => process.exit(1), stopPatienceMs).unref();
  await http.close();
  await ledger.close();
  flushLog();
  if (reason !== 'signal') throw reason;
}

/** A release that cannot be read is noticed before the port is opened, not by the first customer. */
function openChecked(home: Home, { load }: SharedParts): Release {
  const release = home.releases.openCurrent(load);
  release.verifyQuickly();
  return release;
}

function warnOfUnreadable(release: Release, log: Log): void {
  for (const unreadable of release.unreadable) {
    log.warn(`${describeUnreadable(unreadable, release)} and is not served; domesday check says what to do`);
  }
}

type Watched = {
  readonly home: Home;
  readonly sharedParts: SharedParts;
  readonly served: string;
  readonly everyMs: number;
};

/** Follows the pointer that `ingest` and `releases use` move; a damaged release is reported, not served. */
function watchRelease(
  { home, sharedParts, served, everyMs }: Watched,
  http: Pick<RunningHttp, 'switchTo'>,
  log: Log,
): () => void {
  let seen: string | undefined = served;
  const look = () => {
    try {
      const id = home.releases.currentId();
      if (id === undefined || id === seen) return;
      seen = id;
      const release = openChecked(home, sharedParts);
      http.switchTo(release);
      log.info(`release ${id} is now served`);
      warnOfUnreadable(release, log);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      log.error(`the release made current cannot be served, the one before stays: ${error.message}`);
    }
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  process.on('SIGHUP', look);
  return () => {
    clearInterval(timer);
    process.off('SIGHUP', look);
  };
}

function sampleWords({ manifest, datasets }: Release): string {
  const load = 'load the country with: npx domesday ingest PATH…';
  if (manifest.kind === 'sample') return `, a small bundled sample; ${load}`;
  const sampled = datasets.filter(({ extent }) => extent === 'sample').map(({ name }) => name);
  return sampled.length === 0 ? '' : `; still a sample: ${sampled.join(', ')}; ${load}`;
}

type Greeting = {
  readonly settings: Settings;
  readonly port: number;
  readonly live: Release;
  readonly accounts: Accounts;
};

async function greet({ settings, port, live, accounts }: Greeting, io: Io): Promise<void> {
  const isEverywhere = settings.host === '0.0.0.0' || settings.host === '::';
  const host = isEverywhere
    ? '127.0.0.1'
    : settings.host.includes(':')
      ? `[${settings.host}]`
      : settings.host;
  const address = `http://${host}:${port}`;
  io.out(`Domesday ${version} listens on ${address} (reference: ${address}/docs)\n`);
  io.out(`Data: release ${live.id}${sampleWords(live)}\n`);
  for (const notice of noticesOf(settings)) io.out(`Live: ${notice}\n`);
  const atMs = io.now();
  if ((await accounts.listAccounts(atMs)).some(isCustomer)) return;
  const { accountId } = await accounts.createAccount({ name: 'demo', plan: 'premium', atMs });
  const { key: liveKey } = await accounts.createKey({ accountId, kind: 'live', name: 'demo', atMs });
  const { key: testKey } = await accounts.createKey({ accountId, kind: 'test', name: 'demo', atMs });
  io.out(`
Account "demo" (Premium plan) was made. Its keys are shown this once; try the live one:

curl -H 'X-API-Key: ${liveKey}' '${address}${basePath}/bank-rates?limit=1'
curl -H 'X-API-Key: ${liveKey}' '${address}${basePath}/area/statistics?postcode=NP10+8WA'

The test key is free and answers from a fictional town (postcode area ZZ):

${testKey}

`);
}
