// Follows the pointer that `ingest` and `releases use` move. A release that does not open is told once, the one before
// stays, and it is tried again until it opens: whoever mends it need not restart the service.

import type { Log } from '../../http/observe/log.ts';
import { describeUnreadable, isSealed, type Release } from '../../release/reader.ts';
import type { SharedParts } from '../../release/shared-parts.ts';
import type { Home } from '../../release/store.ts';
import type { RunningHttp } from './http.ts';

type Watched = {
  readonly home: Home;
  readonly sharedParts: SharedParts;
  readonly served: string;
  readonly everyMs: number;
};

/** Returns what ends it. */
export function watchRelease(
  { home, sharedParts, served, everyMs }: Watched,
  http: Pick<RunningHttp, 'switchTo'>,
  log: Log,
): () => void {
  let servedId = served;
  let told: string | undefined;
  const look = () => {
    try {
      const id = home.releases.currentId();
      if (id !== undefined && id !== servedId) {
        const release = openChecked(home, sharedParts);
        http.switchTo(release);
        servedId = id;
        log.info(`release ${id} is now served`);
        warnOfUnreadable(release, log);
      }
      told = undefined;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error.message === told) return;
      told = error.message;
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

/** A release that cannot be read is noticed before the port is opened, not by the first customer. */
export function openChecked(home: Home, { load }: SharedParts): Release {
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
  if (!isSealed(release)) {
    log.warn(
      `The manifest of release ${release.id} has no checksum; \`domesday releases use ${release.id}\` adds one`,
    );
  }
}
