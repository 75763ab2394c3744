// The running service: puts home, data, ledger and server together, and keeps them going until a signal.

import type { Settings } from '../../config.ts';
import { serveControl } from '../../control/server.ts';
import { type MetricsPort, metricsHost, openMetricsPort } from '../../http/metrics-port.ts';
import type { Log } from '../../http/observe/log.ts';
import { type Accounts, LedgerOutOfService, type Tell } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { guestAccount } from '../../ledger/visitors/guests.ts';
import { renderMetrics } from '../../metrics/exposition.ts';
import { Metrics } from '../../metrics/metrics.ts';
import { PartCache } from '../../release/part-cache.ts';
import { type Release, ReleaseDamaged } from '../../release/reader.ts';
import { type Home, NoSuchRelease, openHome, type ReleaseStore } from '../../release/store.ts';
import { RequestsFile } from '../../requests/file.ts';
import type { Database } from '../../storage/sql.ts';
import { layouts } from '../../tables/index.ts';
import { ensureSandbox } from '../bundled/bundled.ts';
import { buildQuickly } from '../bundled/kept.ts';
import type { CommandRefused, Io } from '../command.ts';
import { roomsOver } from '../operator.ts';
import { version } from '../version.ts';
import { observeService, watchEventLoop } from './figures.ts';
import { greet } from './greeting.ts';
import { listenRefusal, type RunningHttp, startHttp } from './http.ts';
import { leaveAddress, localUrl } from './left-address.ts';
import { chooseLook, openLog } from './log.ts';
import { openReplica } from './replica.ts';
import { updateByItself } from './updater.ts';
import { catchUpMs, openUpdates } from './updates.ts';
import { openChecked, warnOfUnreadable, watchRelease } from './watch-release.ts';

/** How long requests in flight may take to finish after a signal. */
const stopPatienceMs = 20_000;

// Notices when the clock of the machine is set while the service runs. Windows, refreshes and expiries go by that clock,
// so the operator should know why they moved.

/** A clock that is kept right by small steps makes none as large. */
const jumpMs = 5_000;
const everyMs = 1_000;

type Clocks = {
  readonly now: () => number;
  /** Milliseconds that pass whatever is done to the clock. */
  readonly elapsed: () => number;
};

