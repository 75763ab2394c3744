// Follows the pointer that `ingest` and `releases use` move. What is in use is in memory before the switch, so that nobody
// waits for it. A release that does not open is told once, the one before stays, and it is tried again until it opens:
// whoever mends it need not restart the service.

import type { Log } from '../../http/observe/log.ts';
import type { PartCache } from '../../release/part-cache.ts';
import { describeUnreadable, type Release } from '../../release/reader.ts';
import type { Home } from '../../release/store.ts';
import type { RunningHttp } from './http.ts';

type Watched = {
  readonly home: Home;
  readonly parts: PartCache;
  readonly live: Release | undefined;
  readonly everyMs: number;
};

/** What is served, and whether that is what was made current. */
export type WatchedRelease = {
  readonly served: Release | undefined;
  readonly current: 'served' | 'refused';
};

type ReleaseWatch = {
  readonly watched: () => WatchedRelease;
  /** Looks at once; it also does so by itself. */
  readonly look: () => void;
  readonly end: () => Promise<void>;
};

/** Proving gigabytes that are damaged takes seconds of a core each time. */
const restFactor = 20;

export function watchRelease(
  { home, parts, live, everyMs }: Watched,
  http: Pick<RunningHttp, 'switchTo'>,
  log: Log,
): ReleaseWatch {
  let served = live;
  let told: string | undefined;
  let looking: Promise<void> | undefined;
  let notBeforeMs = 0;
  const stop = new AbortController();
  const switchIfMoved = async () => {
    const id = home.releases.currentId();
    if (id === undefined || id === served?.id) return;
    const release = openChecked(home, parts);
    if (served !== undefined) await parts.prepare(release, served, stop.signal);
    http.switchTo(release);
    served = release;
    log.info(`release ${id} is now served`);
    warnOfUnreadable(release, log);
  };
  const look = async () => {
    const beganMs = performance.now();
    try {
      await switchIfMoved();
      told = undefined;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      notBeforeMs = performance.now() + (performance.now() - beganMs) * restFactor;
      if (stop.signal.aborted || error.message === told) return;
      told = error.message;
      log.error(`the release made current cannot be served, the one before stays: ${error.message}`);
    }
  };
  const lookAgain = () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  };
  const timer = setInterval(() => {
    if (performance.now() >= notBeforeMs) lookAgain();
  }, everyMs);
  timer.unref();
  process.on('SIGHUP', lookAgain);
  return {
    watched: () => ({ served, current: told === undefined ? 'served' : 'refused' }),
    look: lookAgain,
    end: async () => {
      clearInterval(timer);
      process.off('SIGHUP', lookAgain);
      stop.abort();
      await looking;
    },
  };
}

/** A release that cannot be read is noticed before the port is opened, not by the first customer. */
export function openChecked(home: Home, { load }: PartCache): Release {
  const release = home.releases.openCurrent(load);
  release.verifyQuickly();
  return release;
}

export function warnOfUnreadable(release: Release, log: Log): void {
  for (const unreadable of release.unreadable) {
    log.warn(
      `${describeUnreadable(unreadable, release)} and is not served; \`domesday check\` says what to do`,
    );
  }
}