/** `tell` hears of each jump once, in one sentence. Returns what ends the watch. */
export function watchClock(
  { now, elapsed }: Clocks,
  tell: (notice: string) => void,
  lookEveryMs: number = everyMs,
): () => void {
  let ahead = now() - elapsed();
  const timer = setInterval(() => {
    const aheadNow = now() - elapsed();
    const jump = aheadNow - ahead;
    ahead = aheadNow;
    if (Math.abs(jump) < jumpMs) return;
    const way = jump > 0 ? 'forward' : 'back';
    const why = jump > 0 ? ', or the machine slept' : '';
    tell(
      `The clock went ${way} by ${Math.round(Math.abs(jump) / 1000)} s to ${new Date(now()).toISOString()}: it was set${why}. If it is wrong now, set it right; \`domesday check\` lists refreshes that it moved.`,
    );
  }, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** The home has a release to serve, or follows those of others. */
export async function serveUntilSignal(settings: Settings, io: Io): Promise<void> {
  const home = openHome(settings.home, layouts);
  const parts = new PartCache();
  const live = openLive(settings, home, parts);
  const metrics = new Metrics();
  const look = chooseLook(settings, io.env);
  const logging = openLog(settings, io.now, { look, metrics });
  const { log, print, isTerminal } = logging;
  // In reverse order, also where a start fails half way: nothing keeps the home locked or charges.
  await using open = new AsyncDisposableStack();
  open.defer(logging.flush);
  open.defer(watchEventLoop(metrics));
  const tell = noticesTo(log, io);
  const { ledger, accounts, journals, database, maintain } = await openLedger({
    ...ledgerWish(settings, tell),
    metrics,
  });
  open.defer(() => ledger.close());
  maintain();
  const requestsFile = settings.databaseUrl === undefined ? new RequestsFile(settings.home, tell) : undefined;
  open.defer(() => requestsFile?.close());
  await openCommonAccounts(accounts, settings, io.now, log);
  const stop = stopBySignal();
  const updates = openUpdates(settings, io.now);
  const replica = openReplica(settings, io.now);
  const render = async () => renderMetrics(await metrics.snapshot());
  const listening = Promise.withResolvers<void>();
  const openSandbox = async () => {
    await ensureSandbox(settings.home, io.now(), buildQuickly);
    return home.sandbox.openCurrent(parts.load);
  };
  const sandboxLater = listening.promise.then(openSandbox);
  sandboxLater.catch((fault) => log.fault('the sandbox cannot be used; test keys are refused', fault));
  const http = await startHttp(settings, {
    live,
    books: { ledger, accounts },
    database,
    store: requestsFile ?? database,
    // The town can wait until the service answers; only a first start has to build it.
    sandbox: sandboxLater,
    log,
    now: io.now,
    metrics,
    renderMetrics: render,
  });
  open.defer(() => http.close());
  const everyMs = settings.watchReleaseMs;
  const watch = watchRelease({ home, parts, live, everyMs }, http, log);
  open.defer(watch.end);
  observeService(metrics, {
    ...settings,
    ledger,
    database,
    watched: watch.watched,
    updates,
    replica,
    now: io.now,
  });
  const metricsPort = await openMetrics(settings, render);
  open.defer(() => metricsPort?.close());
  const greeting = { settings, live, accounts, print, isTerminal, asTyped: io.asTyped };
  const metricsAt = metricsPort && `http://${metricsHost}:${metricsPort.port}/metrics`;
  // Whoever reads the greeting may type a command at once.
  leaveAddressOf({ ...settings, port: http.port }, log);
  const commanded = { accounts, journals, database };
  open.defer(await serveCommands({ ...settings, port: http.port }, commanded, { log, now: io.now, tell }));
  await greet({ ...greeting, port: http.port, metrics: metricsAt, atMs: io.now() });
  if (live !== undefined) warnOfUnreadable(live, log);
  listening.resolve();
  open.defer(await mailPeople({ ...settings, port: http.port }, { database, now: io.now, tell }));
  const clocks = { now: io.now, elapsed: () => performance.now() };
  open.defer(watchClock(clocks, tellJumps(metrics, log)));
  open.defer(await keepCurrent(settings, io, log, { live, store: home.releases, look: watch.look }));
  const reason = await stop.promise;
  if (reason === 'signal') await drain(settings, http, log);
  boundTheEnd();
  if (reason !== 'signal') throw reason;
}

/** Links that a command prints lead to where it listens. */
function leaveAddressOf({ home, host, port }: Settings, log: Log): void {
  leaveAddress(home, localUrl(host, port), (fault) =>
    log.fault('links that `domesday people` prints may name another port than this one', fault),
  );
}

/** Commands ask this service for what it has open. A database they ask themselves. */
async function serveCommands(
  settings: Settings,
  opened: Parameters<typeof roomsOver>[0],
  { log, ...more }: { readonly log: Log; readonly now: () => number; readonly tell: Tell },
): Promise<() => Promise<void>> {
  if (settings.databaseUrl !== undefined) return async () => {};
  const { rooms, close } = roomsOver(opened, { settings, ...more });
  const end = await serveControl({
    home: settings.home,
    version,
    rooms,
    warn: (message) => log.warn(message),
    report: (message, fault) => log.fault(message, fault),
  });
  return async () => {
    await end();
    await close();
  };
}

/** Mails that wait are sent. Returns what ends that. */
async function mailPeople(
  settings: Settings,
  parts: { readonly database: Database; readonly now: () => number; readonly tell: Tell },
): Promise<() => Promise<void>> {
  if (settings.smtpUrl === undefined) return async () => {};
  return (await import('../people/open-people.ts')).sendMails({ settings, ...parts });
}

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

function stopBySignal(): PromiseWithResolvers<'signal' | CommandRefused> {
  const stop = Promise.withResolvers<'signal' | CommandRefused>();
  for (const signal of stopSignals) process.on(signal, () => stop.resolve('signal'));
  return stop;
}

/** Whoever sends calls learns in this time that they are to go elsewhere. One more signal ends it. */
async function drain({ drainSeconds }: Settings, http: RunningHttp, log: Log): Promise<void> {
  if (drainSeconds === 0) return;
  http.drain();
  log.info(`stops in ${drainSeconds} s; /health/ready says 503 until then`);
  await nextSignal(drainSeconds * 1_000);
}

/** Waits for it no longer than so. */
async function nextSignal(mostMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, mostMs);
  for (const signal of stopSignals) process.once(signal, resolve);
  await promise;
  clearTimeout(timer);
  for (const signal of stopSignals) process.off(signal, resolve);
}

/** What is in flight is waited for so long, and not after one more signal. */
function boundTheEnd(): void {
  setTimeout(() => process.exit(1), stopPatienceMs).unref();
  for (const signal of stopSignals) process.once(signal, () => process.exit(1));
}

function tellJumps(metrics: Metrics, log: Log): (notice: string) => void {
  const jumps = metrics.counter('domesday_clock_jumps_total');
  return (notice) => {
    jumps.add(1);
    log.warn(notice);
  };
}

/** A replica whose release is not there, or damaged, fetches it. */
function openLive({ releasesUrl }: Settings, home: Home, parts: PartCache): Release | undefined {
  try {
    return openChecked(home, parts);
  } catch (error) {
    const isLacking = error instanceof NoSuchRelease || error instanceof ReleaseDamaged;
    if (releasesUrl !== undefined && isLacking) return undefined;
    throw error;
  }
}

type Watched = {
  readonly live: Release | undefined;
  readonly store: ReleaseStore;
  readonly look: () => void;
};

/** By updates of its own, or as a replica of others. Returns what ends that. */
async function keepCurrent(
  settings: Settings,
  io: Io,
  log: Log,
  { live, store, look }: Watched,
): Promise<() => Promise<void>> {
  if (settings.releasesUrl !== undefined) {
    const { followReleases } = await import('./follow.ts');
    return followReleases({
      settings,
      io,
      log,
      store,
      look,
      isServing: live === undefined ? 'nothing' : 'a release',
    });
  }
  if (settings.update === undefined) return async () => {};
  return updateByItself({ time: settings.update, settings, io, log, soonMs: catchUpMs });
}

const ledgerWish = ({ home, databaseUrl }: Settings, tell: Tell) => ({ home, databaseUrl, tell });

const noticesTo =
  (log: Log, { asTyped }: Io): Tell =>
  ({ level, message, fault }) =>
    fault === undefined ? log[level](asTyped(message)) : log.fault(asTyped(message), fault);

/** Those that belong to no customer. */
async function openCommonAccounts(
  accounts: Accounts,
  settings: Settings,
  now: () => number,
  log: Log,
): Promise<void> {
  if (settings.publicSandbox === 'on') {
    const failure = 'the public sandbox key cannot be used before the next start';
    await onceChecked(() => accounts.openPublicSandbox(now()), log, failure);
  }
  const failure = 'the account of visitors does not follow DOMESDAY_VISITORS before the next start';
  await onceChecked(() => followVisitors(accounts, settings, now()), log, failure);
}

/** While the ledger is still checked, work on it has to wait. */
async function onceChecked(work: () => Promise<void>, log: Log, failure: string): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof LedgerOutOfService)) throw error;
    const tryAgain = () =>
      onceChecked(work, log, failure).catch((fault: unknown) => log.fault(failure, fault));
    setTimeout(tryAgain, 1_000).unref();
  }
}

/** Before anybody calls: keys that visitors got before the start would have the old limit. The first visitor makes the account. */
async function followVisitors(accounts: Accounts, { visitors }: Settings, atMs: number): Promise<void> {
  if (visitors === 0 || (await accounts.findAccount(guestAccount.accountId, atMs)) === undefined) return;
  await accounts.openGuests({ callsPerDay: visitors, atMs });
}

async function openMetrics(
  { metricsPort }: Settings,
  render: () => Promise<string>,
): Promise<MetricsPort | undefined> {
  if (metricsPort === undefined) return undefined;
  try {
    return await openMetricsPort(metricsPort, render);
  } catch (error) {
    throw listenRefusal(error, metricsHost, metricsPort, 'DOMESDAY_METRICS_PORT or --metrics-port');
  }
}
